/* ptas_scheme.h - what the parts of the scheme share while it searches.
 *
 * The scheme of section 4 of Bender et al., "Communication-Aware Processor
 * Allocation for Supercomputers", 2005, and its counterpart for rings. In
 * every dimension a best set falls into strips of so many points each. All
 * ways to cut the points into strips are tried (ptas_cut.c), and all ways to
 * distribute k points over the cells where strips cross (ptas_cells.c); from a
 * cell come those points that are farthest in the direction of the majority,
 * which is best for all distances but those within a strip. strips.h says what
 * strips are on a ring, how many points one may hold, and why the answer is
 * within 1 + epsilon of the best.
 *
 * Why the choice in a cell is best. Fix the strips and how many points of the
 * set are in each. What is counted is then a sum over the points: each costs
 * so much for every step forward in each dimension, by its strips alone
 * (strip_pull). So the least that can be counted, with so many points in every
 * cell, takes the cheapest of each cell, whatever is taken elsewhere. Points
 * that are known to be in the best set are taken first: it has them, too.
 *
 * Be warned that this is polynomial in n, not fast: with m strips a dimension
 * there are (n - k + m - 1 over m - 1) ways to cut a line. On a ring there are
 * also n ways to begin, and which points of a strip enter is tried in every
 * way. So four things keep the search short, none of which changes the bound:
 *
 *   - The best set is among those whose strips end with a point of it, so
 *     every end makes one more point known. Known points are chosen, and with
 *     k of them nothing is left to cut.
 *   - A cutting is given up when every set that it is for is so bad that the
 *     best so far is within 1 + epsilon of it: by the known points and their
 *     nearest, or by the cuts, whose number of pairs is known at both ends of
 *     a strip and no less between.
 *   - Strips have room for the known points in them, and points for their
 *     size.
 *   - There is a set to begin with, which is what cuttings have to beat.
 *
 * Lengths along a dimension are doubled here, since a diameter may end between
 * two coordinates.
 */
#ifndef TORI_ALLOC_PTAS_SCHEME_H
#define TORI_ALLOC_PTAS_SCHEME_H

#include "cuts.h"
#include "strips.h"

/* The points of a strip that leave, or those that enter: on a line, all. */
struct part {
    size_t size;    /* points of the best set */
    size_t held;    /* points to choose from */
    size_t known;   /* of these, those known to be in the best set */
    amount pull;    /* what a step forward of a point costs */
    size_t missing; /* points still to choose while cells are filled */
    size_t room;    /* points of later cells */
};

#define NOWHERE SIZE_MAX

/* A dimension in which the points differ, and how it is cut. */
struct course {
    int dim;
    amount half;    /* of a ring, doubled; 0 on a line */
    size_t *order;  /* the points as a half turn from 0 comes over them */
    amount *at;     /* where it does */
    bool *upper;    /* whether they are in the upper half of the ring */
    struct turn turn;
    size_t *turned; /* the points as the half turn comes over them */
    amount *along;  /* where it does */
    bool *enters;   /* what they do then */
    size_t *part;   /* of every point; NOWHERE behind the last strip so far */
    struct part *parts; /* two a strip: what leaves, what enters */
};

struct cell {
    size_t first, count; /* in `order` */
    size_t part[TORI_MAX_DIMS];
};

struct ptas {
    const struct cloud *cloud;
    size_t n, k;
    double epsilon;
    size_t most_strips;
    double cuttings; /* about so many */
    double sets;     /* of k points */
    uint64_t steps, limit;
    uint64_t told; /* of so many steps */
    const tori_alloc_config *options;

    int ncourses;
    struct course courses[TORI_MAX_DIMS];

    bool *is_known;  /* points that the best set has, where strips end */
    size_t nknown;
    wide known_sum;
    wide *away;      /* of every point, its distances from the known */
    size_t nnearest;
    wide *nearest;   /* of every point, its distances to the i + 1 nearest */
    wide *costs;     /* room for n values, and for a heap of k */
    wide *heap;

    size_t *order;   /* open points by cell, then by the cell's direction */
    amount *cost;    /* of a point where it is */
    struct cell *cells;
    size_t ncells;
    size_t *chosen;
    size_t nchosen;

    size_t *best;
    wide best_sum;
    bool found;
};

static inline wide ptas_distance (const struct ptas *p, size_t a, size_t b)
{
    return cloud_distance (p->cloud, cloud_point (p->cloud, a),
                           cloud_point (p->cloud, b));
}

/* How often somebody is told, in steps. */
enum { PTAS_TELL = 1 << 16 };

/* So many steps more: whether there are too many. */
static inline bool ptas_spent (struct ptas *p, size_t steps)
{
    p->steps += steps;
    if (p->steps - p->told >= PTAS_TELL) {
        p->told = p->steps;
        cloud_progress (p->options, p->steps, p->limit);
    }
    return p->steps > p->limit;
}

/* No better than the best so far. */
static inline bool ptas_worse (const struct ptas *p, wide sum)
{
    return p->found && sum >= p->best_sum;
}

/* The best so far is within 1 + epsilon of any set with at least this, which
 * is twice the sum; with room for errors of rounding. */
static inline bool ptas_hopeless (const struct ptas *p, wide twice)
{
    wide best = 2 * p->best_sum;
    return p->found
           && (twice >= best
               || (double)twice * (1 + p->epsilon)
                      >= (double)best * (1 + 1e-12));
}

/* ---- ptas_known.c ---- */

/* Keep what is chosen as the best so far. */
void ptas_keep (struct ptas *p, wide sum);

/* Choose the known points; from here on the rest is chosen. */
void ptas_choose_known (struct ptas *p);

/* Know of a point that it is in the best set, until it is forgotten. False if
 * a strip has no room for it. */
bool ptas_know (struct ptas *p, size_t point);
void ptas_forget (struct ptas *p, size_t point);

/* Whether no set with the known points is good enough: a point that is
 * missing is so far from the known ones, and from the others that are missing
 * at least as far as from its nearest. */
bool ptas_known_hopeless (struct ptas *p);

/* ---- ptas_cells.c ---- */

/* All courses are cut: choose what is missing, in every way. */
void ptas_fill (struct ptas *p);

/* ---- ptas_cut.c ---- */

/* Cut in every way; the steps end at p->limit. */
void ptas_cut_all (struct ptas *p);

#endif
