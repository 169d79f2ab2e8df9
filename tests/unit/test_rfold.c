/* FirstFit of RFold: every job starts exactly when the definition says, on
 * 16x16x16 with boxes that wrap, first come, first served. And Reconfig: places
 * are free, of the right size, and what is said to be joined is. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

#include <tori/sim.h>

#include "rfold_reconfig.h"
#include "paper.h"

/* One in eleven of these jobs fits a torus of 16x16x16: the others are longer.
 */
enum { SIDE = 16, JOBS = 12000 };

struct held {
    tori_time end;
    int at[3], side[3];
};

struct world {
    bool busy[SIDE][SIDE][SIDE];
    struct held held[JOBS];
    size_t n;
};

static bool *node (struct world *w, int x, int y, int z)
{
    return &w->busy[x % SIDE][y % SIDE][z % SIDE];
}

static bool is_free (struct world *w, const struct held *h)
{
    for (int x = 0; x < h->side[0]; x++)
        for (int y = 0; y < h->side[1]; y++)
            for (int z = 0; z < h->side[2]; z++)
                if (*node (w, h->at[0] + x, h->at[1] + y, h->at[2] + z))
                    return false;
    return true;
}

static void mark (struct world *w, const struct held *h, bool busy)
{
    for (int x = 0; x < h->side[0]; x++)
        for (int y = 0; y < h->side[1]; y++)
            for (int z = 0; z < h->side[2]; z++)
                *node (w, h->at[0] + x, h->at[1] + y, h->at[2] + z) = busy;
}

/* All permutations of the sides by their places, in lexicographic order; for
 * each all origins, the last coordinate fastest. */
static bool first_fit (struct world *w, const uint32_t side[3],
                       struct held *ret)
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int i = 0; a != b && i < SIDE * SIDE * SIDE; i++) {
                *ret = (struct held){
                    .at = {i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE},
                    .side = {(int)side[a], (int)side[b],
                             (int)side[3 - a - b]}};
                if (is_free (w, ret))
                    return true;
            }
    return false;
}

static void release_until (struct world *w, tori_time now)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->held[i].end <= now) {
            mark (w, &w->held[i], false);
            w->held[i--] = w->held[--w->n];
        }
}

static tori_time next_end (const struct world *w)
{
    tori_time end = TORI_TIME_MAX;
    for (size_t i = 0; i < w->n; i++)
        end = w->held[i].end < end ? w->held[i].end : end;
    return end;
}

static bool too_long (const tori_work *job)
{
    for (int d = 0; d < 3; d++)
        if (job->request.shape.size[d] > SIDE)
            return true;
    return false;
}

/* -1 for jobs that are given up. */
static void play (const tori_workload *work, tori_time start[])
{
    struct world *w = make_array (1, sizeof *w);
    tori_time now = 0;
    memset (w, 0, sizeof *w);
    for (size_t i = 0; i < work->n; i++) {
        const tori_work *job = &work->jobs[i];
        struct held h;
        start[i] = -1;
        if (too_long (job))
            continue;
        now = job->submit > now ? job->submit : now;
        for (release_until (w, now);
             !first_fit (w, job->request.shape.size, &h);
             release_until (w, now))
            now = next_end (w);
        start[i] = now;
        h.end = now + job->runtime;
        mark (w, &h, true);
        w->held[w->n++] = h;
    }
    free (w);
}

static int keep_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    tori_time *start = arg;
    start[job->work->id - 1] = job->start;
    return 0;
}

static void check_starts (double load, uint64_t seed)
{
    AUTO_MACHINE *machine = make_machine ("torus:16^3");
    tori_alloc_config alloc = {.size = sizeof alloc, .ops = &rfold_first_fit};
    tori_sched_config sched
        = {.size = sizeof sched, .policy = "fcfs", .alloc = &alloc};
    static tori_time expected[JOBS], is[JOBS];
    tori_sim_config config = {.size = sizeof config,
                              .machine = machine,
                              .sched = &sched,
                              .no_pairwise = true,
                              .on_start = keep_start,
                              .arg = is};
    tori_sim_result result;
    tori_workload work;
    size_t waited = 0;
    assert_int_equal (
        tori_workload_model ("rfold", machine,
                             TORI_WORKLOAD (.shaping = TORI_SHAPE_COMPACT,
                                            .wrap = true, .load = load,
                                            .jobs = JOBS, .seed = seed),
                             &work, NULL),
        0);
    memset (is, -1, sizeof is);
    play (&work, expected);
    assert_int_equal (tori_sim_run (&config, &work, &result, NULL), 0);
    for (size_t i = 0; i < work.n; i++) {
        assert_true (is[i] == expected[i]);
        waited += is[i] > work.jobs[i].submit;
    }
    assert_true (waited > JOBS / 60);
    tori_workload_clear (&work);
}

