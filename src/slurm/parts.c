/* parts.c - the partitions of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "priority.h"
#include "slurm_ask.h"

/* ---- nodes as boxes ---- */

/* Whether all nodes of a box are there. */
static bool is_full (const tori_machine *machine, const tori_box *box,
                     const unsigned char *has, uint32_t *ids)
{
    uint64_t n = tori_shape_volume (&box->shape);
    bool full = true;
    tori_box_nodes (machine, box, ids);
    for (uint64_t i = 0; full && i < n; i++)
        full = has[ids[i]];
    return full;
}

/* As long as it can be, dimension by dimension, the last first. */
static void grow_box (const tori_machine *machine, tori_box *box,
                      const unsigned char *has, uint32_t *ids)
{
    for (int d = box->shape.ndims - 1; d >= 0; d--) {
        uint32_t side = tori_machine_size (machine, d);
        tori_box next = *box;
        while (++next.origin[d] < side && is_full (machine, &next, has, ids))
            box->shape.size[d]++;
    }
}

static int add_box (const tori_machine *machine, uint32_t first,
                    unsigned char *has, uint32_t *ids, json_t *boxes)
{
    tori_box box = {.shape.ndims = tori_machine_shape (machine)->ndims};
    char text[TORI_TEXT_MAX];
    tori_machine_coords (machine, first, box.origin);
    for (int d = 0; d < box.shape.ndims; d++)
        box.shape.size[d] = 1;
    grow_box (machine, &box, has, ids);
    tori_box_nodes (machine, &box, ids);
    for (uint64_t i = 0; i < tori_shape_volume (&box.shape); i++)
        has[ids[i]] = 0;
    tori_box_format (&box, text);
    return json_array_append_new (boxes, json_string (text));
}

/* A few boxes, such as rows and planes; each node is in one of them. */
int slurm_part_boxes (struct slurm_part *part, const struct nodemap *map)
{
    unsigned char *left = malloc (map->n);
    uint32_t *ids = calloc (map->n, sizeof *ids);
    json_t *boxes = json_array ();
    bool bad = !left || !ids || !boxes;
    if (left)
        memcpy (left, part->has, map->n);
    for (uint32_t i = 0; !bad && i < map->n; i++)
        if (left[i])
            bad = add_box (map->machine, i, left, ids, boxes) < 0;
    free (left);
    free (ids);
    if (bad)
        json_decref (boxes);
    else
        part->only = boxes;
    return bad ? -1 : 0;
}

/* ---- one partition ---- */

static void add_node (void *arg, uint32_t id)
{
    struct slurm_part *part = arg;
    part->count += !part->has[id];
    part->has[id] = 1;
}

static bool has_all (const struct slurm_part *part, const struct nodemap *map,
                     const node_info_msg_t *nodes)
{
    for (uint32_t i = 0; i < nodes->record_count; i++) {
        const char *name = nodes->node_array[i].name;
        int64_t id = name ? nodemap_id (map, name) : -1;
        if (id >= 0 && !part->has[id])
            return false;
    }
    return true;
}

static int read_part (struct slurm_part *part, const struct nodemap *map,
                      const partition_info_t *info,
                      const node_info_msg_t *nodes, tori_error *err)
{
    part->name = strdup (info->name ? info->name : "");
    part->has = calloc (map->n, 1);
    if (!part->name || !part->has)
        return tori_error_nomem (err);
    if (info->nodes)
        nodemap_each (map, info->nodes, add_node, part);
    if (has_all (part, map, nodes))
        return 0;
    return slurm_part_boxes (part, map) < 0 ? tori_error_nomem (err) : 0;
}

/* ---- all of them ---- */

