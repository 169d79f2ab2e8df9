/* plansearch.c - local search over the order of the jobs.
 *
 * Jobs of equal size may change places: the greedy plan looks only at running
 * jobs, so a long job that comes last sticks out, and which jobs share a row
 * depends on their order. The first step takes the longest of each size first.
 * Every other one swaps two jobs of a size, or moves one to the position of
 * another. An order that is no worse than the best so far is kept: among the
 * many plans of equal length, some have a shorter one next to them. A search
 * in laps begins anew after so many steps, with the next seed. */
#include "greedy.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

struct order_search {
    const struct problem *problem;
    struct greedy *greedy;
    uint32_t *order; /* the best so far */
    uint64_t *least; /* its makespan */
    uint64_t lap;    /* steps until the search begins anew; 0: never */
    uint64_t seed;
    uint32_t *first, *now; /* where this lap began, and its best so far */
    uint64_t *begun, *best; /* their makespans */
    uint32_t *tried;
    uint32_t *begin, *end; /* by position in the order: the range of its
                            * size */
    size_t movable; /* jobs that are not alone of their size */
    uint32_t *at;   /* their positions in the order */
    uint64_t steps; /* of this lap */
    struct rng rng;
};

static int size_of (const struct order_search *s, uint32_t job)
{
    return s->problem->form[s->problem->form_of[job]].all;
}

/* Runs of jobs of one size. */
static void find_groups (struct order_search *s)
{
    size_t n = s->problem->n;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && size_of (s, s->now[j])
                                 == size_of (s, s->now[i]); j++)
            ;
        for (size_t k = i; k < j; k++) {
            s->begin[k] = (uint32_t)i;
            s->end[k] = (uint32_t)j;
            if (j - i > 1)
                s->at[s->movable++] = (uint32_t)k;
        }
    }
}

/* ---- steps ---- */

/* Merge sort: equal ones stay as they are. */
static void longest_first (struct order_search *s, uint32_t from, uint32_t to,
                           uint32_t *room)
{
    uint32_t middle = from + (to - from) / 2, a = from, b = middle;
    if (to - from < 2)
        return;
    longest_first (s, from, middle, room);
    longest_first (s, middle, to, room);
    for (uint32_t i = from; i < to; i++) {
        struct scale scale = *greedy_scale (s->greedy);
        bool first = b == to
                     || (a < middle
                         && value_compare (
                                &scale,
                                greedy_time (s->greedy, s->tried[a]),
                                greedy_time (s->greedy, s->tried[b]), 0)
                                >= 0);
        room[i] = first ? s->tried[a++] : s->tried[b++];
    }
    memcpy (&s->tried[from], &room[from], (to - from) * sizeof *room);
}

static int sort_all (struct order_search *s, tori_error *err)
{
    uint32_t *room = calloc (s->problem->n, sizeof *room);
    if (!room)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < s->problem->n; i = s->end[i])
        longest_first (s, i, s->end[i], room);
    free (room);
    return 0;
}

static void swap_jobs (struct order_search *s, uint32_t from, uint32_t to)
{
    uint32_t job = s->tried[from];
    s->tried[from] = s->tried[to];
    s->tried[to] = job;
}

static void move_job (struct order_search *s, uint32_t from, uint32_t to)
{
    uint32_t job = s->tried[from];
    if (from < to)
        memmove (&s->tried[from], &s->tried[from + 1],
                 (to - from) * sizeof *s->tried);
    else
        memmove (&s->tried[to + 1], &s->tried[to],
                 (from - to) * sizeof *s->tried);
    s->tried[to] = job;
}

/* Change two different positions of one size. */
static void change_order (struct order_search *s)
{
    uint32_t from = s->at[rng_below (&s->rng, s->movable)];
    uint32_t size = s->end[from] - s->begin[from];
    uint32_t to = (uint32_t)rng_below (&s->rng, size - 1) + s->begin[from];
    to += to >= from;
    if (rng_next (&s->rng) >> 63)
        swap_jobs (s, from, to);
    else
        move_job (s, from, to);
}

/* ---- the search ---- */

