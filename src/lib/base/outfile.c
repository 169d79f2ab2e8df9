#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "syserror.h"

enum { PACK_SIZE = 64 * 1024 };

struct packer {
    z_stream z;
    gz_header header;
    unsigned char packed[PACK_SIZE];
};

struct outfile {
    FILE *stream; /* NULL once closed */
    int fd;       /* under the stream; -1 once closed */
    bool shared;  /* it is standard output, which stays open */
    int error;    /* errno of the first write that failed */
    struct packer *packer; /* NULL for a plain file */
    char *path;   /* as the caller calls it */
    char *target; /* what is to be replaced; NULL if written to directly */
    char *temp;   /* the temporary file; NULL if it has no name (any more) */
};

/* A crash may leave a temporary file behind, and its process id may come
 * again: pass over this many of them. */
enum { TEMP_TRIES = 1000 };

/* An open file by its descriptor. */
enum { SELF_TEXT = 32 };

static void self_path (char text[SELF_TEXT], int fd)
{
    snprintf (text, SELF_TEXT, "/proc/self/fd/%d", fd);
}

static int fail_file (const struct outfile *out, int error, tori_error *err)
{
    return system_error (out->shared ? "standard output" : out->path, error,
                         err);
}

/* Returns how much was written, less than all on failure. */
static size_t write_all (struct outfile *out, const void *bytes, size_t size)
{
    const char *data = bytes;
    size_t done = 0;
    while (done < size) {
        ssize_t n = write (out->fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            if (!out->error)
                out->error = errno;
            break;
        }
        done += (size_t)n;
    }
    return done;
}

/* ---- packing ---- */

static int start_packing (struct outfile *out, tori_error *err)
{
    struct packer *packer = calloc (1, sizeof *packer);
    if (!packer
        || deflateInit2 (&packer->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                         15 + 16, 8, Z_DEFAULT_STRATEGY)
               != Z_OK) {
        free (packer);
        return tori_error_nomem (err);
    }
    packer->header.os = 255; /* "unknown" */
    (void)deflateSetHeader (&packer->z, &packer->header);
    out->packer = packer;
    return 0;
}

/* Pack what is at z.next_in, with `flush` Z_FINISH all that is left. */
static void pack_text (struct outfile *out, int flush)
{
    struct packer *packer = out->packer;
    z_stream *z = &packer->z;
    do {
        z->next_out = packer->packed;
        z->avail_out = PACK_SIZE;
        (void)deflate (z, flush);
        (void)write_all (out, packer->packed, PACK_SIZE - z->avail_out);
    } while (z->avail_out == 0 && !out->error);
}

static void stop_packing (struct outfile *out)
{
    if (out->packer)
        (void)deflateEnd (&out->packer->z);
    free (out->packer);
    out->packer = NULL;
}

/* ---- the stream ---- */

/* A stream remembers that it failed but not why. Hence a stream of our own,
 * which does. */
static ssize_t write_stream (void *cookie, const char *data, size_t size)
{
    struct outfile *out = cookie;
    if (!out->packer)
        return (ssize_t)write_all (out, data, size);
    out->packer->z.next_in = (const unsigned char *)data;
    out->packer->z.avail_in = (unsigned)size;
    pack_text (out, Z_NO_FLUSH);
    return out->error ? 0 : (ssize_t)size;
}

/* A file that replaces another is on the disk before it is closed. */
static int close_fd (void *cookie)
{
    struct outfile *out = cookie;
    int fd = out->fd;
    out->fd = -1;
    if (fd < 0 || out->shared || close (fd) == 0 || out->target)
        return 0;
    if (!out->error)
        out->error = errno;
    return EOF;
}

static const cookie_io_functions_t stream_ops = {
    .write = write_stream,
    .close = close_fd,
};

/* ---- files to be ---- */

/* One without a name, in a folder; -1 where there are none, or where it could
 * not be given one later. */
static int open_unnamed (const char *folder)
{
    int fd = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    char self[SELF_TEXT];
    if (fd < 0)
        return -1;
    self_path (self, fd);
    if (access (self, F_OK) == 0)
        return fd;
    close (fd);
    return -1;
}

