/* crowd.c - crowds of running.h: the jobs that run on a line. */
#include <stdlib.h>

#include "array.h"
#include "running.h"

struct line_crowd *crowd_at (struct greedy *g, uint32_t form, int dim,
                        uint32_t line)
{
    const struct form *f = &g->problem->form[form];
    return &g->group[form].crowd[form_lines_before (f, dim) + line];
}

static struct line_crowd *crowd_of (struct greedy *g, uint32_t job, int dim)
{
    return crowd_at (g, g->problem->form_of[job], dim,
                     form_line (form_of (g, job), g->place[job], dim));
}

static uint32_t *seat_of (struct greedy *g, uint32_t job, int dim)
{
    return &g->seat[(size_t)job * (size_t)g->problem->ndims + (size_t)dim];
}

/* ---- the jobs of a line ---- */

int crowd_make_room (struct greedy *g, uint32_t job, tori_error *err)
{
    const struct form *f = form_of (g, job);
    struct group *group = &g->group[g->problem->form_of[job]];
    int ndims = g->problem->ndims;
    if (!group->crowd)
        group->crowd =
            calloc (form_lines_before (f, ndims), sizeof *group->crowd);
    if (!group->crowd)
        return tori_error_nomem (err);
    for (int d = 0; d < ndims; d++) {
        struct line_crowd *crowd = crowd_of (g, job, d);
        uint32_t *more = array_room (crowd->job, &crowd->room, crowd->n + 1,
                                     sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        crowd->job = more;
    }
    return 0;
}

void crowd_join (struct greedy *g, uint32_t job)
{
    g->group[g->problem->form_of[job]].running++;
    for (int d = 0; d < g->problem->ndims; d++) {
        struct line_crowd *crowd = crowd_of (g, job, d);
        *seat_of (g, job, d) = (uint32_t)crowd->n;
        crowd->job[crowd->n++] = job;
    }
}

void crowd_leave (struct greedy *g, uint32_t job)
{
    g->group[g->problem->form_of[job]].running--;
    for (int d = 0; d < g->problem->ndims; d++) {
        struct line_crowd *crowd = crowd_of (g, job, d);
        uint32_t seat = *seat_of (g, job, d);
        uint32_t last = crowd->job[--crowd->n];
        crowd->job[seat] = last;
        *seat_of (g, last, d) = seat;
    }
}

/* ---- their loads ---- */

/* The overlap of a running job and one of `length` that starts now: to `part`.
 * Returns the bound. */
static double find_overlap (struct greedy *g, uint32_t running)
{
    struct scale *scale = &g->scale;
    double left_bound = g->bound[running] + g->now_bound;
    value_sub (scale, g->part, at (g, g->finish, running), g->now);
    if (value_compare (scale, g->length, g->part,
                       left_bound + g->length_bound)
        < 0) {
        value_copy (scale, g->part, g->length);
        left_bound = g->length_bound;
    }
    return left_bound;
}

void crowd_add (struct greedy *g, const struct line_crowd *crowd, int bits,
                uint64_t *sum, double *bound)
{
    double added = 0;
    value_zero (&g->scale, g->scratch);
    for (size_t i = 0; i < crowd->n; i++) {
        added += find_overlap (g, crowd->job[i]);
        value_add (&g->scale, g->scratch, g->scratch, g->part);
    }
    *bound +=
        ldexp (added, -bits) + value_halve (&g->scale, g->scratch, bits);
    value_add (&g->scale, sum, sum, g->scratch);
}

/* Theorem 1: every job that the new one meets is delayed, once. */
void crowd_delay (struct greedy *g, const struct line_crowd *crowd, int bits)
{
    for (size_t i = 0; i < crowd->n; i++) {
        uint32_t other = crowd->job[i];
        double bound = ldexp (find_overlap (g, other), -bits);
        uint64_t *finish = at (g, g->finish, other);
        bound += value_halve (&g->scale, g->part, bits);
        g->bound[other] += bound;
        value_add (&g->scale, finish, finish, g->part);
    }
}

uint64_t crowd_split (struct greedy *g, const struct line_crowd *crowd,
                      int bits, bool all, uint64_t *sum, double *bound)
{
    uint64_t longer = 0;
    for (size_t i = 0; i < crowd->n; i++) {
        uint32_t other = crowd->job[i];
        double left_bound = g->bound[other] + g->now_bound;
        value_sub (&g->scale, g->part, at (g, g->finish, other), g->now);
        if (!all
            && value_compare (&g->scale, g->length, g->part,
                              left_bound + g->length_bound)
                   <= 0) {
            longer++;
            continue;
        }
        *bound += ldexp (left_bound, -bits)
                  + value_halve (&g->scale, g->part, bits);
        value_add (&g->scale, sum, sum, g->part);
    }
    return longer;
}
