#include "database.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Step i turns a file of version i into one of version i + 1. */
static const char *const steps[] = {
    "PRAGMA application_id = 0x746f7269;"
    "CREATE TABLE record (seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
    " text BLOB NOT NULL, sum INTEGER NOT NULL);"
    "CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, text BLOB NOT NULL,"
    " sum INTEGER NOT NULL);"
    "CREATE TABLE job (id INTEGER PRIMARY KEY, user TEXT NOT NULL,"
    " ended INTEGER NOT NULL, text BLOB NOT NULL, sum INTEGER NOT NULL);"
    "CREATE INDEX job_user ON job (user);"
    "CREATE INDEX job_ended ON job (ended);"
    "PRAGMA user_version = 1;",
    "CREATE TABLE sample (time INTEGER PRIMARY KEY, text BLOB NOT NULL,"
    " sum INTEGER NOT NULL);"
    "PRAGMA user_version = 2;",
    "CREATE TABLE change (number INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
    " job INTEGER NOT NULL, text BLOB NOT NULL, sum INTEGER NOT NULL);"
    "CREATE INDEX change_time ON change (time);"
    "CREATE INDEX change_job ON change (job) WHERE job > 0;"
    "PRAGMA user_version = 3;",
    /* The range comes before the text: it is read without it. */
    "CREATE TABLE piece (number INTEGER PRIMARY KEY, text BLOB NOT NULL);"
    "CREATE TABLE ranged (seq INTEGER PRIMARY KEY, first INTEGER NOT NULL,"
    " last INTEGER NOT NULL, sum INTEGER NOT NULL, text BLOB NOT NULL);"
    "INSERT INTO ranged SELECT seq, 0, -1, sum, text FROM snapshot;"
    "DROP TABLE snapshot;"
    "ALTER TABLE ranged RENAME TO snapshot;"
    "PRAGMA user_version = 4;",
    /* The changes of each user are counted: nth. */
    "ALTER TABLE change ADD COLUMN user TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE change ADD COLUMN nth INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX change_user ON change (user, nth);"
    "PRAGMA user_version = 5;",
};
enum { VERSION = DATABASE_VERSION };
_Static_assert (sizeof steps / sizeof steps[0] == VERSION, "one step each");

/* Samples that are so old, and not the first in so many seconds. */
#define SPARSE(age, step)                                                     \
    "(time <= ?1 - " age " AND EXISTS (SELECT 1 FROM sample AS other"         \
    "  WHERE other.time < sample.time"                                        \
    "  AND other.time >= sample.time - sample.time % " step "))"

/* Their times do not go back, so the first one since a time is found by it. */
#define CHANGE                                                                \
    "SELECT number, time, job, text, sum, user FROM change"                   \
    " WHERE number > ?1 AND"                                                  \
    " number >= (SELECT number FROM change WHERE time >= ?2 ORDER BY time,"    \
    " number LIMIT 1) "

