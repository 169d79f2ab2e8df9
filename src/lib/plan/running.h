/* running.h - the inside of a greedy plan while it is made: the running jobs,
 * by place and by end. */
#ifndef TORI_PLAN_RUNNING_H
#define TORI_PLAN_RUNNING_H

#include "greedy.h"

/* Running jobs of one form whose rings of one dimension are the same. */
struct line_crowd {
    uint32_t *job;
    size_t n;
    size_t room;
};

/* The jobs of a form that run: a crowd for each dimension and offset in the
 * others, made when the first such job comes. */
struct group {
    struct line_crowd *crowd;
    uint32_t running;
};

#define NO_FORM UINT32_MAX

struct greedy {
    const struct problem *problem;
    struct scale scale;
    size_t stride; /* words of a value and its remainder */

    /* By job. */
    uint64_t *time, *start, *finish;
    bool *rounded; /* its time */
    double *bound; /* of its finish */
    uint32_t *place;
    uint32_t *seat; /* in its crowd, by dimension */
    uint64_t *seen; /* the finish that the heap knows */

    uint64_t *now;
    double now_bound;
    uint64_t *makespan;
    double worst; /* bound of all */
    uint32_t *heap;    /* running jobs, the first to finish on top */
    size_t running;
    struct group *group; /* by form */

    /* The places of the form that was asked for last. */
    uint32_t form;
    uint32_t *taken; /* how many running jobs each place meets */
    uint64_t *free;  /* those that meet none */
    uint32_t nfree;

    /* The lines of that form: the load that a dimension adds to a place, for
     * each offset in the others. */
    uint64_t *line;
    double *line_bound;
    uint32_t *line_round; /* in which round it was summed up */
    uint32_t round;
    bool wide; /* most lines are asked for */

    uint32_t first_line[TORI_MAX_DIMS + 1]; /* of a dimension */

    /* The job that starts: for how long it overlaps with others at most. */
    uint64_t *length;
    double length_bound;

    uint64_t *load, *best, *floor, *scratch, *part;
    double load_bound, best_bound, floor_bound;
    int longest;   /* bits of an offset */
    double limit;  /* of times, if they count their own delay */
    bool overflow; /* a time is longer */
};

/* ---- jobs ---- */

static inline uint64_t *at (const struct greedy *g, uint64_t *values, size_t i)
{
    return values + i * g->stride;
}

static inline const struct form *form_of (const struct greedy *g, uint32_t job)
{
    return &g->problem->form[g->problem->form_of[job]];
}

static inline double bound_of_time (const struct greedy *g, uint32_t job)
{
    return g->rounded[job] ? g->scale.ulp : 0;
}

/* ---- crowds (crowd.c) ---- */

struct line_crowd *crowd_at (struct greedy *g, uint32_t form, int dim,
                        uint32_t line);

/* Memory for all crowds that a job joins, so that joining cannot fail. */
int crowd_make_room (struct greedy *g, uint32_t job, tori_error *err);
void crowd_join (struct greedy *g, uint32_t job);
void crowd_leave (struct greedy *g, uint32_t job);

/* Add to `sum` the time that the jobs of a crowd would add to that of a job of
 * `length`, if it started now, and to `bound` the error of that. */
void crowd_add (struct greedy *g, const struct line_crowd *crowd, int bits,
                uint64_t *sum, double *bound);

/* A job of `length` that starts now delays all jobs of a crowd. */
void crowd_delay (struct greedy *g, const struct line_crowd *crowd, int bits);

/* The jobs of a crowd that end before `length` is over add the time that they
 * have left, divided by 2^bits, to `sum`, and its error to `bound`;
 * a job of `length` would overlap with the others all the time. Returns how
 * many there are. If `all`, they all end before. */
uint64_t crowd_split (struct greedy *g, const struct line_crowd *crowd,
                      int bits, bool all, uint64_t *sum, double *bound);

/* ---- places (choose.c) ---- */

/* The free place with the least load for a job of `length` that starts now; the
 * load is left in `best`. */
uint32_t choose_place (struct greedy *g);

/* The load of this place for such a job, to `best`. */
void take_load (struct greedy *g, uint32_t place);

#endif
