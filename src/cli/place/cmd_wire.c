/* tori wire - which links partitions take, and which conflicts there are. */
#include "asked.h"
#include "commands.h"
#include "conflicts.h"
#include "fieldrows.h"
#include "links.h"
#include "forecast_rows.h"
#include "grid.h"
#include "machine_options.h"
#include "terminal.h"

struct values {
    struct machine_options site;
    int64_t rings;
    bool json;
};

static const struct option options[] = {
    SITE_MACHINE (struct values),
    SITE_LINKS (struct values),
    {"partitions", OPTION_STRING, offsetof (struct values, site.partitions),
     "FILE", .file = FILE_READ, .required = true,
     .help = "the partitions: per line one box and mesh, torus or "
             "none, or for each dimension m or t, such as tmm"},
    SITE_DOWN_LINKS (struct values),
    SITE_WRAP (struct values),
    {"rings", OPTION_INTEGER, offsetof (struct values, rings), "N", .min = 2,
     .max = LINKAGE_NODES,
     .help = "on a machine of one dimension: also list every set of so many "
             "free nodes, adjacent or not, that free links could wire as a "
             "ring, with the links"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- which rings there could be ---- */

/* The free part of a line. */
struct rings {
    int64_t size;        /* that is asked for; 0: none */
    struct linkage *own; /* if the machine has none */
    const struct linkage *line;
    uint32_t free, busy;
};

static int open_rings (const struct values *v, const struct site *site,
                       struct rings *rings, tori_error *err)
{
    const tori_machine *machine = site->machine;
    *rings = (struct rings){.size = v->rings, .line = machine->line[0]};
    if (!v->rings)
        return 0;
    if (machine->shape.ndims != 1)
        return tori_error_set (err, TORI_INVALID,
                               "--rings: expected a machine of one dimension, "
                               "such as torus:8+2-7");
    if (!rings->line) {
        if (linkage_create (machine->kind[0], machine->shape.size[0],
                            &rings->own, err)
                < 0
            || linkage_close (rings->own, err) < 0)
            return -1;
        rings->line = rings->own;
    }
    for (uint32_t i = 0; i < 2 * machine->nodes; i++) {
        tori_link link = {0, (tori_layer)(i / machine->nodes),
                          i % machine->nodes};
        rings->busy |= (uint32_t)(tori_state_link_taken (site->state, &link)
                                  || tori_state_link_down (site->state, &link))
                       << i;
        if (i < machine->nodes && tori_state_is_free (site->state, i))
            rings->free |= UINT32_C (1) << i;
    }
    return 0;
}

/* The next set of so many free nodes that can be a ring, in ascending order:
 * its links; 0 after the last. *nodes is 0 at first. */
static uint32_t next_ring (const struct rings *rings, uint32_t *nodes)
{
    while (++*nodes < UINT32_C (1) << rings->line->size)
        if (__builtin_popcount (*nodes) == rings->size
            && !(*nodes & ~rings->free)) {
            uint32_t links = linkage_ring (rings->line, *nodes, rings->busy);
            if (links)
                return links;
        }
    return 0;
}

static void print_rings (const struct rings *rings, FILE *out)
{
    const struct linkage *line = rings->line;
    uint32_t nodes = 0, links;
    size_t n = 0;
    for (; (links = next_ring (rings, &nodes)); n++) {
        fprintf (out, "ring of");
        for (uint32_t i = 0; i < line->size; i++)
            if (nodes >> i & 1)
                fprintf (out, " %u", i);
        fprintf (out, ":");
        for (uint32_t i = 0; i < 2 * line->size; i++)
            if (links >> i & 1)
                fprintf (out, " %u-%u%c", line->ends[i][0], line->ends[i][1],
                         line->kind[i]);
        fprintf (out, "\n");
    }
    fprintf (out, "%zu set%s of %lld free nodes can be a ring\n", n,
             n == 1 ? "" : "s", (long long)rings->size);
}

/* ---- as JSON ---- */

/* The findings, as the row of the answer. */
struct wired {
    const struct site *site;
    const struct conflicts *conflicts;
    struct rings rings;
    bool ok;
    uint64_t used, total; /* links */
};

static void emit_partition_links (struct emit *e, const struct field *field,
                                  const void *arg)
{
    const struct partition_row *row = arg;
    emit_links (e, field->name, row->site->machine,
                &row->site->partition[row->i].place, 1);
}

static void emit_partition_pieces (struct emit *e, const struct field *field,
                                   const void *arg)
{
    const struct partition_row *row = arg;
    emit_pieces (e, field->name, row->site->machine,
                 &row->site->partition[row->i].place, 1);
}

static void emit_partition_crosses (struct emit *e, const struct field *field,
                                    const void *arg)
{
    const struct partition_row *row = arg;
    emit_crosses (e, field->name, row->site->machine,
                  &row->site->partition[row->i].place, 1);
}

static bool is_on_pod (const struct field *field, const void *arg)
{
    const struct partition_row *row = arg;
    return tori_machine_is_pod (row->site->machine);
}

static const struct field partition_fields[] = {
    BESIDE (partition_row),
    {"links", FIELD_LIST, .about = "the links that it takes",
     .group = &link_sheet, .by = emit_partition_links},
    {"pieces", FIELD_LIST, .about = "on a pod: the boxes that are joined",
     .group = &piece_sheet, .by = emit_partition_pieces, .when = is_on_pod},
    {"cross_connects", FIELD_LIST,
     .about = "on a pod: which ports the switches join", .group = &cross_sheet,
     .by = emit_partition_crosses, .when = is_on_pod},
};
SHEET (partition);

static void emit_partitions (struct emit *e, const struct field *field,
                             const void *arg)
{
    struct partition_row row = {((const struct wired *)arg)->site};
    emit_open (e, field->name, '[');
    for (; row.i < row.site->partitions; row.i++)
        sheet_emit_object (e, NULL, field->group, &row);
    emit_close (e, ']');
}

/* A ring: its nodes and links as bits. */
struct ring_row {
    const tori_machine *machine;
    uint32_t size, nodes, links;
};

static void emit_ring_nodes (struct emit *e, const struct field *field,
                             const void *arg)
{
    const struct ring_row *row = arg;
    emit_open (e, field->name, '[');
    for (uint32_t i = 0; i < row->size; i++)
        if (row->nodes >> i & 1)
            emit_counts (e, NULL, &i, 1);
    emit_close (e, ']');
}

static void emit_ring_links (struct emit *e, const struct field *field,
                             const void *arg)
{
    const struct ring_row *row = arg;
    emit_open (e, field->name, '[');
    for (uint32_t i = 0; i < 2 * row->size; i++)
        if (row->links >> i & 1)
            emit_link (
                e, row->machine,
                &(tori_link){0, (tori_layer)(i / row->size), i % row->size});
    emit_close (e, ']');
}

static const struct field ring_fields[] = {
    {"nodes", FIELD_LIST, .about = "the nodes", .by = emit_ring_nodes},
    {"links", FIELD_LIST, .about = "the links that would wire them",
     .group = &link_sheet, .by = emit_ring_links},
};
SHEET (ring);

static void emit_rings (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct wired *wired = arg;
    struct ring_row row = {wired->site->machine, wired->rings.line->size};
    emit_open (e, field->name, '[');
    while ((row.links = next_ring (&wired->rings, &row.nodes)))
        sheet_emit_object (e, NULL, field->group, &row);
    emit_close (e, ']');
}

struct conflict_row {
    const struct conflict *is;
    size_t partition, with;
    int dim;
    tori_shape line; /* coordinates, as if they were sides */
    char detail[CONFLICT_TEXT];
};

static struct conflict_row row_of (const struct site *site,
                                   const struct conflict *conflict)
{
    struct conflict_row row = {conflict, conflict->partition, conflict->with,
                               conflict->link.dim};
    if (!conflict->never)
        row.line.ndims =
            link_line (site->machine, &conflict->link, row.line.size);
    conflict_format (site, conflict, row.detail);
    return row;
}

static void emit_with (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct conflict_row *row = arg;
    if (row->is->down)
        emit_null (e, field->name);
    else
        emit_count (e, field->name, row->with);
}

#define AT(member) FIELD_AT (struct conflict_row, member)
static const struct field conflict_fields[] = {
    {"partition", FIELD_SIZE, AT (partition),
     "which one, counted from 0, in the order of the file"},
    {"with", FIELD_BY,
     .about = "the partition that has the link; null if the link is down",
     .by = emit_with},
    {"dim", FIELD_INT, AT (dim), "the dimension of the link"},
    {"line", FIELD_SHAPE, AT (line), "the other coordinates of its line"},
    {"detail", FIELD_CHARS, AT (detail), "the same in words"},
};
SHEET (conflict);

static const struct field never_fields[] = {
    {"partition", FIELD_SIZE, AT (partition),
     "which one, counted from 0, in the order of the file"},
    {"detail", FIELD_CHARS, AT (detail), "why not"},
};
SHEET (never);
#undef AT

/* The first conflict that is permanent, or that is not. */
static const struct conflict *first_of (const struct conflicts *all,
                                        bool never)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].never == never)
            return &all->item[i];
    return NULL;
}

