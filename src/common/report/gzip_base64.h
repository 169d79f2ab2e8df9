/* gzip_base64.h - texts within pages: compressed by gzip, and encoded in base
 * 64, which HTML takes unchanged. */
#ifndef TORI_REPORT_GZIP_BASE64_H
#define TORI_REPORT_GZIP_BASE64_H

#include <stddef.h>

#include <tori/error.h>

/* Compress and encode a text; the caller frees it. The same text gives the
 * same letters. */
int gzip_base64_encode (const char *text, size_t n, char **ret_letters,
                        tori_error *err);

/* Decompress gzip's bytes, with a 0 after their end; the caller frees it. */
int gzip_unpack (const unsigned char *bytes, size_t n, char **ret_text,
                 tori_error *err);

#endif
