#include "meeting.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "keyseal.h"
#include "mpileave.h"
#include "warden.h"

static int enter_mpi (struct meeting *meeting, tori_error *err)
{
    const char *other = getenv ("OMPI_COMM_WORLD_SIZE");
    const char *step = getenv ("SLURM_STEP_NUM_TASKS");
    int rank, size;
    if (MPI_Init (NULL, NULL) != MPI_SUCCESS)
        return tori_error_set (err, TORI_FAILED, "MPI cannot be initialised");
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (size == 1 && other && strcmp (other, "1"))
        return tori_error_set (err, TORI_INVALID,
                               "this was started by Open MPI, and was built "
                               "with MPICH: use its mpirun, mpirun.mpich or "
                               "mpiexec.hydra (jobs may use either MPI)");
    if (size == 1 && step && strcmp (step, "1") && !getenv ("PMI_FD"))
        return tori_error_set (err, TORI_INVALID,
                               "srun has told MPICH nothing of the other "
                               "tasks: use srun --mpi=pmi2");
    meeting->self = (uint32_t)rank;
    meeting->size = (uint32_t)size;
    meeting->card = calloc ((size_t)size, sizeof *meeting->card);
    return meeting->card ? 0 : tori_error_nomem (err);
}

/* The first rank alone makes the key. */
static int make_key (struct meeting *meeting, tori_error *err)
{
    struct run_key *key = &meeting->key;
    if (meeting->self > 0
        || getrandom (key, sizeof *key, 0) == (ssize_t)sizeof *key)
        return 0;
    return tori_error_set (err, TORI_FAILED, "no random numbers");
}

/* MPI sends in clear, so the key goes to each rank under a seal of its own.
 * The first rank's copy takes the same way. */
static int share_key (struct meeting *meeting, const struct seal *own,
                      tori_error *err)
{
    unsigned char (*open)[SEAL_BYTES] = calloc (meeting->size, sizeof *open);
    struct run_key *sealed = calloc (meeting->size, sizeof *sealed);
    int status = open && sealed ? 0 : tori_error_nomem (err);
    if (status < 0)
        goto out;
    MPI_Allgather (own->open, SEAL_BYTES, MPI_BYTE, open, SEAL_BYTES, MPI_BYTE,
                   MPI_COMM_WORLD);
    for (uint32_t i = 0; meeting->self == 0 && i < meeting->size; i++) {
        sealed[i] = meeting->key;
        seal_turn (own, open[i], &sealed[i]);
    }
    MPI_Scatter (sealed, sizeof *sealed, MPI_BYTE, &meeting->key,
                 sizeof meeting->key, MPI_BYTE, 0, MPI_COMM_WORLD);
    seal_turn (own, open[0], &meeting->key);
out:
    free (open);
    free (sealed);
    return status;
}

int meeting_begin (struct meeting *meeting, tori_error *err)
{
    struct card own;
    struct seal seal;
    *meeting = (struct meeting){.door = -1};
    if (enter_mpi (meeting, err) < 0)
        return -1;
    meeting->door = door_open (&own, err);
    if (meeting->door < 0 || make_key (meeting, err) < 0
        || seal_make (&seal, err) < 0)
        return -1;
    MPI_Allgather (&own, sizeof own, MPI_BYTE, meeting->card, sizeof own,
                   MPI_BYTE, MPI_COMM_WORLD);
    return share_key (meeting, &seal, err);
}

/* ---- the time ---- */

enum { EXCHANGES = 16 };

static void tell_time (int rank)
{
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t now;
        MPI_Recv (&now, 1, MPI_INT64_T, rank, 0, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
        now = clock_now ();
        MPI_Send (&now, 1, MPI_INT64_T, rank, 0, MPI_COMM_WORLD);
    }
}

static void ask_time (struct runclock *clock)
{
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t asked = clock_now (), told = 0;
        MPI_Send (&asked, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
        MPI_Recv (&told, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
        runclock_learn (clock, asked, clock_now (), told, 0);
    }
}

static bool shares_clock (const struct meeting *meeting, uint32_t rank)
{
    return !strcmp (meeting->card[rank].clock, meeting->card[0].clock);
}

/* The first rank takes the others in their order. */
static void agree_on_time (const struct meeting *meeting,
                           struct runclock *clock)
{
    if (meeting->self > 0 && !shares_clock (meeting, meeting->self))
        ask_time (clock);
    for (uint32_t i = 1; meeting->self == 0 && i < meeting->size; i++)
        if (!shares_clock (meeting, i))
            tell_time ((int)i);
}

/* ---- the end ---- */

/* The error of the first rank that has one, at all ranks. */
static int share_failure (const struct meeting *meeting,
                          const tori_error *failed, tori_error *err)
{
    int own = failed ? (int)meeting->self : (int)meeting->size;
    int first;
    tori_error told = failed ? *failed : (tori_error){0};
    MPI_Allreduce (&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == (int)meeting->size)
        return 0;
    MPI_Bcast (&told, sizeof told, MPI_BYTE, first, MPI_COMM_WORLD);
    return tori_error_set (err, told.status, "%s", told.text);
}

int meeting_end (struct meeting *meeting, const tori_error *failed,
                 struct runclock *clock, int64_t *ret_epoch, tori_error *err)
{
    int status = share_failure (meeting, failed, err);
    if (status == 0) {
        int64_t epoch;
        agree_on_time (meeting, clock);
        MPI_Barrier (MPI_COMM_WORLD);
        epoch = clock_now ();
        MPI_Bcast (&epoch, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        *ret_epoch = epoch;
    }
    mpi_leave ();
    return status;
}
