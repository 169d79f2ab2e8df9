/* ranks.h - the nodes of a placement in the order of a job's ranks, and files
 * that tell a launcher so.
 *
 * The orders, for the nodes of a box, of a slice of a pod as one box, or for a
 * list, of the machine:
 *   row      row by row, the last dimension fastest
 *   morton   the Z-order: the bits of the coordinates interleaved
 *   hilbert  a Hilbert curve: ranks that follow each other are neighbours
 *   folded   row by row, but each side as 0, 2, 4, ... and back ..., 5, 3, 1,
 *            as a multi-torus wires its rings: neighbours in the job's torus
 *            are one link apart there, and two hops at most anywhere; of a
 *            job with a map, row by row, as the map is folded already
 */
#ifndef TORI_CLI_RANKS_H
#define TORI_CLI_RANKS_H

#include <tori/alloc.h>

#include "nodemap.h"

enum rank_order { RANKS_ROW, RANKS_MORTON, RANKS_HILBERT, RANKS_FOLDED };
const char *rank_order_name (size_t i);

/* mpich: a host file of Hydra, "n1:1"; openmpi: a rank file, "rank 0=n1
 * slot=0"; slurm: for SLURM_HOSTFILE and --distribution=arbitrary, "n1". */
enum rank_format {
    RANKS_MPICH,
    RANKS_OPENMPI,
    RANKS_SLURM,
    RANKS_TENSTORRENT, /* written by ttrun.h */
    RANKS_TENSTORRENT_MESH
};
const char *rank_format_name (size_t i);

/* Write the node ids in the order of ranks; there is room for all of the
 * placement. */
int ranks_order (const tori_placement *place, const tori_machine *machine,
                 enum rank_order order, uint32_t ids[], tori_error *err);

/* The same for a job with a known map (tori_placement_map), ordered by
 * coordinates in the shape it asked for. */
int ranks_order_map (const uint32_t map[], const tori_shape *shape,
                     enum rank_order order, uint32_t ids[], tori_error *err);

/* The same for all nodes of the machine. */
int ranks_order_all (const tori_machine *machine, enum rank_order order,
                     uint32_t ids[], tori_error *err);

/* The names of all nodes: from a pattern (hostlist.h), or from a file of that
 * name (nodemap.h). Clear the map also on failure. */
int ranks_names (const char *names, const tori_machine *machine,
                 struct nodemap *map, tori_error *err);

/* Write one rank per node. TORI_INVALID for a node without a name. */
int ranks_write (const struct nodemap *map, const uint32_t ids[], size_t n,
                 enum rank_format format, const char *path, tori_error *err);

#endif