#define JOB "SELECT id, user, ended, text, sum FROM job "
static const char *const sql[NSTATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [ADD_RECORD] = "INSERT INTO record VALUES (?, ?, ?, ?)",
    [ADD_PIECE] = "INSERT INTO piece VALUES (?, ?)",
    [ADD_SNAPSHOT] = "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)",
    [ADD_JOB] = "INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?, ?)",
    [ADD_SAMPLE] = "INSERT OR REPLACE INTO sample VALUES (?, ?, ?)",
    [ADD_CHANGE] = "INSERT OR REPLACE INTO change VALUES (?, ?, ?, ?, ?,"
                   " ifnull (?6, ''), ifnull (?7, (SELECT ifnull (max (nth),"
                   " 0) + 1 FROM change WHERE user = ?6)))",
    [DROP_RECORDS] = "DELETE FROM record WHERE seq <= ?",
    [DROP_SKIPPED] = "DELETE FROM snapshot WHERE seq > ? AND seq <> ?",
    [DROP_SNAPSHOTS] = "DELETE FROM snapshot WHERE seq < (SELECT seq FROM"
                       " snapshot ORDER BY seq DESC LIMIT 1 OFFSET 1)",
    [DROP_PIECES] = "DELETE FROM piece WHERE number IN (SELECT number FROM"
                    " piece WHERE number < ? AND NOT EXISTS (SELECT 1 FROM"
                    " snapshot WHERE piece.number BETWEEN first AND last)"
                    " ORDER BY number LIMIT ?)",
    [DROP_JOBS] = "DELETE FROM job WHERE id IN (SELECT id FROM job"
                  " WHERE ended < ? ORDER BY ended, id LIMIT ?)",
    /* The last one stays, so that no number is given again. */
    [DROP_CHANGES] = "DELETE FROM change WHERE number IN (SELECT number FROM"
                     " change ORDER BY number LIMIT ?2) AND time < ?1 AND"
                     " number < (SELECT max (number) FROM change)",
    [DROP_CHANGES_OF] = "DELETE FROM change WHERE user = ?1 AND nth <= (SELECT"
                        " max (nth) FROM change WHERE user = ?1) - ?2",
    /* A day, two weeks and 400 days. */
    [THIN_SAMPLES] = "DELETE FROM sample WHERE time > ?1"
                     " OR time <= ?1 - 34560000 OR "
                     SPARSE ("86400", "900")
                     " OR " SPARSE ("1209600", "14400"),
    [READ_BOUNDS] = "SELECT (SELECT min (seq) FROM record),"
                    " (SELECT max (seq) FROM record),"
                    " (SELECT max (seq) FROM snapshot),"
                    " (SELECT seq FROM snapshot"
                    "  ORDER BY seq DESC LIMIT 1 OFFSET 1),"
                    " (SELECT max (number) FROM piece)",
    [READ_PIECES] = "SELECT number, text FROM piece WHERE number >= ? AND"
                    " number <= ? ORDER BY number",
    [READ_SNAPSHOTS] = "SELECT seq, first, last, sum, text FROM snapshot"
                       " ORDER BY seq DESC LIMIT 2",
    [READ_RECORDS] = "SELECT seq, kind, text, sum FROM record WHERE seq > ?"
                     " ORDER BY seq",
    [READ_JOB] = JOB "WHERE id = ?",
    [READ_JOBS] = JOB "WHERE id <= ? ORDER BY id DESC LIMIT ?",
    [READ_JOBS_OF] = JOB "WHERE id <= ? AND user = ?3 ORDER BY id DESC"
                         " LIMIT ?2",
    [READ_JOBS_UP] = JOB "WHERE id > ? ORDER BY id LIMIT ?",
    [READ_JOBS_UP_OF] = JOB "WHERE id > ? AND user = ?3 ORDER BY id LIMIT ?2",
    [READ_SAMPLES] = "SELECT time, text, sum FROM sample WHERE time > ?"
                     " ORDER BY time LIMIT ?",
    [READ_CHANGES] = CHANGE "ORDER BY number LIMIT ?3",
    [READ_CHANGES_OF] = CHANGE "AND job > 0 AND job = ?4 ORDER BY number"
                               " LIMIT ?3",
    [READ_CHANGE] = "SELECT max (number) FROM change",
};

/* ---- errors ---- */

