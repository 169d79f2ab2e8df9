/* The features of a live queue: depth and limits, priorities, holds, earliest
 * starts, other estimates, requeued jobs, and drains; against the definitions
 * (naive_sched.h), and small cases worked out by hand. */
#include "play.h"

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "desk.h"

/* Some hold reservations, others do not. */
TEST_AFTER (depth, play_teardown)
{
    struct stream_options any = {.jobs = 40,
                                 .estimates = ANY,
                                 .cancels = 3,
                                 .mishaps = 5,
                                 .max_nodes = 32};
    struct stream_options over = {
        .jobs = 40, .estimates = OVER, .cancels = 2, .max_nodes = 32};
    for (uint32_t depth = 2; depth <= 6; depth += 2) {
        struct play_options how = {.ask = true, .depth = depth};
        play_compare (470000 + depth, 12, "easy", over, how);
        play_compare (480000 + depth, 12, "conservative", any, how);
    }
}

/* A run that stops after every question decides the same in the end. */
TEST_AFTER (work, play_teardown)
{
    struct stream_options any = {.jobs = 40,
                                 .estimates = ANY,
                                 .cancels = 3,
                                 .mishaps = 5,
                                 .max_nodes = 32};
    struct play_options one = {.ask = true, .work = 1};
    struct play_options some = {.ask = true, .depth = 3, .work = 4};
    play_compare (490000, 12, "backfill", any, one);
    play_compare (491000, 12, "easy", any, one);
    play_compare (492000, 12, "conservative", any, one);
    play_compare (493000, 12, "conservative", any, some);
}

/* Jobs of all shapes. */
static void submit_crowd (tori_sched *sched, tori_time now, struct rng *rng)
{
    for (int i = 0; i < 300; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_job job;
        spec.request.shape.ndims = 3;
        for (int d = 0; d < 3; d++)
            spec.request.shape.size[d] = 1 + (uint32_t)rng_below (rng, 8);
        spec.estimate = 1 + (tori_time)rng_below (rng, 100);
        assert_int_equal (tori_sched_submit (sched, now, &spec, &job, NULL),
                          0);
    }
}

/* How much was done since a run began, in questions. */
static uint64_t work_done (const tori_sched *sched)
{
    return sched->questions + sched->steps / SCHED_STEPS;
}

/* A run with a limit does hardly more than that, whatever has happened: a
 * search stops in the middle, and what is submitted is looked at later. */
