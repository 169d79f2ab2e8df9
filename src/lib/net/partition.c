#include <stdlib.h>

#include <tori/partition.h>

#include "array.h"
#include "grid.h"
#include "usage.h"

/* ---- membership ---- */

/* A view of a partition: a list has its nodes as bits. */
struct part_view {
    const tori_machine *machine;
    const tori_partition *part;
    uint64_t *set; /* of a list */
};

static int view_list (const tori_machine *machine, const tori_partition *part,
                      struct part_view *view, tori_error *err)
{
    uint64_t *set = calloc (bits_words (machine->nodes), sizeof *set);
    if (!set)
        return tori_error_nomem (err);
    for (size_t i = 0; i < part->n; i++) {
        if (node_check (machine, part->nodes[i], err) < 0)
            goto fail;
        if (bits_test (set, part->nodes[i])) {
            tori_error_set (err, TORI_INVALID,
                            "node %u is in a partition twice",
                            part->nodes[i]);
            goto fail;
        }
        bits_set (set, part->nodes[i]);
    }
    *view = (struct part_view){machine, part, set};
    return 0;
fail:
    free (set);
    return -1;
}

static bool holds_node (const struct part_view *view, uint32_t node)
{
    return view->set ? bits_test (view->set, node)
                     : tori_box_contains (view->machine, view->part->box,
                                          node);
}

/* Follow a message; false if it stays. */
static bool leaves_part (const struct part_view *view, uint32_t src,
                         uint32_t dst, tori_escape *ret_escape)
{
    uint32_t at = src;
    int dim, step;
    while (at != dst) {
        at = tori_route_next (view->machine, src, at, dst, &dim, &step);
        if (!holds_node (view, at)) {
            *ret_escape = (tori_escape){src, dst, at};
            return true;
        }
    }
    return false;
}

/* ---- boxes ---- */

/* The node at one corner of a box: the first one, with its last coordinate in
 * dimension `end`, and one of the other parity in dimension `other`; -1 for
 * none. */
static uint32_t find_corner (const tori_machine *machine, const tori_box *box,
                             int end, int other)
{
    uint32_t c[TORI_MAX_DIMS];
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t by = d == end ? box->shape.size[d] - 1 : 0;
        c[d] = (box->origin[d] + by) % machine->shape.size[d];
        if (d == other)
            c[d] = usage_other_parity (machine, box, d, c[d]);
    }
    return tori_machine_id (machine, c);
}

/* Follow the messages between the ends of a side, of both parities if there
 * are such. If they stay in the box, all do. */
static bool side_leaves (const struct part_view *view, const tori_box *box,
                         int dim, tori_escape *ret_escape)
{
    int other = usage_parity_dim (view->machine, box, dim);
    for (int i = 0; i < 4; i++) {
        uint32_t low =
            find_corner (view->machine, box, -1, i / 2 ? other : -1);
        uint32_t high = find_corner (view->machine, box, dim, -1);
        if (leaves_part (view, i % 2 ? high : low, i % 2 ? low : high,
                         ret_escape))
            return true;
    }
    return false;
}

static bool box_leaves (const struct part_view *view, tori_escape *ret_escape)
{
    const tori_machine *machine = view->machine;
    const tori_box *box = view->part->box;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint64_t side = box->shape.size[d], size = machine->shape.size[d];
        if (tori_machine_wraps (machine, d) && side < size
            && 2 * (side - 1) >= size
            && side_leaves (view, box, d, ret_escape))
            return true;
    }
    return false;
}

/* ---- lists ---- */

/* Follow all pairs of its nodes. */
static bool list_leaves (const struct part_view *view, tori_escape *ret_escape)
{
    const tori_partition *part = view->part;
    for (size_t i = 0; i < part->n; i++)
        for (size_t j = 0; j < part->n; j++)
            if (leaves_part (view, part->nodes[i], part->nodes[j], ret_escape))
                return true;
    return false;
}

