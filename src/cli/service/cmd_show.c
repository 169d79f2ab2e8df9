/* tori show - all about one job of a running torid. */
#include <stdlib.h>
#include <string.h>

#include "http_client.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobmembers.h"
#include "jobs.h"
#include "terminal.h"
#include "whylines.h"

struct values {
    const char *socket, *id;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {"id", OPTION_STRING, offsetof (struct values, id), "ID",
     .operand = true, .required = true, .asks = "all-jobs",
     .help = "the number of a job, or its name elsewhere, such as "
             "slurm:19"},
    {.name = NULL},
};

/* ---- members ---- */

static void put_line (FILE *out, const char *label, const char *text)
{
    char *clean = strdup (text);
    if (clean)
        text_clean (clean);
    fprintf (out, "%-12s%s\n", label, clean ? clean : "");
    free (clean);
}

static void put_clock (FILE *out, const char *label, const json_t *value)
{
    char text[CLOCK_TEXT_MAX];
    clock_format (seconds_ticks (value), text);
    put_line (out, label, text);
}

static void put_length (FILE *out, const char *label, const json_t *value)
{
    char text[DURATION_TEXT_MAX];
    duration_format (seconds_ticks (value), text);
    put_line (out, label, text);
}

/* A word quoted for a shell, with its lines. */
static void put_word (FILE *out, const char *word)
{
    char *clean;
    if (*word && !word[strspn (word, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-+=/.,:@%")]) {
        fputs (word, out);
        return;
    }
    clean = strdup (word);
    if (clean)
        text_clean (clean);
    fputc ('\'', out);
    for (size_t i = 0; clean && word[i]; i++)
        if (word[i] == '\'')
            fputs ("'\\''", out);
        else
            fputc (word[i] == '\n' ? '\n' : clean[i], out);
    fputc ('\'', out);
    free (clean);
}

/* Words, with blanks between them. */
static void put_words (FILE *out, const char *label, const json_t *value)
{
    if (json_is_string (value)) {
        put_line (out, label, json_string_value (value));
        return;
    }
    fprintf (out, "%-12s", label);
    for (size_t i = 0; i < json_array_size (value); i++) {
        const char *word = json_string_value (json_array_get (value, i));
        if (i)
            fputc (' ', out);
        put_word (out, word ? word : "?");
    }
    fputc ('\n', out);
}

static void put_place (FILE *out, const char *label, const json_t *value)
{
    if (json_object_get (value, "box"))
        put_line (out, label, job_text (value, "box"));
    else if (json_object_get (value, "boxes"))
        put_words (out, label, json_object_get (value, "boxes"));
    else
        put_words (out, label, json_object_get (value, "nodes"));
}

/* Any other value, as JSON. */
static void put_any (FILE *out, const char *label, const json_t *value)
{
    char *text
        = json_dumps (value, JSON_ENCODE_ANY | JSON_REAL_PRECISION (16));
    if (json_is_string (value))
        put_line (out, label, json_string_value (value));
    else if (!json_is_null (value))
        put_line (out, label, text ? text : "");
    free (text);
}

/* The labels and forms of members, in this order. Members without a label are
 * shown elsewhere. All others follow as they are. */
static const struct shown {
    const char *key, *label;
    void (*put) (FILE *out, const char *label, const json_t *value);
} shown[] = {
    {"name", "name", put_any},
    {"alias", "known as", put_any},
    {"user", "user", put_any},
    {"queue", "queue", put_any},
    {"time_limit", "time limit", put_length},
    {"warn", "warned", put_length},
    {"warning", "by signal", put_any},
    {"runtime", "rehearsed", put_length},
    {"submit", "submitted", put_clock},
    {"begin", "not before", put_clock},
    {"start", "started", put_clock},
    {"end", "ended", put_clock},
    {"place", "place", put_place},
    {"after", "after", put_words},
    {"only", "only on", put_words},
    {"command", "command", put_words},
    {"directory", "directory", put_any},
    {"input", "input", put_any},
    {"output", "output", put_any},
    {"error", "errors", put_any},
    {"on_failure", "on failure", put_any},
    {"checkpoint", "checkpoints", put_length},
    {"attempt", "attempt", put_any},
    {"effective_priority", "goes by", put_any},
    {"id", NULL, NULL},
    {"map", NULL, NULL},
    {"state", NULL, NULL},
    {"starting", NULL, NULL},
    {"shape", NULL, NULL},
    {"count", NULL, NULL},
    {"wiring", NULL, NULL},
    {"alternatives", NULL, NULL},
    {"reason", NULL, NULL},
    {"waits", NULL, NULL},
    {"hold", NULL, NULL},
    {"limit", NULL, NULL},
    {"status", NULL, NULL},
    {"signal", NULL, NULL},
    {"why", NULL, NULL},
};

enum { SHOWN = sizeof shown / sizeof *shown };

static bool is_shown (const char *key)
{
    for (size_t i = 0; i < SHOWN; i++)
        if (!strcmp (shown[i].key, key))
            return true;
    return false;
}

static void print_members (json_t *job, FILE *out)
{
    const char *key;
    json_t *value;
    for (size_t i = 0; i < SHOWN; i++) {
        value = json_object_get (job, shown[i].key);
        if (value && shown[i].put)
            shown[i].put (out, shown[i].label, value);
    }
    json_object_foreach (job, key, value)
        if (!is_shown (key) && !job_name_is_old (key))
            put_any (out, key, value);
}

/* ---- the page ---- */

/* "job 17 has run for 12m: 0,0/2x2". */
static void print_state (const json_t *job, FILE *out)
{
    char remark[JOB_TEXT_MAX], time[DURATION_TEXT_MAX];
    bool waits = job_is (job, "queued"), over = job_is (job, "ended");
    tori_time from = job_time (job, waits ? "submit" : "start");
    tori_time to = over ? job_time (job, "end") : clock_now ();
    job_remark (job, remark);
    to -= to % TORI_SECOND;
    from -= from % TORI_SECOND;
    duration_about (to > from ? to - from : 0, time);
    fprintf (out, "job %lld ", (long long)job_number (job, "id"));
    if (over && !json_object_get (job, "start"))
        fprintf (out, "ended without being started: %s\n", remark);
    else
        fprintf (out, "%s %s: %s\n",
                 waits  ? "has waited for"
                 : over ? "ended after"
                 : json_is_true (json_object_get (job, "starting"))
                     ? "has been starting for"
                     : "has run for",
                 time, remark);
}

static int print_job (const struct values *v, json_t *job, FILE *out,
                      tori_error *err)
{
    char request[JOB_TEXT_MAX];
    print_state (job, out);
    job_request (job, request);
    put_line (out, "asks for", request);
    print_members (job, out);
    if (!job_is (job, "queued"))
        return 0;
    fputc ('\n', out);
    return why_job (v->socket, (uint64_t)job_number (job, "id"), out, err);
}

static int run_show (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *job = NULL;
    int64_t id;
    int status;
    if (job_find (v->socket, v->id, &id, err) < 0
        || job_fetch (v->socket, id, &job, err) < 0)
        return -1;
    status = v->json
                 ? member_print (&(struct asked){"show", &command_show, v},
                                 "job", job, out, err)
                 : print_job (v, job, out, err);
    json_decref (job);
    return status;
}

const struct command command_show = {
    .name = "show",
    .summary = "Show one job of a running torid in full",
    .notes = "For a job that waits it says, as 'tori why' does, what keeps it "
             "waiting, when it is expected to start and what would help.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_show,
    .examples = "tori show 17",
    .run = run_show,
};
