/* api_look.c - questions that take a while: snapshot, why, forecast, what-if,
 * defrag; and the names of a reservation, which a directory far away may know.
 *
 * A process of its own makes each answer from the state as it is when the
 * process begins (errand.h), as the command makes it from a file. So no other
 * request waits meanwhile. Work is bounded: at most `questions` of these
 * processes run at once, at most half of them for one user, and WAITING times
 * as many questions are open; each is given up after `question-time`. A search
 * for moves takes at most STEPS_MOST steps (questions.c). */
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "admit.h"
#include "api.h"
#include "connections.h"
#include "jobfile.h"
#include "member.h"
#include "number.h"
#include "questions.h"
#include "whycase.h"

enum { WAITING = 4, SCRAPES = 4, CODE = 3 };

typedef int read_fn (struct look *look, const json_t *body, tori_error *err);
typedef int look_fn (struct look *look, struct emit *e, tori_error *err);

struct look {
    struct errand errand;
    struct torid *torid;
    struct request *request; /* NULL: no client waits for it any longer */
    struct quota *quota;     /* of the user, with the name */
    bool is_operator;        /* the user is one */
    struct look *next;
    look_fn *make;
    read_fn *read; /* of the body; NULL: there is none */
    bool bare;     /* the text is not an object that is to be filled */
    bool late;     /* it has taken too long */
    uint64_t since; /* when the work began, by the clock of the loop */
    char *begun;   /* what metrics are without the box */
    json_t *job;   /* whose output it is about, or NULL */
    const char *stream; /* ... its output or its error */
    uint64_t most; /* ... so many bytes of it */
    uint64_t id;   /* of the job that it is about */
    bool one;      /* it is about one */
    bool roster;   /* it is about names, and the request goes on with it */

    /* In the process: the state, and what the body asks about it. */
    tori_snapshot *snapshot;
    tori_snapshot *with; /* ... with the jobs of the body; or NULL */
    json_t *members;     /* users in the groups that the body names */
    union {
        struct what_if_question what_if;
        struct defrag_question defrag;
    } asked;
};

/* ---- in a process of its own ---- */

/* Refuse a question with the status that fits the error. */
static void refuse_error (struct asking *a, const tori_error *err)
{
    if (err->status == TORI_NEVER)
        refuse_with (a, 422, "never", "%s", err->text);
    else if (err->status == TORI_INVALID)
        refuse_with (a, 400, "bad-request", "%s", err->text);
    else
        refuse_with (a, 500, "failed", "%s", err->text);
}

static int make_why (struct look *look, struct emit *e, tori_error *err)
{
    struct why_case it = {0};
    if (why_open (look->snapshot, &look->id, look->one, &it, err) < 0)
        return -1;
    return why_emit (&it, e, err);
}

static int make_metrics (struct look *look, struct emit *e, tori_error *err)
{
    fputs (look->begun, e->out);
    return metrics_finish (
        tori_sched_state (service_sched (look->torid->service)), e->out, err);
}

static int make_snapshot (struct look *look, struct emit *e, tori_error *err)
{
    return tori_snapshot_write (look->with ? look->with : look->snapshot,
                                e->out, err);
}

static int make_forecast (struct look *look, struct emit *e, tori_error *err)
{
    struct forecast it = {0};
    if (forecast_make (look->snapshot, &it, err) < 0)
        return -1;
    sheet_emit (e, &answer_forecast, &it);
    return 0;
}

static int make_what_if (struct look *look, struct emit *e, tori_error *err)
{
    struct what_if it = {0};
    if (what_if_make (look->snapshot, look->with, &look->asked.what_if, &it,
                      err)
        < 0)
        return -1;
    sheet_emit (e, &answer_what_if, &it);
    return 0;
}

static int make_defrag (struct look *look, struct emit *e, tori_error *err)
{
    struct defrag it = {0};
    if (defrag_make (look->snapshot, &look->asked.defrag, &it, err) < 0
        || (it.room.n > 0 && defrag_name (&it, err) < 0)
        || defrag_weigh (&it, err) < 0)
        return -1;
    sheet_emit (e, &answer_defrag, &it);
    return 0;
}

