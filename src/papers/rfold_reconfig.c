#include "rfold_reconfig.h"

enum { KINDS = 8, CORNERS = 8 };

/* A kind of piece: in the dimensions of its bits it is a remainder. */
struct kind {
    uint32_t side[3];
    uint32_t offset[3];
    uint32_t needed;
};

const int rfold_order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                               {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Whole cubes, faces, edges, the corner, in the order of RFold. */
static const unsigned rests[KINDS] = {0, 4, 2, 1, 6, 5, 3, 7};

/* The kinds of pieces that a box has. */
static size_t cut_box (const uint32_t side[3], struct kind kind[KINDS])
{
    size_t n = 0;
    for (size_t i = 0; i < KINDS; i++) {
        struct kind is = {.needed = 1};
        for (int d = 0; d < 3; d++) {
            bool rest = rests[i] >> d & 1;
            is.side[d] = rest ? side[d] % RFOLD_CUBE_SIDE : RFOLD_CUBE_SIDE;
            is.needed *= rest ? is.side[d] > 0 : side[d] / RFOLD_CUBE_SIDE;
        }
        if (is.needed > 0)
            kind[n++] = is;
    }
    return n;
}

static uint64_t mask_of (const struct kind *kind)
{
    uint64_t mask = 0;
    for (uint32_t x = 0; x < kind->side[0]; x++)
        for (uint32_t y = 0; y < kind->side[1]; y++)
            for (uint32_t z = 0; z < kind->side[2]; z++)
                mask |= UINT64_C (1)
                        << (16 * (x + kind->offset[0])
                            + 4 * (y + kind->offset[1]) + z + kind->offset[2]);
    return mask;
}

/* The first cubes where this is free and that hold no other piece of the
 * job. */
static bool take_cubes (const struct rfold_cubes *cubes,
                        const struct kind *kind, struct rfold_place *place)
{
    uint64_t mask = mask_of (kind);
    uint32_t found = 0, chosen[RFOLD_CUBES];
    for (uint32_t b = 0; b < RFOLD_CUBES && found < kind->needed; b++)
        if (!place->held[b] && !(cubes->busy[b] & mask))
            chosen[found++] = b;
    if (found < kind->needed)
        return false;
    for (uint32_t i = 0; i < found; i++)
        place->held[chosen[i]] = mask;
    return true;
}

/* The next offset, all of them or the corners alone. False after the last. */
static bool next_offset (struct kind *kind, bool corners)
{
    for (int d = 2; d >= 0; d--) {
        uint32_t last = RFOLD_CUBE_SIDE - kind->side[d];
        if (kind->offset[d] < last) {
            kind->offset[d] = corners ? last : kind->offset[d] + 1;
            return true;
        }
        kind->offset[d] = 0;
    }
    return false;
}

static bool take_somewhere (const struct rfold_cubes *cubes, struct kind *kind,
                            bool corners, struct rfold_place *place)
{
    do {
        if (take_cubes (cubes, kind, place))
            return true;
    } while (next_offset (kind, corners));
    return false;
}

/* Remainders of a dimension lie beside each other, so they begin alike; and at
 * a face if the box goes on into other cubes. */
static bool can_join (const uint32_t side[3], const struct kind kind[],
                      size_t n)
{
    for (int d = 0; d < 3; d++) {
        uint32_t begin = RFOLD_CUBE_SIDE;
        for (size_t i = 0; i < n; i++) {
            uint32_t is = kind[i].offset[d];
            if (kind[i].side[d] == RFOLD_CUBE_SIDE)
                continue;
            if (begin < RFOLD_CUBE_SIDE && is != begin)
                return false;
            if (side[d] > RFOLD_CUBE_SIDE && is > 0
                && is + kind[i].side[d] < RFOLD_CUBE_SIDE)
                return false;
            begin = is;
        }
    }
    return true;
}

static bool place_turned (const struct rfold_cubes *cubes,
                          const uint32_t side[3], struct rfold_place *place)
{
    struct kind kind[KINDS];
    size_t n = cut_box (side, kind);
    bool corners = side[0] >= RFOLD_CUBE_SIDE && side[1] >= RFOLD_CUBE_SIDE
                   && side[2] >= RFOLD_CUBE_SIDE;
    *place = (struct rfold_place){0};
    for (size_t i = 0; i < n; i++)
        if (!take_somewhere (cubes, &kind[i], corners, place))
            return false;
    place->joined = can_join (side, kind, n);
    return true;
}

bool rfold_cubes_place (struct rfold_cubes *cubes, const uint32_t side[3],
                        struct rfold_place *ret_place)
{
    bool found = false;
    for (size_t i = 0; i < 6 && !found; i++) {
        uint32_t turned[3];
        for (int d = 0; d < 3; d++)
            turned[d] = side[rfold_order[i][d]];
        found = place_turned (cubes, turned, ret_place);
    }
    for (size_t b = 0; found && b < RFOLD_CUBES; b++)
        cubes->busy[b] |= ret_place->held[b];
    return found;
}

void rfold_cubes_release (struct rfold_cubes *cubes,
                          const struct rfold_place *place)
{
    for (size_t b = 0; b < RFOLD_CUBES; b++)
        cubes->busy[b] &= ~place->held[b];
}
