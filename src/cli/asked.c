#include "asked.h"

#include <string.h>

#include "number.h"

static void emit_fraction (struct emit *e, const char *key,
                           const struct fraction *f)
{
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
        return ((const struct fraction *)slot)->den != 0;
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
        emit_number (e, key, text);
    else if (text)
        emit_text (e, key, text);
}

static void emit_option (struct emit *e, const struct option *o,
                         const void *values)
{
    const void *slot = (const char *)values + o->offset;
    char key[64];
    size_t n = 0;
    for (const char *c = o->name; *c && n + 1 < sizeof key; c++)
        key[n++] = *c == '-' ? '_' : *c;
    key[n] = '\0';
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

struct answer asked_answer (const struct asked *asked)
{
    return (struct answer){asked->path, emit_config, asked};
}

void asked_open (struct emit *e, const char *path,
                 const struct command *command, const void *values)
{
    struct asked asked = {path, command, values};
    struct answer answer = asked_answer (&asked);
    answer_open (e, &answer);
}
