/* journal_texts.c - what holds for the text of every row of a journal: how long
 * it may be, and its checksum. */
#include <string.h>
#include <zlib.h>

#include "journal_parts.h"

int journal_check_length (size_t n, tori_error *err)
{
    if (n <= JOURNAL_TEXT_MOST)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "a text of %zu bytes is too long for the journal,"
                           " which takes up to %d",
                           n, (int)JOURNAL_TEXT_MOST);
}

static uLong sum_number (uLong sum, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return crc32 (sum, bytes, sizeof bytes);
}

int64_t journal_sum_more (int64_t sum, const char *text, size_t n)
{
    return n > 0 ? (int64_t)crc32_z ((uLong)sum, (const Bytef *)text, n) : sum;
}

int64_t journal_sum (uint64_t number, int64_t value, const char *user,
                     const char *text, size_t n)
{
    uLong sum = sum_number (sum_number (0, number), (uint64_t)value);
    sum = crc32_z (sum, (const Bytef *)user, strlen (user) + 1);
    return journal_sum_more ((int64_t)sum, text, n);
}
