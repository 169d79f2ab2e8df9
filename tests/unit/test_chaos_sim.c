/* Memory runs out in logs, workloads and simulations. */
#include "chaos_scenario.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- logs ---- */

static const char swf[]
    = "; Version: 2.2\n"
      "; MaxProcs: 64\n"
      "; Note: a field\n"
      "; Queue: 1 batch\n"
      "1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1\n"
      "2 5 -1 11.5 8 -1 -1 8 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
      "; in between\n"
      "3 5 -1 0 1 -1 -1 -1 20 -1 1 1 1 -1 1 -1 -1 -1\n"
      "4 9 -1 7 99 -1 -1 99 20 -1 1 1 1 -1 1 -1 -1 -1\n";

static int read_data (const void *data, size_t size, tori_error *err)
{
    tori_swf_reader *reader = UNTOUCHED;
    tori_swf_record record, before;
    int status, records = 0;
    if (tori_swf_open_memory (data, size, "log", &reader, err) < 0) {
        assert_ptr_equal (reader, UNTOUCHED);
        return -1;
    }
    do {
        memset (&record, 0xa5, sizeof record);
        before = record;
        status = tori_swf_next (reader, &record, err);
        records += status > 0;
    } while (status > 0);
    if (status == 0)
        assert_int_equal (records, 4);
    else
        assert_memory_equal (&record, &before, sizeof record);
    tori_swf_close (reader);
    return status;
}

static int read_log (const struct scenario *self, tori_error *err)
{
    return read_data (swf, sizeof swf - 1, err);
}

static int read_compressed_log (const struct scenario *self, tori_error *err)
{
    unsigned char data[1024];
    z_stream zip = {.next_out = data, .avail_out = sizeof data};
    chaos_pause ();
    zip.next_in = (z_const Bytef *)(uintptr_t)swf;
    zip.avail_in = sizeof swf - 1;
    assert_int_equal (deflateInit2 (&zip, 9, Z_DEFLATED, 15 + 16, 9,
                                    Z_DEFAULT_STRATEGY),
                      Z_OK);
    assert_int_equal (deflate (&zip, Z_FINISH), Z_STREAM_END);
    deflateEnd (&zip);
    chaos_resume ();
    return read_data (data, sizeof data - zip.avail_out, err);
}

/* The number of entries of a directory. */
static int entries (const char *path)
{
    int n = 0;
    DIR *dir = opendir (path);
    assert_non_null (dir);
    for (const struct dirent *e; (e = readdir (dir));)
        n += e->d_name[0] != '.' || strlen (e->d_name) > 2;
    closedir (dir);
    return n;
}

static int write_one_log (const char *path, tori_error *err)
{
    tori_swf_writer *writer = UNTOUCHED;
    tori_swf_record record = {.job = 1, .runtime = 2.5, .procs = 4};
    int status;
    if (tori_swf_create (path, &writer, err) < 0) {
        assert_ptr_equal (writer, UNTOUCHED);
        return -1;
    }
    status = tori_swf_write_header (writer, "MaxProcs", "64", err);
    if (status == 0)
        status = tori_swf_write (writer, &record, err);
    if (status == 0)
        status = tori_swf_commit (writer, err);
    tori_swf_writer_close (writer);
    return status;
}

/* A log that was not written leaves nothing behind. */
static int write_log (const struct scenario *self, tori_error *err)
{
    char directory[] = "chaos-XXXXXX", path[64];
    int status;
    assert_non_null (mkdtemp (directory));
    snprintf (path, sizeof path, "%s/%s", directory, self->file);
    status = write_one_log (path, err);
    assert_int_equal (entries (directory), status == 0);
    if (status == 0)
        assert_int_equal (unlink (path), 0);
    assert_int_equal (rmdir (directory), 0);
    return status;
}

/* ---- workloads ---- */

static const tori_workload_options options = {
    .size = sizeof options,
    .shaping = TORI_SHAPE_FIRST_MATCH,
    .wiring = TORI_WIRE_TORUS,
    .torus_fraction = 0.5,
    .load = 0.8,
    .seed = 1,
    .jobs = 100,
};

/* Allocators that fold shapes reserve no links. */
static int make_model (const struct scenario *self,
                       const tori_machine *machine, tori_workload *workload,
                       tori_error *err)
{
    tori_workload_options own = options;
    if (self->alloc
        && (tori_alloc_find (self->alloc)->flags & TORI_ALLOC_FOLDS))
        own.wiring = TORI_WIRE_NONE;
    return tori_workload_model (self->model ? self->model : "lublin", machine,
                                &own, workload, err);
}

