/* api_machine.c - the machine, and how torid is. */
#include <string.h>

#include "api.h"
#include "apifields.h"

/* The link is the rest of the path. */
bool get_links (struct asking *a)
{
    reply (a, 200,
           json_pack ("{s:o}", "links", service_links (a->torid->service)));
    return true;
}

bool patch_link (struct asking *a)
{
    json_t *body = read_members (a, &body_link_change);
    if (!body)
        return true;
    json_object_set_new (body, "link", json_string (a->rest));
    return tell (a, "link", body);
}

/* ---- reservations ---- */

bool get_reservations (struct asking *a)
{
    json_t *list = service_reservations (a->torid->service);
    reply (a, 200,
           json_pack ("{s:O, s:o}", "reservations", list, "windows", list));
    return true;
}

bool post_reservation (struct asking *a)
{
    json_t *body = read_members (a, &body_reservation);
    bool groups = json_object_get (body, "groups");
    bool users = json_object_get (body, "users");
    if (!body)
        return true;
    if ((users || groups) && a->is_operator && !a->request->roster) {
        json_decref (body);
        return look_for_names (a);
    }
    if (groups)
        json_object_set (body, "of_groups", json_object_get (body, "groups"));
    if (a->request->roster)
        json_object_set (body, "members", a->request->roster);
    if (tell (a, "window", body))
        return true;
    a->torid->era += groups; /* other groups count from now on */
    return false;
}

bool delete_reservation (struct asking *a)
{
    return tell_id (a, "unwindow");
}

/* ---- processes of an unknown state ---- */

bool get_unknown (struct asking *a)
{
    if (!a->is_operator) {
        refuse_with (a, 403, "forbidden",
                     "only operators may see unknown processes");
        return true;
    }
    reply (a, 200,
           json_pack ("{s:o}", "unknown",
                      service_strangers_json (a->torid->service)));
    return true;
}

bool delete_unknown (struct asking *a)
{
    return tell_id (a, "end-unknown");
}

/* ---- the machine and its users ---- */

bool get_users (struct asking *a)
{
    reply (a, 200,
           json_pack ("{s:o, s:o}", "users", service_users (a->torid->service),
                      "accounts", service_accounts (a->torid->service)));
    return true;
}

bool get_queues (struct asking *a)
{
    reply (a, 200,
           json_pack ("{s:o}", "queues", service_queues (a->torid->service)));
    return true;
}

bool get_machine (struct asking *a)
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    char text[TORI_TEXT_MAX];
    tori_machine_format (a->torid->machine, text);
    reply (a, 200,
           json_pack ("{s:s, s:I, s:I, s:I}", "machine", text, "nodes",
                      (json_int_t)tori_machine_nodes (a->torid->machine),
                      "free", (json_int_t)tori_state_free_count (state),
                      "last_job",
                      (json_int_t)service_next_id (a->torid->service) - 1));
    return true;
}

/* ---- looking back ---- */

static int add_sample (void *arg, const struct journal_sample *sample)
{
    json_t *value = json_loadb (sample->text, sample->n, 0, NULL);
    return json_array_append_new (arg, value);
}

bool get_history (struct asking *a)
{
    enum { USUAL = 1000 };
    uint64_t limit = query_number (a, "limit", USUAL);
    json_t *list = json_array ();
    if (!list
        || journal_samples (a->torid->journal,
                            (int64_t)query_number (a, "after", 0), limit + 1,
                            add_sample, list, NULL)
               != 0) {
        json_decref (list);
        list = NULL;
    }
    reply_page (a, "samples", list, "time",
                json_array_remove (list, limit) == 0);
    return true;
}

bool get_events (struct asking *a)
{
    if (!strcmp (a->method, "HEAD")) {
        reply_header (a, "Cache-Control", "no-store");
        reply_text (a, 200, "text/event-stream", strdup (""));
        return true;
    }
    a->request->watching = true;
    a->request->reply.code = 200;
    return true;
}

/* Describe what is wrong with the executor or its nodes; empty: nothing. */
static const char *describe_health (struct torid *torid, char *text,
                                    size_t room)
{
    char name[TORI_TEXT_MAX];
    uint32_t first = 0;
    size_t n = faults_count (torid, &first);
    size_t strangers = service_strangers (torid->service);
    snprintf (text, room, "%s", torid->absence);
    if (*text)
        return torid->silent ? "executor-silent" : "no-executor";
    if (strangers > 0) {
        snprintf (text, room,
                  "%zu process%s of jobs that torid knows nothing of; 'tori "
                  "nodes' tells where",
                  strangers, strangers == 1 ? "" : "es");
        return "unknown-processes";
    }
    snprintf (text, room, "%s", torid->plight);
    if (*text)
        return "host-trouble";
    if (n == 0) {
        const char *lack = executor_lack (torid);
        snprintf (text, room, "%s", lack ? lack : "");
        return "ok";
    }
    tori_node_format (torid->machine, first, name);
    snprintf (text, room, "%zu node%s drained, such as %.100s: %.200s", n,
              n == 1 ? " was" : "s were", name,
              service_remark (torid->service, first));
    return "nodes-drained";
}

bool get_health (struct asking *a)
{
    struct torid *torid = a->torid;
    char text[600];
    const char *status = describe_health (torid, text, sizeof text);
    if (torid->stuck)
        refuse_with (a, 503, "no-disk", "%s", torid->trouble);
    else
        reply (a, 200,
               json_pack ("{s:s, s:b, s:s*}", "status", status, "executor",
                          torid->ready && !torid->silent, "message",
                          *text ? text : NULL));
    return true;
}