TEST (short_runs)
{
    enum { WORK = 4, MORE = 8 };
    tori_sched_config config
        = {.size = sizeof config, .policy = "conservative", .work = WORK};
    tori_machine *machine;
    tori_sched *sched;
    tori_job jobs[900];
    struct rng rng;
    rng_seed (&rng, 494000, 0);
    assert_int_equal (tori_machine_parse ("torus:8x8x8", &machine, NULL), 0);
    assert_int_equal (tori_sched_create (machine, &config, &sched, NULL), 0);
    for (int round = 0; round < 3; round++) {
        size_t runs = 0, n;
        uint64_t before = work_done (sched);
        submit_crowd (sched, round, &rng);
        assert_int_equal (work_done (sched), before);
        do {
            assert_int_equal (tori_sched_run (sched, round, NULL), 0);
            assert_in_range (work_done (sched), 0, WORK + MORE);
            runs++;
        } while (tori_sched_unfinished (sched));
        assert_in_range (runs, 10, 100000);
        n = tori_sched_queued_jobs (sched, jobs);
        assert_int_equal (
            tori_sched_set_priority (sched, round, jobs[n - 1], 1, NULL), 0);
        assert_int_equal (tori_sched_set_down (sched, round, 7, round == 0,
                                               NULL),
                          0);
    }
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

static void submit_box (tori_sched *sched, uint32_t side, tori_time estimate)
{
    tori_job_spec spec = {.size = sizeof spec, .estimate = estimate};
    tori_job job;
    spec.request.shape.ndims = 3;
    for (int d = 0; d < 3; d++)
        spec.request.shape.size[d] = side;
    assert_int_equal (tori_sched_submit (sched, 0, &spec, &job, NULL), 0);
}

/* The only planned start of EASY is found without a look at each of the many
 * times at which a node comes free. */
TEST (few_looks)
{
    enum { NODES = 512, MOST = 128 };
    tori_sched_config config = {.size = sizeof config, .policy = "easy"};
    tori_machine *machine;
    tori_sched *sched;
    struct rng rng;
    rng_seed (&rng, 495000, 0);
    assert_int_equal (tori_machine_parse ("torus:8x8x8", &machine, NULL), 0);
    assert_int_equal (tori_sched_create (machine, &config, &sched, NULL), 0);
    for (int i = 1; i < NODES; i++)
        submit_box (sched, 1, 1 + (tori_time)rng_below (&rng, 100000));
    assert_int_equal (tori_sched_run (sched, 0, NULL), 0);
    assert_int_equal (tori_sched_running (sched), NODES - 1);
    submit_box (sched, 4, 10);
    submit_box (sched, 1, 200000);
    assert_int_equal (tori_sched_run (sched, 0, NULL), 0);
    assert_in_range (work_done (sched), 1, MOST);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

/* Priorities, holds, earliest starts, other estimates, and jobs that wait
 * again. */
TEST_AFTER (changes, play_teardown)
{
    static const char *const policies[] = {"fcfs", "backfill", "easy",
                                           "conservative"};
    struct stream_options any = {.jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 6,
                                 .changes = 40,
                                 .max_nodes = 32};
    struct play_options own = {.ask = true};
    struct play_options some = {.ask = true, .depth = 3};
    for (size_t i = 0; i < LENGTH (policies); i++)
        play_compare (600000 + 1000 * i, 24, policies[i], any, own);
    play_compare (610000, 16, "easy", any, some);
}

/* Shapes and counts in one queue, with two allocators. */
TEST_AFTER (both, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE | TORI_BY_COUNT,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 4,
                                 .changes = 10,
                                 .max_nodes = 32};
    play_policies (630000, 12, any,
                 (struct play_options){.alloc = "first-fit",
                                       .counts = "row-bf"});
    play_policies (632000, 12, any,
                 (struct play_options){.alloc = "best-fit",
                                       .counts = "row-ff"});
}

/* Windows come, go and are over. */
TEST_AFTER (windows, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 3,
                                 .changes = 10,
                                 .windows = 8,
                                 .max_nodes = 32};
    struct stream_options over = {.takes = TORI_BY_SHAPE | TORI_BY_COUNT,
                                  .jobs = 30,
                                  .estimates = OVER,
                                  .windows = 6,
                                  .max_nodes = 32};
    struct stream_options counts = any;
    counts.takes = TORI_BY_COUNT;
    play_policies (640000, 16, any, (struct play_options){.alloc = "first-fit"});
    play_policies (642000, 12, over,
                 (struct play_options){.alloc = "first-fit",
                                       .counts = "row-bf"});
    play_policies (644000, 12, counts,
                 (struct play_options){.alloc = "row-ff",
                                       .flags = TORI_SCHED_PLACES});
    play_policies (646000, 12, counts,
                 (struct play_options){.alloc = "row-ff",
                                       .flags = TORI_SCHED_PLACES});
}

/* Jobs that run go elsewhere, or change places. */
TEST_AFTER (moves, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 3,
                                 .changes = 10,
                                 .moves = 30,
                                 .windows = 3,
                                 .max_nodes = 32};
    struct stream_options counts = {.takes = TORI_BY_COUNT,
                                    .jobs = 30,
                                    .estimates = ANY,
                                    .mishaps = 3,
                                    .changes = 10,
                                    .moves = 30,
                                    .max_nodes = 32};
    play_policies (650000, 12, any,
                 (struct play_options){.alloc = "first-fit", .move = 3});
    play_policies (652000, 12, any,
                 (struct play_options){.alloc = "best-fit", .move = 2});
    play_policies (654000, 12, counts,
                 (struct play_options){.alloc = "row-bf", .move = 4});
    play_policies (656000, 12, counts, (struct play_options){.alloc = "row-ff"});
}

