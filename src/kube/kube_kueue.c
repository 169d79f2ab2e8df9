/* kube_kueue.c - an admission check of Kueue: a workload whose quota is reserved
 * waits until torid has a box for it.
 *
 * A workload is a job of torid for as long as its quota is reserved. When
 * torid starts the job, the nodes of the box get a label, and the answer to the
 * check is a node selector for that label: whichever scheduler places the
 * pods, they are in the box. The answer carries the attempt and its nodes, so
 * tori-kube may be started again at any time. */
#include "kube.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jobmembers.h"
#include "kube_ranks.h"

#define KUEUE "kueue.x-k8s.io/v1beta2"
#define CHECKS "/apis/" KUEUE "/admissionchecks"
#define WORKLOADS "/apis/" KUEUE "/workloads"
#define CONTROLLER "tori/box"
#define LABEL "tori/box"
#define READ_AS "tori"

enum {
    STALE_SECONDS = 5, /* for which torid may still claim what is found */
    SOON = 1,          /* seconds before a failed request is repeated, ... */
    LATER = 5          /* ... and within which the watch tells of one that was
                          not */
};

/* A workload, as far as its check has to know it. */
struct kube_claim {
    char *space, *name, *uid, *created;
    json_t *entries;     /* its checks, ours among them */
    json_t *sets;        /* the names of its pod sets */
    struct kube_pod *pod; /* as the first pod set has them */
    json_int_t count;    /* pods of all sets */
    json_int_t reserved; /* when its quota was, in seconds since 1970; 0: it
                            is not */
    bool over, failed;   /* it has finished */
    bool gone;           /* it was deleted */
    unsigned round;
    bool busy;           /* a request about it is under way */
    double retry;        /* another one not before this time */
};

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

static bool is_text (const json_t *object, const char *key, const char *text)
{
    const char *own = text_at (object, key);
    return own && !strcmp (own, text);
}

void kube_claim_destroy (struct kube_claim *claim)
{
    if (!claim)
        return;
    free (claim->space);
    free (claim->name);
    free (claim->uid);
    free (claim->created);
    json_decref (claim->entries);
    json_decref (claim->sets);
    kube_pod_destroy (claim->pod);
    free (claim);
}

/* ---- workloads ---- */

static const json_t *find_condition (const json_t *status, const char *type)
{
    const json_t *one;
    size_t i;
    json_array_foreach (json_object_get (status, "conditions"), i, one)
        if (is_text (one, "type", type))
            return is_text (one, "status", "True") ? one : NULL;
    return NULL;
}

/* The pods that will be made, so that they are read as all others are. */
static struct kube_pod *read_template (const struct kube *kube,
                                       const json_t *meta,
                                       const json_t *spec)
{
    const json_t *set = json_array_get (json_object_get (spec, "podSets"), 0);
    const json_t *template = json_object_get (set, "template");
    const json_t *notes = json_object_get (template, "metadata");
    json_t *own = json_copy (json_object_get (template, "spec"));
    json_t *limit = json_object_get (spec, "maximumExecutionTimeSeconds");
    json_t *priority = json_object_get (spec, "priority"), *object;
    bool twice = is_text (own, "schedulerName", kube->set.scheduler);
    struct kube_pod *pod;
    if (!own)
        own = json_object ();
    json_object_set_new (own, "schedulerName", json_string (READ_AS));
    if (limit && !json_object_get (own, "activeDeadlineSeconds"))
        json_object_set (own, "activeDeadlineSeconds", limit);
    if (priority)
        json_object_set (own, "priority", priority);
    object = json_pack (
        "{s:{s:O*, s:O*, s:O*, s:O*, s:O*, s:O*}, s:o}", "metadata", "name",
        json_object_get (meta, "name"), "namespace",
        json_object_get (meta, "namespace"), "uid",
        json_object_get (meta, "uid"), "creationTimestamp",
        json_object_get (meta, "creationTimestamp"), "labels",
        json_object_get (notes, "labels"), "annotations",
        json_object_get (notes, "annotations"), "spec", own);
    pod = object ? kube_pod_read (object, READ_AS) : NULL;
    if (pod && twice)
        pod->gated = true; /* it would be placed once more */
    json_decref (object);
    return pod;
}

