/* external_queue.c - executors that have a queue of their own: jobs submitted,
 * changed and cancelled there, and reports about the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"

const char *external_key (const json_t *input)
{
    const char *in = json_string_value (json_object_get (input, "in"));
    return in && !strcmp (in, "executor")
               ? json_string_value (json_object_get (input, "key"))
               : NULL;
}

/* The ids that a key stands for, or NULL. Users have names, so their keys are
 * others than those of executors. */
static const json_t *ids_of (const struct service *service, const char *key)
{
    json_t *text = key ? json_sprintf (" %s", key) : NULL;
    const json_t *ids
        = text ? json_object_get (service->keys, json_string_value (text))
               : NULL;
    json_decref (text);
    return ids;
}

struct service_job *external_job (const struct service *service,
                                  const char *key)
{
    const json_t *id = json_array_get (ids_of (service, key), 0);
    return job_table_find (&service->jobs, (uint64_t)json_integer_value (id));
}

void external_decline (struct service *service, const char *key,
                       const char *why)
{
    service_put (service, EFFECT_ORDER,
                 json_pack ("{s:s, s:s, s:s}", "do", "decline", "key", key,
                            "why", why ? why : "it was refused"));
}

bool external_is_unwanted (const struct service_job *job)
{
    return job->attempt == 0
           || (job->status < 0 && job->signal < 0 && job->why
               && !strcmp (job->why, "cancelled"));
}

/* ---- submissions ---- */

/* Dependencies name other jobs by their keys there. Jobs that are not known
 * here were over before. */
static json_t *own_after (const struct service *service, json_t *word)
{
    const char *text = json_string_value (word);
    const char *key = text ? strchr (text, ':') : NULL;
    const json_t *ids = ids_of (service, key ? key + 1 : NULL);
    if (!key)
        return json_incref (word); /* after_read refuses it */
    if (json_array_size (ids) == 0)
        return NULL;
    return json_sprintf ("%.*s:%lld", (int)(key - text), text,
                         (long long)json_integer_value (
                             json_array_get (ids, 0)));
}

static void own_afters (const struct service *service, json_t *ask)
{
    json_t *theirs = json_object_get (ask, JOB_KEY (after));
    json_t *ours = json_array ();
    size_t n = json_is_array (theirs) ? json_array_size (theirs)
                                      : theirs != NULL;
    for (size_t i = 0; i < n; i++) {
        json_t *word = own_after (service, json_is_array (theirs)
                                               ? json_array_get (theirs, i)
                                               : theirs);
        if (word)
            json_array_append_new (ours, word);
    }
    if (theirs)
        json_object_set (ask, JOB_KEY (after), ours);
    json_decref (ours);
}

/* Copy the members of a message that belong to the submission. */
static json_t *submission_of (const struct service *service,
                              const json_t *input)
{
    json_t *ask = json_object ();
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name, *old = job_old_names[i];
        json_t *value = json_object_get (input, name);
        json_t *before = old ? json_object_get (input, old) : NULL;
        if ((value && json_object_set (ask, name, value) < 0)
            || (before && json_object_set (ask, old, before) < 0)) {
            json_decref (ask);
            return NULL;
        }
    }
    own_afters (service, ask);
    return ask;
}

/* The executor submits a job again that is over here. Either it has missed
 * that the job will never start, or the job has begun anew there and needs
 * another key. */
static void repeat_outcome (struct service *service, const char *key)
{
    const struct service_job *job = external_job (service, key);
    if (!job || job->state != JOB_ENDED)
        return;
    if (external_is_unwanted (job))
        external_decline (service, key, job->why);
    else
        service_put (service, EFFECT_ORDER,
                     json_pack ("{s:s, s:s}", "do", "renew", "key", key));
}

