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
     "reproduced, differs, or cannot be compared"},
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

bool verdict_near (double printed, double ours)
{
    return fabs (ours - printed) <= fabs (printed) / 4;
}

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

void verdict_refuse (struct paper_run *run, const struct published *of,
                     const char *ours, ...)
{
    va_list ap;
    va_start (ap, ours);
    fill_row (run, of, "cannot be compared", true, ours, ap);
    va_end (ap);
}
