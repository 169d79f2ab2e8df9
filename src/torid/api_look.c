/* api_look.c - questions that take a while: why, forecast, what-if, defrag.
 *
 * The loop takes a snapshot, which is quick, and a thread makes the answer of
 * it, as the command makes it of a file. So nobody else waits meanwhile. Work
 * is bounded: LOOKS questions are open at a time, of which libuv has four
 * worked at, and others are refused; a search for moves takes at most
 * STEPS_MOST steps; and whoever looks forward runs each waiting job once. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "bodywords.h"
#include "defrag.h"
#include "jobread.h"
#include "whatif.h"
#include "whycase.h"

enum { LOOKS = 16, STEPS_MOST = 1 << 24 };

typedef int look_fn (struct look *look, struct emit *e, tori_error *err);

struct look {
    uv_work_t work;
    struct torid *torid;
    struct request *request; /* NULL: nobody waits for it any longer */
    struct look *next, *before;
    look_fn *make;
    tori_snapshot *snapshot;
    tori_state *state; /* a copy of the machine's, for metrics */
    char *begun;       /* the text so far; not JSON */
    uint64_t id; /* of the job that it is about */
    bool one;    /* it is about one */

    struct words words; /* of the body, and what they say: */
    struct command command;
    union {
        struct what_if_asked what_if;
        struct defrag_asked defrag;
    } asked;
    tori_snapshot_job *jobs; /* that are added */
    size_t njobs;

    char *text; /* the answer */
    size_t size;
    tori_error err;
    int status;
};

static void look_free (struct look *look)
{
    if (look->command.options)
        options_free (&look->command, &look->asked);
    words_clear (&look->words);
    for (size_t i = 0; i < look->njobs; i++)
        job_clear (&look->jobs[i]);
    free (look->jobs);
    tori_snapshot_destroy (look->snapshot);
    tori_state_destroy (look->state);
    free (look->begun);
    free (look->text);
    free (look);
}

/* ---- in a thread ---- */

static void on_work (uv_work_t *work)
{
    struct look *look = work->data;
    FILE *to = open_memstream (&look->text, &look->size);
    struct emit e = emit_to (to);
    if (!to) {
        look->status = tori_error_nomem (&look->err);
        return;
    }
    if (!look->begun)
        emit_open (&e, NULL, '{');
    look->status = look->make (look, &e, &look->err);
    if (!look->begun)
        emit_close (&e, '}');
    if (fclose (to) != 0 && look->status == 0)
        look->status = tori_error_nomem (&look->err);
}

static int make_why (struct look *look, struct emit *e, tori_error *err)
{
    struct why_case it = {0};
    int status
        = why_open (look->snapshot, &look->id, look->one, &it, err);
    if (status == 0)
        status = why_emit (&it, e, err);
    why_close (&it);
    return status;
}

static int make_metrics (struct look *look, struct emit *e, tori_error *err)
{
    fputs (look->begun, e->out);
    return metrics_finish (look->state, e->out, err);
}

static int make_forecast (struct look *look, struct emit *e, tori_error *err)
{
    struct prospect it = {0};
    int status = prospect_make (look->snapshot, &it, err);
    if (status == 0)
        prospect_emit (&it, e);
    prospect_clear (&it);
    return status;
}

static int make_what_if (struct look *look, struct emit *e, tori_error *err)
{
    struct what_if it = {0};
    int status = what_if_make (look->snapshot, &look->asked.what_if, &it, err);
    if (status == 0)
        what_if_emit (&it, e);
    what_if_clear (&it);
    return status;
}

static int make_defrag (struct look *look, struct emit *e, tori_error *err)
{
    struct defrag it = {0};
    int status = defrag_make (look->snapshot, &look->asked.defrag, &it, err);
    if (status == 0)
        defrag_emit (&it, e);
    defrag_clear (&it);
    return status;
}

/* ---- in the loop ---- */

/* What is wrong with what was asked. */
static bool refuse_error (struct asking *a, const tori_error *err)
{
    if (err->status == TORI_NEVER)
        refuse_with (a, 422, "never", "%s", err->text);
    else if (err->status == TORI_INVALID)
        refuse_with (a, 400, "bad-request", "%s", err->text);
    else
        refuse_with (a, 500, "failed", "%s", err->text);
    return true;
}

