/* config.h - the options and jobs of a run, as words between two programs.
 *
 * `tori gang run` reads options and jobs, so that one command documents them
 * all. `tori-gang` speaks MPI. The first becomes the second, and hands over
 * the options as words and the jobs as a file in memory.
 */
#ifndef TORI_GANGRUN_CONFIG_H
#define TORI_GANGRUN_CONFIG_H

#include "cage.h"
#include "spec.h"

/* When processors switch. */
enum turns { TURNS_GANG, TURNS_LOCAL, TURNS_NONE };

/* Whether a job that sleeps leaves its queue. */
enum sleepers { SLEEPERS_LEAVE, SLEEPERS_KEEP };

/* Their names, NULL past the end. */
const char *turns_name (size_t i);
const char *sleepers_name (size_t i);

struct config {
    int64_t slot;        /* nanoseconds */
    int64_t degree;      /* of the tree */
    const char *policy;  /* where new jobs go */
    const char *machine; /* "": a line of as many as there are ranks */
    const char *listen;  /* a socket for jobs, or "" */
    const char *report;  /* a file, or "" */
    int64_t cage;        /* enum cage_kind */
    int64_t turns;       /* enum turns */
    int64_t sleepers;    /* enum sleepers */
    int64_t label;       /* every line of output begins with its job */
    int64_t jobs;        /* the file of jobs, -1 for none */
};

enum { CONFIG_WORDS = 11 };

/* Words to execute, from 1 on; word 0 is the program. Texts that are not
 * strings of the configuration are in `room`. */
struct config_words {
    char *word[CONFIG_WORDS + 2];
    char room[CONFIG_WORDS][24];
};

/* Whether this is the first of the ranks that mpirun has started, or was not
 * started by mpirun. Only this one prints a message that all ranks share. */
bool launched_first (void);

void config_write (const struct config *config, struct config_words *words);
int config_read (char *const argv[], int argc, struct config *config,
                 tori_error *err);

/* A job of the file, and its line. */
struct listed {
    int64_t line;
    struct spec *spec;
};

struct joblist {
    char *path; /* of the file; NULL before it is named */
    struct listed *item;
    size_t n, room;
};

void joblist_clear (struct joblist *list);
/* A file in memory with the jobs of another file, the number and the text of
 * each line; or with an error to report. */
int joblist_write (const char *path, const struct bytes *lines,
                   const tori_error *bad, tori_error *err);
/* Reads and closes it. */
int joblist_read (int fd, struct joblist *list, tori_error *err);

#endif
