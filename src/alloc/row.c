/* row.c - nodes along a curve: here the plainest one, the order of ids.
 *
 * The free nodes in the order of ids fall into runs of consecutive ids. A
 * request takes the front of a run that is long enough: the first (row-ff) or
 * the shortest, the first of those (row-bf). When no run is long enough, it
 * takes the free nodes of the least span of ids, the first such.
 */
#include <stdlib.h>

#include "bits.h"
#include "marks.h"
#include "policy.h"

/* The first id at or behind `from` whose free bit is `value`; `nodes` if
 * there is none. */
static uint32_t find_bit (const tori_state *state, uint32_t from, bool value)
{
    uint32_t nodes = state->machine->nodes;
    size_t i = from / 64;
    uint64_t keep = ~bits_low (from % 64);
    for (; i < state->words; i++, keep = ~UINT64_C (0)) {
        uint64_t word = (value ? state->free[i] : ~state->free[i]) & keep;
        if (word) {
            uint32_t at = (uint32_t)i * 64
                          + (unsigned)__builtin_ctzll (word);
            return at < nodes ? at : nodes;
        }
    }
    return nodes;
}

/* Where the run to use begins; `nodes` if none is long enough. */
static uint32_t choose_run (const tori_state *state, uint32_t count, bool best)
{
    uint32_t nodes = state->machine->nodes, chosen = nodes, shortest = nodes;
    for (uint32_t at = find_bit (state, 0, true); at < nodes;) {
        uint32_t end = find_bit (state, at, false);
        if (end - at >= count && (chosen == nodes || end - at < shortest)) {
            chosen = at;
            shortest = end - at;
            if (!best || shortest == count)
                break;
        }
        at = find_bit (state, end, true);
    }
    return chosen;
}

/* The first of `count` free nodes of least span: a window that slides over
 * the free nodes. */
static uint32_t choose_span (const tori_state *state, uint32_t count)
{
    uint32_t nodes = state->machine->nodes;
    uint32_t tail = find_bit (state, 0, true), head = tail;
    uint32_t chosen = tail, least;
    for (uint32_t i = 1; i < count; i++)
        head = find_bit (state, head + 1, true);
    least = head - tail;
    while ((head = find_bit (state, head + 1, true)) < nodes) {
        tail = find_bit (state, tail + 1, true);
        if (head - tail < least) {
            least = head - tail;
            chosen = tail;
        }
    }
    return chosen;
}

static int place (const tori_state *state, const tori_request *request,
                  bool best, tori_placement *ret_place, tori_error *err)
{
    uint32_t *nodes = malloc (request->count * sizeof *nodes);
    uint32_t at;
    if (!nodes) {
        tori_error_nomem (err);
        return -1;
    }
    at = choose_run (state, request->count, best);
    if (at == state->machine->nodes)
        at = choose_span (state, request->count);
    for (uint32_t i = 0; i < request->count; i++) {
        nodes[i] = at;
        at = find_bit (state, at + 1, true);
    }
    *ret_place = (tori_placement){.count = request->count, .nodes = nodes};
    return 1;
}

static int place_first (void *data, const tori_state *state,
                        const tori_request *request,
                        tori_placement *ret_place, tori_error *err)
{
    (void)data;
    return place (state, request, false, ret_place, err);
}

static int place_best (void *data, const tori_state *state,
                       const tori_request *request, tori_placement *ret_place,
                       tori_error *err)
{
    (void)data;
    return place (state, request, true, ret_place, err);
}

const struct alloc_ops row_ff_ops = {
    .info = {
        .name = "row-ff",
        .summary = "the first run of free nodes in the order of ids",
        .takes = TORI_BY_COUNT,
    },
    .place = place_first,
};

const struct alloc_ops row_bf_ops = {
    .info = {
        .name = "row-bf",
        .summary = "the shortest run of free nodes in the order of ids",
        .takes = TORI_BY_COUNT,
    },
    .place = place_best,
};
