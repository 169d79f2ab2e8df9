#include "links.h"

#include <string.h>

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

struct listing {
    struct emit *e;
    const tori_machine *machine;
};

/* ---- as JSON ---- */

struct link_row {
    int dim;
    tori_shape line; /* the other coordinates, as if they were sides */
    uint32_t a, b;
    char kind[2];
};

#define AT(member) FIELD_AT (struct link_row, member)
static const struct field link_fields[] = {
    {"dim", FIELD_INT, AT (dim), "the dimension along which it lies"},
    {"line", FIELD_SHAPE, AT (line),
     "the other coordinates of its line, in order", .type = "array"},
    {"a", FIELD_UINT, AT (a), "its smaller coordinate in that dimension"},
    {"b", FIELD_UINT, AT (b), "its larger one"},
    {"kind", FIELD_CHARS, AT (kind),
     "n between neighbours, w wrap link of a torus, s of the folded ring of a "
     "multi-torus"},
};
const struct sheet link_sheet = {"link", SHEET_FIELDS (link_fields)};
#undef AT

void emit_link (struct emit *e, const tori_machine *machine,
                const tori_link *link)
{
    struct link_row row = {.dim = link->dim};
    row.kind[0] = tori_link_ends (machine, link, &row.a, &row.b);
    row.line.ndims = link_line (machine, link, row.line.size);
    sheet_emit_object (e, NULL, &link_sheet, &row);
}

static int emit_next (void *arg, const tori_link *link)
{
    struct listing *listing = arg;
    emit_link (listing->e, listing->machine, link);
    return ferror (listing->e->out);
}

void emit_links (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_placement places[], size_t n)
{
    struct listing listing = {e, machine};
    emit_open (e, key, '[');
    for (size_t i = 0; i < n; i++)
        tori_placement_each_link (&places[i], machine, emit_next, &listing);
    emit_close (e, ']');
}

static int count_next (void *count, const tori_link *link)
{
    ++*(uint64_t *)count;
    return 0;
}

static int count_cross (void *count, const tori_cross *cross)
{
    ++*(uint64_t *)count;
    return 0;
}

static uint64_t count_links (const tori_machine *machine,
                             const tori_placement *place)
{
    uint64_t links = 0;
    tori_placement_each_link (place, machine, count_next, &links);
    return links;
}

void print_link_count (const tori_machine *machine,
                       const tori_placement places[], size_t n, FILE *out)
{
    uint64_t links = 0, crosses = 0;
    for (size_t i = 0; i < n; i++) {
        links += count_links (machine, &places[i]);
        tori_placement_crosses (&places[i], machine, count_cross, &crosses);
    }
    fprintf (out, ", %llu links", (unsigned long long)links);
    if (crosses > 0)
        fprintf (out, ", %llu cross-connects", (unsigned long long)crosses);
}

/* ---- for people ---- */

/* The lines of a box in one dimension, by the runs of links that the rule
 * gives them. */
struct wired_lines {
    const tori_machine *machine;
    const tori_placement *place;
    const tori_box *box;
    const tori_link_run *runs;
    int n, dim;
    uint64_t lines;
    bool plain; /* the whole placement is wired by the rule */
};

/* The node of the i-th line at a coordinate. */
static uint32_t node_of_line (const struct wired_lines *w, uint64_t line,
                              uint32_t at)
{
    uint32_t coords[TORI_MAX_DIMS];
    for (int d = w->box->shape.ndims; d-- > 0;) {
        uint32_t side = d == w->dim ? 1 : w->box->shape.size[d];
        coords[d] = (w->box->origin[d] + (uint32_t)(line % side))
                    % tori_machine_size (w->machine, d);
        line /= side;
    }
    coords[w->dim] = at;
    return tori_machine_id (w->machine, coords);
}

static bool in_rule (const struct wired_lines *w, tori_layer layer,
                     uint32_t at)
{
    uint32_t side = tori_machine_size (w->machine, w->dim);
    for (int i = 0; i < w->n; i++)
        if (w->runs[i].layer == layer
            && (at + side - w->runs[i].first) % side < w->runs[i].count)
            return true;
    return false;
}

/* Whether a line has the rule's links and no others. */
static bool by_rule (const struct wired_lines *w, uint64_t line)
{
    for (uint32_t i = 0; i < 2 * tori_machine_size (w->machine, w->dim); i++) {
        tori_link link = {w->dim, i % 2 ? TORI_FAR : TORI_NEAR,
                          node_of_line (w, line, i / 2)};
        if (tori_placement_uses_link (w->place, w->machine, &link)
            != in_rule (w, link.layer, i / 2))
            return false;
    }
    return true;
}

/* A word of a line, which is broken before it becomes too long. */
static size_t print_word (const char *word, size_t column, FILE *out)
{
    size_t length = strlen (word);
    if (column + length > WIDTH) {
        fputs ("\n   ", out);
        column = 3;
    }
    fputs (word, out);
    return column + length;
}

