/* spots.h - places that were found, and their costs.
 *
 * There may be many: a place is its origin's id and the number of its
 * rotation, not a box. */
#ifndef TORI_ROOM_SPOTS_H
#define TORI_ROOM_SPOTS_H

#include <tori/machine.h>

struct room_spot {
    uint64_t cost;
    uint32_t origin;
    uint32_t turn;
};

struct spots {
    struct room_spot *spot;
    size_t n, room;
    tori_shape *turn; /* the rotations, as they came */
    size_t turns, turn_room;
};

int spots_add (struct spots *spots, const tori_machine *machine,
               const tori_box *box, uint64_t cost, tori_error *err);

/* By cost, then by origin, then by rotation. */
void spots_sort (struct spots *spots);

tori_box spots_box (const struct spots *spots, const tori_machine *machine,
                    size_t i);

/* Forget them, and keep the memory; and release that. */
void spots_empty (struct spots *spots);
void spots_clear (struct spots *spots);

#endif
