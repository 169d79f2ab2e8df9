/* nodes.c - nodes and links that fail, come back, or are drained. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "service_internal.h"
#include "nodelist.h"

enum { DOWN = 1, DRAINED = 2, STRANGER = 4 };

/* ---- how it is with them ---- */

static uint64_t node_hash (uint32_t node, unsigned state)
{
    return state ? hash_mix (hash_mix (UINT64_C (0x6e6f6465), node), state)
                 : 0;
}

static uint64_t link_hash (const tori_link *link)
{
    return hash_mix (hash_mix (UINT64_C (0x6c696e6b), link->slot),
                     2 * (uint64_t)link->dim + (link->layer == TORI_FAR));
}

static void note_node (struct service *service, uint32_t node, unsigned state)
{
    service->hash += node_hash (node, state)
                     - node_hash (node, service->nodes[node]);
    service->nodes[node] = (unsigned char)state;
}

/* The position of a link among those that are down, or nlinks. */
static size_t find_link (const struct service *service, const tori_link *link)
{
    size_t i = 0;
    while (i < service->nlinks
           && (service->links[i].dim != link->dim
               || service->links[i].layer != link->layer
               || service->links[i].slot != link->slot))
        i++;
    return i;
}

static int note_link (struct service *service, const tori_link *link,
                      bool down, tori_error *err)
{
    size_t i = find_link (service, link);
    tori_link *more;
    if (down == (i < service->nlinks))
        return 0;
    if (!down) {
        service->links[i] = service->links[--service->nlinks];
        service->hash -= link_hash (link);
        return 0;
    }
    more = array_room (service->links, &service->links_room,
                       service->nlinks + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    service->links = more;
    more[service->nlinks++] = *link;
    service->hash += link_hash (link);
    return 0;
}

/* ---- kept ---- */

json_t *nodes_save (const struct service *service)
{
    uint32_t n = tori_machine_nodes (service->machine);
    json_t *list = json_array ();
    for (uint32_t i = 0; i < n; i++)
        if (service->nodes[i])
            json_array_append_new (list, json_pack ("[I, i]", (json_int_t)i,
                                                    service->nodes[i]));
    for (size_t i = 0; i < service->nlinks; i++) {
        const tori_link *link = &service->links[i];
        json_array_append_new (list,
                               json_pack ("[I, i, i]", (json_int_t)link->slot,
                                          link->dim, (int)link->layer));
    }
    return list;
}

static int load_one (struct service *service, const json_t *saved,
                     tori_error *err)
{
    const json_int_t n = tori_machine_nodes (service->machine);
    json_int_t values[3] = {-1, -1, 0};
    for (size_t i = 0; i < 3 && i < json_array_size (saved); i++)
        values[i] = json_integer_value (json_array_get (saved, i));
    if (values[0] >= 0 && values[0] < n && values[1] >= 0) {
        const tori_link link = {(int)values[1],
                                values[2] ? TORI_FAR : TORI_NEAR,
                                (uint32_t)values[0]};
        if (json_array_size (saved) == 3
            && values[1] < tori_machine_ndims (service->machine))
            return note_link (service, &link, true, err);
        if (values[1] <= (DOWN | DRAINED | STRANGER)) {
            note_node (service, (uint32_t)values[0], (unsigned)values[1]);
            return 0;
        }
    }
    return tori_error_set (err, TORI_INVALID,
                           "not the state of a node or a link");
}

int nodes_load (struct service *service, const json_t *list, tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++)
        if (load_one (service, json_array_get (list, i), err) < 0)
            return -1;
    return 0;
}

/* ---- what becomes of them ---- */

/* Nodes or links that an input is about, and what becomes of them. */
struct node_parts {
    const char *state;
    const uint32_t *nodes;
    const tori_link *links;
    size_t n;
};

static bool is_one_of (const char *word, const char *const all[])
{
    for (size_t i = 0; word && all[i]; i++)
        if (!strcmp (word, all[i]))
            return true;
    return false;
}

static unsigned state_bit (const struct node_parts *parts)
{
    return !strcmp (parts->state, "drain") || !strcmp (parts->state, "resume")
               ? DRAINED
               : DOWN;
}

