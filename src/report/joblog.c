#include "joblog.h"

#include <stdlib.h>

#include "emit.h"
#include "outfile.h"

struct joblog {
    const tori_machine *machine;
    bool more;
    struct outfile *out;
    uint32_t *ids; /* room for the nodes of the largest job so far */
    uint32_t room;
};

int joblog_create (const char *path, const tori_machine *machine, bool more,
                   struct joblog **ret_log, tori_error *err)
{
    struct joblog *log = calloc (1, sizeof *log);
    if (!log)
        return tori_error_nomem (err);
    log->machine = machine;
    log->more = more;
    if (outfile_create_packed (path, &log->out, err) < 0) {
        free (log);
        return -1;
    }
    *ret_log = log;
    return 0;
}

static int make_room (struct joblog *log, uint32_t count, tori_error *err)
{
    uint32_t *grown;
    if (count <= log->room)
        return 0;
    grown = reallocarray (log->ids, count, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    log->ids = grown;
    log->room = count;
    return 0;
}

static void emit_interrupts (struct emit *e, const tori_sim_job *job)
{
    emit_count (e, "starts", job->starts);
    emit_count (e, "moves", job->moves);
    emit_time (e, "waited", job->waited);
    emit_time (e, "ran", job->ran);
    emit_flag (e, "killed", job->killed);
    emit_flag (e, "urgent", job->level > 0);
}

int joblog_add (struct joblog *log, const tori_sim_job *job, tori_error *err)
{
    const tori_placement *place = job->place;
    size_t ndims = (size_t)tori_machine_ndims (log->machine);
    struct emit e = emit_to (outfile_stream (log->out));
    if (make_room (log, place->count, err) < 0)
        return -1;
    tori_placement_nodes (place, log->machine, log->ids);
    emit_open (&e, NULL, '{');
    emit_whole (&e, "id", job->work->id);
    emit_time (&e, "submit", job->work->submit);
    emit_time (&e, "start", job->start);
    emit_time (&e, "finish", job->finish);
    emit_count (&e, "count", job->work->asked);
    if (place->nboxes == 1) {
        emit_counts (&e, "shape", place->box.shape.size, ndims);
        emit_counts (&e, "origin", place->box.origin, ndims);
    }
    emit_text (&e, "wiring", tori_wiring_name (place->wiring));
    emit_counts (&e, "nodes", log->ids, place->count);
    emit_time (&e, "numerical", job->numerical);
    emit_time (&e, "topological", job->topological);
    if (log->more)
        emit_interrupts (&e, job);
    emit_close (&e, '}');
    if (emit_end (&e, err) < 0)
        return -1;
    return outfile_check (log->out, err);
}

int joblog_commit (struct joblog *log, tori_error *err)
{
    return outfile_commit (log->out, err);
}

void joblog_destroy (struct joblog *log)
{
    if (!log)
        return;
    outfile_destroy (log->out);
    free (log->ids);
    free (log);
}
