/* kube_cache.c - copies of the pods and nodes of the API server, and the jobs
 * that the pods make up. */
#include "kube.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

void kube_complain (const char *name, const char *what, const char *why)
{
    fprintf (stderr, "tori-kube: %s: %s%s%s\n", name, what,
             why && *why ? ": " : "", why ? why : "");
}

/* ---- tables: a tree of names, and an array of all ---- */

/* The name is the first member of all three. */
static int compare_names (const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp (*x, *y);
}

static void *find_named (void *const *tree, const char *name)
{
    void *const *found = tfind (&name, tree, compare_names);
    return found ? *found : NULL;
}

struct kube_node *kube_find_node (const struct kube *kube, const char *name)
{
    return find_named (&kube->node_tree, name);
}

static struct kube_group *find_group_named (const struct kube *kube,
                                            const char *name)
{
    return find_named (&kube->group_tree, name);
}

/* A key is the name of a group, or begins with it and a #. */
struct kube_group *kube_find_group (const struct kube *kube, const char *key)
{
    char *name = key ? strdup (key) : NULL;
    struct kube_group *group = NULL;
    if (name) {
        name[strcspn (name, "#")] = 0;
        group = find_group_named (kube, name);
    }
    free (name);
    return group;
}

/* ---- groups ---- */

struct kube_group *kube_join_group (struct kube *kube, const char *name,
                                    const char *title)
{
    struct kube_group *group = find_group_named (kube, name);
    struct kube_group **more;
    if (group)
        return group;
    more = array_room (kube->groups, &kube->groups_room, kube->ngroups + 1,
                       sizeof *more);
    if (more)
        kube->groups = more;
    group = more ? kube_group_create (name, title) : NULL;
    if (!group || !tsearch (group, &kube->group_tree, compare_names)) {
        kube_group_destroy (group);
        return NULL;
    }
    group->at = kube->ngroups;
    kube->groups[kube->ngroups++] = group;
    return group;
}

void kube_drop_group (struct kube *kube, struct kube_group *group)
{
    tdelete (group, &kube->group_tree, compare_names);
    kube->groups[group->at] = kube->groups[--kube->ngroups];
    kube->groups[group->at]->at = group->at;
    kube_claim_destroy (group->claim);
    kube_group_destroy (group);
}

/* ---- pods ---- */

/* A request that is under way frees it when the answer comes. */
static void remove_pod (struct kube *kube, struct kube_pod *pod)
{
    tdelete (pod, &kube->pod_tree, compare_names);
    kube->pods[pod->at] = kube->pods[--kube->npods];
    kube->pods[pod->at]->at = pod->at;
    if (pod->its_group)
        kube_group_remove (pod->its_group, pod);
    pod->its_group = NULL;
    pod->dead = true;
    if (!pod->busy)
        kube_pod_destroy (pod);
    kube->moved = true;
}

static bool insert_pod (struct kube *kube, struct kube_pod *pod)
{
    struct kube_pod **more = array_room (kube->pods, &kube->pods_room,
                                         kube->npods + 1, sizeof *more);
    if (!more)
        return false;
    kube->pods = more;
    if (pod->group) {
        struct kube_group *group = kube_join_group (kube, pod->group,
                                                    pod->title);
        if (!group || kube_group_add (group, pod) < 0)
            return false;
        pod->its_group = group;
    }
    if (!tsearch (pod, &kube->pod_tree, compare_names))
        return false;
    pod->at = kube->npods;
    kube->pods[kube->npods++] = pod;
    return true;
}

/* A pod that a request is about keeps its structure: the request has its
 * address. Only one thing can happen twice: what was read replaces it. A pod
 * that has just been bound may be deleted at once. */
static void swap_pods (struct kube_pod *old, struct kube_pod *fresh)
{
    struct kube_pod was = *old;
    *old = *fresh;
    *fresh = was;
    old->its_group = was.its_group;
    old->at = was.at;
    old->busy = was.busy;
    old->retry = old->node ? 0 : was.retry;
    old->heard = was.heard + 1;
    old->tell = was.tell;
    old->unsure = was.unsure && !old->node;
    fresh->its_group = NULL;
}

/* A pod that is bound has what its binding has written. Later, its users may
 * write something else there: only its state is read. */
static void update_bound (struct kube_pod *old, struct kube_pod *fresh)
{
    char *told = old->told;
    old->told = fresh->told;
    fresh->told = told;
    old->phase = fresh->phase;
    old->exit_code = fresh->exit_code;
    old->leaving = fresh->leaving;
    old->round = fresh->round;
    old->heard++;
}

static bool is_same_pod (const struct kube_pod *old,
                         const struct kube_pod *fresh)
{
    return !strcmp (old->uid, fresh->uid)
           && (old->node
               || !strcmp (old->group ? old->group : "",
                           fresh->group ? fresh->group : ""));
}

