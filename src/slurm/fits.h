/* fits.h - partitions, narrowed to the nodes that have what a job asks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_FITS_H
#define TORI_SLURM_FITS_H

#include "needs.h"
#include "parts.h"

/* The nodes of a partition that a job may use. */
struct slurm_fit {
    const struct slurm_part *part; /* all of it, or `own` */
    const char *bar, *text; /* if they are too few for the job: that, in short
                               and in full; otherwise NULL */
    tori_request ask; /* of a job with a shape by the rule: what has a place
                         among them */
    struct slurm_part own;
};

/* The answers found so far, by jobs that ask for the same. */
struct slurm_fits;
struct slurm_fits *slurm_fits_create (void);
void slurm_fits_destroy (struct slurm_fits *fits);

/* Forget everything if nodes or partitions are not as they were, or if it is
 * much. */
void slurm_fits_renew (struct slurm_fits *fits, const struct nodemap *map,
                       const struct slurm_parts *parts,
                       const node_info_msg_t *nodes);

/* The fit of a job in a partition. Valid until the next call of renew; NULL
 * without memory. */
const struct slurm_fit *slurm_fits_find (struct slurm_fits *fits,
                                         const struct slurm_part *part,
                                         const struct slurm_task *task);

/* A number that changes with the partitions, and with what nodes have. */
uint64_t slurm_fits_digest (const struct slurm_fits *fits);

/* Whether a node has features, by its id. */
bool slurm_fits_have (const struct slurm_fits *fits, int64_t id,
                      const char *features);

#endif
