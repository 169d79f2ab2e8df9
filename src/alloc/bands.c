#include "bands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "centres.h"
#include "marks.h"

/* Radii that tables have besides those of the balls. */
enum { MORE_RADII = 10 };

/* ---- how large ---- */

/* Nodes within a radius in up to three dimensions, where nothing ends. */
static uint64_t ball_size (int ndims, uint64_t r)
{
    switch (ndims) {
    case 1:
        return 2 * r + 1;
    case 2:
        return 2 * r * (r + 1) + 1;
    default:
        return (2 * r + 1) * (2 * r * (r + 1) + 3) / 3;
    }
}

static int count_dims (const tori_machine *machine)
{
    int ndims = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        ndims += machine->shape.size[d] > 1;
    return ndims;
}

/* The radius at which balls around a corner have k free nodes on average. */
static uint64_t guess_radius (const tori_state *state, uint32_t k)
{
    const tori_machine *machine = state->machine;
    int ndims = count_dims (machine);
    uint64_t radius = 0, need = k;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->shape.size[d] > 1 && !tori_machine_wraps (machine, d))
            need *= 2;
    while (ball_size (ndims, radius) * state->free_count / machine->nodes
           < need)
        radius++;
    return radius;
}

bool bands_needed (const tori_state *state, uint32_t k, uint64_t room)
{
    int ndims = count_dims (state->machine);
    return ndims >= 1 && ndims <= 3
           && (guess_radius (state, k) + MORE_RADII) * state->machine->nodes
                  > room;
}

/* ---- how far ---- */

/* Sums over windows of a line: from `half` before to `half` behind. */
static void sum_line (uint32_t *counts, size_t stride, uint32_t size,
                      uint32_t half, bool wraps, uint32_t *upto)
{
    upto[0] = 0;
    for (uint32_t x = 0; x < size; x++)
        upto[x + 1] = upto[x] + counts[x * stride];
    for (uint32_t x = 0; x < size; x++) {
        uint32_t low = x > half ? x - half : 0;
        uint32_t high = x + half < size ? x + half + 1 : size, sum;
        sum = upto[high] - upto[low];
        if (wraps && x < half)
            sum += upto[size] - upto[size - (half - x)];
        if (wraps && x + half >= size)
            sum += upto[x + half + 1 - size];
        counts[x * stride] = sum;
    }
}

/* How far the cube goes in one dimension: round a ring, it does not meet
 * itself. */
static uint32_t half_in (const tori_machine *machine, int dim, uint32_t half)
{
    uint32_t most = machine->shape.size[dim] - 1;
    if (tori_machine_wraps (machine, dim))
        most /= 2;
    return half < most ? half : most;
}

/* The free nodes in the cubes around all nodes. */
static void count_cubes (const tori_state *state, uint32_t half,
                         uint32_t *counts, uint32_t *upto)
{
    const tori_machine *machine = state->machine;
    for (uint32_t i = 0; i < machine->nodes; i++)
        counts[i] = bits_test (state->free, i);
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t size = machine->shape.size[d], stride = machine->stride[d];
        for (uint32_t i = 0; size > 1 && i < machine->nodes;
             i += size * stride)
            for (uint32_t j = i; j < i + stride; j++)
                sum_line (counts + j, stride, size, half_in (machine, d, half),
                          tori_machine_wraps (machine, d), upto);
    }
}

static bool has_enough (const tori_machine *machine, const bool *occurs,
                        const uint32_t *counts, uint32_t k)
{
    for (uint32_t i = 0; i < machine->nodes; i++)
        if (counts[i] < k && centres_has (machine, occurs, i))
            return false;
    return true;
}

/* No centre's radius is longer than this; UINT32_MAX if it would be more than
 * `most`. */
static uint32_t find_reach (const tori_state *state, uint32_t k,
                            const bool *occurs, uint32_t most,
                            uint32_t *counts, uint32_t *upto)
{
    const tori_machine *machine = state->machine;
    uint32_t half = (uint32_t)guess_radius (state, k) / 2;
    for (;; half += half / 8 + 1) {
        uint32_t reach = 0;
        for (int d = 0; d < machine->shape.ndims; d++)
            reach += half_in (machine, d, half);
        if (reach > most)
            return UINT32_MAX;
        count_cubes (state, half, counts, upto);
        if (has_enough (machine, occurs, counts, k))
            return reach;
    }
}

/* ---- a band ---- */

struct bands {
    const tori_state *state;
    const bool *occurs;
    int dim;
    uint32_t size;   /* of the machine, and of a band, in this dimension */
    uint32_t length;
    uint32_t reach;
    tori_machine *machine; /* a band: all are alike */
    tori_state *nodes;
    struct centres *centres;
    bool *inside; /* which coordinates have the centres of a band */
};

/* The longest line; the last of equals, -1 if there is none. */
static int longest_line (const tori_machine *machine)
{
    int longest = -1;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (!tori_machine_wraps (machine, d)
            && (longest < 0
                || machine->shape.size[d] >= machine->shape.size[longest]))
            longest = d;
    return longest;
}

/* Its sizes as text, with how each is wired. */
static int make_machine (struct bands *bands, tori_error *err)
{
    const tori_machine *machine = bands->state->machine;
    char text[16 * TORI_MAX_DIMS] = "mesh:";
    size_t at = strlen (text);
    for (int d = 0; d < machine->shape.ndims; d++)
        at += (size_t)snprintf (text + at, sizeof text - at, "%s%u%c",
                                d > 0 ? "x" : "",
                                d == bands->dim ? bands->length
                                                : machine->shape.size[d],
                                tori_machine_wraps (machine, d) ? 't' : 'm');
    return tori_machine_parse (text, &bands->machine, err);
}

