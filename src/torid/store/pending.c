#include "pending.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* The memory that one large batch took is not kept for years. */
enum { KEPT_BYTES = 1 << 20, KEPT_ROWS = 1 << 14 };

static int make_room (struct pending *pending, size_t bytes, tori_error *err)
{
    struct pending_row *rows = array_room (pending->rows, &pending->room,
                                           pending->n + 1, sizeof *rows);
    char *more;
    if (!rows)
        return tori_error_nomem (err);
    pending->rows = rows;
    more = array_room (pending->bytes, &pending->bytes_room,
                       pending->used + bytes, 1);
    if (!more)
        return tori_error_nomem (err);
    pending->bytes = more;
    return 0;
}

static size_t append_bytes (struct pending *pending, const char *bytes,
                            size_t n)
{
    size_t at = pending->used;
    if (n > 0)
        memcpy (pending->bytes + at, bytes, n);
    pending->used += n;
    return at;
}

int pending_add (struct pending *pending, uint64_t number, int64_t value,
                 const char *user, const char *text, size_t n, tori_error *err)
{
    size_t length = strlen (user) + 1;
    struct pending_row *row;
    if (make_room (pending, length + n, err) < 0)
        return -1;
    row = &pending->rows[pending->n++];
    row->number = number;
    row->value = value;
    row->user = append_bytes (pending, user, length);
    row->text = append_bytes (pending, text, n);
    row->n = n;
    return 0;
}

void pending_clear (struct pending *pending)
{
    if (pending->bytes_room > KEPT_BYTES || pending->room > KEPT_ROWS)
        pending_destroy (pending);
    pending->n = 0;
    pending->used = 0;
}

void pending_destroy (struct pending *pending)
{
    free (pending->rows);
    free (pending->bytes);
    *pending = (struct pending){0};
}
