#include "ends.h"

#include <stdlib.h>

#include "bits.h"

#define NONE UINT32_MAX

void ends_clear (struct ends *ends)
{
    alarms_clear (&ends->times);
    free (ends->flows);
    free (ends->groups);
    free (ends->buckets);
    free (ends->batch);
    *ends = (struct ends){0};
}

/* ---- groups by their time ---- */

static uint32_t *bucket_of (const struct ends *ends, int64_t time)
{
    uint64_t mixed = (uint64_t)time * UINT64_C (0x9e3779b97f4a7c15);
    return &ends->buckets[(mixed >> 32) & (ends->room - 1)];
}

static void enter_group (struct ends *ends, uint32_t group)
{
    uint32_t *bucket = bucket_of (ends, ends->groups[group].time);
    ends->groups[group].next = *bucket;
    *bucket = group;
}

static void leave_group (struct ends *ends, uint32_t group)
{
    uint32_t *link = bucket_of (ends, ends->groups[group].time);
    while (*link != group)
        link = &ends->groups[*link].next;
    *link = ends->groups[group].next;
    ends->groups[group].next = ends->free;
    ends->free = group;
}

static uint32_t group_at (struct ends *ends, int64_t time)
{
    uint32_t group = *bucket_of (ends, time);
    while (group != NONE && ends->groups[group].time != time)
        group = ends->groups[group].next;
    if (group != NONE)
        return group;
    group = ends->free;
    ends->free = ends->groups[group].next;
    ends->groups[group] = (struct end_group){.time = time, .first = NONE};
    enter_group (ends, group);
    alarms_set (&ends->times, group, time);
    return group;
}

/* ---- room ---- */

/* The arrays keep their contents, except the buckets. */
static void begin_room (struct ends *ends, size_t room)
{
    size_t before = ends->room;
    if (before == 0)
        ends->free = NONE;
    ends->room = room;
    for (size_t i = 0; i < room; i++)
        ends->buckets[i] = NONE;
    for (uint32_t group = 0; group < before; group++)
        if (ends->groups[group].first != NONE)
            enter_group (ends, group);
    for (size_t i = before; i < room; i++) {
        ends->flows[i].group = NONE;
        ends->groups[i] = (struct end_group){.first = NONE,
                                             .next = ends->free};
        ends->free = (uint32_t)i;
    }
}

int ends_reserve (struct ends *ends, uint32_t flow, tori_error *err)
{
    size_t room = ends->room ? ends->room : 64;
    struct end_flow *flows;
    struct end_group *groups;
    uint32_t *buckets;
    uint64_t *batch;
    if (flow < ends->room)
        return 0;
    while (room <= flow)
        room *= 2;
    flows = reallocarray (ends->flows, room, sizeof *flows);
    ends->flows = flows ? flows : ends->flows;
    groups = reallocarray (ends->groups, room, sizeof *groups);
    ends->groups = groups ? groups : ends->groups;
    buckets = reallocarray (ends->buckets, room, sizeof *buckets);
    ends->buckets = buckets ? buckets : ends->buckets;
    batch = calloc (bits_words (room), sizeof *batch);
    if (!flows || !groups || !buckets || !batch
        || alarms_reserve (&ends->times, (uint32_t)room - 1, err) < 0) {
        free (batch);
        return tori_error_nomem (err);
    }
    free (ends->batch);
    ends->batch = batch;
    begin_room (ends, room);
    return 0;
}

/* ---- flows ---- */

static void unlink_flow (struct ends *ends, uint32_t number)
{
    const struct end_flow *flow = &ends->flows[number];
    struct end_group *group = &ends->groups[flow->group];
    if (flow->before != NONE)
        ends->flows[flow->before].next = flow->next;
    else
        group->first = flow->next;
    if (flow->next != NONE)
        ends->flows[flow->next].before = flow->before;
    if (group->first == NONE) {
        alarms_drop (&ends->times, flow->group);
        leave_group (ends, flow->group);
    }
}

void ends_set (struct ends *ends, uint32_t number, int64_t time)
{
    struct end_flow *flow = &ends->flows[number];
    uint32_t group;
    if (flow->group != NONE)
        unlink_flow (ends, number);
    group = group_at (ends, time);
    *flow = (struct end_flow){group, ends->groups[group].first, NONE};
    if (flow->next != NONE)
        ends->flows[flow->next].before = number;
    ends->groups[group].first = number;
}

int ends_take (struct ends *ends, end_visitor *visit, void *arg,
               tori_error *err)
{
    uint32_t group = alarms_first (&ends->times);
    uint32_t number = ends->groups[group].first, low = NONE, high = 0;
    int status = 0;
    for (; number != NONE; number = ends->flows[number].next) {
        bits_set (ends->batch, number);
        ends->flows[number].group = NONE;
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    ends->groups[group].first = NONE;
    alarms_drop (&ends->times, group);
    leave_group (ends, group);
    for (size_t w = low / 64; w <= high / 64; w++)
        for (; ends->batch[w]; ends->batch[w] &= ends->batch[w] - 1)
            if (status == 0)
                status = visit (arg,
                                (uint32_t)(64 * w)
                                    + (uint32_t)__builtin_ctzll (
                                        ends->batch[w]),
                                err);
    return status;
}
