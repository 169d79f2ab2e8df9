/* fuzz.h - what the fuzz targets share. */
#ifndef TORI_FUZZ_H
#define TORI_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#endif
