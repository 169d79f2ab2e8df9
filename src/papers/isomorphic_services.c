/* Section 5.1: service times that vary more than exponential ones. */
#include <math.h>

#include "isomorphic_study.h"

/* The paper names these distributions, and gives no parameters. */
static const struct {
    const char *name;
    double cv2; /* variance over squared mean */
} services[SERVICES] = {{"exponential", 1},
                        {"hyperexponential:2", 2},
                        {"uniform-log", 3.6},
                        {"hyperexponential:5", 5},
                        {"hyperexponential:10", 10}};

/* At the last, the queue only grows: it shows the most that a strategy
 * achieves. */
static const double service_load[SERVICE_LOADS] = {0.2, 0.3, 0.4, 0.9};

struct service_row {
    const char *machine, *service, *saturated;
    double cv2, load;
    struct estimate etc[SERVED], isomorphic[SERVED], gain, more;
};

#define AT(member) FIELD_AT (struct service_row, member)
#define MEASURED(name, member, ...)                                           \
    ESTIMATE (name, struct service_row, member, __VA_ARGS__)
static const struct field service_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine; jobs are cubic",
     .title = "machine"},
    {"load", FIELD_REAL, AT (load), "the offered load", .title = "load",
     .decimals = 1},
    {"service", FIELD_TEXT, AT (service), "how service times are distributed",
     .title = "service"},
    {"cv2", FIELD_REAL, AT (cv2), "their variance over the squared mean",
     .title = "CV^2", .decimals = 1},
    MEASURED ("etc", etc[SERVED_RESPONSE], "mean response of etc",
              "service times", "etc", 2),
    MEASURED ("isomorphic", isomorphic[SERVED_RESPONSE],
              "mean response of isomorphic", "service times", "isomorphic",
              2),
    MEASURED ("gain", gain, "by how much isomorphic answers sooner",
              .title = "sooner by, %", .decimals = 1, .scale = 100),
    MEASURED ("etc_utilization", etc[SERVED_UTILIZATION],
              "utilization by etc", .title = "etc, %", .decimals = 1,
              .scale = 100),
    MEASURED ("isomorphic_utilization", isomorphic[SERVED_UTILIZATION],
              "utilization by isomorphic", .title = "isomorphic, %",
              .decimals = 1, .scale = 100),
    MEASURED ("more", more, "by how much isomorphic's utilization is larger",
              .title = "more by, %", .decimals = 1, .scale = 100),
    {"saturated", FIELD_TEXT, AT (saturated),
     "which of them do less than 95 % of the load: their response says how "
     "long the run was",
     .title = "saturated"},
};
#undef AT
const struct sheet isomorphic_service_sheet
    = {"services", SHEET_FIELDS (service_fields)};

/* ---- simulations ---- */

/* The verdict is on the least load, so it always has the jobs of a full run. */
static size_t service_jobs (const struct study *study, size_t load)
{
    return load == 0 ? SERVICE_LENGTH * study->jobs : study->service_jobs;
}

/* Points are by machine, load and service. The machines are those of the first
 * panels, which have cubic jobs. */
int isomorphic_run_service (struct study *study, size_t piece,
                            tori_error *err)
{
    static const struct line *const lines[2] = {&line_etc, &line_isomorphic};
    size_t point = piece / study->seeds, seed = piece % study->seeds;
    const tori_machine *machine
        = study->machine[point / SERVICES / SERVICE_LOADS];
    tori_workload_options options = isomorphic_options (study, seed);
    tori_workload workload;
    int status = 0;
    options.load = service_load[point / SERVICES % SERVICE_LOADS];
    options.jobs = service_jobs (study, point / SERVICES % SERVICE_LOADS);
    options.service = services[point % SERVICES].name;
    if (tori_workload_model ("cubic", machine, &options, &workload, err) < 0)
        return -1;
    for (size_t l = 0; status == 0 && l < 2; l++) {
        tori_sim_result result;
        status = isomorphic_replay (lines[l], machine, &workload, &result,
                                    err);
        if (status == 0) {
            double *served = study->served[point][seed][l];
            served[SERVED_RESPONSE] = result.response.mean;
            served[SERVED_UTILIZATION] = result.utilization;
            served[SERVED_OFFERED] = result.offered;
        }
    }
    tori_workload_clear (&workload);
    return status;
}

/* A ratio of means. Both strategies have the same jobs, so the interval is
 * that of a ratio of paired samples. */
static struct estimate ratio_of (const double above[], const double below[],
                                 size_t n)
{
    double mean = estimate_of (below, n).mean, squares = 0;
    double ratio = estimate_of (above, n).mean / mean;
    for (size_t i = 0; i < n; i++) {
        double off = (above[i] - ratio * below[i]) / mean;
        squares += off * off;
    }
    return estimate_from (ratio, squares, n);
}

static const char *saturated_of (const struct service_row *row)
{
    double least = 0.95 * row->etc[SERVED_OFFERED].mean;
    if (row->isomorphic[SERVED_UTILIZATION].mean < least)
        return "both";
    return row->etc[SERVED_UTILIZATION].mean < least ? "etc" : "";
}

