/* world_disk.c - journal.h in memory: what a commit brings to the disk is
 * there in whole or not at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "worlds.h"

struct text {
    char *bytes;
    size_t n;
};

struct texts {
    struct text *all;
    size_t n, room;
};

struct journal {
    struct texts added;
    struct text saved; /* a snapshot that waits, */
    uint64_t saved_at; /* of everything up to this record, */
    size_t pieces;     /* which comes after so many commits */
    size_t tried;      /* records of the last commit, which failed, */
    bool tried_saved;  /* and whether the snapshot was with it */
};

struct content {
    struct texts records; /* after the snapshot */
    uint64_t covered;     /* records before them */
    struct text snapshot;
};

/* There is one at a time, as there is one file. The mark beside the directory
 * is a true file. */
static struct {
    struct rng *rng;
    struct content now, copy;
    bool full, doomed, gone;
    char root[32], state[40];
} disk;

/* ---- texts ---- */

static struct text text_copy (const char *bytes, size_t n)
{
    struct text text = {malloc (n + 1), n};
    if (text.bytes)
        memcpy (text.bytes, bytes, n);
    return text;
}

static void texts_put (struct texts *texts, struct text text)
{
    texts->all = array_room (texts->all, &texts->room, texts->n + 1,
                             sizeof text);
    texts->all[texts->n++] = text;
}

static void texts_clear (struct texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free (texts->all[i].bytes);
    texts->n = 0;
}

/* ---- writing ---- */

int journal_open (const char *path, struct journal **ret_journal,
                  tori_error *err)
{
    *ret_journal = calloc (1, sizeof **ret_journal);
    return *ret_journal ? 0 : tori_error_nomem (err);
}

int journal_add (struct journal *journal, char kind, const char *text,
                 size_t n, tori_error *err)
{
    texts_put (&journal->added, text_copy (text, n));
    return 0;
}

uint64_t journal_last (const struct journal *journal)
{
    return disk.now.covered + disk.now.records.n + journal->added.n;
}

uint64_t journal_saved (const struct journal *journal)
{
    return journal->saved.bytes ? journal->saved_at : disk.now.covered;
}

/* This disk loses and tears, but does not rot. */
bool journal_is_damaged (const struct journal *journal)
{
    return false;
}

uint64_t journal_skipped (const struct journal *journal)
{
    return 0;
}

int journal_salvage (const char *from, const char *to, uint64_t before,
                     struct journal_salvage *ret_salvage, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "nothing is damaged");
}

int journal_save_at (struct journal *journal, uint64_t seq, char *text,
                     size_t n, size_t piece, tori_error *err)
{
    free (journal->saved.bytes);
    journal->saved = (struct text){text, n};
    journal->saved_at = seq;
    journal->pieces = n > piece ? (n - 1) / piece : 0;
    return 0;
}

int journal_save (struct journal *journal, const char *text, size_t n,
                  tori_error *err)
{
    return journal_save_at (journal, journal_last (journal),
                            text_copy (text, n).bytes, n, n, err);
}

bool journal_saves (const struct journal *journal)
{
    return journal->saved.bytes != NULL;
}

/* The first n of what was added are on disk. */
static void bring (struct journal *journal, size_t n, bool save)
{
    struct texts *added = &journal->added;
    size_t drop
        = save ? fault_covered ((size_t)(journal->saved_at - disk.now.covered))
               : 0;
    for (size_t i = 0; i < n; i++)
        texts_put (&disk.now.records, added->all[i]);
    if (n > 0)
        memmove (added->all, added->all + n,
                 (added->n - n) * sizeof added->all[0]);
    added->n -= n;
    if (!save)
        return;
    free (disk.now.snapshot.bytes);
    disk.now.snapshot = journal->saved;
    journal->saved = (struct text){0};
    disk.now.covered += drop;
    for (size_t i = 0; i < drop; i++)
        free (disk.now.records.all[i].bytes);
    disk.now.records.n -= drop;
    memmove (disk.now.records.all, disk.now.records.all + drop,
             disk.now.records.n * sizeof disk.now.records.all[0]);
}

