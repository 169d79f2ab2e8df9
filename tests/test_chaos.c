/* Every allocation of every scenario fails once, and once with all that
 * follow. Then either the scenario failed for want of memory, with what it had
 * to fill in left as it was, or it came to the same result as ever; and either
 * way nothing is left allocated. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <tori/tori.h>

#include "chaos.h"
#include "gantt.h"
#include "plancheck.h"
#include "planjobs.h"
#include "planlanes.h"
#include "random.h"

struct scenario {
    char name[80];
    int (*run) (const struct scenario *self, tori_error *err);
    const char *machine;
    const char *policy;
    const char *alloc;
    const char *file;
    const char *model; /* NULL: lublin */
    tori_noncubic noncubic;
    const char *pattern; /* of messages in a network; NULL: none */
};

/* What an output holds before a call that may fail. */
static char nothing;
#define UNTOUCHED ((void *)&nothing)

/* ---- the driver ---- */

enum { TOO_MANY = 100000 };

static void assert_nomem (const tori_error *err)
{
    assert_int_equal (err->status, TORI_FAILED);
    assert_true (strstr (err->text, "out of memory")
                 || strstr (err->text, "Cannot allocate memory"));
}

static bool survive_one (const struct scenario *scenario, unsigned long n,
                         bool onwards)
{
    tori_error err = {0};
    size_t live = chaos_live ();
    int status;
    chaos_arm (n, onwards);
    status = scenario->run (scenario, &err);
    if (status < 0) {
        assert_true (chaos_fired ());
        assert_nomem (&err);
    }
    assert_int_equal (chaos_live (), live);
    return chaos_disarm ();
}

static void survive (void **state)
{
    for (int onwards = 0; onwards < 2; onwards++) {
        unsigned long n = 1;
        while (survive_one (*state, n, onwards))
            assert_true (n++ < TOO_MANY);
        assert_true (n > 1); /* otherwise nothing was tested */
    }
}

/* ---- helpers ---- */

static uint32_t random_below (struct rng *rng, uint32_t n)
{
    return (uint32_t)rng_below (rng, n);
}

/* Of the test's own, so it cannot fail. */
static tori_machine *own_machine (const char *text)
{
    tori_machine *machine = NULL;
    chaos_pause ();
    assert_int_equal (tori_machine_parse (text, &machine, NULL), 0);
    chaos_resume ();
    return machine;
}

static tori_state *own_state (const tori_machine *machine)
{
    tori_state *state = NULL;
    chaos_pause ();
    assert_int_equal (tori_state_create (machine, &state, NULL), 0);
    chaos_resume ();
    return state;
}

static void own_copy (tori_state *to, const tori_state *from)
{
    chaos_pause ();
    assert_int_equal (tori_state_copy (to, from, NULL), 0);
    chaos_resume ();
}

static tori_box box_of (const tori_machine *machine, const char *text)
{
    tori_box box;
    assert_int_equal (tori_box_parse (machine, text, &box, NULL), 0);
    return box;
}

/* ---- machines, states, links ---- */

static int parse_machine (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = UNTOUCHED;
    if (tori_machine_parse (self->machine, &machine, err) < 0) {
        assert_ptr_equal (machine, UNTOUCHED);
        return -1;
    }
    tori_machine_destroy (machine);
    return 0;
}

static int set_node_down (tori_state *state, tori_error *err)
{
    return tori_state_set_down (state, 3, true, err);
}

static int set_node_drained (tori_state *state, tori_error *err)
{
    return tori_state_set_drained (state, 4, true, err);
}

static int set_link_down (tori_state *state, tori_error *err)
{
    tori_link link = {1, TORI_NEAR, 1};
    return tori_state_set_link_down (state, &link, true, err);
}

static int take_mesh (tori_state *state, tori_error *err)
{
    tori_box box = box_of (tori_state_machine (state), "0,1,3/2x2x1");
    return tori_wiring_take (state, &box, TORI_WIRE_MESH, err);
}

static int hold_torus (tori_state *state, tori_error *err)
{
    tori_box box = box_of (tori_state_machine (state), "2,0,2/2x2x1");
    tori_placement place = {
        .is_box = true, .wiring = TORI_WIRE_TORUS, .box = box, .count = 4};
    return tori_placement_hold (&place, state, err);
}

