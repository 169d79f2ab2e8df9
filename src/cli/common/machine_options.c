#include "machine_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "conflicts.h"
#include "lines.h"
#include "number.h"
#include "placement.h"
#include "random.h"

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

static int refuse_clash (const struct site *site, uint32_t node,
                         tori_error *err)
{
    uint32_t word = site->holder[node];
    enum source source = word & 3;
    char text[TORI_TEXT_MAX];
    tori_node_format (site->machine, node, text);
    return tori_error_set (err, TORI_INVALID,
                           "node %.200s is already held, see %.120s:%u", text,
                           source_path (site, source), word >> 2);
}

/* Claim nodes for a line of a file; TORI_INVALID if another line holds one of
 * them. */
static int claim_nodes (struct site *site, enum source source, size_t line,
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
            return refuse_clash (site, nodes[i], err);
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
    *ret_nodes =
        malloc ((size_t)tori_shape_volume (&box->shape) * sizeof **ret_nodes);
    if (!*ret_nodes)
        return tori_error_nomem (err);
    tori_box_nodes (site->machine, box, *ret_nodes);
    return 0;
}

/* Enter a box of a file: claim its nodes, then mark them in the state. */
static int enter_box (struct site *site, enum source source, size_t line,
                      const tori_box *box, tori_error *err)
{
    size_t n = (size_t)tori_shape_volume (&box->shape);
    tori_placement place = {.nboxes = 1, .box = *box, .count = (uint32_t)n};
    uint32_t *nodes;
    int status;
    if (nodes_of (site, box, &nodes, err) < 0)
        return -1;
    status = claim_nodes (site, source, line, nodes, n, err);
    if (status == 0)
        status = tori_placement_hold (&place, site->state, err);
    free (nodes);
    return status;
}

