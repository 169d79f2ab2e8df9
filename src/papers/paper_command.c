#include "paper_command.h"

#include <stddef.h>

#include "fieldrows.h"
#include "names.h"
#include "view.h"

/* test_paper.c compares them with the table of papers.c. */
const char *paper_names (size_t i)
{
    static const char *const names[] = {
        "list",       "all",     "multitoroidal", "clusters",
        "manhattan-median", "table1", "flow",     "isomorphic",
        "latency",    "queue-tree", "preemption", "dilation",
        "contention", "rfold",   "lines",         "subcubes",
        "partitions", "preemptive", "slices"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

#define AT(member) offsetof (struct paper_values, member)

const struct option paper_options[] = {
    {"name", OPTION_STRING, AT (name), "NAME", .choices = paper_names,
     .required = true, .operand = true, .help = "a paper, list, or all"},
    {"out", OPTION_STRING, AT (out), "DIR",
     .help = "write CSV and figures (SVG and PDF) into this directory; of "
             "all, into one for each paper within it"},
    {"quick", OPTION_FLAG, AT (quick), .without = "limit seeds model",
     .help = "run as few jobs and seeds as still show the same: all papers "
             "take minutes, not hours"},
    {"traces", OPTION_STRINGS, AT (traces), "PLACE",
     .help = "for multitoroidal, table1 and flow: a folder of job logs or a "
             "log; if not given, $TORI_TRACES, then tori/traces below the "
             "user's data directory, $XDG_DATA_HOME or ~/.local/share"},
    {"model", OPTION_CHOICE, AT (model), "NAME", .choices = model_names,
     .help = "for multitoroidal and flow: also run a workload model, which "
             "needs no log"},
    {"service", OPTION_STRING, AT (service), "DIST",
     .help = "for isomorphic: service times of mean 1, exponential (if not "
             "given), hyperexponential:CV2 with the squared coefficient of "
             "variation CV2, or uniform-log"},
    {"limit", OPTION_INTEGER, AT (limit), "N", .min = 1, .max = INT32_MAX,
     .help =
         "take only the first N jobs of a log, or make N by a model "
         "(10000 if not given, 1000 for isomorphic and rfold); for latency: "
         "measure N cycles; for queue-tree: N jobs per run (enough for "
         "a steady state if not given); for contention: search in at "
         "most N steps, and prove the least plan of few jobs in 100 N (a "
         "million if not given); for slices: at most N trials of each point; "
         "not for papers without random jobs"},
    {"jobs", OPTION_INTEGER, AT (jobs), "N", .min = 1, .max = 16,
     .help = "for contention: prove the least plan of sets of N jobs (5, 6 "
             "and 7 if not given)"},
    OPTION_ROW_SEED (struct paper_values,
                     "seed of all random choices: a model, which jobs are "
                     "tori"),
    {"seeds", OPTION_INTEGER, AT (seeds), "N", .min = 2, .max = 20,
     .help = "for isomorphic, queue-tree, contention, rfold and slices: "
             "how often each point is simulated, with seeds from --seed on "
             "(if not given, isomorphic and slices 20, queue-tree 5, rfold 5, "
             "contention 10)"},
    OPTION_ROW_WORKERS (struct paper_values,
                        "how many simulations run in parallel"),
    OPTION_ROW_JSON (struct paper_values),
    {.name = NULL},
};

const char paper_notes[]
    = "Job logs do not come with tori. Get them from the Parallel Workloads "
      "Archive (https://www.cs.huji.ac.il/labs/parallel/workload/), and keep "
      "their names. A log that is not found is left out, with a note; it is an "
      "error if nothing is left to compute. Without matplotlib, --out writes "
      "everything but the figures, and the status is 1.";

#undef AT
#define AT(member) FIELD_AT (struct paper_entry, member)

static bool has_result (const struct field *field, const void *row)
{
    const struct paper_entry *entry = row;
    return entry->result && *entry->result;
}

static void emit_result (struct emit *e, const struct field *field,
                         const void *row)
{
    emit_json (e, field->name, ((const struct paper_entry *)row)->result);
}

static const struct field paper_entry_fields[] = {
    {"name", FIELD_TEXT, AT (name), "what to type"},
    {"what", FIELD_TEXT, AT (what), "what it shows"},
    {"citation", FIELD_TEXT, AT (citation), "the paper"},
    {"result", FIELD_BY,
     .about = "of tori paper all: what 'tori paper NAME' answers",
     .by = emit_result, .when = has_result},
    {"error", FIELD_TEXT, AT (error),
     "of tori paper all: why there is no result, or no figures",
     .when = field_is_set},
};
SHEET (paper_entry);

static void emit_entries (struct emit *e, const struct field *field,
                          const void *row)
{
    const struct rows *rows = row;
    sheet_emit_rows (e, field->name, field->group, rows->row, rows->n,
                     rows->size);
}

static const struct field paper_fields[] = {
    {"papers", FIELD_LIST, .about = "of tori paper list and all: the papers",
     .group = &paper_entry_sheet, .by = emit_entries},
};
ANSWER (paper);
