/* place_exports.h - the output of tori place beside its answer: the order of
 * ranks, and files for launchers, for Google Kubernetes Engine (gke.h) and for
 * Tenstorrent's tt-run (ttrun.h). */
#ifndef TORI_CLI_PLACE_EXPORTS_H
#define TORI_CLI_PLACE_EXPORTS_H

#include "gke.h"
#include "meshgraph.h"
#include "options.h"
#include "ranks.h"

struct exports_files {
    int ranks;
    const char *rank_file;
    int rank_format;
    const char *names;
    const char *slice_file, *slice_name;
};

/* Rows for values that hold a `struct exports_files exports`. */
#define EXPORTS_ROWS(values)                                                  \
    {"ranks", OPTION_CHOICE, offsetof (values, exports.ranks), "ORDER",       \
     .choices = rank_order_name, .without = "points",                         \
     .help = "the order of ranks, one per node: row (the last dimension "     \
             "fastest), morton, hilbert, or folded (each side as 0, 2, 4, ... " \
             "and back, as rings of a multi-torus are wired); for a slice "   \
             "of a pod, in the box of its joined pieces; with --fold "        \
             "rings, in the shape that was asked for, where row and folded "  \
             "are the order of the map, as MPI_Cart_create counts"},          \
        {"rank-file", OPTION_STRING, offsetof (values, exports.rank_file),    \
         "FILE", .file = FILE_WRITTEN, .without = "points", .aside = true,    \
         .help = "write the names of the nodes in this order, for a "         \
                 "launcher"},                                                 \
        {"rank-format", OPTION_CHOICE,                                        \
         offsetof (values, exports.rank_format), "FORMAT",                    \
         .choices = rank_format_name, .with = "rank-file", .aside = true,     \
         .help = "mpich (the default): a host file (mpiexec -f); openmpi: a " \
                 "rank file (mpirun --rankfile); slurm: for SLURM_HOSTFILE "  \
                 "and srun --distribution=arbitrary; with --mesh-graph also " \
                 "tenstorrent: rank bindings (tt-run --rank-binding), a rank " \
                 "per host; and tenstorrent-mesh: the mesh graph descriptor " \
                 "of the job that they name"},                                \
        {"names", OPTION_STRING, offsetof (values, exports.names), "PATTERN", \
         .with = "rank-file slice-file", .aside = true,                       \
         .help = "the names of all nodes of the machine, such as n[0-63], "   \
                 "in the order of their ids; or a file of lines 'NAME "       \
                 "COORDINATES'; with --slice-file, of all cubes, or of all "  \
                 "partitions of the size of the slice"},                      \
        {"slice-file", OPTION_STRING, offsetof (values, exports.slice_file),  \
         "FILE", .file = FILE_WRITTEN, .without = "points rank-file",         \
         .aside = true,                                                       \
         .help = "write the slice of a pod as a Slice of Google Kubernetes "  \
                 "Engine (kubectl apply -f); the answer has the labels of "   \
                 "its nodes"},                                                \
    {                                                                         \
        "slice-name", OPTION_STRING, offsetof (values, exports.slice_name),   \
            "NAME", .with = "slice-file", .fallback = "slice",                \
            .aside = true, .help = "the name of that Slice"                   \
    }

struct exports {
    const struct exports_files *files;
    const tori_machine *machine;
    size_t n;        /* nodes */
    uint32_t *ranks; /* node ids in the order of ranks, if asked for */
    struct gke_slice slice;
};

/* The placements of a job, each of this shape. With --fold rings the map has
 * the nodes of each, one placement after another, row by row of the shape;
 * otherwise it is NULL. */
struct exports_job {
    const tori_placement *places;
    size_t n;
    const tori_shape *shape;
    const uint32_t *map;
};

/* Refuse options that contradict each other. `graph` is the descriptor of the
 * machine, or NULL. */
int exports_check (const struct exports_files *files,
                   const struct meshgraph *graph, tori_error *err);

/* Order the ranks of the placements, one after another, and write the
 * files, before anything is printed. Call exports_clear afterwards, also on
 * failure. */
int exports_make (const struct exports_files *files,
                  const struct exports_job *job, const tori_machine *machine,
                  const struct meshgraph *graph, const char *graph_path,
                  struct exports *ret_exports, tori_error *err);
void exports_clear (struct exports *exports);

/* Print the exports as part of the answer. */
void exports_print (const struct exports *exports, FILE *out);
extern const struct sheet exports_sheet;

#endif