static int enter_boxes (struct site *site, size_t line,
                        const tori_placement *place, tori_error *err)
{
    for (size_t i = 0; i < place->nboxes; i++)
        if (enter_box (site, FROM_PARTITIONS, line,
                       tori_placement_box (place, i), err)
            < 0)
            return -1;
    return 0;
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

static int enter_down (void *arg, char *text, size_t line, tori_error *err)
{
    struct site *site = arg;
    tori_box box;
    uint32_t *nodes;
    int status;
    if (parse_box (site, text, &box, err) < 0
        || nodes_of (site, &box, &nodes, err) < 0)
        return -1;
    status =
        set_down (site, nodes, (size_t)tori_shape_volume (&box.shape), err);
    free (nodes);
    return status;
}

static int enter_busy (void *arg, char *text, size_t line, tori_error *err)
{
    struct site *site = arg;
    tori_box box;
    if (parse_box (site, text, &box, err) < 0)
        return -1;
    return enter_box (site, FROM_BUSY, line, &box, err);
}

static int enter_down_link (void *arg, char *text, size_t line,
                            tori_error *err)
{
    struct site *site = arg;
    tori_link link;
    if (tori_link_parse (site->machine, text, &link, err) < 0)
        return -1;
    return tori_state_set_link_down (site->state, &link, true, err);
}

/* ---- links that are down at random ---- */

static void list_all_links (const tori_machine *machine, tori_link links[])
{
    size_t n = 0;
    for (int dim = 0; dim < tori_machine_ndims (machine); dim++)
        for (uint32_t i = 0; i < 2 * tori_machine_nodes (machine); i++) {
            tori_link link = {dim, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (machine, &link))
                links[n++] = link;
        }
}

/* Fail a number of links in a random order: a larger number contains the links
 * of a smaller one. */
static int fail_links (struct site *site, uint64_t down, uint64_t seed,
                       tori_error *err)
{
    uint64_t all = tori_machine_links (site->machine);
    tori_link *links = calloc (all + 1, sizeof *links);
    struct rng rng;
    int status = links ? 0 : tori_error_nomem (err);
    rng_seed (&rng, seed, 0);
    if (status == 0)
        list_all_links (site->machine, links);
    for (uint64_t i = 0; i < down && status == 0; i++) {
        uint64_t k = i + rng_below (&rng, all - i);
        tori_link link = links[k];
        links[k] = links[i];
        status = tori_state_set_link_down (site->state, &link, true, err);
    }
    free (links);
    return status;
}

/* "2.5%" or, with a seed, "2.5%:7". */
static int fail_share (struct site *site, const char *text, tori_error *err)
{
    uint64_t all = tori_machine_links (site->machine);
    const char *percent = strchr (text, '%');
    char number[40];
    struct fraction share;
    int64_t seed = 1;
    snprintf (number, sizeof number, "%.*s", (int)(percent - text), text);
    if (fraction_parse (number, "--down-links", &share, err) < 0
        || (percent[1] == ':'
            && number_parse (percent + 2, "--down-links", 0, INT64_MAX, &seed,
                             err)
                   < 0))
        return -1;
    if ((percent[1] && percent[1] != ':') || fraction_value (share) < 0
        || fraction_value (share) > 100)
        return tori_error_set (err, TORI_INVALID,
                               "--down-links: '%.60s': expected a file, or a "
                               "share of all links such as 2.5%% or 2.5%%:7",
                               text);
    return fail_links (
        site, (uint64_t)(fraction_value (share) / 100 * (double)all + 0.5),
        (uint64_t)seed, err);
}

/* Whether the text is a share of the links, and no file has that name. */
static bool is_share (const char *text)
{
    return text && strchr (text, '%') && access (text, F_OK) != 0;
}

static int append_partition (struct site *site,
                             const struct partition *partition,
                             tori_error *err)
{
    struct partition *grown = array_room (site->partition, &site->room,
                                          site->partitions + 1, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    site->partition = grown;
    site->partition[site->partitions++] = *partition;
    return 0;
}

/* The next word of a line, which is terminated; *text moves past it. */
static char *next_word (char **text)
{
    char *word = *text + strspn (*text, " \t");
    char *end = word + strcspn (word, " \t");
    *text = end + (*end != '\0');
    *end = '\0';
    return word;
}

/* A partition while it is read: its boxes, and how the boxes of a slice are
 * joined. */
struct reading {
    tori_box *box;
    size_t n, room;
    tori_shape across;
    tori_wiring wiring;
};

static int read_piece (struct site *site, const char *word,
                       struct reading *reading, tori_error *err)
{
    tori_box *grown = array_room (reading->box, &reading->room, reading->n + 1,
                                  sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    reading->box = grown;
    return parse_box (site, word, &reading->box[reading->n++], err);
}

/* Read a box and the wiring. On a pod there may be more boxes, followed by how
 * many there are along each dimension. */
static int read_partition (struct site *site, char *text,
                           struct reading *reading, tori_error *err)
{
    const char *first = next_word (&text), *word = next_word (&text);
    if (!*word)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' has no wiring: expected a box and "
                               "mesh, torus or none",
                               first);
    if (read_piece (site, first, reading, err) < 0)
        return -1;
    for (; strchr (word, '/'); word = next_word (&text))
        if (read_piece (site, word, reading, err) < 0)
            return -1;
    if (tori_machine_is_pod (site->machine) && *word >= '0' && *word <= '9') {
        if (tori_shape_parse (word, &reading->across, err) < 0)
            return -1;
        word = next_word (&text);
    }
    if (*text)
        return tori_error_set (err, TORI_INVALID,
                               "unexpected '%.60s' after the wiring of a "
                               "partition",
                               text);
    return tori_wiring_read (site->machine, word, &reading->wiring, err);
}

static int make_partition (const struct site *site,
                           const struct reading *reading,
                           tori_placement *ret_place, tori_error *err)
{
    const tori_shape *across = &reading->across;
    if (across->ndims && tori_shape_volume (across) != reading->n)
        return tori_error_set (err, TORI_INVALID,
                               "%zu boxes, but not as many along the "
                               "dimensions",
                               reading->n);
    if (reading->n > 1 && !across->ndims)
        return tori_error_set (err, TORI_INVALID,
                               "%zu boxes: only the pieces of a slice of a "
                               "pod can be several, and their number along "
                               "each dimension follows them",
                               reading->n);
    if ((reading->n > 1 ? tori_placement_of_pieces (
             reading->box, across, reading->wiring, ret_place, err)
                        : tori_placement_of_boxes (
                            reading->box, 1, reading->wiring, ret_place, err))
        < 0)
        return -1;
    if (placement_check (ret_place, site->machine, err) == 0)
        return 0;
    tori_placement_clear (ret_place);
    return -1;
}

static int enter_partition (void *arg, char *text, size_t line,
                            tori_error *err)
{
    struct site *site = arg;
    struct partition partition = {.line = line};
    struct reading reading = {0};
    int status = read_partition (site, text, &reading, err);
    if (status == 0)
        status = make_partition (site, &reading, &partition.place, err);
    free (reading.box);
    if (status < 0)
        return -1;
    if (enter_boxes (site, line, &partition.place, err) == 0
        && append_partition (site, &partition, err) == 0)
        return 0;
    tori_placement_clear (&partition.place);
    return -1;
}

/* ---- links of the machine ---- */

/* The text of a machine with one more link in a dimension: after the last of
 * those that the dimension has. */
static void add_link (const tori_machine *machine, uint64_t dim, uint64_t a,
                      uint64_t b, char text[2 * TORI_TEXT_MAX])
{
    char was[TORI_TEXT_MAX], *at = was;
    tori_machine_format (machine, was);
    for (at = strchr (was, ':') + 1; dim > 0; dim--)
        at += strcspn (at, "x") + 1;
    at += strcspn (at, "x");
    snprintf (text, 2 * TORI_TEXT_MAX, "%.*s+%llu-%llu%s", (int)(at - was),
              was, (unsigned long long)a, (unsigned long long)b, at);
}

/* "0 2-7". */
static int enter_link (void *arg, char *text, size_t line, tori_error *err)
{
    struct site *site = arg;
    int dims = tori_machine_ndims (site->machine);
    const char *p = text;
    char with[2 * TORI_TEXT_MAX];
    tori_machine *machine;
    uint64_t dim, a, b;
    bool read = number_scan (&p, UINT32_MAX, &dim) && (*p == ' ' || *p == '\t');
    p += strspn (p, " \t");
    if (!read || !number_scan (&p, UINT32_MAX, &a) || *p++ != '-'
        || !number_scan (&p, UINT32_MAX, &b) || *p)
        return tori_error_set (err, TORI_INVALID,
                               "bad link '%.60s': expected a dimension and "
                               "two nodes of its lines, such as 0 2-7",
                               text);
    if (dim >= (uint64_t)dims)
        return tori_error_set (err, TORI_INVALID,
                               "no dimension %llu: the machine has %d, "
                               "counted from 0",
                               (unsigned long long)dim, dims);
    add_link (site->machine, dim, a, b, with);
    if (tori_machine_parse (with, &machine, err) < 0)
        return -1;
    tori_machine_destroy (site->machine);
    site->machine = machine;
    return 0;
}

static int read_links (struct site *site, tori_error *err)
{
    if (!site->files->links)
        return 0;
    if (tori_machine_is_pod (site->machine))
        return tori_error_set (err, TORI_INVALID,
                               "--links: a pod takes no further links");
    return lines_each (site->files->links, enter_link, site, err);
}

static int read_file (struct site *site, const char *path, line_fn *enter,
                      tori_error *err)
{
    return path ? lines_each (path, enter, site, err) : 0;
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

int site_open (const struct machine_options *files, struct site *ret_site,
               tori_error *err)
{
    struct site *site = ret_site;
    *site = (struct site){.files = files};
    if (tori_machine_parse (files->machine, &site->machine, err) < 0
        || read_links (site, err) < 0
        || tori_state_create (site->machine, &site->state, err) < 0
        || read_file (site, files->partitions, enter_partition, err) < 0
        || wire_running (site, err) < 0
        || read_file (site, files->busy, enter_busy, err) < 0
        || read_file (site, files->down, enter_down, err) < 0
        || (is_share (files->down_links)
                ? fail_share (site, files->down_links, err)
                : read_file (site, files->down_links, enter_down_link, err))
               < 0)
        return -1;
    free (site->holder);
    site->holder = NULL;
    return 0;
}

void site_close (struct site *site)
{
    free (site->holder);
    for (size_t i = 0; i < site->partitions; i++)
        tori_placement_clear (&site->partition[i].place);
    free (site->partition);
    tori_state_destroy (site->state);
    tori_machine_destroy (site->machine);
    *site = (struct site){0};
}
