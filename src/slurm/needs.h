/* needs.h - what a job of Slurm asks of each of its nodes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_NEEDS_H
#define TORI_SLURM_NEEDS_H

#include "task.h"

enum need {
    NEED_CPUS,
    NEED_MEMORY,
    NEED_DISK,
    NEED_SOCKETS,
    NEED_CORES,
    NEED_THREADS,
    NEED_NUMBERS, /* those before this are numbers */
    NEED_FEATURES = NEED_NUMBERS,
    NEED_GRES,
    NEED_CHOSEN /* it is not excluded */
};

struct needs {
    uint64_t numbers[NEED_NUMBERS]; /* 0: any */
    uint64_t nodes, tasks; /* how many nodes, and tasks on each of them */
    const slurm_job_info_t *record;
};

/* The tasks of a job count as spread evenly over its nodes. */
void needs_read (const struct slurm_task *task, struct needs *ret_needs);

/* The numbers of a node. */
void needs_offer (const node_info_t *node, uint64_t ret_numbers[NEED_NUMBERS]);

/* Whether every node with at least these numbers will do. */
bool needs_are_plain (const struct needs *needs,
                      const uint64_t least[NEED_NUMBERS]);

/* The needs that a node does not meet: bit 1 << NEED_CPUS, and so on. */
unsigned needs_lacking (const struct needs *needs, const node_info_t *node);

/* Needs in words: "4 processors, 5000 MB of memory"; nothing of
 * NEED_CHOSEN. */
void needs_format (const struct needs *needs, unsigned which, char *text,
                   size_t size);

/* Why a partition of which only `usable` nodes have what a job asks for cannot
 * hold it; `which` some nodes do not meet. */
enum { NEEDS_TEXT = 500 };
void needs_explain (const struct needs *needs, const char *partition,
                    uint64_t usable, unsigned which, char text[NEEDS_TEXT]);

#endif
