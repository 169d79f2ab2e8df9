/* torusfile.h - Slurm's topology.yaml, as far as topology/torus3d goes
 * (Slurm 26.05): named tori of three dimensions, which nodes are where, and
 * the shapes and anchors at which Slurm places jobs by itself.
 *
 *     - topology: pods
 *       cluster_default: true
 *       torus3d:
 *         toruses:
 *           - name: pod1
 *             dims: {x: 4, y: 4, z: 2}
 *             nodes: n[00-31]
 *             placements:
 *               - dims: {x: 2, y: 2, z: 1}
 *
 * x, y and z are the dimensions of a machine in this order. But Slurm counts
 * with x fastest, and ids with the last dimension. Other topologies in the
 * file are ignored.
 */
#ifndef TORI_TOPOLOGY_TORUSFILE_H
#define TORI_TOPOLOGY_TORUSFILE_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/machine.h>

enum { TORUS_DIMS = 3, TORUS_SIDE_MAX = UINT16_MAX };

/* Nodes of a box, x fastest; it does not wrap. */
struct torus_region {
    uint32_t anchor[TORUS_DIMS], dims[TORUS_DIMS];
    bool whole;  /* these are the `nodes` of the torus */
    char *nodes; /* a pattern of hostlist.h */
    size_t line; /* in the file */
};

/* The places that Slurm gives to jobs of one size: boxes of these sides, from
 * `seed` on in steps of `spacing`, around the torus. */
struct torus_placement {
    uint32_t dims[TORUS_DIMS], seed[TORUS_DIMS], spacing[TORUS_DIMS];
    size_t line;
};

struct torus_entry {
    char *topology; /* the topology that it belongs to */
    char *name;
    uint32_t dims[TORUS_DIMS];
    struct torus_region *regions;
    size_t n_regions;
    struct torus_placement *placements;
    size_t n_placements;
    size_t line;
};

struct torusfile {
    struct torus_entry *tori;
    size_t n;
};

/* Read all tori of a file. A file that Slurm would refuse is TORI_INVALID,
 * with "FILE:LINE: why". */
int torusfile_read (const char *path, struct torusfile *ret_file,
                    tori_error *err);
void torusfile_clear (struct torusfile *file);

/* The torus of this name, or of "TOPOLOGY:NAME"; with NULL the only one. */
int torusfile_find (const struct torusfile *file, const char *path,
                    const char *name, const struct torus_entry **ret_torus,
                    tori_error *err);

/* Add a placement such as "2x2x1", "4x2x1:2x2x1" or "1,0,0/4x2x1:2x2x1":
 * [SEED/]SIDES[:SPACING]. */
int torus_add_placement (struct torus_entry *torus, const char *text,
                         tori_error *err);

/* Find the first rule of Slurm that a torus breaks; TORI_INVALID, with its
 * line in `ret_line`. */
int torus_check (const struct torus_entry *torus, size_t *ret_line,
                 tori_error *err);

/* Write a topology of this one torus. */
void torus_write (const struct torus_entry *torus, FILE *out);

void torus_clear (struct torus_entry *torus);

#endif
