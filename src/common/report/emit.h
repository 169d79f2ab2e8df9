/* emit.h - JSON as it is produced.
 *
 *     struct emit e = emit_to (stdout);
 *     emit_open (&e, NULL, '{');
 *     emit_flag (&e, "placed", true);
 *     emit_open (&e, "nodes", '[');
 *     ...
 *     emit_close (&e, ']');
 *     emit_close (&e, '}');
 *     return emit_end (&e, err);
 *
 * The nodes of a large partition run to millions, so an answer is written
 * member by member and never held as a tree; jansson writes only the values,
 * that is strings and numbers. Members keep the order in which they are
 * emitted. In an array the key is NULL. The stream remembers its failures; the
 * emitter remembers that memory ran out.
 */
#ifndef TORI_REPORT_EMIT_H
#define TORI_REPORT_EMIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <tori/exact.h>
#include <tori/sim.h>

struct emit {
    FILE *out;
    bool comma; /* something precedes at this level */
    bool nomem;
};

static inline struct emit emit_to (FILE *out)
{
    return (struct emit){.out = out};
}

/* The beginning of every answer, which makes it self-explanatory: the version,
 * the command, and all options, given or default, which `config` emits as
 * members. */
struct answer {
    const char *command;
    void (*config) (struct emit *e, const void *arg);
    const void *arg;
};

/* Open the object of an answer. */
void answer_open (struct emit *e, const struct answer *answer);

/* Begin and end an object, '{' and '}', or an array, '[' and ']'. */
void emit_open (struct emit *e, const char *key, char bracket);
void emit_close (struct emit *e, char bracket);

/* A value, whose reference is taken over; NULL if memory ran out. */
void emit_value (struct emit *e, const char *key, json_t *value);

/* A text must be UTF-8; bytes that are not become question marks. */
void emit_text (struct emit *e, const char *key, const char *text);
void emit_flag (struct emit *e, const char *key, bool flag);
void emit_null (struct emit *e, const char *key);

/* Whole numbers, all digits of them. */
void emit_whole (struct emit *e, const char *key, int64_t value);
void emit_count (struct emit *e, const char *key, uint64_t count);

/* Fifteen significant digits; null for NAN. */
void emit_real (struct emit *e, const char *key, double value);

/* A value that is already a text in JSON's format. */
void emit_json (struct emit *e, const char *key, const char *text);

/* An exact number, twice: to fifteen significant digits, and in full as a text
 * "P/Q" under the key with _exact appended. */
void emit_exact (struct emit *e, const char *key, tori_exact number);

/* A time in seconds, exactly: whole if it is, else with decimals. */
void emit_time (struct emit *e, const char *key, tori_time time);

/* An array of whole numbers: coordinates, sides, ids. */
void emit_counts (struct emit *e, const char *key, const uint32_t values[],
                  size_t n);

/* The coordinates of a node. */
void emit_node (struct emit *e, const char *key, const tori_machine *machine,
                uint32_t node);

/* End the line. -1 without memory. */
int emit_end (struct emit *e, tori_error *err);

#endif
