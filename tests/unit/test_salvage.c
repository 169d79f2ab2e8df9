/* What is left of damaged journals, against its definition: the rows of the
 * undamaged file, and which of them still have all their bytes where they
 * were. Where these are is found by searching for them: the bytes of each row
 * are made of its values, as "The Database File Format" of SQLite says. */
#include "journal_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

enum { PAGE = 4096, FRAME = PAGE + 24, HEADER = 32, MOST = 1 << 16 };

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

/* ---- a journal ---- */

/* The text of a record or a snapshot, which follows from its number. */
static char *text_of (char what, uint64_t number, size_t *ret_n)
{
    struct rng rng;
    char *text;
    rng_seed (&rng, number, (uint64_t)what);
    *ret_n = what == 's'        ? between (&rng, 20, 60000)
             : chance (&rng, 5) ? between (&rng, 3000, 20000)
                                : between (&rng, 8, 400);
    text = make_array (*ret_n, 1);
    for (size_t i = 0; i < *ret_n; i++)
        text[i] = (char)between (&rng, 'a', 'z');
    return text;
}

static void add_some (struct journal *journal, struct rng *rng)
{
    for (uint32_t n = between (rng, 1, 12); n > 0; n--) {
        uint64_t seq = journal_last (journal) + 1;
        size_t size;
        char *text = text_of ('r', seq, &size);
        struct journal_job job = {seq, "ann", (int64_t)seq, text, size};
        assert_int_equal (journal_add (journal, 'r', text, size, NULL), 0);
        if (seq % 5 == 0)
            assert_int_equal (journal_end (journal, &job, NULL), 0);
        free (text);
    }
}

/* Copied while it is open, so that there is a log, or closed; snapshots that
 * were not completed leave pieces, pages become free. */
static void make_journal (struct rng *rng)
{
    struct journal *journal = must_open (journal_file);
    unsigned saves = between (rng, 0, 6);
    for (uint32_t n = between (rng, 5, 60); n > 0; n--) {
        add_some (journal, rng);
        if (chance (rng, 3 * saves)) {
            uint64_t seq = journal_last (journal);
            size_t size;
            char *text = text_of ('s', seq, &size);
            assert_int_equal (
                journal_save_at (journal, seq, text, size,
                                 between (rng, 1000, 9000), NULL),
                0);
        }
        must_commit (journal);
        if (chance (rng, 5)) {
            journal_close (journal);
            journal = must_open (journal_file);
        }
    }
    if (chance (rng, 30)) {
        journal_close (journal);
        journal = must_open (journal_file);
    }
    bool closed = chance (rng, 30);
    if (closed)
        journal_close (journal);
    for (int i = 0; i < 2; i++) {
        char command[400];
        snprintf (command, sizeof command, "cp %s%s %s%s 2>/dev/null || :",
                  journal_file, i ? "-wal" : "", journal_path ("whole"),
                  i ? "-wal" : "");
        assert_int_equal (system (command), 0);
    }
    if (!closed)
        journal_close (journal);
}

/* ---- bytes ---- */

struct bytes {
    unsigned char *at;
    size_t n;
};

static struct bytes read_bytes (const char *path)
{
    FILE *file = fopen (path, "r");
    struct bytes all = {make_array (1, 1), 0};
    struct stat st;
    if (!file)
        return all;
    free (all.at);
    assert_int_equal (fstat (fileno (file), &st), 0);
    all.at = make_array ((size_t)st.st_size + 1, 1);
    all.n = fread (all.at, 1, (size_t)st.st_size, file);
    fclose (file);
    return all;
}

static void write_bytes (const char *path, struct bytes all)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    assert_int_equal (fwrite (all.at, 1, all.n, file), all.n);
    assert_int_equal (fclose (file), 0);
}

static struct bytes copy_bytes (struct bytes all)
{
    struct bytes copy = {make_array (all.n + 1, 1), all.n};
    memcpy (copy.at, all.at, all.n);
    return copy;
}

/* A file and its log, before and after damage. */
struct images {
    struct bytes file, log, bad_file, bad_log;
    size_t frames; /* of the log that count */
    size_t usable[MOST];
};

