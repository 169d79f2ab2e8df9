#include "asked.h"

#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "sheet.h"
#include "utf8.h"

/* 1/0 is "none", which was given. */
static void emit_fraction (struct emit *e, const char *key,
                           const struct fraction *f)
{
    if (f->den == 0)
        emit_text (e, key, "none");
    else
        emit_real (e, key, (double)f->num / (double)f->den);
}

static void emit_strings (struct emit *e, const char *key,
                          const struct strings *list)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < list->n; i++)
        emit_text (e, NULL, list->item[i]);
    emit_close (e, ']');
}

static bool is_given (const struct option *o, const void *slot)
{
    switch (o->kind) {
    case OPTION_STRING:
        return *(const char *const *)slot;
    case OPTION_INTEGER:
        return o->fallback || *(const int64_t *)slot != 0;
    case OPTION_FRACTION:
        return ((const struct fraction *)slot)->den != 0
               || ((const struct fraction *)slot)->num != 0;
    case OPTION_CHOICE:
        return *(const int *)slot >= 0;
    case OPTION_STRINGS:
        return ((const struct strings *)slot)->n > 0;
    default:
        return true;
    }
}

static void emit_given (struct emit *e, const char *key,
                        const struct option *o, const void *slot)
{
    switch (o->kind) {
    case OPTION_FLAG:
        emit_flag (e, key, *(const bool *)slot);
        break;
    case OPTION_STRING:
        emit_text (e, key, *(const char *const *)slot);
        break;
    case OPTION_INTEGER:
        emit_whole (e, key, *(const int64_t *)slot);
        break;
    case OPTION_FRACTION:
        emit_fraction (e, key, slot);
        break;
    case OPTION_CHOICE:
        emit_text (e, key, o->choices ((size_t)*(const int *)slot));
        break;
    case OPTION_STRINGS:
        emit_strings (e, key, slot);
        break;
    case OPTION_PARSED: /* no command that answers has one */
        break;
    }
}

static void emit_otherwise (struct emit *e, const char *key,
                            const struct option *o, const char *text)
{
    if (text && o->kind == OPTION_INTEGER)
        emit_json (e, key, text);
    else if (text && o->kind == OPTION_FRACTION)
        emit_real (e, key, strtod (text, NULL));
    else if (text)
        emit_text (e, key, text);
}

/* The name of an option in JSON. */
static void name_key (const struct option *o, char key[64])
{
    size_t n = 0;
    for (const char *c = o->name; *c && n + 1 < 64; c++)
        key[n++] = *c == '-' ? '_' : *c;
    key[n] = '\0';
}

static void emit_option (struct emit *e, const struct option *o,
                         const void *values)
{
    const void *slot = (const char *)values + o->offset;
    char key[64];
    name_key (o, key);
    if (is_given (o, slot))
        emit_given (e, key, o, slot);
    else if (o->otherwise)
        emit_otherwise (e, key, o, o->otherwise (values, slot));
}

/* Whether an option was given with which this one has no effect. */
static bool is_void (const struct asked *asked, const struct option *option)
{
    for (const struct option *o = asked->command->options; o->name; o++)
        if (o->kind == OPTION_STRING && option->without
            && !strcmp (option->without, o->name)
            && is_given (o, (const char *)asked->values + o->offset))
            return true;
    return false;
}

static void emit_config (struct emit *e, const void *arg)
{
    const struct asked *asked = arg;
    for (const struct option *o = asked->command->options; o && o->name; o++)
        if (!o->aside && o->file < FILE_WRITTEN && !is_void (asked, o))
            emit_option (e, o, asked->values);
}

/* 1/0 is "none". */
static void emit_exactly (struct emit *e, const char *key,
                          const struct fraction *f)
{
    char text[64];
    snprintf (text, sizeof text, "%lld/%lld", (long long)f->num,
              (long long)f->den);
    emit_text (e, key, f->den ? text : "none");
}

void asked_options (struct emit *e, const struct command *command,
                    const void *values)
{
    for (const struct option *o = command->options; o && o->name; o++) {
        const void *slot = (const char *)values + o->offset;
        char key[64];
        name_key (o, key);
        if (is_given (o, slot) && o->kind == OPTION_FRACTION)
            emit_exactly (e, key, slot);
        else if (is_given (o, slot))
            emit_given (e, key, o, slot);
        else
            emit_null (e, key);
    }
}

struct answer asked_answer (const struct asked *asked)
{
    const struct command *command = asked->command;
    return (struct answer){command->path ? command->path : command->name,
                           emit_config, asked};
}

void asked_open (struct emit *e, const struct command *command,
                 const void *values)
{
    struct asked asked = {command, values};
    struct answer answer = asked_answer (&asked);
    answer_open (e, &answer);
}

int asked_emit (const struct command *command, const void *values,
                const void *row, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, command, values);
    sheet_emit (&e, command->answer, row);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* ---- texts for torid ---- */

int asked_check_utf8 (const char *what, const char *text, tori_error *err)
{
    char shown[128];
    if (utf8_whole (text))
        return 0;
    snprintf (shown, sizeof shown, "%.100s", text);
    utf8_mend (shown);
    return tori_error_set (err, TORI_INVALID, "%s: '%s' is not UTF-8", what,
                           shown);
}

static int check_option (const struct option *o, const void *slot,
                         tori_error *err)
{
    const struct strings *list = slot;
    const char *one = o->kind == OPTION_STRING ? *(const char *const *)slot
                                               : NULL;
    char what[64];
    int status = 0;
    snprintf (what, sizeof what, "%s%.40s", o->operand ? "" : "--", o->name);
    if (one)
        return asked_check_utf8 (what, one, err);
    for (size_t i = 0; o->kind == OPTION_STRINGS && i < list->n; i++)
        if (status == 0)
            status = asked_check_utf8 (what, list->item[i], err);
    return status;
}

int asked_check_texts (const struct command *command, const void *values,
                       tori_error *err)
{
    for (const struct option *o = command->options; o->name; o++)
        if (check_option (o, (const char *)values + o->offset, err) < 0)
            return -1;
    return 0;
}
