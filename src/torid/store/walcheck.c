/* walcheck.c - reads the log as "The Database File Format" of SQLite says. */
#include "walcheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "syserror.h"

enum { HEADER = 32, HEAD = 24, PAGE_MOST = 1 << 16, USUAL = 4096 };
enum { MAGIC = 0x377f0682 }; /* the lowest bit: sums are of big-endian words */

struct wal {
    FILE *file;
    size_t page;
    bool big;
    bool sound; /* all sums so far are right */
    uint32_t salt[2], sum[2];
    unsigned char frame[HEAD + PAGE_MOST];
};

static uint32_t read_word (const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16
           | (uint32_t)at[2] << 8 | at[3];
}

static void add_sum (struct wal *wal, const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint32_t a = read_word (at + i), b = read_word (at + i + 4);
        wal->sum[0] += (wal->big ? a : __builtin_bswap32 (a)) + wal->sum[1];
        wal->sum[1] += (wal->big ? b : __builtin_bswap32 (b)) + wal->sum[0];
    }
}

static bool has_sum (const struct wal *wal, const unsigned char *at)
{
    return read_word (at) == wal->sum[0] && read_word (at + 4) == wal->sum[1];
}

/* False if there is none. */
static bool read_header (struct wal *wal)
{
    unsigned char *h = wal->frame;
    if (fread (h, 1, HEADER, wal->file) != HEADER)
        return false;
    wal->big = h[3] & 1;
    wal->page = read_word (h + 8);
    wal->salt[0] = read_word (h + 16);
    wal->salt[1] = read_word (h + 20);
    add_sum (wal, h, HEADER - 8);
    wal->sound =
        (read_word (h) & ~1U) == MAGIC && has_sum (wal, h + HEADER - 8);
    if (wal->page < 512 || wal->page > PAGE_MOST
        || (wal->page & (wal->page - 1)))
        wal->page = USUAL;
    return true;
}

/* Frames of an earlier log, which this one writes over, have other salts. */
static bool is_of_this (const struct wal *wal)
{
    return read_word (wal->frame + 8) == wal->salt[0]
           || read_word (wal->frame + 12) == wal->salt[1];
}

static bool is_valid (struct wal *wal)
{
    const unsigned char *f = wal->frame;
    add_sum (wal, f, 8);
    add_sum (wal, f + HEAD, wal->page);
    return read_word (f) != 0 && read_word (f + 8) == wal->salt[0]
           && read_word (f + 12) == wal->salt[1] && has_sum (wal, f + 16);
}

/* A header may be torn when a new log begins, whose frames are not there yet:
 * it proves nothing. */
static struct wal_tail find_tail (struct wal *wal)
{
    struct wal_tail tail = {0};
    bool headed = read_header (wal), sound = wal->sound;
    while (headed
           && fread (wal->frame, HEAD + wal->page, 1, wal->file) == 1) {
        bool commit = read_word (wal->frame + 4) != 0;
        wal->sound = wal->sound && is_valid (wal);
        if (wal->sound && commit)
            tail = (struct wal_tail){0};
        else if (is_of_this (wal)) {
            tail.frames++;
            tail.commits += commit;
        }
    }
    tail.damaged = sound && tail.commits > WAL_CRASH_MOST;
    return tail;
}

int wal_check (const char *path, struct wal_tail *ret_tail, tori_error *err)
{
    struct wal *wal = calloc (1, sizeof *wal);
    char *name = NULL;
    int status = 0;
    if (!wal || asprintf (&name, "%s-wal", path) < 0) {
        free (wal);
        return tori_error_nomem (err);
    }
    wal->file = fopen (name, "re");
    if (wal->file) {
        *ret_tail = find_tail (wal);
        fclose (wal->file);
    } else if (errno == ENOENT)
        *ret_tail = (struct wal_tail){0};
    else
        status = system_error (name, errno, err);
    free (name);
    free (wal);
    return status;
}
