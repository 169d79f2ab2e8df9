/* tori/alloc.h - requests, placements and the allocators between them.
 *
 *     tori_alloc *alloc;
 *     tori_placement place = {0};
 *     if (tori_alloc_create (machine, TORI_ALLOC ("mm"), &alloc, &err) < 0)
 *         ...
 *     switch (tori_alloc_place (alloc, state, &request, &place, &err)) {
 *     case TORI_PLACED:
 *         tori_placement_hold (&place, state, &err);
 *         ...
 *         tori_placement_release (&place, state);
 *         tori_placement_clear (&place);
 *
 * An allocator says where a request would go in a state. It never changes the
 * state. Its answer depends only on the machine, the state, the request and
 * its options.
 */
#ifndef TORI_ALLOC_H
#define TORI_ALLOC_H

#include <tori/wiring.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The request of a job: either `count` nodes anywhere (shape.ndims is 0) or a
 * box of this shape. With a shape, `count` may be smaller than the box: only
 * that many of its nodes are wanted (0: all). Most allocators still give the
 * whole box; mc gives `count` nodes near such a box.
 *
 * Other structures contain a request by value. So it does not begin with its
 * size and never grows: `flags` leaves room for later additions. Whatever else
 * a job asks for is in tori_job_spec (tori/sched.h). */
typedef struct tori_request {
    uint32_t count;
    tori_shape shape;
    tori_wiring wiring; /* of a box; TORI_WIRE_NONE reserves no links */
    bool fixed;         /* the shape may not be rotated */
    bool wrap;          /* the box may wrap where the dimension wraps */
    uint16_t flags;     /* TORI_REQUEST_FOLD */
} tori_request;

/* Flags of a request.
 *
 * TORI_REQUEST_FOLD: the job is a torus of this shape, with any number of
 * dimensions. It may be folded into a box with other sides, as long as its
 * neighbours are neighbours there and its rings are closed. A ring of two is a
 * single link. A ring is closed where a dimension is wired as a torus, on a
 * pod through whole cubes, or, without wiring, where a box reaches all the way
 * round a torus. Boxes whose rings take no links outside come first. Among
 * equals, the shape as requested comes first; without wiring it need not be
 * closed. On a pod the allocator's own rule chooses. A job that is wired as a
 * mesh is a mesh: it has no rings to close. It is folded on a pod only. The
 * shape must not be `fixed`. On a machine with many dimensions, 4,096 boxes
 * are tried. */
enum { TORI_REQUEST_FOLD = 1 };

/* The number of nodes that the request occupies: for a box, all of its nodes.
 */
uint64_t tori_request_nodes (const tori_request *request);

/* The place of a request: boxes, or a list of nodes in ascending order. A
 * zeroed placement is empty.
 *
 * Usually there is one box or a list. There can be several boxes: the segments
 * of a job, each wired by itself, or the pieces of a slice of a pod, which
 * switches join (see below). No two boxes share a node. A placement also keeps
 * the links that go around links that are down (tori_placement_wire). */
typedef struct tori_placement {
    uint32_t count;     /* nodes in all */
    uint32_t nboxes;    /* 0 for a list */
    tori_wiring wiring; /* of each box */
    tori_box box;    /* the first; for a list from an allocator that folds, the
                        box that the nodes were cut from: tori/cubes.h */
    uint32_t *nodes; /* of a list; from malloc, owned */
    struct tori_pieces *pieces; /* other boxes and chosen links; owned */
} tori_placement;

/* The i-th box, or NULL past the end. */
const tori_box *tori_placement_box (const tori_placement *place, size_t i);

/* Make a placement of n boxes, at least 1, which are copied: the answer of an
 * allocator of your own, or the place of a job that is already running.
 * tori_placement_hold checks that they are boxes of the machine and do not
 * overlap. */
int tori_placement_of_boxes (const tori_box boxes[], size_t n,
                             tori_wiring wiring, tori_placement *ret_place,
                             tori_error *err);

/* The same of n nodes, at least 1, which are copied and sorted. TORI_INVALID
 * for a node given twice or one outside this machine. */
