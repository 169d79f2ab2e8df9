/* The workload of S. Chen and others, "RFold" (arXiv 2510.03891, 2025), as its
 * public code draws it for jobs on cubes of 4x4x4 nodes.
 *
 * Shapes: 1x1x1 and 2x1x1; lines of an even number of nodes, up to 256; planes
 * and boxes of even sides. No side is longer than all cubes in a row, and no
 * shape needs more cubes than there are.
 * Sizes: those of the shapes in ascending order. Which one a job gets is an
 * exponential variate of a quarter of their number, cut off at that number:
 * one in 55 jobs would be beyond. Which shape: up to 256 nodes a line (8 of
 * 10) or a plane; up to 1,024 a plane (8 of 10) or a box; beyond, a box (8 of
 * 10) or a plane; where a size has only one of them, that. Several lines,
 * planes or boxes are equally likely. Arrivals: a Poisson process, in whole
 * seconds, the first job at 0.
 *
 * Run times come from a job log there, so they come from a file here. Without
 * one they follow the quantiles of those of the Philly log (M. Jeon and
 * others, "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training
 * Workloads", 2019) in its form. Between quantiles the logarithm is linear.
 * Without a load a job arrives every five hours, the lowest rate of its
 * scripts; with these run times that is a load of 0.17 on 4,096 nodes.
 *
 * A job takes the same draws whatever the load, so its shape and its run time
 * are the same at every load. Estimates are the run times. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "compare.h"
#include "cutter.h"
#include "detmath.h"
#include "model.h"
#include "stamps.h"

enum { SIDE = 4, LONGEST_LINE = 256, MOST_NODES = 1 << 17 };

static const double SKEW = 4;
static const double USUAL_GAP = 5 * 3600.0;

static const struct quantile {
    double share, seconds;
} usual[] = {
    {0, 1},          {0.01, 13},       {0.02, 18},       {0.05, 35},
    {0.1, 56},       {0.15, 66},       {0.2, 76},        {0.25, 140},
    {0.3, 265},      {0.35, 491},      {0.4, 699},       {0.45, 960},
    {0.5, 1322},     {0.55, 1682},     {0.6, 2130},      {0.65, 2601},
    {0.7, 3540},     {0.75, 5363},     {0.8, 8439},      {0.85, 14340},
    {0.9, 33480},    {0.925, 61150},   {0.95, 123935},   {0.97, 249180},
    {0.98, 396526},  {0.99, 756454},   {0.995, 1427973}, {0.998, 2137523},
    {0.999, 3061072}, {0.9995, 4310294}, {1, 5196151}};

struct outline {
    uint32_t nodes;
    int dims; /* 1 for a line, 2, 3 */
    uint32_t side[3];
};

struct rfold {
    struct builder *b;
    struct rng *rng;
    uint32_t cubes;
    struct outline *form; /* by nodes, dimensions, sides */
    size_t nforms, forms_room;
    size_t *first;     /* of every size, and one past the last */
    size_t nsizes;
    tori_time *span;   /* run times of a file; NULL: the usual */
    size_t nspans, spans_room;
};

/* ---- shapes ---- */

static int add_form (struct rfold *m, int dims, uint32_t x, uint32_t y,
                     uint32_t z, tori_error *err)
{
    struct outline *form = array_room (m->form, &m->forms_room, m->nforms + 1,
                                    sizeof *form);
    if (!form)
        return tori_error_nomem (err);
    m->form = form;
    form[m->nforms++]
        = (struct outline){.nodes = x * y * z, .dims = dims, .side = {x, y, z}};
    return 0;
}

static uint32_t cubes_along (uint32_t side)
{
    return (side + SIDE - 1) / SIDE;
}

/* Whether there are enough cubes; sides ascend. */
static bool has_cubes (const struct rfold *m, uint32_t x, uint32_t y,
                       uint32_t z)
{
    uint64_t longest = y > z ? y : z;
    return longest <= (uint64_t)m->cubes * SIDE
           && (uint64_t)cubes_along (x) * cubes_along (y) * cubes_along (z)
                  <= m->cubes;
}

static int add_lines (struct rfold *m, uint32_t nodes, tori_error *err)
{
    int status = add_form (m, 1, 1, 1, 1, err);
    for (uint32_t n = 2; status == 0 && n <= nodes && n <= LONGEST_LINE;
         n += 2)
        status = add_form (m, 1, n, 1, 1, err);
    return status;
}

