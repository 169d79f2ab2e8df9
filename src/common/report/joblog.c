#include "joblog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "emit.h"
#include "outfile.h"

struct joblog {
    struct joblog_options is;
    struct outfile *out;
    uint32_t *ids; /* the nodes of a job, with room for the largest so far */
    size_t room;
    tori_time *lane; /* for events: until when each lane is taken */
    size_t lanes, lanes_room;
    bool began; /* an event was written before */
    bool nomem; /* a rejected job could not be written */
};

struct format {
    const char *name;
    void (*begin) (struct joblog *log, FILE *out); /* or NULL */
    int (*add) (struct joblog *log, const tori_sim_job *job, FILE *out,
                tori_error *err);
    void (*reject) (struct joblog *log, const tori_work *work, const char *why,
                    FILE *out);
    void (*end) (struct joblog *log, FILE *out); /* or NULL */
};

static double to_seconds (tori_time time)
{
    return (double)time / (double)TORI_SECOND;
}

/* ---- lines ---- */

static void emit_interrupts (struct emit *e, const tori_sim_job *job)
{
    emit_count (e, "starts", job->starts);
    emit_count (e, "moves", job->moves);
    emit_time (e, "waited", job->waited);
    emit_time (e, "ran", job->ran);
    emit_flag (e, "killed", job->killed);
    emit_flag (e, "urgent", job->level > 0);
    if (job->why)
        emit_text (e, "reason", job->why);
}

static int add_line (struct joblog *log, const tori_sim_job *job, FILE *out,
                     tori_error *err)
{
    const tori_placement *place = job->place;
    size_t ndims = (size_t)tori_machine_ndims (log->is.machine);
    struct emit e = emit_to (out);
    char wiring[TORI_TEXT_MAX];
    tori_shape shape;
    emit_open (&e, NULL, '{');
    emit_whole (&e, "id", job->work->id);
    emit_time (&e, "submit", job->work->submit);
    emit_time (&e, "start", job->start);
    emit_time (&e, "finish", job->finish);
    emit_count (&e, "count", job->work->asked);
    if (tori_placement_shape (place, log->is.machine, &shape)) {
        emit_counts (&e, "shape", shape.size, (size_t)shape.ndims);
        emit_counts (&e, "origin", place->box.origin, ndims);
    }
    tori_wiring_format (log->is.machine, place->wiring, wiring);
    emit_text (&e, "wiring", wiring);
    emit_counts (&e, "nodes", log->ids, place->count);
    emit_time (&e, "numerical", job->numerical);
    emit_time (&e, "topological", job->topological);
    if (log->is.more)
        emit_interrupts (&e, job);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void reject_line (struct joblog *log, const tori_work *work,
                         const char *why, FILE *out)
{
    struct emit e = emit_to (out);
    tori_error err;
    emit_open (&e, NULL, '{');
    emit_whole (&e, "id", work->id);
    emit_time (&e, "submit", work->submit);
    emit_count (&e, "count", work->asked);
    if (work->request.shape.ndims > 0)
        emit_counts (&e, "shape", work->request.shape.size,
                     (size_t)work->request.shape.ndims);
    emit_text (&e, "fate", tori_fate_name (TORI_FATE_REJECTED));
    emit_text (&e, "reason", why);
    emit_close (&e, '}');
    log->nomem |= emit_end (&e, &err) < 0;
}

/* ---- csv ---- */

static void begin_csv (struct joblog *log, FILE *out)
{
    fputs ("job_id,workload_name,profile,submission_time,"
           "requested_number_of_resources,requested_time,success,final_state,"
           "starting_time,execution_time,finish_time,waiting_time,"
           "turnaround_time,stretch,allocated_resources,consumed_energy,"
           "metadata\n",
           out);
}

/* "0-3 8 10-11". */
static void write_ranges (const uint32_t ids[], size_t n, FILE *out)
{
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && ids[j] == ids[j - 1] + 1; j++)
            continue;
        fprintf (out, "%s%u", i ? " " : "", ids[i]);
        if (j > i + 1)
            fprintf (out, "-%u", ids[j - 1]);
    }
}

