/* commit_loop.c - one turn of torid: records are on disk before anyone is
 * answered. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "shortage.h"
#include "syserror.h"
#include "torid.h"
#include "walcheck.h"

/* A start reads one snapshot and, at most, about as many records or one for
 * each job; and as many bytes of them, or as many as the snapshot has. The
 * journal has about twice as much: a user cannot fill the disk by large jobs
 * that are cancelled at once. */
enum { SAVE_EVERY = 20000, SAVE_BYTES = 32 << 20 };

/* The history on disk keeps at most so much of the submission of a job. */
enum { HISTORY_MOST = 64 << 10 };

/* The steps of a shadow between two commits. */
enum { STEPS = 1000 };

/* ---- beginning ---- */

struct reading {
    struct torid *torid;
    uint64_t refused; /* the record that does not fit the state; 0: none */
    tori_error *err;
};

static int on_snapshot (void *arg, const char *text, size_t n)
{
    struct reading *reading = arg;
    reading->torid->snapshot_bytes = n;
    return service_load (reading->torid->service, text, n, reading->err);
}

static int on_record (void *arg, const struct journal_record *record)
{
    struct reading *reading = arg;
    json_t *value = json_loadb (record->text, record->n, 0, NULL);
    tori_error why = {0};
    int status = value ? service_replay (reading->torid->service, value, &why)
                       : tori_error_set (&why, TORI_INVALID, "not JSON");
    json_decref (value);
    reading->torid->record_bytes += record->n;
    if (status < 0)
        tori_error_set (reading->err, why.status, "record %llu: %s",
                        (unsigned long long)record->seq, why.text);
    if (status < 0 && why.status == TORI_INVALID)
        reading->refused = record->seq;
    return status;
}

static bool is_at_home (const struct torid *torid)
{
    const char *home = service_home (torid->service);
    char name[TORI_TEXT_MAX];
    tori_machine_format (torid->machine, name);
    return !home || !strcmp (home, name);
}

/* A record that does not fit the state, on the machine that it is of, is as
 * good as damaged. */
static int replay_journal (struct torid *torid, tori_error *err)
{
    struct reading reading = {.torid = torid, .err = err};
    int status;
    torid->record_bytes = torid->snapshot_bytes = 0;
    status = journal_replay (torid->journal, on_snapshot, on_record, &reading,
                             err);
    torid->unfit = is_at_home (torid) ? reading.refused : 0;
    return status;
}

/* With nothing in it. */
static int renew_service (struct torid *torid, tori_error *err)
{
    service_destroy (torid->service);
    tori_machine_destroy (torid->machine);
    torid->service = NULL;
    torid->machine = NULL;
    return service_make (&torid->setup.values, &torid->machine,
                         &torid->service, err);
}

/* An error that says what can be done, if anything can. */
static int name_remedy (const struct torid *torid, tori_error *err)
{
    tori_error why = *err;
    if (torid->setup.values.salvage
        || !(torid->unfit || journal_is_damaged (torid->journal)))
        return -1;
    return tori_error_set (err, why.status,
                           "%s; --salvage goes on with what is before it",
                           why.text);
}

/* Say so, and put a good one in its place. */
static int replace_snapshot (struct torid *torid, tori_error *err)
{
    uint64_t skipped = journal_skipped (torid->journal);
    if (skipped == 0)
        return 0;
    torid_log (torid, LEVEL_WARNING, "snapshot-damaged", "{s:I, s:s}",
               "record", (json_int_t)skipped, "instead",
               "an older one, and all records since");
    return commit_loop_save (torid, err);
}

/* SQLite says nothing of what it drops of the log. If a crash cannot have left
 * it, it was acknowledged. */
static int check_log (struct torid *torid, const char *path, tori_error *err)
{
    struct wal_tail tail = {0};
    if (wal_check (path, &tail, err) < 0)
        return -1;
    if (tail.damaged)
        return tori_error_set (err, TORI_INVALID,
                               "%s-wal: damaged: %llu frames past the damage "
                               "hold changes that were acknowledged; "
                               "--salvage keeps a copy and goes on with what "
                               "can be read",
                               path, (unsigned long long)tail.frames);
    if (tail.commits > 0)
        torid_log (torid, LEVEL_WARNING, "journal-tail", "{s:I, s:I}",
                   "frames_lost", (json_int_t)tail.frames, "commits_lost",
                   (json_int_t)tail.commits);
    return 0;
}

