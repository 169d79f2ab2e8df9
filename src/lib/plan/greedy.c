#include "greedy.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "running.h"

/* ---- the heap of running jobs ---- */

/* Finish times only grow, so the time of a job in the heap is never too late:
 * a job on top that has moved sinks again. */

static bool ends_earlier (struct greedy *g, uint32_t a, uint32_t b)
{
    return value_compare (&g->scale, at (g, g->seen, a), at (g, g->seen, b),
                          g->bound[a] + g->bound[b])
           < 0;
}

static void heap_up (struct greedy *g, size_t i)
{
    uint32_t job = g->heap[i];
    for (; i && ends_earlier (g, job, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = job;
}

static void heap_down (struct greedy *g, size_t i)
{
    uint32_t job = g->heap[i];
    for (size_t child; (child = 2 * i + 1) < g->running; i = child) {
        if (child + 1 < g->running
            && ends_earlier (g, g->heap[child + 1], g->heap[child]))
            child++;
        if (!ends_earlier (g, g->heap[child], job))
            break;
        g->heap[i] = g->heap[child];
    }
    g->heap[i] = job;
}

static void heap_put (struct greedy *g, uint32_t job)
{
    value_copy (&g->scale, at (g, g->seen, job), at (g, g->finish, job));
    g->heap[g->running] = job;
    heap_up (g, g->running++);
}

/* The job that ends first. */
static uint32_t heap_first (struct greedy *g)
{
    for (;;) {
        uint32_t job = g->heap[0];
        uint64_t *seen = at (g, g->seen, job);
        const uint64_t *finish = at (g, g->finish, job);
        if (memcmp (seen, finish, g->stride * sizeof *seen) == 0)
            return job;
        value_copy (&g->scale, seen, finish);
        heap_down (g, 0);
    }
}

static void heap_drop (struct greedy *g)
{
    g->heap[0] = g->heap[--g->running];
    if (g->running)
        heap_down (g, 0);
}

/* ---- free places ---- */

static void take_places (struct greedy *g, uint32_t job)
{
    struct agreeing walk =
        agreeing_with (form_of (g, job), g->place[job],
                       &g->problem->form[g->form], -1);
    uint32_t place;
    while (agreeing_next (&walk, &place))
        if (g->taken[place]++ == 0) {
            bits_clear (g->free, place);
            g->nfree--;
        }
}

static void give_places (struct greedy *g, uint32_t job)
{
    struct agreeing walk =
        agreeing_with (form_of (g, job), g->place[job],
                       &g->problem->form[g->form], -1);
    uint32_t place;
    while (agreeing_next (&walk, &place))
        if (--g->taken[place] == 0) {
            bits_set (g->free, place);
            g->nfree++;
        }
}

/* Make the availability matrix of another form: the places of it that are
 * taken. */
static void change_form (struct greedy *g, uint32_t form)
{
    uint32_t places = UINT32_C (1) << g->problem->form[form].all;
    g->form = form;
    g->nfree = places;
    memset (g->taken, 0, places * sizeof *g->taken);
    bits_set_range (g->free, 0, places);
    for (size_t i = 0; i < g->running; i++)
        take_places (g, g->heap[i]);
    for (int d = 0; d <= g->problem->ndims; d++)
        g->first_line[d] = form_lines_before (&g->problem->form[form], d);
    g->round = 0;
    memset (g->line_round, 0,
            g->first_line[g->problem->ndims] * sizeof *g->line_round);
}

/* Advance to the time when the next job ends, and end all that do then. */
static void go_on (struct greedy *g)
{
    uint32_t first = heap_first (g);
    value_copy (&g->scale, g->now, at (g, g->finish, first));
    g->now_bound = g->bound[first];
    do {
        heap_drop (g);
        if (g->bound[first] > g->worst)
            g->worst = g->bound[first];
        crowd_leave (g, first);
        give_places (g, first);
        first = g->running ? heap_first (g) : 0;
    } while (g->running
             && value_compare (&g->scale, at (g, g->finish, first), g->now,
                               g->bound[first] + g->now_bound)
                    == 0);
}

/* ---- larger units for bounds ---- */

enum { BOUND_STEP = 300 };
static const double bound_most = 0x1p400;

/* Bounds grow with every job that depends on others, and would leave the range
 * of a double. */
static void widen_bounds (struct greedy *g)
{
    scale_unit (&g->scale, g->scale.unit + BOUND_STEP);
    for (size_t i = 0; i < g->running; i++)
        bound_widen (&g->bound[g->heap[i]], BOUND_STEP);
    bound_widen (&g->now_bound, BOUND_STEP);
    bound_widen (&g->worst, BOUND_STEP);
}

/* ---- a job ---- */

static void delay_others (struct greedy *g, uint32_t job)
{
    const struct problem *problem = g->problem;
    const struct form *mine = form_of (g, job);
    for (uint32_t f = 0; f < problem->forms; f++)
        for (int d = 0; g->group[f].running && d < problem->ndims; d++) {
            struct agreeing walk = agreeing_with (
                mine, g->place[job], &problem->form[f], d);
            uint32_t line;
            while (agreeing_next (&walk, &line))
                crowd_delay (g, crowd_at (g, f, d, line), mine->bits[d]);
        }
}

static void take_time (struct greedy *g, uint32_t job)
{
    value_copy (&g->scale, g->length, at (g, g->time, job));
    g->length_bound = bound_of_time (g, job);
}

/* One step towards the length T of a job with its own delay: T = time + the
 * sum of the least of T and what another job has left, divided by the stride
 * of the other. Jobs that end before the `length` so far add what they have
 * left to the time; others add a part of T each. Returns the sum of these, in
 * parts of 2^longest. */
static uint64_t step_length (struct greedy *g, uint32_t job, bool first)
{
    const struct problem *problem = g->problem;
    uint64_t *sum = g->load, rate = 0, whole = UINT64_C (1) << g->longest;
    double bound = bound_of_time (g, job);
    value_copy (&g->scale, sum, at (g, g->time, job));
    for (uint32_t f = 0; f < problem->forms; f++)
        for (int d = 0; g->group[f].running && d < problem->ndims; d++) {
            int bits = problem->form[f].bits[d];
            struct agreeing walk = agreeing_with (
                form_of (g, job), g->place[job], &problem->form[f], d);
            uint32_t line;
            while (agreeing_next (&walk, &line))
                rate += crowd_split (g, crowd_at (g, f, d, line), bits, first,
                                     sum, &bound)
                        * (whole >> bits);
        }
    if (rate >= whole) {
        g->scale.unclear = true;
        return rate;
    }
    g->length_bound = value_expand (&g->scale, sum, g->longest, whole - rate,
                                    bound);
    value_copy (&g->scale, g->length, sum);
    return rate;
}

/* The right side is concave in T, so there is one T, and steps from above
 * reach it: with each, more of the others overlap for all of T. */
static void add_own_delay (struct greedy *g, uint32_t job)
{
    uint64_t rate = step_length (g, job, true), before;
    do {
        before = rate;
        rate = step_length (g, job, false);
    } while (rate > before && !g->scale.unclear);
    take_load (g, g->place[job]);
}

static bool is_running (const struct greedy *g, uint32_t job)
{
    for (size_t i = 0; i < g->running; i++)
        if (g->heap[i] == job)
            return true;
    return false;
}

/* Advance until a job can start: on the first free place, or as its turn
 * says. */
static void find_start (struct greedy *g, const struct turns *turns, size_t i)
{
    uint32_t job = turns->job[i];
    if (g->form != g->problem->form_of[job])
        change_form (g, g->problem->form_of[job]);
    take_time (g, job);
    if (turns->place) {
        while (is_running (g, turns->after[i]) || g->taken[turns->place[i]])
            go_on (g);
        g->place[job] = turns->place[i];
        take_load (g, g->place[job]);
    } else {
        while (!g->nfree)
            go_on (g);
        g->place[job] = choose_place (g);
    }
    if (g->problem->own_delay)
        add_own_delay (g, job);
}

static int place_job (struct greedy *g, const struct turns *turns, size_t i,
                      tori_error *err)
{
    uint32_t job = turns->job[i];
    uint64_t *finish = at (g, g->finish, job);
    find_start (g, turns, i);
    if (crowd_make_room (g, job, err) < 0)
        return -1;
    value_copy (&g->scale, at (g, g->start, job), g->now);
    value_add (&g->scale, finish, g->now, at (g, g->time, job));
    value_add (&g->scale, finish, finish, g->best);
    g->bound[job] = g->now_bound + bound_of_time (g, job) + g->best_bound;
    delay_others (g, job);
    crowd_join (g, job);
    take_places (g, job);
    heap_put (g, job);
    if (g->bound[job] > bound_most)
        widen_bounds (g);
    g->overflow = g->problem->own_delay
                  && value_approximate (&g->scale, finish) > g->limit;
    return 0;
}

/* ---- a plan ---- */

/* Return to the state before any plan. */
static void reset_plan (struct greedy *g)
{
    for (size_t f = 0; f < g->problem->forms; f++) {
        uint32_t lines =
            form_lines_before (&g->problem->form[f], g->problem->ndims);
        g->group[f].running = 0;
        for (uint32_t i = 0; g->group[f].crowd && i < lines; i++)
            g->group[f].crowd[i].n = 0;
    }
    g->running = 0;
    g->form = NO_FORM;
    g->scale.unclear = g->overflow = false;
    scale_unit (&g->scale, 0);
    value_zero (&g->scale, g->now);
    value_zero (&g->scale, g->makespan);
    g->now_bound = g->worst = 0;
}

/* The latest finish. If two cannot be distinguished, either will do. */
static void sum_up (struct greedy *g)
{
    for (size_t i = 0; i < g->running; i++)
        if (g->bound[g->heap[i]] > g->worst)
            g->worst = g->bound[g->heap[i]];
    for (size_t i = 0; i < g->problem->n; i++) {
        const uint64_t *finish = at (g, g->finish, i);
        if (value_compare (&g->scale, finish, g->makespan, 0) > 0)
            value_copy (&g->scale, g->makespan, finish);
    }
}

int greedy_run (struct greedy *greedy, const struct turns *turns, bool strict,
                tori_error *err)
{
    bool unclear;
    reset_plan (greedy);
    for (size_t i = 0; i < greedy->problem->n; i++) {
        if (place_job (greedy, turns, i, err) < 0)
            return -1;
        if ((strict && greedy->scale.unclear) || greedy->overflow)
            return 0;
    }
    unclear = greedy->scale.unclear;
    sum_up (greedy);
    greedy->scale.unclear = unclear;
    return 0;
}

/* ---- create and destroy ---- */

/* Bits before the point. A placed job moves the latest finish by its time, its
 * load, which is less than its time for every dimension, and its effect on
 * another, which is less than its time: (ndims + 2) times its time. In any
 * order, the load of a dimension is less than its time on every ring. Before
 * they are divided, loads of a line of jobs are summed up. */
static int whole_bits (const struct problem *problem)
{
    double sum = 1;
    int longest = 0, most = 0, bits;
    for (size_t i = 0; i < problem->n; i++)
        sum += tori_exact_value (problem->job[i].time);
    for (size_t f = 0; f < problem->forms; f++) {
        for (int d = 0; d < problem->ndims; d++)
            if (problem->form[f].bits[d] > longest)
                longest = problem->form[f].bits[d];
        if (problem->any_order && problem->form[f].all > most)
            most = problem->form[f].all;
    }
    frexp (sum * (problem->ndims + 2), &bits);
    return bits + longest + most + 2;
}

static int make_arrays (struct greedy *g, tori_error *err)
{
    const struct problem *problem = g->problem;
    size_t n = problem->n, value = g->stride * sizeof (uint64_t);
    size_t places = 1, lines = 1;
    for (size_t f = 0; f < problem->forms; f++) {
        const struct form *form = &problem->form[f];
        size_t its_lines = form_lines_before (form, problem->ndims);
        if ((size_t)1 << form->all > places)
            places = (size_t)1 << form->all;
        if (its_lines > lines)
            lines = its_lines;
    }
    g->time = calloc (n, value);
    g->start = calloc (n, value);
    g->finish = calloc (n, value);
    g->seen = calloc (n, value);
    g->rounded = calloc (n, sizeof *g->rounded);
    g->bound = calloc (n, sizeof *g->bound);
    g->place = calloc (n, sizeof *g->place);
    g->seat = calloc (n * (size_t)problem->ndims, sizeof *g->seat);
    g->heap = calloc (n, sizeof *g->heap);
    g->group = calloc (problem->forms, sizeof *g->group);
    g->taken = calloc (places, sizeof *g->taken);
    g->free = calloc (bits_words (places), sizeof *g->free);
    g->line = calloc (lines, value);
    g->line_bound = calloc (lines, sizeof *g->line_bound);
    g->line_round = calloc (lines, sizeof *g->line_round);
    g->now = calloc (8, value);
    if (!g->time || !g->start || !g->finish || !g->seen || !g->rounded
        || !g->bound || !g->place || !g->seat || !g->heap || !g->group
        || !g->taken || !g->free || !g->line || !g->line_bound
        || !g->line_round || !g->now)
        return tori_error_nomem (err);
    g->makespan = at (g, g->now, 1);
    g->load = at (g, g->now, 2);
    g->best = at (g, g->now, 3);
    g->scratch = at (g, g->now, 4);
    g->part = at (g, g->now, 5);
    g->floor = at (g, g->now, 6);
    g->length = at (g, g->now, 7);
    return 0;
}

/* tori_contention_check has refused times that are not values. */
static void set_times (struct greedy *g)
{
    for (size_t i = 0; i < g->problem->n; i++)
        value_of_exact (&g->scale, g->problem->job[i].time, at (g, g->time, i),
                        &g->rounded[i]);
}

/* Times that count their own delay have no simple limit, so they have half of
 * the bits, and may need more words. */
static void set_point (struct greedy *g, int whole)
{
    const struct problem *problem = g->problem;
    int most = 0;
    for (size_t f = 0; f < problem->forms; f++) {
        for (int d = 0; d < problem->ndims; d++)
            if (problem->form[f].bits[d] > g->longest)
                g->longest = problem->form[f].bits[d];
        if (problem->form[f].all > most)
            most = problem->form[f].all;
    }
    if (problem->own_delay && whole < 32 * g->scale.words)
        whole = 32 * g->scale.words;
    g->scale.point = 64 * g->scale.words - whole;
    g->limit = ldexp (1, whole - g->longest - most - 6);
}

int greedy_create (const struct problem *problem, int words,
                   struct greedy **ret_greedy, tori_error *err)
{
    struct greedy *g = calloc (1, sizeof *g);
    int whole = whole_bits (problem);
    if (!g)
        return tori_error_nomem (err);
    while (64 * (words - 1) < whole)
        words *= 2;
    g->problem = problem;
    g->scale.words = words;
    set_point (g, whole);
    g->stride = (size_t)words + 1;
    if (make_arrays (g, err) < 0) {
        greedy_destroy (g);
        return -1;
    }
    set_times (g);
    *ret_greedy = g;
    return 0;
}

static void free_group (const struct greedy *g, size_t form)
{
    struct line_crowd *crowd = g->group[form].crowd;
    uint32_t lines =
        form_lines_before (&g->problem->form[form], g->problem->ndims);
    for (uint32_t i = 0; crowd && i < lines; i++)
        free (crowd[i].job);
    free (crowd);
}

void greedy_destroy (struct greedy *g)
{
    if (!g)
        return;
    for (size_t f = 0; g->group && f < g->problem->forms; f++)
        free_group (g, f);
    free (g->time);
    free (g->start);
    free (g->finish);
    free (g->seen);
    free (g->rounded);
    free (g->bound);
    free (g->place);
    free (g->seat);
    free (g->heap);
    free (g->group);
    free (g->taken);
    free (g->free);
    free (g->line);
    free (g->line_bound);
    free (g->line_round);
    free (g->now);
    free (g);
}

/* ---- results ---- */

const struct scale *greedy_scale (const struct greedy *greedy)
{
    return &greedy->scale;
}

uint32_t greedy_place (const struct greedy *greedy, size_t job)
{
    return greedy->place[job];
}

const uint64_t *greedy_time (const struct greedy *greedy, size_t job)
{
    return at (greedy, greedy->time, job);
}

const uint64_t *greedy_start (const struct greedy *greedy, size_t job)
{
    return at (greedy, greedy->start, job);
}

const uint64_t *greedy_finish (const struct greedy *greedy, size_t job)
{
    return at (greedy, greedy->finish, job);
}

const uint64_t *greedy_makespan (const struct greedy *greedy)
{
    return greedy->makespan;
}

bool greedy_overflows (const struct greedy *greedy)
{
    return greedy->overflow;
}

double greedy_bound (const struct greedy *greedy)
{
    return greedy->worst;
}
