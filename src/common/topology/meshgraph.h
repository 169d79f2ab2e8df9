/* meshgraph.h - Tenstorrent's mesh graph descriptors, as far as one mesh goes:
 * a mesh or torus of devices, and how hosts share it.
 *
 *     mesh_descriptors {
 *       name: "M0"
 *       arch: WORMHOLE_B0
 *       device_topology { dims: [ 8, 4 ] dim_types: [ LINE, RING ] }
 *       host_topology   { dims: [ 2, 1 ] }
 *       channels        { count: 4 policy: RELAXED }
 *     }
 *     top_level_instance { mesh { mesh_descriptor: "M0" mesh_id: 0 } }
 *
 * A RING is a torus dimension, a LINE a mesh dimension. Every host has a box
 * of devices, all with the same sides. Other fields are ignored.
 */
#ifndef TORI_TOPOLOGY_MESHGRAPH_H
#define TORI_TOPOLOGY_MESHGRAPH_H

#include <stdio.h>

#include <tori/machine.h>

enum { MESHGRAPH_WORD = 64 };

struct meshgraph {
    char name[MESHGRAPH_WORD], arch[MESHGRAPH_WORD]; /* "": not given */
    char channels[MESHGRAPH_WORD], policy[MESHGRAPH_WORD];
    int ndims;
    uint32_t dims[TORI_MAX_DIMS];
    bool ring[TORI_MAX_DIMS];
    uint32_t hosts[TORI_MAX_DIMS]; /* along each dimension */
};

/* TORI_INVALID with "FILE:LINE: why" for a file that is not a descriptor, or a
 * descriptor of several meshes. */
int meshgraph_read (const char *path, struct meshgraph *ret_graph,
                    tori_error *err);

/* Its devices as a machine. */
int meshgraph_machine (const struct meshgraph *graph,
                       tori_machine **ret_machine, tori_error *err);

void meshgraph_write (const struct meshgraph *graph, FILE *out);

#endif
