#include "usage.h"

#include <stdlib.h>

#include "grid.h"

/* Whether the way half round a ring is upwards, by whether the coordinates of
 * source and destination make an odd sum, and by the parity of the coordinate
 * it goes to. */
struct ties {
    bool up[2][2];
};

/* A line of a dimension, and the messages that enter it and leave it: a bit
 * for each parity of their source and their destination, by coordinate. */
struct usage_line {
    uint32_t size;
    bool wraps;
    struct ties ties;
    const uint8_t *from, *to;
};

enum { EVEN = 1, ODD = 2 };
#define NONE UINT32_MAX

/* ---- routing ---- */

int usage_step (const tori_machine *machine, uint32_t a, uint32_t b, int dim)
{
    uint32_t behind = machine->stride[dim] * machine->shape.size[dim];
    uint32_t at = b / behind * behind + a % behind;
    int d = 0, step = 0;
    if (grid_coord (machine, a, dim) == grid_coord (machine, b, dim))
        return 0;
    tori_route_next (machine, a, at, b, &d, &step);
    return step;
}

static unsigned parity_of (const tori_machine *machine, uint32_t node)
{
    uint32_t sum = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        sum += grid_coord (machine, node, d);
    return sum & 1;
}

uint32_t usage_other_parity (const tori_machine *machine, const tori_box *box,
                             int dim, uint32_t c)
{
    for (uint32_t i = 0; i < box->shape.size[dim] && i < 3; i++) {
        uint32_t other = (box->origin[dim] + i) % machine->shape.size[dim];
        if (other % 2 != c % 2)
            return other;
    }
    return c;
}

int usage_parity_dim (const tori_machine *machine, const tori_box *box,
                      int dim)
{
    for (int d = 0; d < machine->shape.ndims; d++)
        if (d != dim
            && usage_other_parity (machine, box, d, box->origin[d])
                   != box->origin[d])
            return d;
    return -1;
}

/* Ask the routing, so that there is one definition of it. */
static struct ties ties_of (const tori_machine *machine, int dim)
{
    uint32_t size = machine->shape.size[dim], half = size / 2;
    tori_box whole = {.shape = machine->shape};
    int other = usage_parity_dim (machine, &whole, dim);
    struct ties ties = {0};
    if (!tori_machine_wraps (machine, dim) || size % 2 || size == 0)
        return ties;
    for (uint32_t t = 0; t < 2; t++)
        for (unsigned odd = 0; odd < 2; odd++) {
            uint32_t src = (t + half) % size * machine->stride[dim];
            if (half % 2 != odd && other >= 0)
                src += machine->stride[other];
            ties.up[odd][t] =
                usage_step (machine, src, t * machine->stride[dim], dim) > 0;
        }
    return ties;
}

/* ---- one line ---- */

static bool tie_goes (const struct usage_line *line, bool down, uint32_t x,
                      uint32_t y)
{
    unsigned f = line->from[x], t = line->to[y];
    bool even = f & t, odd = (f & EVEN && t & ODD) || (f & ODD && t & EVEN);
    return (even && line->ties.up[0][y & 1] != down)
           || (odd && line->ties.up[1][y & 1] != down);
}

/* Coordinates are counted from the other end to look downwards. */
static uint32_t coord_at (const struct usage_line *line, bool down, uint32_t i)
{
    i %= line->size;
    return down ? line->size - 1 - i : i;
}

/* How far messages go that enter at place i; last[j] is the last place up to j
 * at which messages leave the line. */
static uint32_t find_reach (const struct usage_line *line, bool down,
                            uint32_t i, const uint32_t last[])
{
    uint32_t size = line->size, x = coord_at (line, down, i), end;
    if (!line->from[x])
        return 0;
    if (line->wraps && size % 2 == 0
        && tie_goes (line, down, x, coord_at (line, down, i + size / 2)))
        return size / 2;
    end = last[line->wraps ? i + (size - 1) / 2 : size - 1];
    return end == NONE || end < i ? 0 : end - i;
}

/* The coordinates at which messages go on upwards, or downwards. `last` has
 * room for two lines. On a ring the second time round adds messages from the
 * end of the first. */
