/* M. A. Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, Figure 2: the best clusters of 2 to 21 points of a
 * grid. Each is found and proved twice: by looking at all heights of columns
 * (town.h), and by branch and bound in a square that a best set cannot
 * leave. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "emit.h"
#include "paper.h"
#include "table.h"
#include "town.h"
#include "wrap.h"

enum { FIRST = 2, LAST = 21, CLUSTERS = LAST - FIRST + 1, IN_A_ROW = 5 };

static const unsigned printed[CLUSTERS] = {
    1,   4,   8,   16,  25,  38,  54,  72,  96,  124,
    152, 188, 227, 272, 318, 374, 433, 496, 563, 632,
};

struct cluster {
    struct town town;
    unsigned printed;
    uint32_t side;  /* of the square that is searched */
    uint64_t exact; /* the least sum there */
};

static bool proved (const struct cluster *cluster)
{
    return cluster->exact == cluster->town.sum;
}

/* The paper cuts its averages off behind three decimals. */
static const char *average (const struct cluster *cluster, char text[32])
{
    uint64_t pairs = (uint64_t)cluster->town.k * (cluster->town.k - 1) / 2;
    uint64_t thousandths = cluster->town.sum * 1000 / pairs;
    snprintf (text, 32, "%" PRIu64 ".%03" PRIu64, thousandths / 1000,
              thousandths % 1000);
    return text;
}

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
    status = tori_points_choose ("exact", &points, cluster->town.k, NULL,
                                 chosen, &cluster->exact, err);
    free (coords);
    return status;
}

static int compute (struct cluster clusters[CLUSTERS], tori_error *err)
{
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        struct cluster *cluster = &clusters[i];
        cluster->town = town_find (FIRST + i);
        cluster->printed = printed[i];
        cluster->side = town_side (FIRST + i, cluster->town.sum);
        if (search_square (cluster, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- pictures ---- */

/* A line of a picture, centred about row 0; blank above and below. */
static void draw_line (const struct town *town, int32_t row,
                       char text[TOWN_MOST + 1])
{
    for (uint32_t c = 0; c < town->columns; c++)
        text[c] = town_has (town, c, row) ? '#' : ' ';
    text[town->columns] = '\0';
    while (*text && text[strlen (text) - 1] == ' ')
        text[strlen (text) - 1] = '\0';
}

static void find_rows (const struct cluster *clusters, uint32_t n,
                       int32_t *low, int32_t *high)
{
    *low = *high = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < clusters[i].town.columns; c++) {
            while (town_has (&clusters[i].town, c, *low - 1))
                --*low;
            while (town_has (&clusters[i].town, c, *high + 1))
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
    int status;
    for (uint32_t i = 0; i < n; i++)
        table_cell (table, "%" PRIu32 ": %" PRIu64, clusters[i].town.k,
                    clusters[i].town.sum);
    find_rows (clusters, n, &low, &high);
    for (int32_t row = high; row >= low; row--)
        for (uint32_t i = 0; i < n; i++) {
            char text[TOWN_MOST + 1];
            draw_line (&clusters[i].town, row, text);
            table_cell (table, "%s", text);
        }
    fputc ('\n', out);
    status = table_print (table, out, false, err);
    table_destroy (table);
    return status;
}

/* ---- printing ---- */

static struct table *make_table (const struct cluster *clusters)
{
    static const struct table_column columns[] = {
        {"k", TABLE_NUMBER},       {"sum", TABLE_NUMBER},
        {"printed", TABLE_NUMBER}, {"average", TABLE_NUMBER},
        {"square", TABLE_TEXT},    {"proved", TABLE_TEXT}};
    struct table *table
        = table_create (columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        const struct cluster *cluster = &clusters[i];
        char text[32];
        table_cell (table, "%" PRIu32, cluster->town.k);
        table_cell (table, "%" PRIu64, cluster->town.sum);
        table_cell (table, "%u", cluster->printed);
        table_cell (table, "%s", average (cluster, text));
        table_cell (table, "%" PRIu32 "x%" PRIu32, cluster->side,
                    cluster->side);
        table_cell (table, "%s", proved (cluster) ? "yes" : "no");
    }
    return table;
}

static unsigned count_same (const struct cluster *clusters)
{
    unsigned same = 0;
    for (uint32_t i = 0; i < CLUSTERS; i++)
        same += proved (&clusters[i])
                && clusters[i].town.sum == clusters[i].printed;
    return same;
}

static int print (const struct cluster *clusters, const struct table *table,
                  const struct paper_setup *setup, FILE *out,
                  tori_error *err)
{
    wrap_text (out,
               "The best clusters of k points of a grid: the least sums of "
               "distances over pairs, beside those printed in Bender et al., "
               "Figure 2. A sum is proved if all heights of columns, and "
               "branch and bound in a square that no best cluster leaves, "
               "come to the same.",
               0, 0);
    fputc ('\n', out);
    if (table_print (table, out, setup->bold, err) < 0)
        return -1;
    for (uint32_t i = 0; i < CLUSTERS; i += IN_A_ROW)
        if (print_pictures (clusters + i, IN_A_ROW, out, err) < 0)
            return -1;
    fprintf (out, "\n%u of %d sums are proved and as printed.\n",
             count_same (clusters), CLUSTERS);
    return 0;
}

static void emit_picture (struct emit *e, const struct cluster *cluster)
{
    int32_t low, high;
    char text[TOWN_MOST + 1];
    find_rows (cluster, 1, &low, &high);
    emit_open (e, "picture", '[');
    for (int32_t row = high; row >= low; row--) {
        draw_line (&cluster->town, row, text);
        emit_text (e, NULL, text);
    }
    emit_close (e, ']');
}

static int emit (const struct paper_setup *setup,
                 const struct cluster *clusters, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, setup->answer);
    emit_open (&e, "clusters", '[');
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        const struct cluster *cluster = &clusters[i];
        uint64_t k = cluster->town.k;
        emit_open (&e, NULL, '{');
        emit_count (&e, "k", k);
        emit_count (&e, "sum", cluster->town.sum);
        emit_count (&e, "printed", cluster->printed);
        emit_real (&e, "average",
                   (double)cluster->town.sum / (double)(k * (k - 1) / 2));
        emit_count (&e, "side", cluster->side);
        emit_flag (&e, "proved", proved (cluster));
        emit_picture (&e, cluster);
        emit_close (&e, '}');
    }
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct cluster clusters[CLUSTERS];
    struct table *table;
    int status;
    if (paper_open_out (setup->out, err) < 0
        || compute (clusters, err) < 0)
        return -1;
    table = make_table (clusters);
    status = setup->json ? emit (setup, clusters, out, err)
                         : print (clusters, table, setup, out, err);
    if (status == 0 && setup->out)
        status = paper_write_csv (setup->out, "clusters", table, err);
    table_destroy (table);
    return status;
}

const struct paper paper_clusters = {
    .name = "clusters",
    .citation = paper_bender_2005,
    .what = "Figure 2: the best clusters of 2 to 21 points of a grid, proved",
    .run = run,
};
