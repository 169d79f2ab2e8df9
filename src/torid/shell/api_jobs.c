/* api_jobs.c - jobs: submitted, listed, changed and cancelled. */
#include <string.h>

#include "api.h"
#include "apifields.h"
#include "jobmembers.h"
#include "whycase.h"

/* Give the location of the new job, if there is exactly one. */
static void name_job (struct asking *a)
{
    const struct reply *it = &a->request->reply;
    const json_t *ids = json_object_get (it->body, "ids");
    if (it->code == 201 && json_array_size (ids) == 1)
        reply_header (a, "Location", "/v1/jobs/%lld",
                      json_integer_value (json_array_get (ids, 0)));
}

bool post_jobs (struct asking *a)
{
    json_t *body = read_body (a), *input;
    const char *key = header (a, "Idempotency-Key");
    bool at_once;
    if (!body)
        return true;
    input = json_is_array (body) ? json_pack ("{s:o}", "jobs", body)
                                 : json_pack ("{s:[o]}", "jobs", body);
    if (key)
        json_object_set_new (input, "key", json_string (key));
    at_once = tell (a, "submit", input);
    if (a->request->reply.code < 300 && executor_lack (a->torid))
        json_object_set_new (a->request->reply.body, "message",
                             json_string (executor_lack (a->torid)));
    name_job (a);
    return at_once;
}

/* Whether a member may be changed; "before" changes the priority, and "why" is
 * the reason of the change. */
static bool may_change (const char *name)
{
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_may_change[i]
            && (!strcmp (name, job_members[i].name)
                || (job_old_names[i] && !strcmp (name, job_old_names[i]))))
            return true;
    return !strcmp (name, "before") || !strcmp (name, "why");
}

bool patch_job (struct asking *a)
{
    json_t *body = read_object (a), *value;
    const char *name;
    if (!body)
        return true;
    json_object_foreach (body, name, value)
        if (!may_change (name)) {
            refuse_with (a, 400, "bad-request", "%.60s: cannot be changed",
                         name);
            json_decref (body);
            return true;
        }
    json_object_set_new (body, "id", json_integer ((json_int_t)a->id));
    return tell (a, "change", body);
}

bool delete_job (struct asking *a)
{
    return tell_id (a, "cancel");
}

/* A body may be left out. */
static bool interrupt_job (struct asking *a, const char *in)
{
    json_t *body = a->request->n > 0 ? read_members (a, &body_requeue)
                                     : json_object ();
    if (!body)
        return true;
    json_object_set_new (body, "id", json_integer ((json_int_t)a->id));
    return tell (a, in, body);
}

bool post_suspend (struct asking *a)
{
    return interrupt_job (a, "suspend");
}

bool post_requeue (struct asking *a)
{
    return interrupt_job (a, "requeue");
}

bool post_moves (struct asking *a)
{
    json_t *body = read_members (a, &body_moves);
    return !body || tell (a, "move", body);
}

/* ---- lists ---- */

static json_int_t id_of (const json_t *job)
{
    return json_integer_value (json_object_get (job, "id"));
}

/* Jobs of the journal, and how many bytes they have there. */
struct past {
    json_t *list;
    size_t bytes;
};

/* 1 if the job and those before it are more than a page. */
static int add_past_job (void *arg, const struct journal_job *job)
{
    struct past *past = arg;
    json_t *value;
    if (past->bytes > 0 && past->bytes + job->n > PAGE_MOST)
        return 1;
    past->bytes += job->n;
    value = json_loadb (job->text, job->n, 0, NULL);
    job_name_twice (value);
    service_leave_out (value);
    return value && json_array_append_new (past->list, value) == 0 ? 0 : -1;
}

/* Jobs that have ended are in the journal; the last of them in memory, too,
 * and perhaps only there, and without what is large. Both lists are by id. */
static json_t *merge_lists (const json_t *past, const json_t *late)
{
    json_t *list = json_array ();
    size_t i = 0, k = 0;
    while (i < json_array_size (past) || k < json_array_size (late)) {
        json_t *a = json_array_get (past, i), *b = json_array_get (late, k);
        bool first = !b || (a && id_of (a) < id_of (b));
        if (!first && a && id_of (a) == id_of (b)) {
            json_object_update_missing (b, a);
            i++;
        }
        i += first;
        k += !first;
        json_array_append (list, first ? a : b);
    }
    return list;
}

