#include "gantt.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "outfile.h"

/* The end of the time axis. A plan that takes no time has one, too: places on
 * the axis are found by a division. */
static double axis_end (const struct gantt *gantt)
{
    return gantt->end > 0 ? gantt->end : 1;
}

/* ---- lanes that go together ---- */

/* The cuts where bars begin and end: between two cuts all lanes look the
 * same. */
struct lane_rows {
    uint32_t *cut; /* row i is lanes cut[i] to cut[i + 1] - 1 */
    uint32_t *row; /* of a lane at which a row begins */
    uint32_t n;
};

static int rows_find (const struct gantt *gantt, struct lane_rows *ret_rows,
                      tori_error *err)
{
    size_t size = (size_t)gantt->lanes + 1;
    struct lane_rows rows = {calloc (size, sizeof *rows.cut),
                        calloc (size, sizeof *rows.row), 0};
    if (!rows.cut || !rows.row) {
        free (rows.cut);
        free (rows.row);
        return tori_error_nomem (err);
    }
    rows.row[0] = 1;
    for (size_t i = 0; i < gantt->bars; i++)
        rows.row[gantt->bar[i].low] = rows.row[gantt->bar[i].high] = 1;
    for (uint32_t lane = 0; lane < gantt->lanes; lane++)
        if (rows.row[lane]) {
            rows.row[lane] = rows.n;
            rows.cut[rows.n++] = lane;
        }
    rows.cut[rows.n] = gantt->lanes;
    rows.row[gantt->lanes] = rows.n;
    *ret_rows = rows;
    return 0;
}

static void rows_clear (struct lane_rows *rows)
{
    free (rows->cut);
    free (rows->row);
}

static void label_of (const struct gantt *gantt, uint32_t low, uint32_t high,
                      char text[GANTT_LABEL])
{
    if (gantt->label)
        gantt->label (gantt->arg, low, high, text);
    else if (high - low == 1)
        snprintf (text, GANTT_LABEL, "%" PRIu32, low);
    else
        snprintf (text, GANTT_LABEL, "%" PRIu32 "-%" PRIu32, low, high - 1);
}

/* The longest label, or the title of all. */
static size_t label_width (const struct gantt *gantt,
                           const struct lane_rows *rows)
{
    size_t width = strlen (gantt->lane_title);
    for (uint32_t i = 0; i < rows->n; i++) {
        char text[GANTT_LABEL];
        label_of (gantt, rows->cut[i], rows->cut[i + 1], text);
        if (strlen (text) > width)
            width = strlen (text);
    }
    return width;
}

/* A step of the time axis, 1, 2 or 5 times a power of ten: ten or less. */
static double tick_step (double end)
{
    static const double nice[] = {1, 2, 5};
    double power = 1;
    while (power * 10 > end)
        power /= 10;
    while (power * 100 < end)
        power *= 10;
    for (size_t i = 0; i < 3; i++)
        if (end / (nice[i] * power) <= 10)
            return nice[i] * power;
    return 10 * power;
}

/* ---- SVG ---- */

/* In pixels. */
enum {
    PLOT_WIDTH = 840,
    LANE = 20,
    MOST_HEIGHT = 640,
    TOP = 44,
    BOTTOM = 44,
    CHAR = 7,
    GAP = 8
};

struct canvas {
    const struct gantt *gantt;
    const struct lane_rows *rows;
    FILE *out;
    double left; /* of the plot */
    double lane; /* its height */
    double height;
};

static double x_of (const struct canvas *c, double time)
{
    return c->left + time / axis_end (c->gantt) * PLOT_WIDTH;
}

static double y_of (const struct canvas *c, uint32_t lane)
{
    return TOP + lane * c->lane;
}

static void put_escaped (const char *text, FILE *out)
{
    for (; *text; text++)
        if (*text == '&')
            fputs ("&amp;", out);
        else if (*text == '<')
            fputs ("&lt;", out);
        else
            fputc (*text, out);
}

static void put_text (const struct canvas *c, double x, double y,
                      const char *how, const char *text)
{
    fprintf (c->out, "<text x=\"%.2f\" y=\"%.2f\"%s>", x, y, how);
    put_escaped (text, c->out);
    fputs ("</text>\n", c->out);
}

static void put_line (const struct canvas *c, double x, double y, double to_x,
                      double to_y, const char *how)
{
    fprintf (c->out,
             "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", x,
             y, to_x, to_y, how);
}

