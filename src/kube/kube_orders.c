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
    const struct kube_run *run = &group->run;
    return run->job > 0
           && kube_is_about (order, run->job, run->attempt, run->state);
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
    if (group->run.stranger) {
        fail_for_now (group, order,
                      "pods run of an attempt of which torid knows nothing");
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

/* An attempt that is not at hand may have pods all the same. */
static void obey_stop (struct kube *kube, const json_t *order)
{
    struct kube_group *group = kube_find_group (kube, text_at (order, "key"));
    if (!group || !is_its_run (group, order)) {
        json_array_append (kube->stops, (json_t *)(uintptr_t)order);
        if (group)
            group->dirty = true;
        return;
    }
    group->run.stop = true;
    group->run.again = json_is_true (json_object_get (order, "again"));
    group->run.grace = number_at (order, "grace");
    group->dirty = true;
}

static bool is_tagged (const struct kube_pod *pod, const json_t *order,
                       const char *key)
{
    const struct kube_tag *tag = &pod->tag;
    return tag->job > 0
           && kube_is_about (order, tag->job, tag->attempt, tag->state)
           && (!key || !strcmp (key, tag->key));
}

/* Whether it is of a workload of Kueue. The key begins with the namespace. */
static bool is_in_box (const struct kube_pod *pod, const char *box,
                       const char *key)
{
    size_t n = strlen (pod->space);
    return pod->box && !strcmp (pod->box, box)
           && (!key || (!strncmp (key, pod->space, n) && key[n] == '/'));
}

/* Whether a pod may run of the attempt that an order is to stop. A job is
 * known by its key. Without one, nothing is deleted, because others may claim
 * the attempt. */
static bool has_pods (struct kube *kube, const json_t *order)
{
    const char *key = text_at (order, "key");
    struct kube_run run = {.job = number_at (order, "job"),
                           .attempt = number_at (order, "attempt"),
                           .state = copy_at (order, "state")};
    char box[SLICE_NAME];
    bool found = false;
    kube_slice_name (kube, &run, box);
    free (run.state);
    for (size_t i = 0; i < kube->npods; i++) {
        struct kube_pod *pod = kube->pods[i];
        bool tagged = is_tagged (pod, order, key);
        if (!pod->node || kube_pod_is_over (pod)
            || !(tagged || is_in_box (pod, box, key)))
            continue;
        if (tagged && key && !pod->leaving)
            kube_delete (kube, pod, number_at (order, "grace"));
        found = true;
    }
    return found;
}

/* torid hears of an end when it is seen. */
void kube_stops_step (struct kube *kube)
{
    for (size_t i = json_array_size (kube->stops); i-- > 0;) {
        const json_t *order = json_array_get (kube->stops, i);
        json_t *message;
        if (has_pods (kube, order))
            continue;
        message = answer_order (order, "ended");
        json_object_set_new (message, "status", json_null ());
        json_object_set_new (message, "signal", json_integer (SIGKILL));
        lines_say (message);
        json_array_remove (kube->stops, i);
    }
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

void kube_obey (struct kube *kube, const json_t *order)
{
    static const struct {
        const char *what;
        void (*obey) (struct kube *, const json_t *);
    } all[] = {{"start", obey_start},     {"stop", obey_stop},
               {"suspend", obey_suspend}, {"limit", obey_limit},
               {"disown", obey_disown},   {"decline", obey_decline},
               {"renew", obey_renew},     {"remark", obey_remark},
               {"list", kube_obey_list}};
    const char *what = text_at (order, "do");
    for (size_t i = 0; what && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (what, all[i].what))
            all[i].obey (kube, order);
}
