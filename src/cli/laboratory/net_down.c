#include "net_down.h"

static bool is_down (const struct site *site, uint32_t node)
{
    return tori_state_node (site->state, node) == TORI_NODE_DOWN;
}

/* The link by which a node is left, with its slot at the lower end. */
static tori_link link_from (uint32_t node, uint32_t next, int dim, int step)
{
    return (tori_link){.dim = dim, .layer = TORI_NEAR,
                       .slot = step > 0 ? node : next};
}

static int refuse_message (const struct site *site, uint32_t src, uint32_t dst,
                           uint32_t at, uint32_t next, tori_error *err)
{
    char from[TORI_TEXT_MAX], to[TORI_TEXT_MAX], a[TORI_TEXT_MAX],
        b[TORI_TEXT_MAX];
    tori_node_format (site->machine, src, from);
    tori_node_format (site->machine, dst, to);
    tori_node_format (site->machine, at, a);
    tori_node_format (site->machine, next, b);
    if (is_down (site, next))
        return tori_error_set (err, TORI_NOT_NOW,
                               "a message from %.60s to %.60s would meet node "
                               "%.60s, which is down",
                               from, to, b);
    return tori_error_set (err, TORI_NOT_NOW,
                           "a message from %.60s to %.60s would cross the link "
                           "from %.60s to %.60s, which is down",
                           from, to, a, b);
}

static int check_message (const struct site *site, uint32_t src, uint32_t dst,
                          tori_error *err)
{
    uint32_t at = src, next;
    int dim, step;
    if (is_down (site, src))
        return refuse_message (site, src, dst, src, src, err);
    while ((next = tori_route_next (site->machine, src, at, dst, &dim, &step))
           != at) {
        tori_link link = link_from (at, next, dim, step);
        if (is_down (site, next) || tori_state_link_down (site->state, &link))
            return refuse_message (site, src, dst, at, next, err);
        at = next;
    }
    return 0;
}

static int check_job (const struct site *site, const tori_traffic_job *job,
                      tori_error *err)
{
    if (job->pattern == TORI_TRAFFIC_LIST) {
        for (size_t i = 0; i < job->nlist; i++)
            if (check_message (site, job->list[i].src, job->list[i].dst, err)
                < 0)
                return -1;
        return 0;
    }
    for (uint32_t i = 0; i < job->n; i++)
        for (uint32_t j = 0; j < job->n; j++)
            if (check_message (site, job->nodes[i], job->nodes[j], err) < 0)
                return -1;
    return 0;
}

int net_down_check (const struct site *site, tori_routing routing,
                    const struct netjobs *jobs, tori_error *err)
{
    if (!site->files->down && !site->files->down_links)
        return 0;
    if (routing == TORI_ADAPTIVE)
        return tori_error_set (err, TORI_NOT_NOW,
                               "--routing adaptive does not avoid what is "
                               "down: messages could meet it");
    for (size_t i = 0; i < jobs->n; i++)
        if (check_job (site, &jobs->job[i], err) < 0)
            return -1;
    return 0;
}
