/* audit.c - the record of changes: who changed what, when and why, and how it
 * was before.
 *
 * Every input by which a user or an operator changes something has one entry,
 * except for submissions, because a job says who submitted it and when. The
 * subject of the input is looked at before and after; the entry has the members
 * that differ. It goes to the disk with the record of the input. Nothing is
 * decided by it, and a replay makes none. What torid itself does to a job that
 * runs has an entry, too: the job loses work or time. */
#include <stdio.h>
#include <string.h>

#include "service_internal.h"

/* A longer value is left out of an entry. */
enum { VALUE_MOST = 4000 };

/* ---- how it is now ---- */

static void copy_member (json_t *to, const json_t *from, const char *name)
{
    json_t *value = json_object_get (from, name);
    if (value)
        json_object_set (to, name, value);
}

/* A member of the submission may be changed; so may the state. */
static json_t *look_at_job (const struct service *service, const json_t *input)
{
    json_int_t id = json_integer_value (json_object_get (input, "id"));
    const struct service_job *job
        = job_table_find (&service->jobs, (uint64_t)id);
    json_t *all = job ? job_json (job, NULL, NULL) : NULL;
    json_t *to = json_object ();
    copy_member (to, all, "state");
    copy_member (to, all, "suspended");
    copy_member (to, all, "tier");
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_may_change[i])
            copy_member (to, all, job_members[i].name);
    json_decref (all);
    return to;
}

/* A setting as the configuration file names it; NULL ends a table. */
struct file_key {
    const char *member, *name;
    bool is_time; /* in ticks */
};

static const struct file_key policy_settings[]
    = {{"half_life", "half-life", true},
       {"weight", "usage-weight"},
       {"requeues", "requeues"},
       {"history", "history", true},
       {"jobs", "max-jobs"},
       {"array", "max-array"},
       {"after", "max-after"},
       {"batch", "max-batch"},
       {"stored", "max-stored"},
       {"accounts", "account"},
       {NULL, NULL}};
static const struct file_key queue_settings[]
    = {{"priority", "priority"}, {"max_estimate", "max-time", true},
       {"max_nodes", "max-size"}, {"level", "tier"},
       {"preempted", "preempted"}, {"allow", "allow"},
       {"deny", "deny"},          {"on", "on"},
       {"hours", "hours"},        {NULL, NULL}};
static const struct file_key limit_settings[] = {{"queued", "max-queued"},
                                                {"running", "max-running"},
                                                {"nodes", "max-nodes"},
                                                {"rate", "max-rate"},
                                                {NULL, NULL}};
static const struct file_key user_settings[] = {{"running", "user-max-running"},
                                               {"nodes", "user-max-nodes"},
                                               {NULL, NULL}};

/* A number of 0 is one that was not given. */
static void put_settings (json_t *to, const json_t *from,
                          const struct file_key *key)
{
    for (; key->member; key++) {
        json_t *value = json_object_get (from, key->member);
        if (!value
            || (json_is_integer (value) && json_integer_value (value) == 0))
            continue;
        if (key->is_time)
            json_object_set_new (
                to, key->name,
                seconds_json ((tori_time)json_integer_value (value)));
        else
            json_object_set (to, key->name, value);
    }
}

static json_t *look_at_queue (const json_t *queue)
{
    json_t *to = json_object ();
    put_settings (to, queue, queue_settings);
    put_settings (to, json_object_get (queue, "limits"), limit_settings);
    put_settings (to, json_object_get (queue, "user"), user_settings);
    return to;
}

/* Queues by name, so that they can be compared. */
static json_t *look_at_policy (const struct service *service,
                               const json_t *input)
{
    const json_t *queues = json_object_get (service->policy_json, "queues");
    json_t *to = json_object ();
    put_settings (to, service->policy_json, policy_settings);
    put_settings (to, json_object_get (service->policy_json, "user"),
                  limit_settings);
    for (size_t i = 0; i < json_array_size (queues); i++) {
        const json_t *queue = json_array_get (queues, i);
        char name[100];
        snprintf (name, sizeof name, "queue %.90s",
                  json_string_value (json_object_get (queue, "name")));
        json_object_set_new (to, name, look_at_queue (queue));
    }
    return to;
}

