/* A closely synchronised program: all processes of a job work for a moment,
 * then wait for each other, again and again. They wait by looking, as the
 * processes of a parallel program do that have their processors to
 * themselves; so it matters that all of them run at the same time.
 *
 * Usage: barrier FILE MILLISECONDS STEPS
 *        barrier
 *
 * FILE and the number of the job name a file that the processes share. Each
 * stays on a core of its own: that of its processor, TORI_PROCESSOR, where the
 * system lets it. They stop at the first meeting behind so many milliseconds;
 * the first process prints how often they met. Work is counted in steps, so
 * that it is the same in all runs; without arguments, how many steps a
 * microsecond takes is printed. */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct meeting {
    _Atomic uint32_t there;
    _Atomic uint32_t round;
    _Atomic uint32_t over;
};

static int64_t now (void)
{
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long number (const char *text)
{
    return text ? strtol (text, NULL, 10) : 0;
}

/* The last to come lets all others go, and looks at the clock for them. */
static void meet (struct meeting *meeting, uint32_t all, int64_t end)
{
    uint32_t round = atomic_load (&meeting->round);
    if (atomic_fetch_add (&meeting->there, 1) + 1 == all) {
        atomic_store (&meeting->there, 0);
        if (now () >= end)
            atomic_store (&meeting->over, 1);
        atomic_fetch_add (&meeting->round, 1);
    } else {
        while (atomic_load (&meeting->round) == round)
            ;
    }
}

/* Steps of work, the same however the process is stopped meanwhile. */
static void work (long steps)
{
    for (volatile long i = 0; i < steps; i++)
        ;
}

/* How many steps a microsecond takes: the best of some trials. */
static long calibrate (void)
{
    enum { STEPS = 100000, TRIALS = 500 };
    int64_t best = INT64_MAX;
    for (int i = 0; i < TRIALS; i++) {
        int64_t begin = now ();
        work (STEPS);
        if (now () - begin < best)
            best = now () - begin;
    }
    return best > 0 ? STEPS * 1000L / (long)best + 1 : 1;
}

/* Take the core of this number among those that there are. If it cannot be
 * had, the process goes where the system puts it. */
static void stay (long number)
{
    cpu_set_t all, one;
    CPU_ZERO (&one);
    if (sched_getaffinity (0, sizeof all, &all) < 0)
        return;
    number %= CPU_COUNT (&all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET (i, &all) && number-- == 0)
            CPU_SET (i, &one);
    (void)sched_setaffinity (0, sizeof one, &one);
}

static struct meeting *join (const char *path)
{
    struct meeting *meeting;
    int fd = open (path, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || ftruncate (fd, sizeof *meeting) < 0)
        return NULL;
    meeting = mmap (NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED,
                    fd, 0);
    return meeting == MAP_FAILED ? NULL : meeting;
}

/* How often all met in the time. */
static long play (struct meeting *meeting, uint32_t all, int64_t time,
                  long steps)
{
    long rounds = 0;
    int64_t end;
    meet (meeting, all, INT64_MAX);
    end = now () + time;
    while (!atomic_load (&meeting->over)) {
        work (steps);
        meet (meeting, all, end);
        rounds++;
    }
    return rounds;
}

int main (int argc, char **argv)
{
    char path[512];
    struct meeting *meeting;
    long rounds;
    if (argc == 1)
        return printf ("%ld\n", calibrate ()) < 0;
    if (argc != 4)
        return 2;
    snprintf (path, sizeof path, "%s.%ld", argv[1],
              number (getenv ("TORI_JOB")));
    stay (number (getenv ("TORI_PROCESSOR")));
    meeting = join (path);
    if (!meeting)
        return 1;
    rounds = play (meeting, (uint32_t)number (getenv ("TORI_SIZE")),
                   number (argv[2]) * 1000000, number (argv[3]));
    if (number (getenv ("TORI_RANK")) == 0) {
        printf ("%ld\n", rounds);
        unlink (path);
    }
    return 0;
}
