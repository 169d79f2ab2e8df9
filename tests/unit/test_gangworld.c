/* The queue tree at work: where a new process goes, what must hold whatever
 * comes and goes, however long messages take, and what a switch costs. */
#include "naive_gang.h"

#include <stdlib.h>
#include <string.h>

/* ---- where a new process goes ---- */

struct places {
    uint32_t node[1024];
};

static void remember_place (void *arg, uint32_t task, uint32_t node,
                            int64_t time)
{
    struct places *places = arg;
    (void)time;
    places->node[task] = node;
}

static uint32_t add (tori_gang_world *world, int64_t time, uint32_t count,
                     int64_t runtime)
{
    uint32_t task = UINT32_MAX;
    tori_gang_need need = {.count = count};
    assert_int_equal (
        tori_gang_world_add (world, time, &need, runtime, &task, NULL), 0);
    return task;
}

static tori_gang_world *make_world (const tori_gang_config *config)
{
    tori_gang_world *world = NULL;
    assert_int_equal (tori_gang_world_create (config, &world, NULL), 0);
    return world;
}

/* The left node of the second level in Figure 5 has load 9: three processes
 * of its own on two processors each, and one and two in its subnodes. A
 * process for one processor goes the lighter way. */
TEST (figure_5)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    struct places places;
    tori_gang_config config = {.size = sizeof config, .tree = tree, .slot = 10,
                               .on_place = remember_place, .arg = &places};
    tori_gang_world *world = make_world (&config);
    static const uint32_t lengths[] = {1, 3, 4, 1, 2, 1, 1};
    uint32_t task = 0;
    for (uint32_t i = 0; i < LENGTH (lengths); i++)
        for (uint32_t j = 0; j < lengths[i]; j++)
            assert_int_equal (tori_gang_world_put (world, i,
                                                   TORI_GANG_FOREVER, &task,
                                                   NULL),
                              0);
    /* 9 against 10, then 1 against 2 */
    task = add (world, 0, 1, TORI_GANG_FOREVER);
    assert_int_equal (tori_gang_world_run (world, 1, NULL), 0);
    assert_int_equal (places.node[task], 3);
    /* now 10 against 10: the first; then 2 against 2: the first */
    task = add (world, 5, 1, TORI_GANG_FOREVER);
    assert_int_equal (tori_gang_world_run (world, 6, NULL), 0);
    assert_int_equal (places.node[task], 3);
    /* 11 against 10 */
    task = add (world, 7, 2, TORI_GANG_FOREVER);
    assert_int_equal (tori_gang_world_run (world, 8, NULL), 0);
    assert_int_equal (places.node[task], 2);
    tori_gang_world_destroy (world);
    tori_gang_tree_destroy (tree);
}

/* The left half has more virtual processors, the right one the longer pass:
 * each policy has its own opinion. */
TEST (policies_differ)
{
    static const struct {
        const char *policy;
        uint32_t node[4];
    } rows[] = {
        {"lightest", {6, 3, 6, 1}},    /* 4 to 3, 4 to 4, 5 to 4, 5 to 5 */
        {"lowest", {3, 6, 6, 1}},      /* 2 to 3, then 3 to 3: by the load */
        {"round-robin", {3, 5, 4, 2}}, /* left, right, left, right */
    };
    for (size_t i = 0; i < LENGTH (rows); i++) {
        AUTO_MACHINE *machine = make_machine ("mesh:4");
        tori_gang_tree *tree = make_tree (machine, 2, 1);
        struct places places;
        tori_gang_config config
            = {.size = sizeof config, .tree = tree, .policy = rows[i].policy, .slot = 10,
               .on_place = remember_place, .arg = &places};
        tori_gang_world *world = make_world (&config);
        static const uint32_t lengths[] = {0, 2, 0, 0, 0, 3, 0};
        uint32_t task = 0;
        for (uint32_t n = 0; n < LENGTH (lengths); n++)
            for (uint32_t j = 0; j < lengths[n]; j++)
                assert_int_equal (
                    tori_gang_world_put (world, n, TORI_GANG_FOREVER, &task,
                                         NULL),
                    0);
        for (int64_t j = 0; j < 4; j++) {
            task = add (world, j, j < 3 ? 1 : 2, TORI_GANG_FOREVER);
            assert_int_equal (tori_gang_world_run (world, j + 1, NULL), 0);
            assert_int_equal (places.node[task], rows[i].node[j]);
        }
        tori_gang_world_destroy (world);
        tori_gang_tree_destroy (tree);
    }
}

