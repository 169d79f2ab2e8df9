/* Memory runs out while a scheduler is copied, saved, made from a file, run
 * forward and explained. */
#include "chaos_scenario.h"

#include <stdio.h>
#include <stdlib.h>

enum { NJOBS = 17 };

/* A scheduler with a queue, and something down; that does not fail. */
static tori_sched *make_queue (const struct scenario *self,
                               const tori_machine *machine)
{
    bool by_shape = tori_alloc_find (self->alloc)->takes & TORI_BY_SHAPE;
    tori_decision decision = {.size = sizeof decision};
    uint64_t most = UINT64_MAX >> 5;
    tori_request instead = {.count = 8, .shape = {3, {2, 2, 2}}};
    tori_sched *sched;
    struct rng rng;
    chaos_pause ();
    rng_seed (&rng, 3, 0);
    assert_int_equal (tori_sched_create (machine,
                                         TORI_SCHED (self->policy,
                                                     TORI_ALLOC (self->alloc)),
                                         &sched, NULL),
                      0);
    for (uint64_t i = 0; i < NJOBS; i++) {
        tori_job_spec spec = {.size = sizeof spec, .tag = i};
        tori_job job;
        spec.estimate = (1 + random_below (&rng, 9)) * TORI_SECOND;
        spec.request.count = 1 + random_below (&rng, 20);
        if (by_shape)
            spec.request.shape = (tori_shape){
                3, {1 + random_below (&rng, 3), 1 + random_below (&rng, 3),
                    1 + random_below (&rng, 2)}};
        if (by_shape && i == NJOBS - 1) { /* half of it has a place now */
            spec.estimate = TORI_SECOND;
            spec.request.shape = (tori_shape){3, {4, 2, 1}};
        }
        if (by_shape)
            spec.request.count
                = (uint32_t)tori_shape_volume (&spec.request.shape);
        if (by_shape && i % 4 == 1)
            spec.only = &most;
        if (by_shape && i % 3 == 0) {
            spec.alternatives = &instead;
            spec.nalternatives = 1;
            spec.patience = i % 2 * 3 * TORI_SECOND;
        }
        assert_int_equal (tori_sched_submit (sched, 0, &spec, &job, NULL), 0);
    }
    assert_int_equal (tori_sched_set_down (sched, 0, 0, true, NULL), 0);
    assert_int_equal (tori_sched_run (sched, 0, NULL), 0);
    while (tori_sched_next (sched, &decision))
        ;
    chaos_resume ();
    return sched;
}

/* A scheduler that was saved and read again. */
static int through_file (tori_sched *sched, tori_snapshot **ret_snapshot,
                         tori_sched **ret_sched, tori_error *err)
{
    tori_snapshot *taken = NULL;
    char *text = NULL;
    size_t size = 0;
    int status;
    if (tori_snapshot_take (sched, &taken, err) < 0)
        return -1;
    status = tori_snapshot_format (taken, &text, &size, err);
    if (status < 0)
        assert_null (text);
    tori_snapshot_destroy (taken);
    if (status == 0)
        status = tori_snapshot_parse (text, size, "text", ret_snapshot, err);
    if (status == 0)
        status = tori_snapshot_sched (*ret_snapshot, NULL, ret_sched, err);
    chaos_pause ();
    free (text);
    chaos_resume ();
    return status;
}

static void count_start (void *arg, const tori_forecast *it)
{
    (void)it;
    ++*(size_t *)arg;
}

static int count_reason (void *arg, const tori_why *why)
{
    *(size_t *)arg += 1 + why->nhelps;
    return 0;
}

static int explain (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_sched *sched = make_queue (self, machine), *copy = NULL,
               *again = NULL;
    tori_snapshot *snapshot = NULL;
    size_t starts = 0, reasons = 0;
    int status = tori_sched_copy (sched, &copy, err);
    if (status == 0)
        status = through_file (copy, &snapshot, &again, err);
    if (status == 0)
        status = tori_forecast_each (again, count_start, &starts, err);
    if (status == 0)
        status = tori_why_each (again, count_reason, &reasons, err);
    if (status == 0)
        assert_true (starts > 0 && reasons > starts);
    tori_sched_destroy (again);
    tori_snapshot_destroy (snapshot);
    tori_sched_destroy (copy);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
    return status;
}

int main (void)
{
    scenario_add_policies (explain, "explain", TORI_BY_SHAPE);
    scenario_add_policies (explain, "explain", TORI_BY_COUNT);
    return scenario_run_all ("chaos");
}