static void read_sets (struct kube_claim *claim, const json_t *sets)
{
    const json_t *set;
    size_t i;
    claim->sets = json_array ();
    json_array_foreach (sets, i, set) {
        json_array_append (claim->sets, json_object_get (set, "name"));
        claim->count += json_integer_value (json_object_get (set, "count"));
    }
}

static char *copy_at (const json_t *object, const char *key)
{
    const char *text = text_at (object, key);
    return text ? strdup (text) : NULL;
}

static struct kube_claim *read_claim (const struct kube *kube,
                                      const json_t *object)
{
    const json_t *meta = json_object_get (object, "metadata");
    const json_t *spec = json_object_get (object, "spec");
    const json_t *status = json_object_get (object, "status");
    const json_t *quota = find_condition (status, "QuotaReserved");
    const json_t *end = find_condition (status, "Finished");
    struct kube_claim *claim = calloc (1, sizeof *claim);
    if (!claim)
        return NULL;
    claim->space = copy_at (meta, "namespace");
    claim->name = copy_at (meta, "name");
    claim->uid = copy_at (meta, "uid");
    claim->created = copy_at (meta, "creationTimestamp");
    claim->entries = json_incref (json_object_get (status, "admissionChecks"));
    claim->reserved
        = quota ? kube_time_read (text_at (quota, "lastTransitionTime")) : 0;
    claim->over = end != NULL;
    claim->failed = end && !is_text (end, "reason", "Succeeded");
    read_sets (claim, json_object_get (spec, "podSets"));
    claim->pod = read_template (kube, meta, spec);
    if (claim->space && claim->name && claim->uid && claim->created
        && claim->pod)
        return claim;
    kube_claim_destroy (claim);
    return NULL;
}

static struct kube_group *find_claimed (struct kube *kube,
                                        const struct kube_claim *claim,
                                        bool make)
{
    char *name, *title = NULL;
    struct kube_group *group = NULL;
    if (asprintf (&name, "%s/workload/%s/%s", claim->space, claim->name,
                  claim->uid)
        < 0)
        return NULL;
    if (asprintf (&title, "%s/%s", claim->space, claim->name) < 0)
        title = NULL;
    if (title)
        group = make ? kube_join_group (kube, name, title)
                     : kube_find_group (kube, name);
    free (name);
    free (title);
    return group;
}

/* Only workloads that have a check may be ours: the others are left out. */
static void on_workload (void *arg, json_t *object, bool gone)
{
    struct kube *kube = arg;
    struct kube_claim *claim = read_claim (kube, object);
    struct kube_group *group;
    if (!claim)
        return;
    group = find_claimed (kube, claim,
                          !gone && json_array_size (claim->entries) > 0);
    if (!group) {
        kube_claim_destroy (claim);
        return;
    }
    claim->round = kube->claims_round;
    claim->gone = gone;
    if (group->claim) {
        claim->busy = group->claim->busy;
        claim->retry = group->claim->retry;
    }
    kube_claim_destroy (group->claim);
    group->claim = claim;
    group->dirty = kube->moved = true;
}

static void on_workload_list (void *arg, bool begin)
{
    struct kube *kube = arg;
    if (begin)
        kube->claims_round++;
    for (size_t i = 0; i < kube->ngroups && !begin; i++) {
        struct kube_claim *claim = kube->groups[i]->claim;
        if (claim && claim->round != kube->claims_round)
            claim->gone = kube->groups[i]->dirty = true;
    }
}

/* ---- the check in a workload ---- */

static const json_t *find_entry (const struct kube *kube,
                                 const struct kube_claim *claim)
{
    const json_t *entry;
    size_t i;
    json_array_foreach (claim->entries, i, entry) {
        const char *name = text_at (entry, "name");
        if (name && json_object_get (kube->checks, name))
            return entry;
    }
    return NULL;
}

