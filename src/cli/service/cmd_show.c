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

/* The ends of runs before the current one, and how long each was. */
static void put_runs (FILE *out, const char *label, const json_t *value)
{
    for (size_t i = 0; i < json_array_size (value); i++) {
        const json_t *run = json_array_get (value, i);
        char from[CLOCK_TEXT_MAX], text[CLOCK_TEXT_MAX + DURATION_TEXT_MAX + 8];
        char time[DURATION_TEXT_MAX];
        clock_format (job_time (run, "start"), from);
        duration_format (job_time (run, "elapsed"), time);
        if (json_object_get (run, "end"))
            snprintf (text, sizeof text, "%s for %s", from, time);
        put_line (out, i ? "" : label,
                  json_object_get (run, "end") ? text : from);
    }
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

/* The labels and forms of members, in this order. All others follow as they
 * are. */
#define JOB_LABEL(name, type, line, label) \
    [line] = {JOB_KEY (name), label, PUT_##type},
#define PUT_TEXT put_any
#define PUT_WHOLE put_any
#define PUT_FAILURE put_any
#define PUT_TIME put_length
#define PUT_LIMIT put_length
#define PUT_MOMENT put_clock
#define PUT_WORDS put_words
#define PUT_AFTERS put_words
#define PUT_NODES put_words
static const struct shown {
    const char *key, *label;
    void (*put) (FILE *out, const char *label, const json_t *value);
} shown[] = {
#include "jobrows.h"
    [30] = {"user", "user", put_any},
    [90] = {"submit", "submitted", put_clock},
    [110] = {"start", "started", put_clock},
    [120] = {"end", "ended", put_clock},
    [130] = {"place", "place", put_place},
    [230] = {"attempt", "attempt", put_any},
    [235] = {"requeue_reason", "requeued", put_any},
    [237] = {"move_reason", "moved", put_any},
    [238] = {"stop_reason", "stopped", put_any},
    [239] = {"runs", "runs", put_runs},
    [240] = {"effective_priority", "goes by", put_any},
};

/* Members that other parts of the page show. */
static const char *const elsewhere[] = {
    "id",
    "map",
    "state",
    "starting",
    "suspended",
    "only_placed",
    JOB_KEY (shape),
    JOB_KEY (count),
    JOB_KEY (wiring),
    JOB_KEY (alternatives),
    "reason",
    "waits",
    "expected_start",
    "expected_place",
    JOB_KEY (hold),
    "limit",
    "status",
    "signal",
    "why",
};

enum {
    SHOWN = sizeof shown / sizeof *shown,
    ELSEWHERE = sizeof elsewhere / sizeof *elsewhere
};

static bool is_shown (const char *key)
{
    for (size_t i = 0; i < SHOWN; i++)
        if (shown[i].key && !strcmp (shown[i].key, key))
            return true;
    for (size_t i = 0; i < ELSEWHERE; i++)
        if (!strcmp (elsewhere[i], key))
            return true;
    return false;
}

static void print_members (json_t *job, FILE *out)
{
    const char *key;
    json_t *value;
    for (size_t i = 0; i < SHOWN; i++) {
        value = shown[i].key ? json_object_get (job, shown[i].key) : NULL;
        if (value)
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
    if (json_is_true (json_object_get (job, "suspended")))
        fprintf (out, "is suspended: %s\n", remark);
    else if (over && !json_object_get (job, "start"))
        fprintf (out, "ended without being started: %s\n", remark);
    else
        fprintf (out, "%s %s: %s\n",
                 waits  ? "has waited for"
                 : over ? "ended after"
                 : json_is_true (json_object_get (job, "only_placed"))
                     ? "has been placed, but nothing runs it, for"
                 : json_is_true (json_object_get (job, "starting"))
                     ? "has been starting for"
                     : "has run for",
                 time, remark);
}

static void print_job (json_t *job, const char *why, FILE *out)
{
    char request[JOB_TEXT_MAX];
    print_state (job, out);
    job_request (job, request);
    put_line (out, "asks for", request);
    print_members (job, out);
    if (why)
        fprintf (out, "\n%s", why);
}

/* The reason is that of `tori why`, in the head as well as below. */
static int explain_and_print (const struct values *v, json_t *job, FILE *out,
                              tori_error *err)
{
    char *text = NULL;
    size_t n;
    FILE *lines = open_memstream (&text, &n);
    int status = lines ? why_job (v->socket, job, lines, err)
                       : tori_error_nomem (err);
    if (lines && fclose (lines) != 0 && status == 0)
        status = tori_error_nomem (err);
    if (status == 0)
        print_job (job, text, out);
    free (text);
    return status;
}

static int show_job (const struct values *v, json_t *job, FILE *out,
                     tori_error *err)
{
    bool waits = job_is (job, "queued");
    if (v->json)
        return waits && why_job (v->socket, job, NULL, err) < 0
                   ? -1
                   : member_print (&(struct asked){&command_show, v}, "job",
                                   job, out, err);
    if (waits)
        return explain_and_print (v, job, out, err);
    print_job (job, NULL, out);
    return 0;
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
    status = show_job (v, job, out, err);
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
