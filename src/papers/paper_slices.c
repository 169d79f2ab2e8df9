/* slice-packer-torus (M. Nanyonga, 2026), a public program about slices of a
 * 16-ary 3-cube: how many of the free nodes can be placed, what a failure costs
 * a slice, and how often the slice can move. Its experiments are run again here
 * with our allocators, and then with what it leaves out: rotation, boxes that
 * wrap, folds, moves of other jobs, and cubes behind switches. The last part
 * asks what slices a pod of 144 cubes can promise.
 *
 * Its order of shapes for a number of nodes: the least diameter first, then the
 * largest bisection, then the lexicographically first; a side of 16 is a ring,
 * any other a line. It takes the first free box of the first shape that has
 * one. Boxes do not wrap. Jobs come until one finds no place, or until so many
 * nodes are busy. */
#include <math.h>

#include "largest.h"
#include "slices_study.h"

#define COUNT(array) (sizeof (array) / sizeof *(array))

enum {
    MAX_SEEDS = 20,
    TRIALS = 60 /* of a share of busy nodes, for each seed */
};

/* ---- free nodes and the largest slice ---- */

static const struct {
    int busy;       /* percent */
    double printed; /* percent of the free nodes that cannot be placed */
} levels[] = {{10, 8}, {25, NAN}, {40, 20}, {55, 30}, {70, NAN}, {85, 29}};
enum { LEVELS = COUNT (levels) };

struct capacity {
    const char *packing;
    double busy;
    struct estimate overstated, gaps, free;
    double printed;
};

#define AT(member) FIELD_AT (struct capacity, member)
static const struct field capacity_fields[] = {
    {"packing", FIELD_TEXT, AT (packing), "how jobs are placed",
     .title = "packing"},
    {"busy", FIELD_REAL, AT (busy), "jobs come until this part is busy",
     .title = "busy, %", .scale = 100},
    ESTIMATE ("free", struct capacity, free, "free nodes", .title = "free"),
    ESTIMATE ("overstated", struct capacity, overstated,
              "the part of the free nodes that the largest slice does not "
              "have",
              .title = "overstated, %", .decimals = 1, .scale = 100),
    ESTIMATE ("gaps", struct capacity, gaps,
              "the part of the trials in which the largest slice has fewer "
              "nodes than are free",
              .title = "trials with a gap, %", .decimals = 0, .scale = 100),
    {"printed", FIELD_REAL, AT (printed), "overstated, as printed",
     .title = "printed, %", .decimals = 0, .scale = 100},
};
#undef AT
static const struct sheet capacity_sheet
    = {"capacity", SHEET_FIELDS (capacity_fields)};

/* Sums over the trials of a seed. */
struct room_sums {
    double free, placeable, gaps;
};

/* How many nodes the largest free box has. */
static int ground_largest (const struct ground *ground, uint32_t *ret_nodes,
                           tori_error *err)
{
    tori_box box;
    int found
        = largest_box (ground->state, ground->packing->wrap, &box, err);
    *ret_nodes = found > 0 ? (uint32_t)tori_shape_volume (&box.shape) : 0;
    return found < 0 ? -1 : 0;
}

/* With switches any cubes can be joined: the largest box of up to four free
 * cubes along each side. */
static uint32_t largest_slice (uint32_t cubes)
{
    uint32_t best = 0;
    for (uint32_t x = 1; x <= 4; x++)
        for (uint32_t y = 1; y <= 4; y++)
            for (uint32_t z = 1; z <= 4; z++)
                if (x * y * z <= cubes && x * y * z > best)
                    best = x * y * z;
    return best * CUBE;
}

static int measure_room (struct ground *ground, int busy, size_t trials,
                         struct rng *rng, struct room_sums *sums,
                         tori_error *err)
{
    bool pod = ground->packing == &slices_packings[SWITCHED];
    for (size_t i = 0; i < trials; i++) {
        uint32_t room, placeable;
        if (ground_fill (ground, JOBS, (uint32_t)(NODES * busy + 99) / 100, 0,
                         SIZES - 1, rng, err)
            < 0)
            return -1;
        room = tori_state_free_count (ground->state);
        if (pod)
            placeable = largest_slice (room / CUBE);
        else if (ground_largest (ground, &placeable, err) < 0)
            return -1;
        sums->free += room;
        sums->placeable += placeable;
        sums->gaps += placeable < room;
        ground_clear (ground);
    }
    return 0;
}

