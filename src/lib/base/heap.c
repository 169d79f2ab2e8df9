#include "heap.h"

#include <stdlib.h>

#include "array.h"

static bool before (const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static int make_room (struct heap *heap, tori_error *err)
{
    struct event *more = array_room (heap->events, &heap->room, heap->n + 1,
                                     sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    heap->events = more;
    return 0;
}

int heap_push (struct heap *heap, int64_t time, uint64_t what, tori_error *err)
{
    struct event event = {time, heap->pushed, what};
    size_t at = heap->n;
    if (make_room (heap, err) < 0)
        return -1;
    for (; at > 0 && before (&event, &heap->events[(at - 1) / 2]);
         at = (at - 1) / 2)
        heap->events[at] = heap->events[(at - 1) / 2];
    heap->events[at] = event;
    heap->n++;
    heap->pushed++;
    return 0;
}

struct event heap_pop (struct heap *heap)
{
    struct event top = heap->events[0];
    struct event last = heap->events[--heap->n];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < heap->n
            && before (&heap->events[child + 1], &heap->events[child]))
            child++;
        if (child >= heap->n || !before (&heap->events[child], &last))
            break;
        heap->events[at] = heap->events[child];
        at = child;
    }
    heap->events[at] = last;
    return top;
}

void heap_clear (struct heap *heap)
{
    free (heap->events);
    *heap = (struct heap){0};
}
