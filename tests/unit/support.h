/* support.h - what the tests of several folders share: random machines and
 * boxes, and a naive model of a state.
 *
 * The model is written from the definitions, not from the library: a record a
 * node and a record a link, links named by their ends, every question answered
 * by a loop. It is the slow reference that the bit sets are compared with.
 * Which links a partition takes follows the text of Aridor et al.,
 * "Multi-Toroidal Interconnects", 2004, section 2.
 *
 * Helpers that can fail end the test.
 */
#ifndef TORI_TESTS_SUPPORT_H
#define TORI_TESTS_SUPPORT_H

#include <stdbool.h>

#include <tori/wiring.h>

#include "cases.h"
#include "random.h"

#define LENGTH(array) (sizeof (array) / sizeof (array)[0])

/* ---- random things ---- */

/* How many of n random cases to try: all of them, but an eighth, and one at
 * the least, under the address sanitizer. There they take five times as long,
 * and it is not what they come to that is looked at, which the plain build of
 * `make check` does. TORI_CASES=10 in the environment tries ten times as many,
 * and TORI_CASES=0.3 a third. */
size_t random_cases (size_t n);

/* Random numbers of a seed. */
struct rng seeded (uint64_t seed);

/* A whole number in [low, high]. */
uint32_t between (struct rng *rng, uint32_t low, uint32_t high);
bool chance (struct rng *rng, unsigned percent);

tori_machine *make_machine (const char *text);
tori_state *make_state (const tori_machine *machine);
tori_box make_box (const tori_machine *machine, const char *text);
tori_shape make_shape (const char *text);
void *make_array (size_t n, size_t size); /* zeroed, at least one byte */

static inline void machine_over (tori_machine **machine)
{
    tori_machine_destroy (*machine);
}

static inline void state_over (tori_state **state)
{
    tori_state_destroy (*state);
}

/* Of a variable that its block destroys at the end, the last one first. */
#define AUTO_MACHINE __attribute__ ((cleanup (machine_over))) tori_machine
#define AUTO_STATE __attribute__ ((cleanup (state_over))) tori_state

/* A machine of 1 to max_dims dimensions and no more than max_nodes nodes, the
 * kinds mixed: sides of 1, of 2, up to 9, and now and then 16, 32, 64 or
 * beyond. */
tori_machine *random_machine (struct rng *rng, int max_dims,
                              uint32_t max_nodes);

/* A box of the machine, wrapped at times if `wrap`, with sides up to
 * `longest`. */
tori_box random_box (struct rng *rng, const tori_machine *machine,
                     uint32_t longest, bool wrap);

/* The path of a real log in $TORI_TRACES; the test is skipped where there is
 * none. Good until called again. */
const char *find_trace (const char *name);

/* ---- by definition ---- */

void expect_same_box (const tori_box *is, const tori_box *should);

/* Count up, the last digit fastest, every digit below its limit; false once
 * they are all 0 again. */
bool count_up (uint32_t digits[], const uint32_t limits[], int n);

/* Whether a node is in a box: its coordinate is one of origin, origin + 1,
 * ... round the dimension, in all of them. */
bool naive_contains (const tori_machine *machine, const tori_box *box,
                     uint32_t node);

/* The ids of a box's nodes in the order of the box's own coordinates. */
void naive_box_nodes (const tori_machine *machine, const tori_box *box,
                      uint32_t ids[]);

/* The distinct rotations of a shape in lexicographic order, the shape alone if
 * `fixed`. The caller frees *ret_list. */
size_t naive_rotations (const tori_shape *shape, bool fixed,
                        tori_shape **ret_list);

/* A link of one line, by the coordinates of its ends, a < b. */
struct line_link {
    uint32_t a, b;
    char kind;
};

/* Room for the links of any line of S nodes. */
#define LINE_LINKS(S) (2 * (size_t)(S) + 2)

/* All links of a line of S nodes. */
size_t naive_line (tori_kind kind, uint32_t S, struct line_link ret[]);

/* The links that wiring the n nodes from `first` on takes; -1 if that can
 * never be. */
int naive_wire_line (tori_kind kind, uint32_t S, uint32_t first, uint32_t n,
                     tori_wiring wiring, struct line_link ret[]);

/* Whether wiring a box has links, on a machine where all are free. */
bool naive_has_links (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring);

/* ---- the model of a state ---- */

enum { NOBODY = -1 };

struct naive_node {
    int owner;
    bool down, drained;
};

struct naive_link {
    int dim;
    uint32_t a, b; /* node ids */
    char kind;
    int owner;
    bool down;
};

struct naive {
    const tori_machine *machine;
    uint32_t n;
    struct naive_node *nodes;
    struct naive_link *links; /* by dimension, then lower end */
    size_t nlinks;
    size_t *first; /* of the links of a dimension and a lower end */
    size_t *scratch; /* room for all links */
};

struct naive *naive_create (const tori_machine *machine);
void naive_destroy (struct naive *naive);

/* The number of a link in naive->links. */
size_t naive_find (const struct naive *naive, int dim, uint32_t a, uint32_t b,
                   char kind);
size_t naive_number (const struct naive *naive, const tori_link *link);

/* The numbers of the links that wiring a box takes, or -1; `ret` has room for
 * all links. */
int naive_links (const struct naive *naive, const tori_box *box,
                 tori_wiring wiring, size_t ret[]);

bool naive_is_free (const struct naive *naive, uint32_t node);
uint32_t naive_free_count (const struct naive *naive);
bool naive_box_free (const struct naive *naive, const tori_box *box);

/* Whether every link that the rule gives the box is up and nobody's. */
bool naive_wirable (const struct naive *naive, const tori_box *box,
                    tori_wiring wiring);

/* Give a box and its links to an owner, which ends the test if somebody has
 * one of them; and take back all that an owner has. */
void naive_hold (struct naive *naive, const tori_box *box, tori_wiring wiring,
                 int owner);
void naive_release (struct naive *naive, int owner);

/* Set a random node down or drained, or a random link down, or up again, in
 * the state and in the model. */
void naive_disturb_node (struct naive *naive, tori_state *state,
                         struct rng *rng);
void naive_disturb_link (struct naive *naive, tori_state *state,
                         struct rng *rng);

/* All nodes and links up and in service again. */
void naive_repair (struct naive *naive, tori_state *state);

/* The state is what the model says, in everything that can be asked, and its
 * marks of torus lines (marks.h) are what they are defined to be. */
void naive_expect (const struct naive *naive, const tori_state *state);

#endif
