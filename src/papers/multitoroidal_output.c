/* The study of multi-toroidal machines as text, JSON, CSV and figures. */
#include <math.h>
#include <stdlib.h>

#include "multitoroidal.h"

/* Two lines coincide: the lower one is broad and pale, the upper thin. */
const struct config multitoroidal_configs[CONFIGS] = {
    [TORUS_MESHES] = {.title = "torus, all jobs meshes",
                      .column = "torus, meshes",
                      .machine = "torus:8x8x8",
                      .torus_fraction = 0,
                      .style = "lw 1.5 pt 7 ps 0.5 lc rgb '#1a1a1a'"},
    [TORUS_HALF] = {.title = "torus, half of the jobs tori",
                    .column = "torus, half tori",
                    .machine = "torus:8x8x8",
                    .torus_fraction = 0.5,
                    .style = "lw 2 pt 5 ps 0.6 lc rgb '#d98c00'"},
    [TORUS_TORI] = {.title = "torus, all jobs tori",
                    .column = "torus, tori",
                    .machine = "torus:8x8x8",
                    .torus_fraction = 1,
                    .style = "lw 2 pt 9 ps 0.7 lc rgb '#b2182b'"},
    [MULTITORUS_TORI] = {.title = "multi-torus, all jobs tori",
                         .column = "multi-torus, tori",
                         .machine = "multitorus:8x8x8",
                         .torus_fraction = 1,
                         .style = "lw 7 pt 7 ps 0.5 lc rgb '#8fc1e3'"},
};

const double multitoroidal_shares[SHARES] = {0.9, 0.95, 0.99};

/* ---- names ---- */

/* "Figure 12a", or "" for a panel that the paper does not have. */
static void figure_name (const struct multi_panel *panel, char text[16])
{
    text[0] = '\0';
    if (panel->experiment->figure && panel->source->part)
        snprintf (text, 16, "%s%c", panel->experiment->figure,
                  panel->source->part);
}

void panel_title (const struct multi_panel *panel, char text[PANEL_TEXT])
{
    char figure[16];
    figure_name (panel, figure);
    snprintf (text, PANEL_TEXT, "%s%s%s%.20s, %s, %s shapes",
              *figure ? "Figure " : "", figure, *figure ? ": " : "",
              panel->source->name, panel->experiment->policy,
              panel->experiment->shapes);
}

/* The name of its files: figure-12a, or ctc-easy-first-match. */
static void panel_slug (const struct multi_panel *panel, char text[PANEL_TEXT])
{
    char figure[16];
    figure_name (panel, figure);
    if (*figure)
        snprintf (text, PANEL_TEXT, "figure-%s", figure);
    else
        snprintf (text, PANEL_TEXT, "%.20s-%s-%s", panel->source->slug,
                  panel->experiment->policy, panel->experiment->shapes);
}

/* ---- readings ---- */

static double at_full_load (const struct multi_panel *panel)
{
    const tori_sim_result *result = panel->point[LOADS - 1].result;
    double torus = result[TORUS_TORI].utilization;
    return torus > 0 ? result[MULTITORUS_TORI].utilization / torus : 0;
}

bool study_differs (const struct multi_study *study,
                    const struct multi_panel **ret_panel, int *ret_load)
{
    for (size_t p = 0; p < study->panels; p++)
        for (int i = 0; i < LOADS; i++)
            if (study->panel[p].point[i].differs) {
                *ret_panel = &study->panel[p];
                *ret_load = i;
                return true;
            }
    return false;
}

static struct claim claim_of (const struct multi_panel *panel)
{
    char part = panel->source->part;
    return part ? panel->experiment->claim[part - 'a'] : (struct claim){0};
}

/* ---- rows ---- */

struct panel_row {
    char figure[16];
    const char *source, *sched, *shapes;
};

#define AT(member) FIELD_AT (struct panel_row, member)
static const struct field panel_fields[] = {
    {"figure", FIELD_CHARS, AT (figure),
     "the figure of the paper; empty if it has none", .title = "figure"},
    {"source", FIELD_TEXT, AT (source), "whose jobs", .title = "jobs"},
    {"sched", FIELD_TEXT, AT (sched), "the scheduler", .title = "scheduler"},
    {"shapes", FIELD_TEXT, AT (shapes), "how jobs get shapes",
     .title = "shapes"},
};
#undef AT
static const struct sheet panel_sheet = {"panel", SHEET_FIELDS (panel_fields)};