static const char table[] = "submit,runtime,count,user,queue\n"
                            "1,2,3,ann,a\n"
                            "2,2,4,bob,a\n"
                            "2,2,4,\"c, d\",b\n";

static int make_from (const void *data, size_t size,
                      const tori_machine *machine, tori_workload *workload,
                      tori_error *err)
{
    tori_swf_reader *reader;
    int status = tori_swf_open_memory (data, size, "log", &reader, err);
    if (status < 0)
        return -1;
    status = tori_workload_from_swf (reader, machine, &options, workload, err);
    tori_swf_close (reader);
    return status;
}

static int make_from_log (const struct scenario *self,
                          const tori_machine *machine,
                          tori_workload *workload, tori_error *err)
{
    return make_from (swf, sizeof swf - 1, machine, workload, err);
}

static int make_from_table (const struct scenario *self,
                            const tori_machine *machine,
                            tori_workload *workload, tori_error *err)
{
    return make_from (table, sizeof table - 1, machine, workload, err);
}

/* Some jobs, and then blocks of these. */
static int make_chosen (const struct scenario *self,
                        const tori_machine *machine, tori_workload *workload,
                        tori_error *err)
{
    tori_workload_options own = options;
    own.keep = "size=1-8,16,32-;date=0..";
    own.resample = 3600 * TORI_SECOND;
    return tori_workload_model ("lublin", machine, &own, workload, err);
}

static void assert_same_work (const tori_work *a, const tori_work *b)
{
    assert_int_equal (a->id, b->id);
    assert_int_equal (a->submit, b->submit);
    assert_int_equal (a->runtime, b->runtime);
    assert_int_equal (a->estimate, b->estimate);
    assert_int_equal (a->asked, b->asked);
    assert_true (tori_shape_equal (&a->request.shape, &b->request.shape));
    assert_int_equal (a->request.wiring, b->request.wiring);
}

static int make_workload (const struct scenario *self,
                          int (*make) (const struct scenario *self,
                                       const tori_machine *machine,
                                       tori_workload *workload,
                                       tori_error *err),
                          tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_workload workload, before, expected = {0};
    int status;
    chaos_pause ();
    assert_int_equal (make (self, machine, &expected, NULL), 0);
    chaos_resume ();
    memset (&workload, 0xa5, sizeof workload);
    before = workload;
    status = make (self, machine, &workload, err);
    if (status < 0) {
        assert_memory_equal (&workload, &before, sizeof workload);
    } else {
        assert_int_equal (workload.n, expected.n);
        for (size_t i = 0; i < workload.n; i++)
            assert_same_work (&workload.jobs[i], &expected.jobs[i]);
        tori_workload_clear (&workload);
    }
    tori_workload_clear (&expected);
    tori_machine_destroy (machine);
    return status;
}

static int model (const struct scenario *self, tori_error *err)
{
    return make_workload (self, make_model, err);
}

static int from_log (const struct scenario *self, tori_error *err)
{
    return make_workload (self, make_from_log, err);
}

static int from_table (const struct scenario *self, tori_error *err)
{
    return make_workload (self, make_from_table, err);
}

static int chosen (const struct scenario *self, tori_error *err)
{
    return make_workload (self, make_chosen, err);
}

/* ---- simulations ---- */

enum { MOST_JOBS = 200 };