static uint32_t word_at (const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16
           | (uint32_t)at[2] << 8 | at[3];
}

static bool same (struct bytes a, struct bytes b, size_t from, size_t n)
{
    return from + n <= a.n && from + n <= b.n
           && memcmp (a.at + from, b.at + from, n) == 0;
}

/* A frame counts if it is as it was, and with it the sum of the one before;
 * past damage, if more than three commits do, up to the last of them. */
static void judge_frames (struct images *is)
{
    size_t last = 0, whole = 0, commits = 0;
    bool damaged = !same (is->log, is->bad_log, 0, HEADER);
    for (size_t i = 0; i < is->frames; i++) {
        size_t at = HEADER + i * FRAME;
        bool good = same (is->log, is->bad_log, at, FRAME)
                    && same (is->log, is->bad_log,
                             i > 0 ? at - FRAME + 16 : 24, 8)
                    && (i > 0 || !damaged);
        bool commit = word_at (is->log.at + at + 4) > 0;
        damaged |= !good;
        is->usable[i] = good;
        if (good && commit) {
            last = i + 1;
            if (damaged)
                commits++;
            else
                whole = i + 1;
        }
    }
    for (size_t i = commits > 3 ? last : whole; i < is->frames; i++)
        is->usable[i] = 0;
}

/* ---- where a row is ---- */

/* Whether bytes of a page are as they were; with the head of a leaf. */
static bool is_kept (const struct images *is, bool log, size_t page,
                     size_t from, size_t n, bool leaf)
{
    struct bytes was = log ? is->log : is->file;
    struct bytes now = log ? is->bad_log : is->bad_file;
    size_t cells = (size_t)was.at[page + 3] << 8 | was.at[page + 4];
    if (log && !is->usable[(page - HEADER) / FRAME])
        return false;
    return same (was, now, from, n)
           && (!leaf || same (was, now, page, 8 + 2 * cells));
}

/* Whether a part of a row is still there: on a leaf, or on a page of its own
 * with the number of the next. What the log has last counts; else all places
 * in the file, of which some may be old. */
static bool has_part (const struct images *is, const unsigned char *part,
                      size_t n, size_t before, size_t after, bool leaf)
{
    bool found = false;
    for (size_t i = is->frames; i-- > 0;) {
        size_t page = HEADER + i * FRAME + 24;
        const unsigned char *at =
            memmem (is->log.at + page, PAGE, part, n);
        if (at && (leaf || at == is->log.at + page + 4))
            return is_kept (is, true, page,
                            (size_t)(at - is->log.at) - before,
                            n + before + after, leaf);
    }
    for (size_t page = 0; page + PAGE <= is->file.n; page += PAGE) {
        const unsigned char *at = memmem (is->file.at + page, PAGE, part, n);
        if (!at || (!leaf && at != is->file.at + page + 4))
            continue;
        found = true;
        if (!is_kept (is, false, page, (size_t)(at - is->file.at) - before,
                      n + before + after, leaf))
            return false;
    }
    return found;
}

static bool has_payload (const struct images *is, struct bytes row)
{
    const size_t most = PAGE - 35, least = (PAGE - 12) * 32 / 255 - 23;
    size_t local = row.n, some;
    if (row.n > most) {
        some = least + (row.n - least) % (PAGE - 4);
        local = some <= most ? some : least;
    }
    /* Its length and its number are before it. */
    if (!has_part (is, row.at, local, 6, local < row.n ? 4 : 0, true))
        return false;
    for (size_t at = local; at < row.n; at += PAGE - 4) {
        size_t n = row.n - at < PAGE - 4 ? row.n - at : PAGE - 4;
        if (!has_part (is, row.at + at, n, 4, 0, false))
            return false;
    }
    return true;
}

static size_t put_varint (unsigned char *to, uint64_t number)
{
    size_t n = 1;
    for (uint64_t rest = number >> 7; rest > 0; rest >>= 7)
        n++;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)((number >> 7 * (n - 1 - i) & 0x7f)
                                | (i + 1 < n ? 0x80 : 0));
    return n;
}

