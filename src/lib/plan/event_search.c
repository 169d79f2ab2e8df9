#include "event_search.h"

#include <stdlib.h>

#include "bits.h"
#include "event_tree.h"

/* ---- members ---- */

/* Ticks are a part of the common denominator if that is short. They have as
 * many bits as leave room for sums of 16 makespans, and for one times the
 * longest stride. False if times are too long for that. */
static bool set_ticks (struct event_tree *b, double first)
{
    const struct problem *problem = b->problem;
    int whole;
    tori_error why;
    b->unit = 1;
    for (size_t i = 0; i < b->n && b->unit; i++)
        if (tori_wide_lcm (b->unit, problem->job[i].time.den, &b->unit, &why)
                < 0
            || b->unit >> 40)
            b->unit = 0;
    if (!b->unit)
        b->unit = 1;
    frexp (first * (double)b->unit, &whole);
    whole += b->longest + 9;
    b->scale = (struct scale){.words = VALUE_LEAST_WORDS, .point = 127 - whole};
    return whole < 110;
}

static int set_time (const struct event_tree *b, struct branch_job *member,
                     tori_error *err)
{
    tori_exact time;
    uint64_t value[VALUE_LEAST_WORDS + 1];
    bool rounded;
    if (tori_exact_mul (b->problem->job[member->job].time,
                        (tori_exact){b->unit, 1}, &time, err)
        < 0)
        return -1;
    value_of_exact (&b->scale, time, value, &rounded);
    member->time = (ticks)value_load (value);
    return 0;
}

static int by_size_and_time (const void *a, const void *b)
{
    const struct branch_job *x = a, *y = b;
    if (x->form->all != y->form->all)
        return x->form->all < y->form->all ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    if (x->form != y->form)
        return x->form < y->form ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static int set_members (struct event_tree *b, tori_error *err)
{
    const struct problem *problem = b->problem;
    for (size_t i = 0; i < b->n; i++) {
        struct branch_job *member = &b->member[i];
        member->job = (uint32_t)i;
        member->form = &problem->form[problem->form_of[i]];
        for (int d = 0; d < problem->ndims; d++)
            member->mask |= (uint32_t)bits_low (member->form->bits[d])
                            << (b->field[d] ? __builtin_ctz (b->field[d]) : 0);
        if (set_time (b, member, err) < 0)
            return -1;
    }
    qsort (b->member, b->n, sizeof *b->member, by_size_and_time);
    for (unsigned i = 0; i < b->n; i++) {
        struct branch_job *member = &b->member[i];
        member->type = i;
        if (i && member[-1].form == member->form
            && member[-1].time == member->time)
            member->type = member[-1].type;
    }
    return 0;
}

/* A field is as wide as the longest offset of any job. */
static void set_fields (struct event_tree *b)
{
    const struct problem *problem = b->problem;
    int at = 0;
    for (int d = problem->ndims - 1; d >= 0; d--) {
        int bits = 0;
        for (size_t f = 0; f < problem->forms; f++)
            if (problem->form[f].bits[d] > bits)
                bits = problem->form[f].bits[d];
        b->field[d] = (uint32_t)bits_low ((unsigned)bits) << at;
        b->longest = bits > b->longest ? bits : b->longest;
        for (int i = 0; i < bits; i++) {
            b->dim_of[at + i] = (uint8_t)d;
            b->below[at + i] = (uint32_t)bits_low ((unsigned)i) << at;
        }
        at += bits;
    }
    for (int d = 0; d < problem->ndims; d++)
        for (int e = d + 1; b->field[d] && e < problem->ndims; e++) {
            bool same = true;
            for (size_t f = 0; f < problem->forms; f++)
                same = same
                       && problem->form[f].bits[d] == problem->form[f].bits[e];
            if (same)
                b->twin_of[d] |= UINT32_C (1) << e;
        }
}

/* ---- results ---- */

static double real_time (const struct event_tree *b, ticks time)
{
    return ldexp ((double)time, -b->scale.point) / (double)b->unit;
}

static uint32_t place_of (const struct event_tree *b, const struct start *start)
{
    const struct form *form = b->member[start->member].form;
    uint32_t place = 0;
    for (int d = 0; d < form->ndims; d++)
        place = place << form->bits[d]
                | (b->field[d] ? (start->place & b->field[d])
                                     >> __builtin_ctz (b->field[d])
                               : 0);
    return place;
}

static void set_turns (const struct event_tree *b, struct turns *turns)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct start *start = &b->least[i];
        turns->job[i] = b->member[start->member].job;
        turns->place[i] = place_of (b, start);
        turns->after[i] = start->event == NO_MEMBER
                              ? NO_JOB
                              : b->member[start->event].job;
    }
}

static int open_search (struct event_tree *b, double first, tori_error *err)
{
    if (set_members (b, err) < 0)
        return -1;
    b->best = b->open
        = (ticks)ldexp (first * (double)b->unit * (1 + 0x1p-40),
                        b->scale.point);
    b->pool = calloc ((2 * b->n + 1) * b->n, sizeof *b->pool);
    b->memory = calloc ((size_t)1 << MEMORY_BITS, sizeof *b->memory);
    if (!b->pool || !b->memory)
        return tori_error_nomem (err);
    return 0;
}

int event_search (const struct problem *problem,
                  const tori_contention_search *search, double first,
                  struct turns *turns, struct event_search_result *ret_result,
                  tori_error *err)
{
    struct event_tree *b = calloc (1, sizeof *b);
    int status = -1;
    if (!b)
        return tori_error_nomem (err);
    b->problem = problem;
    b->n = problem->n;
    b->search = search;
    set_fields (b);
    *ret_result = (struct event_search_result){.found = false};
    if (!set_ticks (b, first))
        status = 0;
    else if (open_search (b, first, err) == 0
             && event_tree_search (b, err) == 0) {
        if (b->found)
            set_turns (b, turns);
        *ret_result = (struct event_search_result){
            .found = b->found,
            .complete = !b->over,
            .bound = real_time (b, b->open < b->best ? b->open : b->best)};
        status = 0;
    }
    free (b->pool);
    free (b->choice);
    free (b->memory);
    free (b);
    return status;
}
