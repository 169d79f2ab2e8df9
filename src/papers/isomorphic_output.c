/* tori paper isomorphic for people: tables, verdicts and figures. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "isomorphic_study.h"

enum {
    AT_40 = 3, /* in the list of loads */
    AT_50 = 4,
    TEXT = 128
};

/* ---- tables ---- */

/* The rows of a panel, which follow each other. */
static struct rows rows_of (const struct paper_run *run, size_t panel)
{
    const struct row *row = run->list[POINT_LIST].row;
    while (row->panel < panel)
        row++;
    return (struct rows){row, isomorphic_lines_of (panel) * LOADS,
                         sizeof *row};
}

/* "Figure 11a: 4-ary 3-cube, noncubic jobs, response time". */
static void panel_title (const struct panel *panel, int measure,
                         char text[TEXT])
{
    const char *figure = panel->figure[measure];
    snprintf (text, TEXT, "%s%s%s%s, %s", figure ? "Figure " : "",
              figure ? figure : "", figure ? ": " : "", panel->title,
              isomorphic_measures[measure].name);
}

/* A table for each measure of a panel. */
static void print_panel (struct paper_run *run, size_t panel)
{
    static const struct view_column load[] = {{"load"}};
    const struct rows rows = rows_of (run, panel);
    for (int m = 0; m < MEASURES; m++) {
        char title[TEXT], half[TEXT];
        const struct pivot pivot = {
            {NULL, VIEW_COLUMNS (load), NULL},
            "strategy",
            {isomorphic_measures[m].slug, .half = half}};
        snprintf (half, sizeof half, "%s_half", isomorphic_measures[m].slug);
        panel_title (&isomorphic_panels[panel], m, title);
        fprintf (run->out, "\n%s\n", title);
        paper_pivot (run, POINT_LIST, &rows, &pivot);
    }
}

static bool is_line (const struct row *row, const struct line *line)
{
    return strcmp (row->strategy, line->name) == 0;
}

static bool is_etc (const void *row)
{
    return is_line (row, &line_etc);
}

static bool is_etc_rounded (const void *row)
{
    return is_line (row, &line_etc_rounded);
}

/* Cubic jobs at a load of 40 %. */
static bool is_cause (const void *row)
{
    const struct row *is = row;
    return is->panel < 3 && is->load == isomorphic_load (3);
}

/* Figures 12 and 13 are of noncubic jobs, at a load of 40 %. */
static bool is_delay (const void *row)
{
    const struct row *is = row;
    return is->panel >= NONCUBIC && is->load == isomorphic_load (AT_40);
}

/* The most that a strategy achieves, in percent. */
static double levels_off (const struct rows *rows, const struct line *line)
{
    const struct row *row = rows->row;
    double most = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (is_line (&row[i], line))
            most = fmax (most, row[i].value[UTILIZATION].mean);
    return 100 * most;
}

/* ---- verdicts ---- */

/* The means of a strategy on a panel at a load. */
static const struct row *point_of (const struct paper_run *run, size_t panel,
                                   const struct line *line, size_t load)
{
    const struct rows rows = rows_of (run, panel);
    const struct row *row = rows.row;
    while (!is_line (row, line))
        row++;
    return row + load;
}

static double mean_of (const struct paper_run *run, size_t panel,
                       const struct line *line, size_t load,
                       enum measure measure)
{
    return point_of (run, panel, line, load)->value[measure].mean;
}

/* The most by which isomorphic answers sooner than a strategy, on any of
 * three panels. */
static int most_gain (const struct paper_run *run, size_t panel,
                      const struct line *line, size_t load)
{
    int most = INT_MIN;
    for (size_t p = panel; p < panel + 3; p++) {
        int gain = point_of (run, p, line, load)->gain;
        most = gain > most ? gain : most;
    }
    return most;
}

/* By how much less isomorphic, which keeps its box, waits than etc that
 * rounds up, in percent; the least of the noncubic panels. */
static double least_saving (const struct paper_run *run, enum measure measure)
{
    double least = 100;
    for (size_t p = NONCUBIC; p < PANELS; p++) {
        double ours = mean_of (run, p, &line_isomorphic_kept, AT_40, measure);
        double theirs = mean_of (run, p, &line_etc_rounded, AT_40, measure);
        double saving = theirs > 0 ? 100 * (1 - ours / theirs) : 0;
        least = fmin (least, saving);
    }
    return least;
}

static size_t line_at (size_t panel, const struct line *line)
{
    size_t l = 0;
    while (isomorphic_panels[panel].line[l] != line)
        l++;
    return l;
}

/* A case: at 40 % on a panel, a strategy has less of a measure than another.
 * Both have the same jobs. */
