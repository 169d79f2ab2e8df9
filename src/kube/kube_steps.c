/* kube_steps.c - what a job needs next: to be submitted, bound, watched or
 * taken back.
 *
 * Every step is found from the present pods alone, and may be repeated. So it
 * does not matter where tori-kube was ended before. */
#include "kube.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jobmembers.h"

enum {
    STALE_SECONDS = 5,  /* for which torid may still claim what is found */
    ADOPTED_SECONDS = 1 /* within which it stops an attempt that is over */
};

/* ---- messages ---- */

json_t *kube_run_message (const struct kube_group *group, const char *is)
{
    return json_pack ("{s:s, s:I, s:I, s:s, s:s*}", "is", is, "job",
                      group->run.job, "attempt", group->run.attempt, "key",
                      group->key, "state", group->run.state);
}

/* The attempt is over: torid has the message, or gets it again. Before that it
 * hears that cubes whose slice is still there cannot be used yet. */
void kube_close_run (struct kube *kube, struct kube_group *group,
                     json_t *message, enum kube_known known)
{
    bool disowned = group->run.disowned;
    group->over_job = group->run.job;
    group->over_attempt = group->run.attempt;
    group->known = disowned ? KNOWN_NOT : known;
    kube_run_clear (&group->run);
    group->dirty = kube->moved = true;
    if (kube->set.slices)
        kube_places_look (kube);
    if (!disowned)
        lines_say (message);
    else
        json_decref (message);
}

json_t *kube_end_message (const struct kube_group *group, json_t *status,
                          json_t *number, const char *why)
{
    json_t *message = kube_run_message (group, "ended");
    json_object_set_new (message, "status", status);
    json_object_set_new (message, "signal", number);
    if (why)
        json_object_set_new (message, "why", lines_text (why));
    return message;
}

/* ---- an attempt ---- */

/* Pods that have succeeded before count in the first three. */
struct pod_census {
    size_t bound;     /* ranks whose pod is bound for the attempt, ... */
    size_t begun;     /* ... runs or has run, ... */
    size_t succeeded; /* ... and has succeeded */
    size_t live;      /* pods of the attempt that may run */
    const struct kube_pod *failed;
};

static bool is_on_dead_node (const struct kube *kube,
                             const struct kube_pod *pod)
{
    const struct kube_node *node = kube_find_node (kube, pod->node);
    return !node || node->state == PLACE_DOWN;
}

/* Whether nothing is to be bound there any more. */
static bool has_its_pod (const struct kube_group *group, size_t rank)
{
    const struct kube_pod *pod = group->ranks[rank];
    return pod && (kube_pod_is_of (pod, &group->run)
                   || kube_pod_is_done (group, pod));
}

static struct pod_census count_pods (const struct kube *kube,
                                 const struct kube_group *group)
{
    struct pod_census census = {0};
    for (size_t i = 0; i < group->size; i++) {
        const struct kube_pod *pod = group->ranks[i];
        if (!has_its_pod (group, i))
            continue;
        census.bound++;
        census.begun += pod->phase != POD_PENDING;
        census.succeeded += pod->phase == POD_SUCCEEDED;
    }
    for (size_t i = 0; i < group->npods; i++) {
        const struct kube_pod *pod = group->pods[i];
        if (!kube_pod_is_of (pod, &group->run))
            continue;
        census.live += !kube_pod_is_over (pod)
                       && !(pod->leaving && is_on_dead_node (kube, pod));
        if (pod->phase == POD_FAILED && !census.failed)
            census.failed = pod;
    }
    return census;
}

void kube_take_back (struct kube_group *group, const char *why)
{
    if (group->run.failed || group->run.stop)
        return;
    group->run.failed = strdup (why);
    group->run.stop = group->run.again = true;
    group->run.grace = 30;
    group->dirty = true;
    kube_complain (group->title, "it is taken back", why);
}

/* A binding that was sent may be made at any time, so its outcome has to be
 * known first. */
static bool is_unsure (struct kube *kube, struct kube_group *group)
{
    bool unsure = false;
    for (size_t i = 0; i < group->npods; i++) {
        struct kube_pod *pod = group->pods[i];
        if (pod->node)
            continue;
        if (pod->unsure)
            kube_make_sure (kube, pod);
        unsure |= pod->unsure || pod->busy;
    }
    return unsure;
}

