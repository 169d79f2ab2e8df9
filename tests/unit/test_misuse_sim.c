/* Mistakes of callers with schedulers, workloads and simulations, as in
 * test_misuse.c. */
#include "misuse.h"

#include <stdio.h>
#include <unistd.h>

#include <tori/sim.h>

/* ---- the scheduler ---- */

TEST (orders)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_sched *sched = NULL;
    for (int i = 0; i < 3; i++) {
        tori_order order = (tori_order)(int[]){4, 77, -1}[i];
        assert_null (tori_order_name (order));
        INVALID (tori_sched_create (
            machine, TORI_SCHED ("easy", .order = order), &sched, &err));
    }
    assert_null (sched);
}

TEST (submit)
{
    static const int ndims[] = {-1, TORI_MAX_DIMS + 1, 1 << 30};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_job_spec spec = {.size = sizeof spec,
                          .request = {.shape = make_shape ("2x2")}};
    tori_placement place = {.nboxes = 1, .box = make_box (machine, "0,0"),
                            .count = 1};
    tori_sched *sched;
    tori_decision decision = {.size = sizeof decision};
    tori_job job = 77;
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    for (size_t i = 0; i < LENGTH (ndims); i++) {
        spec.request.shape.ndims = ndims[i];
        INVALID (tori_sched_submit (sched, 0, &spec, &job, &err));
        INVALID (tori_sched_adopt (sched, 0, &spec, 0, &place, &job, &err));
    }
    spec.request.shape = make_shape ("2x2");
    spec.request.wiring = (tori_wiring)9;
    INVALID (tori_sched_submit (sched, 0, &spec, &job, &err));
    INVALID (tori_sched_finish (sched, 0, 0, &err));
    INVALID (tori_sched_cancel (sched, 0, 0, &err));
    INVALID (tori_sched_set_down (sched, 0, 16, true, &err));
    assert_int_equal (job, 77);
    assert_int_equal (tori_sched_run (sched, 0, NULL), 0);
    assert_false (tori_sched_next (sched, &decision));
    assert_int_equal (tori_state_free_count (tori_sched_state (sched)), 16);
    tori_sched_destroy (sched);
}

/* ---- workloads ---- */

TEST (shaping)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_workload_options options = {.size = sizeof options, .jobs = 5};
    tori_workload work = {.n = 77};
    tori_shape shape = {.ndims = 77};
    for (int i = 0; i < 3; i++) {
        int value = (int[]){-1, 5, 77}[i];
        assert_false (
            tori_shape_count (machine, (tori_shaping)value, 4, &shape));
        assert_int_equal (shape.ndims, 77);
        options.shaping = (tori_shaping)value;
        INVALID (
            tori_workload_model ("lublin", machine, &options, &work, &err));
        options.shaping = TORI_SHAPE_FAT;
        options.wiring = (tori_wiring)value;
        INVALID (
            tori_workload_model ("lublin", machine, &options, &work, &err));
        options.wiring = TORI_WIRE_NONE;
    }
    assert_int_equal (work.n, 77);
    tori_workload_clear (NULL);
}

/* A log is committed once, and then closed. */
static void write_log (const char *path)
{
    tori_swf_record record = {.job = 1, .procs = 1, .runtime = 1};
    tori_swf_writer *writer;
    assert_int_equal (tori_swf_create (path, &writer, NULL), 0);
    assert_int_equal (tori_swf_write_header (writer, "A", "b", NULL), 0);
    assert_int_equal (tori_swf_write (writer, &record, NULL), 0);
    assert_int_equal (tori_swf_commit (writer, NULL), 0);
    INVALID (tori_swf_write (writer, &record, &err));
    INVALID (tori_swf_write_header (writer, "C", "d", &err));
    INVALID (tori_swf_commit (writer, &err));
    INVALID (tori_swf_commit (writer, &err));
    tori_swf_writer_close (writer);
}

TEST (writer)
{
    for (int packed = 0; packed < 2; packed++) {
        char path[80];
        tori_swf_reader *reader;
        tori_swf_record record;
        snprintf (path, sizeof path, "misuse-%ld.swf%s", (long)getpid (),
                  packed ? ".gz" : "");
        write_log (path);
        assert_int_equal (tori_swf_open (path, &reader, NULL), 0);
        assert_string_equal (tori_swf_header (reader, "A"), "b");
        assert_null (tori_swf_header (reader, "C"));
        assert_int_equal (tori_swf_next (reader, &record, NULL), 1);
        assert_int_equal (tori_swf_next (reader, &record, NULL), 0);
        tori_swf_close (reader);
        unlink (path);
    }
}

/* ---- simulations ---- */

