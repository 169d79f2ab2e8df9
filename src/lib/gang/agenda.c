#include "agenda.h"

static int64_t key_of (int64_t time, enum what what)
{
    return time * WHATS + what;
}

static int push_message (struct agenda *agenda, struct heap *heap, int64_t key,
                         const tori_gang_message *message, tori_error *err)
{
    uint32_t number;
    if (pool_put (&agenda->pool, message, &number, err) < 0)
        return -1;
    return heap_push (heap, key, number, err);
}

int agenda_finish (struct agenda *agenda, int64_t time, uint32_t task,
                   tori_error *err)
{
    return heap_push (&agenda->events, key_of (time, FINISH), task, err);
}

int agenda_slot (struct agenda *agenda, int64_t time, uint32_t node,
                 tori_error *err)
{
    return heap_push (&agenda->events, key_of (time, SLOT), node, err);
}

int agenda_outside (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err)
{
    return push_message (agenda, &agenda->outside, key_of (time, OUTSIDE),
                         message, err);
}

int agenda_message (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err)
{
    return push_message (agenda, &agenda->events, key_of (time, MESSAGE),
                         message, err);
}

int64_t agenda_next_outside (const struct agenda *agenda)
{
    return agenda->outside.n ? heap_top (&agenda->outside)->time / WHATS
                             : INT64_MAX;
}

static int64_t heap_key (const struct heap *heap)
{
    return heap->n ? heap_top (heap)->time : INT64_MAX;
}

bool agenda_next (struct agenda *agenda, int64_t until,
                  struct agenda_item *ret_item)
{
    int64_t events = heap_key (&agenda->events);
    int64_t outside = heap_key (&agenda->outside);
    int64_t first = events < outside ? events : outside;
    struct event event;
    if (first == INT64_MAX || first / WHATS >= until)
        return false;
    event = heap_pop (first == outside ? &agenda->outside : &agenda->events);
    ret_item->time = event.time / WHATS;
    ret_item->what = (enum what) (event.time % WHATS);
    ret_item->number = (uint32_t)event.what;
    if (ret_item->what == MESSAGE || ret_item->what == OUTSIDE)
        ret_item->message = pool_take (&agenda->pool, ret_item->number);
    return true;
}

void agenda_clear (struct agenda *agenda)
{
    heap_clear (&agenda->events);
    heap_clear (&agenda->outside);
    pool_clear (&agenda->pool);
}
