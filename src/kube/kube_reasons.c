/* kube_reasons.c - why pods wait, where people look: in the condition
 * PodScheduled of each, and in events of the pod of rank 0 and of the
 * controller that made it, such as its Job.
 *
 * Every change costs the API server a write, so there are only so many in a
 * second. The groups take turns. */
#include "kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Conditions that may be written in a second, and at once. */
enum { RATE = 20, BURST = 40 };

/* A job has so many events at once, and then one in so many seconds. */
enum { EVENTS = 3, EVENT_PAUSE = 30 };

/* torid explains the first jobs of its queue within so many seconds. */
enum { QUIET = 30 };

static void refill (struct kube *kube)
{
    double now = api_clock ();
    kube->remark_budget += RATE * (now - kube->remark_filled);
    kube->remark_filled = now;
    if (kube->remark_budget > BURST)
        kube->remark_budget = BURST;
}

/* The forecast moves all the time: it is given in steps that get longer the
 * further away it is, so that a text holds for a while. */
static void write_start (const json_t *start, char text[64])
{
    json_int_t at = json_integer_value (start), now = (json_int_t)time (NULL);
    json_int_t step = at - now < 600 ? 60 : at - now < 7200 ? 300 : 3600;
    time_t round = (time_t)((at + step - 1) / step * step);
    struct tm tm;
    *text = 0;
    if (json_is_integer (start) && at > now)
        strftime (text, 64,
                  at - now < 86400 ? "; starts about %H:%M UTC"
                                   : "; starts about %Y-%m-%d %H:%M UTC",
                  gmtime_r (&round, &tm));
}

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

/* A pod that the others wait for in vain, or NULL. */
static const struct kube_pod *find_stray (const struct kube_group *group)
{
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_is_stray (group->pods[i]))
            return group->pods[i];
    return NULL;
}

/* From malloc; NULL if there is nothing to say. */
static char *find_run_text (const struct kube_group *group)
{
    const struct kube_run *run = &group->run;
    char *text = NULL;
    int n = *run->slice.wait
                ? asprintf (&text, "tori: job %lld waits: %s",
                            (long long)run->job, run->slice.wait)
            : run->stranger
                ? asprintf (&text,
                            "tori: pods run of job %lld, of which torid knows "
                            "nothing; it waits until they have ended",
                            (long long)run->job)
                : asprintf (&text,
                            "tori: job %lld has %zu nodes, and none of them is "
                            "for this pod; it waits until that job has ended",
                            (long long)run->job, group->size);
    return n < 0 ? NULL : text;
}

/* A remark of torid, or a word about jobs that it has not remarked on. */
static char *find_remark (const struct kube_group *group)
{
    const char *why = text_at (group->remark, "text");
    char start[64], *text = NULL;
    int n = -1;
    if (why) {
        write_start (json_object_get (group->remark, "start"), start);
        n = asprintf (&text, "tori: job %lld: %s%s",
                      (long long)json_integer_value (
                          json_object_get (group->remark, "job")),
                      why, start);
    } else if (group->known == KNOWN_WAITING && group->submitted > 0
               && api_clock () - group->submitted > QUIET)
        n = asprintf (&text,
                      "tori: job %s is in the queue of torid; tori why says "
                      "why it waits",
                      group->title);
    return n < 0 ? NULL : text;
}

static char *find_text (const struct kube_group *group)
{
    const struct kube_pod *stray = find_stray (group);
    char shortage[SHORTAGE], *text = NULL;
    int n;
    if (group->run.job > 0)
        return find_run_text (group);
    if (*group->wrong)
        n = asprintf (&text, "tori: job %s is refused: %s", group->title,
                      group->wrong);
    else if (!group->claim && !kube_group_is_complete (group)) {
        kube_group_shortage (group, shortage);
        n = asprintf (&text,
                      "tori: job %s waits for its pods: %s%s%s%s%s",
                      group->title, shortage,
                      stray ? "; tori has not bound " : "",
                      stray ? stray->name : "", stray ? " to " : "",
                      stray ? stray->node : "");
    } else if (group->known == KNOWN_DECLINED)
        n = asprintf (&text, "tori: torid does not start job %s: %s",
                      group->title, group->declined);
    else
        return find_remark (group);
    return n < 0 ? NULL : text;
}