struct run_row {
    struct panel_row panel;
    double load;
    const char *config, *machine;
    double torus_fraction;
    tori_sim_result result;
    bool coincide;
};

#define AT(member) FIELD_AT (struct run_row, member)
static const struct field run_fields[] = {
    {NULL, FIELD_BESIDE, AT (panel), .group = &panel_sheet},
    {"load", FIELD_REAL, AT (load), "the load asked for", .title = "load",
     .scale = 100},
    {"configuration", FIELD_TEXT, AT (config), "machine and jobs in words"},
    {"machine", FIELD_TEXT, AT (machine), "the machine"},
    {"torus_fraction", FIELD_REAL, AT (torus_fraction),
     "the part of the jobs that ask for a torus"},
    {"offered", FIELD_REAL, AT (result.offered),
     "the offered load that was measured"},
    {"utilization", FIELD_REAL, AT (result.utilization), "the utilization",
     .decimals = 1, .scale = 100},
    {"internal_fragmentation", FIELD_REAL, AT (result.internal_fragmentation),
     "the part of nodes held that no job asked for"},
    {"makespan", FIELD_REAL, AT (result.makespan),
     "from the first submission to the last end", "s"},
    {"wait", FIELD_REAL, AT (result.wait.mean), "mean wait", "s"},
    {"bounded_slowdown", FIELD_REAL, AT (result.bounded_slowdown.mean),
     "mean bounded slowdown"},
    {"jobs", FIELD_SIZE, AT (result.jobs), "jobs that ran"},
    {"rejected", FIELD_SIZE, AT (result.rejected), "jobs that never fit"},
    {"coincide", FIELD_FLAG, AT (coincide),
     "whether the torus with meshes and the multi-torus with tori ran every "
     "job at the same time in the same place"},
};
#undef AT
static const struct sheet run_sheet
    = {"simulations", SHEET_FIELDS (run_fields)};

/* The readings from the graphs of a panel by one share. */
enum { SHOWN = 24 };

struct reading_row {
    struct panel_row panel;
    double share, torus, multitorus, factor;
    bool torus_beyond, multitorus_beyond;
    char torus_shown[SHOWN], multitorus_shown[SHOWN], factor_shown[SHOWN];
    struct claim paper;
    double at_full_load;
};

#define AT(member) FIELD_AT (struct reading_row, member)
static const struct field reading_fields[] = {
    {NULL, FIELD_BESIDE, AT (panel), .group = &panel_sheet},
    {"share", FIELD_REAL, AT (share),
     "the share of the load at which a graph counts as straight",
     .title = "share", .decimals = 2},
    {"torus", FIELD_REAL, AT (torus),
     "up to which load that of the torus is straight"},
    {"torus_beyond", FIELD_FLAG, AT (torus_beyond),
     "whether it is straight as far as it goes"},
    {"torus_shown", FIELD_NUMERAL, AT (torus_shown),
     "both in words, in percent",
     .title = "torus"},
    {"torus_paper", FIELD_REAL, AT (paper.torus),
     "what the paper says; null if it does not", .title = "paper",
     .scale = 100},
    {"multitorus", FIELD_REAL, AT (multitorus),
     "up to which load that of the multi-torus is straight"},
    {"multitorus_beyond", FIELD_FLAG, AT (multitorus_beyond),
     "whether it is straight as far as it goes"},
    {"multitorus_shown", FIELD_NUMERAL, AT (multitorus_shown),
     "both in words, in percent", .title = "multi-torus"},
    {"multitorus_paper", FIELD_REAL, AT (paper.multitorus),
     "what the paper says; null if it does not", .title = "paper",
     .scale = 100},
    {"factor", FIELD_REAL, AT (factor),
     "how many times the load the multi-torus takes, at least that many if "
     "its graph is straight as far as it goes; null if that of the torus is"},
    {"factor_shown", FIELD_NUMERAL, AT (factor_shown), "the same in words",
     .title = "factor"},
    {"factor_paper", FIELD_REAL, AT (paper.factor),
     "what the paper says; null if it does not", .title = "paper",
     .decimals = 2},
    {"factor_at_full_load", FIELD_REAL, AT (at_full_load),
     "the factor between utilizations at a load of 1", .title = "at 100 %",
     .decimals = 2},
};
#undef AT
static const struct sheet reading_sheet
    = {"readings", SHEET_FIELDS (reading_fields)};

