/* Memory runs out in schedulers and in the queue tree. */
#include "chaos_scenario.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- schedulers ---- */

enum { NJOBS = 10, MAX_TIME = 5000 };

struct job {
    int submit, runtime, estimate;
    tori_request request;
    tori_job id;
    int end;      /* of a running job, otherwise 0 */
    bool present; /* queued or running */
};

struct drive {
    tori_sched *sched;
    struct job jobs[NJOBS];
    int now;
    int left; /* jobs not yet gone */
    bool failed;
    bool by_count; /* there are no windows */
    char log[1 << 14]; /* the decisions, a line each */
    size_t at;
};

static void make_jobs (struct drive *drive, const char *alloc)
{
    struct rng rng;
    int submit = 0;
    bool by_shape = tori_alloc_find (alloc)->takes & TORI_BY_SHAPE;
    rng_seed (&rng, 1, 0);
    for (int i = 0; i < NJOBS; i++) {
        struct job *job = &drive->jobs[i];
        job->submit = submit += (int)random_below (&rng, 6);
        job->runtime = 1 + (int)random_below (&rng, 20);
        job->estimate = job->runtime + (int)random_below (&rng, 10) - 2;
        if (job->estimate < 0)
            job->estimate = 0;
        job->request.count = 1 + random_below (&rng, 24);
        if (by_shape) {
            job->request.shape = (tori_shape){
                3, {1 + random_below (&rng, 4), 1 + random_below (&rng, 4),
                    i == 9 ? 5 : 1 + random_below (&rng, 3)}};
            job->request.count
                = (uint32_t)tori_shape_volume (&job->request.shape);
            job->request.wiring
                = random_below (&rng, 2) ? TORI_WIRE_TORUS : TORI_WIRE_MESH;
        }
    }
}

/* To be called on any failure: it may happen once, for want of memory; the
 * call is then repeated. */
static bool again (struct drive *drive, int status, const tori_error *err)
{
    if (status == 0)
        return false;
    assert_true (chaos_fired ());
    assert_false (drive->failed);
    assert_nomem (err);
    drive->failed = true;
    chaos_disarm ();
    return true;
}

#define UNTIL_DONE(drive, call)                                               \
    do {                                                                      \
        tori_error err = {0};                                                 \
        if (again (drive, call, &err))                                        \
            assert_int_equal (call, 0);                                       \
    } while (0)

static void gone (struct drive *drive, struct job *job)
{
    job->present = false;
    job->end = 0;
    drive->left--;
}

static void finish_some (struct drive *drive)
{
    for (int i = 0; i < NJOBS; i++) {
        struct job *job = &drive->jobs[i];
        if (job->present && job->end > 0 && job->end == drive->now) {
            UNTIL_DONE (drive, tori_sched_finish (drive->sched, drive->now,
                                                  job->id, &err));
            gone (drive, job);
        }
    }
}

static void submit_some (struct drive *drive)
{
    for (int i = 0; i < NJOBS; i++) {
        struct job *job = &drive->jobs[i];
        uint64_t most = UINT64_MAX >> 4;
        const tori_request *instead = &drive->jobs[(i + 1) % NJOBS].request;
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = job->estimate,
                              .alternatives = instead,
                              .nalternatives
                              = i % 3 == 0 && !drive->by_count,
                              .only = i % 5 == 2 && !drive->by_count
                                          ? &most
                                          : NULL,
                              .tag = (uint64_t)i,
                              .request = job->request,
                              .flags = (i % 2 ? TORI_JOB_REQUEUE : 0)
                                       | (i % 3 ? TORI_JOB_REPAIR : 0),
                              .hold = i == 9 ? TORI_HOLD_USER
                                             : TORI_HOLD_NONE,
                              .earliest = i == 11 ? job->submit + 7 : 0,
                              .patience = i % 6,
                              .checkpoint = i % 4,
                              .level = !drive->by_count && i % 12 == 4,
                              .preempted = (tori_preempted)(i % 3)};
        if (job->submit != drive->now)
            continue;
        job->id = TORI_NO_JOB;
        UNTIL_DONE (drive, tori_sched_submit (drive->sched, drive->now, &spec,
                                              &job->id, &err));
        job->present = true;
    }
}

