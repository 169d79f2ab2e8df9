/* Requests and releases of subcubes, and how their cost grows with the sides,
 * the dimensions and the number of jobs.
 *
 * Machines are loaded with cubic shapes, the logarithm of every side uniform
 * (as in Kang et al., "Isomorphic Strategy for Processor Allocation in k-Ary
 * n-Cube Systems", 2003, section 5.1), until one does not fit. Then a job at
 * random leaves and new ones come until one does not fit; what is told is the
 * time of a request and a release together, and that of a request refused. The
 * paper's sizes fill a machine with few jobs, so the same is done with small
 * ones, up to 16 nodes, to have many: a million of them at 2^24 nodes, at
 * random places all over memory. */
#include <tori/cubes.h>

#include "bench.h"
#include "random.h"

enum { NSHAPES = 4096, MAX_JOBS = 1 << 22 };

static const struct row {
    const char *machine;
    tori_hypercube hypercube;
    bool small;
} rows[] = {
    {"mesh:4^3", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:8^3", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:16^3", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:64^3", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:256^3", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:8^3", TORI_HYPERCUBE_GRAY, false},
    {"mesh:256^3", TORI_HYPERCUBE_GRAY, false},
    {"mesh:8^3", TORI_HYPERCUBE_FREE_LIST, false},
    {"mesh:256^3", TORI_HYPERCUBE_FREE_LIST, false},
    {"mesh:8^2", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:4096^2", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:4^6", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:16^6", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:4^6", TORI_HYPERCUBE_FREE_LIST, false},
    {"mesh:2^10", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:2^20", TORI_HYPERCUBE_BUDDY, false},
    {"mesh:8^3", TORI_HYPERCUBE_BUDDY, true},
    {"mesh:64^3", TORI_HYPERCUBE_BUDDY, true},
    {"mesh:256^3", TORI_HYPERCUBE_BUDDY, true},
    {"mesh:2^20", TORI_HYPERCUBE_BUDDY, true},
};

struct scene {
    tori_machine *machine;
    tori_cubes *cubes;
    struct rng rng;
    tori_shape shapes[NSHAPES];
    unsigned next;
    uint32_t *jobs; /* the origins and sides of their boxes, no more */
    int ndims;
    size_t n;
    unsigned long placed, refused;
};

static tori_shape random_shape (struct scene *scene, bool small)
{
    tori_shape shape = *tori_machine_shape (scene->machine);
    if (small)
        return (tori_shape){1, {1u << rng_below (&scene->rng, 5)}};
    for (int d = 0; d < shape.ndims; d++) {
        int k = 31 - __builtin_clz (shape.size[d]);
        shape.size[d] = 1u << rng_below (&scene->rng, (uint64_t)k + 1);
    }
    return shape;
}

static bool request_one (struct scene *scene)
{
    tori_placement place;
    const tori_shape *shape = &scene->shapes[scene->next++ % NSHAPES];
    uint32_t *job = scene->jobs + scene->n * 2 * (size_t)scene->ndims;
    if (scene->n == MAX_JOBS
        || tori_cubes_request (scene->cubes, shape, &place, NULL)
               != TORI_PLACED) {
        scene->refused++;
        return false;
    }
    for (int d = 0; d < scene->ndims; d++) {
        *job++ = place.box.origin[d];
        *job++ = place.box.shape.size[d];
    }
    scene->n++;
    scene->placed++;
    return true;
}

static void release_one (struct scene *scene)
{
    static tori_placement place = {.nboxes = 1};
    size_t stride = 2 * (size_t)scene->ndims;
    uint32_t *job = scene->jobs + rng_below (&scene->rng, scene->n) * stride;
    uint32_t *last = scene->jobs + --scene->n * stride;
    place.box.shape.ndims = scene->ndims;
    for (int d = 0; d < scene->ndims; d++) {
        place.box.origin[d] = *job;
        *job++ = *last++;
        place.box.shape.size[d] = *job;
        *job++ = *last++;
    }
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    tori_cubes_release (scene->cubes, &place);
}

/* Jobs leave and come until enough time has passed. Refusals are part of the
 * time: one for every job that leaves. */
static double churn (struct scene *scene)
{
    double start = bench_cpu (), time = 0;
    scene->placed = scene->refused = 0;
    while (time < 0.3) {
        for (int i = 0; i < 1000; i++) {
            release_one (scene);
            while (request_one (scene))
                ;
        }
        time = bench_cpu () - start;
    }
    return time;
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    static struct scene scene;
    tori_alloc_config options = {.size = sizeof options,
                                 .hypercube = row->hypercube};
    size_t idle;
    double time;
    rng_seed (&scene.rng, 1, 0);
    BENCH_MUST (tori_machine_parse (row->machine, &scene.machine, &err));
    scene.ndims = tori_machine_ndims (scene.machine);
    scene.jobs = malloc (MAX_JOBS * 2 * (size_t)scene.ndims
                         * sizeof *scene.jobs);
    if (!scene.jobs)
        exit (1);
    BENCH_MUST (
        tori_cubes_create (scene.machine, &options, &scene.cubes, &err));
    idle = tori_cubes_bytes (scene.cubes);
    for (int i = 0; i < NSHAPES; i++)
        scene.shapes[i] = random_shape (&scene, row->small);
    while (request_one (&scene))
        ;
    time = churn (&scene);
    printf ("%-12s %-9s %-6s %9u %8zu %7.3f %10.1f %9zu %10zu\n",
            row->machine, tori_hypercube_name ((int)row->hypercube),
            row->small ? "small" : "cubic",
            tori_machine_nodes (scene.machine), scene.n,
            (double)scene.refused / (double)scene.placed,
            1e9 * time / (double)scene.placed, idle,
            tori_cubes_bytes (scene.cubes));
    tori_cubes_destroy (scene.cubes);
    tori_machine_destroy (scene.machine);
    free (scene.jobs);
}

/* ---- sides that are no powers of two ---- */

static const struct other {
    const char *machine, *shape;
} others[] = {
    {"mesh:8^3", "3x5x7"},       {"mesh:8^3", "2x3x8"},
    {"mesh:256^3", "3x5x7"},     {"mesh:256^3", "100x100x100"},
    {"mesh:256^3", "9x99x250"},
};

/* A request and its release on an idle machine. */
static void measure_other (const void *arg)
{
    const struct other *other = arg;
    tori_machine *machine;
    tori_shape shape;
    BENCH_MUST (tori_machine_parse (other->machine, &machine, &err));
    BENCH_MUST (tori_shape_parse (other->shape, &shape, &err));
    printf ("%-12s %-12s", other->machine, other->shape);
    for (int how = 0; tori_noncubic_name (how); how++) {
        tori_alloc_config options = {.size = sizeof options,
                                     .noncubic = (tori_noncubic)how};
        double start = bench_cpu (), time = 0;
        unsigned long n = 0;
        tori_cubes *cubes;
        BENCH_MUST (tori_cubes_create (machine, &options, &cubes, &err));
        for (; time < 0.2; n++, time = bench_cpu () - start) {
            tori_placement place = {0};
            if (tori_cubes_request (cubes, &shape, &place, NULL)
                != TORI_PLACED)
                exit (1);
            tori_cubes_release (cubes, &place);
            tori_placement_clear (&place);
        }
        printf (" %12.2f", 1e6 * time / (double)n);
        tori_cubes_destroy (cubes);
    }
    putchar ('\n');
    tori_machine_destroy (machine);
}

int main (void)
{
    bench_machine ();
    printf ("# a request and a release; goals: under 200 ns at 8^3, at most "
            "twice that at 2^24 nodes;\n"
            "# idle at 2^24 nodes under 1 MiB. Refused requests are included "
            "in the time of those placed.\n");
    printf ("%-12s %-9s %-6s %9s %8s %7s %10s %9s %10s\n", "machine",
            "siblings", "jobs", "nodes", "running", "refused", "ns", "idle B",
            "loaded B");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench_apart (measure, &rows[i]);
    printf ("\n# sides that are no powers of two, microseconds a request and "
            "its release, idle\n%-12s %-12s %12s %12s\n",
            "machine", "shape", "round-up", "decompose");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        bench_apart (measure_other, &others[i]);
    return 0;
}
