#include "commands.h"
#include "emit.h"
#include "names.h"
#include "table.h"
#include "terminal.h"

struct values {
    int what;
    bool json;
};

static const struct option options[] = {
    {.name = "what",
     .kind = OPTION_CHOICE,
     .offset = offsetof (struct values, what),
     .value = "WHAT",
     .choices = list_names,
     .operand = true,
     .help = "which list, all of them if not given"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof (struct values, json),
     .help = "print JSON"},
    {.name = NULL},
};

static const char *takes_text (unsigned takes)
{
    static const char *const texts[] = {"", "shape", "count",
                                        "shape or count"};
    return texts[takes & (TORI_BY_SHAPE | TORI_BY_COUNT)];
}

static void emit_takes (struct emit *e, unsigned takes)
{
    if (!takes)
        return;
    emit_open (e, "takes", '[');
    if (takes & TORI_BY_SHAPE)
        emit_text (e, NULL, "shape");
    if (takes & TORI_BY_COUNT)
        emit_text (e, NULL, "count");
    emit_close (e, ']');
}

static void emit_list (struct emit *e, const struct name_list *list)
{
    struct named named;
    emit_open (e, list->name, '[');
    for (size_t i = 0; list->get (i, &named); i++) {
        emit_open (e, NULL, '{');
        emit_text (e, "name", named.name);
        emit_takes (e, named.takes);
        emit_text (e, "summary", named.summary);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

/* Only allocators take something; the other lists have no such column. */
static int print_list (const struct name_list *list, FILE *out,
                       tori_error *err)
{
    struct table_column columns[3] = {{list->name, TABLE_TEXT}};
    struct table *table;
    struct named named;
    bool taking = list->get (0, &named) && named.takes;
    int status;
    if (taking)
        columns[1].title = "takes";
    table = table_create (columns, taking ? 3 : 2);
    for (size_t i = 0; list->get (i, &named); i++) {
        table_cell (table, "%s", named.name);
        if (taking)
            table_cell (table, "%s", takes_text (named.takes));
        table_cell (table, "%s", named.summary);
    }
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    size_t first = v->what < 0 ? 0 : (size_t)v->what;
    size_t end = v->what < 0 ? SIZE_MAX : first + 1;
    struct emit e = emit_to (out);
    if (v->json) {
        emit_open (&e, NULL, '{');
        for (size_t i = first; i < end && name_list (i); i++)
            emit_list (&e, name_list (i));
        emit_close (&e, '}');
        return emit_end (&e, err);
    }
    for (size_t i = first; i < end && name_list (i); i++) {
        if (i > first)
            fputc ('\n', out);
        if (print_list (name_list (i), out, err) < 0)
            return -1;
    }
    return 0;
}

const struct command command_list = {
    .name = "list",
    .summary = "List the allocators, schedulers and whatever else has a name",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori list allocators\n"
                "tori list --json",
    .run = run,
};