/* Others have more to say about one that waits, or runs. */
static void change (struct drive *drive)
{
    const struct job *job = &drive->jobs[drive->now / 10];
    uint32_t nodes[] = {17, 18};
    tori_placement place = {.count = 2, .nodes = nodes};
    uint64_t mayor = 3;
    tori_window window = {.size = sizeof window,
                          .name = "service",
                          .from = drive->now + 10,
                          .until = drive->now + 100,
                          .place = &place,
                          .tags = &mayor,
                          .ntags = 1};
    if (job->present && job->end == 0)
        UNTIL_DONE (drive, tori_sched_set_priority (drive->sched, drive->now,
                                                    job->id, 3, &err));
    if (job->present)
        UNTIL_DONE (drive, tori_sched_set_estimate (drive->sched, drive->now,
                                                    job->id, 9, &err));
    if (drive->jobs[9].present && drive->jobs[9].end == 0)
        UNTIL_DONE (drive, tori_sched_set_hold (drive->sched, drive->now,
                                                drive->jobs[9].id,
                                                TORI_HOLD_NONE, &err));
    if (drive->now == 15)
        UNTIL_DONE (drive, tori_sched_drain (drive->sched, drive->now, nodes,
                                             2, NJOBS, &err));
    if (drive->now == 25 && !drive->by_count)
        UNTIL_DONE (drive, tori_sched_add_window (drive->sched, drive->now,
                                                  &window, &err));
    window.name = "any";
    window.place = NULL;
    window.count = 3;
    if (drive->now == 35 && !drive->by_count)
        UNTIL_DONE (drive, tori_sched_add_window (drive->sched, drive->now,
                                                  &window, &err));
    if (drive->now == 45 && !drive->by_count)
        UNTIL_DONE (drive, tori_sched_remove_window (drive->sched, drive->now,
                                                     "service", &err));
    if (drive->now == 35)
        for (int i = 0; i < 2; i++)
            UNTIL_DONE (drive,
                        tori_sched_set_drained (drive->sched, drive->now,
                                                nodes[i], false, &err));
}

/* The first job that runs on such a list, or box, goes where it is, too. */
static void stay (struct drive *drive)
{
    for (int i = 0; i < NJOBS; i++) {
        tori_job_info info = {.size = sizeof info};
        struct job *job = &drive->jobs[i];
        if (!job->present || job->end == 0)
            continue;
        assert_true (tori_sched_look (drive->sched, job->id, &info));
        UNTIL_DONE (drive, tori_sched_move (drive->sched, drive->now, job->id,
                                            info.place, &err));
        job->end += 2;
        return;
    }
}

/* A few things that happen to machines and jobs. */
static void disturb (struct drive *drive)
{
    tori_link link = {2, TORI_NEAR, 21};
    uint32_t nodes[] = {0, 8, 9, 40};
    bool down = drive->now < 40;
    struct job *job = &drive->jobs[7];
    if (drive->now == 20 || drive->now == 40) {
        UNTIL_DONE (drive, tori_sched_set_down (drive->sched, drive->now, 5,
                                                down, &err));
        UNTIL_DONE (drive, tori_sched_set_link_down (
                               drive->sched, drive->now, &link, down, &err));
        UNTIL_DONE (drive, tori_sched_set_drained (drive->sched, drive->now,
                                                   63, down, &err));
    }
    if (drive->now == 27 || drive->now == 53)
        UNTIL_DONE (drive, tori_sched_fail (drive->sched, drive->now, nodes, 4,
                                            &link, 1, &err));
    for (int i = 0; drive->now == 44 && i < 4; i++)
        UNTIL_DONE (drive, tori_sched_set_down (drive->sched, drive->now,
                                                nodes[i], false, &err));
    if (drive->now == 90)
        UNTIL_DONE (drive, tori_sched_set_link_down (
                               drive->sched, drive->now, &link, false, &err));
    for (int i = 0; drive->now == 90 && i < 4; i++)
        UNTIL_DONE (drive, tori_sched_set_down (drive->sched, drive->now,
                                                nodes[i], false, &err));
    if (drive->now % 10 == 5)
        change (drive);
    if (drive->now % 16 == 12)
        stay (drive);
    if (drive->now == 30 && job->present) {
        UNTIL_DONE (drive, tori_sched_cancel (drive->sched, drive->now,
                                              job->id, &err));
        gone (drive, job);
    }
}

