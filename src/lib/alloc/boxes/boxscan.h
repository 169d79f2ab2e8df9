/* boxscan.h - all places where a box fits, 64 origins at a time.
 *
 * The set of free nodes is eroded by the box (see erosion.h), first by the
 * cube that all rotations of its shape have in common, then for each rotation
 * by the rest. Origins from which the box would leave the machine give
 * nonsense and are masked off.
 *
 * A scan goes over the machine from the low ids in pieces of growing length: a
 * box near the start is found without looking at the rest, and a search that
 * fails costs little more than one pass.
 *
 * Wiring costs no more: on torus dimensions the nodes of lines whose links are
 * not available are taken out of the set beforehand (see marks.h), and on mesh
 * and multi-torus dimensions a free box can always be wired. A box is examined
 * link by link only when links are down, or when a placement goes around some
 * that were. If boxes may wrap, the set is unrolled first: the first
 * coordinates follow the last one again. */
#ifndef TORI_ALLOC_BOXSCAN_H
#define TORI_ALLOC_BOXSCAN_H

#include <tori/alloc.h>

struct boxscan;

/* A scan is the working memory of an allocator: these two are its create and
 * destroy (policy.h). */
int boxscan_create (const tori_machine *machine, void **ret_scan,
                    tori_error *err);
void boxscan_destroy (void *scan);
const tori_machine *boxscan_machine (const struct boxscan *scan);

/* Whether from now on only boxes that can be wired by the rule will do, not
 * those that have to be wired around links which are down. */
void boxscan_by_rule (struct boxscan *scan, bool alone);

/* Find the first box for the request: the lowest origin and there the first
 * rotation in lexicographic order. Returns 1 if there is one, 0 if not, -1
 * without memory. With `links` false any free box will do, wired or not. */
int boxscan_first (struct boxscan *scan, const tori_state *state,
                   const tori_request *request, bool links, tori_box *ret_box,
                   tori_error *err);

/* Visit all boxes that fit, by rotation, then origin, until `visit` returns
 * true: as origins in a row. Bit i of `origins` stands for the i-th origin
 * from that of `box` on, along the last dimension longer than 1; the first is
 * set. Returns 0, or -1 without memory. */
typedef bool boxscan_fn (void *arg, const tori_box *box, uint64_t origins);
int boxscan_each (struct boxscan *scan, const tori_state *state,
                  const tori_request *request, boxscan_fn *visit, void *arg,
                  tori_error *err);

#endif
