#include "attain.h"

#include <stdlib.h>
#include <string.h>

/* Rounds before the grid is cut; and how often it may be cut in a row, a limit
 * to recursion. */
enum { ROUNDS = 128, DEEPEST = 512 };

int attain_create (const struct cloud *cloud, struct attain *ret_attain,
                   tori_error *err)
{
    struct attain a = {.budget = UINT64_MAX};
    if (ranking_init (&a.ranking, cloud, err) < 0)
        return -1;
    a.start = calloc ((size_t)cloud->ndims, sizeof *a.start);
    a.shares = malloc (a.ranking.total * sizeof *a.shares);
    a.keys = malloc (cloud->n * sizeof *a.keys);
    if (!a.start || !a.shares || !a.keys) {
        attain_clear (&a);
        return tori_error_nomem (err);
    }
    *ret_attain = a;
    return 0;
}

void attain_clear (struct attain *a)
{
    ranking_clear (&a->ranking);
    free (a->start);
    free (a->shares);
    free (a->keys);
}

struct attain_box attain_all (const struct attain *a)
{
    struct attain_box box = {0};
    for (int d = 0; d < a->ranking.cloud->ndims; d++)
        box.end[d] = a->ranking.count[d];
    return box;
}

/* ---- distances ---- */

static int64_t value_at (const struct attain *a, int dim, size_t rank)
{
    return a->ranking.values[a->ranking.first[dim] + rank];
}

static uint64_t hops (const struct attain *a, int dim, size_t rank,
                      size_t point)
{
    const struct cloud *cloud = a->ranking.cloud;
    return cloud_apart (cloud, dim, value_at (a, dim, rank),
                        cloud_point (cloud, point)[dim]);
}

static amount key_of (const struct attain *a, size_t point)
{
    const struct cloud *cloud = a->ranking.cloud;
    amount away = 0;
    for (int d = 0; d < cloud->ndims; d++)
        away += hops (a, d, a->centre[d], point);
    return away * (amount)cloud->n + (amount)point;
}

/* ---- one party: centres ---- */

/* The coordinate that is nearest to the set, in every dimension. */
static void find_start (struct attain *a)
{
    const struct cloud *cloud = a->ranking.cloud;
    for (int d = 0; d < cloud->ndims; d++) {
        wide least = ~(wide)0;
        for (size_t r = 0; r < a->ranking.count[d]; r++) {
            wide sum = 0;
            for (size_t i = 0; i < cloud->n; i++)
                if (a->marks[i] == CHOSEN)
                    sum += hops (a, d, r, i);
            if (sum < least) {
                least = sum;
                a->start[d] = r;
            }
        }
    }
    a->steps += cloud->n * a->ranking.total;
}

static void begin (struct attain *a, const struct attain_box *box)
{
    const struct cloud *cloud = a->ranking.cloud;
    a->rounds = 0;
    memset (a->shares, 0, a->ranking.total * sizeof *a->shares);
    memset (a->keys, 0, cloud->n * sizeof *a->keys);
    for (int d = 0; d < cloud->ndims; d++) {
        size_t at = a->start[d];
        at = at < box->first[d] ? box->first[d] : at;
        a->centre[d] = at >= box->end[d] ? box->end[d] - 1 : at;
        a->least[d] = SIZE_MAX;
        a->most[d] = a->sum[d] = 0;
    }
}

/* The best centre against all pairs so far; returns what it has in all. */
static amount best_centre (struct attain *a, const struct attain_box *box)
{
    amount total = 0;
    for (int d = 0; d < a->ranking.cloud->ndims; d++) {
        const amount *shares = a->shares + a->ranking.first[d];
        size_t best = box->first[d];
        for (size_t r = best + 1; r < box->end[d]; r++)
            if (shares[r] < shares[best])
                best = r;
        a->centre[d] = best;
        total += shares[best];
    }
    return total * (amount)a->ranking.cloud->n;
}

static void note_centre (struct attain *a)
{
    for (int d = 0; d < a->ranking.cloud->ndims; d++) {
        size_t at = a->centre[d];
        a->least[d] = at < a->least[d] ? at : a->least[d];
        a->most[d] = at > a->most[d] ? at : a->most[d];
        a->sum[d] += at;
    }
    a->rounds++;
}

/* ---- the other: pairs ---- */

/* Add the keys of the centre. Whether it is as wanted. */
static bool add_keys (struct attain *a)
{
    amount farthest = -1, nearest = AMOUNT_MAX;
    for (size_t i = 0; i < a->ranking.cloud->n; i++) {
        amount key = key_of (a, i);
        a->keys[i] += key;
        if (a->marks[i] == CHOSEN)
            farthest = key > farthest ? key : farthest;
        else
            nearest = key < nearest ? key : nearest;
    }
    return farthest < nearest;
}