TEST (first_fit)
{
    check_starts (20, 1);
    check_starts (60, 2);
}

/* ---- Reconfig ---- */

/* A box of offset and sides that holds all of a set of nodes of a cube, and
 * nothing else. */
static bool box_of (uint64_t held, uint32_t at[3], uint32_t side[3])
{
    uint32_t low[3] = {4, 4, 4}, high[3] = {0}, n = 0;
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t c[3] = {i / 16, i / 4 % 4, i % 4};
        if (!(held >> i & 1))
            continue;
        n++;
        for (int d = 0; d < 3; d++) {
            low[d] = c[d] < low[d] ? c[d] : low[d];
            high[d] = c[d] + 1 > high[d] ? c[d] + 1 : high[d];
        }
    }
    for (int d = 0; d < 3; d++) {
        at[d] = low[d];
        side[d] = high[d] - low[d];
    }
    return n == side[0] * side[1] * side[2];
}

/* Whether pieces of the same extent along a dimension begin alike, and at a face
 * if there are others along it. */
static bool begin_alike (const struct rfold_place *place, int d, bool crossed)
{
    uint32_t seen[5] = {9, 9, 9, 9, 9};
    for (size_t b = 0; b < RFOLD_CUBES; b++) {
        uint32_t at[3], side[3], extent;
        if (!place->held[b])
            continue;
        assert_true (box_of (place->held[b], at, side));
        extent = side[d];
        if (seen[extent] != 9 && seen[extent] != at[d])
            return false;
        if (crossed && at[d] > 0 && at[d] + extent < 4)
            return false;
        seen[extent] = at[d];
    }
    return true;
}

static uint32_t count_held (const struct rfold_place *place)
{
    uint32_t n = 0;
    for (size_t b = 0; b < RFOLD_CUBES; b++)
        n += (uint32_t)__builtin_popcountll (place->held[b]);
    return n;
}

/* The box lies across cubes in a dimension if pieces differ there, or are whole
 * and more than one of the sides asked for is long. */
static bool is_joined (const struct rfold_place *place, const uint32_t side[3])
{
    for (int i = 0; i < 6; i++) {
        bool all = true;
        for (int d = 0; d < 3 && all; d++)
            all = begin_alike (place, d, side[rfold_order[i][d]] > 4);
        if (all)
            return true;
    }
    return false;
}

TEST (reconfig)
{
    struct rfold_cubes cubes = {0};
    struct rfold_place held[40];
    size_t n = 0, joined = 0, apart = 0, cases = random_cases (4000);
    struct rng rng = seeded (3);
    for (size_t i = 0; i < cases; i++) {
        uint32_t side[3];
        struct rfold_place place;
        for (int d = 0; d < 3; d++)
            side[d] = between (&rng, 1, 9);
        if (n == LENGTH (held) || (n > 0 && chance (&rng, 40))) {
            size_t out = between (&rng, 0, (uint32_t)n - 1);
            rfold_cubes_release (&cubes, &held[out]);
            held[out] = held[--n];
        }
        struct rfold_cubes before = cubes;
        if (!rfold_cubes_place (&cubes, side, &place))
            continue;
        assert_int_equal (count_held (&place), side[0] * side[1] * side[2]);
        for (size_t b = 0; b < RFOLD_CUBES; b++) {
            assert_false (before.busy[b] & place.held[b]);
            assert_true (cubes.busy[b] == (before.busy[b] | place.held[b]));
        }
        if (place.joined)
            assert_true (is_joined (&place, side));
        joined += place.joined;
        apart += !place.joined;
        held[n++] = place;
    }
    assert_true (joined > cases / 10 && apart > cases / 100);
}
