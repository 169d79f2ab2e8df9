/* dependency.c - "afterok:12(unfulfilled),after:13_4+5(unfulfilled)".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "dependency.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "number.h"
#include "versions.h"

/* ---- what one job has to be ---- */

static bool is_over (const slurm_job_info_t *job)
{
    return (job->job_state & JOB_STATE_BASE) > JOB_SUSPENDED
           && !(job->job_state & JOB_COMPLETING);
}

static bool has_begun (const slurm_job_info_t *job)
{
    return (job->job_state & JOB_STATE_BASE) != JOB_PENDING;
}

static bool is_good (const slurm_job_info_t *job)
{
    return is_over (job) && (job->job_state & JOB_STATE_BASE) == JOB_COMPLETE;
}

static bool is_bad (const slurm_job_info_t *job)
{
    return is_over (job) && !is_good (job);
}

/* The job that is waited for, and the minutes after its start. */
struct other {
    uint64_t id, task, minutes;
};

static bool is_named (const slurm_job_info_t *job, const struct other *other)
{
    if (other->task != NO_VAL)
        return job->array_job_id == other->id
               && job->array_task_id == other->task;
    return job->job_id == other->id || job->array_job_id == other->id;
}

/* Tasks of its array that wait are one record. */
static bool is_among_tasks (const slurm_job_info_t *job,
                            const struct other *other)
{
    return job->array_job_id == other->id && job->array_task_id == NO_VAL;
}

/* ---- one condition ---- */

static bool scan_job (const char *text, struct other *ret)
{
    *ret = (struct other){.task = NO_VAL};
    if (!number_scan (&text, UINT32_MAX, &ret->id))
        return false;
    if (*text == '_') {
        text++;
        number_scan (&text, UINT32_MAX, &ret->task);
    }
    if (*text == '+') {
        text++;
        number_scan (&text, UINT32_MAX, &ret->minutes);
    }
    return true;
}

/* A task without a record of its own has not begun. */
static bool all_are (const job_info_msg_t *all, const struct other *other,
                     bool (*is) (const slurm_job_info_t *))
{
    bool found = false, waits = false;
    for (uint32_t i = 0; i < all->record_count; i++) {
        const slurm_job_info_t *job = &all->job_array[i];
        waits |= is_among_tasks (job, other);
        if (!is_named (job, other))
            continue;
        found = true;
        if (!is (job)
            || (other->minutes > 0
                && difftime (time (NULL), job->start_time)
                       < 60.0 * (double)other->minutes))
            return false;
    }
    return found || !waits;
}

/* The only one of its name and user. */
static bool is_single (const job_info_msg_t *all,
                       const slurm_job_info_t *record)
{
    for (uint32_t i = 0; i < all->record_count; i++) {
        const slurm_job_info_t *other = &all->job_array[i];
        if (slurm_job_number (other) < slurm_job_number (record)
            && !is_over (other) && other->user_id == record->user_id
            && other->name && record->name
            && !strcmp (other->name, record->name))
            return false;
    }
    return true;
}

/* Unknown conditions are left to slurmctld. */
static bool is_met (const job_info_msg_t *all, const slurm_job_info_t *record,
                    const char *text)
{
    static const struct {
        const char *word;
        bool (*is) (const slurm_job_info_t *);
    } kinds[] = {{"after:", has_begun},
                 {"afterany:", is_over},
                 {"afterok:", is_good},
                 {"afternotok:", is_bad},
                 {"aftercorr:", is_good}};
    struct other other;
    if (!strncmp (text, "singleton", strlen ("singleton")))
        return is_single (all, record);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen (kinds[i].word);
        if (!strncmp (text, kinds[i].word, n)
            && scan_job (text + n, &other))
            return all_are (all, &other, kinds[i].is);
    }
    return true;
}

bool dependency_met (const job_info_msg_t *all, const slurm_job_info_t *record)
{
    const char *text = record->dependency;
    bool any = text && strchr (text, '?');
    while (text && *text) {
        if (is_met (all, record, text) == any)
            return any;
        text += strcspn (text, ",?");
        text += *text != '\0';
    }
    return !any;
}

/* ---- who waits for a job ---- */

static bool needs_job (const char *text, const slurm_job_info_t *record)
{
    static const char *const words[] = {"afterok:", "aftercorr:"};
    struct other other;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen (words[i]);
        if (!strncmp (text, words[i], n) && scan_job (text + n, &other)
            && (is_named (record, &other) || is_among_tasks (record, &other)))
            return true;
    }
    return false;
}

bool dependency_on (const job_info_msg_t *all, const slurm_job_info_t *record)
{
    for (uint32_t i = 0; i < all->record_count; i++) {
        const char *text = all->job_array[i].dependency;
        while (!has_begun (&all->job_array[i]) && text && *text) {
            if (needs_job (text, record))
                return true;
            text += strcspn (text, ",?");
            text += *text != '\0';
        }
    }
    return false;
}
