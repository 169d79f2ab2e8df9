#include "switchtree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "hostlist.h"
#include "nodemap.h"
#include "syserror.h"

static const char blanks[] = " \t\r\n";

/* ---- reading ---- */

struct tree_reading {
    struct nodemap *map;
    uint32_t next;    /* the next id, if switches do not have boxes */
    bool boxed, bare; /* whether switches have boxes, or have none */
};

/* The nodes of one switch, whose ids are in a row or in a list. */
struct switch_naming {
    struct nodemap *map;
    const uint32_t *ids;
    uint32_t next;
};

static int name_port (void *arg, const char *name, tori_error *err)
{
    struct switch_naming *naming = arg;
    uint32_t turn = naming->next++;
    return nodemap_add (naming->map, naming->ids ? naming->ids[turn] : turn,
                        name, err);
}

static int name_box (struct tree_reading *r, const char *nodes, uint64_t n,
                     const char *comment, tori_error *err)
{
    struct switch_naming naming = {r->map, NULL, 0};
    tori_box box;
    uint32_t *ids;
    int status;
    r->boxed = true;
    if (tori_box_parse (r->map->machine, comment, &box, err) < 0)
        return -1;
    if (tori_shape_volume (&box.shape) != n)
        return tori_error_set (err, TORI_INVALID,
                               "'%.80s' has %llu nodes, but the box %.80s has "
                               "another number",
                               nodes, (unsigned long long)n, comment);
    ids = calloc (n, sizeof *ids);
    if (!ids)
        return tori_error_nomem (err);
    tori_box_nodes (r->map->machine, &box, ids);
    naming.ids = ids;
    status = hostlist_each (nodes, name_port, &naming, err);
    free (ids);
    return status;
}

/* Whether this many nodes are whole lines, planes and so on. */
static bool is_whole (const tori_machine *machine, uint64_t n)
{
    uint64_t unit = 1;
    for (int d = tori_machine_ndims (machine) - 1; d >= 0 && unit < n; d--)
        unit *= tori_machine_size (machine, d);
    return n > 1 && unit == n;
}

static int name_lines (struct tree_reading *r, const char *nodes, uint64_t n,
                       tori_error *err)
{
    struct switch_naming naming = {r->map, NULL, r->next};
    r->bare = true;
    if (!is_whole (r->map->machine, n))
        return tori_error_set (err, TORI_INVALID,
                               "'%.80s' has %llu nodes: neither a line nor a "
                               "plane of the machine",
                               nodes, (unsigned long long)n);
    if (n > r->map->n - r->next)
        return tori_error_set (err, TORI_INVALID,
                               "there are more nodes than the machine has");
    r->next += (uint32_t)n;
    return hostlist_each (nodes, name_port, &naming, err);
}

/* The comment is a box if it begins with a digit. */
static int read_nodes (struct tree_reading *r, const char *nodes,
                       const char *comment, tori_error *err)
{
    bool boxed = *comment >= '0' && *comment <= '9';
    uint64_t n;
    if (hostlist_count (nodes, &n, err) < 0)
        return -1;
    if (boxed ? r->bare : r->boxed)
        return tori_error_set (err, TORI_INVALID,
                               "some switches have a box in their comment, "
                               "and others have none");
    return boxed ? name_box (r, nodes, n, comment, err)
                 : name_lines (r, nodes, n, err);
}

/* KEY=VALUE: the value, or NULL if the key is different. */
static const char *value_of (const char *word, const char *key)
{
    size_t n = strlen (key);
    return !strncasecmp (word, key, n) && word[n] == '=' ? word + n + 1 : NULL;
}

static bool is_known (const char *word)
{
    return value_of (word, "SwitchName") || value_of (word, "Switches")
           || value_of (word, "LinkSpeed") || value_of (word, "Nodes");
}

static int read_line (struct tree_reading *r, char *line, tori_error *err)
{
    char *comment = strchr (line, '#'), *rest = line, *word;
    const char *nodes = NULL;
    if (comment) {
        *comment++ = '\0';
        comment += strspn (comment, blanks);
        comment[strcspn (comment, blanks)] = '\0';
    }
    while ((word = strsep (&rest, blanks))) {
        if (!*word)
            continue;
        if (!is_known (word))
            return tori_error_set (err, TORI_INVALID,
                                   "'%.40s' is not understood; expected "
                                   "SwitchName=, Nodes= or Switches=",
                                   word);
        if (value_of (word, "Nodes"))
            nodes = value_of (word, "Nodes");
    }
    return nodes ? read_nodes (r, nodes, comment ? comment : "", err) : 0;
}

static int check_all (const struct nodemap *map, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < map->n; i++)
        if (!map->names[i]) {
            tori_node_format (map->machine, i, text);
            return tori_error_set (err, TORI_INVALID,
                                   "no switch has node "
                                   "%.80s",
                                   text);
        }
    return 0;
}

