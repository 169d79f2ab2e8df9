#include "ballwalk.h"

#include "bits.h"

struct walk {
    const struct ball_space *space;
    const uint64_t *set;
    uint32_t centre[TORI_MAX_DIMS];
    uint32_t rest;   /* yet to take at the radius */
    uint32_t count;  /* taken */
    uint32_t *nodes; /* these, unless NULL */
};

/* ---- rows ---- */

static void take_bits (struct walk *walk, uint32_t first, uint64_t word)
{
    if (!walk->nodes) {
        walk->count += (uint32_t)__builtin_popcountll (word);
        return;
    }
    for (; word; word &= word - 1)
        walk->nodes[walk->count++] = first
                                     + (uint32_t)__builtin_ctzll (word);
}

/* The bit of one node at the radius, if it is still to be taken. */
static uint64_t at_radius (struct walk *walk, uint64_t bit)
{
    if (!bit || walk->rest == 0)
        return 0;
    walk->rest--;
    return bit;
}

/* Nodes from offset to offset, `reach` being the radius that is left. */
static void walk_range (struct walk *walk, uint32_t base, int64_t first,
                        int64_t last, uint32_t reach)
{
    const struct ball_axis *axis = &walk->space->axes[walk->space->n - 1];
    uint32_t at = base + ball_at (axis, walk->centre[walk->space->n - 1],
                                  first);
    for (int64_t i = first; i <= last;) {
        unsigned n = last - i < 63 ? (unsigned)(last - i + 1) : 64;
        uint64_t word = bits_get (walk->set, at, n);
        uint64_t low = 1, high = UINT64_C (1) << (n - 1);
        if (ball_hops (i) == reach)
            word = (word & ~low) | at_radius (walk, word & low);
        if (ball_hops (i + n - 1) == reach && n > 1)
            word = (word & ~high) | at_radius (walk, word & high);
        take_bits (walk, at, word);
        i += n;
        at += n;
    }
}

/* All nodes within reach in the dimensions from `a` on; `base` is the id of
 * the coordinates before. */
static void walk_part (struct walk *walk, int a, uint32_t base, uint32_t reach)
{
    const struct ball_axis *axis = &walk->space->axes[a];
    uint32_t centre = walk->centre[a];
    struct ball_order order = ball_order_of (axis, centre, reach);
    for (int part = 0; part < 2; part++) {
        if (a == walk->space->n - 1) {
            walk_range (walk, base, order.first[part], order.last[part],
                        reach);
            continue;
        }
        for (int64_t i = order.first[part]; i <= order.last[part]; i++)
            walk_part (walk, a + 1,
                       base + ball_at (axis, centre, i) * axis->stride,
                       reach - ball_hops (i));
    }
}

static uint32_t walk_ball (struct walk *walk, uint32_t radius, uint32_t rest)
{
    walk->rest = rest;
    walk->count = 0;
    walk_part (walk, 0, 0, radius);
    return walk->count;
}

static struct walk walk_from (const struct ball_space *space,
                              const uint64_t *set, uint32_t centre)
{
    struct walk walk = {.space = space, .set = set};
    for (int a = 0; a < space->n; a++)
        walk.centre[a] = ball_coord (&space->axes[a], centre);
    return walk;
}

/* ---- a ball ---- */

uint32_t ball_walk_radius (const struct ball_space *space,
                           const uint64_t *set, uint32_t centre, uint32_t k,
                           uint32_t *ret_nearer)
{
    struct walk walk = walk_from (space, set, centre);
    uint32_t low = 0, high = 0, nearer = 0;
    while (walk_ball (&walk, high, UINT32_MAX) < k) {
        nearer = walk.count;
        low = high + 1;
        high = 2 * high + 1;
    }
    while (low < high) { /* fewer than k within low - 1, enough within high */
        uint32_t middle = low + (high - low) / 2;
        if (walk_ball (&walk, middle, UINT32_MAX) < k) {
            nearer = walk.count;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_nearer = nearer;
    return low;
}

void ball_walk_take (const struct ball_space *space, const uint64_t *set,
                     uint32_t centre, uint32_t radius, uint32_t rest,
                     uint32_t ret_nodes[])
{
    struct walk walk = walk_from (space, set, centre);
    walk.nodes = ret_nodes;
    walk_ball (&walk, radius, rest);
}