/* ---- what a failure costs a slice ---- */

struct loss {
    const char *where, *at;
    double lost, share, printed;
};

#define AT(member) FIELD_AT (struct loss, member)
static const struct field loss_fields[] = {
    {"where", FIELD_TEXT, AT (where), "which node fails", .title = "where"},
    {"at", FIELD_TEXT, AT (at), "its coordinates", .title = "node"},
    {"lost", FIELD_REAL, AT (lost),
     "nodes that the largest box without it does not have",
     .title = "nodes lost", .decimals = 0},
    {"share", FIELD_REAL, AT (share), "the same, of all",
     .title = "of the slice, %", .decimals = 1, .scale = 100},
    {"printed", FIELD_REAL, AT (printed), "as printed",
     .title = "printed, %", .decimals = 1, .scale = 100},
};
#undef AT
static const struct sheet loss_sheet = {"losses", SHEET_FIELDS (loss_fields)};

/* The nodes that a 16x16x16 slice loses: up to the failed plane, from the
 * nearer face, in the best dimension. */
static double lost_nodes (const uint32_t at[3])
{
    uint32_t planes = SIDE;
    for (int d = 0; d < 3; d++) {
        uint32_t low = at[d] + 1, high = SIDE - at[d];
        uint32_t least = low < high ? low : high;
        planes = least < planes ? least : planes;
    }
    return (double)planes * SIDE * SIDE;
}

static double mean_lost (void)
{
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t at[3] = {i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE};
        sum += lost_nodes (at);
    }
    return sum / NODES;
}

static int make_losses (struct paper_run *run, tori_error *err)
{
    static const struct {
        const char *where, *at;
        uint32_t node[3];
        double printed;
    } places[] = {{"corner", "0,0,0", {0, 0, 0}, 0.062},
                  {"face", "0,8,8", {0, 8, 8}, 0.062},
                  {"interior", "4,8,8", {4, 8, 8}, 0.312},
                  {"centre", "8,8,8", {8, 8, 8}, 0.5}};
    enum { PLACES = COUNT (places) };
    struct loss *row = paper_rows (run, 1, PLACES + 2, sizeof *row, err);
    if (!row)
        return -1;
    for (size_t i = 0; i < PLACES; i++)
        row[i] = (struct loss){.where = places[i].where,
                               .at = places[i].at,
                               .lost = lost_nodes (places[i].node),
                               .printed = places[i].printed};
    row[PLACES] = (struct loss){"any: mean", "", mean_lost (), 0, NAN};
    /* 63 cubes are a box of 3x3x7. */
    row[PLACES + 1] = (struct loss){"any, cubes behind switches", "", CUBE, 0,
                                    NAN};
    for (size_t i = 0; i < PLACES + 2; i++)
        row[i].share = row[i].lost / NODES;
    return 0;
}

/* ---- the study ---- */

struct study {
    const struct paper_setup *setup;
    size_t seeds, trials, pods;
    struct shape_list shapes[SIZES];
    struct room_sums room[PACKINGS][LEVELS][MAX_SEEDS];
    double rescued[SCENES][REMEDIES][MAX_SEEDS];
    double same[SCENES][MAX_SEEDS]; /* the first remedy, for all seeds of the
                                       printed packing */
    double switched[PROMISES][MAX_SEEDS], fixed[PROMISES][MAX_SEEDS];
};

static const struct field answer_fields[] = {
    {"seeds", FIELD_SIZE, FIELD_AT (struct study, seeds),
     "how many seeds each mean is of"},
    {"trials", FIELD_SIZE, FIELD_AT (struct study, trials),
     "how many trials a seed has for each part of busy nodes"},
    {"capacity", FIELD_LIST,
     .about = "free nodes beside the largest slice that can be placed",
     .group = &capacity_sheet},
    {"losses", FIELD_LIST, .about = "what a failed node costs a slice",
     .group = &loss_sheet},
    {"rescues", FIELD_LIST, .about = "jobs that go on after a failure",
     .group = &slices_rescue_sheet},
    {"promises", FIELD_LIST,
     .about = "slices that a pod of 144 cubes can promise",
     .group = &slices_promise_sheet},
};
static const struct sheet answer_sheet
    = {"slices", SHEET_FIELDS (answer_fields)};

