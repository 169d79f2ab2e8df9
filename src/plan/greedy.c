#include "greedy.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"

/* Running jobs of one form whose rings of one dimension are the same. */
struct crowd {
    uint32_t *job;
    size_t n;
    size_t room;
};

/* The jobs of a form that run: a crowd a dimension and offset in the others,
 * made when the first such job comes. */
struct group {
    struct crowd *crowd;
    uint32_t running;
};

enum { NO_FORM = UINT32_MAX };

struct greedy {
    const struct problem *problem;
    struct scale scale;
    size_t stride; /* words of a value and its remainder */

    /* By job. */
    uint64_t *time, *start, *finish;
    bool *rounded; /* its time */
    double *bound; /* of its finish */
    uint32_t *place;
    uint32_t *seat; /* in its crowd, a dimension */
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

    /* The lines of that form: what a dimension adds to the load of a place, a
     * line a dimension and offset in the others. */
    uint64_t *line;
    double *line_bound;
    uint32_t *line_round; /* in which round it was summed up */
    uint32_t round;

    uint32_t first_line[TORI_MAX_DIMS + 1]; /* of a dimension */

    uint64_t *load, *best, *floor, *scratch, *part;
    double load_bound, best_bound, floor_bound;
};

/* ---- places of one form, seen from another ---- */

/* The number of a place with the offset of one dimension left out. */
static uint32_t line_of (const struct problem *problem,
                         const struct form *form, uint32_t place, int dim)
{
    int below = 0;
    for (int d = dim + 1; d < problem->ndims; d++)
        below += form->bits[d];
    return place >> (below + form->bits[dim]) << below
           | (place & (uint32_t)bits_low ((unsigned)below));
}

/* Some place of a line. */
static uint32_t place_on (const struct problem *problem,
                          const struct form *form, uint32_t line, int dim)
{
    int below = 0;
    for (int d = dim + 1; d < problem->ndims; d++)
        below += form->bits[d];
    return line >> below << (below + form->bits[dim])
           | (line & (uint32_t)bits_low ((unsigned)below));
}

/* The lines of a form that come before those of a dimension. */
static uint32_t lines_before (const struct form *form, int dim)
{
    uint32_t lines = 0;
    for (int d = 0; d < dim; d++)
        lines += UINT32_C (1) << (form->all - form->bits[d]);
    return lines;
}

/* A walk over the places of a form, or its lines of a dimension, whose offsets
 * agree with those of a place of another form. Offsets agree in as many of
 * their low bits as both have; the other bits take every value. */
struct agreeing {
    uint32_t fixed, mask, sub;
    bool done;
};

static struct agreeing agreeing_with (const struct problem *problem,
                                      const struct form *from, uint32_t place,
                                      const struct form *to, int without)
{
    struct agreeing walk = {0};
    int at = 0;
    for (int d = problem->ndims - 1; d >= 0; d--) {
        uint32_t offset = place & (uint32_t)bits_low (from->bits[d]);
        int known = from->bits[d] < to->bits[d] ? from->bits[d] : to->bits[d];
        place >>= from->bits[d];
        if (d == without)
            continue;
        walk.fixed |= (offset & (uint32_t)bits_low ((unsigned)known)) << at;
        walk.mask |= (uint32_t)(bits_low (to->bits[d])
                                - bits_low ((unsigned)known))
                     << at;
        at += to->bits[d];
    }
    return walk;
}

static bool agreeing_next (struct agreeing *walk, uint32_t *ret_number)
{
    if (walk->done)
        return false;
    *ret_number = walk->fixed | walk->sub;
    walk->sub = (walk->sub - walk->mask) & walk->mask;
    walk->done = walk->sub == 0;
    return true;
}

/* ---- values of jobs ---- */

static uint64_t *at (const struct greedy *g, uint64_t *values, size_t i)
{
    return values + i * g->stride;
}

static const struct form *form_of (const struct greedy *g, uint32_t job)
{
    return &g->problem->form[g->problem->form_of[job]];
}