static int simulate (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_sim_network network = {.size = sizeof network,
        .pattern = self->pattern ? tori_pattern_find (self->pattern) : 0};
    tori_sim_preempt preempt = {.size = sizeof preempt, .clock = 1000000};
    tori_sim_gang gang = {.size = sizeof gang, .preempt = &preempt};
    tori_sim_window window = {.size = sizeof window, TORI_SECOND, 100 * TORI_SECOND};
    tori_sim_interrupts interrupts = {.size = sizeof interrupts, .mtbf = 100000 * TORI_SECOND,
                                      .mttr = 1000 * TORI_SECOND,
                                      .checkpoint = 600 * TORI_SECOND};
    uint64_t pairwise[MOST_JOBS], placement[MOST_JOBS], reason[MOST_JOBS];
    tori_sim_texts texts = {0};
    tori_sim_columns columns = {.size = sizeof columns, .pairwise = pairwise,
                                .placement = placement, .reason = reason,
                                .texts = &texts};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched =
            TORI_SCHED (self->policy,
                        TORI_ALLOC (self->alloc, .noncubic = self->noncubic)),
        .network = self->pattern ? &network : NULL,
        .gang = &gang,
        .window = &window,
        .interrupts = self->fails ? &interrupts : NULL,
        .columns = self->fails ? &columns : NULL,
    };
    tori_sim_result result, before, expected;
    tori_workload workload = {0};
    int status;
    memset (&expected, 0xa5, sizeof expected);
    memset (&result, 0xa5, sizeof result);
    before = result;
    chaos_pause ();
    assert_int_equal (make_model (self, machine, &workload, NULL), 0);
    assert_true (workload.n <= MOST_JOBS);
    assert_int_equal (tori_sim_run (&config, &workload, &expected, NULL), 0);
    tori_sim_texts_clear (&texts);
    chaos_resume ();
    status = tori_sim_run (&config, &workload, &result, err);
    assert_memory_equal (&result, status < 0 ? &before : &expected,
                         sizeof result);
    tori_sim_texts_clear (&texts);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
    return status;
}

static int decide_row (const struct scenario *self, tori_error *err)
{
    const tori_alloc_config *const allocs[] = {TORI_ALLOC ("row-ff"),
                                               TORI_ALLOC ("row-bf")};
    tori_machine *machine = own_machine (self->machine);
    tori_decide_config config = {.size = sizeof config,
                                 .machine = machine,
                                 .sched = TORI_SCHED ("fcfs"),
                                 .allocs = allocs,
                                 .nallocs = 2};
    tori_workload_options how = {.size = sizeof how,
                                 .jobs = 20, .seed = 5, .load = 1};
    double row[2] = {-1, -1}, expected[2];
    tori_workload workload = {0};
    int status;
    chaos_pause ();
    assert_int_equal (
        tori_workload_model ("lublin", machine, &how, &workload, NULL), 0);
    assert_int_equal (
        tori_decide_row (&config, 0, &workload, expected, NULL, NULL), 0);
    chaos_resume ();
    status = tori_decide_row (&config, 0, &workload, row, NULL, err);
    for (size_t i = 0; i < 2; i++)
        assert_true (row[i] == (status < 0 ? -1 : expected[i]));
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the table ---- */

static const struct scenario fixed[] = {
    {"read a log", .run = read_log},
    {"read a compressed log", .run = read_compressed_log},
    {"write a log", write_log, .file = "log.swf"},
    {"write a compressed log", write_log, .file = "log.swf.gz"},
    {"simulate noncubic jobs, rounded up", simulate, .machine = "mesh:4x4x3",
     .policy = "fcfs", .alloc = "isomorphic", .model = "noncubic"},
    {"simulate noncubic jobs, decomposed", simulate, .machine = "mesh:4x4x3",
     .policy = "easy", .alloc = "isomorphic", .model = "noncubic",
     .noncubic = TORI_NONCUBIC_DECOMPOSE},
    {"simulate messages all to all", simulate, .machine = "mesh:4x4",
     .policy = "easy", .alloc = "first-fit", .pattern = "all-to-all"},
    {"simulate messages by chance", simulate, .machine = "torus:4x4",
     .policy = "fcfs", .alloc = "first-fit", .pattern = "random"},
    {"simulate failures", simulate, .machine = "torus:4x4",
     .policy = "easy", .alloc = "first-fit", .fails = true},
    {"a workload from a log", from_log, .machine = "torus:4x4x4"},
    {"a workload from a table", from_table, .machine = "torus:4x4x4"},
    {"jobs that are kept, in blocks", chosen, .machine = "torus:4x4x4"},
    {"situations and decisions", decide_row, .machine = "mesh:4x4"},
    {"simulate gang on torus:4x4x4", simulate, .machine = "torus:4x4x4",
     .policy = "gang", .alloc = "isomorphic"}, /* no links */
};

static void add_models (const char *machine)
{
    const tori_model_info *info;
    for (size_t i = 0; (info = tori_model_list (i)); i++) {
        struct scenario s = {
            .run = model, .machine = machine, .model = info->name};
        snprintf (s.name, sizeof s.name, "a workload by the model %s",
                  info->name);
        scenario_add (&s);
    }
}

int main (void)
{
    scenario_add_all (fixed, sizeof fixed / sizeof fixed[0]);
    add_models ("multitorus:4x4x4");
    scenario_add_policies (simulate, "simulate", TORI_BY_SHAPE);
    return scenario_run_all ("chaos");
}
