/* reserved.c - nodes kept for others in Slurm, as reservations of torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "reserved.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Slurm starts no job whose limit reaches into a reservation, and starts one
 * some seconds after torid has placed it. */
enum { START_DELAY = 10 };

struct listing {
    struct bridge *bridge;
    json_t *windows;
    time_t now;

    json_t *nodes; /* of the reservation that is being made, ... */
    bool open;     /* ... which has begun */
};

static void add_node (void *arg, uint32_t id)
{
    struct listing *listing = arg;
    char text[TORI_TEXT_MAX];
    tori_node_format (listing->bridge->map->machine, id, text);
    json_array_append_new (listing->nodes, json_string (text));
    if (listing->open)
        listing->bridge->covered[id] = 1;
}

/* Takes ownership of the key. */
static void add_window (struct listing *listing, json_t *key, const char *name,
                        const char *hosts, time_t from, time_t until)
{
    listing->nodes = json_array ();
    listing->open = from <= listing->now && listing->now < until;
    nodemap_each (listing->bridge->map, hosts, add_node, listing);
    if (json_array_size (listing->nodes) > 0)
        json_array_append_new (
            listing->windows,
            json_pack ("{s:O, s:s, s:O, s:I, s:I}", "key", key, "name", name,
                       "nodes", listing->nodes, "from", (json_int_t)from,
                       "until", (json_int_t)until));
    json_decref (listing->nodes);
    json_decref (key);
}

/* A floating reservation, which stays ahead of the clock, never begins: it has
 * no time. */
static void add_reservation (struct listing *listing, const reserve_info_t *is)
{
    if (is->name && !(is->flags & RESERVE_FLAG_TIME_FLOAT)
        && is->start_time < is->end_time)
        add_window (listing, json_string (is->name), is->name, is->node_list,
                    is->start_time - START_DELAY, is->end_time);
}

/* When a job will have left its nodes, by its limit. A job that stays longer,
 * or is leaving, is given another minute, and another: so torid is not
 * informed all the time. */
static time_t end_of (const struct slurm_task *task, time_t now)
{
    enum { MINUTE = 60 };
    time_t end = task->record->end_time, least = now + START_DELAY;
    return end > least ? end : end + ((least - end) / MINUTE + 1) * MINUTE;
}

/* The names of reservations have no blanks. */
static void add_job (void *arg, const struct slurm_task *task)
{
    struct listing *listing = arg;
    char name[TASK_TEXT + 8];
    if (!task_has_nodes (task) || bridge_owns (listing->bridge, task))
        return;
    snprintf (name, sizeof name, "slurm:%s", task->name);
    add_window (listing, json_sprintf ("job %s", task->name), name,
                task->record->nodes, task->record->start_time,
                end_of (task, listing->now));
}

void reserved_tell (struct bridge *bridge)
{
    struct listing listing = {bridge, NULL, time (NULL)};
    if (bridge->sharing)
        return;
    listing.windows = json_array ();
    memset (bridge->covered, 0, bridge->map->n);
    for (uint32_t i = 0; i < bridge->reserved->record_count; i++)
        add_reservation (&listing, &bridge->reserved->reservation_array[i]);
    tasks_each_placed (bridge->jobs, bridge->ranks.in_turn, add_job, &listing);
    if (!json_equal (listing.windows, bridge->windows)) {
        json_decref (bridge->windows);
        bridge->windows = json_incref (listing.windows);
        bridge_say (bridge,
                    json_pack ("{s:s, s:O, s:O}", "is", "reservations",
                               "reservations", listing.windows, "windows",
                               listing.windows));
    }
    json_decref (listing.windows);
}
