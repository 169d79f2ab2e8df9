/* tori submit and tori run - a job for a running torid. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/machine.h>

#include "attach.h"
#include "http_client.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobmembers.h"
#include "jobs.h"
#include "script.h"
#include "submit_dry_run.h"
#include "jobwait.h"
#include "syserror.h"
#include "utf8.h"

/* The C type of an option, by the type of its member (jobrows.h). */
#define SUBMIT_C_TEXT const char *
#define SUBMIT_C_SHAPE const char *
#define SUBMIT_C_COUNT int64_t
#define SUBMIT_C_WIRING const char *
#define SUBMIT_C_FOLD const char *
#define SUBMIT_C_FLAG bool
#define SUBMIT_C_REQUESTS struct strings
#define SUBMIT_C_NODES struct strings
#define SUBMIT_C_TIME const char *
#define SUBMIT_C_LIMIT const char *
#define SUBMIT_C_MOMENT const char *
#define SUBMIT_C_WHOLE int64_t
#define SUBMIT_C_TIER int64_t
#define SUBMIT_C_PREEMPTED int
#define SUBMIT_C_MOVABLE bool
#define SUBMIT_C_FAILURE int
#define SUBMIT_C_AFTERS struct strings
#define SUBMIT_C_RANGE const char *
#define SUBMIT_C_VARIABLES struct strings

struct values {
#define JOB_OPTION(name, type, ...) SUBMIT_C_##type name;
#include "jobrows.h"
    const char *socket;
    struct strings command;
    bool clean_env, wait, test_only, pty, json;
};

#define AT(member) offsetof (struct values, member)

#define KIND_OF(type)                                                         \
    _Generic ((type){0},                                                      \
        const char *: OPTION_STRING,                                          \
        int64_t: OPTION_INTEGER,                                              \
        int: OPTION_CHOICE,                                                   \
        bool: OPTION_FLAG,                                                    \
        struct strings: OPTION_STRINGS)

