/* survey.c - mistakes in this program's description of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "survey.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct findings {
    struct bridge *bridge;
    json_t *said; /* texts */
    tori_error worst;
};

__attribute__ ((format (printf, 3, 4))) static void
add_finding (struct findings *found, tori_status fatal, const char *format,
             ...)
{
    va_list list;
    json_t *text;
    va_start (list, format);
    text = json_vsprintf (format, list);
    va_end (list);
    if (fatal && !found->bridge->serves)
        tori_error_set (&found->worst, fatal, "%s", json_string_value (text));
    else
        json_array_append (found->said, text);
    json_decref (text);
}

/* ---- nodes ---- */

static void look_nodes (struct findings *found)
{
    const struct nodemap *map = found->bridge->map;
    const node_info_msg_t *nodes = found->bridge->nodes;
    unsigned char *has = calloc (map->n, 1);
    json_t *lacks = json_array ();
    uint32_t named = 0;
    char *names;
    for (uint32_t i = 0; has && i < nodes->record_count; i++) {
        const char *name = nodes->node_array[i].name;
        int64_t id = name ? nodemap_id (map, name) : -1;
        if (id >= 0)
            has[id] = 1;
    }
    for (uint32_t i = 0; has && i < map->n; i++) {
        named += map->names[i] != NULL;
        if (map->names[i] && !has[i])
            json_array_append_new (lacks, json_integer (i));
    }
    names = json_array_size (lacks) > 0 ? nodemap_hosts (map, lacks) : NULL;
    if (names && json_array_size (lacks) == named)
        add_finding (found, TORI_INVALID,
                     "Slurm has none of the nodes of the machine: %s", names);
    else if (names)
        add_finding (
            found, TORI_OK,
            "Slurm does not have these nodes of the machine, which stay out "
            "of service: %s",
            names);
    free (names);
    json_decref (lacks);
    free (has);
}

/* ---- partitions ---- */

static bool has_part (const struct slurm_parts *parts, const char *name,
                      size_t n)
{
    for (size_t i = 0; i < parts->n; i++)
        if (strlen (parts->all[i].name) == n
            && !memcmp (parts->all[i].name, name, n))
            return true;
    return false;
}

static void look_partitions (struct findings *found)
{
    const struct slurm_parts *parts = &found->bridge->parts;
    const char *list = found->bridge->watch->partitions, *rest = list, *name;
    bool any = false;
    size_t n;
    while (rest && (n = slurm_names_next (&rest, &name)) > 0)
        any |= has_part (parts, name, n);
    if (list && !any) {
        add_finding (found, TORI_INVALID,
                     "Slurm has none of the partitions that torid places: %s",
                     list);
        return;
    }
    for (rest = list; rest && (n = slurm_names_next (&rest, &name)) > 0;)
        if (!has_part (parts, name, n))
            add_finding (found, TORI_OK, "Slurm does not have partition %.*s",
                         (int)n, name);
}

/* ---- rights ---- */

static void look_rights (struct findings *found)
{
    uid_t own = geteuid (), uid = own;
    const char *user;
    tori_error err;
    char *name = NULL;
    if (found->bridge->shadow || own == 0
        || control_user (&uid, &name, &err) != 0 || uid == own) {
        free (name);
        return;
    }
    user = user_name (found->bridge->users, own);
    add_finding (
        found, TORI_FAILED,
        "user %s may not release jobs: slurmctld lets only root and its own "
        "user, %s, do that",
        user ? user : "without a name", name ? name : "?");
    free (name);
}

/* ---- topology ---- */

static void look_topology (struct findings *found)
{
    if (!found->bridge->shadow && control_has_torus ())
        add_finding (
            found, TORI_INVALID,
            "Slurm has topology/torus3d, which lets jobs start only at its "
            "own placements: let --topology name a file that Slurm does not "
            "read, in place of topology.yaml");
}

/* ---- the file of the plugin ---- */

static bool is_same_text (const char *a, const char *b)
{
    return !a || !b ? a == b : !strcmp (a, b);
}

static bool is_same_watch (const struct slurm_watch *a,
                           const struct slurm_watch *b)
{
    char one[TORI_TEXT_MAX], other[TORI_TEXT_MAX];
    tori_machine_format (a->machine, one);
    tori_machine_format (b->machine, other);
    return !strcmp (one, other) && is_same_text (a->partitions, b->partitions)
           && a->shaping == b->shaping && a->wiring == b->wiring;
}

/* slurmctld itself logs a mistake with the next job only, unless it begins. */
static void look_file (struct findings *found)
{
    const char *path = found->bridge->conf;
    struct slurm_watch now = {0};
    tori_error err;
    if (!path || !found->bridge->serves)
        return;
    if (slurm_watch_read (path, &now, &err) < 0) {
        add_finding (found, TORI_OK,
                     "%s; until it is corrected, new jobs are not held, and "
                     "Slurm places them",
                     err.text);
        return;
    }
    if (!is_same_watch (&now, found->bridge->watch))
        add_finding (found, TORI_OK,
                     "%s has changed: restart torid, so that tori-slurm reads "
                     "it, too",
                     path);
    slurm_watch_clear (&now);
}

/* ---- all of it ---- */

static bool is_among (const json_t *texts, const json_t *text)
{
    for (size_t i = 0; i < json_array_size (texts); i++)
        if (json_equal (json_array_get (texts, i), text))
            return true;
    return false;
}

int survey (struct bridge *bridge, tori_error *err)
{
    struct findings found = {bridge, json_array (), {0}};
    look_nodes (&found);
    look_partitions (&found);
    look_rights (&found);
    look_topology (&found);
    look_file (&found);
    for (size_t i = 0; i < json_array_size (found.said); i++) {
        const json_t *text = json_array_get (found.said, i);
        if (!is_among (bridge->faults, text))
            fprintf (stderr, "tori-slurm: %s\n", json_string_value (text));
    }
    json_decref (bridge->faults);
    bridge->faults = found.said;
    if (!found.worst.status)
        return 0;
    *err = found.worst;
    return -1;
}
