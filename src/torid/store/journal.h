/* journal.h - the durable journal of a service, in one SQLite file.
 *
 * A service adds a record for everything that it is told and everything that
 * it decides, and acknowledges it once the record is on disk. Its state is the
 * result of reading the records again in order, from the newest snapshot on.
 * Jobs that have ended are not part of that state. They are kept for those who
 * ask about them, until they are pruned by age. Nor are samples of what was
 * measured now and then part of it; these become fewer with age. Nor are the
 * changes that people made, which are kept for those who ask who made them.
 *
 *     journal_open (path, &journal, &err);
 *     journal_replay (journal, load, apply, desk, &err);
 *     for (;;) {
 *         journal_add (journal, 'S', text, n, &err);     (as many as come in)
 *         if (journal_commit (journal, &err) == 0)       (one sync for all)
 *             ... acknowledge them ...
 *     }
 *
 * Additions are kept in memory until a commit succeeds. Reading sees only
 * what was committed. A commit that fails leaves everything as it was: reading
 * continues, more can be added, and the next commit tries all of it again. If
 * the machine goes down during a commit, or after one that failed, then either
 * all of it is there or none.
 *
 * The file is in SQLite's WAL mode: PATH-wal beside it belongs to it, and must
 * be copied with it. While it is open it is locked against everybody else,
 * including other journals of the same process. A process that has it open
 * must not open and close the file by other means: that would drop the lock.
 *
 * Every row has a checksum, and records are numbered without a gap, so that
 * damage is noticed when rows are read. Records and snapshots are also checked
 * when the file is opened. A PATH-wal that was cut off is the same as a
 * machine that went down there: what follows the cut is gone, whole commits at
 * a time.
 *
 * Texts are bytes of any kind. Texts passed to a callback are valid until it
 * returns. A callback must not call functions of the journal, except
 * journal_add, journal_end, journal_change and journal_save. If it returns anything but 0,
 * reading ends and that value is returned; the error is then untouched. Only
 * one thread at a time may use a journal.
 */
#ifndef TORI_STORE_JOURNAL_H
#define TORI_STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

/* The longest text, of a job together with its user; longer ones are
 * TORI_INVALID. */
enum { JOURNAL_TEXT_MOST = 1 << 29 };

/* How many rows a commit removes at the most, unless it adds more than that:
 * then twice as many as it adds. So no commit takes long because of what goes.
 */
enum { JOURNAL_REMOVED_MOST = 1000 };

/* The bytes of a piece of a snapshot that a commit writes in about a
 * millisecond. A commit removes at most two pieces of earlier ones, unless it
 * writes a whole snapshot. */
enum { JOURNAL_PIECE = 256 << 10 };

struct journal; /* opaque */

struct journal_record {
    uint64_t seq; /* 1, 2, 3, ... */
    char kind;    /* the caller's */
    const char *text;
    size_t n;
};

/* Open the journal at `path`, which is made if it is not there, and bring it
 * to the form of this version. TORI_INVALID for a file of another program or
 * of a newer version, which are not changed, and for a damaged one;
 * TORI_FAILED if another process has it open, or if reading or writing fails.
 */
int journal_open (const char *path, struct journal **ret_journal,
                  tori_error *err);

/* Forgets additions that were not committed. Takes NULL. */
void journal_close (struct journal *journal);

/* ---- writing ---- */

/* A record, in memory. It fails only without memory. */
int journal_add (struct journal *journal, char kind, const char *text,
                 size_t n, tori_error *err);

/* The number of the last record, added or in the file; 0 before the first. */
uint64_t journal_last (const struct journal *journal);

/* All that was added since the last commit that succeeded is on disk when this
 * returns 0, in one transaction. Without anything to do it does nothing. */
int journal_commit (struct journal *journal, tori_error *err);

/* A snapshot of everything up to the last record added. It goes with the next
 * commit. A second one before that takes its place, and so does one at the
 * same record later. The snapshot before it is kept as well. Older ones go in
 * the same commit, and the records before the older of the two from then on,
 * up to JOURNAL_REMOVED_MOST in each commit. */
int journal_save (struct journal *journal, const char *text, size_t n,
                  tori_error *err);

/* The same of everything up to an earlier record, in pieces: each commit from
 * then on writes one of `piece` bytes, and the one that writes the last makes
 * it a snapshot. After a crash before that there is none of it, and its pieces
 * go. The text, from malloc, is the journal's, also if this fails.
 * TORI_INVALID if there is a snapshot of later records. */
int journal_save_at (struct journal *journal, uint64_t seq, char *text,
                     size_t n, size_t piece, tori_error *err);

/* Whether pieces are left for the next commits. */
bool journal_saves (const struct journal *journal);

/* The last record of the newest snapshot, added or in the file; 0 if there is
 * none. */
uint64_t journal_saved (const struct journal *journal);

/* ---- reading it again ---- */

/* on_snapshot returns this if it cannot use a snapshot: it is called with the
 * one before, or, if there is none and the first record is still there, the
 * records are read from the first on. Otherwise that is TORI_INVALID. */
enum { JOURNAL_OLDER = 1 };

/* The newest snapshot, if there is one, then every record after it in order. A
 * damaged snapshot is passed over, as if on_snapshot could not use it. */
