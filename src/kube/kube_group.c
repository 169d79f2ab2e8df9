#include "kube_group.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/sched.h>
#include <tori/workload.h>

#include "array.h"

struct kube_group *kube_group_create (const char *name, const char *title)
{
    struct kube_group *group = calloc (1, sizeof *group);
    if (!group)
        return NULL;
    group->name = strdup (name);
    group->key = strdup (name);
    group->title = strdup (title);
    if (group->name && group->key && group->title)
        return group;
    kube_group_destroy (group);
    return NULL;
}

void kube_run_clear (struct kube_run *run)
{
    free (run->state);
    free (run->ids);
    free (run->box);
    free (run->failed);
    json_decref (run->slice.spec);
    *run = (struct kube_run){0};
}

void kube_group_destroy (struct kube_group *group)
{
    if (!group)
        return;
    kube_run_clear (&group->run);
    free (group->name);
    free (group->key);
    free (group->title);
    free (group->pods);
    free (group->ranks);
    free (group->declined);
    free (group->event);
    free (group->held);
    json_decref (group->keeper);
    json_decref (group->ask);
    json_decref (group->said);
    json_decref (group->remark);
    free (group);
}

int kube_group_add (struct kube_group *group, struct kube_pod *pod)
{
    struct kube_pod **more = array_room (group->pods, &group->room,
                                         group->npods + 1, sizeof *more);
    if (!more)
        return -1;
    group->pods = more;
    group->pods[group->npods++] = pod;
    group->dirty = true;
    return 0;
}

void kube_group_remove (struct kube_group *group, const struct kube_pod *pod)
{
    size_t kept = 0;
    for (size_t i = 0; i < group->npods; i++)
        if (group->pods[i] != pod)
            group->pods[kept++] = group->pods[i];
    group->npods = kept;
    group->owner = NULL;
    for (size_t i = 0; group->ranks && i < group->size; i++)
        if (group->ranks[i] == pod)
            group->ranks[i] = NULL;
    group->dirty = true;
}

bool kube_pod_waits (const struct kube_pod *pod)
{
    return !pod->node && !pod->gated && !pod->leaving
           && !kube_pod_is_over (pod);
}

bool kube_pod_is_of (const struct kube_pod *pod, const struct kube_run *run)
{
    const char *state = run->state ? run->state : "";
    return run->job > 0 && pod->node && pod->tag.job == run->job
           && pod->tag.attempt == run->attempt
           && !strcmp (pod->tag.state ? pod->tag.state : "", state);
}

/* The owner tells an earlier job of the same name from this one. */
bool kube_pod_is_done (const struct kube_group *group,
                       const struct kube_pod *pod)
{
    return pod->phase == POD_SUCCEEDED && !pod->leaving && pod->owner
           && pod->tag.job > 0 && pod->tag.rank >= 0
           && !kube_pod_is_of (pod, &group->run)
           && (pod->unique
               || (group->owner && !strcmp (group->owner, pod->owner)));
}

bool kube_pod_is_stray (const struct kube_pod *pod)
{
    return pod->node && pod->tag.job <= 0 && !pod->leaving
           && !kube_pod_is_over (pod);
}

/* ---- in order ---- */

/* A pod that has to be replaced comes after the one that replaces it. */
static int compare_use (const struct kube_pod *a, const struct kube_pod *b)
{
    int over = kube_pod_is_over (a) + 2 * (a->phase == POD_FAILED);
    int other = kube_pod_is_over (b) + 2 * (b->phase == POD_FAILED);
    if (a->leaving != b->leaving)
        return a->leaving ? 1 : -1;
    if (over != other)
        return over < other ? -1 : 1;
    return strcmp (b->created, a->created);
}

