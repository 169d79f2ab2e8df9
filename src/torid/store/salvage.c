/* salvage.c - what is whole in a damaged journal.
 *
 * SQLite gives up where a page of a tree is damaged. But every row has its own
 * sum, so the trees are not needed: all pages are read (rowfile.h), and a row
 * counts if its sum is right. The types of its values tell the table. Pieces
 * of snapshots have no sum; that of the snapshot is over all of them.
 *
 * Rows that were removed may be found on pages that are free, or were damaged
 * when they were. They are as true as the others: no number of a record is
 * given twice in a file, because a salvage, which removes the last records,
 * writes another file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "journal_parts.h"
#include "rowfile.h"
#include "syserror.h"

enum { TRIES = 1000, PIECES_MOST = 1 << 13 };

/* A table: the types of its columns, and which of them has what; the first is
 * the key, 0 is none. */
static const struct shape {
    enum statement add;
    const char *types;
    int value, user, text, sum;
} shapes[] = {
    {ADD_RECORD, "nibi", .value = 1, .text = 2, .sum = 3},
    {ADD_SNAPSHOT, "niiib", .text = 4, .sum = 3},
    {ADD_PIECE, "nb", .text = 1},
    {ADD_JOB, "ntibi", .user = 1, .value = 2, .text = 3, .sum = 4},
    {ADD_SAMPLE, "nbi", .text = 1, .sum = 2},
    {ADD_CHANGE, "niibi", .value = 1, .text = 3, .sum = 4},
    {ADD_CHANGE, "niibiti", .value = 1, .text = 3, .sum = 4, .user = 5},
};
enum { RECORD, SNAPSHOT, PIECE, JOB };
enum { NSHAPES = sizeof shapes / sizeof *shapes };

/* Where a row is. */
struct found {
    uint64_t key;
    int64_t sum;
    uint32_t page;
    uint16_t at;
    uint8_t shape;
};

struct salvage {
    struct rowfile file;
    int shape;  /* of the row that was read last */
    char *user; /* its user */
    char *text; /* of a snapshot */
    size_t user_room, text_room, text_n;
    struct found *found;
    size_t n, room;
    unsigned tries;
};

/* ---- rows ---- */

/* The name, for which the row has no zero at its end. */
static int copy_user (struct salvage *s, const struct shape *shape)
{
    size_t n = shape->user ? s->file.length[shape->user] : 0;
    char *more = array_room (s->user, &s->user_room, n + 1, 1);
    if (!more)
        return -1;
    s->user = more;
    if (n > 0)
        memcpy (more, s->file.bytes[shape->user], n);
    more[n] = 0;
    return 0;
}

/* Whether the sum is right, where a row alone has one. */
static bool is_whole (const struct salvage *s, const struct shape *shape)
{
    const struct rowfile *row = &s->file;
    int64_t value = shape->value ? row->number[shape->value] : 0;
    if (shape->add == ADD_PIECE || shape->add == ADD_SNAPSHOT)
        return true;
    return (!shape->user || strlen (s->user) == row->length[shape->user])
           && row->number[shape->sum]
                  == journal_sum (row->key, value, s->user,
                                  row->bytes[shape->text],
                                  row->length[shape->text]);
}

/* Read a row: 1, 0 if it is not whole, -1 without memory. */
static int read_row (struct salvage *s, size_t at)
{
    int status = rowfile_row (&s->file, at);
    if (status < 1 || s->file.key > INT64_MAX)
        return status < 0 ? -1 : 0;
    for (s->shape = 0; s->shape < NSHAPES; s->shape++)
        if (!strcmp (s->file.types, shapes[s->shape].types))
            break;
    if (s->shape == NSHAPES)
        return 0;
    if (copy_user (s, &shapes[s->shape]) < 0)
        return -1;
    return is_whole (s, &shapes[s->shape]);
}

static int read_found (struct salvage *s, const struct found *found)
{
    return rowfile_page (&s->file, found->page) ? read_row (s, found->at) : 0;
}

/* ---- looking for them ---- */

static int keep_found (struct salvage *s, uint64_t page, size_t at)
{
    struct found *more =
        array_room (s->found, &s->room, s->n + 1, sizeof *more);
    const struct shape *shape = &shapes[s->shape];
    if (!more)
        return -1;
    s->found = more;
    more[s->n++] = (struct found){
        .key = s->file.key,
        .sum = shape->sum ? s->file.number[shape->sum] : 0,
        .page = (uint32_t)page,
        .at = (uint16_t)at,
        .shape = (uint8_t)s->shape};
    return 0;
}

