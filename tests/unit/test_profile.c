/* The two tables of the scheduler against plain arrays: how many nodes are
 * free when, a number a tick; and who waits, sorted anew every time. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "futile.h"
#include "waiting.h"

/* ---- the profile ---- */

enum { TICKS = 60, FROM = 7 }; /* ticks FROM to TICKS - 1 are looked at */

struct ticks {
    int64_t free[TICKS];
};

static void ticks_add (struct ticks *ticks, struct span span)
{
    for (tori_time t = FROM; t < TICKS; t++)
        if (t >= span.from && t < span.until)
            ticks->free[t] -= span.nodes;
}

static const struct span none = {0};

/* The free nodes at a tick: the profile's own answer for an instant. */
static void expect_ticks (const struct profile *profile,
                          const struct ticks *ticks, tori_time from)
{
    for (tori_time t = from; t < TICKS; t++) {
        assert_int_equal (
            profile_earliest (profile, t, 0, ticks->free[t], none), t);
        assert_true (
            profile_earliest (profile, t, 0, ticks->free[t] + 1, none) > t);
    }
}

/* The last tick stands for all that follow. */
static tori_time naive_earliest (const struct ticks *ticks, tori_time from,
                                 tori_time length, int64_t nodes)
{
    for (tori_time t = from; t < TICKS; t++) {
        bool fits = true;
        for (tori_time i = t; i < TICKS && (i == t || i < t + length); i++)
            fits &= ticks->free[i] >= nodes;
        if (fits)
            return t;
    }
    return TORI_TIME_MAX;
}

/* Also as if one of the spans were not there. */
static void expect_earliest (const struct profile *profile,
                             const struct ticks *ticks, struct span own,
                             tori_time first, struct rng *rng)
{
    struct ticks without = *ticks;
    tori_time from = between (rng, (uint32_t)first, TICKS - 1);
    tori_time length = between (rng, 0, 30);
    int64_t nodes = (int64_t)between (rng, 0, 40) - 5;
    assert_int_equal (profile_earliest (profile, from, length, nodes, none),
                      naive_earliest (ticks, from, length, nodes));
    ticks_add (&without, (struct span){own.from, own.until, -own.nodes});
    assert_int_equal (profile_earliest (profile, from, length, nodes, own),
                      naive_earliest (&without, from, length, nodes));
}

/* Every end of a span is a step, and only those are. */
static void expect_steps (const struct profile *profile,
                          const struct span *spans, size_t n, tori_time from)
{
    for (tori_time t = from; t < TICKS; t++) {
        tori_time next = TORI_TIME_MAX;
        for (size_t i = 0; i < n; i++) {
            if (spans[i].from > t && spans[i].from < next)
                next = spans[i].from;
            if (spans[i].until > t && spans[i].until < next)
                next = spans[i].until;
        }
        assert_int_equal (profile_next (profile, t), next);
    }
}

static struct span random_span (struct rng *rng)
{
    struct span span = {.from = between (rng, FROM, TICKS - 2)};
    span.until = between (rng, (uint32_t)span.from + 1, TICKS - 1);
    if (chance (rng, 10))
        span.until = TORI_TIME_MAX;
    span.nodes = between (rng, 0, 6);
    return span;
}

/* Where it falls below a number of nodes, a job of so many does not fit. */
static void expect_falls (const struct profile *profile,
                          const struct ticks *ticks, tori_time first,
                          struct rng *rng)
{
    tori_time from = between (rng, (uint32_t)first, TICKS - 1);
    tori_time length = between (rng, 0, 30);
    int64_t nodes = (int64_t)between (rng, 0, 40) - 5;
    bool fits = naive_earliest (ticks, from, length, nodes) == from;
    struct falls falls;
    profile_falls (profile, from, &falls);
    if (falls_below (&falls, from, length, nodes))
        assert_false (fits);
    else if (falls.n < PROFILE_FALLS)
        assert_true (fits);
}

enum { SPANS = 12 };

/* All there is to know of a profile from then on. */
static void expect_profile (const struct profile *profile,
                            const struct ticks *ticks,
                            const struct span *spans, size_t n,
                            tori_time from, struct rng *rng)
{
    expect_ticks (profile, ticks, from);
    expect_steps (profile, spans, n, from);
    for (int k = 0; k < 20; k++)
        expect_falls (profile, ticks, from, rng);
    for (int k = 0; k < 20; k++)
        expect_earliest (profile, ticks,
                         n > 0 ? spans[rng_below (rng, n)] : none, from, rng);
}

