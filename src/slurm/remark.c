/* remark.c - the words of torid in the comments of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "remark.h"

#include <stdlib.h>
#include <string.h>

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

/* A key begins with the name that the job has here. */
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

/* What Slurm does not take is not tried again. */
static void set_comment (struct bridge *bridge, const struct slurm_task *task,
                         char *comment)
{
    tori_error err;
    bridge->changes++;
    if (control_comment (task, comment, &err) < 0)
        json_object_del (bridge->remarks, task->key);
}

void remark_show (struct bridge *bridge, const struct slurm_task *task)
{
    const char *is = task->record->comment ? task->record->comment : "";
    const char *words = NULL;
    char *wanted;
    if (!bridge->remarked || !task->speaks || bridge->changes >= BRIDGE_CHANGES)
        return;
    if (task->phase == PHASE_WAITING)
        words = json_string_value (
            json_object_get (bridge->remarks, task->key));
    wanted = slurm_ask_remark (is, words);
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
