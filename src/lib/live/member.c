#include "member.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "duration.h"
#include "number.h"

enum { PLACE_TEXT = 128, WHAT_TEXT = 320 };

/* ---- errors ---- */

static void place_of (const struct member_of *of, const char *key,
                      char text[PLACE_TEXT])
{
    const char *within = of->within ? of->within : "";
    const char *dot = of->within && key ? "." : "";
    if (!key)
        key = "";
    if (!of->list)
        snprintf (text, PLACE_TEXT, "%s%s%.60s", within, dot, key);
    else
        snprintf (text, PLACE_TEXT, "%s[%zu]%s%s%s%.60s", of->list, of->i,
                  *within || *key ? "." : "", within, dot, key);
}

int member_bad (const struct member_of *of, const char *key, tori_error *err,
                const char *fmt, ...)
{
    char what[WHAT_TEXT], place[PLACE_TEXT];
    va_list ap;
    va_start (ap, fmt);
    vsnprintf (what, sizeof what, fmt, ap);
    va_end (ap);
    place_of (of, key, place);
    return tori_error_set (err, TORI_INVALID, "%s%s%s%s%s",
                           of->file ? of->file : "", of->file ? ": " : "",
                           place, *place ? ": " : "", what);
}

int member_blame (const struct member_of *of, const char *key,
                  const tori_error *why, tori_error *err)
{
    if (why->status == TORI_FAILED)
        return tori_error_set (err, why->status, "%s", why->text);
    return member_bad (of, key, err, "%s", why->text);
}

/* ---- members ---- */

/* There are fewer names than the list has room for; with more, the rest would
 * count as unknown. */
static const json_t *look_up (const struct member_of *of, const char *key)
{
    struct member_names *known = of->known;
    if (known && known->n < sizeof known->name / sizeof *known->name)
        known->name[known->n++] = key;
    return json_object_get (of->object, key);
}

static bool is_known (const struct member_names *known, const char *key)
{
    for (size_t i = 0; i < known->n; i++)
        if (strcmp (known->name[i], key) == 0)
            return true;
    return key[0] == '_';
}

int member_unknown (const struct member_of *of,
                    int (*visit) (void *arg, const char *place), void *arg)
{
    /* Its iterators are not for constants, but change nothing. */
    json_t *object = (json_t *)(uintptr_t)of->object;
    for (void *at = json_object_iter (object); at;
         at = json_object_iter_next (object, at)) {
        char place[PLACE_TEXT];
        const char *key = json_object_iter_key (at);
        if (is_known (of->known, key))
            continue;
        place_of (of, key, place);
        if (visit (arg, place) < 0)
            return -1;
    }
    return 0;
}

/* A member of the right type: 1, 0, or -1. */
static int find_member (const struct member_of *of, const char *key,
                        bool right, const json_t *value, const char *what,
                        tori_error *err)
{
    if (!value)
        return 0;
    return right ? 1 : member_bad (of, key, err, "expected %s", what);
}

const char *member_name (const struct member_of *of, const char *key,
                         const char *old, tori_error *err)
{
    const json_t *value = look_up (of, key), *before = look_up (of, old);
    if (!value || !before)
        return before ? old : key;
    if (json_equal (value, before))
        return key;
    member_bad (of, key, err, "differs from %s, which is its old name", old);
    return NULL;
}

int member_text (const struct member_of *of, const char *key,
                 const char **ret_text, tori_error *err)
{
    const json_t *value = look_up (of, key);
    int found =
        find_member (of, key, json_is_string (value), value, "a string", err);
    if (found > 0)
        *ret_text = json_string_value (value);
    return found;
}

int member_integer (const struct member_of *of, const char *key, int64_t min,
                    int64_t *ret_value, tori_error *err)
{
    const json_t *value = look_up (of, key);
    int found = find_member (of, key, json_is_integer (value), value,
                             "a whole number", err);
    if (found > 0 && json_integer_value (value) < min)
        return member_bad (of, key, err,
                           "expected a whole number of at least %" PRId64,
                           min);
    if (found > 0)
        *ret_value = json_integer_value (value);
    return found;
}

