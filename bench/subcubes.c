/* The costs of the strategies for k-ary n-cubes, beside the complexities that
 * Table 1 of Kang et al., "Isomorphic Strategy for Processor Allocation in
 * k-Ary n-Cube Systems", 2003, states for them, with the sides, the dimensions
 * and the job varied in turn.
 *
 * Every strategy fills idle machines with one kind of job until half of the
 * nodes are taken. Then jobs leave at random and as many come back, so that
 * there always is a place; releases are timed together, and so are the
 * allocations. Last, a request is timed that is refused on a machine on which
 * every other node is taken, like the fields of one colour of a chessboard:
 * half of the nodes are free, no job of two nodes fits, and a search for a
 * place must look everywhere.
 *
 * A job is an l-ary m-cube; Algorithm 1 serves only m = n. Growth is the slope
 * of the least-squares line through the logarithms: an exponent of k or l, or
 * a factor a dimension. The slope of Table 1 is taken through the same points
 * from the formula. The one of an allocation bounds refusals, too. */
#include <tori/cubes.h>

#include <math.h>

#include "bench.h"
#include "random.h"

enum {
    BATCH = 64, /* operations between two looks at the clock */
    MAX_POINTS = 5,
    MOST_AT_ONCE = 16 /* of them, on one machine */
};

/* ---- what is varied ---- */

struct point {
    uint32_t k;
    int n;
    uint32_t l;
    int m;
};

static const struct series {
    const char *title, *growth;
    enum { SIDES, DIMENSIONS, JOB } varied;
    int npoints;
    struct point point[MAX_POINTS];
} series[] = {
    {"k-ary 3-cubes, jobs of 2x2 (Algorithm 1: 2x2x2)", "k^", SIDES, 5,
     {{4, 3, 2, 2}, {8, 3, 2, 2}, {16, 3, 2, 2}, {32, 3, 2, 2},
      {256, 3, 2, 2}}},
    {"4-ary n-cubes, jobs of 2x1 (Algorithm 1: 2 in every dimension)",
     "^n", DIMENSIONS, 5,
     {{4, 2, 2, 1}, {4, 3, 2, 1}, {4, 4, 2, 1}, {4, 5, 2, 1}, {4, 6, 2, 1}}},
    {"32-ary 3-cube, jobs of l x l (Algorithm 1: l x l x l)", "l^", JOB, 4,
     {{32, 3, 2, 2}, {32, 3, 4, 2}, {32, 3, 8, 2}, {32, 3, 16, 2}}},
};

static double variable (const struct series *s, const struct point *p)
{
    if (s->varied == DIMENSIONS)
        return p->n;
    return log (s->varied == SIDES ? p->k : p->l);
}

/* ---- Table 1 ---- */

static double all_nodes (const struct point *p)
{
    return pow (p->k, p->n);
}

static double slice (const struct point *p)
{
    return pow (p->k, p->m);
}

static double job (const struct point *p)
{
    return pow (p->l, p->m);
}

static double windows (const struct point *p)
{
    return all_nodes (p) * job (p);
}

static double planes (const struct point *p)
{
    double choices = 1;
    for (int i = 0; i < p->m; i++)
        choices = choices * (p->n - i) / (i + 1);
    return choices * windows (p);
}

static double halvings (const struct point *p)
{
    return log2 (p->k);
}

static double siblings (const struct point *p)
{
    return pow (2, p->n);
}

/* The number of subcubes between two halvings: 2^(m log l mod n). */
static double halvings_and_group (const struct point *p)
{
    unsigned size = (unsigned)p->m * (unsigned)log2 (p->l);
    return halvings (p) + pow (2, size % (unsigned)p->n);
}

struct bound {
    const char *text;
    double (*of) (const struct point *p);
};

static const struct bound nodes_bound = {"k^n", all_nodes};
static const struct bound slice_bound = {"k^m", slice};
static const struct bound window_bound = {"k^n l^m", windows};
static const struct bound plane_bound = {"C(n,m) k^n l^m", planes};
static const struct bound job_bound = {"l^m", job};
static const struct bound halving_bound = {"log k", halvings};
static const struct bound sibling_bound = {"2^n", siblings};
static const struct bound group_bound = {"log k + 2^l", halvings_and_group};
static const struct bound no_bound = {"not in it", NULL};

