/* The journal on a disk that is full or loses power, and in a process that is
 * killed. */
#include "bad_disk.h"
#include "journal_model.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

static int on_bad_disk (void **state)
{
    static bool installed;
    if (!installed)
        bad_disk_install ();
    installed = true;
    return 0;
}

static void act (struct journal_model *model, struct journal *journal,
                 struct rng *rng, int n)
{
    for (int i = 0; i < n; i++)
        model_act (model, journal, rng);
}

/* ---- a process that is killed ---- */

/* A snapshot repeats the number of its record; most are in pieces, of which
 * the next commits write one each. */
static int save_number (struct journal *journal, uint64_t last,
                        struct rng *rng)
{
    enum { TIMES = 3000 };
    uint64_t *text = malloc (TIMES * sizeof *text);
    size_t piece = between (rng, 100, 30000);
    if (!text)
        return -1;
    for (int i = 0; i < TIMES; i++)
        text[i] = last;
    return journal_save_at (journal, last, (char *)text, TIMES * sizeof *text,
                            piece, NULL);
}

/* Batches of records: each tells in its text which record is the last of its
 * batch, and a job of that number ends with it. Never returns. */
static void work (int acks, uint64_t seed)
{
    struct journal *journal;
    struct rng rng;
    if (journal_open (journal_file, &journal, NULL) < 0)
        _exit (1);
    rng_seed (&rng, seed, 1);
    for (;;) {
        uint64_t last = journal_last (journal) + between (&rng, 1, 20);
        struct journal_job job = {last, "ann", (int64_t)last, (char *)&last,
                                  sizeof last};
        while (journal_last (journal) < last)
            if (journal_add (journal, 'r', (char *)&last, sizeof last, NULL))
                _exit (1);
        if (chance (&rng, 10) && save_number (journal, last, &rng) < 0)
            _exit (1);
        if (journal_end (journal, &job, NULL) < 0
            || journal_prune (journal, (int64_t)last - 500, NULL) < 0
            || journal_commit (journal, NULL) < 0
            || write (acks, &last, sizeof last) != sizeof last)
            _exit (1);
    }
}

struct survey {
    uint64_t last;  /* record */
    uint64_t batch; /* the end of its batch */
};

static int survey_snapshot (void *arg, const char *text, size_t n)
{
    struct survey *survey = arg;
    assert_true (n > sizeof survey->last);
    memcpy (&survey->last, text, sizeof survey->last);
    assert_memory_equal (text, text + sizeof survey->last,
                         n - sizeof survey->last);
    survey->batch = survey->last;
    return 0;
}

static int survey_record (void *arg, const struct journal_record *record)
{
    struct survey *survey = arg;
    if (survey->last == survey->batch)
        memcpy (&survey->batch, record->text, sizeof survey->batch);
    assert_int_equal (record->seq, ++survey->last);
    assert_int_equal (record->n, sizeof survey->batch);
    assert_memory_equal (record->text, &survey->batch, record->n);
    return 0;
}

static int newest_job (void *arg, const struct journal_job *job)
{
    *(uint64_t *)arg = job->id;
    return 0;
}

/* All that was acknowledged is there, and nothing by halves. */
static void expect_whole (uint64_t acknowledged)
{
    struct journal *journal = must_open (journal_file);
    struct journal_filter newest = {.limit = 1};
    struct survey survey = {0};
    tori_error err = {0};
    uint64_t job = 0;
    if (journal_replay (journal, survey_snapshot, survey_record, &survey, &err)
        < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (survey.last, survey.batch);
    assert_int_equal (survey.last, journal_last (journal));
    assert_true (survey.last >= acknowledged);
    assert_int_equal (
        journal_history (journal, &newest, newest_job, &job, &err), 0);
    assert_int_equal (job, survey.last);
    journal_close (journal);
}

/* The last acknowledgement of a process that is killed after some of them and
 * some microseconds. */
static uint64_t kill_worker (struct rng *rng, uint64_t seed)
{
    uint64_t last = 0;
    int acks[2], wanted = (int)between (rng, 0, 30), status;
    struct timespec pause = {.tv_nsec = 1000 * (long)between (rng, 0, 2000)};
    pid_t child;
    assert_int_equal (pipe (acks), 0);
    child = fork ();
    if (child == 0)
        work (acks[1], seed);
    close (acks[1]);
    for (int i = 0; i < wanted; i++)
        assert_int_equal (read (acks[0], &last, sizeof last), sizeof last);
    nanosleep (&pause, NULL);
    kill (child, SIGKILL);
    assert_int_equal (waitpid (child, &status, 0), child);
    assert_true (WIFSIGNALED (status));
    while (read (acks[0], &last, sizeof last) == sizeof last)
        ;
    close (acks[0]);
    return last;
}

TEST_AFTER (killed, empty)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (size_t i = 0; i < random_cases (100); i++)
        expect_whole (kill_worker (&rng, i));
}

/* ---- no room ---- */

