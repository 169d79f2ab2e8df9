/* offers.h - the shapes that a site lists, as its configuration has them. */
#ifndef TORI_ALLOC_OFFERS_H
#define TORI_ALLOC_OFFERS_H

#include <tori/alloc.h>

struct offers {
    tori_shape *shape; /* as they are listed */
    size_t n, room;
};

/* Read "1x1x1,2x2x1"; NULL is an empty list. On failure the shapes read so far
 * are kept, for offers_clear. */
int offers_read (struct offers *offers, const char *text, tori_error *err);
void offers_clear (struct offers *offers);

#endif