/* Every packing gets the same sizes, as far as it places them. */
static int run_levels (struct study *study, size_t p, size_t seed,
                       tori_error *err)
{
    struct ground ground;
    int status =
        ground_open (&ground, &slices_packings[p], study->shapes, err);
    for (size_t l = 0; status == 0 && l < LEVELS; l++) {
        struct rng rng;
        rng_seed (&rng, study->setup->seed + seed, l);
        status = measure_room (&ground, levels[l].busy, study->trials, &rng,
                               &study->room[p][l][seed], err);
    }
    ground_close (&ground);
    return status;
}

static size_t failures_of (const struct study *study, size_t scene)
{
    size_t limit = study->setup->limit, all = slices_scenes[scene].failures;
    return limit && limit < all ? limit : all;
}

/* Verdicts are on moves of the same shape; for other seeds of short runs, these
 * are enough. */
static int run_scenes (struct study *study, size_t p, size_t seed,
                       tori_error *err)
{
    enum remedy last = seed < study->seeds ? ENOUGH_NODES : SAME_SHAPE;
    struct ground ground;
    int status =
        ground_open (&ground, &slices_packings[p], study->shapes, err);
    for (size_t s = 0; status == 0 && s < SCENES; s++) {
        double rescued[REMEDIES] = {0};
        struct rng rng;
        rng_seed (&rng, study->setup->seed + seed, LEVELS + s);
        status = slices_run_scene (&ground, &slices_scenes[s],
                                   failures_of (study, s), last, &rng, rescued,
                                   err);
        if (p == PRINTED)
            study->same[s][seed] = rescued[SAME_SHAPE];
        for (int r = 0; r < REMEDIES; r++)
            if ((r == ON_CUBES) == (p == SWITCHED) && seed < study->seeds)
                study->rescued[s][r][seed] = rescued[r];
    }
    ground_close (&ground);
    return status;
}

static int run_promises (struct study *study, size_t seed, tori_error *err)
{
    double switched[PROMISES], fixed[PROMISES];
    struct rng rng;
    rng_seed (&rng, study->setup->seed + seed, LEVELS + SCENES);
    if (slices_promise (study->pods, &rng, switched, fixed, err) < 0)
        return -1;
    for (size_t i = 0; i < PROMISES; i++) {
        study->switched[i][seed] = switched[i];
        study->fixed[i][seed] = fixed[i];
    }
    return 0;
}

/* Verdicts are on the printed packing, so it has all seeds in short runs. */
static size_t seeds_of (const struct study *study, size_t packing)
{
    return packing == PRINTED && study->setup->quick ? MAX_SEEDS
                                                     : study->seeds;
}

static size_t count_pieces (const struct study *study)
{
    return (PACKINGS + 3) * study->seeds
           + 2 * (seeds_of (study, PRINTED) - study->seeds);
}

