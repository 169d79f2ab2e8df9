/* tori/machine.h - the machine: dimensions, nodes, shapes and boxes.
 *
 * A machine is a grid of nodes with any number of dimensions up to
 * TORI_MAX_DIMS. Each dimension is wired as a mesh, as a torus (a mesh with a
 * wrap link) or as a multi-torus (the interconnect of Aridor et al.,
 * "Multi-Toroidal Interconnects", 2004: neighbour links and a folded ring).
 *
 * A pod is a number of cubes, all of the same shape. A cube is a mesh whose
 * faces end in optical switches. The switches join any +d face to any -d face,
 * even of the same cube, node by node at equal positions. The first dimensions
 * of a pod count cubes (and several pods), the others are those of a cube: on
 * pod:64/4x4x4, node 5,3,1,2 is node 3,1,2 of cube 5. Nodes and boxes are
 * named as on any machine. But the shape of a job has only the dimensions of a
 * cube (tori_machine_shape_dims), and its place is a slice: boxes in cubes,
 * joined by switches (tori/alloc.h).
 *
 * A machine never changes after it is created. A tori_state (tori/state.h)
 * holds what is busy, down or reserved, and many states may share a machine.
 *
 * A node has coordinates and an id. Ids count row-major, the last dimension
 * fastest: on mesh:4x5, node 1,2 has id 7. The order of ids breaks every tie.
 */
#ifndef TORI_MACHINE_H
#define TORI_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TORI_MAX_DIMS = 32 };
#define TORI_MAX_NODES (UINT32_C (1) << 30)

/* Long enough for the text of any machine, shape, node or box. */
enum { TORI_TEXT_MAX = 32 * TORI_MAX_DIMS };

typedef enum tori_kind {
    TORI_MESH,
    TORI_TORUS,
    TORI_MULTITORUS,
    TORI_APART,   /* on a pod: counts cubes or pods; has no links */
    TORI_SWITCHED, /* in a cube: a mesh whose two ends are ports of switches */

    /* A multi-torus closes two inner nodes through the switch to the right of
     * them. These do it through the one to the left, and through the one
     * towards the middle of the line. */
    TORI_MULTITORUS_LEFT,
    TORI_MULTITORUS_FACING,

    TORI_LINKED /* has links that were given one by one */
} tori_kind;

typedef struct tori_machine tori_machine;

/* The sides of a box, one per dimension. A shape that you fill in yourself
 * must have at most TORI_MAX_DIMS sides: functions without a tori_error do not
 * check. */
typedef struct tori_shape {
    int ndims;
    uint32_t size[TORI_MAX_DIMS];
} tori_shape;

/* A box: it begins at `origin` and extends as far in each dimension as `shape`
 * says. It wraps where origin + size exceeds the side of a dimension that
 * wraps. */
typedef struct tori_box {
    uint32_t origin[TORI_MAX_DIMS];
    tori_shape shape;
} tori_box;

/* Create a machine from text: KIND:SIZES, where KIND is mesh, torus,
 * multitorus, multitorus-left or multitorus-facing, SIZES is 8x8x8 or 8^3, and
 * a size may carry its own kind as a suffix (m, t, u, l, f): "torus:16x16x8m". Further links of a line may follow,
 * "torus:8+2-7+2-7x4x4"; without links of its own it is "links:8+0-2+1-2" (k
 * as a suffix). Then the side is at most 16, and the line has at most two
 * links for each of its nodes. A pod is pod:CUBES/SIDES, such as
 * "pod:64/4x4x4", or "pod:4x4x4/4x4x4" for 64 cubes that are named by three
 * coordinates. "2*pod:64/4x4x4" is two pods with no link between them. The
 * caller destroys the machine after everything that refers to it. TORI_INVALID
 * for bad text, for a size of zero and for more than TORI_MAX_NODES nodes;
 * TORI_FAILED if memory runs out. */
int tori_machine_parse (const char *text, tori_machine **ret_machine,
                        tori_error *err);

/* The same from numbers: `ndims` sizes, with one kind for all dimensions or
 * one for each. These cannot make pods. */
int tori_machine_create (tori_kind kind, int ndims, const uint32_t sizes[],
                         tori_machine **ret_machine, tori_error *err);
int tori_machine_create_mixed (int ndims, const tori_kind kinds[],
                               const uint32_t sizes[],
                               tori_machine **ret_machine, tori_error *err);
void tori_machine_destroy (tori_machine *machine);

/* The number of dimensions; the side and the kind of one of them, counted from
 * 0 (a mesh of side 0 if there is no such dimension); the number of nodes. */
