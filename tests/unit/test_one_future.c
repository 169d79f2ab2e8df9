/* All answers about the future agree: a forecast, `why`, `what-if` and a
 * submission that is only tried tell the same start, and the service starts
 * the job then if all jobs end at their time limits. The queues have limits,
 * also for each user, hours, dependencies, arrays, holds, reservations, tiers
 * and fair share. A change that is only asked about has the effect that it has
 * on the service. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"
#include "whatif.h"
#include "whycase.h"

enum { MOST = 64, NEVER = -1, STEPS = 4000 };

#define EIGHT_DAYS (8 * 24 * 3600 * TORI_SECOND)

struct site {
    tori_machine *machine;
    struct service *service;
    struct service_queue queues[3];
    char hours[3][60];
    struct rng rng;
    uint64_t seed;
    tori_time now;
    bool tiers;
};

/* ---- a service ---- */

static struct service *make_service (const struct site *site)
{
    static const tori_alloc_config counts = {.size = sizeof counts,
                                             .name = "mm"};
    tori_sched_config config = {.size = sizeof config,
                                .policy
                                = tori_sched_list (site->seed % 4)->name,
                                .alloc = TORI_ALLOC ("first-fit"),
                                .counts = &counts,
                                .flags = TORI_SCHED_PLACES};
    struct service *service = NULL;
    assert_int_equal (service_create (site->machine, &config, &service, NULL),
                      0);
    return service;
}

static void drop_effects (struct service *service)
{
    struct effect effect;
    while (service_next (service, &effect))
        json_decref (effect.value);
}

/* Tell the service, and return its answer. */
static json_t *ask (struct site *site, json_t *input, int *ret_code)
{
    struct reply reply = {0};
    tori_error err = {0};
    assert_non_null (input);
    if (service_do (site->service, site->now, input, &reply, &err) < 0)
        fail_msg ("%s", err.text);
    json_decref (input);
    drop_effects (site->service);
    *ret_code = reply.code;
    return reply.body;
}

static void decide (struct site *site)
{
    tori_error err = {0};
    if (service_decide (site->service, site->now, &err) < 0)
        fail_msg ("%s", err.text);
    drop_effects (site->service);
}

/* Hours of a queue around the time of the site, which is 00:16:40 on a
 * Thursday; perhaps on other days. */
static const char *random_hours (struct site *site, int i)
{
    static const char *const days[] = {"", "", "Thu ", "Fri-Sun ", "Wed-Thu "};
    struct rng *rng = &site->rng;
    uint32_t from = between (rng, 10, 20), later = between (rng, 21, 24);
    snprintf (site->hours[i], sizeof site->hours[i],
              "%s00:%02u-00:%02u%s00:%02u-00:%02u",
              days[between (rng, 0, LENGTH (days) - 1)], from,
              from + between (rng, 1, 8), chance (rng, 50) ? ", " : ", Mon ",
              later, later + between (rng, 1, 5));
    return site->hours[i];
}

static void set_limits_of_users (struct site *site, int i)
{
    struct rng *rng = &site->rng;
    struct service_queue *queue = &site->queues[i];
    if (chance (rng, 30))
        queue->user.running = between (rng, 1, 2);
    if (chance (rng, 30))
        queue->user.nodes = between (rng, 6, 9);
    if (chance (rng, 30))
        queue->hours = random_hours (site, i);
}

static void set_policy (struct site *site)
{
    struct rng *rng = &site->rng;
    static const char *const names[] = {"batch", "short", "urgent"};
    struct service_policy policy = {.queues = site->queues, .nqueues = 3};
    for (int i = 0; i < 3; i++) {
        struct service_queue *queue = &site->queues[i];
        *queue = (struct service_queue){.name = names[i], .priority = 10 * i};
        if (chance (rng, 40))
            queue->limits.running = between (rng, 1, 3);
        if (chance (rng, 30))
            queue->limits.nodes = between (rng, 6, 12);
        queue->level = site->tiers && i == 2;
        queue->preempted
            = site->tiers ? (tori_preempted)between (rng, 0, 3) : 0;
        set_limits_of_users (site, i);
    }
    if (chance (rng, 40))
        policy.user.running = between (rng, 1, 4);
    if (chance (rng, 30))
        policy.user.nodes = between (rng, 6, 16);
    if (site->tiers) {
        policy.half_life = 3600 * TORI_SECOND;
        policy.weight = 25;
    }
    assert_int_equal (
        service_set_policy (site->service, site->now, &policy, NULL), 0);
    drop_effects (site->service);
}

