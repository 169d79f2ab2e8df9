/* waiting.h - the waiting jobs, in lanes that are each in the order of the
 * policy.
 *
 * If any job that fits may start, the jobs of a class (classes.h) have a lane
 * of their own: one look at the first of them settles all, and a pass over the
 * queue costs as much as there are different requests in it, however long it
 * is. Otherwise there is a single lane.
 *
 * A pass goes through the lanes in the order of their next entries. Entries
 * that cannot start before something changes are settled and not looked at
 * again; a lane is open while it has others. */
#ifndef TORI_SCHED_WAITING_H
#define TORI_SCHED_WAITING_H

#include "queue.h"

struct lane {
    struct queue queue;
    size_t settled; /* entries in front */
    size_t listed;  /* its index among the lanes that have entries */
    tori_time shortest; /* no entry is shorter */
    bool open;
};

struct lanes {
    struct lane *all;
    size_t n, room;
    size_t entries; /* of all lanes */

    uint32_t *waiting; /* the lanes that have entries */
    size_t nwaiting;
    uint32_t *open; /* those that are open: a heap, if `ordered` */
    size_t nopen;
    bool ordered;

    uint32_t head; /* lane of the first of all entries, or NO_LANE */
    bool stale;    /* lanes_reopen was called, and no pass began since */
};

#define NO_LANE UINT32_MAX

void lanes_init (struct lanes *lanes);
void lanes_clear (struct lanes *lanes);

/* Room for n more in a lane, also after others have left. */
int lanes_room (struct lanes *lanes, uint32_t lane, size_t n, tori_error *err);

/* Insert; returns the position in its lane through ret_at. */
int lanes_insert (struct lanes *lanes, uint32_t lane, struct entry entry,
                  size_t *ret_at, tori_error *err);
void lanes_remove (struct lanes *lanes, uint32_t lane, size_t at);

/* Lanes were sorted again: find the first entry of all. */
void lanes_sorted (struct lanes *lanes);

/* No entry is settled any more. */
static inline void lanes_reopen (struct lanes *lanes)
{
    lanes->stale = true;
}

/* Whether all entries are settled. */
static inline bool lanes_all_settled (const struct lanes *lanes)
{
    return lanes->nopen == 0 && !lanes->stale;
}

/* Begin a pass: if something changed, open the lanes for which `hopeful`
 * returns true. Returns whether it did. */
bool lanes_begin (struct lanes *lanes,
                  bool (*hopeful) (const void *arg, uint32_t lane),
                  const void *arg);

/* The lane whose first entry that is not settled goes first, or NO_LANE.
 * Between two calls only the lane that was returned may change. */
uint32_t lanes_next (struct lanes *lanes);

/* Settle the open lanes for which `barred` returns true. */
void lanes_bar (struct lanes *lanes,
                bool (*barred) (void *arg, uint32_t lane), void *arg);

static inline struct entry *lanes_at (const struct lanes *lanes, uint32_t lane,
                                      size_t at)
{
    return queue_at (&lanes->all[lane].queue, at);
}

/* The first entry of all, or NULL. */
static inline const struct entry *lanes_head (const struct lanes *lanes)
{
    return lanes->head == NO_LANE ? NULL : lanes_at (lanes, lanes->head, 0);
}

#endif