/* The best pair against all centres so far; returns what the indexes add. */
static amount best_pair (struct attain *a)
{
    size_t in = SIZE_MAX, out = SIZE_MAX;
    for (size_t i = 0; i < a->ranking.cloud->n; i++) {
        size_t *of = a->marks[i] == CHOSEN ? &in : &out;
        if (*of == SIZE_MAX
            || (of == &in ? a->keys[i] > a->keys[in]
                          : a->keys[i] < a->keys[out]))
            *of = i;
    }
    for (int d = 0; d < a->ranking.cloud->ndims; d++) {
        amount *shares = a->shares + a->ranking.first[d];
        for (size_t r = 0; r < a->ranking.count[d]; r++)
            shares[r] += (amount)hops (a, d, r, in)
                         - (amount)hops (a, d, r, out);
    }
    return (amount)in - (amount)out;
}

/* ---- the game ---- */

static enum attain_answer play (struct attain *a, const struct attain_box *box)
{
    const struct cloud *cloud = a->ranking.cloud;
    amount indexes = 0;
    begin (a, box);
    while (a->rounds < ROUNDS) {
        note_centre (a);
        if (add_keys (a))
            return ATTAIN_YES;
        indexes += best_pair (a);
        if (best_centre (a, box) + indexes >= 0)
            return ATTAIN_NO;
        a->steps += 3 * a->ranking.total + cloud->n * (size_t)cloud->ndims;
    }
    return ATTAIN_UNKNOWN;
}

/* Where the centres of the game were farthest apart; or, if they were all one,
 * where the box is widest. A box of one centre leaves nothing unknown. */
static int choose_dim (const struct attain *a, const struct attain_box *box,
                       size_t *ret_rank)
{
    uint64_t longest = 0;
    int dim = 0;
    for (int d = 0; d < a->ranking.cloud->ndims; d++) {
        uint64_t apart = cloud_apart (a->ranking.cloud, d,
                                      value_at (a, d, a->least[d]),
                                      value_at (a, d, a->most[d]));
        if (apart > longest) {
            longest = apart;
            dim = d;
        }
    }
    *ret_rank = a->sum[dim] / a->rounds;
    for (int d = 0; longest == 0 && d < a->ranking.cloud->ndims; d++)
        if (box->end[d] - box->first[d] > box->end[dim] - box->first[dim])
            dim = d;
    if (longest == 0)
        *ret_rank = box->first[dim]
                    + (box->end[dim] - box->first[dim] - 1) / 2;
    return dim;
}

static enum attain_answer look (struct attain *a, const struct attain_box *box,
                                int depth)
{
    enum attain_answer answer = play (a, box);
    struct attain_box half = *box;
    size_t rank;
    int dim;
    bool upper;
    if (answer != ATTAIN_UNKNOWN || depth == DEEPEST || a->steps > a->budget)
        return answer;
    dim = choose_dim (a, box, &rank);
    upper = a->centre[dim] > rank;
    for (int i = 0; i < 2 && answer != ATTAIN_YES; i++, upper = !upper) {
        enum attain_answer found;
        half.first[dim] = upper ? rank + 1 : box->first[dim];
        half.end[dim] = upper ? box->end[dim] : rank + 1;
        found = look (a, &half, depth + 1);
        if (found == ATTAIN_UNKNOWN)
            return found;
        answer = found;
    }
    return answer;
}

enum attain_answer attain_find (struct attain *a, const uint8_t marks[],
                                const struct attain_box *box)
{
    a->marks = marks;
    find_start (a);
    return look (a, box, 0);
}

/* Dimension by dimension, the least rank that leaves a centre. */
enum attain_answer attain_first (struct attain *a, const uint8_t marks[])
{
    struct attain_box box = attain_all (a);
    enum attain_answer answer = attain_find (a, marks, &box);
    size_t centre[TORI_MAX_DIMS];
    if (answer != ATTAIN_YES)
        return answer;
    memcpy (centre, a->centre, sizeof centre);
    for (int d = 0; d < a->ranking.cloud->ndims; d++) {
        while (box.first[d] < centre[d]) {
            box.end[d] = box.first[d] + (centre[d] - box.first[d] + 1) / 2;
            answer = look (a, &box, 0);
            if (answer == ATTAIN_UNKNOWN)
                return answer;
            if (answer == ATTAIN_YES)
                memcpy (centre, a->centre, sizeof centre);
            else
                box.first[d] = box.end[d];
        }
        box.end[d] = box.first[d] + 1;
    }
    memcpy (a->centre, centre, sizeof centre);
    return ATTAIN_YES;
}
