#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

/* Packed or plain, this much is read at a time. */
enum { INPUT_SIZE = 128 * 1024 };

struct source {
    char *name;
    int fd;                  /* -1 for memory */
    bool shared;             /* it is standard input, which stays open */
    unsigned char *buffer;   /* of a file */
    const unsigned char *in; /* bytes not yet used */
    size_t avail;
    bool ended;              /* nothing comes after them */
    bool begun;              /* something was read */
    bool packed;
    bool in_member;          /* a gzip member has begun and not ended */
    bool inflating;          /* `z` is to be released */
    struct sha256 hash;      /* of the bytes that came into the buffer */
    z_stream z;
};

static int report_failure (const struct source *source, const char *why,
                           tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%s: %s",
                           source->shared ? "standard input" : source->name,
                           why);
}

/* The data of the file are damaged. */
static int bad_data (const struct source *source, const char *why,
                     tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "%s: %s", source->name, why);
}

static int no_memory (const struct source *source, tori_error *err)
{
    return report_failure (source, "out of memory", err);
}

/* Have at least `want` unused bytes, if there are so many: 1 or 2 of them for
 * the magic bytes, which a pipe may deliver one by one. */
static int fill_buffer (struct source *source, size_t want, tori_error *err)
{
    if (source->avail >= want || source->ended)
        return 0;
    if (source->avail > 0)
        memmove (source->buffer, source->in, source->avail);
    source->in = source->buffer;
    while (source->avail < want) {
        ssize_t n = read (source->fd, source->buffer + source->avail,
                          INPUT_SIZE - source->avail);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_failure (source, strerror (errno), err);
        if (n == 0) {
            source->ended = true;
            return 0;
        }
        sha256_add (&source->hash, source->buffer + source->avail, (size_t)n);
        source->avail += (size_t)n;
    }
    return 0;
}

static bool at_magic (const struct source *source)
{
    return source->avail >= 2 && source->in[0] == 0x1f
           && source->in[1] == 0x8b;
}

static void use_bytes (struct source *source, size_t n)
{
    source->in += n;
    source->avail -= n;
}

/* gzip always writes a header, so a compressed file without a byte is the
 * rest of a program that failed. */
static bool is_lost (const struct source *source)
{
    size_t length = strlen (source->name);
    return source->avail == 0 && length > 3
           && strcmp (source->name + length - 3, ".gz") == 0;
}

static int look_at_start (struct source *source, tori_error *err)
{
    if (fill_buffer (source, 2, err) < 0)
        return -1;
    if (is_lost (source))
        return bad_data (source, "expected gzip data, found an empty file",
                         err);
    if (!at_magic (source))
        return 0;
    if (inflateInit2 (&source->z, 15 + 16) != Z_OK)
        return no_memory (source, err);
    source->packed = source->inflating = source->in_member = true;
    return 0;
}

static struct source *source_new (const char *name)
{
    struct source *source = calloc (1, sizeof *source);
    if (!source || !(source->name = strdup (name))) {
        free (source);
        return NULL;
    }
    source->fd = -1;
    sha256_begin (&source->hash);
    return source;
}

int source_open (const char *path, struct source **ret_source,
                 tori_error *err)
{
    struct source *source = source_new (path);
    if (!source)
        return tori_error_nomem (err);
    source->shared = strcmp (path, "-") == 0;
    source->fd = source->shared ? STDIN_FILENO
                                : open (path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) {
        report_failure (source, strerror (errno), err);
        goto error;
    }
    if (!(source->buffer = malloc (INPUT_SIZE))) {
        no_memory (source, err);
        goto error;
    }
    if (look_at_start (source, err) < 0)
        goto error;
    *ret_source = source;
    return 0;
error:
    source_close (source);
    return -1;
}

int source_open_memory (const void *data, size_t size, const char *name,
                        struct source **ret_source, tori_error *err)
{
    struct source *source = source_new (name);
    if (!source)
        return tori_error_nomem (err);
    source->in = data;
    source->avail = size;
    source->ended = true;
    sha256_add (&source->hash, data, size);
    if (look_at_start (source, err) < 0) {
        source_close (source);
        return -1;
    }
    *ret_source = source;
    return 0;
}

