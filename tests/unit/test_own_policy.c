/* Policies that a program brings along. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <tori/sim.h>
#include <tori/snapshot.h>
#include <tori/why.h>

/* ---- tori's policies once more ---- */

/* Start a job where the allocator puts it: 1, 0 if it has no place, or -1. */
static int try_start (tori_sched *sched, tori_job job, tori_error *err)
{
    tori_error why = {0};
    if (tori_sched_start (sched, job, NULL, &why) == 0)
        return 1;
    if (why.status == TORI_NOT_NOW)
        return 0;
    *err = why;
    return -1;
}

static int decide_fcfs (void *arg, tori_sched *sched, tori_time now,
                        const tori_job queue[], size_t n, tori_error *err)
{
    int started = 1;
    for (size_t i = 0; i < n && started > 0; i++)
        started = try_start (sched, queue[i], err);
    return started < 0 ? -1 : 0;
}

static int decide_backfill (void *arg, tori_sched *sched, tori_time now,
                            const tori_job queue[], size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (try_start (sched, queue[i], err) < 0)
            return -1;
    return 0;
}

static tori_job_spec spec_of (const tori_sched *sched, tori_job job)
{
    tori_job_spec spec = {.size = sizeof spec};
    assert_true (tori_sched_spec (sched, job, &spec));
    return spec;
}

/* The planned start of a job of `wants` nodes, and how many nodes are free then
 * beyond these. */
static tori_time plan (const tori_sched *sched, uint32_t wants,
                       uint32_t *ret_extra)
{
    uint32_t idle = tori_state_free_count (tori_sched_state (sched));
    size_t n = tori_sched_running (sched);
    tori_job *jobs = make_array (n + 1, sizeof *jobs);
    tori_time at = 0;
    tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        if (idle >= wants && info.end > at)
            break;
        idle += info.place->count;
        at = info.end;
    }
    free (jobs);
    *ret_extra = idle - wants;
    return at;
}

/* EASY, for jobs that ask for a number of nodes. */
static int decide_easy (void *arg, tori_sched *sched, tori_time now,
                        const tori_job queue[], size_t n, tori_error *err)
{
    const tori_state *state = tori_sched_state (sched);
    size_t i = 0;
    uint32_t extra;
    tori_time planned;
    int started = 1;
    for (; i < n; i++) {
        started = try_start (sched, queue[i], err);
        if (started <= 0)
            break;
    }
    if (started < 0 || i == n)
        return started < 0 ? -1 : 0;
    planned = plan (sched, spec_of (sched, queue[i]).request.count, &extra);
    for (i++; i < n && started >= 0; i++) {
        tori_job_spec spec = spec_of (sched, queue[i]);
        bool over = now + (spec.estimate > 0 ? spec.estimate : 1) <= planned;
        if (spec.request.count > tori_state_free_count (state)
            || !(over || spec.request.count <= extra))
            continue;
        started = try_start (sched, queue[i], err);
        if (!over)
            extra -= spec.request.count;
    }
    return started < 0 ? -1 : 0;
}

static const struct {
    const char *name;
    tori_policy_ops own;
} like[] = {
    {"fcfs", {sizeof (tori_policy_ops), "a", decide_fcfs, NULL}},
    {"backfill", {sizeof (tori_policy_ops), "b", decide_backfill, NULL}},
    {"easy", {sizeof (tori_policy_ops), "c", decide_easy, NULL}},
};

enum { JOBS = 250 };

struct fates {
    tori_time start[JOBS];
    uint64_t pairwise[JOBS];
    uint32_t starts[JOBS];
    double numerical, topological; /* why the first job of the queue waits */
};

static struct fates simulate (const tori_machine *machine,
                              const tori_workload *work,
                              const tori_sched_config *sched, bool fails)
{
    struct fates fates = {0};
    const tori_sim_interrupts interrupts
        = {.size = sizeof interrupts, .mtbf = 9000000 * TORI_SECOND,
           .mttr = 90000 * TORI_SECOND, .seed = 7};
    const tori_sim_columns columns
        = {.size = sizeof columns, .start = fates.start,
           .pairwise = fates.pairwise, .starts = fates.starts};
    const tori_sim_config config
        = {.size = sizeof config, .machine = machine, .sched = sched,
           .columns = &columns, .interrupts = fails ? &interrupts : NULL};
    tori_sim_result result;
    tori_error err = {0};
    if (tori_sim_run (&config, work, &result, &err) < 0)
        fail_msg ("%s", err.text);
    fates.numerical = result.numerical;
    fates.topological = result.topological;
    return fates;
}

