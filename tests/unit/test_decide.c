/* The situation and decision experiment against its definition: first come,
 * first served by hand, and for every start a machine that is filled anew with
 * what runs at that moment. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <tori/decide.h>

enum { MAX_JOBS = 40, MAX_ALLOCS = 64 };

/* ---- the experiment by its definition ---- */

struct running {
    const tori_work *work;
    tori_time finish;
    tori_placement place;
};

struct naive_decide {
    const tori_decide_config *config;
    const tori_workload *workload;
    size_t situation;
    struct running running[MAX_JOBS];
    size_t nrunning, arrived, started;
    const tori_work *queue[MAX_JOBS];
    size_t nqueue;
    uint64_t sum[MAX_ALLOCS], common[MAX_ALLOCS];
    size_t left_out[MAX_ALLOCS], ncommon;
};

/* A state in which exactly the running jobs hold their nodes. */
static tori_state *present (const struct naive_decide *d)
{
    tori_state *state = make_state (d->config->machine);
    tori_error err;
    if (d->config->initial)
        assert_int_equal (tori_state_copy (state, d->config->initial, &err),
                          0);
    for (size_t i = 0; i < d->nrunning; i++)
        assert_int_equal (
            tori_placement_hold (&d->running[i].place, state, &err), 0);
    return state;
}

static bool ask (const struct naive_decide *d, size_t alloc,
                 const tori_request *request, tori_placement *ret_place)
{
    tori_state *state = present (d);
    tori_request asked = *request;
    tori_alloc *made;
    tori_error err;
    tori_outcome outcome;
    assert_int_equal (tori_alloc_create (d->config->machine,
                                         d->config->allocs[alloc], &made,
                                         &err),
                      0);
    if (!(tori_alloc_get_info (made)->takes & TORI_BY_SHAPE))
        asked.shape = (tori_shape){0};
    outcome = tori_alloc_place (made, state, &asked, ret_place, &err);
    assert_true (outcome != TORI_ERROR || err.status == TORI_GAVE_UP);
    tori_alloc_destroy (made);
    tori_state_destroy (state);
    return outcome == TORI_PLACED;
}

/* By every pair, without the library's sums. */
static uint64_t pairwise (const tori_machine *machine,
                          const tori_placement *place)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < place->count; i++)
        for (uint32_t j = 0; j < i; j++)
            sum += tori_machine_distance (machine, place->nodes[i],
                                          place->nodes[j]);
    return sum;
}

/* The choice of each allocator, if it does not give up. */
static void ask_all (struct naive_decide *d, const tori_request *request)
{
    uint64_t sum[MAX_ALLOCS] = {0};
    bool all = true;
    for (size_t i = 0; i < d->config->nallocs; i++) {
        tori_placement place = {0};
        bool made = ask (d, i, request, &place);
        sum[i] = made ? pairwise (d->config->machine, &place) : 0;
        d->sum[i] += sum[i];
        d->left_out[i] += !made;
        all = all && made;
        tori_placement_clear (&place);
    }
    for (size_t i = 0; all && i < d->config->nallocs; i++)
        d->common[i] += sum[i];
    d->ncommon += all;
}

/* Start the head of the queue if it fits. */
static bool start_head (struct naive_decide *d, tori_time now)
{
    const tori_work *work = d->queue[0];
    tori_placement own = {0};
    if (d->nqueue == 0 || !ask (d, d->situation, &work->request, &own))
        return false;
    ask_all (d, &work->request);
    d->running[d->nrunning++] =
        (struct running){work, now + work->runtime, own};
    memmove (d->queue, d->queue + 1, --d->nqueue * sizeof *d->queue);
    d->started++;
    return true;
}

static bool finish_due (struct naive_decide *d, tori_time now)
{
    size_t kept = 0, before = d->nrunning;
    for (size_t i = 0; i < before; i++) {
        if (d->running[i].finish == now)
            tori_placement_clear (&d->running[i].place);
        else
            d->running[kept++] = d->running[i];
    }
    d->nrunning = kept;
    return kept < before;
}

static tori_time next_event (const struct naive_decide *d)
{
    tori_time next = TORI_TIME_MAX;
    if (d->arrived < d->workload->n)
        next = d->workload->jobs[d->arrived].submit;
    for (size_t i = 0; i < d->nrunning; i++)
        if (d->running[i].finish < next)
            next = d->running[i].finish;
    return next;
}

static void arrive_due (struct naive_decide *d, tori_time now)
{
    uint32_t nodes = tori_machine_nodes (d->config->machine);
    for (; d->arrived < d->workload->n; d->arrived++) {
        const tori_work *work = &d->workload->jobs[d->arrived];
        if (work->submit != now)
            break;
        if (work->request.count <= nodes)
            d->queue[d->nqueue++] = work;
    }
}

