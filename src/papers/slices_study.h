/* slices_study.h - what the files of tori paper slices share. slices_packing.c
 * puts jobs on machines, slices_failures.c lets nodes of jobs fail,
 * slices_pod.c has the promises of a pod, and paper_slices.c the rest. */
#ifndef TORI_PAPERS_SLICES_STUDY_H
#define TORI_PAPERS_SLICES_STUDY_H

#include <tori/alloc.h>

#include "estimate.h"
#include "paper.h"
#include "random.h"

enum {
    SIDE = 16,
    NODES = SIDE * SIDE * SIDE,
    CUBE = 64,    /* nodes of a cube of a pod */
    JOBS = 64,    /* on a machine, at the most */
    SHAPES = 128, /* of a number of nodes, at the most */
    SIZES = 4     /* 128, 256, 512 and 1,024 nodes */
};

/* ---- slices_packing.c ---- */

extern const uint32_t slices_sizes[SIZES];

struct shape_rank {
    tori_shape shape;
    uint32_t diameter, bisection;
};

struct shape_list {
    struct shape_rank it[SHAPES];
    size_t n;
};

void slices_list_shapes (uint32_t nodes, struct shape_list *list);

/* The slice of whole cubes with sides as equal as can be. */
tori_shape slices_cubes_shape (uint32_t cubes);

struct packing {
    const char *name, *machine, *alloc;
    bool wrap, folds;
};

enum { PACKINGS = 5, PRINTED = 0, SWITCHED = PACKINGS - 1 };
extern const struct packing slices_packings[PACKINGS];

/* A machine with jobs on it. */
struct ground {
    const struct packing *packing;
    const struct shape_list *shapes; /* by size */
    tori_machine *machine;
    tori_state *state;
    tori_alloc *alloc;
    tori_placement place[JOBS];
    size_t n;
};

int ground_open (struct ground *ground, const struct packing *packing,
                 const struct shape_list *shapes, tori_error *err);
void ground_clear (struct ground *ground);
void ground_close (struct ground *ground);

/* Place up to so many jobs of sizes from the given one on, until so many nodes
 * are busy or a job finds no place. */
int ground_fill (struct ground *ground, size_t jobs, uint32_t busy,
                 size_t first, size_t last, struct rng *rng, tori_error *err);

/* ---- slices_failures.c ---- */

/* The jobs before a failure: a random number of them, or as many as it takes
 * until so many nodes are busy. */
struct scene {
    const char *name;
    size_t failures; /* for each seed */
    int busy;        /* percent; 0: 2 to 6 jobs */
    size_t last;     /* sizes are from 256 nodes to this */
    double printed;  /* jobs that find a place of the same shape */
};
enum { SCENES = 5 };
extern const struct scene slices_scenes[SCENES];

enum remedy {
    SAME_SHAPE,
    ROTATED,
    WRAPPING,
    FOLDED,
    OTHERS_MOVE,
    ENOUGH_NODES,
    ON_CUBES,
    REMEDIES
};
extern const char *const slices_remedies[REMEDIES];

struct rescue {
    const char *scene, *remedy;
    size_t failures;
    struct estimate rescued;
    double printed;
};
extern const struct sheet slices_rescue_sheet;

/* Count for each remedy, up to the last one, the jobs that go on after
 * failures. */
int slices_run_scene (struct ground *ground, const struct scene *scene,
                      size_t failures, enum remedy last, struct rng *rng,
                      double rescued[REMEDIES], tori_error *err);

/* ---- slices_pod.c ---- */

/* Google Cloud (Cluster-level reliability for trillion-parameter models on
 * TPUs, 2026): 130 of the 144 cubes of a pod are healthy with a confidence of
 * 95 %, by a binomial model. */
enum {
    CUBES = 144,
    HEALTHY = 130,
    PROMISES = 8,  /* slices of 1, 2, 4, ... 128 cubes */
    PODS = 200     /* sets of healthy cubes, for each seed */
};

struct promise {
    uint32_t cubes;
    char slice[TORI_TEXT_MAX];
    struct estimate switched, fixed;
    double share;
    uint32_t by_count; /* of 130 */
};
extern const struct sheet slices_promise_sheet;

/* The health of a cube by which 130 of 144 are healthy with 95 %. */
double slices_cube_health (void);

int slices_promise (size_t pods, struct rng *rng, double switched[PROMISES],
                    double fixed[PROMISES], tori_error *err);

#endif
