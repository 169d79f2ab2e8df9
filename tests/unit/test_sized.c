/* Structures that begin with their size: who was compiled with an older or a
 * newer header is understood, or refused. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/snapshot.h>
#include <tori/tori.h>

/* There is no padding: a member added in padding would not change the size. */
#define NO_PADDING(type, last)                                                \
    _Static_assert (offsetof (type, last) + sizeof (((type *)0)->last)        \
                        == sizeof (type),                                     \
                    #type " has padding at its end")

NO_PADDING (tori_alloc_config, slices);
NO_PADDING (tori_alloc_ops, place);
NO_PADDING (tori_room_config, watch_arg);
NO_PADDING (tori_sched_config, own_policy);
NO_PADDING (tori_policy_ops, arg);
NO_PADDING (tori_window, count);
NO_PADDING (tori_sim_config, patience);
NO_PADDING (tori_sim_columns, texts);
NO_PADDING (tori_sim_result, saturated);
NO_PADDING (tori_sim_network, seed);
NO_PADDING (tori_sim_preempt, clock);
NO_PADDING (tori_sim_gang, result);
NO_PADDING (tori_sim_interrupts, late_share);
NO_PADDING (tori_sim_window, end);
NO_PADDING (tori_sim_look, on_look);
NO_PADDING (tori_net_config, packet);
NO_PADDING (tori_drain_config, words);
NO_PADDING (tori_fluid_config, latency);
NO_PADDING (tori_gang_config, arg);
NO_PADDING (tori_preempt_config, seed);
NO_PADDING (tori_traffic_config, arg);
NO_PADDING (tori_decide_config, initial);
NO_PADDING (tori_workload_options, zero);
NO_PADDING (tori_job_spec, patience);
NO_PADDING (tori_order_ops, flags);
NO_PADDING (tori_order_job, request);
NO_PADDING (tori_snapshot_own, norders);
NO_PADDING (tori_job_info, saved);
NO_PADDING (tori_decision, by);

/* Others contain it: it does not grow. */
_Static_assert (sizeof (tori_request) == 4 * (4 + TORI_MAX_DIMS),
                "the size of a request has changed");

/* ---- calls ---- */

/* What is created is there if and only if the call succeeds. */
#define CREATES(name, type, create, destroy)                                  \
    static int name (const tori_machine *machine, const void *config,         \
                     tori_error *err)                                         \
    {                                                                         \
        type *it = NULL;                                                      \
        int status = create;                                                  \
        (void)machine;                                                        \
        assert_int_equal (it == NULL, status < 0);                            \
        destroy (it);                                                         \
        return status;                                                        \
    }

CREATES (create_alloc, tori_alloc,
         tori_alloc_create (machine, config, &it, err), tori_alloc_destroy)
CREATES (create_cubes, tori_cubes,
         tori_cubes_create (machine, config, &it, err), tori_cubes_destroy)
CREATES (create_sched, tori_sched,
         tori_sched_create (machine, config, &it, err), tori_sched_destroy)
CREATES (create_net, tori_net, tori_net_create (machine, config, &it, err),
         tori_net_destroy)
CREATES (create_fluid, tori_fluid,
         tori_fluid_create (machine, config, &it, err), tori_fluid_destroy)
CREATES (create_world, tori_gang_world,
         tori_gang_world_create (config, &it, err), tori_gang_world_destroy)

/* With the operations of an allocator of the caller's own. */
static int create_own (const tori_machine *machine, const void *ops,
                       tori_error *err)
{
    return create_alloc (machine, TORI_ALLOC (NULL, .ops = ops), err);
}

static int place_nothing (void *data, const tori_state *state,
                          const tori_request *request,
                          tori_placement *ret_place, tori_error *err)
{
    return 0;
}

static int choose (const tori_machine *machine, const void *config,
                   tori_error *err)
{
    static const int64_t coords[] = {5};
    tori_points points = {.ndims = 1, .n = 1, .coords = coords};
    size_t chosen;
    (void)machine;
    return tori_points_choose (config, &points, 1, &chosen, NULL, err);
}

static int restore_sched (const tori_machine *machine, const void *config,
                          tori_error *err)
{
    static const char text[] = "{\"machine\": \"mesh:4x4\"}";
    tori_snapshot *snapshot;
    tori_sched *sched = NULL;
    int status;
    (void)machine;
    assert_int_equal (
        tori_snapshot_parse (text, strlen (text), "it", &snapshot, NULL), 0);
    status = tori_snapshot_sched (snapshot, config, &sched, err);
    assert_int_equal (sched == NULL, status < 0);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return status;
}

static int nothing_first (void *arg, const tori_order_job *job,
                          double *ret_key, tori_error *err)
{
    *ret_key = 0;
    return 0;
}

/* With an order of the caller's own. */
static int create_order (const tori_machine *machine, const void *ops,
                         tori_error *err)
{
    return create_sched (machine, TORI_SCHED ("easy", .own_order = ops), err);
}

static int decide_nothing (void *arg, tori_sched *sched, tori_time now,
                           const tori_job queue[], size_t n, tori_error *err)
{
    return 0;
}

static int create_policy (const tori_machine *machine, const void *ops,
                          tori_error *err)
{
    return create_sched (machine, TORI_SCHED (NULL, .own_policy = ops), err);
}

static int parse_own (const tori_machine *machine, const void *own,
                      tori_error *err)
{
    static const char text[] = "{\"machine\": \"mesh:4x4\"}";
    tori_snapshot *snapshot = NULL;
    int status = tori_snapshot_parse_own (text, strlen (text), "it", own,
                                          &snapshot, err);
    (void)machine;
    assert_int_equal (snapshot == NULL, status < 0);
    tori_snapshot_destroy (snapshot);
    return status;
}

static int read_own (const tori_machine *machine, const void *own,
                     tori_error *err)
{
    char path[] = "sized-XXXXXX";
    int fd = mkstemp (path), status;
    tori_snapshot *snapshot = NULL;
    (void)machine;
    assert_true (fd >= 0);
    assert_true (dprintf (fd, "{\"machine\": \"mesh:4x4\"}") > 0);
    close (fd);
    status = tori_snapshot_read_own (path, own, &snapshot, err);
    unlink (path);
    assert_int_equal (snapshot == NULL, status < 0);
    tori_snapshot_destroy (snapshot);
    return status;
}

/* Room for one node, or victims. */
#define ROOM(name, call)                                                      \
    static int name (const tori_machine *machine, const void *config,         \
                     tori_error *err)                                         \
    {                                                                         \
        tori_state *state = make_state (machine);                             \
        tori_request request = {.count = 1};                                  \
        tori_room room = {0};                                                 \
        int status = call;                                                    \
        tori_room_clear (&room);                                              \
        tori_state_destroy (state);                                           \
        return status;                                                        \
    }

ROOM (make_room,
      tori_room_make (state, NULL, 0, &request, config, &room, err))
ROOM (find_victims,
      tori_room_victims (state, NULL, 0, &request, config, &room, err))

static int repair (const tori_machine *machine, const void *config,
                   tori_error *err)
{
    AUTO_STATE *state = make_state (machine);
    tori_box box = make_box (machine, "0,0/1x1");
    tori_placement place;
    tori_room room = {0};
    int status;
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    assert_int_equal (tori_placement_hold (&place, state, NULL), 0);
    status = tori_room_repair (state, &(tori_room_job){.place = &place},
                               config, &room, err);
    tori_room_clear (&room);
    tori_placement_clear (&place);
    return status;
}

static int simulate (const tori_machine *machine, const void *config,
                     tori_error *err)
{
    tori_workload nothing = {0};
    tori_sim_result result;
    (void)machine;
    return tori_sim_run (config, &nothing, &result, err);
}

/* The parts of a simulation's configuration. */
static int simulate_with (const tori_machine *machine, tori_sim_config config,
                          tori_error *err)
{
    tori_workload nothing = {0};
    tori_sim_result result;
    config.size = sizeof config;
    config.machine = machine;
    return tori_sim_run (&config, &nothing, &result, err);
}

#define WITH(name, member)                                                    \
    static int name (const tori_machine *machine, const void *part,           \
                     tori_error *err)                                         \
    {                                                                         \
        return simulate_with (machine, (tori_sim_config){.member = part},     \
                              err);                                           \
    }

WITH (with_columns, columns)
WITH (with_network, network)
WITH (with_window, window)
WITH (with_look, look)
WITH (with_interrupts, interrupts)

static int look_for_hope (const tori_machine *machine, const void *part,
                          tori_error *err)
{
    const tori_work work = {.asked = 1, .runtime = 1};
    return tori_sim_is_hopeless (machine, part, &work, err);
}

static int with_gang (const tori_machine *machine, const void *part,
                      tori_error *err)
{
    return simulate_with (
        machine,
        (tori_sim_config){.sched = TORI_SCHED ("gang"), .gang = part}, err);
}

static int with_preempt (const tori_machine *machine, const void *part,
                         tori_error *err)
{
    return with_gang (machine,
                      &(tori_sim_gang){.size = sizeof (tori_sim_gang),
                                       .preempt = part},
                      err);
}

static int look_at (void *arg, tori_sched *sched, tori_error *err)
{
    return 0;
}

/* ---- networks and queue trees ---- */

static int start_drain (const tori_machine *machine, const void *config,
                        tori_error *err)
{
    tori_box box = make_box (machine, "0,0/4x4");
    tori_drain *drain;
    tori_net *net;
    int status;
    assert_int_equal (tori_net_create (machine, NULL, &net, NULL), 0);
    status = tori_drain_start (net, &box, config, &drain, err);
    tori_net_destroy (net);
    return status;
}

static int run_traffic (const tori_machine *machine, const void *config,
                        tori_error *err)
{
    tori_traffic_result result = {0};
    int status = tori_traffic_run (config, &result, err);
    (void)machine;
    tori_traffic_clear (&result);
    return status;
}

static int run_preempt (const tori_machine *machine, const void *config,
                        tori_error *err)
{
    tori_preempt_result result = {0};
    int status = tori_preempt_run (config, &result, err);
    (void)machine;
    tori_preempt_clear (&result);
    return status;
}

/* The cost of a switch: of the network, or of the drain. */
static int price (const tori_machine *machine, const void *net,
                  const void *drain, tori_error *err)
{
    tori_gang_tree *tree;
    uint64_t cycles[64];
    int status;
    assert_int_equal (tori_gang_tree_create (machine, 2, 4, &tree, NULL), 0);
    assert_true (tori_gang_tree_nodes (tree) <= 64);
    status = tori_gang_switch_cycles (tree, net, drain, cycles, err);
    tori_gang_tree_destroy (tree);
    return status;
}

static int price_net (const tori_machine *machine, const void *net,
                      tori_error *err)
{
    return price (machine, net, NULL, err);
}

static int price_drain (const tori_machine *machine, const void *drain,
                        tori_error *err)
{
    return price (machine, NULL, drain, err);
}

static int decide (const tori_machine *machine, const void *config,
                   tori_error *err)
{
    tori_workload nothing = {0};
    double row[1];
    (void)machine;
    return tori_decide_row (config, 0, &nothing, row, NULL, err);
}

static int decide_cells (const tori_machine *machine, const void *config,
                         tori_error *err)
{
    tori_workload nothing = {0};
    tori_decide_cell row[1];
    size_t common;
    (void)machine;
    return tori_decide_cells (config, 0, &nothing, row, &common, NULL, err);
}

static int submit (const tori_machine *machine, const void *spec,
                   tori_error *err)
{
    tori_sched *sched;
    tori_job job = 99;
    int status;
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    status = tori_sched_submit (sched, 0, spec, &job, err);
    assert_int_equal (job == 99, status < 0);
    tori_sched_destroy (sched);
    return status;
}

/* A job that runs or is suspended on one node. */
static int adopt_job (const tori_machine *machine, const tori_job_spec *spec,
                      bool suspended, tori_error *err)
{
    tori_box box = make_box (machine, "0,0/1x1");
    tori_placement place;
    tori_sched *sched;
    tori_job job = 99;
    int status;
    assert_int_equal (tori_sched_create (machine,
                                         TORI_SCHED ("easy", NULL,
                                                     .flags
                                                     = TORI_SCHED_PLACES),
                                         &sched, NULL),
                      0);
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place, NULL), 0);
    status = suspended ? tori_sched_adopt_suspended (sched, 0, spec, 0, &place,
                                                     &job, err)
                       : tori_sched_adopt (sched, 0, spec, 0, &place, &job,
                                           err);
    assert_int_equal (job == 99, status < 0);
    tori_placement_clear (&place);
    tori_sched_destroy (sched);
    return status;
}