static void open_site (struct site *site, uint64_t seed, bool tiers)
{
    *site = (struct site){.machine = make_machine ("torus:4x4"),
                          .seed = seed,
                          .tiers = tiers,
                          .now = 1000 * TORI_SECOND};
    rng_seed (&site->rng, seed, 41);
    site->service = make_service (site);
    set_policy (site);
}

static void close_site (struct site *site)
{
    service_destroy (site->service);
    tori_machine_destroy (site->machine);
}

/* ---- jobs ---- */

static const char *const users[] = {"anna", "ben", "cleo"};

/* Jobs with even numbers end well, and the others fail. */
static const char *end_of (struct rng *rng, uint64_t id)
{
    return chance (rng, 30) ? "any" : id % 2 ? "failed" : "ok";
}

static void add_afters (struct site *site, json_t *job)
{
    uint64_t next = service_next_id (site->service);
    json_t *list = json_array ();
    for (uint32_t i = between (&site->rng, 1, 2); next > 1 && i-- > 0;) {
        uint64_t id = between (&site->rng, 1, (uint32_t)next - 1);
        const struct service_job *other
            = job_table_find (&site->service->jobs, id);
        if (other && other->state != JOB_ENDED)
            json_array_append_new (
                list, json_sprintf ("%s:%llu", end_of (&site->rng, id),
                                    (unsigned long long)id));
    }
    json_object_set_new (job, "after", list);
}

static json_t *random_job (struct site *site)
{
    struct rng *rng = &site->rng;
    json_t *job
        = json_pack ("{s:[s], s:i, s:s}", "command", "true", "time_limit",
                     (int)between (rng, 1, 50), "queue",
                     site->queues[between (rng, 0, 2)].name);
    if (chance (rng, 50))
        json_object_set_new (job, "count",
                             json_integer (between (rng, 1, 6)));
    else
        json_object_set_new (job, "shape",
                             json_sprintf ("%ux%u", between (rng, 1, 3),
                                           between (rng, 1, 2)));
    if (chance (rng, 25))
        json_object_set_new (job, "priority",
                             json_integer (-(int)between (rng, 1, 5)));
    if (chance (rng, 20))
        json_object_set_new (
            job, "begin",
            json_integer ((site->now / TORI_SECOND)
                          + (json_int_t)between (rng, 1, 30)));
    return job;
}

/* Submit a job, and return the number of the first; 0 if it is refused. */
static uint64_t submit (struct site *site, const char *user, json_t *job)
{
    int code;
    json_t *body = ask (site,
                        json_pack ("{s:s, s:s, s:[o]}", "in", "submit",
                                   "user", user, "jobs", job),
                        &code);
    uint64_t id = (uint64_t)json_integer_value (
        json_array_get (json_object_get (body, "ids"), 0));
    json_decref (body);
    return code == 201 ? id : 0;
}

static void reserve (struct site *site)
{
    struct rng *rng = &site->rng;
    json_int_t from = site->now / TORI_SECOND + between (rng, 1, 40);
    int code;
    json_decref (ask (site,
                      json_pack ("{s:s, s:b, s:s, s:I, s:I, s:s}", "in",
                                 "window", "root", 1, "user", "root", "from",
                                 from, "until", from + between (rng, 5, 30),
                                 "box", "0,0/2x2"),
                      &code));
}

static void fill_site (struct site *site)
{
    struct rng *rng = &site->rng;
    for (uint32_t i = between (rng, 4, 14); i-- > 0;) {
        json_t *job = random_job (site);
        if (chance (rng, 30))
            add_afters (site, job);
        if (chance (rng, 15))
            json_object_set_new (job, "array",
                                 json_sprintf ("1-%u%%%u", between (rng, 2, 4),
                                               between (rng, 1, 2)));
        if (chance (rng, 7))
            json_object_set_new (job, "hold", json_true ());
        submit (site, users[between (rng, 0, 2)], job);
        if (chance (rng, 30)) {
            site->now += TORI_SECOND * between (rng, 0, 2);
            decide (site);
        }
    }
    if (chance (rng, 30))
        reserve (site);
    decide (site);
}

/* ---- the answers ---- */

struct starts {
    tori_time at[MOST];
};

static struct starts no_starts (void)
{
    struct starts starts;
    for (size_t i = 0; i < MOST; i++)
        starts.at[i] = NEVER;
    return starts;
}

static int on_why (void *arg, const tori_why *why)
{
    struct starts *starts = arg;
    assert_true (why->tag < MOST);
    if (why->starts)
        starts->at[why->tag] = why->start;
    return 0;
}

