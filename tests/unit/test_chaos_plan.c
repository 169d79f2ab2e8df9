/* Memory runs out in plans and their pictures. */
#include "chaos_scenario.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gantt.h"
#include "planjobs.h"
#include "planlanes.h"

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

/* Dimensions that do not divide each other; the deadline is missed first, which
 * takes smaller programs to find the job. */
static int plan_stages (const struct scenario *self, tori_error *err)
{
    static const tori_preemptive_job job[]
        = {{3, {1, 1}}, {2, {1, 1}}, {2, {1, 1}}, {2, {9, 10}}};
    enum { JOBS = sizeof job / sizeof *job };
    tori_machine *machine = own_machine (self->machine);
    tori_preemptive plan = {.segment = UNTOUCHED};
    int status = tori_preemptive_plan (machine, job, JOBS, (tori_exact){1, 1},
                                       &plan, err);
    if (status == 0) {
        assert_false (plan.feasible);
        assert_int_equal (plan.failed, 2);
        plan.segment = UNTOUCHED;
        status = tori_preemptive_plan (machine, job, JOBS, (tori_exact){2, 1},
                                       &plan, err);
    }
    if (status < 0)
        assert_ptr_equal (plan.segment, UNTOUCHED);
    else
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

/* The search has memory of its own. */
static int search_least_plan (const struct scenario *self, tori_error *err)
{
    const tori_contention_search search
        = {.steps = 4000, .own_delay = strchr (self->name, '\'') != NULL};
    tori_machine *machine = own_machine (self->machine);
    static const uint32_t side[] = {4, 4, 4, 4, 2}, time[] = {2, 4, 4, 1, 4};
    tori_contention_job job[5];
    tori_contention *plan = UNTOUCHED;
    int status;
    for (int i = 0; i < 5; i++)
        job[i] = (tori_contention_job){
            {.ndims = 2, .size = {side[i], side[i]}},
            tori_exact_make (time[i], 1)};
    status = tori_contention_create (machine, job, 5, &search, &plan, err);
    if (status < 0)
        assert_ptr_equal (plan, UNTOUCHED);
    else
        assert_true (tori_contention_makespan (plan)
                     < tori_contention_first (plan));
    if (status == 0)
        tori_contention_destroy (plan);
    tori_machine_destroy (machine);
    return status;
}

/* ---- pictures ---- */

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

/* ---- the table ---- */

static const struct scenario fixed[] = {
    {"a preemptive plan", plan_preemptively, .machine = "torus:16x16"},
    {"a plan of stages", plan_stages, .machine = "torus:6x6"},
    {"a plan with contention", plan_with_contention,
     .machine = "torus:16x16"},
    {"the least plan with contention", search_least_plan,
     .machine = "torus:8x8"},
    {"the least plan with a job's own delay", search_least_plan,
     .machine = "torus:8x8"},
    {"read jobs for a plan", read_campaign, .file = "campaign.txt"},
    {"draw a plan as text", .run = draw_text},
    {"draw a plan as SVG", draw_svg, .file = "plan.svg"},
};

int main (void)
{
    scenario_add_all (fixed, sizeof fixed / sizeof fixed[0]);
    return scenario_run_all ("chaos");
}
