/* shadow.c - beside another scheduler: deciding for its jobs, starting none.
 *
 * The reporter says what the other scheduler did, and when. The shadow follows
 * with a clock of its own: submissions, changes and failures wait until that
 * clock reaches their time. A job ends here when it has run as long as it did
 * there. So the clock must not go on while it is not known whether a job that
 * runs here has ended: a job that started here first holds the clock back
 * until it ends there, or has at least run as long there. The shadow is late,
 * but decides what it would have decided on its own.
 */
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"
#include "nodelist.h"

struct shadow {
    json_t *pending; /* what was heard and is not yet due, in its order */
    tori_time heard; /* everything before this time */
};

enum { TOLERANCE = TORI_SECOND }; /* a start is the same within this */

/* The other scheduler may never start a job, for reasons not known here. After
 * a day the shadow assumes that the job runs for its time limit. */
static const tori_time patience = (tori_time)86400 * TORI_SECOND;

/* ---- life ---- */

int service_shadow (struct service *service, tori_error *err)
{
    struct shadow *shadow = calloc (1, sizeof *shadow);
    if (shadow)
        shadow->pending = json_array ();
    if (!shadow || !shadow->pending) {
        free (shadow);
        return tori_error_nomem (err);
    }
    service->shadow = shadow;
    return 0;
}

void shadow_destroy (struct shadow *shadow)
{
    if (!shadow)
        return;
    json_decref (shadow->pending);
    free (shadow);
}

json_t *shadow_save (const struct shadow *shadow)
{
    return shadow ? json_pack ("{s:O, s:I}", "pending", shadow->pending,
                               "heard", (json_int_t)shadow->heard)
                  : NULL;
}

int shadow_load (struct service *service, json_t *saved, tori_error *err)
{
    struct shadow *shadow = service->shadow;
    json_t *pending;
    json_int_t heard;
    if (!saved != !shadow)
        return tori_error_set (err, TORI_INVALID,
                               shadow ? "this is the state of a service that "
                                        "is not a shadow"
                                      : "this is the state of a shadow; "
                                        "--shadow is missing");
    if (!saved)
        return 0;
    if (json_unpack (saved, "{s:o, s:I}", "pending", &pending, "heard",
                     &heard))
        return tori_error_set (err, TORI_INVALID, "not the state of a shadow");
    json_decref (shadow->pending);
    shadow->pending = json_copy (pending);
    shadow->heard = heard;
    return shadow->pending ? 0 : tori_error_nomem (err);
}

/* ---- reports of the other scheduler ---- */

/* The record of a job in the other scheduler: from the job here, or from its
 * pending submission. NULL if there is neither. */
static json_t *live_of (struct service *service, const char *key)
{
    struct service_job *job = external_job (service, key);
    json_t *found = NULL, *message;
    size_t i;
    if (job && !job->live)
        job->live = json_object ();
    if (job)
        return job->live;
    json_array_foreach (service->shadow->pending, i, message) {
        const char *other
            = json_string_value (json_object_get (message, "key"));
        if (other && !strcmp (other, key)
            && (found = json_object_get (message, "live")))
            return found;
    }
    return NULL;
}

static tori_time live_time (const json_t *live, const char *key)
{
    const json_t *value = json_object_get (live, key);
    return value ? json_integer_value (value) : -1;
}

static void set_time (json_t *live, const char *key, tori_time time)
{
    json_object_set_new (live, key, json_integer (time));
}

static void note_start (struct service *service, const json_t *message,
                        json_t *live, tori_time at)
{
    static const char *const keys[] = {"nodes", "box"};
    json_t *place;
    struct service_job *job;
    if (live_time (live, "start") == at)
        return; /* said twice */
    place = json_object ();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_object_get (message, keys[i]))
            json_object_set (place, keys[i],
                             json_object_get (message, keys[i]));
    set_time (live, "start", at);
    json_object_set_new (live, "place", place);
    json_object_del (live, "end");
    job = external_job (service, external_key (message));
    if (job)
        shadow_compare (service, job);
}

static void note_end (const json_t *message, json_t *live, tori_time at)
{
    set_time (live, "end", at);
    json_object_set (live, "status", json_object_get (message, "status"));
    json_object_set (live, "signal", json_object_get (message, "signal"));
}

