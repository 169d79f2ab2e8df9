/* utf8.h - texts from elsewhere, which may have another encoding or a
 * character that was cut. */
#ifndef TORI_BASE_UTF8_H
#define TORI_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes make the character that a text begins with; 0 if it is not
 * UTF-8. */
size_t utf8_length (const char *text);

/* Whether all of a text is UTF-8. */
bool utf8_whole (const char *text);

/* Bytes that are not UTF-8 become question marks. */
void utf8_mend (char *text);

#endif