static int adopt (const tori_machine *machine, const void *spec,
                  tori_error *err)
{
    return adopt_job (machine, spec, false, err);
}

static int adopt_suspended (const tori_machine *machine, const void *spec,
                            tori_error *err)
{
    return adopt_job (machine, spec, true, err);
}

static int add_window (const tori_machine *machine, const void *window,
                       tori_error *err)
{
    tori_sched *sched;
    int status;
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    status = tori_sched_add_window (sched, 0, window, err);
    tori_sched_destroy (sched);
    return status;
}

static int read_workload (const tori_machine *machine, const void *options,
                          tori_error *err)
{
    tori_workload workload = {0};
    int status
        = tori_workload_read ("/dev/null", machine, options, &workload, err);
    tori_workload_clear (&workload);
    return status;
}

static int read_swf (const tori_machine *machine, const void *options,
                     tori_error *err)
{
    tori_workload workload = {0};
    tori_swf_reader *reader;
    int status;
    assert_int_equal (tori_swf_open_memory ("", 0, "it", &reader, NULL), 0);
    status
        = tori_workload_from_swf (reader, machine, options, &workload, err);
    tori_workload_clear (&workload);
    tori_swf_close (reader);
    return status;
}

static int make_workload (const tori_machine *machine, const void *options,
                          tori_error *err)
{
    tori_workload workload = {0};
    int status
        = tori_workload_model ("cubic", machine, options, &workload, err);
    tori_workload_clear (&workload);
    return status;
}

