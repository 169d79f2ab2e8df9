/* world.h - the inside of a simulated world. */
#ifndef TORI_GANG_WORLD_H
#define TORI_GANG_WORLD_H

#include <tori/gang.h>

#include "agenda.h"
#include "node.h"

struct task {
    uint32_t node; /* TORI_GANG_NONE before it has one */
    bool ran;
    bool ended;
    int64_t left;  /* ticks to go at `from` */
    int64_t from;  /* its last turn: useful from here ... */
    int64_t until; /* ... to here */
};

/* The account of a node, in all and in the present pass of the root. */
struct tally {
    uint64_t messages;
    uint64_t pass; /* the pass of the following members */
    uint64_t pass_messages;
    uint64_t pass_turns;
    int64_t pass_useful; /* ticks in these turns */
};

/* A pass of the root, from top to top. */
struct pass {
    uint64_t number;
    int64_t begin;
    bool changed;       /* a process came, went or slept in it */
    unsigned unchanged; /* passes before it without such a change */
    uint64_t turns, switches;
};

struct tori_gang_world {
    tori_gang_config config;
    const tori_gang_tree *tree;
    uint32_t nodes;
    tori_gang_node **node; /* NULL until it gets a message */
    struct tally *tally;

    struct task *task;
    size_t tasks, task_room;

    struct agenda agenda;
    tori_gang_outbox out;
    int64_t now, slot;
    bool started;

    uint64_t turns, switches;
    struct pass pass;
};

/* Ticks of a switch on a node's partition. */
static inline int64_t world_switch (const tori_gang_world *world,
                                    uint32_t node)
{
    const tori_gang_config *config = &world->config;
    return config->switch_cost
           + (config->switch_more ? config->switch_more[node] : 0);
}

/* The root is about to begin a pass: end the account of the last one, and
 * return how many slots, in whole passes, can be skipped before `until`
 * because nothing happens in them. Processes are then as if these had been
 * simulated. */
int64_t world_new_pass (tori_gang_world *world, int64_t until);

/* Subtract the part of its turn that a process has used. */
static inline void task_settle (struct task *task, int64_t now)
{
    int64_t end = now < task->until ? now : task->until;
    if (end > task->from && task->left != TORI_GANG_FOREVER)
        task->left -= end - task->from;
    task->from = task->until = end;
}

#endif