/* Pods of a job that runs have nothing to say, but for one that has no rank. */
static bool has_reason (const struct kube_group *group,
                        const struct kube_pod *pod)
{
    if (!kube_pod_waits (pod))
        return false;
    for (size_t i = 0; group->run.job > 0 && !*group->run.slice.wait
                       && i < group->size; i++)
        if (group->ranks[i] == pod)
            return false;
    return true;
}

/* The pod of rank 0, or the first one that waits. */
static const struct kube_pod *find_speaker (const struct kube_group *group)
{
    if (group->run.job == 0 && group->size > 0 && group->ranks
        && group->ranks[0] && kube_pod_waits (group->ranks[0]))
        return group->ranks[0];
    for (size_t i = 0; i < group->npods; i++)
        if (has_reason (group, group->pods[i]))
            return group->pods[i];
    return NULL;
}

/* From malloc: why a job is held whose pods are gone for longer than a
 * controller takes to replace them; NULL if there is no such job. */
static char *find_held_text (const struct kube *kube,
                             const struct kube_group *group)
{
    char *text = NULL;
    if (group->run.job > 0 || group->known != KNOWN_HELD || !group->held
        || api_clock () - group->held_at < kube->set.linger
        || asprintf (&text, "tori: job %s is held: %s", group->title,
                     group->held)
               < 0)
        return NULL;
    return text;
}

/* Whether an event about this, with this text, may be sent: then it is the last
 * one. */
static bool take_event (const struct kube *kube, struct kube_group *group,
                        const char *about, const char *text)
{
    double now = api_clock ();
    char *event;
    if (kube->remark_budget < 1
        || group->speech > now + EVENT_PAUSE * (EVENTS - 1)
        || asprintf (&event, "%s %s", about ? about : "", text) < 0)
        return false;
    if (group->event && !strcmp (group->event, event)) {
        free (event);
        return false;
    }
    group->speech = (group->speech > now ? group->speech : now) + EVENT_PAUSE;
    free (group->event);
    group->event = event;
    return true;
}

/* The event comes when its pod has the condition. A sentence that changes all
 * the time must not fill the API server with events. */
static void send_event (struct kube *kube, struct kube_group *group,
                        const char *text)
{
    const struct kube_pod *pod = find_speaker (group);
    bool alone = group->waiting == 0;
    if (alone ? !group->keeper
              : !pod || !pod->told || strcmp (pod->told, text))
        return;
    if (!take_event (kube, group,
                     alone ? text_at (group->keeper, "uid") : pod->uid, text))
        return;
    if (group->keeper) {
        kube_event (kube, json_incref (group->keeper), text);
        kube->remark_budget--;
    }
    if (alone)
        return;
    kube_event (kube,
                json_pack ("{s:s, s:s, s:s, s:s, s:s}", "apiVersion", "v1",
                           "kind", "Pod", "name", pod->name, "namespace",
                           pod->space, "uid", pod->uid),
                text);
    kube->remark_budget--;
}

static void explain_group (struct kube *kube, struct kube_group *group)
{
    char *text = group->waiting > 0 || group->claim
                     ? find_text (group)
                     : find_held_text (kube, group);
    if (text && group->claim)
        kube->remark_budget -= kube_claim_explain (kube, group, text);
    for (size_t i = 0; text && i < group->npods; i++) {
        struct kube_pod *pod = group->pods[i];
        if (kube->remark_budget < 1)
            break;
        if ((pod->told && !strcmp (pod->told, text)) || pod->busy
            || pod->tell > api_clock () || !has_reason (group, pod))
            continue;
        kube_explain (kube, pod, text);
        kube->remark_budget--;
    }
    if (text && !group->claim)
        send_event (kube, group, text);
    free (text);
}

void kube_reasons_step (struct kube *kube)
{
    refill (kube);
    for (size_t i = 0; i < kube->ngroups && kube->remark_budget >= 1; i++) {
        if (++kube->remark_at >= kube->ngroups)
            kube->remark_at = 0;
        explain_group (kube, kube->groups[kube->remark_at]);
    }
}