static bool out_of_memory (int rc)
{
    return (rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM;
}

/* SQLite knows why the system refused only of these. */
static const char *failure_text (sqlite3 *db, int rc)
{
    int why = sqlite3_system_errno (db);
    bool system =
        (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN;
    return system && why ? strerror (why) : sqlite3_errmsg (db);
}

int database_damaged (const struct database *base, const char *what,
                      tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "%s: damaged: %.*s", base->path,
                           (int)strcspn (what, "\n"), what);
}

/* The error of a call of SQLite that returned `rc`. Returns -1. */
static int fail_call (const struct database *base, int rc, tori_error *err)
{
    if (out_of_memory (rc))
        return tori_error_nomem (err);
    switch (rc & 0xff) {
    case SQLITE_NOTADB:
        return tori_error_set (err, TORI_INVALID, "%s: this is not a journal",
                               base->path);
    case SQLITE_ERROR: /* the tables are not those of a journal */
    case SQLITE_CORRUPT:
        return database_damaged (base, sqlite3_errmsg (base->db), err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return tori_error_set (err, TORI_FAILED,
                               "%s: another process has it open", base->path);
    case SQLITE_FULL:
        return tori_error_set (err, TORI_FAILED, "%s: the disk is full",
                               base->path);
    default:
        return tori_error_set (err, TORI_FAILED, "%s: %s", base->path,
                               failure_text (base->db, rc));
    }
}

/* ---- opening ---- */

static int execute_text (struct database *base, const char *text,
                         tori_error *err)
{
    int rc = sqlite3_exec (base->db, text, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail_call (base, rc, err);
}

/* The first value of the first row, as a text that is cut to fit. */
static int ask_text (struct database *base, const char *question,
                     char answer[], size_t size, tori_error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2 (base->db, question, -1, &statement, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step (statement);
    if (rc == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text (statement, 0);
        snprintf (answer, size, "%s", text ? (const char *)text : "");
        rc = text ? SQLITE_ROW : SQLITE_NOMEM;
    }
    if (rc != SQLITE_ROW)
        fail_call (base, rc, err);
    sqlite3_finalize (statement);
    return rc == SQLITE_ROW ? 0 : -1;
}

static int ask_number (struct database *base, const char *question,
                       long *ret_answer, tori_error *err)
{
    char text[32];
    if (ask_text (base, question, text, sizeof text, err) < 0)
        return -1;
    *ret_answer = strtol (text, NULL, 10);
    return 0;
}

static int check_version (const struct database *base, long version,
                          tori_error *err)
{
    if (version > VERSION)
        return tori_error_set (err, TORI_INVALID,
                               "%s: written by a newer version: its format is"
                               " %ld, and this one knows those up to %d",
                               base->path, version, (int)VERSION);
    if (version < 1)
        return database_damaged (base, "its version is not known", err);
    return 0;
}

/* The version of the file, 0 if nothing is in it yet. Nothing is changed. */
static int read_version (struct database *base, long *ret_version,
                         tori_error *err)
{
    long application, tables, version;
    if (ask_number (base, "PRAGMA application_id", &application, err) < 0
        || ask_number (base, "PRAGMA user_version", &version, err) < 0
        || ask_number (base, "SELECT count (*) FROM sqlite_schema", &tables,
                       err)
               < 0)
        return -1;
    *ret_version = version;
    if (application == DATABASE_APPLICATION)
        return check_version (base, version, err);
    if (application == 0 && version == 0 && tables == 0)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "%s: this is a database of another program",
                           base->path);
}

static int migrate_file (struct database *base, long version, tori_error *err)
{
    if (version == VERSION)
        return 0;
    if (execute_text (base, "BEGIN EXCLUSIVE", err) < 0)
        return -1;
    for (; version < VERSION; version++)
        if (execute_text (base, steps[version], err) < 0)
            return -1; /* closing it undoes what was done */
    return execute_text (base, "COMMIT", err);
}

/* In WAL mode and locked exclusively, SQLite needs no shared memory. A disk
 * that was written once is used again, and given back by give_back. */
static int set_mode (struct database *base, tori_error *err)
{
    char mode[16];
    if (ask_text (base, "PRAGMA journal_mode = WAL", mode, sizeof mode, err)
        < 0)
        return -1;
    if (strcmp (mode, "wal") != 0)
        return tori_error_set (err, TORI_FAILED,
                               "%s: a journal cannot be kept there",
                               base->path);
    database_check_log (base, DATABASE_LOG_USUAL);
    return execute_text (base,
                         "PRAGMA synchronous = FULL;"
                         "PRAGMA journal_size_limit = 16777216;"
                         /* Else pages that go are written once more. */
                         "PRAGMA secure_delete = FAST;"
                         "PRAGMA temp_store = MEMORY;",
                         err);
}

void database_check_log (struct database *base, int pages)
{
    (void)sqlite3_wal_autocheckpoint (base->db, pages);
}

/* The tables that are read as a whole. That of jobs grows with the years: it
 * is checked row by row when it is read. */
static int check_tables (struct database *base, tori_error *err)
{
    static const char *const questions[] = {"PRAGMA quick_check (record)",
                                            "PRAGMA quick_check (piece)",
                                            "PRAGMA quick_check (snapshot)"};
    char answer[128];
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        if (ask_text (base, questions[i], answer, sizeof answer, err) < 0)
            return -1;
        if (strcmp (answer, "ok") != 0) /* after a line with a title */
            return database_damaged (base,
                                     *answer == '*' && strchr (answer, '\n')
                                         ? strchr (answer, '\n') + 1
                                         : answer,
                                     err);
    }
    return 0;
}

static int prepare_statements (struct database *base, tori_error *err)
{
    for (int i = 0; i < NSTATEMENTS; i++) {
        int rc = sqlite3_prepare_v3 (base->db, sql[i], -1,
                                     SQLITE_PREPARE_PERSISTENT,
                                     &base->statement[i], NULL);
        if (rc != SQLITE_OK)
            return fail_call (base, rc, err);
    }
    return 0;
}

/* A file may come from anywhere: nothing in it is executed. */
static int connect_file (struct database *base, tori_error *err)
{
    int rc =
        sqlite3_open_v2 (base->path, &base->db,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                             | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                         NULL);
    if (rc != SQLITE_OK)
        return fail_call (base, rc, err);
    (void)sqlite3_db_config (base->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0,
                             (int *)NULL);
    (void)sqlite3_db_config (base->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                             (int *)NULL);
    return execute_text (base,
                         "PRAGMA locking_mode = EXCLUSIVE;"
                         "PRAGMA cell_size_check = ON;",
                         err);
}

/* Pages that are not used any more go back to the disk, if there are many and
 * few others: these are all written again, in memory first. A disk that is too
 * full for that leaves everything as it was. */
static int give_back (struct database *base, tori_error *err)
{
    enum { MANY = 4 << 10, FEW = 64 << 10 };
    long all, unused;
    if (ask_number (base, "PRAGMA page_count", &all, err) < 0
        || ask_number (base, "PRAGMA freelist_count", &unused, err) < 0)
        return -1;
    if (unused > MANY && unused > all / 2 && all - unused < FEW)
        (void)execute_text (base, "VACUUM", NULL);
    return 0;
}

/* Pages that a crash has left past the end of the log must not be found there
 * later (walcheck.h). On a full disk it stays for now. */
int database_settle (struct database *base, tori_error *err)
{
    int rc = sqlite3_wal_checkpoint_v2 (
        base->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail_call (base, rc, err);
}

/* A damaged header may say that only later versions of SQLite can write it. */
static int check_writable (const struct database *base, tori_error *err)
{
    if (sqlite3_db_readonly (base->db, "main") != 1
        || access (base->path, W_OK) < 0)
        return 0;
    return database_damaged (base, "its header says it cannot be written",
                             err);
}

static int open_all (struct database *base, tori_error *err)
{
    long version;
    if (connect_file (base, err) < 0 || read_version (base, &version, err) < 0
        || check_writable (base, err) < 0
        || migrate_file (base, version, err) < 0 || set_mode (base, err) < 0
        || check_tables (base, err) < 0 || give_back (base, err) < 0)
        return -1;
    (void)database_settle (base, NULL);
    return prepare_statements (base, err);
}

int database_open (struct database *base, const char *path, tori_error *err)
{
    *base = (struct database){.path = strdup (path)};
    if (!base->path)
        return tori_error_nomem (err);
    if (open_all (base, err) == 0)
        return 0;
    database_close (base);
    return -1;
}

void database_close (struct database *base)
{
    for (int i = 0; i < NSTATEMENTS; i++)
        sqlite3_finalize (base->statement[i]);
    (void)sqlite3_close (base->db);
    free (base->path);
}

/* ---- statements ---- */

void database_integer (struct database *base, enum statement which, int at,
                       int64_t value)
{
    (void)sqlite3_bind_int64 (base->statement[which], at, value);
}

/* An empty text is not NULL. */
void database_text (struct database *base, enum statement which, int at,
                    const char *text, size_t n)
{
    (void)sqlite3_bind_blob64 (base->statement[which], at, n ? text : "", n,
                               SQLITE_STATIC);
}

void database_string (struct database *base, enum statement which, int at,
                      const char *string)
{
    (void)sqlite3_bind_text64 (base->statement[which], at, string,
                               strlen (string), SQLITE_STATIC, SQLITE_UTF8);
}

int database_step (struct database *base, enum statement which,
                   tori_error *err)
{
    int rc = sqlite3_step (base->statement[which]);
    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        fail_call (base, rc, err);
    database_reset (base, which);
    return rc == SQLITE_DONE ? 0 : -1;
}

void database_reset (struct database *base, enum statement which)
{
    (void)sqlite3_reset (base->statement[which]);
    (void)sqlite3_clear_bindings (base->statement[which]);
}

int64_t database_get (struct database *base, enum statement which, int at)
{
    return sqlite3_column_int64 (base->statement[which], at);
}

const char *database_get_text (struct database *base, enum statement which,
                               int at, size_t *ret_n)
{
    const char *text = sqlite3_column_blob (base->statement[which], at);
    *ret_n = (size_t)sqlite3_column_bytes (base->statement[which], at);
    return text ? text : "";
}

/* SQLite may have to copy it for the zero at its end. */
int database_get_string (struct database *base, enum statement which, int at,
                         const char **ret_string, tori_error *err)
{
    sqlite3_stmt *statement = base->statement[which];
    const unsigned char *text;
    if (sqlite3_column_type (statement, at) != SQLITE_TEXT)
        return database_damaged (base, "a name is not a text", err);
    if (!(text = sqlite3_column_text (statement, at)))
        return tori_error_nomem (err);
    *ret_string = (const char *)text;
    return 0;
}
