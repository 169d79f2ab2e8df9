/* world_client.c - users who submit, change their minds, repeat themselves and
 * give up; and an operator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worlds.h"

enum { OPERATOR = WORLD_CLIENTS - 1, KEYS = 64, SIDE = 4 };

static json_int_t number (const json_t *object, const char *key)
{
    return json_integer_value (json_object_get (object, key));
}

static const char *user_of (size_t client)
{
    static const char *const names[] = {"alice", "bob"};
    if (client >= WORLD_CLIENTS)
        return "mallory";
    return client == OPERATOR ? "root" : names[client % 2];
}

/* ---- what they ask ---- */

static void add_after (struct world *w, json_t *job)
{
    static const char *const kinds[] = {"ok", "failed", "any", "any"};
    char text[32];
    int id = (int)world_job (w);
    if (w->facts[id].hostile)
        return; /* whoever waits for that has to live with it */
    snprintf (text, sizeof text, "%s:%d", kinds[dice (w, 4)], id);
    json_object_set_new (job, "after", json_string (text));
}

/* The ends that it may have, and the other places where it could be. */
static void add_wishes (struct world *w, json_t *job)
{
    static const char *const fates[] = {"requeue", "suspend", "kill", "never"};
    static const char *const failures[] = {"kill", "requeue", "repair"};
    const char *shape = json_string_value (json_object_get (job, "shape"));
    if (dice (w, 10) == 0) /* making room for them takes long */
        json_object_set_new (job, "level",
                             json_integer ((json_int_t)dice (w, 3)));
    if (dice (w, 2))
        json_object_set_new (job, "preempted",
                             json_string (fates[dice (w, 4)]));
    if (dice (w, 2))
        json_object_set_new (job, "on_failure",
                             json_string (failures[dice (w, 3)]));
    if (dice (w, 4) == 0)
        json_object_set_new (job, "checkpoint",
                             json_integer ((json_int_t)dice (w, 9)));
    if (dice (w, 6) == 0)
        json_object_set_new (job, "movable", json_false ());
    if (dice (w, 8) == 0 && (!shape || strcmp (shape, "4x4")))
        json_object_set_new (
            job, "only",
            json_pack ("[s]", w->pod ? "0,0,0/3x2x2" : "0,0/4x3"));
    if (dice (w, 6) == 0)
        json_object_set_new (
            job, "alternatives",
            w->pod ? json_pack ("[{s:s, s:s}, {s:s}]", "shape", "2x3",
                                "wiring", "mesh", "shape", "5x1")
                   : json_pack ("[{s:s, s:s}, {s:i}]", "shape", "2x3",
                                "wiring", "mesh", "count", 5));
}

static json_t *a_job (struct world *w)
{
    static const char *const shapes[] = {"1x1", "2x2", "1x4", "4x4", "2x4"};
    json_t *job;
    if (w->plans)
        return plans_draw_job (w);
    job = json_pack ("{s:[s], s:i}", "command", "true", "estimate",
                     (int)dice (w, 40) + 1);
    if (dice (w, 4) || w->pod)
        json_object_set_new (job, "shape",
                             json_string (shapes[dice (w, 5)]));
    else
        json_object_set_new (job, "count",
                             json_integer ((json_int_t)dice (w, 6) + 1));
    if (dice (w, 3) == 0)
        json_object_set_new (job, "wiring",
                             json_string (dice (w, 3) ? "torus" : "mesh"));
    if (dice (w, 6) == 0 && w->highest > 0)
        add_after (w, job);
    if (dice (w, 12) == 0)
        json_object_set_new (job, "array", json_string ("1-5%2"));
    add_wishes (w, job);
    if (dice (w, 15) == 0)
        json_object_set_new (job, "hold", json_true ());
    if (dice (w, 3) == 0)
        json_object_set_new (job, "queue", json_string ("narrow"));
    return job;
}

