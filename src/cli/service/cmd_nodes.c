/* tori nodes - the nodes of a running torid. */
#include <string.h>

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

/* How many nodes from the i-th on differ only in their names. */
static size_t nodes_alike (const json_t *nodes, size_t i)
{
    static const char *const keys[] = {"state", "why", "job"};
    const json_t *node = json_array_get (nodes, i), *next;
    size_t n = 1;
    while ((next = json_array_get (nodes, i + n))) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (json_object_get (node, keys[k])
                && !json_equal (json_object_get (node, keys[k]),
                                json_object_get (next, keys[k])))
                return n;
        if (json_object_size (node) != json_object_size (next))
            return n;
        n++;
    }
    return n;
}

static void name_cell (struct table *table, const json_t *nodes, size_t i,
                       size_t n)
{
    const char *first = job_text (json_array_get (nodes, i), "node");
    if (n > 1)
        table_cell (table, "%s to %s", first,
                    job_text (json_array_get (nodes, i + n - 1), "node"));
    else
        table_cell (table, "%s", first);
}

static void end_row (struct table *table, const json_t *part)
{
    char why[JOB_TEXT_MAX];
    table_cell (table, "%s", job_text (part, "state"));
    job_shown (part, "why", why);
    table_cell (table, "%s", why);
}

static int print_nodes (const json_t *nodes, const json_t *links, bool all,
                        FILE *out, tori_error *err)
{
    static const struct table_column columns[]
        = {{"node", TABLE_TEXT}, {"state", TABLE_TEXT}, {"why", TABLE_TEXT}};
    struct table *table = table_create (columns, 3);
    size_t n = json_array_size (nodes), usual = 0, same;
    size_t shown = json_array_size (links);
    int status = 0;
    for (size_t i = 0; i < n; i += same) {
        const json_t *node = json_array_get (nodes, i);
        same = 1;
        usual += in_service (node);
        if (!all && in_service (node))
            continue;
        shown++;
        same = nodes_alike (nodes, i);
        usual += (same - 1) * in_service (node);
        name_cell (table, nodes, i, same);
        end_row (table, node);
    }
    for (size_t i = 0; i < json_array_size (links); i++) {
        const json_t *link = json_array_get (links, i);
        table_cell (table, "link %s", job_text (link, "link"));
        end_row (table, link);
    }
    if (shown > 0)
        status = table_print (table, out, terminal_bold (), err);
    else
        table_destroy (table);
    fprintf (out, "%zu of %zu nodes are in service\n", usual, n);
    return status;
}

static int run_nodes (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct asked asked = {"nodes", &command_nodes, v};
    json_t *nodes = json_array (), *answer = NULL;
    int status = call_pages (v->socket, "/v1/nodes?limit=65536", "nodes",
                             nodes, err);
    if (status == 0)
        status = call (v->socket, "GET", "/v1/links", NULL, &answer, err);
    if (status == 0 && v->json) {
        json_object_set (answer, "nodes", nodes);
        status = answer_print (&asked, answer, out, err);
    } else if (status == 0) {
        status = print_nodes (nodes, json_object_get (answer, "links"), v->all,
                              out, err);
    }
    json_decref (answer);
    json_decref (nodes);
    return status;
}

const struct command command_nodes = {
    .name = "nodes",
    .summary = "List nodes of a running torid that are down or drained",
    .notes = "Nodes with consecutive ids that are in the same state for the "
             "same reason share a line, which names the first and the last of "
             "them. Links that are down follow.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_nodes,
    .examples = "tori nodes",
    .run = run_nodes,
};
