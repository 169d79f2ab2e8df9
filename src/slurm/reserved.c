/* reserved.c - reservations of Slurm, as windows of torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "reserved.h"

/* Slurm starts no job whose limit reaches into a reservation, and starts one
 * some seconds after torid has placed it. */
enum { START_DELAY = 10 };

struct listing {
    const struct nodemap *map;
    json_t *nodes;
};

static void add_node (void *arg, uint32_t id)
{
    struct listing *listing = arg;
    char text[TORI_TEXT_MAX];
    tori_node_format (listing->map->machine, id, text);
    json_array_append_new (listing->nodes, json_string (text));
}

/* One that moves ahead of the clock never begins: it has no time. */
static bool is_window (const reserve_info_t *is)
{
    return is->name && !(is->flags & RESERVE_FLAG_TIME_FLOAT)
           && is->start_time < is->end_time;
}

static void add_window (const struct bridge *bridge, const reserve_info_t *is,
                        json_t *windows)
{
    struct listing listing = {bridge->map, json_array ()};
    nodemap_each (bridge->map, is->node_list, add_node, &listing);
    if (is_window (is) && json_array_size (listing.nodes) > 0)
        json_array_append_new (
            windows,
            json_pack ("{s:s, s:s, s:O, s:I, s:I}", "key", is->name, "name",
                       is->name, "nodes", listing.nodes, "from",
                       (json_int_t)is->start_time - START_DELAY, "until",
                       (json_int_t)is->end_time));
    json_decref (listing.nodes);
}

void reserved_tell (struct bridge *bridge)
{
    json_t *windows = json_array ();
    for (uint32_t i = 0; i < bridge->reserved->record_count; i++)
        add_window (bridge, &bridge->reserved->reservation_array[i], windows);
    if (!json_equal (windows, bridge->windows)) {
        json_decref (bridge->windows);
        bridge->windows = json_incref (windows);
        bridge_say (bridge, json_pack ("{s:s, s:O}", "is", "windows",
                                       "windows", windows));
    }
    json_decref (windows);
}
