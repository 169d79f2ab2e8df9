#include "nodemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hostlist.h"
#include "syserror.h"

const char *nodemap_order_name (size_t i)
{
    static const char *const names[] = {"last", "first"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

int nodemap_begin (struct nodemap *map, const tori_machine *machine,
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

static bool is_host (const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return *name;
}

int nodemap_add (struct nodemap *map, uint32_t id, const char *name,
                 tori_error *err)
{
    char text[TORI_TEXT_MAX];
    if (!is_host (name))
        return tori_error_set (err, TORI_INVALID,
                               "'%.80s' is not the name of a host", name);
    tori_node_format (map->machine, id, text);
    if (json_object_get (map->ids, name))
        return tori_error_set (err, TORI_INVALID, "node %.80s is mapped twice",
                               name);
    if (map->names[id])
        return tori_error_set (err, TORI_INVALID,
                               "%.80s and %.80s are both node %.80s",
                               map->names[id], name, text);
    map->names[id] = strdup (name);
    return map->names[id]
                   && json_object_set_new (map->ids, name, json_integer (id))
                          == 0
               ? 0
               : tori_error_nomem (err);
}

/* ---- patterns ---- */

struct naming {
    struct nodemap *map;
    enum nodemap_order order;
    uint32_t turn;
};

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

static int name_turn (void *arg, const char *name, tori_error *err)
{
    struct naming *naming = arg;
    uint32_t turn = naming->turn++;
    return nodemap_add (naming->map,
                        id_of_turn (naming->map->machine, turn, naming->order),
                        name, err);
}

/* The value of a base-36 digit, or a number that is larger than any side. */
static uint32_t coordinate_of (char c)
{
    return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
           : c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A' + 10)
                                  : UINT32_MAX;
}

static int name_suffix (void *arg, const char *name, tori_error *err)
{
    struct nodemap *map = arg;
    int ndims = tori_machine_ndims (map->machine);
    size_t n = strlen (name);
    const char *suffix = name + n - ndims;
    uint32_t at[TORI_MAX_DIMS];
    for (int d = 0; d < ndims; d++) {
        at[d] = n < (size_t)ndims ? UINT32_MAX : coordinate_of (suffix[d]);
        if (at[d] >= tori_machine_size (map->machine, d))
            return tori_error_set (err, TORI_INVALID,
                                   "'%.80s' does not end in coordinates of "
                                   "the machine, a digit for each of %d",
                                   name, ndims);
    }
    return nodemap_add (map, tori_machine_id (map->machine, at), name, err);
}

static int name_all (struct nodemap *map, const tori_machine *machine,
                     const char *pattern, host_fn *name, void *arg,
                     tori_error *err)
{
    uint64_t n;
    *map = (struct nodemap){0};
    if (hostlist_count (pattern, &n, err) < 0
        || nodemap_begin (map, machine, err) < 0)
        return -1;
    if (n != map->n)
        return tori_error_set (err, TORI_INVALID,
                               "'%.80s' has %llu nodes, but the machine has "
                               "%u",
                               pattern, (unsigned long long)n, map->n);
    return hostlist_each (pattern, name, arg, err);
}

int nodemap_pattern (struct nodemap *map, const tori_machine *machine,
                     const char *pattern, enum nodemap_order order,
                     tori_error *err)
{
    struct naming naming = {map, order, 0};
    return name_all (map, machine, pattern, name_turn, &naming, err);
}

int nodemap_suffixes (struct nodemap *map, const tori_machine *machine,
                      const char *pattern, tori_error *err)
{
    return name_all (map, machine, pattern, name_suffix, map, err);
}

/* ---- files ---- */

/* Until all are read, an empty place has a name that no node can have. */
static const char empty[] = "-";

static int leave_empty (struct nodemap *map, uint32_t id, tori_error *err)
{
    if (map->names[id])
        return tori_error_set (err, TORI_INVALID,
                               "%.80s stands where there is no node",
                               map->names[id]);
    map->names[id] = strdup (empty);
    return map->names[id] ? 0 : tori_error_nomem (err);
}

static void empty_places (struct nodemap *map)
{
    for (uint32_t i = 0; i < map->n; i++)
        if (map->names[i] && !strcmp (map->names[i], empty)) {
            free (map->names[i]);
            map->names[i] = NULL;
        }
}

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
                               "expected NAME COORDINATES, not '%.80s'", name);
    return tori_node_parse (map->machine, where, &id, err) < 0 ? -1
           : !strcmp (name, "-") ? leave_empty (map, id, err)
                                 : nodemap_add (map, id, name, err);
}

static int check_whole (const struct nodemap *map, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < map->n; i++)
        if (!map->names[i]) {
            tori_node_format (map->machine, i, text);
            return tori_error_set (err, TORI_INVALID, "node %.80s has no name",
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
    if (status == 0 && check_whole (map, &why) == 0)
        return 0;
    return refuse_at (path, status < 0 ? number : 0, &why, err);
}

int nodemap_file (struct nodemap *map, const tori_machine *machine,
                  const char *path, tori_error *err)
{
    FILE *file = fopen (path, "re");
    int status;
    *map = (struct nodemap){0};
    if (!file)
        return system_error (path, errno, err);
    status = nodemap_begin (map, machine, err);
    if (status == 0)
        status = read_lines (map, file, path, err);
    if (status == 0)
        empty_places (map);
    fclose (file);
    return status;
}

/* ---- tori of Slurm ---- */

static bool has_sides (const tori_machine *machine,
                       const uint32_t dims[TORUS_DIMS])
{
    int ndims = tori_machine_ndims (machine);
    for (int d = 0; d < TORUS_DIMS; d++)
        if (dims[d] != (d < ndims ? tori_machine_size (machine, d) : 1))
            return false;
    return ndims <= TORUS_DIMS;
}

/* The id of the turn-th cell of a box; x varies fastest. */
static uint32_t cell_id (const tori_machine *machine,
                         const uint32_t anchor[TORUS_DIMS],
                         const uint32_t dims[TORUS_DIMS], uint32_t turn)
{
    uint32_t at[TORUS_DIMS];
    for (int d = 0; d < TORUS_DIMS; d++) {
        at[d] = anchor[d] + turn % dims[d];
        turn /= dims[d];
    }
    return tori_machine_id (machine, at);
}

struct region_naming {
    struct nodemap *map;
    const struct torus_region *region;
    uint32_t turn;
};

static int name_cell (void *arg, const char *name, tori_error *err)
{
    struct region_naming *naming = arg;
    return nodemap_add (naming->map,
                        cell_id (naming->map->machine, naming->region->anchor,
                                 naming->region->dims, naming->turn++),
                        name, err);
}

static int check_torus (const tori_machine *machine,
                        const struct torus_entry *torus, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    if (torus->n_regions == 0)
        return tori_error_set (err, TORI_INVALID, "the torus has no nodes");
    if (has_sides (machine, torus->dims))
        return 0;
    tori_machine_format (machine, text);
    return tori_error_set (
        err, TORI_INVALID, "the torus is %ux%ux%u, but the machine is %.80s",
        torus->dims[0], torus->dims[1], torus->dims[2], text);
}

int nodemap_torus (struct nodemap *map, const tori_machine *machine,
                   const struct torus_entry *torus, const char *path,
                   tori_error *err)
{
    tori_error why = {0};
    if (nodemap_begin (map, machine, err) < 0)
        return -1;
    if (check_torus (machine, torus, &why) < 0)
        return refuse_at (path, torus->line, &why, err);
    for (size_t i = 0; i < torus->n_regions; i++) {
        struct region_naming naming = {map, &torus->regions[i], 0};
        if (hostlist_each (torus->regions[i].nodes, name_cell, &naming, &why)
            < 0)
            return tori_error_set (err, why.status, "%.200s:%zu: %.250s", path,
                                   torus->regions[i].line, why.text);
    }
    return 0;
}

/* Whether a box can grow by one in a dimension: there are nodes all along that
 * side, none of which is `done`. */
static bool can_grow (const struct nodemap *map, const unsigned char *done,
                      const struct torus_region *region, int dim)
{
    struct torus_region slice = *region;
    uint32_t n = 1;
    slice.anchor[dim] += region->dims[dim];
    slice.dims[dim] = 1;
    for (int d = 0; d < TORUS_DIMS; d++)
        n *= slice.dims[d];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = cell_id (map->machine, slice.anchor, slice.dims, i);
        if (!map->names[id] || done[id])
            return false;
    }
    return true;
}

/* The largest box from a cell on, first along x, then y, then z. */
static int take_region (const struct nodemap *map, unsigned char *done,
                        struct torus_entry *torus, struct torus_region *region)
{
    uint32_t n = 1;
    const char **names;
    for (int d = 0; d < TORUS_DIMS; d++) {
        while (region->anchor[d] + region->dims[d] < torus->dims[d]
               && can_grow (map, done, region, d))
            region->dims[d]++;
        n *= region->dims[d];
    }
    names = calloc (n, sizeof *names);
    for (uint32_t i = 0; names && i < n; i++) {
        uint32_t id = cell_id (map->machine, region->anchor, region->dims, i);
        done[id] = 1;
        names[i] = map->names[id];
    }
    region->nodes = names ? hostlist_format (names, n) : NULL;
    region->whole = n == map->n;
    free (names);
    return region->nodes ? 0 : -1;
}

static int add_region (const struct nodemap *map, unsigned char *done,
                       struct torus_entry *torus, uint32_t cell)
{
    static const uint32_t origin[TORUS_DIMS];
    struct torus_region *more =
        realloc (torus->regions, (torus->n_regions + 1) * sizeof *more);
    uint32_t id = cell_id (map->machine, origin, torus->dims, cell);
    if (!more)
        return -1;
    torus->regions = more;
    more += torus->n_regions;
    *more = (struct torus_region){.dims = {1, 1, 1}};
    tori_machine_coords (map->machine, id, more->anchor);
    if (take_region (map, done, torus, more) < 0)
        return -1;
    torus->n_regions++;
    return 0;
}

static int add_regions (const struct nodemap *map, struct torus_entry *torus)
{
    static const uint32_t origin[TORUS_DIMS];
    unsigned char *done = calloc (map->n, 1);
    int status = done ? 0 : -1;
    for (uint32_t i = 0; status == 0 && i < map->n; i++) {
        uint32_t id = cell_id (map->machine, origin, torus->dims, i);
        if (map->names[id] && !done[id])
            status = add_region (map, done, torus, i);
    }
    free (done);
    return status;
}

static int check_machine (const tori_machine *machine, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    bool fits = tori_machine_ndims (machine) <= TORUS_DIMS;
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        fits = fits && tori_machine_size (machine, d) <= TORUS_SIDE_MAX
               && tori_machine_kind (machine, d) == TORI_TORUS;
    tori_machine_format (machine, text);
    return fits ? 0
                : tori_error_set (err, TORI_INVALID,
                                  "topology.yaml has tori of up to three "
                                  "dimensions, and %.80s is not one",
                                  text);
}

int nodemap_to_torus (const struct nodemap *map, const char *topology,
                      const char *name, struct torus_entry *ret_torus,
                      tori_error *err)
{
    struct torus_entry torus = {.dims = {1, 1, 1}};
    if (check_machine (map->machine, err) < 0)
        return -1;
    for (int d = 0; d < tori_machine_ndims (map->machine); d++)
        torus.dims[d] = tori_machine_size (map->machine, d);
    torus.topology = strdup (topology);
    torus.name = strdup (name);
    if (!torus.topology || !torus.name || add_regions (map, &torus) < 0) {
        torus_clear (&torus);
        return tori_error_nomem (err);
    }
    *ret_torus = torus;
    return 0;
}

/* ---- both directions ---- */

void nodemap_write (const struct nodemap *map, FILE *out)
{
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < map->n; i++) {
        tori_node_format (map->machine, i, text);
        fprintf (out, "%s %s\n", map->names[i] ? map->names[i] : empty, text);
    }
}

