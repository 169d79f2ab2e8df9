/* kube_watch.h - a copy of all objects of one kind, kept up to date: a list,
 * page by page, then a watch from there on. A version that has expired (410)
 * means another list. */
#ifndef TORI_KUBE_WATCH_H
#define TORI_KUBE_WATCH_H

#include "kube_api.h"

/* The owner of the copy takes an object; with `gone`, it is deleted.
 * It may be called again for an object that has not changed. */
typedef void watch_object_fn (void *arg, json_t *object, bool gone);

/* A list is complete: objects that did not come since the last `begin` are
 * gone. */
typedef void watch_list_fn (void *arg, bool begin);

struct kube_watch {
    const char *path;    /* such as /api/v1/pods */
    const char *query;   /* such as fieldSelector=..., or "" */
    watch_object_fn *object;
    watch_list_fn *list;
    void *arg;

    /* Its own. */
    struct api *api;
    char version[64];
    char *more; /* the next page of a list */
    bool listing, streaming, synced, expired;
    double pause, next; /* seconds before another try, and when that is */
    double began;       /* when the watch was asked for, ... */
    bool heard;         /* ... and whether anything came since */
    char why[256]; /* the last failure; empty if all is well */
};

void kube_watch_begin (struct kube_watch *watch, struct api *api);
void kube_watch_clear (struct kube_watch *watch);

/* Send the requests that are due. */
void kube_watch_step (struct kube_watch *watch);

#endif
