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
    static tori_placement place = {.is_box = true};
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
    tori_alloc_options options = {.hypercube = row->hypercube};
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
    return 0;
}
