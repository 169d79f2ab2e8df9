/* nodemap.h - which node of Slurm is which node of the machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_NODEMAP_H
#define TORI_SLURM_NODEMAP_H

#include <jansson.h>
#include <tori/machine.h>

struct nodemap {
    const tori_machine *machine;
    uint32_t n;
    char **names; /* by id */
    json_t *ids;  /* by name */
};

/* In which order a pattern names the nodes: that of ids, where the last
 * dimension varies fastest, or that of Slurm's tori, where the first does. */
enum nodemap_order { NODEMAP_LAST, NODEMAP_FIRST };
const char *nodemap_order_name (size_t i);

/* All nodes by one pattern of Slurm, such as "n[0-63]"; or by a file of lines
 * "NAME COORDINATES", where # begins a comment. TORI_INVALID for a node that
 * is named twice, or not at all. Clear it in any case; the machine must stay.
 */
int nodemap_pattern (struct nodemap *map, const tori_machine *machine,
                     const char *pattern, enum nodemap_order order,
                     tori_error *err);
int nodemap_file (struct nodemap *map, const tori_machine *machine,
                  const char *path, tori_error *err);
void nodemap_clear (struct nodemap *map);

/* The id of a node of this name, or -1. */
int64_t nodemap_id (const struct nodemap *map, const char *name);

/* Call a function with the id of every node of a pattern that is mapped. */
void nodemap_each (const struct nodemap *map, const char *pattern,
                   void (*each) (void *arg, uint32_t id), void *arg);

/* The nodes of a list of ids as a pattern of Slurm, which the caller frees;
 * NULL if there is no such id. */
char *nodemap_hosts (const struct nodemap *map, const json_t *ids);

#endif
