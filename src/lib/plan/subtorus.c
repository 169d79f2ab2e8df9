#include <tori/subtorus.h>

int tori_subtorus_check (const tori_machine *machine, const tori_shape *shape,
                         tori_error *err)
{
    int ndims = tori_machine_ndims (machine);
    if (shape->ndims != ndims)
        return tori_error_set (err, TORI_INVALID,
                               "a shape of %d dimensions on a machine of %d",
                               shape->ndims, ndims);
    for (int d = 0; d < ndims; d++) {
        uint32_t side = tori_machine_size (machine, d);
        if (tori_machine_kind (machine, d) != TORI_TORUS)
            return tori_error_set (err, TORI_NEVER,
                                   "dimension %d of the machine is not a torus, "
                                   "so it has no subtori",
                                   d);
        if (shape->size[d] > side)
            return tori_error_set (err, TORI_NEVER,
                                   "%u nodes in dimension %d of the machine, "
                                   "which has %u",
                                   shape->size[d], d, side);
        if (shape->size[d] == 0 || side % shape->size[d])
            return tori_error_set (err, TORI_NEVER,
                                   "%u nodes do not divide dimension %d of "
                                   "the machine, which has %u",
                                   shape->size[d], d, side);
    }
    return 0;
}

uint32_t tori_subtorus_stride (const tori_machine *machine,
                               const tori_shape *shape, int dim)
{
    return tori_machine_size (machine, dim) / shape->size[dim];
}

uint32_t tori_subtorus_count (const tori_machine *machine,
                              const tori_shape *shape)
{
    return tori_machine_nodes (machine)
           / (uint32_t)tori_shape_volume (shape);
}

/* Offsets from a number, row-major, one dimension left out. */
static void unrank_offsets (const tori_machine *machine,
                            const tori_shape *shape, int without,
                            uint32_t index, uint32_t offset[])
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        uint32_t stride = tori_subtorus_stride (machine, shape, d);
        if (d == without)
            continue;
        offset[d] = index % stride;
        index /= stride;
    }
}

void tori_subtorus_at (const tori_machine *machine, const tori_shape *shape,
                       uint32_t index, tori_subtorus *ret_subtorus)
{
    ret_subtorus->shape = *shape;
    unrank_offsets (machine, shape, -1, index, ret_subtorus->offset);
}

uint32_t tori_subtorus_index (const tori_machine *machine,
                              const tori_subtorus *subtorus)
{
    uint32_t index = 0;
    for (int d = 0; d < subtorus->shape.ndims; d++)
        index = index * tori_subtorus_stride (machine, &subtorus->shape, d)
                + subtorus->offset[d];
    return index;
}

/* ---- nodes and links ---- */

/* Whether a node has the offsets of a subtorus, one dimension left out. */
static bool agrees_with (const tori_machine *machine,
                         const tori_subtorus *subtorus, uint32_t id,
                         int without)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, id, coords);
    for (int d = 0; d < subtorus->shape.ndims; d++) {
        uint32_t stride = tori_subtorus_stride (machine, &subtorus->shape, d);
        if (d != without && coords[d] % stride != subtorus->offset[d])
            return false;
    }
    return true;
}

bool tori_subtorus_contains (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t id)
{
    return agrees_with (machine, subtorus, id, -1);
}

/* Step to the next node of a subtorus; false past the end. */
static bool next_node (const tori_machine *machine,
                       const tori_subtorus *subtorus, uint32_t coords[])
{
    for (int d = subtorus->shape.ndims - 1; d >= 0; d--) {
        coords[d] += tori_subtorus_stride (machine, &subtorus->shape, d);
        if (coords[d] < tori_machine_size (machine, d))
            return true;
        coords[d] = subtorus->offset[d];
    }
    return false;
}

void tori_subtorus_nodes (const tori_machine *machine,
                          const tori_subtorus *subtorus, uint32_t ids[])
{
    uint32_t coords[TORI_MAX_DIMS];
    for (int d = 0; d < subtorus->shape.ndims; d++)
        coords[d] = subtorus->offset[d];
    do
        *ids++ = tori_machine_id (machine, coords);
    while (next_node (machine, subtorus, coords));
}

