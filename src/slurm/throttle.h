/* throttle.h - arrays of which only so many tasks may run at once: "1-9%2".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_THROTTLE_H
#define TORI_SLURM_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>

#include <slurm/slurm.h>

/* How many more tasks of each array may be released. Zeroed, all may. */
struct throttles {
    struct throttle {
        uint32_t array, left;
    } * all;
    size_t n, room, last; /* the one that was found last */
};

/* Count tasks that are released or have nodes. */
void throttles_count (struct throttles *throttles, const job_info_msg_t *all);
void throttles_clear (struct throttles *throttles);

/* Whether one more task of this record may be released; it is counted. */
bool throttles_pass (struct throttles *throttles,
                     const slurm_job_info_t *record);

#endif
