#include "journal_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- opening ---- */

static uint64_t larger (uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int read_bounds (struct journal *journal, tori_error *err)
{
    struct database *base = &journal->base;
    int64_t bound[4];
    int found = database_step (base, READ_BOUNDS, err);
    if (found < 0)
        return -1;
    for (int i = 0; i < 4; i++) {
        bound[i] = database_get (base, READ_BOUNDS, i);
        if (bound[i] < 0 || bound[i] == INT64_MAX)
            found = 0;
    }
    database_reset (base, READ_BOUNDS);
    if (!found)
        return database_damaged (base, "a number is out of range", err);
    journal->last = larger ((uint64_t)bound[1], (uint64_t)bound[2]);
    journal->bounds = (struct journal_bounds){
        .first = bound[0] ? (uint64_t)bound[0] : journal->last + 1,
        .newest = (uint64_t)bound[2],
        .older = (uint64_t)bound[3],
    };
    return 0;
}

static int read_changed (struct journal *journal, tori_error *err)
{
    struct database *base = &journal->base;
    int64_t last;
    if (database_step (base, READ_CHANGE, err) < 0)
        return -1;
    last = database_get (base, READ_CHANGE, 0);
    database_reset (base, READ_CHANGE);
    if (last < 0 || last > INT64_MAX / 2)
        return database_damaged (base, "the number of a change", err);
    journal->changed = (uint64_t)last;
    return 0;
}

int journal_open (const char *path, struct journal **ret_journal,
                  tori_error *err)
{
    struct journal *journal = calloc (1, sizeof *journal);
    if (!journal)
        return tori_error_nomem (err);
    if (database_open (&journal->base, path, err) < 0) {
        free (journal);
        return -1;
    }
    if (read_bounds (journal, err) < 0 || read_changed (journal, err) < 0) {
        journal_close (journal);
        return -1;
    }
    *ret_journal = journal;
    return 0;
}

/* On some failures SQLite has undone the transaction already. */
static void undo_changes (struct journal *journal)
{
    if (!sqlite3_get_autocommit (journal->base.db))
        (void)database_step (&journal->base, ROLLBACK, NULL);
}

bool journal_is_damaged (const struct journal *journal)
{
    return journal->bad > 0;
}

uint64_t journal_skipped (const struct journal *journal)
{
    return journal->skipped;
}

void journal_refuse (struct journal *journal, uint64_t seq)
{
    journal->bad = seq;
}

int journal_cut (struct journal *journal, uint64_t *ret_lost, tori_error *err)
{
    struct database *base = &journal->base;
    uint64_t lost = journal->last - journal->bad + 1;
    if (journal->bad == 0)
        return tori_error_set (err, TORI_INVALID, "no record is damaged");
    database_integer (base, CUT_RECORDS, 1, (int64_t)journal->bad);
    database_integer (base, CUT_SNAPSHOTS, 1, (int64_t)journal->bad);
    if (database_step (base, BEGIN, err) < 0
        || database_step (base, CUT_RECORDS, err) < 0
        || database_step (base, CUT_SNAPSHOTS, err) < 0
        || database_step (base, COMMIT, err) < 0) {
        undo_changes (journal);
        return -1;
    }
    journal->bad = journal->skipped = 0;
    *ret_lost = lost;
    return read_bounds (journal, err);
}

void journal_close (struct journal *journal)
{
    if (!journal)
        return;
    database_close (&journal->base);
    pending_destroy (&journal->records);
    pending_destroy (&journal->jobs);
    pending_destroy (&journal->samples);
    pending_destroy (&journal->changes);
    free (journal->saved.text);
    free (journal);
}

/* ---- adding ---- */

static int check_length (size_t n, tori_error *err)
{
    if (n <= JOURNAL_TEXT_MOST)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "a text of %zu bytes is too long for the journal,"
                           " which takes up to %d",
                           n, (int)JOURNAL_TEXT_MOST);
}

