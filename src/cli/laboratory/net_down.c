#include "net_down.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "grid.h"
#include "targets.h"

/* What is down, and the routes that are looked at. */
struct check {
    const struct site *site;
    bool adaptive;
    uint32_t *node;  /* that are down */
    tori_link *link; /* the same */
    size_t nodes, nodes_room, links, links_room;
};

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

/* The message would meet what is down between two neighbours; or could, if it
 * has several routes. */
static int refuse_message (const struct check *check, uint32_t src,
                           uint32_t dst, uint32_t at, uint32_t next,
                           tori_error *err)
{
    const struct site *site = check->site;
    const char *verb = check->adaptive ? "could" : "would";
    char from[TORI_TEXT_MAX], to[TORI_TEXT_MAX], a[TORI_TEXT_MAX],
        b[TORI_TEXT_MAX];
    tori_node_format (site->machine, src, from);
    tori_node_format (site->machine, dst, to);
    tori_node_format (site->machine, at, a);
    tori_node_format (site->machine, next, b);
    if (is_down (site, next))
        return tori_error_set (err, TORI_NOT_NOW,
                               "a message from %.60s to %.60s %s meet node "
                               "%.60s, which is down",
                               from, to, verb, b);
    return tori_error_set (err, TORI_NOT_NOW,
                           "a message from %.60s to %.60s %s cross the link "
                           "from %.60s to %.60s, which is down",
                           from, to, verb, a, b);
}

/* ---- dimension order ---- */

static int check_route (const struct check *check, uint32_t src, uint32_t dst,
                        tori_error *err)
{
    const struct site *site = check->site;
    uint32_t at = src, next;
    int dim, step;
    if (is_down (site, src))
        return refuse_message (check, src, dst, src, src, err);
    while ((next = tori_route_next (site->machine, src, at, dst, &dim, &step))
           != at) {
        tori_link link = link_from (at, next, dim, step);
        if (is_down (site, next) || tori_state_link_down (site->state, &link))
            return refuse_message (check, src, dst, at, next, err);
        at = next;
    }
    return 0;
}

/* ---- adaptive routing ---- */

/* All shortest routes of a message: in each dimension it goes one way, and how
 * far. */
struct routes {
    const tori_machine *machine;
    uint32_t from[TORI_MAX_DIMS], far[TORI_MAX_DIMS];
    int step[TORI_MAX_DIMS];
};

static struct routes find_routes (const tori_machine *machine, uint32_t src,
                                  uint32_t dst)
{
    struct routes routes = {.machine = machine};
    uint32_t at = src, next;
    int dim, step;
    tori_machine_coords (machine, src, routes.from);
    while ((next = tori_route_next (machine, src, at, dst, &dim, &step))
           != at) {
        routes.step[dim] = step;
        routes.far[dim]++;
        at = next;
    }
    return routes;
}

/* How many steps on the way of a dimension a coordinate is; more than the way
 * has if it is not on it. */
static uint32_t steps_to (const struct routes *routes, int dim, uint32_t c)
{
    uint32_t size = (uint32_t)tori_machine_size (routes->machine, dim);
    uint32_t up = (c + size - routes->from[dim]) % size;
    return routes->step[dim] < 0 ? (size - up) % size : up;
}

static bool passes_node (const struct routes *routes, uint32_t node)
{
    for (int d = 0; d < tori_machine_ndims (routes->machine); d++)
        if (steps_to (routes, d, grid_coord (routes->machine, node, d))
            > routes->far[d])
            return false;
    return true;
}

/* The node at the upper end of a link. */
static uint32_t upper_end (const tori_machine *machine, const tori_link *link)
{
    uint32_t c = grid_coord (machine, link->slot, link->dim);
    uint32_t size = (uint32_t)tori_machine_size (machine, link->dim);
    return link->slot + ((c + 1) % size - c) * machine->stride[link->dim];
}

/* Whether a link is on some route, and the node before it. */
static bool passes_link (const struct routes *routes, const tori_link *link,
                         uint32_t *ret_before, uint32_t *ret_after)
{
    const tori_machine *machine = routes->machine;
    uint32_t low = link->slot, high = upper_end (machine, link);
    int step = routes->step[link->dim];
    *ret_before = step > 0 ? low : high;
    *ret_after = step > 0 ? high : low;
    return step != 0 && passes_node (routes, low) && passes_node (routes, high)
           && steps_to (routes, link->dim,
                        grid_coord (machine, *ret_after, link->dim))
                  == steps_to (routes, link->dim,
                               grid_coord (machine, *ret_before, link->dim))
                         + 1;
}