static int hold_nodes (tori_state *state, tori_error *err)
{
    uint32_t nodes[] = {0, 7, 9};
    tori_placement place = {.count = 3, .nodes = nodes};
    return tori_placement_hold (&place, state, err);
}

static int sum_pairs (tori_state *state, tori_error *err)
{
    uint32_t nodes[] = {0, 7, 9};
    tori_placement place = {.count = 3, .nodes = nodes};
    uint64_t sum = 12345;
    int status = tori_placement_pairwise (
        &place, tori_state_machine (state), &sum, err);
    if (status < 0)
        assert_int_equal (sum, 12345);
    return status;
}

static int copy_placement (tori_state *state, tori_error *err)
{
    uint32_t nodes[] = {0, 7, 9};
    tori_placement place = {.count = 3, .nodes = nodes}, copy = {0};
    int status = tori_placement_copy (&copy, &place, err);
    assert_int_equal (copy.count, status < 0 ? 0 : 3);
    tori_placement_clear (&copy);
    return status;
}

/* Each in a state that nothing has happened to yet, in which whatever is made
 * when first needed has to be made. */
static int (*const changes[]) (tori_state *state, tori_error *err) = {
    set_node_down, set_node_drained, set_link_down,  take_mesh,
    hold_torus,    hold_nodes,       sum_pairs,      copy_placement,
};

static int change_states (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_state *before = own_state (machine), *state = UNTOUCHED;
    size_t n = sizeof changes / sizeof changes[0];
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        status = tori_state_create (machine, &state, err);
        if (status < 0) {
            assert_ptr_equal (state, UNTOUCHED);
            break;
        }
        status = changes[i](state, err);
        if (status < 0)
            assert_true (tori_state_equal (state, before));
        tori_state_destroy (state);
        state = UNTOUCHED;
    }
    tori_state_destroy (before);
    tori_machine_destroy (machine);
    return status;
}

static int copy_state (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_state *from = own_state (machine), *to = own_state (machine);
    tori_state *before = own_state (machine);
    int status;
    chaos_pause ();
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        assert_int_equal (changes[i](from, NULL), 0);
    chaos_resume ();
    status = tori_state_copy (to, from, err);
    assert_true (tori_state_equal (to, status < 0 ? before : from));
    tori_state_destroy (before);
    tori_state_destroy (to);
    tori_state_destroy (from);
    tori_machine_destroy (machine);
    return status;
}

/* ---- allocators ---- */

/* The i-th of some requests of growing size, in a way the allocator takes:
 * those that answer shapes with boxes alone can wire them. */
static tori_request request_for (const char *alloc, int i)
{
    const tori_alloc_info *info = tori_alloc_find (alloc);
    tori_request request = {.count = (uint32_t)i + 1};
    if (info->takes & TORI_BY_SHAPE) {
        request.shape = (tori_shape){3, {1, 1u + (i >= 2), 1u + (i & 1)}};
        request.count = (uint32_t)tori_shape_volume (&request.shape);
        request.wiring = i & 1 ? TORI_WIRE_TORUS : TORI_WIRE_MESH;
        if (info->folds || info->takes & TORI_BY_COUNT)
            request.wiring = TORI_WIRE_NONE;
    }
    return request;
}

static void assert_same_place (const tori_placement *a,
                               const tori_placement *b,
                               const tori_machine *machine)
{
    uint32_t x[64], y[64];
    assert_int_equal (a->is_box, b->is_box);
    assert_int_equal (a->count, b->count);
    tori_placement_nodes (a, machine, x);
    tori_placement_nodes (b, machine, y);
    assert_memory_equal (x, y, a->count * sizeof x[0]);
}

/* Place one request; when that fails, once more, as if nothing had been. */
static void place_again (tori_alloc *alloc, const tori_state *state,
                         const tori_request *request, tori_placement *place)
{
    tori_error err = {0};
    tori_outcome outcome
        = tori_alloc_place (alloc, state, request, place, &err);
    if (outcome == TORI_ERROR) {
        assert_true (chaos_fired ());
        assert_nomem (&err);
        assert_null (place->nodes);
        chaos_disarm ();
        outcome = tori_alloc_place (alloc, state, request, place, &err);
    }
    assert_int_equal (outcome, TORI_PLACED);
}