#define AT(member) FIELD_AT (struct source, member)
static const struct field source_fields[] = {
    {"name", FIELD_TEXT, AT (name), "whose jobs"},
    {"file", FIELD_TEXT, AT (file), "the file of the log; null for a model"},
    {"path", FIELD_TEXT, AT (path),
     "where it is; null for a model, and if it was not found"},
    {"model", FIELD_TEXT, AT (model), "the model; null for a log"},
    {"scale", FIELD_WHOLE, AT (scale), "what sizes are multiplied by"},
    {"jobs", FIELD_SIZE, AT (jobs), "how many jobs there are"},
    {"offered", FIELD_REAL, AT (offered), "the offered load as logged"},
};
#undef AT
static const struct sheet source_sheet
    = {"sources", SHEET_FIELDS (source_fields)};

static const struct field answer_fields[] = {
    {"coincide", FIELD_FLAG, FIELD_AT (struct multi_study, coincide),
     "whether all pairs of simulations do"},
    {"sources", FIELD_LIST, .about = "whose jobs are simulated",
     .group = &source_sheet},
    {"simulations", FIELD_LIST, .about = "every simulation",
     .group = &run_sheet},
    {"readings", FIELD_LIST, .about = "up to which load graphs are straight",
     .group = &reading_sheet},
};
const struct sheet multitoroidal_sheet
    = {"multitoroidal", SHEET_FIELDS (answer_fields)};

static struct panel_row panel_row (const struct multi_panel *panel)
{
    struct panel_row row = {"", panel->source->name,
                            panel->experiment->policy,
                            panel->experiment->shapes};
    figure_name (panel, row.figure);
    return row;
}

static struct run_row run_row (const struct multi_study *study, size_t i)
{
    const struct multi_panel *panel = &study->panel[i / CONFIGS / LOADS];
    const struct config *config = &multitoroidal_configs[i % CONFIGS];
    int load = (int)(i / CONFIGS % LOADS);
    const struct multi_point *point = &panel->point[load];
    return (struct run_row){.panel = panel_row (panel),
                            .load = load_percent (load) / 100.0,
                            .config = config->column,
                            .machine = config->machine,
                            .torus_fraction = config->torus_fraction,
                            .result = point->result[i % CONFIGS],
                            .coincide = !point->differs};
}

static double percent_or_not (double percent)
{
    return percent > 0 ? percent / 100 : NAN;
}

static struct claim claim_row (const struct multi_panel *panel)
{
    struct claim claim = claim_of (panel);
    return (struct claim){percent_or_not (claim.torus),
                          percent_or_not (claim.multitorus),
                          claim.factor > 0 ? claim.factor : NAN};
}

static void show_readings (struct reading_row *row)
{
    snprintf (row->torus_shown, SHOWN, "%s%.0f",
              row->torus_beyond ? ">= " : "", 100 * row->torus);
    snprintf (row->multitorus_shown, SHOWN, "%s%.0f",
              row->multitorus_beyond ? ">= " : "", 100 * row->multitorus);
    if (isnan (row->factor))
        snprintf (row->factor_shown, SHOWN, "-");
    else
        snprintf (row->factor_shown, SHOWN, "%s%.2f",
                  row->multitorus_beyond ? ">= " : "", row->factor);
}

static struct reading_row reading_row (const struct multi_study *study,
                                       size_t i)
{
    const struct multi_panel *panel = &study->panel[i / SHARES];
    struct reading torus = panel->straight[i % SHARES][TORUS_TORI];
    struct reading multi = panel->straight[i % SHARES][MULTITORUS_TORI];
    bool known = torus.load > 0 && !torus.beyond;
    struct reading_row row = {
        .panel = panel_row (panel),
        .share = multitoroidal_shares[i % SHARES],
        .torus = torus.load / 100.0,
        .multitorus = multi.load / 100.0,
        .factor = known ? (double)multi.load / torus.load : NAN,
        .torus_beyond = torus.beyond,
        .multitorus_beyond = multi.beyond,
        .paper = claim_row (panel),
        .at_full_load = at_full_load (panel)};
    show_readings (&row);
    return row;
}

/* ---- for people ---- */