static struct starts starts_of_rows (const struct forecast_rows *rows)
{
    struct starts starts = no_starts ();
    for (size_t i = 0; i < rows->n; i++)
        if (rows->row[i].starts)
            starts.at[rows->row[i].id] = rows->row[i].start;
    return starts;
}

static struct starts ask_why (const tori_snapshot *snapshot)
{
    struct starts starts = no_starts ();
    struct why_case it = {0};
    assert_int_equal (why_open (snapshot, NULL, 0, &it, NULL), 0);
    assert_int_equal (why_each (&it, on_why, &starts, NULL), 0);
    why_close (&it);
    return starts;
}

static struct starts ask_forecast (const tori_snapshot *snapshot)
{
    struct forecast it = {0};
    struct starts starts;
    assert_int_equal (forecast_make (snapshot, &it, NULL), 0);
    starts = starts_of_rows (&it.list);
    forecast_clear (&it);
    return starts;
}

/* The start of the jobs with a change, as text. */
static struct starts ask_what_if (tori_snapshot *snapshot, const char *kind,
                                  const char *text)
{
    struct what_if_question question = {.sched = -1, .order = -1};
    struct what_if it = {0};
    struct starts starts;
    tori_error err = {0};
    if (kind
        && changes_add (&question.changes, snapshot, kind, kind, text, &err)
               < 0)
        fail_msg ("%s", err.text);
    if (what_if_make (snapshot, NULL, &question, &it, &err) < 0)
        fail_msg ("%s", err.text);
    starts = starts_of_rows (&it.list[1]);
    what_if_clear (&it);
    changes_clear (&question.changes);
    return starts;
}

static size_t compare_starts (const struct site *site,
                              const struct starts *is,
                              const struct starts *should, const char *what)
{
    for (size_t i = 0; i < MOST; i++)
        if (is->at[i] != should->at[i]) {
            printf ("seed %llu: job %zu starts at %lld, by %s at %lld\n",
                    (unsigned long long)site->seed, i,
                    (long long)is->at[i] / TORI_SECOND, what,
                    (long long)should->at[i] / TORI_SECOND);
            return 1;
        }
    return 0;
}

/* The snapshot as a client gets it: a text. */
static tori_snapshot *send (tori_snapshot *snapshot)
{
    tori_snapshot *got = NULL;
    char *text = NULL;
    size_t n;
    tori_error err = {0};
    FILE *to = open_memstream (&text, &n);
    assert_int_equal (tori_snapshot_write (snapshot, to, NULL), 0);
    fclose (to);
    if (tori_snapshot_parse (text, n, "sent", &got, &err) < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (got->nunknown, 0);
    free (text);
    tori_snapshot_destroy (snapshot);
    return got;
}

static tori_snapshot *take (const struct site *site)
{
    tori_snapshot *snapshot = NULL;
    assert_int_equal (service_snapshot (site->service, &snapshot, NULL), 0);
    return send (snapshot);
}

/* ---- the truth ---- */

static void end_with (struct site *site, const struct service_job *job,
                      int status)
{
    int code;
    json_decref (ask (site,
                      json_pack ("{s:s, s:s, s:I, s:i, s:i}", "in", "executor",
                                 "is", "ended", "job", (json_int_t)job->id,
                                 "attempt", (int)job->attempt, "status",
                                 status),
                      &code));
}

static void end_job (struct site *site, const struct service_job *job)
{
    end_with (site, job, (int)(job->id % 2));
}

/* Go to the next event; false if there is none, or if nothing has run for more
 * than a week: then no hours of a queue let a job start. */
static bool pass_time (struct site *site, tori_time *busy)
{
    const tori_sched *sched = site->service->sched;
    tori_time end = TORI_TIME_MAX, wake = service_wake (site->service);
    tori_job number;
    bool ends = tori_sched_next_end (sched, &end, &number);
    if (ends)
        *busy = site->now;
    if (!ends && (wake == TORI_TIME_MAX || wake - *busy > EIGHT_DAYS))
        return false;
    if (ends && end <= site->now) /* a job has outlived its time limit */
        end = site->now + 1;
    site->now = end < wake ? end : wake;
    while (tori_sched_next_end (sched, &end, &number) && end <= site->now) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (sched, number, &info);
        end_job (site, job_table_find (&site->service->jobs, info.tag));
    }
    return true;
}

