/* ptas.c - within 1 + epsilon of the best, by strips and cells.
 *
 * The scheme of section 4 of Bender et al., "Communication-Aware Processor
 * Allocation for Supercomputers", 2005, and its counterpart for rings. In
 * every dimension a best set falls into strips of so many points each. All
 * ways to cut the points into strips are tried, and all ways to distribute k
 * points over the cells where strips cross; from a cell come those points that
 * are farthest in the direction of the majority, which is best for all
 * distances but those within a strip. strips.h says what strips are on a
 * ring, how many points one may hold, and why the answer is within 1 + epsilon
 * of the best.
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
 *   - First comes a set by Gen-Alg, improved by swaps. It is the answer if it
 *     is known to be good enough, and otherwise what cuttings have to beat.
 *
 * What is known to be good enough:
 *
 *   - twice the least sum is at least the sum, over the k points where it is
 *     least, of the distances to their k nearest: on lines, on rings, in any
 *     metric;
 *   - Gen-Alg is within 2 - 2/k of the best, in any metric (Krumke et al.),
 *     and MM within 2 - 1/(2d) on lines (Bender et al., theorem 2), which is
 *     then asked, too.
 *
 * Lengths along a dimension are doubled here, since a diameter may end between
 * two coordinates.
 */
#include "ptas.h"

#include <stdlib.h>
#include <string.h>

#include "cuts.h"
#include "mm.h"
#include "policy.h"
#include "strips.h"

/* Cuttings, steps in trying them, and points that we are ready for. */
static const double MOST_CUTTINGS = 1e18;
static const uint64_t MOST_STEPS = UINT64_C (1) << 29; /* by default */
enum { MOST_POINTS = 4096 };

/* What a user can do about it. */
#define INSTEAD                                                               \
    "; a larger epsilon or fewer points take fewer, and mm+inc always answers"

/* So many nearest points are known of every point. */
enum { MOST_NEAREST = 64 };

/* ---- the search ---- */

/* The points of a strip that leave, or those that enter: on a line, all. */
struct part {
    size_t size;    /* points of the best set */
    size_t held;    /* points to choose from */
    size_t known;   /* of these, those known to be in the best set */
    amount pull;    /* what a step forward of a point costs */
    size_t missing; /* points still to choose while cells are filled */
    size_t room;    /* points of later cells */
};

static const size_t NOWHERE = SIZE_MAX;

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

static wide distance (const struct ptas *p, size_t a, size_t b)
{
    return cloud_distance (p->cloud, cloud_point (p->cloud, a),
                           cloud_point (p->cloud, b));
}

static bool spent (struct ptas *p, size_t steps)
{
    p->steps += steps;
    return p->steps > p->limit;
}

/* No better than the best so far. */
static bool worse (const struct ptas *p, wide sum)
{
    return p->found && sum >= p->best_sum;
}

/* The best so far is within 1 + epsilon of any set with at least this, which
 * is twice the sum; with room for errors of rounding. */
static bool hopeless (const struct ptas *p, wide twice)
{
    wide best = 2 * p->best_sum;
    return p->found
           && (twice >= best
               || (double)twice * (1 + p->epsilon)
                      >= (double)best * (1 + 1e-12));
}

static void keep_best (struct ptas *p, wide sum)
{
    p->found = true;
    p->best_sum = sum;
    memcpy (p->best, p->chosen, p->k * sizeof *p->best);
}

/* Choose the known points; from here on the rest is chosen. */
static void choose_known (struct ptas *p)
{
    p->nchosen = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->is_known[i])
            p->chosen[p->nchosen++] = i;
}

/* ---- open points into cells ---- */

static void find_costs (struct ptas *p)
{
    size_t open = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->is_known[i])
            continue;
        p->order[open++] = i;
        p->cost[i] = 0;
        for (int c = 0; c < p->ncourses; c++) {
            const struct course *course = &p->courses[c];
            p->cost[i] += course->parts[course->part[i]].pull
                          * course->along[i];
        }
    }
}

