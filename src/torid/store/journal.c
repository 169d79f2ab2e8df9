#include "journal_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static uint64_t larger (uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int read_bounds (struct journal *journal, tori_error *err)
{
    struct database *base = &journal->base;
    int64_t bound[5];
    int found = database_step (base, READ_BOUNDS, err);
    if (found < 0)
        return -1;
    for (int i = 0; i < 5; i++) {
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
        .piece = (uint64_t)bound[4],
    };
    journal->litter = bound[4] > 0;
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

int journal_add (struct journal *journal, char kind, const char *text,
                 size_t n, tori_error *err)
{
    if (journal_check_length (n, err) < 0
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

int journal_end (struct journal *journal, const struct journal_job *job,
                 tori_error *err)
{
    size_t length = strlen (job->user);
    if (job->id > INT64_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "job %ju: numbers of jobs end before 2^63",
                               (uintmax_t)job->id);
    if (journal_check_length (job->n, err) < 0
        || journal_check_length (length + job->n, err) < 0)
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
    if (journal_check_length (sample->n, err) < 0)
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
    if (journal_check_length (change->n, err) < 0)
        return -1;
    return pending_add (&journal->changes, change->job, change->time,
                        change->user ? change->user : "", change->text,
                        change->n, err);
}

/* ---- committing ---- */

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
        const char *user = changes->bytes + row->user;
        uint64_t number = journal->changed + 1 + i;
        database_integer (base, ADD_CHANGE, 1, (int64_t)number);
        database_integer (base, ADD_CHANGE, 2, row->value);
        database_integer (base, ADD_CHANGE, 3, (int64_t)row->number);
        database_text (base, ADD_CHANGE, 4, text, row->n);
        database_integer (
            base, ADD_CHANGE, 5,
            journal_sum (number, row->value, user, text, row->n));
        database_string (base, ADD_CHANGE, 6, user);
        if (database_step (base, ADD_CHANGE, err) < 0)
            return -1;
    }
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

/* Those of a user that are too many go with what that user adds. */
static int drop_changes_of (struct journal *journal, tori_error *err)
{
    const struct pending *changes = &journal->changes;
    struct database *base = &journal->base;
    for (size_t i = 0; i < changes->n; i++) {
        const char *user = changes->bytes + changes->rows[i].user;
        if (i + 1 < changes->n
            && !strcmp (user, changes->bytes + changes->rows[i + 1].user))
            continue;
        database_string (base, DROP_CHANGES_OF, 1, user);
        database_integer (base, DROP_CHANGES_OF, 2, JOURNAL_CHANGES_MOST);
        if (database_step (base, DROP_CHANGES_OF, err) < 0)
            return -1;
    }
    return 0;
}

static int drop_changes (struct journal *journal, bool *ret_more,
                         tori_error *err)
{
    struct database *base = &journal->base;
    int64_t most = (int64_t)rows_to_drop (&journal->changes);
    if (drop_changes_of (journal, err) < 0)
        return -1;
    if (!journal->prunes)
        return 0;
    database_integer (base, DROP_CHANGES, 1, journal->before);
    database_integer (base, DROP_CHANGES, 2, most);
    if (database_step (base, DROP_CHANGES, err) < 0)
        return -1;
    *ret_more |= sqlite3_changes64 (base->db) == most;
    return 0;
}

static bool has_work (const struct journal *journal)
{
    return journal->records.n || journal->jobs.n || journal->samples.n
           || journal->changes.n || journal->saved.text
           || journal->prunes || journal->litter
           || journal->bounds.older >= journal->bounds.first;
}

/* Changes to the journal that hold once the commit has succeeded. */
struct outcome {
    struct journal_bounds bounds;
    struct journal_saved saved;
    bool litter, prunes;
};

static int write_all (struct journal *journal, struct outcome *out,
                      tori_error *err)
{
    if (database_step (&journal->base, BEGIN, err) < 0
        || write_records (journal, err) < 0 || write_jobs (journal, err) < 0
        || write_samples (journal, err) < 0 || thin_samples (journal, err) < 0
        || write_changes (journal, err) < 0
        || journal_write_snapshot (journal, &out->bounds, &out->saved, err)
               < 0
        || journal_drop_pieces (journal, &out->saved, &out->litter, err) < 0
        || drop_records (journal, &out->bounds, err) < 0
        || drop_jobs (journal, &out->prunes, err) < 0
        || drop_changes (journal, &out->prunes, err) < 0)
        return -1;
    return database_step (&journal->base, COMMIT, err);
}

/* A snapshot that has come to the file is not needed here any more. */
static void take_outcome (struct journal *journal, const struct outcome *out)
{
    if (journal->saved.text && !out->saved.text) {
        free (journal->saved.text);
        journal->skipped = 0;
    }
    journal->bounds = out->bounds;
    journal->saved = out->saved;
    journal->litter = out->litter;
    journal->prunes = out->prunes;
}

int journal_commit (struct journal *journal, tori_error *err)
{
    struct outcome out = {.bounds = journal->bounds, .saved = journal->saved};
    if (!has_work (journal))
        return 0;
    database_check_log (&journal->base, journal->saved.text
                                            ? DATABASE_LOG_SAVING
                                            : DATABASE_LOG_USUAL);
    if (write_all (journal, &out, err) < 0) {
        undo_changes (journal);
        return -1;
    }
    take_outcome (journal, &out);
    pending_clear (&journal->records);
    pending_clear (&journal->jobs);
    pending_clear (&journal->samples);
    journal->changed += journal->changes.n;
    pending_clear (&journal->changes);
    return 0;
}