static bool is_worse (const struct node_parts *parts)
{
    return !strcmp (parts->state, "drain") || !strcmp (parts->state, "down");
}

static bool has_state (const struct service *service,
                       const struct node_parts *parts, size_t i)
{
    return parts->links
               ? find_link (service, &parts->links[i]) < service->nlinks
               : service->nodes[parts->nodes[i]] & state_bit (parts);
}

/* Messages may come twice: what is so already needs no record. */
static bool is_news (const struct service *service,
                     const struct node_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        if (has_state (service, parts, i) != is_worse (parts))
            return true;
    return false;
}

static int note_states (struct service *service,
                        const struct node_parts *parts, size_t i,
                        tori_error *err)
{
    unsigned what = state_bit (parts), others;
    if (parts->links)
        return note_link (service, &parts->links[i], is_worse (parts), err);
    others = service->nodes[parts->nodes[i]] & ~what;
    note_node (service, parts->nodes[i],
               others | (is_worse (parts) ? what : 0));
    return 0;
}

/* ---- the scheduler ---- */

/* A node that a stranger has stays drained. */
static int tell_drained (struct service *service,
                         const struct node_parts *parts, tori_error *err)
{
    uint32_t *nodes = malloc (parts->n * sizeof *nodes);
    size_t n = 0;
    int status;
    if (!nodes)
        return tori_error_nomem (err);
    for (size_t i = 0; i < parts->n; i++)
        if (is_worse (parts) || !node_has_stranger (service, parts->nodes[i]))
            nodes[n++] = parts->nodes[i];
    status = tori_sched_set_all_drained (service->sched, service->now, nodes,
                                         n, is_worse (parts), err);
    free (nodes);
    return status;
}

static int tell_links_up (struct service *service,
                          const struct node_parts *parts, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < parts->n; i++)
        status = tori_sched_set_link_down (service->sched, service->now,
                                           &parts->links[i], false, err);
    return status;
}

/* All parts in one call: so the scheduler looks at its planned starts once, and
 * does not move a job from one failed part to another. */
static int tell_scheduler (struct service *service,
                           const struct node_parts *parts, tori_error *err)
{
    if (!strcmp (parts->state, "down"))
        return tori_sched_fail (service->sched, service->now, parts->nodes,
                                parts->nodes ? parts->n : 0, parts->links,
                                parts->links ? parts->n : 0, err);
    if (parts->links)
        return tell_links_up (service, parts, err);
    return state_bit (parts) == DRAINED
               ? tell_drained (service, parts, err)
               : tori_sched_set_all_up (service->sched, service->now,
                                        parts->nodes, parts->n, err);
}

int nodes_tell (struct service *service, tori_error *err)
{
    uint32_t n = tori_machine_nodes (service->machine);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned what = DOWN; what <= DRAINED; what++) {
            const struct node_parts parts
                = {what == DOWN ? "down" : "drain", &i, NULL, 1};
            unsigned is = service->nodes[i];
            is |= is & STRANGER ? DRAINED : 0;
            if (is & what && tell_scheduler (service, &parts, err) < 0)
                return -1;
        }
    return tell_scheduler (service,
                           &(const struct node_parts){
                               "down", NULL, service->links, service->nlinks},
                           err);
}

static int set_all (struct service *service, const struct node_parts *parts,
                    tori_error *err)
{
    for (size_t i = 0; i < parts->n; i++)
        if (note_states (service, parts, i, err) < 0)
            return -1;
    if (service->replaying)
        return 0;
    return tell_scheduler (service, parts, err) < 0
               ? -1
               : service_collect (service, err);
}

/* ---- why ---- */

/* By its number, or by its ends. */
static void name_part (const struct service *service,
                       const struct node_parts *parts, size_t i,
                       char name[TORI_LINK_TEXT])
{
    if (parts->links)
        tori_link_format (service->machine, &parts->links[i], name);
    else
        snprintf (name, TORI_LINK_TEXT, "%u", parts->nodes[i]);
}

