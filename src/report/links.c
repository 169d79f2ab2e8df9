#include "links.h"

enum { WIDTH = 79 };

int link_line (const tori_machine *machine, const tori_link *link,
               uint32_t line[TORI_MAX_DIMS])
{
    uint32_t coords[TORI_MAX_DIMS];
    int n = 0;
    tori_machine_coords (machine, link->slot, coords);
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        if (d != link->dim)
            line[n++] = coords[d];
    return n;
}

void link_format (const tori_machine *machine, const tori_link *link,
                  char text[LINK_TEXT])
{
    uint32_t coords[TORI_MAX_DIMS], ends[2];
    char kind = tori_link_ends (machine, link, &ends[0], &ends[1]);
    char node[2][TORI_TEXT_MAX];
    tori_machine_coords (machine, link->slot, coords);
    for (int i = 0; i < 2; i++) {
        coords[link->dim] = ends[i];
        tori_node_format (machine, tori_machine_id (machine, coords), node[i]);
    }
    snprintf (text, LINK_TEXT, "%s-%s %c", node[0], node[1], kind);
}

struct listing {
    struct emit *e;
    const tori_machine *machine;
};

void emit_link (struct emit *e, const tori_machine *machine,
                const tori_link *link)
{
    uint32_t line[TORI_MAX_DIMS], a, b;
    char kind[2] = {tori_link_ends (machine, link, &a, &b)};
    int n = link_line (machine, link, line);
    emit_open (e, NULL, '{');
    emit_count (e, "dim", (uint64_t)link->dim);
    emit_counts (e, "line", line, (size_t)n);
    emit_count (e, "a", a);
    emit_count (e, "b", b);
    emit_text (e, "kind", kind);
    emit_close (e, '}');
}

static int emit_next (void *arg, const tori_link *link)
{
    struct listing *listing = arg;
    emit_link (listing->e, listing->machine, link);
    return ferror (listing->e->out);
}

void emit_links (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_box *box, tori_wiring wiring)
{
    struct listing listing = {e, machine};
    emit_open (e, key, '[');
    tori_wiring_each (machine, box, wiring, emit_next, &listing);
    emit_close (e, ']');
}

/* In how many lines of a dimension the box lies. */
static uint64_t lines_of (const tori_box *box, int dim)
{
    return tori_shape_volume (&box->shape) / box->shape.size[dim];
}

uint64_t count_links (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (machine, box, wiring, runs);
    uint64_t links = 0;
    for (int i = 0; i < n; i++)
        links += runs[i].count * lines_of (box, runs[i].dim);
    return links;
}

/* Print the links of a run in one line of the machine, from a column on. */
static size_t print_run (const tori_machine *machine, const tori_box *box,
                         const tori_link_run *run, size_t column, FILE *out)
{
    uint32_t coords[TORI_MAX_DIMS], a, b;
    uint32_t side = tori_machine_size (machine, run->dim);
    for (int d = 0; d < box->shape.ndims; d++)
        coords[d] = box->origin[d];
    for (uint32_t i = 0; i < run->count; i++) {
        char text[32], kind;
        tori_link link = {.dim = run->dim, .layer = run->layer};
        size_t length;
        coords[run->dim] = (uint32_t)(((uint64_t)run->first + i) % side);
        link.slot = tori_machine_id (machine, coords);
        kind = tori_link_ends (machine, &link, &a, &b);
        length = (size_t)snprintf (text, sizeof text, " %u-%u%c", a, b, kind);
        if (column + length > WIDTH) {
            fputs ("\n   ", out);
            column = 3;
        }
        fputs (text, out);
        column += length;
    }
    return column;
}

void print_links (const tori_machine *machine, const tori_box *box,
                  tori_wiring wiring, FILE *out)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (machine, box, wiring, runs);
    for (int i = 0, next; i < n; i = next) {
        uint64_t lines = lines_of (box, runs[i].dim);
        int column =
            fprintf (out, "  dimension %d, %llu line%s:", runs[i].dim,
                     (unsigned long long)lines, lines == 1 ? "" : "s");
        size_t at = column > 0 ? (size_t)column : 0;
        for (next = i; next < n && runs[next].dim == runs[i].dim; next++)
            at = print_run (machine, box, &runs[next], at, out);
        fputc ('\n', out);
    }
}
