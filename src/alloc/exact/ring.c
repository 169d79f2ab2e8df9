/* ring.c - neighbours round a ring, and sets that may be better.
 *
 * Turn a diameter from 0 to half the ring. Of k chosen points c lie on one
 * side, and the sum over pairs is the integral of c (k - c) over the turn.
 * When the diameter passes a chosen point with its one end, the point leaves
 * the side, with its other end, it enters. At the end the sides have changed
 * places. Positions are doubled, so that the turn goes from 0 to the ring's
 * length, and sums are.
 */
#include "ring.h"

#include <stdlib.h>
#include <string.h>

#include "cuts.h"

/* Operations of the dynamic program that we are ready to spend. */
static const amount MOST_WORK = (amount)1 << 31;

/* ---- neighbours ---- */

/* The place of the i-th point, counted on behind the last. */
static amount place_at (const struct ring *ring, size_t i)
{
    return i < ring->n ? (amount)ring->places[i].at
                       : (amount)ring->places[i - ring->n].at + ring->length;
}

/* The first of the points from `low` to `high` beyond half a ring from `at`,
 * going up. */
static size_t half_way (const struct ring *ring, size_t low, size_t high,
                        amount at)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (2 * (place_at (ring, middle) - at) > (amount)ring->length)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The sum of distances from point e to the points from `low` to `high`, all
 * behind it or all before it within a turn. `total` are running sums. */
static amount reach (const struct ring *ring, const amount *total, size_t low,
                     size_t high, size_t e)
{
    amount at = place_at (ring, e), length = ring->length;
    bool up = e < low; /* else: those from half a ring before e are near */
    size_t half = half_way (ring, low, high, up ? at : at - length);
    amount first = total[half] - total[low];
    amount second = total[high] - total[half];
    amount nfirst = (amount)(half - low), nsecond = (amount)(high - half);
    if (up)
        return first - nfirst * at + nsecond * (length + at) - second;
    return first + nfirst * (length - at) + nsecond * at - second;
}

int ring_sums (const struct ring *ring, wide ret_sums[], tori_error *err)
{
    size_t n = ring->n, k = ring->k;
    amount *total = malloc ((2 * n + 1) * sizeof *total), sum = 0;
    if (!total)
        return tori_error_nomem (err);
    total[0] = 0;
    for (size_t i = 0; i < 2 * n; i++)
        total[i + 1] = total[i] + place_at (ring, i);
    for (size_t i = 1; i < k; i++)
        sum += reach (ring, total, 0, i, i);
    ret_sums[0] = (wide)sum;
    for (size_t i = 1; i < n; i++) {
        if (k < n) {
            sum -= reach (ring, total, i, i + k - 1, i - 1);
            sum += reach (ring, total, i, i + k - 1, i + k - 1);
        }
        ret_sums[i] = (wide)sum;
    }
    free (total);
    return 0;
}

/* ---- the diameters ---- */

/* A point that a turning diameter passes. */
struct passing {
    amount at; /* doubled */
    bool enters;
    size_t index;
};

