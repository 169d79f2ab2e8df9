/* The policies against their definitions: decision for decision, reservation
 * for reservation, on random streams (naive_sched.h). */
#include "play.h"

#include <stdlib.h>

static void compare_all (uint64_t seed, size_t streams, const char *policy)
{
    struct stream_options exact = {.jobs = 30, .max_nodes = 32};
    struct stream_options over = {
        .jobs = 30, .estimates = OVER, .cancels = 2, .max_nodes = 32};
    struct stream_options any = {.jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 3,
                                 .mishaps = 10,
                                 .max_nodes = 32};
    struct play_options asking = {.ask = true};
    struct play_options silent = {.lazy = true};
    play_compare (seed, streams, policy, exact, asking);
    play_compare (seed + 10000, streams, policy, over, asking);
    play_compare (seed + 20000, streams, policy, any, asking);
    play_compare (seed + 30000, streams, policy, any, silent);
}

TEST_AFTER (fcfs, play_teardown)
{
    compare_all (100000, 24, "fcfs");
}

TEST_AFTER (backfill, play_teardown)
{
    compare_all (200000, 24, "backfill");
}

TEST_AFTER (easy, play_teardown)
{
    compare_all (300000, 30, "easy");
}

TEST_AFTER (conservative, play_teardown)
{
    compare_all (400000, 16, "conservative");
}

/* More jobs wait than in the others, so that what was found out about some is
 * of use to others, and is to be forgotten when somebody lets go. */
TEST_AFTER (conservative_crowd, play_teardown)
{
    struct stream_options over = {
        .jobs = 120, .estimates = OVER, .cancels = 2, .max_nodes = 32};
    struct stream_options any = {.jobs = 120,
                                 .estimates = ANY,
                                 .cancels = 3,
                                 .mishaps = 5,
                                 .max_nodes = 32};
    struct play_options asking = {.ask = true};
    play_compare (450000, 4, "conservative", over, asking);
    play_compare (460000, 4, "conservative", any, asking);
}

/* A reservation may begin at any time, but none does except where something
 * ends. */
TEST_AFTER (every_tick, play_teardown)
{
    struct stream_options over = {
        .jobs = 25, .estimates = OVER, .cancels = 2, .max_nodes = 16};
    struct play_options how = {.ask = true, .every_tick = true};
    play_compare (500000, 16, "easy", over, how);
    play_compare (510000, 12, "conservative", over, how);
}