static void note (struct drive *drive, const tori_decision *decision)
{
    uint32_t first = 0;
    uint32_t nodes[64];
    if (decision->place) {
        tori_placement_nodes (decision->place,
                              tori_state_machine (
                                  tori_sched_state (drive->sched)),
                              nodes);
        first = nodes[0];
    }
    drive->at += (size_t)snprintf (
        drive->log + drive->at, sizeof drive->log - drive->at,
        "%d: %d job %" PRIu64 ", number %" PRIu64 " at %u\n", drive->now,
        (int)decision->kind, decision->tag, decision->job, first);
    assert_true (drive->at < sizeof drive->log);
}

/* The planned starts of waiting jobs. "None" means that there is none, not
 * that there was no memory to find out. */
static void ask (struct drive *drive)
{
    for (int i = 0; i < NJOBS; i++) {
        const tori_placement *place;
        const struct job *job = &drive->jobs[i];
        tori_time start = -1;
        int held = 0;
        if (!job->present || job->end > 0)
            continue;
        UNTIL_DONE (drive, (held = tori_sched_reservation (
                                drive->sched, job->id, &start, &place, &err))
                                   < 0
                               ? -1
                               : 0);
        if (held)
            drive->at += (size_t)snprintf (
                drive->log + drive->at, sizeof drive->log - drive->at,
                "%d: job %d by %" PRId64 "\n", drive->now, i, start);
        assert_true (drive->at < sizeof drive->log);
    }
}

static void decide (struct drive *drive)
{
    tori_decision decision = {.size = sizeof decision};
    UNTIL_DONE (drive, tori_sched_run (drive->sched, drive->now, &err));
    while (tori_sched_next (drive->sched, &decision)) {
        struct job *job = &drive->jobs[decision.tag];
        note (drive, &decision);
        if (decision.kind == TORI_DRAINED)
            continue;
        if (decision.kind == TORI_MOVE) {
            job->end = drive->now + job->runtime;
        } else if (decision.kind == TORI_REQUEUE
                   || decision.kind == TORI_SUSPEND) {
            job->end = 0;
        } else if (decision.kind == TORI_START
                   || decision.kind == TORI_RESUME) {
            job->id = decision.job;
            job->end = drive->now + job->runtime;
        } else {
            gone (drive, job);
        }
    }
}

/* A policy of the program's own: whatever fits starts. */
static int start_all (void *arg, tori_sched *sched, tori_time now,
                      const tori_job queue[], size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++) {
        tori_error why = {0};
        if (tori_sched_start (sched, queue[i], NULL, &why) < 0
            && why.status != TORI_NOT_NOW) {
            *err = why;
            return -1;
        }
    }
    return 0;
}

static const tori_policy_ops own_policy
    = {.size = sizeof own_policy, .name = "own", .decide = start_all};

