/* The verdicts of tori paper isomorphic.
 *
 * Beyond the load that a strategy can carry, its queue grows as long as jobs
 * arrive, and a mean response says how long the run was. So responses and
 * delays are compared up to nine tenths of what both strategies achieve. A
 * printed value beyond that cannot be compared. */
#include <math.h>
#include <string.h>

#include "isomorphic_study.h"

enum { AT_40 = 3, AT_50 = 4, MACHINES = 3 };

static const char *const arity[MACHINES] = {"4-ary", "8-ary", "16-ary"};

/* ---- loads at which strategies can be compared ---- */

size_t isomorphic_stable_loads (const struct paper_run *run, size_t panel,
                                const struct line *a, const struct line *b)
{
    double most = fmin (isomorphic_levels_off (run, panel, a),
                        isomorphic_levels_off (run, panel, b));
    size_t n = 0;
    while (n < LOADS && 100 * isomorphic_load (n) <= 0.9 * most)
        n++;
    return n;
}

/* The highest of these loads. */
static size_t highest_stable (const struct paper_run *run, size_t panel,
                              const struct line *a, const struct line *b)
{
    size_t n = isomorphic_stable_loads (run, panel, a, b);
    return n ? n - 1 : 0;
}

/* ---- values ---- */

static const struct row *point_of (const struct paper_run *run, size_t panel,
                                   const struct line *line, size_t load)
{
    const struct row *row = isomorphic_rows_of (run, panel).row;
    while (!isomorphic_is_line (row, line))
        row++;
    return row + load;
}

static double mean_of (const struct paper_run *run, size_t panel,
                       const struct line *line, size_t load,
                       enum measure measure)
{
    return point_of (run, panel, line, load)->value[measure].mean;
}

/* The values of a strategy with each seed. */
static void read_seeds (const struct paper_run *run, size_t panel,
                        const struct line *line, size_t load,
                        enum measure measure, double value[SEEDS])
{
    const struct study *study = run->study;
    size_t l = 0;
    while (isomorphic_panels[panel].line[l] != line)
        l++;
    for (size_t i = 0; i < study->seeds; i++)
        value[i] = study->sample[panel][l][load][i][measure];
}

/* A point: a strategy on a panel at a load. */
struct spot {
    size_t panel;
    const struct line *line;
    size_t load;
};

/* A case: one has less of a measure than another. */
static void add_spots (const struct paper_run *run, struct spot less,
                       struct spot more, enum measure measure,
                       struct verdict_cases *cases)
{
    const struct study *study = run->study;
    double one[SEEDS], other[SEEDS];
    read_seeds (run, less.panel, less.line, less.load, measure, one);
    read_seeds (run, more.panel, more.line, more.load, measure, other);
    verdict_add_case (cases, verdict_lead (one, other, study->seeds));
}

/* The same of two strategies, at the highest load at which they can be
 * compared. Both have the same jobs. */
static void add_case (const struct paper_run *run, size_t panel,
                      const struct line *less, const struct line *more,
                      enum measure measure, struct verdict_cases *cases)
{
    size_t n = isomorphic_stable_loads (run, panel, less, more);
    if (n > 0)
        add_spots (run, (struct spot){panel, less, n - 1},
                   (struct spot){panel, more, n - 1}, measure, cases);
}

/* ---- Figure 9 ---- */

/* The reading under which k-partner is ahead of eb. */
static void judge_fixed (struct paper_run *run)
{
    size_t at = highest_stable (run, 0, &line_k_partner, &line_eb_fixed);
    double level = isomorphic_levels_off (run, 0, &line_eb_fixed);
    struct verdict_cases ahead = {0};
    add_case (run, 0, &line_k_partner, &line_eb_fixed, RESPONSE, &ahead);
    verdict_order (run,
                   &(struct published){"Figure 9",
                                       "the same if eb does not rotate jobs",
                                       "yes", "k-partner is not ahead"},
                   &ahead, "%.2f and %.2f at %.1f",
                   mean_of (run, 0, &line_k_partner, at, RESPONSE),
                   mean_of (run, 0, &line_eb_fixed, at, RESPONSE),
                   isomorphic_load (at));
    verdict_number (run,
                    &(struct published){"Figure 9",
                                        "utilization at which that eb "
                                        "degrades, %",
                                        "30",
                                        level < 30 ? "it levels off before"
                                                   : "it levels off after"},
                    30, level, "%.0f", level);
}

