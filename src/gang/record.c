#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "emit.h"
#include "front_parts.h"
#include "outfile.h"

/* ---- the list ---- */

struct job *job_add (struct rank *rank, struct spec *spec, int64_t line)
{
    struct front *front = rank->front;
    struct job *job = calloc (1, sizeof *job);
    struct job **more = array_room (front->job, &front->job_room,
                                    front->jobs + 1, sizeof *more);
    if (more)
        front->job = more;
    if (!more || !job) {
        free (job);
        tori_error_nomem (&rank->err);
        return NULL;
    }
    *job = (struct job){.number = (uint32_t)front->jobs + 1,
                        .spec = spec,
                        .line = line,
                        .node = TORI_GANG_NONE,
                        .submit = rank->epoch + spec->start};
    front->open++;
    return front->job[front->jobs++] = job;
}

struct job *job_find (const struct rank *rank, uint64_t task)
{
    uint64_t number = task & UINT32_MAX;
    struct job *job = number > 0 && number <= rank->front->jobs
                          ? rank->front->job[number - 1]
                          : NULL;
    return job && job->task == task ? job : NULL;
}

/* ---- switches ---- */

enum { MOST = 1 << 20 }; /* records kept: an hour of 64 processors */

void front_switch (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct records *records = &rank->front->records;
    struct record *more;
    records->switches += wire->status == WARDEN_CONTINUED;
    if (!wire->stream || records->n == MOST)
        return;
    more = array_room (records->item, &records->room, records->n + 1,
                       sizeof *more);
    if (!more) {
        tori_error_nomem (&rank->err);
        return;
    }
    records->item = more;
    more[records->n++] =
        (struct record){.task = wire->task,
                        .due = wire->time[0],
                        .begin = wire->time[1],
                        .end = wire->time[2],
                        .run = wire->status == WARDEN_CONTINUED};
}

void records_clear (struct records *records)
{
    free (records->item);
    *records = (struct records){0};
}

/* ---- numbers ---- */

struct sample {
    double *item; /* microseconds */
    size_t n;
};

