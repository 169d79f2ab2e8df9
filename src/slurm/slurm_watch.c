/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "slurm_watch.h"

#include "slurm_ask.h"
#include "syserror.h"

/* ---- the file ---- */

static int set_partitions (struct slurm_watch *watch, const char *value,
                           tori_error *err)
{
    if (watch->partitions)
        return tori_error_set (err, TORI_INVALID, "partitions= is given "
                                                  "twice");
    watch->partitions = strdup (value);
    return watch->partitions ? 0 : tori_error_nomem (err);
}

static int set_machine (struct slurm_watch *watch, const char *value,
                        tori_error *err)
{
    if (watch->machine)
        return tori_error_set (err, TORI_INVALID, "machine= is given twice");
    return tori_machine_parse (value, &watch->machine, err);
}

static int set_shapes (struct slurm_watch *watch, const char *value,
                       tori_error *err)
{
    return tori_shaping_parse (value, &watch->shaping, err);
}

static int set_wiring (struct slurm_watch *watch, const char *value,
                       tori_error *err)
{
    return tori_wiring_parse (value, &watch->wiring, err);
}

static int set_or (struct slurm_watch *watch, const char *value,
                   tori_error *err)
{
    watch->or_given = true;
    return slurm_ask_or (value, &watch->boxes, err);
}

static const struct {
    const char *name;
    int (*set) (struct slurm_watch *watch, const char *value,
                tori_error *err);
} keys[] = {{"partitions=", set_partitions},
            {"machine=", set_machine},
            {"shapes=", set_shapes},
            {"wiring=", set_wiring},
            {"or=", set_or}};

/* Without its comment, and the blanks around it. */
static char *trim_line (char *line)
{
    size_t n;
    line[strcspn (line, "#\r\n")] = 0;
    line += strspn (line, " \t");
    n = strlen (line);
    while (n > 0 && strchr (" \t", line[n - 1]))
        line[--n] = 0;
    return line;
}

static int read_line (struct slurm_watch *watch, const char *line,
                      tori_error *err)
{
    if (!*line)
        return 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen (keys[i].name);
        if (!strncmp (line, keys[i].name, n))
            return keys[i].set (watch, line + n, err);
    }
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s' is not understood; expected "
                           "partitions=LIST, machine=KIND:SIZES, "
                           "shapes=RULE, wiring=WIRING or or=none|boxes",
                           line);
}

static int read_lines (FILE *file, const char *path,
                       struct slurm_watch *watch, tori_error *err)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    tori_error bad;
    int status = 0;
    while (status == 0 && getline (&line, &room, file) >= 0) {
        number++;
        status = read_line (watch, trim_line (line), &bad);
    }
    free (line);
    if (status < 0)
        return tori_error_set (err, bad.status, "%.200s:%zu: %.200s", path,
                               number, bad.text);
    if (ferror (file))
        return tori_error_set (err, TORI_FAILED, "%.200s: cannot be read",
                               path);
    if (!watch->partitions || !watch->machine)
        return tori_error_set (err, TORI_INVALID, "%.200s: %s is missing",
                               path,
                               watch->machine ? "partitions=" : "machine=");
    if (!watch->or_given)
        watch->boxes = watch->shaping == TORI_SHAPE_COMPACT;
    return 0;
}

int slurm_watch_read (const char *path, struct slurm_watch *ret_watch,
                      tori_error *err)
{
    struct slurm_watch watch = {0};
    FILE *file = fopen (path, "re");
    int status;
    if (!file)
        return system_error (path, errno, err);
    status = read_lines (file, path, &watch, err);
    fclose (file);
    if (status < 0) {
        slurm_watch_clear (&watch);
        return -1;
    }
    *ret_watch = watch;
    return 0;
}

void slurm_watch_clear (struct slurm_watch *watch)
{
    free (watch->partitions);
    tori_machine_destroy (watch->machine);
    *watch = (struct slurm_watch){0};
}

/* ---- partitions ---- */

size_t slurm_names_next (const char **list, const char **ret_name)
{
    size_t n;
    *list += strspn (*list, ", ");
    n = strcspn (*list, ", ");
    *ret_name = *list;
    *list += n;
    return n;
}

