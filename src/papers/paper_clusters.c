/* M. A. Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, Figure 2: the best clusters of 2 to 21 points of a
 * grid. Each is found and proved twice: by looking at all heights of columns
 * (optimal_cluster.h), and by branch and bound in a square that a best set
 * cannot leave. Beside them are the curve to which they tend (Figure 3), the
 * rectangles of MC (Figure 1) and what both leave free (shapes.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "paper.h"
#include "table.h"
#include "optimal_cluster.h"
#include "shapes.h"

enum { FIRST = 2, LAST = 21, CLUSTERS = LAST - FIRST + 1, IN_A_ROW = 5 };

static const unsigned printed[CLUSTERS] = {
    1,   4,   8,   16,  25,  38,  54,  72,  96,  124,
    152, 188, 227, 272, 318, 374, 433, 496, 563, 632,
};

struct cluster {
    struct optimal_cluster best;
    unsigned printed;
    uint32_t side;  /* of the searched square */
    uint64_t exact; /* the least sum there */
    bool proved;
    double average;
    char cut[32], square[32], picture[64];
};

#define AT(member) FIELD_AT (struct cluster, member)
static const struct field cluster_fields[] = {
    {"k", FIELD_UINT, AT (best.k), "points", .title = "k"},
    {"sum", FIELD_COUNT, AT (best.sum), "the least sum of distances",
     .title = "sum"},
    {"printed", FIELD_UINT, AT (printed), "the same as printed",
     .title = "printed"},
    {"average", FIELD_REAL, AT (average), "the sum over the pairs"},
    {"average_cut", FIELD_CHARS, AT (cut),
     "the same, cut after three decimals as in the paper", .title = "average"},
    {"side", FIELD_UINT, AT (side), "side of the square that was searched"},
    {"square", FIELD_CHARS, AT (square), "the square", .title = "square"},
    {"proved", FIELD_FLAG, AT (proved),
     "whether both searches come to the same", .title = "proved"},
    {"picture", FIELD_CHARS, AT (picture),
     "the cluster from above, with / between its rows"},
};
static const struct sheet cluster_sheet
    = {"clusters", SHEET_FIELDS (cluster_fields)};

struct study {
    double limit, circle; /* mean distances in an area of 1 */
    uint32_t rectangles;
    uint64_t seed;
    struct patch_sample sample[PATCH_PIECES];
};

static const struct field answer_fields[] = {
    {"limit", FIELD_REAL, FIELD_AT (struct study, limit),
     "the mean distance of two points of the best shape of area 1"},
    {"circle", FIELD_REAL, FIELD_AT (struct study, circle),
     "the same of a circle"},
    {"rectangles", FIELD_UINT, FIELD_AT (struct study, rectangles),
     "requests of 25 that mc places as rectangles"},
    {"clusters", FIELD_LIST, .about = "the best clusters",
     .group = &cluster_sheet},
    {"curve", FIELD_LIST, .about = "the boundary of the best shape",
     .group = &curve_sheet},
    {"patches", FIELD_LIST, .about = "small patches of free nodes",
     .group = &patch_sheet},
};
static const struct sheet answer_sheet
    = {"clusters", SHEET_FIELDS (answer_fields)};

/* ---- computing ---- */

static int search_square (struct cluster *cluster, tori_error *err)
{
    size_t n = (size_t)cluster->side * cluster->side;
    int64_t *coords = malloc (2 * n * sizeof *coords);
    size_t chosen[LAST];
    tori_points points = {.ndims = 2, .n = n, .coords = coords};
    int status;
    if (!coords)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        coords[2 * i] = (int64_t)(i / cluster->side);
        coords[2 * i + 1] = (int64_t)(i % cluster->side);
    }
    status =
        tori_points_choose (TORI_ALLOC ("exact"), &points, cluster->best.k,
                            chosen, &cluster->exact, err);
    free (coords);
    return status;
}

/* ---- pictures ---- */

/* A line of a picture, centred about row 0; blank above and below. */
static void draw_line (const struct optimal_cluster *best, int32_t row,
                       char text[CLUSTER_MOST + 1])
{
    for (uint32_t c = 0; c < best->columns; c++)
        text[c] = optimal_cluster_has (best, c, row) ? '#' : ' ';
    text[best->columns] = '\0';
    while (*text && text[strlen (text) - 1] == ' ')
        text[strlen (text) - 1] = '\0';
}

