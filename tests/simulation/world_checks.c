/* world_checks.c - what must hold, seen from outside: by the executor, by the
 * answers that clients were given, and by comparing before and after. */
#include <stdlib.h>
#include <string.h>

#include "worlds.h"

/* ---- when a process begins ---- */

static void check_alone (struct world *w, const struct process *p)
{
    for (size_t at = p->before; at > 0;) {
        const struct process *other = &w->executor.all[at - 1];
        at = other->before;
        if (other->lost)
            continue;
        if (other->runs)
            world_broken (w, "attempts %lld and %lld of job %llu run at once",
                          (long long)other->attempt, (long long)p->attempt,
                          (unsigned long long)p->job);
        if (other->attempt >= p->attempt)
            world_broken (w, "attempt %lld of job %llu comes after %lld",
                          (long long)p->attempt, (unsigned long long)p->job,
                          (long long)other->attempt);
    }
}

void check_start (struct world *w, struct process *p)
{
    const struct fact *fact = &w->facts[p->job];
    tori_error err = {0};
    check_alone (w, p);
    if (tori_placement_hold (&p->place, w->executor.held, &err) < 0)
        world_broken (w, "job %llu meets another: %s",
                      (unsigned long long)p->job, err.text);
    if (fact->cancelled && p->attempt > fact->attempt)
        world_broken (w, "job %llu starts, though it was cancelled",
                      (unsigned long long)p->job);
    if (fact->held && p->attempt > fact->attempt)
        world_broken (w, "job %llu starts, though it is held",
                      (unsigned long long)p->job);
}

/* ---- after a turn ---- */

static const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

/* It has ended years ago, if the clock is to be believed. A message of torid
 * before a crash may be lost. */
static bool is_forgotten (const struct world *w, uint64_t id)
{
    return w->leapt && (w->facts[id].ended || w->seen.crashes > 0);
}

static void check_job (struct world *w, uint64_t id)
{
    json_t *job = service_job (w->torid.service, id);
    const char *reason = text_of (job, "reason");
    if (!job && w->facts[id].acked && !is_forgotten (w, id))
        world_broken (w, "job %llu is lost", (unsigned long long)id);
    if (!strcmp (text_of (job, "state"), "queued")
        && (!*reason || !strcmp (reason, "unknown")
            || !strcmp (reason, "starts")
            || (!strcmp (reason, "never") && !*text_of (job, "limit"))))
        world_broken (w, "job %llu waits for no reason (%s)",
                      (unsigned long long)id, reason);
    json_decref (job);
}

/* One job at a time, each in its turn. */
void check_turn (struct world *w)
{
    uint64_t id = w->highest > 0 ? ++w->looks % w->highest + 1 : 0;
    if (world_has_number (w, id))
        check_job (w, id);
}

/* ---- around a crash ---- */

/* The state as it is saved. */
struct witness {
    char *text;
    size_t n;
    tori_time now;
};

/* Nothing, if not everything was on disk. */
struct witness *check_before (struct world *w)
{
    struct witness *before = calloc (1, sizeof *before);
    if (before && w->settled)
        before->text = service_save (w->torid.service, &before->n);
    before->now = service_now (w->torid.service);
    return before;
}

struct witness *check_copy (const struct witness *witness)
{
    struct witness *copy = calloc (1, sizeof *copy);
    *copy = *witness;
    if (witness->text)
        copy->text = memcpy (malloc (witness->n), witness->text, witness->n);
    return copy;
}

void check_forget (struct witness *witness)
{
    if (witness)
        free (witness->text);
    free (witness);
}

/* As one value: the header, with the jobs as a list, and the scheduler. */
static json_t *parse (const struct witness *witness)
{
    const char *at = witness->text, *end;
    json_t *state = NULL, *jobs = json_array ();
    json_int_t left = 0;
    do {
        json_t *line;
        end = memchr (at, '\n', witness->n - (size_t)(at - witness->text));
        line = json_loadb (at, (size_t)(end - at), 0, NULL);
        if (state)
            json_array_append_new (jobs, line);
        else
            left = json_integer_value (json_object_get (line, "tickets")) + 1;
        state = state ? state : line;
        at = end + 1;
    } while (--left > 0);
    json_object_set_new (state, "tickets", jobs);
    json_object_set_new (
        state, "core",
        json_loadb (at, witness->n - (size_t)(at - witness->text), 0, NULL));
    return state;
}

/* The first that differs, in lists within lists. */
static void find_difference (const json_t **a, const json_t **b)
{
    size_t i = 0;
    while (i < json_array_size (*a)) {
        const json_t *one = json_array_get (*a, i);
        const json_t *two = json_array_get (*b, i++);
        if (!json_equal (one, two)) {
            *a = one;
            *b = two;
            i = 0;
        }
    }
}

static void show_difference (struct world *w, const char *key,
                             const json_t *a, const json_t *b)
{
    char *one, *two;
    find_difference (&a, &b);
    one = json_dumps (a, JSON_ENCODE_ANY);
    two = json_dumps (b, JSON_ENCODE_ANY);
    world_broken (w, "%s was %.400s, and is %.400s after a crash", key,
                  one ? one : "nothing", two ? two : "nothing");
}