/* A burst that is faster than any load can tell is spread all the same. */
TEST (a_burst_is_spread)
{
    const tori_gang_policy_info *policy;
    for (size_t i = 0; (policy = tori_gang_policy_list (i)); i++) {
        AUTO_MACHINE *machine = make_machine ("mesh:4x4x4");
        tori_gang_tree *tree = make_tree (machine, 2, 1);
        struct places places;
        uint32_t count[127] = {0};
        tori_gang_config config
            = {.size = sizeof config, .tree = tree, .policy = policy->name, .slot = 1000, .hop = 50,
               .on_place = remember_place, .arg = &places};
        tori_gang_world *world = make_world (&config);
        for (int j = 0; j < 192; j++)
            add (world, 0, 1, TORI_GANG_FOREVER);
        assert_int_equal (tori_gang_world_run (world, 1000, NULL), 0);
        for (int j = 0; j < 192; j++)
            count[places.node[j]]++;
        for (int j = 0; j < 127; j++)
            assert_int_equal (count[j], j < 63 ? 0 : 3);
        tori_gang_world_destroy (world);
        tori_gang_tree_destroy (tree);
    }
}

/* The smallest partitions that hold a shape, turned or not. */
TEST (shapes_find_partitions)
{
    static const struct {
        const char *shape;
        bool fixed;
        uint32_t size;
    } rows[] = {
        {"1x1", false, 1}, {"2x1", false, 2}, {"1x2", false, 2},
        {"1x2", true, 2},  {"2x1", true, 4},  {"2x2", false, 4},
        {"4x1", false, 8}, {"1x4", true, 8},  {"4x1", true, 16},
        {"3x3", false, 16},
    };
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    struct places places;
    tori_gang_config config = {.size = sizeof config, .tree = tree, .slot = 10,
                               .on_place = remember_place, .arg = &places};
    tori_gang_world *world = make_world (&config);
    for (size_t i = 0; i < LENGTH (rows); i++) {
        tori_gang_need need = {.fixed = rows[i].fixed,
                               .shape = make_shape (rows[i].shape)};
        tori_gang_place place;
        uint32_t task = 0;
        need.count = (uint32_t)tori_shape_volume (&need.shape);
        assert_int_equal (tori_gang_world_add (world, (int64_t)i, &need, 5,
                                               &task, NULL),
                          0);
        assert_int_equal (tori_gang_world_run (world, (int64_t)i + 1, NULL),
                          0);
        tori_gang_tree_place (tree, places.node[task], &place);
        assert_int_equal (place.size, rows[i].size);
    }
    tori_gang_world_destroy (world);
    tori_gang_tree_destroy (tree);
}

/* ---- what comes and goes ---- */

enum { MAX_TASKS = 120, MAX_PROCESSORS = 64 };

struct history {
    tori_machine *machine;
    tori_gang_tree *tree;
    tori_gang_config config;
    int64_t *more; /* that a switch costs, by node */
    tori_gang_world *world;
    uint32_t tasks;
    int64_t runtime[MAX_TASKS];
    int64_t finish[MAX_TASKS];
    uint32_t node[MAX_TASKS];
    tori_gang_turn turn[MAX_TASKS]; /* its last */
    int64_t used[MAX_TASKS];        /* in those before */
    bool asleep[MAX_TASKS];
    uint32_t sleeper; /* goes to sleep at `bedtime` if it is placed by then */
    int64_t bedtime;
    uint32_t holder[MAX_PROCESSORS]; /* its last turn was of this process */
};

static void watch_place (void *arg, uint32_t task, uint32_t node, int64_t time)
{
    struct history *history = arg;
    assert_int_equal (history->node[task], TORI_GANG_NONE);
    history->node[task] = node;
    if (task == history->sleeper && time == history->bedtime)
        history->asleep[task] = true;
}

static void add_up (struct history *history, uint32_t task)
{
    const tori_gang_turn *turn = &history->turn[task];
    if (turn->end > turn->begin)
        history->used[task] += turn->end - turn->begin;
}

/* A process that had one of these processors before has ended, sleeps or is
 * past its slot. */