static void find_rows (const struct cluster *clusters, uint32_t n,
                       int32_t *low, int32_t *high)
{
    *low = *high = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < clusters[i].best.columns; c++) {
            while (optimal_cluster_has (&clusters[i].best, c, *low - 1))
                --*low;
            while (optimal_cluster_has (&clusters[i].best, c, *high + 1))
                ++*high;
        }
}

/* Some pictures side by side: their titles first, then line by line. */
static int print_pictures (const struct cluster *clusters, uint32_t n,
                           FILE *out, tori_error *err)
{
    static const struct table_column columns[IN_A_ROW] = {
        {NULL, TABLE_TEXT}, {NULL, TABLE_TEXT}, {NULL, TABLE_TEXT},
        {NULL, TABLE_TEXT}, {NULL, TABLE_TEXT}};
    struct table *table = table_create (columns, n);
    int32_t low, high;
    for (uint32_t i = 0; i < n; i++)
        table_cell (table, "%" PRIu32 ": %" PRIu64, clusters[i].best.k,
                    clusters[i].best.sum);
    find_rows (clusters, n, &low, &high);
    for (int32_t row = high; row >= low; row--)
        for (uint32_t i = 0; i < n; i++) {
            char text[CLUSTER_MOST + 1];
            draw_line (&clusters[i].best, row, text);
            table_cell (table, "%s", text);
        }
    fputc ('\n', out);
    return table_print (table, out, false, err);
}

/* The paper cuts its averages off after three decimals. */
static void set_average (struct cluster *cluster)
{
    uint64_t k = cluster->best.k, pairs = k * (k - 1) / 2;
    uint64_t thousandths = cluster->best.sum * 1000 / pairs;
    cluster->average = (double)cluster->best.sum / (double)pairs;
    snprintf (cluster->cut, sizeof cluster->cut, "%" PRIu64 ".%03" PRIu64,
              thousandths / 1000, thousandths % 1000);
}

static void set_picture (struct cluster *cluster)
{
    size_t used = 0, room = sizeof cluster->picture;
    int32_t low, high;
    find_rows (cluster, 1, &low, &high);
    for (int32_t row = high; row >= low && used < room; row--) {
        char text[CLUSTER_MOST + 1];
        draw_line (&cluster->best, row, text);
        used += (size_t)snprintf (cluster->picture + used, room - used,
                                  "%s%s", row < high ? "/" : "", text);
    }
}

static int measure_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    return patches_measure (piece, study->seed, &study->sample[piece], err);
}

static int compute_shapes (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    struct curve_row *curve
        = paper_rows (run, 1, CURVE_ROWS, sizeof *curve, err);
    struct patch_row *patches
        = paper_rows (run, 2, PATCH_ROWS, sizeof *patches, err);
    study->seed = run->setup->seed;
    if (!curve || !patches || rectangles_count (&study->rectangles, err) < 0
        || paper_do_pieces (run->setup, PATCH_PIECES, measure_piece, study,
                            err)
               < 0)
        return -1;
    curve_find (curve, &study->limit, &study->circle);
    patches_sum_up (study->sample, patches);
    return 0;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct cluster *clusters
        = paper_rows (run, 0, CLUSTERS, sizeof *clusters, err);
    for (uint32_t i = 0; clusters && i < CLUSTERS; i++) {
        struct cluster *cluster = &clusters[i];
        cluster->best = optimal_cluster_find (FIRST + i);
        cluster->printed = printed[i];
        cluster->side = optimal_cluster_side (FIRST + i, cluster->best.sum);
        if (search_square (cluster, err) < 0)
            return -1;
        cluster->proved = cluster->exact == cluster->best.sum;
        snprintf (cluster->square, sizeof cluster->square,
                  "%" PRIu32 "x%" PRIu32, cluster->side, cluster->side);
        set_average (cluster);
        set_picture (cluster);
    }
    return clusters ? compute_shapes (run, err) : -1;
}

/* ---- printing ---- */

static unsigned count_same (const struct cluster *clusters)
{
    unsigned same = 0;
    for (uint32_t i = 0; i < CLUSTERS; i++)
        same +=
            clusters[i].proved && clusters[i].best.sum == clusters[i].printed;
    return same;
}

/* The mean of average over the root of k, for some of the clusters. */
static double mean_average (const struct cluster clusters[], uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += clusters[i].average / sqrt (clusters[i].best.k);
    return sum / n;
}