static bool is_for_never (const struct field *field)
{
    return field->group == &never_sheet;
}

static bool has_conflict (const struct field *field, const void *arg)
{
    const struct wired *wired = arg;
    return first_of (wired->conflicts, is_for_never (field));
}

static void emit_conflict (struct emit *e, const struct field *field,
                           const void *arg)
{
    const struct wired *wired = arg;
    struct conflict_row row = row_of (
        wired->site, first_of (wired->conflicts, is_for_never (field)));
    sheet_emit_object (e, field->name, field->group, &row);
}

static void emit_conflicts (struct emit *e, const struct field *field,
                            const void *arg)
{
    const struct wired *wired = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < wired->conflicts->n; i++) {
        const struct conflict *conflict = &wired->conflicts->item[i];
        struct conflict_row row = row_of (wired->site, conflict);
        if (conflict->never == is_for_never (field))
            sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static bool is_wired (const struct field *field, const void *arg)
{
    return ((const struct wired *)arg)->ok;
}

static bool has_rings (const struct field *field, const void *arg)
{
    return ((const struct wired *)arg)->rings.size > 0;
}

#define AT(member) FIELD_AT (struct wired, member)
static const struct field wire_fields[] = {
    {"ok", FIELD_FLAG, AT (ok), "whether all partitions can be wired"},
    {"partitions", FIELD_LIST, .about = "what each partition takes",
     .group = &partition_sheet, .by = emit_partitions, .when = is_wired},
    {"used", FIELD_COUNT, AT (used), "links that are taken", .when = is_wired},
    {"total", FIELD_COUNT, AT (total), "links of the machine",
     .when = is_wired},
    {"rings", FIELD_LIST,
     .about = "with --rings: the sets of free nodes that free links can wire "
              "as a ring",
     .group = &ring_sheet, .by = emit_rings, .when = has_rings},
    {"never", FIELD_BY,
     .about = "the first partition that can never be wired this way on this "
              "machine",
     .group = &never_sheet, .by = emit_conflict, .when = has_conflict},
    {"nevers", FIELD_LIST, .about = "all such partitions",
     .group = &never_sheet, .by = emit_conflicts, .when = has_conflict},
    {"conflict", FIELD_BY, .about = "the first conflict",
     .group = &conflict_sheet, .by = emit_conflict, .when = has_conflict},
    {"conflicts", FIELD_LIST, .about = "all conflicts",
     .group = &conflict_sheet, .by = emit_conflicts, .when = has_conflict},
};
static ANSWER (wire);

/* ---- for people ---- */

static void print_answer (const struct wired *wired, FILE *out)
{
    const struct site *site = wired->site;
    for (size_t i = 0; i < site->partitions; i++) {
        const struct partition *partition = &site->partition[i];
        char text[PLACE_TEXT_MAX], wiring[TORI_TEXT_MAX];
        place_format (site->machine, &partition->place, text);
        tori_wiring_format (site->machine, partition->place.wiring, wiring);
        fprintf (out, "%s %s\n", text, wiring);
        print_links (site->machine, &partition->place, out);
    }
    fprintf (out, "%llu of %llu links used\n", (unsigned long long)wired->used,
             (unsigned long long)wired->total);
    if (wired->rings.size)
        print_rings (&wired->rings, out);
}

static void print_refusal (const struct site *site,
                           const struct conflicts *all, FILE *out)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct conflict *conflict = &all->item[i];
        const struct partition *p = &site->partition[conflict->partition];
        char box[PLACE_TEXT_MAX], text[CONFLICT_TEXT];
        place_format (site->machine, &p->place, box);
        conflict_format (site, conflict, text);
        fprintf (
            out, "%s:%zu: %s %s: %s\n", site->files->partitions, p->line, box,
            conflict->never ? "can never be wired" : "cannot be wired", text);
    }
}