static void bands_clear (struct bands *bands)
{
    centres_destroy (bands->centres);
    tori_state_destroy (bands->nodes);
    tori_machine_destroy (bands->machine);
    free (bands->inside);
}

static int bands_init (struct bands *bands, tori_error *err)
{
    size_t total = 0;
    if (make_machine (bands, err) < 0
        || tori_state_create (bands->machine, &bands->nodes, err) < 0
        || centres_create (bands->machine, &bands->centres, err) < 0)
        return -1;
    for (int d = 0; d < bands->machine->shape.ndims; d++)
        total += bands->machine->shape.size[d];
    bands->inside = malloc (total * sizeof *bands->inside);
    return bands->inside ? 0 : tori_error_nomem (err);
}

/* Copy the free nodes of the band that begins at `first`: as many pieces as
 * there are nodes in the dimensions before, each without a gap. */
static void copy_nodes (struct bands *bands, uint32_t first)
{
    const tori_machine *from = bands->state->machine;
    uint32_t stride = from->stride[bands->dim], at = 0;
    uint32_t piece = bands->length * stride;
    tori_state *nodes = bands->nodes;
    memset (nodes->free, 0, nodes->words * sizeof *nodes->free);
    nodes->free_count = 0;
    for (uint32_t base = first * stride; base < from->nodes;
         base += bands->size * stride)
        for (uint32_t i = 0; i < piece; i += 64) {
            unsigned n = piece - i < 64 ? piece - i : 64;
            uint64_t word = bits_get (bands->state->free, base + i, n);
            bits_put (nodes->free, at, n, word);
            nodes->free_count += (uint32_t)__builtin_popcountll (word);
            at += n;
        }
}

/* Flag the coordinates of the band's own centres; false if there are none. */
static bool flag_centres (struct bands *bands, uint32_t first, uint32_t from,
                          uint32_t to)
{
    const tori_machine *machine = bands->state->machine;
    const bool *occurs = bands->occurs;
    bool *inside = bands->inside, any = false;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t size = bands->machine->shape.size[d];
        if (d != bands->dim) {
            memcpy (inside, occurs, size * sizeof *inside);
        } else {
            for (uint32_t x = 0; x < size; x++) {
                inside[x] = first + x >= from && first + x < to
                            && occurs[first + x];
                any = any || inside[x];
            }
        }
        inside += size;
        occurs += machine->shape.size[d];
    }
    return any;
}

/* A node of a band as one of the machine. */
static uint32_t whole_id (const struct bands *bands, uint32_t node,
                          uint32_t first)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (bands->machine, node, coords);
    coords[bands->dim] += first;
    return tori_machine_id (bands->state->machine, coords);
}

/* ---- all bands ---- */

/* Bands one behind the other, the last one up to the end. */
static int try_bands (struct bands *bands, uint32_t k, struct balls *balls,
                      uint32_t *ret_centre, tori_error *err)
{
    uint64_t least = UINT64_MAX;
    uint32_t from = 0;
    while (from < bands->size) {
        uint32_t first = from > bands->reach ? from - bands->reach : 0, to;
        uint32_t centre;
        uint64_t sum;
        int found;
        if (first + bands->length >= bands->size)
            first = bands->size - bands->length;
        to = first + bands->length == bands->size
                 ? bands->size
                 : first + bands->length - bands->reach;
        if (flag_centres (bands, first, from, to)) {
            copy_nodes (bands, first);
            found = centres_find (bands->centres, bands->nodes, k,
                                  bands->inside, &centre, err);
            if (found <= 0)
                return found;
            centre = whole_id (bands, centre, first);
            sum = balls_pairwise (balls, centre);
            if (sum < least || (sum == least && centre < *ret_centre)) {
                least = sum;
                *ret_centre = centre;
            }
        }
        from = to;
    }
    return 1;
}

/* As long as there is room for, as far as can be told. */
static uint32_t find_length (const tori_state *state, int dim, uint32_t k,
                             uint64_t room)
{
    uint32_t size = state->machine->shape.size[dim];
    uint64_t radius = guess_radius (state, k), length;
    length = room / (radius + radius / 8 + MORE_RADII)
             / (state->machine->nodes / size);
    return length < size ? (uint32_t)length : size;
}

int bands_find (const tori_state *state, uint32_t k, const bool *occurs,
                uint64_t room, struct balls *balls, uint32_t *ret_centre,
                tori_error *err)
{
    const tori_machine *machine = state->machine;
    struct bands bands = {.state = state, .occurs = occurs,
                          .dim = longest_line (machine)};
    uint32_t *counts, *upto, best = UINT32_MAX;
    int status = -1;
    if (bands.dim < 0)
        return 0;
    bands.size = machine->shape.size[bands.dim];
    bands.length = find_length (state, bands.dim, k, room);
    counts = malloc (machine->nodes * sizeof *counts);
    upto = malloc ((machine->nodes + 1) * sizeof *upto);
    if (counts && upto)
        bands.reach = find_reach (state, k, occurs, bands.length / 3, counts,
                                  upto);
    free (counts);
    free (upto);
    if (!counts || !upto)
        return tori_error_nomem (err);
    if (bands.reach == UINT32_MAX)
        return 0;
    if (bands_init (&bands, err) == 0)
        status = try_bands (&bands, k, balls, &best, err);
    if (status == 1)
        *ret_centre = best;
    bands_clear (&bands);
    return status;
}
