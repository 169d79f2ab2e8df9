/* Crowds of running.h: who runs on a line, in the order of their ends. */
#include <stdlib.h>

#include "array.h"
#include "running.h"

/* Fewer jobs are summed up one by one. */
enum { WORTH_ORDER = 12 };

struct crowd *crowd_at (struct greedy *g, uint32_t form, int dim,
                        uint32_t line)
{
    const struct form *f = &g->problem->form[form];
    return &g->group[form].crowd[form_lines_before (f, dim) + line];
}

static struct crowd *crowd_of (struct greedy *g, uint32_t job, int dim)
{
    return crowd_at (g, g->problem->form_of[job], dim,
                     form_line (form_of (g, job), g->place[job], dim));
}

static uint32_t *seat_of (struct greedy *g, uint32_t job, int dim)
{
    return &g->seat[(size_t)job * (size_t)g->problem->ndims + (size_t)dim];
}

/* ---- who runs where ---- */

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
        struct crowd *crowd = crowd_of (g, job, d);
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
        struct crowd *crowd = crowd_of (g, job, d);
        *seat_of (g, job, d) = (uint32_t)crowd->n;
        crowd->job[crowd->n++] = job;
        crowd->ready = false;
    }
}

void crowd_leave (struct greedy *g, uint32_t job)
{
    g->group[g->problem->form_of[job]].running--;
    for (int d = 0; d < g->problem->ndims; d++) {
        struct crowd *crowd = crowd_of (g, job, d);
        uint32_t seat = *seat_of (g, job, d);
        uint32_t last = crowd->job[--crowd->n];
        crowd->job[seat] = last;
        *seat_of (g, last, d) = seat;
        crowd->ready = false;
    }
}

void crowd_forget_order (struct greedy *g, uint32_t job)
{
    for (int d = 0; d < g->problem->ndims; d++)
        crowd_of (g, job, d)->ready = false;
}

/* ---- in order ---- */

/* By digits: where bounds leave the order open, either will do. */
static bool ends_before (const struct greedy *g, uint32_t a, uint32_t b)
{
    const uint64_t *x = at (g, g->finish, a), *y = at (g, g->finish, b);
    for (int i = g->scale.words - 1; i >= 0; i--)
        if (x[i] != y[i])
            return x[i] < y[i];
    return false;
}

/* Shell's sort: mostly they are nearly in order. */
static void sort_crowd (struct greedy *g, struct crowd *crowd, int dim)
{
    uint32_t *job = crowd->job;
    for (size_t gap = crowd->n; gap > 1;) {
        gap = gap / 2 - (gap > 4 && gap / 2 % 2 == 0);
        for (size_t i = gap; i < crowd->n; i++) {
            uint32_t moved = job[i];
            size_t j = i;
            for (; j >= gap && ends_before (g, moved, job[j - gap]); j -= gap)
                job[j] = job[j - gap];
            job[j] = moved;
        }
    }
    for (size_t i = 0; i < crowd->n; i++)
        *seat_of (g, job[i], dim) = (uint32_t)i;
}

/* The tree counts from 1: node i is the sum of the lowbit(i) finishes up to
 * the i-th. */
static uint64_t *node (const struct greedy *g, const struct crowd *crowd,
                       size_t i)
{
    return crowd->tree + (i - 1) * g->stride;
}

static size_t lowbit (size_t i)
{
    return i & -i;
}

static void sum_up (struct greedy *g, struct crowd *crowd)
{
    crowd->bound = 0;
    for (size_t i = 1; i <= crowd->n; i++) {
        uint32_t job = crowd->job[i - 1];
        value_copy (&g->scale, node (g, crowd, i), at (g, g->finish, job));
        crowd->bound += g->bound[job];
    }
    for (size_t i = 1; i <= crowd->n; i++)
        if (i + lowbit (i) <= crowd->n)
            value_add (&g->scale, node (g, crowd, i + lowbit (i)),
                       node (g, crowd, i + lowbit (i)), node (g, crowd, i));
}

/* Whether it is in order: without memory for the tree it is not. */
static bool put_in_order (struct greedy *g, struct crowd *crowd, int dim)
{
    uint64_t *more;
    if (crowd->ready)
        return true;
    more = array_room (crowd->tree, &crowd->tree_room, crowd->n,
                       g->stride * sizeof *more);
    if (!more)
        return false;
    crowd->tree = more;
    sort_crowd (g, crowd, dim);
    sum_up (g, crowd);
    crowd->ready = true;
    return true;
}

/* Exchange the i-th with the next. Sums that end at the i-th have the next one
 * instead; those that begin behind it have the other: two on average. */
