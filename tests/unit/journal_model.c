#include "journal_model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- texts ---- */

const char *model_text (uint64_t stamp, size_t *ret_n)
{
    static char text[MODEL_TEXT];
    struct rng rng;
    size_t n;
    rng_seed (&rng, stamp, 7);
    n = (size_t)rng_below (&rng, chance (&rng, 5) ? MODEL_TEXT : 200);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)rng_next (&rng);
    *ret_n = n;
    return text;
}

char model_kind (uint64_t stamp)
{
    return (char)(stamp * 37);
}

const char *model_user (unsigned user)
{
    static const char *const users[] = {"ann", "bob", "", "a\xff\x01"};
    return users[user % LENGTH (users)];
}

static bool same_text (uint64_t stamp, const char *text, size_t n)
{
    size_t length;
    const char *should = model_text (stamp, &length);
    return n == length && memcmp (text, should, n) == 0;
}

/* ---- acting ---- */

void model_init (struct journal_model *model)
{
    memset (model, 0, sizeof *model);
    model->disk.first = model->next.first = 1;
}

void must_add (struct journal *journal, uint64_t stamp)
{
    size_t n;
    const char *text = model_text (stamp, &n);
    uint64_t last = journal_last (journal);
    assert_int_equal (journal_add (journal, model_kind (stamp), text, n, NULL),
                      0);
    assert_int_equal (journal_last (journal), last + 1);
}

/* In pieces, as many as eight. */
static size_t save_pieces (struct journal *journal, const char *text, size_t n,
                           struct rng *rng)
{
    size_t piece = n / between (rng, 1, 8) + 1;
    char *copy = malloc (n + 1);
    assert_non_null (copy);
    memcpy (copy, text, n);
    assert_int_equal (journal_save_at (journal, journal_last (journal), copy,
                                       n, piece, NULL),
                      0);
    return n > piece ? (n - 1) / piece : 0;
}

static void act_save (struct journal_model *model, struct journal *journal,
                      struct rng *rng, uint64_t stamp)
{
    size_t n;
    const char *text = model_text (stamp, &n);
    model->pieces = 0;
    if (chance (rng, 50))
        model->pieces = save_pieces (journal, text, n, rng);
    else
        assert_int_equal (journal_save (journal, text, n, NULL), 0);
    assert_true (journal_saves (journal));
    model->saves = true;
    model->saved_seq = model->next.last;
    model->saved = stamp;
}

static void act_end (struct journal_model *model, struct journal *journal,
                     struct rng *rng, uint64_t stamp)
{
    uint64_t id = rng_below (rng, MODEL_JOBS);
    struct model_job *job = &model->next.jobs[id];
    struct journal_job it = {.id = id};
    *job = (struct model_job){true, between (rng, 0, 3),
                              (int64_t)between (rng, 0, 40) - 20, stamp};
    it.user = model_user (job->user);
    it.ended = job->ended;
    it.text = model_text (stamp, &it.n);
    assert_int_equal (journal_end (journal, &it, NULL), 0);
}

static void act_prune (struct journal_model *model, struct journal *journal,
                       int64_t before)
{
    assert_int_equal (journal_prune (journal, before, NULL), 0);
    if (!model->prunes || before > model->before)
        model->before = before;
    model->prunes = true;
}

void model_act (struct journal_model *model, struct journal *journal,
                struct rng *rng)
{
    uint64_t stamp = rng_next (rng);
    uint32_t what = between (rng, 0, 99);
    if (what < 70 && model->next.last + 1 < MODEL_RECORDS) {
        must_add (journal, stamp);
        model->next.stamps[++model->next.last] = stamp;
    } else if (what < 75)
        act_save (model, journal, rng, stamp);
    else if (what < 97)
        act_end (model, journal, rng, stamp);
    else
        act_prune (model, journal, (int64_t)between (rng, 0, 20) - 20);
}

static void commit_snapshot (struct journal_model *model)
{
    struct model_disk *next = &model->next;
    if (next->nsnapshots == 0 || next->seq[0] != model->saved_seq) {
        next->seq[1] = next->seq[0];
        next->snapshot[1] = next->snapshot[0];
        next->nsnapshots += next->nsnapshots < 2;
    }
    next->seq[0] = model->saved_seq;
    next->snapshot[0] = model->saved;
}