int slurm_parts_read (struct slurm_parts *parts, const struct nodemap *map,
                      const partition_info_msg_t *partitions,
                      const node_info_msg_t *nodes, tori_error *err)
{
    struct slurm_parts news = {calloc (partitions->record_count + 1,
                                       sizeof *news.all),
                               partitions->record_count};
    int status = news.all ? 0 : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < news.n; i++)
        status = read_part (&news.all[i], map, &partitions->partition_array[i],
                            nodes, err);
    if (status < 0) {
        slurm_parts_clear (&news);
        return -1;
    }
    slurm_parts_clear (parts);
    *parts = news;
    return 0;
}

void slurm_parts_clear (struct slurm_parts *parts)
{
    for (size_t i = 0; parts->all && i < parts->n; i++) {
        free (parts->all[i].name);
        free (parts->all[i].has);
        json_decref (parts->all[i].only);
    }
    free (parts->all);
    *parts = (struct slurm_parts){0};
}

/* The partition with the most nodes of a list: Slurm starts a job within one
 * of them. NULL if none is known. */
static const struct slurm_part *find_largest (const struct slurm_parts *parts,
                                              const char *list)
{
    const struct slurm_part *best = NULL;
    for (size_t i = 0; list && i < parts->n; i++)
        if (slurm_names_has (list, parts->all[i].name)
            && (!best || parts->all[i].count > best->count))
            best = &parts->all[i];
    return best;
}

/* ---- jobs ---- */

static const struct slurm_fit *fit_of (const struct bridge *bridge,
                                       const struct slurm_task *task)
{
    const struct slurm_part *part
        = find_largest (&bridge->parts, task->record->partition);
    return part ? slurm_fits_find (bridge->fits, part, task) : NULL;
}

const struct slurm_part *bridge_part (const struct bridge *bridge,
                                      const struct slurm_task *task)
{
    const struct slurm_fit *fit = fit_of (bridge, task);
    return fit ? fit->part : NULL;
}

int bridge_room (const struct bridge *bridge, const struct slurm_task *task,
                 const char **ret_bar, tori_error *err)
{
    const struct slurm_fit *fit = fit_of (bridge, task);
    *ret_bar = fit && fit->bar ? fit->bar
                               : "its partition in Slurm has too few nodes";
    if (fit && fit->text)
        return tori_error_set (err, TORI_NEVER, "%s", fit->text);
    return fit ? slurm_ask_room (&task->ask, 0, fit->part->name,
                                 fit->part->count, err)
               : 0;
}

void bridge_reshape (const struct bridge *bridge, struct slurm_task *task)
{
    const struct slurm_fit *fit = fit_of (bridge, task);
    if (fit && fit->part->only && tori_request_nodes (&fit->ask) > 0)
        task->ask = fit->ask;
}

bool bridge_has (const struct bridge *bridge, const struct slurm_task *task,
                 const json_t *ids)
{
    const struct slurm_part *part = bridge_part (bridge, task);
    size_t n = part && part->only ? json_array_size (ids) : 0;
    bool has = true;
    for (size_t i = 0; has && i < n; i++) {
        json_int_t id = json_integer_value (json_array_get (ids, i));
        has = id >= 0 && id < bridge->map->n && part->has[id];
    }
    return has;
}

bool bridge_likes (const struct bridge *bridge, const struct slurm_task *task,
                   const json_t *ids)
{
    const char *features = task->record->prefer;
    bool likes = true;
    for (size_t i = 0; likes && features && *features
                       && i < json_array_size (ids);
         i++)
        likes = slurm_fits_have (
            bridge->fits, json_integer_value (json_array_get (ids, i)),
            features);
    return likes;
}

json_t *bridge_submission (const struct bridge *bridge,
                           const struct slurm_task *task, const json_t *known)
{
    const struct slurm_part *part = bridge_part (bridge, task);
    const char *user = user_name (bridge->users, task->record->user_id);
    json_t *message;
    if (!user)
        return NULL;
    message = task_submission (task, user, bridge->map->machine,
                               priority_of (bridge, task, known),
                               bridge->estimate);
    if (part && part->only)
        json_object_set (message, "only", part->only);
    return message;
}