int tori_partition_closed (const tori_machine *machine,
                           const tori_partition *part, bool *ret_closed,
                           tori_escape *ret_escape, tori_error *err)
{
    struct part_view view = {machine, part, NULL};
    tori_escape escape;
    bool closed;
    if (grid_check (machine, "messages of partitions", err) < 0)
        return -1;
    if (part->box) {
        if (box_check (machine, part->box, err) < 0)
            return -1;
        closed = !box_leaves (&view, &escape);
    } else {
        if (view_list (machine, part, &view, err) < 0)
            return -1;
        closed = !list_leaves (&view, &escape);
        free (view.set);
    }
    *ret_closed = closed;
    if (!closed && ret_escape)
        *ret_escape = escape;
    return 0;
}

/* ---- disturbances ---- */

/* The links of a partition: for a box by dimensions, else as bits. */
struct use {
    const tori_partition *part;
    bool product;
    bool closed; /* a box */
    struct cross cross;
    uint32_t *nodes; /* of a box that is not a product */
    tori_partition list;
    uint64_t *links; /* or NULL */
};

struct uses {
    const tori_machine *machine;
    tori_routing routing;
    struct use *use;
    size_t n;
    tori_disturbance *found;
    size_t nfound, room;
};

/* The link of a bit. */
static void usage_link (const tori_machine *machine, uint64_t bit,
                        tori_disturbance *ret_link)
{
    uint64_t ndims = (uint64_t)machine->shape.ndims;
    uint32_t c, size, next;
    ret_link->from = (uint32_t)(bit / 2 / ndims);
    ret_link->dim = (int)(bit / 2 % ndims);
    ret_link->step = bit % 2 ? -1 : 1;
    c = grid_coord (machine, ret_link->from, ret_link->dim);
    size = machine->shape.size[ret_link->dim];
    next = ret_link->step > 0 ? (c + 1) % size : (c ? c : size) - 1;
    ret_link->to =
        ret_link->from + (next - c) * machine->stride[ret_link->dim];
}

/* The links as bits, made when they are first asked for. */
static int make_links (const struct uses *uses, struct use *use,
                       tori_error *err)
{
    const tori_machine *machine = uses->machine;
    uint64_t *links;
    int status = 0;
    if (use->links)
        return 0;
    links = calloc (bits_words (usage_bits (machine)), sizeof *links);
    if (!links)
        return tori_error_nomem (err);
    if (use->product)
        usage_fill_box (machine, &use->cross, links);
    else
        status = usage_fill_list (machine, uses->routing, use->list.nodes,
                                  use->list.n, links, err);
    if (status < 0) {
        free (links);
        return -1;
    }
    use->links = links;
    return 0;
}

static int prepare_use (struct uses *uses, const tori_partition *part,
                        struct use *use, tori_error *err)
{
    const tori_machine *machine = uses->machine;
    struct part_view view = {machine, part, NULL};
    tori_escape escape;
    *use = (struct use){.part = part, .list = *part};
    if (!part->box) {
        if (view_list (machine, part, &view, err) < 0)
            return -1;
        free (view.set);
        return 0;
    }
    if (box_check (machine, part->box, err) < 0)
        return -1;
    use->closed = !box_leaves (&view, &escape);
    use->product = usage_is_product (machine, uses->routing, part->box);
    if (use->product)
        return usage_of_box (machine, uses->routing, part->box, &use->cross,
                             err);
    use->list.n = (size_t)tori_shape_volume (&part->box->shape);
    use->nodes = malloc (use->list.n * sizeof *use->nodes);
    if (!use->nodes)
        return tori_error_nomem (err);
    tori_box_nodes (machine, part->box, use->nodes);
    use->list.nodes = use->nodes;
    return 0;
}

static bool first_common (const uint64_t *a, const uint64_t *b, uint64_t bits,
                          uint64_t *ret_bit)
{
    for (size_t w = 0; w < bits_words (bits); w++)
        if (a[w] & b[w]) {
            *ret_bit = 64 * w + (unsigned)__builtin_ctzll (a[w] & b[w]);
            return true;
        }
    return false;
}

/* Two boxes. The first common coordinates of all dimensions make the first
 * link of each dimension and direction. */
