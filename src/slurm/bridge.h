/* bridge.h - what tori-slurm knows, and how it keeps torid informed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_BRIDGE_H
#define TORI_SLURM_BRIDGE_H

#include "control.h"
#include "jsonlines.h"
#include "nodemap.h"

enum node_fate { NODE_UNKNOWN, NODE_UP, NODE_DRAINED, NODE_DOWN };

struct bridge {
    const struct nodemap *map;
    const char *partitions; /* with commas between; NULL: all */
    json_int_t estimate;    /* of jobs without a limit, in seconds */
    double patience;        /* seconds until a released job has started */
    job_info_msg_t *jobs;
    node_info_msg_t *nodes;
    json_t *told;         /* by key: what torid knows of each job */
    json_t *next;         /* the same, while jobs are looked at */
    unsigned char *fates; /* by id: of nodes, as torid knows them ... */
    unsigned char *news;  /* ... and as they are */
    struct lines lines;
    json_t *todo; /* orders that have not been carried out */
    bool begun;   /* torid has heard of everything once */
    bool alone;   /* torid is gone */
};

int bridge_begin (struct bridge *bridge, tori_error *err);
void bridge_clear (struct bridge *bridge);

/* Ask Slurm how things are, and tell torid what is new: as control.h. */
int bridge_look (struct bridge *bridge, tori_error *err);

/* Call a function for every task of the watched partitions. */
void bridge_each (const struct bridge *bridge, task_fn *each, void *arg);

/* Say something, if there is somebody to hear it. */
void bridge_say (struct bridge *bridge, json_t *message);

/* Say it again when Slurm is looked at next. */
void bridge_forget (struct bridge *bridge, const char *key);

/* Carry out one of torid's orders: 0, or 1 to try again later. */
int bridge_obey (struct bridge *bridge, const json_t *order);

/* Let Slurm place all that waits. */
void bridge_open (struct bridge *bridge);

#endif
