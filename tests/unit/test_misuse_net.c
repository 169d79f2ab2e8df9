/* Mistakes of callers with networks, partitions and gangs, as in
 * test_misuse.c. */
#include "misuse.h"

#include <math.h>

#include <tori/fluid.h>
#include <tori/gang.h>
#include <tori/partition.h>
#include <tori/preempt.h>
#include <tori/traffic.h>

/* ---- partitions ---- */

TEST (boxes)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x6m");
    tori_net *net = NULL;
    assert_int_equal (tori_net_create (machine, NULL, &net, NULL), 0);
    for (size_t i = 0; i < LENGTH (strangers); i++) {
        tori_partition parts[2] = {{.box = &strangers[i]},
                                   {.box = &strangers[i]}};
        tori_preempt_config config
            = {.size = sizeof config, .machine = machine, .box = &strangers[i], .load = 0.1};
        tori_disturbance *list = NULL;
        tori_preempt_result result;
        tori_drain *drain = NULL;
        bool closed = true;
        size_t n = 77;
        INVALID (tori_partition_closed (machine, parts, &closed, NULL, &err));
        for (int r = TORI_DIMENSION_ORDER; r <= TORI_ADAPTIVE; r++)
            INVALID (tori_partition_disturb (machine, (tori_routing)r, parts,
                                             2, &list, &n, &err));
        INVALID (tori_drain_start (net, &strangers[i], NULL, &drain, &err));
        INVALID (tori_preempt_run (&config, &result, &err));
        assert_null (drain);
        assert_null (list);
        assert_int_equal (n, 77);
    }
    tori_net_destroy (net);
}

/* Nodes that are there twice, or not at all. */
TEST (lists)
{
    static const uint32_t lists[][4] = {
        {0, 0, 1, 1}, {0, 1, 2, 0}, {5, 5, 5, 5}, {0, 1, 2, 24},
        {0, UINT32_MAX, 2, 3},
    };
    AUTO_MACHINE *machine = make_machine ("torus:4x6m");
    for (size_t i = 0; i < LENGTH (lists); i++) {
        tori_partition parts[2] = {{.nodes = lists[i], .n = 4},
                                   {.nodes = lists[i], .n = 4}};
        tori_disturbance *list = NULL;
        tori_escape escape;
        bool closed;
        size_t n;
        INVALID (tori_partition_closed (machine, parts, &closed, &escape,
                                        &err));
        INVALID (tori_partition_disturb (machine, TORI_ADAPTIVE, parts, 2,
                                         &list, &n, &err));
    }
}

/* ---- networks ---- */

TEST (net)
{
    static const tori_net_config bad[] = {
        {.switching = (tori_switching)2}, {.routing = (tori_routing)2}};
    tori_drain_config how = {.size = sizeof how, .method = (tori_drain_method)2};
    AUTO_MACHINE *machine = make_machine ("torus:4x6m");
    tori_box box = make_box (machine, "0,0/2x2");
    tori_drain *drain = NULL;
    tori_net_stats stats = {.sent = 77};
    tori_net *net = NULL;
    for (size_t i = 0; i < LENGTH (bad); i++)
        INVALID (tori_net_create (machine, &bad[i], &net, &err));
    assert_int_equal (tori_net_create (machine, NULL, &net, NULL), 0);
    INVALID (tori_drain_start (net, &box, &how, &drain, &err));
    assert_int_equal (tori_net_job (net, 24), UINT32_MAX);
    assert_int_equal (tori_net_job (net, UINT32_MAX), UINT32_MAX);
    assert_int_equal (tori_net_job (net, 23), 0);
    tori_net_job_stats (net, 99, &stats);
    assert_int_equal (stats.sent, 0);
    assert_int_equal (tori_drain_start (net, &box, NULL, &drain, NULL), 0);
    tori_net_destroy (net); /* and the drain with it */
}

TEST (patterns)
{
    static const int absent[] = {-1, -2, 99, INT32_MAX, INT32_MIN};
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_fluid *fluid;
    uint32_t nodes[4] = {0, 1, 2, 3}, target[4];
    assert_int_equal (tori_fluid_create (machine, NULL, &fluid, NULL), 0);
    for (size_t i = 0; i < LENGTH (absent); i++) {
        tori_fluid_job job = {.nodes = nodes, .n = 4, .pattern = absent[i]};
        assert_int_equal (tori_pattern_phases (absent[i], 4), 0);
        tori_pattern_targets (absent[i], 4, 5, 1, target);
        for (uint32_t rank = 0; rank < 4; rank++)
            assert_int_equal (target[rank], rank);
        INVALID (tori_fluid_start (fluid, &job, 1, &err));
    }
    tori_fluid_destroy (fluid);
}