static int compare_cells (const struct ptas *p, size_t a, size_t b)
{
    for (int c = 0; c < p->ncourses; c++) {
        size_t x = p->courses[c].part[a], y = p->courses[c].part[b];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare_points (const void *a, const void *b, void *arg)
{
    const struct ptas *p = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int cells = compare_cells (p, x, y);
    if (cells)
        return cells;
    if (p->cost[x] != p->cost[y])
        return p->cost[x] < p->cost[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void find_cells (struct ptas *p)
{
    size_t open = p->n - p->nknown;
    find_costs (p);
    qsort_r (p->order, open, sizeof *p->order, compare_points, p);
    p->ncells = 0;
    for (size_t i = 0; i < open; i++) {
        if (i == 0 || compare_cells (p, p->order[i], p->order[i - 1])) {
            p->cells[p->ncells++] = (struct cell){.first = i};
            for (int c = 0; c < p->ncourses; c++)
                p->cells[p->ncells - 1].part[c]
                    = p->courses[c].part[p->order[i]];
        }
        p->cells[p->ncells - 1].count++;
    }
}

/* ---- counts of cells ---- */

static struct part *part_of (struct ptas *p, const struct cell *cell, int c)
{
    return &p->courses[c].parts[cell->part[c]];
}

/* Let so many points of a cell be missing more, in each of its strips. */
static void add_missing (struct ptas *p, const struct cell *cell, size_t by)
{
    for (int c = 0; c < p->ncourses; c++)
        part_of (p, cell, c)->missing += by;
}

static void add_room (struct ptas *p, const struct cell *cell, size_t by)
{
    for (int c = 0; c < p->ncourses; c++)
        part_of (p, cell, c)->room += by;
}

/* The least and the most points to take from a cell: as few as later cells
 * can make up for in each of its strips, as many as are missing there. */
static bool find_range (struct ptas *p, const struct cell *cell, size_t *low,
                        size_t *high)
{
    *low = 0;
    *high = p->k - p->nchosen;
    if (cell->count < *high)
        *high = cell->count;
    for (int c = 0; c < p->ncourses; c++) {
        const struct part *part = part_of (p, cell, c);
        if (part->missing < *high)
            *high = part->missing;
        if (part->missing > part->room && part->missing - part->room > *low)
            *low = part->missing - part->room;
    }
    return *low <= *high;
}

/* Take the next point of a cell: the sum with it. */
static wide take (struct ptas *p, size_t point, wide sum)
{
    sum += p->away[point];
    for (size_t i = p->nknown; i < p->nchosen; i++)
        sum += distance (p, p->chosen[i], point);
    p->steps += p->nchosen - p->nknown;
    p->chosen[p->nchosen++] = point;
    return sum;
}

static void fill_cells (struct ptas *p, size_t at, wide sum)
{
    const struct cell *cell = &p->cells[at];
    size_t low, high, taken = 0, before = p->nchosen;
    if (worse (p, sum) || spent (p, 1))
        return;
    if (at == p->ncells || p->nchosen == p->k) {
        if (p->nchosen == p->k)
            keep_best (p, sum);
        return;
    }
    add_room (p, cell, 0 - cell->count);
    if (find_range (p, cell, &low, &high))
        for (;;) {
            if (taken >= low) {
                add_missing (p, cell, 0 - taken);
                fill_cells (p, at + 1, sum);
                add_missing (p, cell, taken);
            }
            if (taken == high)
                break;
            sum = take (p, p->order[cell->first + taken++], sum);
        }
    p->nchosen = before;
    add_room (p, cell, cell->count);
}

static void fill_parts (struct ptas *p)
{
    p->steps += p->n;
    find_cells (p);
    for (int c = 0; c < p->ncourses; c++)
        for (size_t i = 0; i < 2 * p->k; i++) {
            struct part *part = &p->courses[c].parts[i];
            part->missing = part->size - part->known;
            part->room = part->held - part->known;
        }
    choose_known (p);
    fill_cells (p, 0, p->known_sum);
}

/* ---- known points ---- */

/* Know of a point that it is in the best set. Its strips must have room for
 * it. */
static bool know (struct ptas *p, size_t point)
{
    bool fits = p->nknown < p->k;
    for (int c = 0; c < p->ncourses; c++) {
        const struct course *course = &p->courses[c];
        if (course->part[point] != NOWHERE) {
            struct part *part = &course->parts[course->part[point]];
            fits = ++part->known <= part->size && fits;
        }
    }
    p->steps += p->n;
    p->known_sum += p->away[point];
    p->is_known[point] = true;
    p->nknown++;
    for (size_t i = 0; i < p->n; i++)
        p->away[i] += distance (p, i, point);
    return fits;
}

static void forget (struct ptas *p, size_t point)
{
    for (size_t i = 0; i < p->n; i++)
        p->away[i] -= distance (p, i, point);
    p->is_known[point] = false;
    p->nknown--;
    p->known_sum -= p->away[point];
    for (int c = 0; c < p->ncourses; c++) {
        const struct course *course = &p->courses[c];
        if (course->part[point] != NOWHERE)
            course->parts[course->part[point]].known--;
    }
}

/* Whether the best set may have the point, too. */
static bool is_open (const struct ptas *p, size_t point)
{
    if (p->is_known[point])
        return false;
    for (int c = 0; c < p->ncourses; c++) {
        const struct course *course = &p->courses[c];
        const struct part *part = course->parts + course->part[point];
        if (course->part[point] != NOWHERE && part->known == part->size)
            return false;
    }
    return true;
}

/* Put a value in place of the top of a heap, the greatest. */
static void replace_top (wide *heap, size_t n, wide value)
{
    size_t at = 0, child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && heap[child] < heap[child + 1])
            child++;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* The sum of the k least of n values, which are left in the heap. */
static wide sum_of_least (const wide *values, size_t n, size_t k, wide *heap)
{
    wide sum = 0;
    for (size_t i = 0; i < k; i++)
        heap[i] = ~(wide)0;
    for (size_t i = 0; i < n && k > 0; i++)
        if (values[i] < heap[0])
            replace_top (heap, k, values[i]);
    for (size_t i = 0; i < k; i++)
        sum += heap[i];
    return sum;
}

/* Whether no set with the known points is good enough: a point that is
 * missing is so far from the known ones, and from the others that are missing
 * at least as far as from its nearest. */
static bool known_hopeless (struct ptas *p)
{
    size_t missing = p->k - p->nknown, open = 0;
    size_t row = missing < p->nnearest ? missing : p->nnearest;
    for (size_t i = 0; i < p->n; i++)
        if (is_open (p, i))
            p->costs[open++]
                = 2 * p->away[i]
                  + (row ? p->nearest[i * p->nnearest + row - 1] : 0);
    return open < missing
           || hopeless (p, 2 * p->known_sum
                               + sum_of_least (p->costs, open, missing,
                                               p->heap));
}

/* ---- cuttings ---- */

/* Where a cutting has come to. */
struct cutting {
    int course;
    size_t strip;         /* the next */
    size_t first;         /* its first point, in `turned` */
    struct passed before; /* in the strips so far */
    amount edge;          /* where the last of them ends */
    wide twice;           /* no set has less than half of this */
};

static void cut_course (struct ptas *p, int c, wide twice);
static void cut_strip (struct ptas *p, struct cutting at);

static void go_on (struct ptas *p, struct cutting at)
{
    if (p->nknown == p->k) {
        choose_known (p);
        if (!worse (p, p->known_sum))
            keep_best (p, p->known_sum);
    } else if (at.before.left + at.before.entered < p->k) {
        cut_strip (p, at);
    } else {
        cut_course (p, at.course + 1, at.twice);
    }
}

/* No cut of a strip parts fewer pairs: there are so many points ahead at
 * least, and at the most, before its last point is passed. */
static size_t least_parted (const struct turn *turn, struct passed before,
                            struct passed strip, bool last_enters)
{
    size_t ahead = turn_ahead (turn, before);
    size_t low = ahead - strip.left + !last_enters;
    size_t high = ahead + strip.entered - last_enters;
    size_t all = turn->k;
    low = low < turn->least ? turn->least : low;
    high = high > all - turn->least ? all - turn->least : high;
    return low * (all - low) < high * (all - high) ? low * (all - low)
                                                   : high * (all - high);
}

/* The strip ends with this point, which is in the best set. */
static void end_known (struct ptas *p, struct cutting at, struct passed strip,
                       size_t last)
{
    const struct course *course = &p->courses[at.course];
    bool was_known = p->is_known[last];
    amount edge = course->along[last];
    at.twice += (wide)(edge - at.edge)
                * least_parted (&course->turn, at.before, strip,
                                course->enters[last]);
    if (hopeless (p, at.twice))
        return;
    at.edge = edge;
    at.before.left += strip.left;
    at.before.entered += strip.entered;
    at.strip++;
    if (was_known || (know (p, last) && !known_hopeless (p)))
        go_on (p, at);
    if (!was_known)
        forget (p, last);
}

/* Let the strip end before `end`: with a point of the best set, unless it is
 * the last of a line. */
static void end_strip (struct ptas *p, struct cutting at, struct passed strip,
                       size_t end)
{
    const struct course *course = &p->courses[at.course];
    at.first = end;
    if (end < p->n || course->half > 0) {
        end_known (p, at, strip, course->turned[end - 1]);
        return;
    }
    at.before.entered += strip.entered;
    go_on (p, at);
}

/* A strip that has these points of the best set, and none to choose from. */
static void begin_parts (struct course *course, const struct cutting *at,
                         struct passed strip)
{
    const struct turn *turn = &course->turn;
    struct part *parts = course->parts + 2 * at->strip;
    parts[0] = (struct part){
        .size = strip.left,
        .pull = strip_pull (turn, at->before, strip, false)};
    parts[1] = (struct part){
        .size = strip.entered,
        .pull = strip_pull (turn, at->before, strip, true)};
}

/* Put a point into the strip. Whether there is room for the known ones. */
static bool add_point (struct ptas *p, struct course *course, size_t strip,
                       size_t point)
{
    size_t at = 2 * strip + course->enters[point];
    struct part *part = &course->parts[at];
    course->part[point] = at;
    part->held++;
    part->known += p->is_known[point];
    return part->known <= part->size;
}

/* A strip with these points of the best set, wherever it may end: behind it
 * are enough for the others. */
static void try_ends (struct ptas *p, struct cutting at, struct passed strip)
{
    struct course *course = &p->courses[at.course];
    const struct part *parts = course->parts + 2 * at.strip;
    size_t passed = at.before.left + at.before.entered;
    size_t after = p->k - passed - strip.left - strip.entered;
    size_t end = at.first;
    begin_parts (course, &at, strip);
    while (end + after < p->n) {
        if (!add_point (p, course, at.strip, course->turned[end++]))
            break;
        if (parts[0].held >= parts[0].size && parts[1].held >= parts[1].size
            && (after > 0 || end == p->n))
            end_strip (p, at, strip, end);
    }
    while (end > at.first)
        course->part[course->turned[--end]] = NOWHERE;
    course->parts[2 * at.strip] = (struct part){0};
    course->parts[2 * at.strip + 1] = (struct part){0};
}

/* Every strip that is as wide as may be. */
static void cut_strip (struct ptas *p, struct cutting at)
{
    const struct turn *turn = &p->courses[at.course].turn;
    struct passed strip = {0, 0};
    for (; strip.left <= turn->least - at.before.left; strip.left++)
        for (strip.entered = 0;
             strip.entered <= turn->k - turn->least - at.before.entered;
             strip.entered++) {
            if (spent (p, 1)
                || !strip_harmless (turn, at.before, strip))
                break;
            if (strip_widest (turn, at.before, strip))
                try_ends (p, at, strip);
        }
}

static void cut_turn (struct ptas *p, int c, size_t least, wide twice)
{
    struct cutting at = {.course = c, .twice = twice};
    p->courses[c].turn
        = (struct turn){.k = p->k, .least = least, .epsilon = p->epsilon};
    cut_strip (p, at);
}

/* Begin the half turn right after the i-th point, which is then the last, and
 * enters. What came before it in a turn from 0 changes sides. */
static void turn_to (struct ptas *p, struct course *course, size_t i)
{
    size_t last = course->order[i], at = 0;
    for (size_t j = i + 1; j != i + 1 + p->n; j++) {
        bool again = j >= p->n;
        size_t point = course->order[again ? j - p->n : j];
        course->turned[at++] = point;
        course->along[point] = course->at[point] - course->at[last]
                               + (again ? course->half : 0);
        course->enters[point]
            = (course->upper[point] != again) != course->upper[last];
    }
}

/* The half turn of the best set ends with this point, by which another one is
 * known. */
static void try_turn (struct ptas *p, int c, size_t i, wide twice)
{
    struct course *course = &p->courses[c];
    size_t last = course->order[i];
    bool was_known = p->is_known[last];
    if (spent (p, p->n))
        return;
    turn_to (p, course, i);
    if (was_known || (know (p, last) && !known_hopeless (p)))
        for (size_t least = 0; 2 * least < p->k; least++)
            cut_turn (p, c, least, twice);
    if (!was_known)
        forget (p, last);
}

static void cut_course (struct ptas *p, int c, wide twice)
{
    if (c == p->ncourses)
        fill_parts (p);
    else if (p->courses[c].half == 0)
        cut_turn (p, c, 0, twice);
    else
        for (size_t i = 0; i < p->n; i++)
            try_turn (p, c, i, twice);
}

/* ---- setting up ---- */

static int compare_order (const void *a, const void *b, void *arg)
{
    const struct course *course = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (course->at[x] != course->at[y])
        return course->at[x] < course->at[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* On a line the order is that of the coordinates, and all points enter. */
static void find_order (struct ptas *p, struct course *course)
{
    for (size_t i = 0; i < p->n; i++) {
        amount twice = 2 * (amount)cloud_point (p->cloud, i)[course->dim];
        course->upper[i] = course->half > 0 && twice >= course->half;
        course->at[i] = course->upper[i] ? twice - course->half : twice;
        course->order[i] = i;
        course->part[i] = NOWHERE;
    }
    qsort_r (course->order, p->n, sizeof *course->order, compare_order,
             course);
    for (size_t i = 0; i < p->n; i++) {
        course->turned[i] = course->order[i];
        course->along[i] = course->at[i];
        course->enters[i] = true;
    }
}

static int course_create (struct ptas *p, struct course *course,
                          tori_error *err)
{
    size_t n = p->n;
    course->order = malloc (n * sizeof *course->order);
    course->at = malloc (n * sizeof *course->at);
    course->upper = malloc (n * sizeof *course->upper);
    course->turned = malloc (n * sizeof *course->turned);
    course->along = malloc (n * sizeof *course->along);
    course->enters = malloc (n * sizeof *course->enters);
    course->part = malloc (n * sizeof *course->part);
    course->parts = calloc (2 * p->k, sizeof *course->parts);
    if (!course->order || !course->at || !course->upper || !course->turned
        || !course->along || !course->enters || !course->part
        || !course->parts)
        return tori_error_nomem (err);
    find_order (p, course);
    return 0;
}

static void course_clear (struct course *course)
{
    free (course->order);
    free (course->at);
    free (course->upper);
    free (course->turned);
    free (course->along);
    free (course->enters);
    free (course->part);
    free (course->parts);
}

static int compare_wides (const void *a, const void *b)
{
    wide x = *(const wide *)a, y = *(const wide *)b;
    return (x > y) - (x < y);
}

/* Of every point, the sums of its distances to itself and its nearest. */
static void find_nearest (struct ptas *p)
{
    size_t m = p->nnearest;
    for (size_t i = 0; i < p->n; i++) {
        wide *row = p->nearest + i * m;
        for (size_t j = 0; j < p->n; j++)
            p->costs[j] = distance (p, i, j);
        sum_of_least (p->costs, p->n, m, row);
        qsort (row, m, sizeof *row, compare_wides);
        for (size_t j = 1; j < m; j++)
            row[j] += row[j - 1];
    }
}

static int ptas_create (struct ptas *p, tori_error *err)
{
    size_t n = p->n, k = p->k;
    p->nnearest = k < MOST_NEAREST ? k : MOST_NEAREST;
    p->is_known = calloc (n, sizeof *p->is_known);
    p->away = calloc (n, sizeof *p->away);
    p->nearest = malloc (n * p->nnearest * sizeof *p->nearest);
    p->costs = malloc (n * sizeof *p->costs);
    p->heap = malloc (k * sizeof *p->heap);
    p->order = malloc (n * sizeof *p->order);
    p->cost = malloc (n * sizeof *p->cost);
    p->cells = calloc (n + 1, sizeof *p->cells);
    p->chosen = malloc (k * sizeof *p->chosen);
    p->best = malloc (k * sizeof *p->best);
    if (!p->is_known || !p->away || !p->nearest || !p->costs || !p->heap
        || !p->order || !p->cost || !p->cells || !p->chosen || !p->best)
        return tori_error_nomem (err);
    for (int c = 0; c < p->ncourses; c++)
        if (course_create (p, &p->courses[c], err) < 0)
            return -1;
    find_nearest (p);
    return 0;
}

static void ptas_clear (struct ptas *p)
{
    for (int c = 0; c < p->ncourses; c++)
        course_clear (&p->courses[c]);
    free (p->is_known);
    free (p->away);
    free (p->nearest);
    free (p->costs);
    free (p->heap);
    free (p->order);
    free (p->cost);
    free (p->cells);
    free (p->chosen);
    free (p->best);
}

/* Where all points are at one coordinate there is nothing to cut. */
static bool is_flat (const struct cloud *cloud, int dim)
{
    size_t i = 1;
    while (i < cloud->n
           && cloud_point (cloud, i)[dim] == cloud_point (cloud, 0)[dim])
        i++;
    return i == cloud->n;
}

/* Lines first: they have fewer cuttings. */
static void find_courses (struct ptas *p)
{
    for (int rings = 0; rings < 2; rings++)
        for (int d = 0; d < p->cloud->ndims; d++)
            if ((p->cloud->ring[d] > 0) == rings && !is_flat (p->cloud, d))
                p->courses[p->ncourses++]
                    = (struct course){.dim = d, .half = p->cloud->ring[d]};
}

/* ---- how many cuttings ---- */

/* n over m. */
static double choose_of (size_t n, size_t m)
{
    double ways = 1;
    for (size_t i = 1; i <= m; i++)
        ways = ways * (double)(n - m + i) / (double)i;
    return ways;
}

/* The ways to cut a dimension, about: on a ring also where to begin, with how
 * many ahead, and what enters of each strip. */
static double count_ways (struct ptas *p, bool ring, size_t *sizes)
{
    size_t n = p->n, k = p->k;
    size_t m = ring ? strips_ring (k, p->epsilon, sizes)
                    : strips_line (k, p->epsilon, sizes);
    double ways = choose_of (n - k + m - 1, m - 1);
    if (m > p->most_strips)
        p->most_strips = m;
    if (!ring)
        return ways;
    for (size_t i = 0; i < m; i++)
        ways *= (double)(sizes[i] + 1);
    return ways * (double)n * (double)((k + 1) / 2);
}

/* With as many strips as points it is the sets that are tried, so there may
 * be as many cuttings as there are. */
static int count_cuttings (struct ptas *p, tori_error *err)
{
    size_t *sizes = malloc (p->k * sizeof *sizes);
    if (!sizes)
        return tori_error_nomem (err);
    p->cuttings = 1;
    for (int c = 0; c < p->ncourses; c++)
        p->cuttings *= count_ways (p, p->courses[c].half > 0, sizes);
    free (sizes);
    p->sets = choose_of (p->n, p->k);
    if (p->cuttings > MOST_CUTTINGS && p->sets > MOST_CUTTINGS)
        return tori_error_set (err, TORI_GAVE_UP,
                               "ptas is for small instances: it is not begun "
                               "where there are more than %.2g ways to cut "
                               "and as many sets; here %zu points can be cut "
                               "into up to %zu strips a dimension in %.2g "
                               "ways and have %.2g sets of %zu" INSTEAD,
                               MOST_CUTTINGS, p->n, p->most_strips,
                               p->cuttings, p->sets, p->k);
    return 0;
}

/* ---- all of them ---- */

static int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Whether the points are all nodes of a torus: `seen` has room for n. */
static bool is_whole (const struct ptas *p, bool *seen)
{
    const struct cloud *cloud = p->cloud;
    memset (seen, 0, p->n * sizeof *seen);
    for (size_t i = 0; i < p->n; i++) {
        uint64_t id = 0, nodes = 1;
        for (int d = 0; d < cloud->ndims; d++) {
            if (cloud->ring[d] == 0 || cloud->ring[d] > p->n / nodes)
                return false;
            nodes *= cloud->ring[d];
            id = id * cloud->ring[d] + (uint64_t)cloud_point (cloud, i)[d];
        }
        if (nodes != p->n || seen[id])
            return false;
        seen[id] = true;
    }
    return true;
}

/* On an idle torus any best set can be moved until it has the first point. */
static void cut_all (struct ptas *p)
{
    bool whole = is_whole (p, p->is_known);
    memset (p->is_known, 0, p->n * sizeof *p->is_known);
    if (!whole || know (p, 0))
        cut_course (p, 0, 0);
}

/* What is proved, nobody knew better. */
static void tell (const struct ptas *p, const tori_alloc_options *options)
{
    tori_search *search = options->search;
    if (!search)
        return;
    search->estimate = p->cuttings;
    cloud_spend (options, p->steps, p->limit);
    if (p->steps > p->limit && p->found)
        cloud_keep (options, p->best, p->k, (double)p->best_sum,
                    search->at_least);
}

static int give_up (const struct ptas *p, tori_error *err)
{
    return tori_error_set (err, TORI_GAVE_UP,
                           "ptas gave up after %.2g steps, its limit, in the "
                           "midst of %.2g ways to cut %zu points into up to "
                           "%zu strips a dimension, which have %.2g sets of "
                           "%zu" INSTEAD,
                           (double)p->limit, p->cuttings, p->n,
                           p->most_strips, p->sets, p->k);
}

static int try_all (struct ptas *p, size_t *ret_chosen, tori_error *err)
{
    cut_all (p);
    if (p->steps > p->limit)
        return give_up (p, err);
    qsort (p->best, p->k, sizeof *p->best, compare_sizes);
    memcpy (ret_chosen, p->best, p->k * sizeof *p->best);
    return 0;
}

int ptas_cut (const struct cloud *cloud, size_t k,
              const tori_alloc_options *options, const size_t *start,
              size_t *ret_chosen, tori_error *err)
{
    struct ptas p = {.cloud = cloud, .n = cloud->n, .k = k,
                     .epsilon = options->epsilon, .found = start != NULL};
    int status = -1;
    p.limit = options->steps ? options->steps : MOST_STEPS;
    find_courses (&p);
    if (count_cuttings (&p, err) == 0 && ptas_create (&p, err) == 0
        && (!start
            || cloud_pairwise (cloud, start, k, &p.best_sum, err) == 0)) {
        if (start)
            memcpy (p.best, start, k * sizeof *p.best);
        status = try_all (&p, ret_chosen, err);
    }
    tell (&p, options);
    ptas_clear (&p);
    return status;
}

/* ---- what is good enough at once ---- */

/* So much is twice the sum of any k points at least. -1 without memory. */
static int star_bound (const struct cloud *cloud, size_t k, wide *ret_bound,
                       tori_error *err)
{
    size_t n = cloud->n;
    wide *room = malloc ((2 * n + k) * sizeof *room);
    wide *distances = room, *stars = room + n;
    if (!room)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            distances[j] = cloud_distance (cloud, cloud_point (cloud, i),
                                           cloud_point (cloud, j));
        stars[i] = sum_of_least (distances, n, k, room + 2 * n);
    }
    *ret_bound = sum_of_least (stars, n, k, room + 2 * n);
    free (room);
    return 0;
}

static bool on_lines (const struct cloud *cloud)
{
    for (int d = 0; d < cloud->ndims; d++)
        if (cloud->ring[d])
            return false;
    return true;
}

/* A set that is within 1 + epsilon for one of the reasons above: 1 if it is,
 * 0 if that is not known; it is the best known then. */
static int good_enough (const struct cloud *cloud, size_t k,
                        const tori_alloc_options *options,
                        size_t *ret_chosen, tori_error *err)
{
    double epsilon = options->epsilon;
    tori_alloc_options none = {0};
    double d = cloud->ndims;
    wide sum = 0, bound = 0;
    if (on_lines (cloud) && epsilon >= 1 - 1 / (2 * d)
        && epsilon < 1 - 2 / (double)k)
        return mm_choose (cloud, k, &none, ret_chosen, err) < 0
                       || mm_improve (cloud, k, ret_chosen, err) < 0
                   ? -1
                   : 1;
    if (gen_alg_choose (cloud, k, &none, ret_chosen, err) < 0
        || mm_improve (cloud, k, ret_chosen, err) < 0
        || cloud_pairwise (cloud, ret_chosen, k, &sum, err) < 0
        || star_bound (cloud, k, &bound, err) < 0)
        return -1;
    cloud_keep (options, ret_chosen, k, (double)sum, (double)((bound + 1) / 2));
    return k == cloud->n || epsilon >= 1 - 2 / (double)k
           || (double)(2 * sum) * (1 + 1e-12)
                  <= (1 + epsilon) * (double)bound;
}

/* ---- the allocator ---- */

static int choose (const struct cloud *cloud, size_t k,
                   const tori_alloc_options *options, size_t *ret_chosen,
                   tori_error *err)
{
    tori_alloc_options used = *options;
    size_t *start;
    int status;
    if (used.epsilon == 0)
        used.epsilon = 0.5;
    if (!(used.epsilon > 0))
        return tori_error_set (err, TORI_INVALID,
                               "epsilon must be above 0");
    if (cloud->n > MOST_POINTS)
        return tori_error_set (err, TORI_GAVE_UP,
                               "ptas is for up to %d points, not for %zu; "
                               "mm+inc always answers",
                               MOST_POINTS, cloud->n);
    start = malloc (k * sizeof *start);
    if (!start)
        return tori_error_nomem (err);
    status = good_enough (cloud, k, &used, start, err);
    if (status > 0)
        memcpy (ret_chosen, start, k * sizeof *start);
    else if (status == 0)
        status = ptas_cut (cloud, k, &used, start, ret_chosen, err);
    free (start);
    return status < 0 ? -1 : 0;
}

const struct alloc_ops ptas_ops = {
    .info = {
        .name = "ptas",
        .summary = "within 1 + epsilon of the least sum; for tiny requests",
        .takes = TORI_BY_COUNT,
        .points = true,
        .small = true,
        .epsilon = true,
    },
    .choose = choose,
};
