/* pending.h - rows that wait in memory for the next commit, in order. */
#ifndef TORI_STORE_PENDING_H
#define TORI_STORE_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

struct pending_row {
    uint64_t number; /* of the record, or of the job */
    int64_t value;   /* the kind of the record, or the end of the job */
    size_t user;     /* where it begins in `bytes`, with its zero */
    size_t text;
    size_t n;
};

struct pending {
    struct pending_row *rows;
    size_t n;
    size_t room;
    char *bytes;
    size_t used;
    size_t bytes_room;
};

/* Copy a row; without memory nothing is changed. */
int pending_add (struct pending *pending, uint64_t number, int64_t value,
                 const char *user, const char *text, size_t n,
                 tori_error *err);

/* They are on disk. */
void pending_clear (struct pending *pending);

void pending_destroy (struct pending *pending);

#endif
