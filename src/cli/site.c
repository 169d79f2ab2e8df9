#include "site.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "conflicts.h"
#include "lines.h"

/* ---- who holds a node ----
 *
 * A word a node, with the file in its two low bits and the line above, is all
 * that is kept of a file, so that a file with one line per node is no burden
 * even on the largest machine, and the other party of a clash is found at
 * once. */

enum source { FROM_PARTITIONS, FROM_BUSY };

static const char *source_path (const struct site *site, enum source source)
{
    const char *paths[] = {
        [FROM_PARTITIONS] = site->files->partitions,
        [FROM_BUSY] = site->files->busy,
    };
    return paths[source];
}

static uint32_t holder_word (enum source source, size_t line)
{
    uint32_t most = UINT32_MAX >> 2;
    return (line < most ? (uint32_t)line : most) << 2 | (uint32_t)source;
}

static int clash (const struct site *site, uint32_t node, tori_error *err)
{
    uint32_t word = site->holder[node];
    enum source source = word & 3;
    char text[TORI_TEXT_MAX];
    tori_node_format (site->machine, node, text);
    return tori_error_set (err, TORI_INVALID,
                           "node %.200s is already held, see %.120s:%u", text,
                           source_path (site, source), word >> 2);
}

/* Claim nodes for a line of a file that says who holds them: nobody else
 * may. */
static int claim (struct site *site, enum source source, size_t line,
                  const uint32_t nodes[], size_t n, tori_error *err)
{
    uint32_t word = holder_word (source, line);
    if (!site->holder) {
        site->holder =
            calloc (tori_machine_nodes (site->machine), sizeof *site->holder);
        if (!site->holder)
            return tori_error_nomem (err);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t *holder = &site->holder[nodes[i]];
        if (*holder)
            return clash (site, nodes[i], err);
        *holder = word;
    }
    return 0;
}

static int set_down (struct site *site, const uint32_t nodes[], size_t n,
                     tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (tori_state_set_down (site->state, nodes[i], true, err) < 0)
            return -1;
    return 0;
}

static int nodes_of (const struct site *site, const tori_box *box,
                     uint32_t **ret_nodes, tori_error *err)
{
    *ret_nodes = malloc ((size_t)tori_shape_volume (&box->shape)
                         * sizeof **ret_nodes);
    if (!*ret_nodes)
        return tori_error_nomem (err);
    tori_box_nodes (site->machine, box, *ret_nodes);
    return 0;
}

/* A box of a file: claim its nodes, then mark them in the state. */
static int enter_box (struct site *site, enum source source, size_t line,
                      const tori_box *box, tori_error *err)
{
    size_t n = (size_t)tori_shape_volume (&box->shape);
    tori_placement place = {.nboxes = 1, .box = *box, .count = (uint32_t)n};
    uint32_t *nodes;
    int status;
    if (nodes_of (site, box, &nodes, err) < 0)
        return -1;
    status = claim (site, source, line, nodes, n, err);
    if (status == 0)
        status = tori_placement_hold (&place, site->state, err);
    free (nodes);
    return status;
}

/* ---- the files ---- */

static int parse_box (const struct site *site, const char *text,
                      tori_box *ret_box, tori_error *err)
{
    if (tori_box_parse (site->machine, text, ret_box, err) < 0)
        return -1;
    if (!site->files->wrap && tori_box_wraps (site->machine, ret_box))
        return tori_error_set (err, TORI_INVALID,
                               "box %.60s wraps around; --wrap allows it",
                               text);
    return 0;
}

/* What a line of each file means. `text` may be changed. */
typedef int enter_fn (struct site *site, char *text, size_t line,
                      tori_error *err);

static int enter_down (struct site *site, char *text, size_t line,
                       tori_error *err)
{
    tori_box box;
    uint32_t *nodes;
    int status;
    if (parse_box (site, text, &box, err) < 0
        || nodes_of (site, &box, &nodes, err) < 0)
        return -1;
    status = set_down (site, nodes, (size_t)tori_shape_volume (&box.shape),
                       err);
    free (nodes);
    return status;
}

static int enter_busy (struct site *site, char *text, size_t line,
                       tori_error *err)
{
    tori_box box;
    if (parse_box (site, text, &box, err) < 0)
        return -1;
    return enter_box (site, FROM_BUSY, line, &box, err);
}

static int enter_down_link (struct site *site, char *text, size_t line,
                            tori_error *err)
{
    tori_link link;
    if (tori_link_parse (site->machine, text, &link, err) < 0)
        return -1;
    return tori_state_set_link_down (site->state, &link, true, err);
}

static int append_partition (struct site *site,
                             const struct partition *partition,
                             tori_error *err)
{
    struct partition *grown = array_room (
        site->partition, &site->room, site->partitions + 1, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    site->partition = grown;
    site->partition[site->partitions++] = *partition;
    return 0;
}

static int enter_partition (struct site *site, char *text, size_t line,
                            tori_error *err)
{
    struct partition partition = {.line = line};
    char *word = text + strcspn (text, " \t");
    if (*word)
        *word++ = '\0';
    word += strspn (word, " \t");
    if (!*word)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' has no wiring: expected a box and "
                               "mesh, torus or none",
                               text);
    if (parse_box (site, text, &partition.box, err) < 0
        || tori_wiring_parse (word, &partition.wiring, err) < 0
        || enter_box (site, FROM_PARTITIONS, line, &partition.box, err) < 0)
        return -1;
    return append_partition (site, &partition, err);
}

static int read_file (struct site *site, const char *path, enter_fn *enter,
                      tori_error *err)
{
    struct lines *lines;
    char *text;
    int more;
    if (!path)
        return 0;
    if (lines_open (path, &lines, err) < 0)
        return -1;
    while ((more = lines_next (lines, &text, err)) > 0)
        if (enter (site, text, lines_number (lines), err) < 0) {
            more = lines_error (lines, err);
            break;
        }
    lines_close (lines);
    return more;
}

/* Give running partitions their links. */
static int wire_running (struct site *site, tori_error *err)
{
    struct conflicts conflicts = {0};
    int status = 0;
    if (site->files->running)
        status = conflicts_find (site, &conflicts, err);
    if (status == 0 && conflicts.n > 0) {
        const struct conflict *first = conflicts.item;
        char text[CONFLICT_TEXT];
        conflict_format (site, first, text);
        status = tori_error_set (err, TORI_INVALID, "%.400s:%zu: %s",
                                 site->files->partitions,
                                 site->partition[first->partition].line, text);
    }
    conflicts_clear (&conflicts);
    return status;
}

int site_open (const struct site_files *files, struct site *ret_site,
               tori_error *err)
{
    struct site *site = ret_site;
    *site = (struct site){.files = files};
    if (tori_machine_parse (files->machine, &site->machine, err) < 0
        || tori_state_create (site->machine, &site->state, err) < 0
        || read_file (site, files->partitions, enter_partition, err) < 0
        || wire_running (site, err) < 0
        || read_file (site, files->busy, enter_busy, err) < 0
        || read_file (site, files->down, enter_down, err) < 0
        || read_file (site, files->down_links, enter_down_link, err) < 0)
        return -1;
    free (site->holder);
    site->holder = NULL;
    return 0;
}

void site_close (struct site *site)
{
    free (site->holder);
    free (site->partition);
    tori_state_destroy (site->state);
    tori_machine_destroy (site->machine);
    *site = (struct site){0};
}