void source_close (struct source *source)
{
    if (!source)
        return;
    if (source->inflating)
        (void)inflateEnd (&source->z);
    if (source->fd >= 0 && !source->shared)
        (void)close (source->fd);
    free (source->buffer);
    free (source->name);
    free (source);
}

const char *source_name (const struct source *source)
{
    return source->name;
}

/* Between two members: begin the next one. 0 at the end of the data. */
static int next_member (struct source *source, tori_error *err)
{
    for (;;) {
        if (fill_buffer (source, 2, err) < 0)
            return -1;
        if (at_magic (source)) {
            (void)inflateReset (&source->z);
            source->in_member = true;
            return 1;
        }
        if (source->avail == 0)
            return 0;
        if (source->in[0] != 0)
            return bad_data (source, "damaged gzip data: garbage at the end",
                         err);
        use_bytes (source, 1);
    }
}

/* zlib counts in unsigned int. */
static unsigned clip_size (size_t n)
{
    return n > 1U << 30 ? 1U << 30 : (unsigned)n;
}

/* One step of unpacking; returns the number of bytes, which may be 0. */
static ssize_t unpack_step (struct source *source, void *buffer, size_t size,
                            tori_error *err)
{
    z_stream *z = &source->z;
    unsigned in = clip_size (source->avail), out = clip_size (size);
    z->next_in = source->in;
    z->avail_in = in;
    z->next_out = buffer;
    z->avail_out = out;
    int status = inflate (z, Z_NO_FLUSH);
    use_bytes (source, in - z->avail_in);
    if (status == Z_MEM_ERROR)
        return no_memory (source, err);
    if (status == Z_STREAM_END)
        source->in_member = false;
    else if (status != Z_OK && status != Z_BUF_ERROR)
        return bad_data (source, "damaged gzip data", err);
    return out - z->avail_out;
}

static ssize_t read_packed (struct source *source, void *buffer, size_t size,
                            tori_error *err)
{
    ssize_t n;
    do {
        if (!source->in_member) {
            int more = next_member (source, err);
            if (more <= 0)
                return more;
        }
        if (fill_buffer (source, 1, err) < 0)
            return -1;
        bool starved = source->avail == 0;
        n = unpack_step (source, buffer, size, err);
        if (n == 0 && starved && source->in_member)
            return bad_data (source, "truncated gzip data", err);
    } while (n == 0);
    return n;
}

static ssize_t read_plain (struct source *source, void *buffer, size_t size,
                           tori_error *err)
{
    if (fill_buffer (source, 1, err) < 0)
        return -1;
    if (size > source->avail)
        size = source->avail;
    if (size > 0)
        memcpy (buffer, source->in, size);
    use_bytes (source, size);
    return (ssize_t)size;
}

static ssize_t read_some (struct source *source, void *buffer, size_t size,
                          tori_error *err)
{
    return source->packed ? read_packed (source, buffer, size, err)
                          : read_plain (source, buffer, size, err);
}

/* Some editors mark a text as UTF-8 by three bytes in front of it. */
static ssize_t read_first (struct source *source, char *buffer, size_t size,
                           tori_error *err)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    size_t n = 0;
    ssize_t got = 1;
    while (got > 0 && n < sizeof mark && n < size) {
        got = read_some (source, buffer + n, size - n, err);
        n += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        return -1;
    source->begun = true;
    if (n < sizeof mark || memcmp (buffer, mark, sizeof mark) != 0)
        return (ssize_t)n;
    if (n == sizeof mark)
        return read_some (source, buffer, size, err);
    memmove (buffer, buffer + sizeof mark, n - sizeof mark);
    return (ssize_t)(n - sizeof mark);
}

ssize_t source_read (struct source *source, void *buffer, size_t size,
                     tori_error *err)
{
    return source->begun ? read_some (source, buffer, size, err)
                         : read_first (source, buffer, size, err);
}

int source_digest (struct source *source, char text[SHA256_TEXT],
                   tori_error *err)
{
    while (!source->ended) {
        source->avail = 0;
        if (fill_buffer (source, 1, err) < 0)
            return -1;
    }
    source->avail = 0;
    sha256_end (&source->hash, text);
    return 0;
}