static json_t *a_submission (struct world *w)
{
    json_t *input = json_pack ("{s:s, s:[o]}", "in", "submit", "jobs",
                               a_job (w));
    char key[16];
    if (dice (w, 3)) /* others may not ask for all that */
        json_object_set_new (input, "root", json_true ());
    if (dice (w, 8) == 0)
        json_array_append_new (json_object_get (input, "jobs"), a_job (w));
    if (dice (w, 4) == 0)
        return input;
    snprintf (key, sizeof key, "%d", (int)dice (w, KEYS - 1) + 1);
    json_object_set_new (input, "key", json_string (key));
    return input;
}

/* Several members at once: all of them change, or none. */
static json_t *a_joint_change (struct world *w, json_int_t id)
{
    json_int_t other = (json_int_t)dice (w, (uint64_t)id) + 1;
    if (dice (w, 2))
        return json_pack ("{s:s, s:I, s:s, s:s}", "in", "change", "id", id,
                          "name", "other", "queue",
                          dice (w, 2) ? "wide" : "narrow");
    if (dice (w, 2))
        return json_pack ("{s:s, s:I, s:[], s:i}", "in", "change", "id", id,
                          "after", "time_limit", (int)dice (w, 600) + 1);
    return json_pack ("{s:s, s:I, s:[o], s:i}", "in", "change", "id", id,
                      "after", json_sprintf ("any:%lld", (long long)other),
                      "begin", (int)dice (w, 100));
}

/* The state is unknown until this is answered. */
static json_t *a_change (struct world *w, json_int_t id)
{
    /* All but the last fit into the nodes that a job may want alone. */
    static const char *const shapes[2][5]
        = {{"1x1", "2x3", "3x3", "1x4", "5x1"},
           {"1x1", "2x3", "2x2", "1x4", "9x1"}};
    struct fact *fact = &w->facts[id];
    uint64_t mood = dice (w, 8);
    if (mood > 5)
        return a_joint_change (w, id);
    if (mood == 0)
        return json_pack ("{s:s, s:I, s:s, s:s}", "in", "change", "id", id,
                          "shape", shapes[w->pod][dice (w, 5)], "wiring",
                          dice (w, 2) ? "torus" : "none");
    if (mood == 1)
        return json_pack ("{s:s, s:I, s:i}", "in", "change", "id", id,
                          "count", dice (w, 9) ? (int)dice (w, 12) + 1 : 17);
    if (mood < 4) {
        fact->held = false;
        return json_pack ("{s:s, s:I, s:b}", "in", "change", "id", id, "hold",
                          (int)dice (w, 2));
    }
    fact->ranked = false;
    return json_pack ("{s:s, s:I, s:i}", "in", "change", "id", id, "priority",
                      -(int)dice (w, 9));
}

/* A job that is requeued is not held any more. */
static json_t *an_interruption (struct world *w, json_int_t id)
{
    w->facts[id].held = false;
    return dice (w, 2) ? json_pack ("{s:s, s:I}", "in", "suspend", "id", id)
                       : json_pack ("{s:s, s:I, s:s}", "in", "requeue", "id",
                                    id, "why", "a whim");
}

static bool is_down (const char *state)
{
    return !strcmp (state, "down") || !strcmp (state, "up");
}

static json_t *a_node_change (struct world *w)
{
    static const char *const states[]
        = {"down", "drain", "up", "up", "resume", "resume"};
    uint32_t node = (uint32_t)dice (w, w->nodes_n);
    const char *to = states[dice (w, 6)];
    char text[TORI_TEXT_MAX];
    *(is_down (to) ? &w->nodes[node].down : &w->nodes[node].drained) = UNSURE;
    tori_node_format (w->machine, node, text);
    return json_pack ("{s:s, s:s, s:s, s:I, s:b}", "in", "node", "node", text,
                      "state", to, "number", (json_int_t)node, "root", 1);
}

/* The link from a node of a cube to the next, or its upper port. */
static json_t *joint_change (const struct world *w, uint32_t node, int dim,
                             const char *state)
{
    tori_link link = {dim + 1, TORI_NEAR, node};
    char text[TORI_LINK_TEXT];
    tori_link_format (w->machine, &link, text);
    return json_pack ("{s:s, s:s, s:s, s:b}", "in", "link", "link", text,
                      "state", state, "root", 1);
}

