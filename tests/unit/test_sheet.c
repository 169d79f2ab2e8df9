/* One description makes JSON, CSV, tables, views and pivots. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "cases.h"
#include "view.h"

struct inner {
    double mean;
    uint64_t most;
};

struct row {
    const char *name;
    char kind[8];
    double load;
    size_t jobs;
    int step;
    bool done;
    struct inner wait;
    double half;
};

static const struct field inner_fields[] = {
    {"mean", FIELD_REAL, FIELD_AT (struct inner, mean), "the mean",
     .title = "mean wait", .decimals = 1},
    {"most", FIELD_COUNT, FIELD_AT (struct inner, most), "the most"},
};
static const struct sheet inner_sheet
    = {"inner", SHEET_FIELDS (inner_fields)};

static const struct field fields[] = {
    {"name", FIELD_TEXT, FIELD_AT (struct row, name), "its name",
     .title = "name"},
    {"kind", FIELD_CHARS, FIELD_AT (struct row, kind), "its kind"},
    {"load", FIELD_REAL, FIELD_AT (struct row, load), "the load",
     .title = "load", .decimals = 0, .scale = 100},
    {"jobs", FIELD_SIZE, FIELD_AT (struct row, jobs), "jobs", .title = "jobs"},
    {"step", FIELD_INT, FIELD_AT (struct row, step), "a step"},
    {"done", FIELD_FLAG, FIELD_AT (struct row, done), "whether it is done",
     .title = "done"},
    {"wait", FIELD_GROUP, FIELD_AT (struct row, wait), "how long it waits",
     .group = &inner_sheet},
    {"half", FIELD_REAL, FIELD_AT (struct row, half), "half an interval"},
    {"more", FIELD_MEMBER, .about = "written elsewhere"},
};
static const struct sheet sheet = {"test", SHEET_FIELDS (fields)};

static const struct row rows[] = {
    {"a", "x", 0.5, 3, -1, true, {1.25, 7}, 0.5},
    {"b", "x", 0.5, UINT64_C (1) << 40, 2, false, {NAN, 0}, 0.25},
    {"a", "y", 0.9, 0, 0, false, {2, UINT64_MAX}, 0.125},
};
enum { N = sizeof rows / sizeof *rows };
static const struct rows all = {rows, N, sizeof *rows};

static char *text;
static size_t length;

static FILE *begin (void)
{
    free (text);
    text = NULL;
    return open_memstream (&text, &length);
}

TEST (json)
{
    FILE *out = begin ();
    struct emit e = emit_to (out);
    sheet_emit_rows (&e, NULL, &sheet, rows, 2, sizeof *rows);
    assert_int_equal (emit_end (&e, NULL), 0);
    fclose (out);
    assert_string_equal (
        text,
        "[{\"name\":\"a\",\"kind\":\"x\",\"load\":0.5,\"jobs\":3,\"step\":-1,"
        "\"done\":true,\"wait\":{\"mean\":1.25,\"most\":7},\"half\":0.5},"
        "{\"name\":\"b\",\"kind\":\"x\",\"load\":0.5,\"jobs\":1099511627776,"
        "\"step\":2,\"done\":false,\"wait\":{\"mean\":null,\"most\":0},"
        "\"half\":0.25}]\n");
}

/* Kinds that only JSON has, and fields that a row may lack. */
struct special {
    tori_machine *machine;
    tori_shape shape;
    tori_exact exact;
    char digits[8], note[8];
};

static void emit_sides (struct emit *e, const struct field *field,
                        const void *row)
{
    emit_count (e, field->name,
                (uint64_t)((const struct special *)row)->shape.ndims);
}

#define AT(member) FIELD_AT (struct special, member)
static const struct field special_fields[] = {
    {"machine", FIELD_MACHINE, AT (machine), "its machine"},
    {"shape", FIELD_SHAPE, AT (shape), "its shape", .when = field_is_set},
    {"time", FIELD_EXACT, AT (exact), "its time"},
    {"digits", FIELD_DIGITS, AT (digits), "a number"},
    {"note", FIELD_CHARS, AT (note), "a note", .when = field_is_set},
    {"sides", FIELD_BY, .about = "how many sides", .by = emit_sides},
};
#undef AT
static const struct sheet special_sheet = {"special",
                                           SHEET_FIELDS (special_fields)};

static void add_name (void *arg, const char *name, const char *about)
{
    fprintf (arg, "%s ", name);
}

