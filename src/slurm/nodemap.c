/* nodemap.c - names of nodes and their coordinates.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodemap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>

#include "hostlist.h"

const char *nodemap_order_name (size_t i)
{
    static const char *const names[] = {"last", "first"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static int begin (struct nodemap *map, const tori_machine *machine,
                  tori_error *err)
{
    *map = (struct nodemap){.machine = machine,
                            .n = tori_machine_nodes (machine)};
    map->names = calloc (map->n, sizeof *map->names);
    map->ids = json_object ();
    return map->names && map->ids ? 0 : tori_error_nomem (err);
}

void nodemap_clear (struct nodemap *map)
{
    for (uint32_t i = 0; map->names && i < map->n; i++)
        free (map->names[i]);
    free (map->names);
    json_decref (map->ids);
    *map = (struct nodemap){0};
}

static int add (struct nodemap *map, uint32_t id, const char *name,
                tori_error *err)
{
    char text[TORI_TEXT_MAX];
    tori_node_format (map->machine, id, text);
    if (json_object_get (map->ids, name))
        return tori_error_set (err, TORI_INVALID, "node %s is mapped twice",
                               name);
    if (map->names[id])
        return tori_error_set (err, TORI_INVALID, "%s and %s are both node %s",
                               map->names[id], name, text);
    map->names[id] = strdup (name);
    return map->names[id]
                   && json_object_set_new (map->ids, name, json_integer (id))
                          == 0
               ? 0
               : tori_error_nomem (err);
}

/* ---- patterns ---- */

/* Slurm counts with the first coordinate first. */
static uint32_t id_of_turn (const tori_machine *machine, uint32_t turn,
                            enum nodemap_order order)
{
    uint32_t at[TORI_MAX_DIMS];
    if (order == NODEMAP_LAST)
        return turn;
    for (int d = 0; d < tori_machine_ndims (machine); d++) {
        at[d] = turn % tori_machine_size (machine, d);
        turn /= tori_machine_size (machine, d);
    }
    return tori_machine_id (machine, at);
}

static int add_all (struct nodemap *map, hosts *list, enum nodemap_order order,
                    tori_error *err)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < map->n; i++) {
        char *name = slurm_hostlist_shift (list);
        status =
            name ? add (map, id_of_turn (map->machine, i, order), name, err)
                 : tori_error_nomem (err);
        free (name);
    }
    return status;
}

int nodemap_pattern (struct nodemap *map, const tori_machine *machine,
                     const char *pattern, enum nodemap_order order,
                     tori_error *err)
{
    hosts *list;
    int status, n;
    if (begin (map, machine, err) < 0)
        return -1;
    list = slurm_hostlist_create (pattern);
    n = list ? slurm_hostlist_count (list) : 0;
    if (n < 0 || (uint32_t)n != map->n)
        status = tori_error_set (err, TORI_INVALID,
                                 "'%s' has %d nodes, but the machine has %u",
                                 pattern, n, map->n);
    else
        status = add_all (map, list, order, err);
    if (list)
        slurm_hostlist_destroy (list);
    return status;
}

/* ---- files ---- */

static int add_line (struct nodemap *map, char *line, tori_error *err)
{
    static const char blanks[] = " \t\r\n";
    char *rest = line, *name, *where;
    uint32_t id;
    line[strcspn (line, "#")] = '\0';
    do
        name = strsep (&rest, blanks);
    while (name && !*name);
    if (!name)
        return 0;
    do
        where = strsep (&rest, blanks);
    while (where && !*where);
    if (!where)
        return tori_error_set (err, TORI_INVALID,
                               "expected NAME COORDINATES, not '%s'", name);
    return tori_node_parse (map->machine, where, &id, err) < 0
               ? -1
               : add (map, id, name, err);
}

static int check_whole (const struct nodemap *map, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < map->n; i++)
        if (!map->names[i]) {
            tori_node_format (map->machine, i, text);
            return tori_error_set (err, TORI_INVALID, "node %s has no name",
                                   text);
        }
    return 0;
}

static int read_lines (struct nodemap *map, FILE *file, const char *path,
                       tori_error *err)
{
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    int status = 0;
    tori_error why = {0};
    while (status == 0 && getline (&line, &room, file) >= 0) {
        number++;
        status = add_line (map, line, &why);
    }
    free (line);
    if (status < 0)
        return tori_error_set (err, why.status, "%s:%u: %s", path, number,
                               why.text);
    if (check_whole (map, &why) < 0)
        return tori_error_set (err, TORI_INVALID, "%s: %s", path, why.text);
    return 0;
}

int nodemap_file (struct nodemap *map, const tori_machine *machine,
                  const char *path, tori_error *err)
{
    FILE *file = fopen (path, "re");
    int status;
    *map = (struct nodemap){0};
    if (!file)
        return tori_error_set (err, TORI_FAILED, "%s: %s", path,
                               strerror (errno));
    status = begin (map, machine, err);
    if (status == 0)
        status = read_lines (map, file, path, err);
    fclose (file);
    return status;
}

/* ---- both directions ---- */

int64_t nodemap_id (const struct nodemap *map, const char *name)
{
    const json_t *id = json_object_get (map->ids, name);
    return id ? json_integer_value (id) : -1;
}

void nodemap_each (const struct nodemap *map, const char *pattern,
                   void (*each) (void *arg, uint32_t id), void *arg)
{
    hosts *list = pattern && *pattern ? slurm_hostlist_create (pattern) : NULL;
    char *name;
    while (list && (name = slurm_hostlist_shift (list))) {
        int64_t id = nodemap_id (map, name);
        if (id >= 0)
            each (arg, (uint32_t)id);
        free (name);
    }
    if (list)
        slurm_hostlist_destroy (list);
}

char *nodemap_hosts (const struct nodemap *map, const json_t *ids)
{
    hosts *list = slurm_hostlist_create (NULL);
    char *text = NULL;
    bool whole = list && json_array_size (ids) > 0;
    for (size_t i = 0; whole && i < json_array_size (ids); i++) {
        json_int_t id = json_integer_value (json_array_get (ids, i));
        whole = id >= 0 && id < map->n;
        if (whole)
            slurm_hostlist_push_host (list, map->names[id]);
    }
    if (whole)
        text = slurm_hostlist_ranged_string_malloc (list);
    if (list)
        slurm_hostlist_destroy (list);
    return text;
}
