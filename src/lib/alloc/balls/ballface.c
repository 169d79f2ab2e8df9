#include "ballface.h"

struct face {
    const struct ball_space *space;
    const uint64_t *beside;
    uint32_t centre[TORI_MAX_DIMS];
    uint32_t rest; /* still to be taken */
    uint64_t edges;
};

/* The distances of a node's neighbours, as bits of `beside`. Neighbours at the
 * node's own distance are told apart by their ids, because among nodes at one
 * distance the lowest are taken: an edge counts if its lower end is taken, but
 * not if both are. */
struct face_sides {
    uint64_t farther, nearer;
    uint64_t before, after; /* as far, with a lower or higher id */
};

/* At an offset of half a ring both ways lead back. */
static struct face_sides sides_of (const struct ball_space *space, int a,
                              uint32_t at, int64_t offset)
{
    const struct ball_axis *axis = &space->axes[a];
    uint64_t ahead = offset < 0 ? ball_below (a) : ball_above (a);
    uint64_t back = offset < 0 ? ball_above (a) : ball_below (a);
    if (offset == 0)
        return (struct face_sides){.farther = ahead | back};
    if (!axis->wraps || ball_hops (offset) < axis->size / 2)
        return (struct face_sides){.farther = ahead, .nearer = back};
    if (axis->size % 2 == 0)
        return (struct face_sides){.nearer = ahead | back};
    if (offset < 0 ? at > 0 : at + 1 == axis->size)
        return (struct face_sides){.nearer = back, .before = ahead};
    return (struct face_sides){.nearer = back, .after = ahead};
}

/* There are but a few. */
static uint64_t count_bits (uint64_t bits)
{
    uint64_t n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

static void look_at (struct face *face, uint32_t node,
                     const struct face_sides *sides)
{
    uint64_t beside = face->beside[node];
    if (!beside)
        return;
    if (face->rest == 0) {
        face->edges += count_bits (beside & sides->nearer);
        return;
    }
    face->rest--;
    face->edges += count_bits (beside & (sides->farther | sides->after));
    face->edges -= count_bits (beside & sides->before);
}

static void walk_face (struct face *face, int a, uint32_t base,
                       uint32_t distance, const struct face_sides *sides);

/* Walk the nodes at an offset whose total distance is this. */
static void walk_slice (struct face *face, int a, uint32_t base,
                        int64_t offset, uint32_t distance,
                        const struct face_sides *sides)
{
    const struct ball_axis *axis = &face->space->axes[a];
    uint32_t at = ball_at (axis, face->centre[a], offset);
    uint32_t node = base + at * axis->stride;
    struct face_sides own = sides_of (face->space, a, at, offset);
    own.farther |= sides->farther;
    own.nearer |= sides->nearer;
    own.before |= sides->before;
    own.after |= sides->after;
    if (a == face->space->n - 1)
        look_at (face, node, &own);
    else
        walk_face (face, a + 1, node, distance - ball_hops (offset), &own);
}

/* In the order of ids: all offsets that leave no more than the later
 * dimensions can go; of a row, the one or two at the distance. */
static void walk_face (struct face *face, int a, uint32_t base,
                       uint32_t distance, const struct face_sides *sides)
{
    const struct ball_axis *axis = &face->space->axes[a];
    struct ball_order order = ball_order_of (axis, face->centre[a], distance);
    int64_t least = distance > axis->later ? distance - axis->later : 0;
    for (int part = 0; part < 2; part++) {
        int64_t i = order.first[part];
        for (; i <= order.last[part] && i <= -least; i++)
            walk_slice (face, a, base, i, distance, sides);
        for (i = i < least ? least : i; i <= order.last[part]; i++)
            walk_slice (face, a, base, i, distance, sides);
    }
}

uint64_t ball_face_edges (const struct ball_space *space,
                          const uint64_t *beside, uint32_t centre,
                          uint32_t radius, uint32_t rest)
{
    struct face face = {.space = space, .beside = beside, .rest = rest};
    struct face_sides none = {0};
    for (int a = 0; a < space->n; a++)
        face.centre[a] = ball_coord (&space->axes[a], centre);
    walk_face (&face, 0, 0, radius, &none);
    return face.edges;
}
