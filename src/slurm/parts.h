/* parts.h - the partitions of Slurm, as sets of nodes of the machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_PARTS_H
#define TORI_SLURM_PARTS_H

#include <jansson.h>
#include <slurm/slurm.h>

#include "nodemap.h"

struct slurm_part {
    char *name;
    unsigned char *has; /* by id */
    uint32_t count;
    json_t *only; /* its boxes; NULL: all nodes that Slurm has */
};

struct slurm_parts {
    struct slurm_part *all;
    size_t n;
};

/* Replace them by those that Slurm has. */
int slurm_parts_read (struct slurm_parts *parts, const struct nodemap *map,
                      const partition_info_msg_t *partitions,
                      const node_info_msg_t *nodes, tori_error *err);
void slurm_parts_clear (struct slurm_parts *parts);

/* Set the boxes of one, by its nodes; -1 without memory. */
int slurm_part_boxes (struct slurm_part *part, const struct nodemap *map);

#endif
