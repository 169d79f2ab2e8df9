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

/* ---- all ---- */

/* Whether there are more. */
static bool list_nodes (const struct asking *a, const uint64_t *owners,
                        json_t *list)
{
    enum { USUAL = 4096 };
    const char *state = query (a, "state");
    uint64_t limit = query_number (a, "limit", USUAL);
    uint32_t n = tori_machine_nodes (a->torid->machine), i = 0;
    if (query (a, "after"))
        i = (uint32_t)query_number (a, "after", 0) + 1;
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

/* A number that changes with what is shown of these nodes. */
static void make_tag (const struct asking *a, const tori_box *box,
                      const uint64_t *owners, char tag[TAG_TEXT])
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    uint64_t hash = 1;
    for (uint32_t i = 0; i < tori_machine_nodes (a->torid->machine); i++)
        if (tori_box_contains (a->torid->machine, box, i)) {
            hash = mix_hash (hash, (uint64_t)tori_state_node (state, i));
            hash = mix_hash (hash ^ hash >> 29, owners[i]);
            for (const char *c = service_remark (a->torid->service, i);
                 c && *c; c++)
                hash = mix_hash (hash ^ hash >> 29, (unsigned char)*c);
        }
    snprintf (tag, TAG_TEXT, "\"%016llx\"", (unsigned long long)hash);
}

/* Whether a header names the tag: "*", or tags with commas. */
static bool names_tag (const char *text, const char *tag)
{
    return !strcmp (text, "*") || strstr (text, tag);
}

static json_t *box_json (const struct asking *a, const tori_box *box,
                         const uint64_t *owners)
{
    json_t *list = json_array ();
    for (uint32_t i = 0; i < tori_machine_nodes (a->torid->machine); i++)
        if (tori_box_contains (a->torid->machine, box, i))
            json_array_append_new (list, node_json (a->torid, owners, i));
    return list;
}

bool get_node (struct asking *a)
{
    const char *known = header (a, "If-None-Match");
    uint64_t *owners;
    char tag[TAG_TEXT];
    tori_box box;
    json_t *list;
    if (!find_box (a, &box))
        return true;
    owners = owners_make (a->torid);
    if (!owners)
        return no_memory (a);
    make_tag (a, &box, owners, tag);
    reply_header (a, "ETag", "%s", tag);
    list = box_json (a, &box, owners);
    free (owners);
    if (known && names_tag (known, tag))
        reply_text (a, 304, NULL, strdup (""));
    else if (strchr (a->rest, '/'))
        reply (a, 200, json_pack ("{s:O}", "nodes", list));
    else
        reply (a, 200, json_incref (json_array_get (list, 0)));
    json_decref (list);
    return true;
}

/* Whether they are as they were when the client looked; or an answer. */
static bool is_as_seen (struct asking *a, const tori_box *box)
{
    const char *seen = header (a, "If-Match");
    uint64_t *owners = seen ? owners_make (a->torid) : NULL;
    char tag[TAG_TEXT];
    if (!seen)
        return true;
    if (!owners)
        return !no_memory (a);
    make_tag (a, box, owners, tag);
    free (owners);
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
