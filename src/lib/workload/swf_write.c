#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outfile.h"
#include "swf.h"

struct tori_swf_writer {
    struct outfile *out;
    bool committed; /* or tried to be */
};

/* ---- bytes ---- */

static int check_open (const tori_swf_writer *writer, tori_error *err)
{
    if (!writer->committed)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "the log has been committed and can only be "
                           "closed");
}

static int put_text (tori_swf_writer *writer, const char *text, size_t size,
                     tori_error *err)
{
    if (check_open (writer, err) < 0)
        return -1;
    fwrite (text, 1, size, outfile_stream (writer->out));
    return outfile_check (writer->out, err);
}

/* ---- numbers ---- */

/* By hand and not by printf, whose decimal point depends on the locale. */
static char *format_whole (char *p, uint64_t value, int least_digits)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || n < least_digits);
    while (n > 0)
        *p++ = digits[--n];
    return p;
}

/* Up to six decimals: a tick of the clock is a microsecond. */
static char *format_real (char *p, double value)
{
    double whole = floor (value);
    uint64_t micros = (uint64_t)floor ((value - whole) * 1e6 + 0.5);
    uint64_t units = (uint64_t)whole + micros / 1000000;
    micros %= 1000000;
    p = format_whole (p, units, 1);
    if (micros > 0) {
        *p++ = '.';
        p = format_whole (p, micros, 6);
        while (p[-1] == '0')
            p--;
    }
    return p;
}

/* -1, or a value that the reader accepts. */
static bool format_field (char **p, const struct swf_field *field,
                          const tori_swf_record *record)
{
    const char *member = (const char *)record + field->offset;
    int64_t whole = 0;
    double real = 0;
    if (field->real)
        memcpy (&real, member, sizeof real);
    else
        memcpy (&whole, member, sizeof whole);
    if (real == -1 || whole == -1) {
        *(*p)++ = '-';
        *(*p)++ = '1';
        return true;
    }
    if (!(real >= 0 && real <= SWF_MAX_REAL && whole >= 0))
        return false;
    *p = field->real ? format_real (*p, real)
                     : format_whole (*p, (uint64_t)whole, 1);
    return true;
}

int tori_swf_write (tori_swf_writer *writer, const tori_swf_record *record,
                    tori_error *err)
{
    char line[SWF_FIELDS * 32], *p = line;
    for (int i = 0; i < SWF_FIELDS; i++) {
        if (i > 0)
            *p++ = ' ';
        if (!format_field (&p, &swf_fields[i], record))
            return tori_error_set (err, TORI_INVALID,
                                   "job %" PRId64 ": %s: expected -1 or a"
                                   " number from 0 up",
                                   record->job, swf_fields[i].name);
    }
    *p++ = '\n';
    return put_text (writer, line, (size_t)(p - line), err);
}

/* ---- the rest ---- */

/* Whether the text stays on its line, and within the reader's longest. */
static bool fits_line (const char *text)
{
    return strlen (text) < 30000 && !strpbrk (text, "\r\n");
}

int tori_swf_write_header (tori_swf_writer *writer, const char *name,
                           const char *value, tori_error *err)
{
    char *line;
    int size, status;
    if (!fits_line (name) || strchr (name, ':') || !fits_line (value))
        return tori_error_set (err, TORI_INVALID,
                               "header field '%.60s': expected one line of"
                               " text and a name without a colon",
                               name);
    size = asprintf (&line, "; %s: %s\n", name, value);
    if (size < 0)
        return tori_error_nomem (err);
    status = put_text (writer, line, (size_t)size, err);
    free (line);
    return status;
}

int tori_swf_create (const char *path, tori_swf_writer **ret_writer,
                     tori_error *err)
{
    tori_swf_writer *writer = calloc (1, sizeof *writer);
    if (!writer)
        return tori_error_nomem (err);
    if (outfile_create_packed (path, &writer->out, err) < 0) {
        free (writer);
        return -1;
    }
    *ret_writer = writer;
    return 0;
}

int tori_swf_commit (tori_swf_writer *writer, tori_error *err)
{
    if (check_open (writer, err) < 0)
        return -1;
    writer->committed = true;
    return outfile_commit (writer->out, err);
}

void tori_swf_writer_close (tori_swf_writer *writer)
{
    if (!writer)
        return;
    outfile_destroy (writer->out);
    free (writer);
}
