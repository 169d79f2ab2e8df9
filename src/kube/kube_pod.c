#include "kube_pod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tori/error.h>
#include <tori/workload.h>

#include "duration.h"
#include "number.h"

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

static char *copy_text (const char *text)
{
    return text ? strdup (text) : NULL;
}

/* A whole number in a text; -1 if it is not one. */
static json_int_t number_in (const char *text)
{
    uint64_t n;
    const char *at = text;
    return text && number_scan (&at, INT64_MAX, &n) && !*at ? (json_int_t)n
                                                            : -1;
}

json_int_t kube_time_read (const char *text)
{
    struct tm tm = {0};
    return text && strptime (text, "%Y-%m-%dT%H:%M:%S", &tm)
               ? (json_int_t)timegm (&tm)
               : 0;
}

bool kube_pod_is_over (const struct kube_pod *pod)
{
    return pod->phase == POD_SUCCEEDED || pod->phase == POD_FAILED;
}

/* ---- the job that it belongs to ---- */

/* A label or an annotation: a user may write either. */
struct notes {
    const json_t *labels, *annotations, *owner;
};

static const char *note_of (const struct notes *notes, const char *key)
{
    const char *text = text_at (notes->labels, key);
    return text ? text : text_at (notes->annotations, key);
}

static const json_t *find_owner (const json_t *meta)
{
    const json_t *owners = json_object_get (meta, "ownerReferences"), *owner;
    size_t i;
    json_array_foreach (owners, i, owner)
        if (json_is_true (json_object_get (owner, "controller")))
            return owner;
    return NULL;
}

/* NULL if nothing makes its pods. */
static json_t *name_keeper (const json_t *owner, const char *space)
{
    return owner ? json_pack ("{s:O*, s:O*, s:O*, s:O*, s:s}", "apiVersion",
                              json_object_get (owner, "apiVersion"), "kind",
                              json_object_get (owner, "kind"), "name",
                              json_object_get (owner, "name"), "uid",
                              json_object_get (owner, "uid"), "namespace",
                              space)
                 : NULL;
}

/* Members that differ from one job to the next: its kind, its name, and an
 * identity that a second job of the same name does not share. */
static void set_group (struct kube_pod *pod, const char *kind,
                       const char *name, const char *identity)
{
    if (asprintf (&pod->group, "%s/%s/%s%s%s", pod->space, kind, name,
                  identity ? "/" : "", identity ? identity : "")
        < 0)
        pod->group = NULL;
    if (asprintf (&pod->title, "%s/%s", pod->space, name) < 0)
        pod->title = NULL;
    pod->unique = identity != NULL;
}

static void set_number (struct kube_pod *pod, enum kube_order order,
                        json_int_t number)
{
    if (number < 0)
        return;
    pod->order = order;
    pod->number = (uint64_t)number;
}

static json_int_t completion_index (const struct notes *notes)
{
    return number_in (
        note_of (notes, "batch.kubernetes.io/job-completion-index"));
}

static bool read_labelled (struct kube_pod *pod, const struct notes *notes)
{
    const char *name = note_of (notes, "tori/job");
    const char *own = note_of (notes, "tori/index");
    json_int_t rank = number_in (own);
    if (!name)
        return false;
    set_group (pod, "tori", name, NULL);
    if (own && rank < 0)
        snprintf (pod->odd, sizeof pod->odd,
                  "tori/index: expected a number, not '%.60s'", own);
    set_number (pod, ORDER_RANK, own ? rank : completion_index (notes));
    return true;
}

/* The jobs of a JobSet are ordered by their global index, or by the name of
 * their template and their index in it; the pods of each by their own. Texts
 * are turned into numbers that sort alike, by their first letters. */
