/* The strategies, machines and measures of tori paper isomorphic. */
#include "fold.h"
#include "isomorphic_study.h"

double isomorphic_load (size_t i)
{
    return (double)(i + 1) / 10;
}

const struct measure_name isomorphic_measures[MEASURES] = {
    [RESPONSE] = {"response time", "response", "mean response time"},
    [NUMERICAL] = {"numerical delay", "numerical", "numerical delay"},
    [TOPOLOGICAL] = {"topological delay", "topological", "topological delay"},
    [UNRECOGNISED] = {"delay while a box is free that the strategy does not "
                      "recognise",
                      "unrecognised", "unrecognised delay"},
    [UTILIZATION] = {"utilization", "utilization"},
    [NUMERICAL_HELD] = {"numerical delay by nodes held", "numerical_held",
                        "numerical delay"},
    [TOPOLOGICAL_HELD] = {"topological delay by nodes held",
                          "topological_held", "topological delay"},
};

/* ---- other readings of the paper ---- */

static void fix_sides (tori_request *request)
{
    request->fixed = true;
}

/* Sides are rounded up to the next powers of two, and all of the box is taken.
 * The number asked for, by which a delay is numerical or topological, stays
 * the same. */
static void round_up (tori_request *request)
{
    request->shape = fold_rounded_up (&request->shape);
}

/* ---- what is run ---- */

const struct line line_isomorphic = {
    .name = "isomorphic",
    .alloc = "isomorphic",
    .gives_back = true,
    .style = "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'",
};
const struct line line_isomorphic_kept = {
    .name = "isomorphic, all kept",
    .alloc = "isomorphic",
    .reshape = round_up,
    .style = "lw 1.5 pt 2 ps 0.6 dt 3 lc rgb '#67001f'",
};
const struct line line_decomposed = {
    .name = "isomorphic, decomposed",
    .alloc = "isomorphic",
    .noncubic = TORI_NONCUBIC_DECOMPOSE,
    .style = "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'",
};
const struct line line_isomorphic_list = {
    .name = "isomorphic, free-list",
    .alloc = "isomorphic",
    .hypercube = TORI_HYPERCUBE_FREE_LIST,
    .gives_back = true,
    .style = "lw 1.5 pt 12 ps 0.6 dt 3 lc rgb '#f4a582'",
};
const struct line line_isomorphic_adaptive = {
    .name = "isomorphic, adaptive",
    .alloc = "isomorphic",
    .hypercube = TORI_HYPERCUBE_ADAPTIVE,
    .gives_back = true,
    .style = "lw 1.5 pt 10 ps 0.6 dt 4 lc rgb '#d6604d'",
};
const struct line line_etc = {
    .name = "etc",
    .alloc = "etc",
    .style = "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'",
};
const struct line line_etc_rounded = {
    .name = "etc, rounded up",
    .alloc = "etc",
    .reshape = round_up,
    .style = "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'",
};
const struct line line_eb_fixed = {
    .name = "eb, not rotated",
    .alloc = "eb",
    .reshape = fix_sides,
    .style = "lw 1.5 pt 8 ps 0.6 dt 3 lc rgb '#969696'",
};
const struct line line_eb = {
    .name = "eb",
    .alloc = "eb",
    .style = "lw 6 pt 9 ps 0.6 lc rgb '#bdbdbd'",
};
const struct line line_egc = {
    .name = "egc",
    .alloc = "egc",
    .style = "lw 2 pt 11 ps 0.6 lc rgb '#737373'",
};
const struct line line_k_partner = {
    .name = "k-partner",
    .alloc = "k-partner",
    .style = "lw 1.5 pt 13 ps 0.6 dt 2 lc rgb '#1a1a1a'",
};

const struct line line_multiple_gc = {
    .name = "multiple-gc",
    .alloc = "multiple-gc",
    .style = "lw 1 pt 3 ps 0.6 dt 3 lc rgb '#525252'",
};

/* Figure 9 is of all strategies on the smallest machine; its two best lines
 * are Figure 10a. Beside the text's strategies are other readings of it: eb
 * that keeps a job's sides along their given dimensions, and etc that looks
 * for rounded-up boxes and keeps them, which would cause the internal
 * fragmentation by which the text explains noncubic results. */
const struct panel isomorphic_panels[PANELS] = {
    {"cubic-4", "4-ary 3-cube, cubic jobs", "torus:4^3", "cubic",
     {"9, 10a"},
     {&line_eb_fixed, &line_eb, &line_egc, &line_k_partner, &line_multiple_gc,
      &line_etc, &line_isomorphic}},
    {"cubic-8", "8-ary 3-cube, cubic jobs", "torus:8^3", "cubic",
     {"10b"},
     {&line_etc, &line_isomorphic, &line_isomorphic_list,
      &line_isomorphic_adaptive}},
    {"cubic-16", "16-ary 3-cube, cubic jobs", "torus:16^3", "cubic",
     {"10c"},
     {&line_etc, &line_isomorphic, &line_isomorphic_list,
      &line_isomorphic_adaptive}},
    {"noncubic-4", "4-ary 3-cube, noncubic jobs", "torus:4^3", "noncubic",
     {"11a", "12a", "13a", NULL, NULL, "12a", "13a"},
     {&line_etc_rounded, &line_etc, &line_isomorphic, &line_isomorphic_kept,
      &line_decomposed}},
    {"noncubic-8", "8-ary 3-cube, noncubic jobs", "torus:8^3", "noncubic",
     {"11b", "12b", "13b", NULL, NULL, "12b", "13b"},
     {&line_etc_rounded, &line_etc, &line_isomorphic, &line_isomorphic_kept,
      &line_decomposed}},
    {"noncubic-16", "16-ary 3-cube, noncubic jobs", "torus:16^3", "noncubic",
     {"11c", "12c", "13c", NULL, NULL, "12c", "13c"},
     {&line_etc_rounded, &line_etc, &line_isomorphic, &line_isomorphic_kept,
      &line_decomposed}},
};

size_t isomorphic_lines_of (size_t panel)
{
    size_t n = 0;
    while (n < LINES && isomorphic_panels[panel].line[n])
        n++;
    return n;
}