/* The link from a node to the next in a dimension. */
static json_t *link_change (const struct world *w, uint32_t node, int dim,
                            const char *state)
{
    char from[TORI_TEXT_MAX], to[TORI_TEXT_MAX], text[2 * TORI_TEXT_MAX + 1];
    uint32_t at[TORI_MAX_DIMS];
    if (w->pod)
        return joint_change (w, node, dim, state);
    tori_machine_coords (w->machine, node, at);
    at[dim] = (at[dim] + 1) % SIDE;
    tori_node_format (w->machine, node, from);
    tori_node_format (w->machine, tori_machine_id (w->machine, at), to);
    snprintf (text, sizeof text, "%s-%s", from, to);
    return json_pack ("{s:s, s:s, s:s, s:b}", "in", "link", "link", text,
                      "state", state, "root", 1);
}

/* Other priorities, queues and limits. */
static json_t *a_policy (struct world *w)
{
    json_int_t minutes = 60 * TORI_SECOND * (json_int_t)dice (w, 3);
    int level = w->hostile ? 0 : 2;
    json_t *input = json_pack (
        "{s:s, s:b, s:{s:I, s:i, s:i, s:{s:i, s:i, s:i, s:i}, s:[{s:s, s:i}, "
        "{s:s, s:i, s:i, s:{s:i, s:i}}]}}",
        "in", "policy", "root", 1, "policy", "half_life", minutes, "weight",
        20, "requeues", (int)dice (w, 4), "user", "queued",
        10 * (int)dice (w, 2), "running", (int)dice (w, 4), "nodes",
        8 * (int)dice (w, 3), "rate", 20 * (int)dice (w, 2), "queues", "name",
        "wide", "level", level, "name", "narrow", "level", level, "priority",
        (int)dice (w, 9) - 4, "limits", "running", (int)dice (w, 3), "nodes",
        8 * (int)dice (w, 2));
    if (w->hostile)
        hostile_limits (json_object_get (input, "policy"));
    return input;
}

/* Keep nodes free, soon and not for long; or no more. */
static json_t *a_window (struct world *w)
{
    static const char *const boxes[2][2]
        = {{"2,1/1x2", "0,0/2x4"}, {"2,1,0/1x1x2", "0,0,0/2x2x2"}};
    char from[16], until[16];
    int begin = (int)dice (w, 30);
    json_t *input;
    if (dice (w, 3) == 0)
        return json_pack ("{s:s, s:i, s:b}", "in", "unwindow", "id",
                          (int)dice (w, 20), "root", 1);
    snprintf (from, sizeof from, "+%ds", begin);
    snprintf (until, sizeof until, "+%ds", begin + 1 + (int)dice (w, 20));
    input = json_pack ("{s:s, s:s, s:s, s:b}", "in", "window", "from", from,
                       "until", until, "root", 1);
    if (dice (w, 2))
        json_object_set_new (input, "count",
                             json_integer ((json_int_t)dice (w, 8) + 1));
    else
        json_object_set_new (input, "box",
                             json_string (boxes[w->pod][dice (w, 2)]));
    if (dice (w, 2))
        json_object_set_new (
            input, "jobs",
            json_pack ("[I]", (json_int_t)world_job (w)));
    return input;
}

static void operate (struct world *w, struct client *c)
{
    uint32_t node = (uint32_t)dice (w, w->nodes_n);
    if (dice (w, 6) == 0) {
        c->what = ASKED_POLICY;
        c->input = a_policy (w);
        return;
    }
    if (dice (w, 5) == 0) {
        c->what = ASKED_WINDOW;
        c->input = a_window (w);
        return;
    }
    c->what = dice (w, 3) ? ASKED_NODE : ASKED_LINK;
    c->input = c->what == ASKED_NODE
                   ? a_node_change (w)
                   : link_change (w, node, (int)dice (w, 2),
                                  dice (w, 3) ? "up" : "down");
}

/* Jobs of a plain world that wait are looked at one by one. */
static bool is_busy (const struct world *w)
{
    return service_count (w->torid.service).queued > 24;
}