/* A second allocator, of the test's own, says what the first should. */
static void place_some (tori_alloc *alloc, tori_alloc *undisturbed,
                        tori_state *state, const char *name)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_state *before = own_state (machine);
    for (int i = 0; i < 4; i++) {
        tori_request request = request_for (name, i);
        tori_placement place = {0}, expected = {0};
        chaos_pause ();
        assert_int_equal (tori_alloc_place (undisturbed, state, &request,
                                            &expected, NULL),
                          TORI_PLACED);
        chaos_resume ();
        own_copy (before, state);
        place_again (alloc, state, &request, &place);
        assert_true (tori_state_equal (state, before));
        assert_same_place (&place, &expected, machine);
        chaos_pause ();
        assert_int_equal (tori_placement_hold (&place, state, NULL), 0);
        chaos_resume ();
        tori_placement_clear (&place);
        tori_placement_clear (&expected);
    }
    tori_state_destroy (before);
}

static int allocate (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_state *state = own_state (machine);
    tori_alloc *alloc = UNTOUCHED, *undisturbed;
    int status;
    chaos_pause ();
    assert_int_equal (
        tori_alloc_create (self->alloc, machine, &undisturbed, NULL), 0);
    chaos_resume ();
    status = tori_alloc_create (self->alloc, machine, &alloc, err);
    if (status < 0) {
        assert_ptr_equal (alloc, UNTOUCHED);
    } else {
        place_some (alloc, undisturbed, state, self->alloc);
        tori_alloc_destroy (alloc);
    }
    tori_alloc_destroy (undisturbed);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

/* ---- subcubes ---- */

static const tori_shape parts[] = {
    {3, {1, 2, 2}}, {3, {3, 1, 3}}, {3, {1, 1, 1}}, {3, {3, 3, 1}}};
enum { NPARTS = sizeof parts / sizeof parts[0] };

/* A request that fails takes nothing, and can be made again. */
static void request_again (tori_cubes *cubes, const tori_shape *shape,
                           tori_placement *place)
{
    tori_error err = {0};
    uint32_t before = tori_cubes_free_count (cubes);
    tori_outcome outcome = tori_cubes_request (cubes, shape, place, &err);
    if (outcome == TORI_ERROR) {
        assert_true (chaos_fired ());
        assert_nomem (&err);
        assert_null (place->nodes);
        assert_int_equal (tori_cubes_free_count (cubes), before);
        chaos_disarm ();
        outcome = tori_cubes_request (cubes, shape, place, &err);
    }
    assert_int_equal (outcome, TORI_PLACED);
    assert_int_equal (tori_cubes_free_count (cubes), before - place->count);
}

static int use_cubes (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_placement places[NPARTS] = {{0}};
    tori_cubes *cubes = UNTOUCHED;
    tori_alloc_options options = {.noncubic = self->noncubic};
    int status = tori_cubes_create (machine, &options, &cubes, err);
    if (status < 0) {
        assert_ptr_equal (cubes, UNTOUCHED);
        tori_machine_destroy (machine);
        return -1;
    }
    for (int i = 0; i < NPARTS; i++)
        request_again (cubes, &parts[i], &places[i]);
    for (int i = 0; i < NPARTS; i++) {
        tori_cubes_release (cubes, &places[i]);
        tori_placement_clear (&places[i]);
    }
    assert_int_equal (tori_cubes_free_count (cubes),
                      tori_machine_nodes (machine));
    tori_cubes_destroy (cubes);
    tori_machine_destroy (machine);
    return 0;
}

/* ---- schedulers ---- */

enum { NJOBS = 40, MAX_TIME = 5000 };

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
        tori_job_spec spec = {job->request, job->estimate, (uint64_t)i};
        if (job->submit != drive->now)
            continue;
        job->id = UINT32_MAX;
        UNTIL_DONE (drive, tori_sched_submit (drive->sched, drive->now, &spec,
                                              &job->id, &err));
        job->present = true;
    }
}

/* A few things that happen to machines and jobs. */
static void disturb (struct drive *drive)
{
    tori_link link = {2, TORI_NEAR, 21};
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
    if (decision->kind == TORI_START) {
        tori_placement_nodes (decision->place,
                              tori_state_machine (
                                  tori_sched_state (drive->sched)),
                              nodes);
        first = nodes[0];
    }
    drive->at += (size_t)snprintf (
        drive->log + drive->at, sizeof drive->log - drive->at,
        "%d: %d job %" PRIu64 " at %u\n", drive->now, (int)decision->kind,
        decision->tag, first);
    assert_true (drive->at < sizeof drive->log);
}

