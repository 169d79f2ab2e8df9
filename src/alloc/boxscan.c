#include "boxscan.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

enum {
    FIRST_PIECE = 64, /* words of origins; later pieces double */
    MAX_SHIFTS = 64   /* 2 * log2 of TORI_MAX_NODES is less */
};

/* A growing buffer of words. */
struct words {
    uint64_t *at;
    size_t room;
};

struct boxscan {
    const tori_machine *machine;
    const tori_state *state;
    const tori_request *request;
    bool links; /* look at links, too */

    /* What is searched: the machine as it is, or unrolled where it wraps. */
    bool unrolled;
    tori_shape sides;
    uint64_t stride[TORI_MAX_DIMS];
    uint64_t nbits;
    struct words plain; /* usable nodes, before unrolling */
    struct words whole; /* after */
    struct words work[2];
};

/* One rotation of the request's shape. */
struct rotation {
    tori_box box;                   /* origin 0 until one is found */
    uint32_t limit[TORI_MAX_DIMS];  /* largest coordinate of an origin */
    uint64_t origins;               /* one more than the last valid origin */
    uint64_t shifts[MAX_SHIFTS];    /* the steps of the erosion */
    int nshifts;
    size_t lead; /* words that the erosion looks ahead */
    const uint64_t *closed[TORI_MAX_DIMS]; /* nodes not to be used */
    int nclosed;
};

int boxscan_create (const tori_machine *machine, void **ret_scan,
                    tori_error *err)
{
    struct boxscan *scan = calloc (1, sizeof *scan);
    if (!scan)
        return tori_error_nomem (err);
    scan->machine = machine;
    *ret_scan = scan;
    return 0;
}

void boxscan_destroy (void *data)
{
    struct boxscan *scan = data;
    if (!scan)
        return;
    free (scan->plain.at);
    free (scan->whole.at);
    free (scan->work[0].at);
    free (scan->work[1].at);
    free (scan);
}

static int need_words (struct words *words, size_t n, tori_error *err)
{
    uint64_t *more;
    if (n <= words->room)
        return 0;
    more = realloc (words->at, n * sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    words->at = more;
    words->room = n;
    return 0;
}

/* ---- the geometry of a search ---- */

static uint32_t longest_side (const tori_shape *shape)
{
    uint32_t longest = 1;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > longest)
            longest = shape->size[d];
    return longest;
}

/* Where the box may wrap, the set continues as far as its longest side may
 * reach beyond the end. */
static void set_geometry (struct boxscan *scan)
{
    const tori_machine *machine = scan->machine;
    uint32_t longest = longest_side (&scan->request->shape);
    uint64_t stride = 1;
    scan->sides = machine->shape;
    for (int d = machine->shape.ndims - 1; d >= 0; d--) {
        uint32_t size = machine->shape.size[d];
        if (scan->request->wrap && tori_machine_wraps (machine, d))
            scan->sides.size[d] += (longest < size ? longest : size) - 1;
        scan->stride[d] = stride;
        stride *= scan->sides.size[d];
    }
    scan->nbits = stride;
    scan->unrolled = stride != machine->nodes;
}

static void add_shifts (const struct boxscan *scan, struct rotation *rot,
                        int dim)
{
    uint32_t size = rot->box.shape.size[dim], done = 1;
    while (done < size) {
        uint32_t step = done < size - done ? done : size - done;
        uint64_t shift = step * scan->stride[dim];
        rot->shifts[rot->nshifts++] = shift;
        rot->lead += (size_t)(shift / 64) + (shift % 64 != 0);
        done += step;
    }
}

/* Nodes of lines that cannot be used are of no use to a box that extends
 * along the line, and no matter to one that does not. */
static void add_closed (const struct boxscan *scan, struct rotation *rot,
                        int dim)
{
    const uint64_t *closed = scan->request->wiring == TORI_WIRE_TORUS
                                 ? scan->state->touched[dim]
                                 : scan->state->ringed[dim];
    if (scan->links && closed && rot->box.shape.size[dim] > 1)
        rot->closed[rot->nclosed++] = closed;
}

/* Work out a rotation; false if it is too long or can never be wired. */
static bool set_rotation (const struct boxscan *scan, struct rotation *rot)
{
    const tori_shape *shape = &rot->box.shape;
    if (!tori_shape_fits (shape, scan->machine)
        || !tori_wiring_possible (scan->machine, shape, scan->request->wiring))
        return false;
    rot->origins = 1;
    rot->nshifts = 0;
    rot->lead = 0;
    rot->nclosed = 0;
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t size = scan->machine->shape.size[d];
        bool wraps = scan->request->wrap && tori_machine_wraps (scan->machine,
                                                                d);
        rot->limit[d] = wraps ? size - 1 : size - shape->size[d];
        rot->origins += rot->limit[d] * scan->stride[d];
        add_shifts (scan, rot, d);
        add_closed (scan, rot, d);
    }
    return true;
}

/* ---- unrolling ---- */

