#include "traces.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "syserror.h"

/* Room for the usual places, which are searched when none is named. */
struct usual {
    const char *item[2];
    char data[PATH_MAX];
};

/* The folder of a user's data follows the XDG Base Directory Specification, by
 * which a path that is not absolute does not count. */
static bool find_data (char path[PATH_MAX])
{
    const char *data = getenv ("XDG_DATA_HOME"), *home = getenv ("HOME");
    int length;
    if (data && *data == '/')
        length = snprintf (path, PATH_MAX, "%s/tori/traces", data);
    else if (home && *home)
        length = snprintf (path, PATH_MAX, "%s/.local/share/tori/traces",
                           home);
    else
        return false;
    return length < PATH_MAX;
}

/* The places in their order. */
static struct traces_places look_at (struct traces_places named,
                                     struct usual *usual)
{
    const char *set = getenv ("TORI_TRACES");
    size_t n = 0;
    if (named.n > 0)
        return named;
    if (set && *set)
        usual->item[n++] = set;
    if (find_data (usual->data))
        usual->item[n++] = usual->data;
    return (struct traces_places){usual->item, n};
}

static bool is_folder (const char *path)
{
    struct stat there;
    return stat (path, &there) == 0 && S_ISDIR (there.st_mode);
}

/* The path of a file of this name at a place, which may be the file itself;
 * NULL without memory. */
static char *path_at (const char *place, const char *name, const char *ending)
{
    const char *base = strrchr (place, '/');
    size_t length = strlen (name);
    char *path;
    base = base ? base + 1 : place;
    if (!is_folder (place) && !strncmp (base, name, length)
        && !strcmp (base + length, ending))
        return strdup (place);
    return asprintf (&path, "%s/%s%s", place, name, ending) < 0 ? NULL : path;
}

int traces_find (struct traces_places places, const char *name,
                 char **ret_path, tori_error *err)
{
    static const char *const endings[] = {".gz", ""};
    struct usual usual;
    places = look_at (places, &usual);
    for (size_t i = 0; i < 2 * places.n; i++) {
        char *path = path_at (places.item[i / 2], name, endings[i % 2]);
        if (!path)
            return tori_error_nomem (err);
        if (access (path, F_OK) == 0) {
            *ret_path = path;
            return 1;
        }
        free (path);
    }
    return 0;
}

/* ---- all of them ---- */

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

/* Takes the path, which may be NULL: without memory. */
static int add_path (struct traces *traces, char *path, tori_error *err)
{
    char **more = array_room (traces->path, &traces->room, traces->n + 1,
                              sizeof *more);
    if (more)
        traces->path = more;
    if (!more || !path) {
        free (path);
        return tori_error_nomem (err);
    }
    traces->path[traces->n++] = path;
    return 0;
}

static int add_folder (const char *folder, struct traces *traces,
                       tori_error *err)
{
    struct dirent **entry;
    int found = scandir (folder, &entry, is_log, by_name);
    int status = 0;
    if (found < 0)
        return system_error (folder, errno, err);
    for (int i = 0; i < found; i++) {
        if (status == 0)
            status = add_path (traces, path_at (folder, entry[i]->d_name, ""),
                               err);
        free (entry[i]);
    }
    free (entry);
    return status;
}

bool traces_absent (const char *place)
{
    return access (place, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

static int add_named (const char *place, struct traces *traces,
                      tori_error *err)
{
    if (traces_absent (place))
        return 0;
    return is_folder (place) ? add_folder (place, traces, err)
                             : add_path (traces, strdup (place), err);
}

int traces_all (struct traces_places places, struct traces *ret_traces,
                tori_error *err)
{
    struct usual usual;
    bool named = places.n > 0;
    int status = 0;
    *ret_traces = (struct traces){0};
    places = look_at (places, &usual);
    for (size_t i = 0; i < places.n && status == 0; i++)
        if (named)
            status = add_named (places.item[i], ret_traces, err);
        else if (ret_traces->n == 0 && is_folder (places.item[i]))
            status = add_folder (places.item[i], ret_traces, err);
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

const char *traces_name (const char *path)
{
    const char *slash = strrchr (path, '/');
    return slash ? slash + 1 : path;
}

void traces_say (struct traces_places places, char *text, size_t size)
{
    struct usual usual;
    size_t used = 0;
    places = look_at (places, &usual);
    snprintf (text, size, "$TORI_TRACES, which is not set");
    for (size_t i = 0; i < places.n && used < size; i++)
        used += (size_t)snprintf (text + used, size - used, "%s%.100s",
                                  i ? ", " : "", places.item[i]);
}