/* Let all the jobs run through a scheduler. */
static int run_jobs (const struct scenario *self, const tori_machine *machine,
                     struct drive *drive, tori_error *err)
{
    const tori_policy_ops *own = self->policy ? NULL : &own_policy;
    drive->sched = UNTOUCHED;
    if (tori_sched_create (machine,
                           TORI_SCHED (self->policy, TORI_ALLOC (self->alloc),
                                       .flags = own ? 0 : TORI_SCHED_MOVES,
                                       .move = 2, .own_policy = own),
                           &drive->sched, err)
        < 0) {
        assert_ptr_equal (drive->sched, UNTOUCHED);
        return -1;
    }
    make_jobs (drive, self->alloc);
    drive->by_count = tori_alloc_find (self->alloc)->takes != TORI_BY_SHAPE;
    drive->left = NJOBS;
    for (drive->now = 0; drive->left > 0; drive->now++) {
        assert_true (drive->now < MAX_TIME);
        finish_some (drive);
        submit_some (drive);
        disturb (drive);
        decide (drive);
        if (drive->now % 8 == 0)
            ask (drive);
    }
    tori_sched_destroy (drive->sched);
    return 0;
}

/* Shapes and counts, a window, a drain, somebody who is held: the copy of a
 * scheduler has all of it, or no copy is made. */
static int duplicate (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    uint32_t nodes[] = {0, 1};
    tori_placement place = {.count = 2, .nodes = nodes};
    tori_window window = {.size = sizeof window,
                          .name = "service",
                          .from = 50,
                          .until = 60,
                          .place = &place};
    tori_job_spec shape = {.size = sizeof shape,
                           .estimate = 9,
                           .request.shape = {1, {3}}};
    uint64_t most = 7;
    tori_job_spec count = {.size = sizeof count,
                           .estimate = 9,
                           .request.count = 3,
                           .alternatives = &shape.request,
                           .nalternatives = 1,
                           .only = &most,
                           .hold = TORI_HOLD_USER};
    tori_sched *sched = NULL, *copy = UNTOUCHED;
    tori_job job;
    int status = -1;
    if (tori_sched_create (machine,
                           TORI_SCHED ("conservative",
                                       TORI_ALLOC ("first-fit"),
                                       .counts = TORI_ALLOC ("row-ff")),
                           &sched, err)
            == 0
        && tori_sched_submit (sched, 0, &shape, &job, err) == 0
        && tori_sched_submit (sched, 0, &shape, &job, err) == 0
        && tori_sched_submit (sched, 0, &count, &job, err) == 0
        && tori_sched_add_window (sched, 0, &window, err) == 0
        && tori_sched_run (sched, 0, err) == 0
        && tori_sched_drain (sched, 0, nodes, 2, 7, err) == 0)
        status = tori_sched_copy (sched, &copy, err);
    if (status < 0)
        assert_ptr_equal (copy, UNTOUCHED);
    else
        tori_sched_destroy (copy);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
    return status;
}

static int schedule (const struct scenario *self, tori_error *err)
{
    static const struct drive empty;
    tori_machine *machine = own_machine (self->machine);
    struct drive drive = empty, undisturbed = empty;
    int status;
    chaos_pause ();
    assert_int_equal (run_jobs (self, machine, &undisturbed, NULL), 0);
    chaos_resume ();
    status = run_jobs (self, machine, &drive, err);
    if (status == 0)
        assert_string_equal (drive.log, undisturbed.log);
    tori_machine_destroy (machine);
    return status;
}

