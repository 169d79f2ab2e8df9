/* moves.c - moves that an operator orders: those of `tori defrag`.
 *
 * A plan names where each job is and where it goes. It is carried out as a
 * whole, or not at all: if a job is elsewhere by now, or its new place is not
 * free, or the job that needs the room would still wait, it is refused. That is
 * tried out in a copy of the scheduler before anything changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "member.h"
#include "service_internal.h"

struct move_step {
    struct service_job *job;
    tori_placement to;
};

struct move_plan {
    struct service *service;
    const json_t *input;
    struct move_step *steps;
    size_t n;
    const struct service_job *waiting; /* it needs the room; or NULL */
    tori_time lost;                    /* by each job, at its new place */
};

enum { REASON = 600 };

/* ---- what is asked ---- */

/* A box, several with the shape that they are joined to ("0,0/2x2 4,0/2x2
 * 1x2"), or a list of nodes, as `tori defrag` writes them, and as place_load
 * reads them. A new reference, or NULL. */
static json_t *read_text (const json_t *text, json_t *nodes)
{
    char *copy = json_is_string (text) ? strdup (json_string_value (text))
                                       : NULL;
    char *rest = copy, *word;
    json_t *place = json_object (), *boxes = json_array ();
    while ((word = strsep (&rest, " ")))
        if (strchr (word, '/'))
            json_array_append_new (boxes, json_string (word));
        else
            json_object_set_new (place, "across", json_string (word));
    if (copy)
        json_object_set (place, "boxes", boxes);
    else if (json_is_array (nodes))
        json_object_set (place, "nodes", nodes);
    json_decref (boxes);
    free (copy);
    return place;
}

/* A box is wired as the job is now. */
static int read_place (const struct move_plan *plan, const struct service_job *job,
                       const json_t *step, bool to, tori_placement *ret_place,
                       tori_error *err)
{
    json_t *place
        = read_text (json_object_get (step, to ? "to" : "from"),
                     json_object_get (step, to ? "to_nodes" : "from_nodes"));
    char wiring[TORI_TEXT_MAX];
    tori_error why = {0};
    int status;
    tori_wiring_format (plan->service->machine, job->place.wiring, wiring);
    if (job->place.nboxes)
        json_object_set_new (place, "box_wiring", json_string (wiring));
    status = place_load (place, plan->service->machine, ret_place, &why);
    json_decref (place);
    return status < 0 ? tori_error_set (err, why.status, "%s of job %llu: %s",
                                        to ? "to" : "from",
                                        (unsigned long long)job->id, why.text)
                      : 0;
}

/* The nodes of a place as a set, or NULL without memory. The caller frees it. */
static uint64_t *list_nodes (const struct service *service,
                             const tori_placement *place, tori_error *err)
{
    uint32_t *ids = calloc (place->count + 1, sizeof *ids);
    uint64_t *set
        = calloc (bits_words (tori_machine_nodes (service->machine)),
                  sizeof *set);
    if (!ids || !set) {
        free (ids);
        free (set);
        tori_error_nomem (err);
        return NULL;
    }
    tori_placement_nodes (place, service->machine, ids);
    for (uint32_t i = 0; i < place->count; i++)
        bits_set (set, ids[i]);
    free (ids);
    return set;
}

/* Whether two places have the same nodes, or have a node in common: 1, 0, or
 * -1 without memory. */
static int compare_places (const struct service *service,
                           const tori_placement *a, const tori_placement *b,
                           bool meet, tori_error *err)
{
    size_t words = bits_words (tori_machine_nodes (service->machine));
    uint64_t *x = list_nodes (service, a, err);
    uint64_t *y = x ? list_nodes (service, b, err) : NULL;
    bool common = false;
    int same = y ? memcmp (x, y, words * sizeof *x) == 0 : -1;
    for (size_t i = 0; y && i < words; i++)
        common |= (x[i] & y[i]) != 0;
    free (x);
    free (y);
    return meet && same >= 0 ? common : same;
}

/* The plan has become void. */
static int refuse_changed (struct reply *reply, uint64_t id, const char *how)
{
    return refuse (reply, 409, "changed",
                   "nothing was moved, because job %llu %s; ask for the moves "
                   "again",
                   (unsigned long long)id, how);
}

