/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "number.h"
#include "slurm_watch.h"

/* ---- a line ---- */

static bool read_number (const char *text, uint64_t *ret_value)
{
    const char *end = text;
    return number_scan (&end, UINT64_MAX, ret_value) && !*end;
}

static bool split_line (char *line, char *fields[KIND_FIELDS])
{
    int n = 0;
    line[strcspn (line, "\n")] = 0;
    while (line && n < KIND_FIELDS)
        fields[n++] = strsep (&line, "\t");
    return n == KIND_FIELDS && !line;
}

/* The nodes of a line, as one of them. */
static bool read_kind (char *fields[KIND_FIELDS], node_info_t *ret_node,
                       uint64_t *ret_count)
{
    uint64_t numbers[NEED_NUMBERS];
    bool good = read_number (fields[KIND_COUNT], ret_count);
    for (int i = 0; i < NEED_NUMBERS; i++)
        good = good
               && read_number (fields[KIND_NUMBERS + i], &numbers[i]);
    if (!good)
        return false;
    *ret_node = (node_info_t){.cpus = (uint16_t)numbers[NEED_CPUS],
                              .real_memory = numbers[NEED_MEMORY],
                              .tmp_disk = (uint32_t)numbers[NEED_DISK],
                              .sockets = (uint16_t)numbers[NEED_SOCKETS],
                              .cores = (uint16_t)numbers[NEED_CORES],
                              .threads = (uint16_t)numbers[NEED_THREADS],
                              .features = fields[KIND_FEATURES],
                              .gres = fields[KIND_GRES]};
    return true;
}

/* ---- a partition ---- */

/* The room that a partition has for a job: its nodes, those that the job can
 * use, and the needs that some of the others do not meet. */
struct kind_room {
    uint64_t nodes, usable;
    unsigned lacks;
};

static bool is_fresh (FILE *file)
{
    struct stat about;
    double age;
    if (fstat (fileno (file), &about) < 0)
        return false;
    age = difftime (time (NULL), about.st_mtime);
    return age >= -KINDS_OLDEST && age <= KINDS_OLDEST;
}

/* How many of these nodes a job excludes. */
static uint64_t count_excluded (const char *names, const char *excluded)
{
    struct hostlist *all, *out;
    uint64_t count = 0;
    char *name;
    if (!excluded || !*excluded)
        return 0;
    all = slurm_hostlist_create (names);
    out = slurm_hostlist_create (excluded);
    if (out)
        slurm_hostlist_uniq (out);
    while (all && out && (name = slurm_hostlist_shift (out))) {
        count += slurm_hostlist_find (all, name) >= 0;
        free (name);
    }
    slurm_hostlist_destroy (all);
    slurm_hostlist_destroy (out);
    return count;
}

static void add_kind (struct kind_room *room, const struct needs *needs,
                      const node_info_t *node, const char *names,
                      uint64_t count)
{
    unsigned lacks = needs_lacking (needs, node);
    uint64_t out
        = lacks == 0 ? count_excluded (names, needs->record->exc_nodes) : 0;
    room->nodes += count;
    room->usable += lacks == 0 && out < count ? count - out : 0;
    room->lacks |= out > 0 ? 1U << NEED_CHOSEN : lacks;
}

static bool count_room (FILE *file, const char *name, size_t n,
                        const struct needs *needs, struct kind_room *room)
{
    char *line = NULL, *fields[KIND_FIELDS];
    size_t size = 0;
    bool good = true;
    *room = (struct kind_room){0};
    rewind (file);
    while (good && getline (&line, &size, file) >= 0) {
        node_info_t node;
        uint64_t count;
        good = split_line (line, fields)
               && read_kind (fields, &node, &count);
        if (!good || strlen (fields[KIND_PARTITION]) != n
            || memcmp (fields[KIND_PARTITION], name, n) != 0)
            continue;
        add_kind (room, needs, &node, fields[KIND_NAMES], count);
    }
    free (line);
    return good && !ferror (file);
}

static int refuse_job (const char *name, size_t n, const struct needs *needs,
                       const struct kind_room *room, uint32_t asked,
                       tori_error *err)
{
    char partition[80], text[NEEDS_TEXT];
    snprintf (partition, sizeof partition, "%.*s", (int)n, name);
    needs_explain (needs, partition, room->usable, room->lacks, text);
    if (asked == 0 || asked == needs->nodes || room->usable == 0)
        return tori_error_set (err, TORI_NEVER, "%s", text);
    return tori_error_set (err, TORI_NEVER, "%s, the box for %u nodes", text,
                           asked);
}

/* ---- all of them ---- */

static int check_all (FILE *file, const char *partitions,
                      const struct needs *needs, uint32_t asked,
                      tori_error *err)
{
    struct kind_room best = {0}, room;
    const char *name, *best_name = NULL;
    size_t n, best_n = 0;
    while ((n = slurm_names_next (&partitions, &name)) > 0) {
        if (!count_room (file, name, n, needs, &room) || room.nodes == 0
            || room.usable >= needs->nodes)
            return 0;
        if (!best_name || room.usable > best.usable) {
            best = room;
            best_name = name;
            best_n = n;
        }
    }
    return best_name && best.lacks
               ? refuse_job (best_name, best_n, needs, &best, asked, err)
               : 0;
}

int kinds_check (const char *path, const char *partitions,
                 const struct needs *needs, uint32_t asked, tori_error *err)
{
    FILE *file = fopen (path, "re");
    int status = 0;
    if (!file)
        return 0;
    if (is_fresh (file))
        status = check_all (file, partitions, needs, asked, err);
    fclose (file);
    return status;
}
