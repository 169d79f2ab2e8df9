/* tori paper isomorphic for people: tables and figures. */
#include <math.h>
#include <string.h>

#include "isomorphic_study.h"

enum {
    AT_40 = 3, /* in the list of loads */
    TEXT = 128
};

/* ---- tables ---- */

/* The rows of a panel, which follow each other. */
struct rows isomorphic_rows_of (const struct paper_run *run, size_t panel)
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
    const struct rows rows = isomorphic_rows_of (run, panel);
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

bool isomorphic_is_line (const struct row *row, const struct line *line)
{
    return strcmp (row->strategy, line->name) == 0;
}

static bool is_etc (const void *row)
{
    return isomorphic_is_line (row, &line_etc);
}

static bool is_etc_rounded (const void *row)
{
    return isomorphic_is_line (row, &line_etc_rounded);
}

/* Cubic jobs at a load of 40 %. */
static bool is_cause (const void *row)
{
    const struct row *is = row;
    return is->panel < 3 && is->load == isomorphic_load (AT_40);
}

/* Figures 12 and 13 are of noncubic jobs, at a load of 40 %. */
static bool is_delay (const void *row)
{
    const struct row *is = row;
    return is->panel >= NONCUBIC && is->load == isomorphic_load (AT_40);
}

/* The most that a strategy achieves, in percent. */
double isomorphic_levels_off (const struct paper_run *run, size_t panel,
                              const struct line *line)
{
    const struct rows rows = isomorphic_rows_of (run, panel);
    const struct row *row = rows.row;
    double most = 0;
    for (size_t i = 0; i < rows.n; i++)
        if (isomorphic_is_line (&row[i], line))
            most = fmax (most, row[i].value[UTILIZATION].mean);
    return 100 * most;
}

static const struct view_column what[] = {{"what"}};
static const struct pivot gains[] = {
    {{"\nBy how much isomorphic answers sooner than etc, in %, at each "
      "load\n(printed: up to 49 at 50 % with cubic jobs, up to 45 at "
      "40 % with noncubic ones).\nIn brackets: beyond nine tenths of the most "
      "that both achieve, where a mean says\nhow long the run was\n",
      VIEW_COLUMNS (what), is_etc},
     "load",
     {"gain_shown"}},
    {{"\nThe same if etc rounds sides up to powers of two, too, and "
      "keeps all of the box\n",
      VIEW_COLUMNS (what), is_etc_rounded},
     "load",
     {"gain_shown"}},
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
             isomorphic_levels_off (run, CUBIC_16, &line_etc),
             isomorphic_levels_off (run, CUBIC_16, &line_isomorphic));
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
    const struct rows rows = isomorphic_rows_of (run, p);
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
