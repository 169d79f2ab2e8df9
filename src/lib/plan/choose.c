/* choose.c - the place of a job.
 *
 * The load of a place is the sum of a line for each dimension. A line is
 * summed up when a free place first asks for it. */
#include "bits.h"
#include "running.h"

/* The time that all jobs on a line would add to that of a job there. */
static void sum_line (struct greedy *g, int dim, uint32_t line, uint64_t *sum,
                      double *bound)
{
    const struct problem *problem = g->problem;
    const struct form *mine = &problem->form[g->form];
    uint32_t place = form_place_on (mine, line, dim);
    value_zero (&g->scale, sum);
    *bound = 0;
    for (uint32_t f = 0; f < problem->forms; f++) {
        struct agreeing walk;
        uint32_t other;
        if (!g->group[f].running)
            continue;
        walk = agreeing_with (mine, place, &problem->form[f], dim);
        while (agreeing_next (&walk, &other))
            crowd_add (g, crowd_at (g, f, dim, other),
                       problem->form[f].bits[dim], sum, bound);
    }
}

/* The load that a line adds to its places; its number among all lines. */
static uint32_t ask_line (struct greedy *g, int dim, uint32_t line)
{
    uint32_t i = g->first_line[dim] + line;
    if (g->line_round[i] != g->round) {
        sum_line (g, dim, line, at (g, g->line, i), &g->line_bound[i]);
        g->line_round[i] = g->round;
    }
    return i;
}

static void load_of (struct greedy *g, uint32_t place)
{
    const struct form *form = &g->problem->form[g->form];
    value_zero (&g->scale, g->load);
    g->load_bound = 0;
    for (int d = 0; d < g->problem->ndims; d++) {
        uint32_t i = ask_line (g, d, form_line (form, place, d));
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
static bool improve_best (struct greedy *g, bool first)
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

/* The least load that all dimensions but the last add to any place, in
 * `floor`: nothing, if few places are free. Which line is the least need not
 * be clear, as long as the bound covers them all. */
static void find_floor (struct greedy *g)
{
    int last = g->problem->ndims - 1;
    value_zero (&g->scale, g->floor);
    g->floor_bound = 0;
    for (int d = 0; g->wide && d < last; d++) {
        uint32_t least = g->first_line[d];
        struct scale scale = g->scale;
        double bound = 0;
        for (uint32_t i = least; i < g->first_line[d + 1]; i++) {
            ask_line (g, d, i - g->first_line[d]);
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
 * best so far. If unclear, false. */
static bool is_hopeless (struct greedy *g, uint32_t line)
{
    uint32_t i = ask_line (g, g->problem->ndims - 1, line);
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

uint32_t choose_place (struct greedy *g)
{
    const struct form *form = &g->problem->form[g->form];
    int bits = form->bits[g->problem->ndims - 1];
    uint32_t places = UINT32_C (1) << form->all, chosen = places;
    uint32_t place = next_free (g, 0, places), line = UINT32_MAX;
    g->round++;
    g->wide = (uint64_t)g->nfree * (uint64_t)g->problem->ndims
              >= g->first_line[g->problem->ndims];
    find_floor (g);
    for (; place < places; place = next_free (g, place, places)) {
        if (place >> bits != line) {
            line = place >> bits;
            if (chosen < places && is_hopeless (g, line)) {
                place = (line + 1) << bits;
                continue;
            }
        }
        load_of (g, place);
        if (improve_best (g, chosen == places))
            chosen = place;
        if (is_zero (g, g->best, g->best_bound))
            break;
        place++;
    }
    return chosen;
}


void take_load (struct greedy *g, uint32_t place)
{
    g->round++;
    load_of (g, place);
    improve_best (g, true);
}
