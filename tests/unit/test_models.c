/* Models of boxes: sides, times and arrivals against the distributions that
 * they are drawn from, and what a seed fixes. */
#include "support.h"

#include <math.h>
#include <string.h>

#include <tori/workload.h>

static const char *const models[] = {"isomorphic", "cubic", "noncubic"};
static const char *const machines[] = {"torus:8^3", "mesh:16x6x1", "mesh:7",
                                       "torus:4x8x2x3"};

static tori_workload make (const char *model, const tori_machine *machine,
                           const tori_workload_options *options)
{
    tori_workload workload;
    tori_error err;
    if (tori_workload_model (model, machine, options, &workload, &err) < 0)
        fail_msg ("%s", err.text);
    return workload;
}

static tori_workload_options of_load (double load)
{
    return (tori_workload_options){.size = sizeof (tori_workload_options),
                                   .shaping = TORI_SHAPE_FIRST_MATCH,
                                   .jobs = 40000,
                                   .seed = 1,
                                   .load = load};
}

static unsigned floor_log2 (uint32_t n)
{
    unsigned power = 0;
    while (n >> (power + 1))
        power++;
    return power;
}

/* The size of the exponent's range, by the definition of each model, and the
 * probability that the side of dimension `dim` is `side`. */
static double side_probability (const char *model,
                                const tori_machine *machine, int dim,
                                uint32_t side)
{
    uint32_t size = tori_machine_size (machine, dim);
    unsigned power = floor_log2 (size), most = 0;
    if (!strcmp (model, "noncubic"))
        return side <= size ? 1.0 / size : 0;
    if ((side & (side - 1)) || side > size)
        return 0;
    if (!strcmp (model, "cubic"))
        return 1.0 / (power + 1);
    for (int i = 0; i < tori_machine_ndims (machine); i++)
        if (floor_log2 (tori_machine_size (machine, i)) > most)
            most = floor_log2 (tori_machine_size (machine, i));
    return side == 1u << power ? (most - power + 1.0) / (most + 1)
                               : 1.0 / (most + 1);
}

static void assert_share (double count, double n, double expected)
{
    double error = sqrt (expected * (1 - expected) / n);
    assert_true (fabs (count / n - expected) <= 5 * error);
}

static void check_sides (const char *model, const tori_machine *machine)
{
    tori_workload_options options = of_load (0.5);
    tori_workload w = make (model, machine, &options);
    for (int dim = 0; dim < tori_machine_ndims (machine); dim++)
        for (uint32_t side = 1; side <= tori_machine_size (machine, dim);
             side++) {
            double count = 0;
            for (size_t i = 0; i < w.n; i++)
                count += w.jobs[i].request.shape.size[dim] == side;
            assert_share (count, (double)w.n,
                          side_probability (model, machine, dim, side));
        }
    for (size_t i = 0; i < w.n; i++) {
        const tori_request *request = &w.jobs[i].request;
        assert_int_equal (request->shape.ndims, tori_machine_ndims (machine));
        assert_int_equal (request->count,
                          tori_shape_volume (&request->shape));
        assert_int_equal (w.jobs[i].asked, request->count);
    }
    tori_workload_clear (&w);
}

TEST (sides)
{
    for (size_t m = 0; m < LENGTH (machines); m++) {
        AUTO_MACHINE *machine = make_machine (machines[m]);
        for (size_t i = 0; i < LENGTH (models); i++)
            check_sides (models[i], machine);
    }
}

/* In the isomorphic model all sides are the same power, as far as the machine
 * has it; in the cubic one each of the 64 boxes of 8^3 is equally likely. */
TEST (boxes)
{
    AUTO_MACHINE *cube = make_machine ("torus:8^3");
    AUTO_MACHINE *flat = make_machine ("mesh:16x6x1");
    tori_workload_options options = of_load (0.5);
    tori_workload w = make ("cubic", cube, &options);
    double seen[4][4][4] = {0};
    for (size_t i = 0; i < w.n; i++) {
        const uint32_t *size = w.jobs[i].request.shape.size;
        seen[floor_log2 (size[0])][floor_log2 (size[1])]
            [floor_log2 (size[2])]++;
    }
    for (int i = 0; i < 64; i++)
        assert_share (seen[i / 16][i / 4 % 4][i % 4], (double)w.n, 1.0 / 64);
    tori_workload_clear (&w);
    w = make ("isomorphic", flat, &options);
    for (size_t i = 0; i < w.n; i++) {
        const uint32_t *size = w.jobs[i].request.shape.size;
        assert_int_equal (size[1], size[0] < 4 ? size[0] : 4);
        assert_int_equal (size[2], 1);
    }
    tori_workload_clear (&w);
}

