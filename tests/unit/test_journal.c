/* The journal against a model in memory, and files that are none, are damaged
 * or in use. */
#include "journal_model.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "walcheck.h"

static int setup (void **state)
{
    return journal_folder () ? 0 : -1;
}

static int teardown (void **state)
{
    journal_folder_remove ();
    return 0;
}

static int empty (void **state)
{
    journal_folder_empty ();
    return 0;
}

/* ---- like the model ---- */

static struct journal *step (struct journal_model *model,
                             struct journal *journal, struct rng *rng)
{
    uint32_t what = between (rng, 0, 99);
    if (what < 80)
        model_act (model, journal, rng);
    else if (what < 94) {
        must_commit (journal);
        model_commit (model);
    } else if (what < 97) {
        journal_close (journal);
        model_reopen (model);
        journal = must_open (journal_file);
        assert_int_equal (journal_last (journal), model->disk.last);
    } else
        model_expect (&model->disk, journal, rng);
    return journal;
}

TEST_AFTER (random, empty)
{
    static struct journal_model model;
    for (size_t i = 0; i < random_cases (12); i++) {
        struct journal *journal = must_open (journal_file);
        struct rng rng;
        rng_seed (&rng, i, 0);
        model_init (&model);
        for (int n = 0; n < 800; n++)
            journal = step (&model, journal, &rng);
        model_expect (&model.disk, journal, &rng);
        journal_close (journal);
        empty (NULL);
    }
}

TEST (close_takes_null)
{
    journal_close (NULL);
}

/* ---- what goes ---- */

static int64_t ask (const char *question)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    int64_t answer;
    assert_int_equal (sqlite3_open (journal_file, &db), SQLITE_OK);
    assert_int_equal (sqlite3_prepare_v2 (db, question, -1, &statement, NULL),
                      SQLITE_OK);
    assert_int_equal (sqlite3_step (statement), SQLITE_ROW);
    answer = sqlite3_column_int64 (statement, 0);
    sqlite3_finalize (statement);
    sqlite3_close (db);
    return answer;
}

