/* net_partitions.h - whether the partitions of the network are open or closed,
 * and which disturb which. */
#ifndef TORI_CLI_NET_PARTITIONS_H
#define TORI_CLI_NET_PARTITIONS_H

#include <tori/partition.h>

#include "emit.h"
#include "netjobs.h"

struct net_partitions {
    const tori_machine *machine;
    const struct netjobs *jobs;
    bool *closed; /* by job */
    tori_escape *escape;
    tori_disturbance *disturb;
    size_t ndisturb;
};

/* Call net_partitions_clear afterwards, also on failure. */
int net_partitions_find (const tori_machine *machine, tori_routing routing,
                         const struct netjobs *jobs,
                         struct net_partitions *ret_parts, tori_error *err);
void net_partitions_clear (struct net_partitions *parts);

/* Members of the object of a job, and of the object that holds all jobs. */
void net_partitions_emit_job (struct emit *e,
                              const struct net_partitions *parts, size_t job);
void net_partitions_emit (struct emit *e, const struct net_partitions *parts);

/* One line per partition, and one for each pair that disturb each other. */
void net_partitions_print (const struct net_partitions *parts, FILE *out);

#endif
