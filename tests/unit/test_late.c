/* Jobs that end after their time limits, or are reported late, under every
 * policy, order and depth: the order of the queue holds, and planned starts
 * and forecasts come true but for the lateness.
 *
 * The scheduler runs at every tick. In a tick in which a running job has
 * outlived its estimate, that job is late by one tick more, so a planned start
 * may come one tick later; in any other, none may. That is asked of the first
 * job of the queue, and of those after it as long as they are planned in the
 * order of the queue. A job that is planned before an earlier one, in a gap,
 * may lose the gap. The tests know nothing of how plans are made.
 *
 * The forecast is asked for after every run. Those same jobs are forecast to
 * start when planned, or before; under fcfs, by numbers of nodes, forecasts of
 * all jobs slip like planned starts. Under every policy no forecast changes in
 * a tick to which nobody came and in which nobody ended early or is late.
 */
#include "support.h"

#include <string.h>

#include <tori/forecast.h>

enum { JOBS = 40, TICKS = 2000 };

enum phase { COMING, WAITING, RUNNING, GONE };

struct late_job {
    enum phase phase;
    tori_time submit, runtime, estimate, start;
    tori_request request;
    tori_placement place; /* of a running job */
    tori_job number;
    bool planned;      /* after the last run, to start at ... */
    tori_time promise; /* ... this time */
    bool firm; /* all jobs up to it were planned in their order */
    tori_time forecast; /* after the last run; -1: none */
};

struct counts {
    uint64_t checked; /* planned starts, while a job was late */
    uint64_t calm;    /* forecasts that had to stay as they were */
};

struct late_case {
    tori_machine *machine;
    tori_sched *sched;
    tori_alloc *alloc;
    size_t depth;
    struct rng rng;
    tori_time now;
    struct late_job jobs[JOBS];
    size_t n;
    bool in_turn; /* fcfs, by numbers of nodes */
    bool late;    /* somebody has outlived his estimate */
    bool news;    /* ... or ended before, or somebody came */
    bool asks;    /* for forecasts */
    size_t forecasts; /* after this run */
    struct counts counts;
};

static tori_request request_for (struct rng *rng, const tori_machine *machine,
                                 bool shapes)
{
    tori_request request = {0};
    if (!shapes) {
        request.count = between (rng, 1, tori_machine_nodes (machine));
        return request;
    }
    request.shape = *tori_machine_shape (machine);
    for (int d = 0; d < request.shape.ndims; d++)
        request.shape.size[d] = between (rng, 1, request.shape.size[d]);
    return request;
}

static void draw_jobs (struct late_case *it, bool shapes)
{
    tori_time submit = 0;
    uint32_t longest = between (&it->rng, 2, 30);
    unsigned late = between (&it->rng, 1, 3) * 30;
    bool same = chance (&it->rng, 30); /* limits: then many gaps just fit */
    it->n = between (&it->rng, 5, JOBS);
    for (size_t i = 0; i < it->n; i++) {
        struct late_job *job = &it->jobs[i];
        job->submit = submit += between (&it->rng, 0, 4);
        job->estimate = same ? longest : between (&it->rng, 1, longest);
        job->runtime = chance (&it->rng, late)
                           ? job->estimate + between (&it->rng, 0, 5)
                           : between (&it->rng, 1, (uint32_t)job->estimate);
        job->request = request_for (&it->rng, it->machine, shapes);
    }
}

static void finish_jobs (struct late_case *it)
{
    for (size_t i = 0; i < it->n; i++) {
        struct late_job *job = &it->jobs[i];
        if (job->phase != RUNNING || job->start + job->runtime > it->now)
            continue;
        assert_int_equal (
            tori_sched_finish (it->sched, it->now, job->number, NULL), 0);
        it->news |= job->runtime < job->estimate;
        tori_placement_clear (&job->place);
        job->phase = GONE;
    }
}

static void submit_jobs (struct late_case *it)
{
    for (size_t i = 0; i < it->n; i++) {
        struct late_job *job = &it->jobs[i];
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = job->estimate,
                              .tag = i,
                              .request = job->request};
        if (job->submit != it->now)
            continue;
        assert_int_equal (tori_sched_submit (it->sched, it->now, &spec,
                                             &job->number, NULL),
                          0);
        job->phase = WAITING;
        job->forecast = -1;
        it->news = true;
    }
}

static bool is_any_late (const struct late_case *it)
{
    for (size_t i = 0; i < it->n; i++)
        if (it->jobs[i].phase == RUNNING
            && it->jobs[i].start + it->jobs[i].estimate <= it->now)
            return true;
    return false;
}

/* A job starts, or is forecast to start, at some time. */
static void check_forecast (struct late_case *it, const struct late_job *job,
                            tori_time at)
{
    if (job->forecast < 0)
        return;
    if (it->in_turn)
        assert_true (at <= job->forecast + it->late);
    if (!it->news)
        assert_int_equal (at, job->forecast);
    it->counts.calm += !it->news;
}

/* No job starts later than planned by more than the tick that another is
 * late. */
static void check_start (struct late_case *it, const struct late_job *job)
{
    if (job->planned && job->firm)
        assert_true (it->now <= job->promise + it->late);
    check_forecast (it, job, it->now);
}

static void take_starts (struct late_case *it)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (it->sched, &decision)) {
        struct late_job *job = &it->jobs[decision.tag];
        if (decision.kind == TORI_REJECT) {
            job->phase = GONE;
            continue;
        }
        assert_int_equal (decision.kind, TORI_START);
        assert_int_equal (job->phase, WAITING);
        check_start (it, job);
        job->phase = RUNNING;
        job->start = it->now;
        assert_int_equal (
            tori_placement_copy (&job->place, decision.place, NULL), 0);
    }
}