static double bound_of_time (const struct greedy *g, uint32_t job)
{
    return g->rounded[job] ? g->scale.ulp : 0;
}

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

/* ---- the heap of running jobs ---- */

/* Finish times only grow, so what the heap knows of a job is never too late:
 * a job on top that has moved is let down again. */

static bool earlier (struct greedy *g, uint32_t a, uint32_t b)
{
    return value_compare (&g->scale, at (g, g->seen, a), at (g, g->seen, b),
                          g->bound[a] + g->bound[b])
           < 0;
}

static void heap_up (struct greedy *g, size_t i)
{
    uint32_t job = g->heap[i];
    for (; i && earlier (g, job, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = job;
}

static void heap_down (struct greedy *g, size_t i)
{
    uint32_t job = g->heap[i];
    for (size_t child; (child = 2 * i + 1) < g->running; i = child) {
        if (child + 1 < g->running
            && earlier (g, g->heap[child + 1], g->heap[child]))
            child++;
        if (!earlier (g, g->heap[child], job))
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

/* ---- crowds ---- */

static struct crowd *crowd_at (struct greedy *g, uint32_t form, int dim,
                               uint32_t line)
{
    const struct form *f = &g->problem->form[form];
    return &g->group[form].crowd[lines_before (f, dim) + line];
}

static struct crowd *crowd_of (struct greedy *g, uint32_t job, int dim)
{
    const struct form *f = form_of (g, job);
    return crowd_at (g, g->problem->form_of[job], dim,
                     line_of (g->problem, f, g->place[job], dim));
}

static uint32_t *seat_of (struct greedy *g, uint32_t job, int dim)
{
    return &g->seat[(size_t)job * (size_t)g->problem->ndims + (size_t)dim];
}

/* Memory for all crowds that a job joins, so that joining cannot fail. */
static int make_room (struct greedy *g, uint32_t job, tori_error *err)
{
    const struct form *f = form_of (g, job);
    struct group *group = &g->group[g->problem->form_of[job]];
    int ndims = g->problem->ndims;
    if (!group->crowd)
        group->crowd =
            calloc (lines_before (f, ndims), sizeof *group->crowd);
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

static void join (struct greedy *g, uint32_t job)
{
    g->group[g->problem->form_of[job]].running++;
    for (int d = 0; d < g->problem->ndims; d++) {
        struct crowd *crowd = crowd_of (g, job, d);
        *seat_of (g, job, d) = (uint32_t)crowd->n;
        crowd->job[crowd->n++] = job;
    }
}

static void leave (struct greedy *g, uint32_t job)
{
    if (g->bound[job] > g->worst)
        g->worst = g->bound[job];
    g->group[g->problem->form_of[job]].running--;
    for (int d = 0; d < g->problem->ndims; d++) {
        struct crowd *crowd = crowd_of (g, job, d);
        uint32_t seat = *seat_of (g, job, d);
        uint32_t last = crowd->job[--crowd->n];
        crowd->job[seat] = last;
        *seat_of (g, last, d) = seat;
    }
}

/* ---- free places ---- */

static void take_places (struct greedy *g, uint32_t job)
{
    struct agreeing walk =
        agreeing_with (g->problem, form_of (g, job), g->place[job],
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
        agreeing_with (g->problem, form_of (g, job), g->place[job],
                       &g->problem->form[g->form], -1);
    uint32_t place;
    while (agreeing_next (&walk, &place))
        if (--g->taken[place] == 0) {
            bits_set (g->free, place);
            g->nfree++;
        }
}

/* The availability matrix of another level: what is taken of the places of
 * another form. */
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
        g->first_line[d] = lines_before (&g->problem->form[form], d);
    g->round = 0;
    memset (g->line_round, 0,
            g->first_line[g->problem->ndims] * sizeof *g->line_round);
}

/* Go on to the time when the next job ends, and end all that do then. */
static void go_on (struct greedy *g)
{
    uint32_t first = heap_first (g);
    value_copy (&g->scale, g->now, at (g, g->finish, first));
    g->now_bound = g->bound[first];
    do {
        heap_drop (g);
        leave (g, first);
        give_places (g, first);
        first = g->running ? heap_first (g) : 0;
    } while (g->running
             && value_compare (&g->scale, at (g, g->finish, first), g->now,
                               g->bound[first] + g->now_bound)
                    == 0);
}

/* ---- the least load ---- */

/* What the jobs of a crowd would add to a job's time. */
static void add_crowd (struct greedy *g, uint32_t job,
                       const struct crowd *crowd, int bits, uint64_t *sum,
                       double *bound)
{
    double crowd_bound = 0;
    if (!crowd->n)
        return;
    value_zero (&g->scale, g->scratch);
    for (size_t i = 0; i < crowd->n; i++) {
        crowd_bound += overlap (g, job, crowd->job[i]);
        value_add (&g->scale, g->scratch, g->scratch, g->part);
    }
    *bound += ldexp (crowd_bound, -bits)
              + value_halve (&g->scale, g->scratch, bits);
    value_add (&g->scale, sum, sum, g->scratch);
}

static void sum_line (struct greedy *g, uint32_t job, int dim, uint32_t line,
                      uint64_t *sum, double *bound)
{
    const struct problem *problem = g->problem;
    const struct form *mine = &problem->form[g->form];
    uint32_t place = place_on (problem, mine, line, dim);
    value_zero (&g->scale, sum);
    *bound = 0;
    for (uint32_t f = 0; f < problem->forms; f++) {
        struct agreeing walk;
        uint32_t other;
        if (!g->group[f].running)
            continue;
        walk = agreeing_with (problem, mine, place, &problem->form[f], dim);
        while (agreeing_next (&walk, &other))
            add_crowd (g, job, crowd_at (g, f, dim, other),
                       problem->form[f].bits[dim], sum, bound);
    }
}

/* What a line adds to the load of its places; its number among all lines. */
static uint32_t ask_line (struct greedy *g, uint32_t job, int dim,
                          uint32_t line)
{
    uint32_t i = g->first_line[dim] + line;
    if (g->line_round[i] != g->round) {
        sum_line (g, job, dim, line, at (g, g->line, i), &g->line_bound[i]);
        g->line_round[i] = g->round;
    }
    return i;
}

static void load_of (struct greedy *g, uint32_t job, uint32_t place)
{
    const struct form *form = &g->problem->form[g->form];
    value_zero (&g->scale, g->load);
    g->load_bound = 0;
    for (int d = 0; d < g->problem->ndims; d++) {
        uint32_t i = ask_line (g, job, d,
                               line_of (g->problem, form, place, d));
        value_add (&g->scale, g->load, g->load, at (g, g->line, i));
        g->load_bound += g->line_bound[i];
    }
}

static bool is_zero (const struct greedy *g, const uint64_t *value,
                     double bound)
{
    for (int i = 0; i < g->scale.words; i++)
        if (value[i])
            return false;
    return bound == 0;
}

/* Take the load if it is the first or less than the best. */
static bool improve (struct greedy *g, bool first)
{
    uint64_t *swap = g->best;
    if (!first
        && value_compare (&g->scale, g->load, g->best,
                          g->load_bound + g->best_bound)
               >= 0)
        return false;
    g->best = g->load;
    g->load = swap;
    g->best_bound = g->load_bound;
    return true;
}

/* The least that all dimensions but the last add to the load of any place, in
 * `floor`: nothing, if few places are free. Which line is the least need not
 * be clear, as long as the bound covers them all. */
static void find_floor (struct greedy *g, uint32_t job)
{
    int last = g->problem->ndims - 1;
    value_zero (&g->scale, g->floor);
    g->floor_bound = 0;
    for (int d = 0; g->nfree >= g->first_line[last] && d < last; d++) {
        uint32_t least = g->first_line[d];
        struct scale scale = g->scale;
        double bound = 0;
        for (uint32_t i = least; i < g->first_line[d + 1]; i++) {
            ask_line (g, job, d, i - g->first_line[d]);
            bound = fmax (bound, g->line_bound[i]);
            if (value_compare (&scale, at (g, g->line, i),
                               at (g, g->line, least), 0)
                < 0)
                least = i;
        }
        value_add (&g->scale, g->floor, g->floor, at (g, g->line, least));
        g->floor_bound += bound;
    }
}

/* Whether no place on this line of the last dimension can be better than the
 * best so far. In doubt it can. */
static bool is_hopeless (struct greedy *g, uint32_t job, uint32_t line)
{
    uint32_t i = ask_line (g, job, g->problem->ndims - 1, line);
    struct scale scale = g->scale;
    int order;
    scale.unclear = false;
    value_add (&scale, g->load, g->floor, at (g, g->line, i));
    order = value_compare (&scale, g->load, g->best,
                           g->floor_bound + g->line_bound[i]
                               + g->best_bound);
    return !scale.unclear
           && (order > 0 || (order == 0 && g->floor_bound == 0));
}

/* The first free place from `place` on; `places` if there is none. */
static uint32_t next_free (const struct greedy *g, uint32_t place,
                           uint32_t places)
{
    size_t w = place / 64;
    uint64_t rest;
    if (place >= places)
        return places;
    rest = g->free[w] & ~bits_low (place % 64);
    while (!rest && ++w < bits_words (places))
        rest = g->free[w];
    return rest ? (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll (rest)
                : places;
}

/* The free place with the least load, which is left in `best`. */
static uint32_t choose (struct greedy *g, uint32_t job)
{
    const struct form *form = &g->problem->form[g->form];
    int bits = form->bits[g->problem->ndims - 1];
    uint32_t places = UINT32_C (1) << form->all, chosen = places;
    uint32_t place = next_free (g, 0, places), line = UINT32_MAX;
    g->round++;
    find_floor (g, job);
    for (; place < places; place = next_free (g, place, places)) {
        if (place >> bits != line) {
            line = place >> bits;
            if (chosen < places && is_hopeless (g, job, line)) {
                place = (line + 1) << bits;
                continue;
            }
        }
        load_of (g, job, place);
        if (improve (g, chosen == places))
            chosen = place;
        if (is_zero (g, g->best, g->best_bound))
            break;
        place++;
    }
    return chosen;
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

/* Theorem 1: every job that the new one meets is delayed, once. */
static void delay_crowd (struct greedy *g, uint32_t job,
                         const struct crowd *crowd, int bits)
{
    for (size_t i = 0; i < crowd->n; i++) {
        uint32_t other = crowd->job[i];
        double bound = overlap (g, job, other);
        uint64_t *finish = at (g, g->finish, other);
        g->bound[other] += ldexp (bound, -bits)
                           + value_halve (&g->scale, g->part, bits);
        value_add (&g->scale, finish, finish, g->part);
    }
}

static void delay_others (struct greedy *g, uint32_t job)
{
    const struct problem *problem = g->problem;
    const struct form *mine = form_of (g, job);
    for (uint32_t f = 0; f < problem->forms; f++)
        for (int d = 0; g->group[f].running && d < problem->ndims; d++) {
            struct agreeing walk = agreeing_with (
                problem, mine, g->place[job], &problem->form[f], d);
            uint32_t line;
            while (agreeing_next (&walk, &line))
                delay_crowd (g, job, crowd_at (g, f, d, line),
                             mine->bits[d]);
        }
}

static int place_job (struct greedy *g, uint32_t job, tori_error *err)
{
    uint64_t *finish = at (g, g->finish, job);
    if (g->form != g->problem->form_of[job])
        change_form (g, g->problem->form_of[job]);
    while (!g->nfree)
        go_on (g);
    g->place[job] = choose (g, job);
    if (make_room (g, job, err) < 0)
        return -1;
    value_copy (&g->scale, at (g, g->start, job), g->now);
    value_add (&g->scale, finish, g->now, at (g, g->time, job));
    value_add (&g->scale, finish, finish, g->best);
    g->bound[job] = g->now_bound + bound_of_time (g, job) + g->best_bound;
    delay_others (g, job);
    join (g, job);
    take_places (g, job);
    heap_put (g, job);
    if (g->bound[job] > bound_most)
        widen_bounds (g);
    return 0;
}

/* ---- a plan ---- */

/* As if nothing had been planned. */
static void reset (struct greedy *g)
{
    for (size_t f = 0; f < g->problem->forms; f++) {
        uint32_t lines =
            lines_before (&g->problem->form[f], g->problem->ndims);
        g->group[f].running = 0;
        for (uint32_t i = 0; g->group[f].crowd && i < lines; i++)
            g->group[f].crowd[i].n = 0;
    }
    g->running = 0;
    g->form = NO_FORM;
    g->scale.unclear = false;
    scale_unit (&g->scale, 0);
    value_zero (&g->scale, g->now);
    value_zero (&g->scale, g->makespan);
    g->now_bound = g->worst = 0;
}

/* The latest finish. Of two that cannot be told apart either will do. */
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

int greedy_run (struct greedy *greedy, const uint32_t order[], bool strict,
                tori_error *err)
{
    bool unclear;
    reset (greedy);
    for (size_t i = 0; i < greedy->problem->n; i++) {
        if (place_job (greedy, order[i], err) < 0)
            return -1;
        if (strict && greedy->scale.unclear)
            return 0;
    }
    unclear = greedy->scale.unclear;
    sum_up (greedy);
    greedy->scale.unclear = unclear;
    return 0;
}

/* ---- create and destroy ---- */

/* Bits in front of the point. A job that is placed moves the latest finish by
 * its time, its load, which is less than its time for every dimension, and
 * what it adds to another, which is less than its time: (ndims + 2) times its
 * time. Before they are divided, loads of a line of jobs are summed up. */
static int whole_bits (const struct problem *problem)
{
    double sum = 1;
    int longest = 0, bits;
    for (size_t i = 0; i < problem->n; i++)
        sum += tori_exact_value (problem->job[i].time);
    for (size_t f = 0; f < problem->forms; f++)
        for (int d = 0; d < problem->ndims; d++)
            if (problem->form[f].bits[d] > longest)
                longest = problem->form[f].bits[d];
    frexp (sum * (problem->ndims + 2), &bits);
    return bits + longest + 2;
}

static int make_arrays (struct greedy *g, tori_error *err)
{
    const struct problem *problem = g->problem;
    size_t n = problem->n, value = g->stride * sizeof (uint64_t);
    size_t places = 1, lines = 1;
    for (size_t f = 0; f < problem->forms; f++) {
        const struct form *form = &problem->form[f];
        size_t its_lines = lines_before (form, problem->ndims);
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
    g->now = calloc (7, value);
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
    return 0;
}

static int set_times (struct greedy *g, tori_error *err)
{
    for (size_t i = 0; i < g->problem->n; i++)
        if (!value_of_exact (&g->scale, g->problem->job[i].time,
                             at (g, g->time, i), &g->rounded[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "job %zu: a denominator that is a multiple "
                                   "of 2^61 - 1 is beyond this arithmetic",
                                   i + 1);
    return 0;
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
    g->scale.point = 64 * words - whole;
    g->stride = (size_t)words + 1;
    if (make_arrays (g, err) < 0 || set_times (g, err) < 0) {
        greedy_destroy (g);
        return -1;
    }
    *ret_greedy = g;
    return 0;
}

static void free_group (const struct greedy *g, size_t form)
{
    struct crowd *crowd = g->group[form].crowd;
    uint32_t lines =
        lines_before (&g->problem->form[form], g->problem->ndims);
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

/* ---- what came out ---- */

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

double greedy_bound (const struct greedy *greedy)
{
    return greedy->worst;
}
