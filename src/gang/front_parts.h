/* front_parts.h - shared by the parts of the front: its jobs, and the clients
 * that submit them, stop the run or ask for its state.
 *
 *   front.c          from the job file to the report, step by step
 *   record.c         the list of jobs, the clocks, and the report
 *   front_jobs.c     a job: whether it can run, its beginning and its end
 *   front_output.c   the output of jobs
 *   front_answers.c  answers to clients, and their input for jobs
 *   front_clients.c  the clients at the socket, and their requests
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

/* The file for the output of a run with a job file that has lost a host. */
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
    bool heard;  /* its request has come */
    bool feeds;  /* there is more for the job to read */
    bool wanted; /* by a process on rank `reader` */
    uint32_t reader;
    uint64_t owed;           /* bytes on their way to it */
    bool waits;              /* it waits for the end of the run */
    const struct job *awaited; /* it waits for the end of this job */
    struct inquiry *inquiry; /* it asks for the state of the run; NULL: it does
                                not */
    bool all;                /* it asks for jobs that have ended, too */
    bool gone;
};

struct front {
    struct job **job;
    size_t jobs, job_room;
    size_t open; /* jobs that have not ended */
    struct client **client;
    size_t clients, client_room;
    struct listener listener;
    bool crowded; /* the last client could not be accepted: none is until
                     something happens, or for a moment */
    struct outfile *report; /* NULL: none */
    struct sink out, err;
    struct records records;
    struct clock_report *clock; /* a rank */
    uint32_t era;     /* the last one called for */
    uint32_t waiting; /* ranks that are not ready for it */
    bool failed;
    enum stop stop;
    uint64_t inquiries; /* so far */
    int64_t alone;      /* since when mpirun is gone; 0: it is there, or it
                           ended because of a lost host */
    bool survived;      /* mpirun ended because of a lost host */
    bool apart;           /* it prints to a file of its own */
    struct inquiry *roll; /* which ranks answer without mpirun? NULL: not
                             asked */
    int64_t give_up;      /* when the run stops waiting; 0: not yet */
};

/* ---- jobs ---- */

/* TORI_NEVER, with the reason, if no partition without a dead processor has
 * as many processors as the job has processes. */
int job_check_size (const struct rank *rank, const struct spec *spec,
                    tori_error *err);

/* Takes the spec, unless it fails: NULL. */
struct job *job_add (struct rank *rank, struct spec *spec, int64_t line);

/* The job whose last attempt this task is; NULL if the task is an earlier
 * attempt. */
struct job *job_find (const struct rank *rank, uint64_t task);

/* Begin the jobs whose time has come; *ret_next becomes when the next one's
 * has, if that is sooner. */
void jobs_begin_due (struct rank *rank, int64_t *ret_next);
void job_start (struct rank *rank, struct job *job);

/* Kill its processes as soon as they are placed. `why`, the reason, must
 * outlive the job. */
void job_cancel (struct rank *rank, struct job *job, const char *why);

/* End a job and report that to its client; `why` is empty if the status says
 * it all. A job that has ended before is left alone. */
void job_end (struct rank *rank, struct job *job, int status, const char *why);

/* Open the files that it prints to, if it asked for some and they are not open
 * yet. */
int job_open_output (struct rank *rank, struct job *job, tori_error *err);

/* The path of the file of a process; TORI_INVALID if that is too long. */
int job_output_path (const struct job *job, uint32_t index,
                     char ret_path[PATH_MAX], tori_error *err);

void job_close_output (struct rank *rank, struct job *job);

/* ---- clients ---- */

/* Send a client something; client_answer sends the last frame, a status and a
 * text. */
void client_put (struct rank *rank, struct client *client,
                 enum frame_kind kind, const char *data, size_t n);
void client_answer (struct rank *rank, struct client *client,
                    enum frame_kind kind, int64_t status, const char *text);

/* Report to the job's client that it has ended, or cannot run, and why; and to
 * all clients that wait for a job. */
void client_answer_end (struct rank *rank, struct client *client,
                        const struct job *job);
void clients_answer_end (struct rank *rank, struct job *job);

/* Whether its next frames are wanted now. */
bool client_may_hear (const struct client *client);

/* Pass on to its job the input that has come. A client that sends another
 * frame is not listened to any more. */
void client_feed (struct rank *rank, struct client *client);

void clients_watch (struct rank *rank);

/* Answer the clients that ask for the state of the run if all ranks have
 * answered, or the wait was long enough; *ret_next becomes when the next one
 * is due. */
void clients_tell (struct rank *rank, int64_t *ret_next);

/* Whether all answers to clients are written. */
bool clients_heard (const struct front *front);

/* The run has ended: answer the clients that wait for that. */
void clients_tell_end (struct rank *rank);
void clients_destroy (struct rank *rank);

/* Check whether mpirun is gone, and act on it; *ret_next is when to check
 * again. */
void front_look_for_mpirun (struct rank *rank, int64_t *ret_next);

/* The clock of every rank, as a member of a JSON object. */
void emit_clocks (struct emit *e, const struct rank *rank);

#endif
