#include "messagelog.h"

#include <stdlib.h>

#include "emit.h"
#include "outfile.h"

struct messagelog {
    const tori_machine *machine;
    struct outfile *out;
    bool failed;
    tori_error error; /* if so, the error */
};

int messagelog_create (const char *path, const tori_machine *machine,
                       struct messagelog **ret_log, tori_error *err)
{
    struct messagelog *log = calloc (1, sizeof *log);
    if (!log)
        return tori_error_nomem (err);
    log->machine = machine;
    if (outfile_create_packed (path, &log->out, err) < 0) {
        free (log);
        return -1;
    }
    *ret_log = log;
    return 0;
}

void messagelog_add (void *arg, size_t job, const tori_net_message *message)
{
    struct messagelog *log = arg;
    struct emit e = emit_to (outfile_stream (log->out));
    if (log->failed)
        return;
    emit_open (&e, NULL, '{');
    emit_count (&e, "job", job);
    emit_node (&e, "src", log->machine, message->src);
    emit_node (&e, "dst", log->machine, message->dst);
    emit_count (&e, "flits", message->flits);
    emit_count (&e, "hops", message->hops);
    emit_count (&e, "sent", message->sent);
    emit_count (&e, "entered", message->entered);
    emit_count (&e, "delivered", message->delivered);
    emit_count (&e, "blocked", message->blocked);
    emit_close (&e, '}');
    log->failed = emit_end (&e, &log->error) < 0;
}

int messagelog_commit (struct messagelog *log, tori_error *err)
{
    if (log->failed)
        return tori_error_set (err, log->error.status, "%s", log->error.text);
    return outfile_commit (log->out, err);
}

void messagelog_destroy (struct messagelog *log)
{
    if (!log)
        return;
    outfile_destroy (log->out);
    free (log);
}