static void say_taken_back (struct kube *kube, struct kube_group *group)
{
    bool whole = kube_group_is_complete (group);
    json_t *message = kube_run_message (group, "failed");
    json_object_set_new (message, "retry", json_true ());
    json_object_set_new (message, "why", lines_text (group->run.failed));
    if (!whole)
        json_object_set_new (message, "hold", json_true ());
    kube_close_run (kube, group, message, whole ? KNOWN_WAITING : KNOWN_HELD);
}

/* A job that torid has cancelled ends without a status: it is not started
 * again when its pods are replaced. */
static void say_stopped (struct kube *kube, struct kube_group *group)
{
    bool again = group->run.again;
    kube_close_run (kube, group,
               kube_end_message (group, json_null (),
                            again ? json_integer (SIGTERM) : json_null (),
                            NULL),
               again ? KNOWN_WAITING : KNOWN_NOT);
}

static void stop_run (struct kube *kube, struct kube_group *group)
{
    bool left = is_unsure (kube, group);
    for (size_t i = 0; i < group->npods; i++) {
        struct kube_pod *pod = group->pods[i];
        if (!kube_pod_is_of (pod, &group->run) || kube_pod_is_over (pod))
            continue;
        if (!pod->leaving)
            kube_delete (kube, pod, group->run.grace);
        left |= !pod->leaving || group->run.stranger
                || !is_on_dead_node (kube, pod);
    }
    if (left)
        return;
    if (group->run.failed)
        say_taken_back (kube, group);
    else
        say_stopped (kube, group);
}

/* The pods get a deadline that is over: the kubelet ends them, and their
 * controller sees why. */
static void check_limit (struct kube *kube, struct kube_group *group)
{
    struct kube_run *run = &group->run;
    if (run->limit <= 0 || run->since <= 0
        || (json_int_t)time (NULL) < run->since + run->limit)
        return;
    if (!run->expired)
        kube_complain (group->title, "its time is over", NULL);
    run->expired = true;
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_is_of (group->pods[i], run)
            && !kube_pod_is_over (group->pods[i])
            && !group->pods[i]->leaving)
            kube_expire (kube, group->pods[i]);
}

/* Whether pods may be bound: torid has heard of an attempt that was found, and
 * has not stopped it. */
static bool may_bind (const struct kube *kube, const struct kube_group *group)
{
    return !group->run.disowned && !group->run.expired
           && (!group->run.adopted
               || (kube->listed
                   && api_clock () - kube->listed_at > ADOPTED_SECONDS));
}

static void bind_ranks (struct kube *kube, struct kube_group *group)
{
    for (size_t i = 0; i < group->size; i++)
        if (group->ranks[i] && kube_pod_waits (group->ranks[i]))
            kube_bind (kube, group, i);
}

static void say_end (struct kube *kube, struct kube_group *group,
                     const struct pod_census *census)
{
    const struct kube_pod *failed = census->failed;
    int code = failed ? failed->exit_code : 0;
    json_t *message;
    if (census->succeeded == group->size)
        message = kube_end_message (group, json_integer (0), json_null (), NULL);
    else if (group->run.expired)
        message = kube_end_message (group, json_null (), json_integer (SIGTERM),
                               "time limit");
    else if (failed)
        message = kube_end_message (group, json_integer (code ? code : 1),
                               json_null (), "a pod failed");
    else
        message = kube_end_message (group, json_null (), json_integer (SIGKILL),
                               "its pods were deleted");
    kube_close_run (kube, group, message, KNOWN_NOT);
}

/* Nothing of it runs: it is over, unless its controller replaces a pod that
 * failed. An attempt that was found is over already. */
