/* mpi_load.c - an MPI program that keeps the network busy and checks all that
 * comes: everybody to everybody, at once and as bursts of messages that must
 * keep their order, a ring and a reduction, for so many seconds and for
 * LEAST rounds, however slow the machine is.
 * With a second word each process first says which it is, also as an error.
 * The last line says how often; any message that is lost, repeated or changed
 * ends it with 1. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpileave.h"

enum { WORDS = 2048, BURST = 8, PART = WORDS / BURST, LEAST = 2 };

static int rank, size;

static uint64_t word (int from, int to, long round, int i)
{
    uint64_t x = (uint64_t)round * 1000003u + (uint64_t)from * 10007u
                 + (uint64_t)to * 101u + (uint64_t)i;
    x ^= x >> 31;
    return x * 0x9e3779b97f4a7c15u;
}

static void check (int good, const char *what, long round)
{
    if (good)
        return;
    printf ("rank %d: %s of round %ld is wrong\n", rank, what, round);
    fflush (stdout);
    MPI_Abort (MPI_COMM_WORLD, 1);
}

static void exchange (uint64_t *out, uint64_t *in, long round)
{
    for (int to = 0; to < size; to++)
        for (int i = 0; i < WORDS; i++)
            out[to * WORDS + i] = word (rank, to, round, i);
    MPI_Alltoall (out, WORDS, MPI_UINT64_T, in, WORDS, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int i = 0; i < WORDS; i++)
            check (in[from * WORDS + i] == word (from, rank, round, i),
                   "a message", round);
}

static uint64_t *part (uint64_t *all, int whose, int k)
{
    return &all[whose * WORDS + k * PART];
}

/* Messages of one kind between two processes overtake nobody. */
static void burst (uint64_t *out, uint64_t *in, MPI_Request *under_way,
                   long round)
{
    int n = 0;
    for (int i = 0; i < size * WORDS; i++)
        out[i] = word (rank, i / WORDS, ~round, i % WORDS);
    for (int k = 0; k < BURST; k++)
        for (int other = 0; other < size; other++) {
            MPI_Irecv (part (in, other, k), PART, MPI_UINT64_T, other, 2,
                       MPI_COMM_WORLD, &under_way[n++]);
            MPI_Isend (part (out, other, k), PART, MPI_UINT64_T, other, 2,
                       MPI_COMM_WORLD, &under_way[n++]);
        }
    while (n > 0)
        MPI_Wait (&under_way[--n], MPI_STATUS_IGNORE);
    for (int i = 0; i < size * WORDS; i++)
        check (in[i] == word (i / WORDS, rank, ~round, i % WORDS), "a burst",
               round);
}

static void pass_around (long round)
{
    uint64_t mine = word (rank, 0, round, 1), theirs = 0;
    int left = (rank + size - 1) % size;
    MPI_Sendrecv (&mine, 1, MPI_UINT64_T, (rank + 1) % size, 1, &theirs, 1,
                  MPI_UINT64_T, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check (theirs == word (left, 0, round, 1), "a neighbour", round);
}

static void add_up (long round)
{
    long mine = round * (rank + 1), all = 0;
    MPI_Allreduce (&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check (all == round * size * (size + 1) / 2, "a sum", round);
}

int main (int argc, char **argv)
{
    double until = argc > 1 ? strtod (argv[1], NULL) : 1;
    MPI_Request *under_way;
    uint64_t *out, *in;
    long round = 0;
    int on = 1;
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (argc > 2) {
        printf ("this is %d\n", rank);
        fprintf (stderr, "%s %d\n", argv[2], rank);
    }
    out = calloc ((size_t)size * WORDS, sizeof *out);
    in = calloc ((size_t)size * WORDS, sizeof *in);
    under_way = calloc ((size_t)size * BURST * 2, sizeof *under_way);
    until += MPI_Wtime ();
    while (out && in && under_way && on) {
        exchange (out, in, round);
        burst (out, in, under_way, round);
        pass_around (round);
        add_up (round++);
        on = MPI_Wtime () < until || round < LEAST;
        MPI_Bcast (&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf ("%d processes, %ld rounds, all right\n", size, round);
    free (out);
    free (in);
    free (under_way);
    mpi_leave ();
    return 0;
}
