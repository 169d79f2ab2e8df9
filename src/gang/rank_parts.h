/* rank_parts.h - shared by the parts of a rank, in addition to rank.h.
 *
 *   rank.c           a life: waiting, entering, leaving
 *   rank_messages.c  the table of message handlers
 *   rank_post.c      messages out, and descriptors to wait for
 *   rank_list.c      the jobs that a rank knows of
 *   rank_tasks.c     decisions of the rank that hosts a job's node
 *   rank_eras.c      from the death of a rank to the next era
 *   rank_clock.c     the time that all agree on
 */
#ifndef TORI_GANGRUN_RANK_PARTS_H
#define TORI_GANGRUN_RANK_PARTS_H

#include "rank.h"

/* Handle all messages that have come. */
void rank_handle_all (struct rank *rank, struct bytes *bytes);

/* The root may give turns: its partition is its own. */
void rank_activate (struct rank *rank);

/* The rank that hosts a job's node has its processes started, all over its
 * partition. */
void task_launch (struct rank *rank, struct task *task);

/* Send to the node of a job that is hosted here; to all processors of the job,
 * that it ends. */
void task_tell_node (struct rank *rank, const struct task *task,
                     tori_gang_kind kind);
void task_relay_end (struct rank *rank, struct task *task);

/* Messages to the rank that has the node of a job: a process rests or does
 * not, has ended, or all are to end. */
rank_handler owner_rest, owner_exit, owner_cancel;

/* A rank has died, or cannot be reached. */
void rank_lose (struct rank *rank, uint32_t dead);

/* Ask for the time if that is due; returns when it is due next. */
int64_t clock_step (struct rank *rank);

/* A rank asks for the time; a rank has answered. */
rank_handler clock_tell, clock_learn;

/* Messages of rank 0: an era is over; the next begins. */
rank_handler era_end, era_begin;

#endif