/* Something that happens here as well, when the clock is there. */
static int put_off (struct service *service, const json_t *message,
                    tori_time at, tori_error *err)
{
    json_t *pending = service->shadow->pending;
    const json_t *last
        = json_array_get (pending, json_array_size (pending) - 1);
    json_t *copy = json_copy ((json_t *)(uintptr_t)message);
    if (at < service->now)
        at = service->now;
    if (last && at < live_time (last, "due"))
        at = live_time (last, "due");
    set_time (copy, "due", at);
    json_object_set_new (copy, "live", json_object ());
    return json_array_append_new (pending, copy) < 0 ? tori_error_nomem (err)
                                                     : 0;
}

/* 0 if something was learnt, else 1; or -1. */
static int learn_news (struct service *service, const json_t *message,
                       const char *is, tori_time at, tori_error *err)
{
    static const char *const later[]
        = {"submit", "cancel", "change", "node",
           "link",   "windows", "reservations"};
    const char *key = external_key (message);
    json_t *live = key ? live_of (service, key) : NULL;
    if (live && !strcmp (is, "started"))
        return note_start (service, message, live, at), 0;
    if (live && !strcmp (is, "ended"))
        return note_end (message, live, at), 0;
    if (live && !strcmp (is, "submit"))
        return 1;
    if (live && !strcmp (is, "cancel"))
        set_time (live, "cancel", at);
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        if (!strcmp (is, later[i]))
            return put_off (service, message, at, err);
    return 1;
}

/* Whether it runs there, if its end was not heard of. */
static void add_unended (json_t *jobs, const char *key, const json_t *live)
{
    bool runs = live_time (live, "start") >= 0;
    if (key && live && live_time (live, "end") < 0
        && (runs || live_time (live, "cancel") < 0))
        json_object_set_new (jobs, key, json_boolean (runs));
}

/* It need not repeat what was heard. But a job may have ended while it was
 * away, so long ago that the other system does not know it any more. */
static int ask_for_more (struct service *service)
{
    tori_time heard = service->shadow->heard;
    json_t *jobs = json_object (), *message;
    size_t n;
    for (size_t i = 0; i < service->jobs.n; i++)
        if (service->jobs.all[i]->state != JOB_ENDED)
            add_unended (jobs, service->jobs.all[i]->key,
                         service->jobs.all[i]->live);
    json_array_foreach (service->shadow->pending, n, message)
        if (!strcmp (
                json_string_value (json_object_get (message, "is")),
                "submit"))
            add_unended (jobs, external_key (message),
                         json_object_get (message, "live"));
    service_put (service, EFFECT_ORDER,
                 json_pack ("{s:s, s:o*, s:o}", "do", "list", "since",
                            heard > 0 ? seconds_json (heard) : NULL, "jobs",
                            jobs));
    return 1;
}

int shadow_hear (struct service *service, const json_t *message,
                 tori_error *err)
{
    struct shadow *shadow = service->shadow;
    const char *is = json_string_value (json_object_get (message, "is"));
    tori_time at = seconds_read (message, "at", shadow->heard);
    bool first = shadow->heard == 0 && at > 0;
    int status;
    if (is && !strcmp (is, "ready"))
        return ask_for_more (service);
    if (at > shadow->heard)
        shadow->heard = at;
    status = is ? learn_news (service, message, is, at, err) : 1;
    /* The first report is recorded even without news: after a kill, the jobs
     * that began since then must not count as found running. */
    return status == 1 && first ? 0 : status;
}

/* ---- its clock ---- */

tori_time shadow_clock (const struct service *service, const char *in,
                        tori_time now)
{
    return service->shadow && (!in || strcmp (in, "tick")) ? service->now
                                                           : now;
}

bool shadow_takes (const char *in)
{
    return in
           && (!strcmp (in, "tick") || !strcmp (in, "executor")
               || !strcmp (in, "policy"));
}


/* When a job that runs here ends, if that is known; otherwise -1, and
 * *ret_not_before says up to when it is known to run. */
