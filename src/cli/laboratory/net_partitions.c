#include "net_partitions.h"

#include <stdlib.h>

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

/* The nodes of a route in dimension order, with both ends. */
static void emit_route (struct emit *e, const tori_machine *machine,
                        uint32_t src, uint32_t dst)
{
    uint32_t at = src, next;
    int dim, step;
    emit_open (e, "route", '[');
    emit_node (e, NULL, machine, at);
    while ((next = tori_route_next (machine, src, at, dst, &dim, &step))
           != at) {
        emit_node (e, NULL, machine, next);
        at = next;
    }
    emit_close (e, ']');
}

void net_partitions_emit_job (struct emit *e,
                              const struct net_partitions *parts, size_t job)
{
    const tori_escape *escape = &parts->escape[job];
    emit_flag (e, "closed", parts->closed[job]);
    if (parts->closed[job])
        return;
    emit_open (e, "escape", '{');
    emit_node (e, "src", parts->machine, escape->src);
    emit_node (e, "dst", parts->machine, escape->dst);
    emit_node (e, "outside", parts->machine, escape->outside);
    emit_route (e, parts->machine, escape->src, escape->dst);
    emit_close (e, '}');
}

static void emit_disturbance (struct emit *e, const tori_machine *machine,
                              const tori_disturbance *both)
{
    emit_open (e, NULL, '{');
    emit_open (e, "jobs", '[');
    for (int k = 0; k < 2; k++)
        emit_count (e, NULL, both->part[k]);
    emit_close (e, ']');
    emit_open (e, "link", '{');
    emit_node (e, "from", machine, both->from);
    emit_node (e, "to", machine, both->to);
    emit_whole (e, "dim", both->dim);
    emit_whole (e, "step", both->step);
    emit_close (e, '}');
    emit_open (e, "messages", '[');
    for (int k = 0; k < 2; k++) {
        emit_open (e, NULL, '{');
        emit_node (e, "src", machine, both->src[k]);
        emit_node (e, "dst", machine, both->dst[k]);
        emit_close (e, '}');
    }
    emit_close (e, ']');
    emit_close (e, '}');
}

void net_partitions_emit (struct emit *e, const struct net_partitions *parts)
{
    emit_open (e, "disturb", '[');
    for (size_t i = 0; i < parts->ndisturb; i++)
        emit_disturbance (e, parts->machine, &parts->disturb[i]);
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