void kube_hear_pod (void *arg, json_t *object, bool gone)
{
    struct kube *kube = arg;
    struct kube_pod *pod = kube_pod_read (object, kube->set.scheduler), *old;
    if (!pod)
        return;
    kube->moved = true;
    old = find_named (&kube->pod_tree, pod->id);
    pod->round = kube->pods_round;
    if (old && !gone && is_same_pod (old, pod)) {
        if (old->node)
            update_bound (old, pod);
        else
            swap_pods (old, pod);
        kube_pod_destroy (pod);
        if (old->its_group)
            old->its_group->dirty = true;
        return;
    }
    if (old && (!gone || !strcmp (old->uid, pod->uid)))
        remove_pod (kube, old);
    if (gone || !insert_pod (kube, pod)) {
        if (!gone)
            kube_complain (pod->id, "out of memory", NULL);
        kube_pod_destroy (pod);
    }
}

static void on_pod_list (void *arg, bool begin)
{
    struct kube *kube = arg;
    if (begin) {
        kube->pods_round++;
        return;
    }
    for (size_t i = kube->npods; i-- > 0;)
        if (kube->pods[i]->round != kube->pods_round)
            remove_pod (kube, kube->pods[i]);
}

/* ---- nodes ---- */

static void remove_node (struct kube *kube, struct kube_node *node)
{
    tdelete (node, &kube->node_tree, compare_names);
    kube->nodes[node->at] = kube->nodes[--kube->nnodes];
    kube->nodes[node->at]->at = node->at;
    for (uint32_t i = 0; i < tori_machine_nodes (kube->machine); i++)
        if (kube->places[i].node == node)
            kube->places[i].node = NULL;
    kube_node_destroy (node);
    kube->moved = true;
}

static void on_node (void *arg, json_t *object, bool gone)
{
    struct kube *kube = arg;
    struct kube_node *node = kube_node_read (kube, object), *old, **more;
    if (!node)
        return;
    kube->moved = true;
    node->round = kube->nodes_round;
    old = find_named (&kube->node_tree, node->name);
    if (old) {
        kube_node_inherit (node, old);
        remove_node (kube, old);
    }
    more = array_room (kube->nodes, &kube->nodes_room, kube->nnodes + 1,
                       sizeof *more);
    if (more)
        kube->nodes = more;
    if (gone || !more || !tsearch (node, &kube->node_tree, compare_names)) {
        kube_node_destroy (node);
        return;
    }
    node->at = kube->nnodes;
    kube->nodes[kube->nnodes++] = node;
}

static void on_node_list (void *arg, bool begin)
{
    struct kube *kube = arg;
    if (begin) {
        kube->nodes_round++;
        return;
    }
    for (size_t i = kube->nnodes; i-- > 0;)
        if (kube->nodes[i]->round != kube->nodes_round)
            remove_node (kube, kube->nodes[i]);
}

/* ---- all of it ---- */

int kube_begin (struct kube *kube, tori_error *err)
{
    kube->places = calloc (tori_machine_nodes (kube->machine),
                           sizeof *kube->places);
    kube->orders = json_array ();
    kube->stops = json_array ();
    if (!kube->places || !kube->orders || !kube->stops)
        return tori_error_nomem (err);
    kube->watch_pods = (struct kube_watch){.path = "/api/v1/pods",
                                           .query = "",
                                           .object = kube_hear_pod,
                                           .list = on_pod_list,
                                           .arg = kube};
    kube->watch_nodes = (struct kube_watch){.path = "/api/v1/nodes",
                                            .query = "",
                                            .object = on_node,
                                            .list = on_node_list,
                                            .arg = kube};
    kube_watch_begin (&kube->watch_pods, kube->api);
    kube_watch_begin (&kube->watch_nodes, kube->api);
    kube->moved = true;
    if (kube->set.slices && kube->set.kueue)
        return tori_error_set (err, TORI_INVALID,
                               "--gke-slices and --kueue exclude each other");
    if (kube_kueue_begin (kube, err) < 0)
        return -1;
    return kube_slices_begin (kube, err);
}

bool kube_is_synced (const struct kube *kube)
{
    return kube->watch_pods.synced && kube->watch_nodes.synced
           && (!kube->set.slices || kube->watch_slices.synced)
           && (!kube->set.kueue
               || (kube->watch_checks.synced && kube->watch_claims.synced));
}

/* The requests under way must be gone before this. */
void kube_clear (struct kube *kube)
{
    while (kube->npods > 0) {
        kube->pods[0]->busy = false;
        remove_pod (kube, kube->pods[0]);
    }
    while (kube->ngroups > 0)
        kube_drop_group (kube, kube->groups[0]);
    while (kube->nnodes > 0)
        remove_node (kube, kube->nodes[0]);
    kube_slices_clear (kube);
    kube_kueue_clear (kube);
    kube_watch_clear (&kube->watch_pods);
    kube_watch_clear (&kube->watch_nodes);
    free (kube->pods);
    free (kube->groups);
    free (kube->nodes);
    free (kube->places);
    json_decref (kube->orders);
    json_decref (kube->stops);
    free (kube->state);
    lines_clear (&kube->lines);
}
