/* tori/wiring.h - which links a partition takes.
 *
 * Links are dedicated: a link belongs to one partition at a time. Dimensions
 * are independent, and within a dimension so are the lines, so the links of a
 * box follow from its extent in one line (Aridor et al., 2004, section 2):
 *
 *   size 1        no link: a switch closes the loop by itself.
 *   mesh          the neighbour links inside the box (with the wrap link
 *                 where the box wraps).
 *   torus, on a torus line: every link of the line, for the ring passes
 *                 through the switches outside the box as well.
 *   torus, on a multi-torus line: the folded ring of the box itself: (i, i+2)
 *                 throughout and a link at either end that joins the last two.
 *                 Two inner nodes i, i+1 close through the switch to the
 *                 right: (i, i+1), (i, i+2), (i+1, i+2).
 *   torus, on a mesh line: impossible.
 */
#ifndef TORI_WIRING_H
#define TORI_WIRING_H

#include <tori/state.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tori_wiring {
    TORI_WIRE_NONE,
    TORI_WIRE_MESH,
    TORI_WIRE_TORUS
} tori_wiring;

/* "none", "mesh", "torus"; NULL for anything else. Parsing another text fails
 * with TORI_INVALID. */
const char *tori_wiring_name (tori_wiring wiring);
int tori_wiring_parse (const char *text, tori_wiring *ret_wiring,
                       tori_error *err);

/* A run of links: in every line of `dim` that the box crosses, the links of
 * `layer` whose slots have the coordinates first, first+1, ... (modulo the
 * side) in that dimension. */
typedef struct tori_link_run {
    int dim;
    tori_layer layer;
    uint32_t first;
    uint32_t count;
} tori_link_run;

enum { TORI_MAX_RUNS = 4 * TORI_MAX_DIMS };

/* The links that wiring this box takes, as runs. Here and in
 * tori_wiring_possible, _free, _each and _conflict the box must be within the
 * machine and the wiring one of the three; this is not checked. Returns the
 * number of runs, or -1 if the machine can never wire the box this way. */
int tori_wiring_runs (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      tori_link_run ret_runs[TORI_MAX_RUNS]);

/* Whether this shape, not rotated, could ever be wired this way. */
bool tori_wiring_possible (const tori_machine *machine,
                           const tori_shape *shape, tori_wiring wiring);

/* Whether every link that the box needs is free and up. */
bool tori_wiring_free (const tori_state *state, const tori_box *box,
                       tori_wiring wiring);

/* Take the links of a box, or give them back. Taking fails with TORI_NOT_NOW
 * when a link is taken or down, TORI_NEVER when such a box can never be wired
 * this way, TORI_INVALID for a box outside this machine, TORI_FAILED without
 * memory; the state is then unchanged. Giving back does nothing unless all of
 * the links are taken; the state does not know who has taken them. */
int tori_wiring_take (tori_state *state, const tori_box *box,
                      tori_wiring wiring, tori_error *err);
void tori_wiring_give (tori_state *state, const tori_box *box,
                       tori_wiring wiring);

/* Call `visit` once for every link of the box, ordered by dimension, line,
 * layer and slot. If it returns non-zero, the visit ends and returns that
 * value. It may call any function of the library. */
int tori_wiring_each (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      int (*visit) (void *arg, const tori_link *link),
                      void *arg);

/* Whether two boxes need a link in common, and if so, one such link. */
bool tori_wiring_conflict (const tori_machine *machine, const tori_box *a,
                           tori_wiring wiring_a, const tori_box *b,
                           tori_wiring wiring_b, tori_link *ret_link);

#ifdef __cplusplus
}
#endif

#endif
