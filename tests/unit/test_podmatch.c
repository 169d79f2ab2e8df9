/* Cubes for the pieces of a slice, by kinds of cubes: there are enough for all
 * pieces exactly if there are enough for those of every set of types (Hall,
 * "On Representatives of Subsets", 1935). */
#include "support.h"

#include <string.h>

#include "podmatch.h"

enum { TYPES = 5, KINDS = 6, MOST = 4 };

struct question {
    struct podtype type[TYPES];
    uint32_t ntypes, kinds;
    uint64_t fits[TYPES]; /* the kinds of cubes that have room for a type */
    uint32_t alike[KINDS];
};

static void ask (struct question *q, struct rng *rng)
{
    memset (q, 0, sizeof *q);
    q->ntypes = between (rng, 1, TYPES);
    q->kinds = between (rng, 1, KINDS);
    for (uint32_t k = 0; k < q->kinds; k++)
        q->alike[k] = between (rng, 1, MOST);
    for (uint32_t t = 0; t < q->ntypes; t++) {
        q->type[t].need = between (rng, 1, MOST);
        for (uint32_t k = 0; k < q->kinds; k++)
            q->fits[t] |= (uint64_t)chance (rng, 45) << k;
    }
}

static bool are_enough (const struct question *q)
{
    for (uint32_t set = 1; set < 1u << q->ntypes; set++) {
        uint64_t fits = 0;
        uint32_t need = 0, cubes = 0;
        for (uint32_t t = 0; t < q->ntypes; t++)
            if (set >> t & 1) {
                fits |= q->fits[t];
                need += q->type[t].need;
            }
        for (uint32_t k = 0; k < q->kinds; k++)
            cubes += fits >> k & 1 ? q->alike[k] : 0;
        if (cubes < need)
            return false;
    }
    return true;
}

/* Every type has as many cubes as it needs, of kinds that it fits; of no kind
 * more are taken than there are. */
static void expect_match (const struct question *q,
                          const struct podmatch *match)
{
    uint32_t taken[KINDS] = {0};
    for (uint32_t t = 0; t < q->ntypes; t++) {
        uint32_t cubes = 0;
        for (uint32_t i = 0; i < match->used[t]; i++) {
            uint32_t slot = match->start[t] + i, kind = match->slot[slot];
            assert_true (q->fits[t] >> kind & 1);
            taken[kind] += match->amount[slot];
            cubes += match->amount[slot];
        }
        assert_int_equal (cubes, q->type[t].need);
    }
    for (uint32_t k = 0; k < q->kinds; k++)
        assert_true (taken[k] <= q->alike[k]);
}

TEST (kinds)
{
    struct podmatch match;
    size_t found = 0, cases = random_cases (20000);
    struct rng rng = seeded (1);
    assert_int_equal (podmatch_create (&match, TYPES * MOST, NULL), 0);
    for (size_t i = 0; i < cases; i++) {
        struct question q;
        bool enough;
        ask (&q, &rng);
        enough = are_enough (&q);
        match.type = q.type;
        match.ntypes = q.ntypes;
        for (uint32_t t = 0; t < q.ntypes; t++)
            match.set[t] = &q.fits[t];
        match.words = 1;
        match.items = q.kinds;
        match.alike = q.alike;
        match.kind = NULL;
        assert_int_equal (podmatch_find (&match, NULL), enough);
        if (enough)
            expect_match (&q, &match);
        found += enough;
    }
    podmatch_clear (&match);
    assert_true (found > cases / 10 && found < cases - cases / 10);
}
