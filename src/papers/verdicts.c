#include "verdicts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "paper.h"

#define AT(member) FIELD_AT (struct verdict_row, member)
static const struct field verdict_fields[] = {
    {"where", FIELD_CHARS, AT (where), "table, figure or section",
     .title = "where"},
    {"value", FIELD_CHARS, AT (value), "the published value",
     .title = "published value"},
    {"printed", FIELD_CHARS, AT (printed), "as the paper prints it",
     .title = "printed"},
    {"ours", FIELD_CHARS, AT (ours), "as this run has it", .title = "ours"},
    {"verdict", FIELD_TEXT, AT (verdict),
     "reproduced, differs, cannot be compared, or a drawing"},
    {"why", FIELD_CHARS, AT (why),
     "why it differs or cannot be compared; empty if it is reproduced"},
    {"shown", FIELD_CHARS, AT (shown), "verdict and reason in one",
     .title = "verdict"},
};
#undef AT
const struct sheet verdicts_sheet
    = {"verdicts", SHEET_FIELDS (verdict_fields)};

static const struct field answer_fields[] = {
    {"verdicts", FIELD_LIST, .about = "every published value, and ours",
     .group = &verdicts_sheet},
};
const struct sheet verdicts_answer
    = {"verdicts", SHEET_FIELDS (answer_fields)};

static struct verdict_row *add_row (struct paper_run *run)
{
    struct verdicts *verdicts = &run->verdicts;
    if (verdicts->n == verdicts->room) {
        size_t room = 2 * verdicts->room + 16;
        void *row = reallocarray (verdicts->row, room, sizeof *verdicts->row);
        if (!row) {
            run->status = tori_error_nomem (run->err);
            return NULL;
        }
        verdicts->row = row;
        verdicts->room = room;
    }
    return &verdicts->row[verdicts->n++];
}

__attribute__ ((format (printf, 5, 0))) static void
fill_row (struct paper_run *run, const struct published *of,
          const char *verdict, bool why, const char *ours, va_list ap)
{
    struct verdict_row *row = add_row (run);
    if (!row)
        return;
    *row = (struct verdict_row){.verdict = verdict};
    snprintf (row->where, sizeof row->where, "%s", of->where);
    snprintf (row->value, sizeof row->value, "%s", of->value);
    snprintf (row->printed, sizeof row->printed, "%s", of->printed);
    vsnprintf (row->ours, sizeof row->ours, ours, ap);
    if (why)
        snprintf (row->why, sizeof row->why, "%s", of->why);
    snprintf (row->shown, sizeof row->shown, "%s%s%s", verdict,
              why ? ": " : "", row->why);
}

void verdict_compare (struct paper_run *run, const struct published *of,
                      bool same, const char *ours, ...)
{
    va_list ap;
    va_start (ap, ours);
    fill_row (run, of, same ? "reproduced" : "differs", !same, ours, ap);
    va_end (ap);
}

/* A tenth that floating point makes a little more is a tenth. */
static bool is_near (double printed, double value)
{
    return fabs (value - printed) <= fabs (printed) * (0.1 + 1e-9);
}

void verdict_number (struct paper_run *run, const struct published *of,
                     double printed, double value, const char *ours, ...)
{
    bool near = is_near (printed, value);
    va_list ap;
    va_start (ap, ours);
    fill_row (run, of, near ? "reproduced" : "differs", !near, ours, ap);
    va_end (ap);
}

void verdict_add_case (struct verdict_cases *cases, struct estimate lead)
{
    cases->n++;
    cases->sure += lead.mean > lead.half;
    cases->otherwise += lead.mean + lead.half <= 0;
}

struct estimate verdict_lead (const double a[], const double b[], size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += (b[i] - a[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (b[i] - a[i] - mean) * (b[i] - a[i] - mean);
    return n > 1 ? estimate_from (mean, squares, n)
                 : (struct estimate){mean, 0};
}

void verdict_order (struct paper_run *run, const struct published *of,
                    const struct verdict_cases *cases, const char *ours, ...)
{
    struct published is = *of;
    const char *verdict = "reproduced";
    va_list ap;
    if (cases->otherwise > 0) {
        verdict = "differs";
    } else if (cases->n == 0 || cases->sure < cases->n) {
        verdict = "cannot be compared";
        is.why = cases->n ? "intervals hold 0" : "there is no such case";
    }
    va_start (ap, ours);
    fill_row (run, &is, verdict, *verdict != 'r', ours, ap);
    va_end (ap);
}

void verdict_draw (struct paper_run *run, const struct published *of,
                   const char *ours, ...)
{
    va_list ap;
    va_start (ap, ours);
    fill_row (run, of, "a drawing", false, ours, ap);
    va_end (ap);
}

void verdict_refuse (struct paper_run *run, const struct published *of,
                     const char *ours, ...)
{
    va_list ap;
    va_start (ap, ours);
    fill_row (run, of, "cannot be compared", true, ours, ap);
    va_end (ap);
}