static bool has_name (const char *list, const char *name, size_t length)
{
    const char *other;
    size_t n;
    while ((n = slurm_names_next (&list, &other)) > 0)
        if (n == length && !memcmp (name, other, n))
            return true;
    return false;
}

bool slurm_names_has (const char *list, const char *name)
{
    return has_name (list, name, strlen (name));
}

void slurm_watch_count (const struct slurm_watch *watch, const char *list,
                        size_t *ret_watched, size_t *ret_others)
{
    const char *name;
    size_t n;
    *ret_watched = *ret_others = 0;
    while (list && (n = slurm_names_next (&list, &name)) > 0)
        ++*(!watch->partitions || has_name (watch->partitions, name, n)
                ? ret_watched
                : ret_others);
}

/* ---- the machine ---- */

bool slurm_watch_shape (const struct slurm_watch *watch,
                        tori_request *request)
{
    tori_shape shape;
    if (watch->shaping == TORI_SHAPE_NONE || request->shape.ndims > 0
        || !tori_shape_count (watch->machine, watch->shaping, request->count,
                              &shape))
        return false;
    *request = (tori_request){.shape = shape, .wiring = watch->wiring};
    return true;
}

/* A machine on which only some nodes can be used. */
static int make_narrow (const tori_machine *machine, const unsigned char *has,
                        tori_state **ret_state, tori_error *err)
{
    int status = tori_state_create (machine, ret_state, err);
    for (uint32_t i = 0; status == 0 && i < tori_machine_nodes (machine); i++)
        if (!has[i])
            status = tori_state_set_drained (*ret_state, i, true, err);
    return status;
}

/* TORI_PLACED for the first of these shapes that has a place, which the
 * request gets. */
static tori_outcome try_shapes (tori_alloc *alloc, const tori_state *state,
                                const tori_shape *shapes, size_t n,
                                tori_request *request, tori_error *err)
{
    tori_outcome outcome = TORI_UNPLACEABLE;
    for (size_t i = 0; i < n; i++) {
        tori_placement place = {0};
        request->shape = shapes[i];
        outcome = tori_alloc_place (alloc, state, request, &place, err);
        if (outcome == TORI_PLACED)
            tori_placement_clear (&place);
        if (outcome == TORI_PLACED || outcome == TORI_ERROR)
            break;
    }
    return outcome;
}

int slurm_watch_narrow (const tori_machine *machine, const unsigned char *has,
                        const tori_request *request, tori_request *ret_request,
                        tori_error *err)
{
    enum { MOST = 256 };
    tori_shape shapes[1 + MOST] = {request->shape};
    uint64_t volume = tori_request_nodes (request);
    size_t n = 1 + tori_shape_others (machine, &request->shape, volume,
                                      shapes + 1, MOST);
    tori_request found = *request;
    tori_outcome outcome = TORI_ERROR;
    tori_alloc *alloc = NULL;
    tori_state *state = NULL;
    if (make_narrow (machine, has, &state, err) == 0
        && tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, err)
               == 0)
        outcome = try_shapes (alloc, state, shapes, n, &found, err);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    if (outcome == TORI_ERROR)
        return -1;
    *ret_request = outcome == TORI_PLACED
                       ? found
                       : (tori_request){.count = (uint32_t)volume};
    return 0;
}

static int refuse_request (const struct slurm_watch *watch,
                           const tori_request *request, const char *why,
                           tori_error *err)
{
    char machine[TORI_TEXT_MAX], asked[TORI_TEXT_MAX];
    tori_machine_format (watch->machine, machine);
    if (request->shape.ndims > 0)
        tori_shape_format (&request->shape, asked);
    else
        snprintf (asked, sizeof asked, "%u nodes", request->count);
    return tori_error_set (err, TORI_NEVER,
                           "the machine, %.80s, can never hold %.80s: %s",
                           machine, asked, why);
}

int slurm_watch_check (const struct slurm_watch *watch,
                       const tori_request *request, tori_error *err)
{
    bool by_shape = request->shape.ndims > 0;
    tori_alloc *alloc;
    const char *why;
    if (tori_alloc_create (watch->machine,
                           TORI_ALLOC (by_shape ? "first-fit" : "row-bf"),
                           &alloc, err)
        < 0)
        return -1;
    why = tori_alloc_impossible (alloc, request);
    tori_alloc_destroy (alloc);
    return why ? refuse_request (watch, request, why, err) : 0;
}