/* Run the service on: every job ends at its time limit. */
static struct starts run_on (struct site *site, const struct starts *before)
{
    struct starts starts = no_starts ();
    tori_time busy = site->now;
    for (int step = 0; step < STEPS; step++) {
        const struct job_table *jobs = &site->service->jobs;
        decide (site);
        for (size_t i = 0; i < jobs->n; i++) {
            const struct service_job *job = jobs->all[i];
            if (job->start >= 0 && before->at[job->id] == NEVER
                && starts.at[job->id] == NEVER)
                starts.at[job->id] = job->start;
        }
        if (!pass_time (site, &busy))
            break;
    }
    return starts;
}

static struct starts started_jobs (const struct site *site)
{
    struct starts starts = no_starts ();
    for (size_t i = 0; i < site->service->jobs.n; i++)
        if (site->service->jobs.all[i]->start >= 0)
            starts.at[site->service->jobs.all[i]->id]
                = site->service->jobs.all[i]->start;
    return starts;
}

/* ---- the same future ---- */

/* A job for all: as a submission, and as the text of `what-if --add`. */
struct candidate {
    json_t *job;
    const char *user;
    char text[200];
};

static void make_candidate (struct site *site, struct candidate *it)
{
    struct rng *rng = &site->rng;
    uint32_t count = between (rng, 1, 6), time = between (rng, 1, 50);
    const char *queue = site->queues[between (rng, 0, 2)].name;
    it->user = users[between (rng, 0, 2)];
    it->job = json_pack ("{s:[s], s:i, s:i, s:s}", "command", "true", "count",
                         (int)count, "time_limit", (int)time, "queue", queue);
    snprintf (it->text, sizeof it->text, "count=%u,time=%us,queue=%s,user=%s",
              count, time, queue, it->user);
}

/* Another service with the same state. */
static struct service *copy_service (const struct site *site)
{
    size_t n;
    char *saved = service_save (site->service, &n);
    struct service *copy = make_service (site);
    tori_error err = {0};
    if (service_load (copy, saved, n, &err) < 0
        || service_ready (copy, &err) < 0)
        fail_msg ("%s", err.text);
    free (saved);
    return copy;
}

/* Try the submission in such a service. */
static tori_snapshot *try_job (const struct site *site,
                               const struct candidate *it)
{
    struct service *copy = copy_service (site);
    tori_snapshot *snapshot = NULL;
    struct reply reply = {0};
    json_t *input = json_pack ("[{s:s, s:s, s:[O]}]", "in", "submit", "user",
                               it->user, "jobs", it->job);
    tori_error err = {0};
    int status = service_snapshot_with (copy, input, &snapshot, &reply, &err);
    if (status < 0)
        fail_msg ("%s", err.text);
    json_decref (input);
    json_decref (reply.body);
    service_destroy (copy);
    return status == 0 ? send (snapshot) : NULL;
}

/* All answers with one more job. */
static size_t compare_with (struct site *site, const struct candidate *it,
                            struct starts *ret_starts)
{
    tori_snapshot *tried = try_job (site, it), *now = take (site);
    struct starts why, added;
    size_t wrong = 0;
    if (tried) {
        why = ask_why (tried);
        *ret_starts = ask_forecast (tried);
        added = ask_what_if (now, "add", it->text);
        wrong += compare_starts (site, &why, ret_starts, "a forecast");
        wrong += compare_starts (site, &added, ret_starts, "a trial");
    }
    tori_snapshot_destroy (tried);
    tori_snapshot_destroy (now);
    return wrong;
}

struct reasons {
    const struct site *site;
    json_t *jobs; /* of the queue */
    size_t wrong;
};

static int compare_reason (void *arg, const tori_why *why)
{
    struct reasons *it = arg;
    for (size_t i = 0; i < json_array_size (it->jobs); i++) {
        const json_t *job = json_array_get (it->jobs, i);
        const char *reason
            = json_string_value (json_object_get (job, "reason"));
        const char *name = tori_reason_name (why->reason);
        if ((uint64_t)json_integer_value (json_object_get (job, "id"))
                != why->tag
            || why->reason == TORI_REASON_STARTS || !strcmp (reason, name))
            continue;
        printf ("seed %llu: job %llu waits in the queue for '%s', but why "
                "says '%s'\n",
                (unsigned long long)it->site->seed,
                (unsigned long long)why->tag, reason, name);
        it->wrong++;
    }
    return 0;
}

