#include "spots.h"

#include <stdlib.h>

#include "array.h"

/* Rotations come one after another: a shape is the last one, or new. */
static int find_turn (struct spots *spots, const tori_shape *shape,
                      tori_error *err)
{
    tori_shape *more;
    if (spots->turns > 0
        && tori_shape_equal (&spots->turn[spots->turns - 1], shape))
        return 0;
    more = array_room (spots->turn, &spots->turn_room, spots->turns + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    spots->turn = more;
    spots->turn[spots->turns++] = *shape;
    return 0;
}

int spots_add (struct spots *spots, const tori_machine *machine,
               const tori_box *box, uint64_t cost, tori_error *err)
{
    struct room_spot *more =
        array_room (spots->spot, &spots->room, spots->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    spots->spot = more;
    if (find_turn (spots, &box->shape, err) < 0)
        return -1;
    spots->spot[spots->n++] = (struct room_spot){
        cost, tori_machine_id (machine, box->origin),
        (uint32_t)(spots->turns - 1)};
    return 0;
}

static int by_cost (const void *a, const void *b)
{
    const struct room_spot *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->origin != y->origin)
        return x->origin < y->origin ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

void spots_sort (struct spots *spots)
{
    if (spots->n > 1)
        qsort (spots->spot, spots->n, sizeof *spots->spot, by_cost);
}

tori_box spots_box (const struct spots *spots, const tori_machine *machine,
                    size_t i)
{
    tori_box box = {.shape = spots->turn[spots->spot[i].turn]};
    tori_machine_coords (machine, spots->spot[i].origin, box.origin);
    return box;
}

void spots_empty (struct spots *spots)
{
    spots->n = spots->turns = 0;
}

void spots_clear (struct spots *spots)
{
    free (spots->spot);
    free (spots->turn);
    *spots = (struct spots){0};
}