static tori_time due_end (const struct service *service,
                          const struct service_job *job,
                          tori_time *ret_not_before)
{
    tori_time heard = service->shadow->heard;
    tori_time start = live_time (job->live, "start");
    tori_time end = live_time (job->live, "end");
    tori_time cancel = live_time (job->live, "cancel");
    tori_time begin = job->since + job->lost - job->done;
    tori_job_spec spec = {.size = sizeof spec};
    if (end < 0 && start < 0)
        end = cancel;
    if (end >= 0)
        return start >= 0 ? begin + (end - start) : end;
    if (start < 0 && heard - job->since > patience
        && tori_sched_spec (service->sched, job->number, &spec))
        return begin + spec.estimate;
    *ret_not_before = start >= 0 ? begin + (heard - start) : job->since;
    return -1;
}

/* The next time at which something happens, and the jobs that end then;
 * TORI_TIME_MAX if that is not yet known. `ret_holder` is the job that holds
 * the clock, or 0. */
static tori_time next_time (const struct service *service, json_t *ends,
                            uint64_t *ret_holder)
{
    const struct shadow *shadow = service->shadow;
    const json_t *first = json_array_get (shadow->pending, 0);
    tori_time next = first ? live_time (first, "due") : TORI_TIME_MAX;
    tori_time limit = shadow->heard, wake = service_wake (service);
    *ret_holder = 0;
    if (wake < next)
        next = wake;
    for (size_t i = 0; i < service->jobs.n; i++) {
        const struct service_job *job = service->jobs.all[i];
        tori_time bound = TORI_TIME_MAX, end;
        if (job->state != JOB_RUNNING)
            continue;
        end = due_end (service, job, &bound);
        if (end >= 0 && end < service->now)
            end = service->now;
        if (end < 0 && bound < limit) {
            limit = bound;
            *ret_holder = job->id;
        }
        if (end >= 0 && end < next) {
            json_array_clear (ends);
            next = end;
        }
        if (end >= 0 && end == next)
            json_array_append_new (ends, json_integer ((json_int_t)job->id));
    }
    return next < limit ? next : TORI_TIME_MAX;
}

bool service_lags (const struct service *service)
{
    return service->shadow != NULL;
}

int service_catch_up (struct service *service, size_t most, bool *ret_more,
                      tori_error *err)
{
    *ret_more = false;
    if (core_make (service, err) < 0)
        return -1;
    for (size_t i = 0; i < most; i++) {
        json_t *ends = json_array ();
        uint64_t holder;
        tori_time next = next_time (service, ends, &holder);
        json_t *input = json_pack ("{s:s, s:o, s:[]}", "in", "tick", "ends",
                                   ends, "refused");
        struct reply reply = {0};
        int status;
        if (next == TORI_TIME_MAX) {
            json_decref (input);
            return 0;
        }
        status = input ? service_do (service, next, input, &reply, err)
                       : tori_error_nomem (err);
        json_decref (input);
        json_decref (reply.body);
        if (status < 0 || service_decide (service, next, err) < 0)
            return -1;
    }
    *ret_more = true;
    return 0;
}

/* ---- what happens then ---- */

/* Read the place of a job in the other scheduler: 1, 0 if it is not known, -1
 * without memory. */
static int live_place (const struct service *service,
                       const struct service_job *job, tori_placement *ret)
{
    struct member_of of = {.object = json_object_get (job->live, "place"),
                           .file = "reporter"};
    tori_error err = {0};
    if (!of.object)
        return 0;
    if (place_read (&of, service->machine, job->ask->spec.request.wiring, ret,
                    &err)
        > 0)
        return 1;
    return err.status == TORI_FAILED ? -1 : 0;
}

static int end_here (struct service *service, struct service_job *job,
                     tori_error *err)
{
    const json_t *status = json_object_get (job->live, "status");
    const json_t *signal = json_object_get (job->live, "signal");
    if (core_cancel (service, job, err) < 0)
        return -1;
    return service_end (
        service, job,
        json_is_integer (status) ? (int)json_integer_value (status) : -1,
        json_is_integer (signal) ? (int)json_integer_value (signal) : -1, NULL,
        err);
}

