/* database.h - the SQLite file of a journal: what is in it, how it is opened,
 * and what is done to it, one prepared statement each.
 *
 * A change to the tables is one more step in database.c. A file of any earlier
 * version takes the steps that it has not seen, all in one transaction.
 */
#ifndef TORI_STORE_DATABASE_H
#define TORI_STORE_DATABASE_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include <tori/error.h>

/* The four bytes at offset 68 of the file, "tori", and those at offset 60, the
 * version of the tables. */
enum { DATABASE_APPLICATION = 0x746f7269, DATABASE_VERSION = 5 };

enum statement {
    BEGIN,
    COMMIT,
    ROLLBACK,
    ADD_RECORD,     /* seq, kind, text, sum */
    ADD_PIECE,      /* number, text */
    ADD_SNAPSHOT,   /* seq, first and last piece, sum, text */
    ADD_JOB,        /* id, user, ended, text, sum */
    ADD_SAMPLE,     /* time, text, sum */
    ADD_CHANGE,     /* number, time, job, text, sum, user, and which of that
                       user it is; NULL: the next */
    DROP_RECORDS,   /* up to this seq */
    DROP_SKIPPED,   /* snapshots after this seq, but for that one */
    DROP_SNAPSHOTS, /* all but the two newest */
    DROP_PIECES,    /* before this number, of no snapshot, at most so many;
                       -1: all */
    DROP_JOBS,      /* ended before, at most so many */
    DROP_CHANGES,   /* before this time; of the oldest, at most so many */
    DROP_CHANGES_OF, /* of this user, all but the newest so many */
    THIN_SAMPLES,   /* as of this time */
    READ_BOUNDS,    /* first and last record, newest and older snapshot, last
                       piece; NULL where there is none */
    READ_PIECES,    /* from this number to that */
    READ_SNAPSHOTS, /* the newest first */
    READ_RECORDS,   /* after this seq */
    READ_JOB,       /* id */
    READ_JOBS,      /* up to this id, at most so many */
    READ_JOBS_OF,   /* up to this id, at most so many, of this user */
    READ_JOBS_UP,   /* after this id, at most so many */
    READ_JOBS_UP_OF, /* after this id, at most so many, of this user */
    READ_SAMPLES,   /* after this time, at most so many */
    READ_CHANGES,   /* after this number, since this time, at most so many */
    READ_CHANGES_OF, /* the same of this job */
    READ_CHANGE,    /* the highest number, NULL if there is none */
    NSTATEMENTS
};

struct database {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *statement[NSTATEMENTS];
};

int database_open (struct database *base, const char *path, tori_error *err);
void database_close (struct database *base);

/* Copy the log back to the file by the first commit after which it has so many
 * pages. The usual ones are mostly the same few again and again; those of a
 * snapshot are all different, and each is written again. */
enum { DATABASE_LOG_USUAL = 4000, DATABASE_LOG_SAVING = 256 };
void database_check_log (struct database *base, int pages);

/* The log goes into the file. */
int database_settle (struct database *base, tori_error *err);

/* The error of a file that does not hold what it must. Returns -1. */
int database_damaged (const struct database *base, const char *what,
                      tori_error *err);

/* The values of a statement, in the order of its parameters. They must last
 * until it has run. Texts cannot fail for their size: see JOURNAL_TEXT_MOST.
 */
void database_integer (struct database *base, enum statement which, int at,
                       int64_t value);
void database_text (struct database *base, enum statement which, int at,
                    const char *text, size_t n);
void database_string (struct database *base, enum statement which, int at,
                      const char *string);

/* The next row of a statement: 1 if there is one, 0 past the last, -1 on
 * failure. A statement that has no rows is run by one step; one that is left
 * before its end must be reset. */
int database_step (struct database *base, enum statement which,
                   tori_error *err);
void database_reset (struct database *base, enum statement which);

/* A value of the current row. */
int64_t database_get (struct database *base, enum statement which, int at);
const char *database_get_text (struct database *base, enum statement which,
                               int at, size_t *ret_n);
int database_get_string (struct database *base, enum statement which, int at,
                         const char **ret_string, tori_error *err);

#endif
