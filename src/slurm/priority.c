/* priority.c - Slurm's priorities of held jobs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "priority.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "number.h"
#include "slurm_wake.h"
#include "versions.h"

static const char word[] = "priority=";

/* Without a weight, only nice values make a difference, and these are known. */
static bool has_weights (const slurm_conf_t *conf)
{
    return conf->priority_weight_age > 0 || conf->priority_weight_assoc > 0
           || conf->priority_weight_fs > 0 || conf->priority_weight_js > 0
           || conf->priority_weight_part > 0 || conf->priority_weight_qos > 0
           || (conf->priority_weight_tres && *conf->priority_weight_tres)
           || (conf->site_factor_plugin
               && !strstr (conf->site_factor_plugin, "none"));
}

/* Jobs come by one plugin, and end by the other. */
static void listen_to (struct bridge *bridge, const slurm_conf_t *conf)
{
    if (bridge->wake < 0)
        bridge->wake = slurm_wake_watch (conf->state_save_location);
    bridge->wakes
        = bridge->wake >= 0 && conf->job_comp_type
          && !strcmp (conf->job_comp_type, "jobcomp/tori")
          && conf->job_submit_plugins
          && slurm_names_has (conf->job_submit_plugins, "tori");
}

void priority_prepare (struct bridge *bridge)
{
    slurm_conf_t *conf = NULL;
    bool computes;
    if (bridge->ranks.known || slurm_load_ctl_conf (0, &conf) != 0 || !conf)
        return;
    bridge->ranks.known = true;
    computes
        = conf->priority_type && strstr (conf->priority_type, "multifactor");
    bridge->ranks.computed = computes && has_weights (conf);
    bridge->ranks.in_turn
        = !computes && conf->schedtype && strstr (conf->schedtype, "builtin");
    listen_to (bridge, conf);
    bridge->ranks.age = conf->priority_weight_age;
    bridge->ranks.oldest = conf->priority_max_age;
    slurm_free_ctl_conf (conf);
}

/* The text after the word; NULL: nothing was asked. */
static const char *answer_of (const struct slurm_task *task)
{
    const char *text = task->record->admin_comment;
    const char *at = text ? strstr (text, word) : NULL;
    return at ? at + sizeof word - 1 : NULL;
}

static json_int_t asked_at (const json_t *known)
{
    const json_t *asked = json_object_get (known, "asked");
    return asked ? json_integer_value (asked) : (json_int_t)time (NULL);
}

void priority_note (json_t *entry, const json_t *known)
{
    json_object_set_new (entry, "asked", json_integer (asked_at (known)));
}

/* The rest of the comment stays. */
static int ask_priority (const struct slurm_task *task)
{
    const char *is = task->record->admin_comment;
    const char *old = is ? strstr (is, word) : NULL;
    size_t n = old ? (size_t)(old - is) : is ? strlen (is) : 0;
    tori_error err;
    char *text;
    int status;
    while (n > 0 && is[n - 1] == ' ')
        n--;
    if (asprintf (&text, "%.*s %s?", n > 0 ? (int)n : 5, n > 0 ? is : "tori:",
                  word)
        < 0)
        return -1;
    status = control_ask (task, text, &err);
    free (text);
    return status;
}

bool priority_ask (struct bridge *bridge, const struct slurm_task *task,
                   json_t *known)
{
    const char *answer = answer_of (task);
    json_int_t now = (json_int_t)time (NULL);
    if (!bridge->ranks.computed || bridge->ranks.every == 0)
        return false;
    if (answer
        && (*answer == '?' || now - asked_at (known) < bridge->ranks.every
            || bridge->changes >= BRIDGE_CHANGES))
        return false;
    bridge->changes += answer != NULL;
    if (known)
        json_object_set_new (known, "asked", json_integer (now));
    if (task->speaks && ask_priority (task) < 0)
        return false;
    bridge->again |= !answer;
    return !answer;
}

/* As Slurm counts it for jobs that are not held. */
static json_int_t age_of (const struct bridge *bridge,
                          const struct slurm_task *task, const json_t *known)
{
    double oldest = bridge->ranks.oldest;
    double age = (double)(asked_at (known) - task->record->submit_time);
    if (oldest <= 0 || age <= 0)
        return 0;
    if (age > oldest)
        age = oldest;
    return (json_int_t)(bridge->ranks.age * age / oldest);
}

json_int_t priority_of (const struct bridge *bridge,
                        const struct slurm_task *task, const json_t *known)
{
    const char *answer = answer_of (task);
    uint64_t given;
    if (!answer || !number_scan (&answer, UINT32_MAX, &given))
        return (json_int_t)NICE_OFFSET - (json_int_t)task->record->nice;
    return (json_int_t)given + age_of (bridge, task, known);
}
