/* ends.h - the ends of flows, by flow.
 *
 * Flows of a phase begin together and have few different rates, and so few
 * different ends. Those that end at the same time are a group, found by its
 * time, and only groups are put in order. */
#ifndef TORI_NET_ENDS_H
#define TORI_NET_ENDS_H

#include "alarm.h"

/* A flow: its neighbours in the list of its group. */
struct end_flow {
    uint32_t group; /* UINT32_MAX: has no end */
    uint32_t next, before;
};

struct end_group {
    int64_t time;
    uint32_t first; /* flow */
    uint32_t next;  /* group in the same bucket, or not in use */
};

struct ends {
    struct alarms times; /* of groups */
    struct end_flow *flows;
    struct end_group *groups;
    uint32_t *buckets; /* groups by their time, a power of two of them */
    uint64_t *batch;   /* flows that end now: a set */
    size_t room;       /* of all these */
    uint32_t free;     /* group */
};

void ends_clear (struct ends *ends);

/* Flows up to this number may be set. */
int ends_reserve (struct ends *ends, uint32_t flow, tori_error *err);

/* Set when a flow ends, whether that was known or not. */
void ends_set (struct ends *ends, uint32_t flow, int64_t time);

/* The earliest time, INT64_MAX if there is none. */
static inline int64_t ends_next (const struct ends *ends)
{
    return alarms_next (&ends->times);
}

/* Take out the flows that end then, of which there are some. `visit` is called
 * for each, by number, until it returns other than 0. Returns its last
 * result. */
typedef int end_visitor (void *arg, uint32_t flow, tori_error *err);
int ends_take (struct ends *ends, end_visitor *visit, void *arg,
               tori_error *err);

#endif