static void naive_row (struct naive_decide *d, double ret_row[])
{
    tori_time now;
    for (;;) {
        now = next_event (d);
        if (now == TORI_TIME_MAX && d->nqueue == 0)
            break;
        if (now == TORI_TIME_MAX) { /* what is down keeps the head waiting */
            memmove (d->queue, d->queue + 1, --d->nqueue * sizeof *d->queue);
            now = 0;
        }
        finish_due (d, now);
        arrive_due (d, now);
        do
            while (start_head (d, now))
                ;
        while (finish_due (d, now));
    }
    for (size_t i = 0; i < d->config->nallocs; i++)
        ret_row[i] =
            d->started ? (double)d->sum[i] / (double)d->started : 0;
}

/* ---- random workloads ---- */

static tori_workload random_workload (struct rng *rng,
                                      const tori_machine *machine)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_workload workload = {.n = between (rng, 0, MAX_JOBS)};
    tori_time submit = 0;
    workload.jobs = make_array (workload.n, sizeof *workload.jobs);
    for (size_t i = 0; i < workload.n; i++) {
        tori_work *work = &workload.jobs[i];
        submit += chance (rng, 40) ? 0 : between (rng, 1, 5);
        work->id = (int64_t)i + 1;
        work->submit = submit;
        work->runtime = chance (rng, 20) ? 0 : between (rng, 1, 12);
        work->estimate = work->runtime;
        work->asked = chance (rng, 3) ? nodes + 1
                                      : between (rng, 1, (nodes + 1) / 2);
        work->request.count = work->asked;
        if (chance (rng, 50))
            tori_shape_count (machine, TORI_SHAPE_COMPACT, work->asked,
                              &work->request.shape);
    }
    return workload;
}

/* All that take a count of any size. */
static size_t counting (tori_alloc_config own[MAX_ALLOCS],
                        const tori_alloc_config *allocs[MAX_ALLOCS])
{
    size_t n = 0;
    const tori_alloc_info *info;
    for (size_t i = 0; (info = tori_alloc_list (i)); i++)
        if ((info->takes & TORI_BY_COUNT)
            && !(info->flags & TORI_ALLOC_SEARCHES) && n < MAX_ALLOCS) {
            own[n] = *TORI_ALLOC (info->name);
            allocs[n] = &own[n];
            n++;
        }
    return n;
}

static void compare_row (const tori_decide_config *config, size_t situation,
                         const tori_workload *workload)
{
    struct naive_decide naive = {.config = config,
                                 .workload = workload,
                                 .situation = situation};
    double expected[MAX_ALLOCS], row[MAX_ALLOCS];
    tori_sim_result result;
    tori_error err;
    naive_row (&naive, expected);
    if (tori_decide_row (config, situation, workload, row, &result, &err) < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (result.jobs, naive.started);
    for (size_t i = 0; i < config->nallocs; i++)
        assert_true (row[i] == expected[i]);
}

TEST (by_definition)
{
    tori_alloc_config own[MAX_ALLOCS];
    const tori_alloc_config *allocs[MAX_ALLOCS];
    tori_decide_config config = {
        .size = sizeof config, .sched = TORI_SCHED ("fcfs"), .allocs = allocs};
    struct rng rng = seeded (1);
    config.nallocs = counting (own, allocs);
    assert_true (config.nallocs >= 2);
    for (int i = 0; i < 40; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 24);
        tori_workload workload = random_workload (&rng, machine);
        AUTO_STATE *initial = make_state (machine);
        tori_error err;
        for (uint32_t j = 0; j < tori_machine_nodes (machine); j++)
            if (i % 2 && chance (&rng, 10))
                assert_int_equal (
                    tori_state_set_down (initial, j, true, &err), 0);
        config.machine = machine;
        config.initial = i % 2 ? initial : NULL;
        compare_row (&config, (size_t)i % config.nallocs, &workload);
        free (workload.jobs);
    }
}

/* ---- those that give up ---- */

static double mean (uint64_t sum, size_t n)
{
    return n ? (double)sum / (double)n : 0;
}

/* Returns how many jobs exact left out. */
static size_t compare_cells (const tori_decide_config *config,
                             const tori_workload *workload)
{
    struct naive_decide naive = {.config = config, .workload = workload};
    tori_decide_cell row[3];
    double means[3];
    size_t common = 77;
    tori_sim_result result;
    tori_error err;
    naive_row (&naive, means);
    if (tori_decide_cells (config, 0, workload, row, &common, &result, &err)
        < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (common, naive.ncommon);
    for (size_t i = 0; i < config->nallocs; i++) {
        assert_int_equal (row[i].left_out, naive.left_out[i]);
        assert_true (row[i].mean
                     == mean (naive.sum[i], naive.started - row[i].left_out));
        assert_true (row[i].common == mean (naive.common[i], common));
    }
    /* An allocator that takes no gaps gets none. */
    if (common < naive.started) {
        assert_int_equal (
            tori_decide_row (config, 0, workload, means, NULL, &err), -1);
        assert_int_equal (err.status, TORI_GAVE_UP);
    }
    return row[1].left_out;
}

TEST (gaps)
{
    tori_alloc_config exact = *TORI_ALLOC ("exact");
    tori_alloc_config ptas = *TORI_ALLOC ("ptas", .epsilon = 0.01);
    const tori_alloc_config *const allocs[] = {TORI_ALLOC ("mm"), &exact,
                                               &ptas};
    tori_decide_config config = {.size = sizeof config,
                                 .sched = TORI_SCHED ("fcfs"),
                                 .allocs = allocs,
                                 .nallocs = 3};
    size_t left_out = 0, jobs = 0;
    struct rng rng = seeded (8);
    for (int i = 0; i < 30; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 24);
        tori_workload workload = random_workload (&rng, machine);
        exact.steps = ptas.steps = UINT64_C (1) << between (&rng, 12, 22);
        config.machine = machine;
        left_out += compare_cells (&config, &workload);
        jobs += workload.n;
        free (workload.jobs);
    }
    assert_true (left_out > 0 && left_out < jobs / 2);
}