static int open_journal (struct torid *torid, tori_error *err)
{
    char *path = NULL;
    int status;
    if (asprintf (&path, "%s/journal", torid->state) < 0)
        return tori_error_nomem (err);
    status = check_log (torid, path, err);
    if (status == 0)
        status = journal_open (path, &torid->journal, err);
    free (path);
    return status;
}

/* Report a changed machine; if the start has failed, begin its error with
 * that. */
static int check_home (struct torid *torid, int status, tori_error *err)
{
    const char *home
        = torid->service ? service_home (torid->service) : NULL;
    char name[TORI_TEXT_MAX];
    tori_error why = *err;
    if (!torid->service || is_at_home (torid))
        return status;
    tori_machine_format (torid->machine, name);
    if (status < 0)
        return tori_error_set (err, why.status,
                               "the journal is of machine %s, not of %s: %s",
                               home, name, why.text);
    torid_log (torid, LEVEL_WARNING, "machine-changed", "{s:s, s:s}", "was",
               home, "is", name);
    return 0;
}

int commit_loop_open (struct torid *torid, tori_error *err)
{
    int status = open_journal (torid, err);
    if (status == 0)
        status = replay_journal (torid, err);
    if (status < 0 && torid->journal)
        status = name_remedy (torid, err);
    if (status == 0)
        status = service_ready (torid->service, err);
    if (status == 0)
        torid->saved_at = journal_saved (torid->journal);
    if (status == 0)
        status = replace_snapshot (torid, err);
    return check_home (torid, status, err);
}

/* Write what is whole in the files that were set aside before a record, in
 * place of the journal. */
static int rewrite_journal (struct torid *torid, const char *from,
                            uint64_t before, tori_error *err)
{
    static const char *const ends[] = {".new-wal", ".new", "-wal", ""};
    char path[4][4096];
    const tori_error why = *err;
    struct journal_salvage is;
    for (int i = 0; i < 4; i++)
        snprintf (path[i], sizeof path[i], "%s/journal%s", torid->state,
                  ends[i]);
    journal_close (torid->journal);
    torid->journal = NULL;
    (void)unlink (path[0]);
    (void)unlink (path[1]);
    if (journal_salvage (from, path[1], before, &is, err) < 0
        || renew_service (torid, err) < 0) {
        (void)unlink (path[0]);
        (void)unlink (path[1]);
        return -1;
    }
    (void)unlink (path[0]);
    (void)unlink (path[2]);
    if (rename (path[1], path[3]) < 0)
        return system_error (path[3], errno, err);
    torid->salvaged = true;
    torid_log (torid, LEVEL_WARNING, "salvaged",
               "{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "why", why.text,
               "snapshot", (json_int_t)is.snapshot, "last_record",
               (json_int_t)is.last, "records_lost",
               (json_int_t)(is.seen - is.last), "ended_jobs",
               (json_int_t)is.jobs, "pages_damaged", (json_int_t)is.damaged,
               "bytes_damaged", (json_int_t)(is.damaged * is.page));
    return 0;
}

/* Once for what cannot be read, and once for a record that does not fit. */
int commit_loop_salvage (struct torid *torid, const char *from,
                         tori_error *err)
{
    uint64_t before = UINT64_MAX;
    bool written = false;
    while (commit_loop_open (torid, err) < 0) {
        if (err->status != TORI_INVALID
            || (written && (!torid->unfit || torid->unfit >= before)))
            return -1;
        if (torid->unfit)
            before = torid->unfit;
        if (rewrite_journal (torid, from, before, err) < 0)
            return -1;
        written = true;
    }
    return 0;
}

int commit_loop_save (struct torid *torid, tori_error *err)
{
    size_t n = 0;
    char *text;
    int status;
    text = service_save (torid->service, &n);
    status = text ? journal_save (torid->journal, text, n, err)
                  : tori_error_nomem (err);
    free (text);
    torid->saved_at = journal_saved (torid->journal);
    torid->record_bytes = 0;
    torid->snapshot_bytes = n;
    return status;
}

