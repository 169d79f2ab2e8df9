#include "map.h"

#include <stdlib.h>

enum { WIDTH = 79, GAP = 2, MOST_ROWS = 64, MOST_PLANES = 64 };

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
    if (tori_machine_ndims (machine) > 3 || e.columns > WIDTH
        || e.rows > MOST_ROWS || e.planes > MOST_PLANES)
        return tori_error_set (err, TORI_INVALID,
                               "--map draws machines of up to three "
                               "dimensions, at most %dx%dx%d",
                               MOST_PLANES, MOST_ROWS, WIDTH);
    return 0;
}

void map_letters (const tori_state *state, char letters[])
{
    static const char of[] = {
        [TORI_NODE_FREE] = '.',
        [TORI_NODE_BUSY] = '#',
        [TORI_NODE_DOWN] = 'x',
        [TORI_NODE_DRAINED] = '-',
    };
    uint32_t n = tori_machine_nodes (tori_state_machine (state));
    for (uint32_t i = 0; i < n; i++)
        letters[i] = of[tori_state_node (state, i)];
}

/* Some planes side by side, each under its number if there are several. */
static void print_band (const char *letters, const struct extent *e,
                        uint32_t from, uint32_t to, FILE *out)
{
    for (uint32_t plane = from; e->planes > 1 && plane < to; plane++) {
        int width = plane + 1 < to ? (int)e->columns + GAP : 0;
        fprintf (out, "%-*u%s", width, plane, width ? "" : "\n");
    }
    for (uint32_t row = 0; row < e->rows; row++)
        for (uint32_t plane = from; plane < to; plane++)
            fprintf (out, "%.*s%s", (int)e->columns,
                     letters + (size_t)(plane * e->rows + row) * e->columns,
                     plane + 1 < to ? "  " : "\n");
}

void map_draw (const tori_machine *machine, const char letters[], FILE *out)
{
    struct extent e = extent_of (machine);
    uint32_t beside = (WIDTH + GAP) / (e.columns + GAP);
    beside = beside ? beside : 1;
    for (uint32_t plane = 0; plane < e.planes; plane += beside) {
        uint32_t end = plane + beside < e.planes ? plane + beside : e.planes;
        if (plane > 0)
            fputc ('\n', out);
        print_band (letters, &e, plane, end, out);
    }
}

int map_print (const tori_state *state, const tori_placement *place,
               FILE *out, tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    char *letters = malloc (tori_machine_nodes (machine));
    if (!letters)
        return tori_error_nomem (err);
    map_letters (state, letters);
    for (uint32_t i = 0; place && i < tori_machine_nodes (machine); i++)
        if (tori_placement_contains (place, machine, i))
            letters[i] = 'O';
    map_draw (machine, letters, out);
    free (letters);
    return 0;
}
