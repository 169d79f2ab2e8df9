/* tori wire - which links partitions take, and which conflicts there are. */
#include "asked.h"
#include "commands.h"
#include "conflicts.h"
#include "emit.h"
#include "fields.h"
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
    struct linkage *own; /* if the machine has none */
    const struct linkage *line;
    uint32_t free, busy;
};

static int open_rings (const struct values *v, const struct site *site,
                       struct rings *rings, tori_error *err)
{
    const tori_machine *machine = site->machine;
    *rings = (struct rings){.line = machine->line[0]};
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
static uint32_t next_ring (const struct rings *rings, int64_t n,
                           uint32_t *nodes)
{
    while (++*nodes < UINT32_C (1) << rings->line->size)
        if (__builtin_popcount (*nodes) == n && !(*nodes & ~rings->free)) {
            uint32_t links = linkage_ring (rings->line, *nodes, rings->busy);
            if (links)
                return links;
        }
    return 0;
}

static void emit_rings (struct emit *e, const struct values *v,
                        const struct site *site, const struct rings *rings)
{
    uint32_t nodes = 0, links, size = rings->line->size;
    emit_open (e, "rings", '[');
    while ((links = next_ring (rings, v->rings, &nodes))) {
        emit_open (e, NULL, '{');
        emit_open (e, "nodes", '[');
        for (uint32_t i = 0; i < size; i++)
            if (nodes >> i & 1)
                emit_counts (e, NULL, &i, 1);
        emit_close (e, ']');
        emit_open (e, "links", '[');
        for (uint32_t i = 0; i < 2 * size; i++)
            if (links >> i & 1)
                emit_link (e, site->machine,
                           &(tori_link){0, (tori_layer)(i / size), i % size});
        emit_close (e, ']');
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void print_rings (const struct values *v, const struct rings *rings,
                         FILE *out)
{
    const struct linkage *line = rings->line;
    uint32_t nodes = 0, links;
    size_t n = 0;
    for (; (links = next_ring (rings, v->rings, &nodes)); n++) {
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
             n == 1 ? "" : "s",
             (long long)v->rings);
}

/* ---- they can be wired ---- */

static void emit_partition (struct emit *e, const struct site *site,
                            const struct partition *partition)
{
    emit_open (e, NULL, '{');
    partition_emit (e, site, partition);
    emit_links (e, "links", site->machine, &partition->place, 1);
    if (tori_machine_is_pod (site->machine))
        emit_slices (e, site->machine, &partition->place, 1);
    emit_close (e, '}');
}

static int emit_answer (const struct values *v, const struct site *site,
                        const struct rings *rings, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "wire", &command_wire, v);
    emit_flag (&e, "ok", true);
    emit_open (&e, "partitions", '[');
    for (size_t i = 0; i < site->partitions; i++)
        emit_partition (&e, site, &site->partition[i]);
    emit_close (&e, ']');
    emit_count (&e, "used", tori_state_links_taken (site->state));
    emit_count (&e, "total", tori_machine_links (site->machine));
    if (v->rings)
        emit_rings (&e, v, site, rings);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const struct site *site, FILE *out)
{
    for (size_t i = 0; i < site->partitions; i++) {
        const struct partition *partition = &site->partition[i];
        char text[PLACE_TEXT_MAX], wiring[TORI_TEXT_MAX];
        place_format (site->machine, &partition->place, text);
        tori_wiring_format (site->machine, partition->place.wiring, wiring);
        fprintf (out, "%s %s\n", text, wiring);
        print_links (site->machine, &partition->place, out);
    }
    fprintf (out, "%llu of %llu links used\n",
             (unsigned long long)tori_state_links_taken (site->state),
             (unsigned long long)tori_machine_links (site->machine));
}

/* ---- they cannot ---- */

static void emit_conflict (struct emit *e, const char *key,
                           const struct site *site,
                           const struct conflict *conflict)
{
    uint32_t line[TORI_MAX_DIMS];
    char text[CONFLICT_TEXT];
    conflict_format (site, conflict, text);
    emit_open (e, key, '{');
    emit_count (e, "partition", conflict->partition);
    if (!conflict->never) {
        if (conflict->down)
            emit_null (e, "with");
        else
            emit_count (e, "with", conflict->with);
        emit_count (e, "dim", (uint64_t)conflict->link.dim);
        emit_counts (e, "line", line,
                     (size_t)link_line (site->machine, &conflict->link, line));
    }
    emit_text (e, "detail", text);
    emit_close (e, '}');
}

/* Emit the first conflict and all conflicts: the permanent ones, or the
 * others. */
static size_t emit_kind (struct emit *e, const struct site *site,
                         const struct conflicts *all, bool never)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].never == never && n++ == 0) {
            emit_conflict (e, never ? "never" : "conflict", site,
                           &all->item[i]);
            emit_open (e, never ? "nevers" : "conflicts", '[');
        }
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].never == never)
            emit_conflict (e, NULL, site, &all->item[i]);
    if (n > 0)
        emit_close (e, ']');
    return n;
}

static int emit_refusal (const struct values *v, const struct site *site,
                         const struct conflicts *all, FILE *out,
                         tori_error *err)
{
    struct emit e = emit_to (out);
    size_t never;
    asked_open (&e, "wire", &command_wire, v);
    emit_flag (&e, "ok", false);
    never = emit_kind (&e, site, all, true);
    (void)emit_kind (&e, site, all, false);
    emit_close (&e, '}');
    if (emit_end (&e, err) < 0)
        return -1;
    return never > 0 ? TORI_NEVER : TORI_NOT_NOW;
}

static int print_refusal (const struct site *site, const struct conflicts *all,
                          FILE *out)
{
    int status = TORI_NOT_NOW;
    for (size_t i = 0; i < all->n; i++) {
        const struct conflict *conflict = &all->item[i];
        const struct partition *p = &site->partition[conflict->partition];
        char box[PLACE_TEXT_MAX], text[CONFLICT_TEXT];
        place_format (site->machine, &p->place, box);
        conflict_format (site, conflict, text);
        fprintf (out, "%s:%zu: %s %s: %s\n", site->files->partitions, p->line,
                 box,
                 conflict->never ? "can never be wired" : "cannot be wired",
                 text);
        if (conflict->never)
            status = TORI_NEVER;
    }
    return status;
}

static int print_wire (const struct values *v, const struct site *site,
                       const struct conflicts *conflicts, FILE *out,
                       tori_error *err)
{
    struct rings rings;
    int status = 0;
    if (conflicts->n > 0)
        return v->json ? emit_refusal (v, site, conflicts, out, err)
                       : print_refusal (site, conflicts, out);
    if (open_rings (v, site, &rings, err) < 0)
        status = -1;
    else if (v->json)
        status = emit_answer (v, site, &rings, out, err);
    else
        print_answer (site, out);
    if (status == 0 && v->rings && !v->json)
        print_rings (v, &rings, out);
    linkage_destroy (rings.own);
    return status;
}

static int run_wire (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct site site;
    struct conflicts conflicts = {0};
    int status = -1;
    if (site_open (&v->site, &site, err) == 0
        && conflicts_find (&site, &conflicts, err) == 0)
        status = print_wire (v, &site, &conflicts, out, err);
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