/* A policy of tori's, written again from its definition, starts the same jobs
 * at the same times and places. EASY is compared on counts, where its planned
 * start is a number of nodes. */
TEST (alike)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    for (size_t i = 0; i < random_cases (120); i++) {
        size_t which = i % 3;
        bool counts = which == 2 || i / 3 % 2;
        const tori_alloc_config *alloc
            = TORI_ALLOC (counts ? "mm" : "first-fit");
        tori_order order = (tori_order)(i / 6 % 4);
        tori_workload work = {0};
        struct fates ours, theirs;
        assert_int_equal (
            tori_workload_model (
                "lublin", machine,
                TORI_WORKLOAD (.jobs = JOBS, .load = 1.1, .seed = i,
                               .wiring = counts ? TORI_WIRE_NONE
                                                : TORI_WIRE_MESH,
                               .shaping = counts ? TORI_SHAPE_NONE
                                                 : TORI_SHAPE_COMPACT),
                &work, NULL),
            0);
        theirs = simulate (
            machine, &work,
            TORI_SCHED (like[which].name, alloc, .order = order), i % 2);
        ours = simulate (machine, &work,
                         TORI_SCHED (NULL, alloc, .order = order,
                                     .own_policy = &like[which].own),
                         i % 2);
        assert_memory_equal (&ours, &theirs, sizeof ours);
        tori_workload_clear (&work);
    }
}

/* ---- starts at random ---- */

enum { NODES = 16, MOST = 12 };

/* Jobs as they should be: what each asks for, and the nodes it has. */
struct model {
    struct rng *rng;
    tori_job job[MOST];
    uint32_t count[MOST];
    bool waits[MOST], held[MOST];
    uint32_t has[MOST]; /* a bit for each node */
    size_t n, started;
};

static uint32_t taken (const struct model *model)
{
    uint32_t all = 0;
    for (size_t i = 0; i < model->n; i++)
        all |= model->has[i];
    return all;
}

/* Try to start some job at some nodes. It starts if and only if it waits, may
 * start, asks for so many nodes, and all of them are free. */
static void try_any (struct model *model, tori_sched *sched)
{
    size_t i = between (model->rng, 0, (uint32_t)model->n - 1);
    uint32_t nodes[NODES], n = 0, set = 0;
    uint32_t wants = chance (model->rng, 90) ? model->count[i]
                                             : between (model->rng, 1, 5);
    const tori_machine *machine
        = tori_state_machine (tori_sched_state (sched));
    tori_placement place;
    tori_error err = {0};
    bool fits;
    int status;
    while (n < wants) {
        uint32_t node = between (model->rng, 0, NODES - 1);
        if (!(set >> node & 1))
            nodes[n++] = node;
        set |= UINT32_C (1) << node;
    }
    fits = model->waits[i] && !model->held[i] && wants == model->count[i]
           && !(set & taken (model));
    assert_int_equal (
        tori_placement_of_nodes (machine, nodes, n, &place, NULL), 0);
    status = tori_sched_start (sched, model->job[i], &place, &err);
    tori_placement_clear (&place);
    assert_int_equal (status, fits ? 0 : -1);
    if (!fits)
        assert_int_equal (err.status,
                          !model->waits[i] ? TORI_INVALID
                          : model->held[i] ? TORI_NOT_NOW
                          : wants != model->count[i] ? TORI_INVALID
                                                     : TORI_NOT_NOW);
    if (fits) {
        model->has[i] = set;
        model->waits[i] = false;
        model->started++;
    }
}

static int decide_any (void *arg, tori_sched *sched, tori_time now,
                       const tori_job queue[], size_t n, tori_error *err)
{
    struct model *model = arg;
    size_t at = 0;
    for (size_t i = 0; i < model->n; i++)
        if (model->waits[i] && !model->held[i])
            assert_true (at < n && queue[at++] == model->job[i]);
    assert_int_equal (at, n);
    for (int i = 0; i < 30 && model->n > 0; i++)
        try_any (model, sched);
    for (uint32_t node = 0; node < NODES; node++)
        assert_int_equal (tori_state_is_free (tori_sched_state (sched), node),
                          !(taken (model) >> node & 1));
    return 0;
}

