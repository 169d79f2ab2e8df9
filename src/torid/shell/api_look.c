/* api_look.c - questions that take a while: snapshot, why, forecast, what-if,
 * defrag; and the names of a reservation, which a directory far away may know.
 *
 * look.c has the processes that answer them. A search for moves ends after
 * some seconds or steps (questions.c). */
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "connections.h"
#include "jobfile.h"
#include "look.h"
#include "member.h"
#include "questions.h"
#include "whycase.h"

/* ---- answers, in a process of its own ---- */

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

/* ---- questions ---- */

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
    struct look *look = look_new (a, make_metrics, true);
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
    struct look *look = look_new (a, make_why, false);
    return look ? look_go (a, look) : true;
}

bool get_job_why (struct asking *a)
{
    json_t *job = find_job (a->torid, a->id);
    const char *state = json_string_value (json_object_get (job, "state"));
    bool waits = state && !strcmp (state, "queued");
    struct look *look;
    if (!job)
        refuse_with (a, 404, "no-such-job", "there is no job %llu",
                     (unsigned long long)a->id);
    else if (!waits)
        refuse_with (a, 409, "not-queued", "job %llu does not wait: it %s",
                     (unsigned long long)a->id,
                     state && !strcmp (state, "running") ? "runs"
                                                         : "has ended");
    json_decref (job);
    look = waits ? look_new (a, make_why, false) : NULL;
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
        refuse_with (a, 404, "no-such-job", "there is no job %llu",
                     (unsigned long long)a->id);
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

/* NULL and a reply if it is refused. */
static struct look *new_reader (struct asking *a, const json_t *job)
{
    struct quota *files = quota_of (
        &a->torid->quotas, json_string_value (json_object_get (job, "user")));
    struct look *look = NULL;
    if (!files)
        reply (a, 500, NULL);
    else if (!look_hangs (a, files))
        look = look_new (a, make_output, false);
    if (look)
        look->files = files;
    return look;
}

bool get_output (struct asking *a)
{
    json_t *job = find_job (a->torid, a->id);
    const char *of = query (a, "of");
    const char *stream = of && !strcmp (of, "error") ? "error" : "output";
    bool good = check_output (a, job, stream);
    struct look *look
        = good && a->torid->here ? new_reader (a, job) : NULL;
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
    struct look *look = look_new (a, make_forecast, false);
    return look ? look_go (a, look) : true;
}

bool get_snapshot (struct asking *a)
{
    struct look *look = look_new (a, make_snapshot, false);
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
    struct look *look = look_new (a, make, false);
    if (!look)
        return true;
    look->read = read;
    return look_go (a, look);
}

bool post_snapshot (struct asking *a)
{
    struct look *look = look_new (a, make_snapshot, false);
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
    struct look *look = look_new (a, make_roster, false);
    if (!look)
        return true;
    look->bare = look->roster = true;
    look->read = read_roster;
    return look_go (a, look);
}
