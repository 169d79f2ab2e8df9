/* hostlist.h - a list of hosts of any version of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_HOSTLIST_H
#define TORI_SLURM_HOSTLIST_H

#include <slurm/slurm.h>

/* Until 23.02 the type was itself a pointer. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t hosts;
#else
typedef struct hostlist hosts;
#endif

#endif
