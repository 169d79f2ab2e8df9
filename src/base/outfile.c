#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
    FILE *stream; /* NULL once closed */
    int fd;       /* under the stream; -1 once closed */
    bool shared;  /* it is standard output, which stays open */
    int error;    /* errno of the first write that failed */
    char *path;   /* as the caller calls it */
    char *target; /* what is to be replaced; NULL if written to directly */
    char *temp;   /* the temporary file; NULL once renamed */
};

/* A crash leaves a temporary file behind, and its process id may come again:
 * pass over this many of them. */
enum { TEMP_TRIES = 1000 };

static int fail (const struct outfile *out, int error, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%s: %s",
                           out->shared ? "standard output" : out->path,
                           strerror (error));
}

/* A stream remembers that it failed but not why. Hence a stream of our own,
 * which does. */
static ssize_t write_fd (void *cookie, const char *data, size_t size)
{
    struct outfile *out = cookie;
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
    return (ssize_t)done;
}

static int close_fd (void *cookie)
{
    struct outfile *out = cookie;
    int fd = out->fd;
    out->fd = -1;
    if (fd < 0 || out->shared || close (fd) == 0)
        return 0;
    if (!out->error)
        out->error = errno;
    return EOF;
}

static const cookie_io_functions_t stream_ops = {
    .write = write_fd,
    .close = close_fd,
};

/* Create a file beside out->target. Not mkstemp: the file is to get the mode
 * that the umask gives every other new file. */
static int open_temp (struct outfile *out)
{
    char *copy = strdup (out->target);
    int fd = -1;
    if (!copy)
        return -1;
    const char *folder = dirname (copy);
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < TEMP_TRIES; i++) {
        free (out->temp);
        if (asprintf (&out->temp, "%s/.tori-%ld-%d.tmp", folder,
                      (long)getpid (), i) < 0) {
            out->temp = NULL;
            errno = ENOMEM;
            break;
        }
        fd = open (out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (fd < 0) {
        int saved = errno;
        free (out->temp);
        out->temp = NULL;
        errno = saved;
    }
    free (copy);
    return fd;
}

/* Whether the path leads to something other than a regular file, and the
 * mode of a regular file that will be replaced (0 if there is none). */
static int look (const char *path, bool *ret_special, mode_t *ret_mode)
{
    struct stat st;
    *ret_special = false;
    *ret_mode = 0;
    if (!*path) {
        errno = ENOENT;
        return -1;
    }
    if (stat (path, &st) == 0) {
        *ret_special = !S_ISREG (st.st_mode);
        *ret_mode = st.st_mode & 0777;
        return 0;
    }
    return errno == ENOENT ? 0 : -1;
}

/* The file to replace: where a symbolic link leads, else the path itself. */
static char *resolve (const char *path)
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
    if (look (out->path, &special, &mode) < 0)
        return -1;
    if (special)
        return open (out->path, O_WRONLY | O_CLOEXEC);
    if (mode && access (out->path, W_OK) < 0)
        return -1;
    if (!(out->target = resolve (out->path)))
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
        fail (out, errno, err);
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
    return out->error ? fail (out, out->error, err) : 0;
}

static void close_stream (struct outfile *out)
{
    if (out->stream)
        (void)fclose (out->stream);
    out->stream = NULL;
    (void)close_fd (out);
}

int outfile_commit (struct outfile *out, tori_error *err)
{
    (void)fflush (out->stream);
    if (!out->error && out->temp && fsync (out->fd) < 0)
        out->error = errno;
    close_stream (out);
    if (outfile_check (out, err) < 0)
        return -1;
    if (out->temp) {
        if (rename (out->temp, out->target) < 0)
            return fail (out, errno, err);
        free (out->temp);
        out->temp = NULL;
    }
    return 0;
}

void outfile_destroy (struct outfile *out)
{
    if (!out)
        return;
    close_stream (out);
    if (out->temp)
        (void)unlink (out->temp);
    free (out->temp);
    free (out->target);
    free (out->path);
    free (out);
}