static void watch_turn (void *arg, const tori_gang_turn *turn)
{
    struct history *history = arg;
    uint32_t ids[MAX_PROCESSORS];
    tori_gang_place place;
    assert_int_equal (history->node[turn->task], turn->node);
    assert_true (!history->asleep[turn->task]
                 || turn->task == history->sleeper);
    assert_int_equal (history->finish[turn->task], -1);
    assert_true (turn->begin >= turn->slot * history->config.slot);
    assert_true (turn->end <= (turn->slot + 1) * history->config.slot);
    tori_gang_tree_place (history->tree, turn->node, &place);
    tori_box_nodes (history->machine, &place.box, ids);
    for (uint32_t i = 0; i < place.size; i++) {
        uint32_t before = history->holder[ids[i]];
        if (before != UINT32_MAX && history->finish[before] < 0
            && !history->asleep[before])
            assert_true (history->turn[before].end <= turn->begin);
        history->holder[ids[i]] = turn->task;
    }
    add_up (history, turn->task);
    history->turn[turn->task] = *turn;
    if (history->asleep[turn->task]) /* it is about to be broken off */
        history->turn[turn->task].end = turn->begin;
}

static void watch_finish (void *arg, uint32_t task, int64_t time)
{
    struct history *history = arg;
    assert_int_equal (history->finish[task], -1);
    history->finish[task] = time;
    add_up (history, task);
    if (history->config.on_turn)
        assert_int_equal (history->used[task], history->runtime[task]);
}

static int64_t dearest_switch (const struct history *history)
{
    int64_t most = history->config.switch_cost;
    for (uint32_t i = 0; i < tori_gang_tree_nodes (history->tree); i++)
        if (history->more[i] > most)
            most = history->more[i];
    return most;
}

/* The same for the same number, but for who watches. */
static void history_open (struct history *history, uint64_t number, bool watch,
                          bool delays)
{
    struct rng rng;
    const tori_gang_policy_info *policy;
    rng_seed (&rng, number, 7);
    memset (history, 0, sizeof *history);
    history->machine = random_machine (&rng, 3, MAX_PROCESSORS);
    history->tree = make_tree (history->machine, between (&rng, 2, 4), 1);
    policy = tori_gang_policy_list (between (&rng, 0, 2));
    history->config = (tori_gang_config){.size = sizeof (tori_gang_config),
        .tree = history->tree,
        .policy = policy->name,
        .slot = between (&rng, 1, 100),
        .on_place = watch_place,
        .on_turn = watch ? watch_turn : NULL,
        .on_finish = watch_finish,
        .arg = history,
    };
    history->config.switch_cost
        = chance (&rng, 50) ? 0 : between (&rng, 0, 49)
                                      % history->config.slot;
    history->more = make_array (tori_gang_tree_nodes (history->tree),
                                sizeof *history->more);
    if (history->config.switch_cost > 0 && chance (&rng, 50)) {
        uint32_t most = (uint32_t)history->config.switch_cost;
        history->config.switch_cost = 0;
        history->config.switch_more = history->more;
        for (uint32_t i = 0; i < tori_gang_tree_nodes (history->tree); i++)
            history->more[i] = between (&rng, 0, most);
    }
    if (delays)
        history->config.hop = (history->config.slot
                               - dearest_switch (history) - 1)
                              / tori_gang_tree_levels (history->tree);
    history->world = make_world (&history->config);
    history->sleeper = UINT32_MAX;
    for (int i = 0; i < MAX_PROCESSORS; i++)
        history->holder[i] = UINT32_MAX;
    for (int i = 0; i < MAX_TASKS; i++) {
        history->node[i] = TORI_GANG_NONE;
        history->finish[i] = -1;
    }
}

static void history_close (struct history *history)
{
    tori_gang_world_destroy (history->world);
    free (history->more);
    tori_gang_tree_destroy (history->tree);
    tori_machine_destroy (history->machine);
}

static void history_sleep (struct history *history, int64_t time,
                           uint32_t task)
{
    bool asleep = history->asleep[task];
    int (*call) (tori_gang_world *, int64_t, uint32_t, tori_error *)
        = asleep ? tori_gang_world_resume : tori_gang_world_suspend;
    assert_int_equal (tori_gang_world_run (history->world, time, NULL), 0);
    assert_int_equal (call (history->world, time, task, NULL), 0);
    history->sleeper = task;
    history->bedtime = time;
    if (!asleep && history->turn[task].end > time)
        history->turn[task].end = time; /* broken off */
    if (history->node[task] != TORI_GANG_NONE)
        history->asleep[task] = !asleep;
    assert_int_equal (tori_gang_world_run (history->world, time + 1, NULL), 0);
    history->sleeper = UINT32_MAX;
}