/* ---- sizes ---- */

/* A structure, as long as it is today and as it might once have been. */
struct sized {
    int (*call) (const tori_machine *machine, const void *config,
                 tori_error *err);
    const void *config;
    size_t now, once;
};

/* Call with a copy that says it has this size and has no more room than that.
 * All bytes beyond the structure are 0, except the last. */
static int call (const struct sized *it, const tori_machine *machine,
                 size_t size, unsigned char last, tori_error *err)
{
    size_t room = size > it->now ? size : it->now;
    unsigned char *whole = make_array (room, 1), *copy;
    int status;
    memcpy (whole, it->config, it->now);
    memcpy (whole, &size, sizeof size);
    if (size > it->now)
        whole[size - 1] = last;
    room = size < sizeof size ? sizeof size : size;
    copy = malloc (room);
    assert_non_null (copy);
    memcpy (copy, whole, room);
    status = it->call (machine, copy, err);
    free (copy);
    free (whole);
    return status;
}

static void expect_refused (const struct sized *it,
                            const tori_machine *machine, size_t size,
                            unsigned char last, const char *text)
{
    tori_error err = {0};
    assert_int_equal (call (it, machine, size, last, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, text));
}

static void check (const struct sized *it, const tori_machine *machine)
{
    size_t now = it->now;
    assert_int_equal (call (it, machine, now, 0, NULL), 0);
    assert_int_equal (call (it, machine, it->once, 0, NULL), 0);
    assert_int_equal (call (it, machine, now + 40, 0, NULL), 0);
    expect_refused (it, machine, 0, 0, "is not set");
    expect_refused (it, machine, sizeof (size_t) - 1, 0, "is not set");
    expect_refused (it, machine, 1 << 20, 0, "is not set");
    expect_refused (it, machine, now + 1, 1, "newer tori");
    expect_refused (it, machine, now + 40, 1, "newer tori");
}

