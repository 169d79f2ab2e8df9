#include "journal_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static int report_damage (struct journal *journal, const char *what,
                          uint64_t number, tori_error *err)
{
    char text[64];
    snprintf (text, sizeof text, "%s %ju", what, (uintmax_t)number);
    return database_damaged (&journal->base, text, err);
}

/* ---- replay ---- */

typedef int (*snapshot_fn) (void *arg, const char *text, size_t n);
typedef int (*record_fn) (void *arg, const struct journal_record *record);

/* The text of a snapshot, as far as it was read. */
struct whole_text {
    char *bytes;
    size_t n, room;
};

/* One that would be too long is damaged: the sum will not be right. */
static int append_text (struct whole_text *whole, const char *text, size_t n,
                        tori_error *err)
{
    char *more;
    if (n > JOURNAL_TEXT_MOST - whole->n)
        return 0;
    more = array_room (whole->bytes, &whole->room, whole->n + n + 1, 1);
    if (!more)
        return tori_error_nomem (err);
    whole->bytes = more;
    memcpy (more + whole->n, text, n);
    whole->n += n;
    return 0;
}

/* The pieces of the snapshot in the current row, and its rest. */
static int read_text (struct journal *journal, struct whole_text *whole,
                      tori_error *err)
{
    struct database *base = &journal->base;
    const char *text;
    size_t n;
    int found, status = 0;
    database_integer (base, READ_PIECES, 1,
                      database_get (base, READ_SNAPSHOTS, 1));
    database_integer (base, READ_PIECES, 2,
                      database_get (base, READ_SNAPSHOTS, 2));
    while (status == 0
           && (found = database_step (base, READ_PIECES, err)) == 1) {
        text = database_get_text (base, READ_PIECES, 1, &n);
        status = append_text (whole, text, n, err);
    }
    database_reset (base, READ_PIECES);
    if (status < 0 || found < 0)
        return -1;
    text = database_get_text (base, READ_SNAPSHOTS, 4, &n);
    return append_text (whole, text, n, err);
}

/* Hand over the snapshot in the current row. A damaged one is passed over: the
 * records since the one before it are still there. */
static int load_snapshot (struct journal *journal, snapshot_fn on_snapshot,
                          void *arg, uint64_t *ret_seq, tori_error *err)
{
    struct database *base = &journal->base;
    uint64_t seq = (uint64_t)database_get (base, READ_SNAPSHOTS, 0);
    struct whole_text whole = {0};
    int status = read_text (journal, &whole, err);
    if (status == 0
        && database_get (base, READ_SNAPSHOTS, 3)
               != journal_sum (seq, 0, "", whole.bytes, whole.n)) {
        if (journal->skipped < seq)
            journal->skipped = seq;
        status = JOURNAL_OLDER;
    }
    if (status == 0) {
        *ret_seq = seq;
        status = on_snapshot (arg, whole.bytes, whole.n);
    }
    free (whole.bytes);
    return status;
}

/* The record up to which a snapshot has been loaded, 0 if there is none. */
static int load_newest (struct journal *journal, snapshot_fn on_snapshot,
                        void *arg, uint64_t *ret_seq, tori_error *err)
{
    int found, status = 0;
    while ((found = database_step (&journal->base, READ_SNAPSHOTS, err))
           == 1) {
        status = load_snapshot (journal, on_snapshot, arg, ret_seq, err);
        if (status != JOURNAL_OLDER)
            break;
    }
    database_reset (&journal->base, READ_SNAPSHOTS);
    if (found != 0)
        return found < 0 ? -1 : status;
    *ret_seq = 0;
    if (status == JOURNAL_OLDER && journal->bounds.first > 1)
        return tori_error_set (err, TORI_INVALID,
                               "%s: %snone of its snapshots can be used, and"
                               " the records before them are gone",
                               journal->base.path,
                               journal->skipped ? "damaged: " : "");
    return 0;
}

/* Hand over the record in the current row, which must be number `seq`. */
static int apply_record (struct journal *journal, record_fn on_record,
                         void *arg, uint64_t seq, tori_error *err)
{
    struct database *base = &journal->base;
    struct journal_record record = {
        .seq = (uint64_t)database_get (base, READ_RECORDS, 0),
        .kind = (char)database_get (base, READ_RECORDS, 1)};
    int64_t sum = database_get (base, READ_RECORDS, 3);
    record.text = database_get_text (base, READ_RECORDS, 2, &record.n);
    journal->bad = seq; /* unless it can be read */
    if (record.seq != seq)
        return report_damage (journal, "there is no record", seq, err);
    if (sum != journal_sum (seq, record.kind, "", record.text, record.n))
        return report_damage (journal, "record", seq, err);
    journal->bad = 0;
    return on_record (arg, &record);
}

static int apply_records (struct journal *journal, record_fn on_record,
                          void *arg, uint64_t seq, tori_error *err)
{
    struct database *base = &journal->base;
    int found, status = 0;
    database_integer (base, READ_RECORDS, 1, (int64_t)seq);
    while ((found = database_step (base, READ_RECORDS, err)) == 1) {
        status = apply_record (journal, on_record, arg, ++seq, err);
        if (status != 0)
            break;
    }
    database_reset (base, READ_RECORDS);
    if (found < 0 || status != 0)
        return found < 0 ? -1 : status;
    if (seq >= journal->bounds.newest)
        return 0;
    journal->bad = seq + 1; /* a snapshot that was passed over had it */
    return report_damage (journal, "there is no record", seq + 1, err);
}