static void decide (struct drive *drive)
{
    tori_decision decision;
    UNTIL_DONE (drive, tori_sched_run (drive->sched, drive->now, &err));
    while (tori_sched_next (drive->sched, &decision)) {
        struct job *job = &drive->jobs[decision.tag];
        note (drive, &decision);
        if (decision.kind == TORI_START) {
            job->id = decision.job;
            job->end = drive->now + job->runtime;
        } else {
            gone (drive, job);
        }
    }
}

/* Let all the jobs run through a scheduler. */
static int run_jobs (const struct scenario *self, const tori_machine *machine,
                     struct drive *drive, tori_error *err)
{
    drive->sched = UNTOUCHED;
    if (tori_sched_create (machine, self->policy, TORI_ORDER_SUBMIT,
                           self->alloc, &drive->sched, err)
        < 0) {
        assert_ptr_equal (drive->sched, UNTOUCHED);
        return -1;
    }
    make_jobs (drive, self->alloc);
    drive->left = NJOBS;
    for (drive->now = 0; drive->left > 0; drive->now++) {
        assert_true (drive->now < MAX_TIME);
        finish_some (drive);
        submit_some (drive);
        disturb (drive);
        decide (drive);
    }
    tori_sched_destroy (drive->sched);
    return 0;
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
        = {.slot = 10, .on_finish = count_finish, .arg = &finished};
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

/* ---- workloads ---- */

static const char swf[]
    = "; Version: 2.2\n"
      "; MaxProcs: 64\n"
      "; Note: a field\n"
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

static const tori_workload_options options = {
    .shaping = TORI_SHAPE_FIRST_MATCH,
    .wiring = TORI_WIRE_TORUS,
    .torus_fraction = 0.5,
    .load = 0.8,
    .seed = 1,
    .jobs = 100,
};

/* Who folds shapes reserves no links. */
static int make_model (const struct scenario *self,
                       const tori_machine *machine, tori_workload *workload,
                       tori_error *err)
{
    tori_workload_options own = options;
    if (self->alloc && tori_alloc_find (self->alloc)->folds)
        own.wiring = TORI_WIRE_NONE;
    return tori_workload_model (self->model ? self->model : "lublin", machine,
                                &own, workload, err);
}

static int make_from_log (const struct scenario *self,
                          const tori_machine *machine,
                          tori_workload *workload, tori_error *err)
{
    tori_swf_reader *reader;
    int status = tori_swf_open_memory (swf, sizeof swf - 1, "log", &reader,
                                       err);
    if (status < 0)
        return -1;
    status = tori_workload_from_swf (reader, machine, &options, workload, err);
    tori_swf_close (reader);
    return status;
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

/* ---- simulations ---- */

static int simulate (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_alloc_options tuning = {.noncubic = self->noncubic};
    tori_sim_network network = {
        .pattern = self->pattern ? tori_pattern_find (self->pattern) : 0};
    tori_sim_preempt preempt = {.clock = 1000000};
    tori_sim_gang gang = {.preempt = &preempt};
    tori_sim_window window = {TORI_SECOND, 100 * TORI_SECOND};
    tori_sim_config config = {.machine = machine,
                              .policy = self->policy,
                              .alloc = self->alloc,
                              .alloc_options = &tuning,
                              .network = self->pattern ? &network : NULL,
                              .gang = &gang,
                              .window = &window};
    tori_sim_result result, before, expected;
    tori_workload workload = {0};
    int status;
    memset (&expected, 0xa5, sizeof expected);
    memset (&result, 0xa5, sizeof result);
    before = result;
    chaos_pause ();
    assert_int_equal (make_model (self, machine, &workload, NULL), 0);
    assert_int_equal (tori_sim_run (&config, &workload, &expected, NULL), 0);
    chaos_resume ();
    status = tori_sim_run (&config, &workload, &result, err);
    assert_memory_equal (&result, status < 0 ? &before : &expected,
                         sizeof result);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
    return status;
}

/* ---- partitions ---- */

static int look_at_partitions (const struct scenario *self, tori_error *err)
{
    static const uint32_t ell[] = {0, 1, 2, 3, 4, 8, 12};
    tori_machine *machine = own_machine (self->machine);
    tori_box boxes[] = {box_of (machine, "0,0/4x3"),
                        box_of (machine, "1,0/1x4")};
    tori_partition three[] = {{.nodes = ell, .n = sizeof ell / sizeof *ell},
                              {.box = &boxes[0]},
                              {.box = &boxes[1]}};
    tori_disturbance *list = UNTOUCHED;
    tori_escape escape;
    bool closed = true;
    size_t found;
    int status =
        tori_partition_closed (machine, &three[0], &closed, &escape, err);
    assert_int_equal (closed, status < 0);
    for (int routing = 0; routing < 2 && status == 0; routing++) {
        status = tori_partition_disturb (machine, (tori_routing)routing, three,
                                         3, &list, &found, err);
        if (status < 0) {
            assert_ptr_equal (list, UNTOUCHED);
        } else {
            assert_int_equal (found, 3);
            free (list);
            list = UNTOUCHED;
        }
    }
    tori_machine_destroy (machine);
    return status;
}

/* ---- situations and decisions, points ---- */

static int decide_row (const struct scenario *self, tori_error *err)
{
    static const char *const allocs[] = {"row-ff", "row-bf"};
    tori_machine *machine = own_machine (self->machine);
    tori_decide_config config = {.machine = machine,
                                 .policy = "fcfs",
                                 .allocs = allocs,
                                 .nallocs = 2};
    tori_workload_options how = {.jobs = 20, .seed = 5, .load = 1};
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

static int choose_four (const struct scenario *self, const tori_points *points,
                        tori_error *err)
{
    static const tori_alloc_options fine = {.epsilon = 0.01};
    size_t chosen[4], expected[4];
    uint64_t sum = 77, expected_sum = 0;
    int status;
    chaos_pause ();
    assert_int_equal (tori_points_choose (self->alloc, points, 4,
                                          &fine, expected, &expected_sum,
                                          NULL),
                      0);
    chaos_resume ();
    status = tori_points_choose (self->alloc, points, 4, &fine, chosen,
                                 &sum, err);
    if (status == 0)
        assert_memory_equal (chosen, expected, sizeof chosen);
    assert_int_equal (sum, status < 0 ? 77 : expected_sum);
    return status;
}

/* All round a ring, and so little epsilon that ptas has to cut; then on a line
 * and a ring alone, which some know more about. */
static int choose_points (const struct scenario *self, tori_error *err)
{
    static const int64_t coords[] = {0, 0, 2, 1, 4, 0, 6, 1, -4, 0, 10, 1};
    static const uint64_t around[] = {12, 0};
    tori_points plane = {
        .ndims = 2, .n = 6, .coords = coords, .around = around};
    tori_points ring = {
        .ndims = 1, .n = 12, .coords = coords, .around = around};
    tori_points line = {.ndims = 1, .n = 12, .coords = coords};
    if (choose_four (self, &plane, err) < 0
        || choose_four (self, &ring, err) < 0)
        return -1;
    return choose_four (self, &line, err);
}

/* ---- preemptive plans ---- */

static const tori_preemptive_job campaign[] = {
    {8, {2, 1}}, {4, {4, 1}}, {4, {3, 1}}, {2, {2, 1}}, {2, {5, 2}}};
enum { NCAMPAIGN = sizeof campaign / sizeof campaign[0] };

static int plan_preemptively (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_exact least = {-1, 1};
    tori_preemptive_bound bound = {.longest = {-1, 1}};
    tori_preemptive plan = {.segment = UNTOUCHED};
    int status =
        tori_preemptive_least (machine, campaign, NCAMPAIGN, &least, err);
    assert_true (least.num == (status < 0 ? -1 : 4));
    if (status == 0) {
        status = tori_preemptive_bounds (machine, campaign, NCAMPAIGN, &bound,
                                         err);
        assert_true (bound.longest.num == (status < 0 ? -1 : 4));
    }
    if (status == 0) {
        status = tori_preemptive_plan (machine, campaign, NCAMPAIGN, least,
                                       &plan, err);
        if (status < 0)
            assert_ptr_equal (plan.segment, UNTOUCHED);
        else
            assert_int_equal (plan.segments, 7);
    }
    if (status == 0)
        tori_preemptive_clear (&plan);
    tori_machine_destroy (machine);
    return status;
}

static int read_campaign (const struct scenario *self, tori_error *err)
{
    struct planjobs jobs, before;
    FILE *file = fopen (self->file, "w");
    int status;
    assert_non_null (file);
    for (int i = 0; i < 40; i++)
        fprintf (file, "%d 1/%d\n4x2 2.5\n", i + 1, i + 2);
    fclose (file);
    memset (&jobs, 0xa5, sizeof jobs);
    before = jobs;
    status = planjobs_read (self->file, &jobs, err);
    if (status < 0) {
        assert_memory_equal (&jobs, &before, sizeof jobs);
    } else {
        assert_int_equal (jobs.n, 80);
        assert_int_equal (jobs.shapes, 40);
        planjobs_clear (&jobs);
    }
    unlink (self->file);
    return status;
}

/* ---- plans with contention ---- */

/* Enough jobs to fill rows and columns, and some that are larger. */
enum { NCROWD = 280 };

static void fill_crowd (tori_contention_job job[])
{
    struct rng rng;
    rng_seed (&rng, 5, 0);
    for (int i = 0; i < NCROWD; i++) {
        uint32_t side = i < 4 ? 8 : 1;
        job[i] = (tori_contention_job){
            {2, {side, side}},
            tori_exact_make (1 + random_below (&rng, 20), 3)};
    }
}

static int plan_with_contention (const struct scenario *self, tori_error *err)
{
    static tori_contention_job job[NCROWD];
    const tori_contention_search search = {.steps = 3, .seed = 1};
    tori_machine *machine = own_machine (self->machine);
    tori_contention *plan = UNTOUCHED;
    struct planlanes lanes;
    int status;
    fill_crowd (job);
    status =
        tori_contention_create (machine, job, NCROWD, &search, &plan, err);
    if (status < 0) {
        assert_ptr_equal (plan, UNTOUCHED);
    } else {
        char text[TORI_CONTENTION_TEXT];
        tori_contention_text (plan, TORI_CONTENTION_MAKESPAN, 0, text);
        assert_string_equal (text, "66.9676946004231771");
        status = planlanes_create (machine, plan, NCROWD, &lanes, err);
        if (status == 0)
            planlanes_clear (&lanes);
        tori_contention_destroy (plan);
    }
    tori_machine_destroy (machine);
    return status;
}

/* jansson's allocations are its own. */
static int check_plan (const struct scenario *self, const char *text,
                       int (*check) (const struct planfile *file,
                                     tori_error *err),
                       tori_error *err)
{
    struct planfile file, before;
    FILE *out = fopen (self->file, "w");
    int status;
    assert_non_null (out);
    fputs (text, out);
    fclose (out);
    memset (&file, 0xa5, sizeof file);
    before = file;
    status = planfile_read (self->file, &file, err);
    if (status < 0) {
        assert_memory_equal (&file, &before, sizeof file);
    } else {
        status = check (&file, err);
        planfile_clear (&file);
    }
    unlink (self->file);
    return status;
}

static int check_contention (const struct scenario *self, tori_error *err)
{
    return check_plan (
        self,
        "{\"plan\":\"contention\",\"machine\":\"torus:2x2\",\"makespan\":1.5,"
        "\"jobs\":[{\"id\":1,\"start\":0,\"finish\":1.5,\"row\":0,\"col\":0,"
        "\"offset\":[0,0],\"shape\":[1,2],\"time\":1,\"time_exact\":\"1/1\","
        "\"order\":1},{\"id\":2,\"start\":0,\"finish\":1.5,\"row\":1,\"col\":0,"
        "\"offset\":[1,0],\"shape\":[1,2],\"time\":1,\"time_exact\":\"1/1\","
        "\"order\":2}],\"lower_bound\":{\"longest\":1,\"area\":1,"
        "\"contention_free\":1},\"gap\":0.5}",
        plancheck_contention, err);
}

static int check_preemptive (const struct scenario *self, tori_error *err)
{
    return check_plan (
        self,
        "{\"plan\":\"preemptive\",\"machine\":\"torus:2x2\",\"feasible\":true,"
        "\"finish\":1,\"finish_exact\":\"1/1\",\"deadline\":1,"
        "\"deadline_exact\":\"1/1\",\"preemptions\":0,\"segments\":[{\"id\":1,"
        "\"first\":0,\"size\":1,\"start\":0,\"start_exact\":\"0/1\","
        "\"finish\":1,\"finish_exact\":\"1/1\"}],\"jobs\":[{\"id\":1,"
        "\"dimension\":1,\"time\":1,\"time_exact\":\"1/1\"}],\"gap\":0,"
        "\"least\":1,\"least_exact\":\"1/1\",\"lower_bound\":{\"longest\":1,"
        "\"longest_exact\":\"1/1\",\"area\":0.5,\"area_exact\":\"1/2\"}}",
        plancheck_preemptive, err);
}

static const struct gantt_bar stays[] = {{1, 0, 8, 0, 2}, {2, 8, 12, 0, 4}};
static const struct gantt picture = {.title = "plan",
                                     .lane_title = "lanes",
                                     .lanes = 16,
                                     .end = 4,
                                     .bar = stays,
                                     .bars = 2};

static int draw_text (const struct scenario *self, tori_error *err)
{
    static char text[4096];
    FILE *out = fmemopen (text, sizeof text, "w");
    int status;
    assert_non_null (out);
    status = gantt_text (&picture, 60, out, err);
    fclose (out);
    if (status == 0)
        assert_non_null (strstr (text, "2-----"));
    return status;
}

/* Whole or not at all. */
static int draw_svg (const struct scenario *self, tori_error *err)
{
    int status;
    unlink (self->file);
    status = gantt_svg (&picture, self->file, err);
    assert_int_equal (access (self->file, F_OK), status);
    unlink (self->file);
    return status;
}

/* ---- messages ---- */

/* Two jobs side by side; with a model, by chance. */
static int send_messages (const struct scenario *self, tori_error *err)
{
    static const uint32_t left[] = {0, 1, 4, 5}, right[] = {2, 3, 6, 7};
    tori_machine *machine = own_machine (self->machine);
    tori_traffic_job jobs[] = {
        {.nodes = left, .n = 4, .flits = 3, .rounds = 2},
        {.nodes = right, .n = 4, .flits = 9, .rounds = 2}};
    tori_traffic_config config = {.machine = machine,
                                  .net = {.switching = TORI_CUT_THROUGH},
                                  .jobs = jobs,
                                  .njobs = 2,
                                  .rate = self->model ? 0.3 : 0,
                                  .warmup = 10,
                                  .cycles = 100,
                                  .seed = 1};
    tori_traffic_result result = {.jobs = UNTOUCHED};
    int status;
    jobs[0].pattern = jobs[1].pattern = tori_pattern_find (self->pattern);
    status = tori_traffic_run (&config, &result, err);
    if (status < 0)
        assert_ptr_equal (result.jobs, UNTOUCHED);
    else
        tori_traffic_clear (&result);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the table ---- */

/* ---- network preemption ---- */

/* Processes take turns; the first goes into a file, and on from it. */
static int preempt (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_preempt_config config = {.machine = machine,
                                  .net = {.switching = TORI_CUT_THROUGH},
                                  .switches = 2,
                                  .slice = 40,
                                  .flits = 4,
                                  .load = 0.5,
                                  .seed = 1,
                                  .checkpoint = self->file};
    tori_preempt_result result = {.switches = UNTOUCHED};
    int status;
    unlink (self->file);
    status = tori_preempt_run (&config, &result, err);
    if (status == 0) {
        assert_true (tori_preempt_kept (&result.processes[0]));
        assert_int_equal (result.processes[0].sent, 210);
        tori_preempt_clear (&result);
        result.switches = UNTOUCHED;
        config.checkpoint = NULL;
        config.restart = self->file;
        status = tori_preempt_run (&config, &result, err);
    }
    if (status == 0) {
        assert_int_equal (result.processes[0].delivered, 210);
        tori_preempt_clear (&result);
    } else {
        assert_ptr_equal (result.switches, UNTOUCHED);
    }
    unlink (self->file);
    tori_machine_destroy (machine);
    return status;
}

static const struct scenario fixed[] = {
    {"move the front of a queue tree", move_front, .machine = "mesh:4"},
    {"share time by a queue tree", share_time, .machine = "mesh:2x4"},
    {"parse a machine", parse_machine, .machine = "torus:16x16x8m"},
    {"change states of a multi-torus", change_states,
     .machine = "multitorus:4x4x4"},
    {"change states of a torus", change_states, .machine = "torus:4x4x4"},
    {"copy a state of a torus", copy_state, .machine = "torus:4x4x4"},
    {"copy a state of a multi-torus", copy_state,
     .machine = "multitorus:4x4x4"},
    {"subcubes rounded up", use_cubes, .machine = "mesh:16x8x7"},
    {"subcubes decomposed", use_cubes, .machine = "mesh:16x8x7",
     .noncubic = TORI_NONCUBIC_DECOMPOSE},
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
    {"send messages by phases", send_messages, .machine = "mesh:2x4",
     .pattern = "all-to-all"},
    {"send messages by chance", send_messages, .machine = "torus:4x4",
     .pattern = "random", .model = "open"},
    {"open and closed partitions", look_at_partitions,
     .machine = "torus:4x4"},
    {"a workload from a log", from_log, .machine = "torus:4x4x4"},
    {"situations and decisions", decide_row, .machine = "mesh:4x4"},
    {"a preemptive plan", plan_preemptively, .machine = "torus:16x16"},
    {"a plan with contention", plan_with_contention,
     .machine = "torus:16x16"},
    {"check a plan with contention", check_contention, .file = "plan.json"},
    {"check a preemptive plan", check_preemptive, .file = "plan.json"},
    {"read jobs for a plan", read_campaign, .file = "campaign.txt"},
    {"draw a plan as text", .run = draw_text},
    {"draw a plan as SVG", draw_svg, .file = "plan.svg"},
    {"switch processes", preempt, .machine = "torus:4x4", .file = "job.ckpt"},
};

enum { NFIXED = sizeof fixed / sizeof fixed[0], MAX_SCENARIOS = 200 };

static struct scenario scenarios[MAX_SCENARIOS];
static struct CMUnitTest tests[MAX_SCENARIOS];
static size_t n;

static void add (const struct scenario *scenario)
{
    if (n == MAX_SCENARIOS)
        abort ();
    scenarios[n] = *scenario;
    tests[n] = (struct CMUnitTest){.name = scenarios[n].name,
                                   .test_func = survive,
                                   .initial_state = &scenarios[n]};
    n++;
}

static void add_models (const char *machine)
{
    const tori_model_info *info;
    for (size_t i = 0; (info = tori_model_list (i)); i++) {
        struct scenario s = {.run = model, .machine = machine,
                             .model = info->name};
        snprintf (s.name, sizeof s.name, "a workload by the model %s",
                  info->name);
        add (&s);
    }
}

static void add_policies (const char *machine, const char *alloc)
{
    const tori_sched_info *info;
    for (size_t i = 0; (info = tori_sched_list (i)); i++) {
        struct scenario s = {.run = schedule, .machine = machine,
                             .policy = info->name, .alloc = alloc};
        snprintf (s.name, sizeof s.name, "schedule by %s with %s on %s",
                  info->name, alloc, machine);
        add (&s);
        s.run = simulate;
        snprintf (s.name, sizeof s.name, "simulate %s with %s on %s",
                  info->name, alloc, machine);
        if (tori_alloc_find (alloc)->takes & TORI_BY_SHAPE)
            add (&s);
    }
}

/* Every model and allocator; every policy with the first allocator that takes
 * shapes and the first that takes counts. */
static void add_all (void)
{
    const tori_alloc_info *info;
    const char *by_shape = NULL, *by_count = NULL;
    for (size_t i = 0; i < NFIXED; i++)
        add (&fixed[i]);
    add_models ("multitorus:4x4x4");
    for (size_t i = 0; (info = tori_alloc_list (i)); i++) {
        struct scenario s = {.run = allocate, .machine = "multitorus:4x4x4",
                             .alloc = info->name};
        snprintf (s.name, sizeof s.name, "allocate by %s", info->name);
        add (&s);
        s.run = choose_points;
        snprintf (s.name, sizeof s.name, "choose points by %s", info->name);
        if (info->points)
            add (&s);
        if (!by_shape && info->takes & TORI_BY_SHAPE)
            by_shape = info->name;
        if (!by_count && info->takes & TORI_BY_COUNT)
            by_count = info->name;
    }
    if (by_shape) {
        add_policies ("torus:4x4x4", by_shape);
        add_policies ("multitorus:4x4x4", by_shape);
    }
    if (by_count)
        add_policies ("torus:4x4x4", by_count);
    add (&(struct scenario){"simulate gang on torus:4x4x4", simulate,
                            .machine = "torus:4x4x4", .policy = "gang",
                            .alloc = "isomorphic"}); /* no links */
}

int main (void)
{
    add_all ();
    return _cmocka_run_group_tests ("chaos", tests, n, NULL, NULL);
}
