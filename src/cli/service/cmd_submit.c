/* tori submit - a job for a running torid. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/machine.h>

#include "caller.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "fields.h"
#include "jobs.h"
#include "script.h"
#include "trial.h"
#include "jobwait.h"
#include "utf8.h"

struct values {
    const char *socket, *shape, *wiring, *fold, *time, *name, *queue, *array, *begin;
    const char *input, *output, *error, *directory, *checkpoint, *warn;
    int on_failure, preempted;
    int64_t count, priority, tier;
    struct strings or, only, after, env, command;
    bool no_rotate, wrap, immovable, hold, clean_env, wait, test_only, json;
};

#define AT(member) offsetof (struct values, member)

static const char *failure_names (size_t i)
{
    static const char *const names[] = {"requeue", "kill", "repair"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const char *preempted_names (size_t i)
{
    static const char *const names[] = {"requeue", "suspend", "kill", "never"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const struct option options[] = {
    {"shape", OPTION_STRING, AT (shape), "SHAPE",
     .help = "a box of nodes, such as 4x4x2"},
    {"count", OPTION_INTEGER, AT (count), "N", .min = 1,
     .max = TORI_MAX_NODES, .without = "shape",
     .help = "this many nodes, anywhere, instead of a shape"},
    {"or", OPTION_STRINGS, AT (or), "SHAPE|N",
     .help = "another shape or number of nodes that the job accepts, if it "
             "starts sooner that way; the first that fits is taken"},
    {"wiring", OPTION_STRING, AT (wiring), "WIRING", .with = "shape or",
     .help = "how the box is wired: none, mesh, torus, or twisted on a "
             "pod"},
    {"fold", OPTION_STRING, AT (fold), "FOLD", .with = "shape or",
     .help = "none; or rings: the job may get a box with other sides, in "
             "which its neighbours are still neighbours and its rings are "
             "closed"},
    {"no-rotate", OPTION_FLAG, AT (no_rotate), .with = "shape or",
     .help = "the shape may not be rotated"},
    {"wrap", OPTION_FLAG, AT (wrap), .with = "shape or",
     .help = "the box may wrap around"},
    {"only", OPTION_STRINGS, AT (only), "NODE|BOX", .asks = "nodes",
     .help = "use only these nodes"},
    {"time", OPTION_STRING, AT (time), "TIME",
     .help = "how long it may run: seconds, 1h20m, or 1:20 and 1:20:30 in "
             "hours, minutes and seconds"},
    {"begin", OPTION_STRING, AT (begin), "WHEN",
     .help = "do not start before: +1h20m, 18:00 or '2026-11-16 18:00'"},
    {"after", OPTION_STRINGS, AT (after), "HOW:ID",
     .help = "start after another job has ended: ok:ID if it must have ended "
             "well, failed:ID or any:ID"},
    {"array", OPTION_STRING, AT (array), "A-B[%N]",
     .help = "one job for each number from A to B, at most N of them at "
             "once; TORI_ARRAY_INDEX tells a job its number"},
    {"name", OPTION_STRING, AT (name), "NAME",
     .help = "a name for people; if not given, that of the program"},
    {"queue", OPTION_STRING, AT (queue), "QUEUE", .help = "the queue"},
    {"priority", OPTION_INTEGER, AT (priority), "N", .min = INT32_MIN,
     .max = INT32_MAX, .fallback = "0", .help = "a higher one goes first"},
    {"tier", OPTION_INTEGER, AT (tier), "N", .max = UINT32_MAX,
     .fallback = "0", .old = "level",
     .help = "the job may preempt running jobs of a lower preemption tier"},
    {"preempted", OPTION_CHOICE, AT (preempted), "WHAT",
     .choices = preempted_names,
     .help = "what happens to it if another job preempts it"},
    {"on-failure", OPTION_CHOICE, AT (on_failure), "WHAT",
     .choices = failure_names,
     .help = "what happens to it if a node fails: it runs again (requeue, the "
             "default), ends (kill), or continues elsewhere if it can "
             "(repair)"},
    {"checkpoint", OPTION_STRING, AT (checkpoint), "TIME",
     .help = "how often it saves its work"},
    {"immovable", OPTION_FLAG, AT (immovable),
     .help = "it may not be moved while it runs"},
    {"hold", OPTION_FLAG, AT (hold),
     .help = "hold it until 'tori release'"},
    {"warn", OPTION_STRING, AT (warn), "TIME",
     .help = "send it SIGUSR1 this long before its time is over"},
    {"directory", OPTION_STRING, AT (directory), "DIR",
     .help = "where it runs; if not given, here"},
    {"input", OPTION_STRING, AT (input), "PATH",
     .help = "what it reads; if not given, nothing"},
    {"output", OPTION_STRING, AT (output), "PATH",
     .help = "where its output goes, appended to what is there; %j stands for "
             "the job's number, %A for that of its array, %a for its index; "
             "if not given, nowhere"},
    {"error", OPTION_STRING, AT (error), "PATH",
     .help = "where its errors go; if not given, to its output"},
    {"env", OPTION_STRINGS, AT (env), "NAME=VALUE",
     .help = "a variable for it"},
    {"clean-env", OPTION_FLAG, AT (clean_env),
     .help = "do not pass on the variables of this shell"},
    {"wait", OPTION_FLAG, AT (wait),
     .help = "wait until it has ended, and return its status"},
    {"test-only", OPTION_FLAG, AT (test_only), .without = "wait",
     .help = "do not submit it, but tell when and where it would start, and "
             "why not at once; limits of users and queues are not checked"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {"command", OPTION_STRINGS, AT (command), "PROGRAM|SCRIPT",
     .operand = true,
     .help = "a program or a batch script, and its arguments"},
    {.name = NULL},
};

/* ---- the job ---- */

