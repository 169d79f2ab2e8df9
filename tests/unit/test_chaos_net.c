/* Memory runs out in partitions, messages and preempted networks. */
#include "chaos_scenario.h"

#include <stdlib.h>
#include <unistd.h>

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

/* Two jobs side by side; with a model, by chance. */
static int send_messages (const struct scenario *self, tori_error *err)
{
    static const uint32_t left[] = {0, 1, 4, 5}, right[] = {2, 3, 6, 7};
    tori_machine *machine = own_machine (self->machine);
    tori_traffic_job jobs[] = {
        {.nodes = left, .n = 4, .flits = 3, .rounds = 2},
        {.nodes = right, .n = 4, .flits = 9, .rounds = 2}};
    tori_traffic_config config = {.size = sizeof config, .machine = machine,
                                  .net = &(tori_net_config){.size = sizeof (tori_net_config), .switching = TORI_CUT_THROUGH},
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

/* Processes take turns. */
static int preempt (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_preempt_config config = {.size = sizeof config, .machine = machine,
                                  .net = &(tori_net_config){.size = sizeof (tori_net_config), .switching = TORI_CUT_THROUGH},
                                  .switches = 2,
                                  .slice = 40,
                                  .flits = 4,
                                  .load = 0.5,
                                  .seed = 1};
    tori_preempt_result result = {.switches = UNTOUCHED};
    int status = tori_preempt_run (&config, &result, err);
    if (status == 0) {
        assert_true (tori_preempt_kept (&result.processes[0]));
        assert_int_equal (result.processes[0].delivered, 210);
        tori_preempt_clear (&result);
    } else {
        assert_ptr_equal (result.switches, UNTOUCHED);
    }
    tori_machine_destroy (machine);
    return status;
}

/* A message on its way is saved, and what it refers to is alive. */
static int look_for_garbage (const struct scenario *self, tori_error *err)
{
    static const tori_reference refs[] = {{TORI_ROOT, 0}, {3, 1}};
    tori_machine *machine = own_machine (self->machine);
    tori_box all = box_of (machine, "0,0/4x4");
    tori_net_config how = {.size = sizeof how, .switching = TORI_CUT_THROUGH};
    tori_net *net = NULL;
    tori_drain *drain = NULL;
    tori_saved *saved = NULL;
    bool live[4];
    int status = tori_net_create (machine, &how, &net, err);
    if (status == 0)
        status = tori_net_send (net, 0, 15, 4, 3, err);
    if (status == 0)
        status = tori_drain_start (net, &all, NULL, &drain, err);
    while (status == 0 && !tori_drain_done (drain))
        tori_net_step (net);
    if (status == 0)
        status = tori_drain_save (drain, &saved, err);
    if (status == 0)
        status = tori_saved_live (saved, refs, 2, 4, live, err);
    if (status == 0)
        assert_true (live[0] && live[1] && !live[2] && live[3]);
    tori_saved_destroy (saved);
    tori_drain_release (drain);
    tori_net_destroy (net);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the table ---- */

static const struct scenario fixed[] = {
    {"send messages by phases", send_messages, .machine = "mesh:2x4",
     .pattern = "all-to-all"},
    {"send messages by chance", send_messages, .machine = "torus:4x4",
     .pattern = "random", .model = "open"},
    {"open and closed partitions", look_at_partitions,
     .machine = "torus:4x4"},
    {"look for garbage", look_for_garbage, .machine = "torus:4x4"},
    {"switch processes", preempt, .machine = "torus:4x4", .file = "job.ckpt"},
};

int main (void)
{
    scenario_add_all (fixed, sizeof fixed / sizeof fixed[0]);
    return scenario_run_all ("chaos");
}