/* The run ends if the allocator that places jobs gives up. */
TEST (end)
{
    const tori_alloc_config *const allocs[] = {
        TORI_ALLOC ("exact", .steps = 1), TORI_ALLOC ("mm")};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_work job = {.id = 1, .runtime = 1, .estimate = 1, .asked = 5,
                     .request = {.count = 5}};
    tori_workload workload = {.jobs = &job, .n = 1};
    tori_decide_config config = {.size = sizeof config,
                                 .machine = machine,
                                 .sched = TORI_SCHED ("fcfs"),
                                 .allocs = allocs,
                                 .nallocs = 2};
    tori_decide_cell row[2] = {{.left_out = 77}};
    tori_error err = {0};
    size_t common = 77;
    assert_int_equal (
        tori_decide_cells (&config, 0, &workload, row, &common, NULL, &err),
        -1);
    assert_int_equal (err.status, TORI_GAVE_UP);
    assert_non_null (strstr (err.text, "exact places"));
    assert_true (common == 77 && row[0].left_out == 77);
}

/* ---- under every policy: its own decisions are those of a simulation ---- */

TEST (diagonal)
{
    tori_alloc_config own[MAX_ALLOCS];
    const tori_alloc_config *allocs[MAX_ALLOCS];
    size_t n = counting (own, allocs);
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_workload_options options = {.size = sizeof options,
                                     .jobs = 200, .load = 1, .seed = 3};
    tori_workload workload;
    tori_error err;
    assert_int_equal (
        tori_workload_model ("lublin", machine, &options, &workload, &err), 0);
    for (size_t p = 0; tori_sched_list (p); p++)
        for (size_t i = 0; i < n; i++) {
            const tori_sched_config *sched = TORI_SCHED (
                tori_sched_list (p)->name, allocs[i], TORI_ORDER_SHORTEST);
            tori_decide_config config = {.size = sizeof config,
                                         .machine = machine,
                                         .sched = sched,
                                         .allocs = allocs,
                                         .nallocs = n};
            tori_sim_config sim = {
                .size = sizeof sim, .machine = machine, .sched = sched};
            double row[MAX_ALLOCS];
            tori_sim_result result = {0}, expected = {0};
            assert_int_equal (
                tori_sim_run (&sim, &workload, &expected, &err), 0);
            assert_int_equal (
                tori_decide_row (&config, i, &workload, row, &result, &err),
                0);
            assert_true (row[i] == expected.pairwise);
            assert_memory_equal (&result, &expected, sizeof result);
        }
    tori_workload_clear (&workload);
}

/* ---- refusals ---- */

static void expect_invalid (const tori_decide_config *config,
                            const tori_workload *workload, const char *text)
{
    double row[2] = {-1, -1};
    tori_sim_result result = {.jobs = 77};
    tori_error err = {0};
    assert_int_equal (
        tori_decide_row (config, 0, workload, row, &result, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, text));
    assert_true (row[0] == -1 && row[1] == -1 && result.jobs == 77);
}

TEST (refusals)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_work job = {.id = 9, .runtime = 1, .estimate = 1, .asked = 2};
    tori_workload workload = {.jobs = &job, .n = 1};
    tori_alloc_config other = *TORI_ALLOC ("none-such");
    const tori_alloc_config *const allocs[] = {TORI_ALLOC ("row-ff"), &other};
    tori_decide_config config = {.size = sizeof config,
                                 .machine = machine,
                                 .allocs = allocs,
                                 .nallocs = 2};
    job.request.count = 2;
    expect_invalid (&config, &workload, "none-such");
    other.name = "first-fit";
    expect_invalid (&config, &workload, "first-fit takes no count");
    other.name = "row-bf";
    config.sched = TORI_SCHED ("none-such");
    expect_invalid (&config, &workload, "none-such");
    config.sched = NULL;
    job.request = (tori_request){.shape = make_shape ("2")};
    expect_invalid (&config, &workload, "job 9 asks for no count");
}
