/* `why`, a forecast and the simulation tell the same future, and every change
 * that is said to start a job starts it: with jobs that may not start yet, that
 * take the place of others, or that were suspended. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/forecast.h>
#include <tori/sim.h>
#include <tori/snapshot.h>
#include <tori/why.h>

enum { MOST = 12, NEVER = -1, LATEST = 12 };

/* A scheduler in the middle of something. Tags are indexes. */
struct scene {
    tori_machine *machine;
    tori_sched *sched;
    tori_time now;
    tori_work work[MOST];
    size_t n, nrunning;
};

/* ---- a scene ---- */

static tori_request request_of (const tori_shape *shape)
{
    return (tori_request){.shape = *shape,
                          .count = (uint32_t)tori_shape_volume (shape)};
}

static tori_job_spec next_spec (struct scene *scene, struct rng *rng,
                                const tori_shape *shape)
{
    tori_job_spec spec = {
        .size = sizeof spec,
        .tag = scene->n,
        .request = request_of (shape),
        .estimate = between (rng, 1, 50),
        .level = chance (rng, 35) ? between (rng, 1, 2) : 0,
        .preempted = (tori_preempted)between (rng, 0, 3),
        .checkpoint = chance (rng, 30) ? between (rng, 1, 9) : 0,
    };
    return spec;
}

static void note_work (struct scene *scene, const tori_job_spec *spec)
{
    scene->work[scene->n] = (tori_work){.id = (int64_t)scene->n,
                                        .runtime = spec->estimate,
                                        .estimate = spec->estimate,
                                        .asked = spec->request.count,
                                        .request = spec->request,
                                        .owner = TORI_NO_OWNER};
    scene->n++;
}

/* A job runs in a random place, if that is free. */
static void add_running (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 3, false);
    tori_job_spec spec = next_spec (scene, rng, &box.shape);
    tori_time start = between (rng, 0, (uint32_t)scene->now);
    tori_placement place;
    tori_job job;
    spec.estimate += scene->now - start;
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    if (tori_sched_adopt (scene->sched, scene->now, &spec, start, &place, &job,
                          NULL)
        == 0) {
        note_work (scene, &spec);
        scene->nrunning++;
    }
    tori_placement_clear (&place);
}

static void add_suspended (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 3, false);
    tori_job_spec spec = next_spec (scene, rng, &box.shape);
    tori_placement place;
    tori_job job;
    spec.estimate++;
    spec.done = between (rng, 0, (uint32_t)spec.estimate - 1);
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    assert_int_equal (tori_sched_adopt_suspended (scene->sched, scene->now,
                                                  &spec, spec.done / 2, &place,
                                                  &job, NULL),
                      0);
    note_work (scene, &spec);
    tori_placement_clear (&place);
}

static void add_waiting (struct scene *scene, struct rng *rng)
{
    tori_box box = random_box (rng, scene->machine, 4, false);
    tori_job_spec spec = next_spec (scene, rng, &box.shape);
    tori_job job;
    if (chance (rng, 20)) {
        add_suspended (scene, rng);
        return;
    }
    spec.priority = chance (rng, 30) ? between (rng, 1, 2) : 0;
    if (chance (rng, 30))
        spec.earliest = scene->now + between (rng, 1, LATEST);
    if (chance (rng, 10))
        spec.hold = TORI_HOLD_USER;
    assert_int_equal (
        tori_sched_submit (scene->sched, scene->now, &spec, &job, NULL), 0);
    note_work (scene, &spec);
}

static void open_scene (struct scene *scene, uint64_t seed)
{
    static const char *const machines[]
        = {"mesh:4", "mesh:4x4", "torus:3x4", "mesh:2x3x2", "mesh:5x3"};
    struct rng rng;
    tori_sched_config config = {.size = sizeof config};
    rng_seed (&rng, seed, 29);
    *scene = (struct scene){
        .machine = make_machine (machines[seed % LENGTH (machines)]),
        .now = between (&rng, 0, 20)};
    config.policy = tori_sched_list (seed / 8 % 4)->name;
    config.alloc = TORI_ALLOC (seed / 4 % 2 ? "best-fit" : "first-fit");
    assert_int_equal (
        tori_sched_create (scene->machine, &config, &scene->sched, NULL), 0);
    for (uint32_t i = between (&rng, 0, 5); i-- > 0;)
        add_running (scene, &rng);
    for (uint32_t i = between (&rng, 1, 6); i-- > 0;)
        add_waiting (scene, &rng);
}

