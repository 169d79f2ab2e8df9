/* Memory runs out in a journal, and in SQLite under it. */
#include "chaos_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "journal.h"

/* ---- SQLite's memory comes from here ---- */

/* Blocks know their size, as SQLite wants to be told. */
union block {
    size_t size;
    max_align_t align;
};

static void *take (int size)
{
    union block *block = malloc (sizeof *block + (size_t)size);
    if (!block)
        return NULL;
    block->size = (size_t)size;
    return block + 1;
}

static void give (void *memory)
{
    free ((union block *)memory - 1);
}

static void *change (void *memory, int size)
{
    union block *block =
        realloc ((union block *)memory - 1, sizeof *block + (size_t)size);
    if (!block)
        return NULL;
    block->size = (size_t)size;
    return block + 1;
}

static int size_of (void *memory)
{
    return (int)((union block *)memory - 1)->size;
}

static int round_up (int size)
{
    return (size + 7) & ~7;
}

static int begin (void *arg)
{
    return SQLITE_OK;
}

static void end (void *arg)
{
}

static sqlite3_mem_methods memory = {take,     give,  change, size_of,
                                     round_up, begin, end,    NULL};

/* ---- a journal ---- */

static char path[64], log_path[64];

struct seen {
    int snapshots, records, jobs, samples, changes;
};

static int see_snapshot (void *arg, const char *text, size_t n)
{
    assert_memory_equal (text, "snapshot", n);
    ((struct seen *)arg)->snapshots++;
    return 0;
}

static int see_record (void *arg, const struct journal_record *record)
{
    assert_int_equal (record->kind, 'r');
    ((struct seen *)arg)->records++;
    return 0;
}

static int see_job (void *arg, const struct journal_job *job)
{
    assert_string_equal (job->user, "ann");
    ((struct seen *)arg)->jobs++;
    return 0;
}

static int see_sample (void *arg, const struct journal_sample *sample)
{
    assert_memory_equal (sample->text, "sample", sample->n);
    ((struct seen *)arg)->samples++;
    return 0;
}

static int see_change (void *arg, const struct journal_change *change)
{
    assert_memory_equal (change->text, "change", change->n);
    ((struct seen *)arg)->changes++;
    return 0;
}

static int look (struct journal *journal, struct seen *seen, tori_error *err)
{
    const struct journal_changes all = {0};
    struct journal_filter anns = {.user = "ann"};
    *seen = (struct seen){0};
    if (journal_replay (journal, see_snapshot, see_record, seen, err) < 0
        || journal_history (journal, &anns, see_job, seen, err) < 0
        || journal_samples (journal, 0, 9, see_sample, seen, err) < 0
        || journal_each_change (journal, &all, see_change, seen, err) < 0)
        return -1;
    return journal_find (journal, 2, see_job, seen, err);
}

static void expect_seen (struct journal *journal, int snapshots, int records,
                         int jobs)
{
    struct seen seen;
    chaos_pause ();
    assert_int_equal (look (journal, &seen, NULL), 0);
    assert_int_equal (seen.snapshots, snapshots);
    assert_int_equal (seen.records, records);
    assert_int_equal (seen.jobs, jobs);
    assert_int_equal (seen.samples, snapshots);
    assert_int_equal (seen.changes, snapshots);
    chaos_resume ();
}

/* The added record is there or not, and the numbers show it. */
static int add (struct journal *journal, tori_error *err)
{
    static char text[10000];
    struct journal_job job = {1, "ann", 5, text, sizeof text};
    const struct journal_sample sample = {60, "sample", 6};
    const struct journal_change change
        = {.time = 5, .text = "change", .n = 6};
    int status = 0;
    for (int i = 0; status == 0 && i < 3; i++)
        status = journal_add (journal, 'r', text, sizeof text, err);
    if (status == 0)
        status = journal_save (journal, "snapshot", 8, err);
    for (int i = 0; status == 0 && i < 20; i++)
        status = journal_add (journal, 'r', text, 500, err);
    if (status == 0)
        status = journal_end (journal, &job, err);
    if (status == 0)
        status = journal_sample (journal, &sample, err);
    if (status == 0)
        status = journal_change (journal, &change, err);
    job.id = 2;
    job.ended = 6;
    if (status == 0)
        status = journal_end (journal, &job, err);
    return status;
}

/* A commit that fails leaves nothing, and succeeds once there is memory. */
static int commit (struct journal *journal, int was, int snapshots,
                   int records, int jobs, tori_error *err)
{
    int status = journal_commit (journal, err);
    if (status < 0) {
        expect_seen (journal, was ? 1 : 0, was ? 20 : 0, was ? 3 : 0);
        chaos_pause ();
        assert_int_equal (journal_commit (journal, NULL), 0);
        chaos_resume ();
    }
    expect_seen (journal, snapshots, records, jobs);
    return status;
}

static int use (struct journal *journal, tori_error *err)
{
    struct seen seen;
    int status = add (journal, err);
    if (status == 0)
        status = commit (journal, 0, 1, 20, 3, err);
    if (status == 0)
        status = look (journal, &seen, err);
    if (status == 0)
        status = journal_prune (journal, 6, err);
    if (status == 0)
        status = journal_add (journal, 'r', "", 0, err);
    if (status == 0)
        status = commit (journal, 1, 1, 21, 2, err);
    return status;
}

/* Whatever failed, the file can be opened again. */
static int keep (const struct scenario *self, tori_error *err)
{
    struct journal *journal = UNTOUCHED;
    int status = journal_open (path, &journal, err);
    if (status < 0)
        assert_ptr_equal (journal, UNTOUCHED);
    else {
        status = use (journal, err);
        journal_close (journal);
    }
    chaos_pause ();
    assert_int_equal (journal_open (path, &journal, NULL), 0);
    journal_close (journal);
    unlink (path);
    unlink (log_path);
    assert_int_equal (sqlite3_shutdown (), SQLITE_OK);
    chaos_resume ();
    return status;
}

int main (void)
{
    const struct scenario scenario = {.name = "a journal", .run = keep};
    char folder[64];
    int status;
    /* In memory, where there is such a folder: nothing is ever synced there.
     */
    snprintf (folder, sizeof folder, "%s/tori-chaos-XXXXXX",
              access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp (folder)
        || sqlite3_config (SQLITE_CONFIG_MALLOC, &memory) != SQLITE_OK
        || sqlite3_config (SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK)
        return 1;
    snprintf (path, sizeof path, "%.40s/journal", folder);
    snprintf (log_path, sizeof log_path, "%.40s/journal-wal", folder);
    scenario_add (&scenario);
    status = scenario_run_all ("chaos");
    rmdir (folder);
    return status;
}