static const struct strategy {
    const char *name;
    const char *alloc;    /* of a state; NULL: tori_cubes */
    bool all_dims;        /* Algorithm 1: m is n */
    const struct bound *allocate, *release;
} strategies[] = {
    {"eb", "eb", false, &nodes_bound, &slice_bound},
    {"egc", "egc", false, &nodes_bound, &slice_bound},
    {"k-partner", "k-partner", false, &nodes_bound, &slice_bound},
    {"sniffing", "sniffing", false, &window_bound, &job_bound},
    {"efl", "efl", false, &no_bound, &no_bound},
    {"etc", "etc", false, &plane_bound, &job_bound},
    {"isomorphic 1", NULL, true, &halving_bound, &halving_bound},
    {"isomorphic 2", NULL, false, &sibling_bound, &group_bound},
    {"- of a state", "isomorphic", false, &sibling_bound, &group_bound},
};

enum { NSTRATEGIES = sizeof strategies / sizeof strategies[0] };

/* ---- a machine and its jobs ---- */

struct copy {
    tori_state *state;
    tori_alloc *alloc;
    tori_cubes *cubes;
    tori_box *jobs; /* by where they are */
    size_t n;
};

struct scene {
    const struct strategy *strategy;
    tori_machine *machine;
    tori_request request;
    struct rng rng;
    struct copy copy[BATCH];
    int copies, at_once; /* BATCH operations together, or a few more */
    double clock;        /* what looking at it costs */
};

static void open_copy (struct scene *scene, struct copy *copy)
{
    const char *name = scene->strategy->alloc;
    uint32_t nodes = tori_machine_nodes (scene->machine);
    *copy = (struct copy){.n = 0};
    copy->jobs = malloc (nodes / 2 * sizeof *copy->jobs);
    if (!copy->jobs)
        exit (1);
    if (!name) {
        BENCH_MUST (tori_cubes_create (scene->machine, NULL, &copy->cubes,
                                       &err));
        return;
    }
    BENCH_MUST (tori_state_create (scene->machine, &copy->state, &err));
    BENCH_MUST (tori_alloc_create (scene->machine, TORI_ALLOC (name),
                                   &copy->alloc, &err));
}

static void close_copy (struct copy *copy)
{
    tori_cubes_destroy (copy->cubes);
    tori_alloc_destroy (copy->alloc);
    tori_state_destroy (copy->state);
    free (copy->jobs);
}

static uint32_t free_nodes (const struct copy *copy)
{
    return copy->cubes ? tori_cubes_free_count (copy->cubes)
                       : tori_state_free_count (copy->state);
}

static bool allocate (const struct scene *scene, struct copy *copy)
{
    tori_placement place = {0};
    if (copy->cubes) {
        if (tori_cubes_request (copy->cubes, &scene->request.shape, &place,
                                NULL)
            != TORI_PLACED)
            return false;
    } else if (tori_alloc_place (copy->alloc, copy->state, &scene->request,
                                 &place, NULL)
                   != TORI_PLACED
               || tori_placement_hold (&place, copy->state, NULL) < 0) {
        return false;
    }
    copy->jobs[copy->n++] = place.box;
    return true;
}

/* A job leaves the list. Apart from its release, so that fetching it from a
 * long list is not timed with that. */
static tori_placement pick (struct scene *scene, struct copy *copy)
{
    size_t i = rng_below (&scene->rng, copy->n);
    tori_placement place = {.nboxes = 1};
    place.box = copy->jobs[i];
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    copy->jobs[i] = copy->jobs[--copy->n];
    return place;
}

static void release (struct copy *copy, const tori_placement *place)
{
    if (copy->cubes)
        tori_cubes_release (copy->cubes, place);
    else
        tori_placement_release (place, copy->state);
}

static void take_node (struct copy *copy, uint32_t node)
{
    if (copy->cubes)
        BENCH_MUST (tori_cubes_take_node (copy->cubes, node, &err));
    else
        BENCH_MUST (tori_state_set_down (copy->state, node, true, &err));
}

