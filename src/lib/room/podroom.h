/* podroom.h - the questions of tori/room.h about slices of a pod.
 *
 * A slice needs neither adjacent cubes nor links of other jobs. So whether it
 * fits depends only on the number of other jobs in the cubes, and the fewer,
 * the better. */
#ifndef TORI_ROOM_PODROOM_H
#define TORI_ROOM_PODROOM_H

#include "occupancy.h"

/* As tori_room_make, for a request that is possible, may not be folded and
 * does not fit without moves: see podhunt.h. The bound is the least cost that
 * the last search exceeded, then the next, until there is an answer: it is the
 * cheapest. When half of the steps are spent, the bound grows faster, with a
 * few tries for each place of the request. */
int podroom_make (const tori_state *state, const tori_room_job jobs[],
                  size_t n, const tori_request *request,
                  const tori_room_config *config, tori_room *ret_room,
                  tori_error *err);

/* As tori_room_victims. First jobs go by their work, the least first, until
 * there is room; those that are not needed come back, the most work first.
 * Then all cheaper sets are tried, as long as there are steps. */
int podroom_victims (const tori_state *state, const tori_room_job jobs[],
                     size_t n, const tori_request *request,
                     const tori_room_config *config, tori_room *ret_room,
                     tori_error *err);

/* Another place for the only job of the ground, which holds a slice: its whole
 * pieces stay, and the others lie at the same positions of other cubes. If
 * there are none, any place, which need not be the nearest. A folded slice has
 * no other. */
int podroom_mend (struct occupancy *ground, const tori_room_config *config,
                  tori_room *room, tori_error *err);

#endif
