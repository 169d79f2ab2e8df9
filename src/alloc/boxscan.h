/* boxscan.h - all places where a box fits, 64 origins at a time.
 *
 * Nodes are bits in the order of ids, so "the box at origin o is free" is the
 * AND of the free bits at o plus fixed distances: an erosion of the set of
 * free nodes. It is separable, and along a dimension of extent n it takes
 * about log2 n steps of `set &= set >> distance`, each on 64 origins at once.
 * Origins from which the box would leave the machine give nonsense and are
 * masked off, in those words that are not zero by then.
 *
 * A scan goes over the machine from the low ids in pieces that double in
 * length: a box near the start is found without looking at the rest, and a
 * search that fails costs little more than one pass a rotation.
 *
 * Wiring costs no more: on torus dimensions the nodes of lines whose links
 * are not to be had are taken out of the set beforehand (see marks.h), and on
 * mesh and multi-torus dimensions a free box can always be wired. Only when
 * links are down is a box looked at link by link. Where boxes may wrap, the
 * set is unrolled first: behind the last coordinate come the first ones again.
 */
#ifndef TORI_ALLOC_BOXSCAN_H
#define TORI_ALLOC_BOXSCAN_H

#include <tori/alloc.h>

struct boxscan;

/* A scan is the working memory of an allocator: these two are its create and
 * destroy (policy.h). */
int boxscan_create (const tori_machine *machine, void **ret_scan,
                    tori_error *err);
void boxscan_destroy (void *scan);

/* Find the first box for the request: the lowest origin and there the first
 * rotation in lexicographic order. Returns 1 if there is one, 0 if not, -1
 * without memory. With `links` false any free box will do, wired or not. */
int boxscan_first (struct boxscan *scan, const tori_state *state,
                   const tori_request *request, bool links, tori_box *ret_box,
                   tori_error *err);

/* Visit every box that would do, by rotation, then origin, until `visit`
 * returns true. Returns 0, or -1 without memory. */
int boxscan_each (struct boxscan *scan, const tori_state *state,
                  const tori_request *request,
                  bool (*visit) (void *arg, const tori_box *box), void *arg,
                  tori_error *err);

#endif
