#include "bad_disk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

enum { MAX_FILES = 8, MAX_WRITES = 4096, SECTOR = 512 };

struct content {
    char *bytes;
    size_t n, room;
};

/* A write that was not synced; a truncation to `at` if bytes is NULL. */
struct write {
    size_t at, n;
    char *bytes;
};

struct disk_file {
    char name[512];
    bool there;
    struct content synced;
    struct write writes[MAX_WRITES];
    size_t nwrites;
    char
        image_name[512]; /* the file may go, and another take its place here */
    struct content image;
};

/* The kind of a file, as SQLite knows it. */
struct handle {
    sqlite3_file base;
    struct disk_file *file;
    sqlite3_file *real;
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    struct disk_file files[MAX_FILES];
    unsigned long count, fail_at, cut_at;
    int code;
    bool imaged;
    struct rng *rng;
} disk;

/* ---- contents ---- */

static void resize (struct content *content, size_t n)
{
    if (n >= content->room) {
        content->room = 2 * n + 1;
        content->bytes = realloc (content->bytes, content->room);
    }
    if (!content->bytes)
        abort ();
    if (n > content->n)
        memset (content->bytes + content->n, 0, n - content->n);
    content->n = n;
}

static void apply (struct content *content, const struct write *write,
                   size_t n)
{
    if (!write->bytes) {
        resize (content, write->at);
        return;
    }
    if (write->at + n > content->n)
        resize (content, write->at + n);
    memcpy (content->bytes + write->at, write->bytes, n);
}

static void forget_writes (struct disk_file *file)
{
    for (size_t i = 0; i < file->nwrites; i++)
        free (file->writes[i].bytes);
    file->nwrites = 0;
}

static void sync_file (struct disk_file *file)
{
    for (size_t i = 0; i < file->nwrites; i++)
        apply (&file->synced, &file->writes[i], file->writes[i].n);
    forget_writes (file);
}

static void remember (struct disk_file *file, size_t at, const void *bytes,
                      size_t n)
{
    struct write *write = &file->writes[file->nwrites];
    if (file->nwrites++ == MAX_WRITES)
        abort ();
    *write = (struct write){.at = at, .n = n};
    if (!bytes)
        return;
    write->bytes = malloc (n + 1);
    if (!write->bytes)
        abort ();
    memcpy (write->bytes, bytes, n);
}

static void empty_file (struct disk_file *file)
{
    forget_writes (file);
    free (file->synced.bytes);
    file->synced = (struct content){0};
}

/* ---- the power goes ---- */

static void image_file (struct disk_file *file)
{
    snprintf (file->image_name, sizeof file->image_name, "%s", file->name);
    resize (&file->image, 0);
    resize (&file->image, file->synced.n);
    if (file->synced.n)
        memcpy (file->image.bytes, file->synced.bytes, file->synced.n);
    for (size_t i = 0; i < file->nwrites; i++) {
        size_t n = file->writes[i].n;
        uint64_t fate = disk.rng ? rng_below (disk.rng, 3) : 2;
        if (fate == 1 && n > SECTOR)
            n = SECTOR * (size_t)rng_below (disk.rng, n / SECTOR + 1);
        if (fate > 0)
            apply (&file->image, &file->writes[i], n);
    }
}

static void take_image (void)
{
    for (size_t i = 0; i < MAX_FILES; i++)
        if (disk.files[i].there)
            image_file (&disk.files[i]);
    disk.imaged = true;
}

/* An operation begins. Returns the code of its failure, or 0. */
static int begin (void)
{
    disk.count++;
    if (disk.cut_at && --disk.cut_at == 0)
        take_image ();
    return disk.fail_at && disk.count >= disk.fail_at ? disk.code : SQLITE_OK;
}

/* ---- what SQLite calls ---- */

static sqlite3_file *real_of (sqlite3_file *file)
{
    return ((struct handle *)file)->real;
}

static int on_close (sqlite3_file *file)
{
    sqlite3_file *real = real_of (file);
    int rc = real->pMethods ? real->pMethods->xClose (real) : SQLITE_OK;
    sqlite3_free (real);
    return rc;
}

static int on_read (sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    return real_of (file)->pMethods->xRead (real_of (file), bytes, n, at);
}

/* A write that finds no room may leave part of itself. */
static int on_write (sqlite3_file *file, const void *bytes, int n,
                     sqlite3_int64 at)
{
    int rc = begin (), part = rc ? n / 3 : n;
    int real =
        real_of (file)->pMethods->xWrite (real_of (file), bytes, part, at);
    remember (((struct handle *)file)->file, (size_t)at, bytes, (size_t)part);
    return rc ? rc : real;
}

static int on_truncate (sqlite3_file *file, sqlite3_int64 size)
{
    int rc = begin ();
    if (rc)
        return SQLITE_IOERR_TRUNCATE;
    remember (((struct handle *)file)->file, (size_t)size, NULL, 0);
    return real_of (file)->pMethods->xTruncate (real_of (file), size);
}