static bool is_in (const struct kube *kube, const struct kube_claim *claim,
                   const char *state)
{
    const json_t *entry = find_entry (kube, claim);
    return entry && is_text (entry, "state", state);
}

/* Whether it has quota, and Kueue has not taken our last answer as a no. */
static bool is_wanted (const struct kube *kube, const struct kube_claim *claim)
{
    return !claim->gone && !claim->over && claim->reserved > 0
           && (is_in (kube, claim, "Pending") || is_in (kube, claim, "Ready"));
}

bool kube_claim_waits (const struct kube *kube, const struct kube_group *group)
{
    return is_wanted (kube, group->claim)
           && is_in (kube, group->claim, "Pending");
}

static void write_now (char text[32])
{
    time_t now = time (NULL);
    struct tm tm;
    strftime (text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r (&now, &tm));
}

struct kueue_act {
    struct kube *kube;
    char *group;
};

/* The answer has the workload as it is now. It is read at once, so that the
 * check is not answered again from what was known before. */
static void on_answered (void *arg, const struct api_answer *answer)
{
    struct kueue_act *act = arg;
    struct kube_group *group = kube_find_group (act->kube, act->group);
    bool good = answer->code >= 200 && answer->code < 300;
    if (group && group->claim) {
        group->claim->busy = false;
        group->claim->retry = api_clock () + (good ? 0 : SOON);
        group->dirty = true;
        if (good && answer->body)
            on_workload (act->kube, answer->body, false);
        else if (answer->code != 404 && answer->code != 409
                 && answer->code != 0)
            kube_complain (group->title, "its check cannot be answered",
                           answer->why);
    }
    free (act->group);
    free (act);
}

/* Only our own entry of the list is sent: the server keeps the others. */
static void answer_check (struct kube *kube, struct kube_group *group,
                          const char *state, const char *message,
                          json_t *updates)
{
    struct kube_claim *claim = group->claim;
    const json_t *entry = find_entry (kube, claim);
    struct kueue_act *act = NULL;
    char *path = NULL, now[32];
    json_t *body;
    if (!entry || claim->busy || claim->retry > api_clock ()) {
        json_decref (updates);
        return;
    }
    write_now (now);
    body = json_pack (
        "{s:s, s:s, s:{s:s, s:s, s:s}, s:{s:[{s:O, s:s, s:s, s:o, s:o*}]}}",
        "apiVersion", KUEUE, "kind", "Workload", "metadata", "name",
        claim->name, "namespace", claim->space, "uid", claim->uid, "status",
        "admissionChecks", "name", json_object_get (entry, "name"), "state",
        state, "lastTransitionTime",
        is_text (entry, "state", state) ? text_at (entry, "lastTransitionTime")
                                        : now,
        "message", lines_text (message), "podSetUpdates", updates);
    act = malloc (sizeof *act);
    if (act)
        *act = (struct kueue_act){kube, strdup (group->name)};
    if (act && act->group && body
        && asprintf (&path,
                     "/apis/" KUEUE "/namespaces/%s/workloads/%s/status"
                     "?fieldManager=tori-kube&force=true",
                     claim->space, claim->name)
               >= 0
        && api_send (kube->api, "PATCH", path, BODY_APPLY, json_incref (body),
                     on_answered, act)
               == 0) {
        claim->busy = true;
        act = NULL;
    }
    if (act)
        free (act->group);
    free (act);
    free (path);
    json_decref (body);
}

/* ---- what it asks for ---- */

static void check_claim (const struct kube *kube, struct kube_group *group)
{
    const struct kube_claim *claim = group->claim;
    kube_group_ask (group, claim->pod, (uint64_t)claim->count, kube->machine);
    if (!*group->wrong && claim->pod->gated)
        snprintf (group->wrong, sizeof group->wrong,
                  "schedulerName: the pods of a workload whose box is an "
                  "admission check are placed by another scheduler than %.80s",
                  kube->set.scheduler);
    if (!*group->wrong && group->size != (size_t)claim->count)
        snprintf (group->wrong, sizeof group->wrong,
                  "it asks for %zu nodes, and its pod sets have %lld pods",
                  group->size, (long long)claim->count);
}

