/* throttle.c - how many tasks of an array may run.
 *
 * slurmctld would not start a released task beyond the limit of its array: its
 * nodes would be idle until torid takes them back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle.h"

#include <stdlib.h>

#include "array.h"

static struct throttle *find_throttle (struct throttles *throttles,
                                       uint32_t array)
{
    if (throttles->last < throttles->n
        && throttles->all[throttles->last].array == array)
        return &throttles->all[throttles->last];
    for (size_t i = 0; i < throttles->n; i++)
        if (throttles->all[i].array == array) {
            throttles->last = i;
            return &throttles->all[i];
        }
    return NULL;
}

/* NULL without memory: then slurmctld alone keeps to the limit. */
static struct throttle *add_throttle (struct throttles *throttles,
                                      const slurm_job_info_t *record)
{
    struct throttle *more
        = array_room (throttles->all, &throttles->room, throttles->n + 1,
                      sizeof *more);
    if (!more)
        return NULL;
    throttles->all = more;
    throttles->last = throttles->n++;
    more[throttles->last] = (struct throttle){record->array_job_id,
                                              record->array_max_tasks};
    return &more[throttles->last];
}

static bool is_out (const slurm_job_info_t *record)
{
    uint32_t base = record->job_state & JOB_STATE_BASE;
    return (record->job_state & JOB_COMPLETING) || base == JOB_RUNNING
           || base == JOB_SUSPENDED
           || (base == JOB_PENDING && record->priority != 0);
}

void throttles_count (struct throttles *throttles, const job_info_msg_t *all)
{
    for (uint32_t i = 0; all && i < all->record_count; i++) {
        const slurm_job_info_t *record = &all->job_array[i];
        struct throttle *it;
        if (record->array_job_id == 0 || record->array_max_tasks == 0)
            continue;
        it = find_throttle (throttles, record->array_job_id);
        if (!it)
            it = add_throttle (throttles, record);
        if (it && it->left > 0 && is_out (record))
            it->left--;
    }
}

void throttles_clear (struct throttles *throttles)
{
    free (throttles->all);
}

bool throttles_pass (struct throttles *throttles,
                     const slurm_job_info_t *record)
{
    struct throttle *it = record->array_job_id
                              ? find_throttle (throttles, record->array_job_id)
                              : NULL;
    if (it && it->left == 0)
        return false;
    if (it)
        it->left--;
    return true;
}
