/* An MPI program with so many rounds of work and messages, and one rank that
 * says how many seconds they took.
 *
 * Usage: mpi_work stencil|alltoall|reduce ROUNDS [FILE]
 *
 * A round is some 100 microseconds of work and then
 *   stencil    an exchange of edges with both neighbours, in a ring
 *   alltoall   some KiB from everybody to everybody
 *   reduce     a sum over all, which all get
 *
 * With a FILE, which all can map, rank 0 notes there when each round ended, for
 * who stops and continues the program and wants to know what came of it. If
 * that one asks, all stop before a round, when every message has arrived, and
 * wait until they are told to go on. */
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "mpileave.h"

enum { WORDS = 4096, EDGE = 1024, STEPS = 100000, NOTES = 1 << 20 };

/* The content of the file. */
struct notes {
    _Atomic int64_t asked;   /* to stop: the number of this request, */
    _Atomic int64_t allowed; /* and up to which of them they may go on */
    _Atomic int64_t stopped; /* ranks that have, in all */
    _Atomic int64_t rounds;
    int64_t end[NOTES];
};

static int rank, size;
static double *out, *in;

static void work (void)
{
    for (volatile long i = 0; i < STEPS; i++)
        ;
}

static void stencil (void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Sendrecv (out, EDGE, MPI_DOUBLE, right, 1, in, EDGE, MPI_DOUBLE, left,
                  1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv (out, EDGE, MPI_DOUBLE, left, 2, in, EDGE, MPI_DOUBLE, right,
                  2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void alltoall (void)
{
    MPI_Alltoall (out, WORDS, MPI_DOUBLE, in, WORDS, MPI_DOUBLE,
                  MPI_COMM_WORLD);
}

static void reduce (void)
{
    MPI_Allreduce (out, in, EDGE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*round) (void);
} kinds[] = {{"stencil", stencil}, {"alltoall", alltoall}, {"reduce", reduce}};

static struct notes *map (const char *path)
{
    int fd = open (path, O_RDWR | O_CLOEXEC);
    void *at = MAP_FAILED;
    if (fd >= 0 && ftruncate (fd, sizeof (struct notes)) == 0)
        at = mmap (NULL, sizeof (struct notes), PROT_READ | PROT_WRITE,
                   MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void note_round (struct notes *notes)
{
    int64_t n = atomic_load (&notes->rounds);
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    if (n == NOTES)
        return;
    notes->end[n] = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    atomic_store (&notes->rounds, n + 1);
}

/* Rank 0 looks for all, so that all stop before the same round. */
static void heed (struct notes *notes, int64_t *heeded)
{
    int64_t asked = rank == 0 ? atomic_load (&notes->asked) : 0;
    MPI_Bcast (&asked, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (asked == *heeded)
        return;
    *heeded = asked;
    MPI_Barrier (MPI_COMM_WORLD);
    atomic_fetch_add (&notes->stopped, 1);
    while (atomic_load (&notes->allowed) < asked)
        usleep (100);
}

static double play (void (*round) (void), long rounds, struct notes *notes)
{
    int64_t heeded = 0;
    double begin;
    MPI_Barrier (MPI_COMM_WORLD);
    begin = MPI_Wtime ();
    for (long i = 0; i < rounds; i++) {
        if (notes)
            heed (notes, &heeded);
        work ();
        round ();
        if (notes && rank == 0)
            note_round (notes);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    return MPI_Wtime () - begin;
}

int main (int argc, char **argv)
{
    size_t kind = 0, all = sizeof kinds / sizeof kinds[0];
    struct notes *notes;
    double took;
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    while (kind < all && (argc < 3 || strcmp (argv[1], kinds[kind].name)))
        kind++;
    out = calloc ((size_t)size * WORDS, sizeof *out);
    in = calloc ((size_t)size * WORDS, sizeof *in);
    notes = argc > 3 ? map (argv[3]) : NULL;
    if (kind == all || !out || !in || (argc > 3 && !notes))
        MPI_Abort (MPI_COMM_WORLD, 2);
    took = play (kinds[kind].round, strtol (argv[2], NULL, 10), notes);
    if (rank == 0)
        printf ("%.6f\n", took);
    free (out);
    free (in);
    mpi_leave ();
    return 0;
}