/* ---- turns ---- */

static int add_record (struct torid *torid, const json_t *value,
                       tori_error *err)
{
    char *text = json_dumps (value, JSON_COMPACT);
    size_t n = text ? strlen (text) : 0;
    int status = text ? journal_add (torid->journal, 'r', text, n, err)
                      : tori_error_nomem (err);
    free (text);
    torid->record_bytes += n;
    torid->saved_at = journal_saved (torid->journal);
    return status;
}

/* A job as the history keeps it. */
static char *write_past (json_t *job)
{
    json_t *copy = json_copy (job);
    char *text;
    service_trim (copy, HISTORY_MOST);
    text = json_dumps (copy, JSON_COMPACT);
    json_decref (copy);
    return text;
}

static int end_job (struct torid *torid, const json_t *event, tori_error *err)
{
    json_t *job = json_object_get (event, "job");
    const char *name
        = json_string_value (json_object_get (event, "event"));
    char *text;
    int status;
    if (!name || strcmp (name, "ended"))
        return 0;
    text = write_past (job);
    if (!text)
        return tori_error_nomem (err);
    status = journal_end (
        torid->journal,
        &(struct journal_job){
            .id = (uint64_t)json_integer_value (json_object_get (job, "id")),
            .user = json_string_value (json_object_get (job, "user")),
            .ended = torid_now (torid),
            .text = text,
            .n = strlen (text)},
        err);
    free (text);
    return status;
}

static void log_move (struct torid *torid, const json_t *change)
{
    const char *what = json_string_value (json_object_get (change, "what"));
    if (what && !strcmp (what, "move"))
        torid_log (torid, LEVEL_INFO, "job-moved", "{s:O, s:O, s:O, s:O*}",
                   "job", json_object_get (change, "job"), "by",
                   json_object_get (change, "user"), "owner",
                   json_object_get (change, "owner"), "why",
                   json_object_get (change, "why"));
}

static int add_change (struct torid *torid, const json_t *change,
                       tori_error *err)
{
    char *text = json_dumps (change, JSON_COMPACT);
    log_move (torid, change);
    int status = text ? journal_change (
                     torid->journal,
                     &(struct journal_change){
                         .time = service_now (torid->service),
                         .job = (uint64_t)json_integer_value (
                             json_object_get (change, "job")),
                         .text = text,
                         .n = strlen (text),
                         .user = json_string_value (
                             json_object_get (change, "user"))},
                     err)
                      : tori_error_nomem (err);
    free (text);
    return status;
}

static void drop_all (struct outbox *box)
{
    json_array_clear (box->list);
    box->sent = 0;
}

/* Its answer must not be mixed up with orders that are older than the
 * question. While the disk or the executor's pipe is full, orders wait, and
 * the question behind them. */
int commit_loop_greet (struct torid *torid, tori_error *err)
{
    drop_all (&torid->orders);
    return service_greet (torid->service, err);
}

/* The question for a list voids the orders that are not sent yet. */
static int add_order (struct torid *torid, json_t *order, tori_error *err)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    if (what && !strcmp (what, "list"))
        drop_all (&torid->orders);
    return json_array_append (torid->orders.list, order) < 0
               ? tori_error_nomem (err)
               : 0;
}

/* Take what the service has brought about. */
static int take_effects (struct torid *torid, tori_error *err)
{
    struct effect effect;
    int status = 0;
    while (status == 0 && service_next (torid->service, &effect)) {
        if (effect.kind == EFFECT_RECORD)
            status = add_record (torid, effect.value, err);
        else if (effect.kind == EFFECT_ORDER)
            status = add_order (torid, effect.value, err);
        else if (effect.kind == EFFECT_CHANGE)
            status = add_change (torid, effect.value, err);
        else
            status = json_array_append (torid->events.list, effect.value) < 0
                         ? tori_error_nomem (err)
                         : end_job (torid, effect.value, err);
        json_decref (effect.value);
    }
    return status;
}

