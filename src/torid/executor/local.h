/* local.h - the state of torid-local, for its two files: local.c obeys orders,
 * and kept.c keeps the attempts that were started. */
#ifndef TORI_EXECUTOR_LOCAL_H
#define TORI_EXECUTOR_LOCAL_H

#include <poll.h>

#include "family.h"
#include "guard.h"
#include "jsonlines.h"

/* An attempt for which no order to forget has come. */
struct kept {
    struct attempt which;
    int dir;
    int news;    /* readable when the attempt should be checked; -1: at its
                    end, but its guard was still there */
    pid_t guard; /* 0: not known */
    bool homeless; /* its folder is gone, but its guard lives: `news` is of the
                      guard */
    bool told;     /* its start was reported */
    bool found;    /* another executor started it, and may not have been heard:
                      `news` does not say that it begins */
    bool owed, limited; /* these requests are to be sent to its guard when that
                           is known: */
    struct guard_request request, limit;
};

struct local {
    int jobs;
    struct kept *kept; /* by job and attempt */
    size_t n, room;
    struct pollfd *fds;
    size_t fds_room;
    struct lines lines;
    double patience; /* seconds within which a job has to begin */
    rlim_t files;    /* files that a job may have open */
    struct kin others; /* children that this process had from the start */
    const char *identity; /* of the state of torid, or NULL */
    json_t *badges;       /* of all guards, as last found */
    int64_t highest;      /* the highest number of a job so far */
    json_t *held;         /* orders to start that wait for room, by the names
                             of their attempts and in order, */
    double pause, next;   /* and how long until when */
    bool troubled;        /* torid was told so */
};

/* The place of an attempt among the kept ones; NULL if it is not kept. */
struct kept *kept_find (struct local *l, struct attempt which);

/* Keep an attempt. Without memory this process ends; the jobs go on. */
void kept_add (struct local *l, struct kept kept);
void kept_drop (struct local *l, struct kept *kept);

/* Send what its guard is owed, if the guard is known. */
void kept_pass_on (struct kept *kept);

/* Check an attempt and report changes. False if it is over. */
bool kept_review (const struct local *l, struct kept *kept);

/* The same for all of them: drop those that are over. */
void kept_review_all (struct local *l);

/* Whether one of them has to be checked soon, though nothing is readable. */
bool kept_are_unsettled (const struct local *l);

/* Report the state of an attempt that is not kept here, or keep it: `arg` is
 * the state of torid-local. */
void kept_take_stock (void *arg, struct attempt which);

/* The same for all attempts that have a folder or a guard. */
void kept_look_around (struct local *l);

/* An attempt with its guard's badge: a torid that does not know it needs to
 * know its nodes. */
json_t *kept_describe (const struct local *l, const struct kept *kept);

/* A failure of this host is not the job's: it may start elsewhere. */
void local_mark_host (json_t *message);

#endif
