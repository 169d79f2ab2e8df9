#include "alloc_world.h"

#include "naive_alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- states ---- */

void world_create (struct world *world, tori_machine *machine)
{
    memset (world, 0, sizeof *world);
    world->machine = machine;
    world->naive = naive_create (machine);
    world->state = make_state (machine);
}

void world_destroy (struct world *world)
{
    for (int i = 0; i < world->nparts; i++)
        tori_placement_clear (&world->parts[i]);
    tori_state_destroy (world->state);
    naive_destroy (world->naive);
    tori_machine_destroy (world->machine);
}

/* Hold a box, if that can be. */
void world_add_box (struct world *world, const tori_box *box,
                    tori_wiring wiring)
{
    tori_placement part;
    if (world->nparts == PARTS || !naive_box_free (world->naive, box)
        || !naive_wire (world->naive, box, wiring, &part))
        return;
    assert_int_equal (tori_placement_hold (&part, world->state, NULL), 0);
    naive_hold_place (world->naive, &part, world->nparts, false);
    world->parts[world->nparts++] = part;
}

/* Hold some of the free nodes below `end`, `percent` of them. */
void world_add_nodes (struct world *world, struct rng *rng, uint32_t end,
                      unsigned percent)
{
    tori_placement part = {
        .nodes = make_array (world->naive->n, sizeof *part.nodes)};
    for (uint32_t i = 0; i < end; i++)
        if (naive_is_free (world->naive, i) && chance (rng, percent)) {
            part.nodes[part.count++] = i;
            world->naive->nodes[i].owner = world->nparts;
        }
    assert_int_equal (tori_placement_hold (&part, world->state, NULL), 0);
    world->parts[world->nparts++] = part;
}

/* Hold so many nodes, one by one. */
void world_sprinkle (struct world *world, struct rng *rng, uint32_t count)
{
    tori_placement part = {.nodes = make_array (1, sizeof *part.nodes)};
    while (count-- > 0) {
        uint32_t node = between (rng, 0, world->naive->n - 1);
        if (!naive_is_free (world->naive, node))
            continue;
        part.nodes[0] = node;
        part.count = 1;
        assert_int_equal (tori_placement_hold (&part, world->state, NULL), 0);
        world->naive->nodes[node].owner = PARTS;
    }
    tori_placement_clear (&part);
}

void world_fill (struct world *world, struct rng *rng)
{
    uint32_t longest = between (rng, 1, 9);
    for (unsigned i = between (rng, 0, PARTS - 2); i > 0; i--) {
        tori_box box = random_box (rng, world->machine, longest, true);
        world_add_box (world, &box, random_wiring (rng));
    }
    if (chance (rng, 30))
        world_add_nodes (world, rng, world->naive->n, between (rng, 1, 30));
    if (chance (rng, 40))
        for (unsigned i = between (rng, 1, 6); i > 0; i--)
            naive_disturb_node (world->naive, world->state, rng);
    if (chance (rng, 50))
        for (unsigned i = between (rng, 1, 8); i > 0; i--)
            naive_disturb_link (world->naive, world->state, rng);
}

/* ---- requests ---- */

/* Tori above all: they are what makes links scarce. */
tori_wiring random_wiring (struct rng *rng)
{
    static const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_MESH,
                                          TORI_WIRE_TORUS, TORI_WIRE_TORUS};
    return wirings[rng_below (rng, LENGTH (wirings))];
}

/* A shape with the machine's sides in another order for limits: now and then
 * too long, or of another number of dimensions. */
static tori_shape random_shape (struct rng *rng, const tori_machine *machine)
{
    tori_shape shape = *tori_machine_shape (machine);
    for (int d = shape.ndims - 1; d > 0; d--) {
        int e = (int)rng_below (rng, (uint64_t)d + 1);
        uint32_t side = shape.size[d];
        shape.size[d] = shape.size[e];
        shape.size[e] = side;
    }
    for (int d = 0; d < shape.ndims; d++) {
        uint32_t side = shape.size[d];
        if (chance (rng, 75) && side > 4)
            side = 4;
        shape.size[d] = between (rng, 1, side + chance (rng, 3));
    }
    if (chance (rng, 2) && shape.ndims > 1)
        shape.ndims--;
    else if (chance (rng, 2))
        shape.size[shape.ndims++] = 1;
    return shape;
}

tori_request random_request (struct rng *rng, const tori_machine *machine)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_request request = {0};
    if (chance (rng, 25)) {
        request.count = between (rng, 0, chance (rng, 70) ? nodes / 3 : nodes)
                        + chance (rng, 5);
        request.count += request.count == 0;
        return request;
    }
    request.shape = random_shape (rng, machine);
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    if (chance (rng, 20))
        request.count = between (rng, 1, request.count);
    request.wiring = random_wiring (rng);
    request.fixed = chance (rng, 25);
    request.wrap = chance (rng, 40);
    return request;
}

/* The text to print about a case that fails. */
const char *world_describe (const struct world *world,
                            const tori_request *request, const char *name)
{
    static char text[4 * TORI_TEXT_MAX];
    char machine[TORI_TEXT_MAX], shape[TORI_TEXT_MAX];
    tori_machine_format (world->machine, machine);
    tori_shape_format (&request->shape, shape);
    snprintf (text, sizeof text, "%s on %s, %u free: %s or %u, %s%s%s", name,
              machine, tori_state_free_count (world->state), shape,
              request->count, tori_wiring_name (request->wiring),
              request->fixed ? ", fixed" : "",
              request->wrap ? ", wrapping" : "");
    return text;
}
