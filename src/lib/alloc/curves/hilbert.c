/* hilbert.c - a Hilbert curve for boxes of any sides and dimensions.
 *
 * Hilbert's curve halves a cube in every dimension and visits the parts one
 * after the other, each by the same curve, turned so that it enters at the
 * corner that the part before left next to. This one does the same to any
 * box: it halves the longest sides, as nearly as parity allows, visits the
 * parts along a Gray code, and in each goes from one corner to another. On
 * a cube of side 2^m it is a Hilbert curve in the usual sense: every aligned
 * cube of side 2^j is one interval of it (for up to SPLIT dimensions).
 *
 * The reason is parity. Colour the nodes like a chessboard. A walk that
 * visits every node of a box by steps to neighbours alternates in colour, so
 * from corner to corner, with `flip` the sides along which the two corners
 * differ, it can exist only if
 *
 *   some side is even and an odd number of the sides in `flip` are, or
 *   all sides are odd and `flip` is not empty                          (*)
 *
 * (sides of 1 not counted; one node alone needs nothing). This is enough,
 * since such a box can be cut in two along a side c in `flip`, so that both
 * parts obey (*) and the second is entered next to where the first was left:
 *
 *   all odd: c into an odd and an even part. The even part is right
 *     whatever else is flipped. The odd one flips c, or, if its c is 1, any
 *     other side (if there is none, c was all there was).
 *   c even and 4 or more: into two even parts. The first flips c, the second
 *     what the box does.
 *   c = 2: both parts lack c. If another side b is even, the first flips b
 *     and the second what is then left, an odd number of even sides. If the
 *     others are all odd, the first flips any b so that something is left to
 *     the second.
 *   c = 2 with one more side b, odd, both flipped: cut b into an even and an
 *     odd part; the first flips b, the second c (and b, unless that is 1).
 *
 * So from a corner that (*) allows, and there always is one, every box has a
 * walk without a single break: consecutive nodes are always neighbours,
 * whatever the sides and however many dimensions.
 *
 * The same few boxes recur, up to the order of their sides. How each is cut
 * and walked is worked out once (struct plan); writing the curve down is then
 * a recursion over plans that costs a few additions a node. To find one node
 * on the curve only the plans on the way down to it are needed: they are made
 * when they are first asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hilbert.h"
#include "orders.h"

/* Axes that one plan may flip, and those it may split. In boxes of more
 * dimensions the others wait for their turn further down. */
enum { ACTIVE = 7, SPLIT = 5, CORNERS = 1 << ACTIVE, PARTS = 1 << SPLIT };

/* Axes that a walk may flip at once: see the cuts above, none needs more. */
enum { FLIPS = 3 };

/* A part of a box, in the order of the walk. */
struct hilbert_part {
    struct plan *plan;
    wide step[ACTIVE];           /* from the box's entry to the part's */
    uint32_t entry;              /* axes of the box that it walks backwards */
    uint8_t axis[TORI_MAX_DIMS]; /* its axes among those of the box */
};

/* How a box is walked from corner 0 to corner `flip`. Its axes are those
 * longer than 1, longest first and flipped ones first among equals. */
struct plan {
    int naxes;
    wide size[TORI_MAX_DIMS]; /* up to 2^64 */
    uint32_t flip;
    int nactive;
    uint8_t active[ACTIVE];
    wide volume;
    int nparts; /* 0 for a single node, and until it is opened */
    struct hilbert_part *parts;
};

/* One way to cut a box. Sets are over its active axes from here on. */
struct cut {
    unsigned split;
    wide low[ACTIVE]; /* size of the lower part */
    int nparts;
    unsigned high[PARTS]; /* which part of each axis, along the walk */
    unsigned flip[PARTS];
    unsigned entry[PARTS];
    unsigned cost;
};

/* The properties of a part that matter when its corners are chosen. */
struct nature {
    unsigned wide; /* axes longer than 1 */
    unsigned even;
    unsigned big;  /* axes about as long as its longest */
    bool rest;     /* it has other axes than the active ones */
    bool rest_even;
};

