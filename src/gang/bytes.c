#include "bytes.h"

#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"
#include "number.h"

int bytes_add (struct bytes *bytes, const void *data, size_t n,
               tori_error *err)
{
    char *more;
    if (n == 0)
        return 0;
    more = array_room (bytes->data, &bytes->room, bytes->n + n, 1);
    if (!more)
        return tori_error_nomem (err);
    bytes->data = more;
    memcpy (more + bytes->n, data, n);
    bytes->n += n;
    return 0;
}

int bytes_add_text (struct bytes *bytes, const char *text, tori_error *err)
{
    return bytes_add (bytes, text, strlen (text) + 1, err);
}

int bytes_add_number (struct bytes *bytes, int64_t value, tori_error *err)
{
    char text[24];
    snprintf (text, sizeof text, "%lld", (long long)value);
    return bytes_add_text (bytes, text, err);
}

void bytes_drop (struct bytes *bytes, size_t n)
{
    bytes->n -= n;
    memmove (bytes->data, bytes->data + n, bytes->n);
}

void bytes_clear (struct bytes *bytes)
{
    free (bytes->data);
    *bytes = (struct bytes){0};
}

const char *reader_text (struct reader *reader)
{
    const char *text = reader->at;
    const char *end = reader->left ? memchr (text, 0, reader->left) : NULL;
    if (!end)
        return NULL;
    reader->left -= (size_t)(end + 1 - text);
    reader->at = end + 1;
    return text;
}

int reader_number (struct reader *reader, int64_t *ret_value)
{
    const char *text = reader_text (reader);
    return text ? number_parse (text, "number", INT64_MIN, INT64_MAX,
                                ret_value, NULL)
                : -1;
}

int send_all (int fd, const void *data, size_t n)
{
    const char *at = data;
    while (n > 0) {
        ssize_t done = send (fd, at, n, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR)
            return -1;
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int receive_all (int fd, void *data, size_t n)
{
    char *at = data;
    while (n > 0) {
        ssize_t done = read (fd, at, n);
        if (done == 0 || (done < 0 && errno != EINTR))
            return -1;
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}
