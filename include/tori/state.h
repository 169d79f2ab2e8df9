/* tori/state.h - what is free, busy, down or drained, and which links are
 * taken or down.
 *
 * A state belongs to a machine and holds one bit per node for each of free,
 * busy, down and drained, and, once the first partition is wired, one bit per
 * link. A node is free when it is neither busy, down nor drained. Down and
 * drained are flags of their own: a busy node may be drained (its job keeps
 * it, but it takes no other), and a node that comes up again is free only if
 * nothing holds it.
 *
 * Links are named by where they start: a dimension, a layer and a slot. Layer
 * TORI_NEAR holds the link from the slot's node to the next one in the
 * dimension; on a torus dimension the last node's slot is the wrap link. Layer
 * TORI_FAR holds the folded ring of a multi-torus dimension of size S: slot i
 * is the link (i, i+2), slot S-2 the second link (0, 1) and slot S-1 the
 * second link (S-2, S-1), so that 2S-1 links fit two bits per node (with two
 * nodes, one ring link). Some slots, such as a mesh's last, have no link.
 *
 * On a pod the links of the switches are those between a node of a face and
 * its port: in layer TORI_NEAR the last node's slot is its + port, in layer
 * TORI_FAR the first node's slot is its - port. A cross-connect takes a + port
 * and a - port; a port that is down is such a link that is down.
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
 * memory for link layers that `to` did not have yet) `to` is unchanged. */
int tori_state_copy (tori_state *to, const tori_state *from, tori_error *err);
bool tori_state_equal (const tori_state *a, const tori_state *b);

const tori_machine *tori_state_machine (const tori_state *state);
uint32_t tori_state_free_count (const tori_state *state);

/* A node outside this machine is neither free nor busy. */
bool tori_state_is_free (const tori_state *state, uint32_t node);
bool tori_state_is_busy (const tori_state *state, uint32_t node);

/* Its flags, whether or not it is busy. One outside this machine has none. */
bool tori_state_is_down (const tori_state *state, uint32_t node);
bool tori_state_is_drained (const tori_state *state, uint32_t node);

/* Down before drained before busy, when several hold; down for a node outside
 * this machine. */
tori_node_state tori_state_node (const tori_state *state, uint32_t node);

/* Set or clear a flag of a node; nothing happens if it is so already, and a
 * job that holds the node keeps it. TORI_INVALID for a node outside this
 * machine, TORI_FAILED without memory (for the first node that goes down, or
 * is drained); the state is then unchanged. */
int tori_state_set_down (tori_state *state, uint32_t node, bool down,
                         tori_error *err);
int tori_state_set_drained (tori_state *state, uint32_t node, bool drained,
                            tori_error *err);

/* Whether this machine has such a link, and its flags: both false if there is
 * no such link. Setting one then fails with TORI_INVALID, and with TORI_FAILED
 * without memory. */
bool tori_link_exists (const tori_machine *machine, const tori_link *link);
bool tori_state_link_taken (const tori_state *state, const tori_link *link);
bool tori_state_link_down (const tori_state *state, const tori_link *link);
int tori_state_set_link_down (tori_state *state, const tori_link *link,
                              bool down, tori_error *err);

/* The ends of a link as coordinates in its dimension, a <= b, and its kind:
 * 'n' neighbour, 'w' wrap, 's' folded ring; '+' or '-' for a port, whose node is
 * both ends. 0, with nothing written, if the machine has no such link. */
char tori_link_ends (const tori_machine *machine, const tori_link *link,
                     uint32_t *ret_a, uint32_t *ret_b);

/* Parse a link by its ends, "0,0,1-0,0,2", with an optional kind after a space
 * where two links join the same nodes: "0,0-0,1 s". Without one it is the
 * neighbour link, or the wrap or folded-ring link where only that joins the
 * two. A port is a node, and the sign and number of a dimension: "5,3,1,2 +1".
 * TORI_INVALID if there is no such link. The text always has the kind. */
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
