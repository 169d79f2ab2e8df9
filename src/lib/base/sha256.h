/* sha256.h - checksums of files, as sha256sum prints them (FIPS 180-4).
 *
 * No library is loaded for this: a command that reads no log starts as before.
 */
#ifndef TORI_BASE_SHA256_H
#define TORI_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_TEXT = 65 };

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    uint8_t block[SHA256_BLOCK]; /* the last ones, which fill no block yet */
};

void sha256_begin (struct sha256 *hash);
void sha256_add (struct sha256 *hash, const void *data, size_t size);

/* The checksum of all that was added, in 64 hexadecimal digits. */
void sha256_end (struct sha256 *hash, char text[SHA256_TEXT]);

#endif
