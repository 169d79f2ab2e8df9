/* boxroom.h - the questions of tori/room.h about boxes and counts, on machines
 * that are not pods. */
#ifndef TORI_ROOM_BOXROOM_H
#define TORI_ROOM_BOXROOM_H

#include "occupancy.h"

/* As tori_room_make, for a request that is possible and may not be folded. */
int boxroom_make (const tori_state *state, const tori_room_job jobs[],
                  size_t n, const tori_request *request,
                  const tori_room_config *config, tori_room *ret_room,
                  tori_error *err);

#endif
