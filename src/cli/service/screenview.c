#include "screenview.h"

#include <string.h>

#include "map.h"
#include "picture.h"

/* The bytes of at most `columns` characters of UTF-8. */
static size_t fit_columns (const char *text, size_t columns)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (((unsigned char)text[n] & 0xc0) != 0x80 && columns-- == 0)
            break;
    return n;
}

/* The bytes of a text that fit beside the taken columns. */
static int fit_length (const struct screen_view *view, const char *text,
                       unsigned taken)
{
    return (int)(view->whole ? strlen (text)
                             : fit_columns (text, view->columns - taken));
}

void screen_line (const struct screen_view *view, const char *style,
                  const char *text, FILE *out)
{
    int n = fit_length (view, text, 0);
    if (view->colour && style)
        fprintf (out, "\033[%sm%.*s\033[m\n", style, n, text);
    else
        fprintf (out, "%.*s\n", n, text);
}

void screen_lettered (const struct screen_view *view, char letter,
                      const char *text, FILE *out)
{
    if (view->columns < 1)
        return;
    letter_put (letter, view->colour, out);
    fprintf (out, "%.*s\n", fit_length (view, text, 1), text);
}

unsigned screen_map (struct screen_view *view, const tori_machine *machine,
                     const char letters[], unsigned room, FILE *out)
{
    struct map_plan plan;
    map_plan (machine, view->columns, room, &plan);
    view->planes = plan.beside * plan.bands;
    if (view->planes >= plan.planes)
        view->plane = 0;
    else if (view->plane > plan.planes - view->planes)
        view->plane = plan.planes - view->planes;
    if (plan.lines > room || plan.cell_columns > view->columns)
        return 0;
    map_draw_planes (machine, &plan, letters, view->plane, view->colour,
                     out);
    return plan.lines;
}
