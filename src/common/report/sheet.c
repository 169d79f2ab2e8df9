#include "sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* ---- one field ---- */

/* Rows may be packed without alignment: values are copied out of them. */
#define FETCH(type, at)                                                       \
    __extension__ ({                                                          \
        type fetched;                                                         \
        memcpy (&fetched, at, sizeof fetched);                                \
        fetched;                                                              \
    })

static const char *at_field (const struct field *field, const void *row)
{
    return (const char *)row + field->offset;
}

static bool is_text (const struct field *field)
{
    return field->kind >= FIELD_TEXT && field->kind <= FIELD_NUMERAL;
}

enum table_align field_align (const struct field *field)
{
    return is_text (field) && field->kind != FIELD_NUMERAL ? TABLE_TEXT
                                                           : TABLE_NUMBER;
}

/* Whether the field has one value: it is neither a group nor written
 * elsewhere. */
static bool is_plain (const struct field *field)
{
    return field->kind < FIELD_GROUP;
}

static const char *text_of (const struct field *field, const void *row)
{
    const char *at = at_field (field, row);
    return field->kind == FIELD_TEXT ? FETCH (const char *, at) : at;
}

/* All kinds of whole numbers, by their size and sign. */
static int64_t whole_of (const struct field *field, const void *row)
{
    const char *at = at_field (field, row);
    switch (field->kind) {
    case FIELD_SIZE:
        return (int64_t)FETCH (size_t, at);
    case FIELD_UINT:
        return FETCH (uint32_t, at);
    case FIELD_INT:
        return FETCH (int, at);
    case FIELD_FLAG:
        return FETCH (bool, at);
    default:
        return FETCH (int64_t, at);
    }
}

double field_value (const struct field *field, const void *row)
{
    if (field->kind == FIELD_REAL)
        return FETCH (double, at_field (field, row));
    if (field->kind == FIELD_COUNT)
        return (double)FETCH (uint64_t, at_field (field, row));
    if (is_text (field) || !is_plain (field))
        return NAN;
    return (double)whole_of (field, row);
}

static double scaled_value (const struct field *field, const void *row,
                            bool people)
{
    double scale = people && field->scale > 0 ? field->scale : 1;
    return scale * field_value (field, row);
}

const char *field_unit (const struct field *field)
{
    if (field->scale > 0)
        return "%";
    return field->unit ? field->unit : "";
}

void field_format (const struct field *field, const void *row, bool people,
                   char *text, size_t size)
{
    if (is_text (field)) {
        const char *value = text_of (field, row);
        snprintf (text, size, "%s", value ? value : "");
    } else if (field->kind == FIELD_REAL) {
        double value = scaled_value (field, row, people);
        int digits = people ? field->decimals : 6;
        if (!isfinite (value))
            *text = '\0';
        else if (digits == FIELD_SHORT)
            snprintf (text, size, "%.10g", value);
        else
            snprintf (text, size, "%.*f", digits, value);
    } else if (field->kind == FIELD_COUNT) {
        snprintf (text, size, "%" PRIu64,
                  FETCH (uint64_t, at_field (field, row)));
    } else if (field->kind == FIELD_FLAG && people) {
        snprintf (text, size, "%s", whole_of (field, row) ? "yes" : "no");
    } else {
        snprintf (text, size, "%" PRId64, whole_of (field, row));
    }
}

bool field_is_set (const struct field *field, const void *row)
{
    const char *text = is_text (field) ? text_of (field, row) : NULL;
    if (field->kind == FIELD_SHAPE)
        return FETCH (tori_shape, at_field (field, row)).ndims > 0;
    return is_text (field) ? text && *text : field_value (field, row) != 0;
}

bool field_has_text (const struct field *field, const void *row)
{
    return text_of (field, row);
}

/* ---- JSON ---- */

/* Kinds that are not plain, except groups. */
static void emit_other (struct emit *e, const struct field *field,
                        const char *at)
{
    char text[TORI_TEXT_MAX];
    if (field->kind == FIELD_DIGITS) {
        emit_json (e, field->name, at);
    } else if (field->kind == FIELD_EXACT) {
        emit_exact (e, field->name, FETCH (tori_exact, at));
    } else if (field->kind == FIELD_SHAPE) {
        tori_shape shape = FETCH (tori_shape, at);
        emit_counts (e, field->name, shape.size, (size_t)shape.ndims);
    } else if (field->kind == FIELD_MACHINE) {
        tori_machine_format (FETCH (const tori_machine *, at), text);
        emit_text (e, field->name, text);
    } else if (field->kind == FIELD_NAMES) {
        const char *const *names = FETCH (const char *const *, at);
        emit_open (e, field->name, '[');
        for (; *names; names++)
            emit_text (e, NULL, *names);
        emit_close (e, ']');
    }
}

