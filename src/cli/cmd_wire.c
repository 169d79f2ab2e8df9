/* tori wire - which links partitions take. Partitions are wired in the order
 * of the file, each with what those before it have left. */
#include "commands.h"
#include "emit.h"
#include "links.h"
#include "site.h"
#include "terminal.h"

struct values {
    struct site_files site;
    bool json;
};

static const struct option options[] = {
    SITE_MACHINE (struct values),
    {"partitions", OPTION_STRING, offsetof (struct values, site.partitions),
     "FILE", .file = FILE_READ, .required = true,
     .help = "the partitions: a box and mesh, torus or none a line"},
    SITE_DOWN_LINKS (struct values),
    SITE_WRAP (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- they can be wired ---- */

static void emit_partition (struct emit *e, const struct site *site,
                            const struct partition *partition)
{
    char text[TORI_TEXT_MAX];
    tori_box_format (&partition->box, text);
    emit_open (e, NULL, '{');
    emit_text (e, "box", text);
    emit_text (e, "wiring", tori_wiring_name (partition->wiring));
    emit_links (e, "links", site->machine, &partition->box, partition->wiring);
    emit_close (e, '}');
}

static int emit_answer (const struct site *site, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    emit_open (&e, NULL, '{');
    emit_flag (&e, "ok", true);
    emit_open (&e, "partitions", '[');
    for (size_t i = 0; i < site->partitions; i++)
        emit_partition (&e, site, &site->partition[i]);
    emit_close (&e, ']');
    emit_count (&e, "used", tori_state_links_taken (site->state));
    emit_count (&e, "total", tori_machine_links (site->machine));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const struct site *site, FILE *out)
{
    for (size_t i = 0; i < site->partitions; i++) {
        const struct partition *partition = &site->partition[i];
        char text[TORI_TEXT_MAX];
        tori_box_format (&partition->box, text);
        fprintf (out, "%s %s\n", text, tori_wiring_name (partition->wiring));
        print_links (site->machine, &partition->box, partition->wiring, out);
    }
    fprintf (out, "%llu of %llu links used\n",
             (unsigned long long)tori_state_links_taken (site->state),
             (unsigned long long)tori_machine_links (site->machine));
}

/* ---- they cannot ---- */

static int emit_conflict (const struct site *site, size_t i,
                          const struct conflict *conflict, const char *detail,
                          FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    uint32_t line[TORI_MAX_DIMS];
    emit_open (&e, NULL, '{');
    emit_flag (&e, "ok", false);
    emit_open (&e, conflict->never ? "never" : "conflict", '{');
    emit_count (&e, "partition", i);
    if (!conflict->never) {
        if (conflict->down)
            emit_null (&e, "with");
        else
            emit_count (&e, "with", conflict->with);
        emit_count (&e, "dim", (uint64_t)conflict->link.dim);
        emit_counts (&e, "line", line,
                     (size_t)link_line (site->machine, &conflict->link, line));
    }
    emit_text (&e, "detail", detail);
    emit_close (&e, '}');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int refuse (const struct site *site, size_t i,
                   const struct conflict *conflict, const char *detail,
                   bool json, FILE *out, tori_error *err)
{
    if (json && emit_conflict (site, i, conflict, detail, out, err) < 0)
        return -1;
    if (!json) {
        char text[TORI_TEXT_MAX];
        tori_box_format (&site->partition[i].box, text);
        fprintf (out, "%s:%zu: %s %s: %s\n", site->files->partitions,
                 site->partition[i].line, text,
                 conflict->never ? "can never be wired" : "cannot be wired",
                 detail);
    }
    return conflict->never ? TORI_NEVER : TORI_NOT_NOW;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct site site;
    struct conflict conflict;
    int status = site_open (&v->site, &site, err);
    for (size_t i = 0; status == 0 && i < site.partitions; i++) {
        tori_error why;
        status = site_wire (&site, i, &conflict, &why);
        if (status > 0)
            status = refuse (&site, i, &conflict, why.text, v->json, out, err);
        else if (status < 0)
            *err = why;
    }
    if (status == 0 && v->json)
        status = emit_answer (&site, out, err);
    else if (status == 0)
        print_answer (&site, out);
    site_close (&site);
    return status;
}

const struct command command_wire = {
    .name = "wire",
    .summary = "Tell which links partitions take, or why they cannot have "
               "them",
    .notes = "Partitions are wired in the order of the file. In JSON they are "
             "counted from 0 in that order, \"line\" holds the other "
             "coordinates of a line, and a link is of kind n (neighbour), s "
             "(folded ring of a multi-torus) or w (wrap of a torus). A "
             "conflict \"with\" null is with a link that is down.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori wire --machine multitorus:8x8x8 --partitions FILE",
    .status = {[0] = "all partitions are wired",
               [3] = "a partition needs a link that is taken or down",
               [4] = "a partition can never be wired so on this machine"},
    .run = run,
};