static json_t *look_at_nothing (const struct service *service,
                                const json_t *input)
{
    return json_object ();
}

static json_t *look_at_origin (const struct service *service,
                               const json_t *input)
{
    json_t *to = json_object ();
    if (service->epoch > 0)
        json_object_set_new (to, "epoch",
                             json_integer ((json_int_t)service->epoch));
    return to;
}

/* ---- which inputs ---- */

/* `names` are members of the input that say what it is about. */
struct audited {
    const char *in, *what; /* NULL: the input has it as its state */
    json_t *(*look) (const struct service *, const json_t *);
    const char *names;
    bool makes; /* there is nothing before it */
};

static const struct audited *find_audited (const char *in)
{
    static const struct audited all[]
        = {{"change", "change", look_at_job, "job"},
           {"cancel", "cancel", look_at_job, "job"},
           {"suspend", "suspend", look_at_job, "job"},
           {"requeue", "requeue", look_at_job, "job"},
           {"node", NULL, nodes_look, "node"},
           {"link", NULL, nodes_look, "link"},
           {"window", "reserve", reservations_look, "reservation",
            .makes = true},
           {"unwindow", "unreserve", reservations_look, "reservation"},
           {"origin", "restore", look_at_origin, "torid"},
           {"end-unknown", "cancel-unknown", look_at_nothing, "job"},
           {"policy", "configure", look_at_policy, "configuration"}};
    for (size_t i = 0; in && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (in, all[i].in))
            return &all[i];
    return NULL;
}

/* A copy, which what differs is found in. */
static json_t *look_copy (const struct service *service,
                          const struct audited *it, const json_t *input)
{
    json_t *seen = it->look (service, input);
    json_t *copy = json_deep_copy (seen);
    json_decref (seen);
    return copy;
}

json_t *audit_look (const struct service *service, const json_t *input)
{
    const struct audited *it = find_audited (
        json_string_value (json_object_get (input, "in")));
    if (!it || service->replaying)
        return NULL;
    return it->makes ? json_object () : look_copy (service, it, input);
}

/* ---- what differs ---- */

static void drop_equal (json_t *was, json_t *is);

/* Whether the difference of two values is empty; both lose what is equal. */
static bool is_settled (json_t *was, json_t *is)
{
    if (!json_is_object (was) || !json_is_object (is))
        return is && json_equal (was, is);
    drop_equal (was, is);
    return json_object_size (was) == 0 && json_object_size (is) == 0;
}

static void drop_equal (json_t *was, json_t *is)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe (was, next, name, value)
        if (is_settled (value, json_object_get (is, name))) {
            json_object_del (is, name);
            json_object_del (was, name);
        }
}

static void leave_out_long (json_t *values, json_t *left_out)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe (values, next, name, value)
        if (stored_bytes (value) > VALUE_MOST) {
            json_array_append_new (left_out, json_string (name));
            json_object_del (values, name);
        }
}

/* ---- an entry ---- */

/* Takes over the names. */
static void note_left_out (json_t *entry, json_t *names)
{
    if (json_array_size (names) > 0)
        json_object_set (entry, "left_out", names);
    json_decref (names);
}

/* The number of the job, the node and so on. */
static void name_subject (const struct service *service,
                          const struct audited *it, const json_t *input,
                          json_t *entry)
{
    const json_t *id = json_object_get (input, "id");
    if (!strcmp (it->names, "reservation") && !id)
        json_object_set_new (
            entry, it->names,
            json_integer ((json_int_t)service->last_reservation));
    else if (id)
        json_object_set (entry, it->names, json_object_get (input, "id"));
    else
        copy_member (entry, input, it->names);
}

static void name_owner (const struct service *service, json_t *entry)
{
    json_int_t id = json_integer_value (json_object_get (entry, "job"));
    const struct service_job *job
        = job_table_find (&service->jobs, (uint64_t)id);
    if (job)
        json_object_set_new (entry, "owner", json_string (job->user));
}

