/* world_executor.c - an executor that answers late, twice or never, goes and
 * returns; and its processes, which go on without it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "worlds.h"

static uint64_t job_of (const json_t *order)
{
    return (uint64_t)json_integer_value (json_object_get (order, "job"));
}

static json_int_t attempt_of (const json_t *order)
{
    return json_integer_value (json_object_get (order, "attempt"));
}

static const char *state_of (const json_t *order)
{
    const char *state = json_string_value (json_object_get (order, "state"));
    return state ? state : "";
}

static struct process *find (struct world *w, const json_t *order)
{
    struct executor *e = &w->executor;
    uint64_t job = job_of (order);
    size_t at = job <= WORLD_ROOM ? e->latest[job] : 0;
    while (at > 0 && e->all[at - 1].job == job) {
        if (e->all[at - 1].attempt == attempt_of (order)
            && !strcmp (e->all[at - 1].state, state_of (order)))
            return &e->all[at - 1];
        at = e->all[at - 1].before;
    }
    return NULL;
}

/* ---- what it says ---- */

static void put (struct world *w, json_t *word)
{
    if (!w->executor.alive || w->executor.sulks) {
        json_decref (word);
        return;
    }
    if (chance (w, 10))
        pipe_put (&w->executor.from, json_copy (word));
    pipe_put (&w->executor.from, word);
}

static json_t *number_or_null (int number)
{
    return number < 0 ? json_null () : json_integer (number);
}

static json_t *name_of (const struct process *p)
{
    return json_pack ("{s:I, s:I, s:s*}", "job", (json_int_t)p->job,
                      "attempt", p->attempt, "state",
                      *p->state ? p->state : NULL);
}

static void say (struct world *w, const struct process *p)
{
    const char *is = p->failed ? "failed" : p->runs ? "started" : "ended";
    json_t *word = name_of (p);
    json_object_set_new (word, "is", json_string (is));
    if (p->failed) {
        json_object_set_new (word, "why", json_string ("no luck"));
        if (p->retry)
            json_object_set_new (word, "retry", json_true ());
    } else if (!p->runs) {
        json_object_set_new (word, "status", number_or_null (p->status));
        json_object_set_new (word, "signal", number_or_null (p->signal));
        if (p->job % 3) /* others do not say when */
            json_object_set_new (word, "at",
                                 json_real ((double)p->end / TORI_SECOND));
    }
    put (w, word);
}

static void say_node (struct world *w)
{
    uint32_t node = (uint32_t)dice (w, WORLD_WATCHED);
    char text[TORI_TEXT_MAX];
    tori_node_format (w->machine, node, text);
    w->nodes[node].down = UNSURE;
    put (w, json_pack ("{s:s, s:s, s:s}", "is", "node", "node", text, "state",
                       dice (w, 3) ? "up" : "down"));
}

/* Reservations of its own system: some of three places, for some time. */
static void say_windows (struct world *w)
{
    static const char *const all_places[2][3]
        = {{"0,0/1x2", "1,1", "0,2/2x2"},
           {"0,0,0/1x1x2", "1,1,1", "2,0,0/2x2x1"}};
    const char *const *places = all_places[w->pod];
    json_t *all = json_array ();
    for (int i = 0; i < 3; i++) {
        int from = 5 * (int)dice (w, 4);
        char begin[16], end[16];
        snprintf (begin, sizeof begin, "+%ds", from);
        snprintf (end, sizeof end, "+%ds", from + 5 * (int)dice (w, 4));
        if (dice (w, 2))
            json_array_append_new (
                all, json_pack ("{s:s, s:[s], s:s, s:s}", "key",
                                places[dice (w, 3)], "nodes", places[i],
                                "from", begin, "until", end));
    }
    put (w, json_pack ("{s:s, s:o}", "is", "windows", "windows", all));
}

static void say_ready (struct world *w)
{
    pipe_put (&w->executor.from,
              json_pack ("{s:s, s:i}", "is", "ready", "version", 1));
}

/* ---- processes ---- */

static void end_process (struct world *w, struct process *p)
{
    p->runs = false;
    w->executor.running--;
    w->seen.ends++;
    if (!p->frozen)
        tori_placement_release (&p->place, w->executor.held);
    tori_placement_clear (&p->place);
    say (w, p);
}

/* Those that run are few, and among the last. */
static struct process *find_over (struct world *w)
{
    struct executor *e = &w->executor;
    size_t left = e->running;
    for (size_t i = e->n; i > 0 && left > 0; i--)
        if (e->all[i - 1].runs) {
            left--;
            if (e->all[i - 1].end <= w->now)
                return &e->all[i - 1];
        }
    return NULL;
}

