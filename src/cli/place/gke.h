/* gke.h - a slice of a pod as a Slice of Google Kubernetes Engine, whose slice
 * controller joins cubes ("partitions") of 4x4x4 chips, or cuts them into
 * smaller partitions, each of which is a slice.
 *
 *     apiVersion: accelerator.gke.io/v1beta1
 *     kind: Slice
 *     metadata:
 *       name: train
 *     spec:
 *       type: "tpu7x"
 *       topology: "4x4x8"
 *       partitionIds:
 *         - "p5"
 *         - "p7"
 *
 * gkeslice.h says in which order partitions are listed. Small ones are 2x2x1,
 * 2x2x2, 2x2x4 and 2x4x4 in the order of the machine's dimensions.
 */
#ifndef TORI_CLI_GKE_H
#define TORI_CLI_GKE_H

#include <tori/alloc.h>

#include "nodemap.h"
#include "sheet.h"

struct gke_slice {
    const char *name;
    char topology[TORI_TEXT_MAX];
    tori_machine *cubes;  /* a node for each partition of this size */
    struct nodemap names; /* the names of these partitions */
    uint32_t *parts;      /* the partitions of the slice */
    size_t n;
};

/* The slice of a placement. Partitions of its size are named by a pattern,
 * or by a file (see ranks_names): by the coordinates of their cube,
 * followed for small ones by their number in the cube along each dimension.
 * TORI_INVALID if GKE has no such slice, or if a name is bad. Call
 * gke_clear in either case. */
int gke_make (const tori_placement *place, const tori_machine *machine,
              const char *name, const char *names, struct gke_slice *ret_slice,
              tori_error *err);
void gke_clear (struct gke_slice *slice);

int gke_write (const struct gke_slice *slice, const char *path,
               tori_error *err);

/* The slice and the labels that its nodes will have, by which a job selects
 * them, in the answer of a command. */
void gke_print (const struct gke_slice *slice, FILE *out);
extern const struct sheet gke_sheet;

#endif