/* One job for each time that the quota is reserved. */
static void submit_claim (struct kube *kube, struct kube_group *group)
{
    const struct kube_claim *claim = group->claim;
    json_t *ask, *message;
    char *key;
    if (asprintf (&key, "%s#%lld", group->name, (long long)claim->reserved)
        < 0)
        return;
    free (group->key);
    group->key = key;
    ask = json_copy (group->ask);
    if (!json_object_get (ask, "time_limit"))
        json_object_set_new (ask, "time_limit",
                             json_integer (kube->set.default_time));
    message = json_pack ("{s:s, s:s, s:I, s:s, s:b, s:o}", "is", "submit",
                         "key", group->key, "submit",
                         kube_time_read (claim->created), "user", claim->space,
                         "known_queue", 1, JOB_KEY (name),
                         lines_text (group->title));
    json_object_update (message, ask);
    if (claim->pod->selector)
        json_object_set_new (
            message, JOB_KEY (only),
            kube_places_matching (kube, claim->pod->selector));
    json_decref (ask);
    lines_say (message);
    group->known = KNOWN_WAITING;
}

static bool has_key (const struct kube_group *group)
{
    const char *word = strchr (group->key, '#');
    return word && atoll (word + 1) == group->claim->reserved;
}

static void advance_waiting (struct kube *kube, struct kube_group *group)
{
    bool wanted = kube_claim_waits (kube, group);
    if ((group->known == KNOWN_WAITING || group->known == KNOWN_HELD)
        && (!wanted || !has_key (group))) {
        lines_say (json_pack ("{s:s, s:s}", "is", "cancel", "key",
                              group->key));
        group->known = KNOWN_NOT;
    }
    if (group->known == KNOWN_DECLINED && !has_key (group))
        group->known = KNOWN_NOT;
    if (!wanted || !kube->listed)
        return;
    if (*group->wrong)
        answer_check (kube, group, "Rejected", group->wrong, NULL);
    else if (group->known == KNOWN_DECLINED)
        answer_check (kube, group, "Rejected", group->declined, NULL);
    else if (group->known == KNOWN_NOT)
        submit_claim (kube, group);
}

/* ---- attempts ---- */

static bool has_label (const struct kube *kube, uint32_t id, const char *box)
{
    const struct kube_node *node = kube->places[id].node;
    return node && is_text (node->labels, LABEL, box);
}

static bool is_labelled (const struct kube *kube, const struct kube_run *run,
                         const char *box)
{
    for (size_t i = 0; i < run->n; i++)
        if (!has_label (kube, run->ids[i], box))
            return false;
    return true;
}

static const char *note_of_answer (const struct kube *kube,
                                   const struct kube_claim *claim,
                                   const char *part, const char *key)
{
    const json_t *update = json_array_get (
        json_object_get (find_entry (kube, claim), "podSetUpdates"), 0);
    return text_at (json_object_get (update, part), key);
}

/* The check says that it was answered before tori-kube was started again. */
static void adopt_run (struct kube *kube, struct kube_group *group)
{
    const struct kube_claim *claim = group->claim;
    const char *nodes
        = note_of_answer (kube, claim, "annotations", "tori/nodes");
    const char *tag
        = note_of_answer (kube, claim, "annotations", "tori/attempt");
    const char *key = note_of_answer (kube, claim, "annotations", "tori/key");
    const char *state
        = note_of_answer (kube, claim, "annotations", "tori/state");
    struct kube_run run = {.adopted = true, .begun = true};
    long long job, attempt;
    char *own;
    if (!is_in (kube, claim, "Ready") || !nodes || !key || !tag
        || sscanf (tag, "%lld.%lld", &job, &attempt) != 2
        || (job == group->over_job && attempt <= group->over_attempt))
        return;
    run.job = job;
    run.attempt = attempt;
    run.ids = kube_ranks_parse (nodes, tori_machine_nodes (kube->machine),
                                &run.n);
    run.state = state ? strdup (state) : NULL;
    own = strdup (key);
    if (!run.ids || !own) {
        free (own);
        kube_run_clear (&run);
        return;
    }
    free (group->key);
    group->key = own;
    group->run = run;
    group->known = KNOWN_WAITING;
}