static const char *remark_on (const struct service *service,
                              const struct node_parts *parts, size_t i)
{
    char name[TORI_LINK_TEXT];
    name_part (service, parts, i, name);
    return json_string_value (json_object_get (service->remarks, name));
}

const char *service_remark (const struct service *service, uint32_t node)
{
    return remark_on (service, &(const struct node_parts){.nodes = &node}, 0);
}

json_t *service_links (const struct service *service)
{
    const struct node_parts all = {.links = service->links};
    json_t *list = json_array ();
    for (size_t i = 0; i < service->nlinks; i++) {
        char name[TORI_LINK_TEXT];
        name_part (service, &all, i, name);
        json_array_append_new (
            list, json_pack ("{s:s, s:s, s:s*}", "link", name, "state", "down",
                             "why", remark_on (service, &all, i)));
    }
    return list;
}

/* Keep the reason why a node or a link is out of service until it is back.
 * Return whether that changes anything. */
static bool set_remark (struct service *service,
                        const struct node_parts *parts, size_t i,
                        const char *why)
{
    const char *was = remark_on (service, parts, i);
    char name[TORI_LINK_TEXT];
    name_part (service, parts, i, name);
    if (!is_worse (parts))
        return was && (parts->links || service->nodes[parts->nodes[i]] == 0)
               && json_object_del (service->remarks, name) == 0;
    if (!why || (was && !strcmp (why, was)))
        return false;
    if (!service->remarks)
        service->remarks = json_object ();
    if (json_object_set_new (service->remarks, name, json_string (why)) < 0)
        service->nomem = true;
    return true;
}

static bool set_remarks (struct service *service,
                         const struct node_parts *parts, const json_t *input)
{
    const char *why = json_string_value (json_object_get (input, "why"));
    bool news = false;
    for (size_t i = 0; i < parts->n; i++)
        news |= set_remark (service, parts, i, why);
    return news;
}

/* ---- strangers ---- */

bool node_has_stranger (const struct service *service, uint32_t node)
{
    return service->nodes[node] & STRANGER;
}

/* An operator's own words stay. */
static void remark_stranger (struct service *service,
                             const struct node_parts *parts,
                             const json_t *stranger)
{
    char text[200];
    snprintf (text, sizeof text,
              "job %lld of %s runs here, of which torid knows nothing; 'tori "
              "cancel --unknown %lld' ends it",
              (long long)json_integer_value (
                  json_object_get (stranger, "job")),
              json_is_string (json_object_get (stranger, "user"))
                  ? json_string_value (json_object_get (stranger, "user"))
                  : "somebody",
              (long long)json_integer_value (
                  json_object_get (stranger, "job")));
    if (!remark_on (service, parts, 0))
        set_remark (service, parts, 0, text);
}

int node_set_stranger (struct service *service, uint32_t node,
                       const json_t *stranger, tori_error *err)
{
    struct node_parts parts
        = {stranger ? "drain" : "resume", &node, NULL, 1};
    unsigned others = service->nodes[node] & ~(unsigned)STRANGER;
    if (node_has_stranger (service, node) == (stranger != NULL))
        return 0;
    note_node (service, node, others | (stranger ? STRANGER : 0));
    if (stranger)
        remark_stranger (service, &parts, stranger);
    else
        set_remark (service, &parts, 0, NULL);
    if (service->replaying || service->stale || others & DRAINED)
        return 0;
    return tell_scheduler (service, &parts, err) < 0
               ? -1
               : service_collect (service, err);
}

/* ---- inputs ---- */

/* `what` is how the event and the member of the input are called. */
static int set_parts (struct service *service, const json_t *input,
                      const char *what, const char *count,
                      const struct node_parts *parts, struct reply *reply,
                      tori_error *err)
{
    bool news = is_news (service, parts);
    if (news && set_all (service, parts, err) < 0)
        return -1;
    news |= set_remarks (service, parts, input);
    *reply = (struct reply){
        200, json_pack ("{s:I}", count, (json_int_t)parts->n)};
    if (!news)
        return 1;
    service_put (service, EFFECT_EVENT,
                 json_pack ("{s:s, s:o, s:O, s:s}", "event", what, "now",
                            seconds_json (service->now), what,
                            json_object_get (input, what), "state",
                            parts->state));
    return 0;
}