static void think (struct world *w, struct client *c, bool is_operator)
{
    json_int_t id
        = dice (w, world_jobs (w) + 1) ? (json_int_t)world_job (w) : 0;
    uint64_t mood = dice (w, 10);
    if (w->plans && (is_operator || mood > 6 || is_busy (w)))
        return;
    if (is_operator)
        operate (w, c);
    else if (mood < 6 || id == 0) {
        if (world_jobs (w) + 12 > (w->hostile ? WORLD_MOST : WORLD_JOBS))
            return;
        c->what = ASKED_SUBMIT;
        c->input = a_submission (w);
    } else if (mood < 7) {
        c->what = ASKED_CANCEL;
        c->input = json_pack ("{s:s, s:I}", "in", "cancel", "id", id);
    } else {
        c->what = ASKED_CHANGE;
        c->input = mood < 9 ? a_change (w, id) : an_interruption (w, id);
    }
}

/* ---- what they are told ---- */

static void learn_key (struct world *w, const struct client *c,
                       json_int_t first, json_int_t n)
{
    const char *text
        = json_string_value (json_object_get (c->input, "key"));
    const char *user
        = json_string_value (json_object_get (c->input, "user"));
    int key = text ? (int)strtol (text, NULL, 10) : 0;
    json_int_t *known = w->keys[*user == 'a'][key];
    if (key == 0)
        return;
    if (known[0] && !w->leapt && (known[0] != first || known[1] != n))
        world_broken (w,
                      "key %d of %s stood for %lld jobs from %lld on, and now "
                      "for %lld from %lld",
                      key, user, (long long)known[1], (long long)known[0],
                      (long long)n, (long long)first);
    known[0] = first;
    known[1] = n;
}

static void learn_jobs (struct world *w, const struct client *c)
{
    const json_t *ids = json_object_get (c->reply.body, "ids");
    json_int_t first = json_integer_value (json_array_get (ids, 0));
    json_int_t n = (json_int_t)json_array_size (ids);
    learn_key (w, c, first, n);
    for (json_int_t id = first; id < first + n; id++) {
        if (c->reply.code == 201 && w->facts[id].created)
            world_broken (w, "number %lld was given out twice",
                          (long long)id);
        w->facts[id].acked = true;
        w->facts[id].created |= c->reply.code == 201;
    }
    w->seen.acks++;
}

static void learn_change (struct world *w, const struct client *c)
{
    struct fact *fact = &w->facts[number (c->input, "id")];
    const json_t *hold = json_object_get (c->input, "hold");
    if (fact->asked != c->turn)
        return; /* somebody has asked for something else meanwhile */
    fact->attempt = number (c->reply.body, "attempt");
    if (c->what == ASKED_CANCEL)
        fact->cancelled = true;
    else if (hold)
        fact->held = json_is_true (hold);
    else if (json_object_get (c->input, "priority")) {
        fact->ranked = true;
        fact->priority = number (c->input, "priority");
    }
}

static void learn_node (struct world *w, const struct client *c)
{
    struct node_fact *node = &w->nodes[number (c->input, "number")];
    const char *state
        = json_string_value (json_object_get (c->input, "state"));
    if (is_down (state) && number (c->input, "number") < WORLD_WATCHED)
        return;
    *(is_down (state) ? &node->down : &node->drained)
        = *state == 'd' ? YES : NO;
}

static void forget (struct client *c)
{
    json_decref (c->input);
    json_decref (c->reply.body);
    c->input = c->reply.body = NULL;
    c->waits = c->lost = false;
}

static void learn (struct world *w, struct client *c)
{
    if (c->reply.code < 300
        && (c->what == ASKED_SUBMIT || json_object_get (c->input, "jobs")))
        learn_jobs (w, c);
    else if (c->reply.code < 300 && c->what == ASKED_NODE)
        learn_node (w, c);
    else if (c->reply.code < 300 && c->what <= ASKED_CHANGE)
        learn_change (w, c);
    forget (c);
}

/* ---- asking ---- */