int tori_placement_of_nodes (const tori_machine *machine,
                             const uint32_t nodes[], size_t n,
                             tori_placement *ret_place, tori_error *err);

/* ---- slices of a pod ----
 *
 * To its job, a slice is one box. It is made of pieces in cubes of one pod.
 * There are `across` pieces along each dimension of a cube, in row-major
 * order, the last dimension fastest. A switch joins equal positions of
 * opposite faces. So in every dimension, pieces that lie side by side begin
 * and end at the same coordinates. A piece that is followed by another ends at
 * the upper face of its cube; a piece that follows another begins at the lower
 * face. A slice wired as a torus is closed through the switches in every
 * dimension in which it has more than one node, so it is made of whole sides
 * there. A slice of one box is one piece. */

/* Make a slice of as many pieces as `across` says, which are copied.
 * tori_placement_hold checks that they are boxes of the machine and can be
 * joined this way. */
int tori_placement_of_pieces (const tori_box pieces[],
                              const tori_shape *across, tori_wiring wiring,
                              tori_placement *ret_place, tori_error *err);

/* How many pieces there are along each dimension of a cube, and the sides of
 * the box that they form together, in the same dimensions. On other machines,
 * for a single box: 1 and its sides. False for a list and for boxes that are
 * not joined. */
bool tori_placement_across (const tori_placement *place,
                            const tori_machine *machine,
                            tori_shape *ret_across);
bool tori_placement_shape (const tori_placement *place,
                           const tori_machine *machine, tori_shape *ret_shape);

/* The origin in that box of the i-th piece: one coordinate per side. Boxes
 * that are not joined each begin at 0. */
void tori_placement_begin (const tori_placement *place,
                           const tori_machine *machine, size_t i,
                           uint32_t at[TORI_MAX_DIMS]);

/* A cross-connect: a switch joins the + port of one node to the - port of
 * another, in this dimension of the machine. */
typedef struct tori_cross {
    int dim;
    uint32_t from, to;
} tori_cross;

/* Call `visit` for every cross-connect of a slice, ordered by dimension, piece
 * and node. If `visit` returns non-zero, stop and return that value. A slice
 * without wiring has no cross-connects. */
int tori_placement_crosses (const tori_placement *place,
                            const tori_machine *machine,
                            int (*visit) (void *arg, const tori_cross *cross),
                            void *arg);

/* Release the memory of a placement and empty it. NULL is allowed. */
void tori_placement_clear (tori_placement *place);

/* Copy a placement. Fails only if memory runs out. The old contents of `to`
 * are not released: `to` must hold nothing, and need not even be zeroed. */
int tori_placement_copy (tori_placement *to, const tori_placement *from,
                         tori_error *err);

/* Write the node ids in ascending order; `ids` has room for place->count. */
void tori_placement_nodes (const tori_placement *place,
                           const tori_machine *machine, uint32_t ids[]);

/* Whether a node, or a link, belongs to the placement. */
bool tori_placement_contains (const tori_placement *place,
                              const tori_machine *machine, uint32_t node);
bool tori_placement_uses_link (const tori_placement *place,
                               const tori_machine *machine,
                               const tori_link *link);

/* Call `visit` once for every link of the placement. First come the links that
 * the rule gives each box, in the order of tori_wiring_each (for a slice,
 * including the ports where its pieces are joined), then the chosen links. If
 * `visit` returns non-zero, stop and return that value. */
int tori_placement_each_link (const tori_placement *place,
                              const tori_machine *machine,
                              int (*visit) (void *arg, const tori_link *link),
                              void *arg);

/* Choose the links of a placement: those of the rule (tori/wiring.h) or, in
 * dimensions of a multi-torus where links are down, other links that are free,
 * line by line. A placement from an allocator already has its links. A
 * placement made of boxes has those of the rule until this is called.
 * TORI_NOT_NOW if there is no way around; the placement is then unchanged. */
int tori_placement_wire (tori_placement *place, const tori_state *state,
                         tori_error *err);