static void add_case (const struct paper_run *run, size_t panel,
                      const struct line *less, const struct line *more,
                      enum measure measure, struct verdict_cases *cases)
{
    const struct study *study = run->study;
    size_t a = line_at (panel, less), b = line_at (panel, more);
    double one[SEEDS], other[SEEDS];
    for (size_t i = 0; i < study->seeds; i++) {
        one[i] = study->sample[panel][a][AT_40][i][measure];
        other[i] = study->sample[panel][b][AT_40][i][measure];
    }
    verdict_add_case (cases, verdict_lead (one, other, study->seeds));
}

/* The reading under which k-partner is ahead of eb. */
static void judge_fixed (struct paper_run *run, double partner)
{
    const struct rows rows = rows_of (run, 0);
    double buddy = mean_of (run, 0, &line_eb_fixed, AT_40, RESPONSE);
    double level = levels_off (&rows, &line_eb_fixed);
    struct verdict_cases ahead = {0};
    add_case (run, 0, &line_k_partner, &line_eb_fixed, RESPONSE, &ahead);
    verdict_order (run,
                   &(struct published){"Figure 9",
                                       "the same if eb does not rotate jobs",
                                       "yes", "k-partner is not ahead"},
                   &ahead, "%.1f and %.1f at 0.4", partner, buddy);
    verdict_number (run,
                    &(struct published){"Figure 9",
                                        "utilization at which that eb "
                                        "degrades, %",
                                        "30",
                                        level < 30 ? "it levels off before"
                                                   : "it levels off after"},
                    30, level, "%.0f", level);
}

static void judge_slices (struct paper_run *run)
{
    static const struct line *const slices[]
        = {&line_eb, &line_egc, &line_k_partner};
    double ours = mean_of (run, 0, &line_isomorphic, AT_40, RESPONSE);
    double buddy = mean_of (run, 0, &line_eb, AT_40, RESPONSE);
    double partner = mean_of (run, 0, &line_k_partner, AT_40, RESPONSE);
    double collapsing = mean_of (run, 0, &line_etc, AT_40, RESPONSE);
    const struct rows rows = rows_of (run, 0);
    double level = levels_off (&rows, &line_eb);
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
                   &best, "%.1f, %.1f and %.1f service times at 0.4", ours,
                   buddy, partner);
    verdict_number (run,
                    &(struct published){"Figure 9",
                                        "etc comparable with isomorphic",
                                        "comparable", "it is not"},
                    ours, collapsing, "%.2f and %.2f at 0.4", collapsing,
                    ours);
    verdict_number (run,
                    &(struct published){"Figure 9",
                                        "utilization at which eb and egc "
                                        "degrade, %",
                                        "30", "they level off elsewhere"},
                    30, level, "%.0f", level);
    verdict_order (run,
                   &(struct published){
                       "Figure 9", "k-partner ahead of eb and egc", "yes",
                       "no slice of other dimensions is free when it "
                       "matters"},
                   &partners, "%.1f and %.1f at 0.4", partner, buddy);
    judge_fixed (run, partner);
}

static void judge_gains (struct paper_run *run)
{
    const struct rows rows = rows_of (run, CUBIC_16);
    double level = levels_off (&rows, &line_etc);
    int cubic = most_gain (run, 0, &line_etc, AT_50);
    int asked = most_gain (run, NONCUBIC, &line_etc, AT_40);
    int rounded = most_gain (run, NONCUBIC, &line_etc_rounded, AT_40);
    verdict_number (run,
                    &(struct published){"Figure 10c",
                                        "utilization at which etc saturates, "
                                        "%",
                                        "about 50", "it levels off elsewhere"},
                    50, level, "%.1f", level);
    verdict_number (run,
                    &(struct published){"Figure 10",
                                        "isomorphic sooner than etc at 50 %, "
                                        "cubic jobs, %",
                                        "up to 49", "another gain"},
                    49, cubic, "up to %d", cubic);
    verdict_number (run,
                    &(struct published){
                        "Figure 11",
                        "sooner than etc at 40 %, noncubic jobs, %",
                        "up to 45",
                        "etc of section 2 takes the box that is asked for"},
                    45, asked, "%d at best", asked);
    verdict_number (run,
                    &(struct published){"Figure 11",
                                        "the same if etc rounds up, too",
                                        "up to 45",
                                        rounded < 45 ? "the gain is smaller"
                                                     : "the gain is larger"},
                    45, rounded, "up to %d", rounded);
    verdict_refuse (run,
                    &(struct published){"Section 1",
                                        "isomorphic sooner than etc, %",
                                        "7 to 49", "its loads are not given"},
                    "-");
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
    judge_slices (run);
    judge_gains (run);
    isomorphic_judge_services (run);
    judge_delays (run);
}