/* A job that ran there when the shadow began runs here, too, if there is room.
 */
static int take_over (struct service *service, struct service_job *job,
                      const json_t *message, tori_error *err)
{
    tori_time start = seconds_read (message, "start", service->now);
    tori_placement place = {0};
    int status;
    json_object_set_new (job->live, "taken", json_true ());
    note_start (service, message, job->live, start);
    status = live_place (service, job, &place);
    if (status > 0)
        status = decision_adopt (service, job, &place, start, err);
    else if (status < 0)
        tori_error_nomem (err);
    tori_placement_clear (&place);
    return status;
}

static int submit_here (struct service *service, const json_t *message,
                        tori_error *err)
{
    struct service_job *job = external_job (service, external_key (message));
    if (!job || job->live)
        return 0;
    job->live = json_incref (json_object_get (message, "live"));
    job->submit = seconds_read (message, "submit", job->submit);
    service_touch (service, job);
    return json_object_get (message, "start")
               ? take_over (service, job, message, err)
               : 0;
}

static bool runs_here (const struct service *service, const json_t *message)
{
    const struct service_job *job =
        external_job (service, external_key (message));
    return job && job->state != JOB_QUEUED;
}

/* 0; 1 if it is refused; or -1. A replay cannot ask the scheduler: the record
 * says which messages were refused. */
static int do_pending (struct service *service, const json_t *message,
                       tori_error *err)
{
    const char *is = json_string_value (json_object_get (message, "is"));
    struct reply reply = {0};
    int status = 1;
    /* A job that runs here ends as it does there. */
    if (!strcmp (is, "cancel") && runs_here (service, message))
        return 0;
    do_external (service, message, &reply, &status, err);
    json_decref (reply.body);
    if (status == 0 && !strcmp (is, "submit"))
        return submit_here (service, message, err);
    return status;
}

static bool is_among (const json_t *list, json_int_t number)
{
    for (size_t i = 0; i < json_array_size (list); i++)
        if (json_integer_value (json_array_get (list, i)) == number)
            return true;
    return false;
}

/* Each message that changes the reservations is recorded with their list. */
static int do_chosen (struct service *service, json_t *message, json_t *chosen,
                      size_t *at, tori_error *err)
{
    const char *is = json_string_value (json_object_get (message, "is"));
    int status;
    if (service->replaying
        && (!strcmp (is, "windows") || !strcmp (is, "reservations")))
        json_object_set (message, "chosen", json_array_get (chosen, (*at)++));
    status = do_pending (service, message, err);
    if (service->chosen)
        json_array_append_new (chosen, service->chosen);
    service->chosen = NULL;
    return status;
}

/* All that is due. `refused` has the numbers of those that were, or gets
 * them; the same for `chosen`. */
static int do_due (struct service *service, json_t *refused, json_t *chosen,
                   tori_error *err)
{
    json_t *pending = service->shadow->pending, *first;
    size_t at = 0;
    for (json_int_t n = 0; (first = json_array_get (pending, 0))
                           && live_time (first, "due") <= service->now;
         n++) {
        int status = 0;
        json_incref (first);
        json_array_remove (pending, 0);
        if (!service->replaying || !is_among (refused, n))
            status = do_chosen (service, first, chosen, &at, err);
        json_decref (first);
        if (status > 0 && !service->replaying)
            json_array_append_new (refused, json_integer (n));
        if (status < 0)
            return -1;
    }
    return 0;
}

static int do_ends (struct service *service, const json_t *ends,
                    tori_error *err)
{
    for (size_t i = 0; i < json_array_size (ends); i++) {
        struct service_job *job = job_table_find (
            &service->jobs,
            (uint64_t)json_integer_value (json_array_get (ends, i)));
        if (job && job->state == JOB_RUNNING
            && end_here (service, job, err) < 0)
            return -1;
    }
    return 0;
}

