/* kube.h - the state of tori-kube: what the API server says, what torid
 * knows, and what is under way between the two.
 *
 * All that has to outlive the process is in the API server: a binding writes
 * the attempt of torid into the pod, and torid repeats its orders. */
#ifndef TORI_KUBE_H
#define TORI_KUBE_H

#include "jsonlines.h"
#include "kube_group.h"
#include "kube_watch.h"
#include "nodemap.h"
#include "options.h"

enum place_state { PLACE_UNKNOWN, PLACE_UP, PLACE_DRAINED, PLACE_DOWN };

/* A node of Kubernetes. */
struct kube_node {
    char *name;
    int64_t id; /* of the machine, or -1 */
    enum place_state state;
    char why[160];
    json_t *labels;
    unsigned round;
    size_t at; /* in the array of all nodes */
};

/* A node of the machine. */
struct kube_place {
    const struct kube_node *node; /* NULL: none, or several */
    enum place_state state, said;
    char why[200], said_why[200];
};

struct kube_settings {
    const char *scheduler; /* whose pods these are */
    struct strings tolerated; /* taints that keep no job away */
    struct strings ignored;   /* namespaces whose pods are in nobody's way */
    double patience; /* seconds within which all pods of a job are bound */
    double linger;   /* seconds for which a failed pod may be replaced */
    double memory;   /* seconds for which a job without pods keeps its place in
                        the queue */
    json_int_t default_time;
};

struct kube {
    struct kube_settings set;
    const tori_machine *machine;
    const struct nodemap *map; /* NULL: labels tell */
    struct api *api;
    struct kube_watch watch_pods, watch_nodes;

    void *pod_tree, *group_tree, *node_tree; /* by name: tsearch(3) */
    struct kube_pod **pods;
    struct kube_group **groups;
    struct kube_node **nodes;
    size_t npods, pods_room, ngroups, groups_room, nnodes, nodes_room;
    unsigned pods_round, nodes_round;
    struct kube_place *places; /* by id */
    bool moved; /* nodes or pods have changed since places were looked at */

    struct lines lines;
    json_t *orders;
    bool listed;      /* torid has heard what we have ... */
    double listed_at; /* ... since then */
    bool ended;       /* torid is gone */
    double ticked;    /* when jobs were last looked at because time passes */
    char trouble[300]; /* as torid knows it */
    double remark_budget, remark_filled; /* changes of conditions that may be
                                            made, and when that was counted */
    size_t remark_at;  /* the group whose turn it is */
};

/* Print a line about a job, or about anything, on standard error. */
void kube_complain (const char *name, const char *what, const char *why);

/* ---- kube_cache.c: pods, nodes and groups ---- */

int kube_begin (struct kube *kube, tori_error *err);
void kube_clear (struct kube *kube);
bool kube_is_synced (const struct kube *kube);
struct kube_group *kube_find_group (const struct kube *kube, const char *key);
struct kube_node *kube_find_node (const struct kube *kube, const char *name);

/* The API server says this of a pod: `arg` is the state. */
void kube_hear_pod (void *arg, json_t *object, bool gone);

/* A group that has nothing left is forgotten. */
void kube_drop_group (struct kube *kube, struct kube_group *group);

/* ---- kube_nodes.c ---- */

struct kube_node *kube_node_read (const struct kube *kube,
                                  const json_t *object);
void kube_node_destroy (struct kube_node *node);

/* Look at all places, and report what torid does not know. */
void kube_places_look (struct kube *kube);

/* The name of the Kubernetes node at a place where a pod may be bound now;
 * NULL with the reason if there is none. */
const char *kube_place_host (const struct kube *kube, uint32_t id,
                             const char **ret_why);

/* Nodes whose labels match a selector, as a list for torid. */
json_t *kube_places_matching (const struct kube *kube, const json_t *selector);

/* ---- kube_acts.c: requests that change something ---- */

/* Bind the pod of a rank to its node, by the group's run. */
void kube_bind (struct kube *kube, struct kube_group *group, size_t rank);

/* Delete a pod, which gets so many seconds to end. */
void kube_delete (struct kube *kube, struct kube_pod *pod, json_int_t grace);

/* Ask what has become of a binding that was not answered. */
void kube_make_sure (struct kube *kube, struct kube_pod *pod);

/* Let the kubelet end a pod whose time is over. */
void kube_expire (struct kube *kube, struct kube_pod *pod);

/* Write why it waits into a pod, and an event if that is wanted. */
void kube_explain (struct kube *kube, struct kube_pod *pod, const char *text);
void kube_event (struct kube *kube, const struct kube_pod *pod,
                 const char *type, const char *reason, const char *text);

/* ---- kube_steps.c ---- */

/* Do what a group needs now. */
void kube_settle (struct kube *kube, struct kube_group *group);

/* A message about the run of a group. */
json_t *kube_run_message (const struct kube_group *group, const char *is);

/* Take an attempt back: its pods are deleted, and torid hears the reason. */
void kube_take_back (struct kube_group *group, const char *why);

/* ---- kube_orders.c ---- */

void kube_obey (struct kube *kube, const json_t *order);

/* ---- kube_reasons.c ---- */

/* Bring some of the conditions up to date, as many as the rate allows. */
void kube_reasons_step (struct kube *kube);

#endif