static void print_sources (const struct multi_study *study, FILE *out)
{
    char places[300];
    traces_say (study->setup->traces, places, sizeof places);
    for (size_t i = 0; i < study->sources; i++) {
        const struct source *s = &study->source[i];
        if (s->model)
            fprintf (out, "%s: a model, %zu jobs", s->name, s->jobs);
        else if (s->path)
            fprintf (out, "%s: %s, %zu jobs", s->name, traces_name (s->path),
                     s->jobs);
        else
            fprintf (out, "%s: left out, no %s[.gz] in %s", s->name, s->file,
                     places);
        if (s->path && s->scale > 1)
            fprintf (out, ", sizes times %lld", (long long)s->scale);
        if (source_there (s))
            fprintf (out, ", offered load %.1f %% before stretching",
                     100 * s->offered);
        fputc ('\n', out);
    }
}

static size_t count_pairs (const struct multi_study *study)
{
    size_t same = 0;
    for (size_t p = 0; p < study->panels; p++)
        for (int i = 0; i < LOADS; i++)
            same += !study->panel[p].point[i].differs;
    return same;
}

static void print_coincidence (const struct multi_study *study, FILE *out)
{
    fprintf (out,
             "\nThe multi-torus with tori and the torus with meshes ran every "
             "job at the same\ntime in the same place in %zu of %zu pairs of "
             "simulations.\n",
             count_pairs (study), study->panels * LOADS);
}

static bool by_the_share (const void *row)
{
    return ((const struct reading_row *)row)->share
           == multitoroidal_shares[STRAIGHT_SHARE];
}

static const struct view_column reading_columns[]
    = {{"figure"},           {"source"},       {"sched"},
       {"shapes"},           {"torus_shown"},  {"torus_paper"},
       {"multitorus_shown"}, {"multitorus_paper"},
       {"factor_shown"},     {"factor_paper"}, {"factor_at_full_load"}};
static const struct view_column share_columns[]
    = {{"figure"},      {"source"},           {"sched"},       {"shapes"},
       {"share"},       {"torus_shown"},      {"multitorus_shown"},
       {"factor_shown"}};
static const struct view ours
    = {NULL, VIEW_COLUMNS (reading_columns), by_the_share};
static const struct view others
    = {"\nThe same by other shares of the load:\n\n",
       VIEW_COLUMNS (share_columns), NULL};

enum { SOURCES_LIST, RUNS_LIST, READINGS_LIST };

/* ---- verdicts ---- */

static void judge_reading (struct paper_run *run, const char *where,
                           const char *value, double printed,
                           double reading)
{
    char text[16];
    if (isnan (printed))
        return;
    snprintf (text, sizeof text, "%.0f", 100 * printed);
    verdict_number (run,
                    &(struct published){where, value, text,
                                        reading > printed
                                            ? "ours is straight for longer"
                                            : "ours bends sooner"},
                    100 * printed, 100 * reading, "%.0f", 100 * reading);
}

static void judge_panel (struct paper_run *run, const struct reading_row *row)
{
    char where[24], text[16];
    if (isnan (row->paper.factor))
        return;
    snprintf (where, sizeof where, "Figure %s", row->panel.figure);
    judge_reading (run, where, "torus straight up to load, %",
                   row->paper.torus, row->torus);
    judge_reading (run, where, "multi-torus straight up to load, %",
                   row->paper.multitorus, row->multitorus);
    snprintf (text, sizeof text, "%.2f", row->paper.factor);
    verdict_number (run,
                    &(struct published){where, "factor of both", text,
                                        row->factor > row->paper.factor
                                            ? "ours are further apart"
                                            : "ours are closer"},
                    row->paper.factor, row->factor, "%s", row->factor_shown);
}

static void judge_absent (struct paper_run *run)
{
    const struct multi_study *study = run->study;
    for (size_t i = 0; i < LOGS; i++) {
        const struct source *source = &study->source[i];
        char where[48];
        if (source_there (source))
            continue;
        snprintf (where, sizeof where, "Figures 12%c, 13%c, 14%c",
                  source->part, source->part, source->part);
        verdict_refuse (run,
                        &(struct published){where, "readings and factors",
                                            "6 and 3",
                                            "the log is not there"},
                        "-");
    }
}