struct planner {
    struct plan **plans;
    size_t nplans, room;
    /* The least cost to come to a part, entered at a corner, and the corners
     * where the part before was entered and left then. */
    unsigned cost[PARTS + 1][CORNERS];
    uint8_t from[PARTS + 1][CORNERS];
    uint8_t exit[PARTS + 1][CORNERS];
};

enum { NO_WAY = 1 << 30 };

static unsigned bits_in (unsigned set)
{
    return (unsigned)__builtin_popcount (set);
}

/* ---- one cut ---- */

/* A Gray code over the axes of `split` from corner 0 to corner `to`, of which
 * an odd number differ: along an axis of `to` last. */
static void gray_walk (unsigned split, unsigned to, unsigned from,
                       unsigned walk[])
{
    unsigned last = to & -to, rest = split & ~last, turn = rest & -rest;
    if (!split) {
        walk[0] = from;
        return;
    }
    gray_walk (rest, turn, from, walk);
    gray_walk (rest, rest ? (to ^ last) ^ turn : 0, from ^ turn ^ last,
               walk + (1 << bits_in (rest)));
}

static wide part_size (const struct plan *plan, const struct cut *cut,
                       int part, int a)
{
    wide size = plan->size[plan->active[a]];
    if (!(cut->split >> a & 1))
        return size;
    return cut->high[part] >> a & 1 ? size - cut->low[a] : cut->low[a];
}

/* Sides above two thirds of the longest are split together with it. */
static bool is_big (wide size, wide longest)
{
    return 3 * size > 2 * longest;
}

static struct nature part_nature (const struct plan *plan,
                                  const struct cut *cut, int part)
{
    struct nature nature = {0};
    wide longest = 1;
    uint32_t active = 0;
    for (int a = 0; a < plan->nactive; a++) {
        wide size = part_size (plan, cut, part, a);
        active |= UINT32_C (1) << plan->active[a];
        longest = size > longest ? size : longest;
        nature.wide |= (unsigned)(size > 1) << a;
        nature.even |= (unsigned)(size % 2 == 0) << a;
    }
    for (int d = 0; d < plan->naxes; d++)
        if (!(active >> d & 1)) {
            nature.rest = true;
            nature.rest_even |= plan->size[d] % 2 == 0;
            longest = plan->size[d] > longest ? plan->size[d] : longest;
        }
    for (int a = 0; a < plan->nactive; a++)
        nature.big |= (unsigned)is_big (part_size (plan, cut, part, a),
                                        longest) << a;
    return nature;
}

/* The condition (*) of the head of this file. */
static bool is_walkable (const struct nature *nature, unsigned flip)
{
    if (!nature->wide && !nature->rest)
        return flip == 0;
    if (nature->even || nature->rest_even)
        return bits_in (flip & nature->even) % 2 == 1;
    return flip != 0;
}

/* Hilbert's way flips one axis, one of those that are split next. */
static unsigned flip_cost (const struct nature *nature, unsigned flip)
{
    if (!flip)
        return 0;
    return bits_in (flip) - 1 + 2 * (bits_in (flip & nature->big) % 2 == 0);
}

/* Enter the part after `part` from corner `exit` if they are adjacent. */
static bool cross_to_next (const struct cut *cut, int part,
                           const struct nature *nature,
                           const struct nature *next, unsigned exit,
                           unsigned *ret_entry)
{
    unsigned axis = cut->high[part] ^ cut->high[part + 1];
    unsigned near = cut->high[part] & axis ? 0 : axis;
    if (nature->wide & axis && (exit & axis) != near)
        return false;
    *ret_entry = ((exit & ~axis) | (axis ^ near)) & next->wide;
    return true;
}

