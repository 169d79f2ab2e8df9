/* world_hostile.c - a user who means harm: chains of a thousand jobs, arrays
 * beyond all limits, jobs that would push everybody out, the jobs of others,
 * and questions without end. */
#include <stdio.h>
#include <string.h>

#include "worlds.h"

/* The limits of the site. */
enum { ARRAY = 50, AFTER = 50, QUEUED = 500, JOBS = 1500, CHAIN = 300 };

static const char *const kinds[] = {"ok", "ok", "failed", "any"};

json_t *hostile_limits (json_t *policy)
{
    json_object_set_new (policy, "jobs", json_integer (JOBS));
    json_object_set_new (policy, "array", json_integer (ARRAY));
    json_object_set_new (policy, "after", json_integer (AFTER));
    json_object_set_new (json_object_get (policy, "user"), "queued",
                         json_integer (QUEUED));
    return policy;
}

/* ---- what is asked ---- */

static json_t *small_job (struct world *w)
{
    return json_pack ("{s:[s], s:i, s:s}", "command", "true", "estimate",
                      (int)dice (w, 40) + 1, "shape", "1x1");
}

static json_t *submission (json_t *jobs)
{
    return json_pack ("{s:s, s:o}", "in", "submit", "jobs", jobs);
}

static void set_after (json_t *job, const char *kind, uint64_t id)
{
    char text[32];
    snprintf (text, sizeof text, "%s:%llu", kind, (unsigned long long)id);
    json_object_set_new (job, "after", json_string (text));
}

/* Each after the one before. The first is held, or waits for somebody else's;
 * if others submit meanwhile, the numbers are wrong, and it is refused. */
static json_t *a_chain (struct world *w)
{
    const char *kind = kinds[dice (w, 4)];
    uint64_t n = dice (w, CHAIN) + 1, next = w->highest + 1;
    json_t *jobs = json_array ();
    w->head = next;
    for (uint64_t i = 0; i < n; i++) {
        json_t *job = small_job (w);
        if (i > 0)
            set_after (job, dice (w, 50) ? kind : "any", next + i - 1);
        else if (dice (w, 2) && w->highest > 0)
            set_after (job, kind, world_job (w));
        else
            json_object_set_new (job, "hold", json_true ());
        json_array_append_new (jobs, job);
    }
    return submission (jobs);
}

static json_t *many_afters (struct world *w, uint64_t n)
{
    json_t *list = json_array ();
    char text[32];
    for (uint64_t i = 0; i < n; i++) {
        snprintf (text, sizeof text, "any:%llu",
                  (unsigned long long)world_job (w));
        json_array_append_new (list, json_string (text));
    }
    return list;
}

/* As large as is allowed, or far beyond that. */
static json_t *an_array (struct world *w, bool beyond)
{
    json_t *job = small_job (w);
    char text[32];
    bool wide = !beyond || dice (w, 2);
    snprintf (text, sizeof text, "0-%d%%%d",
              !wide ? 1 : beyond ? 100000 : ARRAY - 1, (int)dice (w, 9) + 1);
    json_object_set_new (job, "array", json_string (text));
    if (w->highest > 0)
        json_object_set_new (
            job, "after",
            many_afters (w, beyond && !wide ? 5000 : dice (w, AFTER) + 1));
    else if (!wide)
        json_object_set_new (job, "level", json_integer (1));
    return submission (json_pack ("[o]", job));
}

static json_t *a_tyrant (struct world *w)
{
    json_t *job = small_job (w);
    if (dice (w, 2))
        json_object_set_new (job, "level", json_integer (4000000000));
    else
        json_object_set_new (job, "preempted", json_string ("never"));
    return submission (json_pack ("[o]", job));
}

/* A job that is, or is not, this user's, such as the head of a chain; 0 if none
 * is found. */
static json_int_t some_job (struct world *w, bool own)
{
    if (own && w->facts[w->head].hostile && dice (w, 2))
        return (json_int_t)w->head;
    for (int i = 0; i < 20 && w->highest > 0; i++) {
        uint64_t id = world_job (w);
        if (w->facts[id].acked && w->facts[id].hostile == own)
            return (json_int_t)id;
    }
    return 0;
}