static void on_done (uv_work_t *work, int status)
{
    struct look *look = work->data;
    struct torid *torid = look->torid;
    struct asking a = {.torid = torid, .request = look->request};
    if (look->before)
        look->before->next = look->next;
    else
        torid->looks = look->next;
    if (look->next)
        look->next->before = look->before;
    torid->nlooks--;
    if (look->request) {
        if (look->status < 0)
            refuse_error (&a, &look->err);
        else
            reply_text (&a, 200,
                        look->begun ? METRICS_TYPE : "application/json",
                        look->text);
        if (look->status == 0)
            look->text = NULL;
        http_ready (look->request);
    }
    look_free (look);
}

void look_end (struct torid *torid)
{
    for (struct look *look = torid->looks; look; look = look->next) {
        struct asking a = {.torid = torid, .request = look->request};
        uv_cancel ((uv_req_t *)&look->work);
        if (!look->request)
            continue;
        refuse_with (&a, 503, "ending", "torid is ending");
        look->request = NULL;
        http_ready (a.request);
    }
}

static struct look *look_new (struct asking *a, look_fn *make)
{
    struct look *look = NULL;
    if (a->torid->nlooks >= (make == make_metrics ? LOOKS + 4 : LOOKS)) {
        reply_header (a, "Retry-After", "1");
        refuse_with (a, 503, "busy",
                     "%d questions are worked at; expected fewer", LOOKS);
        return NULL;
    }
    look = calloc (1, sizeof *look);
    if (!look) {
        reply (a, 500, NULL);
        return NULL;
    }
    look->torid = a->torid;
    look->request = a->request;
    look->work.data = look;
    look->make = make;
    return look;
}

/* Hand it to a thread. */
static bool look_start (struct asking *a, struct look *look)
{
    struct torid *torid = a->torid;
    if (uv_queue_work (&torid->loop, &look->work, on_work, on_done) != 0) {
        look_free (look);
        reply (a, 500, NULL);
        return true;
    }
    look->next = torid->looks;
    if (look->next)
        look->next->before = look;
    torid->looks = look;
    torid->nlooks++;
    a->request->looking = true;
    return false;
}

static bool look_go (struct asking *a, struct look *look)
{
    if (service_snapshot (a->torid->service, &look->snapshot, &look->err)
        == 0)
        return look_start (a, look);
    look_free (look);
    reply (a, 500, NULL);
    return true;
}

/* What metrics are made of. */
static int begin_metrics (struct look *look)
{
    const tori_state *state
        = tori_sched_state (service_sched (look->torid->service));
    size_t size;
    FILE *to = open_memstream (&look->begun, &size);
    if (!to)
        return -1;
    metrics_write (look->torid, to);
    if (fclose (to) != 0
        || tori_state_create (look->torid->machine, &look->state, NULL) < 0)
        return -1;
    return tori_state_copy (look->state, state, NULL);
}

bool get_metrics (struct asking *a)
{
    struct look *look = look_new (a, make_metrics);
    if (!look)
        return true;
    if (begin_metrics (look) == 0)
        return look_start (a, look);
    look_free (look);
    reply (a, 500, NULL);
    return true;
}

bool get_why (struct asking *a)
{
    struct look *look = look_new (a, make_why);
    return look ? look_go (a, look) : true;
}

bool get_job_why (struct asking *a)
{
    json_t *job = find_job (a->torid, a->id);
    const char *state = json_string_value (json_object_get (job, "state"));
    bool waits = state && !strcmp (state, "queued");
    struct look *look;
    if (!job)
        refuse_with (a, 404, "no-such-job", "there is no such job");
    else if (!waits)
        refuse_with (a, 409, "not-queued", "job %llu does not wait: it %s",
                     (unsigned long long)a->id,
                     state && !strcmp (state, "running") ? "runs"
                                                         : "has ended");
    json_decref (job);
    look = waits ? look_new (a, make_why) : NULL;
    if (!look)
        return true;
    look->id = a->id;
    look->one = true;
    return look_go (a, look);
}