int tori_machine_ndims (const tori_machine *machine);
uint32_t tori_machine_size (const tori_machine *machine, int dim);
tori_kind tori_machine_kind (const tori_machine *machine, int dim);
uint32_t tori_machine_nodes (const tori_machine *machine);

/* Whether nodes 0 and size-1 of a dimension are neighbours. That is so only in
 * a torus dimension. (The folded ring of a multi-torus joins switches, not the
 * ends of the line.) */
bool tori_machine_wraps (const tori_machine *machine, int dim);

/* Whether the machine is made of pods; how many dimensions count cubes and
 * pods, 0 on other machines; how many of these count cubes; and how many sides
 * the shape of a job has: one for each of the other dimensions. */
bool tori_machine_is_pod (const tori_machine *machine);
int tori_machine_apart (const tori_machine *machine);
int tori_machine_cube_dims (const tori_machine *machine);
int tori_machine_shape_dims (const tori_machine *machine);

/* The sides of the whole machine as a shape. */
const tori_shape *tori_machine_shape (const tori_machine *machine);

/* The canonical text of a machine, such as "torus:16x16x8m". */
void tori_machine_format (const tori_machine *machine,
                          char text[TORI_TEXT_MAX]);

/* From id to coordinates and back. Bounds are not checked. */
void tori_machine_coords (const tori_machine *machine, uint32_t id,
                          uint32_t coords[]);
uint32_t tori_machine_id (const tori_machine *machine,
                          const uint32_t coords[]);

/* Hops between two nodes: the sum over the dimensions, the shorter way round
 * where a dimension wraps. Between two cubes, it is the fewest hops through
 * one switch, if the switch joined the best faces. tori_placement_pairwise
 * counts the hops within a slice. */
uint32_t tori_machine_distance (const tori_machine *machine, uint32_t a,
                                uint32_t b);

/* Parse a node, "x,y,z". TORI_INVALID if it is not a node of this machine. */
int tori_node_parse (const tori_machine *machine, const char *text,
                     uint32_t *ret_id, tori_error *err);
void tori_node_format (const tori_machine *machine, uint32_t id,
                       char text[TORI_TEXT_MAX]);

/* Parse a shape, "4x4x2": up to TORI_MAX_DIMS sides, each at least 1, else
 * TORI_INVALID. */
int tori_shape_parse (const char *text, tori_shape *ret_shape,
                      tori_error *err);
void tori_shape_format (const tori_shape *shape, char text[TORI_TEXT_MAX]);

/* The number of nodes of a shape; UINT64_MAX if it does not fit. */
uint64_t tori_shape_volume (const tori_shape *shape);
bool tori_shape_equal (const tori_shape *a, const tori_shape *b);

/* Rotations: sort the sides (the first rotation in lexicographic order), then
 * step to the next distinct one; false after the last. */
void tori_shape_sort (tori_shape *shape);
bool tori_shape_next_rotation (tori_shape *shape);

/* Whether the shape, as it is, is no longer than the machine in any
 * dimension. */
bool tori_shape_fits (const tori_shape *shape, const tori_machine *machine);

/* Parse a box, "x,y,z/4x4x2", or a single node, "x,y,z", which is a box of one
 * node. It may wrap where the dimension wraps; tori_box_wraps tells. On a pod
 * a box may have only the sides of a cube, "5,0,0,2/4x4x2", and begin at the
 * cube's first node, "5/4x4x4". TORI_INVALID if it is not within the machine.
 */
int tori_box_parse (const tori_machine *machine, const char *text,
                    tori_box *ret_box, tori_error *err);
void tori_box_format (const tori_box *box, char text[TORI_TEXT_MAX]);
bool tori_box_wraps (const tori_machine *machine, const tori_box *box);

/* Whether a node is in a box, and whether two boxes have a node in common. */
bool tori_box_contains (const tori_machine *machine, const tori_box *box,
                        uint32_t id);
bool tori_box_overlap (const tori_machine *machine, const tori_box *a,
                       const tori_box *b);

/* The ids of a box's nodes in ascending order. `ids` has room for the box's
 * volume. */
void tori_box_nodes (const tori_machine *machine, const tori_box *box,
                     uint32_t ids[]);

/* The sum of hop distances over unordered pairs: of a box's nodes (on a pod:
 * in one cube), in closed form, or of any n nodes (repeats allowed).
 * UINT64_MAX if it does not fit. The second function needs memory: TORI_FAILED
 * if it runs out. TORI_INVALID for a node outside this machine. */
uint64_t tori_box_pairwise (const tori_machine *machine, const tori_box *box);
int tori_nodes_pairwise (const tori_machine *machine, const uint32_t ids[],
                         size_t n, uint64_t *ret_sum, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
