#include "pictures.h"

#include "terminal.h"

bool pictures_take_stdout (const struct pictures *pictures)
{
    return is_stdout (pictures->svg);
}

int pictures_check (const struct pictures *pictures, bool json,
                    tori_error *err)
{
    if (json && pictures->gantt)
        return tori_error_set (err, TORI_INVALID,
                               "--gantt and --json exclude each other");
    if (json && pictures_take_stdout (pictures))
        return tori_error_set (err, TORI_INVALID,
                               "only one of --svg and --json can go to "
                               "standard output");
    return 0;
}

int pictures_draw (const struct pictures *pictures, const struct gantt *gantt,
                   FILE *out, tori_error *err)
{
    if (pictures->gantt && !pictures_take_stdout (pictures)) {
        fputc ('\n', out);
        if (gantt_text (gantt, terminal_columns (), out, err) < 0)
            return -1;
    }
    return pictures->svg ? gantt_svg (gantt, pictures->svg, err) : 0;
}