static void svg_axis (const struct canvas *c)
{
    double bottom = TOP + c->height, end = axis_end (c->gantt);
    double step = tick_step (end);
    for (int i = 0; i * step <= end * (1 + 1e-9); i++) {
        char text[32];
        snprintf (text, sizeof text, "%.10g", i * step);
        put_line (c, x_of (c, i * step), TOP, x_of (c, i * step), bottom + 4,
                  "stroke=\"#d0d0d0\"");
        put_text (c, x_of (c, i * step), bottom + 18,
                  " text-anchor=\"middle\"", text);
    }
    put_text (c, c->left + PLOT_WIDTH / 2.0, bottom + 36,
              " text-anchor=\"middle\"", "time");
}

/* Labels, as far as there is room for them. */
static void svg_lanes (const struct canvas *c)
{
    double last = 0;
    put_text (c, c->left - GAP, TOP - 8, " text-anchor=\"end\"",
              c->gantt->lane_title);
    for (uint32_t i = 0; i < c->rows->n; i++) {
        uint32_t low = c->rows->cut[i], high = c->rows->cut[i + 1];
        double middle = (y_of (c, low) + y_of (c, high)) / 2;
        char text[GANTT_LABEL];
        if (middle < last + 12)
            continue;
        label_of (c->gantt, low, high, text);
        put_text (c, c->left - GAP, middle + 4, " text-anchor=\"end\"", text);
        last = middle;
    }
}

/* Neighbours in time have different colours, mostly: jobs come in order. */
static const char *const colours[] = {
    "#a6cee3", "#fdbf6f", "#b2df8a", "#cab2d6", "#fb9a99", "#ffff99",
    "#8dd3c7", "#bebada", "#fccde5", "#d9d9d9", "#80b1d3", "#e5c494"};

static void svg_bar (const struct canvas *c, const struct gantt_bar *bar)
{
    size_t n = sizeof colours / sizeof *colours;
    double x = x_of (c, bar->start), width = x_of (c, bar->finish) - x;
    double y = y_of (c, bar->low), height = y_of (c, bar->high) - y;
    char label[GANTT_LABEL], number[24];
    label_of (c->gantt, bar->low, bar->high, label);
    snprintf (number, sizeof number, "%zu", bar->job);
    fprintf (c->out,
             "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
             "fill=\"%s\" stroke=\"#404040\" stroke-width=\"0.6\"><title>",
             x, y, width, height, colours[(bar->job + n - 1) % n]);
    fprintf (c->out, "job %s, ", number);
    put_escaped (label, c->out);
    fprintf (c->out, ", %.10g to %.10g</title></rect>\n", bar->start,
             bar->finish);
    if (width >= (double)strlen (number) * CHAR + 4 && height >= 12)
        put_text (c, x + width / 2, y + height / 2 + 4,
                  " text-anchor=\"middle\" pointer-events=\"none\"", number);
}

/* The first of the bars, and how many there are. */
static void svg_bars (const struct canvas *c)
{
    const struct gantt *gantt = c->gantt;
    char text[80];
    for (size_t i = 0; i < gantt->bars && i < GANTT_MOST_BARS; i++)
        svg_bar (c, &gantt->bar[i]);
    if (gantt->bars <= GANTT_MOST_BARS)
        return;
    snprintf (text, sizeof text, "only the first %d of %zu bars are drawn",
              GANTT_MOST_BARS, gantt->bars);
    put_text (c, c->left + PLOT_WIDTH, 20,
              " text-anchor=\"end\" fill=\"#c00000\"", text);
}

static void svg_draw (const struct canvas *c)
{
    const struct gantt *gantt = c->gantt;
    double width = c->left + PLOT_WIDTH + 24;
    double height = TOP + c->height + BOTTOM;
    fprintf (c->out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
             "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
             width, height, width, height);
    put_text (c, c->left, 20, " font-size=\"14\"", gantt->title);
    svg_axis (c);
    svg_lanes (c);
    svg_bars (c);
    if (gantt->deadline > 0)
        put_line (c, x_of (c, gantt->deadline), TOP - 6,
                  x_of (c, gantt->deadline), TOP + c->height + 6,
                  "stroke=\"#c00000\" stroke-width=\"1.5\" "
                  "stroke-dasharray=\"4 3\"");
    fputs ("</svg>\n", c->out);
}