/* The panel of an experiment with the jobs of a log, or NULL. */
static const struct multi_panel *find_panel (const struct multi_study *study,
                                             const char *figure, char part)
{
    for (size_t i = 0; i < study->panels; i++) {
        const struct multi_panel *panel = &study->panel[i];
        if (panel->experiment->figure && panel->source->part == part
            && strcmp (panel->experiment->figure, figure) == 0)
            return panel;
    }
    return NULL;
}

/* In percent, at the highest load. */
static double at_most (const struct multi_panel *panel, int config)
{
    return 100 * panel->point[LOADS - 1].result[config].utilization;
}

/* The text says that with fat shapes the multi-torus does as in Figure 13. */
static void judge_fat (struct paper_run *run)
{
    for (char part = 'a'; part < 'a' + LOGS; part++) {
        const struct multi_panel *slim = find_panel (run->study, "13", part);
        const struct multi_panel *fat = find_panel (run->study, "14", part);
        char where[48];
        if (!slim || !fat)
            continue;
        snprintf (where, sizeof where, "Section 4, Figure 14%c", part);
        verdict_number (
            run,
            &(struct published){where,
                                "multi-torus, fat shapes beside Figure 13, "
                                "at 100 %, %",
                                "the same",
                                "jobs of 1 to 7 nodes get 2x2x2, and count as "
                                "asked for"},
            at_most (slim, MULTITORUS_TORI), at_most (fat, MULTITORUS_TORI),
            "%.1f beside %.1f", at_most (fat, MULTITORUS_TORI),
            at_most (slim, MULTITORUS_TORI));
    }
}

static void add_order (struct verdict_cases *cases, double less, double more)
{
    verdict_add_case (cases, (struct estimate){more - less, 0});
}

/* A simulation has no interval: its log is what it is. */
static void judge_orders (struct paper_run *run)
{
    const struct multi_study *study = run->study;
    struct verdict_cases tori = {0}, fcfs = {0};
    for (size_t i = 0; i < study->panels; i++) {
        const struct multi_panel *panel = &study->panel[i];
        const struct multi_panel *backfill
            = find_panel (study, "13", panel->source->part);
        if (!panel->experiment->figure || !panel->source->part)
            continue;
        add_order (&tori, at_most (panel, TORUS_TORI),
                   at_most (panel, TORUS_HALF));
        add_order (&tori, at_most (panel, TORUS_HALF),
                   at_most (panel, TORUS_MESHES));
        for (int c = 0; backfill && c < CONFIGS; c++)
            if (strcmp (panel->experiment->figure, "12") == 0)
                add_order (&fcfs, at_most (panel, c), at_most (backfill, c));
    }
    if (tori.n == 0)
        return;
    verdict_order (run,
                   &(struct published){"Section 4, Figures 12-14",
                                       "utilization of the torus with none, "
                                       "half and all of the jobs tori",
                                       "decreases", "it does not"},
                   &tori, "decreases in %zu of %zu steps", tori.sure, tori.n);
    verdict_order (run,
                   &(struct published){"Section 4, Figures 12, 13",
                                       "utilization by fcfs beside "
                                       "backfilling",
                                       "lower", "it is not lower"},
                   &fcfs, "lower in %zu of %zu graphs", fcfs.sure, fcfs.n);
}

/* The factors of all panels together, as the abstract has them. */
static void judge_range (struct paper_run *run)
{
    const struct reading_row *row = run->list[READINGS_LIST].row;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < run->list[READINGS_LIST].n; i++)
        if (by_the_share (&row[i]) && !isnan (row[i].paper.factor)) {
            least = fmin (least, row[i].factor);
            most = fmax (most, row[i].factor);
        }
    if (most > 0)
        verdict_compare (run,
                         &(struct published){"Abstract",
                                             "factor of both, all figures",
                                             "2 to 4",
                                             "its own text has 1.25 and 1.33 "
                                             "for CTC"},
                         least >= 1.8 && most >= 3.6 && most <= 4.4,
                         "%.2f to %.2f", least, most);
}