/* A place as one word for the log: the box, the boxes, or the nodes. */
static json_t *place_word (const json_t *place)
{
    json_t *box = json_object_get (place, "box");
    const json_t *boxes = json_object_get (place, "boxes");
    char *text = box ? NULL
                     : json_dumps (boxes ? boxes
                                         : json_object_get (place, "nodes"),
                                   JSON_COMPACT);
    json_t *word = box ? json_incref (box) : json_string (text ? text : "");
    free (text);
    return word;
}

/* Log that a shadow differs from the system that it follows. */
static void log_difference (struct torid *torid, const json_t *event)
{
    const char *name = json_string_value (json_object_get (event, "event"));
    const json_t *job = json_object_get (event, "job");
    const json_t *live = json_object_get (job, "live");
    const json_t *shadow = json_object_get (job, "shadow");
    if (!name || strcmp (name, "differs"))
        return;
    torid_log (torid, LEVEL_INFO, "differs",
               "{s:O, s:O*, s:O, s:O, s:o, s:o}", "job",
               json_object_get (job, "id"), "key",
               json_object_get (job, "key"), "live_start",
               json_object_get (live, "start"), "shadow_start",
               json_object_get (shadow, "start"), "live_place",
               place_word (json_object_get (live, "place")), "shadow_place",
               place_word (json_object_get (shadow, "place")));
}

/* The next one; NULL if there is none. Those that are sent are forgotten once
 * they are as many as the others. */
static json_t *take_next (struct outbox *box)
{
    size_t n = json_array_size (box->list);
    json_t *rest;
    if (box->sent == n) {
        drop_all (box);
        return NULL;
    }
    if (box->sent > 0 && box->sent >= n - box->sent) {
        rest = json_array ();
        for (size_t i = box->sent; i < n; i++)
            json_array_append (rest, json_array_get (box->list, i));
        json_decref (box->list);
        *box = (struct outbox){.list = rest};
    }
    return json_array_get (box->list, box->sent++);
}

/* Each job of an array has an order with all that was submitted: to write them
 * all in one turn would keep everybody waiting, and fill the memory. */
void commit_loop_order (struct torid *torid)
{
    json_t *order;
    if (torid->stuck)
        return;
    while (!executor_pipe_is_full (torid)
           && (order = take_next (&torid->orders)))
        executor_pipe_say (torid, order);
}

/* The same is true of events. When the turn has taken long, the others have
 * another, at once. */
static void tell_events (struct torid *torid)
{
    enum { TURN_MOST = 20000000 };
    json_t *event;
    while ((event = take_next (&torid->events))) {
        log_difference (torid, event);
        watch_tell (torid, event);
        if (torid->watchers && turns_spent (torid) >= TURN_MOST)
            break;
    }
    torid->unsaved |= event != NULL;
}

/* Send the orders, events and answers that waited for the disk. */
static void let_out (struct torid *torid)
{
    commit_loop_order (torid);
    tell_events (torid);
    http_resume (torid);
}

static void on_retry (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    torid->stirred = true;
}

static int commit_records (struct torid *torid, tori_error *err)
{
    uint64_t before = uv_hrtime ();
    int status = journal_commit (torid->journal, err);
    histogram_add (&torid->counts.commits, quick_bounds,
                   seconds_since (before));
    torid->turns.disk += uv_hrtime () - before;
    return status;
}

_Noreturn void torid_fail (struct torid *torid, const tori_error *err)
{
    torid_log (torid, LEVEL_ERROR, "service-failed", "{s:s}", "why",
               err->text);
    exit (1);
}

void torid_check_memory (struct torid *torid)
{
    tori_error err = {0};
    if (shortage_count () == 0)
        return;
    tori_error_nomem (&err);
    torid_fail (torid, &err);
}

/* The time of this turn: all that comes in during a turn, and what is decided
 * of it, has the same time, so that it can be repeated (torid --shadow). */
static tori_time time_of_turn (struct torid *torid)
{
    if (torid->turn_time == 0) {
        torid_watch_clock (torid);
        torid->turn_time = torid_now (torid);
    }
    return torid->turn_time;
}

void torid_tell (struct torid *torid, const json_t *input,
                 struct reply *ret_reply)
{
    tori_error err = {0};
    torid_check_memory (torid); /* or the input may be incomplete */
    if (service_do (torid->service, time_of_turn (torid), input, ret_reply,
                    &err)
        < 0)
        torid_fail (torid, &err);
    torid_stir (torid);
}

