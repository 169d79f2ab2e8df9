/* warden.h - a process that looks after one process of a job.
 *
 * The warden is the parent of the program that a job runs on a processor, and
 * adopts all processes that the program leaves. It lets them run in the
 * windows of time that it is given, and stops them by itself at the end of a
 * window. So orders are given beforehand, and a switch does not wait for a
 * message. When the program ends, or the rank that gave the orders is gone, it
 * kills the rest.
 *
 * In a window it also checks whether they do anything, and reports when none
 * of them ran for a whole turn. A share that sleeps may then be continued: its
 * processes are no longer stopped, so that they can wake up, and are checked
 * about every slot. When one of them runs they are stopped again, and the
 * warden reports it.
 *
 * Orders and events are fixed structures over a stream socket. Before the
 * orders comes the program: a struct warden_start and its texts.
 */
#ifndef TORI_GANGRUN_WARDEN_H
#define TORI_GANGRUN_WARDEN_H

#include <stdint.h>

#include "cage.h"

struct warden_start {
    int64_t slot;   /* how long a turn is; 0: sleep is not reported */
    uint32_t bytes; /* of texts, each with its zero: */
    uint32_t args;  /* how many words: the directory or "", the program */
    uint32_t told;  /* how many NAME=VALUE that override others */
    uint32_t vars;  /* and how many others, */
    bool bare;      /* beside the warden's own if not bare */
    bool scratch;   /* it gets a folder, TORI_SCRATCH, which is removed at the
                       end */
    uint32_t core;  /* from 1: only on this of the cores it may use, counted
                       round; 0: on all of them */
};

/* Run from `from` to `until`, by the monotonic clock in nanoseconds. Windows
 * that touch are one. From 0 to 0: stop now, and forget earlier orders. */
struct warden_order {
    int64_t from, until;
    bool sleep; /* continue them until one of them runs, or until the next
                   order */
    bool end;   /* kill all and report */
};

enum warden_event_kind {
    WARDEN_BEGAN, /* status: its process number */
    WARDEN_CONTINUED,
    WARDEN_STOPPED,
    WARDEN_RESTS, /* no process ran in this turn */
    WARDEN_STIRS, /* a process did, or woke up */
    WARDEN_ENDED
};

struct warden_event {
    enum warden_event_kind kind;
    int status;         /* ended: as a shell has it, 128 + a signal; began */
    int why;            /* ended: an error number if it never began, else 0 */
    int64_t used;       /* ended: processor time, in nanoseconds */
    bool foreseen;      /* the order came before it was due */
    int64_t due;        /* when the switch was to be */
    int64_t begin, end; /* when it was done */
};

/* Its descriptors: the socket for orders, those of the program, and one for an
 * MPI program (mpishare.h) or -1. */
enum warden_file {
    WARDEN_CONTROL,
    WARDEN_IN,
    WARDEN_OUT,
    WARDEN_ERR,
    WARDEN_DOOR,
    WARDEN_FILES
};

/* Close those that are open. */
void warden_close (const int files[WARDEN_FILES]);

/* The whole life of a warden; does not return. */
_Noreturn void warden_run (const int files[WARDEN_FILES],
                           enum cage_kind kind);

int64_t clock_now (void);

#endif
