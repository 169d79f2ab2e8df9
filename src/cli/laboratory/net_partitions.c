#include "net_partitions.h"

#include <stdlib.h>

#include "fieldrows.h"
#include "traffic_result.h"

int net_partitions_find (const tori_machine *machine, tori_routing routing,
                         const struct netjobs *jobs,
                         struct net_partitions *ret_parts, tori_error *err)
{
    tori_partition *list = calloc (jobs->n + 1, sizeof *list);
    struct net_partitions *parts = ret_parts;
    int status = 0;
    *parts = (struct net_partitions){
        .machine = machine,
        .jobs = jobs,
        .closed = calloc (jobs->n + 1, sizeof *parts->closed),
        .escape = calloc (jobs->n + 1, sizeof *parts->escape),
    };
    if (!list || !parts->closed || !parts->escape)
        status = tori_error_nomem (err);
    for (size_t i = 0; i < jobs->n && status == 0; i++) {
        list[i].box = &jobs->box[i];
        status = tori_partition_closed (machine, &list[i], &parts->closed[i],
                                        &parts->escape[i], err);
    }
    if (status == 0)
        status = tori_partition_disturb (machine, routing, list, jobs->n,
                                         &parts->disturb, &parts->ndisturb,
                                         err);
    free (list);
    return status;
}

void net_partitions_clear (struct net_partitions *parts)
{
    free (parts->closed);
    free (parts->escape);
    free (parts->disturb);
    *parts = (struct net_partitions){0};
}

/* ---- JSON ---- */

struct escape_row {
    const tori_machine *machine;
    tori_escape is;
};

/* The nodes of a route in dimension order, with both ends. */
static void emit_route (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct escape_row *row = arg;
    uint32_t at = row->is.src, next;
    int dim, step;
    emit_open (e, field->name, '[');
    emit_node (e, NULL, row->machine, at);
    while ((next = tori_route_next (row->machine, row->is.src, at, row->is.dst,
                                    &dim, &step))
           != at) {
        emit_node (e, NULL, row->machine, next);
        at = next;
    }
    emit_close (e, ']');
}

#define AT(member) FIELD_AT (struct escape_row, member)
static const struct field escape_fields[] = {
    {"src", FIELD_BY, AT (is.src), "its source", .by = node_emit},
    {"dst", FIELD_BY, AT (is.dst), "its destination", .by = node_emit},
    {"outside", FIELD_BY, AT (is.outside),
     "the first node on its way that is outside", .by = node_emit},
    {"route", FIELD_LIST, .about = "all nodes on its way, with both ends",
     .by = emit_route},
};
SHEET (escape);
#undef AT

static void emit_closed (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct net_partition *part = arg;
    emit_flag (e, field->name, part->all->closed[part->i]);
}

static bool is_open (const struct field *field, const void *arg)
{
    const struct net_partition *part = arg;
    return !part->all->closed[part->i];
}

static void emit_escape (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct net_partition *part = arg;
    struct escape_row row = {part->all->machine, part->all->escape[part->i]};
    sheet_emit_object (e, field->name, field->group, &row);
}

static const struct field net_partition_fields[] = {
    {"closed", FIELD_BY, .about = "whether its messages stay inside its box",
     .by = emit_closed},
    {"escape", FIELD_BY, .about = "if not: a message that leaves it",
     .group = &escape_sheet, .by = emit_escape, .when = is_open},
};
const struct sheet net_partition_sheet = {"net partition",
                                          SHEET_FIELDS (net_partition_fields)};

/* A link that two partitions share. */
struct disturb_row {
    const tori_machine *machine;
    tori_disturbance is;
};

struct message_row {
    const tori_machine *machine;
    uint32_t src, dst;
};

static void emit_pair (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct disturb_row *row = arg;
    emit_open (e, field->name, '[');
    for (int k = 0; k < 2; k++)
        emit_count (e, NULL, row->is.part[k]);
    emit_close (e, ']');
}

static void emit_messages (struct emit *e, const struct field *field,
                           const void *arg)
{
    const struct disturb_row *row = arg;
    emit_open (e, field->name, '[');
    for (int k = 0; k < 2; k++) {
        struct message_row message = {row->machine, row->is.src[k],
                                      row->is.dst[k]};
        sheet_emit_object (e, NULL, field->group, &message);
    }
    emit_close (e, ']');
}

#define AT(member) FIELD_AT (struct message_row, member)
static const struct field message_fields[] = {
    {"src", FIELD_BY, AT (src), "its source", .by = node_emit},
    {"dst", FIELD_BY, AT (dst), "its destination", .by = node_emit},
};
SHEET (message);
#undef AT

#define AT(member) FIELD_AT (struct disturb_row, member)
static const struct field shared_fields[] = {
    {"from", FIELD_BY, AT (is.from), "the node that it leaves",
     .by = node_emit},
    {"to", FIELD_BY, AT (is.to), "the node that it enters", .by = node_emit},
    {"dim", FIELD_INT, AT (is.dim), "the dimension along which it lies"},
    {"step", FIELD_INT, AT (is.step), "1 or -1: the way it goes"},
};
SHEET (shared);

static const struct field disturb_fields[] = {
    {"jobs", FIELD_LIST, .about = "the two, counted from 0", .by = emit_pair},
    {"link", FIELD_GROUP, .about = "the first link that both may use",
     .group = &shared_sheet},
    {"messages", FIELD_LIST, .about = "a message of each that may use it",
     .group = &message_sheet, .by = emit_messages},
};
const struct sheet disturb_sheet = {"disturb", SHEET_FIELDS (disturb_fields)};
#undef AT

void net_disturb_emit (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct net_partitions *parts =
        (const void *)((const char *)arg + field->offset);
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < parts->ndisturb; i++) {
        struct disturb_row row = {parts->machine, parts->disturb[i]};
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

/* ---- text ---- */

/* The text lives as long as the expression that contains it. */
struct node_text {
    char text[TORI_TEXT_MAX];
};

static struct node_text text_of (const tori_machine *machine, uint32_t node)
{
    struct node_text text;
    tori_node_format (machine, node, text.text);
    return text;
}

void net_partitions_print (const struct net_partitions *parts, FILE *out)
{
    const tori_machine *machine = parts->machine;
    fputc ('\n', out);
    for (size_t i = 0; i < parts->jobs->n; i++) {
        const tori_escape *escape = &parts->escape[i];
        if (parts->closed[i])
            fprintf (out, "%s is closed\n", parts->jobs->name[i]);
        else
            fprintf (out, "%s is open: a message from %s to %s leaves it at "
                     "%s\n",
                     parts->jobs->name[i], text_of (machine, escape->src).text,
                     text_of (machine, escape->dst).text,
                     text_of (machine, escape->outside).text);
    }
    for (size_t i = 0; i < parts->ndisturb; i++) {
        const tori_disturbance *both = &parts->disturb[i];
        fprintf (out, "%s and %s share the link from %s to %s: messages from "
                 "%s to %s and from %s to %s\n",
                 parts->jobs->name[both->part[0]],
                 parts->jobs->name[both->part[1]],
                 text_of (machine, both->from).text,
                 text_of (machine, both->to).text,
                 text_of (machine, both->src[0]).text,
                 text_of (machine, both->dst[0]).text,
                 text_of (machine, both->src[1]).text,
                 text_of (machine, both->dst[1]).text);
    }
}
