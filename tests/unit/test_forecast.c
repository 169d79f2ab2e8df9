/* A forecast says what the definitions of the policies do when everybody ends
 * at his estimate, and changes nothing. */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/forecast.h>

struct said {
    char text[1 << 16];
    size_t n;
    size_t starts;
};

static void say (struct said *said, uint64_t tag, tori_time start,
                 const tori_placement *place)
{
    char box[TORI_TEXT_MAX] = "";
    if (place->nboxes > 0)
        tori_box_format (&place->box, box);
    said->n += (size_t)snprintf (said->text + said->n,
                                 sizeof said->text - said->n,
                                 "%llu at %lld on %s", (unsigned long long)tag,
                                 (long long)start, box);
    for (uint32_t i = 0; place->nboxes == 0 && i < place->count; i++)
        said->n += (size_t)snprintf (said->text + said->n,
                                     sizeof said->text - said->n, "%u ",
                                     place->nodes[i]);
    said->n += (size_t)snprintf (said->text + said->n,
                                 sizeof said->text - said->n, "\n");
    assert_true (said->n < sizeof said->text);
    said->starts++;
}

static void on_forecast (void *arg, const tori_forecast *it)
{
    say (arg, it->tag, it->start, it->place);
}

/* ---- by definition ---- */

static void take (struct naive_sched *naive, struct said *said)
{
    struct naive_decision decision;
    while (naive_sched_next (naive, &decision))
        if (decision.kind == TORI_START && said)
            say (said, decision.tag, naive->now, &decision.place);
}

static tori_time next_end (const struct naive_sched *naive)
{
    tori_time next = TORI_TIME_MAX;
    for (size_t i = 0; i < naive->njobs; i++)
        if (naive->jobs[i].phase == NAIVE_RUNNING && naive->jobs[i].end < next)
            next = naive->jobs[i].end;
    return next;
}

/* End the jobs that start now and have nothing to do. */
static bool end_at_once (struct naive_sched *naive)
{
    bool any = false;
    for (size_t i = 0; i < naive->njobs; i++) {
        const struct naive_job *job = &naive->jobs[i];
        if (job->phase != NAIVE_RUNNING || job->start != naive->now
            || job->spec.estimate > job->spec.done)
            continue;
        naive_sched_end (naive, naive->now, i);
        any = true;
    }
    return any;
}

static void run_instant (struct naive_sched *naive, struct said *said)
{
    while (end_at_once (naive)) {
        naive_sched_run (naive, naive->now);
        take (naive, said);
    }
}

static void run_forward (struct naive_sched *naive, struct said *said)
{
    tori_time end;
    run_instant (naive, said);
    while ((end = next_end (naive)) < TORI_TIME_MAX) {
        tori_time now = end > naive->now ? end : naive->now + 1;
        for (size_t i = 0; i < naive->njobs; i++)
            if (naive->jobs[i].phase == NAIVE_RUNNING
                && naive->jobs[i].end <= now)
                naive_sched_end (naive, now, i);
        naive_sched_run (naive, now);
        take (naive, said);
        run_instant (naive, said);
    }
}

/* ---- the same for both ---- */

struct pair {
    tori_sched *sched;
    struct naive_sched *naive;
};

static void drop_decisions (struct pair *pair)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (pair->sched, &decision))
        ;
    take (pair->naive, NULL);
}

/* The first half is there at the beginning, the others come at 3, when some
 * may have outlived their estimates. */
static void fill (struct pair *pair, const struct stream *stream)
{
    for (size_t i = 0; i < stream->njobs; i++) {
        tori_time now = i < stream->njobs / 2 ? 0 : 3;
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = stream->jobs[i].estimate,
                              .tag = i,
                              .request = stream->jobs[i].request};
        tori_job job;
        if (i == stream->njobs / 2) {
            assert_int_equal (tori_sched_run (pair->sched, 0, NULL), 0);
            naive_sched_run (pair->naive, 0);
        }
        assert_int_equal (
            tori_sched_submit (pair->sched, now, &spec, &job, NULL), 0);
        naive_sched_submit (pair->naive, now, &spec);
    }
    assert_int_equal (tori_sched_set_down (pair->sched, 3, 0, true, NULL), 0);
    naive_sched_set_node (pair->naive, 3, 0, false, true);
    assert_int_equal (tori_sched_run (pair->sched, 3, NULL), 0);
    naive_sched_run (pair->naive, 3);
    drop_decisions (pair);
}

static size_t compare (uint64_t seed, const char *policy, const char *alloc,
                       tori_order order)
{
    struct stream_options options = {.takes = tori_alloc_find (alloc)->takes,
                                     .jobs = 40,
                                     .max_nodes = 32,
                                     .estimates = OVER};
    struct said *is = make_array (1, sizeof *is);
    struct said *should = make_array (1, sizeof *should);
    struct stream stream;
    struct pair pair;
    size_t queued, starts;
    stream_create (&stream, seed, &options);
    assert_int_equal (tori_sched_create (stream.machine,
                                         TORI_SCHED (policy,
                                                     TORI_ALLOC (alloc),
                                                     order),
                                         &pair.sched, NULL),
                      0);
    pair.naive = naive_sched_create (stream.machine, policy, order, alloc);
    fill (&pair, &stream);
    queued = tori_sched_queued (pair.sched);
    for (int twice = 0; twice < 2; twice++) {
        *is = (struct said){.n = 0};
        assert_int_equal (
            tori_forecast_each (pair.sched, on_forecast, is, NULL), 0);
        assert_int_equal (tori_sched_queued (pair.sched), queued);
    }
    run_forward (pair.naive, should);
    assert_string_equal (is->text, should->text);
    starts = is->starts;
    naive_sched_destroy (pair.naive);
    tori_sched_destroy (pair.sched);
    stream_destroy (&stream);
    free (is);
    free (should);
    return starts;
}

TEST (by_definition)
{
    static const char *const allocs[] = {"first-fit", "best-fit", "row-bf"};
    uint64_t seed = 4000;
    size_t starts = 0;
    for (size_t p = 0; tori_sched_list (p); p++)
        for (size_t a = 0; a < LENGTH (allocs); a++)
            for (size_t i = 0; i < random_cases (6); i++)
                starts += compare (seed++, tori_sched_list (p)->name,
                                   allocs[a], (tori_order)(i % 4));
    assert_true (starts > random_cases (667));
}