static int make_roster (struct look *look, struct emit *e, tori_error *err)
{
    return json_dumpf (look->members, e->out, 0) < 0 ? tori_error_nomem (err)
                                                     : 0;
}

/* The path of a file of a job; relative ones start at its directory. NULL
 * without memory. */
static char *path_of (const json_t *job, const char *stream)
{
    const char *name = json_string_value (json_object_get (job, stream));
    const char *at = json_string_value (json_object_get (job, "directory"));
    char *path = NULL;
    if (*name == '/')
        return strdup (name);
    return asprintf (&path, "%s/%s", at ? at : "", name) < 0 ? NULL : path;
}

/* A file that cannot be read is named, with the reason. */
static int make_output (struct look *look, struct emit *e, tori_error *err)
{
    const char *user
        = json_string_value (json_object_get (look->job, "user"));
    char *path = path_of (look->job, look->stream);
    struct jobfile file = {0};
    tori_error why = {0};
    if (!path)
        return tori_error_nomem (err);
    emit_text (e, "file", path);
    if (jobfile_become (user, &why) == 0
        && jobfile_read (path, look->most, &file, &why) == 0) {
        emit_count (e, "size", file.size);
        emit_count (e, "from", file.from);
        emit_text (e, "text", file.text);
    } else {
        emit_text (e, "why", why.text);
    }
    free (file.text);
    free (path);
    return 0;
}

/* A snapshot, which metrics, names and files do not need, and what the body asks
 * about it. */
static int take_snapshot (struct look *look, const json_t *body,
                          tori_error *err)
{
    if (!look->begun && !look->roster && !look->job
        && service_snapshot (look->torid->service, &look->snapshot, err) < 0)
        return -1;
    return body ? look->read (look, body, err) : 0;
}

/* Write the answer to a question. If it is refused, the request has a reply.
 */
static void make_answer (struct look *look, struct asking *a, FILE *to)
{
    struct emit e = emit_to (to);
    tori_error err = {0};
    json_t *body = look->read ? read_object (a) : NULL;
    if (look->read && !body)
        return;
    if (!look->bare)
        emit_open (&e, NULL, '{');
    if ((take_snapshot (look, body, &err) < 0
         || look->make (look, &e, &err) < 0)
        && !a->request->reply.code)
        refuse_error (a, &err);
    if (!look->bare)
        emit_close (&e, '}');
}

/* The text ends with the code of the answer, in CODE digits. Nothing is freed:
 * the process ends. */
static int write_answer (struct errand *errand, int fd)
{
    struct look *look = errand->arg;
    struct asking a = {.torid = look->torid, .request = look->request};
    const struct reply *refused = &look->request->reply;
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream (&text, &n);
    if (!to)
        return -1;
    make_answer (look, &a, to);
    if (refused->code) {
        if (fclose (to) != 0)
            return -1;
        to = open_memstream (&text, &n);
        if (!to || json_dumpf (refused->body, to, JSON_COMPACT) < 0)
            return -1;
    }
    fprintf (to, "%0*d", CODE, refused->code ? refused->code : 200);
    return fclose (to) == 0 ? errand_write (fd, text, n) : -1;
}

/* ---- in the loop ---- */

static void look_free (struct look *look)
{
    json_decref (look->job);
    free (look->begun);
    free (look);
}

static void take_out (struct torid *torid, const struct look *look)
{
    struct look **at = &torid->looks;
    while (*at != look)
        at = &(*at)->next;
    *at = look->next;
}

static void give_up (struct asking *a, const struct look *look)
{
    const struct settings *v = &a->torid->setup.values;
    if (look->late)
        refuse_with (a, 503, "too-long",
                     "the answer takes more than %lld s, which is the most "
                     "that a question may take here",
                     (long long)(v->question_time / TORI_SECOND));
    else
        refuse_with (a, 500, "failed",
                     "the process that made the answer has failed");
}

static void start_next (struct torid *torid);

