/* attempt.h - the directory of one attempt to run a job.
 *
 * A job runs under a guard, which outlives the executor that started it. So
 * all that an executor needs to find it again is in a directory, JOB.ATTEMPT,
 * or JOB.ATTEMPT.STATE if torid names its state that began it:
 *
 *     lock    locked by the guard for as long as it lives
 *     guard   its process number
 *     hosts   one line per node, for mpirun
 *     script  what it runs, if that came with the order
 *     began   is there once the program has begun
 *     ended   how it ended: JSON, written whole
 *
 * The directory is made before anything is started, under another name until
 * its lock is in it. An attempt whose directory exists is not started again.
 * After an order to forget an attempt, its directory is emptied but stays for
 * a day, because orders may come twice.
 */
#ifndef TORI_EXECUTOR_ATTEMPT_H
#define TORI_EXECUTOR_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>
#include <tori/error.h>

/* The state of torid that began it: an identity and an epoch in one word.
 * Empty for a torid that does not name it. */
enum { ATTEMPT_STATE = 48 };

struct attempt {
    int64_t job, attempt;
    char state[ATTEMPT_STATE];
};

/* Their order, by job, attempt and state: less than 0, 0 or more, as for
 * qsort. */
int attempt_compare (const struct attempt *a, const struct attempt *b);

/* The attempt of a message; and a message about an attempt. */
bool attempt_read (const json_t *message, struct attempt *ret);
json_t *attempt_message (const char *is, const struct attempt *attempt);

enum { ATTEMPT_NAME = 48 + ATTEMPT_STATE };
void attempt_name (const struct attempt *attempt, char to[ATTEMPT_NAME]);

enum attempt_state {
    ATTEMPT_NEW,      /* there is no such directory */
    ATTEMPT_STARTING, /* its guard lives, the program has not begun */
    ATTEMPT_RUNNING,  /* ... and it has */
    ATTEMPT_ENDED,    /* its end has been written */
    ATTEMPT_LOST,     /* its guard is gone and has written nothing */
    ATTEMPT_FORGOTTEN
};

/* Make the directory of an attempt: a descriptor, with its lock taken by
 * *ret_lock. TORI_FAILED if it cannot be made, or exists already. */
int attempt_create (int jobs, struct attempt attempt, int *ret_lock,
                    tori_error *err);

/* The existing directory of an attempt, or -1. */
int attempt_open (int jobs, struct attempt attempt);

enum attempt_state attempt_look (int dir);

/* Write a small file of it that appears whole; 0, or -1 with TORI_FAILED. */
int attempt_write (int dir, const char *name, const char *text,
                   tori_error *err);

/* How it ended, as the guard wrote it; NULL if that cannot be read. */
json_t *attempt_ending (int dir);

/* The process number of its guard; 0 if there is none. */
pid_t attempt_guard (int dir);

/* A descriptor of this guard (pidfd_open), or -1. Another process cannot have
 * got its number: the guard still has its lock after the descriptor was
 * opened. */
int attempt_guard_open (int dir, pid_t guard);

void attempt_forget (int dir);

/* Call a function for every attempt, in the order of jobs and attempts, and
 * remove those that were forgotten a day ago. */
int attempts_each (int jobs, void (*each) (void *arg, struct attempt attempt),
                   void *arg, tori_error *err);

#endif
