/* The service in simulated worlds: clients, a journal, an executor and its
 * jobs, all from one seed, with crashes at any step. A record is safe once the
 * journal has been committed; a crash loses the others, and everything that
 * was not yet sent. Jobs outlive the service and the executor. */
#include "support.h"

#include <signal.h>
#include <string.h>

#include <jansson.h>

#include <tori/workload.h>

#include "service.h"

enum { JOBS = 400, BOX = 4096 };

/* What the executor has of an attempt. */
struct process {
    uint64_t job;
    json_int_t attempt;
    bool runs, said;  /* its end was told, and recorded */
    tori_time end;
    int64_t ids[64];
    size_t n;
};

struct world {
    uint64_t chance;
    tori_machine *machine;
    struct service *service;
    tori_time now;

    char *records[1 << 16]; /* of the journal */
    size_t nrecords, safe;
    char *saved; /* a snapshot, of the first `covered` records */
    size_t nsaved;
    size_t covered;

    json_t *orders, *words; /* under way, to the executor and back */
    json_t *replies;        /* ids that wait to be acknowledged */
    bool acked[JOBS + 1];
    struct process processes[2 * JOBS];
    size_t nprocesses;
    uint64_t submitted;
    int crashes, starts;
};

static uint64_t dice (struct world *w, uint64_t n)
{
    w->chance = w->chance * UINT64_C (6364136223846793005) + 1442695040888963407;
    return (w->chance >> 33) % n;
}

/* ---- the journal ---- */

static void take_effects (struct world *w)
{
    struct effect effect;
    while (service_next (w->service, &effect)) {
        if (effect.kind == EFFECT_RECORD)
            w->records[w->nrecords++] = json_dumps (effect.value, 0);
        else if (effect.kind == EFFECT_ORDER)
            json_array_append (w->orders, effect.value);
        json_decref (effect.value);
    }
}

static void commit (struct world *w)
{
    w->safe = w->nrecords;
    for (size_t i = 0; i < json_array_size (w->replies); i++)
        w->acked[json_integer_value (json_array_get (w->replies, i))] = true;
    json_array_clear (w->replies);
}

static void open_service (struct world *w)
{
    tori_error err = {0};
    assert_int_equal (service_create (w->machine,
                                      TORI_SCHED ("easy",
                                                  TORI_ALLOC ("first-fit")),
                                      &w->service, &err),
                      0);
    if (w->saved && service_load (w->service, w->saved, w->nsaved, &err) < 0)
        fail_msg ("load: %s", err.text);
    for (size_t i = w->covered; i < w->nrecords; i++) {
        json_t *record = json_loads (w->records[i], 0, NULL);
        if (service_replay (w->service, record, &err) < 0)
            fail_msg ("record %zu of %zu: %s: %s", i, w->nrecords, err.text,
                      w->records[i]);
        json_decref (record);
    }
    assert_int_equal (service_greet (w->service, &err), 0);
    take_effects (w);
}

/* ---- the executor ---- */

static struct process *find (struct world *w, uint64_t job,
                             json_int_t attempt)
{
    for (size_t i = 0; i < w->nprocesses; i++)
        if (w->processes[i].job == job && w->processes[i].attempt == attempt)
            return &w->processes[i];
    return NULL;
}

static void say (struct world *w, const char *is, const struct process *p)
{
    json_array_append_new (
        w->words,
        json_pack ("{s:s, s:s, s:I, s:I, s:i, s:n}", "in", "executor", "is",
                   is, "job", (json_int_t)p->job, "attempt", p->attempt,
                   "status", 0, "signal"));
}

static void check_alone (const struct world *w, const struct process *new)
{
    for (size_t i = 0; i < w->nprocesses; i++) {
        const struct process *p = &w->processes[i];
        if (p == new || !p->runs)
            continue;
        assert_int_not_equal (p->job, new->job);
        for (size_t a = 0; a < p->n; a++)
            for (size_t b = 0; b < new->n; b++)
                assert_int_not_equal (p->ids[a], new->ids[b]);
    }
}

static void start (struct world *w, const json_t *order)
{
    uint64_t job
        = (uint64_t)json_integer_value (json_object_get (order, "job"));
    json_int_t attempt
        = json_integer_value (json_object_get (order, "attempt"));
    const json_t *ids = json_object_get (order, "ids");
    struct process *p = find (w, job, attempt);
    if (p) {
        say (w, p->runs ? "started" : "ended", p);
        return;
    }
    assert_true (w->nprocesses < 2 * JOBS);
    p = &w->processes[w->nprocesses++];
    *p = (struct process){job, attempt, true};
    p->end = w->now + (tori_time)dice (w, 40) * TORI_SECOND;
    p->n = json_array_size (ids);
    for (size_t i = 0; i < p->n; i++)
        p->ids[i] = json_integer_value (json_array_get (ids, i));
    check_alone (w, p);
    assert_true (w->acked[job]); /* nothing runs that could be lost */
    w->starts++;
    say (w, "started", p);
}