/* A hold and a release have a word of their own. */
static const char *find_word (const struct audited *it, const json_t *input)
{
    const json_t *hold = json_object_get (input, JOB_KEY (hold));
    if (!it->what)
        return json_string_value (json_object_get (input, "state"));
    if (!strcmp (it->in, "change") && hold
        && job_changes (input) == JOB_BIT (hold))
        return json_is_true (hold) ? "hold" : "release";
    return it->what;
}

/* Nodes that are so already; and a state that is new, and not put back. */
static bool is_nothing (const struct audited *it, const json_t *was,
                        const json_t *is)
{
    if (!strcmp (it->in, "origin"))
        return json_object_size (was) == 0;
    return !it->what && json_object_size (was) + json_object_size (is) == 0;
}

void audit_note (struct service *service, const json_t *input, json_t *was)
{
    const struct audited *it = find_audited (
        json_string_value (json_object_get (input, "in")));
    const char *user = json_string_value (json_object_get (input, "user"));
    json_t *is = look_copy (service, it, input), *left_out = json_array ();
    json_t *entry = json_pack (
        "{s:o, s:s, s:b, s:s}", "time", seconds_json (service->now), "user",
        user && *user ? user : "torid", "operator", is_operator (input), "what",
        find_word (it, input));
    name_subject (service, it, input, entry);
    name_owner (service, entry);
    copy_member (entry, input, "why");
    if (!strcmp (it->in, "cancel")) /* perhaps a moment later */
        json_object_set_new (is, "state", json_string ("ended"));
    drop_equal (was, is);
    leave_out_long (entry, left_out);
    leave_out_long (was, left_out);
    leave_out_long (is, left_out);
    json_object_set (entry, "was", was);
    json_object_set_new (entry, "is", is);
    note_left_out (entry, left_out);
    if (is_nothing (it, was, is))
        json_decref (entry);
    else
        service_put (service, EFFECT_CHANGE, entry);
}

/* A place as a person writes it. */
static json_t *place_text (const struct service *service,
                           const tori_placement *place)
{
    json_t *all = place_json (service->machine, place);
    json_t *box = json_object_get (all, "box");
    json_t *list = json_object_get (all, place->nboxes ? "boxes" : "nodes");
    json_t *value = json_incref (box ? box : list);
    json_decref (all);
    return value;
}

void audit_move (struct service *service, const struct service_job *job,
                 const tori_placement *to, const json_t *input,
                 const char *why)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    json_t *entry, *left_out;
    if (service->replaying)
        return;
    left_out = json_array ();
    entry = json_pack (
        "{s:o, s:s, s:b, s:s, s:I, s:s, s:s*, s:{s:o}, s:{s:o}}", "time",
        seconds_json (service->now), "user", user ? user : "torid", "operator",
        is_operator (input), "what", "move", "job", (json_int_t)job->id,
        "owner", job->user, "why", why, "was", "place",
        place_text (service, &job->place), "is", "place",
        place_text (service, to));
    leave_out_long (json_object_get (entry, "was"), left_out);
    leave_out_long (json_object_get (entry, "is"), NULL);
    note_left_out (entry, left_out);
    service_put (service, EFFECT_CHANGE, entry);
}

/* The state of a job before and after a deed, by its name. */
static const char *state_after (const char *what)
{
    if (!strcmp (what, "resume"))
        return "running";
    return !strcmp (what, "requeue") || !strcmp (what, "suspend") ? "queued"
                                                                  : "ended";
}

static json_t *state_json (const char *state, bool suspended)
{
    return json_pack ("{s:s, s:o*}", "state", state, "suspended",
                      suspended ? json_true () : NULL);
}

void audit_deed (struct service *service, const struct service_job *job,
                 const char *what, const char *why)
{
    json_t *was, *is;
    if (service->replaying)
        return;
    was = state_json (job->state == JOB_RUNNING ? "running" : "queued",
                      job->suspended);
    is = state_json (state_after (what), !strcmp (what, "suspend"));
    drop_equal (was, is);
    service_put (service, EFFECT_CHANGE,
                 json_pack ("{s:o, s:s, s:b, s:s, s:I, s:s, s:s*, s:o, s:o}",
                            "time", seconds_json (service->now), "user",
                            "torid", "operator", 0, "what", what, "job",
                            (json_int_t)job->id, "owner", job->user, "why",
                            why, "was", was, "is", is));
}
