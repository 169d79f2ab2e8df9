/* kube_pod.h - a pod, as far as its scheduler has to know it; read from the
 * object of the API server. */
#ifndef TORI_KUBE_POD_H
#define TORI_KUBE_POD_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

enum kube_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED };

/* How pods of one job are told apart. */
enum kube_order {
    ORDER_NAME,   /* by their names: any pod may have any rank */
    ORDER_SPARSE, /* by numbers, which may have gaps */
    ORDER_RANK    /* by their ranks */
};

/* Written into the pod by its binding: which attempt of torid it is part of. A
 * user may have written the same, or copied it from another pod of the job. */
struct kube_tag {
    json_int_t job, attempt; /* 0: none, or the key is not that of its group */
    char *state, *key;
    json_int_t rank;
    json_int_t limit, since; /* seconds that it may run (0: any), and since
                                when, in seconds since 1970 */
};

struct kube_pod {
    char *id;                    /* NAMESPACE/NAME */
    char *space, *name, *uid;
    char *node;                  /* NULL: not bound */
    char *created;               /* a time whose texts sort as times do */
    char *group;                 /* the job that it is part of; NULL if another
                                    scheduler places it */
    char *title;                 /* the name of that job for people */
    bool unique;                 /* no later job will have that group */
    char *told;                  /* why it waits, as its condition says */
    enum kube_phase phase;
    enum kube_order order;
    uint64_t number;             /* by that order */
    bool leaving;                /* it is being deleted */
    bool gated;                  /* somebody still holds it back */
    bool resident;               /* of a DaemonSet, or of the node itself */
    char *owner;                 /* the identity of the controller that
                                    replaces it, or NULL */
    json_t *keeper;              /* that controller, as events name it, or
                                    NULL */
    int exit_code;               /* of a container that failed; 0: none */
    json_int_t size;             /* pods of its job, if the pod says; or 0 */
    json_t *ask;      /* members of a submission, as its annotations say */
    char odd[160];    /* what is wrong with them; empty if nothing is */
    json_t *selector; /* labels that its node must have, or NULL */
    char *box;        /* the label tori/box among them, whoever places it */
    struct kube_tag tag;

    /* Written by the bridge. */
    unsigned round;              /* of the list in which it came last */
    size_t at;                   /* in the array of all pods */
    struct kube_group *its_group;
    bool busy;                   /* a request about it is under way */
    double retry, tell;          /* not before this time: another try, or
                                    another reason */
    bool unsure;                 /* a binding may have been made, or not */
    unsigned heard;              /* how often the watch has told of it */
    bool dead;                   /* it is gone, and a request still knows it */
};

/* Read a pod that the scheduler of this name places, or another one; NULL if
 * it is not a pod, or without memory. */
struct kube_pod *kube_pod_read (const json_t *object, const char *scheduler);
void kube_pod_destroy (struct kube_pod *pod);

/* Whether its containers may still run, or will. */
bool kube_pod_is_over (const struct kube_pod *pod);

/* Seconds since 1970 of a time such as 2026-11-18T15:04:05Z; 0 if it is not
 * one. */
json_int_t kube_time_read (const char *text);

#endif
