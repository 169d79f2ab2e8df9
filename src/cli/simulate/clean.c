#include "clean.h"

/* Those of ASCII, and those of the second half of Latin 1 in UTF-8. */
void text_clean (char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < ' ' || *c == 0x7f)
            *c = '?';
        else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
}