static int by_value (const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void emit_sample (struct emit *e, const char *key,
                         struct sample *sample)
{
    double sum = 0;
    size_t n = sample->n;
    qsort (sample->item, n, sizeof *sample->item, by_value);
    for (size_t i = 0; i < n; i++)
        sum += sample->item[i];
    emit_open (e, key, '{');
    emit_count (e, "n", n);
    if (n > 0) {
        emit_real (e, "mean", sum / (double)n);
        emit_real (e, "p50", sample->item[(n - 1) / 2]);
        emit_real (e, "p99", sample->item[(n - 1) * 99 / 100]);
        emit_real (e, "max", sample->item[n - 1]);
    }
    emit_close (e, '}');
}

static int by_turn (const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    if (x->due != y->due)
        return x->due < y->due ? -1 : 1;
    return (int)x->run - (int)y->run;
}

/* The same job at the same time is one switch of a gang: how far apart were
 * the first and the last processor? */
static void gather_skew (struct records *records, bool run,
                         struct sample *sample)
{
    sample->n = 0;
    if (records->n > 0)
        qsort (records->item, records->n, sizeof *records->item, by_turn);
    for (size_t i = 0, j; i < records->n; i = j) {
        int64_t least = records->item[i].end, most = least;
        for (j = i + 1; j < records->n
                        && by_turn (&records->item[i], &records->item[j]) == 0;
             j++) {
            int64_t end = records->item[j].end;
            least = end < least ? end : least;
            most = end > most ? end : most;
        }
        if (records->item[i].run == run && j - i > 1)
            sample->item[sample->n++] = (double)(most - least) / 1000;
    }
}

static void gather_times (const struct records *records, bool run, bool late,
                          struct sample *sample)
{
    sample->n = 0;
    for (size_t i = 0; i < records->n; i++) {
        const struct record *r = &records->item[i];
        if (r->run == run)
            sample->item[sample->n++]
                = (double)(late ? r->begin - r->due : r->end - r->begin)
                  / 1000;
    }
}

static void emit_switches (struct emit *e, struct records *records,
                           struct sample *sample)
{
    static const char *const names[2][3]
        = {{"stop_skew", "stop_late", "stop_cost"},
           {"continue_skew", "continue_late", "continue_cost"}};
    emit_count (e, "switches", records->switches);
    emit_open (e, "microseconds", '{');
    for (int run = 0; run < 2; run++) {
        gather_skew (records, run, sample);
        emit_sample (e, names[run][0], sample);
        gather_times (records, run, true, sample);
        emit_sample (e, names[run][1], sample);
        gather_times (records, run, false, sample);
        emit_sample (e, names[run][2], sample);
    }
    emit_close (e, '}');
}

/* ---- clocks ---- */

void front_clock (struct rank *rank, const struct wire *wire, const char *data)
{
    if (rank->front)
        packed_get (data, wire->bytes, PACKED_REPORT, 0,
                    &rank->front->clock[wire->from]);
}

void emit_clocks (struct emit *e, const struct rank *rank)
{
    emit_open (e, "clocks", '[');
    for (uint32_t i = 0; i < rank->size; i++) {
        const struct clock_report *clock = &rank->front->clock[i];
        emit_open (e, NULL, '{');
        emit_count (e, "rank", i);
        emit_text (e, "host", rank->card[i].host);
        emit_real (e, "offset", (double)clock->state.offset / 1e9);
        emit_real (e, "drift", clock->state.drift * 1e6);
        emit_real (e, "uncertainty", (double)clock->state.error / 1e9);
        emit_count (e, "jumps", clock->jumps);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

/* ---- jobs ---- */

double rank_seconds (const struct rank *rank, int64_t time)
{
    return (double)(time - rank->epoch) / 1e9;
}

void emit_place (struct emit *e, const struct rank *rank,
                 const struct job *job)
{
    tori_gang_place place;
    char box[TORI_TEXT_MAX];
    if (job->node == TORI_GANG_NONE)
        return;
    tori_gang_tree_place (rank->tree, job->node, &place);
    tori_box_format (&place.box, box);
    emit_text (e, "partition", box);
    emit_real (e, "start", rank_seconds (rank, job->start));
}

void emit_account (struct emit *e, const struct rank *rank,
                   const struct job *job)
{
    emit_place (e, rank, job);
    if (job->first_turn)
        emit_real (e, "first_turn", rank_seconds (rank, job->first_turn));
    if (job->counted) {
        emit_count (e, "turns", (uint64_t)job->turns);
        emit_real (e, "cpu", (double)job->used / 1e9);
    }
    emit_count (e, "sleeps", job->sleeps);
    emit_real (e, "submit", rank_seconds (rank, job->submit));
    if (job->ended) {
        emit_real (e, "finish", rank_seconds (rank, job->finish));
        emit_count (e, "status", (uint64_t)job->status);
    }
}

static void emit_job (struct emit *e, const struct rank *rank,
                      const struct job *job)
{
    emit_open (e, NULL, '{');
    emit_count (e, "id", job->number);
    emit_text (e, "program", job->spec->stage[0].argv[0]);
    emit_count (e, "count", spec_count (job->spec));
    emit_account (e, rank, job);
    emit_close (e, '}');
}

int records_write (struct records *records, const struct rank *rank,
                   struct job *const jobs[], size_t n, struct outfile *out,
                   tori_error *err)
{
    struct sample sample
        = {.item = calloc (records->n + 1, sizeof *sample.item)};
    struct emit e = emit_to (outfile_stream (out));
    int status = -1;
    if (!sample.item)
        return tori_error_nomem (err);
    emit_open (&e, NULL, '{');
    emit_count (&e, "ranks", rank->size);
    emit_real (&e, "slot", (double)rank->config->slot / 1e9);
    emit_open (&e, "jobs", '[');
    for (size_t i = 0; i < n; i++)
        emit_job (&e, rank, jobs[i]);
    emit_close (&e, ']');
    emit_switches (&e, records, &sample);
    emit_clocks (&e, rank);
    emit_close (&e, '}');
    if (emit_end (&e, err) == 0)
        status = outfile_commit (out, err);
    free (sample.item);
    return status;
}