static void copy_bits (uint64_t *to, uint64_t at, const uint64_t *from,
                       uint64_t first, uint64_t n)
{
    while (n > 0) {
        unsigned m = n < 64 ? (unsigned)n : 64;
        bits_put (to, at, m, bits_get (from, first, m));
        at += m;
        first += m;
        n -= m;
    }
}

/* Row by row of the last dimension. */
static void unroll_rows (struct boxscan *scan)
{
    const tori_machine *machine = scan->machine;
    int last = machine->shape.ndims - 1;
    uint32_t size = machine->shape.size[last], side = scan->sides.size[last];
    uint32_t coords[TORI_MAX_DIMS] = {0};
    for (uint64_t at = 0; at < scan->nbits; at += side) {
        uint64_t row = 0;
        int d = last - 1;
        for (int e = 0; e < last; e++)
            row += (uint64_t)(coords[e] % machine->shape.size[e])
                   * machine->stride[e];
        copy_bits (scan->whole.at, at, scan->plain.at, row, size);
        copy_bits (scan->whole.at, at + size, scan->plain.at, row,
                   side - size);
        while (d >= 0 && ++coords[d] == scan->sides.size[d])
            coords[d--] = 0;
    }
}

static void load_plain (const struct boxscan *scan, const struct rotation *rot,
                        size_t first, size_t n, uint64_t *to)
{
    memcpy (to, scan->state->free + first, n * sizeof *to);
    for (int c = 0; c < rot->nclosed; c++)
        for (size_t i = 0; i < n; i++)
            to[i] &= ~rot->closed[c][first + i];
}

static int unroll (struct boxscan *scan, const struct rotation *rot,
                   tori_error *err)
{
    size_t words = bits_words (scan->nbits);
    if (need_words (&scan->plain, scan->state->words, err) < 0
        || need_words (&scan->whole, words, err) < 0)
        return -1;
    load_plain (scan, rot, 0, scan->state->words, scan->plain.at);
    scan->whole.at[words - 1] = 0;
    unroll_rows (scan);
    return 0;
}

/* ---- erosion ---- */

/* to = from & from >> shift, n words. Returns the OR of the result. */
static uint64_t shift_and (uint64_t *restrict to,
                           const uint64_t *restrict from, size_t n,
                           uint64_t shift)
{
    const uint64_t *restrict ahead = from + shift / 64;
    unsigned low = shift % 64;
    uint64_t any = 0;
    if (low == 0) {
        for (size_t i = 0; i < n; i++)
            any |= to[i] = from[i] & ahead[i];
    } else {
        for (size_t i = 0; i < n; i++)
            any |= to[i] = from[i]
                           & (ahead[i] >> low | ahead[i + 1] << (64 - low));
    }
    return any;
}

/* The words [first, first + n) of the searched set, zeros behind its end. */
static void load (const struct boxscan *scan, const struct rotation *rot,
                  size_t first, size_t n, uint64_t *to)
{
    size_t words = bits_words (scan->nbits);
    size_t real = words - first < n ? words - first : n;
    if (scan->unrolled)
        memcpy (to, scan->whole.at + first, real * sizeof *to);
    else
        load_plain (scan, rot, first, real, to);
    memset (to + real, 0, (n - real) * sizeof *to);
}

/* The origins in words [first, first + n), nonsense at the machine's edges
 * included; NULL if there are none. */
static const uint64_t *erode (struct boxscan *scan, const struct rotation *rot,
                              size_t first, size_t n)
{
    size_t length = n + rot->lead;
    int from = 0;
    load (scan, rot, first, length, scan->work[0].at);
    for (int i = 0; i < rot->nshifts; i++) {
        uint64_t shift = rot->shifts[i];
        length -= (size_t)(shift / 64) + (shift % 64 != 0);
        if (!shift_and (scan->work[1 - from].at, scan->work[from].at, length,
                        shift))
            return NULL;
        from = 1 - from;
    }
    return scan->work[from].at;
}

/* ---- candidates ---- */

static void decode (const struct boxscan *scan, uint64_t bit,
                    uint32_t coords[])
{
    for (int d = 0; d < scan->sides.ndims; d++) {
        coords[d] = (uint32_t)(bit / scan->stride[d]);
        bit %= scan->stride[d];
    }
}

/* The outermost dimension in which an origin lies too far out, or -1. */
static int beyond (const struct rotation *rot, const uint32_t coords[])
{
    for (int d = 0; d < rot->box.shape.ndims; d++)
        if (coords[d] > rot->limit[d])
            return d;
    return -1;
}

/* Which origins of a word are inside the machine: stretches of the innermost
 * dimension, where a whole sub-grid is skipped once a coordinate is out. */