/* Try all ways out of one part entered at one corner. */
static void extend_ways (struct planner *planner, const struct cut *cut,
                         int part, const struct nature natures[],
                         unsigned entry, unsigned target)
{
    const struct nature *nature = &natures[part];
    bool last = part == cut->nparts - 1;
    unsigned flip = nature->wide, cost;
    for (bool more = true; more; flip = (flip - 1) & nature->wide) {
        unsigned exit = entry ^ flip, next = 0;
        more = flip != 0;
        if (bits_in (flip) > FLIPS || !is_walkable (nature, flip))
            continue;
        if (last ? exit != (target & nature->wide)
                 : !cross_to_next (cut, part, nature, nature + 1, exit, &next))
            continue;
        cost = planner->cost[part][entry] + flip_cost (nature, flip);
        if (cost < planner->cost[part + 1][next]) {
            planner->cost[part + 1][next] = cost;
            planner->from[part + 1][next] = (uint8_t)entry;
            planner->exit[part + 1][next] = (uint8_t)exit;
        }
    }
}

/* Choose the corners between the parts of a cut. False if there is no way. */
static bool solve_cut (struct planner *planner, const struct plan *plan,
                       struct cut *cut, unsigned target)
{
    struct nature natures[PARTS];
    unsigned corners = 1u << plan->nactive, at = 0;
    cut->nparts = 1 << bits_in (cut->split);
    gray_walk (cut->split, target & cut->split, 0, cut->high);
    for (int i = 0; i < cut->nparts; i++)
        natures[i] = part_nature (plan, cut, i);
    for (int i = 0; i <= cut->nparts; i++)
        for (unsigned c = 0; c < corners; c++)
            planner->cost[i][c] = NO_WAY;
    planner->cost[0][0] = 0;
    for (int i = 0; i < cut->nparts; i++)
        for (unsigned c = 0; c < corners; c++)
            if (planner->cost[i][c] < NO_WAY)
                extend_ways (planner, cut, i, natures, c, target);
    cut->cost += planner->cost[cut->nparts][0];
    for (int i = cut->nparts; i > 0 && cut->cost < NO_WAY; i--) {
        cut->entry[i - 1] = planner->from[i][at];
        cut->flip[i - 1] = planner->exit[i][at] ^ planner->from[i][at];
        at = planner->from[i][at];
    }
    return cut->cost < NO_WAY;
}

/* ---- the best cut ---- */

/* The places to cut a side, best first: in the middle, or next to it if that
 * makes even parts of an even side. */
static unsigned cut_places (wide size, wide ret[3])
{
    wide half = size / 2;
    ret[0] = size - half;
    ret[1] = size % 2 ? half : half - 1;
    ret[2] = half + 1;
    if (size % 2)
        return 2;
    return half % 2 && half > 1 ? 3 : 1;
}

/* The nth way to place the cuts; false past the end. Three sides are tried
 * in all combinations, more of them in step. */
static bool place_cuts (const struct plan *plan, unsigned n, struct cut *cut)
{
    bool step = bits_in (cut->split) > 3;
    if (step && n >= 3)
        return false;
    cut->cost = 0;
    for (int a = 0; a < plan->nactive; a++) {
        wide places[3];
        unsigned count = cut_places (plan->size[plan->active[a]], places);
        if (!(cut->split >> a & 1))
            continue;
        cut->low[a] = places[n % count];
        cut->cost += count == 3 && n % count > 0;
        if (!step)
            n /= count;
    }
    return step || n == 0;
}

/* The cheapest way to cut along these axes. */
static bool best_cut (struct planner *planner, const struct plan *plan,
                      unsigned split, unsigned target, struct cut *best)
{
    struct cut cut = {.split = split};
    best->cost = NO_WAY;
    if (bits_in (split & target) % 2 == 0 || bits_in (split) > SPLIT)
        return false;
    for (unsigned n = 0; best->cost > 0 && place_cuts (plan, n, &cut); n++)
        if (solve_cut (planner, plan, &cut, target) && cut.cost < best->cost)
            *best = cut;
    return best->cost < NO_WAY;
}