static json_t *a_change (struct world *w, json_int_t id)
{
    switch (dice (w, 4)) {
    case 0:
        return json_pack ("{s:s, s:I, s:b}", "in", "change", "id", id, "hold",
                          (int)dice (w, 2));
    case 1:
        return json_pack ("{s:s, s:I, s:i}", "in", "change", "id", id,
                          "estimate", 315360000);
    default:
        return json_pack ("{s:s, s:I}", "in", "cancel", "id", id);
    }
}

/* ---- questions ---- */

/* Whatever is asked, it changes nothing. */
static void ask_questions (struct world *w)
{
    struct service *service = w->torid.service;
    uint64_t before = service->hash;
    tori_snapshot *snapshot = NULL;
    tori_error err = {0};
    bool more;
    json_decref (service_users (service));
    json_decref (service_jobs (service, &(struct job_filter){0}, 0, 100,
                               &more));
    json_decref (service_job (service, world_job (w) + dice (w, 2)));
    if (service_snapshot (service, &snapshot, &err) < 0)
        world_broken (w, "no snapshot: %s", err.text);
    tori_snapshot_destroy (snapshot);
    if (service->hash != before)
        world_broken (w, "a question has changed something");
}

/* ---- */

/* The estimate of a job in no queue may be any. */
void hostile_think (struct world *w, struct client *c)
{
    bool room = world_jobs (w) + CHAIN + WORLD_JOBS < WORLD_MOST;
    uint64_t mood = dice (w, 12);
    json_int_t id = some_job (w, mood != 5);
    c->what = ASKED_HARM;
    c->forbidden = mood > 2 && mood < 6;
    if (mood < 2 && room)
        c->input = a_chain (w);
    else if ((mood == 2 && room) || mood == 3)
        c->input = an_array (w, mood == 3);
    else if (mood == 4)
        c->input = a_tyrant (w);
    else if (mood < 9 && id > 0)
        c->input = a_change (w, id);
    else
        ask_questions (w);
}

/* ---- what must hold ---- */

void hostile_check (struct world *w, const struct client *c)
{
    const json_t *error = json_object_get (c->reply.body, "error");
    const char *why = json_string_value (json_object_get (error, "message"));
    if (c->what == ASKED_HARM && c->forbidden && c->reply.code < 300)
        world_broken (w, "somebody may do harm");
    if (c->what != ASKED_HARM && why && strstr (why, "max-jobs"))
        world_broken (w, "others have taken all room: %s", why);
}

/* Why a job of somebody else has ended. */
static void check_end (struct world *w, const struct fact *fact,
                       const json_t *job)
{
    const char *why = json_string_value (json_object_get (job, "why"));
    unsigned long long by;
    if (!why)
        return;
    if (!strcmp (why, "cancelled") && !fact->unwanted)
        world_broken (w, "job %lld is cancelled, and nobody asked for that",
                      json_integer_value (json_object_get (job, "id")));
    if (sscanf (why, "job %llu took", &by) == 1 && by < WORLD_ROOM
        && w->facts[by].hostile)
        world_broken (w, "job %lld: %s",
                      json_integer_value (json_object_get (job, "id")), why);
}

void hostile_hear (struct world *w, const json_t *event)
{
    const char *name = json_string_value (json_object_get (event, "event"));
    const json_t *job = json_object_get (event, "job");
    struct fact *fact
        = &w->facts[json_integer_value (json_object_get (job, "id"))];
    if (!name || strcmp (name, "ended"))
        return;
    fact->ended = true;
    w->ends++;
    if (!fact->hostile)
        check_end (w, fact, job);
}

static bool is_end (const struct effect *effect)
{
    const char *name
        = json_string_value (json_object_get (effect->value, "event"));
    return effect->kind == EFFECT_EVENT && name && !strcmp (name, "ended");
}

/* One input and one decision cost this many steps; and running jobs may end.
 */
static void check_steps (struct world *w, uint64_t ends)
{
    if (ends > WORLD_RELEASES + 4 * w->nodes_n)
        world_broken (w, "%llu jobs end at once", (unsigned long long)ends);
}

void hostile_input (struct world *w, size_t before)
{
    const struct service *service = w->torid.service;
    uint64_t n = 0;
    for (size_t i = before; i < service->nout; i++)
        n += is_end (&service->out[i]);
    check_steps (w, n);
    w->ends_in += n;
}

/* While the disk is stuck, nobody is told; when it is free again, there is
 * another turn. */
void hostile_turn (struct world *w)
{
    if (w->torid.stuck || w->torid.stirred)
        return;
    check_steps (w, w->ends - w->ends_in);
    w->ends = w->ends_in = 0;
}
