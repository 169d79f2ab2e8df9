/* queue_tree.h - the queue tree of tori/gang.h in one program, with slots that
 * the caller counts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_QUEUE_TREE_H
#define TORI_SLURM_QUEUE_TREE_H

#include <tori/gang.h>

struct queue_tree;

/* A tree of halves, down to single nodes; the function is called whenever a
 * process gets the rest of the slot. The machine must outlive the tree. */
typedef void queue_tree_fn (void *arg, uint64_t task);
int queue_tree_create (const tori_machine *machine, queue_tree_fn *run,
                       void *arg, struct queue_tree **ret_tree,
                       tori_error *err);
void queue_tree_destroy (struct queue_tree *queues);

/* The number of partitions, and one of them. */
uint32_t queue_tree_partitions (const struct queue_tree *queues);
tori_box queue_tree_box (const struct queue_tree *queues, uint32_t partition);

/* The most processes that take turns on a node. */
uint32_t queue_tree_height (const struct queue_tree *queues);

/* Set the usable nodes, by id: new processes go to a partition with enough of
 * them, if there is one. */
void queue_tree_limit (struct queue_tree *queues, const bool usable[]);

/* Whether the whole machine is large enough for it. */
bool queue_tree_hold (const struct queue_tree *queues,
                      const tori_gang_need *need);

/* Find a partition for a process, or put it into the queue of one. Fails only
 * without memory; then the tree can only be destroyed. */
int queue_tree_add (struct queue_tree *queues, uint64_t task,
                    const tori_gang_need *need, uint32_t *ret_partition,
                    tori_error *err);
int queue_tree_put (struct queue_tree *queues, uint64_t task,
                    uint32_t partition, tori_error *err);

/* It leaves its queue. */
int queue_tree_leave (struct queue_tree *queues, uint64_t task,
                      uint32_t partition, tori_error *err);

/* The next slot begins. */
int queue_tree_next (struct queue_tree *queues, tori_error *err);

#endif