/* The request goes on with the names that were found. */
static void take_roster (struct request *request, char *text)
{
    request->roster = json_loads (text, 0, NULL);
    free (text);
    if (!request->roster)
        turn_away (request, 500, "failed", "out of memory");
    look_over (request);
    request->looking = false;
}

static void on_answer (struct errand *errand, char *text, size_t n)
{
    struct look *look = errand->arg;
    struct torid *torid = look->torid;
    struct asking a = {.torid = torid, .request = look->request};
    take_out (torid, look);
    if (!look->begun) {
        torid->nworked--;
        look->quota->worked--;
    }
    if (!a.request) {
        free (text);
    } else if (text && n > CODE) {
        const char *digits = text + n - CODE;
        uint64_t code = 500;
        number_scan (&digits, 599, &code);
        text[n - CODE] = '\0';
        if (look->roster && code == 200)
            take_roster (a.request, text);
        else
            reply_text (&a, (int)code,
                        look->begun && code == 200 ? METRICS_TYPE
                                                   : "application/json",
                        text);
    } else {
        free (text);
        give_up (&a, look);
    }
    look_free (look);
    if (a.request)
        http_ready (a.request);
    start_next (torid);
}

/* Metrics are quick, and begin at once. */
static bool may_start (const struct look *look)
{
    int64_t most = look->torid->setup.values.questions;
    if (look->begun)
        return true;
    return (int64_t)look->torid->nworked < most
           && (look->is_operator
               || (int64_t)look->quota->worked < (most + 1) / 2);
}

static int start_errand (struct look *look, tori_error *err)
{
    struct torid *torid = look->torid;
    int status = errand_begin (&look->errand, &torid->loop, write_answer,
                              on_answer, look, err);
    if (!look->roster)
        admit_forget (look->request);
    if (status < 0)
        return -1;
    look->since = uv_now (&torid->loop);
    if (!look->begun) {
        torid->nworked++;
        look->quota->worked++;
    }
    return 0;
}

static struct look *find_ready (const struct torid *torid)
{
    struct look *look = torid->ending ? NULL : torid->looks;
    while (look && (look->errand.pid || !may_start (look)))
        look = look->next;
    return look;
}

/* Start questions while there is room; refuse one that cannot be started. */
static void start_next (struct torid *torid)
{
    struct look *look;
    tori_error err;
    while ((look = find_ready (torid))) {
        struct asking a = {.torid = torid, .request = look->request};
        if (start_errand (look, &err) == 0)
            continue;
        take_out (torid, look);
        look_free (look);
        refuse_with (&a, 503, "failed", "%s", err.text);
        http_ready (a.request);
    }
}

void look_over (struct request *request)
{
    request->torid->nlooks--;
    request->quota->looks--;
}

void looks_sweep (struct torid *torid)
{
    uint64_t most = (uint64_t)torid->setup.values.question_time / 1000;
    for (struct look *look = torid->looks; look; look = look->next)
        if (look->errand.pid && !look->late
            && uv_now (&torid->loop) - look->since >= most) {
            look->late = true;
            errand_stop (&look->errand);
        }
}

/* Questions that have a process are freed when it has ended. */
void looks_end (struct torid *torid)
{
    struct look *look = torid->looks, *next;
    for (; look; look = next) {
        struct asking a = {.torid = torid, .request = look->request};
        next = look->next;
        look->request = NULL;
        errand_stop (&look->errand);
        if (!look->errand.pid) {
            take_out (torid, look);
            look_free (look);
        }
        refuse_with (&a, 503, "ending", "torid is ending");
        http_ready (a.request);
    }
}

/* ---- questions ---- */

static bool has_room (struct asking *a, bool scrape)
{
    const struct settings *v = &a->torid->setup.values;
    int64_t most = WAITING * v->questions;
    if (!a->is_operator
        && (int64_t)a->request->quota->looks >= v->user_questions) {
        reply_header (a, "Retry-After", "1");
        refuse_with (a, 429, "too-many-questions",
                     "a user may have at most %lld questions that take a "
                     "while open at once",
                     (long long)v->user_questions);
        return false;
    }
    if ((int64_t)a->torid->nlooks >= most + (scrape ? SCRAPES : 0)) {
        reply_header (a, "Retry-After", "1");
        refuse_with (a, 503, "busy",
                     "%lld questions that take a while are open; expected "
                     "fewer",
                     (long long)most);
        return false;
    }
    return true;
}