TEST (sizes)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    const tori_alloc_config *mm = TORI_ALLOC ("mm");
    const tori_job_spec *job = TORI_JOB (.request.count = 1);
    const tori_workload_options *work = TORI_WORKLOAD (.jobs = 1);
    const tori_job_spec *unit
        = TORI_JOB (.estimate = 9, .request.shape = make_shape ("1x1"));
    const tori_placement whole
        = {.nboxes = 1, .count = 16, .box = make_box (machine, "0,0/4x4")};
    const tori_window window = {.size = sizeof window, .name = "w",
                                .until = 9, .place = &whole};
    const tori_alloc_ops ops = {.size = sizeof ops,
                                .info = {"own", "none", TORI_BY_COUNT, 0},
                                .place = place_nothing};
    const tori_order_ops order = {.size = sizeof order, .name = "own",
                                  .key = nothing_first};
    const tori_policy_ops policy = {.size = sizeof policy, .name = "own",
                                    .decide = decide_nothing};
    const tori_snapshot_own own = {.size = sizeof own};
    const tori_sim_config sim = {.size = sizeof sim, .machine = machine};
    const tori_decide_config row = {
        .size = sizeof row, .machine = machine, .allocs = &mm, .nallocs = 1};
    const struct sized all[] = {
        {create_alloc, mm, sizeof *mm, offsetof (tori_alloc_config, epsilon)},
        {create_cubes, mm, sizeof *mm, offsetof (tori_alloc_config, epsilon)},
        {choose, mm, sizeof *mm, offsetof (tori_alloc_config, epsilon)},
        {create_own, &ops, sizeof ops, sizeof ops},
        {create_order, &order, sizeof order, offsetof (tori_order_ops, arg)},
        {create_policy, &policy, sizeof policy,
         offsetof (tori_policy_ops, arg)},
        {parse_own, &own, sizeof own, offsetof (tori_snapshot_own, orders)},
        {read_own, &own, sizeof own, offsetof (tori_snapshot_own, orders)},
        {restore_sched, TORI_SCHED ("easy", NULL), sizeof (tori_sched_config),
         offsetof (tori_sched_config, alloc)},
        {find_victims, TORI_ROOM (.steps = 9), sizeof (tori_room_config),
         offsetof (tori_room_config, moves)},
        {repair, TORI_ROOM (.steps = 9), sizeof (tori_room_config),
         offsetof (tori_room_config, moves)},
        {decide_cells, &row, sizeof row,
         offsetof (tori_decide_config, on_progress)},
        {adopt, unit, sizeof *unit, sizeof *unit},
        {adopt_suspended, unit, sizeof *unit, sizeof *unit},
        {add_window, &window, sizeof window, offsetof (tori_window, count)},
        {read_workload, work, sizeof *work,
         offsetof (tori_workload_options, strict)},
        {read_swf, work, sizeof *work,
         offsetof (tori_workload_options, strict)},
        {create_sched, TORI_SCHED ("easy", mm), sizeof (tori_sched_config),
         offsetof (tori_sched_config, alloc)},
        {make_room, TORI_ROOM (.steps = 9), sizeof (tori_room_config),
         offsetof (tori_room_config, moves)},
        {simulate, &sim, sizeof sim, offsetof (tori_sim_config, sched)},
        {decide, &row, sizeof row, offsetof (tori_decide_config, on_progress)},
        {submit, job, sizeof *job, offsetof (tori_job_spec, request)},
        {make_workload, work, sizeof *work,
         offsetof (tori_workload_options, strict)},
    };
    for (size_t i = 0; i < LENGTH (all); i++)
        check (&all[i], machine);
}