/* A row as it is in the file: the types of all columns, then their values; the
 * key is elsewhere. */
static struct bytes make_payload (sqlite3_stmt *row)
{
    static const int sizes[] = {0, 1, 2, 3, 4, 6, 8};
    static unsigned char types[64];
    struct bytes all = {make_array (MOST, 2), 0};
    size_t n = 1;
    types[n++] = 0;
    for (int i = 1; i < sqlite3_column_count (row); i++) {
        size_t size = (size_t)sqlite3_column_bytes (row, i);
        int64_t number = sqlite3_column_int64 (row, i);
        int type = 1;
        switch (sqlite3_column_type (row, i)) {
        case SQLITE_INTEGER:
            while (type < 6
                   && (number < -(INT64_C (1) << (8 * sizes[type] - 1))
                       || number >= INT64_C (1) << (8 * sizes[type] - 1)))
                type++;
            if (number == 0 || number == 1)
                type = 8 + (int)number;
            types[n++] = (unsigned char)type;
            for (int j = type < 8 ? sizes[type] : 0; j-- > 0;)
                all.at[all.n++] = (unsigned char)(number >> 8 * j);
            break;
        default:
            n += put_varint (types + n,
                             2 * size + (sqlite3_column_type (row, i)
                                                 == SQLITE_TEXT
                                             ? 13
                                             : 12));
            memcpy (all.at + all.n, sqlite3_column_blob (row, i), size);
            all.n += size;
        }
    }
    types[0] = (unsigned char)n;
    memmove (all.at + n, all.at, all.n);
    memcpy (all.at, types, n);
    all.n += n;
    return all;
}

/* ---- what must be there ---- */

struct expected {
    uint64_t seed;
    bool record[MOST], piece[MOST]; /* is whole, by number */
    bool job[MOST];
    uint64_t last;
    bool any; /* a whole snapshot, or the first record */
};

static sqlite3_stmt *ask (sqlite3 *db, const char *question)
{
    sqlite3_stmt *rows;
    assert_int_equal (sqlite3_prepare_v2 (db, question, -1, &rows, NULL),
                      SQLITE_OK);
    return rows;
}

static void mark_rows (const struct images *is, sqlite3 *db,
                       const char *question, bool whole[])
{
    sqlite3_stmt *rows = ask (db, question);
    while (sqlite3_step (rows) == SQLITE_ROW) {
        struct bytes row = make_payload (rows);
        whole[sqlite3_column_int64 (rows, 0)] = has_payload (is, row);
        free (row.at);
    }
    sqlite3_finalize (rows);
}

static void find_snapshot (const struct images *is, sqlite3 *db,
                           struct expected *it)
{
    sqlite3_stmt *rows =
        ask (db, "SELECT * FROM snapshot ORDER BY seq DESC");
    while (!it->any && sqlite3_step (rows) == SQLITE_ROW) {
        struct bytes row = make_payload (rows);
        it->any = has_payload (is, row);
        for (int64_t i = sqlite3_column_int64 (rows, 1);
             i <= sqlite3_column_int64 (rows, 2); i++)
            it->any &= it->piece[i];
        if (it->any)
            it->last = (uint64_t)sqlite3_column_int64 (rows, 0);
        free (row.at);
    }
    sqlite3_finalize (rows);
}