/* Spans come and go. */
TEST (profile)
{
    struct profile profile = {0};
    struct rng rng = seeded (1);
    for (int round = 0; round < 300; round++) {
        struct ticks ticks = {0};
        struct span spans[SPANS];
        int64_t nodes = between (&rng, 0, 40);
        assert_int_equal (profile_reset (&profile, FROM, nodes, NULL), 0);
        ticks_add (&ticks, (struct span){FROM, TICKS, -nodes});
        for (size_t i = 0; i < SPANS; i++) {
            spans[i] = random_span (&rng);
            assert_int_equal (profile_add (&profile, spans[i], NULL), 0);
            ticks_add (&ticks, spans[i]);
            expect_profile (&profile, &ticks, spans, i + 1, FROM, &rng);
        }
        for (size_t n = SPANS; n-- > 0;) {
            size_t i = rng_below (&rng, n + 1);
            struct span gone = spans[i];
            spans[i] = spans[n];
            assert_int_equal (profile_remove (&profile, gone, NULL), 0);
            gone.nodes = -gone.nodes;
            ticks_add (&ticks, gone);
            expect_profile (&profile, &ticks, spans, n, FROM, &rng);
        }
    }
    profile_clear (&profile);
}

/* All at once; then time goes on, and some end before they were to. */
TEST (profile_sorted)
{
    struct profile profile = {0};
    struct rng rng = seeded (2);
    for (int round = 0; round < 300; round++) {
        struct ticks ticks = {0};
        struct span spans[SPANS];
        tori_time now = between (&rng, FROM, TICKS - 1);
        size_t n = SPANS;
        assert_int_equal (profile_reset (&profile, FROM, 9, NULL), 0);
        ticks_add (&ticks, (struct span){FROM, TICKS, -9});
        for (size_t i = 0; i < n; i++) {
            spans[i] = random_span (&rng);
            assert_int_equal (profile_push (&profile, spans[i], NULL), 0);
            ticks_add (&ticks, spans[i]);
        }
        profile_sort (&profile);
        expect_profile (&profile, &ticks, spans, n, FROM, &rng);
        profile_pass (&profile, now);
        for (size_t i = n; i-- > 0;) {
            struct span gone = spans[i];
            if (gone.from > now || gone.until <= now || chance (&rng, 50))
                continue;
            assert_int_equal (profile_remove (&profile, gone, NULL), 0);
            spans[i] = spans[--n];
            gone.nodes = -gone.nodes;
            ticks_add (&ticks, gone);
            expect_profile (&profile, &ticks, spans, n, now, &rng);
        }
    }
    profile_clear (&profile);
}

/* ---- the queue ---- */

enum { WAITING = 300 };