int journal_add (struct journal *journal, char kind, const char *text,
                 size_t n, tori_error *err)
{
    if (check_length (n, err) < 0
        || pending_add (&journal->records, journal->last + 1, kind, "", text,
                        n, err)
               < 0)
        return -1;
    journal->last++;
    return 0;
}

uint64_t journal_last (const struct journal *journal)
{
    return journal->last;
}

uint64_t journal_saved (const struct journal *journal)
{
    return journal->saved.text ? journal->saved.seq : journal->bounds.newest;
}

int journal_save_at (struct journal *journal, uint64_t seq, const char *text,
                     size_t n, tori_error *err)
{
    char *copy;
    if (check_length (n, err) < 0)
        return -1;
    if (seq < journal_saved (journal) || seq > journal->last)
        return tori_error_set (err, TORI_INVALID,
                               "a snapshot of record %ju is not the newest",
                               (uintmax_t)seq);
    copy = malloc (n + 1);
    if (!copy)
        return tori_error_nomem (err);
    if (n > 0)
        memcpy (copy, text, n);
    free (journal->saved.text);
    journal->saved = (struct journal_saved){copy, n, seq};
    return 0;
}

int journal_save (struct journal *journal, const char *text, size_t n,
                  tori_error *err)
{
    return journal_save_at (journal, journal->last, text, n, err);
}

int journal_end (struct journal *journal, const struct journal_job *job,
                 tori_error *err)
{
    size_t length = strlen (job->user);
    if (job->id > INT64_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "job %ju: numbers of jobs end before 2^63",
                               (uintmax_t)job->id);
    if (check_length (job->n, err) < 0
        || check_length (length + job->n, err) < 0)
        return -1;
    return pending_add (&journal->jobs, job->id, job->ended, job->user,
                        job->text, job->n, err);
}

int journal_prune (struct journal *journal, int64_t before, tori_error *err)
{
    if (!journal->prunes || before > journal->before)
        journal->before = before;
    journal->prunes = true;
    return 0;
}

int journal_sample (struct journal *journal,
                    const struct journal_sample *sample, tori_error *err)
{
    if (check_length (sample->n, err) < 0)
        return -1;
    return pending_add (&journal->samples, (uint64_t)sample->time, 0, "",
                        sample->text, sample->n, err);
}

int journal_change (struct journal *journal,
                    const struct journal_change *change, tori_error *err)
{
    if (change->job > INT64_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "job %ju: numbers of jobs end before 2^63",
                               (uintmax_t)change->job);
    if (check_length (change->n, err) < 0)
        return -1;
    return pending_add (&journal->changes, change->job, change->time, "",
                        change->text, change->n, err);
}

/* ---- committing ---- */

static uLong sum_number (uLong sum, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return crc32 (sum, bytes, sizeof bytes);
}

int64_t journal_sum (uint64_t number, int64_t value, const char *user,
                     const char *text, size_t n)
{
    uLong sum = sum_number (sum_number (0, number), (uint64_t)value);
    sum = crc32_z (sum, (const Bytef *)user, strlen (user) + 1);
    if (n > 0)
        sum = crc32_z (sum, (const Bytef *)text, n);
    return (int64_t)sum;
}

static int write_records (struct journal *journal, tori_error *err)
{
    const struct pending *records = &journal->records;
    struct database *base = &journal->base;
    for (size_t i = 0; i < records->n; i++) {
        const struct pending_row *row = &records->rows[i];
        const char *text = records->bytes + row->text;
        database_integer (base, ADD_RECORD, 1, (int64_t)row->number);
        database_integer (base, ADD_RECORD, 2, row->value);
        database_text (base, ADD_RECORD, 3, text, row->n);
        database_integer (
            base, ADD_RECORD, 4,
            journal_sum (row->number, row->value, "", text, row->n));
        if (database_step (base, ADD_RECORD, err) < 0)
            return -1;
    }
    return 0;
}

