/* journal_snapshot.c - snapshots on their way to the file.
 *
 * A snapshot of 100,000 jobs has 40 MB. Written by one commit, all that comes
 * in meanwhile waits for it. So a commit writes one piece of it, and removes
 * two of those that are not needed any more. The row in the table of snapshots
 * says which pieces are its own: without it they are litter. */
#include "journal_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- adding ---- */

uint64_t journal_saved (const struct journal *journal)
{
    return journal->saved.text ? journal->saved.seq : journal->bounds.newest;
}

bool journal_saves (const struct journal *journal)
{
    return journal->saved.text != NULL;
}

static int check_snapshot (const struct journal *journal, uint64_t seq,
                           size_t n, tori_error *err)
{
    if (journal_check_length (n, err) < 0)
        return -1;
    if (seq < journal_saved (journal) || seq > journal->last)
        return tori_error_set (err, TORI_INVALID,
                               "a snapshot of record %ju is not the newest",
                               (uintmax_t)seq);
    return 0;
}

/* The pieces of one that was not completed are litter. */
static void put_saved (struct journal *journal, struct journal_saved saved)
{
    journal->litter |= journal->saved.text && journal->saved.done > 0;
    free (journal->saved.text);
    saved.first = saved.next = journal->bounds.piece + 1;
    saved.sum = journal_sum (saved.seq, 0, "", "", 0);
    journal->saved = saved;
}

int journal_save_at (struct journal *journal, uint64_t seq, char *text,
                     size_t n, size_t piece, tori_error *err)
{
    if (check_snapshot (journal, seq, n, err) < 0) {
        free (text);
        return -1;
    }
    put_saved (journal,
               (struct journal_saved){.text = text,
                                      .n = n,
                                      .seq = seq,
                                      .piece = piece > 0 ? piece : 1});
    return 0;
}

int journal_save (struct journal *journal, const char *text, size_t n,
                  tori_error *err)
{
    char *copy;
    if (check_snapshot (journal, journal->last, n, err) < 0)
        return -1;
    copy = malloc (n + 1);
    if (!copy)
        return tori_error_nomem (err);
    if (n > 0)
        memcpy (copy, text, n);
    put_saved (journal, (struct journal_saved){.text = copy,
                                               .n = n,
                                               .seq = journal->last,
                                               .piece = JOURNAL_PIECE,
                                               .whole = true});
    return 0;
}

/* ---- committing ---- */

static int write_piece (struct journal *journal, struct journal_saved *saved,
                        tori_error *err)
{
    struct database *base = &journal->base;
    const char *text = saved->text + saved->done;
    database_integer (base, ADD_PIECE, 1, (int64_t)saved->next);
    database_text (base, ADD_PIECE, 2, text, saved->piece);
    if (database_step (base, ADD_PIECE, err) < 0)
        return -1;
    saved->sum = journal_sum_more (saved->sum, text, saved->piece);
    saved->done += saved->piece;
    saved->next++;
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

/* The rest of the text, and the row that makes a snapshot of its pieces. */
static int complete_snapshot (struct journal *journal,
                              struct journal_bounds *bounds,
                              const struct journal_saved *saved,
                              tori_error *err)
{
    struct database *base = &journal->base;
    const char *text = saved->text + saved->done;
    size_t n = saved->n - saved->done;
    database_integer (base, ADD_SNAPSHOT, 1, (int64_t)saved->seq);
    database_integer (base, ADD_SNAPSHOT, 2, (int64_t)saved->first);
    database_integer (base, ADD_SNAPSHOT, 3, (int64_t)saved->next - 1);
    database_integer (base, ADD_SNAPSHOT, 4,
                      journal_sum_more (saved->sum, text, n));
    database_text (base, ADD_SNAPSHOT, 5, text, n);
    if (database_step (base, ADD_SNAPSHOT, err) < 0
        || drop_skipped (journal, bounds, err) < 0
        || database_step (base, DROP_SNAPSHOTS, err) < 0)
        return -1;
    if (bounds->newest != saved->seq)
        bounds->older = bounds->newest;
    bounds->newest = saved->seq;
    return 0;
}

static bool has_piece (const struct journal_saved *saved)
{
    return saved->n - saved->done > saved->piece;
}

int journal_write_snapshot (struct journal *journal,
                            struct journal_bounds *bounds,
                            struct journal_saved *saved, tori_error *err)
{
    bool more = saved->text && has_piece (saved);
    if (!saved->text)
        return 0;
    for (; more; more = saved->whole && has_piece (saved))
        if (write_piece (journal, saved, err) < 0)
            return -1;
    bounds->piece = saved->next - 1;
    if (saved->done > journal->saved.done && !saved->whole)
        return 0;
    if (complete_snapshot (journal, bounds, saved, err) < 0)
        return -1;
    saved->text = NULL;
    return 0;
}

int journal_drop_pieces (struct journal *journal,
                         const struct journal_saved *saved, bool *ret_more,
                         tori_error *err)
{
    enum { MOST = 2 };
    struct database *base = &journal->base;
    bool whole = journal->saved.text && journal->saved.whole;
    if (!journal->litter && (saved->text || !journal->saved.text))
        return 0;
    database_integer (base, DROP_PIECES, 1,
                      saved->text ? (int64_t)saved->first : INT64_MAX);
    database_integer (base, DROP_PIECES, 2, whole ? -1 : MOST);
    if (database_step (base, DROP_PIECES, err) < 0)
        return -1;
    *ret_more = !whole && sqlite3_changes64 (base->db) == MOST;
    return 0;
}
