/* remark.h - why jobs wait, in their comments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_REMARK_H
#define TORI_SLURM_REMARK_H

#include "bridge.h"

/* Keep what torid says of a job, for the next look. */
int remark_hear (struct bridge *bridge, const json_t *order);

/* See to it that the comment of a job says what torid said last. Only so many
 * comments change with each look. */
void remark_show (struct bridge *bridge, const struct slurm_task *task);

/* All jobs were looked at: forget those that are gone. */
void remarks_tidy (struct bridge *bridge);

#endif