static int check_job (const struct service_job *job, uint64_t id,
                      struct reply *reply)
{
    if (!job)
        return refuse (reply, 404, "no-such-job", "there is no job %llu",
                       (unsigned long long)id);
    if (job->state != JOB_RUNNING)
        return refuse_changed (reply, id, "does not run any more");
    if (job->cancelled)
        return refuse_changed (reply, id, "is being cancelled");
    if (job->ask->spec.flags & TORI_JOB_STAYS)
        return refuse (reply, 409, "stays",
                       "nothing was moved, because job %llu may not be moved",
                       (unsigned long long)id);
    return 0;
}

/* A job of the plan: 0; 1 and a reply; or -1. */
static int read_step (struct move_plan *plan, const json_t *from,
                      struct reply *reply, tori_error *err)
{
    uint64_t id = (uint64_t)json_integer_value (json_object_get (from, "job"));
    struct move_step *step = &plan->steps[plan->n];
    tori_placement place = {0};
    tori_error why = {0};
    int same;
    step->job = job_table_find (&plan->service->jobs, id);
    if (check_job (step->job, id, reply))
        return 1;
    if (read_place (plan, step->job, from, false, &place, &why) < 0
        || read_place (plan, step->job, from, true, &step->to, &why) < 0) {
        tori_placement_clear (&place);
        return refuse_error (&why, reply, err);
    }
    plan->n++;
    same = compare_places (plan->service, &place, &step->job->place, false,
                           err);
    tori_placement_clear (&place);
    if (same < 0)
        return -1;
    return same ? 0 : refuse_changed (reply, id, "is elsewhere by now");
}

/* The job that needs the room, if the plan names one. */
static int find_waiting (struct move_plan *plan, struct reply *reply)
{
    const json_t *id = json_object_get (plan->input, "for");
    if (!id)
        return 0;
    plan->waiting = job_table_find (&plan->service->jobs,
                                    (uint64_t)json_integer_value (id));
    if (!plan->waiting)
        return refuse (reply, 404, "no-such-job", "there is no job %lld",
                       (long long)json_integer_value (id));
    return plan->waiting->state == JOB_QUEUED
               ? 0
               : refuse_changed (reply, plan->waiting->id,
                                 "does not wait any more");
}

static int read_plan (struct move_plan *plan, struct reply *reply, tori_error *err)
{
    const json_t *list = json_object_get (plan->input, "moves");
    size_t n = json_array_size (list);
    int status = find_waiting (plan, reply);
    if (status != 0)
        return status;
    if (n == 0)
        return refuse (reply, 400, "bad-request",
                       "moves: expected a list of moves");
    plan->steps = calloc (n, sizeof *plan->steps);
    if (!plan->steps)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = read_step (plan, json_array_get (list, i), reply, err);
    return status;
}

/* ---- whether it can be done ---- */

static bool is_admitted (const tori_window *window,
                         const struct service_job *job)
{
    for (size_t i = 0; i < window->ntags; i++)
        if (window->tags[i] == job->id)
            return true;
    return false;
}

/* A job does not move to where a reservation begins before it would end. */
static int check_reservations (const struct move_plan *plan,
                               const struct move_step *step, struct reply *reply,
                               tori_error *err)
{
    const struct service *service = plan->service;
    tori_time left = step->job->ask->spec.estimate
                     - decision_saved (service, step->job);
    tori_window window = {.size = sizeof window};
    for (size_t i = 0; tori_sched_window (service->sched, i, &window); i++) {
        bool late = window.from - service->now - plan->lost >= left;
        int meet = late || is_admitted (&window, step->job)
                       ? 0
                       : compare_places (service, window.place, &step->to,
                                         true, err);
        if (meet < 0)
            return -1;
        if (meet)
            return refuse_changed (reply, step->job->id,
                                   "would run into a reservation");
    }
    return 0;
}

static int move_all (const struct move_plan *plan, tori_sched *sched,
                     tori_error *err)
{
    tori_job *jobs = calloc (plan->n, sizeof *jobs);
    const tori_placement **to = calloc (plan->n, sizeof *to);
    int status = jobs && to ? 0 : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < plan->n; i++) {
        jobs[i] = plan->steps[i].job->number;
        to[i] = &plan->steps[i].to;
    }
    if (status == 0)
        status = tori_sched_move_all (sched, plan->service->now, jobs, to,
                                      plan->n, err);
    free (jobs);
    free (to);
    return status;
}