/* The queue gives the reasons of `why`. */
static size_t compare_reasons (const struct site *site,
                               const tori_snapshot *snapshot)
{
    const struct job_filter filter = {.state = "queued"};
    bool more;
    struct reasons it
        = {site, service_jobs (site->service, &filter, 0, MOST, &more), 0};
    struct why_case why = {0};
    assert_int_equal (why_open (snapshot, NULL, 0, &why, NULL), 0);
    assert_int_equal (why_each (&why, compare_reason, &it, NULL), 0);
    why_close (&why);
    json_decref (it.jobs);
    return it.wrong;
}

static size_t compare_answers (struct site *site, size_t *held)
{
    tori_snapshot *snapshot = take (site);
    struct starts forecast = ask_forecast (snapshot);
    struct starts why = ask_why (snapshot);
    struct starts what_if = ask_what_if (snapshot, NULL, NULL);
    size_t wrong = compare_starts (site, &why, &forecast, "a forecast")
                   + compare_starts (site, &what_if, &forecast, "a forecast")
                   + compare_reasons (site, snapshot);
    for (size_t i = 0; i < snapshot->nqueued; i++)
        *held += snapshot->queue[i].spec.hold > TORI_HOLD_OPERATOR
                 && forecast.at[snapshot->queue[i].spec.tag] != NEVER;
    tori_snapshot_destroy (snapshot);
    return wrong;
}

/* Compare the answers, and with them what the service does. */
static size_t compare_truth (struct site *site)
{
    struct candidate it;
    struct starts before = started_jobs (site), tried, truth;
    size_t wrong;
    make_candidate (site, &it);
    tried = no_starts ();
    wrong = compare_with (site, &it, &tried);
    if (submit (site, it.user, it.job) == 0 || site->tiers)
        return wrong;
    truth = run_on (site, &before);
    return wrong + compare_starts (site, &tried, &truth, "the service");
}

static void compare_seeds (bool tiers)
{
    size_t wrong = 0, held = 0, cases = random_cases (134);
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct site site;
        open_site (&site, seed, tiers);
        fill_site (&site);
        wrong += compare_answers (&site, &held) + compare_truth (&site) > 0;
        close_site (&site);
    }
    assert_int_equal (wrong, 0);
    assert_true (held > cases / 2); /* dependencies, arrays and limits */
}

TEST (plain_queues)
{
    compare_seeds (false);
}

TEST (tiers_and_shares)
{
    compare_seeds (true);
}

/* ---- changes ---- */

/* Jobs of some users have run, so that fair share takes something from the
 * priorities of their next ones. */
static void give_usage (struct site *site)
{
    for (size_t i = 0; i < LENGTH (users); i++)
        if (chance (&site->rng, 60))
            submit (site, users[i],
                    json_pack ("{s:[s], s:i, s:i}", "command", "true", "count",
                               (int)between (&site->rng, 1, 5), "time_limit",
                               50));
    decide (site);
    site->now += 120 * TORI_SECOND;
    for (size_t i = 0; i < site->service->jobs.n; i++)
        if (site->service->jobs.all[i]->state == JOB_RUNNING)
            end_job (site, site->service->jobs.all[i]);
    decide (site);
}

/* The same change: of a what-if question, and of an operator. */
struct wish {
    const char *kind;
    char text[60];
    json_t *input;
    uint64_t ends; /* this job, which runs, ends after it; or 0 */
};

static const struct service_job *pick_job (struct site *site, int state)
{
    const struct job_table *jobs = &site->service->jobs;
    for (int tries = 0; jobs->n > 0 && tries < 100; tries++) {
        const struct service_job *job
            = jobs->all[between (&site->rng, 0, (uint32_t)jobs->n - 1)];
        if ((int)job->state == state)
            return job;
    }
    return NULL;
}

static void wish_for (struct wish *it, const char *kind, json_int_t id,
                      const char *key, json_t *value)
{
    it->kind = kind;
    it->input = json_pack ("{s:s, s:b, s:s, s:I, s:o}", "in", "change", "root",
                           1, "user", "root", "id", id, key, value);
    snprintf (it->text, sizeof it->text, "%lld", (long long)id);
}

/* "ID=VALUE", of a time in seconds. */
static void wish_value (struct wish *it, const char *kind, json_int_t id,
                        const char *key, json_int_t value)
{
    wish_for (it, kind, id, key, json_integer (value));
    snprintf (it->text, sizeof it->text, "%lld=%lld%s", (long long)id,
              (long long)value, strcmp (kind, "time") == 0 ? "s" : "");
}