static void check_end (struct kube *kube, struct kube_group *group,
                       const struct pod_census *census)
{
    struct kube_run *run = &group->run;
    double now = api_clock ();
    bool pending = census->live > 0 || is_unsure (kube, group)
                   || (!run->begun && !run->disowned
                       && (group->waiting > 0 || !run->adopted));
    if (!run->begun && group->waiting == 0 && census->live == 0
        && !is_unsure (kube, group))
        pending = false;
    if (pending) {
        run->idle = 0;
        return;
    }
    if (run->idle <= 0)
        run->idle = now;
    if (census->succeeded == group->size || run->expired || run->adopted
        || now - run->idle >= kube->set.linger)
        say_end (kube, group, census);
}

/* It was not completed in time: what is bound must not wait for ever. While
 * the API server is away, nothing is known of what is bound. */
static void check_patience (struct kube *kube, struct kube_group *group,
                            const struct pod_census *census)
{
    struct kube_run *run = &group->run;
    double now = api_clock ();
    char why[300];
    const char *bad = NULL;
    if (census->bound != run->bound || *kube->watch_pods.why) {
        run->bound = census->bound;
        run->stalled = now;
    }
    for (size_t i = 0; i < run->n && !bad; i++)
        if (i >= group->size || !has_its_pod (group, i))
            kube_place_host (kube, run->ids[i], &bad);
    if (run->begun || now - run->stalled < kube->set.patience)
        return;
    snprintf (why, sizeof why, "%zu of %zu pods could be bound%s%.200s",
              census->bound, group->size, bad && *bad ? ": " : "",
              bad ? bad : "");
    kube_take_back (group, why);
}

/* Nobody knows how it ended. Also on a node that is down, its pods have to be
 * gone. */
static void watch_stranger (struct kube *kube, struct kube_group *group)
{
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_is_of (group->pods[i], &group->run)
            && !kube_pod_is_over (group->pods[i]))
            return;
    kube_close_run (kube, group,
                    kube_end_message (group, json_null (), json_null (), NULL),
                    group->known);
}

static void advance_run (struct kube *kube, struct kube_group *group)
{
    struct kube_run *run = &group->run;
    struct pod_census census = count_pods (kube, group);
    if (run->stop) {
        stop_run (kube, group);
        return;
    }
    if (run->stranger) {
        watch_stranger (kube, group);
        return;
    }
    run->begun |= census.bound == group->size && group->size > 0;
    if (run->begun && !run->started && census.begun == group->size
        && !run->disowned && kube->listed) {
        run->started = true;
        lines_say (kube_run_message (group, "started"));
    }
    check_limit (kube, group);
    if (may_bind (kube, group) && kube_slice_advance (kube, group)) {
        bind_ranks (kube, group);
        check_patience (kube, group, &census);
    }
    if (kube->listed)
        check_end (kube, group, &census);
}

/* ---- a job that waits ---- */

static bool all_return (const struct kube_group *group)
{
    for (size_t i = 0; i < group->size; i++)
        if (group->ranks[i] && !group->ranks[i]->owner)
            return false;
    return true;
}

/* Jobs whose pods nothing replaces cannot run again. */
static void add_options (json_t *message, const struct kube_group *group)
{
    if (all_return (group))
        return;
    json_object_set_new (message, JOB_KEY (on_failure), json_string ("kill"));
    json_object_set_new (message, JOB_KEY (preempted), json_string ("never"));
    json_object_set_new (message, JOB_KEY (movable), json_false ());
}

static json_t *make_ask (const struct kube *kube,
                         const struct kube_group *group)
{
    json_t *ask = json_copy (group->ask);
    if (!json_object_get (ask, "time_limit"))
        json_object_set_new (ask, "time_limit",
                             json_integer (kube->set.default_time));
    return ask;
}

/* The same pods make the same key, also after tori-kube was started again. A
 * key that has worn out in spite of that gets a number. */
static bool make_key (struct kube_group *group)
{
    const struct kube_pod *pod = group->ranks[0];
    bool plain = pod->unique && !group->worn;
    char *key = NULL;
    if (asprintf (&key, "%s%s%.8s", group->name, plain ? "" : "#",
                  plain ? "" : pod->uid)
        < 0)
        return false;
    if (group->worn && !strcmp (key, group->key)) {
        free (key);
        if (asprintf (&key, "%s.%lld", group->key,
                      (long long)group->over_attempt + 1)
            < 0)
            return false;
    }
    if (strcmp (key, group->key))
        group->unheld = false;
    free (group->key);
    group->key = key;
    group->worn = false;
    return true;
}