/* The rows of the page that was read, and whether all can be read. */
static int read_leaf (struct salvage *s, uint64_t page, bool *ret_good)
{
    for (size_t i = 0; i < rowfile_cells (&s->file); i++) {
        size_t at = rowfile_place (&s->file, i);
        int status = read_row (s, at);
        if (status < 0 || (status == 1 && keep_found (s, page, at) < 0))
            return -1;
        *ret_good &= status == 1;
    }
    return 0;
}

/* By table and number; those of one number in the order of their pages. */
static int compare_found (const void *a, const void *b)
{
    const struct found *f = a, *g = b;
    if (f->shape != g->shape)
        return f->shape < g->shape ? -1 : 1;
    if (f->key != g->key)
        return f->key < g->key ? -1 : 1;
    if (f->page != g->page)
        return f->page < g->page ? -1 : 1;
    return (f->at > g->at) - (f->at < g->at);
}

static int find_rows (struct salvage *s, struct journal_salvage *result,
                      tori_error *err)
{
    result->pages = s->file.pages;
    result->page = s->file.size;
    result->damaged = s->file.map.broken;
    for (uint64_t page = 1; page <= s->file.pages; page++) {
        bool good;
        if (!rowfile_page (&s->file, page))
            continue;
        good = rowfile_is_sound (&s->file, page);
        if (read_leaf (s, page, &good) < 0)
            return tori_error_nomem (err);
        result->damaged += !good;
    }
    if (s->n > 0)
        qsort (s->found, s->n, sizeof *s->found, compare_found);
    return 0;
}

