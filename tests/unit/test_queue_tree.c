/* Whose turn it is, against the world of tori/gang.h. */
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "queue_tree.h"

enum { SLOTS = 300, TASKS = 400 };

/* Which process ran in which slot, and where processes are. */
struct run {
    int64_t slot;
    bool ran[SLOTS][TASKS];
    uint32_t place[TASKS];
};

static void on_run (void *arg, uint64_t task)
{
    struct run *run = arg;
    run->ran[run->slot][task] = true;
}

static void on_turn (void *arg, const tori_gang_turn *turn)
{
    struct run *run = arg;
    run->ran[turn->slot][turn->task] = true;
}

static void on_place (void *arg, uint32_t task, uint32_t node, int64_t time)
{
    struct run *run = arg;
    run->place[task] = node;
}

/* The same processes come and go in both, in the middle of slots. */
struct pair {
    struct queue_tree *queues;
    tori_gang_tree *tree;
    tori_gang_world *world;
    struct run mine, other;
    struct rng rng;
    bool there[TASKS];
    uint32_t n;
};

static void come (struct pair *pair, int64_t slot, uint32_t most)
{
    tori_gang_need need = {.count =
                               1 + (uint32_t)rng_below (&pair->rng, most)};
    uint32_t task;
    tori_error err;
    assert_int_equal (queue_tree_add (pair->queues, pair->n, &need,
                                      &pair->mine.place[pair->n], &err),
                      0);
    assert_int_equal (tori_gang_world_add (pair->world, 2 * slot + 1, &need,
                                           TORI_GANG_FOREVER, &task, &err),
                      0);
    assert_int_equal (task, pair->n);
    pair->there[pair->n++] = true;
}

static void go (struct pair *pair, int64_t slot, uint32_t task)
{
    tori_error err;
    assert_int_equal (
        queue_tree_leave (pair->queues, task, pair->mine.place[task], &err),
        0);
    assert_int_equal (
        tori_gang_world_suspend (pair->world, 2 * slot + 1, task, &err), 0);
    pair->there[task] = false;
}

/* No node has two in a slot at its beginning. */
static void check_apart (const struct pair *pair, const tori_machine *machine,
                         int64_t slot)
{
    for (uint32_t i = 0; i < pair->n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (pair->mine.ran[slot][i] && pair->mine.ran[slot][k]) {
                tori_box a =
                    queue_tree_box (pair->queues, pair->mine.place[i]);
                tori_box b =
                    queue_tree_box (pair->queues, pair->mine.place[k]);
                assert_false (tori_box_overlap (machine, &a, &b));
            }
}

static void step (struct pair *pair, const tori_machine *machine, int64_t slot)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_error err;
    pair->mine.slot = slot;
    if (slot > 0)
        assert_int_equal (queue_tree_next (pair->queues, &err), 0);
    check_apart (pair, machine, slot);
    assert_int_equal (tori_gang_world_run (pair->world, 2 * slot + 1, &err),
                      0);
    for (uint32_t i = 0; i < pair->n; i++)
        if (pair->there[i] && rng_below (&pair->rng, 20) == 0)
            go (pair, slot, i);
    if (rng_below (&pair->rng, 2) == 0)
        come (pair, slot, nodes);
    assert_int_equal (tori_gang_world_run (pair->world, 2 * slot + 2, &err),
                      0);
    for (uint32_t i = 0; i < pair->n; i++) {
        assert_int_equal (pair->mine.place[i], pair->other.place[i]);
        assert_int_equal (pair->mine.ran[slot][i], pair->other.ran[slot][i]);
    }
}

TEST (world)
{
    static const char *const machines[] = {"mesh:4x4", "torus:3x5", "mesh:7"};
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        struct pair *pair = calloc (1, sizeof *pair);
        AUTO_MACHINE *machine = make_machine (machines[m]);
        tori_error err;
        tori_gang_config config = {.size = sizeof config, .policy = "lowest",
                                   .slot = 2,
                                   .on_turn = on_turn,
                                   .on_place = on_place,
                                   .arg = &pair->other};
        rng_seed (&pair->rng, m, 0);
        tori_gang_tree_create (machine, 2, 1, &pair->tree, &err);
        config.tree = pair->tree;
        assert_int_equal (tori_gang_world_create (&config, &pair->world, &err),
                          0);
        assert_int_equal (queue_tree_create (machine, on_run, &pair->mine,
                                             &pair->queues, &err),
                          0);
        for (int64_t slot = 0; slot < SLOTS; slot++)
            step (pair, machine, slot);
        queue_tree_destroy (pair->queues);
        tori_gang_world_destroy (pair->world);
        tori_gang_tree_destroy (pair->tree);
        free (pair);
    }
}

/* New processes go where enough nodes can be used. */
TEST (limit)
{
    static struct run run;
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    bool usable[] = {false, true, true, true};
    tori_gang_need two = {.count = 2};
    struct queue_tree *queues;
    uint32_t place;
    tori_error err;
    assert_int_equal (queue_tree_create (machine, on_run, &run, &queues, &err),
                      0);
    queue_tree_limit (queues, usable);
    for (uint32_t task = 0; task < 2; task++) {
        assert_int_equal (queue_tree_add (queues, task, &two, &place, &err),
                          0);
        assert_int_equal (queue_tree_box (queues, place).origin[0], 2);
    }
    assert_int_equal (queue_tree_height (queues), 2);
    usable[0] = true;
    queue_tree_limit (queues, usable);
    assert_int_equal (queue_tree_add (queues, 2, &two, &place, &err), 0);
    assert_int_equal (queue_tree_box (queues, place).origin[0], 0);
    assert_false (queue_tree_hold (queues, &(tori_gang_need){.count = 5}));
    queue_tree_destroy (queues);
}