/* A reservation is found out, or given to the job; it is the same. */
static int ask_both_ways (tori_sched *sched, tori_job job,
                          const tori_placement *place, tori_error *err)
{
    const tori_placement *at;
    tori_time start = 99;
    if (tori_sched_run (sched, 0, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        int held = tori_sched_reservation (sched, job, &start, &at, err);
        if (held < 0) {
            assert_int_equal (start, i == 0 ? 99 : 5);
            return -1;
        }
        assert_int_equal (held, 1);
        assert_int_equal (start, 5);
        assert_int_equal (at->count, place->count);
        if (tori_sched_reserve (sched, job, 5, place, err) < 0)
            return -1;
    }
    return 0;
}

/* A job that runs already, one that waits, and where it is to go. */
static int take_over (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_job_spec spec = {.size = sizeof spec,
                          .request.shape = {1, {3}}, .estimate = 5};
    uint32_t nodes[] = {1, 2};
    tori_placement two = {.count = 2, .nodes = nodes};
    tori_placement three = {
        .nboxes = 1, .box.shape = {1, {3}}, .count = 3};
    tori_job runs = 99, waits = 99;
    tori_sched *sched = NULL;
    int status = tori_sched_create (machine, NULL, &sched, err);
    if (status == 0) {
        status = tori_sched_adopt (sched, 0, &spec, 0, &two, &runs, err);
        assert_int_equal (tori_sched_running (sched), status == 0);
        assert_int_equal (tori_state_free_count (tori_sched_state (sched)),
                          status == 0 ? 2 : 4);
    }
    if (status == 0)
        status = tori_sched_submit (sched, 0, &spec, &waits, err);
    if (status == 0)
        status = ask_both_ways (sched, waits, &three, err);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the queue tree ---- */

static int move_front (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_gang_tree *tree = UNTOUCHED;
    uint32_t lengths[7] = {2, 2, 1, 1, 2, 3, 2};
    tori_gang_cell cells[48] = {{.process = 99}};
    int status = tori_gang_tree_create (machine, 2, 1, &tree, err);
    if (status < 0) {
        assert_ptr_equal (tree, UNTOUCHED);
    } else {
        status = tori_gang_table (tree, lengths, 12, cells, err);
        assert_int_equal (cells[0].process, status < 0 ? 99 : 0);
        tori_gang_tree_destroy (tree);
    }
    tori_machine_destroy (machine);
    return status;
}

static void count_finish (void *arg, uint32_t task, int64_t time)
{
    (void)task;
    (void)time;
    ++*(int *)arg;
}

static int share_time (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_gang_tree *tree = NULL;
    tori_gang_world *world = UNTOUCHED;
    int finished = 0, status = 0;
    tori_gang_config config
        = {.size = sizeof config, .slot = 10, .on_finish = count_finish, .arg = &finished};
    chaos_pause ();
    assert_int_equal (tori_gang_tree_create (machine, 2, 1, &tree, NULL), 0);
    chaos_resume ();
    config.tree = tree;
    if (tori_gang_world_create (&config, &world, err) < 0) {
        assert_ptr_equal (world, UNTOUCHED);
        world = NULL;
        status = -1;
    }
    for (uint32_t i = 0; status == 0 && i < 40; i++) {
        tori_gang_need need = {.count = 1 + i % 4};
        uint32_t task = 99;
        status = tori_gang_world_add (world, i, &need, 25 + i, &task, err);
        assert_int_equal (task, status < 0 ? 99 : i);
    }
    if (status == 0)
        status = tori_gang_world_run (world, INT64_MAX, err);
    if (status == 0)
        assert_int_equal (finished, 40);
    tori_gang_world_destroy (world);
    tori_gang_tree_destroy (tree);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the table ---- */

static const struct scenario fixed[] = {
    {"take over a job that runs", take_over, .machine = "mesh:4"},
    {"schedule by a policy of the program's own", schedule,
     .machine = "torus:4x4x4", .alloc = "row-ff"},
    {"copy a scheduler", duplicate, .machine = "mesh:4"},
    {"move the front of a queue tree", move_front, .machine = "mesh:4"},
    {"share time by a queue tree", share_time, .machine = "mesh:2x4"},
};

int main (void)
{
    scenario_add_all (fixed, sizeof fixed / sizeof fixed[0]);
    scenario_add_policies (schedule, "schedule by", TORI_BY_SHAPE);
    scenario_add_policies (schedule, "schedule by", TORI_BY_COUNT);
    return scenario_run_all ("chaos");
}
