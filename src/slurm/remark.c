/* remark.c - the words of torid in the comments of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "remark.h"

#include <stdlib.h>
#include <string.h>

#include "dependency.h"
#include "slurm_ask.h"

enum { START_TEXT = 32 };

/* ---- what torid says ---- */

/* "14:05", or another day "17 Nov 14:05". */
static void format_start (time_t start, char text[START_TEXT])
{
    time_t now = time (NULL);
    struct tm then, today;
    localtime_r (&start, &then);
    localtime_r (&now, &today);
    strftime (text, START_TEXT,
              then.tm_year == today.tm_year && then.tm_yday == today.tm_yday
                  ? "%H:%M"
                  : "%d %b %H:%M",
              &then);
}

/* A key begins with the name that the job has in Slurm. */
static json_t *words_of (const json_t *order)
{
    const json_t *start = json_object_get (order, "start");
    const char *text = json_string_value (json_object_get (order, "text"));
    const char *behind = json_string_value (json_object_get (order, "behind"));
    char when[START_TEXT] = "";
    if (!text)
        return NULL;
    if (json_is_integer (start))
        format_start ((time_t)json_integer_value (start), when);
    return json_sprintf ("%s%s%.*s%s%s", text, behind ? ": job " : "",
                         behind ? (int)strcspn (behind, ".") : 0,
                         behind ? behind : "",
                         *when ? "; starts about " : "", when);
}

int remark_hear (struct bridge *bridge, const json_t *order)
{
    const char *key = json_string_value (json_object_get (order, "key"));
    json_t *words = words_of (order);
    if (key && !words)
        json_object_del (bridge->remarks, key);
    else if (key)
        json_object_set (bridge->remarks, key, words);
    json_decref (words);
    bridge->remarked = true;
    return 0;
}

/* ---- what users see ---- */

/* A comment that Slurm refuses is not tried again. */
static void set_comment (struct bridge *bridge, const struct slurm_task *task,
                         char *comment)
{
    tori_error err;
    bridge->changes++;
    if (control_comment (task, comment, &err) < 0)
        json_object_del (bridge->remarks, task->key);
}

/* A comment that is not understood is not refused for good: its user may
 * change it. */
static json_t *odd_words (const struct slurm_task *task)
{
    tori_request request;
    tori_error why = {0};
    return slurm_ask_parse (task->record->comment, task->record->num_nodes,
                            &request, &why)
                   < 0
               ? lines_text (why.text)
               : NULL;
}

/* Slurm itself would only show that such a job is held. */
static json_t *not_yet (const struct bridge *bridge,
                        const slurm_job_info_t *record)
{
    char when[START_TEXT];
    if (record->priority != 0)
        return NULL;
    if (!dependency_met (bridge->jobs, record))
        return json_sprintf ("it waits for other jobs: %s",
                             record->dependency);
    if (record->eligible_time <= time (NULL))
        return NULL;
    format_start (record->eligible_time, when);
    return json_sprintf ("it may not begin before %s", when);
}

/* The reason for a job that torid holds, as known here: another hold, why it
 * cannot be submitted, or why Slurm did not start it. */
static json_t *own_words (const struct bridge *bridge,
                          const struct slurm_task *task)
{
    char when[START_TEXT];
    const char *bar;
    tori_error why = {0};
    if (task->phase != PHASE_HELD)
        return NULL;
    if (task_is_kept (task))
        return json_string (task->bar);
    if (task->odd)
        return odd_words (task);
    if (slurm_ask_held (task->record->comment))
        return json_string (task->bar);
    if (bridge_room (bridge, task, &bar, &why) < 0)
        return json_string (why.text);
    if (!*task->tag.reason)
        return not_yet (bridge, task->record);
    if (task->tag.want)
        return json_sprintf ("Slurm can never start it here: %s; it is held "
                             "until it asks for something else",
                             task->tag.reason);
    format_start (task->record->eligible_time, when);
    return json_sprintf ("Slurm does not start it: %s; tried again at %s",
                         task->tag.reason, when);
}

/* Before torid has sent reasons, the earlier ones stay. */
void remark_show (struct bridge *bridge, const struct slurm_task *task)
{
    const char *is = task->record->comment ? task->record->comment : "";
    json_t *words;
    char *wanted;
    if (!task->speaks || bridge->changes >= BRIDGE_CHANGES)
        return;
    words = task->phase == PHASE_WAITING
                ? json_incref (json_object_get (bridge->remarks, task->key))
                : own_words (bridge, task);
    if (!words && !bridge->remarked)
        return;
    wanted = slurm_ask_remark (is, json_string_value (words));
    json_decref (words);
    if (wanted && strcmp (is, wanted))
        set_comment (bridge, task, wanted);
    free (wanted);
}

void remarks_tidy (struct bridge *bridge)
{
    const char *key;
    json_t *words;
    void *next;
    bridge->changes = 0;
    json_object_foreach_safe (bridge->remarks, next, key, words)
        if (!json_object_get (bridge->told, key))
            json_object_del (bridge->remarks, key);
}