static void stop (struct world *w, struct process *p)
{
    if (p && p->runs) {
        p->runs = false;
        say (w, "ended", p);
    }
}

static void list (struct world *w)
{
    json_t *jobs = json_array ();
    for (size_t i = 0; i < w->nprocesses; i++) {
        const struct process *p = &w->processes[i];
        if (p->runs)
            json_array_append_new (jobs,
                                   json_pack ("{s:I, s:I}", "job",
                                              (json_int_t)p->job, "attempt",
                                              p->attempt));
        else if (!p->said)
            say (w, "ended", p);
    }
    json_array_append_new (w->words,
                           json_pack ("{s:s, s:s, s:o}", "in", "executor",
                                      "is", "running", "jobs", jobs));
}

static void obey (struct world *w)
{
    json_t *order = json_array_get (w->orders, 0);
    const char *what = json_string_value (json_object_get (order, "do"));
    struct process *p = find (
        w, (uint64_t)json_integer_value (json_object_get (order, "job")),
        json_integer_value (json_object_get (order, "attempt")));
    if (!strcmp (what, "start"))
        start (w, order);
    else if (!strcmp (what, "stop"))
        stop (w, p);
    else if (!strcmp (what, "list"))
        list (w);
    else if (!strcmp (what, "forget") && p)
        p->said = true;
    if (dice (w, 10)) /* now and then an order comes twice */
        json_array_remove (w->orders, 0);
}

/* ---- everybody else ---- */

static void ask (struct world *w, json_t *input)
{
    struct reply reply = {0};
    tori_error err = {0};
    assert_int_equal (service_do (w->service, w->now, input, &reply, &err),
                      0);
    if (reply.code == 201) {
        json_t *ids = json_object_get (reply.body, "ids");
        json_array_extend (w->replies, ids);
    }
    json_decref (reply.body);
    json_decref (input);
    take_effects (w);
}

static json_t *a_job (struct world *w)
{
    static const char *const shapes[] = {"1x1", "2x2", "1x4", "4x4", "2x4"};
    json_t *job = json_pack ("{s:[s], s:i, s:s}", "command", "true",
                             "estimate", (int)dice (w, 40) + 1, "shape",
                             shapes[dice (w, 5)]);
    if (dice (w, 3) == 0)
        json_object_set_new (job, "wiring", json_string ("torus"));
    if (dice (w, 6) == 0 && w->submitted > 0) {
        char text[32];
        snprintf (text, sizeof text, "any:%d",
                  (int)dice (w, w->submitted) + 1);
        json_object_set_new (job, "after", json_string (text));
    }
    if (dice (w, 12) == 0)
        json_object_set_new (job, "array", json_string ("1-5%2"));
    return job;
}

static void submit (struct world *w)
{
    char key[32];
    json_t *input;
    if (w->submitted + 5 > JOBS)
        return;
    snprintf (key, sizeof key, "%d", (int)dice (w, 500));
    input = json_pack ("{s:s, s:s, s:s, s:[o]}", "in", "submit", "user",
                       "alice", "key", key, "jobs", a_job (w));
    ask (w, input);
    for (uint64_t id = w->submitted + 1;; id++) {
        json_t *job = service_job (w->service, id);
        json_decref (job);
        if (!job)
            break;
        w->submitted = id;
    }
}

static void meddle (struct world *w)
{
    int id = (int)dice (w, w->submitted + 2);
    char node[16];
    snprintf (node, sizeof node, "%d,%d", (int)dice (w, 4),
              (int)dice (w, 4));
    switch (dice (w, 6)) {
    case 0:
        ask (w, json_pack ("{s:s, s:i, s:s}", "in", "cancel", "id", id,
                           "user", "alice"));
        break;
    case 1:
        ask (w, json_pack ("{s:s, s:i, s:s, s:b}", "in", "change", "id", id,
                           "user", "alice", "hold", (int)dice (w, 2)));
        break;
    case 2:
        ask (w, json_pack ("{s:s, s:i, s:s, s:i}", "in", "change", "id", id,
                           "user", "alice", "priority", -(int)dice (w, 9)));
        break;
    case 3:
        ask (w, json_pack ("{s:s, s:s, s:s, s:b}", "in", "node", "node", node,
                           "state", dice (w, 2) ? "down" : "drain", "root",
                           1));
        break;
    default:
        ask (w, json_pack ("{s:s, s:s, s:s, s:b}", "in", "node", "node", node,
                           "state", dice (w, 2) ? "up" : "resume", "root",
                           1));
    }
}

