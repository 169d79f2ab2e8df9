#include "replicas.h"

#include <math.h>
#include <stdlib.h>

#include "estimate.h"
#include "result.h"
#include "table.h"

/* A number in every run: a field of a structure that begins at `offset`. */
static void gather_values (const struct replicas *replicas,
                           const struct field *field, size_t offset,
                           double value[])
{
    for (size_t i = 0; i < replicas->n; i++)
        value[i] = field_value (
            field, (const char *)&replicas->result[i] + offset);
}

static struct estimate estimate_runs (const struct replicas *replicas,
                                      const double value[])
{
    struct estimate is = estimate_of (value, replicas->n);
    return replicas->resampled ? estimate_resampled (is, replicas->n) : is;
}

/* ---- JSON ---- */

static void emit_estimates (struct emit *e, const struct replicas *replicas,
                            const struct sheet *sheet, size_t offset,
                            double value[])
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        emit_open (e, field->name, '{');
        if (field->kind == FIELD_GROUP) {
            emit_estimates (e, replicas, field->group,
                            offset + field->offset, value);
        } else {
            struct estimate is;
            gather_values (replicas, field, offset, value);
            is = estimate_runs (replicas, value);
            emit_real (e, "mean", is.mean);
            emit_real (e, "half_interval", is.half);
        }
        emit_close (e, '}');
    }
}

void replicas_emit (struct emit *e, const struct replicas *replicas)
{
    double *value = calloc (replicas->n, sizeof *value);
    e->nomem |= !value;
    if (!value)
        return;
    emit_estimates (e, replicas, &result_sheet, 0, value);
    if (replicas->losses)
        emit_estimates (e, replicas, &losses_sheet, 0, value);
    if (replicas->levels)
        emit_estimates (e, replicas, &levels_sheet, 0, value);
    if (replicas->network) {
        emit_open (e, "network", '{');
        emit_estimates (e, replicas, &network_sheet, 0, value);
        emit_close (e, '}');
    }
    free (value);
}

struct replica {
    uint64_t seed;
    struct sim_measures is;
};

static const struct field replica_fields[] = {
    {"seed", FIELD_COUNT, FIELD_AT (struct replica, seed), "the seed"},
    {.kind = FIELD_BESIDE,
     FIELD_AT (struct replica, is),
     .group = &measures_sheet},
};
const struct sheet replica_sheet = {"replica", SHEET_FIELDS (replica_fields)};

void replicas_emit_runs (struct emit *e, const char *key,
                         const struct replicas *replicas)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < replicas->n; i++) {
        struct replica row = {replicas->seed + i,
                              {.result = replicas->result[i],
                               .losses = replicas->losses,
                               .levels = replicas->levels,
                               .network = replicas->network}};
        sheet_emit_object (e, NULL, &replica_sheet, &row);
    }
    emit_close (e, ']');
}

/* ---- for people ---- */

static void add_row (struct table *table, const struct replicas *replicas,
                     const struct field *field, const char *title,
                     int decimals, double value[])
{
    size_t n = replicas->n;
    double scale = field->scale > 0 ? field->scale : 1;
    double least = scale * value[0], most = scale * value[0];
    struct estimate is;
    for (size_t i = 0; i < n; i++) {
        value[i] *= scale;
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    is = estimate_runs (replicas, value);
    table_cell (table, "%s", title);
    table_cell (table, "%.*f", decimals, is.mean);
    table_cell (table, "%.*f", decimals, is.half);
    table_cell (table, "%.*f", decimals, least);
    table_cell (table, "%.*f", decimals, most);
}

/* The numbers that people see of a run, and the means of groups that are
 * tables there. */
static void add_rows (struct table *table, const struct replicas *replicas,
                      const struct sheet *sheet, double value[])
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        const char *unit = field_unit (field);
        char title[64];
        if (field->group == &summary_sheet) {
            snprintf (title, sizeof title, "mean %s", field->title);
            gather_values (replicas, &summary_sheet.field[0], field->offset,
                           value);
            add_row (table, replicas, field, title, 2, value);
        } else if (field->group) {
            add_rows (table, replicas, field->group, value);
        } else if (field->title) {
            snprintf (title, sizeof title, "%s%s%s", field->title,
                      *unit ? ", " : "", unit);
            gather_values (replicas, field, 0, value);
            if (!isnan (value[0]))
                add_row (table, replicas, field, title, field->decimals,
                         value);
        }
    }
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
    add_rows (table, replicas, &result_sheet, value);
    if (replicas->losses)
        add_rows (table, replicas, &losses_sheet, value);
    if (replicas->levels)
        add_rows (table, replicas, &levels_sheet, value);
    if (replicas->network)
        add_rows (table, replicas, &network_sheet, value);
    status = table_print (table, out, bold, err);
    free (value);
    return status;
}
