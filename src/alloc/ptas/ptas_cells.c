/* ptas_cells.c - how many points of which cell, and which of them.
 *
 * Every dimension is cut; strips cross in cells. All ways to distribute the
 * points that are missing over the cells are tried, cell by cell, such that
 * every strip gets as many as it is cut for. From a cell come its cheapest
 * points: those farthest in the direction of the majority (ptas_scheme.h says
 * why these are best). A way is left as soon as its sum is no better than the
 * best so far.
 */
#include "ptas_scheme.h"

#include <stdlib.h>

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
        sum += ptas_distance (p, p->chosen[i], point);
    p->steps += p->nchosen - p->nknown;
    p->chosen[p->nchosen++] = point;
    return sum;
}

static void fill_cells (struct ptas *p, size_t at, wide sum)
{
    const struct cell *cell = &p->cells[at];
    size_t low, high, taken = 0, before = p->nchosen;
    if (ptas_worse (p, sum) || ptas_spent (p, 1))
        return;
    if (at == p->ncells || p->nchosen == p->k) {
        if (p->nchosen == p->k)
            ptas_keep (p, sum);
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

void ptas_fill (struct ptas *p)
{
    p->steps += p->n;
    find_cells (p);
    for (int c = 0; c < p->ncourses; c++)
        for (size_t i = 0; i < 2 * p->k; i++) {
            struct part *part = &p->courses[c].parts[i];
            part->missing = part->size - part->known;
            part->room = part->held - part->known;
        }
    ptas_choose_known (p);
    fill_cells (p, 0, p->known_sum);
}