/* Not mkstemp: the file is to get the mode that the umask gives every other
 * new file. */
static int open_named (const struct outfile *out)
{
    return open (out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int give_name (const struct outfile *out, const char *name)
{
    char self[SELF_TEXT];
    self_path (self, out->fd);
    return linkat (AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int name_temp (const struct outfile *out)
{
    return give_name (out, out->temp);
}

/* Make a temporary file of a name that is free, in a folder. Returns what
 * `make` does; on failure there is none. */
static int make_temp (struct outfile *out, const char *folder,
                      int (*make) (const struct outfile *out))
{
    int made = -1, saved;
    errno = EEXIST;
    for (int i = 0; made < 0 && errno == EEXIST && i < TEMP_TRIES; i++) {
        free (out->temp);
        if (asprintf (&out->temp, "%s/.tori-%ld-%d.tmp", folder,
                      (long)getpid (), i) < 0) {
            out->temp = NULL;
            errno = ENOMEM;
            break;
        }
        made = make (out);
    }
    if (made < 0) {
        saved = errno;
        free (out->temp);
        out->temp = NULL;
        errno = saved;
    }
    return made;
}

/* A file beside out->target. */
static int open_temp (struct outfile *out)
{
    char *copy = strdup (out->target);
    const char *folder;
    int fd;
    if (!copy)
        return -1;
    folder = dirname (copy);
    fd = open_unnamed (folder);
    if (fd < 0)
        fd = make_temp (out, folder, open_named);
    free (copy);
    return fd;
}

/* Whether the path leads to something other than a regular file, and the
 * mode of a regular file that will be replaced (0 if there is none). */
static int look_at_path (const char *path, bool *ret_special, mode_t *ret_mode)
{
    struct stat st;
    *ret_special = false;
    *ret_mode = 0;
    if (!*path) {
        errno = ENOENT;
        return -1;
    }
    if (stat (path, &st) < 0)
        return errno == ENOENT ? 0 : -1;
    if (S_ISDIR (st.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    *ret_special = !S_ISREG (st.st_mode);
    *ret_mode = st.st_mode & 0777;
    return 0;
}

/* The file to replace: where a symbolic link leads, else the path itself. */
static char *resolve_path (const char *path)
{
    struct stat st;
    if (lstat (path, &st) == 0 && S_ISLNK (st.st_mode))
        return realpath (path, NULL);
    return strdup (path);
}

static int open_output (struct outfile *out)
{
    bool special;
    mode_t mode;
    int fd;
    out->shared = strcmp (out->path, "-") == 0;
    if (out->shared)
        return fflush (stdout) == 0 ? STDOUT_FILENO : -1;
    if (look_at_path (out->path, &special, &mode) < 0)
        return -1;
    if (special)
        return open (out->path, O_WRONLY | O_CLOEXEC);
    if (mode && access (out->path, W_OK) < 0)
        return -1;
    if (!(out->target = resolve_path (out->path)))
        return -1;
    fd = open_temp (out);
    if (fd >= 0 && mode)
        (void)fchmod (fd, mode);
    return fd;
}

int outfile_create (const char *path, struct outfile **ret_out,
                    tori_error *err)
{
    struct outfile *out = calloc (1, sizeof *out);
    if (!out || !(out->path = strdup (path))) {
        free (out);
        return tori_error_nomem (err);
    }
    out->fd = open_output (out);
    if (out->fd >= 0)
        out->stream = fopencookie (out, "w", stream_ops);
    if (!out->stream) {
        fail_file (out, errno, err);
        outfile_destroy (out);
        return -1;
    }
    *ret_out = out;
    return 0;
}

/* Opening a pipe would wake its reader, so a pipe is only looked at. */
int outfile_probe (const char *path, tori_error *err)
{
    struct outfile *out;
    bool special;
    mode_t mode;
    if (!strcmp (path, "-"))
        return 0;
    if (look_at_path (path, &special, &mode) < 0
        || (special && access (path, W_OK) < 0))
        return system_error (path, errno, err);
    if (special)
        return 0;
    if (outfile_create (path, &out, err) < 0)
        return -1;
    outfile_destroy (out);
    return 0;
}

static bool ends_in_gz (const char *path)
{
    size_t size = strlen (path);
    return size > 3 && strcmp (path + size - 3, ".gz") == 0;
}

int outfile_create_packed (const char *path, struct outfile **ret_out,
                           tori_error *err)
{
    struct outfile *out;
    if (outfile_create (path, &out, err) < 0)
        return -1;
    if (ends_in_gz (path) && start_packing (out, err) < 0) {
        outfile_destroy (out);
        return -1;
    }
    *ret_out = out;
    return 0;
}

FILE *outfile_stream (struct outfile *out)
{
    return out->stream;
}

int outfile_check (struct outfile *out, tori_error *err)
{
    return out->error ? fail_file (out, out->error, err) : 0;
}

int outfile_clear (const struct outfile *out, tori_error *err)
{
    if (!out->target || unlink (out->target) == 0 || errno == ENOENT)
        return 0;
    return fail_file (out, errno, err);
}

static void close_stream (struct outfile *out)
{
    if (out->stream)
        (void)fclose (out->stream);
    out->stream = NULL;
    (void)close_fd (out);
}

/* ---- the end ---- */

static int rename_temp (struct outfile *out)
{
    if (rename (out->temp, out->target) < 0)
        return -1;
    free (out->temp);
    out->temp = NULL;
    return 0;
}

/* No call replaces a file by one without a name: it is given one first. For
 * that moment no signal is let in, which would leave it there. */
static int replace_file (struct outfile *out)
{
    char *copy = strdup (out->target);
    sigset_t all, before;
    int status = -1;
    if (!copy)
        return -1;
    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &before);
    if (make_temp (out, dirname (copy), name_temp) == 0)
        status = rename_temp (out);
    if (status < 0 && out->temp)
        (void)unlink (out->temp);
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    free (copy);
    return status;
}

static int publish_file (struct outfile *out)
{
    if (out->temp)
        return rename_temp (out);
    if (give_name (out, out->target) == 0)
        return 0;
    return errno == EEXIST ? replace_file (out) : -1;
}

int outfile_commit (struct outfile *out, tori_error *err)
{
    (void)fflush (out->stream);
    if (!out->error && out->packer)
        pack_text (out, Z_FINISH);
    if (!out->error && out->target
        && (fsync (out->fd) < 0 || publish_file (out) < 0))
        out->error = errno;
    close_stream (out);
    return outfile_check (out, err);
}

void outfile_destroy (struct outfile *out)
{
    if (!out)
        return;
    close_stream (out);
    stop_packing (out);
    if (out->temp)
        (void)unlink (out->temp);
    free (out->temp);
    free (out->target);
    free (out->path);
    free (out);
}

int outfile_end (struct outfile *out, int status, tori_error *err)
{
    if (status == 0)
        status = outfile_commit (out, err);
    outfile_destroy (out);
    return status;
}

/* ---- a signal ---- */

/* The digits of a number that is not negative; returns their end. The handler
 * of a signal may not call snprintf. */
static char *put_number (char *to, long n)
{
    if (n >= 10)
        to = put_number (to, n / 10);
    *to = (char)('0' + n % 10);
    return to + 1;
}

/* Open files are links in /proc/self/fd. */
void outfile_remove_all (void)
{
    enum { MOST_FILES = 1024 };
    char self[SELF_TEXT] = "/proc/self/fd/", own[SELF_TEXT] = ".tori-";
    char path[4096], *end = put_number (own + strlen (own), (long)getpid ());
    size_t digits = strlen (self);
    int saved = errno;
    *end++ = '-';
    for (int fd = 0; fd < MOST_FILES; fd++) {
        const char *name;
        ssize_t n;
        *put_number (self + digits, fd) = '\0';
        n = readlink (self, path, sizeof path - 1);
        path[n < 0 ? 0 : n] = '\0';
        name = strrchr (path, '/');
        if (name && !strncmp (name + 1, own, (size_t)(end - own)))
            (void)unlink (path);
    }
    errno = saved;
}