/* Promises are made again when the scheduler next runs. Turns only order the
 * jobs: a submission that was refused has used some up. */
static void strip (json_t *state)
{
    static const char *const lists[] = {"queue", "running"};
    for (size_t k = 0; k < 2; k++) {
        const json_t *list = json_object_get (json_object_get (state, "core"),
                                              lists[k]);
        for (size_t i = 0; i < json_array_size (list); i++) {
            json_object_del (json_array_get (list, i), "promise");
            json_object_del (json_array_get (list, i), "turn");
        }
    }
}

static void check_same (struct world *w, json_t *before, json_t *after)
{
    const char *key;
    json_t *value;
    json_object_foreach (before, key, value) {
        const json_t *other = json_object_get (after, key);
        if (!strcmp (key, "core"))
            check_same (w, value, json_object_get (after, key));
        else if (w->fickle && strcmp (key, "tickets"))
            continue;
        else if (strcmp (key, "now") && strcmp (key, "hash")
                 && !json_equal (value, other))
            show_difference (w, key, value, other);
    }
}

/* One that is down is not shown as drained, nor is one that is busy. */
static void check_nodes (struct world *w)
{
    const tori_state *state
        = tori_sched_state (service_sched (w->torid.service));
    for (uint32_t i = 0; i < w->nodes_n; i++) {
        const struct node_fact *fact = &w->nodes[i];
        tori_node_state found = tori_state_node (state, i);
        bool down = found == TORI_NODE_DOWN;
        bool drained = found == TORI_NODE_DRAINED;
        if (node_has_stranger (w->torid.service, i))
            continue;
        if ((fact->down != UNSURE && down != (fact->down == YES))
            || (fact->drained == NO && drained)
            || (fact->drained == YES && found == TORI_NODE_FREE))
            world_broken (w, "node %u is not as it was left (%d)", i,
                          (int)found);
    }
}

static void check_facts (struct world *w, uint64_t id)
{
    const struct fact *fact = &w->facts[id];
    const struct service_job *job =
        job_table_find (&w->torid.service->jobs, id);
    if (fact->acked && !job && !is_forgotten (w, id))
        world_broken (w, "job %llu is lost", (unsigned long long)id);
    if (job && fact->ranked && job->ask->spec.priority != fact->priority)
        world_broken (w, "the priority of job %llu is lost",
                      (unsigned long long)id);
}

/* Nothing runs that torid does not know. */
static void check_known (struct world *w)
{
    for (size_t i = 0; i < w->executor.n; i++) {
        const struct process *p = &w->executor.all[i];
        bool mine = p->runs && !p->lost;
        json_t *job = mine ? service_job (w->torid.service, p->job) : NULL;
        if (mine
            && json_integer_value (json_object_get (job, "attempt"))
                   < p->attempt)
            world_broken (w, "attempt %lld of job %llu runs, and nobody "
                             "knows it",
                          (long long)p->attempt, (unsigned long long)p->job);
        json_decref (job);
    }
}

/* When nothing happened but that the clock moved, there is no record of it: a
 * decision at the same time finds nothing new. Another policy may, but has not
 * decided anything yet. */
static void compare (struct world *w, const struct witness *before)
{
    struct witness after = {.n = 0};
    tori_error err = {0};
    if (releases_wait (w->torid.service))
        return; /* a decision would go on with these */
    if (w->fickle && w->leapt)
        return; /* ... and forget those that have ended long ago */
    if (!w->fickle
        && service_decide (w->torid.service, before->now, &err) < 0)
        world_broken (w, "the service: %s", err.text);
    after.text = service_save (w->torid.service, &after.n);
    if (before->n != after.n || memcmp (before->text, after.text, after.n)) {
        json_t *a = parse (before), *b = parse (&after);
        strip (a);
        strip (b);
        check_same (w, a, b);
        if (!w->fickle && !json_equal (json_object_get (a, "hash"),
                         json_object_get (b, "hash")))
            world_broken (w, "the hash is another after a crash");
        json_decref (a);
        json_decref (b);
    }
    free (after.text);
}

void check_after (struct world *w, struct witness *before)
{
    if (before->text)
        compare (w, before);
    check_forget (before);
    for (uint64_t id = 1; id <= w->highest; id++)
        check_facts (w, id);
    check_nodes (w);
    check_known (w);
}

/* ---- at rest ---- */

static void check_ended (struct world *w, uint64_t id)
{
    json_t *job = service_job (w->torid.service, id);
    if (w->facts[id].acked && !is_forgotten (w, id)
        && strcmp (text_of (job, "state"), "ended")) {
        char *text = json_dumps (job, 0);
        world_broken (w, "job %llu does not end: %s", (unsigned long long)id,
                      text ? text : "it is lost");
    }
    json_decref (job);
}

void check_rest (struct world *w)
{
    for (uint64_t id = 1; id <= w->highest; id++)
        if (world_has_number (w, id))
            check_ended (w, id);
    if (service_strangers (w->torid.service) > 0)
        world_broken (w, "torid knows strangers that have gone");
    for (size_t i = 0; i < w->executor.n; i++)
        if (!w->executor.all[i].forgotten)
            world_broken (w, "job %llu is not over",
                          (unsigned long long)w->executor.all[i].job);
}