static size_t print_link (const struct wired_lines *w, const tori_link *link,
                          size_t column, FILE *out)
{
    uint32_t a, b;
    char text[32], kind = tori_link_ends (w->machine, link, &a, &b);
    snprintf (text, sizeof text, " %u-%u%c", a, b, kind);
    return print_word (text, column, out);
}

static size_t begin_line (int printed)
{
    return printed > 0 ? (size_t)printed : 0;
}

/* The lines that are wired by the rule, among them this one. */
static void print_rule (const struct wired_lines *w, uint64_t lines, FILE *out)
{
    uint32_t side = tori_machine_size (w->machine, w->dim);
    size_t at = begin_line (
        fprintf (out, "  dimension %d, %llu line%s:", w->dim,
                 (unsigned long long)lines, lines == 1 ? "" : "s"));
    for (int i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->runs[i].count; k++) {
            uint64_t slot = ((uint64_t)w->runs[i].first + k) % side;
            tori_link link = {w->dim, w->runs[i].layer,
                              node_of_line (w, 0, (uint32_t)slot)};
            at = print_link (w, &link, at, out);
        }
    fputc ('\n', out);
}

/* A line that goes around links which are down. */
static void print_line (const struct wired_lines *w, uint64_t line, FILE *out)
{
    uint32_t side = tori_machine_size (w->machine, w->dim);
    char text[TORI_TEXT_MAX];
    size_t at;
    tori_node_format (w->machine, node_of_line (w, line, 0), text);
    at = begin_line (fprintf (out, "  dimension %d, from %s:", w->dim, text));
    for (uint32_t i = 0; i < 2 * side; i++) {
        tori_link link = {w->dim, i < side ? TORI_NEAR : TORI_FAR,
                          node_of_line (w, line, i % side)};
        if (tori_placement_uses_link (w->place, w->machine, &link))
            at = print_link (w, &link, at, out);
    }
    fputc ('\n', out);
}

static void print_dimension (const struct wired_lines *w, FILE *out)
{
    uint64_t rule = w->plain ? w->lines : 0;
    for (uint64_t i = 0; i < w->lines && !w->plain; i++)
        rule += by_rule (w, i);
    if (rule > 0)
        print_rule (w, rule, out);
    for (uint64_t i = 0; i < w->lines && rule < w->lines; i++)
        if (!by_rule (w, i))
            print_line (w, i, out);
}

static void print_box (const tori_machine *machine,
                       const tori_placement *place, const tori_box *box,
                       bool plain, FILE *out)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (machine, box, place->wiring, runs);
    for (int i = 0, next; i < n; i = next) {
        int dim = runs[i].dim;
        struct wired_lines w = {
            machine, place, box, runs + i, 0, dim,
            tori_shape_volume (&box->shape) / box->shape.size[dim], plain};
        for (next = i; next < n && runs[next].dim == dim; next++)
            w.n++;
        print_dimension (&w, out);
    }
}

/* How many links of the rule the placement has, until it lacks one. */
struct rule_links {
    const tori_machine *machine;
    const tori_placement *place;
    uint64_t n;
};

static int count_rule (void *arg, const tori_link *link)
{
    struct rule_links *r = arg;
    r->n++;
    return !tori_placement_uses_link (r->place, r->machine, link);
}

static bool is_plain (const tori_machine *machine, const tori_placement *place)
{
    struct rule_links r = {machine, place, 0};
    for (size_t i = 0; i < place->nboxes; i++)
        if (tori_wiring_each (machine, tori_placement_box (place, i),
                              place->wiring, count_rule, &r))
            return false;
    return r.n == count_links (machine, place);
}

/* ---- a slice ---- */

/* The cubes that are joined in a dimension, each pair once. */
struct joints {
    const tori_machine *machine;
    FILE *out;
    size_t column;
    int dim;
    uint32_t from, to; /* nodes of the last pair, as if first in their cubes */
};

/* The first node of a node's cube, and the cube as text. */
static uint32_t cube_of (const tori_machine *machine, uint32_t node,
                         char text[TORI_TEXT_MAX])
{
    uint32_t coords[TORI_MAX_DIMS];
    int apart = tori_machine_apart (machine);
    size_t at = 0;
    tori_machine_coords (machine, node, coords);
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        if (d >= apart)
            coords[d] = 0;
        else
            at += (size_t)snprintf (text + at, TORI_TEXT_MAX - at, "%s%u",
                                    d ? "," : "", coords[d]);
    return tori_machine_id (machine, coords);
}

