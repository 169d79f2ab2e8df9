/* The service in simulated worlds: see world.h.
 *
 *   test_worlds                       some worlds, in TAP
 *   test_worlds --seed N [--steps N]  one of them, again
 *               [--trace]             ... and what happens in it
 *   test_worlds --soak SECONDS        as many as there is time for
 *   test_worlds --hostile             ... with a user who means harm
 *   test_worlds --faults              faults are planted, and found
 *   test_worlds --fault NAME          one of them
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worlds.h"

enum { STEPS = 4000 };

static struct {
    uint64_t seed, steps, worlds;
    double soak; /* seconds */
    bool trace, hostile;
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
                                .trace = options.trace,
                                .hostile = options.hostile};
    uint64_t taken = 0;
    const char *found = world_live (&how, &taken);
    *steps += taken;
    if (!found)
        return true;
    printf ("# seed %llu: %s\n# repeat it with: %s --seed %llu "
            "--worlds 1 --steps %llu%s\n",
            (unsigned long long)seed, found, program_invocation_name,
            (unsigned long long)seed, (unsigned long long)options.steps,
            options.hostile ? " --hostile" : "");
    fflush (stdout);
    return false;
}

static int run_some (void)
{
    uint64_t steps = 0, seed = options.seed;
    bool good = true;
    while (good && seed < options.seed + options.worlds)
        good = live (seed++, &steps);
    if (!options.hostile && options.worlds >= 8) /* some are plain */
        good = good && plans_were_judged ();
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

/* ---- planted faults ---- */

/* Found in time, if a processor takes a hundred thousand steps in a second. */
enum { MINUTE = 6000000 };

/* In a process of its own, since what is found may be found by a crash. */
static int look_for (const char *fault)
{
    uint64_t steps = 0;
    fault_plant (fault);
    options.hostile = fault_needs_harm ();
    for (uint64_t seed = options.seed; steps < MINUTE; seed++)
        if (!live (seed, &steps))
            return 1;
    return 0;
}

static bool is_found (const char *fault)
{
    int status = 0;
    pid_t child;
    fflush (stdout);
    child = fork ();
    if (child == 0)
        _exit (look_for (fault));
    return child > 0 && waitpid (child, &status, 0) == child
           && (WIFSIGNALED (status) || WEXITSTATUS (status) == 1);
}

static int find_all (void)
{
    int bad = 0;
    size_t n = 0;
    for (; fault_name (n); n++) {
        bool found = is_found (fault_name (n));
        bad += !found;
        printf ("%s %zu - %s is found\n", found ? "ok" : "not ok", n + 1,
                fault_name (n));
    }
    printf ("1..%zu\n", n);
    return bad > 0;
}

static int misuse (void)
{
    fputs ("usage: test_worlds [--seed N] [--steps N] [--worlds N] [--trace] "
           "[--hostile] [--soak SECONDS] [--fault NAME] [--faults]\n",
           stderr);
    return 2;
}

/* ---- options ---- */

static bool read_number (const char *option, const char *value)
{
    uint64_t number = value ? strtoull (value, NULL, 10) : 0;
    if (!value)
        return false;
    if (!strcmp (option, "--seed"))
        options.seed = number;
    else if (!strcmp (option, "--steps"))
        options.steps = number;
    else if (!strcmp (option, "--worlds"))
        options.worlds = number;
    else if (!strcmp (option, "--soak"))
        options.soak = (double)number;
    else
        return !strcmp (option, "--fault") && fault_plant (value);
    return true;
}

int main (int argc, char **argv)
{
    bool faults = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp (argv[i], "--trace"))
            options.trace = true;
        else if (!strcmp (argv[i], "--hostile"))
            options.hostile = true;
        else if (!strcmp (argv[i], "--faults"))
            faults = true;
        else if (!read_number (argv[i], argv[i + 1]))
            return misuse ();
        else
            i++;
    }
    return faults ? find_all () : options.soak > 0 ? soak () : run_some ();
}
