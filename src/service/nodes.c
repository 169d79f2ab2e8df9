/* nodes.c - nodes and links that fail, come back, or are drained. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "nodelist.h"

/* Nodes or links that an input is about, and what becomes of them. */
struct parts {
    const char *state;
    uint32_t *nodes;
    tori_link *links;
    size_t n;
};

static bool is_one_of (const char *word, const char *const all[])
{
    for (size_t i = 0; word && all[i]; i++)
        if (!strcmp (word, all[i]))
            return true;
    return false;
}

static bool has (const struct service *service, const struct parts *parts,
                 size_t i)
{
    const tori_state *state = tori_sched_state (service->sched);
    if (parts->links)
        return tori_state_link_down (state, &parts->links[i]);
    return !strcmp (parts->state, "drain") || !strcmp (parts->state, "resume")
               ? tori_state_is_drained (state, parts->nodes[i])
               : tori_state_is_down (state, parts->nodes[i]);
}

static bool worsens (const struct parts *parts)
{
    return !strcmp (parts->state, "drain") || !strcmp (parts->state, "down");
}

/* Messages may come twice: what is so already needs no record. */
static bool is_news (const struct service *service,
                     const struct parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        if (has (service, parts, i) != worsens (parts))
            return true;
    return false;
}

static int set_one (struct service *service, const struct parts *parts,
                    size_t i, tori_error *err)
{
    bool worse = worsens (parts);
    if (parts->links)
        return tori_sched_set_link_down (service->sched, service->now,
                                         &parts->links[i], worse, err);
    if (!strcmp (parts->state, "drain") || !strcmp (parts->state, "resume"))
        return tori_sched_set_drained (service->sched, service->now,
                                       parts->nodes[i], worse, err);
    return tori_sched_set_down (service->sched, service->now, parts->nodes[i],
                                worse, err);
}

/* What fails at once fails together, so that no job moves to what has failed
 * as well. */
static int set_all (struct service *service, const struct parts *parts,
                    tori_error *err)
{
    int status = 0;
    if (!strcmp (parts->state, "down"))
        status = tori_sched_fail (service->sched, service->now, parts->nodes,
                                  parts->nodes ? parts->n : 0, parts->links,
                                  parts->links ? parts->n : 0, err);
    else
        for (size_t i = 0; status == 0 && i < parts->n; i++)
            status = set_one (service, parts, i, err);
    return status == 0 ? service_collect (service, err) : -1;
}

/* ---- why ---- */

static void name_node (uint32_t node, char name[16])
{
    snprintf (name, 16, "%u", node);
}

const char *service_remark (const struct service *service, uint32_t node)
{
    char name[16];
    name_node (node, name);
    return json_string_value (json_object_get (service->remarks, name));
}

/* What was said of a node is known until it is back: whether that changes
 * anything. */
static bool set_remark (struct service *service, uint32_t node,
                        const struct parts *parts, const char *why)
{
    const char *was = service_remark (service, node);
    char name[16];
    name_node (node, name);
    if (!worsens (parts))
        return was && json_object_del (service->remarks, name) == 0;
    if (!why || (was && !strcmp (why, was)))
        return false;
    if (!service->remarks)
        service->remarks = json_object ();
    if (json_object_set_new (service->remarks, name, json_string (why)) < 0)
        service->nomem = true;
    return true;
}

static bool set_remarks (struct service *service, const struct parts *parts,
                         const json_t *input)
{
    const char *why = json_string_value (json_object_get (input, "why"));
    bool news = false;
    for (size_t i = 0; parts->nodes && i < parts->n; i++)
        news |= set_remark (service, parts->nodes[i], parts, why);
    return news;
}

/* `what` is how the event and the member of the input are called. */
static int set_parts (struct service *service, const json_t *input,
                      const char *what, const char *count,
                      const struct parts *parts, struct reply *reply,
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
                 json_pack ("{s:s, s:O, s:s}", "event", what, what,
                            json_object_get (input, what), "state",
                            parts->state));
    return 0;
}

static int check_state (const json_t *input, const char *const states[],
                        const char *expected, struct parts *parts,
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

/* A node, or a box of them. */
int do_node (struct service *service, const json_t *input,
             struct reply *reply, tori_error *err)
{
    static const char *const states[]
        = {"drain", "resume", "down", "up", NULL};
    json_t *list = json_pack ("{s:[O]}", "nodes",
                              json_object_get (input, "node"));
    struct member_of of = {.object = list, .file = "request"};
    struct parts parts = {0};
    tori_error why = {0};
    int status = check_state (input, states, "drain, resume, down or up",
                              &parts, reply);
    if (status == 0
        && nodelist_read (&of, "nodes", service->machine, &parts.nodes,
                          &parts.n, &why)
               <= 0)
        status = refuse (reply, 400, "bad-request", "%s",
                         list ? why.text : "node: expected a node or a box");
    if (status == 0)
        status = set_parts (service, input, "node", "nodes", &parts, reply,
                            err);
    json_decref (list);
    free (parts.nodes);
    return status;
}

/* A link, by its ends. */
int do_link (struct service *service, const json_t *input,
             struct reply *reply, tori_error *err)
{
    static const char *const states[] = {"down", "up", NULL};
    const char *text = json_string_value (json_object_get (input, "link"));
    tori_link link;
    struct parts parts = {.links = &link, .n = 1};
    tori_error why = {0};
    int status
        = check_state (input, states, "down or up", &parts, reply);
    if (status == 0
        && tori_link_parse (service->machine, text ? text : "", &link, &why)
               < 0)
        status = refuse (reply, 400, "bad-request", "%s", why.text);
    return status == 0
               ? set_parts (service, input, "link", "links", &parts, reply,
                            err)
               : status;
}
