#include "planfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "source.h"

/* ---- the file ---- */

/* All of it, unpacked. */
static int read_text (struct planfile *file, const char *path,
                      tori_error *err)
{
    enum { PIECE = 1 << 16 };
    struct source *source;
    size_t room = 0;
    ssize_t got = -1;
    if (source_open (path, &source, err) < 0)
        return -1;
    do {
        char *more = array_room (file->text, &room, file->size + PIECE, 1);
        if (!more) {
            tori_error_nomem (err);
            got = -1;
            break;
        }
        file->text = more;
        got = source_read (source, more + file->size, PIECE - 1, err);
        file->size += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    source_close (source);
    return got < 0 ? -1 : 0;
}

/* Parsed as a whole, so that the line is right. */
static int say_why (const struct planfile *file, tori_error *err)
{
    json_error_t why = {.line = 0};
    json_t *root = json_loadb (file->text, file->size, 0, &why);
    json_decref (root);
    if (json_error_code (&why) == json_error_out_of_memory)
        return tori_error_nomem (err);
    return tori_error_set (err, TORI_INVALID, "%s:%d: not JSON: %s",
                           file->name, why.line, why.text);
}

static int parse (struct planfile *file, tori_error *err)
{
    json_error_t why;
    size_t size;
    char *rest;
    file->list[0].key = "jobs";
    file->list[1].key = "segments";
    rest = longlists_cut (file->text, file->size, file->list, PLANFILE_LISTS,
                          &size);
    if (!rest)
        return tori_error_nomem (err);
    file->root = json_loadb (rest, size, 0, &why);
    free (rest);
    return file->root ? 0 : say_why (file, err);
}

int planfile_verify (const struct planfile *file, tori_error *err)
{
    for (size_t i = 0; i < PLANFILE_LISTS; i++) {
        struct longlist list = file->list[i];
        while (list.text && list.n > 0) {
            tori_error why;
            json_t *item = longlist_next (&list, &why);
            if (!item)
                return say_why (file, err);
            json_decref (item);
        }
    }
    return 0;
}

static int find_machine (struct planfile *file, tori_error *err)
{
    const json_t *machine = json_object_get (file->root, "machine");
    const json_t *kind = json_object_get (file->root, "plan");
    tori_error why;
    if (!json_is_string (machine) || !json_is_string (kind))
        return tori_error_set (err, TORI_INVALID,
                               "%s: not a plan: expected \"plan\" and "
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
    if (read_text (&file, path, err) < 0 || parse (&file, err) < 0)
        goto fail;
    if (find_machine (&file, err) < 0) {
        planfile_verify (&file, err);
        goto fail;
    }
    *ret_file = file;
    return 0;
fail:
    planfile_clear (&file);
    return -1;
}

void planfile_clear (struct planfile *file)
{
    tori_machine_destroy (file->machine);
    json_decref (file->root);
    free (file->text);
    free (file->name);
    *file = (struct planfile){0};
}

int planfile_list (const struct planfile *file, const char *key,
                   struct longlist *ret_list, tori_error *err)
{
    for (size_t i = 0; i < PLANFILE_LISTS; i++)
        if (strcmp (file->list[i].key, key) == 0 && file->list[i].text
            && file->list[i].n > 0) {
            *ret_list = file->list[i];
            return 0;
        }
    return tori_error_set (err, TORI_INVALID, "no list of \"%s\"", key);
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
        return bad_field (where, key, "one number per dimension", err);
    for (int d = 0; d < ndims; d++) {
        const json_t *value = json_array_get (list, (size_t)d);
        if (!is_count (value, TORI_MAX_NODES))
            return bad_field (where, key, "one number per dimension", err);
        ret_coords[d] = (uint32_t)json_integer_value (value);
    }
    return 0;
}