TEST (parts)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    const tori_sim_columns columns = {.size = sizeof columns};
    const tori_sim_network network = {.size = sizeof network};
    const tori_sim_window window = {.size = sizeof window, .end = 9};
    const tori_sim_look look = {.size = sizeof look, .on_look = look_at};
    const tori_sim_interrupts interrupts = {.size = sizeof interrupts};
    const tori_sim_gang gang = {.size = sizeof gang};
    const tori_sim_preempt preempt = {.size = sizeof preempt};
    const struct sized all[] = {
        {with_columns, &columns, sizeof columns,
         offsetof (tori_sim_columns, start)},
        {with_network, &network, sizeof network,
         offsetof (tori_sim_network, seed)},
        {with_window, &window, sizeof window, sizeof window},
        {with_look, &look, sizeof look, sizeof look},
        {with_interrupts, &interrupts, sizeof interrupts,
         offsetof (tori_sim_interrupts, urgent)},
        {look_for_hope, &interrupts, sizeof interrupts,
         offsetof (tori_sim_interrupts, urgent)},
        {with_gang, &gang, sizeof gang, offsetof (tori_sim_gang, degree)},
        {with_preempt, &preempt, sizeof preempt,
         offsetof (tori_sim_preempt, clock)},
    };
    for (size_t i = 0; i < LENGTH (all); i++)
        check (&all[i], machine);
}

