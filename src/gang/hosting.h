/* hosting.h - the nodes of the tree that a rank hosts. */
#ifndef TORI_GANGRUN_HOSTING_H
#define TORI_GANGRUN_HOSTING_H

#include "rank.h"

/* The tree of a machine with a processor a rank. */
int hosting_open (struct rank *rank);
void hosting_close (struct rank *rank);

/* Make the nodes of this era. */
void hosting_begin (struct rank *rank);

/* Whether a job that is at a node has a process, or the node, on a dead rank.
 */
bool hosting_lost (struct rank *rank, const struct spec *spec, uint32_t node);

/* A message for a node that is hosted here. */
void hosting_deliver (struct rank *rank, const tori_gang_message *message);
/* Wakes that are due; when the next one is. */
int64_t hosting_wake (struct rank *rank);

#endif