/* Jobs come, some sleep and wake, all end. */
static void history_play (struct history *history, uint64_t number, bool naps)
{
    struct rng rng;
    uint32_t n, most = tori_machine_nodes (history->machine);
    int64_t now = 0, gap;
    rng_seed (&rng, number, 8);
    n = between (&rng, 1, MAX_TASKS);
    gap = between (&rng, 1, 2000);
    while (history->tasks < n) {
        uint32_t i = history->tasks;
        now += between (&rng, 0, (uint32_t)gap);
        history->runtime[i] = between (&rng, 0, 3000);
        assert_int_equal (add (history->world, now, between (&rng, 1, most),
                               history->runtime[i]),
                          i);
        history->tasks++;
        assert_int_equal (tori_gang_world_run (history->world, now + 1, NULL),
                          0);
        if (naps && chance (&rng, 40)) {
            now += between (&rng, 1, 40);
            history_sleep (history, now, between (&rng, 0, i));
            now++;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (history->asleep[i]) {
            history_sleep (history, now + 1, i);
            now += 2;
        }
    assert_int_equal (tori_gang_world_run (history->world, INT64_MAX, NULL),
                      0);
    for (uint32_t i = 0; i < n; i++)
        assert_true (history->finish[i] >= 0);
}

TEST (nobody_shares_a_slot)
{
    for (uint64_t i = 0; i < 300; i++) {
        struct history history;
        history_open (&history, i, true, true);
        history_play (&history, i, true);
        history_close (&history);
    }
}

/* Passing over slots in which nothing happens changes nothing. */
TEST (leaps_change_nothing)
{
    for (uint64_t i = 0; i < 1500; i++) {
        struct history slow, fast;
        history_open (&slow, i, true, false);
        history_open (&fast, i, false, false);
        history_play (&slow, i, i % 2);
        history_play (&fast, i, i % 2);
        assert_memory_equal (slow.finish, fast.finish, sizeof slow.finish);
        assert_memory_equal (slow.node, fast.node, sizeof slow.node);
        assert_int_equal (tori_gang_world_turns (slow.world),
                          tori_gang_world_turns (fast.world));
        assert_int_equal (tori_gang_world_switches (slow.world),
                          tori_gang_world_switches (fast.world));
        for (uint32_t j = 0; j < tori_gang_tree_nodes (slow.tree); j++)
            assert_int_equal (tori_gang_world_messages (slow.world, j),
                              tori_gang_world_messages (fast.world, j));
        history_close (&slow);
        history_close (&fast);
    }
}

/* Two take turns of a partition, and one sleeps when the other has just had
 * its turn, behind a long time in which nothing happened: the other goes on
 * without a switch. */
TEST (a_leap_knows_who_was_last)
{
    for (int64_t slots = 9; slots < 13; slots++) {
        AUTO_MACHINE *machine = make_machine ("mesh:1");
        tori_gang_tree *tree = make_tree (machine, 2, 1);
        tori_gang_config config
            = {.size = sizeof config, .tree = tree, .slot = 10, .switch_cost = 4};
        tori_gang_world *world = make_world (&config);
        uint32_t stays = slots % 2 ? 0 : 1; /* has had the last slot */
        add (world, 0, 1, TORI_GANG_FOREVER);
        add (world, 0, 1, TORI_GANG_FOREVER);
        assert_int_equal (tori_gang_world_suspend (world, 10 * slots,
                                                   1 - stays, NULL),
                          0);
        assert_int_equal (tori_gang_world_run (world, 10 * slots + 35, NULL),
                          0);
        assert_int_equal (tori_gang_world_switches (world), slots);
        tori_gang_world_destroy (world);
        tori_gang_tree_destroy (tree);
    }
}

/* ---- what a switch costs ---- */

/* On a hypercube: a drain of so many hops with packets of 16 flits, and
 * routers of two channels of 16 flits a link and two words a channel. */
TEST (a_drain_costs_by_the_partition)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2^7");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    tori_net_config net
        = {.size = sizeof net, .switching = TORI_CUT_THROUGH, .vcs = 2, .buffer = 16};
    tori_drain_config drain = {.size = sizeof drain, .hop = 3, .words = 4};
    uint64_t plain[255], other[255];
    assert_int_equal (tori_gang_tree_nodes (tree), 255);
    assert_int_equal (
        tori_gang_switch_cycles (tree, &net, NULL, plain, NULL), 0);
    assert_int_equal (
        tori_gang_switch_cycles (tree, &net, &drain, other, NULL), 0);
    for (uint32_t i = 0; i < 255; i++) {
        tori_gang_place place;
        uint64_t hops, words;
        tori_gang_tree_place (tree, i, &place);
        hops = 7 - place.level;
        words = hops * 2 * 16 + (hops + 1) * 2 * 2;
        assert_int_equal (plain[i], hops * 16 + hops + 2 * words);
        assert_int_equal (other[i], hops * 16 + 3 * hops + words / 2);
    }
    tori_gang_tree_destroy (tree);
}

/* Whatever the machine: a part costs no more than the whole. */
TEST (a_part_costs_no_more)
{
    struct rng rng = seeded (12);
    for (int round = 0; round < 40; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 100);
        tori_gang_tree *tree = make_tree (machine, between (&rng, 2, 5), 1);
        uint32_t n = tori_gang_tree_nodes (tree);
        uint64_t *cycles = make_array (n, sizeof *cycles);
        tori_net_config net = {.size = sizeof net, .switching = TORI_CUT_THROUGH};
        assert_int_equal (
            tori_gang_switch_cycles (tree, &net, NULL, cycles, NULL), 0);
        for (uint32_t i = 1; i < n; i++) {
            tori_gang_place place;
            tori_gang_tree_place (tree, i, &place);
            assert_true (cycles[i] > 0);
            assert_true (cycles[i] <= cycles[place.parent]);
        }
        free (cycles);
        tori_gang_tree_destroy (tree);
    }
}