/* ---- timing ---- */

struct times {
    double allocate, release, refuse; /* nanoseconds */
};

static double clock_cost (void)
{
    enum { LOOKS = 10000 };
    double start = bench_cpu ();
    for (int i = 1; i < LOOKS; i++)
        (void)bench_cpu ();
    return (bench_cpu () - start) / LOOKS;
}

static void half_fill (struct scene *scene, struct copy *copy)
{
    uint32_t nodes = tori_machine_nodes (scene->machine);
    while (free_nodes (copy) > nodes / 2)
        if (!allocate (scene, copy)) {
            fprintf (stderr, "%s does not fill a machine by half\n",
                     scene->strategy->name);
            exit (1);
        }
}

static void pick_batch (struct scene *scene, tori_placement leaving[])
{
    for (int c = 0; c < scene->copies; c++)
        for (int i = 0; i < scene->at_once; i++)
            *leaving++ = pick (scene, &scene->copy[c]);
}

static void release_batch (struct scene *scene, const tori_placement *leaving)
{
    for (int c = 0; c < scene->copies; c++)
        for (int i = 0; i < scene->at_once; i++)
            release (&scene->copy[c], leaving++);
}

static void allocate_batch (struct scene *scene)
{
    for (int c = 0; c < scene->copies; c++)
        for (int i = 0; i < scene->at_once; i++)
            if (!allocate (scene, &scene->copy[c]))
                exit (1);
}

/* Jobs leave at random, and as many come. */
static void churn (struct scene *scene, struct times *times)
{
    static tori_placement leaving[BATCH + MOST_AT_ONCE];
    double allocating = 0, releasing = 0, ops = 0;
    while (allocating + releasing < 0.1 || ops < 4 * BATCH) {
        double start, middle, end;
        pick_batch (scene, leaving);
        start = bench_cpu ();
        release_batch (scene, leaving);
        middle = bench_cpu ();
        allocate_batch (scene);
        end = bench_cpu ();
        releasing += middle - start - scene->clock;
        allocating += end - middle - scene->clock;
        ops += scene->copies * scene->at_once;
    }
    times->allocate = 1e9 * allocating / ops;
    times->release = 1e9 * releasing / ops;
}

/* Take the nodes of which the sum of coordinates is odd, then ask in vain. */
static void refuse (struct scene *scene, struct times *times)
{
    struct copy copy;
    uint32_t coords[TORI_MAX_DIMS];
    double start, end, ops = 0;
    open_copy (scene, &copy);
    for (uint32_t id = 0; id < tori_machine_nodes (scene->machine); id++) {
        uint32_t sum = 0;
        tori_machine_coords (scene->machine, id, coords);
        for (int d = 0; d < scene->request.shape.ndims; d++)
            sum += coords[d];
        if (sum % 2)
            take_node (&copy, id);
    }
    if (allocate (scene, &copy))
        exit (1);
    start = end = bench_cpu ();
    for (; end - start < 0.05; end = bench_cpu ())
        for (int i = 0; i < BATCH; i++, ops++)
            allocate (scene, &copy);
    times->refuse = 1e9 * (end - start) / ops;
    close_copy (&copy);
}

static void set_request (struct scene *scene, const struct point *p)
{
    int m = scene->strategy->all_dims ? p->n : p->m;
    scene->request = (tori_request){.shape.ndims = p->n};
    for (int d = 0; d < p->n; d++)
        scene->request.shape.size[d] = d < m ? p->l : 1;
    scene->request.count = (uint32_t)tori_shape_volume (&scene->request.shape);
}