static int status_of (const struct conflicts *conflicts)
{
    if (conflicts->n == 0)
        return 0;
    return first_of (conflicts, true) ? TORI_NEVER : TORI_NOT_NOW;
}

static int answer_partitions (const struct values *v, struct wired *wired,
                              FILE *out, tori_error *err)
{
    const struct site *site = wired->site;
    wired->ok = wired->conflicts->n == 0;
    wired->used = tori_state_links_taken (site->state);
    wired->total = tori_machine_links (site->machine);
    if (wired->ok && open_rings (v, site, &wired->rings, err) < 0)
        return -1;
    if (v->json && asked_emit (&command_wire, v, wired, out, err) < 0)
        return -1;
    if (!v->json && wired->ok)
        print_answer (wired, out);
    else if (!v->json)
        print_refusal (site, wired->conflicts, out);
    return status_of (wired->conflicts);
}

static int run_wire (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct site site;
    struct conflicts conflicts = {0};
    struct wired wired = {.site = &site, .conflicts = &conflicts};
    int status = -1;
    if (site_open (&v->site, &site, err) == 0
        && conflicts_find (&site, &conflicts, err) == 0)
        status = answer_partitions (v, &wired, out, err);
    linkage_destroy (wired.rings.own);
    conflicts_clear (&conflicts);
    site_close (&site);
    return status;
}

