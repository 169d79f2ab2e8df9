#include "submit_dry_run.h"

#include <string.h>

#include <tori/snapshot.h>

#include "http_client.h"
#include "changes.h"
#include "jobmembers.h"
#include "jobs.h"
#include "snapshot_source.h"
#include "whycase.h"
#include "whylines.h"

/* ---- in the queue ---- */

/* Find an id that no job of the scheduler has, or has had. */
static int find_id (json_t *state, uint64_t *ret_id, tori_error *err)
{
    tori_snapshot *snapshot;
    if (snapshot_of_json (state, &snapshot, err) < 0)
        return -1;
    *ret_id = id_free (snapshot);
    tori_snapshot_destroy (snapshot);
    return 0;
}

/* Make a submission a job of a snapshot. */
static json_t *as_queued (const json_t *job, uint64_t id, json_t *now)
{
    json_t *to = json_pack ("{s:I, s:O}", "id", (json_int_t)id, "submit", now);
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        json_t *value = json_object_get (job, job_members[i].name);
        if (job_members[i].snapshot && value)
            json_object_set (to, job_members[i].snapshot, value);
    }
    if (json_object_get (job, JOB_KEY (hold)))
        json_object_set_new (to, "hold", json_string ("user"));
    else if (json_object_get (job, JOB_KEY (after)))
        json_object_set_new (to, "hold", json_string ("dependency"));
    return to;
}

static int add_job (json_t *state, const json_t *job, uint64_t *ret_id,
                    tori_snapshot **ret_snapshot, tori_error *err)
{
    json_t *queue = json_object_get (state, "queue"), *now;
    if (find_id (state, ret_id, err) < 0)
        return -1;
    now =
        json_object_get (state, "now"); /* reading the state may replace it */
    if (!queue) {
        queue = json_array ();
        json_object_set_new (state, "queue", queue);
    }
    if (!now
        || json_array_append_new (queue, as_queued (job, *ret_id, now)) < 0)
        return tori_error_set (err, TORI_FAILED,
                               "torid does not tell its state");
    return snapshot_of_json (state, ret_snapshot, err);
}

/* ---- the answer ---- */

struct verdict {
    struct why_scene scene;
    tori_reason reason;
    char never[256]; /* the reason why the job can never run */
    bool silent;
};

static int on_why (void *arg, const tori_why *why)
{
    struct verdict *verdict = arg;
    char place[PLACE_TEXT_MAX] = "";
    verdict->reason = why->reason;
    if (why->reason == TORI_REASON_NEVER)
        tori_why_text (why, verdict->scene.snapshot->machine, verdict->never,
                       sizeof verdict->never);
    if (verdict->silent || why->reason == TORI_REASON_NEVER)
        return 0;
    place_format (verdict->scene.snapshot->machine, &why->start_place, place);
    fprintf (verdict->scene.out, "it would %s%s%s\n",
             why->reason == TORI_REASON_STARTS ? "start at once" : "wait",
             !*place                             ? ""
             : why->reason == TORI_REASON_STARTS ? ", on "
                                                 : ", and run on ",
             place);
    if (why->reason != TORI_REASON_STARTS)
        why_print_wait (&verdict->scene, why);
    return 0;
}

static int print_verdict (struct why_case *it, const struct asked *asked,
                          bool json, FILE *out, tori_error *err)
{
    struct verdict verdict = {.scene = {it->snapshot, out},
                              .reason = TORI_REASON_NEVER,
                              .never = "it can never run on this machine",
                              .silent = json};
    struct emit e = emit_to (out);
    if (why_each (it, on_why, &verdict, err) < 0)
        return -1;
    if (verdict.reason == TORI_REASON_NEVER)
        return tori_error_set (err, TORI_NEVER, "%s", verdict.never);
    if (json) {
        asked_open (&e, asked->path, asked->command, asked->values);
        if (why_emit (it, &e, err) < 0)
            return -1;
        emit_close (&e, '}');
        if (emit_end (&e, err) < 0)
            return -1;
    }
    return verdict.reason == TORI_REASON_STARTS
               ? 0
               : tori_error_set (err, TORI_NOT_NOW, "%s", "");
}

int submit_dry_run (const char *socket, const json_t *job,
                    const struct asked *asked, bool json, FILE *out,
                    tori_error *err)
{
    struct why_case it = {0};
    tori_snapshot *snapshot = NULL;
    json_t *state = NULL;
    uint64_t id;
    int status;
    if (call (socket, "GET", "/v1/snapshot", NULL, &state, err) < 0)
        return -1;
    status = add_job (state, job, &id, &snapshot, err);
    json_decref (state);
    if (status < 0)
        return -1;
    status = why_open (snapshot, &id, 1, &it, err);
    if (status == 0)
        status = print_verdict (&it, asked, json, out, err);
    why_close (&it);
    tori_snapshot_destroy (snapshot);
    return status;
}