static json_t *make_updates (const struct kube_group *group, const char *box)
{
    const struct kube_run *run = &group->run;
    char *nodes = kube_ranks_format (run->ids, run->n);
    json_t *updates = json_array ();
    const json_t *name;
    size_t i;
    json_array_foreach (group->claim->sets, i, name)
        json_array_append_new (
            updates,
            json_pack ("{s:O, s:{s:s}, s:{s:o, s:s, s:s*, s:s*, s:s*}}",
                       "name", name, "nodeSelector", LABEL, box,
                       "annotations", "tori/attempt",
                       json_sprintf ("%lld.%lld", (long long)run->job,
                                     (long long)run->attempt),
                       "tori/key", group->key, "tori/state", run->state,
                       "tori/box", run->box, "tori/nodes", nodes));
    free (nodes);
    return updates;
}

/* A pod may select the label of any box. */
static bool is_in_run (const struct kube *kube, const struct kube_run *run,
                       const struct kube_pod *pod)
{
    const struct kube_node *node
        = pod->node ? kube_find_node (kube, pod->node) : NULL;
    int64_t id = !node ? -1 : node->held >= 0 ? node->held : node->id;
    for (size_t i = 0; i < run->n; i++)
        if (run->ids[i] == id)
            return true;
    return false;
}

bool kube_claim_has_pod (const struct kube *kube, const struct kube_pod *pod)
{
    char box[SLICE_NAME];
    for (size_t i = 0; pod->box && i < kube->ngroups; i++) {
        const struct kube_group *group = kube->groups[i];
        if (!group->claim || group->run.job <= 0 || group->run.disowned
            || strcmp (group->claim->space, pod->space))
            continue;
        kube_slice_name (kube, &group->run, box);
        if (!strcmp (box, pod->box))
            return is_in_run (kube, &group->run, pod);
    }
    return false;
}

/* Whether a pod of the box may still run. */
static bool has_pods (const struct kube *kube, const char *space,
                      const char *box)
{
    for (size_t i = 0; i < kube->npods; i++) {
        const struct kube_pod *pod = kube->pods[i];
        const struct kube_node *node
            = pod->node ? kube_find_node (kube, pod->node) : NULL;
        if (pod->box && !strcmp (pod->box, box)
            && !strcmp (pod->space, space) && node
            && !kube_pod_is_over (pod)
            && !(pod->leaving && node->state == PLACE_DOWN))
            return true;
    }
    return false;
}

static void say_end (struct kube *kube, struct kube_group *group)
{
    const struct kube_claim *claim = group->claim;
    struct kube_run *run = &group->run;
    json_t *message;
    if (run->failed) {
        message = kube_run_message (group, "failed");
        json_object_update_new (message,
                                json_pack ("{s:b, s:o}", "retry", 1, "why",
                                           lines_text (run->failed)));
    } else if (claim->over)
        message = kube_end_message (
            group, json_integer (claim->failed ? 1 : 0), json_null (),
            claim->failed ? "its workload has failed" : NULL);
    else if (run->stop)
        message = kube_end_message (group, json_null (),
                                    run->again ? json_integer (SIGTERM)
                                               : json_null (),
                                    NULL);
    else
        message = kube_end_message (group, json_null (),
                                    json_integer (SIGTERM),
                                    claim->gone ? "its workload was deleted"
                                                : "Kueue has evicted it");
    kube_close_run (kube, group, message,
                    run->stop && run->again ? KNOWN_WAITING : KNOWN_NOT);
}

