/* journal_parts.h - what the two halves of a journal share.
 *
 *   journal.c       opening, adding, committing
 *   journal_read.c  replay, and the history of jobs and of changes
 */
#ifndef TORI_STORE_JOURNAL_PARTS_H
#define TORI_STORE_JOURNAL_PARTS_H

#include <stdbool.h>

#include "database.h"
#include "journal.h"
#include "pending.h"

/* A snapshot that waits for the next commit; text is NULL if there is none. */
struct journal_saved {
    char *text;
    size_t n;
    uint64_t seq;
};

/* The contents of the file, by numbers of records. */
struct journal_bounds {
    uint64_t first; /* the first record; past the last if there is none */
    uint64_t newest, older; /* of the snapshots; 0 if there is none */
};

struct journal {
    struct database base;
    struct pending records;
    struct pending jobs;
    struct pending samples;
    struct pending changes; /* `number` is the job */
    struct journal_saved saved;
    struct journal_bounds bounds;
    uint64_t last; /* record added */
    uint64_t bad;  /* the first record that replay could not read; 0: none */
    uint64_t skipped; /* the record of a snapshot that was damaged; 0: none */
    bool prunes;   /* jobs that ended, and changes made, before this: */
    int64_t before;
    uint64_t changed; /* the number of the last change in the file */
};

/* The checksum of a row: its numbers, its name and its text. */
int64_t journal_sum (uint64_t number, int64_t value, const char *user,
                     const char *text, size_t n);

#endif
