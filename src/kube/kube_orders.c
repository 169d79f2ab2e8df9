/* kube_orders.c - torid's orders. */
#include "kube.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kube_ranks.h"
#include "number.h"

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

static json_int_t number_at (const json_t *object, const char *key)
{
    return json_integer_value (json_object_get (object, key));
}

static json_t *answer_order (const json_t *order, const char *is)
{
    return json_pack ("{s:s, s:I, s:I, s:O*, s:O*}", "is", is, "job",
                      number_at (order, "job"), "attempt",
                      number_at (order, "attempt"), "key",
                      json_object_get (order, "key"), "state",
                      json_object_get (order, "state"));
}

static char *copy_at (const json_t *object, const char *key)
{
    const char *text = text_at (object, key);
    return text ? strdup (text) : NULL;
}

/* The group of an order, if its key is still that of the group. */
static struct kube_group *group_of (const struct kube *kube,
                                    const json_t *order)
{
    const char *key = text_at (order, "key");
    struct kube_group *group = kube_find_group (kube, key);
    return group && !strcmp (group->key, key) ? group : NULL;
}

static bool is_its_run (const struct kube_group *group, const json_t *order)
{
    return group->run.job > 0 && group->run.job == number_at (order, "job")
           && group->run.attempt == number_at (order, "attempt");
}

/* ---- starts ---- */

static void fail_start (const json_t *order, bool retry, const char *why)
{
    json_t *message = answer_order (order, "failed");
    json_object_set_new (message, "retry", json_boolean (retry));
    json_object_set_new (message, "why", json_string (why));
    lines_say (message);
}

/* It waits until its pods are there, and torid knows what they ask for. */
static void fail_for_now (struct kube_group *group, const json_t *order,
                          const char *why)
{
    json_t *message = answer_order (order, "failed");
    json_object_update_new (message, json_pack ("{s:b, s:b, s:s}", "retry", 1,
                                                "hold", 1, "why", why));
    lines_say (message);
    group->known = KNOWN_HELD;
    group->dirty = true;
}

static bool has_places (const struct kube *kube, const struct kube_run *run,
                        const char **ret_why)
{
    for (size_t i = 0; i < run->n; i++)
        if (!kube_place_host (kube, run->ids[i], ret_why))
            return false;
    return true;
}

/* The nodes of the attempt itself may have its pods already, from before
 * tori-kube was started again: then their places are drained. */
static bool has_begun (const struct kube_group *group, const json_t *order)
{
    const struct kube_run run = {.job = number_at (order, "job"),
                                 .attempt = number_at (order, "attempt"),
                                 .state = copy_at (order, "state")};
    bool found = false;
    for (size_t i = 0; i < group->npods; i++)
        found |= kube_pod_is_of (group->pods[i], &run)
                 && !kube_pod_is_over (group->pods[i]);
    free (run.state);
    return found;
}

/* Whether the order is for the shape that the job asks for now: a change of it
 * may have crossed the order, or been made while tori-kube was away. */
static bool has_its_shape (const struct kube_group *group, const json_t *order)
{
    const char *own = text_at (group->ask, "shape");
    const char *its = text_at (order, "shape");
    tori_shape a, b;
    if (!own || !its)
        return !own == !its;
    return tori_shape_parse (own, &a, NULL) == 0
           && tori_shape_parse (its, &b, NULL) == 0 && a.ndims == b.ndims
           && !memcmp (a.size, b.size, (size_t)a.ndims * sizeof *a.size);
}

static void begin_run (struct kube *kube, struct kube_group *group,
                       const json_t *order)
{
    const char *why = "";
    bool there = has_begun (group, order);
    struct kube_run run = {
        .job = number_at (order, "job"),
        .attempt = number_at (order, "attempt"),
        .state = copy_at (order, "state"),
        .box = copy_at (order, "box"),
        .since = (json_int_t)time (NULL),
        .stalled = api_clock ()};
    run.ids = kube_ranks (kube->machine, order, group->ask, &run.n);
    if (json_object_get (group->ask, "time_limit"))
        run.limit = (json_int_t)number_clamp (
            json_number_value (json_object_get (order, "limit")), 0,
            INT32_MAX);
    if (!run.ids || run.n != group->size) {
        fail_start (order, true, "it asks for something else now");
        kube_run_clear (&run);
        return;
    }
    if (kube_slice_plan (kube, order, &run, &there, &why) < 0
        || (!there && !has_places (kube, &run, &why))) {
        fail_start (order, true, why);
        kube_run_clear (&run);
        return;
    }
    group->run = run;
    group->known = KNOWN_WAITING;
    group->dirty = kube->moved = true;
}

static void obey_start (struct kube *kube, const json_t *order)
{
    struct kube_group *group = group_of (kube, order);
    if (!group) {
        fail_start (order, false, "its pods are gone");
        return;
    }
    if (is_its_run (group, order)) { /* what is known of it is said again */
        group->run.started = false;
        group->dirty = true;
        return;
    }
    if (group->run.job > 0) {
        fail_start (order, true, "an earlier attempt has not ended");
        return;
    }
    if (!group->claim)
        kube_sort (kube, group);
    if (group->claim && !kube_claim_waits (kube, group))
        fail_start (order, true, "Kueue has taken its quota back");
    else if (!group->claim && !kube_group_is_complete (group)
             && !has_begun (group, order))
        fail_for_now (group, order, "not all of its pods are there");
    else if (!group->claim && !has_begun (group, order)
             && !has_its_shape (group, order)) {
        json_decref (group->said); /* torid has missed a change */
        group->said = NULL;
        fail_for_now (group, order, "it asks for something else now");
    } else
        begin_run (kube, group, order);
}

