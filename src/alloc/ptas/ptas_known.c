/* ptas_known.c - points that the best set is known to have.
 *
 * A strip may be taken to end with a point of the best set, so to try an end
 * is to guess a point. Guesses come and go in the order of a stack; of every
 * point it is kept up to date how far it is from those known, so that what all
 * sets with them cost at least is told by one look at the open points.
 */
#include "ptas_scheme.h"

#include <string.h>

#include "stars.h"

void ptas_keep (struct ptas *p, wide sum)
{
    p->found = true;
    p->best_sum = sum;
    memcpy (p->best, p->chosen, p->k * sizeof *p->best);
}

void ptas_choose_known (struct ptas *p)
{
    p->nchosen = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->is_known[i])
            p->chosen[p->nchosen++] = i;
}

bool ptas_know (struct ptas *p, size_t point)
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
        p->away[i] += ptas_distance (p, i, point);
    return fits;
}

void ptas_forget (struct ptas *p, size_t point)
{
    for (size_t i = 0; i < p->n; i++)
        p->away[i] -= ptas_distance (p, i, point);
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

bool ptas_known_hopeless (struct ptas *p)
{
    size_t missing = p->k - p->nknown, open = 0;
    size_t row = missing < p->nnearest ? missing : p->nnearest;
    for (size_t i = 0; i < p->n; i++)
        if (is_open (p, i))
            p->costs[open++]
                = 2 * p->away[i]
                  + (row ? p->nearest[i * p->nnearest + row - 1] : 0);
    return open < missing
           || ptas_hopeless (p, 2 * p->known_sum
                                    + stars_least (p->costs, open, missing,
                                                   p->heap));
}
