/* versions.h - the differences between Slurm 22.05 and 26.05, in one place.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_VERSIONS_H
#define TORI_SLURM_VERSIONS_H

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define SLURM_IS_SINCE(major, minor)                                          \
    (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM (major, minor, 0))

/* The name of a reason as squeue prints it. libslurm has the function, but its
 * header does not. */
#if SLURM_IS_SINCE(24, 5)
const char *slurm_job_state_reason_string (enum job_state_reason reason);
#else
const char *slurm_job_reason_string (enum job_state_reason reason);
#define slurm_job_state_reason_string slurm_job_reason_string
#endif

#if SLURM_IS_SINCE(26, 5)
#define slurm_free_ctl_conf slurm_free_conf
#endif

/* The first of the errors of a connection. */
#if SLURM_IS_SINCE(23, 2)
#define SLURM_SOCKET_ERRORS ESLURM_PROTOCOL_INCOMPLETE_PACKET
#else
#define SLURM_SOCKET_ERRORS SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH
#endif

/* The number of a job. */
static inline uint32_t slurm_job_number (const slurm_job_info_t *record)
{
#if SLURM_IS_SINCE(25, 11)
    return record->step_id.job_id;
#else
    return record->job_id;
#endif
}

#endif
