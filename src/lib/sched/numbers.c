#include "numbers.h"

#include <stdlib.h>

void numbers_clear (struct numbers *numbers)
{
    free (numbers->all);
    *numbers = (struct numbers){0};
}

/* The preferred position of a number. Neighbours go far apart: long-lived jobs
 * in a row must not get in the way of numbers that are a table's size
 * later. */
static size_t home_of (const struct numbers *numbers, tori_job number)
{
    uint64_t mixed = number * UINT64_C (0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 32) & (numbers->size - 1);
}

static size_t next_position (const struct numbers *numbers, size_t at)
{
    return (at + 1) & (numbers->size - 1);
}

/* The position of a number, or the gap where it belongs. */
static size_t look_for (const struct numbers *numbers, tori_job number)
{
    size_t at = home_of (numbers, number);
    while (numbers->all[at].number != number
           && numbers->all[at].number != TORI_NO_JOB)
        at = next_position (numbers, at);
    return at;
}

int numbers_room (struct numbers *numbers, size_t n, tori_error *err)
{
    struct numbers more = {.size = numbers->size ? numbers->size : 16};
    if (2 * n <= numbers->size)
        return 0;
    while (more.size < 2 * n)
        more.size *= 2;
    more.all = malloc (more.size * sizeof *more.all);
    if (!more.all)
        return tori_error_nomem (err);
    for (size_t i = 0; i < more.size; i++)
        more.all[i] = (struct numbered){TORI_NO_JOB, NO_SLOT};
    for (size_t i = 0; i < numbers->size; i++)
        if (numbers->all[i].number != TORI_NO_JOB)
            more.all[look_for (&more, numbers->all[i].number)]
                = numbers->all[i];
    numbers_clear (numbers);
    *numbers = more;
    return 0;
}

void numbers_add (struct numbers *numbers, tori_job number, job_slot slot)
{
    numbers->all[look_for (numbers, number)]
        = (struct numbered){number, slot};
}

/* Close the gap: later entries whose preferred position is at or before it
 * move up. */
void numbers_remove (struct numbers *numbers, tori_job number)
{
    size_t gap = look_for (numbers, number), mask = numbers->size - 1;
    for (size_t at = next_position (numbers, gap);
         numbers->all[at].number != TORI_NO_JOB;
         at = next_position (numbers, at)) {
        size_t home = home_of (numbers, numbers->all[at].number);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        numbers->all[gap] = numbers->all[at];
        gap = at;
    }
    numbers->all[gap] = (struct numbered){TORI_NO_JOB, NO_SLOT};
}

job_slot numbers_find (const struct numbers *numbers, tori_job number)
{
    return numbers->size && number != TORI_NO_JOB
               ? numbers->all[look_for (numbers, number)].slot
               : NO_SLOT;
}
