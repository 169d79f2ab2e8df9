/* kube_acts.c - requests about pods. There is at most one at a time for a pod,
 * and what it did is learnt from the watch, not from its answer. */
#include "kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SOON = 1, /* seconds before a failed request is repeated, ... */
    LATER = 5 /* ... and within which the watch tells of one that was not */
};

enum purpose { TO_BIND, TO_END, TO_EXPLAIN };

struct act {
    struct kube *kube;
    struct kube_pod *pod;
    enum purpose purpose;
    unsigned heard; /* of the pod, when the request was made */
};

/* ---- the end of a request ---- */

/* Errors that are no surprise are not printed: the pod is gone, another has
 * its name by now, or another request came first. */
static void note_failure (const struct act *act,
                          const struct api_answer *answer)
{
    bool replaced = answer->code == 422 && strstr (answer->why, "metadata.uid");
    if (answer->code != 404 && answer->code != 409 && answer->code != 0
        && !replaced)
        kube_complain (act->pod->id,
                       act->purpose == TO_BIND ? "it cannot be bound"
                                               : "a request about it failed",
                       answer->why);
}

static void on_done (void *arg, const struct api_answer *answer)
{
    struct act *act = arg;
    struct kube_pod *pod = act->pod;
    bool good = answer->code >= 200 && answer->code < 300;
    pod->busy = false;
    if (act->purpose == TO_EXPLAIN)
        pod->tell = api_clock () + SOON;
    else if (act->purpose == TO_BIND && pod->node)
        pod->retry = 0;
    else
        pod->retry = api_clock () + (good ? LATER : SOON);
    if (act->purpose == TO_BIND)
        pod->unsure = answer->code == 0 || answer->code >= 500;
    if (!good)
        note_failure (act, answer);
    if (pod->its_group)
        pod->its_group->dirty = true;
    if (pod->dead)
        kube_pod_destroy (pod);
    free (act);
}

/* Send a request to the pod, or to a part of it; the body is released. */
static void send_act (struct kube *kube, struct kube_pod *pod,
                      const char *method, const char *part, enum api_body kind,
                      json_t *body, enum purpose purpose)
{
    struct act *act = malloc (sizeof *act);
    char *path = NULL;
    if (!act || !body
        || asprintf (&path, "/api/v1/namespaces/%s/pods/%s%s", pod->space,
                     pod->name, part)
               < 0) {
        json_decref (body);
        free (act);
        return;
    }
    *act = (struct act){kube, pod, purpose, pod->heard};
    if (api_send (kube->api, method, path, kind, body, on_done, act) == 0)
        pod->busy = true;
    else
        free (act);
    free (path);
}

/* ---- bindings ---- */

static void set_number (json_t *notes, const char *key, json_int_t value)
{
    json_object_set_new (notes, key, json_sprintf ("%lld", (long long)value));
}

/* The annotations become those of the pod together with its node: there is no
 * moment at which it has one and not the other. */
static json_t *make_notes (const struct kube *kube,
                           const struct kube_group *group, size_t rank)
{
    const struct kube_run *run = &group->run;
    char coords[TORI_TEXT_MAX];
    char slice[SLICE_NAME];
    json_t *notes;
    tori_node_format (kube->machine, run->ids[rank], coords);
    notes = json_pack ("{s:o, s:s, s:s, s:s*, s:s*}", "tori/attempt",
                       json_sprintf ("%lld.%lld", (long long)run->job,
                                     (long long)run->attempt),
                       "tori/key", group->key, "tori/node", coords,
                       "tori/state", run->state, "tori/box", run->box);
    set_number (notes, "tori/rank", (json_int_t)rank);
    set_number (notes, "tori/since", run->since);
    if (run->limit > 0)
        set_number (notes, "tori/limit", run->limit);
    if (kube->set.slices) {
        kube_slice_name (kube, run, slice);
        json_object_set_new (notes, "tori/slice", json_string (slice));
    }
    return notes;
}

void kube_bind (struct kube *kube, struct kube_group *group, size_t rank)
{
    struct kube_pod *pod = group->ranks[rank];
    const char *why;
    const char *host = kube_place_host (kube, group->run.ids[rank], &why);
    if (pod->busy || pod->retry > api_clock () || !host)
        return;
    send_act (kube, pod, "POST", "/binding", BODY_JSON,
              json_pack ("{s:s, s:s, s:{s:s, s:s, s:s, s:o}, s:{s:s, s:s, "
                         "s:s}}",
                         "apiVersion", "v1", "kind", "Binding", "metadata",
                         "name", pod->name, "namespace", pod->space, "uid",
                         pod->uid, "annotations",
                         make_notes (kube, group, rank), "target",
                         "apiVersion", "v1", "kind", "Node", "name", host),
              TO_BIND);
}