static bool cross_common (const tori_machine *machine, const struct cross *a,
                          const struct cross *b, uint64_t *ret_bit)
{
    uint64_t first[TORI_MAX_DIMS], best = UINT64_MAX;
    int missing = 0, where = -1, ndims = machine->shape.ndims;
    for (int d = 0; d < ndims; d++) {
        first[d] = 0;
        if (!first_common (a->cover[d], b->cover[d], machine->shape.size[d],
                           &first[d])) {
            missing++;
            where = d;
        }
    }
    for (int i = 0; i < 2 * ndims && missing < 2; i++) {
        int d = i / 2;
        uint64_t c, node = 0, bit;
        if ((missing && where != d)
            || !first_common (a->way[d][i % 2], b->way[d][i % 2],
                              machine->shape.size[d], &c))
            continue;
        for (int e = 0; e < ndims; e++)
            node += (e == d ? c : first[e]) * machine->stride[e];
        bit = usage_bit (machine, (uint32_t)node, d, i % 2);
        if (bit < best)
            best = bit;
    }
    *ret_bit = best;
    return best != UINT64_MAX;
}

static int find_shared (const struct uses *uses, struct use *a, struct use *b,
                        uint64_t *ret_bit, tori_error *err)
{
    if (a->closed && b->closed
        && !tori_box_overlap (uses->machine, a->part->box, b->part->box))
        return 0;
    if (a->product && b->product)
        return cross_common (uses->machine, &a->cross, &b->cross, ret_bit);
    if (make_links (uses, a, err) < 0 || make_links (uses, b, err) < 0)
        return -1;
    return first_common (a->links, b->links, usage_bits (uses->machine),
                         ret_bit);
}

static int add_pair (struct uses *uses, size_t i, size_t j, uint64_t bit,
                     tori_error *err)
{
    tori_disturbance link = {.part = {i, j}};
    tori_disturbance *more = array_room (uses->found, &uses->room,
                                         uses->nfound + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    uses->found = more;
    usage_link (uses->machine, bit, &link);
    for (int k = 0; k < 2; k++) {
        const struct use *use = &uses->use[link.part[k]];
        if (use->product)
            usage_pair_of_box (uses->machine, use->part->box, &link,
                               &link.src[k], &link.dst[k]);
        else
            usage_pair_of_list (uses->machine, uses->routing, use->list.nodes,
                                use->list.n, &link, &link.src[k],
                                &link.dst[k]);
    }
    uses->found[uses->nfound++] = link;
    return 0;
}

static int compare_all (struct uses *uses, tori_error *err)
{
    for (size_t i = 0; i < uses->n; i++)
        for (size_t j = i + 1; j < uses->n; j++) {
            uint64_t bit;
            int common =
                find_shared (uses, &uses->use[i], &uses->use[j], &bit, err);
            if (common < 0
                || (common > 0 && add_pair (uses, i, j, bit, err) < 0))
                return -1;
        }
    return 0;
}

int tori_partition_disturb (const tori_machine *machine, tori_routing routing,
                            const tori_partition parts[], size_t n,
                            tori_disturbance **ret_list, size_t *ret_n,
                            tori_error *err)
{
    struct uses uses = {.machine = machine, .routing = routing};
    int status = 0;
    if (grid_check (machine, "messages of partitions", err) < 0)
        return -1;
    if ((unsigned)routing > TORI_ADAPTIVE)
        return tori_error_set (err, TORI_INVALID, "there is no routing %u",
                               (unsigned)routing);
    uses.use = calloc (n + 1, sizeof *uses.use);
    if (!uses.use)
        return tori_error_nomem (err);
    for (; status == 0 && uses.n < n; uses.n++)
        status = prepare_use (&uses, &parts[uses.n], &uses.use[uses.n], err);
    if (status == 0)
        status = compare_all (&uses, err);
    for (size_t i = 0; i < uses.n; i++) {
        usage_clear (&uses.use[i].cross);
        free (uses.use[i].nodes);
        free (uses.use[i].links);
    }
    free (uses.use);
    if (status < 0) {
        free (uses.found);
        return -1;
    }
    *ret_list = uses.found;
    *ret_n = uses.nfound;
    return 0;
}