/* A slice of several pieces. */
static void read_slice (struct world *w, const json_t *order, tori_wiring how,
                        tori_placement *place)
{
    const json_t *texts = json_object_get (order, "boxes");
    const char *across = json_string_value (json_object_get (order, "across"));
    tori_box boxes[64];
    tori_shape shape;
    tori_error err = {0};
    size_t n = json_array_size (texts);
    if (n > 64 || !across || tori_shape_parse (across, &shape, &err) < 0)
        world_broken (w, "a bad order: %s", err.text);
    for (size_t i = 0; i < n; i++)
        if (tori_box_parse (w->machine,
                            json_string_value (json_array_get (texts, i)),
                            &boxes[i], &err)
            < 0)
            world_broken (w, "a bad order: %s", err.text);
    if (tori_shape_volume (&shape) != n
        || tori_placement_of_pieces (boxes, &shape, how, place, &err) < 0)
        world_broken (w, "a bad order: %s", err.text);
}

static void read_place (struct world *w, const json_t *order,
                        tori_placement *place)
{
    const char *box = json_string_value (json_object_get (order, "box"));
    const char *wiring = json_string_value (json_object_get (order, "wiring"));
    const json_t *ids = json_object_get (order, "ids");
    tori_wiring how = TORI_WIRE_NONE;
    tori_box where;
    tori_error err = {0};
    if (wiring && tori_wiring_parse (wiring, &how, &err) < 0)
        world_broken (w, "a bad order: %s", err.text);
    if (json_object_get (order, "boxes")) {
        read_slice (w, order, how, place);
        return;
    }
    if (box) {
        if (tori_box_parse (w->machine, box, &where, &err) < 0
            || tori_placement_of_boxes (&where, 1, how, place, &err) < 0)
            world_broken (w, "a bad order: %s", err.text);
        return;
    }
    place->count = (uint32_t)json_array_size (ids);
    place->nodes = calloc (place->count + 1, sizeof *place->nodes);
    for (uint32_t i = 0; i < place->count; i++)
        place->nodes[i]
            = (uint32_t)json_integer_value (json_array_get (ids, i));
}

static void launch (struct world *w, const json_t *order, struct process *p)
{
    p->end = w->now
             + (w->plans ? plans_draw_runtime (w, p->job)
                         : (tori_time)dice (w, 15) * TORI_SECOND);
    p->status = dice (w, 5) ? 0 : 1;
    if (dice (w, 20) == 0) {
        p->failed = true;
        p->retry = dice (w, 2);
        return;
    }
    read_place (w, order, &p->place);
    check_start (w, p);
    p->runs = true;
    w->executor.running++;
    w->seen.starts++;
}

static void start (struct world *w, const json_t *order)
{
    struct executor *e = &w->executor;
    struct process *p = find (w, order);
    uint64_t job = job_of (order);
    if (p && p->forgotten)
        world_broken (w, "attempt %lld of job %llu is started twice",
                      (long long)p->attempt, (unsigned long long)p->job);
    if (!p) {
        if (e->n == WORLD_ATTEMPTS || job > WORLD_ROOM)
            world_broken (w, "too many attempts");
        p = &e->all[e->n++];
        *p = (struct process){.job = job,
                              .attempt = attempt_of (order),
                              .before = e->latest[job],
                              .status = -1,
                              .signal = -1};
        snprintf (p->state, sizeof p->state, "%s", state_of (order));
        e->latest[job] = e->n;
        launch (w, order, p);
    }
    say (w, p);
}

/* It takes a while. */
static void stop (struct world *w, const json_t *order, struct process *p)
{
    tori_time soon = w->now + (tori_time)dice (w, 3) * TORI_SECOND;
    if (p && p->runs && p->lost && !p->unwanted)
        world_broken (w, "attempt %lld of job %llu is stopped by a torid that "
                         "does not know it",
                      (long long)p->attempt, (unsigned long long)p->job);
    if (!p || !p->runs || p->end <= soon)
        return;
    p->end = soon;
    p->status = -1;
    p->signal = (int)json_integer_value (json_object_get (order, "signal"));
}

/* Others may have its nodes meanwhile. */
static void freeze (struct world *w, struct process *p)
{
    if (!p || !p->runs || p->frozen)
        return;
    tori_placement_release (&p->place, w->executor.held);
    p->frozen = true;
    p->left = p->end - w->now;
    p->end = TORI_TIME_MAX;
    w->seen.naps++;
}

