/* agenda.h - the next events of a simulated world.
 *
 * In order of time; at an instant processes end, then messages arrive, then
 * events come from outside, then slots begin; ties by insertion. */
#ifndef TORI_GANG_AGENDA_H
#define TORI_GANG_AGENDA_H

#include <tori/gang.h>

#include "heap.h"
#include "pool.h"

/* In the order of an instant. */
enum what { FINISH, MESSAGE, OUTSIDE, SLOT, WHATS };

/* Times are well below this, so that keys and sums of two do not overflow. */
#define MAX_TIME (INT64_MAX / (4 * WHATS))

/* Every message takes as long as any other, so they arrive as they are sent. */
struct mail {
    struct mail_item {
        int64_t time;
        tori_gang_message message;
    } *item;
    size_t first, n, room; /* items before the first have arrived */
};

struct agenda {
    struct heap events;
    struct heap outside; /* apart, so that the time of the next is known */
    struct pool pool;    /* the messages of `outside` */
    struct mail mail;
};

struct agenda_item {
    int64_t time;
    enum what what;
    uint32_t number;           /* a process that ends, a node that waited */
    tori_gang_message message; /* or one from outside */
};

int agenda_finish (struct agenda *agenda, int64_t time, uint32_t task,
                   tori_error *err);

/* A node waits for a slot that begins at `time`. */
int agenda_slot (struct agenda *agenda, int64_t time, uint32_t node,
                 tori_error *err);
int agenda_outside (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err);

/* A message that arrives at `time`, not before the last one. */
int agenda_message (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err);

/* Take the first thing that happens before `until`; false if none does. */
bool agenda_next (struct agenda *agenda, int64_t until,
                  struct agenda_item *ret_item);

/* The time of the next event from outside, or INT64_MAX. */
int64_t agenda_next_outside (const struct agenda *agenda);
void agenda_clear (struct agenda *agenda);

#endif