/* A line that ends in a backslash continues in the next. */
static ssize_t next_line (FILE *file, char **line, size_t *room,
                          size_t *number)
{
    ssize_t n = getline (line, room, file), more;
    char *rest = NULL;
    size_t size = 0;
    ++*number;
    while (n >= 2 && (*line)[n - 1] == '\n' && (*line)[n - 2] == '\\'
           && (more = getline (&rest, &size, file)) > 0) {
        char *longer = array_room (*line, room, (size_t)(n + more + 1), 1);
        if (!longer) {
            n = -1;
            break;
        }
        *line = longer;
        (*line)[n - 2] = ' ';
        memcpy (*line + n - 1, rest, (size_t)more + 1);
        n += more - 1;
        ++*number;
    }
    free (rest);
    return n;
}

static int read_tree (struct tree_reading *r, FILE *file, const char *path,
                      tori_error *err)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    tori_error why = {0};
    int status = 0;
    while (status == 0 && next_line (file, &line, &room, &number) >= 0)
        status = read_line (r, line, &why);
    free (line);
    if (status == 0 && check_all (r->map, &why) == 0)
        return 0;
    return refuse_at (path, status < 0 ? number : 0, &why, err);
}

int switchtree_read (struct nodemap *map, const tori_machine *machine,
                     const char *path, tori_error *err)
{
    struct tree_reading r = {.map = map};
    FILE *file = fopen (path, "re");
    int status;
    *map = (struct nodemap){0};
    if (!file)
        return system_error (path, errno, err);
    status = nodemap_begin (map, machine, err);
    if (status == 0)
        status = read_tree (&r, file, path, err);
    fclose (file);
    return status;
}

/* ---- writing ---- */

/* The boxes of one level of the tree. */
struct tree_level {
    tori_box *boxes;
    size_t n, room;
};

static int add_box (struct tree_level *level, const tori_box *box,
                    tori_error *err)
{
    tori_box *more =
        array_room (level->boxes, &level->room, level->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    level->boxes = more;
    more[level->n++] = *box;
    return 0;
}

/* Both halves of a box in this dimension and those after it. */
static int add_halves (struct tree_level *level, tori_box box, int dim,
                       tori_error *err)
{
    uint32_t side;
    if (dim == box.shape.ndims)
        return add_box (level, &box, err);
    side = box.shape.size[dim];
    if (side <= 3)
        return add_halves (level, box, dim + 1, err);
    box.shape.size[dim] = (side + 1) / 2;
    if (add_halves (level, box, dim + 1, err) < 0)
        return -1;
    box.origin[dim] += (side + 1) / 2;
    box.shape.size[dim] = side / 2;
    return add_halves (level, box, dim + 1, err);
}

static bool is_leaf (const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++)
        if (box->shape.size[d] > 3)
            return false;
    return true;
}

static int write_nodes (const struct nodemap *map, const tori_box *box,
                        FILE *out, tori_error *err)
{
    size_t n = (size_t)tori_shape_volume (&box->shape);
    uint32_t *ids = calloc (n, sizeof *ids);
    const char **names = calloc (n, sizeof *names);
    char *text = NULL;
    if (ids && names) {
        tori_box_nodes (map->machine, box, ids);
        for (size_t i = 0; i < n; i++)
            names[i] = map->names[ids[i]];
        text = hostlist_format (names, n);
    }
    if (text)
        fprintf (out, " Nodes=%s", text);
    free (ids);
    free (names);
    free (text);
    return text ? 0 : tori_error_nomem (err);
}

static int write_switch (const struct nodemap *map, const tori_box *box,
                         unsigned depth, struct tree_level *below, FILE *out,
                         tori_error *err)
{
    char text[TORI_TEXT_MAX];
    size_t first = below->n;
    if (is_leaf (box)) {
        if (write_nodes (map, box, out, err) < 0)
            return -1;
    } else {
        if (add_halves (below, *box, 0, err) < 0)
            return -1;
        fprintf (out, " Switches=t%us[%zu-%zu]", depth + 1, first,
                 below->n - 1);
    }
    tori_box_format (box, text);
    fprintf (out, " # %s\n", text);
    return 0;
}

static int write_levels (const struct nodemap *map, struct tree_level *level,
                         FILE *out, tori_error *err)
{
    int status = 0;
    for (unsigned depth = 0; status == 0 && level->n > 0; depth++) {
        struct tree_level below = {0};
        for (size_t i = 0; status == 0 && i < level->n; i++) {
            fprintf (out, "SwitchName=t%us%zu", depth, i);
            status =
                write_switch (map, &level->boxes[i], depth, &below, out, err);
        }
        free (level->boxes);
        *level = below;
    }
    return status;
}

int switchtree_write (const struct nodemap *map, FILE *out, tori_error *err)
{
    tori_box all = {.shape = *tori_machine_shape (map->machine)};
    struct tree_level level = {0};
    int status;
    for (uint32_t i = 0; i < map->n; i++)
        if (!map->names[i])
            return tori_error_set (err, TORI_INVALID,
                                   "topology.conf cannot say that places are "
                                   "empty");
    status = add_box (&level, &all, err);
    if (status == 0)
        status = write_levels (map, &level, out, err);
    free (level.boxes);
    return status;
}