static void expect_cost (void *arg, const tori_gang_turn *turn)
{
    const int64_t *cost = arg;
    if (turn->slot > 0)
        assert_int_equal (turn->begin - 100 * turn->slot, cost[turn->node]);
}

/* Two on every node take turns, so that all turns begin with a switch. */
TEST (turns_begin_behind_the_switch)
{
    AUTO_MACHINE *machine = make_machine ("mesh:3x2");
    tori_gang_tree *tree = make_tree (machine, 2, 1);
    uint32_t n = tori_gang_tree_nodes (tree), task;
    int64_t cost[16], more[16];
    tori_gang_config config = {.size = sizeof config, .tree = tree, .slot = 100, .switch_cost = 5,
                               .switch_more = more, .on_turn = expect_cost,
                               .arg = cost};
    tori_gang_world *world;
    assert_uint_in_range (n, 7, 16);
    for (uint32_t i = 0; i < n; i++) {
        more[i] = 90 - 7 * (int64_t)i;
        more[i] = more[i] < 0 ? 0 : more[i];
        cost[i] = 5 + more[i];
    }
    world = make_world (&config);
    for (uint32_t i = 0; i < 2 * n; i++)
        assert_int_equal (tori_gang_world_put (world, i / 2,
                                               TORI_GANG_FOREVER, &task, NULL),
                          0);
    assert_int_equal (tori_gang_world_run (world, 100 * 60, NULL), 0);
    assert_true (tori_gang_world_turns (world) > 60);
    tori_gang_world_destroy (world);
    world = NULL;
    more[3] = 95;
    assert_int_equal (tori_gang_world_create (&config, &world, NULL), -1);
    more[3] = -1;
    assert_int_equal (tori_gang_world_create (&config, &world, NULL), -1);
    assert_null (world);
    tori_gang_tree_destroy (tree);
}

/* A process alone on the machine is not held up. */
TEST (alone)
{
    struct history history;
    history_open (&history, 1, false, false);
    history.config.switch_cost = 0;
    tori_gang_world_destroy (history.world);
    history.world = make_world (&history.config);
    add (history.world, 777, 1, 123456789);
    assert_int_equal (tori_gang_world_run (history.world, INT64_MAX, NULL), 0);
    assert_int_equal (history.finish[0], 777 + 123456789);
    history_close (&history);
}