static int print_joint (void *arg, const tori_cross *cross)
{
    struct joints *joints = arg;
    char a[TORI_TEXT_MAX], b[TORI_TEXT_MAX], text[2 * TORI_TEXT_MAX + 8];
    uint32_t from = cube_of (joints->machine, cross->from, a);
    uint32_t to = cube_of (joints->machine, cross->to, b);
    bool same = cross->dim == joints->dim;
    if (same && from == joints->from && to == joints->to)
        return 0;
    if (!same) {
        if (joints->dim >= 0)
            fputc ('\n', joints->out);
        joints->column = begin_line (
            fprintf (joints->out, "  dimension %d, cubes:", cross->dim));
    }
    snprintf (text, sizeof text, " %s>%s", a, b);
    joints->column = print_word (text, joints->column, joints->out);
    joints->dim = cross->dim;
    joints->from = from;
    joints->to = to;
    return 0;
}

static void print_joints (const tori_machine *machine,
                          const tori_placement *place, FILE *out)
{
    struct joints joints = {machine, out, .dim = -1};
    tori_placement_crosses (place, machine, print_joint, &joints);
    if (joints.dim >= 0)
        fputc ('\n', out);
}

void print_links (const tori_machine *machine, const tori_placement *place,
                  FILE *out)
{
    bool pod = tori_machine_is_pod (machine);
    bool plain = !pod && is_plain (machine, place);
    if (pod)
        print_joints (machine, place, out);
    for (size_t i = 0; i < place->nboxes && !pod; i++)
        print_box (machine, place, tori_placement_box (place, i), plain, out);
}

struct cross_row {
    const tori_machine *machine;
    tori_cross is;
};

static void emit_port (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct cross_row *row = arg;
    const uint32_t *node = (const void *)((const char *)arg + field->offset);
    emit_node (e, field->name, row->machine, *node);
}

#define AT(member) FIELD_AT (struct cross_row, member)
static const struct field cross_fields[] = {
    {"dim", FIELD_INT, AT (is.dim), "the dimension of the two ports"},
    {"from", FIELD_BY, AT (is.from), "the node whose + port it joins",
     .by = emit_port},
    {"to", FIELD_BY, AT (is.to), "with the - port of this node",
     .by = emit_port},
};
const struct sheet cross_sheet = {"cross", SHEET_FIELDS (cross_fields)};
#undef AT

static int emit_cross (void *arg, const tori_cross *cross)
{
    const struct listing *listing = arg;
    struct cross_row row = {listing->machine, *cross};
    sheet_emit_object (listing->e, NULL, &cross_sheet, &row);
    return ferror (listing->e->out);
}

void emit_crosses (struct emit *e, const char *key,
                   const tori_machine *machine, const tori_placement places[],
                   size_t n)
{
    struct listing listing = {e, machine};
    emit_open (e, key, '[');
    for (size_t i = 0; i < n; i++)
        tori_placement_crosses (&places[i], machine, emit_cross, &listing);
    emit_close (e, ']');
}

/* Coordinates are written as shapes are. */
struct piece_row {
    tori_shape origin, shape, at;
};

#define AT(member) FIELD_AT (struct piece_row, member)
static const struct field piece_fields[] = {
    {"origin", FIELD_SHAPE, AT (origin), "its first node"},
    {"shape", FIELD_SHAPE, AT (shape),
     "its sides, with 1 for those that count cubes"},
    {"at", FIELD_SHAPE, AT (at), "where it begins in the box of the job"},
};
const struct sheet piece_sheet = {"piece", SHEET_FIELDS (piece_fields)};
#undef AT

void emit_pieces (struct emit *e, const char *key, const tori_machine *machine,
                  const tori_placement places[], size_t n)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < places[i].nboxes; k++) {
            const tori_box *box = tori_placement_box (&places[i], k);
            struct piece_row row = {.shape = box->shape};
            row.origin.ndims = tori_machine_ndims (machine);
            row.shape.ndims = row.origin.ndims;
            memcpy (row.origin.size, box->origin, sizeof box->origin);
            row.at.ndims = tori_machine_shape_dims (machine);
            tori_placement_begin (&places[i], machine, k, row.at.size);
            sheet_emit_object (e, NULL, &piece_sheet, &row);
        }
    emit_close (e, ']');
}

void print_pieces (const tori_machine *machine, const tori_placement *place,
                   FILE *out)
{
    tori_shape shape;
    bool joined = place->nboxes > 1
                  && tori_placement_shape (place, machine, &shape);
    for (size_t i = 0; i < place->nboxes; i++) {
        char text[TORI_TEXT_MAX];
        uint32_t at[TORI_MAX_DIMS];
        tori_box_format (tori_placement_box (place, i), text);
        tori_placement_begin (place, machine, i, at);
        fprintf (out, "  %s", text);
        for (int d = 0; joined && d < shape.ndims; d++)
            fprintf (out, "%s%u", d ? "," : " at ", at[d]);
        fputc ('\n', out);
    }
}
