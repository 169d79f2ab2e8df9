#include "longlist.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_space (char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space (const char *at, const char *end)
{
    while (at < end && is_space (*at))
        at++;
    return at;
}

/* From the opening quote to the end of the string. */
static const char *skip_string (const char *at, const char *end)
{
    at++;
    while (at < end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* From after the opening bracket to the closing one, or to `end`. */
static const char *skip_items (const char *at, const char *end, size_t *ret_n)
{
    const char *first = skip_space (at, end);
    size_t n = first < end && *first != ']';
    int depth = 0;
    for (at = first; at < end; at++) {
        char c = *at;
        if (c == '"')
            at = skip_string (at, end) - 1;
        else if (c == '[' || c == '{')
            depth++;
        else if ((c == ']' || c == '}') && depth-- == 0)
            break;
        else if (c == ',' && depth == 0)
            n++;
    }
    *ret_n = n;
    return at;
}

static struct longlist *find_key (struct longlist lists[], size_t n,
                                  const char *key, size_t size)
{
    for (size_t i = 0; i < n; i++)
        if (strlen (lists[i].key) == size
            && memcmp (lists[i].key, key, size) == 0)
            return &lists[i];
    return NULL;
}

/* What a walk through the members of the object leaves behind it. */
struct cut {
    struct longlist *lists;
    size_t n;
    const char *end;
    const char *kept; /* up to here, what is to be kept has been */
    char *rest;
    size_t size;
};

static void keep (struct cut *cut, const char *until)
{
    size_t size = (size_t)(until - cut->kept);
    memcpy (cut->rest + cut->size, cut->kept, size);
    cut->size += size;
    cut->kept = until;
}

/* A string among the members: if it is the key of a list, cut that out.
 * Returns where to go on. */
static const char *take_string (struct cut *cut, const char *at)
{
    const char *behind = skip_string (at, cut->end);
    const char *value = skip_space (behind, cut->end);
    struct longlist *list;
    if (value == cut->end || *value != ':')
        return behind;
    list = find_key (cut->lists, cut->n, at + 1, (size_t)(behind - at) - 2);
    if (!list)
        return behind;
    list->text = NULL;
    value = skip_space (value + 1, cut->end);
    if (value == cut->end || *value != '[')
        return value;
    list->text = value + 1;
    at = skip_items (value + 1, cut->end, &list->n);
    list->size = (size_t)(at - list->text);
    keep (cut, list->text);
    cut->kept = at;
    return at < cut->end ? at + 1 : at;
}

char *longlists_cut (const char *text, size_t size, struct longlist lists[],
                     size_t n, size_t *ret_size)
{
    struct cut cut = {lists, n, text + size, text, malloc (size + 1), 0};
    const char *at = text;
    int depth = 0;
    if (!cut.rest)
        return NULL;
    while (at < cut.end) {
        if (*at == '"') {
            at = depth == 1 ? take_string (&cut, at)
                            : skip_string (at, cut.end);
            continue;
        }
        depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        at++;
    }
    keep (&cut, cut.end);
    *ret_size = cut.size;
    return cut.rest;
}

json_t *longlist_next (struct longlist *list, tori_error *err)
{
    const char *end = list->text + list->size, *at;
    json_error_t why;
    json_t *item = json_loadb (list->text, list->size,
                               JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY,
                               &why);
    if (!item && json_error_code (&why) == json_error_out_of_memory) {
        tori_error_nomem (err);
        return NULL;
    }
    at = item ? skip_space (list->text + why.position, end) : end;
    if (!item || (at < end ? *at != ',' || list->n < 2 : list->n != 1)) {
        tori_error_set (err, TORI_INVALID, "no JSON");
        json_decref (item);
        return NULL;
    }
    list->n--;
    list->text = at < end ? at + 1 : end;
    list->size = (size_t)(end - list->text);
    return item;
}