static int compare_pods (const void *a, const void *b)
{
    const struct kube_pod *x = *(struct kube_pod *const *)a;
    const struct kube_pod *y = *(struct kube_pod *const *)b;
    int use;
    if (x->order != ORDER_NAME && y->order != ORDER_NAME
        && x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    use = x->order == ORDER_NAME ? 0 : compare_use (x, y);
    return use ? use : strcmp (x->name, y->name);
}

/* ---- what it asks for ---- */

static void set_wrong (struct kube_group *group, const char *text)
{
    snprintf (group->wrong, sizeof group->wrong, "%s", text);
}

static uint64_t count_shape (struct kube_group *group, const tori_shape *sides,
                             const char *shape, const json_t *count)
{
    uint64_t nodes = tori_shape_volume (sides);
    if (!count || (json_is_integer (count)
                   && (uint64_t)json_integer_value (count) == nodes))
        return nodes;
    snprintf (group->wrong, sizeof group->wrong,
              "tori/count is not the number of nodes of tori/shape %.80s, "
              "which is %" PRIu64,
              shape, nodes);
    return 0;
}

static uint64_t count_nodes (struct kube_group *group)
{
    const char *shape
        = json_string_value (json_object_get (group->ask, "shape"));
    const json_t *count = json_object_get (group->ask, "count");
    tori_shape sides;
    tori_error err = {0};
    if (shape && tori_shape_parse (shape, &sides, &err) == 0)
        return count_shape (group, &sides, shape, count);
    if (shape) {
        snprintf (group->wrong, sizeof group->wrong, "tori/shape: %.200s",
                  err.text);
        return 0;
    }
    if (json_is_integer (count) && json_integer_value (count) > 0)
        return (uint64_t)json_integer_value (count);
    if (count)
        set_wrong (group, "tori/count: expected a number of nodes");
    else
        set_wrong (group, "its pods have neither the annotation tori/shape "
                          "nor tori/count");
    return 0;
}

/* ---- what else will do ---- */

/* Any nodes, or another box with links of its own if the first has some. */
static void add_other (const struct kube_group *group, const char *shape,
                       json_t *list)
{
    json_array_append_new (
        list, shape ? json_pack ("{s:s, s:O*, s:O*}", "shape", shape, "wiring",
                                 json_object_get (group->ask, "wiring"), "fold",
                                 json_object_get (group->ask, "fold"))
                    : json_pack ("{s:I}", "count", (json_int_t)group->size));
}

/* All other boxes, the most compact first. One place is left for any nodes. */
static void add_boxes (const struct kube_group *group, const tori_shape *own,
                       const tori_machine *machine, json_t *list)
{
    enum { MOST = TORI_MAX_ALTERNATIVES - 1 };
    tori_shape others[MOST];
    char text[TORI_TEXT_MAX];
    size_t n = tori_shape_others (machine, own, group->size, others, MOST);
    for (size_t i = 0; i < n && json_array_size (list) < MOST; i++) {
        tori_shape_format (&others[i], text);
        add_other (group, text, list);
    }
}

static void add_word (struct kube_group *group, const tori_shape *own,
                      const tori_machine *machine, const char *word,
                      json_t *list)
{
    tori_shape shape;
    if (!strcmp (word, "boxes"))
        add_boxes (group, own, machine, list);
    else if (!strcmp (word, "nodes"))
        add_other (group, NULL, list);
    else if (tori_shape_parse (word, &shape, NULL) == 0
             && tori_shape_volume (&shape) == group->size)
        add_other (group, word, list);
    else
        snprintf (group->wrong, sizeof group->wrong,
                  "tori/or: expected boxes, nodes or another shape of %zu "
                  "nodes, not '%.60s'",
                  group->size, word);
}

/* Turn the words of tori/or into alternatives, all of as many nodes. */
static void ask_others (struct kube_group *group, const tori_machine *machine)
{
    json_t *text = json_incref (json_object_get (group->ask, "or"));
    json_t *list = json_array ();
    char *words = text ? strdup (json_string_value (text)) : NULL;
    char *rest = words, *word;
    tori_shape own = {0};
    const char *shape
        = json_string_value (json_object_get (group->ask, "shape"));
    if (text && !shape)
        set_wrong (group, "tori/or: there is no tori/shape");
    else if (!text && json_object_get (group->ask, "patience"))
        set_wrong (group, "tori/patience: there is no tori/or");
    else if (text && tori_shape_parse (shape, &own, NULL) == 0)
        while ((word = strsep (&rest, ",")))
            add_word (group, &own, machine, word, list);
    if (json_array_size (list) > 0)
        json_object_set (group->ask, "alternatives", list);
    else
        json_object_del (group->ask, "patience");
    json_object_del (group->ask, "or");
    json_decref (list);
    json_decref (text);
    free (words);
}

void kube_group_ask (struct kube_group *group, const struct kube_pod *pod,
                     uint64_t size, const tori_machine *machine)
{
    uint64_t nodes;
    group->wrong[0] = 0;
    group->size = 0;
    json_decref (group->ask);
    group->ask = json_copy (pod->ask);
    if (size > 0 && !json_object_get (group->ask, "shape")
        && !json_object_get (group->ask, "count"))
        json_object_set_new (group->ask, "count",
                             json_integer ((json_int_t)size));
    nodes = count_nodes (group);
    if (nodes > tori_machine_nodes (machine)) {
        snprintf (group->wrong, sizeof group->wrong,
                  "it asks for %" PRIu64 " nodes, and the machine has %u",
                  nodes, tori_machine_nodes (machine));
        return;
    }
    group->size = (size_t)nodes;
    if (!*group->wrong)
        ask_others (group, machine);
    if (*pod->odd)
        set_wrong (group, pod->odd);
}

/* Compare a pod with the first one. */
static void compare_ask (struct kube_group *group,
                         const struct kube_pod *first,
                         const struct kube_pod *pod)
{
    static const char *const members[]
        = {"shape", "count", "wiring", "fold",
           "fixed", "queue", "or",     "patience"};
    if (*pod->odd)
        set_wrong (group, pod->odd);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *own = json_object_get (pod->ask, members[i]);
        if (own && !json_equal (own, json_object_get (first->ask, members[i])))
            snprintf (group->wrong, sizeof group->wrong,
                      "its pods do not all have the same tori/%s", members[i]);
    }
}