/* A long queue is saved less often: so that costs no record more. */
static bool is_time_to_save (const struct torid *torid)
{
    uint64_t since = journal_last (torid->journal) - torid->saved_at;
    struct job_counts n;
    if (torid->writer.errand.pid || journal_saves (torid->journal))
        return false;
    if (torid->record_bytes > SAVE_BYTES
        && torid->record_bytes > torid->snapshot_bytes)
        return true;
    if (since <= SAVE_EVERY)
        return false;
    n = service_count (torid->service);
    return since > n.queued + n.running + n.suspended + n.ended;
}

static void save_in_time (struct torid *torid)
{
    tori_error err = {0};
    if (!is_time_to_save (torid))
        return;
    torid->saved_at = journal_last (torid->journal);
    torid->record_bytes = 0;
    if (snapshot_writer_begin (torid, &err) < 0)
        torid_log (torid, LEVEL_WARNING, "no-snapshot", "{s:s}", "why",
                   err.text);
}

/* Ended jobs that are older than the policy wants leave the history. */
static int forget_old (struct torid *torid, tori_error *err)
{
    tori_time age = service_policy (torid->service)->history;
    tori_time now = torid_now (torid);
    if (age == 0 || now < torid->forgot + 60 * TORI_SECOND)
        return 0;
    torid->forgot = now;
    return journal_prune (torid->journal, now - age, err);
}

static void decide_jobs (struct torid *torid)
{
    tori_error err = {0};
    uint64_t before = uv_hrtime ();
    bool more = false;
    int status =
        service_lags (torid->service)
            ? service_catch_up (torid->service, STEPS, &more, &err)
            : service_decide (torid->service, time_of_turn (torid), &err);
    histogram_add (&torid->counts.decisions, quick_bounds,
                   seconds_since (before));
    torid->stirred |= more;
    if (status < 0 || take_effects (torid, &err) < 0
        || forget_old (torid, &err) < 0)
        torid_fail (torid, &err);
    save_in_time (torid);
}

/* Keep the records and try again later; answer the requests that wait for
 * them. */
static void get_stuck (struct torid *torid, const char *why)
{
    enum { PAUSE = 1000 };
    if (!torid->stuck)
        torid_log (torid, LEVEL_ERROR, "journal-stuck", "{s:s}", "why", why);
    snprintf (torid->trouble, sizeof torid->trouble, "%s", why);
    torid->stuck = true;
    uv_timer_start (&torid->retry, on_retry, PAUSE, 0);
    http_dismiss (torid, "no-disk",
                  "this is not on disk; torid tries again, and it may still "
                  "take effect; repeat it with the same Idempotency-Key to be "
                  "sure");
}

void commit_loop_settle (struct torid *torid)
{
    tori_error err = {0};
    bool told = torid->stirred;
    if (!told && !torid->unsaved)
        return;
    torid->stirred = torid->unsaved = false;
    if (told && !torid->stuck)
        decide_jobs (torid);
    torid_check_memory (torid); /* what is incomplete is not committed */
    torid->turn_time = 0;
    if (commit_records (torid, &err) < 0) {
        get_stuck (torid, err.text);
        return;
    }
    if (torid->stuck) { /* what executors said meanwhile is still here */
        torid_log (torid, LEVEL_INFO, "journal-freed", NULL);
        torid->stirred = true;
    }
    torid->stuck = false;
    mark_write (torid);
    let_out (torid);
    if (!told) /* the last piece of a snapshot may be on disk */
        save_in_time (torid);
}

/* Without slices: nobody waits any more. */
static int decide_rest (struct torid *torid, tori_error *err)
{
    do
        if (service_decide (torid->service, torid_now (torid), err) < 0)
            return -1;
    while (tori_sched_unfinished (service_sched (torid->service)));
    return take_effects (torid, err);
}

int commit_loop_finish (struct torid *torid, tori_error *err)
{
    if (!torid->stuck
        && (decide_rest (torid, err) < 0 || commit_loop_save (torid, err) < 0))
        return -1;
    if (journal_commit (torid->journal, err) < 0)
        return -1;
    mark_write (torid);
    return 0;
}
