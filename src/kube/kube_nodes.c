/* kube_nodes.c - nodes of Kubernetes as nodes of the machine: where they are,
 * and whether torid may use them. */
#include "kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

static bool is_listed (const struct strings *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp (list->item[i], text))
            return true;
    return false;
}

/* ---- where a node is ---- */

/* Labels have no commas: "1.2.3". */
static int64_t read_coords (const struct kube *kube, struct kube_node *node,
                            const char *label, const char *value)
{
    char text[TORI_TEXT_MAX];
    uint32_t id;
    snprintf (text, sizeof text, "%s", value);
    for (char *at = text; *at; at++)
        if (*at == '.' || *at == '-' || *at == '_')
            *at = ',';
    if (tori_node_parse (kube->machine, text, &id, NULL) == 0)
        return id;
    tori_machine_format (kube->machine, text);
    snprintf (node->odd, sizeof node->odd,
              "label %s '%.63s' is not coordinates of %.80s", label, value,
              text);
    return -1;
}

/* A node without any of these labels is none of the machine's. */
static int64_t read_axes (const struct kube *kube, struct kube_node *node)
{
    static const char *const axes[] = {"tori/x", "tori/y", "tori/z",
                                       "tori/u", "tori/v", "tori/w"};
    int n = tori_machine_ndims (kube->machine), there = 0;
    const char *missing = NULL;
    char text[TORI_TEXT_MAX] = "";
    for (int d = 0; d < n && d < 6; d++) {
        size_t at = strlen (text);
        const char *one = text_at (node->labels, axes[d]);
        there += one != NULL;
        if (!one && !missing)
            missing = axes[d];
        snprintf (text + at, sizeof text - at, "%s%s", d > 0 ? "." : "",
                  one ? one : "");
    }
    if (there == n)
        return read_coords (kube, node, "tori/x and so on", text);
    if (there > 0 && missing)
        snprintf (node->odd, sizeof node->odd, "it has no label %s", missing);
    return -1;
}

static int64_t find_place (const struct kube *kube, struct kube_node *node)
{
    const char *label = text_at (node->labels, "tori/node");
    if (kube->map)
        return nodemap_id (kube->map, node->name);
    return label ? read_coords (kube, node, "tori/node", label)
                 : read_axes (kube, node);
}

/* ---- whether it serves ---- */

static void set_state (struct kube_node *node, enum place_state state,
                       const char *why)
{
    if (state <= node->state)
        return;
    node->state = state;
    snprintf (node->why, sizeof node->why, "%s", why);
}

static void read_taints (const struct kube *kube, struct kube_node *node,
                         const json_t *taints)
{
    const json_t *taint;
    char why[sizeof node->why];
    size_t i;
    json_array_foreach (taints, i, taint) {
        const char *key = text_at (taint, "key");
        const char *effect = text_at (taint, "effect");
        if (!key || !effect || !strcmp (effect, "PreferNoSchedule")
            || is_listed (&kube->set.tolerated, key))
            continue;
        snprintf (why, sizeof why, "it has the taint %.80s:%.20s", key,
                  effect);
        set_state (node, PLACE_DRAINED, why);
    }
}

static void read_ready (struct kube_node *node, const json_t *conditions)
{
    const json_t *one;
    size_t i;
    json_array_foreach (conditions, i, one) {
        const char *type = text_at (one, "type");
        const char *status = text_at (one, "status");
        const char *why = text_at (one, "message");
        char text[sizeof node->why];
        if (!type || !status || strcmp (type, "Ready"))
            continue;
        snprintf (text, sizeof text, "it is not ready: %.100s",
                  why ? why : status);
        if (strcmp (status, "True"))
            set_state (node, PLACE_DOWN, text);
        return;
    }
    set_state (node, PLACE_DOWN, "its kubelet has not reported yet");
}

