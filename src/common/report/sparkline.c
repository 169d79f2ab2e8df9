#include "sparkline.h"

#include <math.h>

#include "duration.h"

static void widen_cells (struct sparkline *line)
{
    for (size_t i = 0; i < SPARKLINE_CELLS / 2; i++)
        line->busy[i] = line->busy[2 * i] + line->busy[2 * i + 1];
    for (size_t i = SPARKLINE_CELLS / 2; i < SPARKLINE_CELLS; i++)
        line->busy[i] = 0;
    line->width *= 2;
}

void sparkline_add (struct sparkline *line, tori_time from, tori_time until,
                    double nodes)
{
    tori_time at = from - line->begin, end = until - line->begin;
    if (!line->width)
        line->width = 1;
    if (until > line->end)
        line->end = until;
    while (end > line->width * SPARKLINE_CELLS)
        widen_cells (line);
    for (tori_time next; at < end; at = next) {
        size_t cell = (size_t)(at / line->width);
        next = (at / line->width + 1) * line->width;
        if (next > end)
            next = end;
        line->busy[cell] += nodes * (double)(next - at);
    }
}

double sparkline_part (const struct sparkline *line, size_t column,
                       double nodes)
{
    double span = (double)(line->end - line->begin);
    double cells = span / (double)line->width / SPARKLINE_COLUMNS;
    double low = cells * (double)column, high = low + cells, sum = 0;
    for (size_t i = (size_t)low; i < SPARKLINE_CELLS && (double)i < high; i++)
        sum += line->busy[i]
               * (fmin (high, (double)i + 1) - fmax (low, (double)i));
    return sum / (nodes * cells * (double)line->width);
}

/* One of so many heights, of whole percents: a cell that two columns share
 * does not change a part that is constant. */
static int cell_height (double part, int heights)
{
    int percent = (int)(100 * part + 0.5);
    return percent < 100 ? percent * heights / 100 : heights - 1;
}

void sparkline_print (const struct sparkline *line, double nodes, bool utf8,
                      FILE *out)
{
    static const char *const blocks[]
        = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { BLOCKS = sizeof blocks / sizeof *blocks, DIGITS = 10 };
    char span[DURATION_TEXT_MAX];
    if (line->end <= line->begin)
        return;
    duration_about (line->end - line->begin, span);
    fprintf (out, "\nutilization over %s, from %s (0 %%) to %s (100 %%):\n",
             span, utf8 ? blocks[0] : "0", utf8 ? blocks[BLOCKS - 1] : "9");
    for (size_t i = 0; i < SPARKLINE_COLUMNS; i++) {
        double part = sparkline_part (line, i, nodes);
        if (utf8)
            fputs (blocks[cell_height (part, BLOCKS)], out);
        else
            fputc ('0' + cell_height (part, DIGITS), out);
    }
    fputc ('\n', out);
}
