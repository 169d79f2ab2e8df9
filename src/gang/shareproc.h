/* shareproc.h - the process of a job on this rank's processor: its warden, and
 * its pipes or terminal. rankshare.h acts on what they send. */
#ifndef TORI_GANGRUN_SHAREPROC_H
#define TORI_GANGRUN_SHAREPROC_H

#include "layout.h"
#include "rank.h"
#include "sink.h"

struct stream {
    struct share *share;
    uint32_t number; /* 1 or 2 */
    int fd;          /* -1 at the end */
    uint64_t owed;   /* bytes on their way */
    struct bytes kept;
};

struct share {
    struct rank *rank;
    struct task *task;
    uint32_t index; /* of all processes of the job */
    size_t stage;
    uint32_t in_stage;
    uint32_t node; /* the partition of the stage */
    int control;
    pid_t warden; /* 0: it has not reported it */
    struct stream out, err;
    uint32_t target;     /* the rank that gets standard output */
    struct sink input;   /* fd -1: none */
    uint32_t writers;    /* processes that still write to it */
    struct bytes events; /* from the warden, as far as they have come */
    struct {
        int64_t agreed, local;
    } edge;     /* the end of its last turn */
    bool rests; /* the last report to the host of the job's node */
    bool ended, told;
    int status;
    int64_t used; /* processor time, in nanoseconds */
};

/* Have a warden started for a share, which has everything but descriptors.
 * Returns 0, or an error number. */
int share_spawn (struct share *share, const struct layout *layout);

/* Send the warden an order. A warden that is gone is noticed when its events
 * are read. */
void share_order (const struct share *share, const struct warden_order *order);

/* The terminal of a process has another size, as the pty of a spec. */
void share_resize (int terminal, int64_t size);

/* Close a descriptor, which becomes -1. */
void share_close (int *fd);

/* Free a share, and kill its processes. NULL is allowed. */
void share_destroy (struct rank *rank, struct share *share);

#endif