/* The node of every node of a job that asked for a shape: nodes[i] is the id
 * of the i-th node, row-major in the shape as requested. `nodes` has room for
 * the volume of the shape. Along a closed dimension of a multi-torus the map
 * follows the folded ring (tori/wiring.h). TORI_INVALID if the placement is
 * not one box of the shape, or of a fold of it that the request allows. */
int tori_placement_map (const tori_placement *place,
                        const tori_machine *machine,
                        const tori_request *request, uint32_t nodes[],
                        tori_error *err);

/* The sum of hop distances over unordered pairs of its nodes. For a slice,
 * distances are those in the box that its pieces form, including its rings. */
int tori_placement_pairwise (const tori_placement *place,
                             const tori_machine *machine, uint64_t *ret_sum,
                             tori_error *err);

/* Mark the nodes busy and take the links, or undo that. Holding fails with
 * TORI_NOT_NOW if a node or link is not free. It fails with TORI_INVALID if
 * the placement is not one on this machine, if its nodes do not ascend, if its
 * count is not that of its boxes, or if two boxes need the same node or link.
 * On failure the state is unchanged. Releasing what was held restores the
 * state bit for bit.
 *
 * Releasing does nothing unless all of the nodes are busy and all of the links
 * are taken. So a second release is harmless as long as no other job has taken
 * what was released. The state does not know who holds a node: once other jobs
 * hold all of these nodes, a second release silently frees them. So clear a
 * placement after you release it. */
int tori_placement_hold (const tori_placement *place, tori_state *state,
                         tori_error *err);
void tori_placement_release (const tori_placement *place, tori_state *state);

typedef enum tori_outcome {
    TORI_ERROR = -1,  /* see the error */
    TORI_PLACED = 0,
    TORI_NUMERICAL,   /* fewer free nodes than wanted (`count`, if the request
                         has one) */
    TORI_TOPOLOGICAL, /* enough free nodes, but not in such a box, or only
                         where it could never be wired */
    TORI_WIRING,      /* such a box is free, but its links are not */
    TORI_UNPLACEABLE  /* no place even on the idle machine */
} tori_outcome;

/* "placed", "numerical", "topological", "wiring", "never"; "error"; NULL for
 * anything else. For why a job waits, see tori_reason in tori/sched.h. */
const char *tori_outcome_name (tori_outcome outcome);

/* Which requests an allocator takes. */
enum { TORI_BY_SHAPE = 1, TORI_BY_COUNT = 2 };

typedef struct tori_alloc tori_alloc;

/* Properties of an allocator. */
enum {
    TORI_ALLOC_POINTS = 1,   /* also serves points without a machine:
                                tori/points.h */
    TORI_ALLOC_SEARCHES = 2, /* may give up (TORI_GAVE_UP): uses the `steps`
                                and `search` of its configuration */
    TORI_ALLOC_EPSILON = 4,  /* uses the `epsilon` of its configuration */
    TORI_ALLOC_FOLDS = 8,    /* keeps the volume of a shape, not its sides,
                                and reserves no links: see tori/cubes.h */
    TORI_ALLOC_SLICES = 16,  /* gives a whole slice that holds the shape, so
                                perhaps more nodes than the shape has */
    TORI_ALLOC_PLANES = 32,  /* for l-ary m-cubes: a user may leave out sides
                                of 1 at the end of a shape */
    TORI_ALLOC_RINGS = 64,   /* supports TORI_REQUEST_FOLD */
    TORI_ALLOC_ANCHORS = 256, /* uses the `spacing` and `slices` of its
                                 configuration */
    TORI_ALLOC_PODS = 128,   /* places slices on pods, and serves no other
                                machine; allocators without it do not serve
                                pods, except ... */
    TORI_ALLOC_ANYWHERE = 512 /* ... those with this, which serve all
                                 machines */
};

/* The description of an allocator. It never grows, because other structures
 * contain it. */
typedef struct tori_alloc_info {
    const char *name;
    const char *summary; /* one line */
    unsigned takes;      /* TORI_BY_SHAPE, TORI_BY_COUNT */
    unsigned flags;      /* TORI_ALLOC_POINTS, ... */
} tori_alloc_info;

