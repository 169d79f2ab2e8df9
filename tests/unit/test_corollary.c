/* The corollary of Aridor et al., "Multi-Toroidal Interconnects", 2004: on a
 * multi-torus every job may have a torus, and it all goes as on a torus where
 * no job wants more than a mesh. Job for job, when partitions may not wrap:
 * the same start, the same origin, the same shape. The paper's allocator is
 * first-fit. */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>

#include <tori/sim.h>

enum { NORDERS = TORI_ORDER_LARGEST + 1 };

/* ---- a run, to be compared ---- */

struct start {
    const tori_work *work;
    tori_time start;
    tori_box box;
};

struct log {
    struct start *starts;
    size_t n;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct log *log = arg;
    assert_true (job->place->nboxes);
    log->starts[log->n++]
        = (struct start){job->work, job->start, job->place->box};
    return 0;
}

static void simulate (tori_sim_config config, const tori_workload *work,
                      struct log *log, tori_sim_result *result)
{
    tori_error err;
    *log = (struct log){.starts = make_array (work->n, sizeof *log->starts)};
    config.on_start = on_start;
    config.arg = log;
    config.no_pairwise = true;
    if (tori_sim_run (&config, work, result, &err) < 0)
        fail_msg ("%s", err.text);
}

static void compare (const struct log *a, const tori_workload *work_a,
                     const struct log *b, const tori_workload *work_b)
{
    assert_int_equal (a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        char box_a[TORI_TEXT_MAX], box_b[TORI_TEXT_MAX];
        assert_int_equal (a->starts[i].work - work_a->jobs,
                          b->starts[i].work - work_b->jobs);
        assert_int_equal (a->starts[i].start, b->starts[i].start);
        tori_box_format (&a->starts[i].box, box_a);
        tori_box_format (&b->starts[i].box, box_b);
        assert_string_equal (box_a, box_b);
    }
}

/* The two machines and their workloads. Returns how many jobs ran. */
static size_t compare_runs (tori_sim_config config,
                            const tori_machine *multitorus,
                            const tori_workload *tori,
                            const tori_machine *torus,
                            const tori_workload *meshes)
{
    struct log log[2];
    tori_sim_result result[2];
    size_t n;
    config.result_size = sizeof *result;
    config.machine = multitorus;
    simulate (config, tori, &log[0], &result[0]);
    config.machine = torus;
    simulate (config, meshes, &log[1], &result[1]);
    compare (&log[0], tori, &log[1], meshes);
    assert_memory_equal (&result[0], &result[1], sizeof result[0]);
    n = log[0].n;
    free (log[0].starts);
    free (log[1].starts);
    return n;
}

/* ---- random machines ---- */

static tori_machine *machine_of (const char *kind, const tori_shape *sides)
{
    char shape[TORI_TEXT_MAX], text[TORI_TEXT_MAX + 16];
    tori_shape_format (sides, shape);
    snprintf (text, sizeof text, "%s:%s", kind, shape);
    return make_machine (text);
}

/* The shapes of a stream, all wired like this, none of them wrapping. */
static tori_workload wired (const struct stream *stream, tori_wiring wiring)
{
    tori_workload work = {.n = stream->njobs};
    work.jobs = make_array (work.n, sizeof *work.jobs);
    for (size_t i = 0; i < work.n; i++) {
        const struct stream_job *job = &stream->jobs[i];
        work.jobs[i] = (tori_work){.id = (int64_t)i,
                                   .submit = job->submit,
                                   .runtime = job->runtime,
                                   .estimate = job->estimate,
                                   .asked = job->request.count,
                                   .request = job->request};
        work.jobs[i].request.wiring = wiring;
        work.jobs[i].request.wrap = false;
    }
    return work;
}

TEST (random_machines)
{
    struct stream_options options = {.takes = TORI_BY_SHAPE,
                                     .jobs = 60,
                                     .estimates = OVER,
                                     .max_nodes = 200};
    for (uint64_t seed = 0; seed < 600; seed++) {
        size_t p = seed % 4;
        tori_sim_config config = {
            .size = sizeof config,
            .sched = TORI_SCHED (tori_sched_list (p)->name,
                                 TORI_ALLOC ("first-fit"),
                                 .order = (tori_order)(seed / 4 % NORDERS)),
        };
        struct stream stream;
        tori_machine *torus, *multitorus;
        tori_workload meshes, tori;
        stream_create (&stream, seed, &options);
        torus = machine_of ("torus", tori_machine_shape (stream.machine));
        multitorus = machine_of ("multitorus",
                                 tori_machine_shape (stream.machine));
        meshes = wired (&stream, TORI_WIRE_MESH);
        tori = wired (&stream, TORI_WIRE_TORUS);
        compare_runs (config, multitorus, &tori, torus, &meshes);
        tori_workload_clear (&meshes);
        tori_workload_clear (&tori);
        tori_machine_destroy (torus);
        tori_machine_destroy (multitorus);
        stream_destroy (&stream);
    }
}

/* ---- real logs ---- */

static tori_workload read_trace (const char *path, const tori_machine *machine,
                                 tori_wiring wiring, int64_t scale,
                                 double load)
{
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = TORI_SHAPE_FIRST_MATCH,
                                     .wiring = wiring,
                                     .torus_fraction = 1,
                                     .load = load,
                                     .scale_num = scale,
                                     .scale_den = 1,
                                     .limit = 5000};
    tori_workload work;
    tori_error err;
    if (tori_workload_read (path, machine, &options, &work, &err) < 0)
        fail_msg ("%s", err.text);
    return work;
}

/* At the log's own load and where both machines are full. */
static void compare_trace (const char *name, int64_t scale)
{
    static const char *const policies[] = {"fcfs", "backfill", "easy"};
    const char *path = find_trace (name);
    AUTO_MACHINE *torus = make_machine ("torus:8x8x8");
    AUTO_MACHINE *multitorus = make_machine ("multitorus:8x8x8");
    for (int full = 0; full < 2; full++) {
        tori_workload tori = read_trace (path, multitorus, TORI_WIRE_TORUS,
                                         scale, full ? 1 : 0);
        tori_workload meshes = read_trace (path, torus, TORI_WIRE_MESH, scale,
                                           full ? 1 : 0);
        for (size_t i = 0; i < LENGTH (policies); i++) {
            tori_sim_config config = {
                .size = sizeof config,
                .sched = TORI_SCHED (policies[i]),
            };
            size_t n = compare_runs (config, multitorus, &tori, torus,
                                     &meshes);
            assert_int_equal (n, 5000);
        }
        tori_workload_clear (&tori);
        tori_workload_clear (&meshes);
    }
}

TEST (ctc)
{
    compare_trace ("CTC-SP2-1996-3.1-cln.swf.gz", 1);
}

TEST (sdsc)
{
    compare_trace ("SDSC-SP2-1998-4.2-cln.swf.gz", 4);
}