/* A cell of texts: quotes are doubled. */
static void write_text (const char *text, FILE *out)
{
    fputc ('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc ('"', out);
        fputc (*text, out);
    }
    fputc ('"', out);
}

/* How a slice of a pod is joined. A comma would end the cell. */
static void write_slice (const tori_machine *machine,
                         const tori_placement *place, FILE *out)
{
    char text[TORI_TEXT_MAX];
    tori_shape across;
    if (!tori_machine_is_pod (machine) || place->wiring == TORI_WIRE_NONE
        || !tori_placement_across (place, machine, &across))
        return;
    tori_wiring_format (machine, place->wiring, text);
    fprintf (out, " wiring=%s", text);
    tori_shape_format (&across, text);
    fprintf (out, " across=%s boxes=", text);
    for (size_t i = 0; i < place->nboxes; i++) {
        tori_box_format (tori_placement_box (place, i), text);
        for (char *at = text; (at = strchr (at, ',')) != NULL;)
            *at = '.';
        fprintf (out, "%s%s", i > 0 ? "+" : "", text);
    }
}

/* A reason, as one word of a cell. */
static void write_reason (const char *why, FILE *out)
{
    if (why)
        fputs (" reason=", out);
    for (; why && *why; why++)
        fputc (strchr (" ,\"", *why) ? '_' : *why, out);
}

static int add_csv (struct joblog *log, const tori_sim_job *job, FILE *out,
                    tori_error *err)
{
    const tori_work *work = job->work;
    tori_time took = job->finish - work->submit;
    tori_time ran = job->finish - job->start;
    fprintf (out, "%" PRId64 ",", work->id);
    write_text (log->is.name, out);
    fprintf (out, ",%" PRId64 ",%.6f,%u,%.6f,%d,%s,%.6f,%.6f,%.6f,%.6f,%.6f,",
             work->owner.app, to_seconds (work->submit), work->asked,
             to_seconds (work->estimate), !job->killed,
             job->killed ? "COMPLETED_KILLED" : "COMPLETED_SUCCESSFULLY",
             to_seconds (job->start), to_seconds (ran),
             to_seconds (job->finish), to_seconds (job->start - work->submit),
             to_seconds (took));
    if (ran > 0)
        fprintf (out, "%.6f", (double)took / (double)ran);
    fputc (',', out);
    write_ranges (log->ids, job->place->count, out);
    fprintf (out, ",,user=%" PRId64 " numerical=%.6g topological=%.6g",
             work->owner.user, to_seconds (job->numerical),
             to_seconds (job->topological));
    write_slice (log->is.machine, job->place, out);
    write_reason (job->why, out);
    fputc ('\n', out);
    return 0;
}

static void reject_csv (struct joblog *log, const tori_work *work,
                        const char *why, FILE *out)
{
    fprintf (out, "%" PRId64 ",", work->id);
    write_text (log->is.name, out);
    fprintf (out,
             ",%" PRId64 ",%.6f,%u,%.6f,0,REJECTED,,,,,,,,,user=%" PRId64,
             work->owner.app, to_seconds (work->submit), work->asked,
             to_seconds (work->estimate), work->owner.user);
    write_reason (why, out);
    fputc ('\n', out);
}

/* ---- table ---- */

static void begin_table (struct joblog *log, FILE *out)
{
    fputs ("job,user,group,queue,nodes,shape,wiring,time_limit,submit,start,"
           "end,waited,ran,distance,placement,fate,reason,starts,moves",
           out);
    fputs (log->is.interrupts ? ",hopeless\n" : "\n", out);
}

static void end_row (struct joblog *log, const tori_work *work, FILE *out)
{
    if (log->is.interrupts)
        fprintf (out, ",%d",
                 tori_sim_is_hopeless (log->is.machine, log->is.interrupts,
                                       work, NULL)
                     > 0);
    fputc ('\n', out);
}

/* An owner that is not known is an empty cell. */
static void write_owner (int64_t number, FILE *out)
{
    if (number >= 0)
        fprintf (out, "%" PRId64, number);
    fputc (',', out);
}

