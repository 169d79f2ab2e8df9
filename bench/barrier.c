/* A closely synchronised program: all processes of a job work for a moment,
 * then wait for each other, again and again. They wait by looking, as the
 * processes of a parallel program do that have their processors to
 * themselves; so it matters that all of them run at the same time.
 *
 * Usage: barrier FILE ROUNDS MICROSECONDS
 *
 * FILE and the number of the job name a file that the processes share. The
 * first process prints rounds a second of its own elapsed time. */
#include <fcntl.h>
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

static void meet (struct meeting *meeting, uint32_t all)
{
    uint32_t round = atomic_load (&meeting->round);
    if (atomic_fetch_add (&meeting->there, 1) + 1 == all) {
        atomic_store (&meeting->there, 0);
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
    enum { STEPS = 100000, TRIALS = 20 };
    int64_t best = INT64_MAX;
    for (int i = 0; i < TRIALS; i++) {
        int64_t begin = now ();
        work (STEPS);
        if (now () - begin < best)
            best = now () - begin;
    }
    return best > 0 ? STEPS * 1000L / (long)best + 1 : 1;
}

int main (int argc, char **argv)
{
    long rank = number (getenv ("TORI_RANK"));
    long size = number (getenv ("TORI_SIZE"));
    char path[512];
    struct meeting *meeting;
    long rounds, steps;
    int64_t begin;
    int fd;
    if (argc != 4)
        return 2;
    snprintf (path, sizeof path, "%s.%ld", argv[1],
              number (getenv ("TORI_JOB")));
    fd = open (path, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || ftruncate (fd, sizeof *meeting) < 0)
        return 1;
    meeting = mmap (NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED,
                    fd, 0);
    if (meeting == MAP_FAILED)
        return 1;
    rounds = number (argv[2]);
    steps = calibrate () * number (argv[3]);
    meet (meeting, (uint32_t)size);
    begin = now ();
    for (long i = 0; i < rounds; i++) {
        work (steps);
        meet (meeting, (uint32_t)size);
    }
    if (rank == 0) {
        printf ("%.0f\n", (double)rounds * 1e9 / (double)(now () - begin));
        unlink (path);
    }
    return 0;
}
