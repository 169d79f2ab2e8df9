/* account.h - what a user or a queue has now, and has had. */
#ifndef TORI_SERVICE_ACCOUNT_H
#define TORI_SERVICE_ACCOUNT_H

#include <jansson.h>

#include <tori/workload.h>

/* Usage is kept up to the last epoch, a whole minute of the clock. */
#define EPOCH (60 * TORI_SECOND)

/* The share of an account in the limit queue: limit_queue.c. */
struct limit_place {
    int64_t running, nodes; /* that may run beside what runs */
    int closed;             /* no others: 1 for jobs, 2 for nodes, 3 for the
                               hours of a queue */
};

struct account {
    char *name;
    int64_t queued;    /* jobs that wait */
    int64_t running;   /* that run or are suspended: a limit counts both */
    int64_t suspended; /* of these, that are suspended */
    int64_t nodes;     /* of those that run, */
    int64_t kept;      /* and of those that are suspended */
    int64_t due;    /* node-ticks since the last epoch, and nodes times EPOCH:
                       less what they would have had by its end */
    int64_t stored; /* bytes of the submissions of a user: stored.c */
    int64_t recent; /* jobs submitted since the last epoch */
    double usage;   /* node-seconds before it, old ones counting less */
    int64_t penalty; /* what that takes from the priority of its jobs */
    struct limit_place share;
    uint64_t mark;   /* account_hash when it was last looked at */
};

/* By name. Zeroed, there are none. */
struct accounts {
    struct account *all;
    size_t n, room;
};

/* The one of this name, or NULL. Good until one is added or dropped. */
struct account *account_find (const struct accounts *accounts,
                              const char *name);

/* The same, and if there is none, a new one; NULL without memory. */
struct account *account_get (struct accounts *accounts, const char *name);

/* More nodes, or fewer, from `at` on, so long after the last epoch. */
void account_nodes (struct account *account, int64_t nodes, tori_time at);

/* An epoch ends: what was used before counts `factor` times as much. */
void account_age (struct account *account, double factor);

/* Forget those of which there is nothing to know. */
void accounts_tidy (struct accounts *accounts);
void accounts_clear (struct accounts *accounts);

/* A number by which two states of it differ; 0 if there is nothing to know. */
uint64_t account_hash (const struct account *account);

/* Save the numbers that cannot be counted again from the jobs, and load them.
 * NULL without memory; -1 if the JSON is not such a list. */
json_t *accounts_save (const struct accounts *accounts);
int accounts_load (struct accounts *accounts, const json_t *saved,
                   tori_error *err);

#endif
