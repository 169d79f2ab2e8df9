/* Passes of the front while processes come, end, sleep and wake, on trees of
 * any degree and machines of any sides: what Hori et al., 1995, promise of
 * Table 1 holds in each of them. */
#include "naive_gang.h"

#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { MAX_TASKS = 80, TICKS = 20 };

/* The facts about a process that can be seen from outside. */
struct life {
    uint32_t node; /* TORI_GANG_NONE: none yet */
    bool asleep, ended;
    uint64_t since;       /* the pass in which it became able to run */
    uint64_t ran_in;      /* the last pass in which it had a turn */
    int64_t slot;         /* of its last turn */
};

struct watch {
    tori_machine *machine;
    tori_gang_tree *tree;
    tori_gang_world *world;
    struct life life[MAX_TASKS];
    uint32_t tasks;
    uint64_t pass;       /* that is going on, and where it began */
    int64_t began;
    uint64_t changed_in; /* the last pass in which somebody came or went */
    size_t passes;       /* without changes, that were looked at */
    int64_t *busy;       /* of a processor: the slot of its last turn */
};

static bool runnable (const struct life *life)
{
    return life->node != TORI_GANG_NONE && !life->asleep && !life->ended;
}

static uint32_t height_now (const struct watch *watch)
{
    uint32_t n = tori_gang_tree_nodes (watch->tree), height;
    uint32_t *lengths = make_array (n, sizeof *lengths);
    for (uint32_t i = 0; i < watch->tasks; i++)
        if (runnable (&watch->life[i]))
            lengths[watch->life[i].node]++;
    height = naive_height (watch->tree, lengths, 0);
    free (lengths);
    return height;
}

/* The pass that was going on has ended where the next one begins: if nobody
 * came or went in it, it was as long as the tree is high, and everybody had a
 * turn. */
static void end_pass (struct watch *watch)
{
    int64_t begins = watch->world->pass.begin;
    if (watch->pass > 0 && watch->changed_in < watch->pass) {
        assert_int_equal ((begins - watch->began) / TICKS, height_now (watch));
        for (uint32_t i = 0; i < watch->tasks; i++)
            if (runnable (&watch->life[i]))
                assert_int_equal (watch->life[i].ran_in, watch->pass);
        watch->passes++;
    }
    watch->pass = watch->world->pass.number;
    watch->began = begins;
}

static void on_turn (void *arg, const tori_gang_turn *turn)
{
    struct watch *watch = arg;
    struct life *life = &watch->life[turn->task];
    uint32_t ids[64];
    tori_gang_place place;
    if (watch->world->pass.number != watch->pass)
        end_pass (watch);
    assert_true (runnable (life));
    assert_int_equal (life->node, turn->node);
    life->ran_in = watch->pass;
    life->slot = turn->slot;
    tori_gang_tree_place (watch->tree, turn->node, &place);
    tori_box_nodes (watch->machine, &place.box, ids);
    for (uint32_t i = 0; i < place.size; i++) {
        /* within a pass without changes nobody leaves a rest of a slot */
        if (watch->changed_in < watch->pass)
            assert_true (watch->busy[ids[i]] < turn->slot);
        watch->busy[ids[i]] = turn->slot;
    }
}

static void has_changed (struct watch *watch)
{
    if (watch->world->pass.number != watch->pass)
        end_pass (watch);
    watch->changed_in = watch->pass;
}

static void on_place (void *arg, uint32_t task, uint32_t node, int64_t time)
{
    struct watch *watch = arg;
    (void)time;
    assert_int_equal (watch->life[task].node, TORI_GANG_NONE);
    watch->life[task].node = node;
}

static void on_finish (void *arg, uint32_t task, int64_t time)
{
    struct watch *watch = arg;
    (void)time;
    has_changed (watch);
    watch->life[task].ended = true;
}

static void watch_open (struct watch *watch, struct rng *rng)
{
    tori_gang_config config
        = {.size = sizeof config, .policy = tori_gang_policy_list (between (rng, 0, 2))->name,
           .slot = TICKS, .switch_cost = between (rng, 0, 3),
           .on_place = on_place, .on_turn = on_turn, .on_finish = on_finish,
           .arg = watch};
    memset (watch, 0, sizeof *watch);
    watch->machine = random_machine (rng, 3, 64);
    watch->tree = make_tree (watch->machine, between (rng, 2, 7), 1);
    watch->busy = make_array (tori_machine_nodes (watch->machine),
                              sizeof *watch->busy);
    for (uint32_t i = 0; i < tori_machine_nodes (watch->machine); i++)
        watch->busy[i] = -1;
    config.tree = watch->tree;
    assert_int_equal (tori_gang_world_create (&config, &watch->world, NULL),
                      0);
}

static void watch_close (struct watch *watch)
{
    tori_gang_world_destroy (watch->world);
    tori_gang_tree_destroy (watch->tree);
    tori_machine_destroy (watch->machine);
    free (watch->busy);
}

/* A process comes, or sleeps, or wakes, between slots; a sleeping process does
 * not end. */
static void change (struct watch *watch, struct rng *rng, int64_t now)
{
    uint32_t task;
    assert_int_equal (tori_gang_world_run (watch->world, now, NULL), 0);
    has_changed (watch);
    if (watch->tasks < MAX_TASKS && (watch->tasks == 0 || chance (rng, 60))) {
        tori_gang_need need = {
            .count = between (rng, 1, tori_machine_nodes (watch->machine))};
        int64_t runtime = chance (rng, 30) ? TORI_GANG_FOREVER
                                           : between (rng, 1, 40 * TICKS);
        watch->life[watch->tasks].node = TORI_GANG_NONE;
        assert_int_equal (tori_gang_world_add (watch->world, now, &need,
                                               runtime, &task, NULL),
                          0);
        assert_int_equal (task, watch->tasks++);
    } else {
        struct life *life;
        task = between (rng, 0, watch->tasks - 1);
        life = &watch->life[task];
        if (life->ended)
            return;
        assert_int_equal (
            (life->asleep ? tori_gang_world_resume
                          : tori_gang_world_suspend) (watch->world, now, task,
                                                      NULL),
            0);
        life->asleep = !life->asleep;
    }
    assert_int_equal (tori_gang_world_run (watch->world, now + 1, NULL), 0);
    watch->changed_in = watch->world->pass.number;
}

TEST (a_pass_is_as_long_as_the_tree_is_high)
{
    struct rng rng = seeded (21);
    size_t passes = 0;
    for (int round = 0; round < 250; round++) {
        struct watch watch;
        int64_t now = 0;
        uint32_t quiet = between (&rng, 1, 60);
        watch_open (&watch, &rng);
        for (int i = 0; i < 60; i++) {
            now += between (&rng, 1, quiet) * TICKS;
            change (&watch, &rng, now + between (&rng, 0, TICKS - 1));
        }
        assert_int_equal (
            tori_gang_world_run (watch.world, now + 400 * TICKS, NULL), 0);
        passes += watch.passes;
        watch_close (&watch);
    }
    assert_true (passes > 1000);
}
