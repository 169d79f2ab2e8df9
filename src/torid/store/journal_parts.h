/* journal_parts.h - what the parts of a journal share.
 *
 *   journal.c           opening, adding, committing
 *   journal_snapshot.c  snapshots on their way to the file, in pieces
 *   journal_read.c      replay, and the history of jobs and of changes
 *   salvage.c           what is left of a damaged file
 *   journal_texts.c     the length and the checksum of a row's text
 */
#ifndef TORI_STORE_JOURNAL_PARTS_H
#define TORI_STORE_JOURNAL_PARTS_H

#include <stdbool.h>

#include "database.h"
#include "journal.h"
#include "pending.h"

/* A snapshot that waits for the next commits; text is NULL if there is none.
 * Its pieces have numbers without a gap, and its row, which is written last,
 * has the rest of the text. */
struct journal_saved {
    char *text;
    size_t n;
    uint64_t seq;
    size_t piece;        /* the bytes of one */
    bool whole;          /* all with the next commit */
    size_t done;         /* bytes that are in pieces, */
    uint64_t first, next; /* these, up to the one before `next` */
    int64_t sum;         /* of what is done */
};

/* The contents of the file, by numbers of records. */
struct journal_bounds {
    uint64_t first; /* the first record; past the last if there is none */
    uint64_t newest, older; /* of the snapshots; 0 if there is none */
    uint64_t piece;         /* the number of the last one; 0 if there is none */
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
    bool litter; /* there may be pieces that are of no snapshot */
    bool prunes;   /* jobs that ended, and changes made, before this: */
    int64_t before;
    uint64_t changed; /* the number of the last change in the file */
};

/* The checksum of a row: its numbers, its name and its text. */
int64_t journal_sum (uint64_t number, int64_t value, const char *user,
                     const char *text, size_t n);

/* The sum of a text that goes on, from the sum up to there. */
int64_t journal_sum_more (int64_t sum, const char *text, size_t n);

/* TORI_INVALID for a text that is too long. */
int journal_check_length (size_t n, tori_error *err);

/* In a commit: write a snapshot, or a piece of it. `bounds` and `saved` are
 * what holds if the commit succeeds; without a text, nothing is left of it. */
int journal_write_snapshot (struct journal *journal,
                            struct journal_bounds *bounds,
                            struct journal_saved *saved, tori_error *err);

/* In a commit: remove some pieces of snapshots that are gone or were not
 * completed. */
int journal_drop_pieces (struct journal *journal,
                         const struct journal_saved *saved, bool *ret_more,
                         tori_error *err);

#endif
