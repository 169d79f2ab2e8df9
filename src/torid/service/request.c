/* request.c - what a job that waits asks for becomes something else. */
#include <string.h>

#include "inside.h"
#include "jobread.h"

static const char *const wishes[] = {"shape", "count", "wiring"};
enum { WISHES = sizeof wishes / sizeof wishes[0] };

bool request_is_given (const json_t *input)
{
    bool given = false;
    for (size_t i = 0; i < WISHES; i++)
        given |= json_object_get (input, wishes[i]) != NULL;
    return given;
}

/* Another wiring is one of the same box; otherwise nothing is left of what it
 * asked for. NULL without memory. */
static json_t *other_ask (const json_t *ask, const json_t *input)
{
    json_t *copy = json_copy ((json_t *)(uintptr_t)ask);
    bool all = json_object_get (input, "shape")
               || json_object_get (input, "count");
    if (all)
        json_object_del (copy, "alternatives");
    for (size_t i = 0; i < WISHES; i++) {
        json_t *value = json_object_get (input, wishes[i]);
        if (all)
            json_object_del (copy, wishes[i]);
        if (value && json_object_set (copy, wishes[i], value) < 0) {
            json_decref (copy);
            return NULL;
        }
    }
    return copy;
}

/* There is no list here that it would be the first of. */
static int refuse_bad (const tori_error *why, struct reply *reply,
                       tori_error *err)
{
    static const char item[] = "jobs[0].";
    const char *text = why->text;
    if (why->status != TORI_INVALID)
        return tori_error_set (err, why->status, "%s", why->text);
    if (!strncmp (text, item, sizeof item - 1))
        text += sizeof item - 1;
    return refuse (reply, 400, "bad-request", "%s", text);
}

/* Whether it can ever run: somebody else is last in the queue for a moment. */
static int try_out (struct service *service, tori_job_spec *spec,
                    struct reply *reply, tori_error *err)
{
    tori_job number = TORI_NO_JOB;
    int status;
    spec->turn = UINT64_MAX;
    status = submission_enter (service, spec, &number, reply, err);
    if (status != 0 || number == TORI_NO_JOB)
        return status;
    return tori_sched_cancel (service->sched, service->now, number, err);
}

/* Whether it may be asked for at all: 0; 1 and a reply; or -1. */
static int check (struct service *service, const struct ticket *ticket,
                  const json_t *input, const json_t *ask, struct reply *reply,
                  tori_error *err)
{
    tori_snapshot_job job = {0};
    tori_error why = {0};
    int status = ask_read (service, ask, 0, &job, &why);
    if (status < 0)
        status = refuse_bad (&why, reply, err);
    if (status == 0)
        status = change_check (service, ticket, input, &job.spec, ASK_SIZE,
                               reply);
    if (status == 0)
        status = try_out (service, &job.spec, reply, err);
    job_clear (&job);
    return status;
}

int change_request (struct service *service, struct ticket *ticket,
                    const json_t *input, struct reply *reply, tori_error *err)
{
    json_t *ask;
    int status;
    if (ticket->state != TICKET_QUEUED || ticket->suspended)
        return refuse (reply, 409, "not-queued", "job %llu does not wait",
                       (unsigned long long)ticket->id);
    ask = other_ask (ticket->ask, input);
    if (!ask)
        return tori_error_nomem (err);
    status = check (service, ticket, input, ask, reply, err);
    if (status != 0) {
        json_decref (ask);
        return status;
    }
    json_decref (ticket->ask);
    ticket->ask = ask;
    line_leave (service, ticket);
    return core_put_back (service, ticket, err);
}
