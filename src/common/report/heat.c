#include "heat.h"

#include "outfile.h"

/* Pixels. */
enum {
    CELL = 36,    /* between neighbours */
    EDGE = 34,    /* around a grid, for links that wrap */
    STUB = 16,    /* of such a link */
    APART = 3,    /* of the two ways from the middle line */
    NODE = 6,     /* radius */
    HEADER = 104, /* title, scale and legend */
    LETTER = 6,   /* of a caption, at most */
    MARGIN = 13,  /* of an outline from its nodes */
    SCALE = 20,   /* steps of the scale */
    MOST_NODES = 1 << 14
};

/* Planes stand side by side up to this width. */
enum { WIDEST = 1600 };

struct plan {
    const struct heat *heat;
    uint32_t rows, columns; /* of a plane */
    uint32_t slices, across;
    unsigned slice_width, slice_height;
    double hottest; /* load of the busiest link */
};

int heat_check (const tori_machine *machine, tori_error *err)
{
    if (tori_machine_nodes (machine) > MOST_NODES)
        return tori_error_set (err, TORI_INVALID,
                               "a machine of more than %d nodes is too large "
                               "to be drawn",
                               MOST_NODES);
    return 0;
}

/* The coordinates that the nodes of a plane have in common. */
static int format_slice (const tori_machine *machine, uint32_t node,
                         char text[TORI_TEXT_MAX])
{
    int n = tori_machine_ndims (machine), used = 0;
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, node, coords);
    text[0] = '\0';
    for (int d = 0; d < n - 2 && used < TORI_TEXT_MAX - 16; d++)
        used += snprintf (text + used, TORI_TEXT_MAX - (size_t)used, "%u,",
                          (unsigned)coords[d]);
    return used + snprintf (text + used, TORI_TEXT_MAX - (size_t)used, "*,*");
}

/* The last node has the longest coordinates. */
static unsigned caption_width (const tori_machine *machine)
{
    char text[TORI_TEXT_MAX];
    if (tori_machine_ndims (machine) < 3)
        return 0;
    return EDGE
           + LETTER
                 * (unsigned)format_slice (
                     machine, tori_machine_nodes (machine) - 1, text);
}

static struct plan make_plan (const struct heat *heat)
{
    const tori_machine *machine = heat->machine;
    int n = tori_machine_ndims (machine);
    struct plan plan = {.heat = heat, .rows = 1};
    plan.columns = tori_machine_size (machine, n - 1);
    if (n > 1)
        plan.rows = tori_machine_size (machine, n - 2);
    plan.slices =
        tori_machine_nodes (machine) / (plan.rows * plan.columns);
    plan.slice_width = (plan.columns - 1) * CELL + 2 * EDGE;
    if (plan.slice_width < caption_width (machine))
        plan.slice_width = caption_width (machine);
    plan.slice_height = (plan.rows - 1) * CELL + 2 * EDGE;
    plan.across = WIDEST / plan.slice_width;
    if (plan.across == 0)
        plan.across = 1;
    if (plan.across > plan.slices)
        plan.across = plan.slices;
    for (size_t i = 0; i < heat->nlinks; i++) {
        double load = (double)heat->links[i].flits / heat->most;
        if (load > plan.hottest)
            plan.hottest = load;
    }
    return plan;
}

/* ---- colours ---- */

/* From no load to the greatest. */
static const unsigned char stops[][3] = {
    {0xd9, 0xe2, 0xec}, {0xff, 0xe0, 0x8a}, {0xfd, 0xae, 0x61},
    {0xf4, 0x6d, 0x43}, {0xa5, 0x00, 0x26}};

enum { STOPS = sizeof stops / sizeof stops[0] };

static void put_colour (double part, FILE *out)
{
    double at = part * (STOPS - 1);
    int i = at < STOPS - 2 ? (int)at : STOPS - 2;
    fputs ("#", out);
    for (int c = 0; c < 3; c++) {
        int step = stops[i + 1][c] - stops[i][c];
        double value = stops[i][c] + (at - i) * step;
        fprintf (out, "%02x", (unsigned)(value + 0.5));
    }
}

static double part_of (const struct plan *plan, uint64_t flits)
{
    double load = (double)flits / plan->heat->most;
    return plan->hottest > 0 ? load / plan->hottest : 0;
}

/* ---- places ---- */

static void place_of (const struct plan *plan, uint32_t node, int *ret_x,
                      int *ret_y)
{
    uint32_t slice = node / (plan->rows * plan->columns);
    uint32_t row = node / plan->columns % plan->rows;
    uint32_t column = node % plan->columns;
    *ret_x = (int)(slice % plan->across * plan->slice_width + EDGE
                   + column * CELL);
    *ret_y = (int)(HEADER + slice / plan->across * plan->slice_height + EDGE
                   + row * CELL);
}