static struct look *look_new (struct asking *a, look_fn *make)
{
    struct look *look = NULL;
    if (!has_room (a, make == make_metrics))
        return NULL;
    look = calloc (1, sizeof *look);
    if (!look) {
        reply (a, 500, NULL);
        return NULL;
    }
    look->torid = a->torid;
    look->request = a->request;
    look->quota = a->request->quota;
    look->is_operator = a->is_operator;
    look->make = make;
    return look;
}

/* Start a question when its turn comes, which may be now. */
static bool look_go (struct asking *a, struct look *look)
{
    struct torid *torid = a->torid;
    struct look **last = &torid->looks;
    tori_error err;
    if (may_start (look) && start_errand (look, &err) < 0) {
        look_free (look);
        refuse_with (a, 503, "failed", "%s", err.text);
        return true;
    }
    while (*last)
        last = &(*last)->next;
    *last = look;
    torid->nlooks++;
    look->quota->looks++;
    a->request->looking = true;
    return false;
}

static char *begin_metrics (struct torid *torid)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    if (!to)
        return NULL;
    metrics_write (torid, to);
    if (fclose (to) == 0)
        return text;
    free (text);
    return NULL;
}

bool get_metrics (struct asking *a)
{
    struct look *look = look_new (a, make_metrics);
    if (!look)
        return true;
    look->bare = true;
    look->begun = begin_metrics (a->torid);
    if (look->begun)
        return look_go (a, look);
    look_free (look);
    reply (a, 500, NULL);
    return true;
}

bool get_why (struct asking *a)
{
    struct look *look = look_new (a, make_why);
    return look ? look_go (a, look) : true;
}

bool get_job_why (struct asking *a)
{
    json_t *job = find_job (a->torid, a->id);
    const char *state = json_string_value (json_object_get (job, "state"));
    bool waits = state && !strcmp (state, "queued");
    struct look *look;
    if (!job)
        refuse_with (a, 404, "no-such-job", "there is no such job");
    else if (!waits)
        refuse_with (a, 409, "not-queued", "job %llu does not wait: it %s",
                     (unsigned long long)a->id,
                     state && !strcmp (state, "running") ? "runs"
                                                         : "has ended");
    json_decref (job);
    look = waits ? look_new (a, make_why) : NULL;
    if (!look)
        return true;
    look->id = a->id;
    look->one = true;
    return look_go (a, look);
}

/* Whether the user may read the output of a job, and there is one; if not,
 * there is a reply. */
static bool check_output (struct asking *a, const json_t *job,
                          const char *stream)
{
    const char *user = json_string_value (json_object_get (job, "user"));
    bool own = user && !strcmp (user, a->user)
               && a->request->peer->role != ROLE_READER;
    if (!job)
        refuse_with (a, 404, "no-such-job", "there is no such job");
    else if (!a->is_operator && !own)
        refuse_with (a, 403, "forbidden",
                     "only %s or an operator may read the output of job %llu",
                     user ? user : "its user", (unsigned long long)a->id);
    else if (!json_is_string (json_object_get (job, stream)))
        refuse_with (a, 404, "no-output",
                     "job %llu has no file for its %s",
                     (unsigned long long)a->id, stream);
    else if (!json_object_get (job, "start"))
        refuse_with (a, 409, "not-started", "job %llu has not started",
                     (unsigned long long)a->id);
    else
        return true;
    return false;
}

/* The executor keeps it elsewhere. */
static void reply_elsewhere (struct asking *a, const json_t *job,
                             const char *stream)
{
    char *path = path_of (job, stream);
    reply (a, 200,
           path ? json_pack ("{s:s, s:s}", "file", path, "why",
                             "the executor keeps the files of jobs elsewhere")
                : NULL);
    free (path);
}

