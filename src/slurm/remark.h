/* remark.h - why jobs wait, in their comments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_REMARK_H
#define TORI_SLURM_REMARK_H

#include "bridge.h"

/* Keep torid's reason for a job, for the next look. */
int remark_hear (struct bridge *bridge, const json_t *order);

/* Write torid's last reason into the comment of a job. Only so many comments
 * change with each look. */
void remark_show (struct bridge *bridge, const struct slurm_task *task);

/* All jobs were looked at: forget those that are gone. */
void remarks_tidy (struct bridge *bridge);

#endif
