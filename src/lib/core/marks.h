/* marks.h - the inside of a state: sets of nodes and of link slots.
 *
 * A set that was not needed yet is NULL and reads as empty. At 2^24 nodes a
 * set is 2 MiB. So an idle machine costs two of them, and links cost memory
 * only once the first partition is wired or the first link goes down.
 *
 * A search for a box on torus dimensions must not walk links one by one. So
 * each torus dimension has two sets, with one bit per node like all others,
 * and the same bit-parallel search works as for nodes. Other dimensions have
 * none:
 *   ringed a torus partition has taken all of the node's line, so not even a
 *   mesh may use its links; touched some link of the node's line is taken or
 *   down, so no torus
 *            partition may use the line.
 */
#ifndef TORI_CORE_MARKS_H
#define TORI_CORE_MARKS_H

#include <tori/state.h>

#include "grid.h"

enum { MAX_LAYERS = 2 * TORI_MAX_DIMS };

struct tori_state {
    const tori_machine *machine;
    size_t words; /* of every set */
    uint32_t free_count;
    uint64_t links_down;
    uint64_t listed; /* links taken otherwise than by the rule of wiring */

    uint64_t *free;
    uint64_t *busy;
    uint64_t *down;    /* may be NULL, as all below */
    uint64_t *drained;
    uint64_t *taken[MAX_LAYERS];
    uint64_t *broken[MAX_LAYERS];
    uint64_t *ringed[TORI_MAX_DIMS];
    uint64_t *touched[TORI_MAX_DIMS];
};

static inline int layer_index (int dim, tori_layer layer)
{
    return 2 * dim + (int)layer;
}

/* Whether links are down, or a partition goes around links that were, or the
 * machine's rule of wiring does not always find free links. */
static inline bool state_disturbed (const tori_state *state)
{
    return state->links_down > 0 || state->listed > 0
           || state->machine->searched;
}

/* Whether a free box may find its links taken or down. On a machine without
 * torus dimensions and with all links up it never does (for a multi-torus
 * that is the theorem of Aridor et al.), and who only asks what would fit need
 * not keep account of links. */
static inline bool state_links_matter (const tori_state *state)
{
    return state->machine->wraps || state_disturbed (state);
}

/* Copy what a search for a place looks at: the nodes, and the links if they
 * matter. */
int state_copy_view (tori_state *to, const tori_state *from, tori_error *err);

/* Make room for the links of every dimension. On failure nothing changes but
 * memory. */
int state_need_links (tori_state *state, tori_error *err);

/* Nodes of a box, or with consecutive ids, become busy or stop being so. */
void state_hold_box (tori_state *state, const tori_box *box);
void state_release_box (tori_state *state, const tori_box *box);
void state_hold_run (tori_state *state, uint64_t first, uint64_t count);
void state_release_run (tori_state *state, uint64_t first, uint64_t count);

static inline void state_hold_node (tori_state *state, uint32_t node)
{
    state_hold_run (state, node, 1);
}

static inline void state_release_node (tori_state *state, uint32_t node)
{
    state_release_run (state, node, 1);
}

/* How many of them are down or drained. */
uint64_t state_unfit_run (const tori_state *state, uint64_t first,
                          uint64_t count);

/* Recompute `touched` for the lines of dimension `dim` that a box crosses. */
void state_refresh_lines (tori_state *state, int dim, const tori_box *box);

#endif