uint32_t tori_subtorus_span (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t node,
                             int dim, tori_link links[])
{
    uint32_t stride = tori_subtorus_stride (machine, &subtorus->shape, dim);
    uint32_t side = tori_machine_size (machine, dim);
    uint32_t coords[TORI_MAX_DIMS];
    if (side < 2)
        return 0;
    tori_machine_coords (machine, node, coords);
    for (uint32_t i = 0; i < stride; i++) {
        links[i] = (tori_link){dim, TORI_NEAR,
                               tori_machine_id (machine, coords)};
        coords[dim] = (coords[dim] + 1) % side;
    }
    return stride;
}

bool tori_subtorus_uses (const tori_machine *machine,
                         const tori_subtorus *subtorus, const tori_link *link)
{
    return link->layer == TORI_NEAR
           && tori_machine_size (machine, link->dim) > 1
           && agrees_with (machine, subtorus, link->slot, link->dim);
}

/* ---- shared nodes and links ---- */

static uint32_t find_gcd (uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The number of dimensions in which two subtori disagree; the last of
 * these. */
static int count_disagreements (const tori_machine *machine,
                                const tori_subtorus *a, const tori_subtorus *b,
                                int *ret_dim)
{
    int n = 0;
    for (int d = 0; d < a->shape.ndims; d++) {
        uint32_t common =
            find_gcd (tori_subtorus_stride (machine, &a->shape, d),
                      tori_subtorus_stride (machine, &b->shape, d));
        if (a->offset[d] % common != b->offset[d] % common) {
            *ret_dim = d;
            n++;
        }
    }
    return n;
}

bool tori_subtorus_node_disjoint (const tori_machine *machine,
                                  const tori_subtorus *a,
                                  const tori_subtorus *b)
{
    int dim;
    return count_disagreements (machine, a, b, &dim) > 0;
}

/* Subtori with a node in common have the rings through it in common, if the
 * machine has any. A dimension of disagreement has two nodes or more. */
bool tori_subtorus_link_disjoint (const tori_machine *machine,
                                  const tori_subtorus *a,
                                  const tori_subtorus *b)
{
    int dim, n = count_disagreements (machine, a, b, &dim);
    return n > 1 || (n == 0 && tori_machine_nodes (machine) == 1);
}

int tori_subtorus_shared_dim (const tori_machine *machine,
                              const tori_subtorus *a, const tori_subtorus *b)
{
    int dim = -1;
    return count_disagreements (machine, a, b, &dim) == 1 ? dim : -1;
}

/* ---- link-disjoint sets ---- */

static int longest_stride (const tori_machine *machine,
                           const tori_shape *shape)
{
    int longest = 0;
    for (int d = 1; d < shape->ndims; d++)
        if (tori_subtorus_stride (machine, shape, d)
            > tori_subtorus_stride (machine, shape, longest))
            longest = d;
    return longest;
}

uint32_t tori_subtorus_sets (const tori_machine *machine,
                             const tori_shape *shape)
{
    return tori_subtorus_stride (machine, shape,
                                 longest_stride (machine, shape));
}

uint32_t tori_subtorus_set_size (const tori_machine *machine,
                                 const tori_shape *shape)
{
    return tori_subtorus_count (machine, shape)
           / tori_subtorus_sets (machine, shape);
}

void tori_subtorus_of_set (const tori_machine *machine,
                           const tori_shape *shape, uint32_t set, uint32_t i,
                           tori_subtorus *ret_subtorus)
{
    int longest = longest_stride (machine, shape);
    uint64_t sum = set;
    ret_subtorus->shape = *shape;
    unrank_offsets (machine, shape, longest, i, ret_subtorus->offset);
    for (int d = 0; d < shape->ndims; d++)
        if (d != longest)
            sum += ret_subtorus->offset[d];
    ret_subtorus->offset[longest] =
        (uint32_t)(sum % tori_subtorus_stride (machine, shape, longest));
}