int64_t nodemap_id (const struct nodemap *map, const char *name)
{
    const json_t *id = json_object_get (map->ids, name);
    return id ? json_integer_value (id) : -1;
}

struct visit_mapped {
    const struct nodemap *map;
    void (*each) (void *arg, uint32_t id);
    void *arg;
};

static int visit_mapped (void *arg, const char *name, tori_error *err)
{
    const struct visit_mapped *visit = arg;
    int64_t id = nodemap_id (visit->map, name);
    if (id >= 0)
        visit->each (visit->arg, (uint32_t)id);
    return 0;
}

void nodemap_each (const struct nodemap *map, const char *pattern,
                   void (*each) (void *arg, uint32_t id), void *arg)
{
    struct visit_mapped visit = {map, each, arg};
    if (pattern)
        hostlist_each (pattern, visit_mapped, &visit, NULL);
}

char *nodemap_hosts (const struct nodemap *map, const json_t *ids)
{
    size_t n = json_array_size (ids);
    const char **names = n > 0 ? calloc (n, sizeof *names) : NULL;
    bool whole = names;
    char *text = NULL;
    for (size_t i = 0; whole && i < n; i++) {
        json_int_t id = json_integer_value (json_array_get (ids, i));
        whole = id >= 0 && id < map->n && map->names[id];
        if (whole)
            names[i] = map->names[id];
    }
    if (whole)
        text = hostlist_format (names, n);
    free (names);
    return text;
}

/* ---- what is wrong in a file ---- */

int refuse_at (const char *path, size_t line, const tori_error *why,
               tori_error *err)
{
    char text[256], number[32] = "";
    snprintf (text, sizeof text, "%.255s", why->text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    if (line > 0)
        snprintf (number, sizeof number, ":%zu", line);
    return tori_error_set (err, why->status, "%.200s%s: %s", path, number,
                           text);
}