/* A piece is a packing, a machine of failures, or the promises, of a seed; then
 * come the other seeds of the printed packing. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t seed = piece % study->seeds, part = piece / study->seeds;
    if (part >= PACKINGS + 3) {
        size_t other = piece - (PACKINGS + 3) * study->seeds;
        seed = study->seeds + other / 2;
        return other % 2 ? run_levels (study, PRINTED, seed, err)
                         : run_scenes (study, PRINTED, seed, err);
    }
    if (part < PACKINGS)
        return run_levels (study, part, seed, err);
    if (part == PACKINGS + 2)
        return run_promises (study, seed, err);
    return run_scenes (study, part == PACKINGS ? PRINTED : SWITCHED, seed,
                       err);
}

static struct capacity capacity_of (const struct study *study, size_t p,
                                    size_t l)
{
    const struct room_sums *sums = study->room[p][l];
    double overstated[MAX_SEEDS] = {0}, gaps[MAX_SEEDS] = {0};
    double room[MAX_SEEDS] = {0};
    size_t n = seeds_of (study, p);
    for (size_t i = 0; i < n; i++) {
        overstated[i] = 1 - sums[i].placeable / sums[i].free;
        gaps[i] = sums[i].gaps / (double)study->trials;
        room[i] = sums[i].free / (double)study->trials;
    }
    return (struct capacity){
        .packing = slices_packings[p].name,
        .busy = levels[l].busy / 100.0,
        .overstated = estimate_of (overstated, n),
        .gaps = estimate_of (gaps, n),
        .free = estimate_of (room, n),
        .printed = p == PRINTED ? levels[l].printed / 100 : NAN,
    };
}

static struct promise promise_of (const struct study *study, unsigned log)
{
    tori_shape shape = slices_cubes_shape (1u << log);
    struct promise row = {
        .cubes = 1u << log,
        .by_count = HEALTHY >> log,
        .switched = estimate_of (study->switched[log], study->seeds),
        .fixed = estimate_of (study->fixed[log], study->seeds),
    };
    tori_shape_format (&shape, row.slice);
    row.share = row.switched.mean * row.cubes / CUBES;
    return row;
}

static int make_rows (struct paper_run *run, tori_error *err)
{
    const struct study *study = run->study;
    struct capacity *capacity
        = paper_rows (run, 0, PACKINGS * LEVELS, sizeof *capacity, err);
    struct rescue *rescue
        = paper_rows (run, 2, SCENES * REMEDIES, sizeof *rescue, err);
    struct promise *promise
        = paper_rows (run, 3, PROMISES, sizeof *promise, err);
    if (!capacity || !rescue || !promise)
        return -1;
    for (size_t i = 0; i < PACKINGS * LEVELS; i++)
        capacity[i] = capacity_of (study, i / LEVELS, i % LEVELS);
    for (size_t i = 0; i < SCENES * REMEDIES; i++) {
        const struct scene *scene = &slices_scenes[i / REMEDIES];
        size_t r = i % REMEDIES;
        rescue[i] = (struct rescue){
            scene->name, slices_remedies[r], failures_of (study, i / REMEDIES),
            estimate_of (study->rescued[i / REMEDIES][r], study->seeds),
            r == SAME_SHAPE && !study->setup->limit ? scene->printed : NAN};
    }
    for (unsigned i = 0; i < PROMISES; i++)
        promise[i] = promise_of (study, i);
    return make_losses (run, err);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    study->setup = run->setup;
    study->seeds = run->setup->seeds ? run->setup->seeds : MAX_SEEDS;
    study->trials = run->setup->limit && run->setup->limit < TRIALS
                        ? run->setup->limit
                        : TRIALS;
    study->pods = run->setup->limit && run->setup->limit < PODS
                      ? run->setup->limit
                      : PODS;
    for (size_t i = 0; i < SIZES; i++)
        slices_list_shapes (slices_sizes[i], &study->shapes[i]);
    if (paper_do_pieces (run->setup, count_pieces (study), run_piece, study,
                         err)
        < 0)
        return -1;
    return make_rows (run, err);
}

/* ---- verdicts ---- */

static void judge_capacity (struct paper_run *run)
{
    const struct capacity *row = run->list[0].row;
    for (size_t i = 0; i < LEVELS; i++) {
        char value[VERDICT_TEXT], printed[VERDICT_TEXT];
        if (isnan (row[i].printed))
            continue;
        snprintf (value, sizeof value,
                  "free nodes overstate the largest slice, %d %% busy, %%",
                  levels[i].busy);
        snprintf (printed, sizeof printed, "%.0f", 100 * row[i].printed);
        verdict_number (run,
                        &(struct published){"Finding 2", value, printed,
                                            "another mean"},
                        row[i].printed, row[i].overstated.mean,
                        "%.1f \302\261%.1f", 100 * row[i].overstated.mean,
                        100 * row[i].overstated.half);
    }
}

/* The program asks an operator if there is no place of the same shape. It has
 * one seed; single seeds vary. */
