#include "tiles.h"

#include "marks.h"

/* The nodes times radii that levels have room for, with some to spare, and the
 * radii that they have besides those of the balls. */
static const uint64_t LEVELS_ROOM = UINT64_C (6) << 23;
enum { MORE_RADII = 10 };

/* The slots that a table may have at all: seven of them take half a GiB. */
static const uint64_t MOST_SLOTS = (UINT64_C (1) << 28) / 7;

/* No box of centres is cut shorter. */
enum { LEAST_SIDE = 16 };

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

/* The radius at which balls have so many free nodes on average. */
static uint64_t guess_radius (const tori_state *state, uint64_t k)
{
    const tori_machine *machine = state->machine;
    int ndims = count_dims (machine);
    uint64_t radius = 0;
    while (ball_size (ndims, radius) * state->free_count / machine->nodes < k)
        radius++;
    return radius;
}

/* Levels go on until balls around a corner have k. */
bool tiles_needed (const tori_state *state, uint32_t k)
{
    const tori_machine *machine = state->machine;
    int ndims = count_dims (machine);
    uint64_t need = k;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->shape.size[d] > 1 && !tori_machine_wraps (machine, d))
            need *= 2;
    return ndims >= 1 && ndims <= 3
           && (guess_radius (state, need) + MORE_RADII) * machine->nodes
                  > LEVELS_ROOM;
}

/* ---- a box ---- */

struct tiles {
    struct centres *centres;
    const tori_state *state;
    const bool *occurs;
    struct balls *balls;
    uint32_t k;
    uint32_t reach; /* that seems enough */
    uint32_t side[AXES];
    uint32_t first[AXES], own[AXES]; /* the box */
};

/* Try the centres of no radius. */
static void try_left (struct tiles *tiles)
{
    struct centres *centres = tiles->centres;
    const struct field *field = centres->field;
    for (size_t row = 0; row < field->nrows; row++)
        for (uint32_t z = 0; z < field->width; z++)
            if (field->radius[row * field->width + z] == UINT16_MAX) {
                struct block block = block_at (centres, row, z);
                uint32_t node = block_node (centres, &block, 0);
                centres_consider (centres, node,
                                  balls_pairwise (tiles->balls, node));
            }
}

/* Search it, reaching farther until that is far enough. 0 if it would take too
 * much memory. */
static int try_box (struct tiles *tiles, tori_error *err)
{
    struct diamonds *diamonds = &tiles->centres->diamonds;
    uint32_t reach = tiles->reach, radius;
    bool last;
    for (;; reach += reach / 2 + 1) {
        last = reach >= diamonds->most;
        if (last)
            reach = diamonds->most;
        if (!diamonds_serve (tiles->k, reach)
            || diamonds_slots (diamonds, tiles->own, reach) > MOST_SLOTS)
            return 0;
        if (diamonds_make (diamonds, tiles->state->free, tiles->occurs,
                           tiles->first, tiles->own, reach, err) < 0)
            return -1;
        if (diamonds_count (diamonds, tiles->k, last, &radius))
            break;
        if (last) {
            try_left (tiles);
            break;
        }
    }
    if (centres_room (tiles->centres, radius, err) < 0)
        return -1;
    twins_drop_clear (tiles->centres->field, diamonds->clear);
    centres_search (tiles->centres);
    return 1;
}

/* ---- all boxes ---- */

/* Halve the longest sides until a table is small enough. */
static void cut_sides (struct tiles *tiles, uint64_t slots)
{
    const struct diamonds *diamonds = &tiles->centres->diamonds;
    for (int a = 0; a < AXES; a++)
        tiles->side[a] = diamonds->field.axes[a].size;
    while (diamonds_slots (diamonds, tiles->side, tiles->reach) > slots) {
        int longest = 0;
        for (int a = 1; a < AXES; a++)
            if (tiles->side[a] > tiles->side[longest])
                longest = a;
        if (tiles->side[longest] < 2 * LEAST_SIDE)
            return;
        tiles->side[longest] = (tiles->side[longest] + 1) / 2;
    }
}

/* The next box in the order of coordinates; false behind the last. */
static bool next_box (struct tiles *tiles)
{
    const struct axis *axes = tiles->centres->diamonds.field.axes;
    for (int a = AXES; a-- > 0;) {
        tiles->first[a] += tiles->side[a];
        if (tiles->first[a] < axes[a].size)
            return true;
        tiles->first[a] = 0;
    }
    return false;
}

static void set_box (struct tiles *tiles)
{
    const struct axis *axes = tiles->centres->diamonds.field.axes;
    for (int a = 0; a < AXES; a++)
        tiles->own[a] = least (tiles->side[a],
                               axes[a].size - tiles->first[a]);
}

int tiles_find (struct centres *centres, const tori_state *state, uint32_t k,
                const bool *occurs, uint64_t slots, struct balls *balls,
                tori_error *err)
{
    struct tiles tiles = {.centres = centres, .state = state,
                          .occurs = occurs, .balls = balls, .k = k};
    int done;
    if (!centres->diamonds.suits)
        return 0;
    tiles.reach = (uint32_t)guess_radius (state, k) + 1;
    if (tiles.reach > centres->diamonds.most)
        return 0;
    cut_sides (&tiles, slots);
    centres->field = &centres->diamonds.field;
    do {
        set_box (&tiles);
        done = try_box (&tiles, err);
    } while (done == 1 && next_box (&tiles));
    return done;
}
