/* tori nodes - the nodes of a running torid. */
#include <stdlib.h>
#include <string.h>

#include <tori/machine.h>

#include "clock.h"
#include "http_client.h"
#include "commands.h"
#include "livefields.h"
#include "jobs.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *socket;
    bool all, json;
};

static const struct option options[] = {
    {"all", OPTION_FLAG, offsetof (struct values, all),
     .help = "nodes that are free or busy as well"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static bool in_service (const json_t *node)
{
    const char *state = job_text (node, "state");
    return !strcmp (state, "free") || !strcmp (state, "busy");
}

/* ---- boxes of nodes that differ only in their names ---- */

static bool are_alike (const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"state", "why", "job", "reservation"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const json_t *value = json_object_get (a, keys[k]);
        const json_t *other = json_object_get (b, keys[k]);
        if (value != other && !json_equal (value, other))
            return false;
    }
    return true;
}

/* The nodes, and which of them have been listed. */
struct listing {
    const tori_machine *machine;
    const json_t *nodes; /* by id */
    bool *listed;
};

/* Whether all nodes of a box are like one, and not listed yet. */
static bool box_is_alike (const struct listing *it, const tori_box *box,
                          uint32_t like, uint32_t ids[])
{
    uint64_t n = tori_shape_volume (&box->shape);
    tori_box_nodes (it->machine, box, ids);
    for (uint64_t i = 0; i < n; i++)
        if (it->listed[ids[i]]
            || !are_alike (json_array_get (it->nodes, like),
                           json_array_get (it->nodes, ids[i])))
            return false;
    return true;
}

/* The box that begins at a node and grows as far as it can, in the last
 * dimension first. Only the layer that is added is looked at. */
static tori_box grow_box (const struct listing *it, uint32_t node,
                          uint32_t ids[])
{
    tori_box box = {0};
    box.shape.ndims = tori_machine_ndims (it->machine);
    tori_machine_coords (it->machine, node, box.origin);
    for (int d = 0; d < box.shape.ndims; d++)
        box.shape.size[d] = 1;
    for (int d = box.shape.ndims; d-- > 0;) {
        tori_box layer = box;
        while (box.origin[d] + box.shape.size[d]
               < tori_machine_size (it->machine, d)) {
            layer.origin[d] = box.origin[d] + box.shape.size[d];
            if (!box_is_alike (it, &layer, node, ids))
                break;
            box.shape.size[d]++;
        }
    }
    return box;
}

static void end_row (struct table *table, const json_t *part)
{
    char why[JOB_TEXT_MAX];
    table_cell (table, "%s", job_text (part, "state"));
    job_shown (part, "why", why);
    table_cell (table, "%s", why);
}

/* One row for the box of a node: how many nodes it has. */
static uint64_t put_box (struct listing *it, uint32_t node, uint32_t ids[],
                         struct table *table)
{
    tori_box box = grow_box (it, node, ids);
    uint64_t n = tori_shape_volume (&box.shape);
    const json_t *one = json_array_get (it->nodes, node);
    char text[TORI_TEXT_MAX];
    tori_box_nodes (it->machine, &box, ids);
    for (uint64_t i = 0; i < n; i++)
        it->listed[ids[i]] = true;
    tori_box_format (&box, text);
    table_cell (table, "%s", n > 1 ? text : job_text (one, "node"));
    end_row (table, one);
    return n;
}

/* How many rows there are. */
static size_t put_nodes (struct listing *it, bool all, uint32_t ids[],
                         struct table *table)
{
    size_t n = json_array_size (it->nodes), rows = 0;
    for (size_t i = 0; i < n; i++)
        if (!it->listed[i]
            && (all || !in_service (json_array_get (it->nodes, i)))) {
            (void)put_box (it, (uint32_t)i, ids, table);
            rows++;
        }
    return rows;
}

static void print_reservations (const json_t *reservations, FILE *out)
{
    for (size_t i = 0; i < json_array_size (reservations); i++) {
        const json_t *one = json_array_get (reservations, i);
        char from[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX];
        char name[JOB_TEXT_MAX], place[JOB_TEXT_MAX];
        clock_format (job_time (one, "from"), from);
        clock_format (job_time (one, "until"), until);
        job_shown (one, "name", name);
        job_place (one, place);
        fprintf (out, "reservation %lld%s%s%s from %s to %s: %s\n",
                 (long long)job_number (one, "id"), *name ? " (" : "", name,
                 *name ? ")" : "", from, until, place);
    }
}

static int print_nodes (const tori_machine *machine, const json_t *nodes,
                        const json_t *links, bool all, FILE *out,
                        tori_error *err)
{
    static const struct table_column columns[]
        = {{"node", TABLE_TEXT}, {"state", TABLE_TEXT}, {"why", TABLE_TEXT}};
    size_t n = json_array_size (nodes), usual = 0;
    struct listing it = {machine, nodes, calloc (n + 1, sizeof *it.listed)};
    uint32_t *ids = calloc (n + 1, sizeof *ids);
    struct table *table = table_create (columns, 3);
    size_t shown = json_array_size (links);
    int status = it.listed && ids ? 0 : tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        usual += in_service (json_array_get (nodes, i));
    if (status == 0)
        shown += put_nodes (&it, all, ids, table);
    for (size_t i = 0; i < json_array_size (links); i++) {
        const json_t *link = json_array_get (links, i);
        table_cell (table, "link %s", job_text (link, "link"));
        end_row (table, link);
    }
    if (status == 0 && shown > 0)
        status = table_print (table, out, terminal_bold (), err);
    else
        table_destroy (table);
    if (status == 0)
        fprintf (out, "%zu of %zu nodes are in service\n", usual, n);
    free (it.listed);
    free (ids);
    return status;
}

static int fetch_machine (const char *socket, tori_machine **ret_machine,
                          tori_error *err)
{
    json_t *answer = NULL;
    int status = call (socket, "GET", "/v1/machine", NULL, &answer, err);
    if (status == 0)
        status = tori_machine_parse (job_text (answer, "machine"), ret_machine,
                                     err);
    json_decref (answer);
    return status;
}

/* All that there is to print, for people. */
static int print_all (const char *socket, const json_t *nodes,
                      const json_t *links, bool all, FILE *out,
                      tori_error *err)
{
    tori_machine *machine = NULL;
    json_t *answer = NULL;
    int status = fetch_machine (socket, &machine, err);
    if (status == 0)
        status = call (socket, "GET", "/v1/reservations", NULL, &answer, err);
    if (status == 0)
        status = print_nodes (machine, nodes, links, all, out, err);
    if (status == 0)
        print_reservations (json_object_get (answer, "reservations"), out);
    json_decref (answer);
    tori_machine_destroy (machine);
    return status;
}

static int run_nodes (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct asked asked = {&command_nodes, v};
    json_t *nodes = json_array (), *answer = NULL;
    int status = call_pages (v->socket, "/v1/nodes?limit=65536", "nodes",
                             nodes, err);
    if (status == 0)
        status = call (v->socket, "GET", "/v1/links", NULL, &answer, err);
    if (status == 0 && v->json) {
        json_object_set (answer, "nodes", nodes);
        status = answer_print (&asked, answer, out, err);
    } else if (status == 0) {
        status = print_all (v->socket, nodes,
                            json_object_get (answer, "links"), v->all, out,
                            err);
    }
    json_decref (answer);
    json_decref (nodes);
    return status;
}

const struct command command_nodes = {
    .name = "nodes",
    .summary = "List nodes of a running torid that are down or drained",
    .notes = "A box of nodes that are in the same state for the same reason is "
             "one line. Links that are down and reservations follow.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_nodes,
    .examples = "tori nodes",
    .run = run_nodes,
};
