#include "runqueue.h"

#include <string.h>

#include "array.h"

int runqueue_room (struct runqueue *queue, size_t more, tori_error *err)
{
    uint64_t *room = array_room (queue->task, &queue->room, queue->n + more,
                                 sizeof *room);
    if (!room)
        return tori_error_nomem (err);
    queue->task = room;
    return 0;
}

/* If the turn is at the front of the array, the end of the round is the end of
 * the array: so the names of a queue that no process has left are in order. */
void runqueue_add (struct runqueue *queue, uint64_t task)
{
    if (queue->next == 0) {
        queue->task[queue->n++] = task;
        return;
    }
    memmove (&queue->task[queue->next + 1], &queue->task[queue->next],
             (queue->n - queue->next) * sizeof *queue->task);
    queue->task[queue->next++] = task;
    queue->n++;
}

/* A process that ends has nearly always just had its turn. */
size_t runqueue_find (const struct runqueue *queue, uint64_t task)
{
    size_t last = queue->next ? queue->next : queue->n;
    if (last > 0 && queue->task[last - 1] == task)
        return queue->n - 1;
    for (size_t i = 0; i < queue->n; i++)
        if (queue->task[i] == task)
            return i >= queue->next ? i - queue->next
                                    : i + queue->n - queue->next;
    return queue->n;
}

void runqueue_remove (struct runqueue *queue, size_t turns)
{
    size_t i = queue->next + turns;
    if (i >= queue->n)
        i -= queue->n;
    memmove (&queue->task[i], &queue->task[i + 1],
             (queue->n - i - 1) * sizeof *queue->task);
    queue->n--;
    if (i < queue->next)
        queue->next--;
    if (queue->next >= queue->n)
        queue->next = 0;
}