static void line_links (const struct usage_line *line, bool down,
                        uint32_t last[], uint64_t *ret_set)
{
    uint32_t size = line->size, seen = NONE;
    uint64_t until = 0;
    for (uint32_t i = 0; i < 2 * size; i++) {
        if (line->to[coord_at (line, down, i)])
            seen = i;
        last[i] = seen;
    }
    for (uint64_t i = 0; i < (line->wraps ? 2 : 1) * (uint64_t)size; i++) {
        uint32_t place = (uint32_t)(i % size);
        uint64_t end = i + find_reach (line, down, place, last);
        if (end > until)
            until = end;
        if (until > i)
            bits_set (ret_set, coord_at (line, down, place));
    }
}

/* ---- boxes ---- */

static bool has_tie (const tori_machine *machine, const tori_box *box, int dim)
{
    uint32_t size = machine->shape.size[dim], side = box->shape.size[dim];
    return tori_machine_wraps (machine, dim) && size % 2 == 0 && side > 1
           && (size == 2 || 2 * (side - 1) == size);
}

bool usage_is_product (const tori_machine *machine, tori_routing routing,
                       const tori_box *box)
{
    if (routing != TORI_ADAPTIVE)
        return true;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (has_tie (machine, box, d))
            return false;
    return true;
}

static int make_sets (const tori_machine *machine, struct cross *cross,
                      tori_error *err)
{
    *cross = (struct cross){0};
    for (int d = 0; d < machine->shape.ndims; d++) {
        size_t words = bits_words (machine->shape.size[d]);
        uint64_t *sets = calloc (3 * words, sizeof *sets);
        if (!sets) {
            usage_clear (cross);
            return tori_error_nomem (err);
        }
        cross->cover[d] = sets;
        cross->way[d][0] = sets + words;
        cross->way[d][1] = sets + 2 * words;
    }
    return 0;
}

void usage_clear (struct cross *cross)
{
    for (int d = 0; d < TORI_MAX_DIMS; d++)
        free (cross->cover[d]);
    *cross = (struct cross){0};
}

/* One dimension of a box. If any other dimension has coordinates of both
 * parities, there are messages of both. */
static int cross_dim (const tori_machine *machine, tori_routing routing,
                      const tori_box *box, int dim, struct cross *cross,
                      tori_error *err)
{
    uint32_t size = machine->shape.size[dim], side = box->shape.size[dim];
    bool both = usage_parity_dim (machine, box, dim) >= 0;
    uint8_t *mask = calloc (size, 1);
    uint32_t *last = malloc (2 * (size_t)size * sizeof *last);
    struct usage_line line = {size, tori_machine_wraps (machine, dim),
                        ties_of (machine, dim), mask, mask};
    int status = 0;
    if (!mask || !last) {
        status = tori_error_nomem (err);
        goto done;
    }
    for (uint32_t i = 0; i < side; i++) {
        uint32_t x = (uint32_t)(((uint64_t)box->origin[dim] + i) % size);
        mask[x] = both ? EVEN | ODD : x % 2 ? ODD : EVEN;
        bits_set (cross->cover[dim], x);
    }
    if (routing == TORI_ADAPTIVE && line.wraps
        && 2 * (uint64_t)(side - 1) > size)
        bits_set_range (cross->cover[dim], 0, size);
    for (int down = 0; down < 2; down++)
        line_links (&line, down, last, cross->way[dim][down]);
done:
    free (mask);
    free (last);
    return status;
}

int usage_of_box (const tori_machine *machine, tori_routing routing,
                  const tori_box *box, struct cross *ret_cross,
                  tori_error *err)
{
    struct cross cross;
    if (make_sets (machine, &cross, err) < 0)
        return -1;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (cross_dim (machine, routing, box, d, &cross, err) < 0) {
            usage_clear (&cross);
            return -1;
        }
    *ret_cross = cross;
    return 0;
}

void usage_fill_box (const tori_machine *machine, const struct cross *cross,
                     uint64_t *links)
{
    int ndims = machine->shape.ndims;
    for (uint32_t u = 0; u < machine->nodes; u++) {
        int missing = 0, where = -1;
        for (int d = 0; d < ndims && missing < 2; d++)
            if (!bits_test (cross->cover[d], grid_coord (machine, u, d))) {
                missing++;
                where = d;
            }
        for (int d = 0; d < ndims && missing < 2; d++)
            for (int down = 0; down < 2 && (!missing || where == d); down++)
                if (bits_test (cross->way[d][down],
                               grid_coord (machine, u, d)))
                    bits_set (links, usage_bit (machine, u, d, down));
    }
}

/* ---- lists of nodes, in dimension order ---- */

static void fill_route (const tori_machine *machine, uint32_t src,
                        uint32_t dst, uint64_t *links)
{
    int dim, step;
    for (uint32_t at = src, next; at != dst; at = next) {
        next = tori_route_next (machine, src, at, dst, &dim, &step);
        bits_set (links, usage_bit (machine, at, dim, step < 0));
    }
}

