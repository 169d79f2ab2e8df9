/* etc against the plain scan that it replaces, which tests the nodes of every
 * window one by one.
 *
 * Machines are half full of boxes of sides up to a quarter of the machine's,
 * at random places. Requests are cubic and noncubic, with sides up to half of
 * the machine's, some of them 1; they may be rotated. The plain scan is timed
 * twice: as its complexity is stated, k^n l^m for every plane (Kang et al.,
 * "Isomorphic Strategy for Processor Allocation in k-Ary n-Cube Systems",
 * 2003, section 2), where a window is counted through, and where it is left at
 * its first busy node. All three must give the same window. The other
 * strategies are timed beside them. */
#include <tori/alloc.h>

#include <string.h>

#include "bench.h"
#include "random.h"

enum { NREQUESTS = 200, MAX_NODES = 1 << 15 };

static const char *const machines[] = {"mesh:8^3", "mesh:16^3", "mesh:32^3"};

static const char *const others[] = {"eb", "egc", "k-partner", "sniffing",
                                     "efl"};

enum { NOTHERS = sizeof others / sizeof others[0] };

struct scene {
    tori_machine *machine;
    tori_state *state;
    struct rng rng;
    bool busy[MAX_NODES];
    uint32_t k;
};

static uint32_t below (struct scene *scene, uint32_t n)
{
    return (uint32_t)rng_below (&scene->rng, n);
}

static void fill (struct scene *scene)
{
    uint32_t nodes = tori_machine_nodes (scene->machine);
    while (tori_state_free_count (scene->state) > nodes / 2) {
        tori_placement place = {.nboxes = 1, .box.shape.ndims = 3};
        for (int d = 0; d < 3; d++) {
            uint32_t side = 1 + below (scene, scene->k / 4);
            place.box.shape.size[d] = side;
            place.box.origin[d] = below (scene, scene->k - side + 1);
        }
        place.count = (uint32_t)tori_shape_volume (&place.box.shape);
        tori_placement_hold (&place, scene->state, NULL);
    }
    for (uint32_t i = 0; i < nodes; i++)
        scene->busy[i] = !tori_state_is_free (scene->state, i);
}

static tori_request random_request (struct scene *scene)
{
    tori_request request = {.shape.ndims = 3};
    for (int d = 0; d < 3; d++)
        request.shape.size[d]
            = below (scene, 3) ? 1 + below (scene, scene->k / 2) : 1;
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    return request;
}

/* ---- the plain scan ---- */

static uint32_t busy_in (const struct scene *scene, const uint32_t at[3],
                         const uint32_t size[3], bool stop)
{
    uint32_t k = scene->k, busy = 0;
    for (uint32_t x = at[0]; x < at[0] + size[0]; x++)
        for (uint32_t y = at[1]; y < at[1] + size[1]; y++)
            for (uint32_t z = at[2]; z < at[2] + size[2]; z++) {
                busy += scene->busy[(x * k + y) * k + z];
                if (busy && stop)
                    return busy;
            }
    return busy;
}

/* The origin of the first window, or UINT32_MAX. */
static uint32_t plain_scan (const struct scene *scene, tori_shape shape,
                            bool stop)
{
    uint32_t first = UINT32_MAX, k = scene->k;
    tori_shape_sort (&shape);
    do {
        const uint32_t *s = shape.size;
        bool found = false;
        for (uint32_t x = 0; x + s[0] <= k && !found; x++)
            for (uint32_t y = 0; y + s[1] <= k && !found; y++)
                for (uint32_t z = 0; z + s[2] <= k && !found; z++) {
                    uint32_t id = (x * k + y) * k + z;
                    found = !busy_in (scene, (uint32_t[]){x, y, z}, s, stop);
                    if (found && id < first)
                        first = id;
                }
    } while (tori_shape_next_rotation (&shape));
    return first;
}

/* ---- timing ---- */

struct times {
    double etc, counted, stopping, other[NOTHERS];
    unsigned placed;
};

static uint32_t ask (struct scene *scene, tori_alloc *alloc,
                     const tori_request *request, double *time)
{
    enum { TIMES = 30 };
    double start = bench_cpu ();
    tori_placement place = {0};
    for (int i = 0; i < TIMES; i++) {
        place = (tori_placement){0};
        tori_alloc_place (alloc, scene->state, request, &place, NULL);
    }
    *time += (bench_cpu () - start) / TIMES;
    return place.count ? tori_machine_id (scene->machine, place.box.origin)
                       : UINT32_MAX;
}

static void measure (struct scene *scene, tori_alloc *const allocs[],
                     struct times *times)
{
    for (int i = 0; i < NREQUESTS; i++) {
        tori_request request = random_request (scene);
        uint32_t at = ask (scene, allocs[NOTHERS], &request, &times->etc);
        double start = bench_cpu (), middle, end;
        uint32_t counted = plain_scan (scene, request.shape, false), stopping;
        middle = bench_cpu ();
        stopping = plain_scan (scene, request.shape, true);
        end = bench_cpu ();
        times->counted += middle - start;
        times->stopping += end - middle;
        times->placed += at != UINT32_MAX;
        if (tori_shape_volume (&request.shape)
            > tori_state_free_count (scene->state))
            continue;
        if (at != counted || at != stopping) {
            fprintf (stderr, "etc and the plain scan differ\n");
            exit (1);
        }
        for (int a = 0; a < NOTHERS; a++)
            ask (scene, allocs[a], &request, &times->other[a]);
    }
}

static void report (const char *machine, const struct times *times)
{
    double us = 1e6 / NREQUESTS;
    printf ("%-10s %6.0f %% %9.2f %10.0f %10.0f %8.0f %8.0f", machine,
            100.0 * times->placed / NREQUESTS, times->etc * us,
            times->counted * us, times->stopping * us,
            times->counted / times->etc, times->stopping / times->etc);
    for (int a = 0; a < NOTHERS; a++)
        printf (" %9.2f", times->other[a] * us);
    printf ("\n");
}

static void run (struct scene *scene, const char *machine)
{
    tori_alloc *allocs[NOTHERS + 1];
    struct times times = {0};
    memset (scene, 0, sizeof *scene);
    rng_seed (&scene->rng, 1, 0);
    BENCH_MUST (tori_machine_parse (machine, &scene->machine, &err));
    BENCH_MUST (tori_state_create (scene->machine, &scene->state, &err));
    scene->k = tori_machine_size (scene->machine, 0);
    for (int a = 0; a <= NOTHERS; a++)
        BENCH_MUST (tori_alloc_create (
            scene->machine, TORI_ALLOC (a < NOTHERS ? others[a] : "etc"),
            &allocs[a], &err));
    fill (scene);
    measure (scene, allocs, &times);
    report (machine, &times);
    for (int a = 0; a <= NOTHERS; a++)
        tori_alloc_destroy (allocs[a]);
    tori_state_destroy (scene->state);
    tori_machine_destroy (scene->machine);
}

int main (void)
{
    static struct scene scene;
    bench_machine ();
    printf ("# mean us a request; plain: counted through, left at the first "
            "busy node; and how often etc goes into them\n");
    printf ("%-10s %8s %9s %10s %10s %8s %8s", "machine", "placed", "etc",
            "plain", "leaving", "times", "times");
    for (int a = 0; a < NOTHERS; a++)
        printf (" %9s", others[a]);
    printf ("\n");
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        run (&scene, machines[i]);
    return 0;
}
