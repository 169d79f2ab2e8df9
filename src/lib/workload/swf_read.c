/* swf_read.c - reads logs in the Standard Workload Format.
 *
 * Numbers are scanned by hand, at a small part of the cost of unpacking a log.
 * Nothing but the header is kept. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cutter.h"
#include "swf.h"

enum { MAX_HEADERS = 1000 };

struct header {
    char *name;
    char *value; /* in the same block as the name */
};

struct tori_swf_reader {
    struct cutter lines;
    bool pending; /* a line is the first record, after the header */
    bool strict;
    struct header *headers;
    size_t nheaders;
};

const char *swf_name (const tori_swf_reader *reader)
{
    return source_name (reader->lines.source);
}

struct cutter *swf_lines (tori_swf_reader *reader)
{
    return &reader->lines;
}

bool swf_fresh (const tori_swf_reader *reader)
{
    return reader->pending;
}

/* ---- numbers ---- */

static bool is_blank (char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit (char c)
{
    return c >= '0' && c <= '9';
}

/* Digits as a number of at most `max`, which has more than 15 itself; false if
 * there are none, or it is more. */
static bool scan_digits (const char **text, uint64_t max, uint64_t *ret_value)
{
    enum { SAFE = 15 };
    const char *p = *text;
    uint64_t value = 0;
    for (; is_digit (*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (p - *text >= SAFE && value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (p == *text)
        return false;
    *text = p;
    *ret_value = value;
    return true;
}

static bool scan_whole (const char **text, int64_t *ret_value)
{
    bool negative = **text == '-';
    uint64_t value;
    *text += negative;
    if (!scan_digits (text, INT64_MAX, &value) || (negative && value > 1))
        return false;
    *ret_value = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* The digits after the point, as far as a double can distinguish them: value
 * and scale are whole numbers of at most 53 bits and a power of ten that is
 * exact, so that their quotient is the double nearest to the text. */
static double scan_decimals (const char **text, uint64_t value)
{
    static const double TENTH[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                   1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16};
    unsigned decimals = 0;
    const char *p = *text;
    for (; is_digit (*p); p++) {
        uint64_t next = value * 10 + (unsigned)(*p - '0');
        if (decimals == 16 || next > (uint64_t)SWF_MAX_REAL)
            break;
        value = next;
        decimals++;
    }
    while (is_digit (*p))
        p++;
    *text = p;
    return (double)value / TENTH[decimals];
}

static bool scan_real (const char **text, double *ret_value)
{
    bool negative = **text == '-';
    uint64_t whole;
    double value;
    *text += negative;
    if (!scan_digits (text, (uint64_t)SWF_MAX_REAL, &whole))
        return false;
    value = (double)whole;
    if (**text == '.' && is_digit ((*text)[1])) {
        ++*text;
        value = scan_decimals (text, whole);
    }
    if (negative && value != 0 && value != 1)
        return false;
    *ret_value = negative && value != 0 ? -value : value;
    return true;
}

/* ---- records ---- */

static const char *skip_blanks (const char *p)
{
    while (is_blank (*p))
        p++;
    return p;
}

static const char *skip_field (const char *p)
{
    while (*p && !is_blank (*p))
        p++;
    return p;
}

static int count_fields (const char *p)
{
    int n = 0;
    for (p = skip_blanks (p); *p; p = skip_blanks (skip_field (p)))
        n++;
    return n;
}

/* Report the error of a line of which not every field could be read. */
static int explain_error (const tori_swf_reader *reader, int index,
                          const char *field, tori_error *err)
{
    int found = count_fields (reader->lines.line), length;
    if (cutter_check_nul (&reader->lines, err) < 0)
        return -1;
    if (found < SWF_FIELDS || (reader->strict && found > SWF_FIELDS))
        return cutter_fail (&reader->lines, err,
                            "expected %d fields, found %d", SWF_FIELDS, found);
    length = (int)(skip_field (field) - field);
    return cutter_fail (&reader->lines, err,
                     "field %d (%s): expected -1 or a %s from 0 to %" PRId64
                     ", found '%.*s'",
                     index + 1, swf_fields[index].name,
                     swf_fields[index].real ? "number" : "whole number",
                     swf_fields[index].real ? (int64_t)SWF_MAX_REAL
                                            : INT64_MAX,
                     length < 40 ? length : 40, field);
}

static bool scan_field (const struct swf_field *field, const char **text,
                        tori_swf_record *record)
{
    if (!(field->real ? scan_real (text, swf_real (field, record))
                      : scan_whole (text, swf_whole (field, record))))
        return false;
    return !**text || is_blank (**text);
}

static void set_unknown (const struct swf_field *field,
                         tori_swf_record *record)
{
    if (field->real)
        *swf_real (field, record) = -1;
    else
        *swf_whole (field, record) = -1;
}

/* Unless it is strict, only the fields that are used have to be right: the
 * archive has logs with a status of -4, and with columns of their own at the
 * end. */
static int parse_record (const tori_swf_reader *reader,
                         tori_swf_record *ret_record, tori_error *err)
{
    tori_swf_record record;
    const char *p = reader->lines.line, *field = p;
    int i;
    for (i = 0; i < SWF_FIELDS; i++) {
        field = p = skip_blanks (p);
        if (scan_field (&swf_fields[i], &p, &record))
            continue;
        if (reader->strict || swf_fields[i].used || !*field)
            goto bad;
        set_unknown (&swf_fields[i], &record);
        p = skip_field (field);
    }
    p = skip_blanks (p);
    if (!reader->strict)
        p += strlen (p);
    if (p != reader->lines.line + reader->lines.size)
        goto bad;
    *ret_record = record;
    return 1;
bad:
    return explain_error (reader, i, field, err);
}

/* ---- the header ---- */

static char *trim_text (char *text)
{
    char *end;
    text += strspn (text, " \t");
    end = text + strlen (text);
    while (end > text && is_blank (end[-1]))
        end--;
    *end = '\0';
    return text;
}

/* Keep "; Name: value". A comment of any other form is only a comment. */
static int keep_header (tori_swf_reader *reader, tori_error *err)
{
    char *line = reader->lines.line, *colon = strchr (line, ':');
    char *name, *value;
    struct header *headers;
    if (!colon || reader->nheaders == MAX_HEADERS)
        return 0;
    *colon = '\0';
    name = trim_text (line + strspn (line, "; \t"));
    value = trim_text (colon + 1);
    headers = realloc (reader->headers,
                       (reader->nheaders + 1) * sizeof *headers);
    if (!headers)
        return tori_error_nomem (err);
    reader->headers = headers;
    headers += reader->nheaders;
    size_t name_size = strlen (name) + 1, value_size = strlen (value) + 1;
    if (!(headers->name = malloc (name_size + value_size)))
        return tori_error_nomem (err);
    memcpy (headers->name, name, name_size);
    headers->value = memcpy (headers->name + name_size, value, value_size);
    reader->nheaders++;
    return 0;
}

/* The next line that is neither empty nor a comment: 1, 0 at the end, -1.
 * Comments before the first record are the header. */
static int next_record_line (tori_swf_reader *reader, bool header,
                             tori_error *err)
{
    int status;
    while ((status = cutter_next (&reader->lines, err)) > 0) {
        const char *p = skip_blanks (reader->lines.line);
        if (*p && *p != ';')
            break;
        if (cutter_check_nul (&reader->lines, err) < 0)
            return -1;
        if (*p && header && keep_header (reader, err) < 0)
            return -1;
    }
    return status;
}

const char *tori_swf_header (const tori_swf_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->nheaders; i++)
        if (strcasecmp (reader->headers[i].name, name) == 0)
            return reader->headers[i].value;
    return NULL;
}

const char *swf_header_list (const tori_swf_reader *reader, size_t i,
                             const char **ret_value)
{
    if (i >= reader->nheaders)
        return NULL;
    *ret_value = reader->headers[i].value;
    return reader->headers[i].name;
}

/* ---- opening and reading ---- */

/* The reader takes the source over, also when it fails. */
static int reader_create (struct source *source, tori_swf_reader **ret_reader,
                          tori_error *err)
{
    tori_swf_reader *reader = calloc (1, sizeof *reader);
    int status;
    if (!reader) {
        source_close (source);
        return tori_error_nomem (err);
    }
    if (cutter_open (&reader->lines, source, err) < 0)
        goto error;
    status = next_record_line (reader, true, err);
    if (status < 0)
        goto error;
    reader->pending = status > 0;
    *ret_reader = reader;
    return 0;
error:
    tori_swf_close (reader);
    return -1;
}

int tori_swf_open (const char *path, tori_swf_reader **ret_reader,
                   tori_error *err)
{
    struct source *source;
    if (source_open (path, &source, err) < 0)
        return -1;
    return reader_create (source, ret_reader, err);
}

int tori_swf_open_memory (const void *data, size_t size, const char *name,
                          tori_swf_reader **ret_reader, tori_error *err)
{
    struct source *source;
    if (source_open_memory (data, size, name, &source, err) < 0)
        return -1;
    return reader_create (source, ret_reader, err);
}

void tori_swf_close (tori_swf_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->nheaders; i++)
        free (reader->headers[i].name);
    free (reader->headers);
    cutter_close (&reader->lines);
    free (reader);
}

void tori_swf_set_strict (tori_swf_reader *reader, bool strict)
{
    reader->strict = strict;
}

int tori_swf_next (tori_swf_reader *reader, tori_swf_record *ret_record,
                   tori_error *err)
{
    int status = 1;
    if (!reader->pending)
        status = next_record_line (reader, false, err);
    reader->pending = false;
    return status > 0 ? parse_record (reader, ret_record, err) : status;
}
