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
    int64_t id;    /* the place that its labels claim, or -1 */
    int64_t held;  /* the place that it has, or -1 */
    int64_t last;  /* the place that it had last, or -1 */
    int64_t works; /* the place where a pod of a job runs on it, or -1 */
    enum place_state state;
    char why[160];
    char odd[200], said_odd[200]; /* why it does not have the place that its
                                     labels claim */
    json_t *labels;
    unsigned round;
    size_t at; /* in the array of all nodes */
    double retry; /* it is not labelled again before this time */
};

/* A Slice of GKE: cubes that its slice controller joins. */
enum slice_state {
    SLICE_FORMING,
    SLICE_READY,
    SLICE_GOING, /* it is being taken apart */
    SLICE_FAILED
};

struct kube_slice {
    char *name, *uid;
    bool ours;               /* made by a tori-kube of our scheduler ... */
    json_int_t job, attempt; /* ... for this attempt */
    char *key, *state_dir;
    json_t *parts; /* names of its cubes */
    enum slice_state state;
    char why[160];
    bool leaving; /* it is being deleted */
    unsigned round;
    bool busy;    /* a request about it is under way */
    double retry; /* another one not before this time */
};

/* A cube of the machine: a partition of GKE. */
struct kube_cube {
    json_t *name; /* NULL: not known */
    enum place_state state;
    char why[200];
    double paused; /* no slice before this time: one has failed */
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
    bool slices;       /* jobs get Slices of GKE, ... */
    double slice_time; /* ... which are ready within so many seconds */
    bool kueue;        /* workloads of Kueue ask for boxes */
};

struct kube {
    struct kube_settings set;
    const tori_machine *machine;
    const struct nodemap *map; /* NULL: labels tell */
    struct api *api;
    struct kube_watch watch_pods, watch_nodes, watch_slices;

    void *pod_tree, *group_tree, *node_tree; /* by name: tsearch(3) */
    struct kube_pod **pods;
    struct kube_group **groups;
    struct kube_node **nodes;
    size_t npods, pods_room, ngroups, groups_room, nnodes, nodes_room;
    unsigned pods_round, nodes_round;
    struct kube_place *places; /* by id */
    bool moved; /* nodes or pods have changed since places were looked at */
    struct kube_slice **slices;
    size_t nslices, slices_room;
    unsigned slices_round;
    struct kube_cube *cubes;
    uint32_t ncubes;
    struct kube_watch watch_checks, watch_claims;
    json_t *checks; /* those of Kueue that are ours, by name */
    unsigned checks_round, claims_round;

    struct lines lines;
    json_t *orders;
    json_t *stops;    /* orders to stop attempts that are not at hand */
    char *state;      /* of torid, in which it orders attempts now, or NULL */
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

/* The group of this name, which may be a new one; NULL without memory. */
struct kube_group *kube_join_group (struct kube *kube, const char *name,
                                    const char *title);

/* A group that has nothing left is forgotten. */
void kube_drop_group (struct kube *kube, struct kube_group *group);

/* ---- kube_nodes.c ---- */

struct kube_node *kube_node_read (const struct kube *kube,
                                  const json_t *object);
void kube_node_destroy (struct kube_node *node);

/* The state of the node that had this name before. */
void kube_node_inherit (struct kube_node *node, const struct kube_node *old);

/* Look at all places, and report what torid does not know. */
void kube_places_look (struct kube *kube);

/* Let a place be at least as bad as this. */
void kube_place_set (struct kube_place *place, enum place_state state,
                     const char *why);

/* Whether the node at a place has the labels of a selector. */
bool kube_place_has (const struct kube *kube, uint32_t id,
                     const json_t *selector);

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

/* Write why it waits into a pod. */
void kube_explain (struct kube *kube, struct kube_pod *pod, const char *text);

/* Make an event about a pod or its controller, as the API server names it. The
 * reference to `about` is taken. */
void kube_event (struct kube *kube, json_t *about, const char *text);

/* ---- kube_slices.c: Slices of GKE, if they are wanted ---- */

int kube_slices_begin (struct kube *kube, tori_error *err);
void kube_slices_clear (struct kube *kube);

/* Refuse a job that cannot be a slice. */
void kube_slices_check (const struct kube *kube, struct kube_group *group);

/* Set the state of every place, as the labels of its cube and the slices say. */
void kube_slices_mark (struct kube *kube);

/* Delete slices that no attempt has. */
void kube_slices_step (struct kube *kube);

/* Whether a label is given to nodes when their slice is formed. */
bool kube_slices_give (const struct kube *kube, const char *label);

/* The name of the slice of an attempt. */
enum { SLICE_NAME = 64 };
void kube_slice_name (const struct kube *kube, const struct kube_run *run,
                      char name[SLICE_NAME]);

/* Find the slice of an order to start; -1 with the reason if there is none.
 * With `ret_there`, tori-kube has asked for it before, and was ended since. */
int kube_slice_plan (const struct kube *kube, const json_t *order,
                     struct kube_run *run, bool *ret_there,
                     const char **ret_why);

/* Have the slice of a run formed: true if its pods may be bound now. */
bool kube_slice_advance (struct kube *kube, struct kube_group *group);

/* ---- kube_kueue.c: workloads of Kueue, if they are wanted ---- */

int kube_kueue_begin (struct kube *kube, tori_error *err);
void kube_kueue_clear (struct kube *kube);
void kube_claim_destroy (struct kube_claim *claim);

/* Label nodes, and say that the check is there. */
void kube_kueue_step (struct kube *kube);

/* Whether the workload of a group waits for a box. */
bool kube_claim_waits (const struct kube *kube,
                       const struct kube_group *group);

/* Whether a pod belongs to a workload that has a box. */
bool kube_claim_has_pod (const struct kube *kube, const struct kube_pod *pod);

/* Do what a workload needs now. */
void kube_claim_settle (struct kube *kube, struct kube_group *group);

/* Write why it waits into its check: true if that was a request. */
bool kube_claim_explain (struct kube *kube, struct kube_group *group,
                         const char *text);

/* ---- kube_steps.c ---- */

/* Find what a group asks for and which pod has which rank. */
void kube_sort (const struct kube *kube, struct kube_group *group);

/* Do what a group needs now. */
void kube_settle (struct kube *kube, struct kube_group *group);

/* A message about the run of a group. */
json_t *kube_run_message (const struct kube_group *group, const char *is);

/* The end of an attempt, with its status or the number of a signal. */
json_t *kube_end_message (const struct kube_group *group, json_t *status,
                          json_t *number, const char *why);

/* The attempt is over: torid gets the message, which is released. */
void kube_close_run (struct kube *kube, struct kube_group *group,
                     json_t *message, enum kube_known known);

/* Take an attempt back: its pods are deleted, and torid hears the reason. */
void kube_take_back (struct kube_group *group, const char *why);

/* ---- kube_found.c ---- */

/* Find attempts that were begun before, and tell torid what there is. */
void kube_obey_list (struct kube *kube, const json_t *order);

/* Whether an order is about this attempt. */
bool kube_is_about (const json_t *order, json_int_t job, json_int_t attempt,
                    const char *state);

/* ---- kube_orders.c ---- */

void kube_obey (struct kube *kube, const json_t *order);

/* Go on with stops, and report those that are done. */
void kube_stops_step (struct kube *kube);

/* ---- kube_reasons.c ---- */

/* Bring some of the conditions up to date, as many as the rate allows. */
void kube_reasons_step (struct kube *kube);

#endif