static void close_scene (struct scene *scene)
{
    tori_sched_destroy (scene->sched);
    tori_machine_destroy (scene->machine);
}

/* ---- starts ---- */

struct starts {
    const struct scene *scene;
    tori_time at[MOST];
};

static struct starts no_starts (const struct scene *scene)
{
    struct starts starts = {.scene = scene};
    for (size_t i = 0; i < MOST; i++)
        starts.at[i] = NEVER;
    return starts;
}

static void on_forecast (void *arg, const tori_forecast *it)
{
    struct starts *starts = arg;
    if (it->tag >= starts->scene->nrunning && starts->at[it->tag] == NEVER)
        starts->at[it->tag] = it->start;
}

/* Jobs start that run in the time from now on. */
static int on_pass (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err)
{
    struct starts *starts = arg;
    tori_job jobs[MOST];
    size_t n = tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        on_forecast (starts,
                     &(tori_forecast){jobs[i], info.tag, now, info.place});
    }
    return 0;
}

static void simulate (const struct scene *scene, struct starts *starts)
{
    tori_work work[MOST];
    tori_workload workload = {.jobs = work, .n = scene->n};
    tori_sim_config config = {.size = sizeof config,
                              .machine = scene->machine,
                              .on_pass = on_pass,
                              .arg = starts,
                              .resume = scene->sched};
    tori_sim_result result;
    tori_error err = {0};
    memcpy (work, scene->work, sizeof work);
    if (tori_sim_run (&config, &workload, &result, &err) < 0)
        fail_msg ("the simulation: %s", err.text);
}

/* ---- helps ---- */

/* As a driver does: decisions are carried out. */
static void run_once (tori_sched *sched, tori_time now)
{
    tori_decision decision = {.size = sizeof decision};
    assert_int_equal (tori_sched_run (sched, now, NULL), 0);
    while (tori_sched_next (sched, &decision))
        ;
}

/* Whether a job runs after a run. */
static bool begins (tori_sched *sched, tori_time now, uint64_t tag)
{
    tori_job jobs[MOST];
    size_t n;
    bool found = false;
    run_once (sched, now);
    n = tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        found |= info.tag == tag;
    }
    return found;
}

/* Whether it starts in a file in which it asks for that. */
static bool starts_in_file (const struct scene *scene, const tori_help *help)
{
    tori_snapshot *snapshot;
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_snapshot_take (scene->sched, &snapshot, NULL), 0);
    for (size_t i = 0; i < snapshot->nqueued; i++) {
        if (snapshot->queue[i].spec.tag == help->spec.tag)
            snapshot->queue[i].spec = help->spec;
        assert_false (snapshot->queue[i].promised);
    }
    assert_int_equal (tori_snapshot_sched (snapshot, NULL, &sched, NULL), 0);
    found = begins (sched, scene->now, help->spec.tag);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return found;
}

/* ... and if a service that has run replaces its request. */
static bool starts_instead (const struct scene *scene, tori_sched *after,
                            tori_job job, const tori_help *help)
{
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_sched_copy (after, &sched, NULL), 0);
    assert_int_equal (tori_sched_cancel (sched, scene->now, job, NULL), 0);
    assert_int_equal (
        tori_sched_submit (sched, scene->now, &help->spec, &job, NULL), 0);
    found = begins (sched, scene->now, help->spec.tag);
    tori_sched_destroy (sched);
    return found;
}

static bool is_running (const tori_sched *sched, tori_job job)
{
    tori_job_info info = {.size = sizeof info};
    return tori_sched_look (sched, job, &info)
           && info.phase == TORI_JOB_RUNNING;
}

/* Whether all that the help is about run: some may start in the run. */
static bool applies (const tori_sched *sched, const tori_help *help)
{
    for (size_t i = 0; i < help->nmoves; i++)
        if (!is_running (sched, help->moves[i].job))
            return false;
    return help->change != TORI_CHANGE_JOB || is_running (sched, help->job);
}