/* Mean and deviation of an exponential variate are the same. */
static void assert_exponential (double sum, double squares, double n,
                                double mean)
{
    double deviation = sqrt (squares / n - sum / n * (sum / n));
    assert_true (fabs (sum / n / mean - 1) < 5 / sqrt (n));
    assert_true (fabs (deviation / mean - 1) < 15 / sqrt (n));
}

/* The mean gap is E[volume] / (load * nodes); on 8^3 the mean volumes are
 * (1 + 8 + 64 + 512) / 4, (15 / 4)^3 and 4.5^3. */
TEST (times)
{
    static const double volume[] = {146.25, 52.734375, 91.125};
    AUTO_MACHINE *machine = make_machine ("torus:8^3");
    for (size_t m = 0; m < LENGTH (models); m++) {
        tori_workload_options options = of_load (0.7);
        tori_workload w = make (models[m], machine, &options);
        double gap = 0, gaps = 0, run = 0, runs = 0;
        tori_time last = 0;
        for (size_t i = 0; i < w.n; i++) {
            double g = (double)(w.jobs[i].submit - last) / TORI_SECOND;
            double r = (double)w.jobs[i].runtime / TORI_SECOND;
            last = w.jobs[i].submit;
            gap += g;
            gaps += g * g;
            run += r;
            runs += r * r;
            assert_true (w.jobs[i].estimate == w.jobs[i].runtime);
        }
        assert_exponential (gap, gaps, (double)w.n, volume[m] / (0.7 * 512));
        assert_exponential (run, runs, (double)w.n, 1);
        assert_true (fabs (w.offered / 0.7 - 1) < 0.05);
        tori_workload_clear (&w);
    }
}

/* Mean 1, and the variance that the name says; at most 5 standard errors off,
 * which follow from the fourth moments of the distributions. A hyperexponential
 * of CV^2 = 1 is exponential. */
TEST (service)
{
    static const struct {
        const char *name;
        double cv2, error;
    } service[] = {{"exponential", 1, 0.1},
                   {"hyperexponential:1", 1, 0.1},
                   {"hyperexponential:2.5", 2.5, 0.3},
                   {"hyperexponential:10", 10, 1.5},
                   {"uniform-log", 3.606, 0.2}};
    AUTO_MACHINE *machine = make_machine ("torus:8^3");
    for (size_t s = 0; s < LENGTH (service); s++) {
        tori_workload_options options = of_load (0.7);
        tori_workload w;
        double sum = 0, squares = 0, n;
        options.service = service[s].name;
        w = make ("cubic", machine, &options);
        n = (double)w.n;
        for (size_t i = 0; i < w.n; i++) {
            double time = (double)w.jobs[i].runtime / TORI_SECOND;
            sum += time;
            squares += time * time;
        }
        assert_true (fabs (sum / n - 1) < 5 * sqrt (service[s].cv2 / n));
        assert_true (fabs (squares / n - 1 - service[s].cv2)
                     < service[s].error);
        tori_workload_clear (&w);
    }
}

