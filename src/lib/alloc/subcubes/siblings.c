#include "siblings.h"

/* The children whose corner has a 0 in dimension i. */
static const uint64_t zero_in[SIBLINGS_BITS] = {
    UINT64_C (0x5555555555555555), UINT64_C (0x3333333333333333),
    UINT64_C (0x0f0f0f0f0f0f0f0f), UINT64_C (0x00ff00ff00ff00ff),
    UINT64_C (0x0000ffff0000ffff), UINT64_C (0x00000000ffffffff),
};

/* The groups, by their first child, whose neighbour in dimension i is in
 * `groups`, too: the groups of twice the size. */
static inline uint64_t join_groups (uint64_t groups, unsigned i)
{
    return groups & groups >> (1u << i) & zero_in[i];
}

static unsigned first_of (uint64_t set)
{
    return (unsigned)__builtin_ctzll (set);
}

/* The aligned groups of 2^l free children, by their first child. */
static uint64_t align_groups (uint64_t free, unsigned l)
{
    for (unsigned i = 0; i < l; i++)
        free = join_groups (free, i);
    return free;
}

/* ---- buddy ---- */

static uint64_t buddy_sizes (uint64_t free, unsigned b)
{
    uint64_t sizes = 0;
    for (unsigned l = 0; free && l < b; l++) {
        sizes |= UINT64_C (1) << l;
        free = join_groups (free, l);
    }
    return sizes;
}

static uint64_t buddy_choose (uint64_t free, unsigned b, unsigned l)
{
    (void)b;
    return bits_low (1u << l) << first_of (align_groups (free, l));
}

/* ---- gray ---- */

/* The same, `by` children on, round the end of the 2^b. */
static uint64_t rotate_children (uint64_t set, unsigned b, unsigned by)
{
    unsigned n = 1u << b;
    return (set >> by | set << (n - by)) & bits_low (n);
}

static uint64_t gray_sizes (uint64_t free, unsigned b)
{
    uint64_t sizes = free != 0;
    for (unsigned l = 1; free && l < b; l++) {
        if (free & rotate_children (free, b, 1u << (l - 1)))
            sizes |= UINT64_C (1) << l;
        free = join_groups (free, l - 1);
    }
    return sizes;
}

static uint64_t gray_choose (uint64_t free, unsigned b, unsigned l)
{
    unsigned n = 1u << b, at;
    uint64_t group = bits_low (1u << l);
    if (l == 0)
        return free & -free;
    free = align_groups (free, l - 1);
    at = first_of (free & rotate_children (free, b, 1u << (l - 1)));
    return at ? (group << at | group >> (n - at)) & bits_low (n) : group;
}

/* ---- free-list ---- */

/* Sizes of groups that come of `groups` of size 2^l by joining in dimensions
 * from i on. */
static uint64_t all_sizes (uint64_t groups, unsigned b, unsigned i,
                           unsigned l)
{
    uint64_t sizes = UINT64_C (1) << l;
    for (; i < b && i < SIBLINGS_BITS; i++) {
        uint64_t twice = join_groups (groups, i);
        if (twice)
            sizes |= all_sizes (twice, b, i + 1, l + 1);
    }
    return sizes;
}

static uint64_t list_sizes (uint64_t free, unsigned b)
{
    return free ? all_sizes (free, b, 0, 0) & bits_low (b) : 0;
}

struct choice {
    unsigned slot; /* the first child; 64: none yet */
    uint64_t dims;
};

/* The lowest first child, then the lowest set of dimensions. */
static void consider_groups (struct choice *best, uint64_t groups,
                             uint64_t dims)
{
    unsigned slot = first_of (groups);
    if (slot < best->slot || (slot == best->slot && dims < best->dims))
        *best = (struct choice){slot, dims};
}

static void choose_all (uint64_t groups, unsigned b, unsigned i,
                        unsigned left, uint64_t dims, struct choice *best)
{
    if (left == 0) {
        consider_groups (best, groups, dims);
        return;
    }
    for (; i + left <= b && i < SIBLINGS_BITS; i++) {
        uint64_t twice = join_groups (groups, i);
        if (twice)
            choose_all (twice, b, i + 1, left - 1, dims | UINT64_C (1) << i,
                        best);
    }
}

/* The first 2^l children of the smallest aligned group that is part of no
 * larger one; 0 if there is none. While nothing is given back, at most one
 * such group has each size, as in the published list, so whatever fits by
 * number is placed. */
static uint64_t split_smallest (uint64_t free, unsigned b, unsigned l)
{
    uint64_t groups = align_groups (free, l), alone = 0;
    for (unsigned i = l; i < b && !alone; i++) {
        uint64_t twice = join_groups (groups, i);
        alone = groups & ~(twice | twice << (1u << i));
        groups = twice;
    }
    return alone ? bits_low (1u << l) << first_of (alone) : 0;
}

static uint64_t list_choose (uint64_t free, unsigned b, unsigned l)
{
    struct choice best = {.slot = 64};
    uint64_t group = split_smallest (free, b, l);
    if (group)
        return group;
    choose_all (free, b, 0, l, 0, &best);
    return siblings_span (best.slot, best.dims);
}

/* ---- adaptive ---- */

static bool is_light (uint64_t free, unsigned b)
{
    return 2 * (unsigned)__builtin_popcountll (free) > 1u << b;
}

static uint64_t adaptive_sizes (uint64_t free, unsigned b)
{
    return is_light (free, b) ? buddy_sizes (free, b) : list_sizes (free, b);
}

static uint64_t adaptive_choose (uint64_t free, unsigned b, unsigned l)
{
    return is_light (free, b) ? buddy_choose (free, b, l)
                              : list_choose (free, b, l);
}

/* ---- words ---- */

uint64_t siblings_gray_ranks (uint64_t corners)
{
    uint64_t ranks = 0;
    for (; corners; corners &= corners - 1) {
        unsigned corner = (unsigned)__builtin_ctzll (corners);
        ranks |= UINT64_C (1) << (corner ^ corner >> 1 ^ corner >> 2
                                  ^ corner >> 3 ^ corner >> 4 ^ corner >> 5);
    }
    return ranks;
}

uint64_t siblings_gray_corners (uint64_t ranks)
{
    uint64_t corners = 0;
    for (; ranks; ranks &= ranks - 1) {
        unsigned rank = (unsigned)__builtin_ctzll (ranks);
        corners |= UINT64_C (1) << (rank ^ rank >> 1);
    }
    return corners;
}

static const struct siblings rules[] = {
    [TORI_HYPERCUBE_BUDDY] = {buddy_sizes, buddy_choose, false},
    [TORI_HYPERCUBE_GRAY] = {gray_sizes, gray_choose, true},
    [TORI_HYPERCUBE_FREE_LIST] = {list_sizes, list_choose, false},
    [TORI_HYPERCUBE_ADAPTIVE] = {adaptive_sizes, adaptive_choose, false},
};

const struct siblings *siblings_find (tori_hypercube rule)
{
    return &rules[rule];
}
