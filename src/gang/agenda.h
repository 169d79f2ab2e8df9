/* agenda.h - what happens next in a simulated world.
 *
 * In order of time; at an instant processes end, then messages arrive, then
 * what comes from outside, then slots begin; ties by insertion. Nearly all
 * that happens is a message that takes no time or a node that waits for the
 * next slot: these are kept in plain lists, and only the rest in heaps.
 */
#ifndef TORI_GANG_AGENDA_H
#define TORI_GANG_AGENDA_H

#include <tori/gang.h>

#include "heap.h"
#include "pool.h"

/* In the order of an instant. */
enum what { FINISH, MESSAGE, OUTSIDE, SLOT, WHATS };

/* Times are well below this, so that keys and sums of two do not overflow. */
#define MAX_TIME (INT64_MAX / (4 * WHATS))

/* Nodes that wait for the same slot. */
struct waiting {
    uint32_t *node;
    size_t n, room;
    size_t next; /* of those to be taken */
    int64_t time;
};

struct agenda {
    struct heap events;  /* but for what is in the lists */
    struct heap outside; /* apart, so that it is known when the next comes */
    struct pool pool;    /* messages in the heaps */

    tori_gang_message *soon; /* that arrive at once */
    size_t soon_n, soon_room, soon_next;
    struct waiting now, later; /* in this slot, in the next */
};

struct agenda_item {
    int64_t time;
    enum what what;
    uint32_t number;           /* a process that ends, a node that waited */
    tori_gang_message message; /* or one from outside */
};

int agenda_finish (struct agenda *agenda, int64_t time, uint32_t task,
                   tori_error *err);

/* A node waits for a slot that begins at `time`; `next` if it is the one
 * behind the slot that goes on. */
int agenda_slot (struct agenda *agenda, int64_t time, uint32_t node,
                 bool next, tori_error *err);
int agenda_outside (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err);

/* A message that arrives at `time`, which may be `now`. */
int agenda_message (struct agenda *agenda, int64_t now, int64_t time,
                    const tori_gang_message *message, tori_error *err);

/* Take the first thing that happens before `until`; false if none does. */
bool agenda_next (struct agenda *agenda, int64_t until,
                  struct agenda_item *ret_item);

/* The time of the next event from outside, or INT64_MAX. */
int64_t agenda_next_outside (const struct agenda *agenda);
void agenda_clear (struct agenda *agenda);

#endif