/* Sets of active axes: the flipped ones, and those to split by choice. */
static unsigned active_flips (const struct plan *plan)
{
    unsigned set = 0;
    for (int a = 0; a < plan->nactive; a++)
        set |= (plan->flip >> plan->active[a] & 1u) << a;
    return set;
}

static unsigned active_big (const struct plan *plan)
{
    unsigned set = 0;
    for (int a = 0; a < plan->nactive && bits_in (set) < SPLIT; a++)
        if (is_big (plan->size[plan->active[a]], plan->size[0]))
            set |= 1u << a;
    return set;
}

/* The long axes together, or with one of the flipped ones more or less, or,
 * as the head of this file shows to be always possible, one of these alone. */
static void choose_cut (struct planner *planner, const struct plan *plan,
                        struct cut *best)
{
    unsigned target = active_flips (plan), big = active_big (plan);
    if (best_cut (planner, plan, big, target, best))
        return;
    for (unsigned left = target; left; left &= left - 1)
        if (best_cut (planner, plan, big ^ (left & -left), target, best))
            return;
    for (unsigned left = target; left; left &= left - 1)
        if (best_cut (planner, plan, left & -left, target, best))
            return;
}

/* ---- plans ---- */

/* The axes of a box in the order of a plan, longest first. Returns how
 * many are longer than 1. */
static int sort_axes (const wide size[], uint32_t flip, int n,
                      uint8_t axis[])
{
    int count = 0;
    for (int d = 0; d < n; d++) {
        wide key = size[d] << 1 | (flip >> d & 1);
        int i = count;
        if (size[d] == 1)
            continue;
        for (; i > 0; i--) {
            uint8_t e = axis[i - 1];
            if ((size[e] << 1 | (flip >> e & 1)) >= key)
                break;
            axis[i] = e;
        }
        axis[i] = (uint8_t)d;
        count++;
    }
    return count;
}

static void add_active (struct plan *plan, int d, uint32_t *done)
{
    if (plan->nactive == ACTIVE || *done >> d & 1)
        return;
    plan->active[plan->nactive++] = (uint8_t)d;
    *done |= UINT32_C (1) << d;
}

/* Choose the flipped axes, an even one (the proof needs one), the longest. */
static void choose_active (struct plan *plan)
{
    uint32_t done = 0;
    int even = 0;
    for (int d = 0; d < plan->naxes; d++)
        if (plan->flip >> d & 1)
            add_active (plan, d, &done);
    while (even < plan->naxes
           && (done >> even & 1 || plan->size[even] % 2))
        even++;
    if (even < plan->naxes)
        add_active (plan, even, &done);
    for (int d = 0; d < plan->naxes; d++)
        add_active (plan, d, &done);
}

static bool is_like (const struct plan *plan, const struct plan *like)
{
    return plan->naxes == like->naxes && plan->flip == like->flip
           && memcmp (plan->size, like->size, sizeof plan->size) == 0;
}

/* The plan equal to this one, among some dozens for most machines; NULL
 * without memory. */
static struct plan *add_plan (struct planner *planner,
                              const struct plan *like)
{
    struct plan **plans, *plan;
    for (size_t i = 0; i < planner->nplans; i++)
        if (is_like (planner->plans[i], like))
            return planner->plans[i];
    plans = array_room (planner->plans, &planner->room, planner->nplans + 1,
                        sizeof *plans);
    if (!plans)
        return NULL;
    planner->plans = plans;
    plan = malloc (sizeof *plan);
    if (!plan)
        return NULL;
    *plan = *like;
    choose_active (plan);
    plan->volume = 1;
    for (int d = 0; d < plan->naxes; d++)
        plan->volume *= plan->size[d];
    return planner->plans[planner->nplans++] = plan;
}

/* The plan for a box of n sides, and the order of its axes. NULL without
 * memory. */