/* ---- stops ---- */

static void obey_stop (struct kube *kube, const json_t *order)
{
    struct kube_group *group = kube_find_group (kube, text_at (order, "key"));
    json_t *message;
    if (group && is_its_run (group, order)) {
        group->run.stop = true;
        group->run.again = json_is_true (json_object_get (order, "again"));
        group->run.grace = number_at (order, "grace");
        group->dirty = true;
        return;
    }
    message = answer_order (order, "ended");
    json_object_set_new (message, "status", json_null ());
    json_object_set_new (message, "signal", json_integer (SIGKILL));
    lines_say (message);
    if (group)
        group->dirty = true;
}

/* Pods cannot be suspended: they are deleted, and run again later. */
static void obey_suspend (struct kube *kube, const json_t *order)
{
    struct kube_group *group = kube_find_group (kube, text_at (order, "key"));
    if (group && is_its_run (group, order))
        kube_take_back (group, "pods cannot be suspended");
}

/* Only jobs that have a limit of their own are ended by it. */
static void obey_limit (struct kube *kube, const json_t *order)
{
    struct kube_group *group = kube_find_group (kube, text_at (order, "key"));
    if (group && is_its_run (group, order))
        group->run.limit = (json_int_t)number_clamp (
            json_number_value (json_object_get (order, "limit")), 1,
            INT32_MAX);
}

static void obey_disown (struct kube *kube, const json_t *order)
{
    struct kube_group *group = kube_find_group (kube, text_at (order, "key"));
    if (!group || !is_its_run (group, order))
        return;
    group->run.disowned = true;
    group->dirty = kube->moved = true;
}

/* ---- jobs that wait ---- */

static void obey_decline (struct kube *kube, const json_t *order)
{
    struct kube_group *group = group_of (kube, order);
    const char *why = text_at (order, "why");
    if (!group || group->known == KNOWN_NOT)
        return;
    free (group->declined);
    group->declined = strdup (why ? why : "it was refused");
    group->known = KNOWN_DECLINED;
    group->dirty = true;
    kube_complain (group->title, "refused", why);
}

/* The key stands for a job that is over. */
static void obey_renew (struct kube *kube, const json_t *order)
{
    struct kube_group *group = group_of (kube, order);
    if (!group || group->run.job > 0)
        return;
    group->worn = true;
    group->known = KNOWN_NOT;
    group->dirty = true;
}

/* torid has a job of which nothing is left here. */
static void cancel_phantom (const struct kube *kube, const char *key)
{
    enum { SECONDS = 10 };
    if (key && kube->listed && api_clock () - kube->listed_at > SECONDS)
        lines_say (json_pack ("{s:s, s:s}", "is", "cancel", "key", key));
}

static void obey_remark (struct kube *kube, const json_t *order)
{
    struct kube_group *group = group_of (kube, order);
    if (!group) {
        if (text_at (order, "reason"))
            cancel_phantom (kube, text_at (order, "key"));
        return;
    }
    json_decref (group->remark);
    group->remark = text_at (order, "text")
                        ? json_deep_copy (order)
                        : NULL;
}

/* ---- the list ---- */

static json_t *list_run (const struct kube_group *group)
{
    json_t *ids = json_array ();
    for (size_t i = 0; i < group->run.n; i++)
        json_array_append_new (ids, json_integer (group->run.ids[i]));
    return json_pack ("{s:I, s:I, s:s, s:s*, s:o}", "job", group->run.job,
                      "attempt", group->run.attempt, "key", group->key,
                      "state", group->run.state, "ids", ids);
}

/* Attempts that are found in the pods are looked for first. */
static void obey_list (struct kube *kube, const json_t *order)
{
    json_t *jobs = json_array (), *keys = json_array ();
    for (size_t i = kube->ngroups; i-- > 0;)
        if (kube->groups[i]->run.job == 0)
            kube_settle (kube, kube->groups[i]);
    kube->moved = true;
    kube_places_look (kube);
    for (size_t i = 0; i < kube->ngroups; i++) {
        const struct kube_group *group = kube->groups[i];
        if (group->run.job > 0)
            json_array_append_new (jobs, list_run (group));
        else if (group->waiting > 0)
            json_array_append_new (keys, json_string (group->key));
    }
    lines_say (json_pack ("{s:s, s:o, s:o}", "is", "running", "jobs", jobs,
                          "waiting", keys));
    kube->listed = kube->moved = true;
    kube->listed_at = api_clock ();
    for (size_t i = 0; i < kube->ngroups; i++)
        kube->groups[i]->dirty = true;
}

void kube_obey (struct kube *kube, const json_t *order)
{
    static const struct {
        const char *what;
        void (*obey) (struct kube *, const json_t *);
    } all[] = {{"start", obey_start},     {"stop", obey_stop},
               {"suspend", obey_suspend}, {"limit", obey_limit},
               {"disown", obey_disown},   {"decline", obey_decline},
               {"renew", obey_renew},     {"remark", obey_remark},
               {"list", obey_list}};
    const char *what = text_at (order, "do");
    for (size_t i = 0; what && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (what, all[i].what))
            all[i].obey (kube, order);
}
