/* kinds_file.c - the file about nodes that job_submit/tori reads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge.h"
#include "hostlist.h"
#include "kinds.h"
#include "outfile.h"
#include "standby.h"

/* ---- kinds ---- */

/* The fields between the count and the names. */
static json_t *describe_node (const node_info_t *node)
{
    uint64_t offer[NEED_NUMBERS];
    char numbers[NEED_NUMBERS * 24] = "";
    size_t length = 0;
    needs_offer (node, offer);
    for (int i = 0; i < NEED_NUMBERS; i++)
        length += (size_t)snprintf (numbers + length, sizeof numbers - length,
                                    "%llu\t", (unsigned long long)offer[i]);
    return json_sprintf ("%s%s\t%s", numbers,
                         node->features ? node->features : "",
                         node->gres ? node->gres : "");
}

static void count_node (json_t *kinds, const node_info_t *node)
{
    json_t *kind = describe_node (node);
    const char *key = json_string_value (kind);
    if (key && !json_object_get (kinds, key))
        json_object_set_new (kinds, key, json_array ());
    if (key)
        json_array_append_new (json_object_get (kinds, key),
                               json_string (node->name));
    json_decref (kind);
}

static void write_kind (const char *part, const char *key,
                        const json_t *names, FILE *file)
{
    size_t n = json_array_size (names);
    const char **all = calloc (n + 1, sizeof *all);
    char *text;
    for (size_t i = 0; all && i < n; i++)
        all[i] = json_string_value (json_array_get (names, i));
    text = all ? hostlist_format (all, n) : NULL;
    fprintf (file, "%s\t%zu\t%s\t%s\n", part, n, key, text ? text : "");
    free (text);
    free (all);
}

static void write_part (const struct bridge *bridge,
                        const struct slurm_part *part, FILE *file)
{
    json_t *kinds = json_object (), *names;
    const char *key;
    for (uint32_t i = 0; i < bridge->nodes->record_count; i++) {
        const node_info_t *node = &bridge->nodes->node_array[i];
        int64_t id = node->name ? nodemap_id (bridge->map, node->name) : -1;
        if (id >= 0 && part->has[id])
            count_node (kinds, node);
    }
    json_object_foreach (kinds, key, names)
        write_kind (part->name, key, names, file);
    json_decref (kinds);
}

static int write_kinds (const struct bridge *bridge, tori_error *err)
{
    struct outfile *out;
    size_t watched, others;
    if (outfile_create (bridge->kinds.path, &out, err) < 0)
        return -1;
    for (size_t i = 0; i < bridge->parts.n; i++) {
        const struct slurm_part *part = &bridge->parts.all[i];
        slurm_watch_count (bridge->watch, part->name, &watched, &others);
        if (watched > 0)
            write_part (bridge, part, outfile_stream (out));
    }
    return outfile_end (out, 0, err);
}

/* ---- the file ---- */

static bool find_path (struct bridge *bridge)
{
    char *folder = NULL, *path = NULL;
    tori_error err;
    if (!bridge->kinds.path && control_state (&folder, &err) == 0
        && asprintf (&path, "%s/" KINDS_FILE, folder) >= 0)
        bridge->kinds.path = path;
    free (folder);
    return bridge->kinds.path != NULL;
}

/* Jobs that no node can hold are then accepted, and held with the reason. */
static void note_failure (struct bridge *bridge, const tori_error *err)
{
    if (!bridge->kinds.failed)
        fprintf (stderr,
                 "tori-slurm: %s; sbatch accepts jobs that ask for more than "
                 "any node has, and they are held\n",
                 err->text);
    bridge->kinds.failed = true;
}

static bool confirm_file (const struct bridge *bridge)
{
    return bridge->kinds.written
           && utimensat (AT_FDCWD, bridge->kinds.path, NULL, 0) == 0;
}

void kinds_share (struct bridge *bridge)
{
    uint64_t digest = slurm_fits_digest (bridge->fits);
    bool changed = !bridge->kinds.written || digest != bridge->kinds.digest;
    double now = standby_clock ();
    tori_error err;
    if (bridge->shadow
        || (bridge->kinds.confirmed > 0
            && (!changed || bridge->kinds.failed)
            && now - bridge->kinds.confirmed < KINDS_EVERY))
        return;
    bridge->kinds.confirmed = now;
    if ((!changed && confirm_file (bridge)) || !find_path (bridge))
        return;
    if (write_kinds (bridge, &err) < 0) {
        note_failure (bridge, &err);
        return;
    }
    bridge->kinds.digest = digest;
    bridge->kinds.written = true;
    bridge->kinds.failed = false;
}

void kinds_remove (struct bridge *bridge)
{
    if (bridge->kinds.written)
        (void)unlink (bridge->kinds.path);
    free (bridge->kinds.path);
    bridge->kinds.path = NULL;
}