static const struct view_column what[] = {{"what"}};
static const struct pivot gains[] = {
    {{"\nBy how much isomorphic answers sooner than etc, in %, at each "
      "load\n(printed: up to 49 at 50 % with cubic jobs, up to 45 at "
      "40 % with noncubic ones)\n",
      VIEW_COLUMNS (what), is_etc},
     "load",
     {"gain"}},
    {{"\nThe same if etc rounds sides up to powers of two, too, and "
      "keeps all of the box\n",
      VIEW_COLUMNS (what), is_etc_rounded},
     "load",
     {"gain"}},
};

static const struct view_column delay_columns[]
    = {{"machine"},
       {"strategy"},
       {"numerical", .half = "numerical_half"},
       {"topological", .half = "topological_half"},
       {"numerical_held", .half = "numerical_held_half"},
       {"topological_held", .half = "topological_held_half"}};
static const struct view delays
    = {"\nPrinted: isomorphic has less numerical delay than etc (Figure "
       "12), and the\ndifference in topological delay is much larger "
       "(Figure 13). Ours at 40 %, by the\nnodes that a job asks for, and "
       "by those that it holds at its start:\n",
       VIEW_COLUMNS (delay_columns), is_delay};

static const struct view_column cause_columns[]
    = {{"machine"},
       {"strategy"},
       {"numerical", .half = "numerical_half"},
       {"topological", .half = "topological_half"},
       {"unrecognised", .half = "unrecognised_half"}};
static const struct view causes
    = {"\nThe three causes of delay that section 5.1 names, with cubic jobs at "
       "40 %: too few\nnodes, no box among enough nodes, and a box that the "
       "strategy does not recognise,\nwhich is part of the topological "
       "delay\n",
       VIEW_COLUMNS (cause_columns), is_cause};

void isomorphic_print (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct rows cubic = rows_of (run, CUBIC_16);
    fprintf (
        run->out,
        "Poisson arrivals, %s service of mean 1, fcfs; %zu seeds "
        "of %zu jobs;\nmeans and 95 %% intervals over seeds, in service "
        "times.\n",
        run->setup->service ? run->setup->service : "exponential",
        study->seeds, study->jobs);
    for (size_t p = 0; p < PANELS; p++)
        print_panel (run, p);
    paper_pivot (run, POINT_LIST, NULL, &gains[0]);
    paper_pivot (run, POINT_LIST, NULL, &gains[1]);
    fprintf (run->out,
             "\nPrinted: on 16-ary with cubic jobs etc saturates near 50 %% "
             "utilization.\nOurs: etc levels off at %.0f %%, isomorphic at "
             "%.0f %%.\n",
             levels_off (&cubic, &line_etc),
             levels_off (&cubic, &line_isomorphic));
    paper_view (run, POINT_LIST, NULL, &causes);
    isomorphic_print_services (run);
    paper_view (run, POINT_LIST, NULL, &delays);
}

/* ---- figures ---- */

/* A queue that grows without end is not drawn, and the figure says so. The x
 * axis is the achieved utilization, as in the paper. */
static void draw_measure (struct paper_run *run, size_t p, int m)
{
    const struct panel *panel = &isomorphic_panels[p];
    const struct rows rows = rows_of (run, p);
    struct plot_line line[LINES];
    char title[TEXT], name[TEXT], half[TEXT], y_label[TEXT];
    const struct plot plot
        = {title,
           "utilization achieved, % (bars: 95 % of the means)",
           y_label,
           .y_most = 20,
           .across = "strategy",
           .x = "utilization",
           .x_scale = 100,
           .y = isomorphic_measures[m].slug,
           .half = half,
           .line = line,
           .lines = isomorphic_lines_of (p)};
    for (size_t l = 0; l < plot.lines; l++)
        line[l] = (struct plot_line){panel->line[l]->name,
                                     panel->line[l]->style};
    panel_title (panel, m, title);
    snprintf (y_label, sizeof y_label,
              "%s, service times (what is above 20 is not shown)",
              isomorphic_measures[m].label);
    snprintf (name, sizeof name, "%s-%s", panel->slug,
              isomorphic_measures[m].slug);
    snprintf (half, sizeof half, "%s_half", isomorphic_measures[m].slug);
    paper_plot (run, POINT_LIST, &rows, name, &plot);
}

/* Delays by nodes held are drawn if the paper has figures of them. */
void isomorphic_draw (struct paper_run *run)
{
    for (size_t p = 0; p < PANELS; p++)
        for (int m = 0; m < MEASURES; m++)
            if (m < UNRECOGNISED || isomorphic_panels[p].figure[m])
                draw_measure (run, p, m);
}