/* How many of a list, but at most `limit`, come up to the last of another. */
static size_t find_end (const json_t *list, const json_t *other, size_t limit)
{
    json_int_t last
        = id_of (json_array_get (other, json_array_size (other) - 1));
    size_t n = 0;
    while (n < limit && n < json_array_size (list)
           && id_of (json_array_get (list, n)) <= last)
        n++;
    return n;
}

static json_t *ended_jobs (struct asking *a, const char *user, uint64_t after,
                           uint64_t limit, bool *ret_more)
{
    const struct journal_filter filter = {
        .user = user, .upwards = true, .after_id = after, .limit = limit + 1};
    json_t *late = service_jobs (
        a->torid->service,
        &(const struct job_filter){.state = "ended", .user = user}, after,
        limit + 1, ret_more);
    struct past past = {.list = json_array ()};
    json_t *list = NULL;
    tori_error err;
    int status = journal_history (a->torid->journal, &filter, add_past_job,
                                  &past, &err);
    if (status >= 0)
        list = merge_lists (past.list, late);
    if (status > 0) /* others come before those that are only in memory */
        limit = find_end (list, past.list, limit);
    *ret_more = status > 0 || json_array_size (list) > limit;
    while (json_array_size (list) > limit)
        json_array_remove (list, json_array_size (list) - 1);
    json_decref (past.list);
    json_decref (late);
    return list;
}

/* Add what is known only now: why it waits, for people; that nothing runs it; and
 * the account of its user. */
static void say_more (const struct torid *torid, json_t *job)
{
    const char *state = json_string_value (json_object_get (job, "state"));
    const char *user = json_string_value (json_object_get (job, "user"));
    json_t *account = user ? service_account (torid->service, user) : NULL;
    char text[256];
    if (account)
        json_object_set_new (job, "account", account);
    if (state && !strcmp (state, "running") && executor_lack (torid))
        json_object_set_new (job, "only_placed", json_true ());
    if (!state || strcmp (state, "queued"))
        return;
    waiting_format (job, text, sizeof text);
    json_object_set_new (job, "waits", json_string (text));
}

bool get_jobs (struct asking *a)
{
    enum { USUAL = 100 };
    const struct job_filter filter
        = {query (a, "state"), query (a, "user"), query (a, "alias")};
    uint64_t after = query_number (a, "after", 0);
    uint64_t limit = query_number (a, "limit", USUAL);
    bool more = false;
    bool past = filter.state && !strcmp (filter.state, "ended");
    json_t *jobs = past && !filter.alias
                       ? ended_jobs (a, filter.user, after, limit, &more)
                       : service_jobs (a->torid->service, &filter, after,
                                       limit, &more);
    for (size_t i = 0; i < json_array_size (jobs); i++)
        say_more (a->torid, json_array_get (jobs, i));
    reply_page (a, "jobs", jobs, "id", more);
    return true;
}

/* ---- one ---- */

static int on_past_job (void *arg, const struct journal_job *job)
{
    json_t **found = arg;
    *found = json_loadb (job->text, job->n, 0, NULL);
    job_name_twice (*found);
    return 0;
}

static bool has_ended (const json_t *job)
{
    const char *state = json_string_value (json_object_get (job, "state"));
    return state && !strcmp (state, "ended");
}

json_t *find_job (const struct torid *torid, uint64_t id)
{
    json_t *job = service_job (torid->service, id), *past = NULL;
    if (!job || has_ended (job))
        journal_find (torid->journal, id, on_past_job, &past, NULL);
    if (job) {
        json_object_update_missing (job, past);
        json_decref (past);
        return job;
    }
    service_set_map (torid->service, past);
    return past;
}

bool get_job (struct asking *a)
{
    json_t *job = find_job (a->torid, a->id);
    say_more (a->torid, job);
    if (job)
        reply (a, 200, job);
    else
        refuse_with (a, 404, "no-such-job", "there is no job %llu",
                     (unsigned long long)a->id);
    return true;
}