static void judge_shapes (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct cluster *clusters = run->list[0].row;
    const struct curve_row *curve = run->list[1].row;
    const struct patch_row *patch = run->list[2].row;
    double few = mean_average (clusters, CLUSTERS / 2);
    double many = mean_average (clusters + CLUSTERS / 2, CLUSTERS / 2);
    struct verdict_cases more = {0};
    verdict_refuse (run,
                    &(struct published){"Figure 3",
                                        "the limit curve beside a circle",
                                        "a drawing",
                                        "its numbers are not in the text"},
                    "%.3f of its radius on the axes, %.3f between them",
                    curve[0].ratio, curve[CURVE_ROWS - 1].ratio);
    verdict_compare (run,
                     &(struct published){
                         "Section 1", "distances over the root of k tend to "
                                      "the curve's",
                         "better with growing k", "they do not"},
                     many - study->limit < few - study->limit
                         && many > study->limit,
                     "%.4f up to k = 11, %.4f up to 21, curve %.4f", few, many,
                     study->limit);
    verdict_compare (run,
                     &(struct published){"Figure 1, Section 6",
                                         "mc on an empty grid",
                                         "connected rectangles",
                                         "some are not"},
                     study->rectangles == RECTANGLES,
                     "%" PRIu32 " of %d requests", study->rectangles,
                     RECTANGLES);
    verdict_add_case (&more, patch[1].more);
    verdict_order (run,
                   &(struct published){"Section 6",
                                       "small patches of isolated nodes",
                                       "avoided by rectangles, not by mm",
                                       "mm leaves fewer"},
                   &more,
                   "%.2f with mc1x1, %.2f with mm; %.2f with %s, no "
                   "rectangles",
                   patch[0].small.mean, patch[1].small.mean,
                   patch[PATCH_ROWS - 1].small.mean,
                   patch[PATCH_ROWS - 1].alloc);
}

static void judge_study (struct paper_run *run)
{
    const struct cluster *clusters = run->list[0].row;
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        const struct cluster *c = &clusters[i];
        char value[40], sum[16];
        snprintf (value, sizeof value, "least sum of %" PRIu32 " points",
                  c->best.k);
        snprintf (sum, sizeof sum, "%u", c->printed);
        verdict_compare (run,
                         &(struct published){"Figure 2", value, sum,
                                             c->proved
                                                 ? "another sum is proved"
                                                 : "no sum is proved"},
                         c->proved && c->best.sum == c->printed, "%" PRIu64,
                         c->best.sum);
    }
    judge_shapes (run);
}

static const struct view_column patch_columns[]
    = {{"alloc"},
       {"small", .half = "small_half"},
       {"nodes", .half = "nodes_half"},
       {"all", .half = "all_half"},
       {"more", .half = "more_half"}};
static const struct view patches = {NULL, VIEW_COLUMNS (patch_columns), NULL};

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct cluster *clusters = run->list[0].row;
    paper_say (run,
               "The best clusters of k points of a grid: the least sums of "
               "distances over pairs, beside those printed in Bender et al., "
               "Figure 2. A sum is proved if all heights of columns, and "
               "branch and bound in a square that no best cluster leaves, "
               "come to the same.\n");
    paper_table (run, 0);
    for (uint32_t i = 0; i < CLUSTERS && run->status == 0; i += IN_A_ROW)
        run->status = print_pictures (clusters + i, IN_A_ROW, run->out,
                                      run->err);
    fprintf (run->out, "\n%u of %d sums are proved and as printed.\n",
             count_same (clusters), CLUSTERS);
    paper_say (run,
               "\nThe curve to which they tend, Figure 3: the distance of its "
               "points from the centre, for an area of 1. The mean distance "
               "of two points is %.4f within it, %.4f within the circle, and "
               "%.4f within a square.\n",
               study->limit, study->circle, 2.0 / 3);
    paper_table (run, 1);
    paper_say (run,
               "\nPatches of connected free nodes on mesh:16x16, and small "
               "ones, of up to %d nodes: means over time, jobs of the model "
               "of Lublin and Feitelson, load 0.7, first come, first served, "
               "%d seeds. The paper speaks of rectangles and of mm; the "
               "fewest are left by hilbert-bf, which gives out pieces of a "
               "curve.\n",
               PATCH_SMALL, PATCH_SEEDS);
    paper_view (run, 2, NULL, &patches);
}

const struct paper paper_clusters = {
    .name = "clusters",
    .citation = paper_bender_2005,
    .what = "Figures 1 to 3: the best clusters of 2 to 21 points of a grid, "
            "proved, the curve to which they tend, and what shapes leave free",
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