bool get_forecast (struct asking *a)
{
    struct look *look = look_new (a, make_forecast);
    return look ? look_go (a, look) : true;
}

bool get_snapshot (struct asking *a)
{
    tori_snapshot *snapshot = NULL;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    int status
        = to ? service_snapshot (a->torid->service, &snapshot, NULL) : -1;
    if (status == 0)
        status = tori_snapshot_write (snapshot, to, NULL);
    tori_snapshot_destroy (snapshot);
    if (to && (fclose (to) != 0 || status < 0)) {
        free (text);
        text = NULL;
    }
    reply_text (a, 200, "application/json", text);
    return true;
}

/* ---- with a body ---- */

/* Read the words as the command of this name would. */
static int look_parse (struct look *look, const char *name,
                       const struct option *options, size_t size,
                       tori_error *err)
{
    bool help = false;
    look->command = (struct command){
        .name = name, .options = options, .size = size};
    return options_parse (&look->command, name, look->words.n,
                          look->words.word, &look->asked, &help, err);
}

static int read_jobs (struct look *look, const json_t *list, tori_error *err)
{
    size_t n = json_array_size (list);
    if (list && !json_is_array (list))
        return tori_error_set (err, TORI_INVALID, "jobs: expected a list");
    look->jobs = calloc (n + 1, sizeof *look->jobs);
    if (!look->jobs)
        return tori_error_nomem (err);
    while (look->njobs < n) {
        size_t i = look->njobs++;
        if (ask_read (look->torid->service, json_array_get (list, i), i,
                      &look->jobs[i], err)
            < 0)
            return -1;
    }
    return 0;
}

static int read_changes (struct look *look, const json_t *list,
                         tori_error *err)
{
    if (list && !json_is_array (list))
        return tori_error_set (err, TORI_INVALID, "changes: expected a list");
    for (size_t i = 0; i < json_array_size (list); i++) {
        tori_error why;
        if (words_add (&look->words, what_if_options,
                       json_array_get (list, i), &why)
            < 0)
            return tori_error_set (err, why.status, "changes[%zu]: %s", i,
                                   why.text);
    }
    return look_parse (look, "what-if", what_if_options,
                       sizeof look->asked.what_if, err);
}

static int read_what_if (struct look *look, const json_t *body,
                         tori_error *err)
{
    struct changes *changes = &look->asked.what_if.changes;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)body, key, value)
        if (strcmp (key, "changes") && strcmp (key, "jobs"))
            return tori_error_set (err, TORI_INVALID,
                                   "'%.40s': expected changes, jobs", key);
    if (read_changes (look, json_object_get (body, "changes"), err) < 0
        || read_jobs (look, json_object_get (body, "jobs"), err) < 0)
        return -1;
    changes->jobs = look->jobs;
    changes->njobs = look->njobs;
    return 0;
}

static int read_defrag (struct look *look, const json_t *body,
                        tori_error *err)
{
    if (words_add (&look->words, defrag_options, body, err) < 0
        || look_parse (look, "defrag", defrag_options,
                       sizeof look->asked.defrag, err)
               < 0)
        return -1;
    if (look->asked.defrag.steps > STEPS_MOST)
        return tori_error_set (err, TORI_INVALID,
                               "steps: expected at most %d", STEPS_MOST);
    return 0;
}

typedef int read_fn (struct look *look, const json_t *body, tori_error *err);

static bool post_look (struct asking *a, look_fn *make, read_fn *read)
{
    json_t *body = read_object (a);
    struct look *look = body ? look_new (a, make) : NULL;
    tori_error err = {0};
    int status = look ? read (look, body, &err) : 0;
    json_decref (body);
    if (!look)
        return true;
    if (status == 0)
        return look_go (a, look);
    look_free (look);
    return refuse_error (a, &err);
}

bool post_what_if (struct asking *a)
{
    return post_look (a, make_what_if, read_what_if);
}

bool post_defrag (struct asking *a)
{
    return post_look (a, make_defrag, read_defrag);
}
