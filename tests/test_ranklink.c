/* Messages between ranks that show late. MPI is played here: two ranks in one
 * process, and a message shows when the test lets it. */
#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "ranklink.h"

/* ---- MPI ---- */

enum { RANKS = 2, MOST = 64, LONGEST = 512 };

static struct {
    int self; /* whose turn it is */
    struct {
        int from, to, n;
        char data[LONGEST];
    } letter[MOST];
    int letters;
    int hidden; /* of these, the last so many do not show yet */
    uint64_t said[2]; /* what rank 0 told all: a name, a moment */
    int says[RANKS];
} world;

int MPI_Init (int *argc, char ***argv)
{
    return MPI_SUCCESS;
}

int MPI_Finalize (void)
{
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler (MPI_Comm comm, MPI_Errhandler handler)
{
    return MPI_SUCCESS;
}

int MPI_Comm_rank (MPI_Comm comm, int *rank)
{
    *rank = world.self;
    return MPI_SUCCESS;
}

int MPI_Comm_size (MPI_Comm comm, int *size)
{
    *size = RANKS;
    return MPI_SUCCESS;
}

int MPI_Get_processor_name (char *name, int *n)
{
    *n = snprintf (name, MPI_MAX_PROCESSOR_NAME, "here");
    return MPI_SUCCESS;
}

int MPI_Allgather (const void *from, int n, MPI_Datatype type, void *to,
                   int each, MPI_Datatype to_type, MPI_Comm comm)
{
    for (int i = 0; i < RANKS; i++)
        memcpy ((char *)to + i * each, from, (size_t)n);
    return MPI_SUCCESS;
}

/* The first rank is asked first. */
int MPI_Bcast (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t *said = &world.said[world.says[world.self]++];
    assert_int_equal (n, sizeof *said);
    if (world.self == root)
        memcpy (said, data, sizeof *said);
    else
        memcpy (data, said, sizeof *said);
    return MPI_SUCCESS;
}

int MPI_Barrier (MPI_Comm comm)
{
    return MPI_SUCCESS;
}

int MPI_Ibarrier (MPI_Comm comm, MPI_Request *request)
{
    return MPI_SUCCESS;
}

int MPI_Test (MPI_Request *request, int *done, MPI_Status *status)
{
    *done = 1;
    return MPI_SUCCESS;
}

int MPI_Isend (const void *data, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    int i = world.letters++;
    assert_true (i < MOST && n <= LONGEST);
    world.letter[i].from = world.self;
    world.letter[i].to = to;
    world.letter[i].n = n;
    memcpy (world.letter[i].data, data, (size_t)n);
    return MPI_SUCCESS;
}

static int first_shown (void)
{
    for (int i = 0; i < world.letters - world.hidden; i++)
        if (world.letter[i].to == world.self)
            return i;
    return -1;
}

int MPI_Iprobe (int from, int tag, MPI_Comm comm, int *found,
                MPI_Status *status)
{
    int i = first_shown ();
    *found = i >= 0;
    if (*found) {
        status->MPI_SOURCE = world.letter[i].from;
        status->count_lo = world.letter[i].n;
    }
    return MPI_SUCCESS;
}

int MPI_Get_count (const MPI_Status *status, MPI_Datatype type, int *n)
{
    *n = status->count_lo;
    return MPI_SUCCESS;
}

int MPI_Recv (void *data, int n, MPI_Datatype type, int from, int tag,
              MPI_Comm comm, MPI_Status *status)
{
    int i = first_shown ();
    memcpy (data, world.letter[i].data, (size_t)n);
    world.letters--;
    memmove (&world.letter[i], &world.letter[i + 1],
             (size_t)(world.letters - i) * sizeof world.letter[0]);
    return MPI_SUCCESS;
}

/* ---- two ranks ---- */

static struct link *links[RANKS];

static struct link *turn_of (int rank)
{
    world.self = rank;
    return links[rank];
}

static int set_up (void **state)
{
    int64_t epoch;
    memset (&world, 0, sizeof world);
    for (int i = 0; i < RANKS; i++) {
        turn_of (i);
        if (link_open (&links[i], NULL) < 0
            || link_agree (links[i], &epoch, NULL) < 0)
            return -1;
    }
    return 0;
}

static int tear_down (void **state)
{
    world.hidden = 0;
    for (int i = 0; i < RANKS; i++)
        link_close (turn_of (i));
    return 0;
}

static void send_number (uint64_t number)
{
    struct wire wire = {.kind = WIRE_STOP, .task = number};
    assert_int_equal (link_send (turn_of (0), 1, &wire, NULL, NULL), 0);
}

/* The number of the next message that shows to rank 1, 0 if none does. */
static uint64_t next_number (void)
{
    struct bytes bytes = {0};
    struct wire wire = {0};
    int found = link_receive (turn_of (1), &wire, &bytes, NULL);
    bytes_clear (&bytes);
    return found > 0 ? wire.task : 0;
}

/* Rank 1 hears bells and looks once for what shows, the last `hidden` do not.
 * Whether it looks again soon, though no bell rings. */
static bool looks_again (int hidden, uint64_t first, uint64_t last)
{
    enum { LONG = 100000000, LATER = 6000000 };
    world.hidden = hidden;
    link_silence (turn_of (1));
    while (first <= last)
        assert_int_equal (next_number (), first++);
    assert_int_equal (next_number (), 0);
    nanosleep (&(struct timespec){.tv_nsec = LATER}, NULL);
    return link_patience (turn_of (1)) < LONG;
}

static void test_late (void **state)
{
    send_number (1);
    assert_true (looks_again (1, 1, 0));
    assert_true (looks_again (1, 1, 0));
    assert_false (looks_again (0, 1, 1));
}

/* What shows is the one before, each time. */
static void test_one_behind (void **state)
{
    send_number (1);
    assert_true (looks_again (1, 1, 0));
    for (uint64_t i = 2; i < 6; i++) {
        send_number (i);
        assert_true (looks_again (1, i - 1, i - 1));
    }
    assert_false (looks_again (0, 5, 5));
}

/* A message that comes before its bell is not waited for. */
static void test_early (void **state)
{
    send_number (1);
    assert_int_equal (next_number (), 1);
    assert_false (looks_again (0, 1, 0));
}

/* A bell that nobody hears cannot be rung for ever; it is rung later. */
static void test_deaf (void **state)
{
    enum { N = 40 };
    for (uint64_t i = 1; i <= N; i++)
        send_number (i);
    looks_again (1, 1, N - 1);
    link_patience (turn_of (0));
    assert_true (looks_again (1, 1, 0));
    assert_false (looks_again (0, N, N));
}

/* What the dead were about to send is not waited for. */
static void test_dead (void **state)
{
    send_number (1);
    assert_true (looks_again (1, 1, 0));
    link_lost (turn_of (1), 0);
    assert_false (looks_again (1, 1, 0));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown (test_one_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown (test_early, set_up, tear_down),
        cmocka_unit_test_setup_teardown (test_deaf, set_up, tear_down),
        cmocka_unit_test_setup_teardown (test_dead, set_up, tear_down),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
