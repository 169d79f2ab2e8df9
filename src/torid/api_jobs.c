/* api_jobs.c - jobs: submitted, listed, changed and cancelled. */
#include "api.h"

bool post_jobs (struct asking *a)
{
    json_t *body = read_body (a), *input;
    const char *key = header (a, "Idempotency-Key");
    if (!body)
        return true;
    input = json_is_array (body) ? json_pack ("{s:o}", "jobs", body)
                                 : json_pack ("{s:[o]}", "jobs", body);
    if (key)
        json_object_set_new (input, "key", json_string (key));
    return tell (a, "submit", input);
}

bool patch_job (struct asking *a)
{
    json_t *body = read_object (a);
    if (!body)
        return true;
    json_object_set_new (body, "id", json_integer ((json_int_t)a->id));
    return tell (a, "change", body);
}

bool delete_job (struct asking *a)
{
    return tell (a, "cancel",
                 json_pack ("{s:I}", "id", (json_int_t)a->id));
}

bool get_jobs (struct asking *a)
{
    enum { USUAL = 100 };
    bool more;
    json_t *jobs = service_jobs (a->torid->service, query (a, "state"),
                                 query (a, "user"),
                                 query_number (a, "after", 0),
                                 query_number (a, "limit", USUAL), &more);
    const json_t *last
        = json_array_get (jobs, json_array_size (jobs) - 1);
    const json_t *next = json_object_get (last, "id");
    json_t *body = json_pack ("{s:o}", "jobs", jobs);
    if (more) {
        json_object_set_new (body, "next",
                             json_integer (json_integer_value (next)));
        link_next (a, "/v1/jobs", (uint64_t)json_integer_value (next));
    }
    reply (a, 200, body);
    return true;
}

static int on_past_job (void *arg, const struct journal_job *job)
{
    json_t **found = arg;
    *found = json_loadb (job->text, job->n, 0, NULL);
    return 0;
}

bool get_job (struct asking *a)
{
    json_t *job = service_job (a->torid->service, a->id);
    if (!job)
        journal_find (a->torid->journal, a->id, on_past_job, &job, NULL);
    if (job)
        reply (a, 200, job);
    else
        refuse_with (a, 404, "no-such-job", "there is no such job");
    return true;
}
