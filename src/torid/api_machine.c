/* api_machine.c - the machine, and how torid is. */
#include "api.h"

/* The link is the rest of the path. */
bool get_links (struct asking *a)
{
    reply (a, 200,
           json_pack ("{s:o}", "links", service_links (a->torid->service)));
    return true;
}

bool patch_link (struct asking *a)
{
    json_t *body = read_object (a);
    if (!body)
        return true;
    json_object_set_new (body, "link", json_string (a->rest));
    return tell (a, "link", body);
}

/* ---- windows ---- */

bool get_windows (struct asking *a)
{
    reply (a, 200,
           json_pack ("{s:o}", "windows",
                      service_windows (a->torid->service)));
    return true;
}

bool post_window (struct asking *a)
{
    json_t *body = read_object (a);
    return body ? tell (a, "window", body) : true;
}

bool delete_window (struct asking *a)
{
    return tell (a, "unwindow", json_pack ("{s:I}", "id", (json_int_t)a->id));
}

/* ---- the machine and its users ---- */

bool get_users (struct asking *a)
{
    reply (a, 200,
           json_pack ("{s:o}", "users", service_users (a->torid->service)));
    return true;
}

bool get_machine (struct asking *a)
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    char text[TORI_TEXT_MAX];
    tori_machine_format (a->torid->machine, text);
    reply (a, 200,
           json_pack ("{s:s, s:I, s:I}", "machine", text, "nodes",
                      (json_int_t)tori_machine_nodes (a->torid->machine),
                      "free", (json_int_t)tori_state_free_count (state)));
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
    a->request->watching = true;
    a->request->reply.code = 200;
    return true;
}

bool get_health (struct asking *a)
{
    if (a->torid->stuck)
        refuse_with (a, 503, "no-disk", "%s", a->torid->trouble);
    else
        reply (a, 200,
               json_pack ("{s:s, s:b, s:s*}", "status",
                          *a->torid->absence ? "no-executor" : "ok",
                          "executor", a->torid->ready, "message",
                          *a->torid->absence ? a->torid->absence : NULL));
    return true;
}
