#include "emit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/version.h>

#include "utf8.h"

enum { FLAGS = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION (15) };

static void dump_value (struct emit *e, json_t *value)
{
    if (!value || json_dumpf (value, e->out, FLAGS) < 0)
        e->nomem |= !value || !ferror (e->out);
    json_decref (value);
}

/* A plan of a million jobs has millions of numbers. A stream is locked for
 * every character unless told otherwise, which takes half of the time, and an
 * emitter has its stream to itself while it writes. */
static void put_char (struct emit *e, char c)
{
    putc_unlocked (c, e->out);
}

static void put_text (struct emit *e, const char *text)
{
    fputs_unlocked (text, e->out);
}

/* The part before a value: a comma, a key. */
static void put_lead (struct emit *e, const char *key)
{
    if (e->comma)
        put_char (e, ',');
    e->comma = true;
    if (key) {
        put_char (e, '"');
        put_text (e, key);
        put_text (e, "\":");
    }
}

void emit_open (struct emit *e, const char *key, char bracket)
{
    put_lead (e, key);
    put_char (e, bracket);
    e->comma = false;
}

void emit_close (struct emit *e, char bracket)
{
    put_char (e, bracket);
    e->comma = true;
}

void answer_open (struct emit *e, const struct answer *answer)
{
    emit_open (e, NULL, '{');
    emit_text (e, "tori", tori_version ());
    emit_text (e, "command", answer->command);
    emit_open (e, "config", '{');
    answer->config (e, answer->arg);
    emit_close (e, '}');
}

void emit_value (struct emit *e, const char *key, json_t *value)
{
    put_lead (e, key);
    dump_value (e, value);
}

void emit_text (struct emit *e, const char *key, const char *text)
{
    json_t *value = json_string (text);
    char *copy;
    if (!value && (copy = strdup (text))) {
        utf8_mend (copy);
        value = json_string (copy);
        free (copy);
    }
    emit_value (e, key, value);
}

void emit_flag (struct emit *e, const char *key, bool flag)
{
    emit_value (e, key, json_boolean (flag));
}

void emit_null (struct emit *e, const char *key)
{
    emit_value (e, key, json_null ());
}

void emit_whole (struct emit *e, const char *key, int64_t value)
{
    char text[TORI_EXACT_TEXT];
    tori_exact_format ((tori_exact){value, 1}, text);
    put_lead (e, key);
    put_text (e, text);
}

void emit_count (struct emit *e, const char *key, uint64_t count)
{
    char text[24];
    if (count <= INT64_MAX) {
        emit_whole (e, key, (int64_t)count);
        return;
    }
    snprintf (text, sizeof text, "%" PRIu64, count);
    emit_json (e, key, text);
}

void emit_real (struct emit *e, const char *key, double value)
{
    if (isfinite (value))
        emit_value (e, key, json_real (value));
    else
        emit_null (e, key);
}

void emit_json (struct emit *e, const char *key, const char *text)
{
    put_lead (e, key);
    put_text (e, text);
}

void emit_exact (struct emit *e, const char *key, tori_exact number)
{
    char text[TORI_EXACT_TEXT];
    put_lead (e, key);
    tori_exact_decimal (number, text);
    put_text (e, text);
    put_text (e, ",\"");
    put_text (e, key);
    put_text (e, "_exact\":\"");
    tori_exact_format (number, text);
    put_text (e, text);
    put_text (e, number.den == 1 ? "/1\"" : "\"");
}

void emit_time (struct emit *e, const char *key, tori_time time)
{
    char digits[32];
    uint64_t ticks = time < 0 ? -(uint64_t)time : (uint64_t)time;
    uint64_t rest = ticks % TORI_SECOND;
    int length;
    put_lead (e, key);
    fprintf (e->out, "%s%" PRIu64, time < 0 ? "-" : "", ticks / TORI_SECOND);
    if (!rest)
        return;
    length = snprintf (digits, sizeof digits, "%06" PRIu64, rest);
    while (digits[length - 1] == '0')
        length--;
    fprintf (e->out, ".%.*s", length, digits);
}

void emit_counts (struct emit *e, const char *key, const uint32_t values[],
                  size_t n)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < n; i++)
        emit_count (e, NULL, values[i]);
    emit_close (e, ']');
}

void emit_node (struct emit *e, const char *key, const tori_machine *machine,
                uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, node, coords);
    emit_counts (e, key, coords, (size_t)tori_machine_ndims (machine));
}

int emit_end (struct emit *e, tori_error *err)
{
    fputc ('\n', e->out);
    e->comma = false;
    return e->nomem ? tori_error_nomem (err) : 0;
}