static void execute (const char *path, const char *text)
{
    sqlite3 *db;
    assert_int_equal (sqlite3_open (path, &db), SQLITE_OK);
    assert_int_equal (sqlite3_exec (db, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal (sqlite3_close (db), SQLITE_OK);
}

/* The tables, and how many commits it takes until there is nothing to do. */
static int64_t count_after (int commits, const char *question)
{
    struct journal *journal = must_open (journal_file);
    for (int i = 0; i < commits; i++)
        must_commit (journal);
    journal_close (journal);
    return ask (question);
}

static void save_after (struct journal *journal, int records)
{
    for (int i = 0; i < records; i++)
        assert_int_equal (journal_add (journal, 'x', "y", 1, NULL), 0);
    assert_int_equal (journal_save (journal, "s", 1, NULL), 0);
    must_commit (journal);
}

TEST_AFTER (records_go_little_by_little, empty)
{
    static const char question[] = "SELECT count (*) FROM record";
    struct journal *journal = must_open (journal_file);
    save_after (journal, 2500);
    save_after (journal, 10);
    save_after (journal, 10);
    journal_close (journal);
    assert_int_equal (ask (question), 2520 - 2 * JOURNAL_REMOVED_MOST);
    assert_int_equal (count_after (1, question), 10);
    assert_int_equal (count_after (1, question), 10);
    assert_int_equal (ask ("SELECT count (*) FROM snapshot"), 2);
}

static int count_replayed (void *arg, const struct journal_record *record)
{
    ++*(int *)arg;
    return 0;
}

static int take_snapshot (void *arg, const char *text, size_t n)
{
    return n == 1 && *text == 'e' ? 0 : -1;
}

/* A snapshot of an earlier record than the last: those after it are read. */
TEST_AFTER (a_snapshot_comes_late, empty)
{
    struct journal *journal = must_open (journal_file);
    int replayed = 0;
    save_after (journal, 10);
    for (int i = 0; i < 5; i++)
        assert_int_equal (journal_add (journal, 'x', "y", 1, NULL), 0);
    must_commit (journal);
    assert_int_equal (
        journal_save_at (journal, 12, strdup ("e"), 1, 1, NULL), 0);
    assert_int_equal (journal_saved (journal), 12);
    assert_int_equal (
        journal_save_at (journal, 11, strdup ("f"), 1, 1, NULL), -1);
    assert_int_equal (
        journal_save_at (journal, 16, strdup ("f"), 1, 1, NULL), -1);
    must_commit (journal);
    journal_close (journal);
    journal = must_open (journal_file);
    assert_int_equal (journal_saved (journal), 12);
    assert_int_equal (journal_replay (journal, take_snapshot, count_replayed,
                                      &replayed, NULL),
                      0);
    assert_int_equal (replayed, 3);
    journal_close (journal);
}

/* ---- snapshots in pieces ---- */

enum { LETTERS = 20 };

static int count_letters (void *arg, const char *text, size_t n)
{
    assert_int_equal (n, LETTERS);
    for (size_t i = 0; i < n; i++)
        assert_int_equal (text[i], 'a' + i);
    ++*(int *)arg;
    return 0;
}

static int add_ten (void *arg, const struct journal_record *record)
{
    *(int *)arg += 10;
    return 0;
}

/* One of as many letters, after a record. */
static void save_letters (struct journal *journal, size_t piece)
{
    char *text = malloc (LETTERS);
    assert_non_null (text);
    for (int i = 0; i < LETTERS; i++)
        text[i] = (char)('a' + i);
    assert_int_equal (journal_add (journal, 'x', "y", 1, NULL), 0);
    assert_int_equal (journal_save_at (journal, journal_last (journal), text,
                                       LETTERS, piece, NULL),
                      0);
}

/* Snapshots read, and ten for each record. */
static int replay_letters (struct journal *journal)
{
    int seen = 0;
    assert_int_equal (
        journal_replay (journal, count_letters, add_ten, &seen, NULL), 0);
    return seen;
}

/* It counts when its last piece is there; pieces of one that is given up, or
 * that has gone, go two at a time. */
TEST_AFTER (pieces, empty)
{
    static const char pieces[] = "SELECT count (*) FROM piece";
    struct journal *journal = must_open (journal_file);
    save_letters (journal, 6);
    for (int i = 0; i < 3; i++) {
        assert_true (journal_saves (journal));
        must_commit (journal);
        assert_int_equal (replay_letters (journal), 10);
    }
    must_commit (journal);
    assert_false (journal_saves (journal));
    assert_int_equal (replay_letters (journal), 1);
    save_letters (journal, 2);
    for (int i = 0; i < 5; i++)
        must_commit (journal);
    assert_int_equal (replay_letters (journal), 11);
    journal_close (journal); /* or it crashes here */
    assert_int_equal (ask (pieces), 3 + 5);
    assert_int_equal (ask ("SELECT count (*) FROM snapshot"), 1);
    journal = must_open (journal_file);
    assert_int_equal (replay_letters (journal), 11);
    journal_close (journal);
    assert_int_equal (count_after (1, pieces), 3 + 3);
    assert_int_equal (count_after (3, pieces), 3);
    journal = must_open (journal_file);
    save_letters (journal, 4); /* another takes its place, in its middle */
    must_commit (journal);
    must_commit (journal);
    save_letters (journal, 19);
    must_commit (journal);
    must_commit (journal);
    assert_int_equal (replay_letters (journal), 1);
    journal_close (journal);
    assert_int_equal (ask (pieces), 3 + 1);
    journal = must_open (journal_file);
    save_letters (journal, 19); /* the first one is too old now */
    must_commit (journal);
    must_commit (journal);
    journal_close (journal);
    assert_int_equal (count_after (2, pieces), 2);
    assert_int_equal (ask ("SELECT count (*) FROM snapshot"), 2);
}

/* A piece that is missing or not what it was is a damaged snapshot. */
TEST_AFTER (damaged_pieces, empty)
{
    static const char *const damage[]
        = {"DELETE FROM piece WHERE number = 5",
           "UPDATE piece SET text = 'mno' WHERE number = 5",
           "UPDATE snapshot SET last = last - 1 WHERE seq = 2",
           "UPDATE snapshot SET first = first - 1 WHERE seq = 2"};
    for (size_t i = 0; i < LENGTH (damage); i++) {
        struct journal *journal = must_open (journal_file);
        for (int n = 0; n < 2; n++) {
            save_letters (journal, 6);
            while (journal_saves (journal))
                must_commit (journal);
        }
        journal_close (journal);
        execute (journal_file, damage[i]);
        journal = must_open (journal_file);
        assert_int_equal (replay_letters (journal), 11);
        assert_int_equal (journal_skipped (journal), 2);
        save_letters (journal, 6);
        while (journal_saves (journal)) {
            assert_int_equal (journal_skipped (journal), 2);
            must_commit (journal);
        }
        assert_int_equal (replay_letters (journal), 1);
        assert_int_equal (journal_skipped (journal), 0);
        journal_close (journal);
        assert_int_equal (
            count_after (3, "SELECT count (*) FROM piece"), 3 + 3);
        empty (NULL);
    }
}

/* A file of the version before has its snapshots in one text each. */
TEST_AFTER (file_without_pieces, empty)
{
    struct journal *journal = must_open (journal_file);
    save_letters (journal, LETTERS);
    must_commit (journal);
    journal_close (journal);
    execute (journal_file,
             "CREATE TABLE old (seq INTEGER PRIMARY KEY, text BLOB NOT NULL,"
             " sum INTEGER NOT NULL);"
             "INSERT INTO old SELECT seq, text, sum FROM snapshot;"
             "DROP TABLE snapshot; DROP TABLE piece;"
             "ALTER TABLE old RENAME TO snapshot;"
             "DROP INDEX change_user; ALTER TABLE change DROP COLUMN nth;"
             "ALTER TABLE change DROP COLUMN user;"
             "PRAGMA user_version = 3;");
    journal = must_open (journal_file);
    assert_int_equal (replay_letters (journal), 1);
    save_letters (journal, 6);
    while (journal_saves (journal))
        must_commit (journal);
    assert_int_equal (replay_letters (journal), 1);
    journal_close (journal);
    assert_int_equal (ask ("SELECT count (*) FROM snapshot"), 2);
}

static void end_jobs (struct journal *journal, uint64_t n)
{
    struct journal_job job = {.user = "ann", .text = "t", .n = 1};
    for (job.id = 1; job.id <= n; job.id++) {
        job.ended = (int64_t)job.id;
        assert_int_equal (journal_end (journal, &job, NULL), 0);
    }
    must_commit (journal);
}

static int take_first (void *arg, const struct journal_job *job)
{
    *(uint64_t *)arg = job->id;
    return 42;
}

TEST_AFTER (jobs_go_little_by_little, empty)
{
    static const char question[] = "SELECT min (id) FROM job";
    struct journal *journal = must_open (journal_file);
    end_jobs (journal, 2600);
    assert_int_equal (journal_prune (journal, 2501, NULL), 0);
    must_commit (journal);
    journal_close (journal);
    assert_int_equal (ask (question), JOURNAL_REMOVED_MOST + 1);
    assert_int_equal (count_after (1, question), JOURNAL_REMOVED_MOST + 1);
    journal = must_open (journal_file);
    assert_int_equal (journal_prune (journal, 2501, NULL), 0);
    assert_int_equal (journal_prune (journal, 5, NULL), 0);
    for (int i = 0; i < 3; i++)
        must_commit (journal);
    journal_close (journal);
    assert_int_equal (ask (question), 2501);
}

/* The disk that is not used any more is given back at the next start. */
TEST_AFTER (the_disk_is_given_back, empty)
{
    enum { LARGE = 5 << 20, RECORDS = 8 };
    struct journal *journal = must_open (journal_file);
    char *text = calloc (1, LARGE);
    struct stat st;
    assert_non_null (text);
    for (int i = 0; i < RECORDS; i++)
        assert_int_equal (journal_add (journal, 'r', text, LARGE, NULL), 0);
    must_commit (journal);
    for (int i = 0; i < 2; i++) {
        assert_int_equal (journal_save (journal, "x", 1, NULL), 0);
        assert_int_equal (journal_add (journal, 'r', "y", 1, NULL), 0);
        must_commit (journal);
    }
    free (text);
    for (int i = 0; i < 2; i++) {
        journal_close (journal);
        journal = must_open (journal_file);
    }
    assert_int_equal (stat (journal_file, &st), 0);
    assert_true (st.st_size < LARGE);
    assert_int_equal (journal_last (journal), RECORDS + 2);
    journal_close (journal);
    assert_int_equal (ask ("SELECT count (*) FROM record"), 2);
    assert_int_equal (ask ("PRAGMA application_id"), 0x746f7269);
}

TEST_AFTER (a_callback_ends_it, empty)
{
    struct journal *journal = must_open (journal_file);
    struct journal_filter all = {0};
    tori_error err = {0};
    uint64_t seen = 0;
    end_jobs (journal, 9);
    assert_int_equal (journal_history (journal, &all, take_first, &seen, &err),
                      42);
    assert_int_equal (seen, 9);
    assert_int_equal (journal_find (journal, 3, take_first, &seen, &err), 42);
    assert_int_equal (seen, 3);
    assert_int_equal (err.status, TORI_OK);
    journal_close (journal);
}

/* ---- samples ---- */

enum { SAMPLES = 8000, DAY = 86400, QUARTER = 900, WATCH = 14400 };

struct sample_list {
    int64_t time[SAMPLES];
    size_t n;
};

static bool has_earlier (const struct sample_list *list, size_t at,
                         int64_t step)
{
    return at > 0 && list->time[at - 1] / step == list->time[at] / step;
}

static bool is_kept (const struct sample_list *list, size_t at, int64_t now)
{
    int64_t age = now - list->time[at];
    if (age < DAY)
        return age >= 0;
    if (age < 14 * DAY)
        return !has_earlier (list, at, QUARTER);
    return age < 400 * DAY && !has_earlier (list, at, WATCH);
}

static void put_sample (struct sample_list *list, int64_t time)
{
    size_t at = list->n;
    while (at > 0 && list->time[at - 1] >= time)
        at--;
    if (at == list->n || list->time[at] != time) {
        memmove (list->time + at + 1, list->time + at,
                 (list->n++ - at) * sizeof *list->time);
        list->time[at] = time;
    }
}

/* Samples later than the last one go, and those that are too close for their
 * age. */
static void thin_list (struct sample_list *list, int64_t now)
{
    static struct sample_list before;
    before = *list;
    list->n = 0;
    for (size_t i = 0; i < before.n; i++)
        if (is_kept (&before, i, now))
            list->time[list->n++] = before.time[i];
    assert_true (list->n < 5100);
}

static void add_sample_at (struct journal *journal, int64_t time)
{
    char text[32];
    struct journal_sample sample = {.time = time, .text = text};
    sample.n = (size_t)snprintf (text, sizeof text, "at %lld",
                                 (long long)time);
    assert_int_equal (journal_sample (journal, &sample, NULL), 0);
}

static int see_sample (void *arg, const struct journal_sample *sample)
{
    struct sample_list *seen = arg;
    char text[32];
    int n = snprintf (text, sizeof text, "at %lld", (long long)sample->time);
    assert_int_equal (sample->n, n);
    assert_memory_equal (sample->text, text, sample->n);
    seen->time[seen->n++] = sample->time;
    return 0;
}

static void check_samples (struct journal *journal,
                           const struct sample_list *list)
{
    static struct sample_list seen;
    int64_t after = -1;
    size_t page, n = 0;
    do {
        seen.n = 0;
        assert_int_equal (
            journal_samples (journal, after, 100, see_sample, &seen, NULL), 0);
        page = seen.n;
        for (size_t i = 0; i < page; i++, n++)
            assert_int_equal (seen.time[i], list->time[n]);
        after = page ? seen.time[page - 1] : 0;
    } while (page == 100);
    assert_int_equal (n, list->n);
}

static int64_t later (int64_t now, struct rng *rng)
{
    uint32_t what = between (rng, 0, 999);
    return what < 2    ? now + 30 * DAY
           : what < 10 ? now - 60 * (int64_t)between (rng, 0, 600)
           : what < 60 ? now + 60 * (int64_t)between (rng, 1, 200)
                       : now + 60;
}

/* Minutes, hours and sometimes weeks go by; now and then the clock goes back,
 * or the journal is opened again. */
TEST_AFTER (samples, empty)
{
    static struct sample_list list;
    struct journal *journal = must_open (journal_file);
    int64_t now = 1700000000 / 60 * 60;
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int i = 0; i < 1000; i++) {
        for (uint32_t n = between (&rng, 1, 30); n > 0; n--) {
            now = later (now, &rng);
            add_sample_at (journal, now);
            put_sample (&list, now);
        }
        must_commit (journal);
        thin_list (&list, now);
        if (between (&rng, 0, 49) > 0)
            continue;
        journal_close (journal);
        journal = must_open (journal_file);
        check_samples (journal, &list);
    }
    journal_close (journal);
}

TEST_AFTER (limits, empty)
{
    struct journal *journal = must_open (journal_file);
    struct journal_job job = {
        .id = UINT64_C (1) << 63, .user = "", .text = ""};
    uint64_t seen = 0;
    tori_error err;
    assert_int_equal (journal_end (journal, &job, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (
        journal_add (journal, 'x', "", (size_t)JOURNAL_TEXT_MOST + 1, &err),
        -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (journal_last (journal), 0);
    job.id--;
    assert_int_equal (journal_end (journal, &job, &err), 0);
    must_commit (journal);
    assert_int_equal (
        journal_find (journal, UINT64_MAX, take_first, &seen, &err), 0);
    assert_int_equal (journal_history (journal, &(struct journal_filter){0},
                                       take_first, &seen, &err),
                      42);
    assert_true (seen == INT64_MAX);
    journal_close (journal);
}

/* ---- files that are refused ---- */

static void put (const char *path, const char *text)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    fputs (text, file);
    assert_int_equal (fclose (file), 0);
}

static char *read_file (const char *path, size_t *ret_size)
{
    FILE *file = fopen (path, "r");
    char *bytes;
    struct stat st;
    assert_non_null (file);
    assert_int_equal (fstat (fileno (file), &st), 0);
    bytes = make_array ((size_t)st.st_size, 1);
    *ret_size = fread (bytes, 1, (size_t)st.st_size, file);
    fclose (file);
    return bytes;
}

static void write_file (const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    assert_int_equal (fwrite (bytes, 1, size, file), size);
    assert_int_equal (fclose (file), 0);
}

/* Refused, and not a byte of it changed. */
static void expect_left_alone (const char *path, const char *why)
{
    size_t before, after;
    char *was = read_file (path, &before), *is;
    expect_refused (path, TORI_INVALID, why);
    is = read_file (path, &after);
    assert_int_equal (before, after);
    assert_memory_equal (is, was, before);
    free (was);
    free (is);
}

/* ---- changes ---- */

static void add_change_of (struct journal *journal, int64_t time, uint64_t job,
                           const char *user)
{
    char text[32];
    struct journal_change change
        = {.time = time, .job = job, .text = text, .user = user};
    change.n = (size_t)snprintf (text, sizeof text, "%ju at %lld",
                                 (uintmax_t)job, (long long)time);
    assert_int_equal (journal_change (journal, &change, NULL), 0);
}

static void add_change_at (struct journal *journal, int64_t time, uint64_t job)
{
    add_change_of (journal, time, job, "ann");
}

/* Append the number to a text. */
static int see_change (void *arg, const struct journal_change *change)
{
    char *seen = arg, text[32];
    size_t n = strlen (seen);
    snprintf (text, sizeof text, "%ju at %lld", (uintmax_t)change->job,
              (long long)change->time);
    assert_int_equal (change->n, strlen (text));
    assert_memory_equal (change->text, text, change->n);
    snprintf (seen + n, 100 - n, "%ju ", (uintmax_t)change->number);
    return 0;
}

static void expect_changes (struct journal *journal,
                            struct journal_changes which, const char *numbers)
{
    char seen[100] = "";
    assert_int_equal (
        journal_each_change (journal, &which, see_change, seen, NULL), 0);
    assert_string_equal (seen, numbers);
}

/* Changes are found by number, time and job. They outlive records. Old ones
 * go; no number is given twice. */
TEST_AFTER (changes, empty)
{
    struct journal *journal = must_open (journal_file);
    char seen[100] = "";
    tori_error err = {0};
    for (int i = 1; i <= 6; i++)
        add_change_at (journal, 10 * i, i % 3);
    expect_changes (journal, (struct journal_changes){0}, "");
    must_commit (journal);
    journal_close (journal);
    journal = must_open (journal_file);
    expect_changes (journal, (struct journal_changes){0}, "1 2 3 4 5 6 ");
    expect_changes (journal, (struct journal_changes){.job = 2}, "2 5 ");
    expect_changes (journal,
                    (struct journal_changes){.after = 2, .limit = 2}, "3 4 ");
    expect_changes (journal, (struct journal_changes){.since = 41}, "5 6 ");
    expect_changes (journal, (struct journal_changes){.since = 61}, "");
    expect_changes (
        journal,
        (struct journal_changes){.since = 20, .after = 1, .job = 1}, "4 ");
    journal_prune (journal, 40, NULL);
    must_commit (journal);
    expect_changes (journal, (struct journal_changes){0}, "4 5 6 ");
    journal_prune (journal, 100, NULL);
    must_commit (journal);
    expect_changes (journal, (struct journal_changes){0}, "6 ");
    journal_close (journal);
    journal = must_open (journal_file);
    add_change_at (journal, 110, 0);
    must_commit (journal);
    expect_changes (journal, (struct journal_changes){.after = 6}, "7 ");
    journal_close (journal);
    execute (journal_file, "UPDATE change SET text = 'x' WHERE number = 6");
    journal = must_open (journal_file);
    assert_int_equal (
        journal_each_change (journal, &(struct journal_changes){0},
                             see_change, seen, &err),
        -1);
    assert_string_equal (seen, "");
    assert_non_null (strstr (err.text, "change 6"));
    journal_close (journal);
}

/* Of each user the newest are kept. A user who makes too many loses the oldest
 * of them, and nobody else does. */
TEST_AFTER (changes_of_a_user, empty)
{
    static const char *const users[] = {"bob", "ann", "ann", "ann", "", "bob"};
    struct journal *journal = must_open (journal_file);
    char text[100];
    for (int i = 0; i < 6; i++)
        add_change_of (journal, 10, 1, users[i]);
    must_commit (journal);
    journal_close (journal);
    /* As if ann had made others between the second and the last. */
    snprintf (text, sizeof text,
              "UPDATE change SET nth = nth + %d WHERE number = 4",
              JOURNAL_CHANGES_MOST - 2);
    execute (journal_file, text);
    journal = must_open (journal_file);
    expect_changes (journal, (struct journal_changes){0}, "1 2 3 4 5 6 ");
    add_change_of (journal, 10, 1, "bob");
    add_change_of (journal, 10, 1, "ann");
    add_change_of (journal, 10, 1, NULL);
    must_commit (journal);
    expect_changes (journal, (struct journal_changes){0}, "1 4 5 6 7 8 9 ");
    add_change_of (journal, 10, 1, "ann");
    must_commit (journal);
    expect_changes (journal, (struct journal_changes){0}, "1 4 5 6 7 8 9 10 ");
    journal_close (journal);
}

TEST_AFTER (foreign_files, empty)
{
    const char *path = journal_path ("text");
    put (path, "This is a text, and it is longer than a few bytes.\n");
    expect_left_alone (path, "this is not a journal");
    path = journal_path ("other");
    execute (path, "CREATE TABLE cats (name)");
    expect_left_alone (path, "this is a database of another program");
    path = journal_path ("another");
    execute (path, "PRAGMA application_id = 12345");
    expect_left_alone (path, "this is a database of another program");
}

TEST_AFTER (newer_version, empty)
{
    const char *path = journal_file;
    journal_close (must_open (path));
    execute (path, "PRAGMA user_version = 1000");
    expect_left_alone (path,
                       "written by a newer version: its format is 1000,");
    execute (path, "PRAGMA user_version = -1");
    expect_left_alone (path, "damaged: its version is not known");
}

TEST_AFTER (places_that_will_not_do, empty)
{
    expect_refused (journal_path ("none/journal"), TORI_FAILED,
                    "No such file or directory");
    expect_refused (journal_path ("."), TORI_FAILED, "");
    expect_refused (":memory:", TORI_FAILED, "cannot be kept there");
}

TEST_AFTER (second_opener, empty)
{
    const char *path = journal_file;
    for (int round = 0; round < 2; round++) { /* made now; there before */
        struct journal *journal = must_open (path);
        pid_t child;
        int status;
        expect_refused (path, TORI_FAILED, "another process has it open");
        child = fork ();
        if (child == 0) {
            struct journal *second;
            _exit (journal_open (path, &second, NULL) < 0 ? 3 : 4);
        }
        assert_int_equal (waitpid (child, &status, 0), child);
        assert_int_equal (WEXITSTATUS (status), 3);
        must_add (journal, 1);
        must_commit (journal);
        journal_close (journal);
    }
    journal_close (must_open (path));
}

/* ---- damage ---- */

enum { MADE_COMMITS = 30 };

/* The last record after each commit of make_model. */
static uint64_t made[MADE_COMMITS];

/* A journal with a bit of everything, which was closed, or copied as it was
 * while open. */
static void make_model (struct journal_model *model, bool closed)
{
    struct journal *journal = must_open (journal_path ("made"));
    struct rng rng;
    char *bytes;
    size_t size;
    rng_seed (&rng, 5, 0);
    model_init (model);
    for (int i = 0; i < MADE_COMMITS; i++) {
        for (int n = 0; n < 10; n++)
            model_act (model, journal, &rng);
        must_commit (journal);
        model_commit (model);
        made[i] = model->disk.last;
    }
    if (closed)
        journal_close (journal);
    bytes = read_file (journal_path ("made"), &size);
    write_file (journal_path ("whole"), bytes, size);
    free (bytes);
    if (closed)
        return;
    bytes = read_file (journal_path ("made-wal"), &size);
    write_file (journal_path ("whole-wal"), bytes, size);
    free (bytes);
    journal_close (journal);
}

/* A job is one of the model's. That of another time may come from an index
 * that is damaged, but it is a job that there was. */
static int check_job (void *arg, const struct journal_job *job)
{
    const struct model_disk *disk = arg;
    size_t n;
    const char *text;
    assert_true (job->id < MODEL_JOBS);
    assert_true (disk->jobs[job->id].there);
    text = model_text (disk->jobs[job->id].stamp, &n);
    assert_int_equal (job->n, n);
    assert_memory_equal (job->text, text, n);
    return 0;
}

static int ignore_snapshot (void *arg, const char *text, size_t n)
{
    return 0;
}

static int ignore_record (void *arg, const struct journal_record *record)
{
    return 0;
}

/* Either an error, or all that there was. Returns whether it was noticed. */
static bool notices (const struct journal_model *model, const char *path)
{
    struct journal *journal = NULL;
    tori_error err = {0};
    bool noticed = true;
    if (journal_open (path, &journal, &err) < 0) {
        expect_line (&err);
        return true;
    }
    if (journal_history (journal, &(struct journal_filter){0}, check_job,
                         (void *)(uintptr_t)&model->disk, &err)
        < 0)
        expect_line (&err);
    if (journal_replay (journal, ignore_snapshot, ignore_record, NULL, &err)
        < 0)
        expect_line (&err);
    else {
        assert_true (model_matches (&model->disk, journal));
        noticed = false;
    }
    journal_close (journal);
    return noticed;
}

TEST_AFTER (damaged_bytes, empty)
{
    static struct journal_model model;
    const char *path = journal_file;
    size_t size, noticed = 0, n = random_cases (600);
    struct rng rng;
    char *bytes;
    make_model (&model, true);
    bytes = read_file (journal_path ("whole"), &size);
    rng_seed (&rng, 6, 0);
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)rng_below (&rng, size);
        char was;
        if (i % 3 == 0)
            at &= ~(size_t)4095; /* the head of a page */
        at += i % 3 == 0 ? (size_t)rng_below (&rng, 16) : 0;
        was = bytes[at];
        bytes[at] = (char)(was ^ (1 << between (&rng, 0, 7)));
        write_file (path, bytes, size);
        noticed += notices (&model, path);
        unlink (journal_log);
        bytes[at] = was;
    }
    assert_true (noticed > n / 20);
    free (bytes);
}

/* What is before a damaged record, in another file. */
static struct journal *salvage (struct journal *journal, uint64_t lost)
{
    struct journal_salvage is;
    const char *path = journal_path ("salvaged");
    tori_error err = {0};
    journal_close (journal);
    if (journal_salvage (journal_file, path, UINT64_MAX, &is, &err) < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (is.seen - is.last, lost);
    return must_open (path);
}

/* The records before a damaged one can be kept, and added to. */
TEST_AFTER (a_damaged_record_is_cut, empty)
{
    struct journal *journal = must_open (journal_file);
    tori_error err;
    int replayed = 0;
    for (int i = 0; i < 7; i++)
        assert_int_equal (journal_add (journal, 'r', "text", 4, NULL), 0);
    must_commit (journal);
    assert_false (journal_is_damaged (journal));
    journal_close (journal);
    execute (journal_file, "UPDATE record SET text = 'next' WHERE seq = 5");
    journal = must_open (journal_file);
    assert_int_equal (journal_replay (journal, take_snapshot, count_replayed,
                                      &replayed, &err),
                      -1);
    assert_int_equal (replayed, 4);
    assert_true (journal_is_damaged (journal));
    journal = salvage (journal, 3);
    assert_int_equal (journal_last (journal), 4);
    assert_int_equal (journal_add (journal, 'r', "more", 4, NULL), 0);
    must_commit (journal);
    journal_close (journal);
    journal = must_open (journal_path ("salvaged"));
    replayed = 0;
    assert_int_equal (journal_replay (journal, take_snapshot, count_replayed,
                                      &replayed, &err),
                      0);
    assert_int_equal (replayed, 5);
    journal_close (journal);
}

/* Records and snapshots: 1 2 S 3 4 S 5. */
static struct journal *make_snapshots (void)
{
    struct journal *journal = must_open (journal_file);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal (journal_add (journal, 'r', "text", 4, NULL), 0);
        must_commit (journal);
        if (i % 2 == 0)
            assert_int_equal (journal_save (journal, "e", 1, NULL), 0);
        must_commit (journal);
    }
    return journal;
}

static void expect_replay (struct journal *journal, int records,
                           uint64_t skipped)
{
    int replayed = 0;
    tori_error err = {0};
    if (journal_replay (journal, take_snapshot, count_replayed, &replayed,
                        &err)
        < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (replayed, records);
    assert_int_equal (journal_skipped (journal), skipped);
}

/* It is passed over until the next snapshot takes its place; what it was made
 * of stays as long. */
TEST_AFTER (a_damaged_snapshot_is_passed_over, empty)
{
    struct journal *journal = make_snapshots ();
    expect_replay (journal, 1, 0);
    journal_close (journal);
    execute (journal_file, "UPDATE snapshot SET text = 'other' WHERE seq = 4");
    journal = must_open (journal_file);
    expect_replay (journal, 3, 4);
    assert_int_equal (journal_add (journal, 'r', "text", 4, NULL), 0);
    must_commit (journal);
    journal_close (journal);
    journal = must_open (journal_file);
    expect_replay (journal, 4, 4);
    assert_int_equal (journal_save (journal, "e", 1, NULL), 0);
    must_commit (journal);
    expect_replay (journal, 0, 0);
    journal_close (journal);
    execute (journal_file, "UPDATE snapshot SET text = 'other' WHERE seq = 6");
    journal = must_open (journal_file);
    expect_replay (journal, 4, 6); /* the one at 2 is still there */
    journal_close (journal);
}

/* Records that only a damaged snapshot had are missed. */
TEST_AFTER (a_damaged_snapshot_and_no_records, empty)
{
    struct journal *journal = make_snapshots ();
    int replayed = 0;
    tori_error err = {0};
    journal_close (journal);
    execute (journal_file, "UPDATE snapshot SET text = 'other' WHERE seq = 4");
    execute (journal_file, "DELETE FROM record WHERE seq > 3");
    journal = must_open (journal_file);
    assert_int_equal (journal_replay (journal, take_snapshot, count_replayed,
                                      &replayed, &err),
                      -1);
    assert_int_equal (replayed, 1);
    assert_true (journal_is_damaged (journal));
    journal = salvage (journal, 0);
    assert_int_equal (journal_last (journal), 3);
    assert_int_equal (journal_saved (journal), 2);
    expect_replay (journal, 1, 0);
    journal_close (journal);
}

TEST_AFTER (cut_file, empty)
{
    static struct journal_model model;
    const char *path = journal_file;
    size_t size, noticed = 0;
    char *bytes;
    make_model (&model, true);
    bytes = read_file (journal_path ("whole"), &size);
    for (size_t cut = 512; cut < size; cut += 3000) {
        write_file (path, bytes, cut);
        noticed += notices (&model, path);
    }
    assert_true (noticed > size / 3000 / 2);
    write_file (path, bytes, size);
    assert_false (notices (&model, path));
    free (bytes);
}

/* The last record there, if it all begins as it was; texts tell. */
struct prefix {
    const struct model_disk *disk;
    uint64_t last;
};

static int prefix_snapshot (void *arg, const char *text, size_t n)
{
    struct prefix *prefix = arg;
    for (size_t i = 0; i < prefix->disk->nsnapshots; i++) {
        size_t length;
        const char *should = model_text (prefix->disk->snapshot[i], &length);
        if (n == length && !memcmp (text, should, n))
            prefix->last = prefix->disk->seq[i];
    }
    return 0;
}

static int prefix_record (void *arg, const struct journal_record *record)
{
    struct prefix *prefix = arg;
    size_t n;
    const char *text = model_text (prefix->disk->stamps[record->seq], &n);
    assert_int_equal (record->n, n);
    assert_memory_equal (record->text, text, n);
    prefix->last = record->seq;
    return 0;
}

static bool is_commit (uint64_t last)
{
    bool is = last == 0;
    for (size_t i = 0; i < MADE_COMMITS; i++)
        is = is || made[i] == last;
    return is;
}

/* A log that ends early is a crash there, one byte or more before its end, in
 * whole commits, or it is refused. */
TEST_AFTER (cut_log, empty)
{
    static struct journal_model model;
    const char *path = journal_file;
    size_t size, log_size, shorter = 0;
    char *bytes, *log;
    struct rng rng;
    make_model (&model, false);
    bytes = read_file (journal_path ("whole"), &size);
    log = read_file (journal_path ("whole-wal"), &log_size);
    rng_seed (&rng, 8, 0);
    for (size_t i = 0; i < random_cases (120); i++) {
        struct prefix prefix = {.disk = &model.disk};
        struct journal *journal = NULL;
        tori_error err = {0};
        write_file (path, bytes, size);
        write_file (journal_log, log,
                    i ? (size_t)rng_below (&rng, log_size) : log_size);
        if (journal_open (path, &journal, &err) < 0) {
            expect_line (&err);
            continue;
        }
        assert_int_equal (journal_replay (journal, prefix_snapshot,
                                          prefix_record, &prefix, &err),
                          0);
        if (i == 0)
            assert_true (model_matches (&model.disk, journal));
        assert_true (is_commit (prefix.last));
        shorter += prefix.last < model.disk.last;
        journal_close (journal);
    }
    assert_true (shorter > 0);
    free (bytes);
    free (log);
}

/* ---- what SQLite drops of a log ---- */

enum { LOG_HEADER = 32, LOG_FRAME = 24 + 4096 };

static struct wal_tail tail_of (const char *log, size_t size)
{
    struct wal_tail tail;
    tori_error err;
    write_file (journal_log, log, size);
    assert_int_equal (wal_check (journal_file, &tail, &err), 0);
    return tail;
}

static bool is_commit_frame (const char *log, size_t i)
{
    static const char none[4];
    return memcmp (log + LOG_HEADER + i * LOG_FRAME + 4, none, 4) != 0;
}

/* How many of the frames from this one on are commits. */
static uint64_t commits_from (const char *log, size_t i, size_t n)
{
    uint64_t commits = 0;
    for (; i < n; i++)
        commits += is_commit_frame (log, i);
    return commits;
}

/* The first frame of the commit that this one is of. */
static size_t commit_of (const char *log, size_t i)
{
    while (i > 0 && !is_commit_frame (log, i - 1))
        i--;
    return i;
}

/* One wrong byte in any frame but those of the last commits is damage; there,
 * a crash may have left it. */
TEST_AFTER (damaged_log, empty)
{
    static struct journal_model model;
    size_t size, n, refused = 0;
    char *log;
    struct rng rng;
    make_model (&model, false);
    log = read_file (journal_path ("whole-wal"), &size);
    n = (size - LOG_HEADER) / LOG_FRAME;
    assert_int_equal (tail_of (log, size).frames, 0);
    rng_seed (&rng, 9, 0);
    for (size_t i = 0; i < random_cases (200); i++) {
        size_t at = LOG_HEADER + (size_t)rng_below (&rng, n * LOG_FRAME);
        size_t first = commit_of (log, (at - LOG_HEADER) / LOG_FRAME);
        bool flag = (at - LOG_HEADER) % LOG_FRAME < 24; /* no page */
        struct wal_tail tail;
        log[at] ^= 1;
        tail = tail_of (log, size);
        log[at] ^= 1;
        if (flag)
            continue;
        assert_int_equal (tail.frames, n - first);
        assert_int_equal (tail.commits, commits_from (log, first, n));
        assert_int_equal (tail.damaged, tail.commits > 3);
        refused += tail.damaged;
    }
    assert_true (refused > 0);
    free (log);
}

/* A crash leaves a log that ends anywhere, or whose last commit is not whole;
 * or a header that is not, which proves nothing. */
TEST_AFTER (crashed_log, empty)
{
    static struct journal_model model;
    size_t size, last;
    char *log;
    make_model (&model, false);
    log = read_file (journal_path ("whole-wal"), &size);
    for (size_t cut = 0; cut < size; cut += 1021)
        assert_int_equal (tail_of (log, cut).commits, 0);
    last = commit_of (log, (size - LOG_HEADER) / LOG_FRAME - 1);
    memset (log + LOG_HEADER + last * LOG_FRAME, 'x', LOG_FRAME);
    assert_false (tail_of (log, size).damaged);
    assert_int_equal (tail_of (log, size).commits,
                      last < (size - LOG_HEADER) / LOG_FRAME - 1);
    log[12] ^= 1;
    assert_false (tail_of (log, size).damaged);
    assert_true (tail_of (log, size).commits > 1);
    free (log);
}

int main (void)
{
    return run_cases (setup, teardown);
}
