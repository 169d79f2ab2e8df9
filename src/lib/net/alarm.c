#include "alarm.h"

#include <stdlib.h>

#include "array.h"

#define NOWHERE UINT32_MAX

void alarms_clear (struct alarms *alarms)
{
    free (alarms->heap);
    free (alarms->place);
    *alarms = (struct alarms){0};
}

int alarms_reserve (struct alarms *alarms, uint32_t item, tori_error *err)
{
    size_t before = alarms->places;
    struct alarm *heap = array_room (alarms->heap, &alarms->room,
                                     (size_t)item + 1, sizeof *heap);
    uint32_t *place;
    if (!heap)
        return tori_error_nomem (err);
    alarms->heap = heap;
    place = array_room (alarms->place, &alarms->places, (size_t)item + 1,
                        sizeof *place);
    if (!place)
        return tori_error_nomem (err);
    alarms->place = place;
    for (size_t i = before; i < alarms->places; i++)
        place[i] = NOWHERE;
    return 0;
}

static bool comes_before (const struct alarm *a, const struct alarm *b)
{
    return a->time != b->time ? a->time < b->time : a->item < b->item;
}

static void put_alarm (struct alarms *alarms, size_t at, struct alarm alarm)
{
    alarms->heap[at] = alarm;
    alarms->place[alarm.item] = (uint32_t)at;
}

static void sift_up (struct alarms *alarms, size_t at, struct alarm alarm)
{
    while (at > 0 && comes_before (&alarm, &alarms->heap[(at - 1) / 2])) {
        put_alarm (alarms, at, alarms->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put_alarm (alarms, at, alarm);
}

static void sift_down (struct alarms *alarms, size_t at, struct alarm alarm)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < alarms->n
            && comes_before (&alarms->heap[child + 1], &alarms->heap[child]))
            child++;
        if (child >= alarms->n || !comes_before (&alarms->heap[child], &alarm))
            break;
        put_alarm (alarms, at, alarms->heap[child]);
        at = child;
    }
    put_alarm (alarms, at, alarm);
}

/* Put into a place of the heap, from which it goes up or down. */
static void sift_alarm (struct alarms *alarms, size_t at, struct alarm alarm)
{
    if (at > 0 && comes_before (&alarm, &alarms->heap[(at - 1) / 2]))
        sift_up (alarms, at, alarm);
    else
        sift_down (alarms, at, alarm);
}

void alarms_set (struct alarms *alarms, uint32_t item, int64_t time)
{
    size_t at = alarms->place[item];
    if (at == NOWHERE)
        at = alarms->n++;
    sift_alarm (alarms, at, (struct alarm){time, item});
}

void alarms_drop (struct alarms *alarms, uint32_t item)
{
    uint32_t at = alarms->place[item];
    struct alarm last;
    if (at == NOWHERE)
        return;
    last = alarms->heap[--alarms->n];
    alarms->place[item] = NOWHERE;
    if (at < alarms->n)
        sift_alarm (alarms, at, last);
}