/* The state of on_start: how often it has been called, and when it stops. */
struct stop {
    int calls, last;
    bool says_why;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct stop *stop = arg;
    (void)job;
    assert_non_null (err);
    if (++stop->calls < stop->last)
        return 0;
    if (stop->says_why)
        tori_error_set (err, TORI_NOT_NOW, "enough");
    return 5;
}

/* Ten jobs of a node and a second each, one after the other. */
static void run_sim (const char *policy, struct stop *stop, int status,
                     tori_error *err)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2");
    tori_work jobs[10] = {{0}};
    tori_workload work = {.jobs = jobs, .n = LENGTH (jobs)};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED (policy, TORI_ALLOC ("first-fit")),
        .on_start = on_start,
        .arg = stop,
    };
    tori_sim_result result = {.jobs = 77};
    for (size_t i = 0; i < LENGTH (jobs); i++)
        jobs[i] = (tori_work){.id = (int64_t)i, .runtime = TORI_SECOND,
                              .submit = (tori_time)i * 2 * TORI_SECOND,
                              .estimate = TORI_SECOND, .asked = 1,
                              .request = {.shape = {1, {1}}}};
    assert_int_equal (tori_sim_run (&config, &work, &result, err), status);
    assert_int_equal (result.jobs, status < 0 ? 77 : 10);
}

TEST (on_start)
{
    static const char *const policies[] = {"fcfs", "gang"};
    for (size_t i = 0; i < LENGTH (policies); i++) {
        struct stop never = {.last = 99}, silent = {.last = 3};
        struct stop loud = {.last = 2, .says_why = true}, quiet = silent;
        tori_error err;
        run_sim (policies[i], &never, 0, NULL);
        assert_int_equal (never.calls, 10);
        run_sim (policies[i], &quiet, -1, NULL);
        assert_int_equal (quiet.calls, 3);
        memset (&err, 0x5a, sizeof err);
        run_sim (policies[i], &silent, -1, &err);
        assert_int_equal (err.status, TORI_FAILED);
        assert_non_null (strstr (err.text, "stopped"));
        run_sim (policies[i], &loud, -1, &err);
        assert_int_equal (err.status, TORI_NOT_NOW);
        assert_string_equal (err.text, "enough");
    }
}

/* With gang, too, a job that asks for nothing is rejected, and one whose
 * request is invalid ends it. */
static void count_rejects (void *arg, const tori_work *work, const char *why)
{
    (void)work;
    assert_string_equal (why, "no nodes asked for");
    ++*(int *)arg;
}

TEST (gang_requests)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_work jobs[2] = {{.runtime = 5}, {.runtime = 5}};
    tori_workload work = {.jobs = jobs, .n = 2};
    int rejected = 0;
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("gang", TORI_ALLOC ("first-fit")),
        .on_reject = count_rejects,
        .arg = &rejected,
    };
    tori_sim_result result;
    jobs[1].request.shape = make_shape ("2");
    assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
    assert_int_equal (rejected, 1);
    assert_int_equal (result.jobs, 1);
    jobs[1].request.shape.ndims = 1 << 20;
    INVALID (tori_sim_run (&config, &work, &result, &err));
}

/* Workloads that somebody has made by hand, and made wrong. The first job that
 * is wrong is named, whoever is asked. */
static void expect_wrong (const tori_work jobs[], size_t n, const char *text)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_work own[3];
    tori_workload work = {.jobs = own, .n = n};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
    };
    tori_sim_result result = {.jobs = 77};
    memcpy (own, jobs, n * sizeof *own);
    for (size_t i = 0; tori_sim_policy_list (i); i++) {
        tori_error err = {0};
        config.sched =
            TORI_SCHED (tori_sim_policy_list (i)->name, TORI_ALLOC ("row-ff"));
        expect_invalid (tori_sim_run (&config, &work, &result, &err), &err);
        assert_string_equal (err.text, text);
    }
    assert_int_equal (result.jobs, 77);
}

#define WORK(number, when, time, guess)                                 \
    {                                                                   \
        .id = number, .submit = when, .runtime = time,                  \
        .estimate = guess, .asked = 1, .request.count = 1               \
    }