static struct plan *make_plan (struct planner *planner, const wide size[],
                               uint32_t flip, int n, uint8_t axis[])
{
    struct plan like = {.naxes = sort_axes (size, flip, n, axis)};
    for (int i = 0; i < like.naxes; i++) {
        like.size[i] = size[axis[i]];
        like.flip |= (flip >> axis[i] & 1) << i;
    }
    return add_plan (planner, &like);
}

/* One part of a cut, walked by a plan of its own. */
static int make_part (struct planner *planner, const struct plan *plan,
                      const struct cut *cut, int i, struct hilbert_part *part)
{
    wide size[TORI_MAX_DIMS];
    uint32_t flip = 0;
    memcpy (size, plan->size, sizeof size);
    for (int a = 0; a < plan->nactive; a++) {
        int d = plan->active[a];
        size[d] = part_size (plan, cut, i, a);
        flip |= (uint32_t)(cut->flip[i] >> a & 1) << d;
        part->entry |= (uint32_t)(cut->entry[i] >> a & 1) << d;
        part->step[a] = (cut->high[i] >> a & 1 ? cut->low[a] : 0)
                        + (cut->entry[i] >> a & 1 ? size[d] - 1 : 0);
    }
    part->plan = make_plan (planner, size, flip, plan->naxes, part->axis);
    return part->plan ? 0 : -1;
}

/* Cut the box of a plan into its parts, if that is not done. */
static int open_plan (struct planner *planner, struct plan *plan)
{
    struct cut cut = {0};
    struct hilbert_part *parts;
    if (!plan->naxes || plan->parts)
        return 0;
    choose_cut (planner, plan, &cut);
    parts = calloc ((size_t)cut.nparts, sizeof *parts);
    if (!parts)
        return -1;
    for (int i = 0; i < cut.nparts; i++)
        if (make_part (planner, plan, &cut, i, &parts[i]) < 0) {
            free (parts);
            return -1;
        }
    plan->nparts = cut.nparts;
    plan->parts = parts;
    return 0;
}

/* Open all plans. Every part is smaller than its box, so this comes to an
 * end. */
static int open_all (struct planner *planner)
{
    for (size_t i = 0; i < planner->nplans; i++)
        if (open_plan (planner, planner->plans[i]) < 0)
            return -1;
    return 0;
}

static void clear_plans (struct planner *planner)
{
    for (size_t i = 0; i < planner->nplans; i++) {
        free (planner->plans[i]->parts);
        free (planner->plans[i]);
    }
    free (planner->plans);
}

/* ---- the walk ---- */

/* Write down the nodes of a box from its entry on. Strides are by axis of the
 * plan, and negative, modulo 2^32, if the axis is walked backwards. */
static uint32_t *write_walk (const struct plan *plan, uint32_t id,
                             const uint32_t stride[], uint32_t *ids)
{
    if (!plan->nparts)
        *ids++ = id;
    for (int i = 0; i < plan->nparts; i++) {
        const struct hilbert_part *part = &plan->parts[i];
        uint32_t strides[TORI_MAX_DIMS], entry = id;
        for (int a = 0; a < plan->nactive; a++)
            entry += (uint32_t)part->step[a] * stride[plan->active[a]];
        for (int k = 0; k < part->plan->naxes; k++) {
            int d = part->axis[k];
            strides[k] = part->entry >> d & 1 ? 0 - stride[d] : stride[d];
        }
        ids = write_walk (part->plan, entry, strides, ids);
    }
    return ids;
}

/* The corner where the walk of the whole box ends: along the longest side if
 * there can be such a walk, or along another that is about as long; else it
 * must end off by an even side, too. */
static uint32_t choose_flip (const wide size[], int ndims)
{
    wide longest = 1;
    uint32_t flip = 0;
    int even = -1, most = 0;
    for (int d = 0; d < ndims; d++) {
        if (size[d] > longest) {
            longest = size[d];
            most = d;
        }
        if (size[d] % 2 == 0 && (even < 0 || size[d] > size[even]))
            even = d;
    }
    if (even < 0 || !is_big (size[even], longest))
        flip |= UINT32_C (1) << most;
    if (even >= 0)
        flip |= UINT32_C (1) << even;
    return flip;
}