TEST (checked)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    for (size_t seed = 0; seed < random_cases (200); seed++) {
        struct rng rng = seeded (seed);
        struct model model = {.rng = &rng};
        const tori_policy_ops own
            = {sizeof own, "any", decide_any, &model};
        tori_decision decision = {.size = sizeof decision};
        tori_sched *sched;
        size_t told = 0;
        assert_int_equal (
            tori_sched_create (machine,
                               TORI_SCHED (NULL, TORI_ALLOC ("mm"),
                                           .own_policy = &own),
                               &sched, NULL),
            0);
        for (tori_time now = 0; now < 40; now++) {
            size_t i = model.n;
            if (i < MOST) {
                model.n++;
                model.count[i] = between (&rng, 1, 5);
                model.held[i] = chance (&rng, 20);
                model.waits[i] = true;
                assert_int_equal (
                    tori_sched_submit (
                        sched, now,
                        TORI_JOB (.estimate = 9,
                                  .request.count = model.count[i],
                                  .hold = model.held[i] ? TORI_HOLD_USER
                                                        : TORI_HOLD_NONE),
                        &model.job[i], NULL),
                    0);
            }
            i = between (&rng, 0, (uint32_t)model.n - 1);
            if (model.has[i]) {
                assert_int_equal (
                    tori_sched_finish (sched, now, model.job[i], NULL), 0);
                model.has[i] = 0;
            }
            assert_int_equal (tori_sched_run (sched, now, NULL), 0);
            while (tori_sched_next (sched, &decision))
                told += decision.kind == TORI_START;
            assert_int_equal (told, model.started);
        }
        tori_sched_destroy (sched);
    }
}

/* ---- what is refused ---- */

static void expect_bad (const tori_sched_config *config, const char *text)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_sched *sched;
    tori_error err = {0};
    assert_int_equal (tori_sched_create (machine, config, &sched, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, text);
}

TEST (bad_ops)
{
    const tori_policy_ops good = like[0].own;
    tori_policy_ops bad = {0};
    expect_bad (TORI_SCHED (NULL, .own_policy = &bad),
                "the size of a tori_policy_ops is not set");
    bad = (tori_policy_ops){sizeof bad, "mine", NULL, NULL};
    expect_bad (TORI_SCHED (NULL, .own_policy = &bad),
                "a policy needs a name and a function that decides");
    bad = (tori_policy_ops){sizeof bad, "", decide_fcfs, NULL};
    expect_bad (TORI_SCHED (NULL, .own_policy = &bad),
                "a policy needs a name and a function that decides");
    bad = (tori_policy_ops){sizeof bad, "easy", decide_fcfs, NULL};
    expect_bad (TORI_SCHED (NULL, .own_policy = &bad),
                "the policy 'easy' has the name of one of tori's");
    expect_bad (TORI_SCHED (NULL, .own_policy = &good, .depth = 2),
                "a plans no starts: it has no depth");
    expect_bad (TORI_SCHED (NULL, .own_policy = &good,
                            .flags = TORI_SCHED_MOVES),
                "there are no moves where the policy 'a' decides, which is "
                "the program's own");
}

/* What a policy tries in a run, with what becomes of it. */
struct attempt {
    const char *place; /* a box; NULL: the allocator's */
    tori_job job;
    bool run;   /* itself, */
    bool fails; /* or fail without a word */
    tori_error err;
};

static int decide_once (void *arg, tori_sched *sched, tori_time now,
                        const tori_job queue[], size_t n, tori_error *err)
{
    struct attempt *it = arg;
    tori_placement place = {0};
    int status;
    if (it->fails)
        return -1;
    if (it->run)
        return tori_sched_run (sched, now, err);
    if (it->job == 0)
        return 0;
    if (it->place) {
        tori_box box = make_box (tori_state_machine (tori_sched_state (sched)),
                                 it->place);
        assert_int_equal (tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE,
                                                   &place, NULL),
                          0);
    }
    status = tori_sched_start (sched, it->job, it->place ? &place : NULL, err);
    tori_placement_clear (&place);
    return status;
}

static void expect_run (tori_sched *sched, struct attempt *it,
                        struct attempt next, tori_status status,
                        const char *text)
{
    tori_error err = {0};
    tori_decision decision = {.size = sizeof decision};
    size_t waits = tori_sched_queued (sched);
    *it = next;
    assert_int_equal (tori_sched_run (sched, 5, &err), text ? -1 : 0);
    if (text) {
        assert_int_equal (err.status, status);
        assert_string_equal (err.text, text);
    }
    assert_int_equal (tori_sched_queued (sched), waits - !text);
    assert_int_equal (tori_sched_next (sched, &decision), !text);
}