int do_tick (struct service *service, const json_t *input,
             struct reply *reply, tori_error *err)
{
    json_t *chosen;
    int status;
    if (!service->shadow)
        return refuse (reply, 400, "bad-request",
                       "this is the state of a shadow; --shadow is missing");
    chosen = service->replaying
                 ? json_incref (json_object_get (input, "chosen"))
                 : json_array ();
    status = do_ends (service, json_object_get (input, "ends"), err);
    if (status == 0)
        status = do_due (service, json_object_get (input, "refused"), chosen,
                         err);
    if (!service->replaying && json_array_size (chosen) > 0)
        service->chosen = json_incref (chosen);
    json_decref (chosen);
    if (status < 0)
        return -1;
    *reply = (struct reply){200, json_object ()};
    return 0;
}

/* ---- comparing ---- */

/* The nodes of a place, sorted, which the caller frees; NULL if there is
 * none. */
static uint32_t *sorted_nodes (const struct service *service,
                               const tori_placement *place)
{
    uint32_t *all = malloc ((place->count + 1) * sizeof *all);
    if (all)
        tori_placement_nodes (place, service->machine, all);
    return all;
}

/* A job that has started both here and there, by itself. */
struct pair {
    tori_time here, there;
    bool same_place;
    double near_here, near_there; /* average distance of two nodes; -1 */
    bool nomem; /* it is not known */
};

static double mean_distance (const struct service *service,
                             const tori_placement *place, bool *nomem)
{
    double pairs = (double)place->count * ((double)place->count - 1) / 2;
    tori_error err = {0};
    uint64_t sum;
    if (place->count < 2)
        return -1;
    if (tori_placement_pairwise (place, service->machine, &sum, &err) < 0) {
        *nomem |= err.status == TORI_FAILED;
        return -1;
    }
    return (double)sum / pairs;
}

static void compare_places (const struct service *service,
                            const struct service_job *job, struct pair *ret)
{
    tori_placement place = {0};
    int known = live_place (service, job, &place);
    uint32_t *a, *b;
    ret->nomem = known < 0;
    if (known <= 0)
        return;
    a = sorted_nodes (service, &place);
    b = sorted_nodes (service, &job->place);
    ret->same_place = a && b && place.count == job->place.count
                      && !memcmp (a, b, place.count * sizeof *a);
    ret->nomem = !a || !b;
    ret->near_here = mean_distance (service, &job->place, &ret->nomem);
    ret->near_there = mean_distance (service, &place, &ret->nomem);
    free (a);
    free (b);
    tori_placement_clear (&place);
}

/* Places are compared once: the report goes over all jobs. */
static void recall_places (const struct service *service,
                           const struct service_job *job, struct pair *ret)
{
    json_t *known = json_object_get (job->live, "compared");
    json_int_t here, there;
    int same;
    if (known
        && json_unpack (known, "[I, I, b, f, f]", &here, &there, &same,
                        &ret->near_here, &ret->near_there)
               == 0
        && here == ret->here && there == ret->there) {
        ret->same_place = same;
        return;
    }
    ret->near_here = ret->near_there = -1;
    compare_places (service, job, ret);
    if (ret->nomem)
        return;
    json_object_set_new (job->live, "compared",
                         json_pack ("[I, I, b, f, f]", (json_int_t)ret->here,
                                    (json_int_t)ret->there, ret->same_place,
                                    ret->near_here, ret->near_there));
}

static bool pair_read (const struct service *service,
                       const struct service_job *job, struct pair *ret)
{
    *ret = (struct pair){job->start, live_time (job->live, "start"),
                         .near_here = -1, .near_there = -1};
    if (ret->here < 0 || ret->there < 0 || job->place.count == 0
        || json_object_get (job->live, "taken"))
        return false;
    recall_places (service, job, ret);
    return true;
}

static bool is_same (const struct pair *pair)
{
    return pair->same_place && llabs (pair->here - pair->there) <= TOLERANCE;
}

static json_t *pair_json (const struct service *service,
                          const struct service_job *job,
                          const struct pair *pair)
{
    return json_pack (
        "{s:I, s:s*, s:s*, s:s, s:s*, s:o, s:{s:o, s:O*}, s:{s:o, s:o}}", "id",
        (json_int_t)job->id, "key", job->key, "alias", job->ask->alias, "user",
        job->user, "name", job->ask->name, "submit",
        seconds_json (job->submit), "live", "start",
        seconds_json (pair->there), "place",
        json_object_get (job->live, "place"), "shadow", "start",
        seconds_json (pair->here), "place",
        place_json (service->machine, &job->place));
}