static void submit_group (struct kube *kube, struct kube_group *group)
{
    const struct kube_pod *pod = group->ranks[0];
    json_t *ask, *message;
    if (!make_key (group))
        return;
    ask = make_ask (kube, group);
    message = json_pack (
        "{s:s, s:s, s:I, s:s, s:b, s:o}", "is", "submit", "key", group->key,
        "submit", kube_time_read (pod->created), "user", pod->space,
        "known_queue", 1, JOB_KEY (name), lines_text (group->title));
    json_object_update (message, ask);
    if (pod->selector)
        json_object_set_new (message, JOB_KEY (only),
                             kube_places_matching (kube, pod->selector));
    add_options (message, group);
    lines_say (message);
    if (!group->unheld)
        lines_say (json_pack ("{s:s, s:s, s:b}", "is", "change", "key",
                              group->key, "hold", 0));
    group->unheld = true;
    group->submitted = api_clock ();
    json_decref (group->said);
    group->said = ask;
    group->known = KNOWN_WAITING;
}

static void say_hold (struct kube_group *group, bool hold, const char *why)
{
    free (group->held);
    group->held = why ? strdup (why) : NULL;
    group->held_at = api_clock ();
    lines_say (json_pack ("{s:s, s:s, s:b, s:s*}", "is", "change", "key",
                          group->key, "hold", hold, "why", why));
    group->known = hold ? KNOWN_HELD : KNOWN_WAITING;
}

static bool has_changed (const struct kube_group *group, const json_t *ask,
                         const char *member)
{
    const json_t *now = json_object_get (ask, member);
    const json_t *before = json_object_get (group->said, member);
    return now != before && !json_equal (now, before);
}

static void add_member (json_t *message, const json_t *ask, const char *member)
{
    json_t *value = json_object_get (ask, member);
    if (value)
        json_object_set (message, member, value);
}

/* A request for nodes is sent as a whole: with a new shape, torid forgets the
 * rest of the old one. */
static void add_request (json_t *message, const struct kube_group *group,
                         const json_t *ask)
{
    bool resized
        = has_changed (group, ask, "shape") || has_changed (group, ask, "count");
    bool rewired = has_changed (group, ask, "wiring");
    if (!resized && !rewired)
        return;
    if (!resized)
        json_object_set_new (message, "wiring", json_string ("none"));
    add_member (message, ask, "shape");
    add_member (message, ask, "count");
    add_member (message, ask, "wiring");
}

/* Members that a job may change while it waits. */
static void say_changes (struct kube *kube, struct kube_group *group)
{
    static const char *const members[] = {"priority", "time_limit"};
    json_t *ask = make_ask (kube, group);
    json_t *message = json_pack ("{s:s, s:s}", "is", "change", "key",
                                 group->key);
    add_request (message, group, ask);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (has_changed (group, ask, members[i]))
            add_member (message, ask, members[i]);
    if (json_object_size (message) > 2)
        lines_say (message);
    else
        json_decref (message);
    json_decref (group->said);
    group->said = ask;
}

/* Why none of its pods can be bound. */
static const char *why_empty (const struct kube_group *group)
{
    const char *why = "its pods are gone";
    for (size_t i = 0; i < group->npods; i++) {
        const struct kube_pod *pod = group->pods[i];
        if (pod->gated && !pod->leaving)
            return "its pods have scheduling gates";
        if (kube_pod_is_stray (pod))
            return "its pods were bound by another scheduler";
        why = kube_pod_is_over (pod) ? "its pods have ended"
                                     : "its pods are being deleted";
    }
    return why;
}

/* Have it held until all of its pods are there; the reason may change. */
static void keep_held (struct kube_group *group)
{
    char shortage[SHORTAGE], text[SHORTAGE + 20];
    const char *why = text;
    kube_group_shortage (group, shortage);
    snprintf (text, sizeof text, "of its pods, %s", shortage);
    if (group->waiting == 0)
        why = why_empty (group);
    else if (*group->wrong)
        why = group->wrong;
    if (group->known == KNOWN_WAITING
        || !group->held
        || (strcmp (group->held, why) && api_clock () - group->held_at > 1))
        say_hold (group, true, why);
}