static void exchange (struct greedy *g, struct crowd *crowd, size_t i, int dim)
{
    uint32_t job = crowd->job[i - 1], next = crowd->job[i];
    uint64_t *sum = node (g, crowd, i);
    value_sub (&g->scale, g->scratch, at (g, g->finish, job),
               at (g, g->finish, next));
    value_sub (&g->scale, sum, sum, g->scratch);
    for (size_t k = 1; k < lowbit (i) && i + k <= crowd->n; k *= 2) {
        sum = node (g, crowd, i + k);
        value_add (&g->scale, sum, sum, g->scratch);
    }
    crowd->job[i - 1] = next;
    crowd->job[i] = job;
    *seat_of (g, next, dim) = (uint32_t)i - 1;
    *seat_of (g, job, dim) = (uint32_t)i;
}

/* A job ends later, by `part`: it moves up. */
static void move_up (struct greedy *g, uint32_t job, int dim, double bound)
{
    struct crowd *crowd = crowd_of (g, job, dim);
    size_t i = *seat_of (g, job, dim) + 1;
    if (!crowd->ready || !g->wide) {
        crowd->ready = false;
        return;
    }
    crowd->bound += bound;
    for (size_t k = i; k <= crowd->n; k += lowbit (k))
        value_add (&g->scale, node (g, crowd, k), node (g, crowd, k),
                   g->part);
    for (; i < crowd->n && ends_before (g, crowd->job[i], job); i++)
        exchange (g, crowd, i, dim);
}

/* ---- what they add ---- */

/* How long a job and a running one overlap, if the job starts now: to `part`.
 * Returns the bound. */
static double overlap (struct greedy *g, uint32_t job, uint32_t running)
{
    struct scale *scale = &g->scale;
    double left_bound = g->bound[running] + g->now_bound;
    double time_bound = bound_of_time (g, job);
    const uint64_t *time = at (g, g->time, job);
    value_sub (scale, g->part, at (g, g->finish, running), g->now);
    if (value_compare (scale, time, g->part, left_bound + time_bound) < 0) {
        value_copy (scale, g->part, time);
        left_bound = time_bound;
    }
    return left_bound;
}

/* One by one, to `scratch`. */
static double add_each (struct greedy *g, uint32_t job,
                        const struct crowd *crowd)
{
    double bound = 0;
    value_zero (&g->scale, g->scratch);
    for (size_t i = 0; i < crowd->n; i++) {
        bound += overlap (g, job, crowd->job[i]);
        value_add (&g->scale, g->scratch, g->scratch, g->part);
    }
    return bound;
}

/* How many of a crowd in order end before a job that starts now would. */
static size_t count_shorter (struct greedy *g, uint32_t job,
                             const struct crowd *crowd)
{
    double bound = g->now_bound + bound_of_time (g, job);
    size_t low = 0, high = crowd->n;
    value_add (&g->scale, g->part, g->now, at (g, g->time, job));
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t other = crowd->job[middle];
        if (value_compare (&g->scale, at (g, g->finish, other), g->part,
                           g->bound[other] + bound)
            < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All at once: the finishes of the shorter ones, less the time now for each,
 * and the job's time for each of the others. */
static double add_ordered (struct greedy *g, uint32_t job,
                           const struct crowd *crowd)
{
    size_t shorter = count_shorter (g, job, crowd);
    size_t longer = crowd->n - shorter;
    value_zero (&g->scale, g->scratch);
    for (size_t i = shorter; i; i -= lowbit (i))
        value_add (&g->scale, g->scratch, g->scratch, node (g, crowd, i));
    value_times (&g->scale, g->part, g->now, (uint32_t)shorter);
    value_sub (&g->scale, g->scratch, g->scratch, g->part);
    value_times (&g->scale, g->part, at (g, g->time, job), (uint32_t)longer);
    value_add (&g->scale, g->scratch, g->scratch, g->part);
    return (shorter ? crowd->bound : 0) + (double)shorter * g->now_bound
           + (double)longer * bound_of_time (g, job);
}

void crowd_add (struct greedy *g, uint32_t job, struct crowd *crowd, int dim,
                int bits, uint64_t *sum, double *bound)
{
    double added;
    if (!crowd->n)
        return;
    if (g->wide && crowd->n >= WORTH_ORDER && put_in_order (g, crowd, dim))
        added = add_ordered (g, job, crowd);
    else
        added = add_each (g, job, crowd);
    *bound +=
        ldexp (added, -bits) + value_halve (&g->scale, g->scratch, bits);
    value_add (&g->scale, sum, sum, g->scratch);
}

/* Theorem 1: every job that the new one meets is delayed, once. The order of
 * the crowd stays, but not its sums. */
void crowd_delay (struct greedy *g, uint32_t job, struct crowd *crowd,
                  int dim, int bits)
{
    crowd->ready = false;
    for (size_t i = 0; i < crowd->n; i++) {
        uint32_t other = crowd->job[i];
        double bound = ldexp (overlap (g, job, other), -bits);
        uint64_t *finish = at (g, g->finish, other);
        bound += value_halve (&g->scale, g->part, bits);
        g->bound[other] += bound;
        value_add (&g->scale, finish, finish, g->part);
        for (int d = 0; d < g->problem->ndims; d++)
            if (d != dim)
                move_up (g, other, d, bound);
    }
}