/* The first job of the queue would not have fitted beside the jobs that ran,
 * had no later job started now. A planned start may keep it out. */
static void check_head (const struct late_case *it)
{
    tori_placement place = {0};
    tori_state *state;
    tori_job number;
    uint64_t tag;
    if (it->depth > 1 || !tori_sched_head (it->sched, &number, &tag))
        return;
    state = make_state (it->machine);
    for (size_t i = 0; i < it->n; i++)
        if (it->jobs[i].phase == RUNNING
            && (i < tag || it->jobs[i].start < it->now))
            assert_int_equal (
                tori_placement_hold (&it->jobs[i].place, state, NULL), 0);
    assert_int_not_equal (tori_alloc_place (it->alloc, state,
                                            &it->jobs[tag].request, &place,
                                            NULL),
                          TORI_PLACED);
    tori_state_destroy (state);
}

/* The planned starts now, against those after the last run. */
static void check_promises (struct late_case *it)
{
    tori_job queue[JOBS];
    size_t n = tori_sched_queued_jobs (it->sched, queue);
    tori_time latest = 0;
    bool firm = true; /* so far they are planned in the order of the queue */
    for (size_t k = 0; k < n; k++) {
        tori_job_info info = {.size = sizeof info};
        const tori_placement *place;
        tori_time at = 0;
        struct late_job *job;
        int held;
        assert_true (tori_sched_look (it->sched, queue[k], &info));
        job = &it->jobs[info.tag];
        held = tori_sched_reservation (it->sched, queue[k], &at, &place, NULL);
        assert_true (held >= 0);
        if (held && job->planned && job->firm) {
            assert_true (at <= job->promise + it->late);
            it->counts.checked += it->late;
        }
        job->planned = held > 0;
        job->promise = at;
        job->firm = firm = firm && held && at >= latest;
        latest = at;
    }
}

static void on_forecast (void *arg, const tori_forecast *forecast)
{
    struct late_case *it = arg;
    struct late_job *job = &it->jobs[forecast->tag];
    check_forecast (it, job, forecast->start);
    if (job->planned && job->firm)
        assert_true (forecast->start <= job->promise);
    job->forecast = forecast->start;
    it->forecasts++;
}

/* Everybody who waits will start. */
static void check_forecasts (struct late_case *it)
{
    it->forecasts = 0;
    if (!it->asks)
        return;
    assert_int_equal (tori_forecast_each (it->sched, on_forecast, it, NULL),
                      0);
    assert_int_equal (it->forecasts, tori_sched_queued (it->sched));
}

static bool all_gone (const struct late_case *it)
{
    for (size_t i = 0; i < it->n; i++)
        if (it->jobs[i].phase != GONE)
            return false;
    return true;
}

static void play_late (struct late_case *it)
{
    for (it->now = 0; !all_gone (it); it->now++) {
        assert_true (it->now < TICKS);
        it->news = false;
        finish_jobs (it);
        submit_jobs (it);
        it->late = is_any_late (it);
        it->news |= it->late;
        assert_int_equal (tori_sched_run (it->sched, it->now, NULL), 0);
        take_starts (it);
        check_promises (it);
        check_forecasts (it);
        check_head (it);
    }
}

static void try_case (uint64_t seed, const char *policy, tori_order order,
                      uint32_t depth, bool shapes, struct counts *counts)
{
    struct late_case it = {0};
    tori_sched_config config = {
        .size = sizeof config,
        .policy = policy,
        .alloc = shapes ? TORI_ALLOC ("first-fit") : TORI_ALLOC ("row-ff"),
        .order = order,
        .depth = depth};
    it.depth = depth;
    it.asks = seed % 3 == 0; /* they take long */
    it.in_turn = strcmp (policy, "fcfs") == 0 && !shapes;
    if (depth == 0)
        it.depth = strcmp (policy, "conservative") == 0 ? JOBS : 1;
    rng_seed (&it.rng, seed, 1);
    it.machine = random_machine (&it.rng, 3, 32);
    assert_int_equal (
        tori_sched_create (it.machine, &config, &it.sched, NULL), 0);
    assert_int_equal (
        tori_alloc_create (it.machine, config.alloc, &it.alloc, NULL), 0);
    draw_jobs (&it, shapes);
    play_late (&it);
    counts->checked += it.counts.checked;
    counts->calm += it.counts.calm;
    tori_alloc_destroy (it.alloc);
    tori_sched_destroy (it.sched);
    tori_machine_destroy (it.machine);
}

/* Other orders let jobs come before those that wait, which then may start
 * later than planned. */
TEST (every_policy)
{
    const tori_sched_info *info;
    for (size_t p = 0; (info = tori_sched_list (p)); p++) {
        struct counts counts = {0};
        for (uint64_t seed = 0; seed < random_cases (300); seed++)
            try_case (1000 * p + seed, info->name, TORI_ORDER_SUBMIT, 0,
                      seed % 2, &counts);
        if (strcmp (info->name, "easy") == 0
            || strcmp (info->name, "conservative") == 0)
            assert_true (counts.checked > 100);
        assert_true (counts.calm > 1000);
    }
}

TEST (every_depth)
{
    struct counts counts = {0};
    for (uint32_t depth = 2; depth < 6; depth++)
        for (uint64_t seed = 0; seed < random_cases (100); seed++)
            try_case (10000 * depth + seed, "easy", TORI_ORDER_SUBMIT, depth,
                      seed % 2, &counts);
    assert_true (counts.checked > 100 && counts.calm > 1000);
}
