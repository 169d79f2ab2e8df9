#include "bodywords.h"

#include <stdlib.h>
#include <string.h>

bool option_is_asked (const struct option *option)
{
    return !option->aside && !option->operand && option->file == FILE_NONE;
}

static const struct option *find (const struct option *options,
                                  const char *name)
{
    for (; options->name; options++)
        if (option_is_asked (options) && !strcmp (options->name, name))
            return options;
    return NULL;
}

static int unknown (const struct option *options, const char *name,
                    tori_error *err)
{
    char text[300] = "";
    size_t n = 0;
    for (; options->name && n < sizeof text; options++)
        if (option_is_asked (options))
            n += (size_t)snprintf (text + n, sizeof text - n, "%s%s",
                                   n ? ", " : "", options->name);
    return tori_error_set (err, TORI_INVALID, "'%.40s': expected %s", name,
                           text);
}

static int add_word (struct words *words, char *word, tori_error *err)
{
    char **more
        = word ? reallocarray (words->word, (size_t)words->n + 1,
                               sizeof *more)
               : NULL;
    if (!more) {
        free (word);
        return tori_error_nomem (err);
    }
    words->word = more;
    more[words->n++] = word;
    return 0;
}

static int add_value (struct words *words, const char *name,
                      const json_t *value, tori_error *err)
{
    char *word = NULL, *text;
    int status;
    if (json_is_string (value))
        status = asprintf (&word, "--%s=%s", name, json_string_value (value));
    else {
        text = json_dumps (value, JSON_ENCODE_ANY);
        status = text ? asprintf (&word, "--%s=%s", name, text) : -1;
        free (text);
    }
    return add_word (words, status < 0 ? NULL : word, err);
}

static int add_member (struct words *words, const struct option *option,
                       const json_t *value, tori_error *err)
{
    char *word = NULL;
    if (option->kind != OPTION_FLAG && json_is_array (value)) {
        for (size_t i = 0; i < json_array_size (value); i++)
            if (add_value (words, option->name, json_array_get (value, i),
                           err)
                < 0)
                return -1;
        return 0;
    }
    if (option->kind != OPTION_FLAG)
        return add_value (words, option->name, value, err);
    if (!json_is_boolean (value))
        return tori_error_set (err, TORI_INVALID,
                               "%s: expected true or false", option->name);
    if (json_is_false (value))
        return 0;
    return add_word (words,
                     asprintf (&word, "--%s", option->name) < 0 ? NULL : word,
                     err);
}

int words_add (struct words *words, const struct option *options,
               const json_t *object, tori_error *err)
{
    const char *key;
    json_t *value;
    if (!json_is_object (object))
        return tori_error_set (err, TORI_INVALID, "expected an object");
    json_object_foreach ((json_t *)(uintptr_t)object, key, value)
    {
        const struct option *option = find (options, key);
        if (!option)
            return unknown (options, key, err);
        if (add_member (words, option, value, err) < 0)
            return -1;
    }
    return 0;
}

void words_clear (struct words *words)
{
    for (int i = 0; i < words->n; i++)
        free (words->word[i]);
    free (words->word);
    *words = (struct words){0};
}
