/* front_parts.h - what the parts of the front share: its jobs, and the clients
 * that submit them, stop the run or ask how it is.
 *
 *   front.c          from the job file to the report, step by step
 *   record.c         the list of jobs, the clocks, and the report
 *   front_jobs.c     a job: whether it can run, its beginning and its end
 *   front_output.c   what jobs print
 *   front_answers.c  what clients are told, and what they give jobs to read
 *   front_clients.c  the clients at the socket, and what they want
 *   front_lost.c     a rank has died: which jobs died with it
 */
#ifndef TORI_GANGRUN_FRONT_PARTS_H
#define TORI_GANGRUN_FRONT_PARTS_H

#include <limits.h>
#include <signal.h>

#include "emit.h"
#include "frame.h"
#include "front.h"
#include "listener.h"
#include "record.h"
#include "sink.h"

/* Where a run with a job file prints to when it has lost a host. */
#define FRONT_APART "tori-gang.out"

/* The status of a job that was killed, or lost. */
enum { KILLED = 128 + SIGKILL };

/* Whether the run goes on: without end, until the last job has ended, or until
 * they have been killed. */
enum stop { STOP_NOT, STOP_DRAIN, STOP_NOW };

struct client {
    int fd;
    struct bytes in;
    struct sink sink;
    struct job *job;
    bool heard;  /* what it wants has come */
    bool feeds;  /* there is more for the job to read */
    bool wanted; /* by a process on rank `reader` */
    uint32_t reader;
    uint64_t owed;           /* bytes on their way to it */
    bool waits;              /* for the end of the run */
    const struct job *awaited; /* it waits for the end of this one */
    struct inquiry *inquiry; /* it asks how the run is; NULL: it does not */
    bool all;                /* jobs that have ended, too */
    bool gone;
};

struct front {
    struct job **job;
    size_t jobs, job_room;
    size_t open; /* that have not ended */
    struct client **client;
    size_t clients, client_room;
    struct listener listener;
    bool crowded; /* the last could not be let in: nobody is until something
                     happens, or for a moment */
    struct outfile *report; /* NULL: none */
    struct sink out, err;
    struct records records;
    struct clock_report *clock; /* a rank */
    uint32_t era;     /* the last one called for */
    uint32_t waiting; /* ranks that are not ready for it */
    bool failed;
    enum stop stop;
    uint64_t inquiries; /* so far */
    int64_t alone;      /* since when mpirun is gone; 0: it is there, or is not
                           missed: it went with a host */
    bool survived;      /* the latter */
    bool apart;           /* it prints to a file of its own */
    struct inquiry *roll; /* who is there without mpirun? NULL: not asked */
    int64_t give_up;    /* when nobody is waited for any more; 0: not yet */
};

/* ---- jobs ---- */

/* TORI_NEVER, with the reason, if no partition without a dead processor has
 * as many processors as the job has processes. */
int job_check_size (const struct rank *rank, const struct spec *spec,
                    tori_error *err);

/* Takes the spec, unless it fails: NULL. */
struct job *job_add (struct rank *rank, struct spec *spec, int64_t line);

/* The job whose last attempt this task is; NULL: it is an earlier one's. */
struct job *job_find (const struct rank *rank, uint64_t task);

/* Begin the jobs whose time has come; *ret_next becomes when the next one's
 * has, if that is sooner. */
void jobs_begin_due (struct rank *rank, int64_t *ret_next);
void job_start (struct rank *rank, struct job *job);

/* Its processes are killed, once they are where they run, because of `why`,
 * which is kept. */
void job_cancel (struct rank *rank, struct job *job, const char *why);

/* It has ended, and its client is told; `why` is empty if the status says it
 * all. Nothing happens to one that has ended before. */
void job_end (struct rank *rank, struct job *job, int status, const char *why);

/* Open the files that it prints to, if it asked for some and they are not open
 * yet. */
int job_open_output (struct rank *rank, struct job *job, tori_error *err);

/* The path of the file of a process; TORI_INVALID if that is too long. */
int job_output_path (const struct job *job, uint32_t index,
                     char ret_path[PATH_MAX], tori_error *err);

void job_close_output (struct rank *rank, struct job *job);

/* ---- clients ---- */

/* Send a client something; the last is a status and a text. */
void client_put (struct rank *rank, struct client *client,
                 enum frame_kind kind, const char *data, size_t n);
void client_answer (struct rank *rank, struct client *client,
                    enum frame_kind kind, int64_t status, const char *text);

/* The client's job has ended, or cannot run, and why; and the same for all who
 * wait for a job. */
void client_answer_end (struct rank *rank, struct client *client,
                        const struct job *job);
void clients_answer_end (struct rank *rank, struct job *job);

/* Whether what it says is wanted now. */
bool client_may_hear (const struct client *client);

/* Pass on to its job what has come to be read. A client that says something else
 * is not spoken to any more. */
void client_feed (struct rank *rank, struct client *client);

void clients_watch (struct rank *rank);

/* Answer those who ask how the run is and whom all ranks have answered, or
 * who have waited long enough; *ret_next becomes when the next one has. */
void clients_tell (struct rank *rank, int64_t *ret_next);

/* Whether all have got what was said to them. */
bool clients_heard (const struct front *front);

/* The run has ended; for those who wait for it. */
void clients_tell_end (struct rank *rank);
void clients_destroy (struct rank *rank);

/* Whether mpirun is gone, and what follows; *ret_next is when to look again. */
void front_look_for_mpirun (struct rank *rank, int64_t *ret_next);

/* What is known of the clock of every rank, as a member of a JSON object. */
void emit_clocks (struct emit *e, const struct rank *rank);

#endif