static void refuse_service (const char *model, const char *service)
{
    AUTO_MACHINE *machine = make_machine ("torus:8^3");
    tori_workload_options options = of_load (0.5);
    tori_workload w = {0};
    tori_error err;
    options.service = service;
    assert_int_equal (
        tori_workload_model (model, machine, &options, &w, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_null (w.jobs);
}

TEST (service_refused)
{
    refuse_service ("cubic", "");
    refuse_service ("cubic", "gamma");
    refuse_service ("cubic", "hyperexponential");
    refuse_service ("cubic", "hyperexponential:");
    refuse_service ("cubic", "hyperexponential:0.5");
    refuse_service ("cubic", "hyperexponential:1e9");
    refuse_service ("lublin", "exponential");
    refuse_service ("rfold", "uniform-log");
}

/* Boxes and service times do not depend on the load; arrivals are scaled. As
 * counts the jobs are the same, too. */
TEST (common_numbers)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x8x2x3");
    for (size_t m = 0; m < LENGTH (models); m++) {
        tori_workload_options once = of_load (0.4), twice = of_load (0.8);
        twice.shaping = TORI_SHAPE_NONE;
        tori_workload a = make (models[m], machine, &once);
        tori_workload b = make (models[m], machine, &twice);
        for (size_t i = 0; i < a.n; i++) {
            const tori_work *x = &a.jobs[i], *y = &b.jobs[i];
            assert_int_equal (x->id, i + 1);
            assert_int_equal (x->asked, y->asked);
            assert_int_equal (y->request.count, y->asked);
            assert_int_equal (y->request.shape.ndims, 0);
            assert_true (x->runtime == y->runtime);
            assert_true (llabs (x->submit - 2 * y->submit) <= 2);
        }
        tori_workload_clear (&a);
        tori_workload_clear (&b);
    }
}

static void assert_same (const tori_workload *a, const tori_workload *b,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const tori_work *x = &a->jobs[i], *y = &b->jobs[i];
        assert_true (x->submit == y->submit && x->runtime == y->runtime);
        assert_memory_equal (x->request.shape.size, y->request.shape.size,
                             sizeof *x->request.shape.size
                                 * (size_t)x->request.shape.ndims);
    }
}

/* The same seed, the same jobs; fewer are the first of more. */
TEST (seed)
{
    AUTO_MACHINE *machine = make_machine ("torus:8^3");
    for (size_t m = 0; m < LENGTH (models); m++) {
        tori_workload_options options = of_load (0);
        tori_workload a = make (models[m], machine, &options);
        options.jobs = 1000;
        tori_workload b = make (models[m], machine, &options);
        options.seed = 2;
        tori_workload c = make (models[m], machine, &options);
        assert_same (&a, &b, b.n);
        assert_true (b.jobs[0].submit != c.jobs[0].submit);
        /* Without a load a job arrives a second, on average. */
        assert_true (fabs ((double)a.jobs[a.n - 1].submit / TORI_SECOND
                               / (double)a.n
                           - 1)
                     < 0.03);
        tori_workload_clear (&a);
        tori_workload_clear (&b);
        tori_workload_clear (&c);
    }
}

/* ---- rfold ---- */

static uint32_t cubes_of (uint32_t side)
{
    return side / 4 + (side % 4 > 0);
}

/* How many shapes of so many nodes and dimensions there are on 4,096 nodes, by
 * trying all sides that ascend. */
static size_t count_forms (uint32_t nodes, int dims)
{
    size_t n = 0;
    if (dims == 1)
        return nodes == 1 || (nodes <= 256 && nodes % 2 == 0);
    for (uint32_t x = 2; x <= nodes; x += 2)
        for (uint32_t y = x; x * y <= nodes; y += 2) {
            uint32_t z = nodes / (x * y);
            if (x * y * z == nodes && y <= 256 && z <= 256
                && cubes_of (x) * cubes_of (y) * cubes_of (z) <= 64
                && (dims == 2 ? z == 1 : z % 2 == 0 && z >= y))
                n++;
        }
    return n;
}

static int dims_of (const tori_shape *shape)
{
    int dims = 0;
    for (int d = 0; d < shape->ndims; d++)
        dims += shape->size[d] > 1;
    return dims ? dims : 1;
}

/* The part of jobs of this size that have so many dimensions. */
static double dims_share (uint32_t nodes, int dims)
{
    int often = nodes <= 256 ? 1 : nodes <= 1024 ? 2 : 3;
    int rare = often == 2 ? 3 : 2;
    bool both = count_forms (nodes, often) && count_forms (nodes, rare);
    if (dims != often && dims != rare)
        return 0;
    if (!both)
        return count_forms (nodes, dims) > 0;
    return dims == often ? 0.8 : 0.2;
}

