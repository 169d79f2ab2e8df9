#include "map.h"

#include "grid.h"
#include "picture.h"

enum { WIDTH = 79, GAP = 2, MOST_ROWS = 64, MOST_PLANES = 64,
       MOST_CUBES = 128 };

/* The machine as planes of rows of columns. */
struct extent {
    uint32_t planes, rows, columns;
};

static struct extent extent_of (const tori_machine *machine)
{
    int n = tori_machine_ndims (machine);
    struct extent e = {1, 1, tori_machine_size (machine, n - 1)};
    if (n > 1)
        e.rows = tori_machine_size (machine, n - 2);
    if (n > 2)
        e.planes = tori_machine_size (machine, n - 3);
    return e;
}

int map_check (const tori_machine *machine, tori_error *err)
{
    struct extent e = extent_of (machine);
    uint32_t cubes = 1;
    for (int d = 0; d < tori_machine_apart (machine); d++)
        cubes *= tori_machine_size (machine, d);
    if (cubes > MOST_CUBES)
        return tori_error_set (err, TORI_INVALID,
                               "--map draws pods of up to %d cubes",
                               MOST_CUBES);
    if (tori_machine_shape_dims (machine) > 3 || e.columns > WIDTH
        || e.rows > MOST_ROWS || e.planes > MOST_PLANES)
        return tori_error_set (err, TORI_INVALID,
                               "--map draws machines of up to three "
                               "dimensions, at most %dx%dx%d",
                               MOST_PLANES, MOST_ROWS, WIDTH);
    return 0;
}

/* ---- layout ---- */

/* The coordinates of a plane in the dimensions but the last two: "3", "1,0".
 */
static size_t plane_name (const tori_machine *machine, uint32_t plane,
                          char *text, size_t size)
{
    int n = tori_machine_ndims (machine) - 2;
    uint32_t left = plane, weight = 1;
    size_t used = 0;
    for (int d = 1; d < n; d++)
        weight *= tori_machine_size (machine, d);
    for (int d = 0; d < n && used < size; d++) {
        used += (size_t)snprintf (text + used, size - used, "%s%u",
                                  d ? "," : "", left / weight);
        left %= weight;
        weight /= d + 1 < n ? tori_machine_size (machine, d + 1) : 1;
    }
    return used;
}

static uint32_t count_parts (uint32_t n, uint32_t scale)
{
    return (n + scale - 1) / scale;
}

/* Plan with this scale; `bands` becomes the number of bands needed. */
static void plan_scale (struct map_plan *plan, uint32_t scale, unsigned width)
{
    plan->scale = scale;
    plan->cell_rows = count_parts (plan->rows, scale);
    plan->cell_columns = count_parts (plan->columns, scale);
    plan->width = plan->cell_columns > plan->label ? plan->cell_columns
                                                   : plan->label;
    plan->beside = (width + GAP) / (plan->width + GAP);
    plan->beside = plan->beside ? plan->beside : 1;
    if (plan->together > 0 && plan->beside > plan->together)
        plan->beside -= plan->beside % plan->together;
    plan->bands = count_parts (plan->planes, plan->beside);
}

static unsigned band_lines (const struct map_plan *plan)
{
    return plan->cell_rows + (plan->planes > 1);
}

/* Limit the bands to those that fit the height. */
static void plan_cut (struct map_plan *plan, unsigned height)
{
    unsigned fit = (height + 1) / (band_lines (plan) + 1);
    if (fit < plan->bands)
        plan->bands = fit ? fit : 1;
    plan->lines = plan->bands * (band_lines (plan) + 1) - 1;
}

/* Whether enough cells are left to tell parts of the machine apart. */
static bool is_readable (const struct map_plan *plan)
{
    enum { LEAST = 4 };
    return plan->scale == 1
           || ((plan->cell_rows >= LEAST || plan->rows == 1)
               && plan->cell_columns >= LEAST);
}