/* A box is answered when all of its nodes have the label. */
static void offer_box (struct kube *kube, struct kube_group *group,
                       const char *box)
{
    struct kube_run *run = &group->run;
    char why[300];
    const char *bad = NULL;
    for (size_t i = 0; i < run->n && !bad; i++)
        kube_place_host (kube, run->ids[i], &bad);
    if (is_labelled (kube, run, box)) {
        snprintf (why, sizeof why, "its box is %.200s",
                  run->box ? run->box : box);
        answer_check (kube, group, "Ready", why, make_updates (group, box));
    } else if (api_clock () - run->stalled >= kube->set.patience) {
        snprintf (why, sizeof why, "its nodes could not be labelled%s%.200s",
                  bad && *bad ? ": " : "", bad && *bad ? bad : "");
        kube_take_back (group, why);
    }
}

static void advance_run (struct kube *kube, struct kube_group *group)
{
    struct kube_run *run = &group->run;
    char box[SLICE_NAME];
    kube_slice_name (kube, run, box);
    if (!is_wanted (kube, group->claim)) {
        if (kube->listed && !group->claim->busy
            && !has_pods (kube, group->claim->space, box))
            say_end (kube, group);
    } else if (run->stop)
        answer_check (kube, group, run->again ? "Retry" : "Rejected",
                      run->failed  ? run->failed
                      : run->again ? "torid has taken its nodes back"
                                   : "torid has cancelled it",
                      NULL);
    else if (is_in (kube, group->claim, "Pending"))
        offer_box (kube, group, box);
    else if (!run->started && kube->listed && !run->disowned) {
        run->begun = run->started = true;
        lines_say (kube_run_message (group, "started"));
    }
}

void kube_claim_settle (struct kube *kube, struct kube_group *group)
{
    bool gone = group->claim->gone;
    if (group->run.job == 0) {
        check_claim (kube, group);
        adopt_run (kube, group);
    }
    group->waiting = kube_claim_waits (kube, group) ? group->size : 0;
    if (group->run.job > 0)
        advance_run (kube, group);
    else
        advance_waiting (kube, group);
    if (group->run.job == 0 && gone && group->known == KNOWN_NOT)
        kube_drop_group (kube, group);
}

bool kube_claim_explain (struct kube *kube, struct kube_group *group,
                         const char *text)
{
    if (group->run.job > 0 || !kube_claim_waits (kube, group)
        || is_text (find_entry (kube, group->claim), "message", text)
        || group->claim->busy || group->claim->retry > api_clock ())
        return false;
    answer_check (kube, group, "Pending", text, NULL);
    group->claim->retry = api_clock () + LATER;
    return true;
}

/* ---- the labels of nodes ---- */

static void on_ignored (void *arg, const struct api_answer *answer)
{
    if (answer->code >= 400 && answer->code != 404 && answer->code != 409)
        kube_complain ("Kueue", "a request failed", answer->why);
}

static void label_node (struct kube *kube, struct kube_node *node,
                        const char *box)
{
    char *path;
    json_t *body;
    if (node->retry > api_clock ()
        || asprintf (&path, "/api/v1/nodes/%s", node->name) < 0)
        return;
    body = json_pack ("{s:{s:{s:o}}}", "metadata", "labels", LABEL,
                      box ? json_string (box) : json_null ());
    node->retry = api_clock () + LATER;
    api_send (kube->api, "PATCH", path, BODY_MERGE_PATCH, body, on_ignored,
              NULL);
    free (path);
}

/* Every node has the label of the box that it is in, or none. What is there
 * without an attempt stays until torid may have claimed it. */
