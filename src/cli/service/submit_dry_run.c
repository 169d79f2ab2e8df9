#include "submit_dry_run.h"

#include <string.h>

#include <tori/snapshot.h>

#include "http_client.h"
#include "snapshot_source.h"
#include "whycase.h"
#include "whylines.h"

/* ---- in the queue ---- */

/* The first of the jobs that would be submitted. */
static int find_late (const tori_snapshot *snapshot, uint64_t *ret_id,
                      tori_error *err)
{
    const tori_snapshot_job *first = NULL;
    for (size_t i = 0; i < snapshot->nqueued; i++) {
        const tori_snapshot_job *job = &snapshot->queue[i];
        if (job->late && (!first || job->spec.tag < first->spec.tag))
            first = job;
    }
    if (!first)
        return tori_error_set (err, TORI_FAILED,
                               "torid does not tell its state");
    *ret_id = first->spec.tag;
    return 0;
}

/* Ask torid for its state as if the job were submitted. */
static int fetch_state (const char *socket, const json_t *job,
                        tori_snapshot **ret_snapshot, tori_error *err)
{
    json_t *jobs = json_pack ("[O]", job);
    int status = jobs ? snapshot_submit (socket, jobs, NULL, ret_snapshot,
                                         err)
                      : tori_error_nomem (err);
    json_decref (jobs);
    return status;
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
    char place[PLACE_TEXT_MAX];
    verdict->reason = why->reason;
    if (why->reason == TORI_REASON_NEVER)
        tori_why_text (why, verdict->scene.snapshot->machine, verdict->never,
                       sizeof verdict->never);
    if (verdict->silent || why->reason == TORI_REASON_NEVER)
        return 0;
    if (why->reason != TORI_REASON_STARTS) {
        fputs ("it would wait\n", verdict->scene.out);
        why_print_wait (&verdict->scene, why);
        return 0;
    }
    place_format (verdict->scene.snapshot->machine, &why->start_place, place);
    fprintf (verdict->scene.out, "it would start at once%s%s\n",
             *place ? ", on " : "", place);
    why_print_pushes (&verdict->scene, why);
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
        asked_open (&e, asked->command, asked->values);
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
    uint64_t id;
    int status;
    if (fetch_state (socket, job, &snapshot, err) < 0)
        return -1;
    status = find_late (snapshot, &id, err);
    if (status == 0)
        status = why_open (snapshot, &id, 1, &it, err);
    if (status == 0)
        status = print_verdict (&it, asked, json, out, err);
    why_close (&it);
    tori_snapshot_destroy (snapshot);
    return status;
}