static void note_ids (struct world *w, const struct client *c)
{
    const struct reply *reply = &c->reply;
    const json_t *ids = json_object_get (reply->body, "ids");
    const json_t *jobs = json_object_get (c->input, "jobs");
    size_t n = json_array_size (ids);
    uint64_t last
        = n ? (uint64_t)json_integer_value (json_array_get (ids, n - 1)) : 0;
    if (last > WORLD_ROOM)
        world_broken (w, "there are %llu jobs", (unsigned long long)last);
    if (last > w->highest)
        w->highest = last;
    for (size_t i = 0; i < n && reply->code == 201; i++) {
        struct fact *fact = &w->facts[last - i];
        fact->hostile = c->what == ASKED_HARM;
        fact->unwanted = fact->ended = false;
        if (w->plans)
            plans_note_job (w, last - i, json_array_get (jobs, n - 1 - i));
    }
}

/* A refusal is answered at once, and so is everything while the disk is stuck:
 * that may be asked again. */
static void ask (struct world *w, struct client *c)
{
    json_int_t id = number (c->input, "id");
    if (w->torid.stuck) {
        c->lost = true;
        return;
    }
    c->turn = ++w->turns;
    w->facts[id].asked = c->turn;
    w->facts[id].unwanted |= c->what == ASKED_CANCEL;
    c->lost = false;
    c->reply = world_tell (w, json_copy (c->input));
    note_ids (w, c);
    if (w->hostile)
        hostile_check (w, c);
    c->waits = c->reply.code < 300;
    if (!c->waits)
        learn (w, c);
}

void client_step (struct world *w)
{
    size_t i = (size_t)dice (w, w->hostile ? WORLD_GUESTS : WORLD_CLIENTS);
    struct client *c = &w->clients[i];
    if (c->waits || c->lost) {
        if (dice (w, 10) == 0)
            forget (c); /* gives up */
        else if (c->lost)
            ask (w, c);
        return;
    }
    if (i < WORLD_CLIENTS)
        think (w, c, i == OPERATOR);
    else
        hostile_think (w, c);
    if (!c->input)
        return;
    json_object_set_new (c->input, "user", json_string (user_of (i)));
    ask (w, c);
}

void client_resume (struct world *w)
{
    for (size_t i = 0; i < WORLD_GUESTS; i++)
        if (w->clients[i].waits)
            learn (w, &w->clients[i]);
}

void client_cut (struct world *w)
{
    for (size_t i = 0; i < WORLD_GUESTS; i++) {
        struct client *c = &w->clients[i];
        json_decref (c->reply.body);
        c->reply.body = NULL;
        c->lost = c->lost || c->waits;
        c->waits = false;
    }
}

void client_think_again (struct world *w)
{
    for (size_t i = 0; i < WORLD_GUESTS; i++)
        if (w->clients[i].what != ASKED_SUBMIT)
            forget (&w->clients[i]);
}

void client_end (struct world *w)
{
    for (size_t i = 0; i < WORLD_GUESTS; i++)
        forget (&w->clients[i]);
}

void client_release_all (struct world *w)
{
    json_decref (world_tell (w, json_pack ("{s:s, s:b, s:{}}", "in", "policy",
                                           "root", 1, "policy"))
                     .body);
    static const char *const states[] = {"up", "resume"};
    for (size_t i = 0; i < 2; i++)
        json_decref (world_tell (w, json_pack ("{s:s, s:s, s:s, s:b}", "in",
                                               "node", "node",
                                               w->pod ? "0,0,0/4x2x2"
                                                      : "0,0/4x4",
                                               "state", states[i], "root", 1))
                         .body);
    for (uint32_t i = 0; i < 2 * w->nodes_n; i++)
        json_decref (
            world_tell (w, link_change (w, i / 2, (int)i % 2, "up")).body);
    restore_release_all (w);
    for (uint64_t id = 1; id <= w->highest; id++) {
        if (!world_has_number (w, id))
            continue;
        w->facts[id].held = false;
        json_decref (
            world_tell (w, w->facts[id].hostile
                               ? json_pack ("{s:s, s:I, s:b}", "in", "cancel",
                                            "id", (json_int_t)id, "root", 1)
                               : json_pack ("{s:s, s:I, s:b, s:b}", "in",
                                            "change", "id", (json_int_t)id,
                                            "hold", 0, "root", 1))
                .body);
    }
}
