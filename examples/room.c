/* room.c - which running jobs to move so that another one fits.
 *
 *     cc room.c $(pkg-config --cflags --libs tori)
 *
 * Half of the machine is free, but no box of half the machine. The answer moves
 * the fewest nodes.
 */
#include <stdio.h>

#include <tori/room.h>

enum { JOBS = 3 };
static const char *const boxes[JOBS] = {"0,0/4x2", "2,3/4x4", "6,0/2x4"};

int main (void)
{
    tori_machine *machine = NULL;
    tori_state *state = NULL;
    tori_placement place[JOBS] = {0};
    tori_room_job jobs[JOBS] = {0};
    tori_room room = {0};
    tori_request request = {0};
    tori_error err = {.status = TORI_OK};
    char text[TORI_TEXT_MAX];
    if (tori_machine_parse ("mesh:8x8", &machine, &err) < 0
        || tori_state_create (machine, &state, &err) < 0
        || tori_shape_parse ("8x4", &request.shape, &err) < 0)
        goto fail;
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    for (int i = 0; i < JOBS; i++) {
        tori_box box;
        if (tori_box_parse (machine, boxes[i], &box, &err) < 0
            || tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &place[i],
                                        &err)
                   < 0
            || tori_placement_hold (&place[i], state, &err) < 0)
            goto fail;
        jobs[i].place = &place[i];
    }
    if (tori_room_make (state, jobs, JOBS, &request, NULL, &room, &err) < 0)
        goto fail;
    tori_box_format (&room.place.box, text);
    printf ("%s after %zu moves of %d nodes%s\n", room.found ? text : "no room",
            room.n, (int)room.nodes, room.least ? ", the least" : "");
    for (size_t i = 0; i < room.n; i++) {
        tori_box_format (&room.moves[i].to.box, text);
        printf ("  %s goes to %s\n", boxes[room.moves[i].job], text);
    }
    goto done;
fail:
    fprintf (stderr, "room: %s\n", err.text);
done:
    tori_room_clear (&room);
    for (int i = 0; i < JOBS; i++)
        tori_placement_clear (&place[i]);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return (int)err.status;
}