/* The whole box. */
struct hilbert {
    struct planner planner;
    struct plan *plan;
    uint8_t axis[TORI_MAX_DIMS]; /* of the box, by axis of the plan */
};

struct hilbert *hilbert_create (const uint64_t last[], int ndims,
                                tori_error *err)
{
    struct hilbert *hilbert = calloc (1, sizeof *hilbert);
    wide size[TORI_MAX_DIMS];
    for (int d = 0; d < ndims; d++)
        size[d] = (wide)last[d] + 1;
    if (hilbert)
        hilbert->plan = make_plan (&hilbert->planner, size,
                                   choose_flip (size, ndims), ndims,
                                   hilbert->axis);
    if (hilbert && hilbert->plan)
        return hilbert;
    hilbert_destroy (hilbert);
    tori_error_nomem (err);
    return NULL;
}

void hilbert_destroy (struct hilbert *hilbert)
{
    if (hilbert)
        clear_plans (&hilbert->planner);
    free (hilbert);
}

int order_hilbert (const tori_shape *shape, uint32_t ids[], tori_error *err)
{
    uint32_t stride[TORI_MAX_DIMS], strides[TORI_MAX_DIMS], volume = 1;
    uint64_t last[TORI_MAX_DIMS];
    struct hilbert *hilbert;
    for (int d = 0; d < shape->ndims; d++)
        last[d] = shape->size[d] - 1;
    hilbert = hilbert_create (last, shape->ndims, err);
    if (!hilbert)
        return -1;
    if (open_all (&hilbert->planner) < 0) {
        hilbert_destroy (hilbert);
        return tori_error_nomem (err);
    }
    for (int d = shape->ndims; d-- > 0; volume *= shape->size[d])
        stride[d] = volume;
    for (int k = 0; k < hilbert->plan->naxes; k++)
        strides[k] = stride[hilbert->axis[k]];
    write_walk (hilbert->plan, 0, strides, ids);
    hilbert_destroy (hilbert);
    return 0;
}

/* ---- one place ---- */

/* Whether a place of the box is in this part, and its steps from the part's
 * entry. Steps the wrong way are huge. */
static bool is_in_part (const struct plan *plan,
                        const struct hilbert_part *part, const wide at[],
                        wide ret_at[])
{
    wide from[TORI_MAX_DIMS];
    uint32_t long_axes = 0;
    memcpy (from, at, (size_t)plan->naxes * sizeof *from);
    for (int a = 0; a < plan->nactive; a++) {
        int d = plan->active[a];
        from[d] = part->entry >> d & 1 ? part->step[a] - at[d]
                                       : at[d] - part->step[a];
    }
    for (int k = 0; k < part->plan->naxes; k++) {
        long_axes |= UINT32_C (1) << part->axis[k];
        ret_at[k] = from[part->axis[k]];
        if (ret_at[k] >= part->plan->size[k])
            return false;
    }
    for (int d = 0; d < plan->naxes; d++)
        if (!(long_axes >> d & 1) && from[d] > 0)
            return false;
    return true;
}

int hilbert_position (struct hilbert *hilbert, const uint64_t at[],
                      wide *ret_position, tori_error *err)
{
    struct plan *plan = hilbert->plan;
    wide here[TORI_MAX_DIMS], there[TORI_MAX_DIMS] = {0}, position = 0;
    for (int k = 0; k < plan->naxes; k++)
        here[k] = at[hilbert->axis[k]];
    while (plan->naxes) {
        const struct hilbert_part *part;
        if (open_plan (&hilbert->planner, plan) < 0)
            return tori_error_nomem (err);
        for (part = plan->parts; !is_in_part (plan, part, here, there); part++)
            position += part->plan->volume;
        plan = part->plan;
        memcpy (here, there, sizeof here);
    }
    *ret_position = position;
    return 0;
}
