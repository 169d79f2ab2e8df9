/* tori why - why every waiting job waits, and what would help. */
#include <tori/snapshot.h>

#include "asked.h"
#include "http_client.h"
#include "commands.h"
#include "snapshot_source.h"
#include "terminal.h"
#include "whycase.h"
#include "whylines.h"

struct values {
    const char *snapshot, *socket, *alloc;
    struct strings ids;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    OPTION_ROW_WAITING (struct values),
    OPTION_ROW_PLUGIN (struct values),
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the command ---- */

/* Lines come as soon as a job is explained. Before the first, the future is
 * worked out, which may take a while. */
struct printing {
    struct why_scene scene;
    struct progress progress;
};

static int on_why (void *arg, const tori_why *why)
{
    struct printing *it = arg;
    progress_end (&it->progress);
    why_print (&it->scene, why);
    return 0;
}

static int print_lines (struct why_case *it, FILE *out, tori_error *err)
{
    struct printing printing = {.scene = {it->snapshot, out, 0}};
    int status;
    progress_begin (&printing.progress);
    status = why_each (it, on_why, &printing, err);
    progress_end (&printing.progress);
    return status;
}

static int print_why (const struct values *v, struct why_case *it, FILE *out,
                      tori_error *err)
{
    struct emit e = emit_to (out);
    struct progress progress;
    int status;
    if (!v->json)
        return print_lines (it, out, err);
    asked_open (&e, &command_why, v);
    progress_begin (&progress);
    status = why_emit (it, &e, err);
    progress_end (&progress);
    if (status < 0)
        return -1;
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int explain_jobs (const struct values *v, const tori_snapshot *snapshot,
                         const struct waiting_ids *ids, FILE *out, tori_error *err)
{
    struct why_case it = {0};
    int status = why_open (snapshot, ids->id, ids->n, &it, err);
    if (status == 0)
        status = print_why (v, &it, out, err);
    why_close (&it);
    return status;
}

static int run_why (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct waiting_ids ids = {0};
    struct plugins plugins;
    tori_snapshot *snapshot = NULL;
    int status;
    if (waiting_read (v->snapshot, &v->ids, v->socket, &ids, err) < 0)
        return -1;
    status = snapshot_open_with (v->socket, v->snapshot, v->alloc, &plugins,
                                 &snapshot, err);
    if (status == 0)
        status = waiting_keep (&ids, snapshot, err);
    if (status == 0)
        status = explain_jobs (v, snapshot, &ids, out, err);
    tori_snapshot_destroy (snapshot);
    return waiting_end (&ids, status, err);
}

const struct command command_why = {
    .name = "why",
    .summary = "Explain why jobs wait, and what would start them now",
    .notes = "The scheduler of a snapshot (see 'tori help files') runs once; "
             "then every job of its queue is explained, in the queue's order. "
             "The reason is the first of these that holds, with its name in "
             "JSON: it starts now (starts); it is held (held); it may not "
             "start yet (not-yet); it has no place among the nodes in "
             "service that it may use (nodes); not enough free nodes (numerical); fragmented: "
             "enough nodes are free, but no box of this shape (topological); "
             "its links are taken (wiring); the allocator gave up on it "
             "(gave-up); no job may overtake (order); it "
             "would run into a reservation (window); it would delay the "
             "planned start of another job (reserved). Jobs that can never "
             "run on the machine come last (never). Jobs after it that start "
             "in the same run do not count as a reason. The nearest place is "
             "the one with the fewest nodes that are not free; of several, "
             "the first. Each change listed starts the job now by itself. Moves "
             "of running jobs, all stopped together, are searched for where "
             "enough nodes are free, and only for the first jobs of a long "
             "queue; so are other shapes on a pod. Fewer nodes than half are not proposed; "
             "'tori what-if --add' tries any. If ids are given, the "
             "search goes on longer. On a machine with more than 1,024 shapes, "
             "some of the smaller boxes are passed over, but not the largest "
             "free one.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori why SNAPSHOT\ntori why SNAPSHOT 20 --json",
    .answer = &answer_why,
    .run = run_why,
};
