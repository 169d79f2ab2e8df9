/* alarm.h - one time per item, which can be moved earlier or later.
 *
 * Flows get new rates far more often than they end, and each new rate means a
 * new end. So an item's time is changed in place instead of being added once
 * more, and the queue never has more entries than there are items.
 */
#ifndef TORI_NET_ALARM_H
#define TORI_NET_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

struct alarm {
    int64_t time;
    uint32_t item;
};

struct alarms {
    struct alarm *heap;
    size_t n, room;
    uint32_t *place; /* by item, in the heap; UINT32_MAX: has no time */
    size_t places;
};

void alarms_clear (struct alarms *alarms);

/* Items up to this number may be set. */
int alarms_reserve (struct alarms *alarms, uint32_t item, tori_error *err);

/* Set the time of an item, whether it has one or not; or take it away. */
void alarms_set (struct alarms *alarms, uint32_t item, int64_t time);
void alarms_drop (struct alarms *alarms, uint32_t item);

/* The earliest time, INT64_MAX if there is none, and the item, the least of
 * several. */
static inline int64_t alarms_next (const struct alarms *alarms)
{
    return alarms->n > 0 ? alarms->heap[0].time : INT64_MAX;
}

static inline uint32_t alarms_first (const struct alarms *alarms)
{
    return alarms->heap[0].item;
}

#endif
