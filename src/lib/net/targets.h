/* targets.h - the targets of the ranks of a job, phase by phase. */
#ifndef TORI_NET_TARGETS_H
#define TORI_NET_TARGETS_H

#include <tori/traffic.h>

/* How many phases a round has; 0 if there is no rank to send to. */
uint64_t targets_phases (const tori_traffic_job *job);

/* The rank to which each rank sends in a phase, itself if to none. As
 * tori_pattern_targets, but it knows about boxes. */
void targets_fill (const tori_traffic_job *job, uint64_t phase, uint64_t seed,
                   uint32_t ret_target[]);

/* The side of the largest square of ranks, if the pattern is transpose and not
 * by the box: the other ranks have no partner. Otherwise 0. */
uint32_t targets_square (const tori_traffic_job *job);

#endif