static void emit_field (struct emit *e, const struct field *field,
                        const void *row)
{
    const char *at = at_field (field, row);
    if (field->by) {
        field->by (e, field, row);
    } else if (field->kind == FIELD_TIME && whole_of (field, row) < 0) {
        emit_null (e, field->name);
    } else if (field->kind == FIELD_TIME) {
        emit_time (e, field->name, whole_of (field, row));
    } else if (field->kind == FIELD_BESIDE) {
        sheet_emit (e, field->group, at);
    } else if (field->kind == FIELD_GROUP) {
        sheet_emit_object (e, field->name, field->group, at);
    } else if (is_text (field)) {
        const char *text = text_of (field, row);
        if (text)
            emit_text (e, field->name, text);
        else
            emit_null (e, field->name);
    } else if (field->kind > FIELD_GROUP) {
        emit_other (e, field, at);
    } else if (field->kind == FIELD_REAL) {
        emit_real (e, field->name, FETCH (double, at));
    } else if (field->kind == FIELD_FLAG) {
        emit_flag (e, field->name, FETCH (bool, at));
    } else if (field->kind == FIELD_COUNT) {
        emit_count (e, field->name, FETCH (uint64_t, at));
    } else {
        emit_whole (e, field->name, whole_of (field, row));
    }
}

void sheet_emit (struct emit *e, const struct sheet *sheet, const void *row)
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        bool written = field->kind < FIELD_MEMBER || field->by;
        if (written && (!field->when || field->when (field, row)))
            emit_field (e, field, row);
    }
}

void sheet_emit_object (struct emit *e, const char *key,
                        const struct sheet *sheet, const void *row)
{
    emit_open (e, key, '{');
    sheet_emit (e, sheet, row);
    emit_close (e, '}');
}

void sheet_emit_rows (struct emit *e, const char *key,
                      const struct sheet *sheet, const void *rows, size_t n,
                      size_t size)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < n; i++)
        sheet_emit_object (e, NULL, sheet, (const char *)rows + i * size);
    emit_close (e, ']');
}

/* ---- fields within groups ---- */

/* Visits the numbers and texts of a sheet, those within groups included: the
 * field, its name with those of its groups before it and `between` between
 * them, and its place in a row. */
struct walk {
    char between;
    bool people; /* without groups that are tables of their own */
    void (*visit) (void *arg, const struct field *field, const char *name,
                   size_t offset);
    void *arg;
};

enum { NAME_CHARS = 128 };

static void walk_sheet (const struct walk *walk, const struct sheet *sheet,
                        const char *before, size_t offset)
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        const char between[2] = {walk->between, 0};
        char name[NAME_CHARS];
        snprintf (name, sizeof name, "%s%s%s", before, *before ? between : "",
                  field->kind == FIELD_BESIDE ? "" : field->name);
        if (field->kind == FIELD_BESIDE)
            walk_sheet (walk, field->group, before, offset + field->offset);
        else if (field->kind == FIELD_GROUP && !(walk->people && field->title))
            walk_sheet (walk, field->group, name, offset + field->offset);
        else if (is_plain (field))
            walk->visit (walk->arg, field, name, offset + field->offset);
    }
}

/* ---- fields by name ---- */

/* A field found in a sheet, with its place in a row. */
struct found {
    const char *name;
    struct field field;
    bool is;
};

static void look_for_field (void *arg, const struct field *field,
                            const char *name, size_t offset)
{
    struct found *found = arg;
    if (strcmp (name, found->name) != 0)
        return;
    found->field = *field;
    found->field.offset = offset;
    found->is = true;
}

int sheet_find (const struct sheet *sheet, const char *name,
                struct field *ret_field, tori_error *err)
{
    struct found found = {.name = name};
    const struct walk walk = {'_', false, look_for_field, &found};
    walk_sheet (&walk, sheet, "", 0);
    if (!found.is)
        return tori_error_set (err, TORI_FAILED, "sheet %s has no field %s",
                               sheet->name, name);
    *ret_field = found.field;
    return 0;
}

/* ---- tables ---- */

/* Fields of a sheet laid flat, as columns. */
struct flat {
    struct field *field; /* its offset is from the row's beginning */
    char (*name)[NAME_CHARS];
    size_t n;
    bool people; /* only those with a title */
};

static void count_field (void *arg, const struct field *field,
                         const char *name, size_t offset)
{
    struct flat *flat = arg;
    flat->n += !flat->people || field->title;
}

static void add_field (void *arg, const struct field *field, const char *name,
                       size_t offset)
{
    struct flat *flat = arg;
    if (flat->people && !field->title)
        return;
    flat->field[flat->n] = *field;
    flat->field[flat->n].offset = offset;
    snprintf (flat->name[flat->n++], NAME_CHARS, "%s", name);
}