static void thaw (struct world *w, struct process *p)
{
    tori_error err = {0};
    if (!p || !p->runs || !p->frozen || p->end < TORI_TIME_MAX)
        return;
    if (tori_placement_hold (&p->place, w->executor.held, &err) < 0)
        world_broken (w, "job %llu meets another when it is resumed: %s",
                      (unsigned long long)p->job, err.text);
    p->frozen = false;
    p->end = w->now + p->left;
}

static json_t *describe (const struct world *w, const struct process *p)
{
    json_t *job = name_of (p), *ids = json_array ();
    uint32_t nodes[64];
    tori_placement_nodes (&p->place, w->machine, nodes);
    for (uint32_t i = 0; i < p->place.count; i++)
        json_array_append_new (ids, json_integer (nodes[i]));
    json_object_set_new (job, "ids", ids);
    return job;
}

/* How those ended that were not recorded yet comes first. */
static void list (struct world *w)
{
    struct executor *e = &w->executor;
    json_t *jobs = json_array ();
    uint64_t highest = 0;
    for (size_t i = 0; i < e->n; i++) {
        const struct process *p = &e->all[i];
        if (p->job > highest)
            highest = p->job;
        if (p->runs)
            json_array_append_new (jobs, *p->state ? describe (w, p)
                                                   : name_of (p));
        else if (!p->forgotten)
            say (w, p);
    }
    put (w, json_pack ("{s:s, s:o, s:I}", "is", "running", "jobs", jobs,
                       "highest", (json_int_t)highest));
}

static void obey (struct world *w, const json_t *order)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    struct process *p = find (w, order);
    world_note (w, "executor", order);
    if (!strcmp (what, "start"))
        start (w, order);
    else if (!strcmp (what, "stop"))
        stop (w, order, p);
    else if (!strcmp (what, "suspend"))
        freeze (w, p);
    else if (!strcmp (what, "resume"))
        thaw (w, p);
    else if (!strcmp (what, "list"))
        list (w);
    else if (!strcmp (what, "forget") && p && !p->runs)
        p->forgotten = true;
}

/* ---- its life ---- */

void executor_begin (struct world *w)
{
    tori_error err = {0};
    if (tori_state_create (w->machine, &w->executor.held, &err) < 0)
        world_broken (w, "%s", err.text);
}

void executor_end (struct world *w)
{
    struct executor *e = &w->executor;
    for (size_t i = 0; i < e->n; i++)
        tori_placement_clear (&e->all[i].place);
    pipe_clear (&e->to);
    pipe_clear (&e->from);
    free (e->to.all);
    free (e->from.all);
    tori_state_destroy (e->held);
}

void executor_cut (struct world *w)
{
    world_note (w, "the executor goes", NULL);
    pipe_clear (&w->executor.to);
    pipe_clear (&w->executor.from);
    w->executor.alive = w->executor.sulks = w->executor.asked = false;
    w->torid.ready = false;
}

void executor_tell (struct world *w, const json_t *order)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    if (w->unheard && what && !strcmp (what, "start"))
        world_broken (w, "torid starts jobs before it knows what runs");
    w->executor.asked |= what && !strcmp (what, "list");
    if (!w->executor.asked)
        world_broken (w, "torid sends an order from before its question");
    pipe_put (&w->executor.to, json_incref ((json_t *)(uintptr_t)order));
}

static bool live (struct world *w)
{
    struct executor *e = &w->executor;
    if (!e->alive) {
        if (!w->resting && dice (w, 10))
            return false;
        e->alive = true;
        say_ready (w);
        return true;
    }
    if (chance (w, e->sulks ? 40 : 800)) {
        executor_cut (w);
        return true;
    }
    if (chance (w, w->hostile ? 200 : 1000))
        e->sulks = true;
    if (w->plans || !chance (w, 100))
        return false;
    if (dice (w, 4))
        say_node (w);
    else
        say_windows (w);
    return true;
}

bool executor_step (struct world *w)
{
    struct executor *e = &w->executor;
    struct process *over;
    json_t *order = pipe_head (&e->to);
    if (live (w))
        return true;
    if ((!order || dice (w, 3) == 0) && (over = find_over (w))) {
        end_process (w, over);
        return true;
    }
    if (!order || !e->alive || e->sulks)
        return false;
    obey (w, order);
    if (!chance (w, 20)) /* now and then one comes twice */
        pipe_drop (&e->to);
    return true;
}

json_t *executor_hear (struct world *w)
{
    json_t *word = pipe_head (&w->executor.from);
    if (!word)
        return NULL;
    word = json_incref (word);
    pipe_drop (&w->executor.from);
    return word;
}