/* Jobs take the place of others. */
TEST_AFTER (levels, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 3,
                                 .windows = 2,
                                 .changes = 10,
                                 .levels = true,
                                 .max_nodes = 32};
    struct stream_options both = any, counts = any;
    both.takes |= TORI_BY_COUNT;
    both.choices = 40;
    both.limits = 20;
    counts.takes = TORI_BY_COUNT;
    play_policies (660000, 16, any, (struct play_options){.alloc = "first-fit"});
    play_policies (662000, 12, both,
                 (struct play_options){.alloc = "best-fit",
                                       .counts = "row-bf"});
    play_policies (664000, 12, counts,
                 (struct play_options){.alloc = "row-ff",
                                       .flags = TORI_SCHED_PLACES});
    play_policies (666000, 12, any, (struct play_options){.alloc = "first-fit"});
}

/* Jobs whose nodes fail go elsewhere. */
TEST_AFTER (repair, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 20,
                                 .changes = 10,
                                 .moves = 5,
                                 .failures = 8,
                                 .windows = 3,
                                 .max_nodes = 32};
    struct stream_options counts = any;
    counts.takes = TORI_BY_COUNT;
    play_policies (670000, 12, any,
                 (struct play_options){.alloc = "first-fit", .move = 3});
    play_policies (672000, 12, any,
                 (struct play_options){.alloc = "best-fit"});
    play_policies (674000, 12, counts,
                 (struct play_options){.alloc = "row-ff",
                                       .flags = TORI_SCHED_PLACES,
                                       .move = 2});
    counts.windows = 0;
    play_policies (676000, 12, counts,
                 (struct play_options){.alloc = "row-bf", .move = 1});
}

/* Jobs move so that the first in the queue can start. */
TEST_AFTER (make_room, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 3,
                                 .changes = 6,
                                 .failures = 2,
                                 .windows = 2,
                                 .max_nodes = 24};
    struct play_options how = {.alloc = "first-fit",
                               .flags = TORI_SCHED_MOVES,
                               .move = 1};
    play_policies (680000, 12, any, how);
    how.alloc = "best-fit";
    how.move = 2;
    play_policies (682000, 12, any, how);
}

/* ... and some of them are sent away. */
TEST_AFTER (move_and_go, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 40,
                                 .estimates = ANY,
                                 .mishaps = 3,
                                 .failures = 6,
                                 .levels = true,
                                 .max_nodes = 24};
    struct play_options how = {.alloc = "first-fit",
                               .flags = TORI_SCHED_MOVES,
                               .move = 1};
    play_policies (684000, 16, any, how);
}

/* All of it on pods, where nobody but the driver's own books compares. */
TEST_AFTER (pods, play_teardown)
{
    static const char *const policies[] = {"fcfs", "backfill", "easy",
                                           "conservative"};
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 3,
                                 .changes = 6,
                                 .failures = 2,
                                 .windows = 2,
                                 .pods = true};
    size_t moved = 0;
    for (size_t i = 0; i < random_cases (16); i++) {
        struct play_options how = {.policy = policies[i % 4],
                                   .order = (tori_order)(i / 4 % PLAY_ORDERS),
                                   .alloc = i % 3 ? "cube-best" : "cube-first",
                                   .flags = TORI_SCHED_MOVES,
                                   .move = 1 + i % 2,
                                   .ask = true};
        struct stream stream;
        char *plain, *again;
        any.levels = i % 5 == 0;
        any.failures = i % 3 ? 0 : 2; /* then jobs are repaired, too */
        stream_create (&stream, 690000 + i, &any);
        plain = play (&stream, &how);
        moved += any.failures == 0 && strstr (plain, " move ");
        how.restart = true;
        how.file = i % 2;
        again = play (&stream, &how);
        assert_string_equal (plain, again);
        free (plain);
        free (again);
        stream_destroy (&stream);
    }
    assert_true (moved > random_cases (16) / 8);
}