#define JOB_ROW(member, type, option, ...)                                    \
    {option, KIND_OF (SUBMIT_C_##type), AT (member), __VA_ARGS__},
#define CLEAN_ENV_ROW                                                         \
    {                                                                         \
        "clean-env", OPTION_FLAG, AT (clean_env),                             \
            .help = "do not pass on the variables of this shell"              \
    }

static const struct option options[] = {
#define JOB_OPTION JOB_ROW
#include "jobrows.h"
    CLEAN_ENV_ROW,
    {"wait", OPTION_FLAG, AT (wait),
     .help = "wait until it has ended, and return its status"},
    {"test-only", OPTION_FLAG, AT (test_only), .without = "wait",
     .help = "do not submit it, but tell when and where it would start, and "
             "why not at once, for this user in this queue"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {"command", OPTION_STRINGS, AT (command), "PROGRAM|SCRIPT",
     .operand = true,
     .help = "a program or a batch script, and its arguments"},
    {.name = NULL},
};

static const struct option run_options[] = {
#define JOB_OPTION JOB_ROW
#define JOB_BATCH_OPTION(...)
#include "jobrows.h"
    CLEAN_ENV_ROW,
    {"pty", OPTION_FLAG, AT (pty),
     .help = "give it a terminal of its own, as an interactive shell needs"},
    OPTION_ROW_SOCKET (struct values),
    {"command", OPTION_STRINGS, AT (command), "PROGRAM", .operand = true,
     .required = true, .help = "a program and its arguments"},
    {.name = NULL},
};

/* ---- the job ---- */

/* Options that are not given are left out. */
static json_t *text_json (const char *value)
{
    return value ? json_string (value) : NULL;
}

static json_t *number_json (int64_t value)
{
    return value ? json_integer (value) : NULL;
}

static json_t *flag_json (bool given, bool value)
{
    return given ? json_boolean (value) : NULL;
}

static json_t *list_of (const struct strings *words, size_t from)
{
    json_t *list = json_array ();
    for (size_t i = from; i < words->n; i++)
        json_array_append_new (list, json_string (words->item[i]));
    return list;
}

static json_t *list_json (const struct strings *words)
{
    return words->n > 0 ? list_of (words, 0) : NULL;
}

static json_t *time_json (const char *text, tori_error *err)
{
    tori_time time;
    return text && duration_parse (text, &time, err) == 0
               ? json_real ((double)time / TORI_SECOND)
               : NULL;
}

static json_t *limit_json (const char *text, tori_error *err)
{
    tori_error why;
    tori_time time;
    if (!text)
        return NULL;
    if (limit_parse (text, &time, &why) == 0)
        return json_real ((double)time / TORI_SECOND);
    tori_error_set (err, why.status, "--time: %s", why.text);
    return NULL;
}

static json_t *moment_json (const char *text, tori_error *err)
{
    tori_time time;
    return text && clock_parse (text, clock_now (), &time, err) == 0
               ? json_integer (time / TORI_SECOND)
               : NULL;
}

/* The option of a member as JSON, by its type; other types are set by hand. */
#define JSON_OF_TEXT(it) text_json (it)
#define JSON_OF_SHAPE(it) text_json (it)
#define JSON_OF_COUNT(it) number_json (it)
#define JSON_OF_WIRING(it) text_json (it)
#define JSON_OF_FOLD(it) text_json (it)
#define JSON_OF_FLAG(it) flag_json (it, true)
#define JSON_OF_REQUESTS(it) NULL
#define JSON_OF_NODES(it) list_json (&it)
#define JSON_OF_TIME(it) time_json (it, &why)
#define JSON_OF_LIMIT(it) limit_json (it, &why)
#define JSON_OF_MOMENT(it) moment_json (it, &why)
#define JSON_OF_WHOLE(it) number_json (it)
#define JSON_OF_TIER(it) number_json (it)
#define JSON_OF_PREEMPTED(it)                                                 \
    text_json (it < 0 ? NULL : job_preempted_name ((size_t)it))
#define JSON_OF_MOVABLE(it) flag_json (it, false)
#define JSON_OF_FAILURE(it)                                                   \
    text_json (it < 0 ? NULL : job_failure_name ((size_t)it))
#define JSON_OF_AFTERS(it) list_json (&it)
#define JSON_OF_RANGE(it) text_json (it)
#define JSON_OF_VARIABLES(it) NULL

static int set_members (json_t *job, const struct values *v, tori_error *err)
{
    tori_error why = {0};
    json_t *value;
#define JOB_OPTION(name, type, ...)                                           \
    value = JSON_OF_##type (v->name);                                         \
    if (value)                                                                \
        json_object_set_new (job, #name, value);
#include "jobrows.h"
    return why.status ? tori_error_set (err, why.status, "%s", why.text) : 0;
}

/* "NAME=VALUE". */
static bool set_variable (json_t *all, const char *variable)
{
    const char *is = strchr (variable, '=');
    char *name = is && is > variable
                     ? strndup (variable, (size_t)(is - variable))
                     : NULL;
    if (name)
        json_object_set_new (all, name, json_string (is + 1));
    free (name);
    return name != NULL;
}

/* Secrets of tori itself: torid would write them to its journal. */
static bool is_secret (const char *variable)
{
    static const char *const names[] = {"TORI_TOKEN=", "TORI_MEET="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp (variable, names[i], strlen (names[i])))
            return true;
    return false;
}

/* A variable that JSON cannot hold is left out, with a warning: the job seldom
 * needs it, and may still run without it. */
static void inherit_variable (json_t *all, const char *variable)
{
    char name[100];
    if (is_secret (variable))
        return;
    if (utf8_whole (variable)) {
        set_variable (all, variable);
        return;
    }
    snprintf (name, sizeof name, "%.*s", (int)strcspn (variable, "="),
              variable);
    utf8_mend (name);
    fprintf (stderr,
             "tori: the variable %s is not UTF-8, and the job does not get "
             "it\n",
             name);
}

static int set_environment (json_t *job, const struct values *v,
                            tori_error *err)
{
    json_t *all = json_object ();
    json_object_set_new (job, JOB_KEY (environment), all);
    for (char **variable = environ; !v->clean_env && *variable; variable++)
        inherit_variable (all, *variable);
    for (size_t i = 0; i < v->environment.n; i++)
        if (!set_variable (all, v->environment.item[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "--env: '%.40s' is not NAME=VALUE",
                                   v->environment.item[i]);
    return 0;
}

/* Members of a shape, such as its wiring, hold for all alternatives. */
static json_t *wish_json (const json_t *job, const char *text)
{
    json_t *wish = json_object ();
    if (*text && !text[strspn (text, "0123456789")]) {
        json_object_set_new (wish, JOB_KEY (count),
                             json_integer (strtoll (text, NULL, 10)));
        return wish;
    }
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        json_t *value = json_object_get (job, job_members[i].name);
        if (job_is_wish[i] && i != JOB_count && value)
            json_object_set (wish, job_members[i].name, value);
    }
    json_object_set_new (wish, JOB_KEY (shape), json_string (text));
    return wish;
}

/* The rest of "4x4x2@10m,count=32": how long it waits for the shape, and what it
 * takes then; without that, as many nodes. */
static int split_shape (json_t *job, json_t *others, tori_error *err)
{
    const char *text = json_string_value (json_object_get (job, "shape"));
    char shape[TORI_TEXT_MAX], time[DURATION_TEXT_MAX] = "", then[40] = "";
    tori_shape sides;
    int64_t patience = 0;
    tori_error why;
    if (!text || !strchr (text, '@'))
        return 0;
    if (json_object_get (job, JOB_KEY (patience)))
        return tori_error_set (err, TORI_INVALID,
                               "--shape %.60s and --patience both say how long "
                               "it waits",
                               text);
    if (sscanf (text, "%255[^@]@%47[^,],%39s", shape, time, then) >= 2
        && limit_parse (time, &patience, &why) < 0)
        return tori_error_set (err, TORI_INVALID, "--shape %.60s: %.200s",
                               text, why.text);
    if (!*time || tori_shape_parse (shape, &sides, NULL) < 0 || patience <= 0
        || (*then && strncmp (then, "count=", 6)))
        return tori_error_set (err, TORI_INVALID,
                               "--shape %.60s: expected a shape, or "
                               "SHAPE@TIME[,count=N]",
                               text);
    if (!*then)
        snprintf (then, sizeof then, "count=%llu",
                  (unsigned long long)tori_shape_volume (&sides));
    json_object_set_new (job, JOB_KEY (patience), time_json (time, err));
    json_array_append_new (others, wish_json (job, then + 6));
    json_object_set_new (job, JOB_KEY (shape), json_string (shape));
    return 0;
}

static int set_wishes (json_t *job, const struct values *v, tori_error *err)
{
    json_t *others = json_array ();
    int status = split_shape (job, others, err);
    for (size_t i = 0; i < v->alternatives.n; i++)
        json_array_append_new (others,
                               wish_json (job, v->alternatives.item[i]));
    for (size_t i = 0; i < JOB_MEMBERS && !v->shape; i++)
        if (job_is_wish[i] && i != JOB_count)
            json_object_del (job, job_members[i].name);
    if (json_array_size (others) > 0)
        json_object_set (job, JOB_KEY (alternatives), others);
    json_decref (others);
    return status;
}

/* Set the job's directory, as an absolute path. Without a path the job would
 * run in its user's home. */
static int set_directory (json_t *job, const char *given, tori_error *err)
{
    bool whole = given && given[0] == '/';
    char *path = whole ? strdup (given) : getcwd (NULL, 0);
    int status;
    if (!path)
        return system_error ("this directory", errno, err);
    if (given && !whole) {
        char *here = path;
        if (asprintf (&path, "%s/%s", here, given) < 0)
            path = NULL;
        free (here);
        if (!path)
            return tori_error_nomem (err);
    }
    status = asked_check_utf8 ("the directory", path, err);
    json_object_set_new (job, JOB_KEY (directory), json_string (path));
    free (path);
    return status;
}

/* "--" may stand in front of the program, which then is not a script. */
static size_t first_word (const struct values *v)
{
    return v->command.n > 1 && !strcmp (v->command.item[0], "--");
}

static void set_program (json_t *job, const struct values *v,
                         const struct script *script)
{
    size_t first = first_word (v);
    const char *program = v->command.item[first];
    const char *end = strrchr (program, '/');
    const char *name = end ? end + 1 : strcmp (program, "-") ? program : NULL;
    json_object_set_new (job, JOB_KEY (command), list_of (&v->command, first));
    if (script->text)
        json_object_set_new (job, JOB_KEY (script),
                             json_string (script->text));
    if (!v->name && name)
        json_object_set_new (job, JOB_KEY (name), json_string (name));
}

/* Name an option after the program in the error: it goes to the program, but
 * may have been meant for submit. */
static int refuse_missing (const struct values *v, const char *what,
                           tori_error *err)
{
    size_t first = first_word (v), i = first + 1;
    while (i < v->command.n && strncmp (v->command.item[i], "--", 2))
        i++;
    if (i < v->command.n)
        return tori_error_set (err, TORI_INVALID,
                               "%s; '%.40s' stands after '%.100s', and is "
                               "given to that",
                               what, v->command.item[i],
                               v->command.item[first]);
    return tori_error_set (err, TORI_INVALID, "%s", what);
}

/* Without a file, what a job prints would be lost. */
static void set_output (json_t *job, const struct values *v)
{
    if (!v->output)
        json_object_set_new (job, JOB_KEY (output),
                             json_string (v->array ? "tori-%A_%a.out"
                                                   : "tori-%j.out"));
    else if (!strcmp (v->output, "none"))
        json_object_del (job, JOB_KEY (output));
}

static int make_job (const struct command *command, const struct values *v,
                     const struct script *script, json_t **ret_job,
                     tori_error *err)
{
    json_t *job;
    if (!v->shape && !v->count && v->alternatives.n == 0)
        return refuse_missing (v, "expected --shape SHAPE or --count N", err);
    if (!v->time_limit)
        return refuse_missing (
            v,
            command == &command_run
                ? "--time DURATION is missing; see 'tori run --help'"
                : "--time DURATION is missing; see 'tori submit --help'",
            err);
    if (asked_check_texts (command, v, err) < 0)
        return -1;
    job = json_object ();
    if (set_members (job, v, err) < 0
        || set_directory (job, v->directory, err) < 0
        || set_environment (job, v, err) < 0 || set_wishes (job, v, err) < 0) {
        json_decref (job);
        return -1;
    }
    set_program (job, v, script);
    if (command == &command_submit)
        set_output (job, v);
    *ret_job = job;
    return 0;
}

/* ---- the command ---- */

static void print_ids (const json_t *ids, FILE *out)
{
    size_t n = json_array_size (ids);
    json_int_t first = json_integer_value (json_array_get (ids, 0));
    fprintf (out, "%lld", (long long)first);
    if (n > 1)
        fprintf (out, "-%lld", (long long)(first + (json_int_t)n - 1));
    fputs ("\n", out);
    fflush (out);
}

static int submit_job (const struct values *v, const json_t *job, FILE *out,
                       tori_error *err)
{
    const struct asked asked = {&command_submit, v};
    json_t *answer = NULL;
    int status;
    if (v->test_only)
        return submit_dry_run (v->socket, job, &asked, v->json, out, err);
    status = call (v->socket, "POST", "/v1/jobs", job, &answer, err);
    if (status < 0)
        return -1;
    if (v->json)
        status = answer_print (&asked, answer, out, err);
    else {
        const char *message = job_text (answer, "message");
        print_ids (json_object_get (answer, "ids"), out);
        if (*message)
            fprintf (stderr, "tori: %s\n", message);
    }
    if (status == 0 && v->wait)
        status = wait_for_all (v->socket, USUAL_PATIENCE,
                               json_object_get (answer, "ids"), NULL, err);
    json_decref (answer);
    return status;
}

/* Options on the command line override those of the script. */
static int read_script (struct values *v, struct script *ret_script,
                        tori_error *err)
{
    const char *word = v->command.n > 0 ? v->command.item[0] : NULL;
    struct values asked = *v;
    if (!word)
        return tori_error_set (err, TORI_INVALID,
                               "PROGRAM|SCRIPT is missing; see 'tori submit "
                               "--help'");
    if (script_lacks_mark (word))
        return tori_error_set (err, TORI_INVALID,
                               "%.200s: #TORI lines count only in a script "
                               "that begins with #!, such as #!/bin/sh",
                               word);
    if (!script_is (word))
        return 0;
    if (script_read (word, ret_script, err) < 0
        || script_apply (ret_script, &command_submit, v, err) < 0)
        return -1;
    if (asked.shape || asked.count) {
        v->shape = asked.shape;
        v->count = asked.count;
    }
    return 0;
}

static int run_submit (const void *values, FILE *out, tori_error *err)
{
    struct values v = *(const struct values *)values;
    struct script script = {0};
    json_t *job = NULL;
    int status = -1;
    if (read_script (&v, &script, err) == 0
        && make_job (&command_submit, &v, &script, &job, err) == 0)
        status = submit_job (&v, job, out, err);
    json_decref (job);
    script_clear (&script);
    return status;
}

const struct command command_submit = {
    .name = "submit",
    .summary = "Submit a job to a running torid",
    .notes = "The number of the job is printed, or the first and the last "
             "number of an array. It runs in this directory, with these "
             "variables, when there is a place for it. TORI_TOKEN is not "
             "passed on. Arguments, paths and options must be UTF-8; a "
             "variable that is not is left out, with a warning.\n"
             "A file that begins with #! is a batch script, unless -- stands "
             "in front of it; - is standard input. Its text goes with the "
             "job, so the file may change later. Among the comments at its "
             "beginning, lines that begin with #TORI hold options of this "
             "command; options on the command line override them. The script "
             "runs by itself, as a program would, with the arguments after "
             "its name.\n"
             "What the job prints is in tori-%j.out, where %j is its number, "
             "in the directory where it runs, unless --output says "
             "otherwise.",
    .options = options,
    .size = sizeof (struct values),
    .verbatim = true,
    .status = {[0] = "submitted; with --wait: it ended well; with "
                     "--test-only: it would start at once",
               [1] = "torid does not answer; with --wait, 1 and above: the "
                     "exit status of the job, 128 plus the signal if it was "
                     "killed, 1 if it never ran",
               [2] = "bad usage, or torid refuses it",
               [3] = "with --test-only: it would wait",
               [4] = "it can never run on this machine"},
    .answer = &answer_submitted,
    .examples = "tori submit --shape 4x4x2 --wiring torus --time 1:00:00 -- "
                "./program\n"
                "tori submit --shape 4x4x2 --or 8x2x2 --time 1h job.sh input",
    .run = run_submit,
};

/* ---- tori run ---- */

static int run_attached (const struct values *v, json_t *job, tori_error *err)
{
    struct attach_ends ends;
    json_t *answer = NULL;
    int status;
    if (attach_open (job, &ends, err) < 0)
        return -1;
    status = call (v->socket, "POST", "/v1/jobs", job, &answer, err);
    if (status == 0)
        status = attach_wait (
            v->socket,
            json_integer_value (
                json_array_get (json_object_get (answer, "ids"), 0)),
            ends, v->pty, err);
    json_decref (answer);
    attach_close (ends);
    return status;
}

static int run_run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const struct script none = {0};
    json_t *job = NULL;
    size_t first = first_word (v);
    int status;
    if (attach_is_job ())
        return attach_run (v->command.item + first, v->command.n - first,
                           err);
    if (v->pty && !isatty (STDIN_FILENO))
        return tori_error_set (err, TORI_INVALID,
                               "--pty: standard input is not a terminal");
    if (make_job (&command_run, v, &none, &job, err) < 0)
        return -1;
    status = run_attached (v, job, err);
    json_decref (job);
    return status;
}

const struct command command_run = {
    .name = "run",
    .summary = "Run a job of a running torid here, and wait for its end",
    .notes = "The job has the standard input, output and error of this "
             "command, once it has its nodes. Ctrl-C cancels it. With --pty "
             "it has a terminal of its own, to which Ctrl-C goes as soon as it "
             "runs. If this command is killed, the job gets SIGHUP, and "
             "SIGKILL after 10 seconds. A job that is requeued is connected "
             "again when it starts.\n"
             "The job must run on this host as the same user, as with "
             "torid-local. On other hosts, use 'tori submit' and 'tori logs "
             "-f'.",
    .options = run_options,
    .size = sizeof (struct values),
    .verbatim = true,
    .status = {[0] = "the job ended well",
               [1] = "the exit status of the job: 128 plus the signal if it "
                     "was killed, 130 after Ctrl-C, 1 if it never ran; or "
                     "torid does not answer",
               [2] = "that, or bad usage, or torid refuses it",
               [4] = "that, or it can never run on this machine"},
    .examples = "tori run --count 4 --time 10m -- ./program < input\n"
                "tori run --shape 2x2 --time 1h --pty -- bash",
    .run = run_run,
};