void map_plan (const tori_machine *machine, unsigned width, unsigned height,
               struct map_plan *plan)
{
    struct extent e = extent_of (machine);
    uint32_t most = e.rows > e.columns ? e.rows : e.columns;
    char text[128];
    *plan = (struct map_plan){.rows = e.rows,
                              .columns = e.columns,
                              .together = grid_cube_planes (machine)};
    plan->planes = tori_machine_nodes (machine) / e.rows / e.columns;
    if (plan->planes > 1)
        plan->label = (uint32_t)plane_name (machine, plan->planes - 1, text,
                                            sizeof text);
    for (uint32_t s = 1; s <= most; s++) {
        plan_scale (plan, s, width);
        if (!is_readable (plan))
            break;
        if (plan->cell_columns <= width
            && plan->bands * (band_lines (plan) + 1) - 1 <= height) {
            plan_cut (plan, height);
            return;
        }
    }
    for (uint32_t s = 1; s <= most; s++) {
        plan_scale (plan, s, width);
        if (plan->cell_columns <= width && band_lines (plan) <= height)
            break;
    }
    plan_cut (plan, height);
}

/* ---- drawing ---- */

/* The letter of most nodes of a cell; on a tie, the first. */
static char cell_letter (const struct map_plan *plan, const char *letters,
                         uint32_t plane, uint32_t row, uint32_t column)
{
    unsigned count[256] = {0};
    unsigned char best = 0;
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < plan->scale * plan->scale; i++) {
            uint32_t y = row * plan->scale + i / plan->scale;
            uint32_t x = column * plan->scale + i % plan->scale;
            uint32_t node = (plane * plan->rows + y) * plan->columns + x;
            if (y >= plan->rows || x >= plan->columns)
                continue;
            if (turn == 0)
                count[(unsigned char)letters[node]]++;
            else if (count[(unsigned char)letters[node]] > count[best])
                best = (unsigned char)letters[node];
        }
    return (char)best;
}

static void draw_row (const struct map_plan *plan, const char *letters,
                      uint32_t plane, uint32_t row, bool colour, FILE *out)
{
    for (uint32_t column = 0; column < plan->cell_columns; column++)
        letter_put (cell_letter (plan, letters, plane, row, column), colour,
                    out);
}

/* Some planes side by side, each under its name if there are several. */
static void draw_band (const tori_machine *machine,
                       const struct map_plan *plan, const char *letters,
                       uint32_t from, bool colour, FILE *out)
{
    uint32_t to = plan->planes - from > plan->beside ? from + plan->beside
                                                     : plan->planes;
    for (uint32_t plane = from; plan->planes > 1 && plane < to; plane++) {
        char name[128];
        plane_name (machine, plane, name, sizeof name);
        fprintf (out, "%-*s%s", plane + 1 < to ? (int)plan->width + GAP : 0,
                 name, plane + 1 < to ? "" : "\n");
    }
    for (uint32_t row = 0; row < plan->cell_rows; row++)
        for (uint32_t plane = from; plane < to; plane++) {
            draw_row (plan, letters, plane, row, colour, out);
            if (plane + 1 < to)
                fprintf (out, "%*s",
                         (int)(plan->width - plan->cell_columns) + GAP, "");
            else
                fputc ('\n', out);
        }
}

void map_draw_planes (const tori_machine *machine,
                      const struct map_plan *plan, const char letters[],
                      uint32_t first, bool colour, FILE *out)
{
    for (uint32_t band = 0; band < plan->bands && first < plan->planes;
         band++, first += plan->beside) {
        if (band > 0)
            fputc ('\n', out);
        draw_band (machine, plan, letters, first, colour, out);
    }
}

void map_draw (const tori_machine *machine, const char letters[], bool colour,
               FILE *out)
{
    struct map_plan plan;
    map_plan (machine, WIDTH, UINT16_MAX, &plan);
    map_draw_planes (machine, &plan, letters, 0, colour, out);
}
