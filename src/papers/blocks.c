#include "blocks.h"

enum { KINDS = 8, CORNERS = 8 };

/* A kind of piece: in the dimensions of its bits it is a rest. */
struct kind {
    uint32_t side[3];
    uint32_t offset[3];
    uint32_t needed;
};

const int blocks_order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Whole cubes, faces, edges, the corner, in the order of RFold. */
static const unsigned rests[KINDS] = {0, 4, 2, 1, 6, 5, 3, 7};

/* The kinds of a box that it has. */
static size_t cut (const uint32_t side[3], struct kind kind[KINDS])
{
    size_t n = 0;
    for (size_t i = 0; i < KINDS; i++) {
        struct kind is = {.needed = 1};
        for (int d = 0; d < 3; d++) {
            bool rest = rests[i] >> d & 1;
            is.side[d] = rest ? side[d] % BLOCK_SIDE : BLOCK_SIDE;
            is.needed *= rest ? is.side[d] > 0 : side[d] / BLOCK_SIDE;
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
                mask |= UINT64_C (1) << (16 * (x + kind->offset[0])
                                         + 4 * (y + kind->offset[1]) + z
                                         + kind->offset[2]);
    return mask;
}

/* The first cubes that have this free, and nothing else of the job. */
static bool take (const struct blocks *blocks, const struct kind *kind,
                  struct blocks_place *place)
{
    uint64_t mask = mask_of (kind);
    uint32_t found = 0, chosen[BLOCKS];
    for (uint32_t b = 0; b < BLOCKS && found < kind->needed; b++)
        if (!place->held[b] && !(blocks->busy[b] & mask))
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
        uint32_t last = BLOCK_SIDE - kind->side[d];
        if (kind->offset[d] < last) {
            kind->offset[d] = corners ? last : kind->offset[d] + 1;
            return true;
        }
        kind->offset[d] = 0;
    }
    return false;
}

static bool take_somewhere (const struct blocks *blocks, struct kind *kind,
                            bool corners, struct blocks_place *place)
{
    do {
        if (take (blocks, kind, place))
            return true;
    } while (next_offset (kind, corners));
    return false;
}

/* Rests of a dimension lie beside each other, so they begin alike; and where the
 * box goes on into other cubes, at a face. */
static bool can_join (const uint32_t side[3], const struct kind kind[],
                      size_t n)
{
    for (int d = 0; d < 3; d++) {
        uint32_t begin = BLOCK_SIDE;
        for (size_t i = 0; i < n; i++) {
            uint32_t is = kind[i].offset[d];
            if (kind[i].side[d] == BLOCK_SIDE)
                continue;
            if (begin < BLOCK_SIDE && is != begin)
                return false;
            if (side[d] > BLOCK_SIDE && is > 0
                && is + kind[i].side[d] < BLOCK_SIDE)
                return false;
            begin = is;
        }
    }
    return true;
}

static bool place_turned (const struct blocks *blocks, const uint32_t side[3],
                          struct blocks_place *place)
{
    struct kind kind[KINDS];
    size_t n = cut (side, kind);
    bool corners = side[0] >= BLOCK_SIDE && side[1] >= BLOCK_SIDE
                   && side[2] >= BLOCK_SIDE;
    *place = (struct blocks_place){0};
    for (size_t i = 0; i < n; i++)
        if (!take_somewhere (blocks, &kind[i], corners, place))
            return false;
    place->joined = can_join (side, kind, n);
    return true;
}

bool blocks_place (struct blocks *blocks, const uint32_t side[3],
                   struct blocks_place *ret_place)
{
    bool found = false;
    for (size_t i = 0; i < 6 && !found; i++) {
        uint32_t turned[3];
        for (int d = 0; d < 3; d++)
            turned[d] = side[blocks_order[i][d]];
        found = place_turned (blocks, turned, ret_place);
    }
    for (size_t b = 0; found && b < BLOCKS; b++)
        blocks->busy[b] |= ret_place->held[b];
    return found;
}

void blocks_release (struct blocks *blocks, const struct blocks_place *place)
{
    for (size_t b = 0; b < BLOCKS; b++)
        blocks->busy[b] &= ~place->held[b];
}
