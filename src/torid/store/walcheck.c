/* walcheck.c - reads the log as "The Database File Format" of SQLite says. */
#include "walcheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
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

/* Open the log: 1, 0 if there is none, -1 on failure. */
static int open_log (const char *path, struct wal **ret_wal, tori_error *err)
{
    struct wal *wal = calloc (1, sizeof *wal);
    char *name = NULL;
    int status = 1;
    if (!wal || asprintf (&name, "%s-wal", path) < 0) {
        free (wal);
        return tori_error_nomem (err);
    }
    wal->file = fopen (name, "re");
    if (!wal->file)
        status = errno == ENOENT ? 0 : system_error (name, errno, err);
    free (name);
    if (status == 1)
        *ret_wal = wal;
    else
        free (wal);
    return status;
}

static void close_log (struct wal *wal)
{
    fclose (wal->file);
    free (wal);
}

int wal_check (const char *path, struct wal_tail *ret_tail, tori_error *err)
{
    struct wal *wal;
    int status = open_log (path, &wal, err);
    if (status < 0)
        return -1;
    *ret_tail = (struct wal_tail){0};
    if (status == 1) {
        *ret_tail = find_tail (wal);
        close_log (wal);
    }
    return 0;
}

/* ---- pages ---- */

struct wal_frame {
    uint32_t page;
    uint64_t at;
};

struct wal_frames {
    struct wal_frame *items;
    size_t n, room;
    size_t whole, good; /* up to the last commit before damage, and after it */
    uint64_t commits;   /* after it */
};

static int keep_frame (struct wal_frames *all, const struct wal *wal,
                       uint64_t at)
{
    struct wal_frame *more =
        array_room (all->items, &all->room, all->n + 1, sizeof *more);
    if (!more)
        return -1;
    all->items = more;
    more[all->n++] = (struct wal_frame){read_word (wal->frame), at};
    if (read_word (wal->frame + 4) != 0) {
        all->good = all->n;
        if (wal->sound)
            all->whole = all->n;
        else
            all->commits++;
    }
    return 0;
}

/* The sum of a frame goes on from that of the one before, as that says it. If
 * the header is damaged, the salts are those of the first frame that is right.
 */
static int read_frames (struct wal *wal, struct wal_frames *all,
                        uint64_t *ret_broken)
{
    const unsigned char *f = wal->frame;
    bool headed = wal->sound;
    int status = 0;
    if (!headed)
        wal->big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    for (uint64_t at = HEADER;
         status == 0
         && fread (wal->frame, HEAD + wal->page, 1, wal->file) == 1;
         at += HEAD + wal->page) {
        bool valid;
        if (!headed) {
            wal->salt[0] = read_word (f + 8);
            wal->salt[1] = read_word (f + 12);
        }
        valid = is_valid (wal);
        headed |= valid;
        wal->sound = wal->sound && valid;
        wal->sum[0] = read_word (f + 16);
        wal->sum[1] = read_word (f + 20);
        if (valid)
            status = keep_frame (all, wal, at + HEAD);
        else
            *ret_broken += is_of_this (wal);
    }
    return status;
}

static int map_frames (const struct wal_frames *all, size_t n,
                       struct wal_map *map)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
        if (most < all->items[i].page)
            most = all->items[i].page;
    map->at = calloc ((size_t)most + 1, sizeof *map->at);
    if (!map->at)
        return -1;
    map->pages = (size_t)most + 1;
    for (size_t i = 0; i < n; i++)
        map->at[all->items[i].page] = all->items[i].at;
    return 0;
}

int wal_map (const char *path, struct wal_map *ret_map, tori_error *err)
{
    struct wal_map map = {0};
    struct wal_frames all = {0};
    struct wal *wal;
    int status = open_log (path, &wal, err);
    if (status < 0)
        return -1;
    if (status == 1) {
        status = 0;
        if (read_header (wal)) {
            map.page = wal->page;
            status = read_frames (wal, &all, &map.broken);
        }
        close_log (wal);
    }
    if (status == 0)
        status = map_frames (
            &all, all.commits > WAL_CRASH_MOST ? all.good : all.whole, &map);
    free (all.items);
    if (status < 0)
        return tori_error_nomem (err);
    *ret_map = map;
    return 0;
}
