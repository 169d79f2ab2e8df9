/* kube_group.h - the pods of one job: how many there have to be, and which of
 * them has which rank. */
#ifndef TORI_KUBE_GROUP_H
#define TORI_KUBE_GROUP_H

#include <tori/machine.h>

#include "kube_pod.h"

/* The Slice of an attempt, where there are any (kube_slices.c). */
struct kube_run_slice {
    json_t *spec; /* to be created with; NULL: it was created before */
    bool asking;  /* a request to create it is under way */
    double retry; /* another one not before this time */
    double since; /* when it was first wanted */
    bool seen;    /* it was there ... */
    bool formed;  /* ... and ready */
    char wait[200]; /* why pods are not bound yet */
    char lost[200]; /* why it is of no use any more: its cubes are down */
};

/* An attempt of torid's that is in our hands. */
struct kube_run {
    json_int_t job, attempt; /* 0: none */
    char *state;             /* of torid, or NULL */
    uint32_t *ids;           /* by rank: its node */
    size_t n;
    char *box;
    bool adopted;  /* found in the pods, not ordered: it binds nothing before
                      torid has heard of it */
    bool stranger; /* ... and torid does not know it: it has no ranks, and is
                      left alone until torid stops it */
    bool begun;    /* all of its ranks were bound at one time */
    bool started;  /* it has been reported as started */
    bool disowned; /* torid does not know it */
    bool stop;     /* its pods are being deleted ... */
    bool again;    /* ... to run again, ... */
    char *failed;  /* ... because it could not be completed, for this reason */
    bool expired;  /* its time is over, and its pods were given a deadline */
    json_int_t grace, limit, since;
    size_t bound;   /* ranks that are, ... */
    double stalled; /* ... and when that last changed */
    double idle;    /* since when none of its pods is left; 0: some are */
    struct kube_run_slice slice;
};

/* How torid knows the job. */
enum kube_known {
    KNOWN_NOT,
    KNOWN_WAITING,
    KNOWN_HELD,
    KNOWN_DECLINED
};

struct kube_group {
    char *name;  /* kube_pod.group */
    char *title; /* for people */
    char *key;   /* for torid: the name; or the name, # and a word of its
                    first pod, if another job could have the name */
    struct kube_pod **pods;
    size_t npods, room;

    size_t size; /* pods that it must have; 0: not known */
    json_t *ask; /* of its first pod; a reference of our own */
    char wrong[256]; /* why it cannot be submitted; empty if it can */
    struct kube_pod **ranks; /* by rank: a pod of the present attempt, or one
                                that is to be bound; or NULL */
    size_t waiting;          /* pods that may be bound */
    size_t filled;           /* ranks that have a pod */
    size_t unranked;         /* pods of a JobSet, if they are not as many as the
                                job needs */
    const char *owner;       /* of the first pod, or NULL */
    json_t *keeper;          /* that controller, also when its pods are gone */

    enum kube_known known;
    json_t *said;    /* members of the submission that torid has */
    json_t *remark;  /* the last one, or NULL */
    bool worn;       /* its key is that of a job that has ended */
    bool unheld;     /* torid has heard that it is not held */
    char *declined;  /* why torid will not start it */
    struct kube_run run;
    json_int_t over_job, over_attempt; /* the last one that has ended */
    double empty;    /* since when it has no pod at all; 0: it has */
    char *event;     /* the last event: what it was about, and its text */
    double speech;   /* before this time, there were events enough */
    char *held;      /* why it is held, as torid knows it ... */
    double held_at;  /* ... since then */
    double submitted; /* when torid last heard of it */
    size_t at;       /* in the array of all groups */
    bool dirty;      /* to be looked at */
    struct kube_claim *claim; /* a workload of Kueue whose pods are placed by
                                 others (kube_kueue.c), or NULL */
};

struct kube_group *kube_group_create (const char *name, const char *title);
void kube_group_destroy (struct kube_group *group);

/* Returns -1 without memory. */
int kube_group_add (struct kube_group *group, struct kube_pod *pod);
void kube_group_remove (struct kube_group *group, const struct kube_pod *pod);

/* Whether a pod may be bound; whether it is bound for an attempt. */
bool kube_pod_waits (const struct kube_pod *pod);
bool kube_pod_is_of (const struct kube_pod *pod, const struct kube_run *run);

/* Whether it has succeeded in an earlier attempt, so that its controller does
 * not replace it: its rank has nothing left to do. */
bool kube_pod_is_done (const struct kube_group *group,
                       const struct kube_pod *pod);

/* Whether somebody else has bound it, and it has not ended. */
bool kube_pod_is_stray (const struct kube_pod *pod);

/* Find what the job asks for, as this pod has it, and the nodes that it needs;
 * `size` is their number if the pod says nothing of that, or 0. */
void kube_group_ask (struct kube_group *group, const struct kube_pod *pod,
                     uint64_t size, const tori_machine *machine);

/* Find what the job asks for and which pod has which rank. */
void kube_group_sort (struct kube_group *group, const tori_machine *machine);

/* Say how many of its pods are there, and how many it needs. */
enum { SHORTAGE = 200 };
void kube_group_shortage (const struct kube_group *group, char text[SHORTAGE]);

/* Whether every rank has a pod, and one of them is to be bound. */
bool kube_group_is_complete (const struct kube_group *group);

void kube_run_clear (struct kube_run *run);

#endif
