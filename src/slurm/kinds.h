/* kinds.h - the kinds of nodes that partitions have, for job_submit/tori.
 *
 * The plugin can ask slurmctld for few facts about nodes. tori-slurm knows
 * them all, and writes them to a file in StateSaveLocation, where slurmctld
 * keeps its own state. A file that was not confirmed lately is ignored, so a
 * tori-slurm that has ended stands in nobody's way.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_KINDS_H
#define TORI_SLURM_KINDS_H

#include "needs.h"

#define KINDS_FILE "tori_nodes"

/* How often the file is confirmed, and how old the plugin lets it be, in
 * seconds. */
enum { KINDS_EVERY = 10, KINDS_OLDEST = 60 };

/* The fields of a line, with tabs between them: a partition, how many of its
 * nodes are alike, their numbers in the order of enum need, their features,
 * their resources and their names. */
enum {
    KIND_PARTITION,
    KIND_COUNT,
    KIND_NUMBERS,
    KIND_FEATURES = KIND_NUMBERS + NEED_NUMBERS,
    KIND_GRES,
    KIND_NAMES,
    KIND_FIELDS
};

/* Whether enough nodes of one of these partitions have what a job asks for, as
 * far as the file says; otherwise TORI_NEVER with the reason. `asked`: how many
 * nodes its user asked for, if that was another number. */
int kinds_check (const char *path, const char *partitions,
                 const struct needs *needs, uint32_t asked, tori_error *err);

/* ---- kinds_file.c: for tori-slurm ---- */

struct bridge;

/* Write the file if partitions or nodes have changed, or confirm it. A file
 * that cannot be written is reported once. */
void kinds_share (struct bridge *bridge);

/* Remove the file, if this process has written it. */
void kinds_remove (struct bridge *bridge);

#endif
