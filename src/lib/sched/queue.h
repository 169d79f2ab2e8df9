/* queue.h - waiting jobs in the order of the policy: one lane of waiting.h.
 *
 * A pass over the queue may look at every entry, thousands of them when the
 * machine is overloaded, and rejects nearly all by what is in the entry
 * alone. So entries are small and side by side, and the front can be taken
 * off without moving the rest.
 */
#ifndef TORI_SCHED_QUEUE_H
#define TORI_SCHED_QUEUE_H

#include "numbers.h"

struct entry {
    int64_t key;        /* of the order of the queue: smaller goes first */
    uint64_t turn;      /* breaks ties */
    int64_t priority;   /* first of all: the higher goes first */
    tori_time length;   /* as in struct job */
    uint32_t class;     /* see classes.h */
    job_slot job;       /* its slot: numbers.h */
};

struct queue {
    struct entry *entries; /* from `first` on, n of them */
    size_t first;
    size_t n;
    size_t room;
};

static inline bool entry_before (const struct entry *a, const struct entry *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->key != b->key ? a->key < b->key : a->turn < b->turn;
}

void queue_clear (struct queue *queue);

/* Room for n more, also after others have left. */
int queue_room (struct queue *queue, size_t n, tori_error *err);

/* Insert; returns the position through ret_at. */
int queue_insert (struct queue *queue, struct entry entry, size_t *ret_at,
                  tori_error *err);
void queue_remove (struct queue *queue, size_t at);

/* The position of an entry that is in the queue. */
size_t queue_find (const struct queue *queue, const struct entry *entry);

static inline struct entry *queue_at (const struct queue *queue, size_t at)
{
    return &queue->entries[queue->first + at];
}

#endif
