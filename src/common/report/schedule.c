#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* As the format numbers them. */
enum { STATUS_FAILED = 0, STATUS_COMPLETED = 1, STATUS_CANCELLED = 5 };

struct outcome {
    tori_time start; /* -1: has not run */
    tori_time finish;
    uint32_t nodes;
    bool killed;
};

struct schedule {
    const tori_workload *workload;
    struct outcome *outcome;
    tori_swf_writer *writer;
};

int schedule_create (const char *path, const tori_workload *workload,
                     struct schedule **ret_schedule, tori_error *err)
{
    struct schedule *schedule = calloc (1, sizeof *schedule);
    if (!schedule)
        return tori_error_nomem (err);
    schedule->workload = workload;
    schedule->outcome = calloc (workload->n + 1, sizeof *schedule->outcome);
    if (!schedule->outcome) {
        tori_error_nomem (err);
        goto fail;
    }
    for (size_t i = 0; i < workload->n; i++)
        schedule->outcome[i].start = -1;
    if (tori_swf_create (path, &schedule->writer, err) < 0)
        goto fail;
    *ret_schedule = schedule;
    return 0;
fail:
    schedule_destroy (schedule);
    return -1;
}

void schedule_add (struct schedule *schedule, const tori_sim_job *job)
{
    struct outcome *outcome =
        &schedule->outcome[job->work - schedule->workload->jobs];
    outcome->start = job->start;
    outcome->finish = job->finish;
    outcome->nodes = job->place->count;
    outcome->killed = job->killed;
}

static double to_seconds (tori_time time)
{
    return (double)time / (double)TORI_SECOND;
}

static tori_swf_record record_of (const tori_work *work,
                                  const struct outcome *outcome)
{
    tori_swf_record record = {
        .job = work->id,
        .submit = to_seconds (work->submit),
        .wait = -1,
        .runtime = -1,
        .procs = -1,
        .cpu_time = -1,
        .memory = -1,
        .asked_procs = work->asked,
        .asked_time = to_seconds (work->estimate),
        .asked_memory = -1,
        .status = STATUS_CANCELLED,
        .user = work->owner.user,
        .group = work->owner.group,
        .app = work->owner.app,
        .queue = work->owner.queue,
        .partition = work->owner.partition,
        .after_job = -1,
        .think_time = -1,
    };
    if (outcome->start >= 0) {
        record.wait = to_seconds (outcome->start - work->submit);
        record.runtime = to_seconds (outcome->finish - outcome->start);
        record.procs = outcome->nodes;
        record.status = outcome->killed ? STATUS_FAILED : STATUS_COMPLETED;
    }
    return record;
}

static int write_labels (const struct schedule *schedule, tori_error *err)
{
    for (size_t i = 0; i < schedule->workload->nlabels; i++) {
        const tori_work_label *label = &schedule->workload->labels[i];
        if (tori_swf_write_header (schedule->writer, label->field,
                                   label->text, err)
            < 0)
            return -1;
    }
    return 0;
}

static int write_header (const struct schedule *schedule,
                         const tori_machine *machine, const char *note,
                         tori_error *err)
{
    tori_swf_writer *writer = schedule->writer;
    char name[TORI_TEXT_MAX], jobs[32], nodes[32], start[32];
    tori_machine_format (machine, name);
    snprintf (jobs, sizeof jobs, "%zu", schedule->workload->n);
    snprintf (nodes, sizeof nodes, "%" PRIu32, tori_machine_nodes (machine));
    if (tori_swf_write_header (writer, "Version", "2.2", err) < 0
        || tori_swf_write_header (writer, "Computer", name, err) < 0
        || tori_swf_write_header (writer, "Note", note, err) < 0
        || tori_swf_write_header (writer, "MaxJobs", jobs, err) < 0
        || tori_swf_write_header (writer, "MaxRecords", jobs, err) < 0
        || tori_swf_write_header (writer, "MaxNodes", nodes, err) < 0
        || tori_swf_write_header (writer, "MaxProcs", nodes, err) < 0)
        return -1;
    if (write_labels (schedule, err) < 0)
        return -1;
    if (schedule->workload->log_start < 0)
        return 0;
    snprintf (start, sizeof start, "%" PRId64, schedule->workload->log_start);
    return tori_swf_write_header (writer, "UnixStartTime", start, err);
}

int schedule_commit (struct schedule *schedule, const tori_machine *machine,
                     const char *note, tori_error *err)
{
    const tori_workload *workload = schedule->workload;
    if (write_header (schedule, machine, note, err) < 0)
        return -1;
    for (size_t i = 0; i < workload->n; i++) {
        tori_swf_record record =
            record_of (&workload->jobs[i], &schedule->outcome[i]);
        if (tori_swf_write (schedule->writer, &record, err) < 0)
            return -1;
    }
    return tori_swf_commit (schedule->writer, err);
}

void schedule_destroy (struct schedule *schedule)
{
    if (!schedule)
        return;
    tori_swf_writer_close (schedule->writer);
    free (schedule->outcome);
    free (schedule);
}