void model_commit (struct journal_model *model)
{
    bool complete = model->saves && model->pieces == 0;
    if (complete)
        commit_snapshot (model);
    if (model->next.nsnapshots == 2)
        model->next.first = model->next.seq[1] + 1;
    for (size_t i = 0; model->prunes && i < MODEL_JOBS; i++)
        if (model->next.jobs[i].ended < model->before)
            model->next.jobs[i].there = false;
    model->disk = model->next;
    model->pieces -= model->pieces > 0;
    model->saves = model->saves && !complete;
    model->prunes = false;
}

void model_reopen (struct journal_model *model)
{
    model->next = model->disk;
    model->saves = model->prunes = false;
}

/* ---- comparing ---- */

struct reading {
    const struct model_disk *disk;
    const struct journal *journal;
    size_t declined; /* snapshots, so far */
    size_t declines; /* how many to decline */
    size_t snapshots;
    uint64_t last; /* record read */
    bool wrong;
};

static int read_snapshot (void *arg, const char *text, size_t n)
{
    struct reading *reading = arg;
    size_t i
        = reading->snapshots++ + (journal_skipped (reading->journal) > 0);
    if (i >= reading->disk->nsnapshots
        || !same_text (reading->disk->snapshot[i], text, n)) {
        reading->wrong = true;
        return 5;
    }
    if (reading->declined < reading->declines) {
        reading->declined++;
        return JOURNAL_OLDER;
    }
    reading->last = reading->disk->seq[i];
    return 0;
}

static int read_record (void *arg, const struct journal_record *record)
{
    struct reading *reading = arg;
    uint64_t stamp;
    if (record->seq != ++reading->last || record->seq > reading->disk->last) {
        reading->wrong = true;
        return 6;
    }
    stamp = reading->disk->stamps[record->seq];
    reading->wrong = record->kind != model_kind (stamp)
                     || !same_text (stamp, record->text, record->n);
    return reading->wrong ? 7 : 0;
}

static bool replays (const struct model_disk *disk, struct journal *journal,
                     size_t declines)
{
    struct reading reading = {
        .disk = disk, .journal = journal, .declines = declines};
    tori_error err = {0};
    int status =
        journal_replay (journal, read_snapshot, read_record, &reading, &err);
    if (declines >= disk->nsnapshots && declines > 0 && disk->first > 1)
        return status < 0 && err.status == TORI_INVALID;
    return status == 0 && !reading.wrong && reading.last == disk->last
           && journal_last (journal) >= disk->last;
}

struct listing {
    const struct model_disk *disk;
    const struct journal_filter *filter;
    uint64_t next; /* the id up to which jobs have not been seen */
    uint64_t n;
};

static bool is_listed (const struct listing *listing, uint64_t id)
{
    const struct model_job *job = &listing->disk->jobs[id];
    const char *user = listing->filter->user;
    return job->there && (!user || !strcmp (user, model_user (job->user)));
}

static void expect_none_between (struct listing *listing, uint64_t id)
{
    while (listing->next-- > id)
        assert_false (is_listed (listing, listing->next));
}

static int list_job (void *arg, const struct journal_job *job)
{
    struct listing *listing = arg;
    const struct model_job *should = &listing->disk->jobs[job->id];
    assert_true (job->id < listing->next);
    expect_none_between (listing, job->id + 1);
    assert_true (is_listed (listing, job->id));
    assert_string_equal (job->user, model_user (should->user));
    assert_int_equal (job->ended, should->ended);
    assert_true (same_text (should->stamp, job->text, job->n));
    listing->next = job->id;
    listing->n++;
    return 0;
}

static void expect_history (const struct model_disk *disk,
                            struct journal *journal, struct rng *rng)
{
    struct journal_filter filter = {
        .user = chance (rng, 50) ? model_user (between (rng, 0, 3)) : NULL,
        .before_id = chance (rng, 50) ? between (rng, 1, MODEL_JOBS) : 0,
        .limit = chance (rng, 50) ? between (rng, 1, 10) : 0};
    struct listing listing = {.disk = disk, .filter = &filter};
    listing.next = filter.before_id ? filter.before_id : MODEL_JOBS;
    assert_int_equal (
        journal_history (journal, &filter, list_job, &listing, NULL), 0);
    if (filter.limit)
        assert_true (listing.n <= filter.limit);
    if (listing.n < filter.limit || !filter.limit)
        for (uint64_t id = 0; id < listing.next; id++)
            assert_false (is_listed (&listing, id));
}

