/* Patterns of communication, each by its definition. */
#include "support.h"

#include <stdlib.h>

#include <tori/pattern.h>

enum { MOST = 70 };

static void targets (const char *name, uint32_t n, uint64_t phase,
                     uint32_t to[])
{
    int pattern = tori_pattern_find (name);
    assert_true (pattern >= 0);
    tori_pattern_targets (pattern, n, phase, 7, to);
}

/* Every pattern, every size: targets are ranks, a single process is silent. */
TEST (targets_are_ranks)
{
    uint32_t to[MOST];
    for (size_t i = 0; tori_pattern_list (i); i++) {
        assert_int_equal (tori_pattern_find (tori_pattern_list (i)->name), i);
        for (uint32_t n = 1; n < MOST; n++) {
            uint64_t phases = tori_pattern_phases ((int)i, n);
            assert_true (n == 1 ? phases == 0 : phases > 0);
            for (uint64_t p = 0; p < 2 * phases + 1; p++) {
                tori_pattern_targets ((int)i, n, p, p, to);
                for (uint32_t r = 0; r < n; r++)
                    assert_true (to[r] < n);
            }
        }
    }
    assert_int_equal (tori_pattern_find ("rong"), -1);
}

/* Each sends to each other exactly once in a round, and receives one message
 * a phase. */
TEST (all_to_all)
{
    for (uint32_t n = 2; n < MOST; n++) {
        bool sent[MOST][MOST] = {{false}};
        uint64_t phases =
            tori_pattern_phases (tori_pattern_find ("all-to-all"), n);
        assert_int_equal (phases, n - 1);
        for (uint64_t p = 0; p < phases; p++) {
            uint32_t to[MOST];
            bool received[MOST] = {false};
            targets ("all-to-all", n, p, to);
            for (uint32_t r = 0; r < n; r++) {
                assert_true (to[r] != r && !sent[r][to[r]]);
                assert_false (received[to[r]]);
                sent[r][to[r]] = received[to[r]] = true;
            }
        }
    }
}

TEST (ring_and_nbody)
{
    for (uint32_t n = 2; n < MOST; n++) {
        int nbody = tori_pattern_find ("nbody");
        uint32_t ring[MOST], body[MOST];
        targets ("ring", n, 3, ring);
        assert_int_equal (tori_pattern_phases (nbody, n), n / 2 + 1);
        for (uint64_t p = 0; p <= n / 2; p++) {
            targets ("nbody", n, p, body);
            for (uint32_t r = 0; r < n; r++) {
                assert_int_equal (ring[r], (r + 1) % n);
                assert_int_equal (body[r],
                                  (r + (p < n / 2 ? 1 : n / 2)) % n);
            }
        }
    }
}

/* Pairs: whoever is sent to sends back. */
static void pairs (const char *name, uint32_t n, uint64_t phase)
{
    uint32_t to[MOST];
    targets (name, n, phase, to);
    for (uint32_t r = 0; r < n; r++)
        assert_int_equal (to[to[r]], r);
}

TEST (exchanges)
{
    static const uint32_t of_ten[] = {0, 3, 6, 1, 4, 7, 2, 5, 8, 9};
    uint32_t to[MOST];
    for (uint32_t n = 2; n < MOST; n++) {
        pairs ("transpose", n, 0);
        pairs ("complement", n, 0);
        for (uint64_t p = 0; p < 7; p++)
            pairs ("fft", n, p);
    }
    targets ("transpose", 10, 0, to);
    assert_memory_equal (to, of_ten, sizeof of_ten);
    targets ("fft", 6, 2, to);
    assert_int_equal (to[1], 5);
    assert_int_equal (to[2], 2);
    assert_int_equal (tori_pattern_phases (tori_pattern_find ("fft"), 8), 3);
    assert_int_equal (tori_pattern_phases (tori_pattern_find ("fft"), 9), 4);
}

/* By chance, but never to itself, to everybody in the long run, and by the
 * seed and the phase alone. */
TEST (by_chance)
{
    enum { N = 5, PHASES = 400 };
    uint32_t to[N], again[N], times[N][N] = {{0}};
    int pattern = tori_pattern_find ("random");
    for (uint64_t p = 0; p < PHASES; p++) {
        tori_pattern_targets (pattern, N, p, 1, to);
        tori_pattern_targets (pattern, N, p, 1, again);
        assert_memory_equal (to, again, sizeof to);
        for (uint32_t r = 0; r < N; r++)
            times[r][to[r]]++;
    }
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t b = 0; b < N; b++)
            assert_true (a == b ? times[a][b] == 0
                                : times[a][b] > PHASES / N / 2);
}
