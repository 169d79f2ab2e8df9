/* The time of tori_alloc_place in C, for bench/python.py: a box in an empty
 * machine, so that nearly all of it is the call itself. Prints microseconds. */
#include <stdio.h>

#include <tori/alloc.h>

#include "bench.h"

enum { CALLS = 1000000 };

int main (void)
{
    tori_request request = {.shape = {3, {2, 2, 4}}};
    tori_machine *machine;
    tori_state *state;
    tori_alloc *alloc;
    double begin;
    if (tori_machine_parse ("torus:8x8x8", &machine, NULL) < 0
        || tori_state_create (machine, &state, NULL) < 0
        || tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, NULL)
               < 0)
        return 1;
    begin = bench_cpu ();
    for (int i = 0; i < CALLS; i++) {
        tori_placement place = {0};
        tori_error err;
        if (tori_alloc_place (alloc, state, &request, &place, &err)
            != TORI_PLACED)
            return 1;
        tori_placement_clear (&place);
    }
    printf ("%.3f\n", (bench_cpu () - begin) * 1e6 / CALLS);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return 0;
}