void shadow_compare (struct service *service, const struct service_job *job)
{
    struct pair pair;
    if (service->replaying || !pair_read (service, job, &pair))
        return;
    service->nomem |= pair.nomem;
    if (pair.nomem || is_same (&pair))
        return;
    service_put (service, EFFECT_EVENT,
                 json_pack ("{s:s, s:o}", "event", "differs", "job",
                            pair_json (service, job, &pair)));
}

/* ---- the report ---- */

struct pair_sums {
    int64_t compared, same, earlier, later, elsewhere, only_live, only_shadow;
    double wait_here, wait_there, near_here, near_there;
    int64_t nnear;
};

static void add_pair (struct pair_sums *sums, const struct service_job *job,
                      const struct pair *pair)
{
    sums->compared++;
    sums->same += is_same (pair);
    sums->earlier += pair->here < pair->there - TOLERANCE;
    sums->later += pair->here > pair->there + TOLERANCE;
    sums->elsewhere += !pair->same_place;
    sums->wait_here += (double)(pair->here - job->submit);
    sums->wait_there += (double)(pair->there - job->submit);
    if (pair->near_here < 0 || pair->near_there < 0)
        return;
    sums->near_here += pair->near_here;
    sums->near_there += pair->near_there;
    sums->nnear++;
}

static void add_single (struct pair_sums *sums, const struct service_job *job)
{
    bool here = job->start >= 0;
    bool there = live_time (job->live, "start") >= 0;
    sums->only_live += there && !here;
    sums->only_shadow += here && !there;
}

static json_t *mean_json (double sum, int64_t n)
{
    return n > 0 ? json_real (sum / (double)n) : json_null ();
}

static json_t *sums_json (const struct pair_sums *s)
{
    int64_t ticks = s->compared * TORI_SECOND;
    return json_pack (
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:o, s:o}, s:{s:o, s:o}}",
        "compared", (json_int_t)s->compared, "same", (json_int_t)s->same,
        "earlier", (json_int_t)s->earlier, "later", (json_int_t)s->later,
        "elsewhere", (json_int_t)s->elsewhere, "only_live",
        (json_int_t)s->only_live, "only_shadow", (json_int_t)s->only_shadow,
        "wait", "live", mean_json (s->wait_there, ticks), "shadow",
        mean_json (s->wait_here, ticks), "distance", "live",
        mean_json (s->near_there, s->nnear), "shadow",
        mean_json (s->near_here, s->nnear));
}

static void add_clock (const struct service *service, json_t *report)
{
    const struct shadow *shadow = service->shadow;
    json_t *ends = json_array ();
    uint64_t holder;
    next_time (service, ends, &holder);
    json_decref (ends);
    json_object_set_new (report, "now", seconds_json (service->now));
    json_object_set_new (report, "heard", seconds_json (shadow->heard));
    json_object_set_new (report, "pending",
                         json_integer ((json_int_t)json_array_size (
                             shadow->pending)));
    json_object_set_new (report, "holder",
                         holder ? json_integer ((json_int_t)holder)
                                : json_null ());
}

json_t *service_differences (const struct service *service, uint64_t after,
                             size_t limit)
{
    struct pair_sums sums = {0};
    json_t *rows = json_array (), *report, *next = NULL;
    for (size_t i = 0; i < service->jobs.n; i++) {
        const struct service_job *job = service->jobs.all[i];
        struct pair pair;
        if (!pair_read (service, job, &pair)) {
            add_single (&sums, job);
            continue;
        }
        add_pair (&sums, job, &pair);
        if (is_same (&pair) || job->id <= after || next)
            continue;
        if (json_array_size (rows) == limit)
            next = json_object_get (json_array_get (rows, limit - 1), "id");
        else
            json_array_append_new (rows, pair_json (service, job, &pair));
    }
    report = sums_json (&sums);
    if (report && service->shadow)
        add_clock (service, report);
    json_object_set_new (report, "jobs", rows);
    if (next)
        json_object_set (report, "next", next);
    return report;
}
