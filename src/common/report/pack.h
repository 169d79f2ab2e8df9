/* pack.h - texts within pages: packed by gzip, and as letters that HTML takes
 * as they are. */
#ifndef TORI_REPORT_PACK_H
#define TORI_REPORT_PACK_H

#include <stddef.h>

#include <tori/error.h>

/* A text packed, in base 64; the caller frees it. The same text gives the same
 * letters. */
int pack_text (const char *text, size_t n, char **ret_letters,
               tori_error *err);

/* What gzip has packed, with a 0 after its end; the caller frees it. */
int pack_open (const unsigned char *bytes, size_t n, char **ret_text,
               tori_error *err);

#endif
