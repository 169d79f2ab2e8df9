/* tori gang status - the state of a listening run. The run answers in JSON;
 * this file makes a table of it for people. */
#include <string.h>

#include "http_client.h"
#include "client.h"
#include "commands.h"
#include "fieldrows.h"
#include "gangjobs.h"
#include "table.h"
#include "terminal.h"

#include <jansson.h>

struct values {
    const char *socket;
    bool all;
    bool json;
};

static const struct option options[] = {
    GANGJOBS_SOCKET (struct values),
    {"all", OPTION_FLAG, offsetof (struct values, all),
     .help = "jobs that have ended as well, with their status"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the machine ---- */

static double number_of (const json_t *object, const char *key)
{
    return json_number_value (json_object_get (object, key));
}

static const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "-";
}

/* "; ranks 1, 3: dead" */
static void print_ranks (const json_t *root, const char *key,
                         const char *what, FILE *out)
{
    const json_t *list = json_object_get (root, key);
    size_t n = json_array_size (list);
    for (size_t i = 0; i < n; i++)
        fprintf (out, "%s%lld", i > 0 ? ", " : n > 1 ? "; ranks " : "; rank ",
                 (long long)json_integer_value (json_array_get (list, i)));
    if (n > 0)
        fprintf (out, " %s", what);
}

/* "; stops by signals" */
static void print_freeze (const json_t *root, FILE *out)
{
    static const struct {
        const char *freeze, *says;
    } ways[] = {{"cgroup", "control groups"},
                {"signal", "signals"},
                {"both", "control groups or signals"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (!strcmp (text_of (root, "freeze"), ways[i].freeze))
            fprintf (out, "; stops by %s", ways[i].says);
}

static void print_machine (const json_t *root, FILE *out)
{
    static const struct {
        const char *stop, *says;
    } stops[] = {{"drain", "; no more jobs are accepted, and the run ends "
                           "with those it has"},
                 {"now", "; the run is being stopped and its jobs killed"}};
    double ranks = number_of (root, "ranks");
    double ended = number_of (root, "ended");
    double period = number_of (root, "period");
    fprintf (out, "%.0f processor%s", ranks, ranks == 1 ? "" : "s");
    print_ranks (root, "dead", "dead", out);
    print_ranks (root, "silent", "silent", out);
    fprintf (out, "; slot %g s", number_of (root, "slot"));
    if (period > 0)
        fprintf (out, "; a turn within %g s", period);
    print_freeze (root, out);
    fprintf (out, "; %.0f job%s ended", ended, ended == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        if (!strcmp (text_of (root, "stop"), stops[i].stop))
            fputs (stops[i].says, out);
    fputc ('\n', out);
}

/* ---- jobs ---- */

/* The time between two times, if both are known. */
static void cell_span (struct table *table, const json_t *from,
                       const json_t *to)
{
    if (from && to)
        table_cell (table, "%.1f s",
                    json_number_value (to) - json_number_value (from));
    else
        table_cell (table, "-");
}

static void cell_seconds (struct table *table, const json_t *seconds)
{
    if (seconds)
        table_cell (table, "%.1f s", json_number_value (seconds));
    else
        table_cell (table, "-");
}

static void cell_count (struct table *table, const json_t *count)
{
    if (count)
        table_cell (table, "%lld", (long long)json_integer_value (count));
    else
        table_cell (table, "-");
}

/* The command, in one line and cut to the room that other columns leave. */
static void cell_command (struct table *table, const char *command)
{
    enum { MOST = 40 };
    char text[4 * MOST + 8];
    size_t n = 0, characters = 0;
    for (; *command && n + 4 < sizeof text; command++) {
        bool begins = ((unsigned char)*command & 0xc0) != 0x80;
        if (begins && characters++ == MOST)
            break;
        text[n++] = (unsigned char)*command < ' ' || *command == 0x7f
                        ? ' '
                        : *command;
    }
    text[n] = 0;
    table_cell (table, "%s%s", text, *command ? "..." : "");
}

static void add_job (struct table *table, const json_t *job,
                     const json_t *now)
{
    const json_t *submit = json_object_get (job, "submit");
    cell_count (table, json_object_get (job, "id"));
    table_cell (table, "%s", text_of (job, "state"));
    cell_span (table, json_object_get (job, "since"), now);
    cell_span (table, submit, now);
    cell_span (table, submit, json_object_get (job, "first_turn"));
    cell_count (table, json_object_get (job, "turns"));
    cell_seconds (table, json_object_get (job, "cpu"));
    cell_count (table, json_object_get (job, "count"));
    table_cell (table, "%s", text_of (job, "partition"));
    cell_command (table, text_of (job, "command"));
    if (json_object_get (job, "status"))
        table_cell (table, "status %.0f", number_of (job, "status"));
    else
        table_cell (table, "%s", json_object_get (job, "why")
                                     ? text_of (job, "why")
                                     : "");
}

static int print_jobs (const json_t *root, FILE *out, tori_error *err)
{
    static const struct table_column columns[]
        = {{"job", TABLE_NUMBER},   {"state", TABLE_TEXT},
           {"for", TABLE_NUMBER},   {"age", TABLE_NUMBER},
           {"first", TABLE_NUMBER}, {"turns", TABLE_NUMBER},
           {"cpu", TABLE_NUMBER},   {"n", TABLE_NUMBER},
           {"partition", TABLE_TEXT}, {"command", TABLE_TEXT},
           {"why", TABLE_TEXT}};
    const json_t *jobs = json_object_get (root, "jobs");
    struct table *table;
    if (json_array_size (jobs) == 0) {
        fputs ("no jobs\n", out);
        return 0;
    }
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size (jobs); i++)
        add_job (table, json_array_get (jobs, i),
                 json_object_get (root, "now"));
    return table_print (table, out, terminal_bold (), err);
}

static int print_status (const json_t *root, FILE *out, tori_error *err)
{
    print_machine (root, out);
    return print_jobs (root, out, err);
}

static int answer_status (const struct values *v, const char *path,
                          const struct bytes *text, FILE *out, tori_error *err)
{
    json_error_t why;
    json_t *root = json_loadb (text->data, text->n, 0, &why);
    int status;
    if (!root)
        return tori_error_set (err, TORI_FAILED,
                               "%s: the answer of the run is not JSON: %s",
                               path, why.text);
    status = v->json ? answer_print (&(struct asked){&command_gang_status, v},
                                     root, out, err)
                     : print_status (root, out, err);
    json_decref (root);
    return status;
}

static int run_gang_status (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct bytes text = {0};
    const char *path;
    int status = gangjobs_socket (v->socket, &path, err);
    if (status == 0)
        status = client_ask (path, FRAME_ASK, v->all, &text, err);
    if (status == 0)
        status = answer_status (v, path, &text, out, err);
    bytes_clear (&text);
    return status;
}

/* The run writes its answer itself, and this command passes it on. */
static const struct field gang_job_fields[] = {
    FIELD ("*", "what is known of a job"),
};
SHEET (gang_job);

static const struct field gang_status_fields[] = {
    FIELD ("freeze", "how processes are stopped: cgroup, signal, or both if "
                     "not all hosts do the same"),
    FIELD ("*", "what is known of the run, as in its manual page"),
    LIST_OF ("jobs", gang_job, "the jobs"),
};
static ANSWER (gang_status);

const struct command command_gang_status = {
    .name = "status",
    .path = "gang status",
    .summary = "Show the state of a listening run",
    .notes = "First one line for the machine: its processors, those that "
             "are dead, those that do not answer (silent), the slot, "
             "the time within which every job that does not sleep has a "
             "turn, and how processes are stopped (--freeze of 'tori gang "
             "run'). Then one row per job that has not ended: its number, "
             "its state and for how long, its age, how long it waited for "
             "its first turn, turns so far, processor time, processes, "
             "partition, command, "
             "and why it does not run now. A job is waiting (has no "
             "partition), ready (in its queue), running, asleep (out of its "
             "queue), ending, or unknown (the rank that knows does not "
             "answer), and with --all perhaps ended. With --json, times are "
             "in seconds since the start of "
             "the run. See doc/gang.md.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang status --socket gang.sock\n"
                "tori gang status --socket gang.sock --json",
    .status = {"the run has answered",
               "no run listens there, or it does not answer"},
    .answer = &answer_gang_status,
    .run = run_gang_status,
};