/* Pods of one job that ask for different things are a mistake, or half a
 * change. */
static void compare_asks (struct kube_group *group,
                          const struct kube_pod *first)
{
    for (size_t i = 0; i < group->npods && !*group->wrong; i++)
        if (kube_pod_waits (group->pods[i]))
            compare_ask (group, first, group->pods[i]);
}

/* ---- ranks ---- */

/* A pod that failed, or is going, makes room for another. */
static bool is_free_rank (const struct kube_group *group, size_t rank)
{
    const struct kube_pod *pod = group->ranks[rank];
    return !pod || pod->leaving || pod->phase == POD_FAILED;
}

static void replace_rank (struct kube_group *group, size_t rank,
                          struct kube_pod *pod)
{
    if (rank >= group->size || !is_free_rank (group, rank))
        return;
    group->filled += !group->ranks[rank];
    group->ranks[rank] = pod;
}

/* The place of each pod among the numbers of all: these are ranks if there are
 * as many as the job has pods. */
static void rank_sparse (struct kube_group *group)
{
    size_t distinct = 0;
    for (int pass = 0; pass < 2; pass++) {
        const struct kube_pod *last = NULL;
        size_t rank = 0;
        for (size_t i = 0; i < group->npods; i++) {
            struct kube_pod *pod = group->pods[i];
            bool counts = kube_pod_waits (pod)
                          || kube_pod_is_of (pod, &group->run)
                          || kube_pod_is_done (group, pod);
            if (pod->order != ORDER_SPARSE || !counts)
                continue;
            rank += last && last->number != pod->number;
            last = pod;
            distinct = rank + 1;
            if (pass == 1 && kube_pod_waits (pod))
                replace_rank (group, rank, pod);
        }
        group->unranked = distinct;
        if (distinct != group->size)
            return;
    }
    group->unranked = 0;
}