/* Files may not grow past what they are: writing fails in the kernel. */
TEST_AFTER (files_that_cannot_grow, empty)
{
    static struct journal_model model;
    struct journal *journal = must_open (journal_file);
    struct rlimit was, small;
    struct stat st;
    struct rng rng;
    tori_error err = {0};
    rng_seed (&rng, 2, 0);
    model_init (&model);
    act (&model, journal, &rng, 40);
    must_commit (journal);
    model_commit (&model);
    assert_int_equal (stat (journal_log, &st), 0);
    assert_int_equal (getrlimit (RLIMIT_FSIZE, &was), 0);
    small = (struct rlimit){(rlim_t)st.st_size + 5000, was.rlim_max};
    signal (SIGXFSZ, SIG_IGN);
    assert_int_equal (setrlimit (RLIMIT_FSIZE, &small), 0);
    act (&model, journal, &rng, 400);
    for (int i = 0; i < 3; i++) {
        assert_int_equal (journal_commit (journal, &err), -1);
        expect_line (&err);
        model_expect (&model.disk, journal, &rng);
    }
    assert_int_equal (setrlimit (RLIMIT_FSIZE, &was), 0);
    must_commit (journal);
    model_commit (&model);
    model_expect (&model.disk, journal, &rng);
    journal_close (journal);
}

/* Every operation of a commit fails in turn, and all that follow it. */
static void fail_everywhere (struct journal_model *model,
                             struct journal *journal, struct rng *rng,
                             int code)
{
    tori_error err = {0};
    for (unsigned long nth = 1;; nth++) {
        int status;
        act (model, journal, rng, 3);
        bad_disk_fail (nth, code);
        status = journal_commit (journal, &err);
        if (status < 0) {
            expect_line (&err);
            model_expect (&model->disk, journal, rng);
            assert_int_equal (journal_commit (journal, &err), -1);
            bad_disk_fail (0, 0);
            must_commit (journal);
        }
        model_commit (model);
        model_expect (&model->disk, journal, rng);
        if (status == 0 && bad_disk_count () < nth)
            break;
        bad_disk_fail (0, 0);
    }
    bad_disk_fail (0, 0);
}

TEST_BETWEEN (full_disk, on_bad_disk, empty)
{
    static struct journal_model model;
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE};
    struct journal *journal = must_open (journal_file);
    struct rng rng;
    rng_seed (&rng, 3, 0);
    model_init (&model);
    for (size_t i = 0; i < random_cases (20); i++) {
        fail_everywhere (&model, journal, &rng, codes[i % 2]);
        if (i % 4 == 3) {
            journal_close (journal);
            model_reopen (&model);
            journal = must_open (journal_file);
            model_expect (&model.disk, journal, &rng);
        }
    }
    journal_close (journal);
    bad_disk_forget ();
}

/* A disk that is full when the journal is made. */
TEST_BETWEEN (full_from_the_start, on_bad_disk, empty)
{
    for (unsigned long nth = 1;; nth++) {
        struct journal *journal = NULL;
        tori_error err = {0};
        unsigned long count;
        bad_disk_fail (nth, SQLITE_FULL);
        if (journal_open (journal_file, &journal, &err) < 0) {
            expect_line (&err);
            bad_disk_fail (0, 0);
            journal = must_open (journal_file);
        }
        count = bad_disk_count ();
        bad_disk_fail (0, 0);
        must_add (journal, 1);
        must_commit (journal);
        journal_close (journal);
        bad_disk_forget ();
        empty (NULL);
        if (count < nth)
            break;
    }
}

/* ---- no power ---- */

/* Commits until the power goes. *next is with what was on its way then. */
static void run_until_cut (struct journal_model *model,
                           struct journal *journal, struct rng *rng)
{
    while (!bad_disk_has_image ()) {
        act (model, journal, rng, (int)between (rng, 1, 12));
        if (journal_last (journal) > MODEL_RECORDS - 20)
            fail_msg ("the power stays");
        must_commit (journal);
        if (!bad_disk_has_image ())
            model_commit (model);
    }
}

static void lose_power (struct journal_model *model, uint64_t seed)
{
    struct journal_model after;
    struct journal *journal;
    struct rng rng, fate;
    const char *image = journal_path ("image");
    struct wal_tail tail;
    bool before;
    rng_seed (&rng, seed, 2);
    rng_seed (&fate, seed, 3);
    model_init (model);
    if (seed % 4 == 0) /* while it is made, or soon after */
        bad_disk_cut_power (1 + (unsigned long)rng_below (&rng, 40), &fate);
    journal = must_open (journal_file);
    if (seed % 4 != 0) /* at times long enough for pages to leave the log */
        bad_disk_cut_power (
            1 + (unsigned long)rng_below (&rng, seed % 4 == 1 ? 5000 : 300),
            &fate);
    run_until_cut (model, journal, &rng);
    journal_close (journal);
    bad_disk_put_image (journal_file, image);
    bad_disk_forget ();
    after = *model;
    model_commit (&after);
    assert_int_equal (wal_check (image, &tail, NULL), 0);
    assert_false (tail.damaged);
    journal = must_open (image);
    before = model_matches (&model->disk, journal);
    model_expect (before ? &model->disk : &after.disk, journal, &rng);
    journal_close (journal);
    bad_disk_forget ();
    empty (NULL);
}

TEST_BETWEEN (power, on_bad_disk, empty)
{
    static struct journal_model model;
    for (size_t i = 0; i < random_cases (160); i++)
        lose_power (&model, i);
}

int main (void)
{
    return run_cases (setup, teardown);
}