TEST (special)
{
    struct special row[2] = {{.shape = {2, {4, 2}},
                              .exact = {5, 2},
                              .digits = "1.50",
                              .note = "odd"},
                             {.exact = {3, 1}, .digits = "7"}};
    FILE *out = begin ();
    struct emit e = emit_to (out);
    assert_int_equal (tori_machine_parse ("mesh:4", &row[0].machine, NULL), 0);
    row[1].machine = row[0].machine;
    sheet_emit_rows (&e, NULL, &special_sheet, row, 2, sizeof *row);
    fclose (out);
    assert_string_equal (
        text, "[{\"machine\":\"mesh:4\",\"shape\":[4,2],\"time\":2.5,"
              "\"time_exact\":\"5/2\",\"digits\":1.50,\"note\":\"odd\","
              "\"sides\":2},{\"machine\":\"mesh:4\",\"time\":3,"
              "\"time_exact\":\"3/1\",\"digits\":7,\"sides\":0}]");
    tori_machine_destroy (row[0].machine);
    out = begin ();
    sheet_each_field (&special_sheet, add_name, out);
    fclose (out);
    assert_string_equal (text,
                         "machine shape time time_exact digits note sides ");
}

TEST (csv)
{
    FILE *out = begin ();
    assert_int_equal (sheet_csv (&sheet, rows, N, sizeof *rows, out, NULL),
                      0);
    fclose (out);
    assert_string_equal (
        text, "name,kind,load,jobs,step,done,wait_mean,wait_most,half\n"
              "a,x,0.500000,3,-1,1,1.250000,7,0.500000\n"
              "b,x,0.500000,1099511627776,2,0,,0,0.250000\n"
              "a,y,0.900000,0,0,0,2.000000,18446744073709551615,0.125000\n");
}

TEST (table)
{
    FILE *out = begin ();
    assert_int_equal (
        sheet_print (&sheet, rows, N, sizeof *rows, out, false, NULL), 0);
    fclose (out);
    assert_string_equal (text,
                         "name  load           jobs  done  mean wait\n"
                         "a       50              3   yes        1.2\n"
                         "b       50  1099511627776    no\n"
                         "a       90              0    no        2.0\n");
}

TEST (down)
{
    FILE *out = begin ();
    assert_int_equal (sheet_print_down (&sheet, &rows[1], out, NULL), 0);
    fclose (out);
    assert_string_equal (text, "name  b\n"
                               "load  50 %\n"
                               "jobs  1099511627776\n"
                               "done  no\n");
}

static bool is_a (const void *row)
{
    return strcmp (((const struct row *)row)->name, "a") == 0;
}

/* Texts are not cut, however long they are. */
TEST (long)
{
    char name[2001];
    struct row row = rows[0];
    memset (name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    row.name = name;
    for (int way = 0; way < 3; way++) {
        FILE *out = begin ();
        assert_int_equal (
            way == 0   ? sheet_csv (&sheet, &row, 1, sizeof row, out, NULL)
            : way == 1 ? sheet_print (&sheet, &row, 1, sizeof row, out, false,
                                      NULL)
                       : sheet_print_down (&sheet, &row, out, NULL),
            0);
        assert_int_equal (fclose (out), 0);
        assert_non_null (strstr (text, name));
    }
}

TEST (view)
{
    static const struct view_column columns[]
        = {{"kind", "of kind"},
           {"load", .decimals = 1},
           {"wait_mean", "wait", 2, .half = "half"}};
    const struct view view = {"Those of a\n", VIEW_COLUMNS (columns), is_a};
    FILE *out = begin ();
    assert_int_equal (view_print (&view, &sheet, &all, out, false, NULL), 0);
    fclose (out);
    assert_string_equal (text, "Those of a\n"
                               "of kind  load        wait\n"
                               "x        50.0  1.25 ±0.50\n"
                               "y        90.0  2.00 ±0.12\n");
}

TEST (pivot)
{
    static const struct view_column keys[] = {{"load"}};
    const struct pivot pivot
        = {{NULL, VIEW_COLUMNS (keys), NULL}, "name", {"jobs"}};
    FILE *out = begin ();
    assert_int_equal (pivot_print (&pivot, &sheet, &all, out, false, NULL),
                      0);
    fclose (out);
    assert_string_equal (text, "load  a              b\n"
                               "  50  3  1099511627776\n"
                               "  90  0\n");
}

TEST (no_such_field)
{
    static const struct view_column columns[] = {{"lode"}};
    const struct view view = {NULL, VIEW_COLUMNS (columns), NULL};
    tori_error err;
    FILE *out = begin ();
    assert_int_equal (view_print (&view, &sheet, &all, out, false, &err), -1);
    fclose (out);
    assert_string_equal (err.text, "sheet test has no field lode");
}

static int clear (void **state)
{
    free (text);
    return 0;
}

int main (void)
{
    return run_cases (NULL, clear);
}
