/* ptas_cut.c - all ways to cut the points into strips.
 *
 * Course by course, strip by strip: every number of points that a strip may
 * hold, and every point that it may end with. On a ring also where the half
 * turn begins and with how many points ahead. What is open when all courses
 * are cut is left to ptas_cells.c.
 */
#include "ptas_scheme.h"

#include <string.h>

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
        ptas_choose_known (p);
        if (!ptas_worse (p, p->known_sum))
            ptas_keep (p, p->known_sum);
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
    if (ptas_hopeless (p, at.twice))
        return;
    at.edge = edge;
    at.before.left += strip.left;
    at.before.entered += strip.entered;
    at.strip++;
    if (was_known || (ptas_know (p, last) && !ptas_known_hopeless (p)))
        go_on (p, at);
    if (!was_known)
        ptas_forget (p, last);
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
            if (ptas_spent (p, 1)
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
    if (ptas_spent (p, p->n))
        return;
    turn_to (p, course, i);
    if (was_known || (ptas_know (p, last) && !ptas_known_hopeless (p)))
        for (size_t least = 0; 2 * least < p->k; least++)
            cut_turn (p, c, least, twice);
    if (!was_known)
        ptas_forget (p, last);
}

static void cut_course (struct ptas *p, int c, wide twice)
{
    if (c == p->ncourses)
        ptas_fill (p);
    else if (p->courses[c].half == 0)
        cut_turn (p, c, 0, twice);
    else
        for (size_t i = 0; i < p->n; i++)
            try_turn (p, c, i, twice);
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
void ptas_cut_all (struct ptas *p)
{
    bool whole = is_whole (p, p->is_known);
    memset (p->is_known, 0, p->n * sizeof *p->is_known);
    if (!whole || ptas_know (p, 0))
        cut_course (p, 0, 0);
}