TEST (traffic)
{
    static const double rates[] = {-1, -0.001, NAN, -INFINITY, INFINITY, 1e9};
    AUTO_MACHINE *machine = make_machine ("mesh:2x2");
    tori_shape shapes[] = {{2, {2, 3}}, {0, {0}}, {99, {2, 2}}, {-1, {4}}};
    uint32_t nodes[4] = {0, 1, 2, 3};
    tori_traffic_job job = {.nodes = nodes, .n = 4};
    tori_traffic_config config
        = {.size = sizeof config, .machine = machine, .jobs = &job, .njobs = 1, .cycles = 10};
    tori_traffic_result result;
    for (size_t i = 0; i < LENGTH (rates); i++) {
        config.rate = rates[i];
        INVALID (tori_traffic_run (&config, &result, &err));
    }
    config.rate = 0;
    for (size_t i = 0; i < LENGTH (shapes); i++) {
        job.shape = &shapes[i];
        for (job.pattern = TORI_TRAFFIC_LIST; job.pattern < 7; job.pattern++)
            INVALID (tori_traffic_run (&config, &result, &err));
    }
    job.shape = NULL;
    for (int i = 0; i < 3; i++) {
        job.pattern = (int[]){-3, 99, INT32_MIN}[i];
        INVALID (tori_traffic_run (&config, &result, &err));
    }
    tori_traffic_clear (NULL);
    tori_preempt_clear (NULL);
}

/* ---- gangs ---- */

static tori_gang_tree *make_tree (const tori_machine *machine)
{
    tori_gang_tree *tree = NULL;
    assert_int_equal (tori_gang_tree_create (machine, 2, 1, &tree, NULL), 0);
    return tree;
}

TEST (tree)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_gang_tree *tree = make_tree (machine);
    uint32_t nodes = tori_gang_tree_nodes (tree);
    for (int i = 0; i < 3; i++) {
        uint32_t node = (uint32_t[]){nodes, 999999, UINT32_MAX}[i];
        tori_gang_place place = {.size = 77};
        tori_gang_node *made = NULL;
        tori_gang_tree_place (tree, node, &place);
        assert_int_equal (place.size, 0);
        assert_int_equal (place.children, 0);
        assert_int_equal (place.parent, TORI_GANG_NONE);
        assert_int_equal (tori_gang_tree_host (tree, node), TORI_GANG_NONE);
        INVALID (tori_gang_node_create (tree, node, "lightest", &made, &err));
        assert_null (made);
    }
    tori_gang_tree_destroy (tree);
}

TEST (node)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_gang_tree *tree = make_tree (machine);
    tori_gang_message message
        = {.kind = TORI_GANG_ADD_TASK, .from = TORI_GANG_HOST};
    tori_gang_outbox out = {0};
    tori_gang_node *node;
    assert_int_equal (
        tori_gang_node_create (tree, 0, "lightest", &node, NULL), 0);
    INVALID (tori_gang_node_handle (node, 0, &message, &out, &err));
    message.kind = (tori_gang_kind)99;
    INVALID (tori_gang_node_handle (node, 0, &message, &out, &err));
    assert_int_equal (out.n, 0);
    tori_gang_node_limit (node, 2, 0);
    tori_gang_node_limit (node, UINT32_MAX, 0);
    assert_int_equal (tori_gang_node_task (node, 0), 0);
    assert_int_equal (tori_gang_node_task (node, SIZE_MAX), 0);
    assert_null (tori_gang_kind_name ((tori_gang_kind)99));
    tori_gang_outbox_clear (&out);
    tori_gang_outbox_clear (NULL);
    tori_gang_node_destroy (node);
    tori_gang_tree_destroy (tree);
}

TEST (world)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_gang_tree *tree = make_tree (machine);
    tori_gang_config config = {.size = sizeof config, .tree = tree, .slot = 10};
    uint32_t nodes = tori_gang_tree_nodes (tree), task = 77;
    tori_gang_need none = {.shape = make_shape ("2x2")}, one = {.count = 1};
    tori_gang_world *world;
    assert_int_equal (tori_gang_world_create (&config, &world, NULL), 0);
    INVALID (tori_gang_world_put (world, nodes, 5, &task, &err));
    INVALID (tori_gang_world_put (world, TORI_GANG_NONE, 5, &task, &err));
    INVALID (tori_gang_world_add (world, 0, &none, 5, &task, &err));
    INVALID (tori_gang_world_suspend (world, 0, 0, &err));
    assert_int_equal (task, 77);
    assert_int_equal (tori_gang_world_left (world, 0, 0), 0);
    assert_int_equal (tori_gang_world_messages (world, nodes), 0);
    assert_int_equal (tori_gang_world_add (world, 0, &one, 5, &task, NULL),
                      0);
    assert_int_equal (task, 0);
    assert_int_equal (tori_gang_world_left (world, 0, 0), 5);
    assert_int_equal (tori_gang_world_left (world, 1, 0), 0);
    tori_gang_world_destroy (world);
    tori_gang_tree_destroy (tree);
}
