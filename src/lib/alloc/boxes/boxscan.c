#include "boxscan.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "erosion.h"
#include "marks.h"
#include "sieve.h"
#include "taking.h"

enum { FIRST_PIECE = 64, PIECE_GROWTH = 4 }; /* words of origins */
enum { SIEVES = 2 };
enum { KEPT_ROTATIONS = 24, KEPT = 512 };    /* requests; a power of two */

/* A growing buffer of words. */
struct words {
    uint64_t *at;
    size_t room;
};

/* One rotation of the request's shape. */
struct rotation {
    tori_box box;                  /* origin 0 until one is found */
    uint32_t limit[TORI_MAX_DIMS]; /* largest coordinate of an origin */
    uint64_t origins;              /* one more than the last valid origin */
    struct erosion rest;           /* the steps after the core */
};

/* The part of a search that depends on the request, whatever the state. On a
 * machine of a few words it takes longer to work out than to search, and the
 * same few requests come all the time. So it is kept, unless it has too many
 * rotations: these are worked out one by one. */
struct geometry {
    tori_request request;

    /* The searched set: the machine as it is, or unrolled if it wraps. */
    bool unrolled;
    tori_shape sides;
    uint64_t stride[TORI_MAX_DIMS];
    int inner; /* the last dimension longer than 1; the first if none is */
    uint64_t nbits;

    /* The core that all rotations share: the cube of the shortest side. */
    uint32_t cube, longest;
    struct erosion core;
    size_t lead; /* words that any rotation needs ahead, beyond the core */

    struct shift *shifts; /* of the core and of all rotations */
    struct rotation *rotations;
    int nrotations;
    bool one_by_one; /* only the present rotation is there */
    size_t words;    /* those in which a box may begin */
};

struct boxscan {
    const tori_machine *machine;
    const tori_state *state;
    const tori_request *request;
    bool links; /* look at links, too */
    bool by_rule;

    struct geometry *kept[KEPT];
    struct geometry *geo; /* of this search */
    struct words plain;   /* usable nodes, before unrolling */
    struct words whole;   /* after */
    struct words loaded, work[2], late[2];