/* Slices carry the least, so all are compared at the highest of their loads. */
static void judge_slices (struct paper_run *run)
{
    static const struct line *const slices[]
        = {&line_eb, &line_egc, &line_k_partner};
    size_t at = highest_stable (run, 0, &line_isomorphic, &line_eb);
    double ours = mean_of (run, 0, &line_isomorphic, at, RESPONSE);
    double buddy = mean_of (run, 0, &line_eb, at, RESPONSE);
    double partner = mean_of (run, 0, &line_k_partner, at, RESPONSE);
    double collapsing = mean_of (run, 0, &line_etc, at, RESPONSE);
    double load = isomorphic_load (at);
    struct verdict_cases best = {0}, partners = {0};
    for (size_t i = 0; i < 3; i++)
        add_case (run, 0, &line_isomorphic, slices[i], RESPONSE, &best);
    for (size_t i = 0; i < 2; i++)
        add_case (run, 0, &line_k_partner, slices[i], RESPONSE, &partners);
    verdict_order (run,
                   &(struct published){"Figure 9",
                                       "isomorphic ahead of eb, egc and "
                                       "k-partner",
                                       "by a considerable margin",
                                       "it is not"},
                   &best, "%.2f, %.2f and %.2f service times at %.1f", ours,
                   buddy, partner, load);
    verdict_number (run,
                    &(struct published){"Figure 9",
                                        "etc comparable with isomorphic",
                                        "comparable", "it is not"},
                    ours, collapsing, "%.2f and %.2f at %.1f", collapsing,
                    ours, load);
    verdict_order (run,
                   &(struct published){
                       "Figure 9", "k-partner ahead of eb and egc", "yes",
                       "no slice of other dimensions is free when it "
                       "matters"},
                   &partners, "%.2f and %.2f at %.1f", partner, buddy, load);
}

static void judge_figure_9 (struct paper_run *run)
{
    double level = isomorphic_levels_off (run, 0, &line_eb);
    judge_slices (run);
    verdict_number (run,
                    &(struct published){"Figure 9",
                                        "utilization at which eb and egc "
                                        "degrade, %",
                                        "30", "they level off elsewhere"},
                    30, level, "%.0f", level);
    judge_fixed (run);
}

/* ---- section 5.2: sizes of machines ---- */

/* At the largest load, the queue only grows: it shows the most that a strategy
 * achieves. */
static void judge_levels (struct paper_run *run)
{
    double etc[MACHINES], ours[MACHINES];
    struct verdict_cases sooner = {0};
    for (size_t m = 0; m < MACHINES; m++) {
        etc[m] = isomorphic_levels_off (run, m, &line_etc);
        ours[m] = isomorphic_levels_off (run, m, &line_isomorphic);
        if (m > 0)
            add_spots (run, (struct spot){m, &line_etc, LOADS - 1},
                       (struct spot){m - 1, &line_etc, LOADS - 1},
                       UTILIZATION, &sooner);
    }
    verdict_number (run,
                    &(struct published){"Figure 10c",
                                        "utilization at which etc saturates, "
                                        "%",
                                        "about 50", "it levels off elsewhere"},
                    50, etc[CUBIC_16], "%.1f", etc[CUBIC_16]);
    verdict_order (run,
                   &(struct published){"Section 5.2",
                                       "etc saturates sooner on larger "
                                       "machines",
                                       "yes", "it does not"},
                   &sooner, "at %.0f, %.0f and %.0f %% on 4-, 8- and 16-ary",
                   etc[0], etc[1], etc[2]);
    verdict_number (run,
                    &(struct published){"Section 5.2",
                                        "isomorphic alike on machines of all "
                                        "sizes",
                                        "consistent",
                                        "it carries less on larger ones, too"},
                    ours[0], ours[CUBIC_16],
                    "levels off at %.0f, %.0f and %.0f %% on 4-, 8- and "
                    "16-ary",
                    ours[0], ours[1], ours[2]);
}

/* The part of the delay by etc that is topological, with each seed. */
static void read_shares (const struct paper_run *run, size_t panel,
                         size_t load, double share[SEEDS])
{
    const struct study *study = run->study;
    double numerical[SEEDS], topological[SEEDS];
    read_seeds (run, panel, &line_etc, load, NUMERICAL, numerical);
    read_seeds (run, panel, &line_etc, load, TOPOLOGICAL, topological);
    for (size_t i = 0; i < study->seeds; i++) {
        double delay = numerical[i] + topological[i];
        share[i] = delay > 0 ? topological[i] / delay : 0;
    }
}