static void hear (struct world *w)
{
    size_t n = json_array_size (w->words);
    if (n == 0)
        return;
    ask (w, json_incref (json_array_get (w->words, 0)));
    if (dice (w, 10))
        json_array_remove (w->words, 0);
}

/* ---- crashes ---- */

static void crash (struct world *w)
{
    while (w->nrecords > w->safe)
        free (w->records[--w->nrecords]);
    service_destroy (w->service);
    json_array_clear (w->orders);
    json_array_clear (w->words);
    json_array_clear (w->replies);
    w->crashes++;
    open_service (w);
    w->submitted = 0;
    for (uint64_t id = 1; id <= JOBS; id++) {
        json_t *job = service_job (w->service, id);
        if (w->acked[id])
            assert_non_null (job); /* what was acknowledged is there */
        if (job)
            w->submitted = id;
        json_decref (job);
    }
}

static void save (struct world *w)
{
    free (w->saved);
    w->saved = service_save (w->service, &w->nsaved);
    assert_non_null (w->saved);
    w->covered = w->nrecords;
}

/* Decide, and let it be safe before anybody hears of it: a step may end in a
 * crash at each of these points. */
static void turn (struct world *w)
{
    tori_error err = {0};
    assert_int_equal (service_decide (w->service, w->now, &err), 0);
    take_effects (w);
    if (dice (w, 40) == 0) {
        crash (w);
        return;
    }
    commit (w);
    if (dice (w, 30) == 0)
        save (w);
    if (dice (w, 40) == 0)
        crash (w);
}

static void step (struct world *w)
{
    w->now += (tori_time)dice (w, 3) * TORI_SECOND;
    for (size_t i = 0; i < w->nprocesses; i++)
        if (w->processes[i].runs && w->processes[i].end <= w->now)
            stop (w, &w->processes[i]);
    switch (dice (w, 5)) {
    case 0:
        submit (w);
        break;
    case 1:
        meddle (w);
        break;
    default:
        hear (w);
    }
    turn (w);
    while (json_array_size (w->orders) > 0 && dice (w, 4))
        obey (w);
}

/* In the end everything is in service, and every job ends. */
static void come_to_rest (struct world *w)
{
    ask (w, json_pack ("{s:s, s:s, s:s, s:b}", "in", "node", "node",
                       "0,0/4x4", "state", "up", "root", 1));
    ask (w, json_pack ("{s:s, s:s, s:s, s:b}", "in", "node", "node",
                       "0,0/4x4", "state", "resume", "root", 1));
    for (uint64_t id = 1; id <= w->submitted; id++)
        ask (w, json_pack ("{s:s, s:i, s:s, s:b}", "in", "change", "id",
                           (int)id, "user", "alice", "hold", 0));
    for (int i = 0; i < 20000; i++) {
        size_t counts[3];
        service_count (w->service, counts);
        if (counts[0] + counts[1] == 0)
            return;
        w->now += TORI_SECOND;
        for (size_t k = 0; k < w->nprocesses; k++)
            if (w->processes[k].runs && w->processes[k].end <= w->now)
                stop (w, &w->processes[k]);
        hear (w);
        turn (w);
        while (json_array_size (w->orders) > 0)
            obey (w);
    }
    {
        bool more;
        json_t *jobs = service_jobs (w->service, NULL, NULL, 0, 1000, &more);
        for (size_t i = 0; i < json_array_size (jobs); i++) {
            json_t *job = json_array_get (jobs, i);
            if (strcmp (json_string_value (json_object_get (job, "state")),
                        "ended"))
                print_message ("%s\n", json_dumps (job, 0));
        }
    }
    fail_msg ("jobs are left");
}

static void live (uint64_t seed, int steps)
{
    struct world *w = calloc (1, sizeof *w);
    tori_error err = {0};
    assert_non_null (w);
    w->chance = seed;
    assert_int_equal (tori_machine_parse ("torus:4x4", &w->machine, &err), 0);
    w->orders = json_array ();
    w->words = json_array ();
    w->replies = json_array ();
    open_service (w);
    for (int i = 0; i < steps; i++)
        step (w);
    come_to_rest (w);
    assert_true (w->starts > 0);
    service_destroy (w->service);
    while (w->nrecords > 0)
        free (w->records[--w->nrecords]);
    free (w->saved);
    json_decref (w->orders);
    json_decref (w->words);
    json_decref (w->replies);
    tori_machine_destroy (w->machine);
    free (w);
}

static void test_worlds (void **state)
{
    for (uint64_t seed = 1; seed <= 8; seed++)
        live (seed, 1000);
}

int main (void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test (test_worlds)};
    return cmocka_run_group_tests (tests, NULL, NULL);
}
