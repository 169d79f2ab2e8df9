/* embed.c - find places for jobs on a torus, in a program of your own.
 *
 *     cc embed.c $(pkg-config --cflags --libs tori)
 *
 * A machine says what there is, a state says what is free, and an allocator
 * says where in a state a request would go. Holding a placement marks its
 * nodes busy and takes its links. Releasing it undoes exactly that.
 */
#include <stdio.h>

#include <tori/alloc.h>

/* Ask for a box, and hold it if there is one. Returns 1 if there is one, 0 if
 * there is none now, -1 on an error. */
static int place (tori_alloc *alloc, tori_state *state, const char *shape,
                  tori_placement *ret_place, tori_error *err)
{
    tori_request request = {.wiring = TORI_WIRE_TORUS};
    char where[TORI_TEXT_MAX];
    if (tori_shape_parse (shape, &request.shape, err) < 0)
        return -1;
    request.count = (uint32_t)tori_shape_volume (&request.shape);

    switch (tori_alloc_place (alloc, state, &request, ret_place, err)) {
    case TORI_PLACED:
        break;
    case TORI_ERROR:
        return -1;
    default: /* the error says why not, and whether that may change */
        printf ("%s: %s\n", shape, err->text);
        return 0;
    }
    tori_box_format (&ret_place->box, where);
    printf ("%s: at %s\n", shape, where);
    return tori_placement_hold (ret_place, state, err) < 0 ? -1 : 1;
}

int main (void)
{
    static const char *const shapes[] = {"4x4x2", "8x8x4", "9x9x9", "2x2x2"};
    enum { N = sizeof shapes / sizeof shapes[0] };
    tori_placement places[N] = {0};
    tori_machine *machine = NULL;
    tori_state *state = NULL;
    tori_alloc *alloc = NULL;
    tori_error err;
    int status = TORI_OK;

    if (tori_machine_parse ("multitorus:8x8x8", &machine, &err) < 0
        || tori_state_create (machine, &state, &err) < 0
        || tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, &err)
               < 0)
        goto fail;
    for (int i = 0; i < N; i++)
        if (place (alloc, state, shapes[i], &places[i], &err) < 0)
            goto fail;
    printf ("%u nodes of %u are free\n", tori_state_free_count (state),
            tori_machine_nodes (machine));

    for (int i = 0; i < N; i++)
        if (places[i].count > 0)
            tori_placement_release (&places[i], state);
    printf ("%u when all have ended\n", tori_state_free_count (state));
    goto done;
fail:
    fprintf (stderr, "embed: %s\n", err.text);
    status = err.status;
done:
    for (int i = 0; i < N; i++)
        tori_placement_clear (&places[i]);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}
