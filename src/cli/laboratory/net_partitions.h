/* net_partitions.h - whether the partitions of the network are open or closed,
 * and which disturb which. */
#ifndef TORI_CLI_NET_PARTITIONS_H
#define TORI_CLI_NET_PARTITIONS_H

#include <tori/partition.h>

#include "netjobs.h"
#include "sheet.h"

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

/* The i-th partition, for the fields that say whether it is closed; and the
 * pairs that disturb each other, as a field of an answer whose row has the
 * partitions there. */
struct net_partition {
    const struct net_partitions *all;
    size_t i;
};
extern const struct sheet net_partition_sheet, disturb_sheet;
field_emit_fn net_disturb_emit;

/* One line per partition, and one for each pair that disturb each other. */
void net_partitions_print (const struct net_partitions *parts, FILE *out);

#endif
