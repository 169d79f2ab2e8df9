/* usage_pair.c - a message of a partition that can go over a given link. */
#include "grid.h"
#include "usage.h"

/* The distance from x to y round a dimension, in the direction of the
 * steps. */
static uint32_t distance_ahead (const tori_machine *machine, int dim, int step,
                                uint32_t x, uint32_t y)
{
    uint32_t size = machine->shape.size[dim];
    return step > 0 ? (y + size - x) % size : (x + size - y) % size;
}

/* Whether a message from a to b passes, or may turn at, this coordinate. */
static bool passes_coord (const tori_machine *machine, uint32_t a, uint32_t b,
                          int dim, uint32_t c)
{
    uint32_t x = grid_coord (machine, a, dim);
    uint32_t y = grid_coord (machine, b, dim);
    int step = usage_step (machine, a, b, dim);
    if (step == 0)
        return x == c;
    return distance_ahead (machine, dim, step, x, c)
           <= distance_ahead (machine, dim, step, x, y);
}

static bool crosses_link (const tori_machine *machine, uint32_t a, uint32_t b,
                          const tori_disturbance *link)
{
    uint32_t x = grid_coord (machine, a, link->dim);
    uint32_t y = grid_coord (machine, b, link->dim);
    uint32_t c = grid_coord (machine, link->from, link->dim);
    return usage_step (machine, a, b, link->dim) == link->step
           && distance_ahead (machine, link->dim, link->step, x, c)
                  < distance_ahead (machine, link->dim, link->step, x, y);
}

/* Whether the route from a to b may have the link. */
static bool goes_over (const tori_machine *machine, tori_routing routing,
                       uint32_t a, uint32_t b, const tori_disturbance *link)
{
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t c = grid_coord (machine, link->from, d);
        if (d == link->dim)
            continue;
        if (routing == TORI_ADAPTIVE
                ? !passes_coord (machine, a, b, d, c)
                : grid_coord (machine, d < link->dim ? b : a, d) != c)
            return false;
    }
    return crosses_link (machine, a, b, link);
}

/* ---- boxes ---- */

static uint32_t end_of (const tori_machine *machine, const tori_box *box,
                        int dim)
{
    return (uint32_t)(((uint64_t)box->origin[dim] + box->shape.size[dim] - 1)
                      % machine->shape.size[dim]);
}

static bool in_box (const tori_machine *machine, const tori_box *box, int dim,
                    uint32_t c)
{
    return distance_ahead (machine, dim, 1, box->origin[dim], c)
           < box->shape.size[dim];
}

/* Outside the box a message goes from one end to the other; inside, from a
 * node to its neighbour. */
static void choose_ends (const tori_machine *machine, const tori_box *box,
                         int dim, uint32_t c, uint32_t next, int step,
                         uint32_t *ret_x, uint32_t *ret_y)
{
    bool inside = in_box (machine, box, dim, c)
                  && in_box (machine, box, dim, next);
    uint32_t low = box->origin[dim], high = end_of (machine, box, dim);
    *ret_x = inside ? c : step > 0 ? high : low;
    *ret_y = inside ? next : step > 0 ? low : high;
}

/* Another coordinate of the box in a dimension other than the link's changes
 * the parity of a message that would go half round a ring the wrong way, but
 * not its line. */
static void change_parity (const tori_machine *machine, const tori_box *box,
                           int dim, uint32_t src[], uint32_t dst[])
{
    int d = usage_parity_dim (machine, box, dim);
    if (d >= 0 && d < dim)
        src[d] = usage_other_parity (machine, box, d, src[d]);
    else if (d >= 0)
        dst[d] = usage_other_parity (machine, box, d, dst[d]);
}

void usage_pair_of_box (const tori_machine *machine, const tori_box *box,
                        const tori_disturbance *link, uint32_t *ret_src,
                        uint32_t *ret_dst)
{
    uint32_t src[TORI_MAX_DIMS], dst[TORI_MAX_DIMS];
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t c = grid_coord (machine, link->from, d);
        uint32_t next = grid_coord (machine, link->to, d);
        if (d != link->dim && in_box (machine, box, d, c))
            src[d] = dst[d] = c;
        else
            choose_ends (machine, box, d, c, next, link->step, &src[d],
                         &dst[d]);
    }
    *ret_src = tori_machine_id (machine, src);
    *ret_dst = tori_machine_id (machine, dst);
    if (crosses_link (machine, *ret_src, *ret_dst, link))
        return;
    change_parity (machine, box, link->dim, src, dst);
    *ret_src = tori_machine_id (machine, src);
    *ret_dst = tori_machine_id (machine, dst);
}

/* ---- lists of nodes ---- */

void usage_pair_of_list (const tori_machine *machine, tori_routing routing,
                         const uint32_t nodes[], size_t n,
                         const tori_disturbance *link, uint32_t *ret_src,
                         uint32_t *ret_dst)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (goes_over (machine, routing, nodes[i], nodes[j], link)) {
                *ret_src = nodes[i];
                *ret_dst = nodes[j];
                return;
            }
}