/* The facts about a job that are known before it runs. */
static void write_asked (struct joblog *log, const tori_work *work, FILE *out)
{
    char text[TORI_TEXT_MAX] = "";
    fprintf (out, "%" PRId64 ",", work->id);
    write_owner (work->owner.user, out);
    write_owner (work->owner.group, out);
    write_owner (work->owner.queue, out);
    if (work->request.shape.ndims > 0)
        tori_shape_format (&work->request.shape, text);
    fprintf (out, "%u,%s,", work->asked, text);
    tori_wiring_format (log->is.machine, work->request.wiring, text);
    write_text (text, out);
    fprintf (out, ",%.6f,%.6f,", to_seconds (work->estimate),
             to_seconds (work->submit));
}

static void write_place (struct joblog *log, const tori_placement *place,
                         FILE *out)
{
    char text[TORI_TEXT_MAX];
    tori_shape shape;
    if (place->nboxes > 1) {
        fputc ('"', out);
        for (size_t i = 0; i < place->nboxes; i++) {
            tori_box_format (tori_placement_box (place, i), text);
            fprintf (out, "%s%s", i > 0 ? " " : "", text);
        }
        fputc ('"', out);
    } else if (tori_placement_shape (place, log->is.machine, &shape)) {
        tori_box_format (&place->box, text);
        write_text (text, out);
    } else {
        write_ranges (log->ids, place->count, out);
    }
}

static int add_row (struct joblog *log, const tori_sim_job *job, FILE *out,
                    tori_error *err)
{
    const tori_placement *place = job->place;
    double pairs = (double)place->count * ((double)place->count - 1) / 2;
    uint64_t sum = 0;
    if (place->count > 1
        && tori_placement_pairwise (place, log->is.machine, &sum, err) < 0)
        return -1;
    write_asked (log, job->work, out);
    fprintf (out, "%.6f,%.6f,%.6f,%.6f,", to_seconds (job->start),
             to_seconds (job->finish), to_seconds (job->waited),
             to_seconds (job->ran));
    if (place->count > 1)
        fprintf (out, "%.6f", (double)sum / pairs);
    fputc (',', out);
    write_place (log, place, out);
    fprintf (out, ",%s,",
             tori_fate_name (job->killed ? TORI_FATE_KILLED : TORI_FATE_DONE));
    if (job->why)
        write_text (job->why, out);
    fprintf (out, ",%u,%u", job->starts, job->moves);
    end_row (log, job->work, out);
    return 0;
}

static void reject_row (struct joblog *log, const tori_work *work,
                        const char *why, FILE *out)
{
    write_asked (log, work, out);
    fprintf (out, ",,,,,,%s,", tori_fate_name (TORI_FATE_REJECTED));
    write_text (why, out);
    fputs (",0,0", out);
    end_row (log, work, out);
}

/* ---- events ---- */