static void judge_scene (struct paper_run *run, size_t i)
{
    const struct study *study = run->study;
    const struct scene *scene = &slices_scenes[i];
    size_t n = seeds_of (study, PRINTED);
    double part = (double)scene->failures / (double)failures_of (study, i);
    double ours = part * estimate_of (study->same[i], n).mean;
    double least = INFINITY, most = 0;
    char value[VERDICT_TEXT], printed[24], why[VERDICT_TEXT];
    for (size_t k = 0; k < n; k++) {
        least = fmin (least, part * study->same[i][k]);
        most = fmax (most, part * study->same[i][k]);
    }
    snprintf (value, sizeof value,
              "a move of the same shape exists, of %zu failures, %s",
              scene->failures, scene->name);
    snprintf (printed, sizeof printed, "%.0f", scene->printed);
    snprintf (why, sizeof why,
              "it has one seed, and single seeds of ours go from %.0f to %.0f",
              least, most);
    verdict_number (run, &(struct published){"Finding 4", value, printed, why},
                    scene->printed, ours, "%.1f", ours);
}

static void judge_study (struct paper_run *run)
{
    const struct loss *loss = run->list[1].row;
    judge_capacity (run);
    verdict_compare (run,
                     &(struct published){"Finding 3",
                                         "a failure costs a slice, %",
                                         "6 to 50", "other geometry"},
                     fabs (loss[0].share - 0.0625) < 1e-9
                         && fabs (loss[3].share - 0.5) < 1e-9,
                     "%.0f to %.0f, %.0f on average", 100 * loss[0].share,
                     100 * loss[3].share, 100 * loss[4].share);
    for (size_t i = 0; i < SCENES; i++)
        judge_scene (run, i);
}

/* ---- for people ---- */

static const struct view_column capacity_columns[]
    = {{"packing"},
       {"busy"},
       {"free", .half = "free_half"},
       {"overstated", .half = "overstated_half"},
       {"printed"},
       {"gaps", .half = "gaps_half"}};
static const struct view capacity_view
    = {NULL, VIEW_COLUMNS (capacity_columns), NULL};
static const struct view_column rescue_columns[]
    = {{"scene"}, {"remedy"}, {"failures"},
       {"rescued", .half = "rescued_half"}, {"printed"}};
static const struct view rescue_view
    = {NULL, VIEW_COLUMNS (rescue_columns), NULL};
static const struct view_column promise_columns[]
    = {{"cubes"},
       {"slice"},
       {"by_count"},
       {"switched", .half = "switched_half"},
       {"share"},
       {"fixed", .half = "fixed_half"}};
static const struct view promise_view
    = {NULL, VIEW_COLUMNS (promise_columns), NULL};

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    paper_say (run,
               "Jobs of 128 to 1,024 nodes on 4,096 nodes, %zu seeds of %zu "
               "trials (of the printed packing %zu); means and 95 %% "
               "intervals over seeds. How many of the free nodes the largest "
               "slice does not have:\n",
               study->seeds, study->trials, seeds_of (study, PRINTED));
    paper_view (run, 0, NULL, &capacity_view);
    paper_say (run, "\nWhat it costs a 16x16x16 slice to be a box again after "
                    "a failure:\n");
    paper_table (run, 1);
    paper_say (run,
               "\nA node of a job fails. How many jobs go on with as many "
               "nodes (each line includes those above it; the last one is of "
               "another machine):\n");
    paper_view (run, 2, NULL, &rescue_view);
    paper_say (run,
               "\nA pod of %d cubes of %d nodes, of which %d are healthy with "
               "a confidence of 95 %%, so a cube is healthy with %.4f. How "
               "many slices of a size it can promise at once with 95 %%, with "
               "switches and as a fixed torus of 4x6x6 cubes:\n",
               CUBES, CUBE, HEALTHY, slices_cube_health ());
    paper_view (run, 3, NULL, &promise_view);
}

const struct paper paper_slices = {
    .name = "slices",
    .citation = "M. Nanyonga: Slice-packer-torus. 2026",
    .what = "slices of a 16-ary 3-cube: free nodes that cannot be placed, and "
            "what a failure costs",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .quick = {.seeds = 5},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