static void label_nodes (struct kube *kube)
{
    uint32_t n = tori_machine_nodes (kube->machine);
    const struct kube_group **owner = calloc (n, sizeof (void *));
    char box[SLICE_NAME];
    bool stale = api_clock () - kube->listed_at > STALE_SECONDS;
    for (size_t i = 0; owner && i < kube->ngroups; i++)
        for (size_t k = 0; kube->groups[i]->claim
                           && k < kube->groups[i]->run.n; k++)
            owner[kube->groups[i]->run.ids[k]] = kube->groups[i];
    for (size_t i = 0; owner && i < kube->nnodes; i++) {
        struct kube_node *node = kube->nodes[i];
        const struct kube_group *group
            = node->held >= 0 ? owner[node->held] : NULL;
        const char *has = text_at (node->labels, LABEL);
        if (group) {
            kube_slice_name (kube, &group->run, box);
            if (!has || strcmp (has, box))
                label_node (kube, node, box);
        } else if (has && (node->id >= 0 || node->last >= 0) && stale)
            label_node (kube, node, NULL);
    }
    free (owner);
}

/* ---- the check itself ---- */

/* Kueue uses a check when its controller says that it is there. */
static void activate (struct kube *kube, const char *name, json_t *check)
{
    char *path, now[32];
    json_t *body;
    if (json_is_true (json_object_get (check, "active"))
        || json_number_value (json_object_get (check, "retry")) > api_clock ()
        || asprintf (&path, CHECKS "/%s/status?fieldManager=tori-kube"
                                   "&force=true", name)
               < 0)
        return;
    write_now (now);
    body = json_pack ("{s:s, s:s, s:{s:s}, s:{s:[{s:s, s:s, s:s, s:s, s:s}]}}",
                      "apiVersion", KUEUE, "kind", "AdmissionCheck",
                      "metadata", "name", name, "status", "conditions", "type",
                      "Active", "status", "True", "reason", "Active",
                      "message", "tori-kube is there", "lastTransitionTime",
                      now);
    json_object_set_new (check, "retry", json_real (api_clock () + LATER));
    api_send (kube->api, "PATCH", path, BODY_APPLY, body, on_ignored, NULL);
    free (path);
}

static void on_check (void *arg, json_t *object, bool gone)
{
    struct kube *kube = arg;
    const char *name
        = text_at (json_object_get (object, "metadata"), "name");
    if (!name)
        return;
    if (gone
        || !is_text (json_object_get (object, "spec"), "controllerName",
                     CONTROLLER))
        json_object_del (kube->checks, name);
    else
        json_object_set_new (
            kube->checks, name,
            json_pack ("{s:b, s:i, s:i}", "active",
                       find_condition (json_object_get (object, "status"),
                                       "Active")
                           != NULL,
                       "retry", 0, "round", (int)kube->checks_round));
}

static void on_check_list (void *arg, bool begin)
{
    struct kube *kube = arg;
    const char *name;
    json_t *check;
    void *next;
    if (begin) {
        kube->checks_round++;
        return;
    }
    json_object_foreach_safe (kube->checks, next, name, check)
        if (json_integer_value (json_object_get (check, "round"))
            != (json_int_t)kube->checks_round)
            json_object_del (kube->checks, name);
}

/* ---- all of it ---- */

void kube_kueue_step (struct kube *kube)
{
    const char *name;
    json_t *check;
    json_object_foreach (kube->checks, name, check)
        activate (kube, name, check);
    if (kube->listed)
        label_nodes (kube);
}

int kube_kueue_begin (struct kube *kube, tori_error *err)
{
    if (!kube->set.kueue)
        return 0;
    kube->checks = json_object ();
    if (!kube->checks)
        return tori_error_nomem (err);
    kube->watch_checks = (struct kube_watch){.path = CHECKS,
                                             .query = "",
                                             .object = on_check,
                                             .list = on_check_list,
                                             .arg = kube};
    kube->watch_claims = (struct kube_watch){.path = WORKLOADS,
                                             .query = "",
                                             .object = on_workload,
                                             .list = on_workload_list,
                                             .arg = kube};
    kube_watch_begin (&kube->watch_checks, kube->api);
    kube_watch_begin (&kube->watch_claims, kube->api);
    return 0;
}

void kube_kueue_clear (struct kube *kube)
{
    json_decref (kube->checks);
    kube_watch_clear (&kube->watch_checks);
    kube_watch_clear (&kube->watch_claims);
}
