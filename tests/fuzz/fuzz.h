/* fuzz.h - what the fuzz targets share. */
#ifndef TORI_FUZZ_H
#define TORI_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tori/error.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* A property that every input must keep. */
#define MUST(condition)                                                       \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
            abort ();                                                         \
        }                                                                     \
    } while (0)

/* The input as a string of its own, so that a sanitizer sees every step
 * beyond its end. The caller frees it. */
static inline char *fuzz_text (const uint8_t *data, size_t size)
{
    char *text = malloc (size + 1);
    MUST (text);
    if (size > 0)
        memcpy (text, data, size);
    text[size] = '\0';
    return text;
}

/* The input as a file, in memory, for what reads files. */
struct fuzz_file {
    int fd;
    char path[32];
};

static inline struct fuzz_file fuzz_file (const uint8_t *data, size_t size)
{
    struct fuzz_file file = {.fd = memfd_create ("input", 0)};
    MUST (file.fd >= 0);
    MUST (size == 0 || write (file.fd, data, size) == (ssize_t)size);
    snprintf (file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void fuzz_file_close (struct fuzz_file *file)
{
    close (file->fd);
}

/* A file is refused by its name, in one line that says why. */
static inline void fuzz_refused (const struct fuzz_file *file,
                                 const tori_error *err)
{
    MUST (err->status == TORI_INVALID || err->status == TORI_NEVER);
    MUST (strncmp (err->text, file->path, strlen (file->path)) == 0);
    MUST (!strpbrk (err->text, "\n\r"));
}

#endif