/* Whether it starts after other jobs have ended or moved. */
static bool starts_after (const struct scene *scene, tori_sched *before,
                          const tori_help *help)
{
    tori_job jobs[MOST];
    const tori_placement *to[MOST];
    tori_sched *sched;
    bool found;
    assert_int_equal (tori_sched_copy (before, &sched, NULL), 0);
    for (size_t i = 0; i < help->nmoves; i++) {
        jobs[i] = help->moves[i].job;
        to[i] = help->moves[i].to;
    }
    assert_int_equal (help->change == TORI_CHANGE_JOB
                          ? tori_sched_finish (sched, scene->now, help->job,
                                               NULL)
                          : tori_sched_move_all (sched, scene->now, jobs, to,
                                                 help->nmoves, NULL),
                      0);
    found = begins (sched, scene->now, help->spec.tag);
    tori_sched_destroy (sched);
    return found;
}

static bool is_true (const struct scene *scene, tori_sched *before,
                     tori_job job, const tori_help *help)
{
    if (!applies (before, help))
        return true;
    if (help->change == TORI_CHANGE_JOB || help->change == TORI_CHANGE_MOVES)
        return starts_after (scene, before, help);
    return before == scene->sched
               ? starts_in_file (scene, help)
               : starts_instead (scene, before, job, help);
}

/* ---- all of it ---- */

struct answers {
    struct scene *scene;
    tori_sched *after; /* it has run */
    struct starts starts;
    uint64_t seed;
    size_t helps, wrong;
};

static void check_help (struct answers *answers, tori_sched *before,
                        const tori_why *why, const tori_help *help)
{
    if (is_true (answers->scene, before, why->job, help))
        return;
    answers->wrong++;
    printf ("seed %llu: job %llu does not start after a change of %s %s the "
            "run\n",
            (unsigned long long)answers->seed, (unsigned long long)why->tag,
            tori_change_name (help->change),
            before == answers->after ? "after" : "before");
}

static bool lacks_nodes (const tori_sched *sched, const tori_why *why)
{
    return why->spec->request.count
           > tori_state_free_count (tori_sched_state (sched));
}

/* Whether another job holds a reservation after the run. */
static bool others_reserve (tori_sched *after, tori_job job)
{
    const tori_placement *place;
    tori_job jobs[MOST];
    tori_time from;
    size_t n = tori_sched_queued_jobs (after, jobs);
    for (size_t i = 0; i < n; i++)
        if (jobs[i] != job
            && tori_sched_reservation (after, jobs[i], &from, &place, NULL)
                   == 1)
            return true;
    return false;
}

static bool is_listed (const tori_job jobs[], size_t n, tori_job job)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i] == job)
            return true;
    return false;
}

static bool overlap (const tori_sched *sched, const tori_placement *a,
                     const tori_placement *b)
{
    const tori_machine *machine
        = tori_state_machine (tori_sched_state (sched));
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
        if (tori_placement_contains (a, machine, i)
            && tori_placement_contains (b, machine, i))
            return true;
    return false;
}

/* Whether the first of these jobs of the queue took the place of one that ran
 * or went before it: without it, that one runs there. */
static bool took_place (const struct answers *answers, const tori_job jobs[],
                        size_t n)
{
    tori_job_info own = {.size = sizeof own};
    tori_job running[MOST];
    tori_sched *sched;
    bool found = false;
    size_t nrunning;
    assert_true (tori_sched_look (answers->after, jobs[0], &own));
    assert_int_equal (tori_sched_copy (answers->scene->sched, &sched, NULL),
                      0);
    assert_int_equal (
        tori_sched_cancel (sched, answers->scene->now, jobs[0], NULL), 0);
    run_once (sched, answers->scene->now);
    nrunning = tori_sched_running_jobs (sched, running);
    for (size_t i = 0; i < nrunning; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, running[i], &info));
        found |= !is_listed (jobs, n, running[i])
                 && overlap (sched, info.place, own.place);
    }
    tori_sched_destroy (sched);
    return found;
}

/* Only those stay that ran at a job's turn. After one took the place of
 * others, all were looked at again, so it stays. */