static int add_planes (struct rfold *m, uint32_t nodes, tori_error *err)
{
    int status = 0;
    for (uint32_t x = 2; (uint64_t)x * x <= nodes; x += 2)
        for (uint32_t y = x; status == 0 && (uint64_t)x * y <= nodes; y += 2)
            if (has_cubes (m, x, y, 1))
                status = add_form (m, 2, x, y, 1, err);
    return status;
}

static int add_boxes (struct rfold *m, uint32_t nodes, tori_error *err)
{
    int status = 0;
    for (uint32_t x = 2; (uint64_t)x * x * x <= nodes; x += 2)
        for (uint32_t y = x; (uint64_t)x * y * y <= nodes; y += 2)
            for (uint32_t z = y;
                 status == 0 && (uint64_t)x * y * z <= nodes; z += 2)
                if (has_cubes (m, x, y, z))
                    status = add_form (m, 3, x, y, z, err);
    return status;
}

static int compare_forms (const void *a, const void *b)
{
    const struct outline *x = a, *y = b;
    int order = compare_ids (&x->nodes, &y->nodes);
    if (order == 0)
        order = (x->dims > y->dims) - (x->dims < y->dims);
    for (int i = 0; order == 0 && i < 3; i++)
        order = compare_ids (&x->side[i], &y->side[i]);
    return order;
}

static int list_sizes (struct rfold *m, tori_error *err)
{
    m->first = calloc (m->nforms + 1, sizeof *m->first);
    if (!m->first)
        return tori_error_nomem (err);
    for (size_t i = 0; i < m->nforms; i++)
        if (i == 0 || m->form[i].nodes != m->form[i - 1].nodes)
            m->first[m->nsizes++] = i;
    m->first[m->nsizes] = m->nforms;
    return 0;
}

static int list_forms (struct rfold *m, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (m->b->machine);
    m->cubes = nodes / (SIDE * SIDE * SIDE);
    if (add_lines (m, nodes, err) < 0 || add_planes (m, nodes, err) < 0
        || add_boxes (m, nodes, err) < 0)
        return -1;
    qsort (m->form, m->nforms, sizeof *m->form, compare_forms);
    return list_sizes (m, err);
}

/* ---- run times ---- */

/* Read the text after the last comma of a line, as in a log of RFold; a file
 * with a run time a line has no comma. */
static int add_span (struct rfold *m, struct cutter *lines, tori_error *err)
{
    const char *comma = strrchr (lines->line, ',');
    const char *text = comma ? comma + 1 : lines->line;
    tori_time span, *spans;
    tori_error why;
    text += strspn (text, " \t");
    if (*text == '\0' || *lines->line == '#')
        return 0;
    lines->line[strcspn (lines->line, "\r")] = '\0';
    if (span_parse (text, &span, &why) < 0)
        return cutter_fail (lines, err, "run time: %.190s", why.text);
    if (span == 0)
        return 0;
    spans = array_room (m->span, &m->spans_room, m->nspans + 1, sizeof *spans);
    if (!spans)
        return tori_error_nomem (err);
    m->span = spans;
    spans[m->nspans++] = span;
    return 0;
}

static int read_spans (struct rfold *m, const char *path, tori_error *err)
{
    struct source *source;
    struct cutter lines;
    int status;
    if (source_open (path, &source, err) < 0)
        return -1;
    status = cutter_open (&lines, source, err);
    while (status == 0 && (status = cutter_next (&lines, err)) > 0)
        status = add_span (m, &lines, err);
    cutter_close (&lines);
    if (status == 0 && m->nspans == 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s: expected at least one run time above 0",
                               path);
    return status;
}

static double usual_span (double share)
{
    const struct quantile *q = usual;
    double part;
    while (q[1].share < share)
        q++;
    part = (share - q->share) / (q[1].share - q->share);
    return det_exp (det_log (q->seconds) * (1 - part)
                    + det_log (q[1].seconds) * part);
}

/* The mean between a and b, with a linear logarithm, is (b - a) / (log b - log
 * a). */
static double mean_span (const struct rfold *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->nspans; i++)
        sum += (double)m->span[i] / (double)TORI_SECOND;
    if (m->nspans)
        return sum / (double)m->nspans;
    for (const struct quantile *q = usual; q->share < 1; q++)
        sum += (q[1].share - q->share) * (q[1].seconds - q->seconds)
               / (det_log (q[1].seconds) - det_log (q->seconds));
    return sum;
}

