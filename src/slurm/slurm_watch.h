/* slurm_watch.h - the partitions of Slurm that tori places, and their machine.
 * They are in the file tori.conf beside slurm.conf:
 *
 *     partitions=mesh,large
 *     machine=torus:4x4x4
 *     shapes=compact
 *     wiring=mesh
 *     or=boxes
 *
 * '#' starts a comment. An empty list of partitions is one: tori places none.
 * The last three, which may be missing, say how a number of nodes becomes a
 * shape (tori/workload.h), how that is wired, and what the job takes if that
 * box has no place: another of as many nodes, or none. With shapes=compact,
 * another will do if the file does not say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_WATCH_H
#define TORI_SLURM_WATCH_H

#include <tori/workload.h>

struct slurm_watch {
    char *partitions; /* with commas between them; NULL: all; owned */
    tori_machine *machine;
    tori_shaping shaping; /* TORI_SHAPE_NONE: a number of nodes stays one */
    tori_wiring wiring;   /* of such shapes */
    bool boxes;           /* other boxes of as many nodes will do, too ... */
    bool or_given;        /* ... because the file says so */
};

/* Read the file. TORI_FAILED if that cannot be done, TORI_INVALID, with the
 * line, if something is not understood or missing. */
int slurm_watch_read (const char *path, struct slurm_watch *ret_watch,
                      tori_error *err);
void slurm_watch_clear (struct slurm_watch *watch);

/* How many of a list of partitions, with commas between them, are watched and
 * how many are not. NULL is an empty list. If the watch has no partitions, it
 * is of all. */
void slurm_watch_count (const struct slurm_watch *watch, const char *list,
                        size_t *ret_watched, size_t *ret_others);

/* Whether a list of partitions has this one; and the next name of a list, with
 * its length, or 0 past the end. */
bool slurm_names_has (const char *list, const char *name);
size_t slurm_names_next (const char **list, const char **ret_name);

/* Turn a request for a number of nodes into one for a shape, by the rule of
 * the file. False, with nothing changed, if there is none, or no such shape.
 * The comment of the job must then say so (slurm_ask_comment), because this is
 * not done twice. */
bool slurm_watch_shape (const struct slurm_watch *watch,
                        tori_request *request);

/* The request of a job whose shape the rule has chosen, and that may use only
 * some nodes (`has`, by id): its shape if it fits among them when all are free,
 * otherwise the most compact box of as many nodes that does, in any rotation;
 * otherwise their number. */
int slurm_watch_narrow (const tori_machine *machine, const unsigned char *has,
                        const tori_request *request, tori_request *ret_request,
                        tori_error *err);

/* Whether the machine could hold the request, idle and whole; TORI_NEVER with
 * the reason if not. */
int slurm_watch_check (const struct slurm_watch *watch,
                       const tori_request *request, tori_error *err);

#endif