static uint64_t inside (const struct boxscan *scan, const struct rotation *rot,
                        size_t word)
{
    uint64_t at = (uint64_t)word * 64, end = at + 64, mask = 0;
    int inner = scan->sides.ndims - 1;
    while (inner > 0 && scan->sides.size[inner] == 1)
        inner--;
    if (end > rot->origins)
        end = rot->origins;
    while (at < end) {
        uint32_t coords[TORI_MAX_DIMS];
        uint64_t run;
        int out;
        decode (scan, at, coords);
        out = beyond (rot, coords);
        if (out >= 0) { /* on to where that coordinate starts again */
            uint64_t block = scan->stride[out] * scan->sides.size[out];
            at = at - at % block + block;
            continue;
        }
        run = rot->limit[inner] - coords[inner] + 1;
        if (run > end - at)
            run = end - at;
        mask |= bits_low ((unsigned)run) << at % 64;
        at += run;
    }
    return mask;
}

typedef bool candidate_fn (void *arg, const tori_box *box);

/* Offer the candidates below `bound` in a piece, in order. Returns the origin
 * at which the visitor stopped, or `bound`. */
static uint64_t offer (struct boxscan *scan, struct rotation *rot,
                       size_t first, size_t n, uint64_t bound,
                       candidate_fn *visit, void *arg)
{
    const uint64_t *found;
    if (bound > rot->origins)
        bound = rot->origins;
    if (bound <= (uint64_t)first * 64)
        return UINT64_MAX;
    if (n > bits_words (bound) - first)
        n = bits_words (bound) - first;
    found = erode (scan, rot, first, n);
    for (size_t i = 0; found && i < n; i++) {
        uint64_t word = found[i];
        if (word)
            word &= inside (scan, rot, first + i);
        for (; word; word &= word - 1) {
            uint64_t bit = (uint64_t)(first + i) * 64
                           + (unsigned)__builtin_ctzll (word);
            if (bit >= bound)
                return UINT64_MAX;
            decode (scan, bit, rot->box.origin);
            if (scan->links && scan->state->links_down > 0
                && !tori_wiring_free (scan->state, &rot->box,
                                      scan->request->wiring))
                continue;
            if (visit (arg, &rot->box))
                return bit;
        }
    }
    return UINT64_MAX;
}

/* ---- searches ---- */

/* The request's first rotation; its only one if it is fixed. */
static void first_rotation (const struct boxscan *scan, struct rotation *rot)
{
    rot->box.shape = scan->request->shape;
    if (!scan->request->fixed)
        tori_shape_sort (&rot->box.shape);
}

static bool next_rotation (const struct boxscan *scan, struct rotation *rot)
{
    return !scan->request->fixed
           && tori_shape_next_rotation (&rot->box.shape);
}

static void begin (struct boxscan *scan, const tori_state *state,
                   const tori_request *request, bool links)
{
    scan->state = state;
    scan->request = request;
    scan->links = links && request->wiring != TORI_WIRE_NONE;
    set_geometry (scan);
}

/* Search one piece in one rotation. */
static int search (struct boxscan *scan, struct rotation *rot, size_t first,
                   size_t n, uint64_t bound, candidate_fn *visit, void *arg,
                   uint64_t *ret_bit, tori_error *err)
{
    size_t room = n + rot->lead;
    if ((scan->unrolled && unroll (scan, rot, err) < 0)
        || need_words (&scan->work[0], room, err) < 0
        || need_words (&scan->work[1], room, err) < 0)
        return -1;
    *ret_bit = offer (scan, rot, first, n, bound, visit, arg);
    return 0;
}

static bool take_first (void *arg, const tori_box *box)
{
    tori_box *ret_box = arg;
    *ret_box = *box;
    return true;
}

int boxscan_first (struct boxscan *scan, const tori_state *state,
                   const tori_request *request, bool links, tori_box *ret_box,
                   tori_error *err)
{
    uint64_t best = UINT64_MAX;
    size_t words, piece = FIRST_PIECE;
    begin (scan, state, request, links);
    words = bits_words (scan->nbits);
    if (scan->unrolled) /* which costs as much as the search: once only */
        piece = words;
    for (size_t first = 0; first < words && best == UINT64_MAX;
         first += piece, piece *= 2) {
        struct rotation rot;
        size_t n = piece < words - first ? piece : words - first;
        first_rotation (scan, &rot);
        do {
            uint64_t bit;
            if (!set_rotation (scan, &rot))
                continue;
            if (search (scan, &rot, first, n, best, take_first, ret_box, &bit,
                        err)
                < 0)
                return -1;
            if (bit < best)
                best = bit;
        } while (next_rotation (scan, &rot));
    }
    return best != UINT64_MAX;
}

int boxscan_each (struct boxscan *scan, const tori_state *state,
                  const tori_request *request,
                  bool (*visit) (void *arg, const tori_box *box), void *arg,
                  tori_error *err)
{
    struct rotation rot;
    begin (scan, state, request, true);
    first_rotation (scan, &rot);
    do {
        uint64_t bit;
        if (!set_rotation (scan, &rot))
            continue;
        if (search (scan, &rot, 0, bits_words (scan->nbits), UINT64_MAX, visit,
                    arg, &bit, err)
            < 0)
            return -1;
        if (bit != UINT64_MAX)
            break;
    } while (next_rotation (scan, &rot));
    return 0;
}
