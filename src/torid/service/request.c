/* request.c - changes what an existing job asks for. */
#include "service_internal.h"

const uint64_t request_members
    = JOB_BIT (shape) | JOB_BIT (count) | JOB_BIT (wiring);

/* A new wiring keeps the shape; a new shape or count replaces the whole
 * request for nodes. NULL without memory. */
static json_t *merge_members (const json_t *members, const json_t *input)
{
    json_t *copy = json_copy ((json_t *)(uintptr_t)members);
    uint64_t given = job_changes (input);
    bool all = given & (JOB_BIT (shape) | JOB_BIT (count));
    if (all)
        json_object_del (copy, JOB_KEY (alternatives));
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name;
        if (all && (request_members >> i & 1))
            json_object_del (copy, name);
        if ((given >> i & 1)
            && json_object_set (copy, name, json_object_get (input, name))
                   < 0) {
            json_decref (copy);
            return NULL;
        }
    }
    return copy;
}

int request_merge (const struct service *service,
                   const struct service_job *job, const json_t *input,
                   struct job_ask **ret_then, struct reply *reply,
                   tori_error *err)
{
    const struct job_reading how = {.machine = service->machine,
                                    .now = service->now,
                                    .lenient = job->state == JOB_ENDED};
    struct member_of of = {.object = merge_members (job->ask->members, input)};
    struct job_ask *then = NULL;
    tori_error why = {0};
    int status = 0;
    if (!of.object)
        return tori_error_nomem (err);
    if (job_ask_read (&of, &how, &then, &why) < 0
        || (!how.lenient && job_ask_whole (&of, then, &why) < 0))
        status = refuse_error (&why, reply, err);
    json_decref ((json_t *)(uintptr_t)of.object);
    if (status == 0)
        *ret_then = then;
    else
        job_ask_drop (then);
    return status;
}

void job_set_ask (struct service_job *job, struct job_ask *then)
{
    job_ask_forget_nodes (then);
    job_ask_drop (job->ask);
    job->ask = job_ask_keep (then);
}

/* Check whether a job like this can ever run: submit one at the end of the
 * queue, and cancel it at once. */
static int try_out (struct service *service, const tori_job_spec *ask,
                    struct reply *reply, tori_error *err)
{
    tori_job_spec spec = *ask;
    tori_job number = TORI_NO_JOB;
    int status;
    spec.turn = UINT64_MAX;
    status = submission_enter (service, &spec, &number, reply, err);
    if (status != 0 || number == TORI_NO_JOB)
        return status;
    return tori_sched_cancel (service->sched, service->now, number, err);
}

int change_request (struct service *service, struct service_job *job,
                    const json_t *input, struct job_ask *then,
                    struct reply *reply, tori_error *err)
{
    int status;
    if (change_check (service, job, input, &then->spec, ASK_SIZE, reply))
        return 1;
    status = try_out (service, &then->spec, reply, err);
    if (status != 0)
        return status;
    job_set_ask (job, then);
    limit_queue_leave (service, job);
    return core_put_back (service, job, err);
}