/* A scheduler that is rebuilt after every run knows all of it. */
TEST_AFTER (restart, play_teardown)
{
    static const char *const policies[] = {"fcfs", "easy", "conservative"};
    struct stream_options any = {.jobs = 30,
                                 .estimates = ANY,
                                 .mishaps = 6,
                                 .changes = 40,
                                 .max_nodes = 32};
    struct play_options how = {.ask = true, .restart = true};
    for (size_t i = 0; i < 2 * LENGTH (policies); i++) {
        how.file = i % 2;
        play_compare (620000 + 1000 * i, 12, policies[i / 2], any, how);
    }
}

/* ---- by hand ---- */

static const char *drain_said (struct desk *desk, tori_decision *ret_decision)
{
    return tori_sched_next (desk->sched, ret_decision)
                   && ret_decision->kind == TORI_DRAINED
               ? "drained"
               : "nothing";
}

TEST (drain)
{
    uint32_t nodes[] = {1, 2, 3};
    struct desk desk;
    tori_decision said = {.size = sizeof said};
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    on_desk (&desk, "0: A=2/10 B=2/10 > A@0/2 B@2/2");
    assert_int_equal (tori_sched_drain (desk.sched, 1, nodes, 3, 77, NULL), 0);
    assert_string_equal (drain_said (&desk, &said), "nothing");
    on_desk (&desk, "1: C=3/10 > ;"
              " 2: -A");
    assert_string_equal (drain_said (&desk, &said), "nothing");
    finish (&desk, 3, 'B');
    assert_string_equal (drain_said (&desk, &said), "drained");
    assert_int_equal (said.tag, 77);
    assert_int_equal (said.job, TORI_NO_JOB);
    assert_string_equal (drain_said (&desk, &said), "nothing");
    on_desk (&desk, "4: undrain 3 > C@3/3");
    close_desk (&desk);
}

/* A drained and idle node has been left already; a node in service again need
 * not be. */
TEST (drain_at_once)
{
    uint32_t idle[] = {4}, busy[] = {0, 4}, none[] = {6};
    struct desk desk;
    tori_decision said = {.size = sizeof said};
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    on_desk (&desk, "0: A=2/10 > A@0/2");
    assert_int_equal (tori_sched_drain (desk.sched, 1, idle, 1, 5, NULL), 0);
    assert_string_equal (drain_said (&desk, &said), "drained");
    assert_int_equal (said.tag, 5);
    assert_int_equal (tori_sched_drain (desk.sched, 1, busy, 2, 6, NULL), 0);
    assert_string_equal (drain_said (&desk, &said), "nothing");
    set_drained (&desk, 2, 0, false);
    assert_string_equal (drain_said (&desk, &said), "drained");
    assert_int_equal (said.tag, 6);
    assert_int_equal (tori_sched_drain (desk.sched, 2, none, 1, 7, NULL), -1);
    assert_int_equal (tori_sched_drain (desk.sched, 2, none, 0, 7, NULL), -1);
    close_desk (&desk);
}

/* A kill says what failed. */
TEST (cause)
{
    tori_link link = {0, TORI_NEAR, 2};
    struct desk desk;
    tori_decision said = {.size = sizeof said};
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    on_desk (&desk, "0: A=2m/10 B=2m/10 > A@0/2 B@2/2");
    assert_int_equal (tori_sched_set_down (desk.sched, 1, 1, true, NULL), 0);
    assert_true (tori_sched_next (desk.sched, &said));
    assert_int_equal (said.kind, TORI_KILL);
    assert_int_equal (said.node, 1);
    assert_int_equal (
        tori_sched_set_link_down (desk.sched, 1, &link, true, NULL), 0);
    assert_true (tori_sched_next (desk.sched, &said));
    assert_int_equal (said.node, TORI_NO_NODE);
    assert_int_equal (said.link.slot, 2);
    close_desk (&desk);
}

