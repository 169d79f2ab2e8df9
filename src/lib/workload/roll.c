#include "roll.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static size_t hash_name (const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211;
    return (size_t)(h ^ h >> 32);
}

/* The slot of a name, or the empty one where it belongs. */
static uint32_t *slot_of (const struct roll *roll, const char *name)
{
    size_t at = hash_name (name);
    uint32_t *slot;
    while (*(slot = &roll->slot[at++ & (roll->slots - 1)])
           && strcmp (roll->name[*slot - 1], name) != 0)
        continue;
    return slot;
}

/* At most half of the slots are taken. */
static int make_room (struct roll *roll, tori_error *err)
{
    size_t slots = roll->slots ? 2 * roll->slots : 64;
    uint32_t *slot;
    if (2 * (roll->n + 1) <= roll->slots)
        return 0;
    if (roll->n >= UINT32_MAX / 2 || !(slot = calloc (slots, sizeof *slot)))
        return tori_error_nomem (err);
    free (roll->slot);
    roll->slot = slot;
    roll->slots = slots;
    for (size_t i = 0; i < roll->n; i++)
        *slot_of (roll, roll->name[i]) = (uint32_t)i + 1;
    return 0;
}

static int add_name (struct roll *roll, const char *name, tori_error *err)
{
    char **more = array_room (roll->name, &roll->room, roll->n + 1,
                              sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    roll->name = more;
    if (!(more[roll->n] = strdup (name)))
        return tori_error_nomem (err);
    roll->n++;
    *slot_of (roll, name) = (uint32_t)roll->n;
    return 0;
}

int roll_find (struct roll *roll, const char *name, size_t *ret_place,
               tori_error *err)
{
    if (make_room (roll, err) < 0)
        return -1;
    if (!*slot_of (roll, name) && add_name (roll, name, err) < 0)
        return -1;
    *ret_place = *slot_of (roll, name) - 1;
    return 0;
}

void roll_clear (struct roll *roll)
{
    for (size_t i = 0; i < roll->n; i++)
        free (roll->name[i]);
    free (roll->name);
    free (roll->slot);
    *roll = (struct roll){0};
}
