/* source.h - bytes from a file or from memory, decompressed if they are gzip
 * data.
 *
 * Data that begin with the two magic bytes of gzip are decompressed, whatever
 * the name. Several members in a row are one text, as in gzip itself; zeros
 * after the last one are padding. */
#ifndef TORI_WORKLOAD_SOURCE_H
#define TORI_WORKLOAD_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

#include <tori/error.h>

#include "sha256.h"

struct source;

/* Open a file, "-" for standard input. TORI_FAILED with "PATH: reason". */
int source_open (const char *path, struct source **ret_source,
                 tori_error *err);

/* Read from memory, which must outlive the source. */
int source_open_memory (const void *data, size_t size, const char *name,
                        struct source **ret_source, tori_error *err);
void source_close (struct source *source);

/* The name of the source in messages. */
const char *source_name (const struct source *source);

/* Read up to `size` bytes, at least one; 0 at the end. -1 with TORI_FAILED
 * when reading fails, TORI_INVALID when gzip data are truncated or
 * damaged. */
ssize_t source_read (struct source *source, void *buffer, size_t size,
                     tori_error *err);

/* Read what is left, and give the checksum of all bytes of the file or the
 * memory as they are there: of a compressed file in its compressed form. Nothing
 * can be read afterwards. Fails as source_read does. */
int source_digest (struct source *source, char text[SHA256_TEXT],
                   tori_error *err);

#endif
