#include "array.h"

#include <stdint.h>
#include <stdlib.h>

/* A first allocation smaller than this is not worth the next one. */
enum { FEWEST = 16 };

void *array_grow (void *items, size_t *room, size_t need, size_t size)
{
    size_t wanted = *room <= SIZE_MAX / 2 ? 2 * *room : need;
    void *more;
    if (wanted < need)
        wanted = need;
    if (wanted < FEWEST)
        wanted = FEWEST;
    more = wanted <= SIZE_MAX / size ? realloc (items, wanted * size) : NULL;
    if (more)
        *room = wanted;
    return more;
}
