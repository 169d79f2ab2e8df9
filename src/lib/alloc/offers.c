#include "offers.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static int read_offer (struct offers *offers, const char *text,
                       tori_error *err)
{
    tori_shape shape, *grown;
    if (tori_shape_parse (text, &shape, err) < 0)
        return -1;
    grown = array_room (offers->shape, &offers->room, offers->n + 1,
                        sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    offers->shape = grown;
    grown[offers->n++] = shape;
    return 0;
}

int offers_read (struct offers *offers, const char *text, tori_error *err)
{
    while (text) {
        char one[TORI_TEXT_MAX];
        size_t n = strcspn (text, ",");
        if (n >= sizeof one)
            return tori_error_set (err, TORI_INVALID,
                                   "slices: '%.60s' is not a shape", text);
        memcpy (one, text, n);
        one[n] = '\0';
        if (read_offer (offers, one, err) < 0)
            return -1;
        text = text[n] ? text + n + 1 : NULL;
    }
    return 0;
}

void offers_clear (struct offers *offers)
{
    free (offers->shape);
    *offers = (struct offers){0};
}