const struct command command_wire = {
    .name = "wire",
    .summary = "Show which links partitions take, or why they cannot have "
               "them",
    .notes = "All conflicts are listed: for each partition, every earlier one "
             "in the file that needs a link in common, with the first such "
             "link, and the first of its links that is down. In JSON, "
             "partitions are counted from 0, \"line\" holds the other "
             "coordinates of a line, and the kind of a link is n (neighbour), "
             "s (folded ring of a multi-torus), w (wrap link of a torus), x, "
             "y or z (given with --links or in the machine's text), + or - "
             "(port of a switch, on a pod). A slice of a pod has several "
             "boxes, its pieces, in row-major order, and after them how many "
             "there are along each dimension: 0/4x4x4 5/4x4x4 2x1x1 torus. "
             "Which cubes are joined is listed, from a + face to a - face. On "
             "a multi-torus, partitions are wired around links that are down "
             "where possible, and on lines with given links by any that are "
             "free; conflicts refer to the links of the usual rule. "
             "\"conflict\" is the first of \"conflicts\"; if \"with\" is "
             "null, the link is down. \"never\" and \"nevers\" are partitions "
             "that this machine can never wire in this way.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori wire --machine multitorus:8x8x8 --partitions FILE",
    .status = {[0] = "all partitions are wired",
               [3] = "a partition needs a link that is taken or down",
               [4] = "a partition can never be wired in this way on this "
                     "machine"},
    .answer = &answer_wire,
    .run = run_wire,
};