struct ids {
    uint64_t id[MODEL_JOBS];
    size_t n;
};

static int note_id (void *arg, const struct journal_job *job)
{
    struct ids *ids = arg;
    assert_true (ids->n < MODEL_JOBS);
    ids->id[ids->n++] = job->id;
    return 0;
}

static void expect_upwards (const struct model_disk *disk,
                            struct journal *journal, struct rng *rng)
{
    struct journal_filter filter = {
        .user = chance (rng, 50) ? model_user (between (rng, 0, 3)) : NULL,
        .upwards = true,
        .after_id = chance (rng, 50) ? between (rng, 1, MODEL_JOBS) : 0,
        .limit = chance (rng, 50) ? between (rng, 1, 10) : 0};
    struct listing listing = {.disk = disk, .filter = &filter};
    struct ids ids = {.n = 0};
    size_t n = 0;
    assert_int_equal (journal_history (journal, &filter, note_id, &ids, NULL),
                      0);
    for (uint64_t id = filter.after_id + 1; id < MODEL_JOBS; id++) {
        if (!is_listed (&listing, id) || (filter.limit && n == filter.limit))
            continue;
        assert_true (n < ids.n && ids.id[n] == id);
        n++;
    }
    assert_int_equal (n, ids.n);
}

static void expect_job (const struct model_disk *disk, struct journal *journal,
                        uint64_t id)
{
    struct journal_filter all = {0};
    struct listing listing = {disk, &all, id + 1, 0};
    assert_int_equal (journal_find (journal, id, list_job, &listing, NULL), 0);
    assert_int_equal (listing.n, disk->jobs[id].there);
}

bool model_matches (const struct model_disk *disk, struct journal *journal)
{
    return replays (disk, journal, 0);
}

void model_expect (const struct model_disk *disk, struct journal *journal,
                   struct rng *rng)
{
    assert_true (replays (disk, journal, 0));
    assert_true (replays (disk, journal, between (rng, 0, 2)));
    expect_history (disk, journal, rng);
    expect_upwards (disk, journal, rng);
    expect_job (disk, journal, rng_below (rng, MODEL_JOBS));
}

/* ---- files ---- */

static char folder[40];

char journal_file[JOURNAL_PATH], journal_log[JOURNAL_PATH];

const char *journal_folder (void)
{
    snprintf (folder, sizeof folder, "%s/tori-journal-XXXXXX",
              access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp (folder))
        return NULL;
    snprintf (journal_file, JOURNAL_PATH, "%s/journal", folder);
    snprintf (journal_log, JOURNAL_PATH, "%s/journal-wal", folder);
    return folder;
}

const char *journal_path (const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf (path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void journal_folder_empty (void)
{
    DIR *dir = opendir (folder);
    struct dirent *entry;
    while ((entry = readdir (dir)))
        if (strcmp (entry->d_name, ".") && strcmp (entry->d_name, ".."))
            unlink (journal_path (entry->d_name));
    closedir (dir);
}

void journal_folder_remove (void)
{
    journal_folder_empty ();
    rmdir (folder);
}

struct journal *must_open (const char *path)
{
    struct journal *journal = NULL;
    tori_error err = {0};
    if (journal_open (path, &journal, &err) < 0)
        fail_msg ("%s", err.text);
    return journal;
}

void must_commit (struct journal *journal)
{
    tori_error err = {0};
    if (journal_commit (journal, &err) < 0)
        fail_msg ("%s", err.text);
}

void expect_line (const tori_error *err)
{
    assert_true (err->status == TORI_FAILED || err->status == TORI_INVALID);
    assert_true (strlen (err->text) > 0);
    assert_null (strchr (err->text, '\n'));
}

void expect_refused (const char *path, tori_status status, const char *text)
{
    struct journal *journal = NULL;
    tori_error err = {0};
    assert_int_equal (journal_open (path, &journal, &err), -1);
    assert_null (journal);
    expect_line (&err);
    assert_int_equal (err.status, status);
    if (!strstr (err.text, text) || strncmp (err.text, path, strlen (path)))
        fail_msg ("%s", err.text);
}
