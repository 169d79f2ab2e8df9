/* A scheduler that is rebuilt from what another says of its jobs decides as
 * the other would have, and so does a copy: for every run there is a new
 * one. */
#include "play.h"

#include "allocs.h"

#include <stdlib.h>
#include <string.h>

enum { NORDERS = TORI_ORDER_LARGEST + 1 };

/* Decision for decision as by the definition of the policy, which knows of no
 * restarts. */
static void compare (uint64_t seed, const char *alloc, const char *policy,
                     struct stream_options options)
{
    for (size_t i = 0; i < random_cases (8); i++) {
        struct play_options how = {.policy = policy,
                                   .order = (tori_order)(i % NORDERS),
                                   .alloc = alloc,
                                   .naive = true,
                                   .copy = i % 4 == 3,
                                   .restart = i % 4 < 3};
        struct stream stream;
        how.ask = i % 3 == 1;
        how.lazy = i % 3 == 2;
        how.file = i % 2;
        if (strcmp (policy, "conservative") == 0 && i % 5 == 4)
            how.depth = 2;
        stream_create (&stream, seed + i, &options);
        free (play (&stream, &how));
        stream_destroy (&stream);
    }
}

static void compare_all (uint64_t seed, struct stream_options options)
{
    for (size_t p = 0; tori_sched_list (p); p++)
        for (size_t a = 0; plain_alloc (a); a++) {
            const tori_alloc_info *info = plain_alloc (a);
            options.takes = info->takes;
            if (naive_alloc_known (info->name))
                compare (seed += 100, info->name, tori_sched_list (p)->name,
                         options);
        }
}

TEST_AFTER (as_planned, play_teardown)
{
    struct stream_options exact = {.jobs = 30, .max_nodes = 32};
    compare_all (700000, exact);
}

TEST_AFTER (otherwise, play_teardown)
{
    struct stream_options any = {.jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 3,
                                 .mishaps = 10,
                                 .max_nodes = 32};
    compare_all (800000, any);
}

/* Allocators that have no definition in the tests, as without restarts. Their
 * planned places may be slices, or nodes that shapes were folded into. */
static void expect_same (uint64_t seed, const char *alloc, const char *policy,
                         struct stream_options options)
{
    for (size_t i = 0; i < random_cases (4); i++) {
        struct play_options how = {.policy = policy,
                                   .order = (tori_order)(i % NORDERS),
                                   .alloc = alloc,
                                   .lazy = i % 3 == 2};
        struct stream stream;
        char *first, *second;
        stream_create (&stream, seed + i, &options);
        first = play (&stream, &how);
        how.restart = i % 4 < 3;
        how.copy = !how.restart;
        how.file = i % 2;
        second = play (&stream, &how);
        assert_string_equal (first, second);
        free (first);
        free (second);
        stream_destroy (&stream);
    }
}

TEST_AFTER (every_allocator, play_teardown)
{
    struct stream_options any = {
        .jobs = 30, .estimates = ANY, .mishaps = 6, .max_nodes = 32};
    uint64_t seed = 900000;
    for (size_t p = 0; tori_sched_list (p); p++)
        for (size_t a = 0; plain_alloc (a); a++) {
            const tori_alloc_info *info = plain_alloc (a);
            any.takes = info->takes;
            if (!(info->flags & TORI_ALLOC_SEARCHES)
                && !naive_alloc_known (info->name))
                expect_same (seed += 100, info->name,
                             tori_sched_list (p)->name, any);
        }
}