static void put_line (const struct plan *plan, int x, int y, int dx, int dy,
                      uint64_t flits, FILE *out)
{
    /* Each direction keeps to its own side of the middle. */
    int side_x = dy > 0 ? -APART : dy < 0 ? APART : 0;
    int side_y = dx > 0 ? APART : dx < 0 ? -APART : 0;
    fprintf (out, "<path d=\"M%d %dl%d %d\" stroke=\"", x + side_x, y + side_y,
             dx, dy);
    put_colour (part_of (plan, flits), out);
    fputs ("\"/>\n", out);
}

/* A link between neighbours is a line, a link that wraps a stub at either
 * end. */
static void put_link (const struct plan *plan, const tori_net_link *link,
                      FILE *out)
{
    int n = tori_machine_ndims (plan->heat->machine), x, y, to_x, to_y;
    bool along_row = link->dim == n - 1;
    if (link->dim < n - 2)
        return;
    place_of (plan, link->from, &x, &y);
    place_of (plan, link->to, &to_x, &to_y);
    if (along_row ? (to_x - x) * link->step > 0 : (to_y - y) * link->step > 0)
        put_line (plan, x, y, to_x - x, to_y - y, link->flits, out);
    else {
        int dx = along_row ? link->step * STUB : 0;
        int dy = along_row ? 0 : link->step * STUB;
        put_line (plan, x, y, dx, dy, link->flits, out);
        put_line (plan, to_x - dx, to_y - dy, dx, dy, link->flits, out);
    }
}

/* ---- nodes ---- */

/* Links are in the order of the nodes that they leave. */
static void put_nodes (const struct plan *plan, FILE *out)
{
    const struct heat *heat = plan->heat;
    int n = tori_machine_ndims (heat->machine), x, y;
    size_t i = 0;
    for (uint32_t node = 0; node < tori_machine_nodes (heat->machine);
         node++) {
        uint64_t most = 0;
        for (; i < heat->nlinks && heat->links[i].from == node; i++)
            if (heat->links[i].dim < n - 2 && heat->links[i].flits > most)
                most = heat->links[i].flits;
        place_of (plan, node, &x, &y);
        fprintf (out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"", x, y,
                 NODE);
        if (n > 2)
            put_colour (part_of (plan, most), out);
        else
            fputs ("#ffffff", out);
        fputs ("\"/>\n", out);
    }
}

/* ---- around them ---- */

static void put_scale (const struct plan *plan, FILE *out)
{
    fputs ("<g font-size=\"12\">\n"
           "<text x=\"14\" y=\"58\">0</text>\n",
           out);
    for (int i = 0; i < SCALE; i++) {
        fprintf (out,
                 "<rect x=\"%d\" y=\"48\" width=\"8\" height=\"12\" "
                 "fill=\"",
                 26 + 8 * i);
        put_colour ((double)i / (SCALE - 1), out);
        fputs ("\"/>\n", out);
    }
    fprintf (out, "<text x=\"%d\" y=\"58\">%.3f of a link</text>\n</g>\n",
             32 + 8 * SCALE, plan->hottest);
}

static void put_legend (const struct plan *plan, FILE *out)
{
    int n = tori_machine_ndims (plan->heat->machine);
    fputs ("<g font-size=\"11\">\n<text x=\"14\" y=\"78\">", out);
    if (n > 1)
        fprintf (out, "rows: dimension %d, ", n - 2);
    fprintf (out,
             "columns: dimension %d; the darkest is the busiest link</text>\n",
             n - 1);
    if (n > 2 || plan->heat->nboxes > 0)
        fprintf (out, "<text x=\"14\" y=\"93\">%s%s%s</text>\n",
                 n > 2 ? "a node: the busiest of its links to other slices"
                       : "",
                 n > 2 && plan->heat->nboxes > 0 ? "; " : "",
                 plan->heat->nboxes > 0 ? "outlined: the boxes" : "");
    fputs ("</g>\n", out);
}

static void put_slice_names (const struct plan *plan, FILE *out)
{
    const tori_machine *machine = plan->heat->machine;
    char text[TORI_TEXT_MAX];
    int x, y;
    if (tori_machine_ndims (machine) < 3)
        return;
    for (uint32_t i = 0; i < plan->slices; i++) {
        uint32_t node = i * plan->rows * plan->columns;
        format_slice (machine, node, text);
        place_of (plan, node, &x, &y);
        fprintf (out,
                 "<text x=\"%d\" y=\"%d\" font-size=\"11\">%s</text>\n",
                 x - 10, y - STUB - 6, text);
    }
}

