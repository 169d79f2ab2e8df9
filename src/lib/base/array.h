/* array.h - arrays that grow: the caller keeps items and room apart. */
#ifndef TORI_BASE_ARRAY_H
#define TORI_BASE_ARRAY_H

#include <stddef.h>

/* The slow part of array_room: makes more room. */
void *array_grow (void *items, size_t *room, size_t need, size_t size);

/* Room for `need` items of `size` bytes, at least doubling what there is:
 *
 *     more = array_room (list->items, &list->room, list->n + 1, sizeof *more);
 *     if (!more)
 *         return tori_error_nomem (err);
 *     list->items = more;
 *
 * Returns where the items are now, `items` itself if there was room; NULL
 * without memory, and items and *room are as before. `need` is 1 or more. */
static inline void *array_room (void *items, size_t *room, size_t need,
                                size_t size)
{
    return need <= *room ? items : array_grow (items, room, need, size);
}

#endif