/* At a load that all machines carry. */
static void judge_fragmentation (struct paper_run *run)
{
    const struct study *study = run->study;
    double share[MACHINES][SEEDS], mean[MACHINES];
    struct verdict_cases grows = {0};
    size_t at = LOADS - 1;
    for (size_t m = 0; m < MACHINES; m++) {
        size_t is = highest_stable (run, m, &line_etc, &line_isomorphic);
        at = is < at ? is : at;
    }
    for (size_t m = 0; m < MACHINES; m++) {
        read_shares (run, m, at, share[m]);
        mean[m] = 100 * estimate_of (share[m], study->seeds).mean;
        if (m > 0)
            verdict_add_case (&grows, verdict_lead (share[m - 1], share[m],
                                                    study->seeds));
    }
    verdict_order (run,
                   &(struct published){"Section 5.2",
                                       "external fragmentation of etc, as "
                                       "the machine grows",
                                       "more critical", "it is not"},
                   &grows,
                   "%.0f, %.0f and %.0f %% of its delay is topological at "
                   "%.1f",
                   mean[0], mean[1], mean[2], isomorphic_load (at));
}

/* ---- Figures 10 and 11: responses ---- */

/* Add "12 on 4-ary" to a text, or "8-ary carries 52 %" if the load is beyond
 * that; false then. */
static bool add_gain (const struct paper_run *run, size_t first, size_t m,
                      const struct line *other, size_t load,
                      char text[VERDICT_TEXT])
{
    size_t p = first + m, used = strlen (text);
    double most = fmin (isomorphic_levels_off (run, p, other),
                        isomorphic_levels_off (run, p, &line_isomorphic));
    bool stable
        = load < isomorphic_stable_loads (run, p, other, &line_isomorphic);
    used += (size_t)snprintf (text + used, VERDICT_TEXT - used, "%s",
                              used ? ", " : "");
    if (stable)
        snprintf (text + used, VERDICT_TEXT - used, "%d on %s",
                  point_of (run, p, other, load)->gain, arity[m]);
    else
        snprintf (text + used, VERDICT_TEXT - used, "%s carries %.0f %%",
                  arity[m], most);
    return stable;
}

/* The largest gain at a load. If a machine does not carry the load, nobody
 * knows it. */
static void judge_gain_at (struct paper_run *run, struct published *of,
                           double printed, size_t first,
                           const struct line *other, size_t load)
{
    char ours[VERDICT_TEXT] = "";
    bool stable = true;
    int most = 0;
    for (size_t m = 0; m < MACHINES; m++) {
        int gain = point_of (run, first + m, other, load)->gain;
        most = m == 0 || gain > most ? gain : most;
        stable &= add_gain (run, first, m, other, load, ours);
    }
    if (stable) {
        verdict_number (run, of, printed, most, "%s", ours);
    } else {
        of->why = "queues only grow beyond what a machine carries";
        verdict_refuse (run, of, "%s", ours);
    }
}

/* The order at the highest loads that can be compared. */
static void judge_gain (struct paper_run *run, const struct published *of,
                        size_t first, const struct line *other)
{
    struct verdict_cases cases = {0};
    double load[MACHINES];
    int gain[MACHINES];
    for (size_t m = 0; m < MACHINES; m++) {
        size_t p = first + m;
        size_t at = highest_stable (run, p, other, &line_isomorphic);
        load[m] = isomorphic_load (at);
        gain[m] = point_of (run, p, other, at)->gain;
        add_case (run, p, &line_isomorphic, other, RESPONSE, &cases);
    }
    verdict_order (run, of, &cases,
                   "by %d, %d and %d %% at %.1f, %.1f and %.1f", gain[0],
                   gain[1], gain[2], load[0], load[1], load[2]);
}

static void judge_gains (struct paper_run *run)
{
    judge_gain_at (run,
                   &(struct published){"Figure 10",
                                       "isomorphic sooner than etc at 50 %, "
                                       "cubic jobs, %",
                                       "up to 49", "another gain"},
                   49, 0, &line_etc, AT_50);
    judge_gain (run,
                &(struct published){"Figure 10",
                                    "the same on 4-, 8- and 16-ary, where "
                                    "both carry the load",
                                    "sooner", "it is not"},
                0, &line_etc);
    judge_gain_at (run,
                   &(struct published){"Figure 11",
                                       "sooner than etc at 40 %, noncubic "
                                       "jobs, %",
                                       "up to 45", "another gain"},
                   45, NONCUBIC, &line_etc, AT_40);
    judge_gain (run,
                &(struct published){"Figure 11",
                                    "the same, where both carry the load",
                                    "sooner",
                                    "etc of section 2 takes the box that is "
                                    "asked for"},
                NONCUBIC, &line_etc);
    judge_gain_at (run,
                   &(struct published){"Figure 11",
                                       "at 40 %, if etc rounds up, too, %",
                                       "up to 45", "another gain"},
                   45, NONCUBIC, &line_etc_rounded, AT_40);
    judge_gain (run,
                &(struct published){"Figure 11",
                                    "the same, where both carry the load, "
                                    "if etc rounds up",
                                    "sooner", "it is not"},
                NONCUBIC, &line_etc_rounded);
    verdict_refuse (run,
                    &(struct published){"Section 1",
                                        "isomorphic sooner than etc, %",
                                        "7 to 49", "its loads are not given"},
                    "-");
}

