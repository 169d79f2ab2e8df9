/* The service in simulated worlds: see world.h.
 *
 *   test_worlds                       some worlds, in TAP
 *   test_worlds --seed N [--steps N]  one of them, again
 *               [--trace 1]           ... and what happens in it
 *   test_worlds --soak SECONDS        as many as there is time for
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

enum { STEPS = 4000 };

static struct {
    uint64_t seed, steps, worlds;
    double soak; /* seconds */
    bool trace;
} options = {.seed = 1, .steps = STEPS, .worlds = 25};

static double seconds (clockid_t clock)
{
    struct timespec t;
    clock_gettime (clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* One world: whether nothing was found. */
static bool live (uint64_t seed, uint64_t *steps)
{
    struct world_options how = {.seed = seed, .steps = options.steps,
                                .trace = options.trace};
    uint64_t taken = 0;
    const char *found = world_live (&how, &taken);
    *steps += taken;
    if (!found)
        return true;
    printf ("# seed %llu: %s\n# repeat it with: test_worlds --seed %llu "
            "--steps %llu\n",
            (unsigned long long)seed, found, (unsigned long long)seed,
            (unsigned long long)options.steps);
    fflush (stdout);
    return false;
}

static int run_some (void)
{
    uint64_t steps = 0, seed = options.seed;
    bool good = true;
    while (good && seed < options.seed + options.worlds)
        good = live (seed++, &steps);
    printf ("1..1\n%s 1 - %llu worlds\n", good ? "ok" : "not ok",
            (unsigned long long)options.worlds);
    return !good;
}

static void show (uint64_t seed, uint64_t steps, double left)
{
    printf ("%sseed %llu, %.1f million steps, %.0f per second of one "
            "processor, %.0f s left%s",
            isatty (1) ? "\r" : "", (unsigned long long)seed,
            (double)steps / 1e6,
            (double)steps / seconds (CLOCK_PROCESS_CPUTIME_ID), left,
            isatty (1) ? "\033[K" : "\n");
    fflush (stdout);
}

static int soak (void)
{
    uint64_t steps = 0, seed = options.seed;
    double end = seconds (CLOCK_MONOTONIC) + options.soak, next = 0;
    for (;; seed++) {
        double now = seconds (CLOCK_MONOTONIC);
        if (now >= next || now >= end)
            show (seed, steps, end > now ? end - now : 0);
        if (now >= end)
            break;
        if (now >= next)
            next = now + (isatty (1) ? 1 : 30);
        if (!live (seed, &steps))
            return 1;
    }
    puts ("");
    return 0;
}

static int misuse (void)
{
    fputs ("usage: test_worlds [--seed N] [--steps N] [--worlds N] "
           "[--trace 1] [--soak SECONDS]\n",
           stderr);
    return 2;
}

int main (int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!value)
            return misuse ();
        if (!strcmp (argv[i], "--seed")) {
            options.seed = strtoull (value, NULL, 10);
            options.worlds = 1;
        } else if (!strcmp (argv[i], "--steps"))
            options.steps = strtoull (value, NULL, 10);
        else if (!strcmp (argv[i], "--worlds"))
            options.worlds = strtoull (value, NULL, 10);
        else if (!strcmp (argv[i], "--trace"))
            options.trace = *value != '0';
        else if (!strcmp (argv[i], "--soak"))
            options.soak = strtod (value, NULL);
        else
            return misuse ();
    }
    return options.soak > 0 ? soak () : run_some ();
}