static bool read_jobset (struct kube_pod *pod, const struct notes *notes)
{
    const char *name = note_of (notes, "jobset.sigs.k8s.io/jobset-name");
    const char *part = note_of (notes, "jobset.sigs.k8s.io/replicatedjob-name");
    json_int_t job
        = number_in (note_of (notes, "jobset.sigs.k8s.io/job-global-index"));
    json_int_t own = number_in (note_of (notes, "jobset.sigs.k8s.io/job-index"));
    json_int_t pods = completion_index (notes);
    uint64_t key = 0;
    if (!name)
        return false;
    set_group (pod, "jobset", name,
               note_of (notes, "jobset.sigs.k8s.io/jobset-uid"));
    for (size_t i = 0; job < 0 && part && i < 2; i++)
        key = key << 8 | (unsigned char)(strlen (part) > i ? part[i] : 0);
    if (job < 0)
        job = (json_int_t)(key << 14 | (uint64_t)(own < 0 ? 0 : own & 0x3fff));
    if (pods >= 0)
        set_number (pod, ORDER_SPARSE, job << 32 | (pods & 0xffffffff));
    return true;
}

static bool read_leader_worker (struct kube_pod *pod,
                                const struct notes *notes)
{
    const char *set = note_of (notes, "leaderworkerset.sigs.k8s.io/name");
    const char *group
        = note_of (notes, "leaderworkerset.sigs.k8s.io/group-index");
    json_int_t size
        = number_in (note_of (notes, "leaderworkerset.sigs.k8s.io/size"));
    char name[600];
    if (!set || !group)
        return false;
    snprintf (name, sizeof name, "%s-%s", set, group);
    set_group (pod, "lws", name, NULL);
    set_number (pod, ORDER_RANK,
                number_in (note_of (
                    notes, "leaderworkerset.sigs.k8s.io/worker-index")));
    pod->size = size > 0 ? size : 0;
    return true;
}

static bool read_job (struct kube_pod *pod, const struct notes *notes)
{
    const char *kind = text_at (notes->owner, "kind");
    if (!kind || strcmp (kind, "Job"))
        return false;
    set_group (pod, "job", text_at (notes->owner, "name"),
               text_at (notes->owner, "uid"));
    set_number (pod, ORDER_RANK, completion_index (notes));
    return true;
}

/* A pod that belongs to nothing is a job of its own. */
static void find_group (struct kube_pod *pod, const struct notes *notes)
{
    if (read_labelled (pod, notes) || read_jobset (pod, notes)
        || read_leader_worker (pod, notes) || read_job (pod, notes))
        return;
    set_group (pod, "pod", pod->name, pod->uid);
    pod->size = 1;
}

/* ---- what it asks for ---- */

static void ask_text (struct kube_pod *pod, const struct notes *notes,
                      const char *key, const char *member)
{
    const char *text = note_of (notes, key);
    if (text)
        json_object_set_new (pod->ask, member, json_string (text));
}

static void ask_flag (struct kube_pod *pod, const struct notes *notes,
                      const char *key, const char *member)
{
    const char *text = note_of (notes, key);
    bool yes = text && !strcmp (text, "true");
    if (text && !yes && strcmp (text, "false"))
        snprintf (pod->odd, sizeof pod->odd,
                  "%s: expected true or false, not '%.60s'", key, text);
    if (text)
        json_object_set_new (pod->ask, member, json_boolean (yes));
}

/* Users write the first of these; the others are written here. */
static bool is_known_key (const char *key)
{
    static const char *const known[]
        = {"shape", "fixed", "count", "wiring",  "fold",  "time",
           "queue", "job",   "index", "or",      "patience",
           "attempt", "key", "node",  "state",   "box",   "nodes",
           "rank",  "since", "limit", "slice"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp (key, known[i]))
            return true;
    return false;
}

/* A word that is misspelt would otherwise ask for nothing. */
static void check_keys (struct kube_pod *pod, const json_t *notes,
                        const char *kind)
{
    static const char prefix[] = "tori/";
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)notes, key, value)
        if (!strncmp (key, prefix, sizeof prefix - 1)
            && !is_known_key (key + sizeof prefix - 1))
            snprintf (pod->odd, sizeof pod->odd, "unknown %s %.80s", kind,
                      key);
}