/* A change of a job that waits. */
static bool wish_of_job (struct site *site, struct wish *it)
{
    const struct service_job *job = pick_job (site, JOB_QUEUED);
    const struct service_job *other = pick_job (site, JOB_QUEUED);
    if (!job)
        return false;
    switch (between (&site->rng, 0, 4)) {
    case 0:
        wish_value (it, "priority", (json_int_t)job->id, "priority",
                    (json_int_t)between (&site->rng, 0, 30) - 10);
        return true;
    case 1:
        wish_value (it, "before", (json_int_t)job->id, "before",
                    (json_int_t)other->id);
        return other != job;
    case 2:
        wish_for (it, "hold", (json_int_t)job->id, "hold", json_true ());
        return true;
    case 3:
        wish_for (it, "release", (json_int_t)job->id, "hold", json_false ());
        return true;
    default:
        wish_value (it, "time", (json_int_t)job->id, "time_limit",
                    between (&site->rng, 1, 50));
        return true;
    }
}

static bool wish_end (struct site *site, struct wish *it)
{
    bool runs = chance (&site->rng, 40);
    const struct service_job *job
        = pick_job (site, runs ? JOB_RUNNING : JOB_QUEUED);
    if (!job)
        return false;
    it->kind = "cancel";
    it->ends = runs ? job->id : 0;
    snprintf (it->text, sizeof it->text, "%llu", (unsigned long long)job->id);
    it->input = json_pack ("{s:s, s:b, s:s, s:I}", "in", "cancel", "root", 1,
                           "user", "root", "id", (json_int_t)job->id);
    return true;
}

static void wish_nodes (struct site *site, struct wish *it)
{
    it->kind = chance (&site->rng, 50) ? "down" : "drain";
    snprintf (it->text, sizeof it->text, "%u,%u", between (&site->rng, 0, 3),
              between (&site->rng, 0, 3));
    it->input = json_pack ("{s:s, s:b, s:s, s:s, s:s}", "in", "node", "root",
                           1, "user", "root", "node", it->text, "state",
                           it->kind);
}

static bool make_wish (struct site *site, struct wish *it)
{
    uint32_t kind = between (&site->rng, 0, 9);
    if (kind == 9) {
        wish_nodes (site, it);
        return true;
    }
    return kind == 8 ? wish_end (site, it) : wish_of_job (site, it);
}

/* Make the change in another service with the same state: its scheduler runs
 * forward. */
static struct starts fulfil_wish (const struct site *site, struct wish *it)
{
    struct site other = *site;
    struct forecast_rows rows = {0};
    struct starts starts;
    tori_snapshot *rules;
    json_t *body;
    int code;
    other.service = copy_service (site);
    body = ask (&other, it->input, &code);
    if (code >= 300)
        fail_msg ("seed %llu: --%s %s: %s", (unsigned long long)site->seed,
                  it->kind, it->text, json_dumps (body, 0));
    json_decref (body);
    if (it->ends)
        end_with (&other, job_table_find (&other.service->jobs, it->ends), 1);
    rules = take (&other);
    assert_int_equal (
        forecast_rows_make (other.service->sched, rules, &rows, NULL), 0);
    starts = starts_of_rows (&rows);
    forecast_rows_clear (&rows);
    tori_snapshot_destroy (rules);
    service_destroy (other.service);
    return starts;
}

static size_t compare_wish (struct site *site)
{
    struct wish it = {0};
    tori_snapshot *now;
    struct starts is, should;
    size_t wrong;
    char what[100];
    if (!make_wish (site, &it)) {
        json_decref (it.input);
        return 0;
    }
    now = take (site);
    is = ask_what_if (now, it.kind, it.text);
    should = fulfil_wish (site, &it);
    snprintf (what, sizeof what, "what a service does with --%s %s", it.kind,
              it.text);
    wrong = compare_starts (site, &is, &should, what);
    tori_snapshot_destroy (now);
    return wrong;
}

TEST (changes)
{
    size_t wrong = 0, penalties = 0, cases = random_cases (134);
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct site site;
        open_site (&site, seed, true);
        give_usage (&site);
        fill_site (&site);
        for (size_t i = 0; i < site.service->users.n; i++)
            penalties += site.service->users.all[i].penalty > 0;
        for (int i = 0; i < 8; i++)
            wrong += compare_wish (&site);
        close_site (&site);
    }
    assert_int_equal (wrong, 0);
    assert_true (penalties > cases / 2);
}

int main (void)
{
    setenv ("TZ", "UTC0", 1); /* the hours of queues are local times */
    return run_cases (NULL, NULL);
}