/* Whether torid, as it is now, has ordered it. */
static bool is_ordered_now (const struct kube *kube,
                            const struct kube_pod *pod)
{
    return pod->tag.job > 0
           && !strcmp (pod->tag.state ? pod->tag.state : "",
                       kube->state ? kube->state : "");
}

/* Pods of an attempt that torid does not have any more; and pods that somebody
 * else has bound, if others of the job wait for them and their controller makes
 * new ones. Those of another state of torid are left alone. */
static void delete_stale (struct kube *kube, struct kube_group *group)
{
    if (api_clock () - kube->listed_at < STALE_SECONDS)
        return;
    for (size_t i = 0; i < group->npods; i++) {
        struct kube_pod *pod = group->pods[i];
        bool stray = kube_pod_is_stray (pod);
        if (!pod->node || pod->leaving || kube_pod_is_over (pod)
            || !(stray ? pod->owner && group->waiting > 0
                       : is_ordered_now (kube, pod)))
            continue;
        if (stray && !pod->busy && pod->retry <= api_clock ())
            kube_complain (pod->id, "it is deleted, because tori has not "
                                    "bound it", NULL);
        kube_delete (kube, pod, 30);
    }
}

/* Its pods were deleted while it waited. Its controller may make others, after
 * some minutes if the last ones failed: until then it is held. */
static void check_empty (struct kube *kube, struct kube_group *group)
{
    double now = api_clock ();
    if (group->waiting > 0) {
        group->empty = 0;
        return;
    }
    if (group->empty <= 0)
        group->empty = now;
    if ((group->known == KNOWN_WAITING || group->known == KNOWN_HELD)
        && now - group->empty > 1)
        keep_held (group);
    if (now - group->empty < kube->set.memory)
        return;
    if (group->known == KNOWN_WAITING || group->known == KNOWN_HELD) {
        lines_say (json_pack ("{s:s, s:s}", "is", "cancel", "key",
                              group->key));
        group->worn = true;
    }
    group->known = KNOWN_NOT;
}

/* A job that torid has refused is submitted again if it asks for something
 * else, or is another job. */
static void check_declined (struct kube *kube, struct kube_group *group)
{
    const struct kube_pod *pod
        = group->size > 0 && group->ranks ? group->ranks[0] : NULL;
    const char *word = strchr (group->key, '#');
    json_t *ask = make_ask (kube, group);
    if (!json_equal (ask, group->said)
        || (pod && !pod->unique && word
            && strncmp (word + 1, pod->uid, 8)))
        group->known = KNOWN_NOT;
    json_decref (ask);
}

static void advance_waiting (struct kube *kube, struct kube_group *group)
{
    bool complete = kube_group_is_complete (group);
    delete_stale (kube, group);
    check_empty (kube, group);
    if (group->known == KNOWN_DECLINED)
        check_declined (kube, group);
    if (complete && group->known == KNOWN_NOT && kube->listed)
        submit_group (kube, group);
    else if (complete
             && (group->known == KNOWN_WAITING || group->known == KNOWN_HELD)) {
        say_changes (kube, group);
        if (group->known == KNOWN_HELD) /* from here on, torid may start it */
            say_hold (group, false, NULL);
    } else if (!complete && group->waiting > 0
             && (group->known == KNOWN_WAITING || group->known == KNOWN_HELD))
        keep_held (group);
}

void kube_sort (const struct kube *kube, struct kube_group *group)
{
    kube_group_sort (group, kube->machine);
    kube_slices_check (kube, group);
}

void kube_settle (struct kube *kube, struct kube_group *group)
{
    group->dirty = false;
    if (group->claim) {
        kube_claim_settle (kube, group);
        return;
    }
    kube_sort (kube, group);
    if (group->run.job > 0)
        advance_run (kube, group);
    else
        advance_waiting (kube, group);
    if (group->run.job == 0 && group->npods == 0
        && (group->known == KNOWN_NOT || group->known == KNOWN_DECLINED))
        kube_drop_group (kube, group);
}
