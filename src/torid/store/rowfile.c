#include "rowfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "syserror.h"

enum { USUAL = 4096, PAGE_LEAST = 512, LEAF = 13, HEAD = 8 };

/* ---- pages ---- */

static uint32_t get_number (const unsigned char *at, int n)
{
    uint32_t number = 0;
    for (int i = 0; i < n; i++)
        number = number << 8 | at[i];
    return number;
}

static bool read_page (const struct rowfile *f, uint64_t number,
                       unsigned char *to)
{
    uint64_t at = number < f->map.pages ? f->map.at[number] : 0;
    ssize_t n = number == 0 ? 0
                : at > 0    ? pread (f->log, to, f->size, (off_t)at)
                            : pread (f->file, to, f->size,
                                     (off_t)((number - 1) * f->size));
    if (n <= 0)
        return false;
    memset (to + n, 0, f->size - (size_t)n);
    return true;
}

/* One bit of the size of a page cannot make another power of two of it. */
static void read_header (struct rowfile *f)
{
    unsigned char h[100] = {0};
    bool headed = pread (f->file, h, sizeof h, 0) == sizeof h
                  && memcmp (h, "SQLite format 3", 16) == 0;
    size_t size = get_number (h + 16, 2);
    f->size = f->map.page > 0 ? f->map.page : USUAL;
    if (!headed)
        return;
    if (size >= PAGE_LEAST && (size & (size - 1)) == 0)
        f->size = size;
    f->version = get_number (h + 60, 4);
    f->application = get_number (h + 68, 4);
}

static int open_files (struct rowfile *f, tori_error *err)
{
    char *name = NULL;
    struct stat st = {0};
    if (wal_map (f->path, &f->map, err) < 0)
        return -1;
    if (asprintf (&name, "%s-wal", f->path) < 0)
        return tori_error_nomem (err);
    f->file = open (f->path, O_RDONLY | O_CLOEXEC);
    f->log = open (name, O_RDONLY | O_CLOEXEC);
    free (name);
    if (f->file < 0 || fstat (f->file, &st) < 0)
        return system_error (f->path, errno, err);
    read_header (f);
    f->pages = ((uint64_t)st.st_size + f->size - 1) / f->size;
    if (f->map.pages > f->pages + 1)
        f->pages = f->map.pages - 1;
    return 0;
}

int rowfile_open (struct rowfile *f, const char *path, tori_error *err)
{
    *f = (struct rowfile){.path = path, .file = -1, .log = -1};
    if (open_files (f, err) == 0)
        return 0;
    rowfile_close (f);
    return -1;
}

void rowfile_close (struct rowfile *f)
{
    if (f->file >= 0)
        close (f->file);
    if (f->log >= 0)
        close (f->log);
    free (f->map.at);
    free (f->payload);
}

bool rowfile_page (struct rowfile *f, uint64_t page)
{
    return read_page (f, page, f->page);
}

size_t rowfile_cells (const struct rowfile *f)
{
    size_t cells = *f->page == LEAF ? get_number (f->page + 3, 2) : 0;
    size_t most = (f->size - HEAD) / 2;
    return cells < most ? cells : most;
}

size_t rowfile_place (const struct rowfile *f, size_t cell)
{
    return get_number (f->page + HEAD + 2 * cell, 2);
}

/* SQLite does not use a page of zeros, and the first has a header. */
bool rowfile_is_sound (const struct rowfile *f, uint64_t page)
{
    static const unsigned char zeros[ROWFILE_PAGE];
    return page == 1 ? memcmp (f->page, "SQLite format 3", 16) == 0
                     : memcmp (f->page, zeros, f->size) != 0;
}

/* ---- rows ---- */

/* A number in one to nine bytes; NULL past the end. */
static const unsigned char *get_varint (const unsigned char *at,
                                        const unsigned char *end,
                                        uint64_t *ret_number)
{
    uint64_t number = 0;
    for (int i = 0; i < 9 && at < end; i++, at++) {
        number = i == 8 ? number << 8 | *at : number << 7 | (*at & 0x7f);
        if (i == 8 || *at < 0x80) {
            *ret_number = number;
            return at + 1;
        }
    }
    return NULL;
}

/* How much of a row is on its leaf. */
static size_t local_size (size_t page, uint64_t n)
{
    size_t least = (page - 12) * 32 / 255 - 23;
    size_t some = least + (n - least) % (page - 4);
    return n <= page - 35 ? n : some <= page - 35 ? some : least;
}

/* The bytes of a row at a place of the page: 1, 0 if they are not all there,
 * -1 without memory. */
static int read_payload (struct rowfile *f, size_t at, size_t *ret_n)
{
    const unsigned char *p = f->page + at, *end = f->page + f->size;
    uint64_t n, next = 0;
    size_t done;
    char *more;
    if (!(p = get_varint (p, end, &n)) || !(p = get_varint (p, end, &f->key))
        || n < 2 || n > f->pages * f->size)
        return 0;
    done = local_size (f->size, n);
    if ((size_t)(end - p) < done + (done < n ? 4 : 0))
        return 0;
    more = array_room (f->payload, &f->room, n, 1);
    if (!more)
        return -1;
    f->payload = more;
    memcpy (more, p, done);
    if (done < n)
        next = get_number (p + done, 4);
    while (done < n) {
        size_t part = n - done < f->size - 4 ? n - done : f->size - 4;
        if (!read_page (f, next, f->more))
            return 0;
        memcpy (more + done, f->more + 4, part);
        next = get_number (f->more, 4);
        done += part;
    }
    *ret_n = n;
    return 1;
}

static int64_t get_integer (const char *at, size_t n)
{
    uint64_t number = n > 0 && (*at & 0x80) ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++)
        number = number << 8 | (unsigned char)at[i];
    return (int64_t)number;
}

/* One column, from the code of its type and size; returns the letter of its
 * type, 0 if there is none. */
static char read_column (struct rowfile *f, int i, uint64_t code,
                         const char *at, size_t left)
{
    static const size_t sizes[] = {0, 1, 2, 3, 4, 6, 8};
    uint64_t n = code >= 12 ? (code - 12) / 2 : code <= 6 ? sizes[code] : 0;
    if (n > left || code == 7 || code == 10 || code == 11)
        return 0;
    f->bytes[i] = at;
    f->length[i] = n;
    f->number[i] = code == 9 ? 1 : code < 8 ? get_integer (at, n) : 0;
    return code == 0 ? 'n' : code < 12 ? 'i' : code % 2 == 0 ? 'b' : 't';
}

static bool read_columns (struct rowfile *f, size_t n)
{
    const unsigned char *p = (unsigned char *)f->payload, *head;
    uint64_t code, size;
    size_t at;
    memset (f->types, 0, sizeof f->types);
    p = get_varint (p, p + n, &size);
    if (!p || size > n)
        return false;
    head = (unsigned char *)f->payload + size;
    at = size;
    for (int i = 0; p < head; i++) {
        if (i == ROWFILE_COLUMNS || !(p = get_varint (p, head, &code)))
            return false;
        f->types[i] = read_column (f, i, code, f->payload + at, n - at);
        if (f->types[i] == 0)
            return false;
        at += f->length[i];
    }
    return at == n;
}

int rowfile_row (struct rowfile *f, size_t at)
{
    size_t n;
    int status = at >= HEAD && at < f->size ? read_payload (f, at, &n) : 0;
    return status < 1 ? status : read_columns (f, n);
}