int journal_replay (struct journal *journal,
                    int (*on_snapshot) (void *arg, const char *text, size_t n),
                    int (*on_record) (void *arg,
                                      const struct journal_record *record),
                    void *arg, tori_error *err);

/* After a replay: the last record of a damaged snapshot that was passed over;
 * 0 if there is none. It goes with the next snapshot. */
uint64_t journal_skipped (const struct journal *journal);

/* After a replay: whether it came to a damaged record. */
bool journal_is_damaged (const struct journal *journal);

/* ---- what is left of a damaged one ---- */

struct journal_salvage {
    uint64_t snapshot; /* the last record of the snapshot; 0: there is none */
    uint64_t last;     /* record that was written */
    uint64_t seen;     /* the last record of which anything is whole */
    uint64_t pages, page; /* of the file and its log, and the bytes of one */
    uint64_t damaged;     /* pages on which something cannot be read; some of
                             them may not have been in use */
    uint64_t jobs;        /* that have ended, written */
};

/* Read what is whole in the journal at `from`, closed, of which nothing is
 * changed, and write it to a new one at `to`: the newest whole snapshot, all
 * records after it up to the first that is missing or is `before`, and the
 * jobs, samples and changes. Nothing else of the file has to be good: each row
 * counts by its own sum, wherever its page is. TORI_INVALID if there is
 * neither a whole snapshot nor the first record, and for a file of a newer
 * version. */
int journal_salvage (const char *from, const char *to, uint64_t before,
                     struct journal_salvage *ret_salvage, tori_error *err);

/* ---- jobs that have ended ---- */

struct journal_job {
    uint64_t id; /* below 2^63 */
    const char *user;
    int64_t ended; /* a time of the caller's */
    const char *text;
    size_t n;
};

struct journal_filter {
    const char *user;   /* NULL: all */
    bool upwards;       /* the lowest id first */
    uint64_t before_id; /* only jobs before this one; 0: from the newest on */
    uint64_t after_id;  /* upwards: only jobs after this one */
    uint64_t limit;     /* at most so many; 0: all */
};

typedef int (*journal_job_fn) (void *arg, const struct journal_job *job);

/* A job has ended; that goes with the next commit. One with the same id that
 * is there already is replaced. */
int journal_end (struct journal *journal, const struct journal_job *job,
                 tori_error *err);

/* Call `each` with a job; not at all if there is no such job. */
int journal_find (struct journal *journal, uint64_t id, journal_job_fn each,
                  void *arg, tori_error *err);

/* Jobs by id, the highest first or, upwards, the lowest. For the next page,
 * before_id or after_id is the last id of this one. */
int journal_history (struct journal *journal,
                     const struct journal_filter *filter, journal_job_fn each,
                     void *arg, tori_error *err);

/* Remove jobs that ended, and changes that were made, before this time: the
 * oldest JOURNAL_REMOVED_MOST of each with the next commit, and so on with
 * those that follow, until none is left. A later call may move the time on,
 * not back. Jobs that end with a commit are there before it removes any. The
 * last change stays. */
int journal_prune (struct journal *journal, int64_t before, tori_error *err);

/* ---- samples ---- */

struct journal_sample {
    int64_t time; /* in seconds; at least 0 */
    const char *text;
    size_t n;
};

typedef int (*journal_sample_fn) (void *arg,
                                  const struct journal_sample *sample);

/* Adds a sample measured at a time; it goes with the next commit, in place of
 * one of the same time. As of the last one of a commit, those that are a day
 * old stay if they are the first in a quarter of an hour, those two weeks old
 * if they are the first in four hours, and none for more than 400 days. So
 * with one sample per minute there are never more than 5,100. Any with a later
 * time go: the clock was wrong. */
int journal_sample (struct journal *journal,
                    const struct journal_sample *sample, tori_error *err);

/* Samples in order, after a time, at most `limit`. */
int journal_samples (struct journal *journal, int64_t after, uint64_t limit,
                     journal_sample_fn each, void *arg, tori_error *err);

/* ---- changes ---- */

/* So many are kept of each user, the newest, whatever their age: one who makes
 * more loses the oldest of them, and nobody else loses any. */
enum { JOURNAL_CHANGES_MOST = 100000 };

struct journal_change {
    uint64_t number; /* 1, 2, 3, ...; given by the journal */
    int64_t time;    /* the caller's, as of jobs; it does not go back */
    uint64_t job;    /* that was changed, below 2^63; 0: something else was */
    const char *text;
    size_t n;
    const char *user; /* who made it; NULL or empty: it is not known */
};

typedef int (*journal_change_fn) (void *arg,
                                  const struct journal_change *change);

/* A change was made; that goes with the next commit. */
int journal_change (struct journal *journal,
                    const struct journal_change *change, tori_error *err);

struct journal_changes {
    uint64_t after; /* only those with a higher number, */
    int64_t since;  /* ... at this time or later, */
    uint64_t job;   /* ... of this job; 0: all; */
    uint64_t limit; /* ... and at most so many; 0: all */
};

/* Changes in order. */
int journal_each_change (struct journal *journal,
                         const struct journal_changes *which,
                         journal_change_fn each, void *arg, tori_error *err);

#endif