static int on_sync (sqlite3_file *file, int flags)
{
    if (begin ())
        return SQLITE_IOERR_FSYNC;
    sync_file (((struct handle *)file)->file);
    return SQLITE_OK;
}

static int on_size (sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of (file)->pMethods->xFileSize (real_of (file), ret_size);
}

static int on_lock (sqlite3_file *file, int level)
{
    return real_of (file)->pMethods->xLock (real_of (file), level);
}

static int on_unlock (sqlite3_file *file, int level)
{
    return real_of (file)->pMethods->xUnlock (real_of (file), level);
}

static int on_reserved (sqlite3_file *file, int *ret_reserved)
{
    return real_of (file)->pMethods->xCheckReservedLock (real_of (file),
                                                         ret_reserved);
}

static int on_control (sqlite3_file *file, int what, void *arg)
{
    return SQLITE_NOTFOUND;
}

static int on_sector (sqlite3_file *file)
{
    return SECTOR;
}

/* Nothing is promised: not even that appending does no harm. */
static int on_traits (sqlite3_file *file)
{
    return 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = on_close,
    .xRead = on_read,
    .xWrite = on_write,
    .xTruncate = on_truncate,
    .xSync = on_sync,
    .xFileSize = on_size,
    .xLock = on_lock,
    .xUnlock = on_unlock,
    .xCheckReservedLock = on_reserved,
    .xFileControl = on_control,
    .xSectorSize = on_sector,
    .xDeviceCharacteristics = on_traits,
};

static struct disk_file *file_of (const char *name)
{
    struct disk_file *unused = NULL;
    for (size_t i = 0; i < MAX_FILES; i++) {
        struct disk_file *file = &disk.files[i];
        if (file->there && strcmp (file->name, name) == 0)
            return file;
        if (!file->there && !unused)
            unused = file;
    }
    if (!unused)
        abort ();
    snprintf (unused->name, sizeof unused->name, "%s", name);
    unused->there = true;
    return unused;
}

/* The content of a file that was there before is on disk. */
static void load (struct disk_file *file, sqlite3_file *real)
{
    sqlite3_int64 size = 0;
    if (file->synced.n || file->nwrites
        || real->pMethods->xFileSize (real, &size) != SQLITE_OK || size == 0)
        return;
    resize (&file->synced, (size_t)size);
    (void)real->pMethods->xRead (real, file->synced.bytes, (int)size, 0);
}

static int on_open (sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                    int flags, int *ret_flags)
{
    struct handle *handle = (struct handle *)file;
    int rc;
    handle->base.pMethods = NULL;
    handle->real = sqlite3_malloc (disk.real->szOsFile);
    if (!handle->real)
        return SQLITE_NOMEM;
    rc = disk.real->xOpen (disk.real, name, handle->real, flags, ret_flags);
    if (rc != SQLITE_OK) {
        sqlite3_free (handle->real);
        return rc;
    }
    handle->base.pMethods = &methods;
    handle->file = file_of (name);
    load (handle->file, handle->real);
    return SQLITE_OK;
}

static int on_delete (sqlite3_vfs *vfs, const char *name, int sync)
{
    struct disk_file *file = file_of (name);
    empty_file (file);
    file->there = false;
    return disk.real->xDelete (disk.real, name, sync);
}

void bad_disk_install (void)
{
    disk.real = sqlite3_vfs_find (NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "bad disk";
    disk.vfs.szOsFile = sizeof (struct handle);
    disk.vfs.xOpen = on_open;
    disk.vfs.xDelete = on_delete;
    sqlite3_vfs_register (&disk.vfs, 1);
}

void bad_disk_fail (unsigned long nth, int code)
{
    disk.count = 0;
    disk.fail_at = nth;
    disk.code = code;
}

unsigned long bad_disk_count (void)
{
    return disk.count;
}

void bad_disk_cut_power (unsigned long nth, struct rng *rng)
{
    disk.cut_at = nth;
    disk.imaged = false;
    disk.rng = rng;
}

void bad_disk_image (struct rng *rng)
{
    disk.rng = rng;
    take_image ();
}

bool bad_disk_has_image (void)
{
    return disk.imaged;
}

static void put_image (const struct disk_file *file, const char *path)
{
    FILE *out = fopen (path, "w");
    if (!out
        || fwrite (file->image.bytes, 1, file->image.n, out) != file->image.n
        || fclose (out) != 0)
        abort ();
}

void bad_disk_put_image (const char *old, const char *new)
{
    size_t n = strlen (old);
    for (size_t i = 0; i < MAX_FILES; i++) {
        const struct disk_file *file = &disk.files[i];
        char path[1024];
        if (!file->image.bytes || strncmp (file->image_name, old, n) != 0)
            continue;
        snprintf (path, sizeof path, "%s%s", new, file->image_name + n);
        put_image (file, path);
    }
}

void bad_disk_forget (void)
{
    for (size_t i = 0; i < MAX_FILES; i++) {
        empty_file (&disk.files[i]);
        free (disk.files[i].image.bytes);
        disk.files[i].image = (struct content){0};
        disk.files[i].there = false;
    }
    disk.cut_at = 0;
    bad_disk_fail (0, 0);
}
