/* pagemap.c - the machine as a picture: SVG within the page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "owners.h"
#include "plain.h"

enum {
    CELL = 12,  /* from one square to the next */
    SIDE = 11,  /* of a square */
    GAP = 14,   /* between planes */
    CUBE_GAP = 20, /* more between those of different cubes */
    HEAD = 14,  /* over a plane, for its name */
    WIDTH = 520, /* of a row of planes */
    NODES_MOST = 1 << 16
};

/* Hues go round by the golden ratio, so that neighbours differ. After 21 jobs
 * they come close again, in another lightness. */
void colour_of (uint64_t job, char text[COLOUR_TEXT])
{
    unsigned hue = (unsigned)(job * 137 % 360);
    static const unsigned light[] = {46, 60, 38};
    snprintf (text, COLOUR_TEXT, "hsl(%u 62%% %u%%)", hue,
              light[job / 21 % 3]);
}

/* Planes of rows of columns, and how many planes stand side by side; those of
 * a cube of a pod stay together. */
struct sheet_of_planes {
    const tori_machine *machine;
    uint32_t planes, rows, columns, beside;
    uint32_t together; /* planes of a cube; 0: there are no cubes */
};

static uint32_t left_of (const struct sheet_of_planes *s, uint32_t plane)
{
    uint32_t at = plane % s->beside;
    return at * (s->columns * CELL + GAP)
           + (s->together ? at / s->together * CUBE_GAP : 0);
}

static struct sheet_of_planes spread (const tori_machine *machine)
{
    int n = tori_machine_ndims (machine);
    struct sheet_of_planes s = {.machine = machine, .rows = 1};
    s.columns = tori_machine_size (machine, n - 1);
    if (n > 1)
        s.rows = tori_machine_size (machine, n - 2);
    s.planes = tori_machine_nodes (machine) / (s.rows * s.columns);
    s.beside = (WIDTH + GAP) / (s.columns * CELL + GAP);
    if (s.beside == 0)
        s.beside = 1;
    if (s.beside > s.planes)
        s.beside = s.planes;
    s.together = grid_cube_planes (machine);
    if (s.together > 0 && s.beside > s.together)
        s.beside -= s.beside % s.together;
    return s;
}

static uint32_t top_of (const struct sheet_of_planes *s, uint32_t plane)
{
    uint32_t head = s->planes > 1 ? HEAD : 0;
    return plane / s->beside * (s->rows * CELL + GAP + head) + head;
}

static void put_square (const struct sheet_of_planes *s, uint32_t node,
                        FILE *out)
{
    uint32_t plane = node / (s->rows * s->columns);
    uint32_t x = left_of (s, plane) + node % s->columns * CELL;
    uint32_t y = top_of (s, plane) + node / s->columns % s->rows * CELL;
    fprintf (out, "M%u %uh%dv%dh-%dz", x, y, SIDE, SIDE, SIDE);
}

/* What is out of service is crossed out, so that it differs not by its colour
 * alone. */
static void put_cross (const struct sheet_of_planes *s, uint32_t node,
                       FILE *out)
{
    put_square (s, node, out);
    fprintf (out, "l%d %dm0 -%dl-%d %d", SIDE, SIDE, SIDE, SIDE, SIDE);
}

/* The coordinates of a plane, the first of three or more: "3,*,*". */
static void put_names (const struct sheet_of_planes *s, FILE *out)
{
    uint32_t coords[TORI_MAX_DIMS];
    int n = tori_machine_ndims (s->machine);
    for (uint32_t plane = 0; s->planes > 1 && plane < s->planes; plane++) {
        tori_machine_coords (s->machine, plane * s->rows * s->columns,
                             coords);
        fprintf (out, "<text x=\"%u\" y=\"%u\">", left_of (s, plane),
                 top_of (s, plane) - 4);
        for (int d = 0; d < n - 2; d++)
            fprintf (out, "%u,", coords[d]);
        fputs ("*,*</text>\n", out);
    }
}

/* All nodes of one job, or all that are in a state without one. */
static void put_part (const struct sheet_of_planes *s, const uint32_t *nodes,
                      size_t n, const char *class, uint64_t job, FILE *out)
{
    char colour[COLOUR_TEXT];
    if (n == 0)
        return;
    if (job > 0) {
        colour_of (job, colour);
        fprintf (out, "<path class=\"%s\" fill=\"%s\" d=\"", class, colour);
    } else {
        fprintf (out, "<path class=\"%s\" d=\"", class);
    }
    for (size_t i = 0; i < n; i++)
        (!strcmp (class, "down") ? put_cross : put_square) (s, nodes[i], out);
    if (job > 0)
        fprintf (out, "\"><title>job %" PRIu64 "</title></path>\n", job);
    else
        fprintf (out, "\"><title>%s</title></path>\n", class);
}

struct cell {
    uint64_t owner;
    uint32_t node;
};

static int by_owner (const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Nodes sorted by job; those of none, by state. */
static void put_cells (const struct torid *torid,
                       const struct sheet_of_planes *s, struct cell *cells,
                       uint32_t *nodes, uint32_t n, FILE *out)
{
    static const char *const states[] = {"free", "drained", "down"};
    uint32_t from = 0, to;
    qsort (cells, n, sizeof *cells, by_owner);
    while (from < n && cells[from].owner == 0)
        from++;
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < from; i++)
            if (!strcmp (node_state_name (torid, cells[i].node), states[k]))
                nodes[found++] = cells[i].node;
        put_part (s, nodes, found, states[k], 0, out);
    }
    for (; from < n; from = to) {
        for (to = from; to < n && cells[to].owner == cells[from].owner; to++)
            nodes[to - from] = cells[to].node;
        put_part (s, nodes, to - from, "busy", cells[from].owner, out);
    }
}

static void put_map (const struct torid *torid, struct cell *cells,
                     uint32_t *nodes, FILE *out)
{
    struct sheet_of_planes s = spread (torid->machine);
    uint32_t width = left_of (&s, s.beside - 1) + s.columns * CELL;
    uint32_t height = top_of (&s, s.planes - 1) + s.rows * CELL;
    fprintf (out,
             "<svg role=\"img\" aria-label=\"the machine, coloured by job\" "
             "viewBox=\"-1 -1 %u %u\" width=\"%u\">\n",
             width + 1, height + 1, 2 * width);
    put_names (&s, out);
    put_cells (torid, &s, cells, nodes, tori_machine_nodes (torid->machine),
               out);
    fputs ("</svg>\n", out);
}

int map_write (const struct torid *torid, FILE *out, tori_error *err)
{
    uint32_t n = tori_machine_nodes (torid->machine);
    uint64_t *owners = n <= NODES_MOST ? owners_make (torid) : NULL;
    struct cell *cells = calloc (n <= NODES_MOST ? n : 1, sizeof *cells);
    uint32_t *nodes = calloc (n <= NODES_MOST ? n : 1, sizeof *nodes);
    int status = 0;
    if (n > NODES_MOST) {
        fprintf (out, "<p>A machine of %u nodes is too large for a map."
                 "</p>\n", n);
    } else if (owners && cells && nodes) {
        for (uint32_t i = 0; i < n; i++)
            cells[i] = (struct cell){owners[i], i};
        put_map (torid, cells, nodes, out);
    } else {
        status = tori_error_nomem (err);
    }
    free (owners);
    free (cells);
    free (nodes);
    return status;
}
