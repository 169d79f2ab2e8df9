/* cubes.c - subcubes of a k-ary n-cube, without a state.
 *
 *     cc cubes.c $(pkg-config --cflags --libs tori)
 *
 * (It is also C++: c++ -x c++ cubes.c ...)
 *
 * The cubes themselves keep track of what is free. A shape is folded into a
 * subcube with as many nodes. The map says where each of its nodes has gone.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tori/cubes.h>

/* Print how far apart neighbours of the shape are in its place. */
static int print_steps (const tori_machine *machine, const tori_shape *shape,
                        tori_noncubic noncubic, const tori_placement *place,
                        tori_error *err)
{
    uint32_t *map = (uint32_t *)malloc (place->count * sizeof *map), longest;
    double average;
    int status = -1;
    if (!map)
        return tori_error_set (err, TORI_FAILED, "out of memory");
    if (tori_fold_map (machine, shape, noncubic, place, map, err) == 0) {
        tori_fold_steps (machine, shape, map, &longest, &average);
        printf (", neighbours at most %u and on average %.2f hops apart\n",
                longest, average);
        status = 0;
    }
    free (map);
    return status;
}

/* Take a place for a shape, print it, and give it back. */
static int try_shape (tori_cubes *cubes, const tori_machine *machine,
                      tori_noncubic noncubic, const char *text,
                      tori_error *err)
{
    tori_placement place = {0};
    char where[TORI_TEXT_MAX];
    tori_shape shape;
    int status;
    if (tori_shape_parse (text, &shape, err) < 0)
        return -1;
    switch (tori_cubes_request (cubes, &shape, &place, err)) {
    case TORI_PLACED:
        break;
    case TORI_ERROR:
        return -1;
    default:
        printf ("%s: %s\n", text, err->text);
        return 0;
    }
    tori_box_format (&place.box, where);
    printf ("%s: %u nodes %s %s", text, place.count,
            place.nboxes ? "at" : "of", where);
    status = print_steps (machine, &shape, noncubic, &place, err);
    tori_cubes_release (cubes, &place);
    tori_placement_clear (&place);
    return status;
}

int main (void)
{
    static const char *const shapes[] = {"2x2x8", "3x5", "16x16", "9x9x9"};
    tori_alloc_config config = {0};
    tori_machine *machine = NULL;
    tori_cubes *cubes = NULL;
    tori_error err;
    int status = TORI_OK;
    config.size = sizeof config;
    config.noncubic = TORI_NONCUBIC_DECOMPOSE;
    if (tori_machine_parse ("torus:8x8x8", &machine, &err) < 0
        || tori_cubes_create (machine, &config, &cubes, &err) < 0)
        goto fail;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (try_shape (cubes, machine, config.noncubic, shapes[i], &err) < 0)
            goto fail;
    printf ("%u nodes are free, %llu of them as one subcube\n",
            tori_cubes_free_count (cubes),
            (unsigned long long)tori_cubes_largest (cubes));
    goto done;
fail:
    fprintf (stderr, "%s\n", err.text);
    status = err.status;
done:
    tori_cubes_destroy (cubes);
    tori_machine_destroy (machine);
    return status;
}