static void flat_clear (struct flat *flat)
{
    free (flat->field);
    free (flat->name);
}

static int flatten_sheet (const struct sheet *sheet, bool people,
                          struct flat *flat)
{
    const struct walk count = {'_', people, count_field, flat};
    const struct walk add = {'_', people, add_field, flat};
    *flat = (struct flat){.people = people};
    walk_sheet (&count, sheet, "", 0);
    flat->field = calloc (flat->n + 1, sizeof *flat->field);
    flat->name = calloc (flat->n + 1, sizeof *flat->name);
    if (!flat->field || !flat->name) {
        flat_clear (flat);
        return -1;
    }
    flat->n = 0;
    walk_sheet (&add, sheet, "", 0);
    return 0;
}

static struct table *table_of (const struct flat *flat)
{
    struct table_column *columns = calloc (flat->n + 1, sizeof *columns);
    struct table *table;
    if (!columns)
        return NULL;
    for (size_t i = 0; i < flat->n; i++) {
        const struct field *field = &flat->field[i];
        columns[i].title = flat->people ? field->title : flat->name[i];
        columns[i].align = field_align (field);
    }
    table = table_create (columns, flat->n);
    free (columns);
    return table;
}

/* Texts may have any length, numbers have not. */
static void put_cell (struct table *table, const struct field *field,
                      const void *row, bool people, const char *unit)
{
    char number[512] = "";
    const char *text = number;
    if (is_text (field))
        text = text_of (field, row);
    else
        field_format (field, row, people, number, sizeof number);
    table_cell (table, "%s%s%s", text ? text : "", *unit ? " " : "", unit);
}

static struct table *fill_table (const struct sheet *sheet, bool people,
                                 const void *rows, size_t n, size_t size)
{
    struct flat flat;
    struct table *table;
    if (flatten_sheet (sheet, people, &flat) < 0)
        return NULL;
    table = table_of (&flat);
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < flat.n; f++)
            put_cell (table, &flat.field[f], (const char *)rows + i * size,
                      people, "");
    flat_clear (&flat);
    return table;
}

int sheet_print (const struct sheet *sheet, const void *rows, size_t n,
                 size_t size, FILE *out, bool bold, tori_error *err)
{
    return table_print (fill_table (sheet, true, rows, n, size), out, bold,
                        err);
}

int sheet_csv (const struct sheet *sheet, const void *rows, size_t n,
               size_t size, FILE *out, tori_error *err)
{
    return table_csv (fill_table (sheet, false, rows, n, size), out, err);
}

int sheet_print_down (const struct sheet *sheet, const void *row, FILE *out,
                      tori_error *err)
{
    static const struct table_column columns[2];
    struct table *table = table_create (columns, 2);
    struct flat flat;
    int status;
    if (flatten_sheet (sheet, true, &flat) < 0) {
        table_destroy (table);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < flat.n; i++) {
        const struct field *field = &flat.field[i];
        if (field->kind == FIELD_REAL && isnan (field_value (field, row)))
            continue;
        table_cell (table, "%s", field->title);
        put_cell (table, field, row, true, field_unit (field));
    }
    status = table_print (table, out, false, err);
    flat_clear (&flat);
    return status;
}

/* ---- names and meanings ---- */

enum { FIELD_NAME = 128 };

struct field_visit {
    void (*visit) (void *arg, const char *name, const char *text);
    void *arg;
};

/* "time that jobs waited, in s". */
static void visit_field (const struct field_visit *to,
                         const struct field *field, const char *name)
{
    char text[512];
    snprintf (text, sizeof text, "%s%s%s", field->about,
              field->unit ? ", in " : "", field->unit ? field->unit : "");
    to->visit (to->arg, name, text);
}

static void visit_fields (const struct field_visit *to,
                          const struct sheet *sheet, const char *before)
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        bool list = field->kind == FIELD_LIST || field->kind == FIELD_NAMES;
        char name[FIELD_NAME], inside[FIELD_NAME + 8];
        if (field->kind == FIELD_BESIDE) {
            visit_fields (to, field->group, before);
            continue;
        }
        snprintf (name, sizeof name, "%s%s%s", before, field->name,
                  list ? "[]" : "");
        visit_field (to, field, name);
        snprintf (inside, sizeof inside, "%s_exact", name);
        if (field->kind == FIELD_EXACT)
            to->visit (to->arg, inside, "the same in full, as a fraction");
        snprintf (inside, sizeof inside, "%s.", name);
        if (field->group)
            visit_fields (to, field->group, inside);
    }
}

void sheet_each_field (const struct sheet *sheet,
                       void (*visit) (void *arg, const char *name,
                                      const char *text),
                       void *arg)
{
    const struct field_visit to = {visit, arg};
    visit_fields (&to, sheet, "");
}
