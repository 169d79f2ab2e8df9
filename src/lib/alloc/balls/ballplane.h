/* ballplane.h - the best centre of a plane, without trying most of them.
 *
 * Let S be the k nodes nearest to a centre c, w(S) their sum over pairs and r
 * the distance of the farthest. A centre h hops away has k nearest S' that
 * differ from S in m nodes, P in place of Q, where
 *
 *     w(S') = w(S) + D(Q) - D(P) - x(P,Q) + w(P) + w(Q).
 *
 * D adds up the distances from all of S, and x those between P and Q. If r is
 * shorter for S', Q is between r and r + h from c and not in S; if not, P is in
 * S and farther than r - h from c. This bounds m by counts. P is within r,
 * Q is no nearer than r, and D is convex, so it is greatest and least on the
 * edge of the ball; x(P,Q) is at most m^2 (2r + 2h). So one centre whose sum
 * is well above the least proves that those around it are no better.
 *
 * Balls in which all nodes are free differ only in their place. Of a run of
 * such centres in a row the first stands for all.
 *
 * A centre costs some ten passes over the rows of its ball, whatever is
 * free. */
#ifndef TORI_ALLOC_BALLPLANE_H
#define TORI_ALLOC_BALLPLANE_H

#include "ballspace.h"

/* The first of the centres, a set of nodes, whose k nearest free nodes have
 * the least sum; 1 < k <= free nodes. 1; or 0 if of one centre in sixteen more
 * than `most` had to be tried; -1 without memory. */
int ball_plane_find (const struct ball_space *space,
                     const uint64_t *free_nodes, uint32_t k,
                     const uint64_t *centres, uint32_t most,
                     uint32_t *ret_centre, tori_error *err);

#endif
