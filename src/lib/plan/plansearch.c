/* plansearch.c - local search over the order of the jobs.
 *
 * Jobs of equal size may change places: the greedy plan looks only at running
 * jobs, so a long job that comes last sticks out, and which jobs share a row
 * depends on their order. The first step takes the longest of each size first.
 * Every other one swaps two jobs of a size, or moves one to the position of
 * another. An order that is no worse than the best so far is kept: among the
 * many plans of equal length, some have a shorter one next to them. */
#include "greedy.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

struct order_search {
    const struct problem *problem;
    struct greedy *greedy;
    uint32_t *order; /* the best so far */
    uint32_t *tried;
    uint64_t *best; /* its makespan */
    uint32_t *begin, *end; /* by position in the order: the range of its
                            * size */
    size_t movable; /* jobs that are not alone of their size */
    uint32_t *at;   /* their positions in the order */
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
        for (j = i; j < n && size_of (s, s->order[j])
                                 == size_of (s, s->order[i]); j++)
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
    memcpy (s->order, s->tried, s->problem->n * sizeof *s->order);
    return 0;
}

static int search_steps (struct order_search *s,
                         const tori_contention_search *search,
                         tori_error *err)
{
    for (uint64_t step = 0; step < search->steps; step++) {
        if (search->enough && search->enough (search->arg))
            break;
        memcpy (s->tried, s->order, s->problem->n * sizeof *s->tried);
        if (step > 0)
            change_order (s);
        else if (sort_all (s, err) < 0)
            return -1;
        if (try_order (s, err) < 0)
            return -1;
    }
    return 0;
}

static int search_open (struct order_search *s, uint64_t seed, tori_error *err)
{
    size_t n = s->problem->n;
    if (greedy_create (s->problem, VALUE_LEAST_WORDS, &s->greedy, err) < 0)
        return -1;
    s->tried = calloc (n, sizeof *s->tried);
    s->begin = calloc (n, sizeof *s->begin);
    s->end = calloc (n, sizeof *s->end);
    s->at = calloc (n, sizeof *s->at);
    s->best = calloc ((size_t)greedy_scale (s->greedy)->words + 1,
                      sizeof *s->best);
    if (!s->tried || !s->begin || !s->end || !s->at || !s->best)
        return tori_error_nomem (err);
    find_groups (s);
    rng_seed (&s->rng, seed, 0);
    memcpy (s->tried, s->order, n * sizeof *s->tried);
    if (greedy_run (s->greedy, &(struct turns){.job = s->tried}, false, err)
        < 0)
        return -1;
    if (greedy_overflows (s->greedy))
        s->movable = 0;
    value_copy (greedy_scale (s->greedy), s->best,
                greedy_makespan (s->greedy));
    return 0;
}

int search_order (const struct problem *problem,
                  const tori_contention_search *search, uint32_t order[],
                  tori_error *err)
{
    struct order_search s = {.problem = problem, .order = order};
    int status = search_open (&s, search->seed, err);
    if (status == 0 && s.movable)
        status = search_steps (&s, search, err);
    greedy_destroy (s.greedy);
    free (s.tried);
    free (s.begin);
    free (s.end);
    free (s.at);
    free (s.best);
    return status;
}