static int external_submit (struct service *service, const json_t *input,
                            const char *key, struct reply *reply,
                            tori_error *err)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    json_t *inner
        = json_pack ("{s:s, s:b, s:s, s:s, s:O*, s:O*, s:[o]}", "in",
                     "executor", "root", 1, "key", key, "user",
                     user ? user : "", "submit",
                     json_object_get (input, "submit"), "known_queue",
                     json_object_get (input, "known_queue"), "jobs",
                     submission_of (service, input));
    int status
        = inner ? do_submit (service, inner, reply, err)
                : tori_error_nomem (err);
    if (status > 0 && reply->code >= 300)
        external_decline (
            service, key,
            json_string_value (json_object_get (
                json_object_get (reply->body, "error"), "message")));
    else if (status > 0)
        repeat_outcome (service, key);
    json_decref (inner);
    return status;
}

/* ---- changes ---- */

/* Apply an input to all jobs of a key. It is skipped, and not tried again, for
 * jobs that refuse it because they have ended meanwhile. */
static int to_all (struct service *service, const json_t *input,
                   const char *key, input_fn *do_it, struct reply *reply,
                   tori_error *err)
{
    const json_t *ids = ids_of (service, key);
    int status = 0, done = 0;
    for (size_t i = 0; status >= 0 && i < json_array_size (ids); i++) {
        json_t *inner = json_copy ((json_t *)(uintptr_t)input);
        json_object_set (inner, "id", json_array_get (ids, i));
        json_object_set_new (inner, "root", json_true ());
        json_decref (reply->body);
        *reply = (struct reply){0};
        status = inner ? do_it (service, inner, reply, err)
                       : tori_error_nomem (err);
        done += status == 0;
        json_decref (inner);
    }
    return status < 0 ? -1 : done == 0;
}

static int external_cancel (struct service *service, const json_t *input,
                            const char *key, struct reply *reply,
                            tori_error *err)
{
    return to_all (service, input, key, do_cancel, reply, err);
}

static int external_change (struct service *service, const json_t *input,
                            const char *key, struct reply *reply,
                            tori_error *err)
{
    return to_all (service, input, key, do_change, reply, err);
}

/* ---- the machine ---- */

static int as_operator (struct service *service, const json_t *input,
                        input_fn *do_it, struct reply *reply,
                        tori_error *err)
{
    json_t *inner = json_copy ((json_t *)(uintptr_t)input);
    int status;
    if (!inner || json_object_set_new (inner, "root", json_true ()) < 0) {
        json_decref (inner);
        return tori_error_nomem (err);
    }
    json_decref (reply->body);
    *reply = (struct reply){0};
    status = do_it (service, inner, reply, err);
    json_decref (inner);
    return status;
}

static int external_node (struct service *service, const json_t *input,
                          const char *key, struct reply *reply,
                          tori_error *err)
{
    return as_operator (service, input, do_node, reply, err);
}

static int external_link (struct service *service, const json_t *input,
                          const char *key, struct reply *reply,
                          tori_error *err)
{
    return as_operator (service, input, do_link, reply, err);
}

static int external_reservations (struct service *service, const json_t *input,
                                  const char *key, struct reply *reply,
                                  tori_error *err)
{
    return do_reservations (service, input, reply, err);
}

/* ---- all of it ---- */

bool do_external (struct service *service, const json_t *input,
                  struct reply *reply, int *ret_status, tori_error *err)
{
    static const struct {
        const char *is;
        bool keyed;
        int (*do_it) (struct service *, const json_t *, const char *,
                      struct reply *, tori_error *);
    } all[] = {{"submit", true, external_submit},
               {"cancel", true, external_cancel},
               {"change", true, external_change},
               {"node", false, external_node},
               {"link", false, external_link},
               {"reservations", false, external_reservations},
               {"windows", false, external_reservations}};
    const char *is = json_string_value (json_object_get (input, "is"));
    const char *key = external_key (input);
    for (size_t i = 0; is && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (is, all[i].is)) {
            *ret_status = all[i].keyed && !key
                              ? 1
                              : all[i].do_it (service, input, key, reply,
                                              err);
            return true;
        }
    return false;
}