/* ---- section 5.3: jobs that are not cubic ---- */

/* A case: a strategy is far worse on a machine than with cubic jobs, that is,
 * by a quarter or more. */
static void add_far_worse (const struct paper_run *run, size_t machine,
                           const struct line *line, const struct line *cubic,
                           size_t load, struct verdict_cases *cases)
{
    const struct study *study = run->study;
    double one[SEEDS], other[SEEDS];
    read_seeds (run, machine, cubic, load, RESPONSE, one);
    read_seeds (run, NONCUBIC + machine, line, load, RESPONSE, other);
    for (size_t i = 0; i < study->seeds; i++)
        one[i] *= 1.25;
    verdict_add_case (cases, verdict_lead (one, other, study->seeds));
}

/* At the highest load that noncubic jobs can have. */
static void judge_worse (struct paper_run *run, const struct published *of,
                         const struct line *line, const struct line *cubic)
{
    struct verdict_cases cases = {0};
    double worse[MACHINES], load[MACHINES];
    for (size_t m = 0; m < MACHINES; m++) {
        size_t p = NONCUBIC + m;
        size_t at = highest_stable (run, p, line, &line_isomorphic);
        load[m] = isomorphic_load (at);
        worse[m] = 100
                   * (mean_of (run, p, line, at, RESPONSE)
                          / mean_of (run, m, cubic, at, RESPONSE)
                      - 1);
        add_far_worse (run, m, line, cubic, at, &cases);
    }
    verdict_order (run, of, &cases,
                   "by %.0f, %.0f and %.0f %% at %.1f, %.1f and %.1f",
                   worse[0], worse[1], worse[2], load[0], load[1], load[2]);
}

static void judge_noncubic (struct paper_run *run)
{
    judge_worse (run,
                 &(struct published){"Section 5.3",
                                     "isomorphic far worse with noncubic "
                                     "jobs, by 25 % or more",
                                     "far worse", "it is not"},
                 &line_isomorphic, &line_isomorphic);
    judge_worse (run,
                 &(struct published){"Section 5.3",
                                     "etc the same, if it rounds up",
                                     "far worse", "it is not"},
                 &line_etc_rounded, &line_etc);
    judge_worse (run,
                 &(struct published){"Section 5.3",
                                     "etc the same, if it takes the box asked "
                                     "for",
                                     "far worse",
                                     "that etc has no internal "
                                     "fragmentation"},
                 &line_etc, &line_etc);
}

/* ---- Figures 12 and 13: delays ---- */

/* By how much less isomorphic, which keeps its box, waits than etc that
 * rounds up, in percent; the least of the noncubic panels. */
static double least_saving (const struct paper_run *run, enum measure measure)
{
    double least = 100;
    for (size_t p = NONCUBIC; p < PANELS; p++) {
        size_t at = highest_stable (run, p, &line_isomorphic_kept,
                                    &line_etc_rounded);
        double ours = mean_of (run, p, &line_isomorphic_kept, at, measure);
        double theirs = mean_of (run, p, &line_etc_rounded, at, measure);
        double saving = theirs > 0 ? 100 * (1 - ours / theirs) : 0;
        least = fmin (least, saving);
    }
    return least;
}

static void judge_delays (struct paper_run *run)
{
    struct verdict_cases numerical = {0}, topological = {0};
    for (size_t p = NONCUBIC; p < PANELS; p++) {
        add_case (run, p, &line_isomorphic_kept, &line_etc_rounded,
                  NUMERICAL_HELD, &numerical);
        add_case (run, p, &line_isomorphic_kept, &line_etc_rounded,
                  TOPOLOGICAL_HELD, &topological);
    }
    verdict_order (run,
                   &(struct published){"Figure 12",
                                       "numerical delay, both round up",
                                       "less than with etc", "it is more"},
                   &numerical, "at least %.0f %% less",
                   least_saving (run, NUMERICAL_HELD));
    verdict_order (run,
                   &(struct published){"Figure 13",
                                       "topological delay, both round up",
                                       "much less", "it is more"},
                   &topological, "at least %.0f %% less",
                   least_saving (run, TOPOLOGICAL_HELD));
}

void isomorphic_judge (struct paper_run *run)
{
    judge_figure_9 (run);
    judge_levels (run);
    judge_fragmentation (run);
    judge_gains (run);
    judge_noncubic (run);
    isomorphic_judge_services (run);
    judge_delays (run);
}
