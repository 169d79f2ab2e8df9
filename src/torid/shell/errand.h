/* errand.h - work that takes a while, done by a process of its own.
 *
 * fork(2) gives that process all that torid knows, as it is at this moment,
 * for nothing. It makes a text, which comes back through a pipe, while the
 * loop goes on. It has a low priority: those who wait for torid go first. It
 * can be stopped at any time, whatever it does, so no question outlasts torid
 * or its deadline. And if the system runs out of memory, it goes before torid
 * does.
 *
 * The loop never waits for the process. One that reads the files of a user may
 * not die when it is killed: not before their file system answers. It is left
 * behind, its owner goes on without it, and it is counted until it has died.
 *
 * torid has no threads, so no other thread holds a lock of malloc when it
 * forks, and the process may use everything that torid may. A thread in torid
 * would end that: `torid: one_thread` looks for one.
 */
#ifndef TORI_TORID_ERRAND_H
#define TORI_TORID_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <uv.h>

#include <tori/error.h>

struct errand;
struct worker; /* a process, until it has died */

/* All errands of a loop. */
struct errands {
    uv_loop_t *loop;
    struct worker *left; /* were stopped, and have not died yet */
};

/* How many processes are left behind: those of an owner, or, if it is NULL, of
 * all. */
size_t errands_left (const struct errands *errands, const void *owner);

/* When all are stopped, and before the loop is closed: forget who is left. */
void errands_end (struct errands *errands);

/* In the process: write the text. Its changes to memory stay in the process.
 * Only the descriptor and standard error are open. -1 if it fails. */
typedef int errand_work_fn (struct errand *errand, int fd);

/* Write all of it; -1 if that fails. */
int errand_write (int fd, const char *text, size_t n);

/* In the loop: the process has ended, or was stopped. The text is the callee's
 * to free, and ends with a byte that is 0; it is NULL if the process failed or
 * was stopped. The errand may be freed, or begin again. */
typedef void errand_done_fn (struct errand *errand, char *text, size_t n);

struct errand {
    uv_pipe_t pipe;
    pid_t pid; /* 0: nothing is under way */
    struct errands *all;
    struct worker *worker; /* NULL: it has died */
    const void *owner;     /* whose it is when it is left behind, or NULL */
    void *arg;             /* the owner's */
    errand_done_fn *done;
    bool good, read; /* it ended well; its text has come in full */
    char *text; /* so far */
    size_t n, room;
};

/* Nothing must be under way. */
int errand_begin (struct errand *errand, struct errands *all,
                  errand_work_fn *work, errand_done_fn *done, void *arg,
                  tori_error *err);

/* Kill the process, if there is one. The loop calls `done` soon, dead or not.
 */
void errand_stop (struct errand *errand);

#endif
