/* shadow_reporter.c - reports what Slurm does by itself.
 *
 * Slurm's times are whole seconds, and all events before a second are known
 * when it begins. So the events that a look finds are sorted by time, and then
 * torid learns that everything before this second has been reported.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "shadow_reporter.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dependency.h"
#include "node_states.h"
#include "number.h"
#include "priority.h"
#include "reserved.h"
#include "slurm_ask.h"

/* How far torid has heard of a job. */
enum heard { STAGE_NONE, STAGE_CAME, STAGE_RUNS, STAGE_OVER };

struct report {
    struct bridge *bridge;
    json_t *news; /* messages, each with its time */
    time_t now;
    bool first; /* the present state is reported now */
};

/* ---- one job ---- */

static bool has_come (const struct report *look,
                      const slurm_job_info_t *record)
{
    return record->priority != 0 && record->eligible_time <= look->now
           && dependency_met (look->bridge->jobs, record);
}

static enum heard stage_of (const struct report *look,
                            const struct slurm_task *task)
{
    uint32_t base = task->record->job_state & JOB_STATE_BASE;
    if (base == JOB_RUNNING || base == JOB_SUSPENDED)
        return STAGE_RUNS;
    if (base == JOB_PENDING)
        return has_come (look, task->record) ? STAGE_CAME : STAGE_NONE;
    return STAGE_OVER;
}

struct places {
    const struct nodemap *map;
    json_t *nodes;
};

static void add_node (void *arg, uint32_t id)
{
    struct places *places = arg;
    char text[TORI_TEXT_MAX];
    tori_node_format (places->map->machine, id, text);
    json_array_append_new (places->nodes, json_string (text));
}

static void add_place (const struct report *look,
                       const struct slurm_task *task, json_t *message)
{
    struct places places = {look->bridge->map, json_array ()};
    if (task->record->nodes)
        nodemap_each (places.map, task->record->nodes, add_node, &places);
    json_object_set_new (message, "nodes", places.nodes);
}

static void add_news (struct report *look, json_t *message, time_t at)
{
    json_object_set_new (message, "at", json_integer ((json_int_t)at));
    json_array_append_new (look->news, message);
}

static json_t *make_message (const char *is, const char *key)
{
    return json_pack ("{s:s, s:s}", "is", is, "key", key);
}

/* The request that tori would have made of it: its number of nodes may become
 * a shape. False while the name of its user is not known. */
static bool tell_coming (struct report *look, const struct slurm_task *task,
                         enum heard stage)
{
    const slurm_job_info_t *record = task->record;
    struct slurm_task asked = *task;
    time_t came =
        record->eligible_time ? record->eligible_time : record->submit_time;
    json_t *message;
    if (slurm_watch_shape (look->bridge->watch, &asked.ask)) {
        asked.ruled = true;
        asked.boxes = look->bridge->watch->boxes;
        bridge_reshape (look->bridge, &asked);
    }
    message = bridge_submission (look->bridge, &asked, NULL);
    if (!message)
        return false;
    json_object_set_new (message, "submit", json_integer ((json_int_t)came));
    if (look->first && stage == STAGE_RUNS) {
        json_object_set_new (message, "start",
                             json_integer ((json_int_t)record->start_time));
        add_place (look, task, message);
    }
    add_news (look, message, look->first ? look->now : came);
    return true;
}

static void tell_start (struct report *look, const struct slurm_task *task)
{
    json_t *message = make_message ("started", task->key);
    add_place (look, task, message);
    add_news (look, message, task->record->start_time);
}

static void tell_end (struct report *look, const struct slurm_task *task)
{
    uint32_t base = task->record->job_state & JOB_STATE_BASE;
    if (base == JOB_CANCELLED)
        add_news (look, make_message ("cancel", task->key),
                  task->record->end_time);
    if (task->record->nodes && *task->record->nodes)
        add_news (look, task_ending (task), task->record->end_time);
}

static void note_odd (const struct slurm_task *task)
{
    tori_request request;
    tori_error why = {0};
    slurm_ask_parse (task->record->comment, task->record->num_nodes, &request,
                     &why);
    bridge_complain (task->name, "left out", why.text);
}

/* Jobs that were over when torid began to listen do not matter, nor do jobs
 * that were cancelled before they could start. (The end of a job has to follow
 * its submission, which would be now.) */
