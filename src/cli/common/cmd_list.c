/* tori list - the names that options take. */
#include "asked.h"
#include "commands.h"
#include "fieldrows.h"
#include "names.h"
#include "table.h"
#include "terminal.h"

struct values {
    int what;
    bool json;
};

static const struct option options[] = {
    {"what", OPTION_CHOICE, offsetof (struct values, what), "WHAT",
     .choices = list_names, .operand = true,
     .help = "which list; all if not given"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* The kinds of requests that an allocator can take. */
enum { SHAPE, COUNT, POINTS, KINDS };

static bool takes_kind (const struct named *named, int kind)
{
    const bool answers[KINDS] = {
        [SHAPE] = named->takes & TORI_BY_SHAPE,
        [COUNT] = named->takes & TORI_BY_COUNT,
        [POINTS] = named->points,
    };
    return answers[kind];
}

static const char *const kinds[KINDS] = {
    [SHAPE] = "shape", [COUNT] = "count", [POINTS] = "points"};

static void print_takes (struct table *table, const struct named *named)
{
    char text[64] = "";
    size_t used = 0;
    for (int i = 0; i < KINDS; i++)
        if (takes_kind (named, i))
            used += (size_t)snprintf (text + used, sizeof text - used, "%s%s",
                                      used ? ", " : "", kinds[i]);
    table_cell (table, "%s", text);
}

static void emit_takes (struct emit *e, const struct field *field,
                        const void *named)
{
    emit_open (e, field->name, '[');
    for (int i = 0; i < KINDS; i++)
        if (takes_kind (named, i))
            emit_text (e, NULL, kinds[i]);
    emit_close (e, ']');
}

static bool has_takes (const struct field *field, const void *named)
{
    return ((const struct named *)named)->takes;
}

static const struct field named_fields[] = {
    {"name", FIELD_TEXT, FIELD_AT (struct named, name), "the name"},
    {"takes", FIELD_LIST, .about = "of an allocator: what it can be asked for",
     .by = emit_takes, .when = has_takes},
    {"summary", FIELD_TEXT, FIELD_AT (struct named, summary), "what it is"},
};
SHEET (named);

/* The lists that are asked for. */
struct range {
    size_t first, end;
};

static void emit_lists (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct range *range = arg;
    for (size_t i = range->first; i < range->end && name_list (i); i++) {
        struct named named;
        emit_open (e, name_list (i)->name, '[');
        for (size_t k = 0; name_list (i)->get (k, &named); k++)
            sheet_emit_object (e, NULL, field->group, &named);
        emit_close (e, ']');
    }
}

static const struct field list_fields[] = {
    {"*", FIELD_LIST, .about = "a list of this name", .group = &named_sheet,
     .by = emit_lists},
};
static ANSWER (list);

/* Only the list of allocators has the column `takes`. */
static int print_list (const struct name_list *list, FILE *out,
                       tori_error *err)
{
    struct table_column columns[3] = {{list->name, TABLE_TEXT}};
    struct table *table;
    struct named named;
    bool taking = list->get (0, &named) && named.takes;
    if (taking)
        columns[1].title = "takes";
    table = table_create (columns, taking ? 3 : 2);
    for (size_t i = 0; list->get (i, &named); i++) {
        table_cell (table, "%s", named.name);
        if (taking)
            print_takes (table, &named);
        table_cell (table, "%s", named.summary);
    }
    return table_print (table, out, terminal_bold (), err);
}

static int run_list (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    size_t first = v->what < 0 ? 0 : (size_t)v->what;
    struct range range = {first, v->what < 0 ? SIZE_MAX : first + 1};
    if (v->json)
        return asked_emit (&command_list, v, &range, out, err);
    for (size_t i = first; i < range.end && name_list (i); i++) {
        if (i > first)
            fputc ('\n', out);
        if (print_list (name_list (i), out, err) < 0)
            return -1;
    }
    return 0;
}

const struct command command_list = {
    .name = "list",
    .summary = "List allocators, schedulers and all other names",
    .notes = "The column takes tells what an allocator can be asked for: a "
             "box of a shape, a count of nodes, or points without a "
             "machine. Among points, row, snake and hilbert walk the "
             "bounding box, whatever its size. exact may give up, and so "
             "may mm and mm+inc among many points in many dimensions. In "
             "'tori place' ptas goes on until it has an answer. Elsewhere, "
             "and with --steps, it refuses what would take too long, and "
             "more than 16384 points that are not on a line.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori list allocators\n"
                "tori list --json",
    .answer = &answer_list,
    .run = run_list,
};
