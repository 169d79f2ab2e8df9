#include "pod_town.h"

#include <stdlib.h>
#include <string.h>

#include "allocs.h"

static const char *const pods[] = {
    "pod:2/2x2",   "pod:4/2x2",     "pod:3/3x2", "pod:2x2/2x2",
    "pod:2/2x2x2", "2*pod:2/3x2",   "pod:4/3",   "pod:3/1x3",
    "pod:4/2x1x2", "3*pod:1x2/2x2", "pod:1/3x3",
};

void make_town (struct town *town, struct rng *rng)
{
    uint32_t n;
    town->machine = make_machine (pods[between (rng, 0, LENGTH (pods) - 1)]);
    town->state = make_state (town->machine);
    town->first = make_alloc (town->machine, "cube-first");
    town->best = make_alloc (town->machine, "cube-best");
    n = tori_machine_nodes (town->machine);
    for (uint32_t i = between (rng, 0, 3); i-- > 0 && chance (rng, 50);)
        tori_state_set_down (town->state, between (rng, 0, n - 1), true, NULL);
    for (uint32_t i = between (rng, 0, 4); i-- > 0 && chance (rng, 60);) {
        int ndims = tori_machine_ndims (town->machine);
        tori_link link = {(int)between (rng, 0, (uint32_t)ndims - 1),
                          chance (rng, 50) ? TORI_NEAR : TORI_FAR,
                          between (rng, 0, n - 1)};
        if (tori_link_exists (town->machine, &link))
            tori_state_set_link_down (town->state, &link, true, NULL);
    }
}

static uint32_t cube_volume (const struct town *town)
{
    uint32_t volume = 1;
    for (int d = tori_machine_apart (town->machine);
         d < tori_machine_ndims (town->machine); d++)
        volume *= tori_machine_size (town->machine, d);
    return volume;
}

/* Nodes are always offered, so that there is a list. */
void list_slices (struct town *town, struct rng *rng, unsigned percent)
{
    const uint32_t most = cube_volume (town) - 1;
    tori_shape shape = {.ndims = tori_machine_shape_dims (town->machine)};
    uint32_t at[TORI_MAX_DIMS] = {0}, sides[TORI_MAX_DIMS];
    size_t n = 0;
    FILE *to = open_memstream (&town->slices, &n);
    for (int d = 0; d < shape.ndims; d++)
        sides[d] = most;
    do {
        char text[TORI_TEXT_MAX];
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = at[d] + 1;
        tori_shape_format (&shape, text);
        if (tori_shape_volume (&shape) == 1
            || (tori_shape_volume (&shape) <= most && chance (rng, percent)))
            fprintf (to, "%s%s", tori_shape_volume (&shape) == 1 ? "" : ",",
                     text);
    } while (count_up (at, sides, shape.ndims));
    assert_int_equal (fclose (to), 0);
    tori_alloc_destroy (town->first);
    tori_alloc_destroy (town->best);
    assert_int_equal (
        tori_alloc_create (town->machine,
                           TORI_ALLOC ("cube-first", .slices = town->slices),
                           &town->first, NULL),
        0);
    assert_int_equal (
        tori_alloc_create (town->machine,
                           TORI_ALLOC ("cube-best", .slices = town->slices),
                           &town->best, NULL),
        0);
}

/* One of the list has these sides, in whatever order. */
bool is_offered (const struct town *town, tori_shape shape)
{
    const char *at = town->slices;
    bool is = !at || tori_shape_volume (&shape) >= cube_volume (town);
    tori_shape_sort (&shape);
    while (!is && at) {
        char text[TORI_TEXT_MAX];
        tori_shape listed;
        snprintf (text, sizeof text, "%.*s", (int)strcspn (at, ","), at);
        listed = make_shape (text);
        tori_shape_sort (&listed);
        is = tori_shape_equal (&listed, &shape);
        at = strchr (at, ',');
        at += at != NULL;
    }
    return is;
}

void check_aligned (const struct town *town, const tori_placement *place)
{
    const tori_box *first = tori_placement_box (place, 0);
    int apart = tori_machine_apart (town->machine);
    tori_shape shape;
    if (!town->slices || place->count >= cube_volume (town))
        return;
    assert_true (tori_placement_shape (place, town->machine, &shape));
    for (int d = 0; d < shape.ndims; d++) {
        uint32_t side = tori_machine_size (town->machine, apart + d);
        assert_int_equal (first->origin[apart + d] % shape.size[d], 0);
        assert_int_equal (first->shape.size[apart + d],
                          shape.size[d] < side ? shape.size[d] : side);
    }
}

void clear_town (struct town *town)
{
    free (town->slices);
    tori_alloc_destroy (town->first);
    tori_alloc_destroy (town->best);
    tori_state_destroy (town->state);
    tori_machine_destroy (town->machine);
}

tori_request random_slice (struct rng *rng, const tori_machine *machine)
{
    int apart = tori_machine_apart (machine);
    tori_request request = {.shape.ndims = tori_machine_shape_dims (machine),
                            .wiring = (tori_wiring)between (rng, 0, 3),
                            .fixed = chance (rng, 25)};
    bool twisted = request.wiring == TORI_WIRE_TWISTED;
    for (int d = 0; d < request.shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, apart + d);
        request.shape.size[d] = chance (rng, twisted ? 90 : 40)
                                    ? side * between (rng, 1, 2)
                                                 : between (rng, 1, side * 2);
    }
    return request;
}

void fill_town (struct town *town, struct rng *rng, struct crowd *crowd)
{
    *crowd = (struct crowd){0};
    for (int i = 0; i < 2 * CROWD && crowd->n < CROWD; i++) {
        tori_request request = random_slice (rng, town->machine);
        tori_placement *place = &crowd->place[crowd->n];
        tori_alloc *alloc = chance (rng, 50) ? town->first : town->best;
        if (tori_alloc_place (alloc, town->state, &request, place, NULL)
            != TORI_PLACED)
            continue;
        assert_int_equal (tori_placement_hold (place, town->state, NULL), 0);
        crowd->job[crowd->n++] =
            (tori_room_job){.place = place,
                            .stays = chance (rng, 15),
                            .work = between (rng, 0, 9)};
    }
}

void clear_crowd (struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->n; i++)
        tori_placement_clear (&crowd->place[i]);
}

tori_request random_fold (struct rng *rng, const tori_machine *machine)
{
    static const tori_wiring wirings[] = {TORI_WIRE_TORUS, TORI_WIRE_TORUS,
                                          TORI_WIRE_MESH, TORI_WIRE_NONE};
    uint32_t n = tori_machine_nodes (machine);
    uint32_t left = between (rng, 2, n < 16 ? n : 16);
    tori_request request = {.flags = TORI_REQUEST_FOLD,
                            .wiring = wirings[between (rng, 0, 3)]};
    request.shape.ndims = (int)between (rng, 1, 3);
    for (int d = 0; d < request.shape.ndims; d++) {
        uint32_t side = d == request.shape.ndims - 1
                            ? left
                            : between (rng, 1, left < 5 ? left : 5);
        request.shape.size[d] = side;
        left /= side;
    }
    return request;
}
