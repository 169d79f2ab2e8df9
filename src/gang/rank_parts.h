/* rank_parts.h - what the parts of a rank need from each other, besides what
 * rank.h offers to all.
 *
 *   rank.c           a life: waiting, entering, leaving
 *   rank_messages.c  the table of who takes messages that come
 *   rank_post.c      messages out, and descriptors to wait for
 *   rank_list.c      the jobs that a rank knows of
 *   rank_tasks.c     what the rank that has a job's node decides
 *   rank_eras.c      from the death of a rank to the next era
 *   rank_clock.c     the time that all agree on
 */
#ifndef TORI_GANGRUN_RANK_PARTS_H
#define TORI_GANGRUN_RANK_PARTS_H

#include "rank.h"

/* Take care of all messages that have come. */
void rank_handle_all (struct rank *rank, struct bytes *bytes);

/* The root may give turns: its partition is its own. */
void rank_activate (struct rank *rank);

/* The owner of a job has its processes started, all over its partition. */
void task_launch (struct rank *rank, struct task *task);

/* To the node of a job that is here; to all processors of the job, that it
 * ends. */
void task_tell_node (struct rank *rank, const struct task *task,
                     tori_gang_kind kind);
void task_relay_end (struct rank *rank, struct task *task);

/* Messages to the rank that has the node of a job: a process rests or does
 * not, has ended, or all are to end. */
rank_handler owner_rest, owner_exit, owner_cancel;

/* A rank has died, or cannot be reached. */
void rank_lose (struct rank *rank, uint32_t dead);

/* Ask what time it is if that is due; when it is next. */
int64_t clock_step (struct rank *rank);

/* Somebody asks what time it is; has answered. */
rank_handler clock_tell, clock_learn;

/* Messages of rank 0: an era is over; the next begins. */
rank_handler era_end, era_begin;

#endif