static tori_time draw_span (struct rfold *m)
{
    tori_time span = 0;
    if (m->nspans)
        return m->span[rng_below (m->rng, m->nspans)];
    (void)ticks_from_seconds (usual_span (rng_uniform (m->rng)), &span);
    return span;
}

/* ---- jobs ---- */

/* The part of all jobs that have one of the first i sizes. */
static double share_below (const struct rfold *m, size_t i)
{
    return (1 - det_exp (-SKEW * (double)i / (double)m->nsizes))
           / (1 - det_exp (-SKEW));
}

static double mean_nodes (const struct rfold *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->nsizes; i++)
        sum += m->form[m->first[i]].nodes
               * (share_below (m, i + 1) - share_below (m, i));
    return sum;
}

static size_t draw_size (struct rfold *m)
{
    double u = rng_uniform (m->rng) * (1 - det_exp (-SKEW));
    double at = -det_log (1 - u) / SKEW * (double)m->nsizes;
    size_t size = (size_t)at;
    return size < m->nsizes ? size : m->nsizes - 1;
}

/* The forms of a size that have so many dimensions: from *first on. */
static size_t forms_of (const struct rfold *m, size_t size, int dims,
                        size_t *first)
{
    size_t from = m->first[size], end = m->first[size + 1], n = 0;
    while (from < end && m->form[from].dims < dims)
        from++;
    while (from + n < end && m->form[from + n].dims == dims)
        n++;
    *first = from;
    return n;
}

static const struct outline *draw_form (struct rfold *m)
{
    size_t size = draw_size (m), first, n;
    uint32_t nodes = m->form[m->first[size]].nodes;
    bool often = rng_uniform (m->rng) < 0.8;
    int flat = nodes <= 256 ? 1 : 2;
    int dims = nodes <= 1024 ? flat + !often : flat + often;
    n = forms_of (m, size, dims, &first);
    if (n == 0)
        n = forms_of (m, size, 2 * flat + 1 - dims, &first);
    return &m->form[first + rng_below (m->rng, n)];
}

static struct draft draw_job (struct rfold *m, size_t i)
{
    const struct outline *form = draw_form (m);
    struct draft draft = {.id = (int64_t)i + 1,
                          .owner = TORI_NO_OWNER,
                          .procs = form->nodes,
                          .shape = {.ndims = 3}};
    memcpy (draft.shape.size, form->side, sizeof form->side);
    draft.runtime = draft.estimate = draw_span (m);
    return draft;
}

static int draw_jobs (struct rfold *m, size_t jobs, tori_error *err)
{
    double load = m->b->options.load, gap = USUAL_GAP, now = 0;
    uint32_t nodes = tori_machine_nodes (m->b->machine);
    if (load > 0)
        gap = mean_nodes (m) * mean_span (m) / (load * nodes);
    m->b->paced = true;
    for (size_t i = 0; i < jobs; i++) {
        struct draft draft = draw_job (m, i);
        if (!ticks_from_seconds (now, &draft.submit))
            return tori_error_set (err, TORI_INVALID,
                                   "model %s: job %zu arrives after more than"
                                   " %" PRId64 " seconds",
                                   m->b->name, i + 1, TORI_MAX_SECONDS);
        if (builder_add (m->b, &draft, err) < 0)
            return -1;
        now += floor (rng_exponential (m->rng, 1) * gap + 0.5);
    }
    return 0;
}

static int check_machine (const struct builder *b, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (b->machine);
    if (tori_machine_shape_dims (b->machine) != 3
        || nodes < SIDE * SIDE * SIDE || nodes > MOST_NODES)
        return tori_error_set (err, TORI_INVALID,
                               "model %s: its shapes are for machines of three"
                               " dimensions and 64 to %d nodes",
                               b->name, MOST_NODES);
    return builder_unscaled (b, err);
}

int rfold_make (struct builder *b, struct rng *rng, size_t jobs,
                tori_error *err)
{
    struct rfold m = {.b = b, .rng = rng};
    int status = check_machine (b, err);
    if (status == 0)
        status = list_forms (&m, err);
    if (status == 0 && b->options.durations)
        status = read_spans (&m, b->options.durations, err);
    if (status == 0)
        status = draw_jobs (&m, jobs, err);
    free (m.form);
    free (m.first);
    free (m.span);
    return status;
}