static void look_at (void *arg, const struct slurm_task *task)
{
    struct report *look = arg;
    json_t *told = json_object_get (look->bridge->told, task->key);
    enum heard was = (enum heard)json_integer_value (told);
    enum heard is = task->odd ? STAGE_NONE : stage_of (look, task);
    bool ran = task->record->nodes && *task->record->nodes;
    bool early = was == STAGE_NONE && is == STAGE_OVER
                 && (look->first || !ran
                     || task->record->end_time < look->bridge->since);
    if (was > is)
        is = was;
    if (task->odd && !told && task->speaks)
        note_odd (task);
    if (was == STAGE_NONE && is > STAGE_NONE && !early
        && !tell_coming (look, task, is))
        is = STAGE_NONE;
    if (was < STAGE_RUNS && is > STAGE_CAME && ran && !look->first && !early)
        tell_start (look, task);
    if (was < STAGE_OVER && is == STAGE_OVER && !early)
        tell_end (look, task);
    json_object_set_new (look->bridge->next, task->key,
                         json_integer ((json_int_t)is));
}

/* Slurm does not have it any more, or runs it again, as another job. */
static void tell_gone (struct report *look)
{
    const char *key;
    json_t *told, *message;
    json_object_foreach (look->bridge->told, key, told)
    {
        json_int_t was = json_integer_value (told);
        if (json_object_get (look->bridge->next, key) || was == STAGE_NONE
            || was == STAGE_OVER)
            continue;
        message = make_message (was == STAGE_RUNS ? "ended" : "cancel", key);
        json_object_set_new (message, "status", json_null ());
        json_object_set_new (message, "signal", json_integer (SIGKILL));
        add_news (look, message, look->now);
    }
}

/* ---- all of it ---- */

struct letter {
    json_t *message;
    size_t place; /* the first found of those of one time is the first
                     reported */
};

static int by_time (const void *a, const void *b)
{
    const struct letter *x = a, *y = b;
    json_int_t at = json_integer_value (json_object_get (x->message, "at"));
    json_int_t to = json_integer_value (json_object_get (y->message, "at"));
    return at != to ? (at > to) - (at < to)
                    : (x->place > y->place) - (x->place < y->place);
}

static void say_all (struct report *look)
{
    size_t n = json_array_size (look->news);
    struct letter *letters = calloc (n + 1, sizeof *letters);
    for (size_t i = 0; letters && i < n; i++)
        letters[i] = (struct letter){json_array_get (look->news, i), i};
    if (letters)
        qsort (letters, n, sizeof *letters, by_time);
    for (size_t i = 0; letters && i < n; i++)
        bridge_say (look->bridge, json_incref (letters[i].message));
    free (letters);
    json_decref (look->news);
}

int shadow_reporter_look (struct bridge *bridge, tori_error *err)
{
    struct report look = {bridge, NULL, time (NULL), !bridge->begun};
    int status = bridge_load (bridge, err);
    if (status != 0 || !bridge->asked)
        return status;
    reserved_tell (bridge);
    node_states_see (bridge);
    look.news = json_array ();
    bridge->next = json_object ();
    bridge_each (bridge, look_at, &look);
    tell_gone (&look);
    json_decref (bridge->told);
    bridge->told = bridge->next;
    node_states_say (bridge);
    say_all (&look);
    bridge_say (bridge, json_pack ("{s:s, s:I}", "is", "time", "at",
                                   (json_int_t)look.now));
    bridge->begun = true;
    return 0;
}

/* How far torid has heard of the jobs whose ends it has not heard of. */
static json_t *read_heard (const json_t *order)
{
    json_t *heard = json_object (), *runs;
    const char *key;
    json_object_foreach (json_object_get (order, "jobs"), key, runs)
        json_object_set_new (
            heard, key,
            json_integer (json_is_true (runs) ? STAGE_RUNS : STAGE_CAME));
    return heard;
}

/* A shadow that has had reports before needs all events since then: a repeated
 * report does no harm. */
int shadow_reporter_obey (struct bridge *bridge, const json_t *order)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    const json_t *since = json_object_get (order, "since");
    if (what && !strcmp (what, "decline"))
        bridge_decline (
            json_string_value (json_object_get (order, "key")),
            json_string_value (json_object_get (order, "why")));
    if (!what || strcmp (what, "list"))
        return 0;
    json_decref (bridge->told);
    bridge->told = read_heard (order);
    bridge->asked = true;
    bridge->begun = since != NULL;
    bridge->since =
        since ? number_clamp (json_number_value (since), 0, INT64_MAX)
              : time (NULL);
    return 0;
}