int gantt_svg (const struct gantt *gantt, const char *path, tori_error *err)
{
    struct canvas canvas = {.gantt = gantt, .lane = LANE};
    struct outfile *out;
    struct lane_rows rows;
    int status = -1;
    if (rows_find (gantt, &rows, err) < 0)
        return -1;
    canvas.rows = &rows;
    canvas.left = (double)label_width (gantt, &rows) * CHAR + 2 * GAP;
    if (canvas.lane * gantt->lanes > MOST_HEIGHT)
        canvas.lane = (double)MOST_HEIGHT / gantt->lanes;
    canvas.height = canvas.lane * gantt->lanes;
    if (outfile_create (path, &out, err) == 0) {
        canvas.out = outfile_stream (out);
        svg_draw (&canvas);
        status = outfile_end (out, 0, err);
    }
    rows_clear (&rows);
    return status;
}

/* ---- text ---- */

enum { LEAST_CELLS = 20 };

struct drawing {
    const struct gantt *gantt;
    struct lane_rows rows;
    size_t cells; /* in a line */
    char *text;   /* one line per row */
};

static size_t cell_of (const struct drawing *sheet, double time)
{
    return (size_t)(time / axis_end (sheet->gantt) * (double)sheet->cells + 1e-9);
}

/* A bar that is shorter than a cell has one, unless another bar has it. */
static void write_bar (const struct drawing *sheet,
                       const struct gantt_bar *bar, char *line)
{
    size_t from = cell_of (sheet, bar->start);
    size_t to = cell_of (sheet, bar->finish);
    char number[24];
    size_t digits = (size_t)snprintf (number, sizeof number, "%zu", bar->job);
    if (from == to && from < sheet->cells && line[from] == '.')
        line[from] = '#';
    if (digits <= to - from) {
        memset (line + from, '-', to - from);
        memcpy (line + from, number, digits);
    } else {
        memset (line + from, '#', to - from);
    }
}

static void write_bars (const struct drawing *sheet)
{
    memset (sheet->text, '.', sheet->rows.n * sheet->cells);
    for (size_t i = 0; i < sheet->gantt->bars; i++) {
        const struct gantt_bar *bar = &sheet->gantt->bar[i];
        uint32_t to = sheet->rows.row[bar->high];
        for (uint32_t row = sheet->rows.row[bar->low]; row < to; row++)
            write_bar (sheet, bar, sheet->text + row * sheet->cells);
    }
}

static void print_sheet (const struct drawing *sheet, size_t width, FILE *out)
{
    char end[32];
    int digits = snprintf (end, sizeof end, "%.10g", axis_end (sheet->gantt));
    uint32_t lines =
        sheet->rows.n < GANTT_MOST_LINES ? sheet->rows.n : GANTT_MOST_LINES;
    for (uint32_t i = 0; i < lines; i++) {
        char text[GANTT_LABEL];
        label_of (sheet->gantt, sheet->rows.cut[i], sheet->rows.cut[i + 1],
                  text);
        fprintf (out, "%-*s  %.*s\n", (int)width, text, (int)sheet->cells,
                 sheet->text + i * sheet->cells);
    }
    fprintf (out, "%-*s  0%*s%s\n", (int)width, sheet->gantt->lane_title,
             (int)sheet->cells - 1 - digits, "", end);
    if (lines < sheet->rows.n)
        fprintf (out, "... %" PRIu32 " more lines of %s are not drawn\n",
                 sheet->rows.n - lines, sheet->gantt->lane_title);
    if (memchr (sheet->text, '#', lines * sheet->cells))
        fprintf (out, "%-*s  jobs too short for their number\n", (int)width,
                 "#");
}

int gantt_text (const struct gantt *gantt, unsigned columns, FILE *out,
                tori_error *err)
{
    struct drawing sheet = {.gantt = gantt, .cells = LEAST_CELLS};
    size_t width;
    int status = -1;
    if (rows_find (gantt, &sheet.rows, err) < 0)
        return -1;
    width = label_width (gantt, &sheet.rows);
    if (columns > width + 2 + LEAST_CELLS)
        sheet.cells = columns - width - 2;
    sheet.text = malloc (sheet.rows.n * sheet.cells);
    if (sheet.text) {
        write_bars (&sheet);
        print_sheet (&sheet, width, out);
        status = 0;
    } else {
        tori_error_nomem (err);
    }
    rows_clear (&sheet.rows);
    free (sheet.text);
    return status;
}