/* A time that cannot be read stays a text, which torid refuses. */
static void ask_time (struct kube_pod *pod, const struct notes *notes,
                      const json_t *spec)
{
    const char *text = note_of (notes, "tori/time");
    const json_t *deadline = json_object_get (spec, "activeDeadlineSeconds");
    tori_time limit;
    if (text && limit_parse (text, &limit, NULL) == 0)
        json_object_set_new (pod->ask, "time_limit",
                             json_real ((double)limit / TORI_SECOND));
    else if (text)
        json_object_set_new (pod->ask, "time_limit", json_string (text));
    else if (deadline)
        json_object_set (pod->ask, "time_limit", (json_t *)(uintptr_t)deadline);
}

/* How long it waits for its shape before something else will do. */
static void ask_patience (struct kube_pod *pod, const struct notes *notes)
{
    const char *text = note_of (notes, "tori/patience");
    tori_time patience = 0;
    tori_error err = {.text = "expected a time above 0"};
    if (!text)
        return;
    if (limit_parse (text, &patience, &err) < 0 || patience <= 0)
        snprintf (pod->odd, sizeof pod->odd, "tori/patience: %.130s",
                  err.text);
    json_object_set_new (pod->ask, "patience",
                         json_real ((double)patience / TORI_SECOND));
}

static void read_ask (struct kube_pod *pod, const struct notes *notes,
                      const json_t *spec)
{
    const char *count = note_of (notes, "tori/count");
    json_int_t n = number_in (count);
    json_t *priority = json_object_get (spec, "priority");
    const json_t *selector = json_object_get (spec, "nodeSelector");
    pod->ask = json_object ();
    ask_text (pod, notes, "tori/shape", "shape");
    ask_text (pod, notes, "tori/wiring", "wiring");
    ask_text (pod, notes, "tori/fold", "fold");
    ask_text (pod, notes, "tori/queue", "queue");
    ask_text (pod, notes, "tori/or", "or");
    ask_patience (pod, notes);
    ask_flag (pod, notes, "tori/fixed", "fixed");
    ask_time (pod, notes, spec);
    check_keys (pod, notes->labels, "label");
    check_keys (pod, notes->annotations, "annotation");
    if (count)
        json_object_set_new (pod->ask, "count",
                             n >= 0 ? json_integer (n) : json_string (count));
    if (json_is_integer (priority))
        json_object_set (pod->ask, "priority", priority);
    if (json_object_size (selector) > 0)
        pod->selector = json_incref ((json_t *)(uintptr_t)selector);
}

/* ---- its binding and its state ---- */

/* The key of a job is the name of its group, perhaps with # and a word. It is
 * no secret, and proves nothing: but a pod without one, or with one of another
 * job, was not bound by tori. */
static bool is_key_of (const char *key, const char *group)
{
    size_t n = group ? strlen (group) : 0;
    return key && n > 0 && !strncmp (key, group, n)
           && (key[n] == 0 || key[n] == '#');
}

/* "17.2" is the second attempt of job 17. */
static void read_tag (struct kube_tag *tag, const char *group,
                      const json_t *annotations)
{
    const char *text = text_at (annotations, "tori/attempt");
    long long job, attempt;
    char end;
    if (!text || sscanf (text, "%lld.%lld%c", &job, &attempt, &end) != 2
        || !is_key_of (text_at (annotations, "tori/key"), group)
        || !(tag->key = copy_text (text_at (annotations, "tori/key"))))
        return;
    tag->job = job;
    tag->attempt = attempt;
    tag->state = copy_text (text_at (annotations, "tori/state"));
    tag->rank = number_in (text_at (annotations, "tori/rank"));
    tag->since = number_in (text_at (annotations, "tori/since"));
    tag->limit = number_in (text_at (annotations, "tori/limit"));
    if (tag->limit < 0)
        tag->limit = 0;
}

