/* ttrun.h - a placement for Tenstorrent's launcher tt-run: rank bindings, and
 * the mesh graph descriptor of the job that they name.
 *
 *     rank_bindings:
 *       - rank: 0 # host 1,0
 *         mesh_id: 0
 *         mesh_host_rank: 0
 *         env_overrides:
 *           TT_VISIBLE_DEVICES: "0,1,2,3"
 *     mesh_graph_desc_path: "job.textproto"
 *
 * There is a rank for each host that has devices of the job, row by row.
 * Devices are counted within their host, row by row, too. */
#ifndef TORI_CLI_TTRUN_H
#define TORI_CLI_TTRUN_H

#include <tori/alloc.h>

#include "meshgraph.h"

/* Write the bindings, or with `mesh` the descriptor. The job is a box that has
 * whole hosts or, along a dimension, a part of one; else TORI_INVALID. Its
 * descriptor is the one of the machine (at `graph_path`) if it has all of it;
 * otherwise it is expected beside the bindings, with .textproto at its end.
 * `names` are those of the hosts (see ranks_names), or NULL. */
int ttrun_write (const struct meshgraph *graph, const char *graph_path,
                 const tori_placement *place, const tori_machine *machine,
                 const char *names, bool mesh, const char *path,
                 tori_error *err);

#endif