/* From the files as they were, in `whole`. */
static void expect_rows (struct images *is, struct expected *it)
{
    sqlite3 *db;
    int frames = 0;
    assert_int_equal (sqlite3_open (journal_path ("whole"), &db), SQLITE_OK);
    assert_int_equal (
        sqlite3_exec (db, "PRAGMA locking_mode = EXCLUSIVE;"
                          "SELECT count (*) FROM record",
                      NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal (sqlite3_wal_checkpoint_v2 (db, NULL,
                                                 SQLITE_CHECKPOINT_PASSIVE,
                                                 &frames, NULL),
                      SQLITE_OK);
    is->frames = frames > 0 ? (size_t)frames : 0;
    judge_frames (is);
    *it = (struct expected){.seed = it->seed};
    mark_rows (is, db, "SELECT * FROM record", it->record);
    mark_rows (is, db, "SELECT * FROM piece", it->piece);
    mark_rows (is, db, "SELECT * FROM job", it->job);
    find_snapshot (is, db, it);
    it->any |= it->record[1];
    while (it->any && it->record[it->last + 1])
        it->last++;
    assert_int_equal (sqlite3_close (db), SQLITE_OK);
}

/* ---- damage ---- */

/* Some of it: a page of zeros, two swapped, one half of another, some bits. */
static void damage_bytes (struct bytes all, struct rng *rng, size_t head,
                          size_t page)
{
    size_t n = all.n > head ? (all.n - head) / page : 0;
    unsigned char *a, *b, other[FRAME];
    if (n == 0)
        return;
    a = all.at + head + rng_below (rng, n) * page;
    b = all.at + head + rng_below (rng, n) * page;
    switch (between (rng, 0, 3)) {
    case 0:
        memset (a, 0, page);
        break;
    case 1:
        memcpy (other, a, page);
        memcpy (a, b, page);
        memcpy (b, other, page);
        break;
    case 2:
        memmove (a + page / 2, b + page / 2, page - page / 2);
        break;
    default:
        for (uint32_t i = between (rng, 1, 20); i > 0; i--)
            all.at[rng_below (rng, all.n)] ^=
                (unsigned char)(1 << between (rng, 0, 7));
    }
}

static void damage_images (struct images *is, struct rng *rng)
{
    for (uint32_t i = between (rng, 1, 4); i > 0; i--)
        if (is->log.n > 0 && chance (rng, 60))
            damage_bytes (is->bad_log, rng, chance (rng, 50) ? HEADER : 0,
                          chance (rng, 50) ? FRAME : PAGE);
        else
            damage_bytes (is->bad_file, rng, 0, PAGE);
}

/* ---- the result ---- */

struct replayed {
    struct journal *journal;
    uint64_t last;
};

static int check_snapshot (void *arg, const char *text, size_t n)
{
    struct replayed *it = arg;
    size_t size;
    char *should;
    it->last = journal_saved (it->journal);
    should = text_of ('s', it->last, &size);
    assert_int_equal (n, size);
    assert_memory_equal (text, should, n);
    free (should);
    return 0;
}

static int check_record (void *arg, const struct journal_record *record)
{
    struct replayed *it = arg;
    size_t size;
    char *should = text_of ('r', ++it->last, &size);
    assert_int_equal (record->seq, it->last);
    assert_int_equal (record->n, size);
    assert_memory_equal (record->text, should, size);
    free (should);
    return 0;
}

static int take_job (void *arg, const struct journal_job *job)
{
    ((struct expected *)arg)->job[job->id] = false;
    return 0;
}

/* It replays to a state that there was, not before the one expected; and
 * takes more. */
static void check_result (const char *path, struct expected *it,
                          const struct journal_salvage *said)
{
    struct replayed is = {.journal = must_open (path)};
    struct journal_filter all = {0};
    struct rng rng = seeded (1);
    tori_error err = {0};
    if (journal_replay (is.journal, check_snapshot, check_record, &is, &err)
        < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (is.last, said->last);
    if (is.last < it->last)
        fail_msg ("journal %ju: up to %ju, snapshot %ju, and not %ju",
                  (uintmax_t)it->seed, (uintmax_t)is.last,
                  (uintmax_t)said->snapshot, (uintmax_t)it->last);
    assert_true (said->seen >= said->last);
    assert_int_equal (journal_last (is.journal), is.last);
    assert_int_equal (
        journal_history (is.journal, &all, take_job, it, &err), 0);
    for (size_t i = 0; i < MOST; i++)
        assert_false (it->job[i]);
    add_some (is.journal, &rng);
    must_commit (is.journal);
    journal_close (is.journal);
}

struct tally {
    size_t refused, saved, opens, records;
};

static bool opens (const char *path)
{
    struct replayed is = {0};
    bool good = journal_open (path, &is.journal, NULL) == 0;
    journal_close (is.journal);
    return good;
}

static void salvage_one (uint64_t seed, struct tally *tally)
{
    static struct images is;
    static struct expected it;
    struct journal_salvage said;
    struct rng rng;
    struct bytes after;
    tori_error err = {0};
    const char *bad = journal_path ("bad"), *log = journal_path ("bad-wal");
    const char *made = journal_path ("made");
    rng_seed (&rng, seed, 4);
    make_journal (&rng);
    is.file = read_bytes (journal_path ("whole"));
    is.log = read_bytes (journal_path ("whole-wal"));
    is.bad_file = copy_bytes (is.file);
    is.bad_log = copy_bytes (is.log);
    damage_images (&is, &rng);
    it.seed = seed;
    expect_rows (&is, &it);
    bad = journal_path ("bad");
    made = journal_path ("made");
    write_bytes (bad, is.bad_file);
    if (is.log.n > 0)
        write_bytes (log = journal_path ("bad-wal"), is.bad_log);
    if (journal_salvage (bad, made, UINT64_MAX, &said, &err) < 0) {
        if (it.any && !strstr (err.text, "by a newer version"))
            fail_msg ("%ju: %s", (uintmax_t)seed, err.text);
        assert_int_equal (err.status, TORI_INVALID);
        expect_line (&err);
        tally->refused++;
    } else {
        check_result (made, &it, &said);
        tally->saved++;
        tally->records += it.last;
    }
    after = read_bytes (bad);
    assert_int_equal (after.n, is.bad_file.n);
    assert_memory_equal (after.at, is.bad_file.at, after.n);
    tally->opens += opens (bad);
    free (after.at);
    free (is.file.at);
    free (is.log.at);
    free (is.bad_file.at);
    free (is.bad_log.at);
    empty (NULL);
}

TEST_AFTER (damaged_files, empty)
{
    struct tally tally = {0};
    size_t n = random_cases (120);
    for (size_t i = 0; i < n; i++)
        salvage_one (i, &tally);
    print_message ("# of %zu: %zu open as they are, %zu are saved, %zu have "
                   "nothing whole; %zu records\n",
                   n, tally.opens, tally.saved, tally.refused, tally.records);
    assert_true (n < 60 || tally.saved > n / 2);
}

/* Nothing is damaged: all of it, or what is before a record. */
TEST_AFTER (up_to_a_record, empty)
{
    struct journal_salvage said = {0};
    static struct expected it;
    struct journal *journal = must_open (journal_file);
    struct rng rng = seeded (5);
    uint64_t last;
    while (journal_last (journal) < 50)
        add_some (journal, &rng);
    last = journal_last (journal);
    must_commit (journal);
    journal_close (journal);
    it = (struct expected){.last = 19};
    assert_int_equal (journal_salvage (journal_file, journal_path ("made"), 20,
                                       &said, NULL),
                      0);
    assert_int_equal (said.last, 19);
    assert_int_equal (said.seen, last);
    assert_int_equal (said.damaged, 0);
    check_result (journal_path ("made"), &it, &said);
    it.last = last;
    assert_int_equal (journal_salvage (journal_file, journal_path ("all"),
                                       UINT64_MAX, &said, NULL),
                      0);
    check_result (journal_path ("all"), &it, &said);
}

/* A header that keeps SQLite from writing does not keep torid from reading. */
TEST_AFTER (not_writable, empty)
{
    enum { WRITE_VERSION = 18 };
    struct journal_salvage said = {0};
    static struct expected it;
    struct journal *journal = must_open (journal_file);
    struct rng rng = seeded (6);
    struct bytes all;
    add_some (journal, &rng);
    it = (struct expected){.last = journal_last (journal)};
    must_commit (journal);
    journal_close (journal);
    all = read_bytes (journal_file);
    all.at[WRITE_VERSION] = 3;
    write_bytes (journal_file, all);
    free (all.at);
    expect_refused (journal_file, TORI_INVALID, "damaged");
    assert_int_equal (journal_salvage (journal_file, journal_path ("made"),
                                       UINT64_MAX, &said, NULL),
                      0);
    check_result (journal_path ("made"), &it, &said);
}

int main (void)
{
    return run_cases (setup, teardown);
}