int journal_commit (struct journal *journal, tori_error *err)
{
    bool save = journal->saved.bytes && journal->pieces == 0;
    if (disk.full || disk.doomed) {
        disk.gone = disk.doomed;
        journal->tried = journal->added.n;
        journal->tried_saved = save;
        return tori_error_set (err, TORI_FAILED, "the disk is full");
    }
    if (journal->added.n > 0 || save)
        bring (journal, journal->added.n, save);
    journal->pieces -= journal->pieces > 0;
    journal->tried = 0;
    journal->tried_saved = false;
    return 0;
}

/* The records of a failed commit may be there after all. */
void journal_close (struct journal *journal)
{
    if (!journal)
        return;
    for (size_t i = fault_torn (journal->tried); i > 0; i--) {
        free (journal->added.all[0].bytes);
        memmove (journal->added.all, journal->added.all + 1,
                 --journal->added.n * sizeof journal->added.all[0]);
        journal->tried--;
    }
    if (journal->tried > 0 && rng_below (disk.rng, 2))
        bring (journal, journal->tried,
               journal->tried_saved && journal->saved.bytes
                   && journal->saved_at <= disk.now.covered + disk.now.records.n
                                              + journal->tried);
    texts_clear (&journal->added);
    free (journal->added.all);
    free (journal->saved.bytes);
    free (journal);
}

/* ---- reading ---- */

int journal_replay (struct journal *journal,
                    int (*on_snapshot) (void *arg, const char *text, size_t n),
                    int (*on_record) (void *arg,
                                      const struct journal_record *record),
                    void *arg, tori_error *err)
{
    int status = disk.now.snapshot.bytes
                     ? on_snapshot (arg, disk.now.snapshot.bytes, disk.now.snapshot.n)
                     : 0;
    for (size_t i = 0; status == 0 && i < disk.now.records.n; i++) {
        struct journal_record record
            = {.seq = disk.now.covered + i + 1,
               .kind = 'r',
               .text = disk.now.records.all[i].bytes,
               .n = disk.now.records.all[i].n};
        status = on_record (arg, &record);
    }
    return status;
}

/* Jobs that have ended and changes are no part of the state; test_journal.c
 * has them. */
int journal_change (struct journal *journal,
                    const struct journal_change *change, tori_error *err)
{
    return 0;
}

int journal_end (struct journal *journal, const struct journal_job *job,
                 tori_error *err)
{
    return 0;
}

int journal_prune (struct journal *journal, int64_t before, tori_error *err)
{
    return 0;
}

/* ---- the disk itself ---- */

void disk_begin (struct rng *rng)
{
    disk.rng = rng;
    snprintf (disk.root, sizeof disk.root, "/tmp/world-XXXXXX");
    if (!mkdtemp (disk.root))
        abort ();
    snprintf (disk.state, sizeof disk.state, "%s/disk", disk.root);
}

static void content_clear (struct content *content)
{
    texts_clear (&content->records);
    free (content->records.all);
    free (content->snapshot.bytes);
    *content = (struct content){0};
}

void disk_end (void)
{
    char mark[sizeof disk.state + 8];
    snprintf (mark, sizeof mark, "%s.mark", disk.state);
    unlink (mark);
    rmdir (disk.root);
    content_clear (&disk.now);
    content_clear (&disk.copy);
    memset (&disk, 0, sizeof disk);
}

static void content_copy (struct content *to, const struct content *from)
{
    content_clear (to);
    for (size_t i = 0; i < from->records.n; i++)
        texts_put (&to->records, text_copy (from->records.all[i].bytes,
                                            from->records.all[i].n));
    to->covered = from->covered;
    if (from->snapshot.bytes)
        to->snapshot = text_copy (from->snapshot.bytes, from->snapshot.n);
}

bool disk_back_up (void)
{
    content_copy (&disk.copy, &disk.now);
    return true;
}

void disk_put_back (void)
{
    content_copy (&disk.now, &disk.copy);
}

void disk_fill (bool full)
{
    disk.full = full;
}

void disk_doom (void)
{
    disk.doomed = true;
}

bool disk_is_gone (void)
{
    return disk.gone;
}

void disk_cut (bool power)
{
}

void disk_restart (void)
{
    disk.doomed = disk.gone = false;
}

const char *disk_state (void)
{
    return disk.state;
}