static int by_order (const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

static void expect_queue (const struct queue *queue, struct entry *model,
                          size_t n)
{
    qsort (model, n, sizeof *model, by_order);
    assert_int_equal (queue->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal (queue_at (queue, i)->job, model[i].job);
        assert_int_equal (queue_find (queue, &model[i]), i);
    }
}

/* Take the first, or one from anywhere. */
static void take_out (struct queue *queue, struct entry *model, size_t *n,
                      size_t at)
{
    queue_remove (queue, at);
    memmove (model + at, model + at + 1, (*n - at - 1) * sizeof *model);
    --*n;
}

TEST (queue)
{
    struct queue queue = {0};
    struct entry model[WAITING];
    size_t n = 0;
    struct rng rng = seeded (3);
    for (uint32_t i = 0; i < 4000; i++) {
        bool many = i % 800 < 500;
        if (n < WAITING && (n == 0 || chance (&rng, many ? 70 : 30))) {
            struct entry entry = {.key = (int64_t)between (&rng, 0, 5) - 2,
                                  .turn = i,
                                  .job = i};
            size_t at;
            assert_int_equal (queue_insert (&queue, entry, &at, NULL), 0);
            assert_int_equal (queue_at (&queue, at)->job, i);
            model[n++] = entry;
        } else {
            size_t at = chance (&rng, 60) ? 0 : rng_below (&rng, n);
            take_out (&queue, model, &n, at);
        }
        expect_queue (&queue, model, n);
    }
    queue_clear (&queue);
}

/* ---- lanes ---- */

enum { LANES = 7 };

/* The lane of an entry in the model, whose job is the lane. */
static size_t position (const struct lanes *lanes, const struct entry *entry)
{
    return queue_find (&lanes->all[entry->job].queue, entry);
}

static bool not_the_third (const void *arg, uint32_t lane)
{
    return lane != *(const uint32_t *)arg;
}

/* A pass goes through all entries in order but those of a lane that is not
 * worth while; of some lanes all is settled at once, some entries leave. */
static void expect_pass (struct lanes *lanes, struct entry *model, size_t *n,
                         struct rng *rng)
{
    uint32_t third = 3, lane;
    bool over[LANES] = {[3] = true};
    size_t i = 0;
    lanes_reopen (lanes);
    lanes_begin (lanes, not_the_third, &third);
    while ((lane = lanes_next (lanes)) != NO_LANE) {
        struct lane *it = &lanes->all[lane];
        while (over[model[i].job])
            i++;
        assert_int_equal (lane, model[i].job);
        assert_int_equal (position (lanes, &model[i]), it->settled);
        if (chance (rng, 10)) {
            lanes_remove (lanes, lane, it->settled);
            memmove (model + i, model + i + 1, (*n - i - 1) * sizeof *model);
            --*n;
        } else {
            over[lane] = chance (rng, 20);
            it->settled = over[lane] ? it->queue.n : it->settled + 1;
            i++;
        }
    }
    while (i < *n && over[model[i].job])
        i++;
    assert_int_equal (i, *n);
    assert_true (lanes_all_settled (lanes));
}

TEST (lanes)
{
    struct entry model[WAITING];
    struct lanes lanes;
    size_t n = 0;
    struct rng rng = seeded (4);
    lanes_init (&lanes);
    for (uint32_t i = 0; i < 4000; i++) {
        if (n < WAITING && chance (&rng, i % 800 < 500 ? 70 : 30)) {
            uint32_t lane = rng_below (&rng, LANES);
            struct entry entry = {.key = (int64_t)between (&rng, 0, 5) - 2,
                                  .turn = i,
                                  .job = lane};
            size_t at;
            assert_int_equal (lanes_insert (&lanes, lane, entry, &at, NULL),
                              0);
            assert_int_equal (lanes_at (&lanes, lane, at)->turn, i);
            model[n++] = entry;
        } else if (n > 0) {
            struct entry gone = model[rng_below (&rng, n)];
            size_t at = position (&lanes, &gone), kept = 0;
            lanes_remove (&lanes, gone.job, at);
            for (size_t j = 0; j < n; j++)
                if (model[j].turn != gone.turn)
                    model[kept++] = model[j];
            n = kept;
        }
        qsort (model, n, sizeof *model, by_order);
        assert_int_equal (lanes.entries, n);
        if (n > 0)
            assert_int_equal (lanes_head (&lanes)->turn, model[0].turn);
        else
            assert_null (lanes_head (&lanes));
        if (i % 16 == 0)
            expect_pass (&lanes, model, &n, &rng);
    }
    lanes_clear (&lanes);
}

/* ---- times that were searched in vain ---- */

enum { HELD = 24, HORIZON = 60 };

struct held {
    tori_time begin, end;
};

/* Whether nothing but the own span is held in [t, t + length). */
static bool is_clear (const struct held *held, size_t own, tori_time t,
                      tori_time length)
{
    for (size_t i = 0; i < HELD; i++)
        if (i != own && held[i].begin < t + length && held[i].end > t)
            return false;
    return true;
}

/* The first time in [from, until) that is clear for so long, or `until`. */
static tori_time scan (const struct held *held, size_t own, tori_time from,
                       tori_time until, tori_time length)
{
    while (from < until && !is_clear (held, own, from, length))
        from++;
    return from;
}

/* A time that is passed over is never clear, whatever was given up. */
TEST (futile)
{
    struct held held[HELD] = {0};
    struct futile futile = {0};
    unsigned skipped = 0;
    struct rng rng = seeded (5);
    for (int i = 0; i < 100000; i++) {
        tori_time length = between (&rng, 1, 9);
        tori_time from = between (&rng, 0, HORIZON);
        size_t own = rng_below (&rng, HELD);
        if (chance (&rng, 20)) {
            futile_free (&futile, held[own].begin, held[own].end);
            held[own] = (struct held){from, from + length};
        } else if (chance (&rng, 40)) {
            tori_time until = from + between (&rng, 0, 20);
            until = scan (held, own, from, until, length);
            if (chance (&rng, 50))
                futile_note (&futile, from, until, length);
            else
                futile_hint (&futile, from, until, length);
        } else {
            tori_time t = futile_skip (&futile, from, length, held[own].begin);
            assert_true (t >= from);
            assert_int_equal (scan (held, own, from, t, length), t);
            skipped += t > from;
        }
    }
    assert_true (skipped > 1000);
}