/* The first one of a table from this number on; s->n if there is none. */
static size_t find_first (const struct salvage *s, int shape, uint64_t key)
{
    const struct found wanted = {.key = key, .shape = (uint8_t)shape};
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare_found (&s->found[mid], &wanted) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool is_found (const struct salvage *s, size_t i, int shape,
                      uint64_t key)
{
    return i < s->n && s->found[i].shape == shape && s->found[i].key == key;
}

/* ---- snapshots ---- */

static int add_text (struct salvage *s, const char *text, size_t n)
{
    char *more = array_room (s->text, &s->text_room, s->text_n + n + 1, 1);
    if (!more)
        return -1;
    s->text = more;
    memcpy (more + s->text_n, text, n);
    s->text_n += n;
    return 0;
}

/* The text of a snapshot from this piece on, after what is there; 1 if it has
 * the sum. A number may have been given to other pieces, which are free now:
 * try each. */
static int gather_text (struct salvage *s, const struct found *snapshot,
                        uint64_t piece, uint64_t last)
{
    size_t from = s->text_n;
    int status = 0;
    if (s->tries++ > TRIES + PIECES_MOST)
        return 0;
    if (piece > last) {
        if (read_found (s, snapshot) != 1)
            return 0;
        if (add_text (s, s->file.bytes[4], s->file.length[4]) < 0)
            return -1;
        return snapshot->sum
               == journal_sum (snapshot->key, 0, "", s->text, s->text_n);
    }
    for (size_t i = find_first (s, PIECE, piece);
         status == 0 && is_found (s, i, PIECE, piece); i++) {
        s->text_n = from;
        status = read_found (s, &s->found[i]);
        if (status == 1)
            status = add_text (s, s->file.bytes[1], s->file.length[1]);
        else if (status == 0)
            continue;
        if (status == 0)
            status = gather_text (s, snapshot, piece + 1, last);
    }
    return status;
}

/* The newest whole one before a record: its number, 0 if there is none. */
static int find_snapshot (struct salvage *s, uint64_t before,
                          const struct found **ret_snapshot)
{
    size_t i = find_first (s, SNAPSHOT, before);
    int status = 0;
    while (status == 0 && i-- > 0 && s->found[i].shape == SNAPSHOT) {
        int64_t first, last;
        if (read_found (s, &s->found[i]) != 1)
            continue;
        first = s->file.number[1];
        last = s->file.number[2];
        if (first < 0 || last < -1 || last > first + PIECES_MOST)
            continue;
        s->text_n = s->tries = 0;
        status = gather_text (s, &s->found[i],
                              last < first ? 1 : (uint64_t)first,
                              last < first ? 0 : (uint64_t)last);
        if (status == 1)
            *ret_snapshot = &s->found[i];
    }
    return status;
}

/* ---- writing ---- */

/* Add a row as it was. */
static int write_row (struct salvage *s, struct database *base,
                      const struct found *found, tori_error *err)
{
    const struct shape *shape = &shapes[found->shape];
    const struct rowfile *row = &s->file;
    int status = read_found (s, found);
    if (status < 1)
        return status == 0 ? system_error (s->file.path, EIO, err)
                           : tori_error_nomem (err);
    database_integer (base, shape->add, 1, (int64_t)row->key);
    for (int i = 1; shape->types[i]; i++)
        if (shape->types[i] == 'i')
            database_integer (base, shape->add, i + 1, row->number[i]);
        else if (shape->types[i] == 't')
            database_string (base, shape->add, i + 1, s->user);
        else
            database_text (base, shape->add, i + 1, row->bytes[i],
                           row->length[i]);
    return database_step (base, shape->add, err);
}

static int write_snapshot (struct salvage *s, struct database *base,
                           const struct found *snapshot, tori_error *err)
{
    database_integer (base, ADD_SNAPSHOT, 1, (int64_t)snapshot->key);
    database_integer (base, ADD_SNAPSHOT, 2, 0);
    database_integer (base, ADD_SNAPSHOT, 3, -1);
    database_integer (base, ADD_SNAPSHOT, 4, snapshot->sum);
    database_text (base, ADD_SNAPSHOT, 5, s->text, s->text_n);
    return database_step (base, ADD_SNAPSHOT, err);
}

/* Records without a gap. Two of one number that differ are a gap, too. */
static int write_records (struct salvage *s, struct database *base,
                          uint64_t before, struct journal_salvage *result,
                          tori_error *err)
{
    uint64_t seq = result->last + 1;
    size_t i = find_first (s, RECORD, seq);
    for (; seq < before && is_found (s, i, RECORD, seq); seq++) {
        int64_t sum = s->found[i].sum;
        size_t first = i;
        while (is_found (s, ++i, RECORD, seq))
            if (s->found[i].sum != sum)
                return 0;
        if (write_row (s, base, &s->found[first], err) < 0)
            return -1;
        result->last = seq;
    }
    return 0;
}

/* Jobs, samples and changes. */
static int write_others (struct salvage *s, struct database *base,
                         struct journal_salvage *result, tori_error *err)
{
    for (size_t i = find_first (s, JOB, 0); i < s->n; i++) {
        const struct found *found = &s->found[i];
        if (is_found (s, i + 1, found->shape, found->key))
            continue;
        if (write_row (s, base, found, err) < 0)
            return -1;
        result->jobs += found->shape == JOB;
    }
    return 0;
}

static int write_all (struct salvage *s, struct database *base,
                      uint64_t before, struct journal_salvage *result,
                      tori_error *err)
{
    const struct found *snapshot = NULL;
    size_t end = find_first (s, RECORD + 1, 0);
    if (find_snapshot (s, before, &snapshot) < 0)
        return tori_error_nomem (err);
    if (!snapshot && !is_found (s, find_first (s, RECORD, 1), RECORD, 1))
        return tori_error_set (err, TORI_INVALID,
                               "%s: damaged: none of its snapshots can be"
                               " used, and the records before them are gone",
                               s->file.path);
    result->last = result->snapshot = snapshot ? snapshot->key : 0;
    result->seen = end > 0 ? s->found[end - 1].key : 0;
    if (result->seen < result->snapshot)
        result->seen = result->snapshot;
    if (database_step (base, BEGIN, err) < 0
        || (snapshot && write_snapshot (s, base, snapshot, err) < 0)
        || write_records (s, base, before, result, err) < 0
        || write_others (s, base, result, err) < 0
        || database_step (base, COMMIT, err) < 0)
        return -1;
    return database_settle (base, err);
}

static int write_file (struct salvage *s, const char *to, uint64_t before,
                       struct journal_salvage *result, tori_error *err)
{
    struct database base;
    int status;
    if (database_open (&base, to, err) < 0)
        return -1;
    status = write_all (s, &base, before, result, err);
    database_close (&base);
    return status;
}

/* A number that is far from this version is damage. */
static int check_version (const struct rowfile *file, tori_error *err)
{
    if (file->application == DATABASE_APPLICATION
        && file->version > DATABASE_VERSION
        && file->version <= DATABASE_VERSION + 8)
        return tori_error_set (err, TORI_INVALID,
                               "%s: written by a newer version", file->path);
    return 0;
}

int journal_salvage (const char *from, const char *to, uint64_t before,
                     struct journal_salvage *ret_salvage, tori_error *err)
{
    struct salvage *s = calloc (1, sizeof *s);
    struct journal_salvage result = {0};
    int status;
    if (!s)
        return tori_error_nomem (err);
    status = rowfile_open (&s->file, from, err);
    if (status == 0) {
        if (check_version (&s->file, err) < 0
            || find_rows (s, &result, err) < 0
            || write_file (s, to, before, &result, err) < 0)
            status = -1;
        rowfile_close (&s->file);
    }
    free (s->found);
    free (s->user);
    free (s->text);
    free (s);
    if (status == 0)
        *ret_salvage = result;
    return status;
}