static enum kube_phase read_phase (const json_t *status)
{
    const char *text = text_at (status, "phase");
    return !text                          ? POD_PENDING
           : !strcmp (text, "Running")    ? POD_RUNNING
           : !strcmp (text, "Succeeded")  ? POD_SUCCEEDED
           : !strcmp (text, "Failed")     ? POD_FAILED
                                          : POD_PENDING;
}

static void read_status (struct kube_pod *pod, const json_t *status)
{
    const json_t *all = json_object_get (status, "containerStatuses"), *one;
    size_t i;
    pod->phase = read_phase (status);
    json_array_foreach (all, i, one) {
        const json_t *end = json_object_get (json_object_get (one, "state"),
                                             "terminated");
        json_int_t code
            = json_integer_value (json_object_get (end, "exitCode"));
        if (code != 0 && pod->exit_code == 0)
            pod->exit_code = (int)(code & 0xff);
    }
    all = json_object_get (status, "conditions");
    json_array_foreach (all, i, one) {
        const char *type = text_at (one, "type"), *is = text_at (one, "status");
        if (type && is && !strcmp (type, "PodScheduled")
            && !strcmp (is, "False"))
            pod->told = copy_text (text_at (one, "message"));
    }
}

/* Pods of DaemonSets and of the node itself run beside any other. */
static bool is_resident (const struct notes *notes)
{
    const char *kind = text_at (notes->owner, "kind");
    return (kind && (!strcmp (kind, "DaemonSet") || !strcmp (kind, "Node")))
           || text_at (notes->annotations, "kubernetes.io/config.mirror");
}

struct kube_pod *kube_pod_read (const json_t *object, const char *scheduler)
{
    const json_t *meta = json_object_get (object, "metadata");
    const json_t *spec = json_object_get (object, "spec");
    const struct notes notes = {json_object_get (meta, "labels"),
                                json_object_get (meta, "annotations"),
                                find_owner (meta)};
    const char *by = text_at (spec, "schedulerName");
    struct kube_pod *pod = calloc (1, sizeof *pod);
    if (!pod || !text_at (meta, "name") || !text_at (meta, "namespace")) {
        free (pod);
        return NULL;
    }
    pod->space = copy_text (text_at (meta, "namespace"));
    pod->name = copy_text (text_at (meta, "name"));
    pod->uid = copy_text (text_at (meta, "uid"));
    pod->created = copy_text (text_at (meta, "creationTimestamp"));
    pod->node = copy_text (text_at (spec, "nodeName"));
    pod->leaving = text_at (meta, "deletionTimestamp") != NULL;
    pod->gated = json_array_size (json_object_get (spec, "schedulingGates"))
                 > 0;
    pod->resident = is_resident (&notes);
    pod->box = copy_text (
        text_at (json_object_get (spec, "nodeSelector"), "tori/box"));
    pod->owner = notes.owner ? copy_text (text_at (notes.owner, "uid")) : NULL;
    pod->keeper = name_keeper (notes.owner, pod->space);
    if (asprintf (&pod->id, "%s/%s", pod->space, pod->name) < 0)
        pod->id = NULL;
    read_status (pod, json_object_get (object, "status"));
    if (by && !strcmp (by, scheduler)) {
        find_group (pod, &notes);
        read_ask (pod, &notes, spec);
        read_tag (&pod->tag, pod->group, notes.annotations);
    }
    if (pod->id && pod->uid && pod->created)
        return pod;
    kube_pod_destroy (pod);
    return NULL;
}

void kube_pod_destroy (struct kube_pod *pod)
{
    if (!pod)
        return;
    free (pod->id);
    free (pod->space);
    free (pod->name);
    free (pod->uid);
    free (pod->node);
    free (pod->created);
    free (pod->group);
    free (pod->title);
    free (pod->owner);
    free (pod->box);
    free (pod->told);
    free (pod->tag.state);
    free (pod->tag.key);
    json_decref (pod->keeper);
    json_decref (pod->ask);
    json_decref (pod->selector);
    free (pod);
}