static int check_state (const json_t *input, const char *const states[],
                        const char *expected, struct node_parts *parts,
                        struct reply *reply)
{
    parts->state = json_string_value (json_object_get (input, "state"));
    if (!json_is_true (json_object_get (input, "root")))
        return refuse (reply, 403, "forbidden",
                       "only operators may change nodes and links");
    if (!is_one_of (parts->state, states))
        return refuse (reply, 400, "bad-request", "state: expected %s",
                       expected);
    return 0;
}

/* The nodes of an input: how many; at most 0 and an error if there are none.
 * The caller frees them. */
static int read_nodes (const struct service *service, const json_t *input,
                       uint32_t **ret_nodes, size_t *ret_n, tori_error *err)
{
    json_t *list = json_pack ("{s:[O]}", "nodes",
                              json_object_get (input, "node"));
    struct member_of of = {.object = list, .file = "request"};
    int found = list ? nodelist_read (&of, "nodes", service->machine,
                                      ret_nodes, ret_n, err)
                     : tori_error_set (err, TORI_INVALID,
                                       "node: expected a node or a box");
    json_decref (list);
    return found;
}

/* A node, or a box of them. */
int do_node (struct service *service, const json_t *input,
             struct reply *reply, tori_error *err)
{
    static const char *const states[]
        = {"drain", "resume", "down", "up", NULL};
    struct node_parts parts = {0};
    uint32_t *nodes = NULL;
    tori_error why = {0};
    int status = check_state (input, states, "drain, resume, down or up",
                              &parts, reply);
    if (status == 0
        && read_nodes (service, input, &nodes, &parts.n, &why) <= 0)
        status = refuse_error (&why, reply, err);
    parts.nodes = nodes;
    if (status == 0)
        status = set_parts (service, input, "node", "nodes", &parts, reply,
                            err);
    free (nodes);
    return status;
}

/* A link, by its ends. */
int do_link (struct service *service, const json_t *input,
             struct reply *reply, tori_error *err)
{
    static const char *const states[] = {"down", "up", NULL};
    const char *text = json_string_value (json_object_get (input, "link"));
    tori_link link;
    struct node_parts parts = {.links = &link, .n = 1};
    tori_error why = {0};
    int status
        = check_state (input, states, "down or up", &parts, reply);
    if (status == 0
        && tori_link_parse (service->machine, text ? text : "", &link, &why)
               < 0)
        status = refuse_error (&why, reply, err);
    return status == 0
               ? set_parts (service, input, "link", "links", &parts, reply,
                            err)
               : status;
}

/* ---- for the record of changes ---- */

static json_t *look_at_nodes (const struct service *service,
                              const json_t *input)
{
    uint32_t *nodes = NULL;
    size_t n = 0, down = 0, drained = 0;
    json_t *to = NULL;
    if (read_nodes (service, input, &nodes, &n, NULL) > 0) {
        for (size_t i = 0; i < n; i++) {
            down += (service->nodes[nodes[i]] & DOWN) != 0;
            drained += (service->nodes[nodes[i]] & DRAINED) != 0;
        }
        to = json_pack ("{s:I, s:I, s:s*}", "down", (json_int_t)down,
                        "drained", (json_int_t)drained, "why",
                        service_remark (service, nodes[0]));
    }
    free (nodes);
    return to;
}

static json_t *look_at_link (const struct service *service,
                             const json_t *input)
{
    const char *text = json_string_value (json_object_get (input, "link"));
    tori_link link;
    const struct node_parts parts = {.links = &link, .n = 1};
    if (!text || tori_link_parse (service->machine, text, &link, NULL) < 0)
        return NULL;
    return json_pack ("{s:b, s:s*}", "down", has_state (service, &parts, 0),
                      "why", remark_on (service, &parts, 0));
}

json_t *nodes_look (const struct service *service, const json_t *input)
{
    json_t *to = json_object_get (input, "link")
                     ? look_at_link (service, input)
                     : look_at_nodes (service, input);
    return to ? to : json_object ();
}
