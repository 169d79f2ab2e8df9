/* bytes.h - bytes that grow at the end and are read from the front. */
#ifndef TORI_GANGRUN_BYTES_H
#define TORI_GANGRUN_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

/* Zeroed, it is empty. */
struct bytes {
    char *data;
    size_t n;
    size_t room;
};

int bytes_add (struct bytes *bytes, const void *data, size_t n,
               tori_error *err);
/* A text with its terminating zero. */
int bytes_add_text (struct bytes *bytes, const char *text, tori_error *err);
int bytes_add_number (struct bytes *bytes, int64_t value, tori_error *err);
/* Take n bytes from the front. */
void bytes_drop (struct bytes *bytes, size_t n);
void bytes_clear (struct bytes *bytes);

/* Send, or receive, all of it; -1 if the other end is gone, with errno. */
int send_all (int fd, const void *data, size_t n);
int receive_all (int fd, void *data, size_t n);

/* Reads what bytes_add_text and bytes_add_number wrote. */
struct reader {
    const char *at;
    size_t left;
};

/* The next text, or NULL if there is none. */
const char *reader_text (struct reader *reader);
/* 0, or -1 if there is no number. */
int reader_number (struct reader *reader, int64_t *ret_value);

#endif
