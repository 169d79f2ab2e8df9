/* heap.h - a queue of events in time order, ties by insertion. */
#ifndef TORI_BASE_HEAP_H
#define TORI_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

struct event {
    int64_t time;
    uint64_t order; /* set by heap_push */
    uint64_t what;  /* the caller's */
};

struct heap {
    struct event *events;
    size_t n;
    size_t room;
    uint64_t pushed;
};

int heap_push (struct heap *heap, int64_t time, uint64_t what,
               tori_error *err);

/* Take the earliest event out of a heap that is not empty. */
struct event heap_pop (struct heap *heap);
void heap_clear (struct heap *heap);

static inline const struct event *heap_top (const struct heap *heap)
{
    return &heap->events[0];
}

#endif
