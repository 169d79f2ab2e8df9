/* turns.h - whose turn it is: the queue tree of tori/gang.h in one program,
 * with slots that somebody else counts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_TURNS_H
#define TORI_SLURM_TURNS_H

#include <tori/gang.h>

struct turns;

/* A tree of halves, down to single nodes; the function is called whenever a
 * process gets what is left of the slot. The machine must stay. */
typedef void turns_fn (void *arg, uint64_t task);
int turns_create (const tori_machine *machine, turns_fn *run, void *arg,
                  struct turns **ret_turns, tori_error *err);
void turns_destroy (struct turns *turns);

/* The number of partitions, and one of them. */
uint32_t turns_partitions (const struct turns *turns);
tori_box turns_box (const struct turns *turns, uint32_t partition);

/* The most processes that take turns on a node. */
uint32_t turns_height (const struct turns *turns);

/* Which nodes can be used, by id: new processes go where there are enough of
 * them, if that is anywhere. */
void turns_limit (struct turns *turns, const bool usable[]);

/* Whether the whole machine is enough for it. */
bool turns_hold (const struct turns *turns, const tori_gang_need *need);

/* Find a partition for a process, or put it into the queue of one. Fails only
 * without memory; the tree can only be destroyed then. */
int turns_add (struct turns *turns, uint64_t task, const tori_gang_need *need,
               uint32_t *ret_partition, tori_error *err);
int turns_put (struct turns *turns, uint64_t task, uint32_t partition,
               tori_error *err);

/* It leaves its queue. */
int turns_leave (struct turns *turns, uint64_t task, uint32_t partition,
                 tori_error *err);

/* The next slot begins. */
int turns_next (struct turns *turns, tori_error *err);

#endif