bool get_output (struct asking *a)
{
    json_t *job = find_job (a->torid, a->id);
    const char *of = query (a, "of");
    const char *stream = of && !strcmp (of, "error") ? "error" : "output";
    bool good = check_output (a, job, stream);
    struct look *look
        = good && a->torid->here ? look_new (a, make_output) : NULL;
    if (good && !a->torid->here)
        reply_elsewhere (a, job, stream);
    if (!look) {
        json_decref (job);
        return true;
    }
    look->job = job;
    look->stream = stream;
    look->most = query_number (a, "tail", 16384);
    return look_go (a, look);
}

bool get_forecast (struct asking *a)
{
    struct look *look = look_new (a, make_forecast);
    return look ? look_go (a, look) : true;
}

bool get_snapshot (struct asking *a)
{
    struct look *look = look_new (a, make_snapshot);
    if (!look)
        return true;
    look->bare = true;
    return look_go (a, look);
}

/* ---- with a body, which the process reads ---- */

/* A job of a question need not have a command. */
static void set_commands (const json_t *jobs)
{
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        json_t *job = json_array_get (jobs, i);
        if (json_is_object (job) && !json_object_get (job, "command"))
            json_object_set_new (job, "command", json_pack ("[s]", "true"));
    }
}

/* The submission of one job, for the user who asks or, by an operator, for
 * the other user that it names. */
static json_t *submission_of (const struct look *look, json_t *job)
{
    const char *name = json_string_value (json_object_get (job, "user"));
    bool other = name && strcmp (name, look->quota->name) != 0;
    struct peer peer = {0};
    char *groups = other ? service_reserved_groups (look->torid->service)
                         : NULL;
    json_t *input;
    if (other)
        peer_look_groups (name, &look->torid->setup.values, groups, &peer);
    free (groups);
    input = json_pack ("{s:s, s:[O], s:s, s:s, s:b}", "in", "submit", "jobs",
                       job, "user", other ? name : look->quota->name,
                       "groups",
                       other ? peer.groups : look->request->peer->groups,
                       "root", !other && look->is_operator);
    if (name)
        json_object_del (job, "user");
    return input;
}

/* Only operators ask for others. */
static bool may_ask_for (const struct look *look, const json_t *job)
{
    const char *name = json_string_value (json_object_get (job, "user"));
    return look->is_operator || !name || !strcmp (name, look->quota->name);
}

static json_t *list_submissions (struct look *look, const json_t *jobs)
{
    struct asking a = {.torid = look->torid, .request = look->request};
    json_t *inputs = json_array ();
    set_commands (jobs);
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        json_t *job = json_array_get (jobs, i);
        if (!may_ask_for (look, job)) {
            refuse_with (&a, 403, "forbidden",
                         "only operators may ask for another user");
            break;
        }
        json_array_append_new (inputs, submission_of (look, job));
    }
    return inputs;
}

/* Submit the jobs of the body, in this process alone. A refusal is that of a
 * real submission. */
static int submit_jobs (struct look *look, const json_t *body,
                        tori_error *err)
{
    const struct member_of of = {.object = body};
    const json_t *jobs = NULL;
    json_t *inputs;
    int status;
    if (member_list (&of, "jobs", &jobs, err) < 0)
        return -1;
    if (json_array_size (jobs) == 0)
        return 0;
    inputs = list_submissions (look, jobs);
    status = look->request->reply.code ? -1
             : inputs ? service_snapshot_with (look->torid->service, inputs,
                                               &look->with,
                                               &look->request->reply, err)
                      : tori_error_nomem (err);
    json_decref (inputs);
    return status == 0 ? 0 : -1;
}

static int read_submission (struct look *look, const json_t *body,
                            tori_error *err)
{
    return submission_check (body, err) < 0 ? -1
                                            : submit_jobs (look, body, err);
}

/* Say in a refusal which of the jobs is meant. */
static void name_refused (const struct reply *refused)
{
    json_t *error = json_object_get (refused->body, "error");
    const char *text = json_string_value (json_object_get (error, "message"));
    const json_t *index = json_object_get (error, "index");
    if (text && index && strncmp (text, "jobs[", 5) != 0)
        json_object_set_new (
            error, "message",
            json_sprintf ("jobs[%lld]: %s",
                          (long long)json_integer_value (index), text));
}

