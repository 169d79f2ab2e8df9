#include "planfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* ---- the file ---- */

struct feed {
    struct source *source;
    tori_error err; /* of reading */
    bool failed;
};

static size_t feed_more (void *buffer, size_t size, void *arg)
{
    struct feed *feed = arg;
    ssize_t got = source_read (feed->source, buffer, size, &feed->err);
    feed->failed |= got < 0;
    return got < 0 ? (size_t)-1 : (size_t)got;
}

static int load (struct planfile *file, const char *path, tori_error *err)
{
    struct feed feed = {.source = NULL};
    json_error_t why;
    if (source_open (path, &feed.source, err) < 0)
        return -1;
    file->root = json_load_callback (feed_more, &feed, 0, &why);
    source_close (feed.source);
    if (file->root)
        return 0;
    if (feed.failed) {
        if (err)
            *err = feed.err;
        return -1;
    }
    if (json_error_code (&why) == json_error_out_of_memory)
        return tori_error_nomem (err);
    return tori_error_set (err, TORI_INVALID, "%s:%d: no JSON: %s",
                           file->name, why.line, why.text);
}

static int find_machine (struct planfile *file, tori_error *err)
{
    const json_t *machine = json_object_get (file->root, "machine");
    const json_t *kind = json_object_get (file->root, "plan");
    tori_error why;
    if (!json_is_string (machine) || !json_is_string (kind))
        return tori_error_set (err, TORI_INVALID,
                               "%s: no plan: expected \"plan\" and "
                               "\"machine\", as 'tori plan ... --json' "
                               "prints them",
                               file->name);
    file->kind = json_string_value (kind);
    if (tori_machine_parse (json_string_value (machine), &file->machine, &why)
        == 0)
        return 0;
    return tori_error_set (err, why.status, "%s: %s", file->name, why.text);
}

int planfile_read (const char *path, struct planfile *ret_file,
                   tori_error *err)
{
    struct planfile file = {
        .name = strdup (strcmp (path, "-") ? path : "standard input")};
    if (!file.name)
        return tori_error_nomem (err);
    if (load (&file, path, err) < 0 || find_machine (&file, err) < 0) {
        planfile_clear (&file);
        return -1;
    }
    *ret_file = file;
    return 0;
}

void planfile_clear (struct planfile *file)
{
    tori_machine_destroy (file->machine);
    json_decref (file->root);
    free (file->name);
    *file = (struct planfile){0};
}

int planfile_list (const struct planfile *file, const char *key,
                   const json_t **ret_list, tori_error *err)
{
    const json_t *list = json_object_get (file->root, key);
    if (!json_is_array (list) || json_array_size (list) == 0)
        return tori_error_set (err, TORI_INVALID, "no list of \"%s\"", key);
    *ret_list = list;
    return 0;
}

/* ---- members ---- */

void where_text (char text[WHERE_TEXT], const char *what, size_t i)
{
    snprintf (text, WHERE_TEXT, "%s %zu", what, i + 1);
}

static int bad_field (const char *where, const char *key, const char *what,
                      tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "%s: \"%s\" is missing or not %s", where, key,
                           what);
}

static bool is_count (const json_t *value, uint64_t max)
{
    return json_is_integer (value) && json_integer_value (value) >= 0
           && (uint64_t)json_integer_value (value) <= max;
}

int field_count (const json_t *object, const char *where, const char *key,
                 uint64_t max, uint64_t *ret_count, tori_error *err)
{
    const json_t *value = json_object_get (object, key);
    if (!is_count (value, max))
        return bad_field (where, key, "a count within its range", err);
    *ret_count = (uint64_t)json_integer_value (value);
    return 0;
}

int field_real (const json_t *object, const char *where, const char *key,
                double *ret_value, tori_error *err)
{
    const json_t *value = json_object_get (object, key);
    if (!json_is_number (value))
        return bad_field (where, key, "a number", err);
    *ret_value = json_number_value (value);
    return 0;
}

int field_exact (const json_t *object, const char *where, const char *key,
                 tori_exact *ret_number, tori_error *err)
{
    char exact_key[40];
    const json_t *text;
    double rounded, value;
    tori_exact number;
    snprintf (exact_key, sizeof exact_key, "%s_exact", key);
    text = json_object_get (object, exact_key);
    if (!json_is_string (text)
        || tori_exact_parse (json_string_value (text), exact_key, &number,
                             NULL)
               < 0)
        return bad_field (where, exact_key, "a fraction \"P/Q\"", err);
    if (field_real (object, where, key, &rounded, err) < 0)
        return -1;
    value = tori_exact_value (number);
    if (fabs (rounded - value) > 1e-14 * fabs (value))
        return tori_error_set (err, TORI_NOT_NOW,
                               "%s: \"%s\" is %.15g, but \"%s\" is %.60s",
                               where, key, rounded, exact_key,
                               json_string_value (text));
    *ret_number = number;
    return 0;
}

int field_coords (const json_t *object, const char *where, const char *key,
                  int ndims, uint32_t ret_coords[], tori_error *err)
{
    const json_t *list = json_object_get (object, key);
    if (!json_is_array (list) || json_array_size (list) != (size_t)ndims)
        return bad_field (where, key, "a number a dimension", err);
    for (int d = 0; d < ndims; d++) {
        const json_t *value = json_array_get (list, (size_t)d);
        if (!is_count (value, TORI_MAX_NODES))
            return bad_field (where, key, "a number a dimension", err);
        ret_coords[d] = (uint32_t)json_integer_value (value);
    }
    return 0;
}