TEST (times)
{
    static const char too_long[]
        = "job 8: the times of the jobs up to this one add up to more than "
          "4611686018427 seconds";
    static const tori_work negative[][3]
        = {{WORK (7, 0, 1, 1), WORK (8, -1, 1, 1), WORK (9, 5, 1, 1)},
           {WORK (7, 0, 1, 1), WORK (8, 1, -1, 1), WORK (9, 5, 1, 1)},
           {WORK (7, 0, 1, 1), WORK (8, 1, 1, INT64_MIN), WORK (9, 5, 1, 1)}};
    static const tori_work long_times[][3]
        = {{WORK (7, 5, 1, 1), WORK (8, 5, INT64_MAX, INT64_MAX),
            WORK (9, 5, INT64_MAX, INT64_MAX)},
           {WORK (7, 5, 1, INT64_MAX / 2 - 6), WORK (8, 6, 1, 1),
            WORK (9, 6, 1, 1)},
           {WORK (7, 5, 1, 1), WORK (8, 6, INT64_MAX, 1), WORK (9, 6, 1, 1)},
           {WORK (7, 5, 1, 1), WORK (8, INT64_MAX, 0, 0),
            WORK (9, INT64_MAX, 1, 1)}};
    static const tori_work unsorted[]
        = {WORK (7, 0, 1, 1), WORK (8, 5, 1, 1), WORK (9, 4, 1, 1)};
    for (size_t i = 0; i < LENGTH (negative); i++)
        expect_wrong (negative[i], 3, "job 8: a negative time");
    for (size_t i = 0; i < LENGTH (long_times); i++)
        expect_wrong (long_times[i], 3, too_long);
    expect_wrong (unsorted, 3,
                  "job 9: submitted before the job in front of it");
}

/* The longest that there may be. */
TEST (longest)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_time most = INT64_MAX / 2;
    tori_work jobs[] = {WORK (7, 0, 1, 1), WORK (8, 5, most - 6, most - 6)};
    tori_workload work = {.jobs = jobs, .n = 2};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
    };
    for (size_t i = 0; tori_sched_list (i); i++) {
        tori_sim_result result;
        config.sched =
            TORI_SCHED (tori_sched_list (i)->name, TORI_ALLOC ("row-ff"));
        assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
        assert_int_equal (result.jobs, 2);
    }
}

TEST (window)
{
    static const tori_sim_window wrong[]
        = {{5, 4}, {0, -1}, {-1, 5}, {INT64_MAX, INT64_MIN}, {INT64_MIN, 0}};
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_work jobs[] = {WORK (1, 3, 1, 1)};
    tori_workload work = {.jobs = jobs, .n = 1};
    tori_sim_window empty = {.size = sizeof empty, 4, 4};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
    };
    tori_sim_result result;
    for (size_t i = 0; tori_sim_policy_list (i); i++) {
        config.sched =
            TORI_SCHED (tori_sim_policy_list (i)->name, TORI_ALLOC ("row-ff"));
        for (size_t j = 0; j < LENGTH (wrong); j++) {
            config.window = &wrong[j];
            INVALID (tori_sim_run (&config, &work, &result, &err));
        }
        config.window = &empty;
        assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
        assert_int_equal (result.jobs, 0);
    }
}

TEST (interrupts)
{
    static const tori_sim_outage late[] = {{.time = 2}, {.time = 1}},
                                 early[] = {{.time = -1}},
                                 nowhere[] = {{.node = 4}},
                                 no_link[] = {{.node = TORI_NO_NODE,
                                               .link = {.slot = 3}}};
    static const tori_sim_interrupts wrong[] = {
        {.mtbf = -1, .mttr = 1},
        {.mtbf = 1},
        {.mtbf = 1, .mttr = -1},
        {.mtbf = 1, .mttr = 1, .outages = late, .noutages = 1},
        {.checkpoint = -1},
        {.on_failure = (tori_on_failure)17},
        {.outages = late, .noutages = 2},
        {.outages = early, .noutages = 1},
        {.outages = nowhere, .noutages = 1},
        {.outages = no_link, .noutages = 1},
    };
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_work jobs[] = {WORK (1, 3, 1, 1)};
    tori_workload work = {.jobs = jobs, .n = 1};
    tori_sim_config config = {.size = sizeof config, .machine = machine};
    tori_sim_interrupts none = {.size = sizeof none};
    tori_sim_window window = {.size = sizeof window, 0, 1};
    tori_sim_network network = {.size = sizeof network};
    tori_sim_result result;
    for (size_t i = 0; i < LENGTH (wrong); i++) {
        config.interrupts = &wrong[i];
        INVALID (tori_sim_run (&config, &work, &result, &err));
    }
    config.interrupts = &none;
    assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
    config.window = &window;
    assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
    config.window = NULL;
    config.network = &network;
    INVALID (tori_sim_run (&config, &work, &result, &err));
    config.network = NULL;
    config.sched = TORI_SCHED ("gang");
    INVALID (tori_sim_run (&config, &work, &result, &err));
}

/* An unknown policy: the message names all known ones. */
TEST (policies)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_workload work = {0};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("lottery", TORI_ALLOC ("row-ff")),
    };
    tori_sim_result result;
    tori_error err = {0};
    expect_invalid (tori_sim_run (&config, &work, &result, &err), &err);
    for (size_t i = 0; tori_sim_policy_list (i); i++)
        assert_non_null (strstr (err.text, tori_sim_policy_list (i)->name));
}
