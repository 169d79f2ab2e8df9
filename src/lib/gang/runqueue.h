/* runqueue.h - the processes of a node, in turns.
 *
 * It is an array, and the index of the next turn. A newcomer goes to the end
 * of the round, that is, before the next. A process that had a turn stays in
 * place, and the turn passes on. Queues are short (a few processes per node at
 * bearable loads), and taking one out moves the others by one place. A process
 * that gets several turns in a round is there several times. */
#ifndef TORI_GANG_RUNQUEUE_H
#define TORI_GANG_RUNQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

struct runqueue {
    uint64_t *task;
    size_t n;
    size_t room;
    size_t next;
};

/* Make sure that so many more can be added. */
int runqueue_room (struct runqueue *queue, size_t more, tori_error *err);
void runqueue_add (struct runqueue *queue, uint64_t task);

/* The number of turns until a process has its own, or n if it is not here. */
size_t runqueue_find (const struct runqueue *queue, uint64_t task);

/* Take out the process that many turns away. */
void runqueue_remove (struct runqueue *queue, size_t turns);

/* The process that many turns away; below n. */
static inline uint64_t runqueue_at (const struct runqueue *queue, size_t turns)
{
    size_t i = queue->next + turns;
    return queue->task[i < queue->n ? i : i - queue->n];
}

/* That many turns have passed. */
static inline void runqueue_turn (struct runqueue *queue, uint64_t turns)
{
    queue->next = (size_t)((queue->next + turns) % queue->n);
}

#endif
