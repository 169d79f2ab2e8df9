/* ringleft.c - that neighbours are what is best left out round a ring.
 *
 * For when few points are to be left out, where ringbound.c mostly fails. Let
 * d be the distance of two points, D (x) the sum of the distances of x from all
 * n points, and W (L) the sum over the pairs of the m points left out. The k
 * points that are left have
 *
 *     W (all) - sum of D over L + W (L)
 *
 * so L should be far from all others, but close together. The first term is no
 * more than the m greatest D. If a set is to have less than `least`, W (L) is
 * therefore below
 *
 *     budget = least - W (all) + the m greatest D
 *
 * Two points of L that are s apart have s or more together to each of the
 * others, so (m - 1) s <= W (L). If three times the greatest s are less than
 * the ring, then L lies on an arc no longer than s: the others are no farther
 * than s from any point of L, to the left or to the right, so all of L is on an
 * arc of 2 s, and its two ends, at most s apart, cannot be so the other way
 * round. On an arc W (L) is what it is on a line: with x (1) <= ... <= x (m),
 * the sum of x (i) (2 i - m - 1).
 *
 * So a program over the places, two turns of them, tells the least of all L
 * that are not neighbours: the i-th point of L at this place, behind a gap or
 * not yet. It may count sets that are no sets, longer than a turn, and so say
 * less than there is; never more. So it does where points at one place can take
 * each other's. It takes O(n m).
 */
#include "ring.h"

#include <stdlib.h>

#include "cuts.h"

/* Places times points left out, about half a second's worth. */
static const size_t MOST_WORK = (size_t)1 << 27;

/* More than any sum, and less than half of what fits. */
#define NONE ((amount)1 << 120)

struct left {
    const struct ring *ring;
    size_t m;
    amount all;   /* W (all) */
    amount *away; /* D, a place */
    amount *runs; /* the least with the last point here, and no gap; 2n */
    amount *gaps; /* the same with a gap */
};

static void left_clear (struct left *left)
{
    free (left->away);
    free (left->runs);
    free (left->gaps);
}

/* D (x) is what all points have more than all but x. */
static int measure (struct left *left, tori_error *err)
{
    struct ring whole = *left->ring, but_one = whole;
    size_t n = whole.n;
    wide *sums = malloc (n * sizeof *sums);
    int status = -1;
    whole.k = n;
    but_one.k = n - 1;
    if (!sums) {
        tori_error_nomem (err);
    } else if (ring_sums (&whole, sums, err) == 0) {
        left->all = (amount)sums[0];
        status = ring_sums (&but_one, sums, err);
    }
    for (size_t i = 0; status == 0 && i < n; i++)
        left->away[i] = left->all - (amount)sums[(i + 1) % n];
    free (sums);
    return status;
}

static int left_create (const struct ring *ring, struct left *ret_left,
                        tori_error *err)
{
    size_t n = ring->n;
    struct left left = {.ring = ring, .m = n - ring->k,
                        .away = malloc (n * sizeof *left.away),
                        .runs = malloc (2 * n * sizeof *left.runs),
                        .gaps = malloc (2 * n * sizeof *left.gaps)};
    int status = -1;
    if (!left.away || !left.runs || !left.gaps)
        tori_error_nomem (err);
    else
        status = measure (&left, err);
    if (status < 0)
        left_clear (&left);
    else
        *ret_left = left;
    return status;
}

static int compare_amounts (const void *a, const void *b)
{
    amount x = *(const amount *)a, y = *(const amount *)b;
    return (x < y) - (x > y);
}

/* The m greatest D; the runs are room for that. */
static amount greatest_away (struct left *left)
{
    amount sum = 0;
    for (size_t i = 0; i < left->ring->n; i++)
        left->runs[i] = left->away[i];
    qsort (left->runs, left->ring->n, sizeof *left->runs, compare_amounts);
    for (size_t i = 0; i < left->m; i++)
        sum += left->runs[i];
    return sum;
}

/* What it costs to leave out the point at this place, as the i-th. */
static amount cost (const struct left *left, size_t place, size_t i)
{
    size_t n = left->ring->n, one = place % n;
    amount at = left->ring->places[one].at;
    if (place >= n)
        at += left->ring->length;
    return at * (2 * (amount)i - (amount)left->m - 1) - left->away[one];
}

static amount lesser (amount a, amount b)
{
    return a < b ? a : b;
}

/* On from i - 1 points to i. */
static void leave_next (struct left *left, size_t i)
{
    amount before = NONE; /* with no gap, at the place before */
    amount behind = NONE; /* with a gap behind it, or before */
    for (size_t p = 0; p < 2 * left->ring->n; p++) {
        amount run = left->runs[p], gap = left->gaps[p];
        amount more = cost (left, p, i);
        left->runs[p] = before < NONE ? before + more : NONE;
        left->gaps[p] = behind < NONE ? behind + more : NONE;
        behind = lesser (behind, lesser (gap, before));
        before = run;
    }
}

/* The least of those that are not neighbours, less W (all). */
static amount least_with_gap (struct left *left)
{
    amount least = NONE;
    for (size_t p = 0; p < 2 * left->ring->n; p++) {
        left->runs[p] = cost (left, p, 1);
        left->gaps[p] = NONE;
    }
    for (size_t i = 2; i <= left->m; i++)
        leave_next (left, i);
    for (size_t p = 0; p < 2 * left->ring->n; p++)
        least = lesser (least, left->gaps[p]);
    return least;
}

int ring_left_bound (const struct ring *ring, wide least, tori_error *err)
{
    size_t m = ring->n - ring->k;
    struct left left;
    amount budget, apart;
    bool proved;
    if (m < 2)
        return 1;
    if (m > MOST_WORK / ring->n)
        return 0;
    if (left_create (ring, &left, err) < 0)
        return -1;
    budget = (amount)least - left.all + greatest_away (&left);
    apart = budget > 0 ? (budget - 1) / (amount)(m - 1) : 0;
    proved = budget <= 0
             || (3 * apart < (amount)ring->length
                 && left.all + least_with_gap (&left) >= (amount)least);
    left_clear (&left);
    return proved;
}