static int try_order (struct order_search *s, tori_error *err)
{
    struct scale scale;
    if (greedy_run (s->greedy, &(struct turns){.job = s->tried}, false, err)
        < 0)
        return -1;
    if (greedy_overflows (s->greedy))
        return 0;
    scale = *greedy_scale (s->greedy);
    if (value_compare (&scale, greedy_makespan (s->greedy), s->best, 0) > 0)
        return 0;
    value_copy (&scale, s->best, greedy_makespan (s->greedy));
    memcpy (s->now, s->tried, s->problem->n * sizeof *s->now);
    if (value_compare (&scale, s->best, s->least, 0) > 0)
        return 0;
    value_copy (&scale, s->least, s->best);
    memcpy (s->order, s->now, s->problem->n * sizeof *s->order);
    return 0;
}

/* Chance leads to one of many orders that no single change makes better, some
 * of them much better than others. */
static void begin_anew (struct order_search *s)
{
    memcpy (s->now, s->first, s->problem->n * sizeof *s->now);
    value_copy (greedy_scale (s->greedy), s->best, s->begun);
    rng_seed (&s->rng, ++s->seed, 0);
    s->steps = 0;
}

int order_search_step (struct order_search *s, tori_error *err)
{
    if (s->lap > 0 && s->steps == s->lap)
        begin_anew (s);
    memcpy (s->tried, s->now, s->problem->n * sizeof *s->tried);
    if (s->steps++ > 0)
        change_order (s);
    else if (sort_all (s, err) < 0)
        return -1;
    return try_order (s, err);
}

bool order_search_can (const struct order_search *s)
{
    return s->movable > 0;
}

static int search_open (struct order_search *s, tori_error *err)
{
    size_t n = s->problem->n, words;
    if (greedy_create (s->problem, VALUE_LEAST_WORDS, &s->greedy, err) < 0)
        return -1;
    words = (size_t)greedy_scale (s->greedy)->words + 1;
    s->first = calloc (n, sizeof *s->first);
    s->now = calloc (n, sizeof *s->now);
    s->tried = calloc (n, sizeof *s->tried);
    s->begin = calloc (n, sizeof *s->begin);
    s->end = calloc (n, sizeof *s->end);
    s->at = calloc (n, sizeof *s->at);
    s->least = calloc (3 * words, sizeof *s->least);
    if (!s->first || !s->now || !s->tried || !s->begin || !s->end || !s->at
        || !s->least)
        return tori_error_nomem (err);
    s->begun = s->least + words;
    s->best = s->begun + words;
    memcpy (s->first, s->order, n * sizeof *s->first);
    memcpy (s->now, s->order, n * sizeof *s->now);
    memcpy (s->tried, s->order, n * sizeof *s->tried);
    find_groups (s);
    rng_seed (&s->rng, s->seed, 0);
    if (greedy_run (s->greedy, &(struct turns){.job = s->tried}, false, err)
        < 0)
        return -1;
    if (greedy_overflows (s->greedy))
        s->movable = 0;
    value_copy (greedy_scale (s->greedy), s->best,
                greedy_makespan (s->greedy));
    value_copy (greedy_scale (s->greedy), s->begun, s->best);
    value_copy (greedy_scale (s->greedy), s->least, s->best);
    return 0;
}

int order_search_create (const struct problem *problem, uint64_t seed,
                         uint64_t lap, uint32_t order[],
                         struct order_search **ret_search, tori_error *err)
{
    struct order_search *s = calloc (1, sizeof *s);
    if (!s)
        return tori_error_nomem (err);
    *s = (struct order_search){.problem = problem, .order = order, .lap = lap, .seed = seed};
    if (search_open (s, err) < 0) {
        order_search_destroy (s);
        return -1;
    }
    *ret_search = s;
    return 0;
}

void order_search_destroy (struct order_search *s)
{
    if (!s)
        return;
    greedy_destroy (s->greedy);
    free (s->tried);
    free (s->begin);
    free (s->end);
    free (s->at);
    free (s->least);
    free (s->first);
    free (s->now);
    free (s);
}
