/* kube_found.c - attempts that were begun before this tori-kube was. They are
 * found in the annotations of bound pods, and compared with what torid knows.
 *
 * A user may write into the pods of a namespace of his own what he likes, and
 * make pods that are bound to any node. So annotations prove nothing. If torid
 * knows the attempt, it says where the attempt is. Otherwise the attempt is a
 * stranger: it is only on those nodes on which its pods really are. */
#include "kube.h"

#include <stdlib.h>
#include <string.h>

#include "kube_ranks.h"
#include "number.h"

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

static char *copy_at (const json_t *object, const char *key)
{
    const char *text = text_at (object, key);
    return text ? strdup (text) : NULL;
}

static bool is_same (const char *a, const char *b)
{
    return !strcmp (a ? a : "", b ? b : "");
}

bool kube_is_about (const json_t *order, json_int_t job, json_int_t attempt,
                    const char *state)
{
    return json_integer_value (json_object_get (order, "job")) == job
           && json_integer_value (json_object_get (order, "attempt"))
                  == attempt
           && is_same (text_at (order, "state"), state);
}

/* ---- attempts ---- */

/* What torid says of the attempt of a pod; NULL if it does not know it. */
static const json_t *find_known (const json_t *known,
                                 const struct kube_tag *tag)
{
    const json_t *order = json_object_get (known, tag->key);
    return order && kube_is_about (order, tag->job, tag->attempt, tag->state)
               ? order
               : NULL;
}

static bool is_later (const struct kube_tag *a, const struct kube_tag *b)
{
    return a->job != b->job ? a->job > b->job : a->attempt > b->attempt;
}

/* A pod of the attempt that torid knows; or else of the last one of which a
 * pod may still run. */
static const struct kube_pod *find_last (const struct kube_group *group,
                                         const json_t *known,
                                         const json_t **ret_order)
{
    const struct kube_pod *last = NULL;
    *ret_order = NULL;
    for (size_t i = 0; i < group->npods && !*ret_order; i++) {
        const struct kube_pod *pod = group->pods[i];
        if (!pod->node || pod->tag.job <= 0)
            continue;
        *ret_order = find_known (known, &pod->tag);
        if (*ret_order
            || (!kube_pod_is_over (pod)
                && (!last || is_later (&pod->tag, &last->tag))))
            last = pod;
    }
    return last;
}

/* How long it may run, and since when, as torid knows it. Only a job that has
 * asked for a limit is ended by it. */
static void take_times (const json_t *order, const json_t *ask,
                        struct kube_run *run)
{
    const json_t *limit = json_object_get (order, "limit");
    const json_t *began = json_object_get (order, "began");
    if (began)
        run->since = (json_int_t)json_number_value (began);
    if (limit && (run->limit > 0 || json_object_get (ask, "time_limit")))
        run->limit = (json_int_t)number_clamp (json_number_value (limit), 1,
                                               INT32_MAX);
}

static void adopt_run (const struct kube *kube, struct kube_group *group,
                       const json_t *known)
{
    const json_t *order;
    const struct kube_pod *last = find_last (group, known, &order);
    struct kube_run run = {.adopted = true, .stranger = !order};
    char *key;
    if (!last)
        return;
    run.job = last->tag.job;
    run.attempt = last->tag.attempt;
    run.limit = last->tag.limit;
    run.since = last->tag.since;
    run.stalled = api_clock ();
    run.state = last->tag.state ? strdup (last->tag.state) : NULL;
    if (order) {
        take_times (order, group->ask, &run);
        run.box = copy_at (order, "box");
        run.ids = kube_ranks (kube->machine, order, group->ask, &run.n);
    }
    key = strdup (last->tag.key);
    if (!key || (order && !run.ids)) {
        free (key);
        kube_run_clear (&run);
        return;
    }
    free (group->key);
    group->key = key;
    group->run = run;
    if (order)
        group->known = KNOWN_WAITING;
}

/* ---- the list ---- */

/* Where the pods of a stranger are. */
static void add_places (const struct kube *kube,
                        const struct kube_group *group, json_t *ids)
{
    for (size_t i = 0; i < group->npods; i++) {
        const struct kube_pod *pod = group->pods[i];
        const struct kube_node *node
            = kube_pod_is_of (pod, &group->run) && !kube_pod_is_over (pod)
                  ? kube_find_node (kube, pod->node)
                  : NULL;
        if (node && node->held >= 0)
            json_array_append_new (ids, json_integer (node->held));
    }
}

static json_t *list_run (const struct kube *kube,
                         const struct kube_group *group)
{
    const struct kube_run *run = &group->run;
    json_t *ids = json_array ();
    for (size_t i = 0; i < run->n; i++)
        json_array_append_new (ids, json_integer (run->ids[i]));
    if (run->stranger)
        add_places (kube, group, ids);
    return json_pack ("{s:I, s:I, s:s, s:s*, s:s*, s:o}", "job", run->job,
                      "attempt", run->attempt, "key", group->key, "state",
                      run->state, "user",
                      group->npods > 0 ? group->pods[0]->space : NULL, "ids",
                      ids);
}

/* By key. */
static json_t *index_known (const json_t *order)
{
    json_t *known = json_object (), *one;
    size_t i;
    json_array_foreach (json_object_get (order, "attempts"), i, one)
        json_object_set (known, text_at (one, "key"), one);
    return known;
}

static void find_runs (struct kube *kube, const json_t *order)
{
    json_t *known = index_known (order);
    for (size_t i = kube->ngroups; i-- > 0;) {
        struct kube_group *group = kube->groups[i];
        if (group->run.job > 0)
            continue;
        if (group->claim) {
            kube_settle (kube, group);
            continue;
        }
        kube_sort (kube, group);
        adopt_run (kube, group, known);
        if (group->run.job > 0)
            kube_sort (kube, group);
    }
    json_decref (known);
}

/* Places are looked at when it is known where attempts are: the node of a pod
 * that torid knows is where the pod was placed, whatever its labels say. */
void kube_obey_list (struct kube *kube, const json_t *order)
{
    json_t *jobs = json_array (), *keys = json_array ();
    free (kube->state);
    kube->state = copy_at (order, "state");
    find_runs (kube, order);
    kube->moved = true;
    kube_places_look (kube);
    for (size_t i = 0; i < kube->ngroups; i++) {
        const struct kube_group *group = kube->groups[i];
        if (group->run.job > 0)
            json_array_append_new (jobs, list_run (kube, group));
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
