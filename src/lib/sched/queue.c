#include "queue.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

void queue_clear (struct queue *queue)
{
    free (queue->entries);
    *queue = (struct queue){0};
}

/* Room for n more at the end: slide to the front, or grow. */
int queue_room (struct queue *queue, size_t n, tori_error *err)
{
    size_t need = queue->first + queue->n + n;
    struct entry *more;
    if (need <= queue->room)
        return 0;
    if (queue->first > queue->n && queue->first >= n) {
        memmove (queue->entries, queue->entries + queue->first,
                 queue->n * sizeof *queue->entries);
        queue->first = 0;
        return 0;
    }
    more = array_room (queue->entries, &queue->room, need, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    queue->entries = more;
    return 0;
}

/* How many entries go before this one. */
size_t queue_find (const struct queue *queue, const struct entry *entry)
{
    size_t low = 0, high = queue->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entry_before (queue_at (queue, middle), entry))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int queue_insert (struct queue *queue, struct entry entry, size_t *ret_at,
                  tori_error *err)
{
    size_t at;
    if (queue_room (queue, 1, err) < 0)
        return -1;
    at = queue_find (queue, &entry);
    memmove (queue_at (queue, at) + 1, queue_at (queue, at),
             (queue->n - at) * sizeof entry);
    *queue_at (queue, at) = entry;
    queue->n++;
    *ret_at = at;
    return 0;
}

void queue_remove (struct queue *queue, size_t at)
{
    if (at == 0)
        queue->first++;
    else
        memmove (queue_at (queue, at), queue_at (queue, at) + 1,
                 (queue->n - at - 1) * sizeof *queue->entries);
    queue->n--;
}
