/* points.c - choose among points, and choose a number of free nodes of a
 * machine.
 *
 *     cc points.c $(pkg-config --cflags --libs tori)
 */
#include <inttypes.h>
#include <stdio.h>

#include <tori/tori.h>

static int fail (const tori_error *err)
{
    fprintf (stderr, "points: %s\n", err->text);
    return err->status;
}

/* Choose three directions, in degrees, that are close together on a ring. */
static int choose_directions (tori_error *err)
{
    static const int64_t degrees[] = {350, 10, 180, 5, 200};
    static const uint64_t circle[] = {360};
    tori_points points = {.ndims = 1, .n = 5, .coords = degrees,
                          .around = circle};
    size_t chosen[3];
    uint64_t sum;
    if (tori_points_choose (TORI_ALLOC ("exact"), &points, 3, chosen, &sum,
                            err)
        < 0)
        return -1;
    for (size_t i = 0; i < 3; i++)
        printf ("%" PRId64 " ", degrees[chosen[i]]);
    printf ("are %" PRIu64 " degrees apart in all\n", sum);
    return 0;
}

/* Place eight nodes anywhere on a machine, by the Manhattan median. */
static int place_count (tori_alloc *alloc, tori_state *state, tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_request request = {.count = 8};
    tori_placement place = {0};
    uint64_t sum;
    int status;
    if (tori_alloc_place (alloc, state, &request, &place, err) != TORI_PLACED)
        return -1;
    status = tori_placement_pairwise (&place, machine, &sum, err);
    if (status == 0)
        printf ("%" PRIu32 " nodes from node %" PRIu32 " on: %" PRIu64
                " hops in all\n",
                place.count, place.nodes[0], sum);
    tori_placement_clear (&place);
    return status;
}

int main (void)
{
    tori_machine *machine = NULL;
    tori_state *state = NULL;
    tori_alloc *alloc = NULL;
    tori_error err;
    int status = -1;
    if (choose_directions (&err) == 0
        && tori_machine_parse ("mesh:8x8", &machine, &err) == 0
        && tori_state_create (machine, &state, &err) == 0
        && tori_alloc_create (machine, TORI_ALLOC ("mm"), &alloc, &err) == 0)
        status = place_count (alloc, state, &err);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status == 0 ? 0 : fail (&err);
}
