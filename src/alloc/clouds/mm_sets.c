#include "mm_sets.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attain.h"
#include "mm.h"
#include "pairs.h"

/* Equally good sets to compare. */
enum { MOST_EQUALS = 256 };

struct search {
    struct pairs pairs;
    struct attain attain;
    size_t n;
    uint8_t *sets; /* marks of the best so far, n a set */
    size_t nsets, room;
    wide least; /* their sum */
};

bool mm_sets_serves (const struct cloud *cloud)
{
    return cloud->n <= PAIRS_MOST;
}

/* ---- sets ---- */

static int add_set (struct search *s, const uint8_t *marks, tori_error *err)
{
    uint8_t *sets = array_room (s->sets, &s->room, (s->nsets + 1) * s->n, 1);
    if (!sets)
        return tori_error_nomem (err);
    s->sets = sets;
    memcpy (sets + s->nsets++ * s->n, marks, s->n);
    return 0;
}

/* Steps of one are not those of the other. */
static enum attain_answer ask (struct search *s, const uint8_t *marks)
{
    struct attain_box all = attain_all (&s->attain);
    enum attain_answer answer;
    s->attain.steps = s->pairs.steps;
    answer = attain_find (&s->attain, marks, &all);
    s->pairs.steps = s->attain.steps;
    return answer;
}

/* A set that is better, if a centre has it. */
static int on_better (void *arg, struct pairs *pairs, const uint8_t marks[],
                      wide sum, tori_error *err)
{
    struct search *s = arg;
    enum attain_answer answer = ask (s, marks);
    if (answer != ATTAIN_YES)
        return answer == ATTAIN_UNKNOWN;
    s->nsets = 0;
    s->least = sum;
    if (add_set (s, marks, err) < 0)
        return -1;
    if (sum > 0)
        pairs->limit = sum - 1;
    return sum == 0;
}

/* Another set that is as good. */
static int on_equal (void *arg, struct pairs *pairs, const uint8_t marks[],
                     wide sum, tori_error *err)
{
    struct search *s = arg;
    enum attain_answer answer;
    if (memcmp (marks, s->sets, s->n) == 0)
        return 0;
    answer = ask (s, marks);
    if (answer != ATTAIN_YES)
        return answer == ATTAIN_UNKNOWN;
    if (s->nsets == MOST_EQUALS)
        return 1;
    return add_set (s, marks, err);
}

/* ---- the answer ---- */

static int compare_centres (const size_t *a, const size_t *b, int ndims)
{
    for (int d = 0; d < ndims; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

/* Of several sets, the one that the first centre has. 1, or 0 if that takes
 * too long. */
static int find_first (struct search *s, size_t *ret_set)
{
    size_t first[TORI_MAX_DIMS];
    for (size_t i = 0; s->nsets > 1 && i < s->nsets; i++) {
        if (attain_first (&s->attain, s->sets + i * s->n) != ATTAIN_YES)
            return 0;
        if (i > 0
            && compare_centres (s->attain.centre, first,
                                s->attain.ranking.cloud->ndims) > 0)
            continue;
        memcpy (first, s->attain.centre, sizeof first);
        *ret_set = i;
    }
    return 1;
}

/* From a set that is there to begin with. 1, or 0 if it takes too long. */
static int search_sets (struct search *s, size_t *ret_set, tori_error *err)
{
    int status = 0;
    *ret_set = 0;
    s->pairs.arg = s;
    s->pairs.on_set = on_better;
    if (s->least > 0) {
        s->pairs.limit = s->least - 1;
        status = pairs_search (&s->pairs, err);
        if (status > 0 && s->least > 0)
            return 0;
    }
    if (status < 0)
        return -1;
    s->pairs.on_set = on_equal;
    s->pairs.limit = s->least;
    status = pairs_search (&s->pairs, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    s->attain.steps = s->pairs.steps;
    return find_first (s, ret_set);
}

/* Take a set if it is better than what there is, and a centre has it. */
static int offer (struct search *s, const struct cloud *cloud, size_t k,
                  const size_t *chosen, tori_error *err)
{
    uint8_t *marks = malloc (cloud->n);
    wide sum;
    int status = -1;
    if (!marks)
        return tori_error_nomem (err);
    memset (marks, LEFT, cloud->n);
    for (size_t i = 0; i < k; i++)
        marks[chosen[i]] = CHOSEN;
    if (cloud_pairwise (cloud, chosen, k, &sum, err) == 0) {
        status = 0;
        if (s->nsets == 0
            || (sum < s->least && ask (s, marks) == ATTAIN_YES)) {
            s->nsets = 0;
            s->least = sum;
            status = add_set (s, marks, err);
        }
    }
    free (marks);
    return status;
}

/* The best set that a point has as its nearest, and what swaps make of it. */
static int start (struct search *s, const struct cloud *cloud, size_t k,
                  size_t *chosen, tori_error *err)
{
    if (gen_alg_choose (cloud, k, NULL, chosen, err) < 0
        || offer (s, cloud, k, chosen, err) < 0
        || mm_improve (cloud, k, chosen, err) < 0)
        return -1;
    return offer (s, cloud, k, chosen, err);
}

int mm_choose_sets (const struct cloud *cloud, size_t k, uint64_t steps,
                    size_t *ret_chosen, tori_error *err)
{
    struct search s = {.n = cloud->n};
    size_t set = 0;
    int status = -1;
    if (pairs_create (cloud, k, &s.pairs, err) < 0)
        return -1;
    if (attain_create (cloud, &s.attain, err) < 0)
        goto clear;
    s.pairs.budget = s.attain.budget = steps;
    if (start (&s, cloud, k, ret_chosen, err) == 0)
        status = search_sets (&s, &set, err);
    for (size_t i = 0, at = 0; status == 1 && i < s.n; i++)
        if (s.sets[set * s.n + i] == CHOSEN)
            ret_chosen[at++] = i;
    attain_clear (&s.attain);
clear:
    pairs_clear (&s.pairs);
    free (s.sets);
    return status;
}