void study_judge (struct paper_run *run)
{
    const struct multi_study *study = run->study;
    const struct reading_row *row = run->list[READINGS_LIST].row;
    size_t same = count_pairs (study), n = study->panels * LOADS;
    verdict_compare (run,
                     &(struct published){
                         "Figures 12-14",
                         "tori on the multi-torus as meshes on the torus",
                         "completely overlap", "schedules differ"},
                     same == n, "%zu of %zu schedules the same", same, n);
    for (size_t i = 0; i < run->list[READINGS_LIST].n; i++)
        if (by_the_share (&row[i]))
            judge_panel (run, &row[i]);
    judge_fat (run);
    judge_orders (run);
    judge_range (run);
    judge_absent (run);
}

/* ---- tables ---- */

/* The simulations of a panel, which follow each other. */
static struct rows runs_of (const struct paper_run *run, size_t panel)
{
    const struct run_row *row = run->list[RUNS_LIST].row;
    return (struct rows){row + panel * CONFIGS * LOADS, CONFIGS * LOADS,
                         sizeof *row};
}

/* A graph in numbers: a row for each load, a column for each configuration. */
static void print_panel (struct paper_run *run, size_t i)
{
    static const struct view_column load[] = {{"load"}};
    static const struct pivot pivot
        = {{NULL, VIEW_COLUMNS (load), NULL}, "configuration",
           {"utilization"}};
    const struct multi_study *study = run->study;
    const struct rows rows = runs_of (run, i);
    char title[PANEL_TEXT];
    panel_title (&study->panel[i], title);
    fprintf (run->out, "\n%s\n\n", title);
    paper_pivot (run, RUNS_LIST, &rows, &pivot);
}

void study_print (struct paper_run *run)
{
    const struct multi_study *study = run->study;
    paper_say (run, "%s\n", run->paper->citation);
    print_sources (study, run->out);
    fputs ("\nUtilization of 8x8x8 nodes in %, by the offered load in %.\n",
           run->out);
    for (size_t i = 0; i < study->panels; i++)
        print_panel (run, i);
    paper_say (run,
               "\nThe load, to a percent, up to which the graphs of torus "
               "jobs are straight: the largest at which utilization is at "
               "least %.2f of the load, below the first of the loads above "
               "at which it is not. Next to ours is what the paper's text "
               "says. The last column is the factor between the utilizations "
               "at a load of 100 %%.\n",
               multitoroidal_shares[STRAIGHT_SHARE]);
    paper_view (run, READINGS_LIST, NULL, &ours);
    paper_view (run, READINGS_LIST, NULL, &others);
    print_coincidence (study, run->out);
}

int study_rows (struct paper_run *run, tori_error *err)
{
    struct multi_study *study = run->study;
    size_t runs = study->panels * LOADS * CONFIGS;
    size_t readings = study->panels * SHARES;
    struct run_row *row = paper_rows (run, RUNS_LIST, runs, sizeof *row, err);
    struct reading_row *reading
        = paper_rows (run, READINGS_LIST, readings, sizeof *reading, err);
    const struct multi_panel *panel;
    int load;
    if (!row || !reading)
        return -1;
    study->coincide = !study_differs (study, &panel, &load);
    run->list[SOURCES_LIST] = (struct rows){study->source, study->sources,
                                            sizeof *study->source};
    for (size_t i = 0; i < runs; i++)
        row[i] = run_row (study, i);
    for (size_t i = 0; i < readings; i++)
        reading[i] = reading_row (study, i);
    return 0;
}

/* ---- figures ---- */

void study_draw (struct paper_run *run)
{
    /* The broad one of two lines that coincide is drawn first. */
    static const int order[CONFIGS] = {MULTITORUS_TORI, TORUS_MESHES,
                                       TORUS_HALF, TORUS_TORI};
    const struct multi_study *study = run->study;
    struct plot_line line[CONFIGS];
    for (int c = 0; c < CONFIGS; c++) {
        const struct config *config = &multitoroidal_configs[order[c]];
        line[c] = (struct plot_line){config->column, config->style,
                                     config->title};
    }
    for (size_t i = 0; i < study->panels; i++) {
        const struct rows rows = runs_of (run, i);
        char slug[PANEL_TEXT], title[PANEL_TEXT];
        const struct plot plot = {title,
                                  "offered load, %",
                                  "utilization, %",
                                  "utilization = offered load",
                                  .across = "configuration",
                                  .x = "load",
                                  .y = "utilization",
                                  PLOT_LINES (line)};
        panel_title (&study->panel[i], title);
        panel_slug (&study->panel[i], slug);
        paper_plot (run, RUNS_LIST, &rows, slug, &plot);
    }
}
