#include "agenda.h"

#include <stdlib.h>

#include "array.h"

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

int agenda_outside (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err)
{
    return push_message (agenda, &agenda->outside, key_of (time, OUTSIDE),
                         message, err);
}

int agenda_message (struct agenda *agenda, int64_t now, int64_t time,
                    const tori_gang_message *message, tori_error *err)
{
    tori_gang_message *more;
    if (time > now)
        return push_message (agenda, &agenda->events, key_of (time, MESSAGE),
                             message, err);
    more = array_room (agenda->soon, &agenda->soon_room, agenda->soon_n + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    agenda->soon = more;
    agenda->soon[agenda->soon_n++] = *message;
    return 0;
}

int agenda_slot (struct agenda *agenda, int64_t time, uint32_t node,
                 bool next, tori_error *err)
{
    struct waiting *later = &agenda->later;
    uint32_t *more;
    if (!next || (later->n > 0 && later->time != time))
        return heap_push (&agenda->events, key_of (time, SLOT), node, err);
    more = array_room (later->node, &later->room, later->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    later->node = more;
    later->node[later->n++] = node;
    later->time = time;
    return 0;
}

int64_t agenda_next_outside (const struct agenda *agenda)
{
    return agenda->outside.n ? heap_top (&agenda->outside)->time / WHATS
                             : INT64_MAX;
}

/* ---- what is first ---- */

static int64_t heap_key (const struct heap *heap)
{
    return heap->n ? heap_top (heap)->time : INT64_MAX;
}

static int64_t waiting_key (const struct agenda *agenda)
{
    if (agenda->now.next < agenda->now.n)
        return key_of (agenda->now.time, SLOT);
    return agenda->later.n > 0 ? key_of (agenda->later.time, SLOT) : INT64_MAX;
}

static void take_message (struct agenda *agenda, struct heap *heap,
                          struct agenda_item *ret_item)
{
    struct event event = heap_pop (heap);
    ret_item->time = event.time / WHATS;
    ret_item->what = (enum what) (event.time % WHATS);
    ret_item->number = (uint32_t)event.what;
    if (ret_item->what == MESSAGE || ret_item->what == OUTSIDE)
        ret_item->message = pool_take (&agenda->pool, ret_item->number);
}

static void take_soon (struct agenda *agenda, struct agenda_item *ret_item)
{
    ret_item->what = MESSAGE;
    ret_item->message = agenda->soon[agenda->soon_next++];
    if (agenda->soon_next == agenda->soon_n)
        agenda->soon_n = agenda->soon_next = 0;
}

/* When all of a slot have been taken, the next slot's list takes its place,
 * and its memory is used again. */
static void take_waiting (struct agenda *agenda, struct agenda_item *ret_item)
{
    if (agenda->now.next == agenda->now.n) {
        struct waiting done = agenda->now;
        agenda->now = agenda->later;
        done.n = done.next = 0;
        agenda->later = done;
    }
    ret_item->time = agenda->now.time;
    ret_item->what = SLOT;
    ret_item->number = agenda->now.node[agenda->now.next++];
}

/* A message that arrives at once is at the time of what was taken last, and
 * only a process that ends then goes before it. */
bool agenda_next (struct agenda *agenda, int64_t until,
                  struct agenda_item *ret_item)
{
    int64_t events = heap_key (&agenda->events);
    int64_t outside = heap_key (&agenda->outside);
    int64_t waiting = waiting_key (agenda);
    int64_t first = events < outside ? events : outside;
    if (waiting < first)
        first = waiting;
    if (agenda->soon_n > 0 && first > key_of (ret_item->time, FINISH)) {
        take_soon (agenda, ret_item);
        return true;
    }
    if (first == INT64_MAX || first / WHATS >= until)
        return false;
    if (first == waiting)
        take_waiting (agenda, ret_item);
    else
        take_message (agenda,
                      first == outside ? &agenda->outside : &agenda->events,
                      ret_item);
    return true;
}

void agenda_clear (struct agenda *agenda)
{
    heap_clear (&agenda->events);
    heap_clear (&agenda->outside);
    pool_clear (&agenda->pool);
    free (agenda->soon);
    free (agenda->now.node);
    free (agenda->later.node);
    *agenda = (struct agenda){0};
}