static void begin_events (struct joblog *log, FILE *out)
{
    fputs ("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out);
}

static void end_events (struct joblog *log, FILE *out)
{
    fputs ("\n]}\n", out);
}

/* The first lane that is free at that time. */
static int find_lane (struct joblog *log, const tori_sim_job *job,
                      size_t *ret_lane, tori_error *err)
{
    size_t at = 0;
    tori_time *more;
    while (at < log->lanes && log->lane[at] > job->start)
        at++;
    if (at == log->lanes) {
        more = array_room (log->lane, &log->lanes_room, at + 1, sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        log->lane = more;
        log->lanes++;
    }
    log->lane[at] = job->finish;
    *ret_lane = at;
    return 0;
}

/* Times are microseconds, which ticks are. */
static void emit_bar (struct emit *e, const tori_sim_job *job, size_t lane)
{
    char name[32];
    snprintf (name, sizeof name, "job %" PRId64, job->work->id);
    emit_open (e, NULL, '{');
    emit_text (e, "name", name);
    emit_text (e, "ph", "X");
    emit_whole (e, "ts", job->start);
    emit_whole (e, "dur", job->finish - job->start);
    emit_count (e, "pid", 1);
    emit_count (e, "tid", lane + 1);
    emit_open (e, "args", '{');
    emit_count (e, "nodes", job->work->asked);
    emit_time (e, "submit", job->work->submit);
    emit_time (e, "wait", job->start - job->work->submit);
    emit_whole (e, "user", job->work->owner.user);
    if (job->why)
        emit_text (e, "reason", job->why);
    emit_close (e, '}');
    emit_close (e, '}');
}

static int add_event (struct joblog *log, const tori_sim_job *job, FILE *out,
                      tori_error *err)
{
    struct emit e = emit_to (out);
    size_t lane = 0;
    if (find_lane (log, job, &lane, err) < 0)
        return -1;
    fputs (log->began ? ",\n" : "\n", out);
    log->began = true;
    emit_bar (&e, job, lane);
    return e.nomem ? tori_error_nomem (err) : 0;
}

static void reject_event (struct joblog *log, const tori_work *work,
                          const char *why, FILE *out)
{
    struct emit e = emit_to (out);
    char name[64];
    fputs (log->began ? ",\n" : "\n", out);
    log->began = true;
    snprintf (name, sizeof name, "job %" PRId64 " rejected", work->id);
    emit_open (&e, NULL, '{');
    emit_text (&e, "name", name);
    emit_text (&e, "ph", "i");
    emit_text (&e, "s", "p");
    emit_whole (&e, "ts", work->submit);
    emit_count (&e, "pid", 1);
    emit_count (&e, "tid", 1);
    emit_open (&e, "args", '{');
    emit_count (&e, "nodes", work->asked);
    emit_text (&e, "reason", why);
    emit_close (&e, '}');
    emit_close (&e, '}');
    log->nomem |= e.nomem;
}

/* ---- all of them ---- */

static const struct format formats[] = {
    {"lines", .add = add_line, .reject = reject_line},
    {"csv", begin_csv, add_csv, reject_csv},
    {"events", begin_events, add_event, reject_event, end_events},
    {"table", begin_table, add_row, reject_row},
};

const char *joblog_formats (size_t i)
{
    return i < sizeof formats / sizeof *formats ? formats[i].name : NULL;
}

int joblog_format (const char *name)
{
    int i = 0;
    while (strcmp (formats[i].name, name) != 0)
        i++;
    return i;
}

static FILE *stream_of (struct joblog *log)
{
    return log->is.to ? log->is.to : outfile_stream (log->out);
}

int joblog_create (const char *path, const struct joblog_options *options,
                   struct joblog **ret_log, tori_error *err)
{
    struct joblog *log = calloc (1, sizeof *log);
    const struct format *format = &formats[options->format];
    if (!log)
        return tori_error_nomem (err);
    log->is = *options;
    if (!options->to && outfile_create_packed (path, &log->out, err) < 0) {
        free (log);
        return -1;
    }
    if (format->begin)
        format->begin (log, stream_of (log));
    *ret_log = log;
    return 0;
}

static int list_nodes (struct joblog *log, const tori_placement *place,
                       tori_error *err)
{
    uint32_t *more = array_room (log->ids, &log->room,
                                 (size_t)place->count + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    log->ids = more;
    tori_placement_nodes (place, log->is.machine, log->ids);
    return 0;
}

int joblog_add (struct joblog *log, const tori_sim_job *job, tori_error *err)
{
    if (list_nodes (log, job->place, err) < 0
        || formats[log->is.format].add (log, job, stream_of (log), err) < 0)
        return -1;
    return log->out ? outfile_check (log->out, err) : 0;
}

void joblog_reject (struct joblog *log, const tori_work *work, const char *why)
{
    formats[log->is.format].reject (log, work, why, stream_of (log));
}

int joblog_commit (struct joblog *log, tori_error *err)
{
    const struct format *format = &formats[log->is.format];
    if (log->nomem)
        return tori_error_nomem (err);
    if (format->end)
        format->end (log, stream_of (log));
    return log->out ? outfile_commit (log->out, err) : 0;
}

void joblog_destroy (struct joblog *log)
{
    if (!log)
        return;
    outfile_destroy (log->out);
    free (log->ids);
    free (log->lane);
    free (log);
}
