#include "utf8.h"

/* The second byte tells whether a character could be shorter, is half of a
 * pair, or lies beyond the last. */
size_t utf8_length (const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char least = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
    size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4
        || (n > 1 && (p[1] < least || p[1] > most)))
        return 0;
    for (size_t i = 2; i < n; i++)
        if (p[i] >> 6 != 2)
            return 0;
    return n;
}

bool utf8_whole (const char *text)
{
    size_t n = 1;
    while (*text && n > 0) {
        n = utf8_length (text);
        text += n;
    }
    return n > 0;
}

void utf8_mend (char *text)
{
    while (*text) {
        size_t n = utf8_length (text);
        if (n == 0)
            *text = '?';
        text += n ? n : 1;
    }
}