/* ---- lists of nodes, by any shortest way ---- */

/* From one source to all destinations of one parity: how far they lie
 * upwards, by dimension. */
struct fan {
    const tori_machine *machine;
    uint32_t src;
    uint32_t up[TORI_MAX_DIMS];
    uint8_t *on; /* by node: on the way to one of them */
};

static struct fan fan_of (const tori_machine *machine,
                          const struct ties ties[], uint32_t src,
                          unsigned parity, uint8_t *on)
{
    struct fan fan = {.machine = machine, .src = src, .on = on};
    unsigned odd = parity_of (machine, src) ^ parity;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t size = machine->shape.size[d];
        uint32_t c = grid_coord (machine, src, d);
        fan.up[d] = tori_machine_wraps (machine, d) ? (size - 1) / 2
                                                    : size - 1 - c;
        if (tori_machine_wraps (machine, d) && size % 2 == 0
            && ties[d].up[odd][(c + size / 2) % size & 1])
            fan.up[d]++;
    }
    return fan;
}

/* A node is on the way if the node after it is: along one line, from both ends
 * to the source's coordinate. */
static void gather_line (const struct fan *fan, int dim, uint32_t first)
{
    uint32_t size = fan->machine->shape.size[dim];
    uint32_t stride = fan->machine->stride[dim];
    uint32_t c = grid_coord (fan->machine, fan->src, dim);
    uint8_t beyond = 0;
    for (uint32_t i = fan->up[dim]; i > 0; i--) {
        beyond |= fan->on[first + (c + i) % size * stride];
        fan->on[first + (c + i) % size * stride] = beyond;
    }
    fan->on[first + c * stride] |= beyond;
    beyond = 0;
    for (uint32_t i = fan->up[dim] + 1; i < size; i++) {
        beyond |= fan->on[first + (c + i) % size * stride];
        fan->on[first + (c + i) % size * stride] = beyond;
    }
    fan->on[first + c * stride] |= beyond;
}

static void gather_fan (const struct fan *fan)
{
    const tori_machine *machine = fan->machine;
    for (int d = 0; d < machine->shape.ndims; d++)
        for (uint32_t u = 0; u < machine->nodes; u++)
            if (grid_coord (machine, u, d) == 0)
                gather_line (fan, d, u);
}

/* Every node on the way was entered from the side of the source. */
static void fill_fan (const struct fan *fan, uint64_t *links)
{
    const tori_machine *machine = fan->machine;
    for (uint32_t v = 0; v < machine->nodes; v++)
        for (int d = 0; d < machine->shape.ndims && fan->on[v]; d++) {
            uint32_t size = machine->shape.size[d];
            uint32_t c = grid_coord (machine, v, d), u;
            uint32_t ahead =
                (c + size - grid_coord (machine, fan->src, d)) % size;
            bool down = ahead > fan->up[d];
            if (ahead == 0)
                continue;
            u = down ? (c + 1) % size : (c ? c : size) - 1;
            bits_set (links, usage_bit (machine,
                                        v + (u - c) * machine->stride[d], d,
                                        down));
        }
}

static int fill_adaptive (const tori_machine *machine, const uint32_t nodes[],
                          size_t n, uint64_t *links, tori_error *err)
{
    struct ties ties[TORI_MAX_DIMS];
    uint8_t *on = malloc (machine->nodes);
    if (!on)
        return tori_error_nomem (err);
    for (int d = 0; d < machine->shape.ndims; d++)
        ties[d] = ties_of (machine, d);
    for (size_t i = 0; i < 2 * n; i++) {
        struct fan fan = fan_of (machine, ties, nodes[i / 2], i % 2, on);
        for (uint32_t u = 0; u < machine->nodes; u++)
            on[u] = 0;
        for (size_t j = 0; j < n; j++)
            on[nodes[j]] = parity_of (machine, nodes[j]) == i % 2;
        gather_fan (&fan);
        fill_fan (&fan, links);
    }
    free (on);
    return 0;
}

int usage_fill_list (const tori_machine *machine, tori_routing routing,
                     const uint32_t nodes[], size_t n, uint64_t *links,
                     tori_error *err)
{
    if (routing == TORI_ADAPTIVE)
        return fill_adaptive (machine, nodes, n, links, err);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            fill_route (machine, nodes[i], nodes[j], links);
    return 0;
}