static void rank_by_name (struct kube_group *group)
{
    size_t rank = 0;
    for (size_t i = 0; i < group->npods; i++) {
        struct kube_pod *pod = group->pods[i];
        if (pod->order != ORDER_NAME || !kube_pod_waits (pod))
            continue;
        while (rank < group->size && !is_free_rank (group, rank))
            rank++;
        replace_rank (group, rank, pod);
        rank++;
    }
}

static void find_ranks (struct kube_group *group)
{
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_is_of (group->pods[i], &group->run)
            && group->pods[i]->tag.rank >= 0)
            replace_rank (group, (size_t)group->pods[i]->tag.rank,
                          group->pods[i]);
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_waits (group->pods[i])) {
            group->waiting++;
            if (group->pods[i]->order == ORDER_RANK)
                replace_rank (group, (size_t)group->pods[i]->number,
                              group->pods[i]);
        }
    rank_sparse (group);
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_is_done (group, group->pods[i]))
            replace_rank (group, (size_t)group->pods[i]->tag.rank,
                          group->pods[i]);
    rank_by_name (group);
}

/* The pod whose annotations count: the first that waits, or the first. */
static const struct kube_pod *first_pod (const struct kube_group *group)
{
    for (size_t i = 0; i < group->npods; i++)
        if (kube_pod_waits (group->pods[i]))
            return group->pods[i];
    return group->npods > 0 ? group->pods[0] : NULL;
}

/* A job that has more pods than nodes would leave some of them behind. */
static void check_surplus (struct kube_group *group)
{
    size_t named = 0;
    for (size_t i = 0; i < group->npods; i++) {
        const struct kube_pod *pod = group->pods[i];
        if (!kube_pod_waits (pod))
            continue;
        named += pod->order == ORDER_NAME;
        if (pod->order == ORDER_RANK && pod->number >= group->size) {
            snprintf (group->wrong, sizeof group->wrong,
                      "it asks for %zu nodes, and pod %.80s has the index "
                      "%" PRIu64 "; the last one is %zu",
                      group->size, pod->name, pod->number, group->size - 1);
            return;
        }
    }
    if (group->unranked > named)
        named = group->unranked;
    if (named > group->size)
        snprintf (group->wrong, sizeof group->wrong,
                  "it asks for %zu nodes, and has %zu pods", group->size,
                  named);
}

void kube_group_shortage (const struct kube_group *group, char text[SHORTAGE])
{
    const char *shape
        = json_string_value (json_object_get (group->ask, "shape"));
    size_t there = group->filled > group->unranked ? group->filled
                                                   : group->unranked;
    int n = snprintf (text, SHORTAGE, "%zu of %zu are there", there,
                      group->size);
    if (shape)
        snprintf (text + n, SHORTAGE - (size_t)n,
                  " (tori/shape %.80s has %zu nodes)", shape, group->size);
}

void kube_group_sort (struct kube_group *group, const tori_machine *machine)
{
    const struct kube_pod *first;
    struct kube_pod **ranks;
    if (group->npods > 1)
        qsort (group->pods, group->npods, sizeof (struct kube_pod *),
               compare_pods);
    group->filled = group->waiting = group->unranked = 0;
    group->wrong[0] = 0;
    first = first_pod (group);
    group->owner = first ? first->owner : NULL;
    if (first) {
        json_decref (group->keeper);
        group->keeper = json_incref (first->keeper);
    } else {
        for (size_t i = 0; i < group->size; i++)
            group->ranks[i] = NULL;
        return;
    }
    kube_group_ask (group, first, (uint64_t)first->size, machine);
    compare_asks (group, first);
    if (group->run.job > 0)
        group->size = group->run.n;
    ranks = realloc (group->ranks, (group->size + 1) * sizeof *ranks);
    if (!ranks) {
        group->size = 0;
        return;
    }
    group->ranks = ranks;
    memset (ranks, 0, (group->size + 1) * sizeof *ranks);
    find_ranks (group);
    if (group->run.job == 0 && group->size > 0 && !*group->wrong)
        check_surplus (group);
}

bool kube_group_is_complete (const struct kube_group *group)
{
    return group->size > 0 && !*group->wrong && group->waiting > 0
           && group->filled == group->size;
}