/* isomorphic: which groups of sibling subcubes are recognised, see
 * tori/cubes.h. */
typedef enum tori_hypercube {
    TORI_HYPERCUBE_BUDDY,
    TORI_HYPERCUBE_GRAY,
    TORI_HYPERCUBE_FREE_LIST,
    TORI_HYPERCUBE_ADAPTIVE
} tori_hypercube;

/* isomorphic: what to do about sides that are not powers of two. */
typedef enum tori_noncubic {
    TORI_NONCUBIC_ROUND_UP,
    TORI_NONCUBIC_DECOMPOSE
} tori_noncubic;

/* "buddy", "gray", "free-list", "adaptive"; "round-up", "decompose"; NULL for
 * anything else. */
const char *tori_hypercube_name (int hypercube);
const char *tori_noncubic_name (int noncubic);

/* The findings of an allocator that searches and gives up. Zero it first, and
 * provide room for the set if you want it. Read it only after TORI_GAVE_UP;
 * unknown members are 0. Sums are over unordered pairs. */
typedef struct tori_search {
    uint64_t steps;  /* taken; 0 if the search never began */
    uint64_t limit;  /* of steps */
    bool found;      /* it found a set, with the sum `best` */
    double best;
    double at_least; /* proved: no set has a smaller sum */
    size_t *chosen;  /* the set: node ids or indexes of points, ascending; with
                        room for as many as were requested, or NULL */
} tori_search;

struct tori_alloc_config;

/* An allocator of your own: put its address into a tori_alloc_config, and the
 * scheduler and the simulator use it like any other. See tori_alloc_config for
 * `size`. The structure and its texts must outlive the allocators made from
 * it.
 *
 * The library checks every answer: that it is a place on the machine, that its
 * nodes and links are free, and that it is what the request asks for. For a
 * wrong answer the call that asked (tori_alloc_place, tori_sched_run,
 * tori_sim_run) fails with TORI_INVALID, and nothing changes. */
typedef struct tori_alloc_ops {
    size_t size;
    tori_alloc_info info; /* flags: TORI_ALLOC_SEARCHES, TORI_ALLOC_PODS */

    /* Make and release working memory, which is passed to the functions below.
     * Both may be NULL; the functions then get config->arg. */
    int (*create) (const tori_machine *machine,
                   const struct tori_alloc_config *config, void **ret_data,
                   tori_error *err);
    void (*destroy) (void *data);

    /* Return why a request that fits the machine can never be placed, even on
     * the idle machine, as a fixed text; NULL if it can. The function itself
     * may be NULL if there are no such requests. */
    const char *(*never) (void *data, const tori_request *request);

    /* Find a place. Return 1 and fill in `ret_place`, which is empty before; 0
     * if no place is free now; -1 with an error. This is called only for
     * requests that fit the idle machine, and only if enough nodes are free.
     * Its answer must depend only on the machine, the state and the request,
     * and it must not change the state. For a shape the answer is a box with
     * the request's wiring (tori_placement_of_boxes); it may be rotated unless
     * the request is `fixed`. For a count the answer is a list of nodes (from
     * malloc) or a box. If enough nodes are free, a request by count must be
     * placed. On a pod the answer is a slice (tori_placement_of_pieces). To
     * give up, set the status TORI_GAVE_UP. */
    int (*place) (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err);
} tori_alloc_ops;

/* How to make an allocator: its name, and the options that some of them have.
 * A member that is 0 or NULL has its default, which is in parentheses.
 *
 * `size` is sizeof (tori_alloc_config). Every structure that begins with its
 * size works the same way: later versions may add members at the end, and a
 * program that was compiled before gets their defaults. A size of 0 is
 * TORI_INVALID. So is a member that is not 0 and that this library does not
 * know. */
