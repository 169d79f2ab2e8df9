#include "strike.h"

#include <stdlib.h>

#include "array.h"

void strike_clear (struct strike *strike)
{
    free (strike->nodes);
    free (strike->links);
    free (strike->struck);
}

static int add_node (struct strike *strike, const tori_machine *machine,
                     uint32_t node, tori_error *err)
{
    uint32_t *more = array_room (strike->nodes, &strike->room, strike->n + 1,
                                 sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    strike->nodes = more;
    if (!strike->struck)
        strike->struck
            = calloc (tori_machine_nodes (machine), sizeof *strike->struck);
    if (!strike->struck)
        return tori_error_nomem (err);
    if (!strike->struck[node])
        strike->nodes[strike->n++] = node;
    strike->struck[node] = true;
    return 0;
}

static bool same_link (const tori_link *a, const tori_link *b)
{
    return a->dim == b->dim && a->layer == b->layer && a->slot == b->slot;
}

static int add_link (struct strike *strike, const tori_link *link,
                     tori_error *err)
{
    tori_link *more = array_room (strike->links, &strike->links_room,
                                  strike->nlinks + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    strike->links = more;
    for (size_t i = 0; i < strike->nlinks; i++)
        if (same_link (&strike->links[i], link))
            return 0;
    strike->links[strike->nlinks++] = *link;
    return 0;
}

int strike_add (struct strike *strike, const tori_machine *machine,
                const tori_sim_outage *outage, tori_error *err)
{
    return outage->node == TORI_NO_NODE
               ? add_link (strike, &outage->link, err)
               : add_node (strike, machine, outage->node, err);
}

int64_t strike_happen (struct strike *strike, tori_sched *sched,
                       tori_time now, tori_error *err)
{
    size_t n = strike->n, nlinks = strike->nlinks;
    for (size_t i = 0; i < n; i++)
        strike->struck[strike->nodes[i]] = false;
    strike->n = strike->nlinks = 0;
    if (n + nlinks > 0
        && tori_sched_fail (sched, now, strike->nodes, n, strike->links,
                            nlinks, err)
               < 0)
        return -1;
    return (int64_t)(n + nlinks);
}
