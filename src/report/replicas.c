#include "replicas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "result.h"
#include "table.h"

enum kind { REAL, SIZE, COUNT };

/* A number of a result, in the order of JSON; those with a title are in the
 * table, too. */
struct measure {
    const char *object; /* that it is in, or NULL */
    const char *key;
    size_t offset;
    enum kind kind;
    const char *title;
    double scale;
    int decimals;
};

#define AT(member) offsetof (tori_sim_result, member)
#define SUMMARY(name, heading, places)                                        \
    {#name, "mean", AT (name.mean), REAL, heading, 1, places},                \
    {#name, "p50", AT (name.p50), REAL, NULL, 1, 0},                          \
    {#name, "p90", AT (name.p90), REAL, NULL, 1, 0},                          \
    {#name, "p99", AT (name.p99), REAL, NULL, 1, 0},                          \
    {#name, "max", AT (name.max), REAL, NULL, 1, 0}

static const struct measure measures[] = {
    {NULL, "jobs", AT (jobs), SIZE, "jobs run", 1, 1},
    {NULL, "rejected", AT (rejected), SIZE, "jobs rejected", 1, 1},
    {NULL, "utilization", AT (utilization), REAL, "utilization, %", 100, 2},
    {NULL, "offered", AT (offered), REAL, "offered load, %", 100, 2},
    {NULL, "makespan", AT (makespan), REAL, "makespan, s", 1, 0},
    SUMMARY (response, "mean response, s", 1),
    SUMMARY (wait, "mean wait, s", 1),
    SUMMARY (slowdown, "mean slowdown", 2),
    SUMMARY (bounded_slowdown, "mean bounded slowdown", 2),
    {NULL, "zero_runtime", AT (zero_runtime), SIZE, NULL, 1, 0},
    {"delay", "numerical", AT (numerical), REAL, "delay for want of nodes, s",
     1, 1},
    {"delay", "topological", AT (topological), REAL,
     "delay for want of a box, s", 1, 1},
    {NULL, "pairwise", AT (pairwise), REAL, NULL, 1, 0},
    {NULL, "average", AT (average), REAL, "distance, hops", 1, 2},
    {NULL, "internal_fragmentation", AT (internal_fragmentation), REAL,
     "internal fragmentation, %", 100, 2},
    {NULL, "external_fragmentation", AT (external_fragmentation), REAL,
     "external fragmentation, %", 100, 2},
    {NULL, "events", AT (events), COUNT, NULL, 1, 0},
};

static const struct measure network[] = {
    SUMMARY (stretch, "mean stretch", 3),
    {NULL, "messages", AT (messages), COUNT, NULL, 1, 0},
};

enum {
    MEASURES = sizeof measures / sizeof *measures,
    NETWORK = sizeof network / sizeof *network
};

static double value_of (const struct measure *m, const tori_sim_result *result)
{
    const char *at = (const char *)result + m->offset;
    size_t size;
    uint64_t count;
    double real;
    switch (m->kind) {
    case SIZE:
        memcpy (&size, at, sizeof size);
        return (double)size;
    case COUNT:
        memcpy (&count, at, sizeof count);
        return (double)count;
    default:
        memcpy (&real, at, sizeof real);
        return real;
    }
}

static void gather (const struct measure *m, const struct replicas *replicas,
                    double value[])
{
    for (size_t i = 0; i < replicas->n; i++)
        value[i] = m->scale * value_of (m, &replicas->result[i]);
}

/* ---- JSON ---- */

static bool same (const char *a, const char *b)
{
    return a == b || (a && b && strcmp (a, b) == 0);
}

static void emit_measures (struct emit *e, const struct replicas *replicas,
                           const struct measure m[], size_t n, double value[])
{
    const char *open = NULL;
    for (size_t i = 0; i < n; i++) {
        struct measure plain = m[i];
        struct estimate is;
        plain.scale = 1;
        gather (&plain, replicas, value);
        is = estimate_of (value, replicas->n);
        if (open && !same (open, m[i].object))
            emit_close (e, '}');
        if (m[i].object && !same (open, m[i].object))
            emit_open (e, m[i].object, '{');
        open = m[i].object;
        emit_open (e, m[i].key, '{');
        emit_real (e, "mean", is.mean);
        emit_real (e, "half_interval", is.half);
        emit_close (e, '}');
    }
    if (open)
        emit_close (e, '}');
}

int replicas_emit (struct emit *e, const struct replicas *replicas,
                   tori_error *err)
{
    double *value = calloc (replicas->n, sizeof *value);
    if (!value)
        return tori_error_nomem (err);
    emit_count (e, "seeds", replicas->n);
    emit_measures (e, replicas, measures, MEASURES, value);
    if (replicas->network) {
        emit_open (e, "network", '{');
        emit_measures (e, replicas, network, NETWORK, value);
        emit_close (e, '}');
    }
    emit_open (e, "runs", '[');
    for (size_t i = 0; i < replicas->n; i++) {
        emit_open (e, NULL, '{');
        emit_count (e, "seed", replicas->seed + i);
        result_emit (e, &replicas->result[i]);
        if (replicas->network)
            summary_emit (e, "stretch", &replicas->result[i].stretch);
        emit_close (e, '}');
    }
    emit_close (e, ']');
    free (value);
    return 0;
}

/* ---- for people ---- */

static void add_row (struct table *table, const struct measure *m,
                     const double value[], size_t n)
{
    struct estimate is = estimate_of (value, n);
    double least = value[0], most = value[0];
    for (size_t i = 1; i < n; i++) {
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    table_cell (table, "%s", m->title);
    table_cell (table, "%.*f", m->decimals, is.mean);
    table_cell (table, "%.*f", m->decimals, is.half);
    table_cell (table, "%.*f", m->decimals, least);
    table_cell (table, "%.*f", m->decimals, most);
}

int replicas_print (const struct replicas *replicas, FILE *out, bool bold,
                    tori_error *err)
{
    static const struct table_column columns[] = {
        {"", TABLE_TEXT},        {"mean", TABLE_NUMBER},
        {"±", TABLE_NUMBER},     {"least", TABLE_NUMBER},
        {"most", TABLE_NUMBER}};
    double *value = calloc (replicas->n, sizeof *value);
    struct table *table;
    int status;
    if (!value)
        return tori_error_nomem (err);
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < MEASURES + (replicas->network ? NETWORK : 0); i++) {
        const struct measure *m =
            i < MEASURES ? &measures[i] : &network[i - MEASURES];
        if (!m->title)
            continue;
        gather (m, replicas, value);
        if (!isnan (value[0]))
            add_row (table, m, value, replicas->n);
    }
    status = table_print (table, out, bold, err);
    table_destroy (table);
    free (value);
    return status;
}