int member_bool (const struct member_of *of, const char *key, bool *ret_value,
                 tori_error *err)
{
    const json_t *value = look_up (of, key);
    int found = find_member (of, key, json_is_boolean (value), value,
                             "true or false", err);
    if (found > 0)
        *ret_value = json_is_true (value);
    return found;
}

int member_real (const struct member_of *of, const char *key,
                 double *ret_value, tori_error *err)
{
    const json_t *value = look_up (of, key);
    int found =
        find_member (of, key, json_is_number (value), value, "a number", err);
    if (found > 0)
        *ret_value = json_number_value (value);
    return found;
}

/* Whole seconds are exact, others to 53 bits. */
static tori_time ticks_of (const json_t *value)
{
    double ticks = json_number_value (value) * TORI_SECOND;
    if (json_is_integer (value)
        && json_integer_value (value) <= TORI_TIME_MAX / TORI_SECOND)
        return json_integer_value (value) * TORI_SECOND;
    return number_clamp (round (ticks), 0, TORI_TIME_MAX);
}

typedef int parse_fn (const char *text, tori_time now, tori_time *ret_time,
                      tori_error *err);

static int parse_time (const char *text, tori_time now, tori_time *ret_time,
                       tori_error *err)
{
    return duration_parse (text, ret_time, err);
}

static int parse_limit (const char *text, tori_time now, tori_time *ret_time,
                        tori_error *err)
{
    return limit_parse (text, ret_time, err);
}

/* A time that may be relative to now. */
static int parse_moment (const char *text, tori_time now, tori_time *ret_time,
                         tori_error *err)
{
    if (now < 0 && strchr ("+-", text[0]))
        return tori_error_set (err, TORI_INVALID,
                               "'%.40s' counts from now, and the file has no "
                               "now",
                               text);
    return moment_parse (text, now, ret_time, err);
}

static int find_time (const struct member_of *of, const char *key,
                      parse_fn *parse, tori_time now, tori_time *ret_time,
                      tori_error *err)
{
    const json_t *value = look_up (of, key);
    const char *text = json_string_value (value);
    tori_error why;
    int found = find_member (
        of, key,
        text || (json_is_number (value) && json_number_value (value) >= 0),
        value, "seconds, 0 or more, or a text such as \"1h20m\"", err);
    if (found > 0 && text && parse (text, now, ret_time, &why) < 0)
        return member_blame (of, key, &why, err);
    if (found > 0 && !text)
        *ret_time = ticks_of (value);
    return found;
}

int member_time (const struct member_of *of, const char *key,
                 tori_time *ret_time, tori_error *err)
{
    return find_time (of, key, parse_time, -1, ret_time, err);
}

int member_limit (const struct member_of *of, const char *key,
                  tori_time *ret_time, tori_error *err)
{
    return find_time (of, key, parse_limit, -1, ret_time, err);
}

int member_moment (const struct member_of *of, const char *key, tori_time now,
                   tori_time *ret_time, tori_error *err)
{
    return find_time (of, key, parse_moment, now, ret_time, err);
}

json_t *seconds_json (tori_time time)
{
    return time % TORI_SECOND == 0
               ? json_integer (time / TORI_SECOND)
               : json_real ((double)time / TORI_SECOND);
}

int member_object (const struct member_of *of, const char *key,
                   struct member_of *ret_object, tori_error *err)
{
    const json_t *value = look_up (of, key);
    int found =
        find_member (of, key, json_is_object (value), value, "an object", err);
    if (found > 0) {
        *ret_object = *of;
        ret_object->object = value;
        ret_object->within = key;
        ret_object->known = NULL;
    }
    return found;
}

int member_list (const struct member_of *of, const char *key,
                 const json_t **ret_list, tori_error *err)
{
    const json_t *value = look_up (of, key);
    int found =
        find_member (of, key, json_is_array (value), value, "a list", err);
    if (found > 0)
        *ret_list = value;
    return found;
}
