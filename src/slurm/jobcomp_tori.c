/* A plugin of Slurm, jobcomp/tori: slurmctld tells tori-slurm at once that a
 * job has ended. Nothing is stored.
 *
 * This program is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License as published by the Free
 * Software Foundation; either version 2 of the License, or (at your option)
 * any later version.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "slurm_wake.h"

/* ---- what slurmctld has, and no header declares ---- */

extern slurm_conf_t slurm_conf __attribute__ ((weak));

/* ---- what slurmctld looks for ---- */

extern const char plugin_name[], plugin_type[];
extern const uint32_t plugin_version;
int init (void);
int fini (void);
int jobcomp_p_set_location (void);
int jobcomp_p_log_record (const void *record); /* before Slurm 25.05 */
int jobcomp_p_record_job_start (const void *record, uint32_t event);
int jobcomp_p_record_job_end (const void *record, uint32_t event);
void *jobcomp_p_get_jobs (const void *condition);

const char plugin_name[] = "tori hears of the ends of jobs";
const char plugin_type[] = "jobcomp/tori";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init (void)
{
    return SLURM_SUCCESS;
}

int fini (void)
{
    return SLURM_SUCCESS;
}

int jobcomp_p_set_location (void)
{
    return SLURM_SUCCESS;
}

int jobcomp_p_log_record (const void *record)
{
    if (&slurm_conf)
        slurm_wake (slurm_conf.state_save_location, NEWS_END);
    return SLURM_SUCCESS;
}

int jobcomp_p_record_job_end (const void *record, uint32_t event)
{
    return jobcomp_p_log_record (record);
}

int jobcomp_p_record_job_start (const void *record, uint32_t event)
{
    return SLURM_SUCCESS;
}

void *jobcomp_p_get_jobs (const void *condition)
{
    return NULL;
}
