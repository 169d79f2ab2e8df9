/* api_nodes.c - nodes, one, some and all of them.
 *
 * Every answer about nodes has a tag (ETag) that changes when the answer does.
 * A change that names the tag (If-Match) is made only if the nodes are still
 * as they were shown: two operators do not undo each other's work without
 * knowing. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "apifields.h"
#include "number.h"

enum { TAG_TEXT = 24 };

static void mark_owner (const struct torid *torid, tori_job job,
                        uint32_t *ids, uint64_t *owners)
{
    tori_job_info info = {.size = sizeof info};
    if (!tori_sched_look (service_sched (torid->service), job, &info)
        || !info.place)
        return;
    tori_placement_nodes (info.place, torid->machine, ids);
    for (uint32_t i = 0; i < info.place->count; i++)
        owners[ids[i]] = info.tag;
}

/* The id of a job per node, 0 where none runs; and after these the number of
 * the reservation that keeps each node. NULL without memory. The caller frees
 * it. */
static uint64_t *owners_make (const struct torid *torid)
{
    const tori_sched *sched = service_sched (torid->service);
    size_t n = tori_machine_nodes (torid->machine);
    size_t running = tori_sched_running (sched);
    uint64_t *owners = calloc (2 * n, sizeof *owners);
    uint32_t *ids = calloc (n, sizeof *ids);
    tori_job *jobs = calloc (running + 1, sizeof *jobs);
    if (owners && ids && jobs
        && service_reserved (torid->service, owners + n)) {
        tori_sched_running_jobs (sched, jobs);
        for (size_t i = 0; i < running; i++)
            mark_owner (torid, jobs[i], ids, owners);
    } else {
        free (owners);
        owners = NULL;
    }
    free (ids);
    free (jobs);
    return owners;
}

static const char *node_state_name (const struct torid *torid, uint32_t node)
{
    static const char *const names[] = {[TORI_NODE_FREE] = "free",
                                        [TORI_NODE_BUSY] = "busy",
                                        [TORI_NODE_DOWN] = "down",
                                        [TORI_NODE_DRAINED] = "drained"};
    return names[tori_state_node (
        tori_sched_state (service_sched (torid->service)), node)];
}

static json_t *node_json (const struct torid *torid, const uint64_t *owners,
                          uint32_t node)
{
    uint64_t reserved = owners[tori_machine_nodes (torid->machine) + node];
    char text[TORI_TEXT_MAX];
    json_t *one;
    tori_node_format (torid->machine, node, text);
    one = json_pack ("{s:I, s:s, s:s, s:s*}", "id", (json_int_t)node, "node",
                     text, "state", node_state_name (torid, node), "why",
                     service_remark (torid->service, node));
    if (owners[node])
        json_object_set_new (one, "job",
                             json_integer ((json_int_t)owners[node]));
    if (reserved)
        json_object_set_new (one, "reservation",
                             json_integer ((json_int_t)reserved));
    return one;
}

static bool no_memory (struct asking *a)
{
    reply (a, 500, NULL);
    return true;
}

/* ---- pages ---- */

/* However many a client asks for, one answer has at most so many: it takes
 * some milliseconds. */
enum { PAGE_USUAL = 4096, PAGE_NODES = 8192 };

static uint64_t page_size (const struct asking *a)
{
    uint64_t limit = query_number (a, "limit", PAGE_USUAL);
    return limit < PAGE_NODES ? limit : PAGE_NODES;
}

/* The first node that may be on the page. */
static uint32_t page_begin (const struct asking *a)
{
    return query (a, "after") ? (uint32_t)query_number (a, "after", 0) + 1
                              : 0;
}

/* Whether there are more. */
static bool list_nodes (const struct asking *a, const uint64_t *owners,
                        json_t *list)
{
    const char *state = query (a, "state");
    uint64_t limit = page_size (a);
    uint32_t n = tori_machine_nodes (a->torid->machine), i = page_begin (a);
    for (; i < n; i++) {
        if (state && strcmp (state, node_state_name (a->torid, i)))
            continue;
        if (json_array_size (list) == limit)
            return true;
        json_array_append_new (list, node_json (a->torid, owners, i));
    }
    return false;
}

bool get_nodes (struct asking *a)
{
    uint64_t *owners = owners_make (a->torid);
    json_t *list = owners ? json_array () : NULL;
    bool more = list && list_nodes (a, owners, list);
    free (owners);
    reply_page (a, "nodes", list, "id", more);
    return true;
}

/* ---- some ---- */