/* The coordinates of rows on the left of a plane, of columns below it. */
static void put_axes (const struct plan *plan, FILE *out)
{
    int x, y;
    fputs ("<g font-size=\"9\" fill=\"#505050\">\n", out);
    for (uint32_t slice = 0; slice < plan->slices; slice++) {
        uint32_t first = slice * plan->rows * plan->columns;
        for (uint32_t i = 0; plan->rows > 1 && i < plan->rows; i++) {
            place_of (plan, first + i * plan->columns, &x, &y);
            fprintf (out,
                     "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%u"
                     "</text>\n",
                     x - STUB - 2, y + 3, (unsigned)i);
        }
        for (uint32_t i = 0; i < plan->columns; i++) {
            place_of (plan, first + (plan->rows - 1) * plan->columns + i, &x,
                      &y);
            fprintf (out,
                     "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%u"
                     "</text>\n",
                     x, y + STUB + 10, (unsigned)i);
        }
    }
    fputs ("</g>\n", out);
}

/* ---- boxes ---- */

/* The position of a box along a dimension: one stretch, or two if it wraps. */
struct stretches {
    uint32_t from[2], to[2];
    int n;
};

static struct stretches stretches_of (const struct plan *plan,
                                      const tori_box *box, int dim)
{
    struct stretches s = {.n = 1};
    uint32_t size, end;
    if (dim < 0)
        return s;
    size = tori_machine_size (plan->heat->machine, dim);
    end = box->origin[dim] + box->shape.size[dim];
    s.from[0] = box->origin[dim];
    s.to[0] = (end > size ? size : end) - 1;
    if (end > size) {
        s.to[1] = end - size - 1;
        s.n = 2;
    }
    return s;
}

static bool has_slice (const struct plan *plan, const tori_box *box,
                       uint32_t first)
{
    const tori_machine *machine = plan->heat->machine;
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, first, coords);
    for (int d = 0; d < tori_machine_ndims (machine) - 2; d++) {
        uint32_t size = tori_machine_size (machine, d);
        if ((coords[d] + size - box->origin[d]) % size >= box->shape.size[d])
            return false;
    }
    return true;
}

static void put_outline (const struct plan *plan, const tori_box *box,
                         uint32_t first, FILE *out)
{
    int n = tori_machine_ndims (plan->heat->machine), x, y, to_x, to_y;
    struct stretches rows = stretches_of (plan, box, n - 2);
    struct stretches columns = stretches_of (plan, box, n - 1);
    for (int i = 0; i < rows.n * columns.n; i++) {
        int r = i / columns.n, c = i % columns.n;
        place_of (plan,
                  first + rows.from[r] * plan->columns + columns.from[c], &x,
                  &y);
        place_of (plan, first + rows.to[r] * plan->columns + columns.to[c],
                  &to_x, &to_y);
        fprintf (out,
                 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                 "rx=\"6\"/>\n",
                 x - MARGIN, y - MARGIN, to_x - x + 2 * MARGIN,
                 to_y - y + 2 * MARGIN);
    }
}

static void put_outlines (const struct plan *plan, FILE *out)
{
    fputs ("<g fill=\"none\" stroke=\"#2b5d9b\">\n", out);
    for (size_t i = 0; i < plan->heat->nboxes; i++)
        for (uint32_t slice = 0; slice < plan->slices; slice++) {
            uint32_t first = slice * plan->rows * plan->columns;
            if (has_slice (plan, &plan->heat->boxes[i], first))
                put_outline (plan, &plan->heat->boxes[i], first, out);
        }
    fputs ("</g>\n", out);
}

/* ---- the picture ---- */

static void put_header (const struct plan *plan, FILE *out)
{
    uint32_t down = (plan->slices + plan->across - 1) / plan->across;
    unsigned width = plan->across * plan->slice_width;
    unsigned height = HEADER + down * plan->slice_height;
    if (width < 420)
        width = 420;
    fprintf (out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
             "height=\"%u\" font-family=\"sans-serif\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
             "<text x=\"14\" y=\"26\" font-size=\"14\">%s</text>\n",
             width, height, plan->heat->title);
}

static void draw_heat (const struct heat *heat, FILE *out)
{
    struct plan plan = make_plan (heat);
    put_header (&plan, out);
    put_scale (&plan, out);
    put_legend (&plan, out);
    put_slice_names (&plan, out);
    put_axes (&plan, out);
    fputs ("<g fill=\"none\" stroke-width=\"4\">\n", out);
    for (size_t i = 0; i < heat->nlinks; i++)
        put_link (&plan, &heat->links[i], out);
    fputs ("</g>\n<g stroke=\"#505050\">\n", out);
    put_nodes (&plan, out);
    fputs ("</g>\n", out);
    if (heat->nboxes > 0)
        put_outlines (&plan, out);
    fputs ("</svg>\n", out);
}

int heat_write (const struct heat *heat, const char *path, tori_error *err)
{
    struct outfile *out;
    if (heat_check (heat->machine, err) < 0
        || outfile_create (path, &out, err) < 0)
        return -1;
    draw_heat (heat, outfile_stream (out));
    return outfile_end (out, 0, err);
}