    /* By wiring, of the last sets in which a search failed: those who ask for
     * a place now and later take turns. */
    struct {
        struct sieve all[SIEVES];
        int oldest;
    } sieves[TORI_WIRE_TORUS + 1];
    bool failed; /* the last search for the first box did */
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

static void geometry_destroy (struct geometry *geo)
{
    if (!geo)
        return;
    free (geo->shifts);
    free (geo->rotations);
    free (geo);
}

void boxscan_destroy (void *data)
{
    struct boxscan *scan = data;
    if (!scan)
        return;
    free (scan->plain.at);
    free (scan->whole.at);
    free (scan->loaded.at);
    for (int i = 0; i < 2; i++) {
        free (scan->work[i].at);
        free (scan->late[i].at);
    }
    for (int i = 0; i < KEPT; i++)
        geometry_destroy (scan->kept[i]);
    for (int i = 0; i <= TORI_WIRE_TORUS; i++)
        for (int k = 0; k < SIEVES; k++)
            sieve_clear (&scan->sieves[i].all[k]);
    free (scan);
}

void boxscan_by_rule (struct boxscan *scan, bool alone)
{
    scan->by_rule = alone;
}

const tori_machine *boxscan_machine (const struct boxscan *scan)
{
    return scan->machine;
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

static void measure_sides (struct geometry *geo, const tori_shape *shape)
{
    geo->cube = geo->longest = shape->size[0];
    for (int d = 1; d < shape->ndims; d++) {
        if (shape->size[d] < geo->cube)
            geo->cube = shape->size[d];
        if (shape->size[d] > geo->longest)
            geo->longest = shape->size[d];
    }
}

/* If the box may wrap, the set continues as far as its longest side may reach
 * beyond the end. */
static void set_sides (struct geometry *geo, const tori_machine *machine)
{
    uint64_t stride = 1;
    geo->sides.ndims = machine->shape.ndims;
    for (int d = machine->shape.ndims - 1; d >= 0; d--) {
        uint32_t size = machine->shape.size[d];
        geo->sides.size[d] = size;
        if (geo->request.wrap && tori_machine_wraps (machine, d))
            geo->sides.size[d]
                += (geo->longest < size ? geo->longest : size) - 1;
        geo->stride[d] = stride;
        stride *= geo->sides.size[d];
    }
    geo->nbits = stride;
    geo->inner = machine->shape.ndims - 1;
    while (geo->inner > 0 && geo->sides.size[geo->inner] == 1)
        geo->inner--;
    geo->unrolled = stride != machine->nodes;
}

/* The steps of the core, and how far any rotation reaches beyond it at most:
 * with the longest side in every dimension. */
static void set_core (struct geometry *geo, const tori_machine *machine)
{
    uint64_t reach = 0;
    geo->core = (struct erosion){.shifts = geo->shifts};
    for (int d = 0; d < geo->sides.ndims; d++) {
        uint32_t size = machine->shape.size[d];
        erosion_extend (&geo->core, geo->stride[d], 1, geo->cube);
        if (size > geo->cube)
            reach += ((geo->longest < size ? geo->longest : size) - geo->cube)
                     * geo->stride[d];
    }
    geo->lead = bits_words (reach);
}

/* Work out a rotation; false if it is too long or can never be wired. */
static bool set_rotation (const struct geometry *geo,
                          const tori_machine *machine, struct rotation *rot)
{
    const tori_shape *shape = &rot->box.shape;
    if (!tori_shape_fits (shape, machine)
        || !tori_wiring_possible (machine, shape, geo->request.wiring))
        return false;
    rot->origins = 1;
    rot->rest.n = 0;
    rot->rest.reach = 0;
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t size = machine->shape.size[d];
        bool wraps = geo->request.wrap && tori_machine_wraps (machine, d);
        rot->limit[d] = wraps ? size - 1 : size - shape->size[d];
        rot->origins += rot->limit[d] * geo->stride[d];
        erosion_extend (&rot->rest, geo->stride[d], geo->cube,
                        shape->size[d]);
    }
    return true;
}

/* The request's first rotation; its only one if it is fixed. */
static tori_shape first_shape (const tori_request *request)
{
    tori_shape shape = request->shape;
    if (!request->fixed)
        tori_shape_sort (&shape);
    return shape;
}

/* How many rotations there are, if no more than are kept, or one more. */
static int count_rotations (const tori_request *request)
{
    tori_shape shape = first_shape (request);
    int n = 1;
    while (n <= KEPT_ROTATIONS && !request->fixed
           && tori_shape_next_rotation (&shape))
        n++;
    return n;
}

/* Room for the steps of the core and of n rotations, which all have the same
 * number. */
static int need_steps (struct geometry *geo, int n, tori_error *err)
{
    const tori_shape *shape = &geo->request.shape;
    int core = shape->ndims * erosion_steps (1, geo->cube), rest = 0;
    for (int d = 0; d < shape->ndims; d++)
        rest += erosion_steps (geo->cube, shape->size[d]);
    geo->shifts = malloc ((size_t)(core + n * rest + 1) * sizeof *geo->shifts);
    geo->rotations = calloc ((size_t)n, sizeof *geo->rotations);
    if (!geo->shifts || !geo->rotations)
        return tori_error_nomem (err);
    for (int i = 0; i < n; i++)
        geo->rotations[i].rest.shifts = geo->shifts + core + i * rest;
    return 0;
}

/* Keep the possible rotations, in lexicographic order. */
static void keep_rotations (struct geometry *geo, const tori_machine *machine)
{
    tori_shape shape = first_shape (&geo->request);
    do {
        struct rotation *rot = &geo->rotations[geo->nrotations];
        rot->box.shape = shape;
        if (!set_rotation (geo, machine, rot))
            continue;
        geo->nrotations++;
        if (geo->words < bits_words (rot->origins))
            geo->words = bits_words (rot->origins);
    } while (!geo->request.fixed && tori_shape_next_rotation (&shape));
}

static int geometry_create (const tori_machine *machine,
                            const tori_request *request,
                            struct geometry **ret_geo, tori_error *err)
{
    struct geometry *geo = calloc (1, sizeof *geo);
    int n = count_rotations (request);
    if (!geo)
        return tori_error_nomem (err);
    geo->request = *request;
    geo->one_by_one = n > KEPT_ROTATIONS;
    measure_sides (geo, &request->shape);
    if (need_steps (geo, geo->one_by_one ? 1 : n, err) < 0) {
        geometry_destroy (geo);
        return -1;
    }
    set_sides (geo, machine);
    set_core (geo, machine);
    if (geo->one_by_one)
        geo->words = bits_words (geo->nbits);
    else
        keep_rotations (geo, machine);
    *ret_geo = geo;
    return 0;
}

/* Whether two requests make the same search. */
static bool same_request (const tori_request *a, const tori_request *b)
{
    return a->wiring == b->wiring && a->fixed == b->fixed && a->wrap == b->wrap
           && tori_shape_equal (&a->shape, &b->shape);
}

static struct geometry **where_kept (struct boxscan *scan,
                                     const tori_request *request)
{
    uint64_t hash = (uint64_t)request->wiring << 2
                    | (uint64_t)request->fixed << 1 | request->wrap;
    for (int d = 0; d < request->shape.ndims; d++)
        hash = (hash ^ request->shape.size[d]) * UINT64_C (0x9e3779b97f4a7c15);
    return &scan->kept[hash >> 32 & (KEPT - 1)];
}

static int begin_scan (struct boxscan *scan, const tori_state *state,
                       const tori_request *request, bool links,
                       tori_error *err)
{
    struct geometry **kept = where_kept (scan, request);
    scan->state = state;
    scan->request = request;
    scan->links = links && request->wiring != TORI_WIRE_NONE;
    if (!*kept || !same_request (&(*kept)->request, request)) {
        struct geometry *geo = NULL;
        if (geometry_create (scan->machine, request, &geo, err) < 0)
            return -1;
        geometry_destroy (*kept);
        *kept = geo;
    }
    scan->geo = *kept;
    return 0;
}

/* The rotations in order: work out or look up the one that follows; NULL when
 * there are no more. */
static struct rotation *later_rotation (const struct boxscan *scan,
                                        struct rotation *rot)
{
    const struct geometry *geo = scan->geo;
    if (!geo->one_by_one)
        return ++rot < geo->rotations + geo->nrotations ? rot : NULL;
    while (tori_shape_next_rotation (&rot->box.shape))
        if (set_rotation (geo, scan->machine, rot))
            return rot;
    return NULL;
}

static struct rotation *first_rotation (const struct boxscan *scan)
{
    const struct geometry *geo = scan->geo;
    struct rotation *rot = geo->rotations;
    if (!geo->one_by_one)
        return geo->nrotations > 0 ? rot : NULL;
    rot->box.shape = first_shape (&geo->request);
    return set_rotation (geo, scan->machine, rot) ? rot
                                                  : later_rotation (scan, rot);
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
    uint32_t size = machine->shape.size[last];
    uint32_t side = scan->geo->sides.size[last];
    uint32_t coords[TORI_MAX_DIMS] = {0};
    for (uint64_t at = 0; at < scan->geo->nbits; at += side) {
        uint64_t row = 0;
        int d = last - 1;
        for (int e = 0; e < last; e++)
            row += (uint64_t)(coords[e] % machine->shape.size[e])
                   * machine->stride[e];
        copy_bits (scan->whole.at, at, scan->plain.at, row, size);
        copy_bits (scan->whole.at, at + size, scan->plain.at, row,
                   side - size);
        while (d >= 0 && ++coords[d] == scan->geo->sides.size[d])
            coords[d--] = 0;
    }
}

/* The nodes whose line of this dimension the request cannot use. They matter
 * only to a box that extends along the line. */
static const uint64_t *closed_nodes (const struct boxscan *scan, int dim)
{
    if (!scan->links)
        return NULL;
    return tori_wiring_closes (scan->request->wiring, dim)
               ? scan->state->touched[dim]
               : scan->state->ringed[dim];
}

/* Words [first, first + n) of the nodes that a box of this shape may use. */
static void load_plain (const struct boxscan *scan, const tori_shape *shape,
                        size_t first, size_t n, uint64_t *to)
{
    memcpy (to, scan->state->free + first, n * sizeof *to);
    for (int d = 0; d < shape->ndims; d++) {
        const uint64_t *unfit =
            shape->size[d] > 1 ? closed_nodes (scan, d) : NULL;
        for (size_t i = 0; unfit && i < n; i++)
            to[i] &= ~unfit[first + i];
    }
}

static int unroll_set (struct boxscan *scan, const tori_shape *shape,
                       tori_error *err)
{
    size_t words = bits_words (scan->geo->nbits);
    if (need_words (&scan->plain, scan->state->words, err) < 0
        || need_words (&scan->whole, words, err) < 0)
        return -1;
    load_plain (scan, shape, 0, scan->state->words, scan->plain.at);
    scan->whole.at[words - 1] = 0;
    unroll_rows (scan);
    return 0;
}

/* ---- a piece of the machine ---- */

/* Origins in the words [first, first + n), eroded by the core. */
struct piece {
    size_t first, n;
    struct eroded core;
    bool empty;
};

/* The words [first, first + n) of the searched set, zeros after its end. */
static void load_words (const struct boxscan *scan, const tori_shape *shape,
                        size_t first, size_t n, uint64_t *to)
{
    size_t words = bits_words (scan->geo->nbits);
    size_t real = words - first < n ? words - first : n;
    if (scan->geo->unrolled)
        memcpy (to, scan->whole.at + first, real * sizeof *to);
    else
        load_plain (scan, shape, first, real, to);
    memset (to + real, 0, (n - real) * sizeof *to);
}

/* Whether the core is the same for all rotations: their dimensions with a
 * side of 1, in which links do not matter, are not. */
static bool has_shared_core (const struct boxscan *scan)
{
    return scan->geo->cube > 1 || !scan->links;
}

/* Load a piece and erode it by the core. */
static int open_piece (struct boxscan *scan, const tori_shape *shape,
                       struct piece *piece, tori_error *err)
{
    const struct geometry *geo = scan->geo;
    size_t length = piece->n + geo->lead + erosion_lead (&geo->core);
    struct words *buffers[] = {&scan->loaded, &scan->work[0], &scan->work[1],
                               &scan->late[0], &scan->late[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (need_words (buffers[i], length + 1, err) < 0)
            return -1;
    if (geo->unrolled && unroll_set (scan, shape, err) < 0)
        return -1;
    load_words (scan, shape, piece->first, length + 1, scan->loaded.at);
    piece->empty = !erode (&geo->core, scan->loaded.at, length, true,
                           (uint64_t *const[]){scan->work[0].at,
                                               scan->work[1].at},
                           &piece->core);
    return 0;
}

/* ---- candidates ---- */

static void decode_origin (const struct boxscan *scan, uint64_t bit,
                           uint32_t coords[])
{
    for (int d = 0; d < scan->geo->sides.ndims; d++) {
        coords[d] = (uint32_t)(bit / scan->geo->stride[d]);
        bit %= scan->geo->stride[d];
    }
}

/* The outermost dimension in which an origin lies too far out, or -1. */
static int find_beyond (const struct rotation *rot, const uint32_t coords[])
{
    for (int d = 0; d < rot->box.shape.ndims; d++)
        if (coords[d] > rot->limit[d])
            return d;
    return -1;
}

/* Go on to the next place where the coordinate in a dimension is 0. Returns
 * how far that is. */
static uint64_t skip_dimension (const struct boxscan *scan, int dim,
                                uint32_t coords[])
{
    const struct geometry *geo = scan->geo;
    uint64_t far = (geo->sides.size[dim] - coords[dim]) * geo->stride[dim];
    coords[dim] = 0;
    for (int d = dim + 1; d < geo->sides.ndims; d++) {
        far -= coords[d] * geo->stride[d];
        coords[d] = 0;
    }
    while (--dim >= 0 && ++coords[dim] == geo->sides.size[dim])
        coords[dim] = 0;
    return far;
}

/* Which origins of a word are inside the machine: stretches of the innermost
 * dimension, where a whole sub-grid is skipped once a coordinate is out. */
static uint64_t inside_mask (const struct boxscan *scan,
                             const struct rotation *rot, size_t word)
{
    uint64_t at = (uint64_t)word * 64, end = at + 64, mask = 0;
    uint32_t coords[TORI_MAX_DIMS];
    int inner = scan->geo->inner;
    if (end > rot->origins)
        end = rot->origins;
    decode_origin (scan, at, coords);
    while (at < end) {
        int out = find_beyond (rot, coords);
        if (out < 0) {
            uint64_t run = rot->limit[inner] - coords[inner] + 1;
            if (run > end - at)
                run = end - at;
            mask |= bits_low ((unsigned)run) << at % 64;
            out = inner;
        }
        at += skip_dimension (scan, out, coords);
    }
    return mask;
}

static bool can_wire (const struct boxscan *scan, const tori_box *box)
{
    tori_wiring wiring = scan->request->wiring;
    return scan->by_rule ? wiring_free (scan->state, box,
                                        wires_of_box (scan->machine, box,
                                                      wiring))
                         : tori_wiring_free (scan->state, box, wiring);
}

/* Offer the candidates of one word in order, a row at a time or, if links have
 * to be checked, one by one. Returns the first at which the visitor stopped,
 * or the first that is not below `bound`, or UINT64_MAX. */
static uint64_t offer_word (struct boxscan *scan, struct rotation *rot,
                            size_t word, uint64_t origins, uint64_t bound,
                            boxscan_fn *visit, void *arg)
{
    bool look = scan->links && state_disturbed (scan->state);
    int inner = scan->geo->inner;
    while (origins) {
        unsigned low = (unsigned)__builtin_ctzll (origins), n = 64 - low;
        uint64_t bit = (uint64_t)word * 64 + low, row;
        if (bit >= bound)
            return bit;
        decode_origin (scan, bit, rot->box.origin);
        row = scan->geo->sides.size[inner] - rot->box.origin[inner];
        n = look ? 1 : row < n ? (unsigned)row : n;
        row = origins >> low & bits_low (n);
        origins &= ~(row << low);
        if (look && !can_wire (scan, &rot->box))
            continue;
        if (visit (arg, &rot->box, row))
            return bit;
    }
    return UINT64_MAX;
}

/* Offer the candidates below `bound` in a piece, in order. Returns the origin
 * at which the visitor stopped, or UINT64_MAX. */
static uint64_t offer_piece (struct boxscan *scan, struct rotation *rot,
                             const struct piece *piece, uint64_t bound,
                             boxscan_fn *visit, void *arg)
{
    size_t n = piece->n, end;
    struct eroded eroded;
    if (bound > rot->origins)
        bound = rot->origins;
    end = bits_words (bound);
    if (end <= piece->first)
        return UINT64_MAX;
    if (n > end - piece->first)
        n = end - piece->first;
    if (!erode (&rot->rest, piece->core.words, n + erosion_lead (&rot->rest),
                false,
                (uint64_t *const[]){scan->late[0].at, scan->late[1].at},
                &eroded))
        return UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t bit, word = eroded.words[i];
        if (word)
            word = erode_word (&rot->rest, eroded, i, word);
        if (word)
            word &= inside_mask (scan, rot, piece->first + i);
        bit = offer_word (scan, rot, piece->first + i, word, bound, visit,
                          arg);
        if (bit != UINT64_MAX)
            return bit < bound ? bit : UINT64_MAX;
    }
    return UINT64_MAX;
}

/* ---- searches ---- */

/* Offer the candidates of a piece, rotation by rotation; with `least`, only
 * those of a lower origin than the last that was taken, whose origin is
 * returned in `ret_bit`. */
static int search_piece (struct boxscan *scan, struct piece *piece, bool least,
                         boxscan_fn *visit, void *arg, uint64_t *ret_bit,
                         tori_error *err)
{
    struct rotation *rot = first_rotation (scan);
    bool opened = false;
    *ret_bit = UINT64_MAX;
    for (; rot && (least || *ret_bit == UINT64_MAX);
         rot = later_rotation (scan, rot)) {
        uint64_t bit;
        if (!opened && open_piece (scan, &rot->box.shape, piece, err) < 0)
            return -1;
        opened = has_shared_core (scan);
        if (piece->empty && opened)
            break;
        if (piece->empty)
            continue;
        bit = offer_piece (scan, rot, piece, least ? *ret_bit : UINT64_MAX,
                           visit, arg);
        if (bit < *ret_bit)
            *ret_bit = bit;
    }
    return 0;
}

static bool take_first (void *arg, const tori_box *box, uint64_t origins)
{
    tori_box *ret_box = arg;
    *ret_box = *box;
    return true;
}

/* ---- what is known of a set ---- */

/* Whether the sieve can answer this request: its nodes are the same for all
 * rotations. */
static bool is_sievable (const struct boxscan *scan)
{
    return !scan->geo->unrolled && has_shared_core (scan)
           && scan->request->wiring <= TORI_WIRE_TORUS
           && sieve_takes (scan->machine, scan->request);
}

/* Whether words of the set of nodes are those that were kept. */
static bool are_same_words (const struct boxscan *scan, const uint64_t *kept,
                            size_t first, size_t n)
{
    const uint64_t *free = scan->state->free + first;
    uint64_t other = 0, words[FIRST_PIECE];
    if (!scan->links)
        return memcmp (free, kept + first, n * sizeof *free) == 0;
    load_plain (scan, &scan->request->shape, first, n, words);
    for (size_t i = 0; i < n; i++)
        other |= words[i] ^ kept[first + i];
    return other == 0;
}

/* Whether the set of nodes is the one in which a search failed. Other sets
 * differ in the first words as a rule. */
static bool is_same_set (const struct boxscan *scan,
                         const struct sieve *sieve)
{
    size_t n, all = scan->state->words;
    for (size_t i = 0; i < all; i += n) {
        n = all - i < FIRST_PIECE ? all - i : FIRST_PIECE;
        if (!are_same_words (scan, sieve->set, i, n))
            return false;
    }
    return true;
}

/* The links that are looked at decide which nodes there are. */
static int sieve_number (const struct boxscan *scan)
{
    return scan->links ? (int)scan->request->wiring : TORI_WIRE_NONE;
}

/* The sieve of this set of nodes, or NULL. */
static struct sieve *find_sieve (struct boxscan *scan)
{
    struct sieve *all = scan->sieves[sieve_number (scan)].all;
    for (int i = 0; i < SIEVES; i++)
        if (all[i].noted && is_same_set (scan, &all[i]))
            return &all[i];
    return NULL;
}

/* Keep the set, in which a search failed. Returns its sieve, or NULL without
 * memory. */
static struct sieve *note_set (struct boxscan *scan)
{
    int *oldest = &scan->sieves[sieve_number (scan)].oldest;
    struct sieve *sieve
        = &scan->sieves[sieve_number (scan)].all[*oldest];
    size_t n = scan->state->words;
    *oldest = (*oldest + 1) % SIEVES;
    if (!sieve->set)
        sieve->set = malloc (n * sizeof *sieve->set);
    sieve->noted = sieve->set != NULL;
    sieve->made = false;
    if (sieve->noted)
        load_plain (scan, &scan->request->shape, 0, n, sieve->set);
    return sieve->noted ? sieve : NULL;
}

/* Search from this coordinate of the first dimension on. */
static int search_first (struct boxscan *scan, uint32_t from,
                         tori_box *ret_box, tori_error *err)
{
    struct piece piece = {.first = from * scan->geo->stride[0] / 64,
                          .n = FIRST_PIECE};
    size_t words = scan->geo->words;
    if (scan->geo->unrolled) /* as expensive as the search: once only */
        piece.n = words;
    while (piece.first < words) {
        uint64_t bit;
        if (piece.n > words - piece.first)
            piece.n = words - piece.first;
        if (search_piece (scan, &piece, true, take_first, ret_box, &bit, err)
            < 0)
            return -1;
        if (bit != UINT64_MAX)
            return 1;
        piece.first += piece.n;
        piece.n *= PIECE_GROWTH;
    }
    return 0;
}

/* A search that fails is followed by others as a rule, most of which fail, in
 * the same set or in another: for these a sieve is made. */
int boxscan_first (struct boxscan *scan, const tori_state *state,
                   const tori_request *request, bool links, tori_box *ret_box,
                   tori_error *err)
{
    struct sieve *sieve = NULL;
    uint32_t from = 0;
    int found;
    if (begin_scan (scan, state, request, links, err) < 0)
        return -1;
    if (is_sievable (scan))
        sieve = find_sieve (scan);
    if (!sieve && scan->failed && is_sievable (scan))
        sieve = note_set (scan);
    if (sieve && sieve_refuses (sieve, scan->machine, request, &from))
        return 0;
    found = search_first (scan, from, ret_box, err);
    scan->failed = found == 0;
    return found;
}

int boxscan_each (struct boxscan *scan, const tori_state *state,
                  const tori_request *request, boxscan_fn *visit, void *arg,
                  tori_error *err)
{
    struct piece piece = {0};
    uint64_t bit;
    if (begin_scan (scan, state, request, true, err) < 0)
        return -1;
    piece.n = bits_words (scan->geo->nbits);
    return search_piece (scan, &piece, false, visit, arg, &bit, err);
}