/* As much of a result is filled in as the caller has, and no more. */
TEST (result)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_work job = {.id = 1, .asked = 4, .runtime = 1000, .estimate = 1000,
                     .request = {.count = 4}};
    const tori_workload work = {.jobs = &job, .n = 1};
    const tori_alloc_config alloc = *TORI_ALLOC ("mm");
    const tori_sched_config sched = *TORI_SCHED ("easy", &alloc, 0);
    struct {
        tori_sim_result is;
        unsigned char beyond[64];
    } out;
    const unsigned char *bytes = (const unsigned char *)&out;
    const size_t first = offsetof (tori_sim_result, wait_trend);
    const size_t sizes[] = {0, sizeof (tori_sim_result) - 1,
                            sizeof (tori_sim_result),
                            sizeof (tori_sim_result) + 24};
    tori_error err = {0};
    for (size_t i = 0; i < LENGTH (sizes); i++) {
        size_t size = sizes[i] ? sizes[i] : first;
        tori_sim_config config = {.size = sizeof config, .machine = machine,
                                  .sched = &sched, .result_size = sizes[i]};
        memset (&out, 0x5a, sizeof out);
        assert_int_equal (tori_sim_run (&config, &work, &out.is, &err), 0);
        assert_int_equal (out.is.jobs, 1);
        assert_true (out.is.accepted >= 0 && out.is.placeable == 1);
        for (size_t b = first; b < sizeof out; b++)
            assert_int_equal (bytes[b], b < size ? 0 : 0x5a);
        config.result_size = first - 1;
        assert_int_equal (tori_sim_run (&config, &work, &out.is, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
}

TEST (networks)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    const tori_net_config net = {.size = sizeof net};
    const tori_drain_config drain = {.size = sizeof drain};
    const tori_fluid_config fluid = {.size = sizeof fluid};
    const tori_traffic_config traffic
        = {.size = sizeof traffic, .machine = machine};
    const tori_preempt_config preempt
        = {.size = sizeof preempt, .machine = machine, .slice = 10};
    tori_gang_config gang = {.size = sizeof gang, .slot = 9};
    tori_gang_tree *tree;
    const struct sized all[] = {
        {create_net, &net, sizeof net, offsetof (tori_net_config, vcs)},
        {price_net, &net, sizeof net, offsetof (tori_net_config, vcs)},
        {start_drain, &drain, sizeof drain, offsetof (tori_drain_config, hop)},
        {price_drain, &drain, sizeof drain, offsetof (tori_drain_config, hop)},
        {create_fluid, &fluid, sizeof fluid,
         offsetof (tori_fluid_config, latency)},
        {run_traffic, &traffic, sizeof traffic,
         offsetof (tori_traffic_config, rate)},
        {run_preempt, &preempt, sizeof preempt,
         offsetof (tori_preempt_config, seed)},
        {create_world, &gang, sizeof gang, offsetof (tori_gang_config, hop)},
    };
    assert_int_equal (tori_gang_tree_create (machine, 2, 1, &tree, NULL), 0);
    gang.tree = tree;
    for (size_t i = 0; i < LENGTH (all); i++)
        check (&all[i], machine);
    tori_gang_tree_destroy (tree);
}

/* The output has the caller's size: nothing beyond a shorter one is touched,
 * and the part of a longer one beyond ours is 0. */
TEST (filled)
{
    static const size_t sizes[] = {
        offsetof (tori_job_info, phase), offsetof (tori_job_info, start),
        sizeof (tori_job_info), sizeof (tori_job_info) + 24};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_decision decision = {.size = sizeof decision};
    tori_sched *sched;
    tori_job job;
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    assert_int_equal (
        tori_sched_submit (sched, 3, TORI_JOB (.tag = 7, .request.shape
                                                         = make_shape ("2x2")),
                           &job, NULL),
        0);
    for (size_t i = 0; i < LENGTH (sizes); i++) {
        tori_job_info ours = {.size = sizeof ours};
        unsigned char *given = malloc (sizes[i]);
        assert_non_null (given);
        memset (given, 99, sizes[i]);
        memcpy (given, &sizes[i], sizeof sizes[i]);
        assert_true (tori_sched_look (sched, job, (tori_job_info *)given));
        assert_true (tori_sched_look (sched, job, &ours));
        assert_int_equal (ours.tag, 7);
        ours.size = sizes[i];
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal (given[k], k < sizeof ours
                                            ? ((unsigned char *)&ours)[k]
                                            : 0);
        free (given);
    }
    assert_int_equal (tori_sched_run (sched, 3, NULL), 0);
    assert_true (tori_sched_next (sched, &decision));
    assert_int_equal (decision.size, sizeof decision);
    assert_int_equal (decision.job, job);
    assert_int_equal (decision.tag, 7);
    tori_sched_destroy (sched);
}

/* The next run reports a structure that was to be filled in and has no size,
 * once; it decides nothing. */
static void expect_reported (tori_sched *sched, const char *type)
{
    size_t queued = tori_sched_queued (sched);
    tori_error err = {0};
    assert_int_equal (tori_sched_run (sched, 3, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, type));
    assert_non_null (strstr (err.text, "is not set"));
    assert_int_equal (tori_sched_queued (sched), queued);
}

TEST (unsized)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_decision decision = {.size = sizeof decision};
    tori_sched_config config = {0};
    tori_sched *sched, *copy;
    tori_job job;
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    assert_int_equal (
        tori_sched_submit (sched, 3, TORI_JOB (.request.shape
                                               = make_shape ("2x2")),
                           &job, NULL),
        0);
    assert_false (tori_sched_next (sched, &(tori_decision){0}));
    expect_reported (sched, "tori_decision");
    assert_false (tori_sched_look (sched, job, &(tori_job_info){0}));
    expect_reported (sched, "tori_job_info");
    assert_false (tori_sched_spec (sched, job, &(tori_job_spec){.size = 7}));
    expect_reported (sched, "tori_job_spec");
    assert_false (tori_sched_window (sched, 0, &(tori_window){0}));
    expect_reported (sched, "tori_window");
    tori_sched_get_config (sched, &config);
    assert_null (config.policy);
    assert_int_equal (tori_sched_copy (sched, &copy, NULL), 0);
    assert_int_equal (tori_sched_run (copy, 3, NULL), 0);
    tori_sched_destroy (copy);
    expect_reported (sched, "tori_sched_config");
    assert_int_equal (tori_sched_run (sched, 3, NULL), 0);
    assert_false (tori_sched_next (sched, &(tori_decision){0}));
    assert_true (tori_sched_next (sched, &decision));
    assert_int_equal (decision.job, job);
    expect_reported (sched, "tori_decision");
    tori_sched_destroy (sched);
}