/* The watch may have reported something newer than the answer, or older: ask
 * again then. */
static void on_sure (void *arg, const struct api_answer *answer)
{
    struct act *act = arg;
    struct kube_pod *pod = act->pod;
    bool known = (answer->code == 200 || answer->code == 404)
                 && pod->heard == act->heard;
    pod->busy = false;
    pod->retry = api_clock () + SOON;
    pod->unsure = !known;
    if (pod->its_group)
        pod->its_group->dirty = true;
    if (pod->dead)
        kube_pod_destroy (pod);
    else if (known && answer->code == 200)
        kube_hear_pod (act->kube, answer->body, false);
    free (act);
}

void kube_make_sure (struct kube *kube, struct kube_pod *pod)
{
    struct act *act;
    char *path;
    if (pod->busy || pod->retry > api_clock ()
        || asprintf (&path, "/api/v1/namespaces/%s/pods/%s", pod->space,
                     pod->name)
               < 0)
        return;
    act = malloc (sizeof *act);
    if (act) {
        *act = (struct act){kube, pod, TO_BIND, pod->heard};
        if (api_send (kube->api, "GET", path, BODY_JSON, NULL, on_sure, act)
            == 0)
            pod->busy = true;
        else
            free (act);
    }
    free (path);
}

/* ---- ends ---- */

/* Another pod may have its name by now: its identity has to match. */
void kube_delete (struct kube *kube, struct kube_pod *pod, json_int_t grace)
{
    if (pod->busy || pod->retry > api_clock ())
        return;
    send_act (kube, pod, "DELETE", "", BODY_JSON,
              json_pack ("{s:s, s:s, s:I, s:{s:s}}", "apiVersion", "v1",
                         "kind", "DeleteOptions", "gracePeriodSeconds", grace,
                         "preconditions", "uid", pod->uid),
              TO_END);
}

void kube_expire (struct kube *kube, struct kube_pod *pod)
{
    if (pod->busy || pod->retry > api_clock ())
        return;
    send_act (kube, pod, "PATCH", "", BODY_MERGE_PATCH,
              json_pack ("{s:{s:s}, s:{s:i}}", "metadata", "uid", pod->uid,
                         "spec", "activeDeadlineSeconds", 1),
              TO_END);
}

/* ---- reasons ---- */

static void write_now (char text[32])
{
    time_t now = time (NULL);
    struct tm tm;
    strftime (text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r (&now, &tm));
}

void kube_explain (struct kube *kube, struct kube_pod *pod, const char *text)
{
    char now[32];
    json_t *condition;
    if (pod->busy || pod->tell > api_clock ())
        return;
    write_now (now);
    condition = json_pack ("{s:s, s:s, s:s, s:s, s:s}", "type", "PodScheduled",
                           "status", "False", "reason", "Unschedulable",
                           "message", text, "lastTransitionTime", now);
    send_act (kube, pod, "PATCH", "/status", BODY_STRATEGIC_PATCH,
              json_pack ("{s:{s:s}, s:{s:[o]}}", "metadata", "uid", pod->uid,
                         "status", "conditions", condition),
              TO_EXPLAIN);
}

static void on_event_sent (void *arg, const struct api_answer *answer)
{
}

/* Events are for people: one that is lost is not repeated. */
void kube_event (struct kube *kube, json_t *about, const char *text)
{
    const char *space
        = json_string_value (json_object_get (about, "namespace"));
    const char *name = json_string_value (json_object_get (about, "name"));
    char now[32], *path = NULL;
    json_t *body;
    write_now (now);
    body = json_pack (
        "{s:s, s:s, s:{s:o, s:s}, s:O, s:s, s:s, s:s, s:{s:s}, s:s, s:s, s:i}",
        "apiVersion", "v1", "kind", "Event", "metadata", "generateName",
        json_sprintf ("%.50s.", name ? name : ""), "namespace", space,
        "involvedObject", about, "type", "Warning", "reason",
        "FailedScheduling", "message", text, "source", "component",
        "tori-kube", "firstTimestamp", now, "lastTimestamp", now, "count", 1);
    if (body
        && asprintf (&path, "/api/v1/namespaces/%s/events", space) >= 0)
        api_send (kube->api, "POST", path, BODY_JSON, json_incref (body),
                  on_event_sent, NULL);
    json_decref (body);
    json_decref (about);
    free (path);
}