static int write_jobs (struct journal *journal, tori_error *err)
{
    const struct pending *jobs = &journal->jobs;
    struct database *base = &journal->base;
    for (size_t i = 0; i < jobs->n; i++) {
        const struct pending_row *row = &jobs->rows[i];
        const char *user = jobs->bytes + row->user;
        const char *text = jobs->bytes + row->text;
        database_integer (base, ADD_JOB, 1, (int64_t)row->number);
        database_string (base, ADD_JOB, 2, user);
        database_integer (base, ADD_JOB, 3, row->value);
        database_text (base, ADD_JOB, 4, text, row->n);
        database_integer (
            base, ADD_JOB, 5,
            journal_sum (row->number, row->value, user, text, row->n));
        if (database_step (base, ADD_JOB, err) < 0)
            return -1;
    }
    return 0;
}

static int write_samples (struct journal *journal, tori_error *err)
{
    const struct pending *samples = &journal->samples;
    struct database *base = &journal->base;
    for (size_t i = 0; i < samples->n; i++) {
        const struct pending_row *row = &samples->rows[i];
        const char *text = samples->bytes + row->text;
        database_integer (base, ADD_SAMPLE, 1, (int64_t)row->number);
        database_text (base, ADD_SAMPLE, 2, text, row->n);
        database_integer (base, ADD_SAMPLE, 3,
                          journal_sum (row->number, 0, "", text, row->n));
        if (database_step (base, ADD_SAMPLE, err) < 0)
            return -1;
    }
    return 0;
}

/* As of the last of them. */
static int thin_samples (struct journal *journal, tori_error *err)
{
    const struct pending *samples = &journal->samples;
    if (samples->n == 0)
        return 0;
    database_integer (&journal->base, THIN_SAMPLES, 1,
                      (int64_t)samples->rows[samples->n - 1].number);
    return database_step (&journal->base, THIN_SAMPLES, err);
}

static int write_changes (struct journal *journal, tori_error *err)
{
    const struct pending *changes = &journal->changes;
    struct database *base = &journal->base;
    for (size_t i = 0; i < changes->n; i++) {
        const struct pending_row *row = &changes->rows[i];
        const char *text = changes->bytes + row->text;
        uint64_t number = journal->changed + 1 + i;
        database_integer (base, ADD_CHANGE, 1, (int64_t)number);
        database_integer (base, ADD_CHANGE, 2, row->value);
        database_integer (base, ADD_CHANGE, 3, (int64_t)row->number);
        database_text (base, ADD_CHANGE, 4, text, row->n);
        database_integer (
            base, ADD_CHANGE, 5,
            journal_sum (number, row->value, "", text, row->n));
        if (database_step (base, ADD_CHANGE, err) < 0)
            return -1;
    }
    return 0;
}

/* Damaged snapshots are none of the two that are kept. */
static int drop_skipped (struct journal *journal,
                         struct journal_bounds *bounds, tori_error *err)
{
    struct database *base = &journal->base;
    if (journal->skipped == 0)
        return 0;
    database_integer (base, DROP_SKIPPED, 1, (int64_t)bounds->older);
    database_integer (base, DROP_SKIPPED, 2, (int64_t)journal->saved.seq);
    if (database_step (base, DROP_SKIPPED, err) < 0)
        return -1;
    bounds->newest = bounds->older;
    return 0;
}

static int write_snapshot (struct journal *journal,
                           struct journal_bounds *bounds, tori_error *err)
{
    const struct journal_saved *saved = &journal->saved;
    struct database *base = &journal->base;
    if (!saved->text)
        return 0;
    database_integer (base, ADD_SNAPSHOT, 1, (int64_t)saved->seq);
    database_text (base, ADD_SNAPSHOT, 2, saved->text, saved->n);
    database_integer (base, ADD_SNAPSHOT, 3,
                      journal_sum (saved->seq, 0, "", saved->text, saved->n));
    if (database_step (base, ADD_SNAPSHOT, err) < 0
        || drop_skipped (journal, bounds, err) < 0
        || database_step (base, DROP_SNAPSHOTS, err) < 0)
        return -1;
    if (bounds->newest != saved->seq)
        bounds->older = bounds->newest;
    bounds->newest = saved->seq;
    return 0;
}

