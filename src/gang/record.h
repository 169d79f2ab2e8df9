/* record.h - the results of the jobs, and how well they were switched. */
#ifndef TORI_GANGRUN_RECORD_H
#define TORI_GANGRUN_RECORD_H

#include "rank.h"

struct client;
struct outfile;
struct sink;

struct job {
    uint32_t number; /* from 1 */
    uint64_t task;   /* of its last attempt */
    uint32_t attempts;
    uint32_t restarts; /* attempts that began because a rank had died */
    struct spec *spec;
    int64_t line;   /* in the job file; 0: submitted */
    bool submitted; /* by a client, which may be gone */
    struct client *client;
    struct sink *file; /* where it prints to; NULL: nowhere, or not any more */
    uint32_t files;    /* number of files, open or not: one, or one per
                          process */
    uint32_t node; /* TORI_GANG_NONE before it has one */
    bool ended, alive, again;
    const char *cancelled; /* why it is being killed; NULL: it is not */
    bool stopped;          /* it was killed with the run */
    int status;
    char *why;       /* the reason of its status; NULL: the status says it
                        all */
    uint64_t sleeps; /* how often it left its queue */
    int64_t submit, start, finish; /* by the clock */
    bool counted;                  /* the following are known: */
    int64_t first_turn;            /* 0: it had no turn */
    int64_t turns, used;
};

/* A process was stopped or continued at the beginning of a slot. */
struct record {
    uint64_t task;
    int64_t due, begin, end;
    bool run;
};

struct records {
    struct record *item;
    size_t n, room;
    uint64_t switches; /* including those not kept */
};

void records_clear (struct records *records);

/* Seconds since the start of the run. */
double rank_seconds (const struct rank *rank, int64_t time);

/* The partition of a job and when it was placed, if it was. */
struct emit;
void emit_place (struct emit *e, const struct rank *rank,
                 const struct job *job);

/* The same, with its turns and times, and its end. */
void emit_account (struct emit *e, const struct rank *rank,
                   const struct job *job);

/* The report, as JSON. Commits the file. */
int records_write (struct records *records, const struct rank *rank,
                   struct job *const jobs[], size_t n, struct outfile *out,
                   tori_error *err);

#endif
