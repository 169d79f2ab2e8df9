/* kube_reasons.c - why pods wait, where people look: in the condition
 * PodScheduled of each, and in an event of the first pod of a job.
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
static char *find_text (const struct kube_group *group)
{
    const char *why = text_at (group->remark, "text");
    const struct kube_pod *stray = find_stray (group);
    char start[64], *text = NULL;
    int n = -1;
    if (group->run.job > 0 && !*group->run.slice.wait)
        return NULL;
    if (group->run.job > 0)
        n = asprintf (&text, "tori: job %s waits: %s", group->title,
                      group->run.slice.wait);
    else if (*group->wrong)
        n = asprintf (&text, "tori: %s", group->wrong);
    else if (!group->claim && !kube_group_is_complete (group))
        n = asprintf (&text,
                      "tori: job %s waits for its pods: %zu of %zu are "
                      "there%s%s%s%s",
                      group->title, group->filled, group->size,
                      stray ? "; tori has not bound " : "",
                      stray ? stray->name : "", stray ? " to " : "",
                      stray ? stray->node : "");
    else if (group->known == KNOWN_DECLINED)
        n = asprintf (&text, "tori: torid does not start job %s: %s",
                      group->title, group->declined);
    else if (why) {
        write_start (json_object_get (group->remark, "start"), start);
        n = asprintf (&text, "tori: %s%s", why, start);
    }
    return n < 0 ? NULL : text;
}

static void explain_group (struct kube *kube, struct kube_group *group)
{
    char *text = find_text (group);
    bool told = false;
    if (text && group->claim)
        kube->remark_budget -= kube_claim_explain (kube, group, text);
    for (size_t i = 0; text && i < group->npods; i++) {
        struct kube_pod *pod = group->pods[i];
        if (kube->remark_budget < 1)
            break;
        if (!kube_pod_waits (pod) || (pod->told && !strcmp (pod->told, text))
            || pod->busy || pod->tell > api_clock ())
            continue;
        kube_explain (kube, pod, text);
        kube->remark_budget--;
        if (!told && (!group->text || strcmp (group->text, text))) {
            kube_event (kube, pod, "Warning", "FailedScheduling", text);
            free (group->text);
            group->text = strdup (text);
        }
        told = true;
    }
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
