#include "member.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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
    return tori_error_set (err, TORI_INVALID, "%s: %s%s%s", of->file, place,
                           *place ? ": " : "", what);
}

int member_blame (const struct member_of *of, const char *key,
                  const tori_error *why, tori_error *err)
{
    if (why->status == TORI_FAILED)
        return tori_error_set (err, why->status, "%s", why->text);
    return member_bad (of, key, err, "%s", why->text);
}

/* ---- members ---- */

/* A member of some type, or NULL. 1, 0, or -1. */
static int find (const struct member_of *of, const char *key, bool right,
                 const json_t *value, const char *what, tori_error *err)
{
    if (!value)
        return 0;
    return right ? 1 : member_bad (of, key, err, "expected %s", what);
}

int member_text (const struct member_of *of, const char *key,
                 const char **ret_text, tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key, json_is_string (value), value, "a string", err);
    if (found > 0)
        *ret_text = json_string_value (value);
    return found;
}

int member_integer (const struct member_of *of, const char *key, int64_t min,
                    int64_t *ret_value, tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key, json_is_integer (value), value,
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
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key, json_is_boolean (value), value,
                      "true or false", err);
    if (found > 0)
        *ret_value = json_is_true (value);
    return found;
}

int member_real (const struct member_of *of, const char *key,
                 double *ret_value, tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key, json_is_number (value), value, "a number", err);
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
    return ticks < 0x1p63 ? llround (ticks) : TORI_TIME_MAX;
}

int member_time (const struct member_of *of, const char *key,
                 tori_time *ret_time, tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key,
                      json_is_number (value) && json_number_value (value) >= 0,
                      value, "seconds, 0 or more", err);
    if (found > 0)
        *ret_time = ticks_of (value);
    return found;
}

int member_object (const struct member_of *of, const char *key,
                   struct member_of *ret_object, tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key, json_is_object (value), value, "an object",
                      err);
    if (found > 0) {
        *ret_object = *of;
        ret_object->object = value;
        ret_object->within = key;
    }
    return found;
}

int member_list (const struct member_of *of, const char *key,
                 const json_t **ret_list, tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    int found = find (of, key, json_is_array (value), value, "a list", err);
    if (found > 0)
        *ret_list = value;
    return found;
}