static int check_routes (const struct check *check, uint32_t src, uint32_t dst,
                         tori_error *err)
{
    const struct routes routes
        = find_routes (check->site->machine, src, dst);
    uint32_t before, after;
    for (size_t i = 0; i < check->nodes; i++)
        if (passes_node (&routes, check->node[i]))
            return refuse_message (check, src, dst, src, check->node[i], err);
    for (size_t i = 0; i < check->links; i++)
        if (passes_link (&routes, &check->link[i], &before, &after))
            return refuse_message (check, src, dst, before, after, err);
    return 0;
}

static int add_node (struct check *check, uint32_t node, tori_error *err)
{
    uint32_t *more = array_room (check->node, &check->nodes_room,
                                 check->nodes + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    check->node = more;
    more[check->nodes++] = node;
    return 0;
}

static int add_link (struct check *check, const tori_link *link,
                     tori_error *err)
{
    tori_link *more = array_room (check->link, &check->links_room,
                                  check->links + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    check->link = more;
    more[check->links++] = *link;
    return 0;
}

static int list_down (struct check *check, tori_error *err)
{
    const tori_machine *machine = check->site->machine;
    for (uint32_t node = 0; node < tori_machine_nodes (machine); node++) {
        if (is_down (check->site, node) && add_node (check, node, err) < 0)
            return -1;
        for (int d = 0; d < tori_machine_ndims (machine); d++) {
            tori_link link = {.dim = d, .layer = TORI_NEAR, .slot = node};
            if (tori_state_link_down (check->site->state, &link)
                && add_link (check, &link, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* ---- the messages ---- */

static int check_message (const struct check *check, uint32_t src,
                          uint32_t dst, tori_error *err)
{
    return check->adaptive ? check_routes (check, src, dst, err)
                           : check_route (check, src, dst, err);
}

/* Whether every node may send to every other one. */
static bool sends_to_all (const tori_traffic_job *job)
{
    const tori_pattern_info *is
        = job->pattern < 0 ? NULL : tori_pattern_list ((size_t)job->pattern);
    return is && (!strcmp (is->name, "all-to-all")
                  || !strcmp (is->name, "random"));
}

static int check_pairs (const struct check *check, const tori_traffic_job *job,
                        tori_error *err)
{
    for (uint32_t i = 0; i < job->n; i++)
        for (uint32_t j = 0; j < job->n; j++)
            if (i != j
                && check_message (check, job->nodes[i], job->nodes[j], err)
                       < 0)
                return -1;
    return 0;
}

static int check_phases (const struct check *check,
                         const tori_traffic_job *job, tori_error *err)
{
    uint32_t *target = calloc ((size_t)job->n + 1, sizeof *target);
    int status = target ? 0 : tori_error_nomem (err);
    for (uint64_t p = 0; status == 0 && p < targets_phases (job); p++) {
        targets_fill (job, p, 1, target);
        for (uint32_t i = 0; status == 0 && i < job->n; i++)
            if (target[i] != i)
                status = check_message (check, job->nodes[i],
                                        job->nodes[target[i]], err);
    }
    free (target);
    return status;
}

static int check_list (const struct check *check, const tori_traffic_job *job,
                       tori_error *err)
{
    for (size_t i = 0; i < job->nlist; i++)
        if (check_message (check, job->list[i].src, job->list[i].dst, err) < 0)
            return -1;
    return 0;
}

static int check_job (const struct check *check, const tori_traffic_job *job,
                      tori_error *err)
{
    if (job->pattern == TORI_TRAFFIC_LIST)
        return check_list (check, job, err);
    return sends_to_all (job) ? check_pairs (check, job, err)
                              : check_phases (check, job, err);
}

int net_down_check (const struct site *site, tori_routing routing,
                    const struct netjobs *jobs, tori_error *err)
{
    struct check check = {.site = site, .adaptive = routing == TORI_ADAPTIVE};
    int status = 0;
    if (!site->files->down && !site->files->down_links)
        return 0;
    if (check.adaptive)
        status = list_down (&check, err);
    for (size_t i = 0; status == 0 && i < jobs->n; i++)
        status = check_job (&check, &jobs->job[i], err);
    free (check.node);
    free (check.link);
    return status;
}
