#include "traces.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 2 };

/* The folders in their order; returns how many. */
static size_t places (const char *folder, const char *ret_places[PLACES])
{
    const char *set = getenv ("TORI_TRACES");
    size_t n = 0;
    if (folder) {
        ret_places[n++] = folder;
        return n;
    }
    if (set && *set)
        ret_places[n++] = set;
    ret_places[n++] = "../shared/traces";
    return n;
}

int traces_find (const char *folder, const char *name, char **ret_path,
                 tori_error *err)
{
    static const char *const endings[] = {".gz", ""};
    const char *place[PLACES];
    size_t n = places (folder, place);
    for (size_t i = 0; i < 2 * n; i++) {
        char *path;
        if (asprintf (&path, "%s/%s%s", place[i / 2], name, endings[i % 2])
            < 0)
            return tori_error_nomem (err);
        if (access (path, F_OK) == 0) {
            *ret_path = path;
            return 1;
        }
        free (path);
    }
    return 0;
}

/* ---- all of a folder ---- */

static int is_log (const struct dirent *entry)
{
    static const char *const endings[] = {".swf", ".swf.gz"};
    size_t length = strlen (entry->d_name);
    for (size_t i = 0; i < 2; i++) {
        size_t tail = strlen (endings[i]);
        if (length > tail
            && !strcmp (entry->d_name + length - tail, endings[i]))
            return 1;
    }
    return 0;
}

/* By bytes: the order must not depend on the locale. */
static int by_name (const struct dirent **a, const struct dirent **b)
{
    return strcmp ((*a)->d_name, (*b)->d_name);
}

static int add_all (const char *place, struct dirent *const entry[], size_t n,
                    struct traces *traces, tori_error *err)
{
    traces->path = calloc (n + 1, sizeof *traces->path);
    if (!traces->path)
        return tori_error_nomem (err);
    for (; traces->n < n; traces->n++) {
        char *path;
        if (asprintf (&path, "%s/%s", place, entry[traces->n]->d_name) < 0)
            return tori_error_nomem (err);
        traces->path[traces->n] = path;
    }
    return 0;
}

int traces_all (const char *folder, struct traces *ret_traces, tori_error *err)
{
    const char *place[PLACES];
    size_t n = places (folder, place);
    int status = 0;
    *ret_traces = (struct traces){0};
    for (size_t i = 0; i < n && status == 0 && ret_traces->n == 0; i++) {
        struct dirent **entry;
        int found = scandir (place[i], &entry, is_log, by_name);
        if (found < 0 && folder)
            return tori_error_set (err, TORI_FAILED, "%s: %s", folder,
                                   strerror (errno));
        if (found > 0)
            status = add_all (place[i], entry, (size_t)found, ret_traces, err);
        for (int j = 0; j < found; j++)
            free (entry[j]);
        if (found >= 0)
            free (entry);
    }
    if (status < 0)
        traces_clear (ret_traces);
    return status;
}

void traces_clear (struct traces *traces)
{
    for (size_t i = 0; i < traces->n; i++)
        free (traces->path[i]);
    free (traces->path);
    *traces = (struct traces){0};
}

void traces_places (const char *folder, char *text, size_t size)
{
    const char *place[PLACES];
    size_t n = places (folder, place), used = 0;
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf (text + used, size - used, "%s%.100s",
                                  i ? ", " : "", place[i]);
}