static int compare_passings (const void *a, const void *b)
{
    const struct passing *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void find_passings (const struct ring *ring, struct passing *passings)
{
    for (size_t i = 0; i < ring->n; i++) {
        amount at = 2 * (amount)ring->places[i].at;
        bool enters = at >= (amount)ring->length;
        passings[i] = (struct passing){enters ? at - ring->length : at,
                                       enters, ring->places[i].index};
    }
    qsort (passings, ring->n, sizeof *passings, compare_passings);
}

static amount pairs (const struct ring *ring, amount side)
{
    return side * ((amount)ring->k - side);
}

/* ---- the dynamic program ---- */

/* With `side` points on the side at first, all of which leave in the end,
 * while k - side enter: value[a * width + b] is the least sum so far with a of
 * them gone and b come. */
struct program {
    size_t side, width;
    amount *value;
    uint64_t *taken; /* a bit a passing and state, or NULL */
    amount limit;    /* sums from here on are of no interest */
};

static void turn (const struct ring *ring, struct program *p, amount by)
{
    for (size_t a = 0; by > 0 && a <= p->side; a++)
        for (size_t b = 0; b < p->width; b++) {
            amount *value = &p->value[a * p->width + b];
            *value += by * pairs (ring, (amount)(p->side - a + b));
            if (*value > p->limit)
                *value = p->limit;
        }
}

/* Take or leave a passing point, from the states with most downwards, so that
 * it is taken once. */
static void pass (struct program *p, bool enters, size_t passing)
{
    size_t states = (p->side + 1) * p->width, back = enters ? 1 : p->width;
    for (size_t i = states; i-- > back;) {
        size_t bit = passing * states + i;
        if ((enters && i % p->width == 0)
            || p->value[i - back] >= p->value[i])
            continue;
        p->value[i] = p->value[i - back];
        if (p->taken)
            p->taken[bit / 64] |= UINT64_C (1) << bit % 64;
    }
}

static amount run (const struct ring *ring, const struct passing *passings,
                   struct program *p)
{
    size_t states = (p->side + 1) * p->width;
    amount at = 0;
    p->value[0] = 0;
    for (size_t i = 1; i < states; i++)
        p->value[i] = p->limit;
    for (size_t i = 0; i < ring->n; i++) {
        turn (ring, p, passings[i].at - at);
        at = passings[i].at;
        pass (p, passings[i].enters, i);
    }
    turn (ring, p, (amount)ring->length - at);
    return p->value[states - 1];
}

static void trace (const struct ring *ring, const struct passing *passings,
                   const struct program *p, size_t *ret_chosen)
{
    size_t states = (p->side + 1) * p->width, state = states - 1, at = 0;
    for (size_t i = ring->n; i-- > 0;) {
        size_t bit = i * states + state;
        if (!(p->taken[bit / 64] >> bit % 64 & 1))
            continue;
        ret_chosen[at++] = passings[i].index;
        state -= passings[i].enters ? 1 : p->width;
    }
}

/* Replace the chosen points if any set is below `best`. */
static int run_program (const struct ring *ring,
                        const struct passing *passings, amount best,
                        size_t *ret_chosen, tori_error *err)
{
    size_t k = ring->k, half = (k / 2 + 1) * (k - k / 2 + 1), side = 0;
    struct program p = {.value = malloc (half * sizeof *p.value)};
    if (!p.value)
        return tori_error_nomem (err);
    for (size_t i = 1; i < k; i++) {
        amount sum;
        p.side = i;
        p.width = k - i + 1;
        p.limit = best;
        sum = run (ring, passings, &p);
        if (sum < best) {
            best = sum;
            side = i;
        }
    }
    if (side > 0) {
        p.side = side;
        p.width = k - side + 1;
        p.limit = best + 1;
        p.taken = calloc ((side + 1) * p.width * ring->n / 64 + 1,
                          sizeof *p.taken);
        if (p.taken) {
            run (ring, passings, &p);
            trace (ring, passings, &p, ret_chosen);
        }
    }
    free (p.value);
    free (p.taken);
    return side > 0 && !p.taken ? tori_error_nomem (err) : 0;
}

int ring_program (const struct ring *ring, wide best, size_t *ret_chosen,
                  tori_error *err)
{
    amount k = (amount)ring->k, work = (amount)ring->n * k * k / 6 * k;
    struct passing *passings;
    int status;
    if (work > MOST_WORK)
        return tori_error_set (
            err, TORI_GAVE_UP,
            "exact cannot prove which %zu of %zu points round this ring are "
            "best: neighbours have a sum of %.15g, nearly always the least",
            ring->k, ring->n, (double)best);
    passings = malloc (ring->n * sizeof *passings);
    if (!passings)
        return tori_error_nomem (err);
    find_passings (ring, passings);
    status = run_program (ring, passings, 2 * (amount)best, ret_chosen, err);
    free (passings);
    return status;
}