/* Whether the job that needs the room starts at once. */
static int check_start (const struct move_plan *plan, tori_sched *copy,
                        struct reply *reply, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    do
        if (tori_sched_run (copy, plan->service->now, err) < 0)
            return -1;
    while (tori_sched_unfinished (copy));
    if (tori_sched_look (copy, plan->waiting->number, &info)
        && info.phase == TORI_JOB_RUNNING)
        return 0;
    return refuse (reply, 409, "still-waits",
                   "nothing was moved, because job %llu would still wait: it "
                   "is held, or others go first; see 'tori why %llu'",
                   (unsigned long long)plan->waiting->id,
                   (unsigned long long)plan->waiting->id);
}

static int refuse_moves (const tori_error *why, struct reply *reply,
                         tori_error *err)
{
    if (why->status != TORI_NOT_NOW)
        return refuse_error (why, reply, err);
    return refuse (reply, 409, "changed",
                   "nothing was moved, because %s; ask for the moves again",
                   why->text);
}

/* Try it out in a copy: 0; 1 and a reply; or -1. */
static int try_plan (const struct move_plan *plan, struct reply *reply,
                     tori_error *err)
{
    tori_sched *copy;
    tori_error why = {0};
    int status = 0;
    for (size_t i = 0; i < plan->n && status == 0; i++)
        status = check_reservations (plan, &plan->steps[i], reply, err);
    if (status != 0)
        return status;
    if (tori_sched_copy (plan->service->sched, &copy, err) < 0)
        return -1;
    if (move_all (plan, copy, &why) < 0)
        status = refuse_moves (&why, reply, err);
    else if (plan->waiting)
        status = check_start (plan, copy, reply, err);
    tori_sched_destroy (copy);
    return status;
}

/* ---- it is done ---- */

static void say_reason (const struct move_plan *plan, char text[REASON])
{
    const char *why
        = json_string_value (json_object_get (plan->input, "why"));
    size_t n = (size_t)(plan->waiting
                            ? snprintf (text, REASON,
                                        "it made room for job %llu",
                                        (unsigned long long)plan->waiting->id)
                            : snprintf (text, REASON, "it made room"));
    if (why)
        snprintf (text + n, REASON - n, ": %s", why);
}

static int carry_out (struct move_plan *plan, tori_error *err)
{
    struct service *service = plan->service;
    char reason[REASON];
    say_reason (plan, reason);
    if (!service->replaying && move_all (plan, service->sched, err) < 0)
        return -1;
    service->restless |= !service->replaying;
    for (size_t i = 0; i < plan->n; i++)
        if (decision_move (service, plan->steps[i].job,
                           &(struct moved){&plan->steps[i].to, plan->input,
                                           reason, plan->lost},
                           err)
            < 0)
            return -1;
    return 0;
}

/* The time that a move takes is a setting, which may change: it is recorded. */
static void set_lost (struct move_plan *plan)
{
    tori_sched_config config = {.size = sizeof config};
    struct service *service = plan->service;
    if (service->replaying) {
        plan->lost = json_integer_value (
            json_object_get (plan->input, "chosen"));
        return;
    }
    tori_sched_get_config (service->sched, &config);
    plan->lost = config.move;
}

static int check_why (const json_t *input, struct reply *reply)
{
    enum { MOST = 500 };
    const json_t *why = json_object_get (input, "why");
    if (!why || (json_is_string (why) && json_string_length (why) <= MOST))
        return 0;
    return refuse (reply, 400, "bad-request",
                   "why: expected a text of at most %d bytes", MOST);
}

static void free_plan (struct move_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        tori_placement_clear (&plan->steps[i].to);
    free (plan->steps);
}

int do_move (struct service *service, const json_t *input,
             struct reply *reply, tori_error *err)
{
    struct move_plan plan = {.service = service, .input = input};
    int status;
    if (!is_operator (input))
        return refuse (reply, 403, "forbidden",
                       "only operators may move jobs");
    set_lost (&plan);
    status = check_why (input, reply);
    if (status == 0)
        status = read_plan (&plan, reply, err);
    if (status == 0 && !service->replaying)
        status = try_plan (&plan, reply, err);
    if (status == 0)
        status = carry_out (&plan, err);
    if (status == 0) {
        service->chosen = json_integer ((json_int_t)plan.lost);
        *reply = (struct reply){
            200, json_pack ("{s:I}", "moved", (json_int_t)plan.n)};
    }
    free_plan (&plan);
    return status;
}
