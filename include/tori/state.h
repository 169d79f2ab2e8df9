/* tori/state.h - what is free, busy, down or drained, and which links are
 * taken or down.
 *
 * A state belongs to a machine. It holds one bit per node for each of free,
 * busy, down and drained and, once the first partition is wired, one bit per
 * link. A node is free if it is not busy, not down and not drained. Down and
 * drained are flags of their own. A busy node may be drained: its job keeps
 * it, but it takes no other. A node that comes up again is free only if no job
 * holds it.
 *
 * A link is named by where it starts: a dimension, a layer and a slot. Layer
 * TORI_NEAR holds the link from the slot's node to the next one in the
 * dimension; on a torus dimension the last node's slot is the wrap link. Layer
 * TORI_FAR holds the folded ring of a multi-torus dimension of size S: slot i
 * is the link (i, i+2), slot S-2 is the second link (0, 1), and slot S-1 is
 * the second link (S-2, S-1). So 2S-1 links fit two bits per node. (With two
 * nodes there is one ring link.) Some slots, such as a mesh's last, have no
 * link.
 *
 * On a pod a port is the link between a node on a face and its switch. In
 * layer TORI_NEAR the last node's slot is its + port; in layer TORI_FAR the
 * first node's slot is its - port. A cross-connect takes a + port and a -
 * port. A port that is down is a link that is down.
 */
#ifndef TORI_STATE_H
#define TORI_STATE_H

#include <tori/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_state tori_state;

typedef enum tori_node_state {
    TORI_NODE_FREE,
    TORI_NODE_BUSY,
    TORI_NODE_DOWN,
    TORI_NODE_DRAINED
} tori_node_state;

typedef enum tori_layer { TORI_NEAR, TORI_FAR } tori_layer;

typedef struct tori_link {
    int dim;
    tori_layer layer;
    uint32_t slot; /* a node id */
} tori_link;

/* Create a state in which every node is free and every link is up and free.
 * The machine must outlive it. */
int tori_state_create (const tori_machine *machine, tori_state **ret_state,
                       tori_error *err);
void tori_state_destroy (tori_state *state);

/* Make `to` equal to `from`; both belong to the same machine. On failure (no
 * memory for link layers that `to` does not have yet) `to` is unchanged. */
int tori_state_copy (tori_state *to, const tori_state *from, tori_error *err);
bool tori_state_equal (const tori_state *a, const tori_state *b);

const tori_machine *tori_state_machine (const tori_state *state);
uint32_t tori_state_free_count (const tori_state *state);

/* The free nodes as a bitmap, without a copy: bit i % 64 of word i / 64 for
 * node i. There are (nodes + 63) / 64 words; bits beyond the last node are 0.
 * It is valid as long as the state, and shows what the state becomes. */
const uint64_t *tori_state_free_bits (const tori_state *state);

/* A node outside this machine is neither free nor busy. */
bool tori_state_is_free (const tori_state *state, uint32_t node);
bool tori_state_is_busy (const tori_state *state, uint32_t node);

/* The flags of a node, whether or not it is busy. A node outside this machine
 * has none. */
bool tori_state_is_down (const tori_state *state, uint32_t node);
bool tori_state_is_drained (const tori_state *state, uint32_t node);

/* The state of a node. If several hold, down goes before drained, and drained
 * before busy. A node outside this machine is down. */
tori_node_state tori_state_node (const tori_state *state, uint32_t node);

/* Set or clear a flag of a node. Nothing happens if it already has this value.
 * A job that holds the node keeps it. TORI_INVALID for a node outside this
 * machine; TORI_FAILED if memory runs out, which can happen only for the first
 * node that goes down or is drained. On failure the state is unchanged. */
int tori_state_set_down (tori_state *state, uint32_t node, bool down,
                         tori_error *err);
int tori_state_set_drained (tori_state *state, uint32_t node, bool drained,
                            tori_error *err);

/* Find the largest free box, the first by shape, then by origin; on a pod
 * within a cube. With `wrap` it may go round the dimensions that do. Links do
 * not matter. Returns 1; or 0 if no node is free, or if the machine has so many
 * boxes that the search was given up, after a number of steps that is always
 * the same; or -1 if memory runs out. */
int tori_state_largest_box (const tori_state *state, bool wrap,
                            tori_box *ret_box, tori_error *err);

/* Whether this machine has such a link, and the link's flags. If there is no
 * such link, both flags are false, and setting one fails with TORI_INVALID.
 * Setting one fails with TORI_FAILED if memory runs out. */
bool tori_link_exists (const tori_machine *machine, const tori_link *link);
bool tori_state_link_taken (const tori_state *state, const tori_link *link);
bool tori_state_link_down (const tori_state *state, const tori_link *link);
int tori_state_set_link_down (tori_state *state, const tori_link *link,
                              bool down, tori_error *err);

/* Write the ends of a link as coordinates in its dimension, a <= b, and return
 * its kind: 'n' neighbour, 'w' wrap, 's' folded ring; '+' or '-' for a port,
 * whose node is both ends. If the machine has no such link, return 0 and write
 * nothing. */
char tori_link_ends (const tori_machine *machine, const tori_link *link,
                     uint32_t *ret_a, uint32_t *ret_b);

/* Parse a link given by its ends, "0,0,1-0,0,2". If two links join the same
 * nodes, a kind may follow after a space: "0,0-0,1 s". Without a kind it is
 * the neighbour link, or the wrap or folded-ring link if no other joins the
 * two. A port is a node, and the sign and number of a dimension: "5,3,1,2 +1".
 * TORI_INVALID if there is no such link. A formatted text always has the kind.
 */
enum { TORI_LINK_TEXT = 2 * TORI_TEXT_MAX + 8 };
int tori_link_parse (const tori_machine *machine, const char *text,
                     tori_link *ret_link, tori_error *err);
void tori_link_format (const tori_machine *machine, const tori_link *link,
                       char text[TORI_LINK_TEXT]);

/* How many links the machine has. */
uint64_t tori_machine_links (const tori_machine *machine);

/* How many links are taken. */
uint64_t tori_state_links_taken (const tori_state *state);

#ifdef __cplusplus
}
#endif

#endif