struct kube_node *kube_node_read (const struct kube *kube,
                                  const json_t *object)
{
    const json_t *meta = json_object_get (object, "metadata");
    const json_t *spec = json_object_get (object, "spec");
    const json_t *status = json_object_get (object, "status");
    const char *name = text_at (meta, "name");
    struct kube_node *node = name ? calloc (1, sizeof *node) : NULL;
    if (!node)
        return NULL;
    node->name = strdup (name);
    if (!node->name) {
        free (node);
        return NULL;
    }
    node->labels = json_incref (json_object_get (meta, "labels"));
    node->held = node->last = node->works = -1;
    node->id = find_place (kube, node);
    node->state = PLACE_UP;
    if (json_is_true (json_object_get (spec, "unschedulable")))
        set_state (node, PLACE_DRAINED, "it is cordoned");
    read_taints (kube, node, json_object_get (spec, "taints"));
    read_ready (node, json_object_get (status, "conditions"));
    return node;
}

void kube_node_destroy (struct kube_node *node)
{
    if (!node)
        return;
    json_decref (node->labels);
    free (node->name);
    free (node);
}

void kube_node_inherit (struct kube_node *node, const struct kube_node *old)
{
    node->retry = old->labels && json_equal (old->labels, node->labels)
                      ? old->retry
                      : 0;
    node->held = old->held;
    node->last = old->last;
    memcpy (node->said_odd, old->said_odd, sizeof node->said_odd);
}

/* ---- places ---- */

void kube_place_set (struct kube_place *place, enum place_state state,
                     const char *why)
{
    if (state <= place->state)
        return;
    place->state = state;
    snprintf (place->why, sizeof place->why, "%s", why);
}

/* The order of claims on a place: first a node on which a job runs there,
 * whatever its labels say by now; then the node that has had it and is ready;
 * then another one that is. So a mistake in a label harms no job. */
enum { WORKS, KEEPS, SERVES, REST, RANKS };

static int rank_node (const struct kube_node *node)
{
    return node->works >= 0           ? WORKS
           : node->state == PLACE_DOWN ? REST
           : node->held == node->id    ? KEEPS
                                       : SERVES;
}

static void refuse_node (const struct kube *kube, struct kube_node *node,
                         const struct kube_node *holder)
{
    char text[TORI_TEXT_MAX];
    tori_node_format (kube->machine, (uint32_t)node->id, text);
    snprintf (node->odd, sizeof node->odd,
              "its labels claim %.60s, where node %.100s is", text,
              holder ? holder->name : "?");
}

/* The place of the node that its pods say. */
static void keep_node (const struct kube *kube, struct kube_node *node)
{
    struct kube_place *place = &kube->places[node->works];
    char why[sizeof place->why];
    place->node = node;
    kube_place_set (place, node->state, node->why);
    if (node->works == node->id)
        return;
    if (node->id < 0)
        snprintf (why, sizeof why, "node %.60s is not where it was%s%.110s",
                  node->name, *node->odd ? ": " : "", node->odd);
    else
        snprintf (why, sizeof why, "node %.80s has other coordinates now, and "
                                   "a job runs on it", node->name);
    kube_place_set (place, PLACE_DRAINED, why);
}

/* Nodes of the same rank that claim one place have it neither. */
static void put_node (const struct kube *kube, struct kube_node *node,
                      int rank)
{
    struct kube_place *place = &kube->places[node->id];
    char why[sizeof place->why];
    if (place->state == PLACE_UNKNOWN) {
        place->node = node;
        kube_place_set (place, node->state, node->why);
        return;
    }
    refuse_node (kube, node, place->node);
    if (!place->node || rank_node (place->node) != rank)
        return;
    snprintf (why, sizeof why, "nodes %.80s and %.80s claim this place",
              place->node->name, node->name);
    place->node = NULL;
    kube_place_set (place, PLACE_DOWN, why);
}

/* Where torid has placed the rank of a pod; -1 if it has not. */
static int64_t place_of_rank (const struct kube_pod *pod)
{
    const struct kube_run *run = pod->its_group ? &pod->its_group->run : NULL;
    return run && !run->disowned && kube_pod_is_of (pod, run)
                   && pod->tag.rank >= 0 && (size_t)pod->tag.rank < run->n
               ? (int64_t)run->ids[pod->tag.rank]
               : -1;
}