static void remove_others (const struct answers *answers, tori_sched *sched,
                           tori_job own)
{
    tori_time now = answers->scene->now;
    tori_job jobs[MOST];
    size_t n = tori_sched_queued_jobs (sched, jobs);
    bool after = false;
    for (size_t i = 0; i < n; i++)
        if (jobs[i] != own)
            assert_int_equal (tori_sched_cancel (sched, now, jobs[i], NULL),
                              0);
    n = tori_sched_queued_jobs (answers->scene->sched, jobs);
    for (size_t i = 0; i < n; i++) {
        after |= jobs[i] == own;
        if (after && is_running (sched, jobs[i])
            && !took_place (answers, jobs + i, n - i))
            assert_int_equal (tori_sched_finish (sched, now, jobs[i], NULL),
                              0);
    }
}

/* Whether others hold reservations, without which it would have started. */
static bool is_kept_off (const struct answers *answers, const tori_why *why)
{
    tori_sched *sched;
    bool found;
    if (!others_reserve (answers->after, why->job))
        return false;
    assert_int_equal (tori_sched_copy (answers->after, &sched, NULL), 0);
    remove_others (answers, sched, why->job);
    found = begins (sched, answers->scene->now, why->tag);
    tori_sched_destroy (sched);
    return found;
}

/* It starts now if that is said, too few nodes are free if that is said, and
 * it is kept off by a reservation if that is said. */
static void check_reason (struct answers *answers, const tori_why *why)
{
    tori_job_info info = {.size = sizeof info};
    bool runs = is_running (answers->after, why->job);
    bool right = runs == (why->reason == TORI_REASON_STARTS);
    bool lacks = lacks_nodes (answers->after, why);
    if (!tori_sched_look (answers->after, why->job, &info))
        return; /* killed as soon as it had started */
    if (why->reason == TORI_REASON_NUMERICAL)
        right &= lacks;
    if (why->reason == TORI_REASON_TOPOLOGICAL)
        right &= !lacks;
    if (why->reason == TORI_REASON_RESERVED)
        right &= is_kept_off (answers, why);
    if (right)
        return;
    answers->wrong++;
    printf ("seed %llu: job %llu waits for the reason %s\n",
            (unsigned long long)answers->seed, (unsigned long long)why->tag,
            tori_reason_name (why->reason));
}

static int on_why (void *arg, const tori_why *why)
{
    struct answers *answers = arg;
    answers->starts.at[why->tag] = why->starts ? why->start : NEVER;
    check_reason (answers, why);
    for (size_t i = 0; i < why->nhelps; i++) {
        answers->helps++;
        check_help (answers, answers->scene->sched, why, &why->helps[i]);
        check_help (answers, answers->after, why, &why->helps[i]);
    }
    return 0;
}

static size_t compare_starts (uint64_t seed, const struct starts *is,
                              const struct starts *should, const char *what)
{
    const struct scene *scene = is->scene;
    for (size_t i = scene->nrunning; i < scene->n; i++)
        if (is->at[i] != should->at[i]) {
            printf ("seed %llu: job %zu starts at %lld, by %s at %lld\n",
                    (unsigned long long)seed, i, (long long)is->at[i], what,
                    (long long)should->at[i]);
            return 1;
        }
    return 0;
}

/* Returns how many answers were wrong. */
static size_t compare_answers (struct scene *scene, uint64_t seed,
                               size_t *helps)
{
    struct answers answers = {.scene = scene,
                              .starts = no_starts (scene),
                              .seed = seed};
    struct starts forecast = no_starts (scene);
    struct starts simulated = no_starts (scene);
    assert_int_equal (tori_sched_copy (scene->sched, &answers.after, NULL), 0);
    run_once (answers.after, scene->now);
    assert_int_equal (
        tori_forecast_each (scene->sched, on_forecast, &forecast, NULL), 0);
    simulate (scene, &simulated);
    assert_int_equal (tori_why_each (scene->sched, on_why, &answers, NULL), 0);
    answers.wrong += compare_starts (seed, &forecast, &simulated,
                                     "the simulation")
                     + compare_starts (seed, &answers.starts, &forecast,
                                       "a forecast");
    *helps += answers.helps;
    tori_sched_destroy (answers.after);
    return answers.wrong;
}

static void test_one_future (void **state)
{
    size_t helps = 0, wrong = 0, cases = random_cases (2000);
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct scene scene;
        open_scene (&scene, seed);
        wrong += compare_answers (&scene, seed, &helps) > 0;
        close_scene (&scene);
    }
    assert_int_equal (wrong, 0);
    assert_true (helps > cases / 2);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_one_future),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