static void set_text (json_t *job, const char *key, const char *value)
{
    if (value)
        json_object_set_new (job, key, json_string (value));
}

static void set_number (json_t *job, const char *key, int64_t value)
{
    if (value)
        json_object_set_new (job, key, json_integer (value));
}

static void set_true (json_t *job, const char *key, bool value)
{
    if (value)
        json_object_set_new (job, key, json_true ());
}

static int set_length (json_t *job, const char *key, const char *text,
                       tori_error *err)
{
    tori_time time;
    if (!text)
        return 0;
    if (duration_parse (text, &time, err) < 0)
        return -1;
    json_object_set_new (job, key, json_real ((double)time / TORI_SECOND));
    return 0;
}

static json_t *list_of (const struct strings *words, size_t from)
{
    json_t *list = json_array ();
    for (size_t i = from; i < words->n; i++)
        json_array_append_new (list, json_string (words->item[i]));
    return list;
}

static void set_list (json_t *job, const char *key, const struct strings *list)
{
    if (list->n > 0)
        json_object_set_new (job, key, list_of (list, 0));
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

/* A variable that JSON cannot hold is left out, with a warning: it is seldom
 * one that the job needs, and without it the job may still run. */
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
    json_object_set_new (job, "environment", all);
    for (char **variable = environ; !v->clean_env && *variable; variable++)
        inherit_variable (all, *variable);
    for (size_t i = 0; i < v->env.n; i++)
        if (!set_variable (all, v->env.item[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "--env: '%.40s' is not NAME=VALUE",
                                   v->env.item[i]);
    return 0;
}

/* A shape, or a number of nodes. */
static void set_wish (json_t *to, const struct values *v, const char *shape,
                      int64_t count)
{
    set_text (to, "shape", shape);
    set_number (to, "count", count);
    if (!shape)
        return;
    set_text (to, "wiring", v->wiring);
    set_text (to, "fold", v->fold);
    set_true (to, "fixed", v->no_rotate);
    set_true (to, "wrap", v->wrap);
}

static void set_wishes (json_t *job, const struct values *v)
{
    json_t *others = json_array ();
    set_wish (job, v, v->shape, v->count);
    for (size_t i = 0; i < v->or.n; i++) {
        const char *text = v->or.item[i];
        bool is_count = *text && !text[strspn (text, "0123456789")];
        json_t *other = json_object ();
        set_wish (other, v, is_count ? NULL : text,
                  is_count ? strtoll (text, NULL, 10) : 0);
        json_array_append_new (others, other);
    }
    if (v->or.n > 0)
        json_object_set (job, "alternatives", others);
    json_decref (others);
}

/* Where it runs: absolute. Without a path it would run in its user's home. */
static int set_directory (json_t *job, const char *given, tori_error *err)
{
    bool whole = given && given[0] == '/';
    char *path = whole ? strdup (given) : getcwd (NULL, 0);
    int status;
    if (!path)
        return tori_error_set (err, TORI_FAILED, "this directory: %s",
                               strerror (errno));
    if (given && !whole) {
        char *here = path;
        if (asprintf (&path, "%s/%s", here, given) < 0)
            path = NULL;
        free (here);
        if (!path)
            return tori_error_nomem (err);
    }
    status = asked_check_utf8 ("the directory", path, err);
    set_text (job, "directory", path);
    free (path);
    return status;
}

static int set_files (json_t *job, const struct values *v, tori_error *err)
{
    set_text (job, "input", v->input);
    set_text (job, "output", v->output);
    set_text (job, "error", v->error);
    return set_directory (job, v->directory, err);
}

static int set_times (json_t *job, const struct values *v, tori_error *err)
{
    tori_time begin;
    if (set_length (job, "estimate", v->time, err) < 0
        || set_length (job, "checkpoint", v->checkpoint, err) < 0
        || set_length (job, "warn", v->warn, err) < 0)
        return -1;
    if (v->begin && clock_parse (v->begin, &begin, err) < 0)
        return -1;
    if (v->begin)
        json_object_set_new (job, "begin",
                             json_integer (begin / TORI_SECOND));
    return 0;
}

static void set_rest (json_t *job, const struct values *v)
{
    set_text (job, "queue", v->queue);
    set_text (job, "array", v->array);
    set_number (job, "priority", v->priority);
    set_number (job, "level", v->tier);
    if (v->on_failure >= 0)
        set_text (job, "on_failure", failure_names ((size_t)v->on_failure));
    if (v->preempted >= 0)
        set_text (job, "preempted", preempted_names ((size_t)v->preempted));
    set_true (job, "hold", v->hold);
    set_list (job, "after", &v->after);
    set_list (job, "only", &v->only);
    if (v->immovable)
        json_object_set_new (job, "movable", json_false ());
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
    json_object_set_new (job, "command", list_of (&v->command, first));
    set_text (job, "script", script->text);
    set_text (job, "name", v->name                   ? v->name
                           : end                     ? end + 1
                           : strcmp (program, "-")   ? program
                                                     : NULL);
}

/* Options after the program are the program's: they may have been meant for
 * submit. */
static int missing (const struct values *v, const char *what, tori_error *err)
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

static int make_job (const struct values *v, const struct script *script,
                     json_t **ret_job, tori_error *err)
{
    json_t *job;
    if (!v->shape && !v->count && v->or.n == 0)
        return missing (v, "expected --shape SHAPE or --count N", err);
    if (!v->time)
        return missing (
            v, "--time TIME is missing; see 'tori submit --help'", err);
    if (asked_check_texts (&command_submit, v, err) < 0)
        return -1;
    job = json_object ();
    set_wishes (job, v);
    set_rest (job, v);
    set_program (job, v, script);
    if (set_files (job, v, err) < 0 || set_times (job, v, err) < 0
        || set_environment (job, v, err) < 0) {
        json_decref (job);
        return -1;
    }
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

static int submit (const struct values *v, const json_t *job, FILE *out,
                   tori_error *err)
{
    const struct asked asked = {"submit", &command_submit, v};
    json_t *answer = NULL;
    int status;
    if (v->test_only)
        return trial (v->socket, job, &asked, v->json, out, err);
    status = call (v->socket, "POST", "/v1/jobs", job, &answer, err);
    if (status < 0)
        return -1;
    if (v->json)
        status = answer_print (&asked, answer, out, err);
    else
        print_ids (json_object_get (answer, "ids"), out);
    if (status == 0 && v->wait)
        status = wait_for_all (v->socket, USUAL_PATIENCE,
                               json_object_get (answer, "ids"), NULL, err);
    json_decref (answer);
    return status;
}

/* What is asked on the command line counts more than what the script says. */
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

static int run (const void *values, FILE *out, tori_error *err)
{
    struct values v = *(const struct values *)values;
    struct script script = {0};
    json_t *job = NULL;
    int status = -1;
    if (read_script (&v, &script, err) == 0
        && make_job (&v, &script, &job, err) == 0)
        status = submit (&v, job, out, err);
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
             "its name.",
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
    .run = run,
};