/* As many machines as it takes for a batch: jobs of a small one are few. */
static void measure (const struct strategy *strategy, const struct point *p,
                     struct times *times)
{
    struct scene scene = {.strategy = strategy, .clock = clock_cost ()};
    char text[TORI_TEXT_MAX];
    snprintf (text, sizeof text, "mesh:%u^%d", p->k, p->n);
    BENCH_MUST (tori_machine_parse (text, &scene.machine, &err));
    rng_seed (&scene.rng, 1, 0);
    set_request (&scene, p);
    do {
        struct copy *copy = &scene.copy[scene.copies++];
        open_copy (&scene, copy);
        half_fill (&scene, copy);
        scene.at_once = copy->n / 4 < MOST_AT_ONCE ? (int)(copy->n / 4)
                                                   : MOST_AT_ONCE;
        scene.at_once = scene.at_once ? scene.at_once : 1;
    } while (scene.copies * scene.at_once < BATCH && p->k < 256);
    churn (&scene, times);
    refuse (&scene, times);
    while (scene.copies > 0)
        close_copy (&scene.copy[--scene.copies]);
    tori_machine_destroy (scene.machine);
}

/* ---- tables ---- */

/* The slope of y by x, over the points there are. */
static double slope (const double x[], const double y[], int n)
{
    double sx = 0, sy = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        sx += x[i];
        sy += y[i];
        xx += x[i] * x[i];
        xy += x[i] * y[i];
    }
    return (n * xy - sx * sy) / (n * xx - sx * sx);
}

static void print_growth (const struct series *s, double growth)
{
    char text[32];
    if (s->varied == DIMENSIONS)
        snprintf (text, sizeof text, "%.2f%s", exp (growth), s->growth);
    else
        snprintf (text, sizeof text, "%s%.2f", s->growth, growth);
    printf (" %8s", text);
}

static void print_row (const struct series *s, const char *name,
                       const char *what, const double ns[], int n,
                       const struct bound *bound)
{
    double x[MAX_POINTS], y[MAX_POINTS], stated[MAX_POINTS];
    printf ("%-13s %-9s", name, what);
    for (int i = 0; i < s->npoints; i++) {
        x[i] = variable (s, &s->point[i]);
        y[i] = log (ns[i]);
        stated[i] = bound->of ? log (bound->of (&s->point[i])) : 0;
        if (i < n)
            printf (" %9.0f", ns[i]);
        else
            printf (" %9s", "-");
    }
    print_growth (s, slope (x, y, n));
    if (bound->of)
        print_growth (s, slope (x, stated, n));
    else
        printf (" %8s", "-");
    printf ("  %s\n", bound->text);
}

static void print_head (const struct series *s)
{
    printf ("\n# %s; ns\n%-13s %-9s", s->title, "strategy", "");
    for (int i = 0; i < s->npoints; i++)
        printf (s->varied == DIMENSIONS ? "       n=%d"
                : s->varied == SIDES    ? "     k=%3u"
                                        : "     l=%3u",
                s->varied == DIMENSIONS ? (unsigned)s->point[i].n
                : s->varied == SIDES    ? s->point[i].k
                                        : s->point[i].l);
    printf (" %8s %8s  %s\n", "grows", "Table 1", "formula");
}

struct cell {
    const struct series *series;
    const struct strategy *strategy;
};

/* A machine of 2^24 nodes is for those that need not look at all of them. */
static void report (const void *arg)
{
    const struct cell *cell = arg;
    const struct series *s = cell->series;
    const struct strategy *strategy = cell->strategy;
    double ns[3][MAX_POINTS];
    int n = 0;
    for (; n < s->npoints && (s->point[n].k < 256 || !strategy->alloc); n++) {
        struct times times;
        measure (strategy, &s->point[n], &times);
        ns[0][n] = times.allocate;
        ns[1][n] = times.release;
        ns[2][n] = times.refuse;
    }
    print_row (s, strategy->name, "allocate", ns[0], n, strategy->allocate);
    print_row (s, "", "release", ns[1], n, strategy->release);
    print_row (s, "", "refuse", ns[2], n, strategy->allocate);
}

int main (void)
{
    bench_machine ();
    printf ("# half-full machines; nanoseconds of processor time an "
            "operation, and how they grow\n");
    for (size_t i = 0; i < sizeof series / sizeof series[0]; i++) {
        print_head (&series[i]);
        for (size_t j = 0; j < NSTRATEGIES; j++) {
            struct cell cell = {&series[i], &strategies[j]};
            bench_apart (report, &cell);
        }
    }
    return 0;
}