/* Many decisions at once; an array of an older program is closer together. */
static void fetch_all (size_t size, size_t room, size_t expected)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    unsigned char *given = make_array (room + 1, size);
    tori_sched *sched;
    tori_job job;
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal (
            tori_sched_submit (
                sched, 3,
                TORI_JOB (.tag = 7 + i, .request.shape = make_shape ("1x4")),
                &job, NULL),
            0);
    assert_int_equal (tori_sched_run (sched, 3, NULL), 0);
    memcpy (given, &size, sizeof size);
    assert_int_equal (
        tori_sched_fetch (sched, (tori_decision *)(void *)given, room),
        expected);
    for (size_t i = 0; i < expected; i++) {
        tori_decision it = {0};
        memcpy (&it, given + i * size, size);
        assert_int_equal (it.size, size);
        assert_int_equal (it.kind, TORI_START);
        assert_int_equal (it.tag, 7 + i);
    }
    tori_sched_destroy (sched);
    free (given);
}

TEST (fetch)
{
    fetch_all (sizeof (tori_decision), 8, 3);
    fetch_all (sizeof (tori_decision), 2, 2);
    fetch_all (sizeof (tori_decision), 0, 0);
    fetch_all (offsetof (tori_decision, place), 8, 3);
}

/* Sizes by name, for programs that the C compiler does not help. */
TEST (names)
{
    assert_int_equal (tori_struct_size ("tori_request"),
                      sizeof (tori_request));
    assert_int_equal (tori_struct_size ("tori_sim_result"),
                      sizeof (tori_sim_result));
    assert_int_equal (tori_struct_size ("tori_nothing"), 0);
    assert_int_equal (tori_struct_size (""), 0);
}

/* The defaults are first-fit and easy. */
TEST (defaults)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_alloc *alloc;
    tori_sched *sched;
    tori_error err;
    assert_int_equal (
        tori_alloc_create (machine, TORI_ALLOC (NULL), &alloc, NULL), 0);
    assert_string_equal (tori_alloc_get_info (alloc)->name, "first-fit");
    assert_int_equal (tori_sched_create (machine, NULL, &sched, NULL), 0);
    tori_sched_destroy (sched);
    assert_int_equal (tori_sched_create (machine,
                                         TORI_SCHED (NULL, .flags = 8),
                                         &sched, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    tori_alloc_destroy (alloc);
}