/* A run says in one line what was wrong, and changes nothing. */
TEST (refused)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    struct attempt it = {0};
    const tori_policy_ops own = {sizeof own, "mine", decide_once, &it};
    tori_job shape, count, held, large;
    tori_sched *sched;
    tori_error err = {0};
    assert_int_equal (
        tori_sched_create (machine, TORI_SCHED (NULL, .own_policy = &own),
                           &sched, NULL),
        0);
    tori_sched_submit (sched, 0, TORI_JOB (.tag = 7, .estimate = 9,
                                           .request.shape
                                           = make_shape ("4x2")),
                       &shape, NULL);
    tori_sched_submit (sched, 0,
                       TORI_JOB (.tag = 8, .estimate = 9, .request.count = 3),
                       &count, NULL);
    tori_sched_submit (sched, 0,
                       TORI_JOB (.tag = 9, .request.count = 1,
                                 .hold = TORI_HOLD_USER),
                       &held, NULL);
    tori_sched_submit (sched, 0, TORI_JOB (.tag = 10, .request.shape
                                                      = make_shape ("4x4")),
                       &large, NULL);
    assert_int_equal (tori_sched_start (sched, shape, NULL, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, "jobs start only while a policy of the "
                                   "program's own decides");
    expect_run (sched, &it, (struct attempt){.job = 99}, TORI_INVALID,
                "no such job waits");
    expect_run (sched, &it, (struct attempt){.job = held}, TORI_NOT_NOW,
                "job 9 is held by its owner");
    expect_run (sched, &it, (struct attempt){.job = shape, .place = "0,0/3x3"},
                TORI_INVALID,
                "job 7: a place of 9 nodes for a job that takes 8");
    expect_run (sched, &it, (struct attempt){.run = true}, TORI_INVALID,
                "a policy cannot run its own scheduler");
    expect_run (sched, &it, (struct attempt){.fails = true}, TORI_FAILED,
                "the policy 'mine' failed");
    expect_run (sched, &it, (struct attempt){.job = shape, .place = "0,1/4x2"},
                TORI_OK, NULL);
    expect_run (sched, &it, (struct attempt){.job = shape}, TORI_INVALID,
                "no such job waits");
    expect_run (sched, &it, (struct attempt){.job = count, .place = "0,0/1x3"},
                TORI_NOT_NOW, "job 8: node 0,1 is not free");
    expect_run (sched, &it, (struct attempt){.job = large}, TORI_NOT_NOW,
                "job 10 has no place now: it needs 16 nodes, and 8 are free");
    expect_run (sched, &it, (struct attempt){.job = count}, TORI_OK, NULL);
    tori_sched_destroy (sched);
}

static int no_why (void *arg, const tori_why *why)
{
    return 1;
}

/* What such a policy does not have; copies and forecasts ask it. */
TEST (limits)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    const tori_placement whole
        = {.nboxes = 1, .count = 16, .box = make_box (machine, "0,0/4x4")};
    const tori_window window = {.size = sizeof window, .name = "w",
                                .until = 9, .place = &whole};
    tori_decision decision = {.size = sizeof decision};
    tori_sched_config config = {.size = sizeof config};
    tori_snapshot *snapshot;
    tori_sched *sched, *copy;
    tori_job job;
    assert_int_equal (
        tori_sched_create (machine,
                           TORI_SCHED (NULL, .own_policy = &like[0].own),
                           &sched, NULL),
        0);
    tori_sched_get_config (sched, &config);
    assert_ptr_equal (config.own_policy, &like[0].own);
    assert_int_equal (tori_sched_add_window (sched, 0, &window, NULL), -1);
    assert_int_equal (
        tori_sched_adopt_suspended (sched, 0,
                                    TORI_JOB (.request.count = 16), 0, &whole,
                                    &job, NULL),
        -1);
    assert_int_equal (tori_snapshot_take (sched, &snapshot, NULL), -1);
    assert_int_equal (tori_why_each (sched, no_why, NULL, NULL), -1);
    tori_sched_submit (sched, 0, TORI_JOB (.request.count = 16), &job, NULL);
    assert_int_equal (tori_sched_copy (sched, &copy, NULL), 0);
    tori_sched_destroy (sched);
    assert_int_equal (tori_sched_run (copy, 0, NULL), 0);
    assert_true (tori_sched_next (copy, &decision));
    assert_int_equal (decision.kind, TORI_START);
    tori_sched_destroy (copy);
}