static int read_what_if (struct look *look, const json_t *body,
                         tori_error *err)
{
    if (what_if_read (body, look->snapshot, &look->asked.what_if, err) < 0)
        return -1;
    if (submit_jobs (look, body, err) == 0)
        return 0;
    name_refused (&look->request->reply);
    return -1;
}

static int read_defrag (struct look *look, const json_t *body,
                        tori_error *err)
{
    return defrag_read (body, &look->asked.defrag, err);
}

static bool post_look (struct asking *a, look_fn *make, read_fn *read)
{
    struct look *look = look_new (a, make);
    if (!look)
        return true;
    look->read = read;
    return look_go (a, look);
}

bool post_snapshot (struct asking *a)
{
    struct look *look = look_new (a, make_snapshot);
    if (!look)
        return true;
    look->bare = true;
    look->read = read_submission;
    return look_go (a, look);
}

bool post_what_if (struct asking *a)
{
    return post_look (a, make_what_if, read_what_if);
}

bool post_defrag (struct asking *a)
{
    return post_look (a, make_defrag, read_defrag);
}

/* ---- names ---- */

static bool has_token (const struct torid *torid, const char *user)
{
    for (size_t i = 0; i < torid->tokens.n; i++)
        if (!strcmp (torid->tokens.items[i].user, user))
            return true;
    return false;
}

/* Users of the host, of tokens, and those who have had jobs. */
static bool is_user (const struct torid *torid, const json_t *known,
                     const char *name)
{
    for (size_t i = 0; i < json_array_size (known); i++)
        if (!strcmp (json_string_value (json_object_get (
                         json_array_get (known, i), "user")),
                     name))
            return true;
    return getpwnam (name) || has_token (torid, name);
}

/* Refuse the first name of a list that stands for nothing. */
static int check_names (struct look *look, const json_t *body, bool groups,
                        const json_t *known)
{
    const json_t *list = json_object_get (body, groups ? "groups" : "users");
    struct asking a = {.torid = look->torid, .request = look->request};
    for (size_t i = 0; i < json_array_size (list); i++) {
        const char *name = json_string_value (json_array_get (list, i));
        if (!name
            || (groups ? getgrnam (name) != NULL
                       : is_user (look->torid, known, name)))
            continue;
        refuse_with (&a, 422, groups ? "no-such-group" : "no-such-user",
                     groups ? "there is no group '%.60s' on this host"
                            : "there is no user '%.60s' on this host, with a "
                              "token or with jobs",
                     name);
        return -1;
    }
    return 0;
}

/* Users with jobs who are in these groups. */
static json_t *find_members (const json_t *body, const json_t *known)
{
    const json_t *groups = json_object_get (body, "groups");
    json_t *members = json_array ();
    for (size_t i = 0; i < json_array_size (known); i++) {
        const json_t *user
            = json_object_get (json_array_get (known, i), "user");
        bool found = false;
        for (size_t k = 0; k < json_array_size (groups) && !found; k++) {
            char group[256];
            const char *name = json_string_value (json_array_get (groups, k));
            snprintf (group, sizeof group, "@%s", name ? name : "");
            found = user_in_groups (json_string_value (user), group);
        }
        if (found)
            json_array_append (members, (json_t *)(uintptr_t)user);
    }
    return members;
}

static int read_roster (struct look *look, const json_t *body,
                        tori_error *err)
{
    json_t *known = service_users (look->torid->service);
    if (check_names (look, body, false, known) < 0
        || check_names (look, body, true, known) < 0)
        return -1;
    look->members = find_members (body, known);
    return look->members ? 0 : tori_error_nomem (err);
}

/* The names of a reservation. */
bool look_for_names (struct asking *a)
{
    struct look *look = look_new (a, make_roster);
    if (!look)
        return true;
    look->bare = look->roster = true;
    look->read = read_roster;
    return look_go (a, look);
}