typedef struct tori_alloc_config {
    size_t size;
    const char *name; /* one of tori_alloc_list (first-fit; on a pod
                         cube-best) */
    double epsilon;   /* ptas: at most 1 + epsilon times the best (0.5) */
    tori_hypercube hypercube; /* isomorphic (buddy) */
    tori_noncubic noncubic;   /* isomorphic (round-up) */
    uint64_t steps;      /* exact: the most steps of a search (2^34, a minute);
                            ptas: the most ways to cut that it tries (2^32),
                            or UINT64_MAX: it never gives up */
    tori_search *search; /* exact, ptas: filled in when they give up */

    /* exact, ptas: called now and then with the steps taken so far, never more
     * than the limit, which most searches of exact do not come near. For ptas
     * they are the settled part of the search, and the limit is all of it. */
    void (*on_progress) (void *arg, uint64_t steps, uint64_t limit);
    void *arg;

    const tori_alloc_ops *ops; /* an allocator of your own, instead of a
                                  name */

    uint64_t spacing; /* anchors: boxes begin at multiples of this many nodes
                         (of their own sides; without `slices`, of these
                         rounded up to divisors of the machine's) */
    const char *slices; /* cube-first, cube-best: the shapes that slices
                           smaller than a cube may have, in any rotation, such
                           as "1x1x1,2x2x1,2x2x2" (all); such slices begin at
                           multiples of their sides in a cube; anchors: the
                           only boxes that there are, without rotation (any);
                           copied */
} tori_alloc_config;

/* C only: a temporary structure, valid until the end of the enclosing block:
 *
 *     tori_alloc_create (machine, TORI_ALLOC ("ptas", .epsilon = 0.1), ...)
 */
#define TORI_ALLOC(...)                                                       \
    (&(const tori_alloc_config){.size = sizeof (tori_alloc_config),           \
                                .name = __VA_ARGS__})

/* The i-th allocator, or NULL past the end; the allocator of this name, or
 * NULL. */
const tori_alloc_info *tori_alloc_list (size_t i);
const tori_alloc_info *tori_alloc_find (const char *name);

/* Whether an allocator serves this machine. Allocators for pods serve only
 * pods; the others serve all other machines. */
bool tori_alloc_serves (const tori_alloc_info *info,
                        const tori_machine *machine);

/* The cost of a search: first-fit looks at 64 places at a time and stops at
 * the first that fits, mostly within a microsecond or two. best-fit looks at
 * the faces of every free place, so its cost grows with the machine: on a
 * machine half full of small boxes, about 10 microseconds on 8x8x8, 600 on
 * 32x32x32 and 5,000 on 64x64x64. exact and ptas may take as long as their
 * limit of steps allows, and ptas without a limit as long as it takes.
 *
 * Create an allocator. It copies the configuration. TORI_INVALID for an
 * unknown name or option, and for an allocator that does not serve this
 * machine. An allocator keeps working memory between calls: use one per
 * thread. The machine must outlive it, and so must whatever `search` points
 * to. */
int tori_alloc_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_alloc **ret_alloc, tori_error *err);
void tori_alloc_destroy (tori_alloc *alloc);
const tori_alloc_info *tori_alloc_get_info (const tori_alloc *alloc);

/* Find a place for the request. `ret_place` is written only for TORI_PLACED.
 * Its old contents are not released: pass an empty one. For a refusal, `err`
 * says why, with status TORI_NOT_NOW, or TORI_NEVER for TORI_UNPLACEABLE. A
 * request for no nodes (a count of 0 or a side of 0), with more than
 * TORI_MAX_DIMS dimensions or with an unknown wiring or flag, is TORI_ERROR
 * with TORI_INVALID for every allocator. An allocator that searches may give
 * up: TORI_ERROR with TORI_GAVE_UP. */
tori_outcome tori_alloc_place (tori_alloc *alloc, const tori_state *state,
                               const tori_request *request,
                               tori_placement *ret_place, tori_error *err);

/* Why the request could not be placed even if the machine were idle and
 * nothing were down, as a fixed text; NULL if it could. */
const char *tori_alloc_impossible (const tori_alloc *alloc,
                                   const tori_request *request);

#ifdef __cplusplus
}
#endif

#endif