/* A pod that is not part of what torid has placed there: also one that has the
 * annotations of a job whose place is elsewhere. */
static bool is_foreign (const struct kube *kube, const struct kube_pod *pod)
{
    const struct kube_node *node;
    int64_t id = place_of_rank (pod);
    if (!pod->node || pod->resident || kube_pod_is_over (pod)
        || is_listed (&kube->set.ignored, pod->space)
        || kube_claim_has_pod (kube, pod))
        return false;
    node = kube_find_node (kube, pod->node);
    return id < 0 || (node && node->held != id);
}

static void put_pod (struct kube *kube, const struct kube_pod *pod)
{
    const struct kube_node *node = kube_find_node (kube, pod->node);
    const struct kube_run *run = pod->its_group ? &pod->its_group->run : NULL;
    char why[sizeof kube->places->why];
    if (!node || node->held < 0)
        return;
    if (run && run->stranger && kube_pod_is_of (pod, run))
        snprintf (why, sizeof why,
                  "pod %.80s of job %lld is there, of which torid knows "
                  "nothing; 'tori cancel --unknown %lld' ends it", pod->id,
                  (long long)run->job, (long long)run->job);
    else
        snprintf (why, sizeof why, "pod %.120s is there, which torid has not "
                                   "placed", pod->id);
    kube_place_set (&kube->places[node->held], PLACE_DRAINED, why);
}

/* A pod and the labels of its node agree on its place, or else the labels are
 * wrong. But if another node has a pod and labels for that place, or this node
 * had a place of its own before, the pod is a copy. Pods of a workload of
 * Kueue have no ranks: their node is where it was. */
static void find_work (const struct kube *kube, const struct kube_pod *pod,
                       bool labelled)
{
    struct kube_node *node
        = pod->node && !kube_pod_is_over (pod)
              ? kube_find_node (kube, pod->node)
              : NULL;
    int64_t id = place_of_rank (pod);
    if (!node || node->works >= 0)
        return;
    if (id < 0) {
        if (!labelled && kube_claim_has_pod (kube, pod))
            node->works = node->held;
    } else if (!kube->places[id].node
               && (labelled ? node->id == id
                            : node->held < 0 || node->held == id)) {
        node->works = id;
        kube->places[id].node = node;
    }
}

static void put_nodes (struct kube *kube)
{
    for (size_t i = 0; i < kube->nnodes; i++) {
        kube->nodes[i]->works = -1;
        if (kube->nodes[i]->id >= 0)
            *kube->nodes[i]->odd = 0;
    }
    for (int labelled = 1; labelled >= 0; labelled--)
        for (size_t i = 0; i < kube->npods; i++)
            find_work (kube, kube->pods[i], labelled);
    for (int rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < kube->nnodes; i++) {
            struct kube_node *node = kube->nodes[i];
            if (rank_node (node) != rank)
                continue;
            if (rank == WORKS)
                keep_node (kube, node);
            else if (node->id >= 0)
                put_node (kube, node, rank);
        }
}

/* Report once what is wrong with its labels. */
static void note_place (struct kube *kube, struct kube_node *node)
{
    int64_t id = node->works >= 0 ? node->works : node->id;
    node->held = id >= 0 && kube->places[id].node == node ? id : -1;
    if (node->held >= 0)
        node->last = node->held;
    if (*node->odd && strcmp (node->odd, node->said_odd))
        kube_complain (node->name, node->odd, NULL);
    memcpy (node->said_odd, node->odd, sizeof node->said_odd);
}

