#include "gzip_base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP = 15 + 16 }; /* the largest window, in the form of gzip */

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes are four letters. */
static char *to_letters (const unsigned char *bytes, size_t n)
{
    char *text = malloc (4 * ((n + 2) / 3) + 1), *to = text;
    for (size_t i = 0; text && i < n; i += 3) {
        uint32_t b = i + 1 < n ? bytes[i + 1] : 0;
        uint32_t c = i + 2 < n ? bytes[i + 2] : 0;
        uint32_t three = (uint32_t)bytes[i] << 16 | b << 8 | c;
        *to++ = letters[three >> 18];
        *to++ = letters[three >> 12 & 63];
        *to++ = i + 1 < n ? letters[three >> 6 & 63] : '=';
        *to++ = i + 2 < n ? letters[three & 63] : '=';
    }
    if (text)
        *to = '\0';
    return text;
}

int gzip_base64_encode (const char *text, size_t n, char **ret_letters,
                        tori_error *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)n};
    unsigned char *packed;
    size_t room;
    if (deflateInit2 (&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, 9,
                      Z_DEFAULT_STRATEGY)
        != Z_OK)
        return tori_error_nomem (err);
    room = deflateBound (&z, n);
    packed = malloc (room);
    z.next_out = packed;
    z.avail_out = (uInt)room;
    *ret_letters = packed && deflate (&z, Z_FINISH) == Z_STREAM_END
                       ? to_letters (packed, room - z.avail_out)
                       : NULL;
    deflateEnd (&z);
    free (packed);
    return *ret_letters ? 0 : tori_error_nomem (err);
}

/* gzip writes the original length at the end. */
static size_t length_of (const unsigned char *bytes, size_t n)
{
    const unsigned char *at = bytes + n - 4;
    return n < 18 ? 0
                  : (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16
                        | (size_t)at[3] << 24;
}

int gzip_unpack (const unsigned char *bytes, size_t n, char **ret_text,
                 tori_error *err)
{
    size_t length = length_of (bytes, n);
    char *text = malloc (length + 1);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes,
                  .avail_in = (uInt)n,
                  .next_out = (Bytef *)text,
                  .avail_out = (uInt)length};
    int status = -1;
    if (text && inflateInit2 (&z, GZIP) == Z_OK) {
        status = inflate (&z, Z_FINISH) == Z_STREAM_END ? 0 : -1;
        inflateEnd (&z);
    }
    if (status < 0) {
        free (text);
        return tori_error_nomem (err);
    }
    text[length] = '\0';
    *ret_text = text;
    return 0;
}