/* Find what the path names: a node by its number or coordinates, or a box. */
static bool find_box (struct asking *a, tori_box *ret_box)
{
    const char *text = a->rest;
    char node[TORI_TEXT_MAX];
    uint64_t id;
    tori_error err;
    if (number_scan (&text, UINT32_MAX, &id) && !*text
        && id < tori_machine_nodes (a->torid->machine))
        tori_node_format (a->torid->machine, (uint32_t)id, node);
    else
        snprintf (node, sizeof node, "%.1000s", a->rest);
    if (tori_box_parse (a->torid->machine, node, ret_box, &err) == 0)
        return true;
    refuse_with (a, 404, "no-such-node", "%s", err.text);
    return false;
}

static uint64_t mix_hash (uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C (0x9e3779b97f4a7c15);
}

/* The nodes of a box, and who has the nodes of the machine. */
struct nodes {
    uint32_t *ids;
    size_t n;
    uint64_t *owners;
};

static void nodes_clear (struct nodes *nodes)
{
    free (nodes->ids);
    free (nodes->owners);
}

/* False, and an answer, if memory runs out. */
static bool find_nodes (struct asking *a, const tori_box *box,
                        struct nodes *ret_nodes)
{
    struct nodes nodes = {.n = (size_t)tori_shape_volume (&box->shape)};
    nodes.ids = calloc (nodes.n, sizeof *nodes.ids);
    nodes.owners = owners_make (a->torid);
    if (!nodes.ids || !nodes.owners) {
        nodes_clear (&nodes);
        return !no_memory (a);
    }
    tori_box_nodes (a->torid->machine, box, nodes.ids);
    *ret_nodes = nodes;
    return true;
}

/* A number that changes with what is shown of these nodes. */
static void make_tag (const struct asking *a, const struct nodes *nodes,
                      char tag[TAG_TEXT])
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    uint64_t hash = 1;
    for (size_t k = 0; k < nodes->n; k++) {
        uint32_t i = nodes->ids[k];
        hash = mix_hash (hash, (uint64_t)tori_state_node (state, i));
        hash = mix_hash (hash ^ hash >> 29, nodes->owners[i]);
        for (const char *c = service_remark (a->torid->service, i); c && *c;
             c++)
            hash = mix_hash (hash ^ hash >> 29, (unsigned char)*c);
    }
    snprintf (tag, TAG_TEXT, "\"%016llx\"", (unsigned long long)hash);
}

/* Whether a header names the tag: "*", or tags with commas. */
static bool names_tag (const char *text, const char *tag)
{
    return !strcmp (text, "*") || strstr (text, tag);
}

static void reply_box (struct asking *a, const struct nodes *nodes)
{
    json_t *list = json_array ();
    uint32_t begin = page_begin (a);
    uint64_t limit = page_size (a);
    size_t k = 0;
    while (k < nodes->n && nodes->ids[k] < begin)
        k++;
    for (; k < nodes->n && json_array_size (list) < limit; k++)
        json_array_append_new (
            list, node_json (a->torid, nodes->owners, nodes->ids[k]));
    reply_page (a, "nodes", list, "id", k < nodes->n);
}

bool get_node (struct asking *a)
{
    const char *known = header (a, "If-None-Match");
    struct nodes nodes;
    char tag[TAG_TEXT];
    tori_box box;
    if (!find_box (a, &box) || !find_nodes (a, &box, &nodes))
        return true;
    make_tag (a, &nodes, tag);
    reply_header (a, "ETag", "%s", tag);
    if (known && names_tag (known, tag))
        reply_text (a, 304, NULL, strdup (""));
    else if (strchr (a->rest, '/'))
        reply_box (a, &nodes);
    else
        reply (a, 200, node_json (a->torid, nodes.owners, nodes.ids[0]));
    nodes_clear (&nodes);
    return true;
}

/* Whether they are as they were when the client looked; or an answer. */
static bool is_as_seen (struct asking *a, const tori_box *box)
{
    const char *seen = header (a, "If-Match");
    struct nodes nodes;
    char tag[TAG_TEXT];
    if (!seen)
        return true;
    if (!find_nodes (a, box, &nodes))
        return false;
    make_tag (a, &nodes, tag);
    nodes_clear (&nodes);
    if (names_tag (seen, tag))
        return true;
    reply_header (a, "ETag", "%s", tag);
    refuse_with (a, 412, "changed",
                 "%.100s has changed since; its ETag is %s", a->rest, tag);
    return false;
}

bool patch_node (struct asking *a)
{
    json_t *body = read_members (a, &body_node_change);
    char text[TORI_TEXT_MAX];
    tori_box box;
    if (!body || !find_box (a, &box) || !is_as_seen (a, &box)) {
        json_decref (body);
        return true;
    }
    if (strchr (a->rest, '/'))
        tori_box_format (&box, text);
    else
        tori_node_format (a->torid->machine,
                          tori_machine_id (a->torid->machine, box.origin),
                          text);
    json_object_set_new (body, "node", json_string (text));
    return tell (a, "node", body);
}