static void find_absent (struct kube *kube)
{
    char why[sizeof kube->places->why];
    for (size_t i = 0; i < kube->nnodes; i++) {
        const struct kube_node *node = kube->nodes[i];
        if (node->held >= 0 || node->last < 0
            || kube->places[node->last].state != PLACE_UNKNOWN)
            continue;
        snprintf (why, sizeof why, "node %.50s was there: %.130s", node->name,
                  *node->odd ? node->odd : "it has lost its labels");
        kube_place_set (&kube->places[node->last], PLACE_DOWN, why);
    }
    for (uint32_t i = 0; i < tori_machine_nodes (kube->machine); i++)
        if (kube->places[i].state == PLACE_UNKNOWN)
            kube_place_set (&kube->places[i], PLACE_DOWN,
                            "Kubernetes has no node there");
}

static void find_states (struct kube *kube)
{
    uint32_t n = tori_machine_nodes (kube->machine);
    for (uint32_t i = 0; i < n; i++) {
        kube->places[i].node = NULL;
        kube->places[i].state = PLACE_UNKNOWN;
        kube->places[i].why[0] = 0;
    }
    put_nodes (kube);
    for (size_t i = 0; i < kube->nnodes; i++)
        note_place (kube, kube->nodes[i]);
    for (size_t i = 0; i < kube->npods; i++)
        if (is_foreign (kube, kube->pods[i]))
            put_pod (kube, kube->pods[i]);
    find_absent (kube);
    kube_slices_mark (kube);
}

static void say_node (const struct kube *kube, uint32_t id, const char *state)
{
    const char *why = kube->places[id].why;
    char text[TORI_TEXT_MAX];
    tori_node_format (kube->machine, id, text);
    lines_say (json_pack ("{s:s, s:s, s:s, s:s*}", "is", "node", "node", text,
                          "state", state, "why", *why ? why : NULL));
}

/* A node may be down and drained at once, so the earlier state is taken back
 * first. Before torid has heard which jobs have ended, a node is only drained:
 * torid would requeue a job that was on it. */
static void say_place (struct kube *kube, uint32_t id)
{
    struct kube_place *place = &kube->places[id];
    enum place_state was = place->said, is = place->state;
    if (is == PLACE_DOWN && !kube->listed)
        is = PLACE_DRAINED;
    if (was == is && (is == PLACE_UP || !strcmp (place->why, place->said_why)))
        return;
    if (is == PLACE_DOWN)
        say_node (kube, id, "down");
    if (is == PLACE_DRAINED)
        say_node (kube, id, "drain");
    if (is != PLACE_DOWN && was != PLACE_UP && was != PLACE_DRAINED)
        say_node (kube, id, "up");
    if (is != PLACE_DRAINED && was != PLACE_UP && was != PLACE_DOWN)
        say_node (kube, id, "resume");
    place->said = is;
    memcpy (place->said_why, place->why, sizeof place->why);
}

void kube_places_look (struct kube *kube)
{
    uint32_t n = tori_machine_nodes (kube->machine);
    if (!kube->moved)
        return;
    kube->moved = false;
    find_states (kube);
    for (uint32_t i = 0; i < n; i++)
        say_place (kube, i);
}

const char *kube_place_host (const struct kube *kube, uint32_t id,
                             const char **ret_why)
{
    const struct kube_place *place = &kube->places[id];
    *ret_why = place->why;
    return place->state == PLACE_UP && place->node ? place->node->name : NULL;
}

/* With `later`, labels that the node gets with its slice do not count. */
static bool is_match (const struct kube *kube, const json_t *labels,
                      const json_t *selector, bool later)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)selector, key, value)
        if (!json_equal (value, json_object_get (labels, key))
            && !(later && kube_slices_give (kube, key)))
            return false;
    return true;
}

bool kube_place_has (const struct kube *kube, uint32_t id,
                     const json_t *selector)
{
    const struct kube_node *node = kube->places[id].node;
    return node && is_match (kube, node->labels, selector, false);
}

json_t *kube_places_matching (const struct kube *kube, const json_t *selector)
{
    json_t *list = json_array ();
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < tori_machine_nodes (kube->machine); i++) {
        const struct kube_node *node = kube->places[i].node;
        if (!node || !is_match (kube, node->labels, selector, true))
            continue;
        tori_node_format (kube->machine, i, text);
        json_array_append_new (list, json_string (text));
    }
    return list;
}