enum { RFOLD_NODES = 4096 };

/* Sizes, dimensions and shapes against the shares that the definition gives. */
TEST (rfold_shapes)
{
    AUTO_MACHINE *machine = make_machine ("pod:64/4x4x4");
    tori_workload_options options = of_load (0.17);
    tori_workload w = make ("rfold", machine, &options);
    static double seen[RFOLD_NODES + 1][4];
    uint32_t sizes[RFOLD_NODES];
    size_t n = 0;
    for (size_t i = 0; i < w.n; i++) {
        const tori_shape *shape = &w.jobs[i].request.shape;
        int dims = dims_of (shape);
        assert_int_equal (tori_shape_volume (shape), w.jobs[i].asked);
        assert_true (count_forms (w.jobs[i].asked, dims) > 0);
        for (int d = 0; d < 3; d++)
            assert_true (shape->size[d] == 1 || shape->size[d] % 2 == 0);
        seen[w.jobs[i].asked][dims]++;
        seen[w.jobs[i].asked][0]++;
    }
    for (uint32_t s = 1; s <= RFOLD_NODES; s++)
        if (count_forms (s, 1) + count_forms (s, 2) + count_forms (s, 3))
            sizes[n++] = s;
    assert_int_equal (n, 482);
    for (size_t i = 0; i < n; i++) {
        double share = (exp (-4.0 * (double)i / (double)n)
                        - exp (-4.0 * (double)(i + 1) / (double)n))
                       / (1 - exp (-4));
        assert_share (seen[sizes[i]][0], (double)w.n, share);
        for (int dims = 1; dims <= 3; dims++)
            assert_share (seen[sizes[i]][dims], (double)w.n,
                          share * dims_share (sizes[i], dims));
    }
    assert_int_equal (w.jobs[0].submit, 0);
    assert_true (fabs (w.offered / 0.17 - 1) < 0.1);
    tori_workload_clear (&w);
}

/* A machine of as many nodes has the same jobs, a load only stretches them, and
 * run times of a file are drawn from there. */
TEST (rfold_times)
{
    AUTO_MACHINE *pod = make_machine ("pod:64/4x4x4");
    AUTO_MACHINE *torus = make_machine ("torus:16^3");
    tori_workload_options options = of_load (0), dense = of_load (0.85);
    tori_workload a = make ("rfold", pod, &options), b, c;
    double gap = (double)a.jobs[a.n - 1].submit / TORI_SECOND / (double)a.n;
    FILE *file = fopen ("spans.csv", "w");
    b = make ("rfold", torus, &dense);
    assert_true (fabs (gap / 18000 - 1) < 0.03);
    for (size_t i = 0; i < a.n; i++) {
        assert_true (a.jobs[i].runtime == b.jobs[i].runtime);
        assert_int_equal (a.jobs[i].asked, b.jobs[i].asked);
        assert_int_equal (a.jobs[i].submit % TORI_SECOND, 0);
    }
    assert_non_null (file);
    fputs ("#job,duration\n7,100\n8,0\n9,300.5\r\n\n1m\n", file);
    assert_int_equal (fclose (file), 0);
    options.durations = "spans.csv";
    c = make ("rfold", torus, &options);
    for (size_t i = 0; i < c.n; i++) {
        tori_time is = c.jobs[i].runtime;
        assert_int_equal (c.jobs[i].asked, a.jobs[i].asked);
        assert_true (is == 100 * TORI_SECOND || is == 60 * TORI_SECOND
                     || is == 3005 * TORI_SECOND / 10);
    }
    remove ("spans.csv");
    tori_workload_clear (&a);
    tori_workload_clear (&b);
    tori_workload_clear (&c);
}

TEST (refused)
{
    AUTO_MACHINE *machine = make_machine ("torus:8^3");
    tori_workload_options scaled = of_load (0.5), slow = of_load (1e-12);
    tori_workload w = {0};
    tori_error err;
    scaled.scale_num = 2;
    scaled.scale_den = 1;
    assert_int_equal (
        tori_workload_model ("cubic", machine, &scaled, &w, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (tori_workload_model ("cubic", machine, &slow, &w, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_null (w.jobs);
}