int journal_replay (struct journal *journal,
                    int (*on_snapshot) (void *arg, const char *text, size_t n),
                    int (*on_record) (void *arg,
                                      const struct journal_record *record),
                    void *arg, tori_error *err)
{
    uint64_t seq = 0;
    int status;
    journal->bad = journal->skipped = 0;
    status = load_newest (journal, on_snapshot, arg, &seq, err);
    if (status != 0)
        return status;
    if (journal->skipped) /* the records since this one are needed */
        journal->bounds.older = seq;
    return apply_records (journal, on_record, arg, seq, err);
}

/* ---- jobs ---- */

/* Hand over the job in the current row. */
static int show_job (struct journal *journal, enum statement which,
                     journal_job_fn each, void *arg, tori_error *err)
{
    struct database *base = &journal->base;
    struct journal_job job = {.id = (uint64_t)database_get (base, which, 0),
                              .ended = database_get (base, which, 2)};
    if (database_get_string (base, which, 1, &job.user, err) < 0)
        return -1;
    job.text = database_get_text (base, which, 3, &job.n);
    if (database_get (base, which, 4)
        != journal_sum (job.id, job.ended, job.user, job.text, job.n))
        return report_damage (journal, "job", job.id, err);
    return each (arg, &job);
}

static int show_jobs (struct journal *journal, enum statement which,
                      journal_job_fn each, void *arg, tori_error *err)
{
    int found, status = 0;
    while ((found = database_step (&journal->base, which, err)) == 1) {
        status = show_job (journal, which, each, arg, err);
        if (status != 0)
            break;
    }
    database_reset (&journal->base, which);
    return found < 0 ? -1 : status;
}

int journal_find (struct journal *journal, uint64_t id, journal_job_fn each,
                  void *arg, tori_error *err)
{
    if (id > INT64_MAX)
        return 0;
    database_integer (&journal->base, READ_JOB, 1, (int64_t)id);
    return show_jobs (journal, READ_JOB, each, arg, err);
}

/* A limit for SQLite, which takes a negative one as no limit. */
static int64_t limit_of (uint64_t limit)
{
    return limit - 1 < INT64_MAX ? (int64_t)limit : -1;
}

int journal_history (struct journal *journal,
                     const struct journal_filter *filter, journal_job_fn each,
                     void *arg, tori_error *err)
{
    static const enum statement all[2][2]
        = {{READ_JOBS, READ_JOBS_OF}, {READ_JOBS_UP, READ_JOBS_UP_OF}};
    struct database *base = &journal->base;
    enum statement which = all[filter->upwards][filter->user != NULL];
    uint64_t from = filter->upwards
                        ? filter->after_id
                        : filter->before_id - 1; /* of 0: the highest */
    if (from > INT64_MAX)
        from = INT64_MAX;
    database_integer (base, which, 1, (int64_t)from);
    database_integer (base, which, 2, limit_of (filter->limit));
    if (filter->user)
        database_string (base, which, 3, filter->user);
    return show_jobs (journal, which, each, arg, err);
}

/* ---- samples ---- */

/* Hand over the sample in the current row. */
static int show_sample (struct journal *journal, journal_sample_fn each,
                        void *arg, tori_error *err)
{
    struct database *base = &journal->base;
    struct journal_sample sample
        = {.time = database_get (base, READ_SAMPLES, 0)};
    sample.text = database_get_text (base, READ_SAMPLES, 1, &sample.n);
    if (database_get (base, READ_SAMPLES, 2)
        != journal_sum ((uint64_t)sample.time, 0, "", sample.text, sample.n))
        return report_damage (journal, "sample", (uint64_t)sample.time, err);
    return each (arg, &sample);
}

int journal_samples (struct journal *journal, int64_t after, uint64_t limit,
                     journal_sample_fn each, void *arg, tori_error *err)
{
    struct database *base = &journal->base;
    int found, status = 0;
    database_integer (base, READ_SAMPLES, 1, after);
    database_integer (base, READ_SAMPLES, 2, limit_of (limit));
    while ((found = database_step (base, READ_SAMPLES, err)) == 1) {
        status = show_sample (journal, each, arg, err);
        if (status != 0)
            break;
    }
    database_reset (base, READ_SAMPLES);
    return found < 0 ? -1 : status;
}

/* ---- changes ---- */

/* Hand over the change in the current row. */
static int show_change (struct journal *journal, enum statement which,
                        journal_change_fn each, void *arg, tori_error *err)
{
    struct database *base = &journal->base;
    struct journal_change change
        = {.number = (uint64_t)database_get (base, which, 0),
           .time = database_get (base, which, 1),
           .job = (uint64_t)database_get (base, which, 2)};
    if (database_get_string (base, which, 5, &change.user, err) < 0)
        return -1;
    change.text = database_get_text (base, which, 3, &change.n);
    if (database_get (base, which, 4)
        != journal_sum (change.number, change.time, change.user, change.text,
                        change.n))
        return report_damage (journal, "change", change.number, err);
    return each (arg, &change);
}

int journal_each_change (struct journal *journal,
                         const struct journal_changes *which,
                         journal_change_fn each, void *arg, tori_error *err)
{
    struct database *base = &journal->base;
    enum statement read = which->job > 0 ? READ_CHANGES_OF : READ_CHANGES;
    int found, status = 0;
    if (which->after > INT64_MAX || which->job > INT64_MAX)
        return 0;
    database_integer (base, read, 1, (int64_t)which->after);
    database_integer (base, read, 2, which->since);
    database_integer (base, read, 3, limit_of (which->limit));
    if (which->job > 0)
        database_integer (base, read, 4, (int64_t)which->job);
    while ((found = database_step (base, read, err)) == 1) {
        status = show_change (journal, read, each, arg, err);
        if (status != 0)
            break;
    }
    database_reset (base, read);
    return found < 0 ? -1 : status;
}