static struct service_row service_row_of (const struct study *study, size_t p)
{
    struct service_row row = {
        .machine = isomorphic_panels[p / SERVICES / SERVICE_LOADS].machine,
        .load = service_load[p / SERVICES % SERVICE_LOADS],
        .service = services[p % SERVICES].name,
        .cv2 = services[p % SERVICES].cv2,
    };
    double value[2][SERVED][SEEDS] = {{{0}}};
    size_t n = study->seeds;
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < 2; l++)
            for (int m = 0; m < SERVED; m++)
                value[l][m][i] = study->served[p][i][l][m];
    for (int m = 0; m < SERVED; m++) {
        row.etc[m] = estimate_of (value[0][m], n);
        row.isomorphic[m] = estimate_of (value[1][m], n);
    }
    row.gain = ratio_of (value[1][SERVED_RESPONSE], value[0][SERVED_RESPONSE],
                         n);
    row.gain.mean = 1 - row.gain.mean;
    row.more = ratio_of (value[1][SERVED_UTILIZATION],
                         value[0][SERVED_UTILIZATION], n);
    row.more.mean -= 1;
    row.saturated = saturated_of (&row);
    return row;
}

int isomorphic_make_services (struct paper_run *run, tori_error *err)
{
    struct service_row *rows
        = paper_rows (run, SERVICE_LIST, SERVICE_POINTS, sizeof *rows, err);
    for (size_t i = 0; rows && i < SERVICE_POINTS; i++)
        rows[i] = service_row_of (run->study, i);
    return rows ? 0 : -1;
}

/* ---- for people ---- */

/* The row of a machine (as in the list of panels), load and service. */
static const struct service_row *
service_at (const struct paper_run *run, size_t machine, size_t load,
            size_t service)
{
    const struct service_row *row = run->list[SERVICE_LIST].row;
    return &row[(machine * SERVICE_LOADS + load) * SERVICES + service];
}

/* The gain of the most variable service times beyond exponential ones. */
static struct estimate gain_more (const struct estimate *few,
                                  const struct estimate *many)
{
    return (struct estimate){many->mean - few->mean,
                             hypot (few->half, many->half)};
}

/* The verdict on responses, from exponential service times to the most
 * variable ones. It does not rest on runs in which queues only grow. */
static void judge_response (struct paper_run *run,
                            const struct service_row *few,
                            const struct verdict_cases *cases, bool stable)
{
    const struct service_row *many = few + SERVICES - 1;
    struct published is
        = {"Section 5.1", "gain in response if service times vary widely",
           "more favourable",
           stable ? "it is not more" : "queues only grow at this load"};
    char ours[VERDICT_TEXT];
    snprintf (ours, sizeof ours,
              "16-ary at %.1f, %s: %.0f %%, and %.0f %% at CV^2 = 10",
              few->load, stable ? "stable" : "saturated",
              100 * few->gain.mean, 100 * many->gain.mean);
    if (stable)
        verdict_order (run, &is, cases, "%s", ours);
    else
        verdict_refuse (run, &is, "%s", ours);
}

/* At the least load, where no strategy is saturated with any service times;
 * and at the most that both achieve. A case is a machine. */
void isomorphic_judge_services (struct paper_run *run)
{
    enum { LEAST = 0, FULL = SERVICE_LOADS - 1 };
    const struct service_row *few = service_at (run, CUBIC_16, LEAST, 0);
    const struct service_row *many = few + SERVICES - 1;
    struct verdict_cases sooner = {0}, more = {0};
    bool stable = true;
    for (size_t m = 0; m < SERVICE_MACHINES; m++) {
        const struct service_row *row = service_at (run, m, LEAST, 0);
        verdict_add_case (&sooner, gain_more (&row->gain,
                                              &row[SERVICES - 1].gain));
        for (size_t i = 0; i < SERVICES; i++)
            stable &= !*row[i].saturated;
        row = service_at (run, m, FULL, 0);
        verdict_add_case (&more, gain_more (&row->more,
                                            &row[SERVICES - 1].more));
    }
    judge_response (run, few, &sooner, stable);
    few = service_at (run, CUBIC_16, FULL, 0);
    many = few + SERVICES - 1;
    verdict_order (run,
                   &(struct published){"Section 5.1",
                                       "gain in utilization if they do",
                                       "more favourable",
                                       "long jobs hold up large ones, "
                                       "wherever they are"},
                   &more,
                   "16-ary, saturated: %.0f %%, and %.0f %% at CV^2 = 10",
                   100 * few->more.mean, 100 * many->more.mean);
}

static bool is_full (const void *row)
{
    return ((const struct service_row *)row)->load > 0.5;
}

static bool is_not_full (const void *row)
{
    return !is_full (row);
}

static const struct view_column service_columns[]
    = {{"machine"},
       {"load"},
       {"service"},
       {"cv2"},
       {"etc", .half = "etc_half"},
       {"isomorphic", .half = "isomorphic_half"},
       {"gain", .half = "gain_half"},
       {"saturated"}};
static const struct view service_view
    = {NULL, VIEW_COLUMNS (service_columns), is_not_full};
static const struct view_column full_columns[]
    = {{"machine"},
       {"service"},
       {"cv2"},
       {"etc_utilization", .half = "etc_utilization_half"},
       {"isomorphic_utilization", .half = "isomorphic_utilization_half"},
       {"more", .half = "more_half"}};
static const struct view full_view
    = {"\nThe most that they achieve: utilization at an offered load of 90 "
       "%\n",
       VIEW_COLUMNS (full_columns), is_full};

void isomorphic_print_services (struct paper_run *run)
{
    const struct study *study = run->study;
    fprintf (run->out,
             "\nPrinted: more favourable results for isomorphic are expected "
             "if the workload varies\nwidely (section 5.1). Ours: cubic jobs, "
             "%zu a seed (%zu at the least load), by\nthe service times. "
             "Where a strategy is saturated, a mean says how long the run "
             "was:\n",
             study->service_jobs, service_jobs (study, 0));
    paper_view (run, SERVICE_LIST, NULL, &service_view);
    paper_view (run, SERVICE_LIST, NULL, &full_view);
}