/* So many rows may go with what is added. */
static uint64_t rows_to_drop (const struct pending *added)
{
    return larger (JOURNAL_REMOVED_MOST, 2 * added->n);
}

static int drop_records (struct journal *journal,
                         struct journal_bounds *bounds, tori_error *err)
{
    struct database *base = &journal->base;
    uint64_t to = bounds->first + rows_to_drop (&journal->records) - 1;
    if (bounds->older < bounds->first)
        return 0;
    if (to > bounds->older)
        to = bounds->older;
    database_integer (base, DROP_RECORDS, 1, (int64_t)to);
    if (database_step (base, DROP_RECORDS, err) < 0)
        return -1;
    bounds->first = to + 1;
    return 0;
}

static int drop_jobs (struct journal *journal, bool *ret_more, tori_error *err)
{
    struct database *base = &journal->base;
    int64_t most = (int64_t)rows_to_drop (&journal->jobs);
    *ret_more = false;
    if (!journal->prunes)
        return 0;
    database_integer (base, DROP_JOBS, 1, journal->before);
    database_integer (base, DROP_JOBS, 2, most);
    if (database_step (base, DROP_JOBS, err) < 0)
        return -1;
    *ret_more = sqlite3_changes64 (base->db) == most;
    return 0;
}

/* Those that are too many go with what is added, or when old ones go. */
static int drop_changes (struct journal *journal, bool *ret_more,
                         tori_error *err)
{
    struct database *base = &journal->base;
    int64_t most = (int64_t)rows_to_drop (&journal->changes);
    int64_t last = (int64_t)(journal->changed + journal->changes.n);
    if (!journal->prunes && journal->changes.n == 0)
        return 0;
    database_integer (base, DROP_CHANGES, 1, last - JOURNAL_CHANGES_MOST);
    database_integer (base, DROP_CHANGES, 2,
                      journal->prunes ? journal->before : INT64_MIN);
    database_integer (base, DROP_CHANGES, 3, most);
    if (database_step (base, DROP_CHANGES, err) < 0)
        return -1;
    *ret_more |=
        journal->prunes && sqlite3_changes64 (base->db) == most;
    return 0;
}

static bool has_work (const struct journal *journal)
{
    return journal->records.n || journal->jobs.n || journal->samples.n
           || journal->changes.n || journal->saved.text
           || journal->prunes
           || journal->bounds.older >= journal->bounds.first;
}

static int write_all (struct journal *journal, struct journal_bounds *bounds,
                      bool *ret_prunes, tori_error *err)
{
    if (database_step (&journal->base, BEGIN, err) < 0
        || write_records (journal, err) < 0 || write_jobs (journal, err) < 0
        || write_samples (journal, err) < 0 || thin_samples (journal, err) < 0
        || write_changes (journal, err) < 0
        || write_snapshot (journal, bounds, err) < 0
        || drop_records (journal, bounds, err) < 0
        || drop_jobs (journal, ret_prunes, err) < 0
        || drop_changes (journal, ret_prunes, err) < 0)
        return -1;
    return database_step (&journal->base, COMMIT, err);
}

int journal_commit (struct journal *journal, tori_error *err)
{
    struct journal_bounds bounds = journal->bounds;
    bool prunes;
    if (!has_work (journal))
        return 0;
    if (write_all (journal, &bounds, &prunes, err) < 0) {
        undo_changes (journal);
        return -1;
    }
    journal->bounds = bounds;
    journal->prunes = prunes;
    pending_clear (&journal->records);
    pending_clear (&journal->jobs);
    pending_clear (&journal->samples);
    journal->changed += journal->changes.n;
    pending_clear (&journal->changes);
    if (journal->saved.text)
        journal->skipped = 0;
    free (journal->saved.text);
    journal->saved.text = NULL;
    return 0;
}
