/* hosting.h - the nodes of the tree that a rank hosts. */
#ifndef TORI_GANGRUN_HOSTING_H
#define TORI_GANGRUN_HOSTING_H

#include "rank.h"

/* The tree of a machine with a processor a rank. */
int hosting_open (struct rank *rank, tori_error *err);
void hosting_close (struct rank *rank);

/* Make the nodes of this era. */
int hosting_begin (struct rank *rank, tori_error *err);

/* Whether a job has a process on a rank, or its node. -1 without memory. */
int hosting_uses (const struct rank *rank, const struct task *task,
                  uint32_t of, tori_error *err);

/* A message for a node that is hosted here. */
int hosting_deliver (struct rank *rank, const tori_gang_message *message,
                     tori_error *err);
/* Wakes that are due; *ret_next is when the next one is. */
int hosting_wake (struct rank *rank, int64_t *ret_next, tori_error *err);

#endif