/* A requeued job continues from its last checkpoint. */
TEST (checkpoint)
{
    struct desk desk;
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = 10,
                          .tag = 'A',
                          .request.count = 2,
                          .flags = TORI_JOB_REQUEUE,
                          .checkpoint = 3,
                          .done = 1};
    tori_job_info info = {.size = sizeof info};
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "mm");
    assert_int_equal (
        tori_sched_submit (desk.sched, 0, &spec, &desk.job['A'], NULL), 0);
    assert_int_equal (tori_sched_run (desk.sched, 0, NULL), 0);
    assert_int_equal (
        tori_sched_requeue (desk.sched, 7, desk.job['A'], NULL), 0);
    assert_true (tori_sched_spec (desk.sched, desk.job['A'], &spec));
    assert_int_equal (spec.done, 7);
    assert_int_equal (spec.estimate, 10);
    assert_int_equal (tori_sched_run (desk.sched, 8, NULL), 0);
    assert_true (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_int_equal (info.end, 11);
    /* One that outlives its estimate saves its work, too. */
    assert_int_equal (tori_sched_set_down (desk.sched, 15, 0, true, NULL), 0);
    assert_int_equal (tori_sched_run (desk.sched, 15, NULL), 0);
    assert_true (tori_sched_spec (desk.sched, desk.job['A'], &spec));
    assert_int_equal (spec.done, 13);
    assert_true (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_int_equal (info.end, 16);
    spec.done = -1;
    assert_int_equal (
        tori_sched_submit (desk.sched, 15, &spec, &desk.job['B'], NULL), -1);
    close_desk (&desk);
}

static int submit_level (struct desk *desk, tori_time now, char name,
                         uint32_t nodes, tori_job_spec spec)
{
    spec.size = sizeof spec;
    spec.tag = (uint64_t)name;
    spec.estimate = 100;
    spec.request.shape = (tori_shape){1, {nodes}};
    return tori_sched_submit (desk->sched, now, &spec,
                              &desk->job[(int)name], NULL);
}

static void expect_decision (struct desk *desk, tori_decision_kind kind,
                             char name, tori_job by)
{
    tori_decision said = {.size = sizeof said};
    assert_true (tori_sched_next (desk->sched, &said));
    assert_int_equal (said.kind, kind);
    assert_int_equal (said.tag, (uint64_t)name);
    assert_int_equal (said.by, by);
    if (kind == TORI_START)
        assert_true (said.least);
}

/* The one that has just saved its work gives way, though it is the larger. */
TEST (least_lost)
{
    struct desk desk;
    tori_decision said = {.size = sizeof said};
    open_desk (&desk, "mesh:9", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_level (&desk, 0, 'A', 3, (tori_job_spec){.checkpoint = 4});
    submit_level (&desk, 0, 'B', 5, (tori_job_spec){.checkpoint = 5});
    submit_level (&desk, 0, 'N', 1,
                  (tori_job_spec){.preempted = TORI_PREEMPTED_NEVER});
    expect_run (&desk, 0, "A@0/3 B@3/5 N@8/1");
    submit_level (&desk, 6, 'U', 2, (tori_job_spec){.level = 1});
    assert_int_equal (tori_sched_run (desk.sched, 6, NULL), 0);
    expect_decision (&desk, TORI_REQUEUE, 'B', desk.job['U']);
    expect_decision (&desk, TORI_START, 'U', TORI_NO_JOB);
    assert_false (tori_sched_next (desk.sched, &said));
    /* Jobs of the same tier do not give way, nor do jobs that never do. */
    submit_level (&desk, 7, 'V', 6, (tori_job_spec){.level = 1});
    submit_level (&desk, 7, 'W', 1, (tori_job_spec){.level = 0});
    on_desk (&desk, "7: > W@5/1 ; B~106@0/5");
    close_desk (&desk);
    open_desk (&desk, "mesh:9", "easy", TORI_ORDER_SUBMIT, "mm");
    assert_int_equal (
        submit_level (&desk, 0, 'A', 3, (tori_job_spec){.level = 1}), -1);
    assert_int_equal (
        submit_level (&desk, 0, 'A', 3, (tori_job_spec){.preempted = 4}), -1);
    close_desk (&desk);
}

/* A job that is killed never uses what it has saved, now or before: all its
 * work is lost. */
TEST (killed_work)
{
    const tori_preempted requeued = TORI_PREEMPTED_REQUEUE,
                         killed = TORI_PREEMPTED_KILL;
    const struct {
        tori_job_spec a;
        tori_time begin; /* B begins at 20 */
        char victim;
        tori_decision_kind fate;
    } cases[] = {
        {{.checkpoint = 60, .preempted = requeued}, 0, 'A', TORI_REQUEUE},
        {{.checkpoint = 60, .preempted = killed}, 0, 'B', TORI_REQUEUE},
        {{.done = 90, .preempted = requeued}, 30, 'A', TORI_REQUEUE},
        {{.done = 90, .preempted = killed}, 30, 'B', TORI_REQUEUE},
        {{.done = 5, .preempted = killed}, 30, 'A', TORI_KILL},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        struct desk desk;
        open_desk (&desk, "mesh:8", "easy", TORI_ORDER_SUBMIT, "first-fit");
        if (cases[i].begin == 0) {
            submit_level (&desk, 0, 'A', 4, cases[i].a);
            expect_run (&desk, 0, "A@0/4");
        }
        submit_level (&desk, 20, 'B', 4, (tori_job_spec){0});
        expect_run (&desk, 20, cases[i].begin ? "B@0/4" : "B@4/4");
        if (cases[i].begin > 0) {
            submit_level (&desk, 30, 'A', 4, cases[i].a);
            expect_run (&desk, 30, "A@4/4");
        }
        submit_level (&desk, 60, 'U', 4, (tori_job_spec){.level = 1});
        assert_int_equal (tori_sched_run (desk.sched, 60, NULL), 0);
        expect_decision (&desk, cases[i].fate, cases[i].victim,
                         desk.job['U']);
        close_desk (&desk);
    }
}

/* A suspended job continues where it was, unless a node fails there: then
 * elsewhere, from its last checkpoint. */
TEST (suspended)
{
    struct desk desk;
    tori_job_spec spec = {.size = sizeof spec};
    tori_job_info info = {.size = sizeof info};
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_level (&desk, 0, 'A', 3,
                  (tori_job_spec){.preempted = TORI_PREEMPTED_SUSPEND,
                                  .checkpoint = 4});
    expect_run (&desk, 0, "A@0/3");
    submit_level (&desk, 6, 'U', 4, (tori_job_spec){.level = 1});
    assert_int_equal (tori_sched_run (desk.sched, 6, NULL), 0);
    expect_decision (&desk, TORI_SUSPEND, 'A', desk.job['U']);
    expect_decision (&desk, TORI_START, 'U', TORI_NO_JOB);
    assert_true (tori_sched_spec (desk.sched, desk.job['A'], &spec));
    assert_true (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_int_equal (spec.done, 6);
    assert_int_equal (info.saved, 4);
    expect_reserved (&desk, 'A', 106, "0/3");
    finish (&desk, 20, 'U');
    assert_int_equal (tori_sched_run (desk.sched, 20, NULL), 0);
    expect_decision (&desk, TORI_RESUME, 'A', TORI_NO_JOB);
    submit_level (&desk, 21, 'V', 4, (tori_job_spec){.level = 1});
    assert_int_equal (tori_sched_run (desk.sched, 21, NULL), 0);
    expect_decision (&desk, TORI_SUSPEND, 'A', desk.job['V']);
    expect_decision (&desk, TORI_START, 'V', TORI_NO_JOB);
    finish (&desk, 22, 'V');
    assert_int_equal (tori_sched_set_down (desk.sched, 22, 1, true, NULL), 0);
    expect_decision (&desk, TORI_REQUEUE, 'A', TORI_NO_JOB);
    expect_run (&desk, 22, "A@2/3");
    assert_true (tori_sched_spec (desk.sched, desk.job['A'], &spec));
    assert_int_equal (spec.done, 6);
    close_desk (&desk);
}

/* A job that was suspended for another goes on when that one ends, under every
 * policy, and not the first of the queue, which has waited for longer. */
TEST (goes_on)
{
    static const char *const policies[]
        = {"fcfs", "backfill", "easy", "conservative"};
    for (size_t i = 0; i < LENGTH (policies); i++) {
        struct desk desk;
        bool fcfs = strcmp (policies[i], "fcfs") == 0;
        open_desk (&desk, "mesh:4", policies[i], TORI_ORDER_SUBMIT,
                   "first-fit");
        submit_level (&desk, 0, 'A', 2,
                      (tori_job_spec){.preempted = TORI_PREEMPTED_SUSPEND});
        expect_run (&desk, 0, "A@0/2");
        submit_level (&desk, 1, 'B', 4, (tori_job_spec){.priority = 1});
        expect_run (&desk, 1, "");
        submit_level (&desk, 50, 'U', 3,
                      (tori_job_spec){.level = 1, .priority = 2});
        assert_int_equal (tori_sched_run (desk.sched, 50, NULL), 0);
        expect_decision (&desk, TORI_SUSPEND, 'A', desk.job['U']);
        expect_decision (&desk, TORI_START, 'U', TORI_NO_JOB);
        expect_reserved (&desk, 'A', 150, "0/2");
        submit_level (&desk, 51, 'C', 1, (tori_job_spec){0});
        expect_run (&desk, 51, fcfs ? "" : "C@3/1");
        finish (&desk, 60, 'U');
        assert_int_equal (tori_sched_run (desk.sched, 60, NULL), 0);
        expect_decision (&desk, TORI_RESUME, 'A', TORI_NO_JOB);
        if (!fcfs)
            finish (&desk, 110, 'C');
        finish (&desk, 110, 'A');
        expect_run (&desk, 110, "B@0/4");
        close_desk (&desk);
    }
}

/* A job that is to move and is preempted before the move was fetched has moved
 * first: it continues there. */
TEST (moved_first)
{
    struct desk desk;
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_level (&desk, 0, 'A', 2,
                  (tori_job_spec){.preempted = TORI_PREEMPTED_SUSPEND,
                                  .flags = TORI_JOB_REPAIR});
    expect_run (&desk, 0, "A@0/2");
    assert_int_equal (tori_sched_set_down (desk.sched, 5, 0, true, NULL), 0);
    submit_level (&desk, 5, 'U', 4, (tori_job_spec){.level = 1});
    assert_int_equal (tori_sched_run (desk.sched, 5, NULL), 0);
    expect_decision (&desk, TORI_MOVE, 'A', TORI_NO_JOB);
    expect_decision (&desk, TORI_SUSPEND, 'A', desk.job['U']);
    expect_decision (&desk, TORI_START, 'U', TORI_NO_JOB);
    on_desk (&desk, "9: -U > A@1/2");
    close_desk (&desk);
}

/* An impossible change is refused, and nothing has happened. */
TEST (refused)
{
    struct desk desk;
    tori_job a, b;
    tori_job_spec spec = {.size = sizeof spec};
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    on_desk (&desk, "5: A=6/10 B=6/10 > A@0/6");
    a = desk.job['A'];
    b = desk.job['B'];
    assert_int_equal (tori_sched_set_priority (desk.sched, 5, a, 1, NULL), -1);
    assert_int_equal (tori_sched_set_priority (desk.sched, 4, b, 1, NULL), -1);
    assert_int_equal (tori_sched_set_hold (desk.sched, 5, b, 6, NULL), -1);
    assert_int_equal (tori_sched_set_earliest (desk.sched, 5, b, -1, NULL),
                      -1);
    assert_int_equal (tori_sched_set_estimate (desk.sched, 5, a, -1, NULL),
                      -1);
    assert_int_equal (tori_sched_requeue (desk.sched, 5, b, NULL), -1);
    assert_true (tori_sched_spec (desk.sched, b, &spec));
    assert_int_equal (spec.priority, 0);
    expect_reserved (&desk, 'B', 15, "0/6");
    close_desk (&desk);
}
