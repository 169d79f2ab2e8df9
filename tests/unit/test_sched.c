/* Every policy of the table, in every order, with every allocator of the table
 * and one of our own, through the same properties; a row that is added is tested by being
 * there. play.c has the properties that hold at every step. */
#include "play.h"

#include "allocs.h"

#include <stdlib.h>
#include <string.h>

enum { NORDERS = TORI_ORDER_LARGEST + 1 };

/* Once with an allocator that has no definition in the tests: to a scheduler
 * most are the same. */
static size_t count_plays (const tori_alloc_info *alloc, size_t streams)
{
    if (alloc->flags & TORI_ALLOC_SEARCHES)
        return 0;
    return naive_alloc_known (alloc->name) ? NORDERS * random_cases (streams) : 1;
}

/* Play streams of jobs to every policy with every allocator but those that
 * refuse what is too much for them, in each order in turn. */
static void play_all (uint64_t seed, size_t streams,
                      struct stream_options options, struct play_options how,
                      void (*each) (const struct stream *,
                                    const struct play_options *))
{
    const tori_alloc_info *alloc;
    for (size_t a = 0; (alloc = every_alloc (a)); a++)
        for (size_t p = 0; tori_sched_list (p); p++)
            for (size_t i = 0; i < count_plays (alloc, streams); i++) {
                struct stream stream;
                how.alloc = alloc->name;
                how.policy = tori_sched_list (p)->name;
                how.order = (tori_order)(seed % NORDERS);
                options.takes = alloc->takes;
                stream_create (&stream, seed++, &options);
                each (&stream, &how);
                stream_destroy (&stream);
            }
}

static void play_once (const struct stream *stream,
                       const struct play_options *options)
{
    free (play (stream, options));
}

/* Whether someone asks for reservations or not makes no difference, nor does
 * it make one to do it all again. */
static void play_twice (const struct stream *stream,
                        const struct play_options *options)
{
    struct play_options asking = *options;
    char *first, *second;
    asking.ask = true;
    first = play (stream, options);
    second = play (stream, &asking);
    assert_string_equal (first, second);
    free (first);
    free (second);
}

/* Reservations are kept when nobody outlives its estimate. */
TEST_AFTER (promises_exact, play_teardown)
{
    struct stream_options stream = {.jobs = 30, .max_nodes = 48};
    struct play_options how = {.ask = true, .promises = true};
    play_all (1000, 4, stream, how, play_once);
}

TEST_AFTER (promises_over, play_teardown)
{
    struct stream_options stream = {
        .jobs = 30, .cancels = 3, .estimates = OVER, .max_nodes = 48};
    struct play_options how = {.ask = true, .promises = true};
    play_all (2000, 10, stream, how, play_once);
}

/* Jobs outlive their estimates, are cancelled or killed, nodes and links go
 * down and come up. */
TEST_AFTER (mishaps, play_teardown)
{
    struct stream_options stream = {.jobs = 30,
                                    .cancels = 4,
                                    .mishaps = 14,
                                    .estimates = ANY,
                                    .max_nodes = 64};
    play_all (5000, 3, stream, (struct play_options){0}, play_twice);
}

/* The driver may let several things happen before it asks for decisions. */
TEST_AFTER (lazy_driver, play_teardown)
{
    struct stream_options stream = {.jobs = 30,
                                    .cancels = 4,
                                    .mishaps = 6,
                                    .estimates = ANY,
                                    .max_nodes = 64};
    struct play_options how = {.lazy = true};
    play_all (8000, 3, stream, how, play_twice);
}
