/* sheet.h - rows of a result, described once.
 *
 *     static const struct field fields[] = {
 *         {"load", FIELD_REAL, FIELD_AT (struct row, load),
 *          .title = "load", .decimals = 1, .about = "offered load"},
 *         {"policy", FIELD_TEXT, FIELD_AT (struct row, policy),
 *          .title = "policy", .about = "the scheduler"},
 *     };
 *     const struct sheet sheet = {"curve", SHEET_FIELDS (fields)};
 *     sheet_emit_rows (&e, "points", &sheet, rows, n, sizeof *rows);
 *     sheet_print (&sheet, rows, n, sizeof *rows, out, bold, err);
 *     sheet_csv (&sheet, rows, n, sizeof *rows, out, err);
 *
 * A field has a name, a place in a structure, a unit and a sentence about it.
 * JSON, CSV and the table for people are made from these, and so is the page
 * that documents every field (`tori help json`, livefields.h). In JSON all
 * fields appear unless their `when` says no, in CSV all that are numbers or
 * texts, with a group's name in front of its members (response_mean); in the
 * table those with a title. A real that is not a number was not measured: it
 * is null in JSON, empty in CSV, and left out of a list of measures.
 */
#ifndef TORI_REPORT_SHEET_H
#define TORI_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "emit.h"
#include "table.h"

/* The type at the place of a field. */
enum field_kind {
    FIELD_REAL,    /* double */
    FIELD_COUNT,   /* uint64_t */
    FIELD_SIZE,    /* size_t */
    FIELD_UINT,    /* uint32_t, unsigned */
    FIELD_INT,     /* int, int32_t */
    FIELD_WHOLE,   /* int64_t */
    FIELD_FLAG,    /* bool */
    FIELD_TEXT,    /* const char *; NULL is null, and empty for people */
    FIELD_CHARS,   /* char[] */
    FIELD_NUMERAL, /* the same, a number in words: to the right in tables */
    FIELD_GROUP,   /* a structure: the fields of `group`, as an object */
    FIELD_BESIDE,  /* the fields of `group`, beside the others; no name */
    FIELD_NAMES,   /* const char *const *, ended by NULL: an array of texts */
    FIELD_TIME,    /* tori_time, as seconds; null if it is negative */
    FIELD_DIGITS,  /* char[], a number in JSON's format */
    FIELD_EXACT,   /* tori_exact: a number, and under its name with _exact the
                      same in full as a text */
    FIELD_SHAPE,   /* tori_shape: an array of its sides */
    FIELD_MACHINE, /* tori_machine *: its text */
    FIELD_BY,      /* written by `by`, as an object if it has a group */
    FIELD_MEMBER,  /* a member of JSON that something else writes or reads: it
                      is documented here. The name * is any key */
    FIELD_LIST     /* one of these two, an array, of objects if it has a
                      group */
};

enum { FIELD_SHORT = -1 };

struct sheet;
struct field;

/* Write a field of a row: as a member, or as several of them. */
typedef void field_emit_fn (struct emit *e, const struct field *field,
                            const void *row);

/* Whether a row has a field. */
typedef bool field_when_fn (const struct field *field, const void *row);

/* A `when` of numbers, flags, texts and shapes: the value is not 0, false,
 * empty or NULL. */
field_when_fn field_is_set;

/* A `when` of FIELD_TEXT: the text is not NULL, but it may be empty. */
field_when_fn field_has_text;

struct field {
    const char *name; /* the key in JSON */
    enum field_kind kind;
    size_t offset;
    const char *about;         /* its meaning: a phrase, no full stop */
    const char *unit;          /* "s", "hops"; NULL: none */
    const char *title;         /* over its column; NULL: not for people. A
                                  group with a title is a table of its own */
    int decimals;              /* of a real, for people; FIELD_SHORT: as few
                                  as it takes */
    double scale;              /* for people: 100, for percent; else 0 */
    const struct sheet *group; /* for a group, and for written fields */
    const char *type;          /* JSON type of a written field: "integer",
                                  "string|null"; for a list, of its items.
                                  NULL: any */
    bool single;               /* of a list: a single item may stand alone */
    const char *(*choices) (size_t i); /* the texts there are, or NULL: any */
    field_emit_fn *by;                 /* writes a written field, or NULL */
    field_when_fn *when;       /* in JSON, a field of a row for which this is
                                  false is left out; NULL: never */
    bool old;                  /* another field is the same by a better name */
};

#define FIELD_AT(type, member) .offset = offsetof (type, member)

struct sheet {
    const char *name;
    const struct field *field;
    size_t n;
    bool closed; /* for the body of a request: other members are refused */
};

#define SHEET_FIELDS(array) array, sizeof array / sizeof *array

/* The fields of a row as members of the object that is open. */
void sheet_emit (struct emit *e, const struct sheet *sheet, const void *row);

/* The same as an object; in an array the key is NULL. */
void sheet_emit_object (struct emit *e, const char *key,
                        const struct sheet *sheet, const void *row);

/* An object for each of `n` rows, `size` bytes apart, as an array. */
void sheet_emit_rows (struct emit *e, const char *key,
                      const struct sheet *sheet, const void *rows, size_t n,
                      size_t size);

/* A table for people: a line for each row. */
int sheet_print (const struct sheet *sheet, const void *rows, size_t n,
                 size_t size, FILE *out, bool bold, tori_error *err);

/* The same the other way round: a line for each field of a single row, with
 * its unit. */
int sheet_print_down (const struct sheet *sheet, const void *row, FILE *out,
                      tori_error *err);

int sheet_csv (const struct sheet *sheet, const void *rows, size_t n,
               size_t size, FILE *out, tori_error *err);

/* A number of a row, as a double; 0 or 1 for a flag, NAN if the field is not a
 * number. */
double field_value (const struct field *field, const void *row);

/* Its unit for people, "" if there is none. */
const char *field_unit (const struct field *field);

/* Texts are to the left. */
enum table_align field_align (const struct field *field);

/* How a field of a row reads for people, or in CSV. */
void field_format (const struct field *field, const void *row, bool people,
                   char *text, size_t size);

/* The field of this name, "group_name" within a group, with its place in a
 * row. TORI_FAILED if there is none. */
int sheet_find (const struct sheet *sheet, const char *name,
                struct field *ret_field, tori_error *err);

/* Visit all fields of a sheet and of those within it, by the names that they
 * have in JSON, as "jobs[].id", with what each means and its unit. */
void sheet_each_field (const struct sheet *sheet,
                       void (*visit) (void *arg, const char *name,
                                      const char *text),
                       void *arg);

#endif
