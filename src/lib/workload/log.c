/* log.c - workloads from job logs. */
#include <inttypes.h>
#include <strings.h>
#include <sys/stat.h>

#include "build.h"
#include "columns.h"
#include "cutter.h"
#include "number.h"
#include "swf.h"

static int too_late (tori_swf_reader *reader, const char *what,
                     tori_error *err)
{
    return cutter_fail (swf_lines (reader), err,
                        "%s: expected at most %" PRId64 " seconds", what,
                        TORI_MAX_SECONDS);
}

/* The processors of the line last read, from the field of the options; 0 if
 * that has none. */
static int64_t read_size (const struct size_from *from, const char *line)
{
    int64_t number = size_from_number (from), size = 0;
    const char *text = line + strspn (line, " \t\r"), *field = text;
    for (int64_t i = 1; *text && (number == 0 || i <= number); i++) {
        size_t n = strcspn (text, " \t\r");
        field = text;
        text += n + strspn (text + n, " \t\r");
        if (i == number || !*text)
            return (number == 0 || i == number)
                           && size_from_read (from, field, n, &size)
                       ? size
                       : 0;
    }
    return 0;
}

/* A record as a job: 1, 0 if it cannot be run, -1. */
static int draft_record (const struct builder *b, tori_swf_reader *reader,
                         const tori_swf_record *record,
                         struct draft *ret_draft, tori_error *err)
{
    struct draft draft = {
        .id = record->job,
        .procs = record->asked_procs > 0 ? record->asked_procs
                                         : record->procs,
        .owner = {record->user, record->group, record->app, record->queue,
                  record->partition},
    };
    double estimate = record->asked_time > 0 ? record->asked_time
                                             : record->runtime;
    if (b->options.size_from)
        draft.procs = read_size (&b->size_from, swf_lines (reader)->line);
    if (draft.procs <= 0 || record->runtime < 0 || record->submit < 0)
        return 0;
    if (!ticks_from_seconds (record->submit, &draft.submit))
        return too_late (reader, "submit time", err);
    if (!ticks_from_seconds (record->runtime, &draft.runtime))
        return too_late (reader, "run time", err);
    if (!ticks_from_seconds (estimate, &draft.estimate))
        return too_late (reader, "requested time", err);
    *ret_draft = draft;
    return 1;
}

static int add_records (struct builder *b, tori_swf_reader *reader,
                        tori_error *err)
{
    tori_swf_record record;
    struct draft draft;
    int status = 1;
    while (!builder_full (b)
           && (status = tori_swf_next (reader, &record, err)) > 0) {
        int usable = draft_record (b, reader, &record, &draft, err);
        if (usable < 0)
            return -1;
        if (!usable)
            b->work.unusable++;
        else if (builder_add (b, &draft, err) < 0)
            return -1;
    }
    return status < 0 ? -1 : 0;
}

/* The number that a header field begins with ("338 (batch partition; 512
 * total)" is 338), or `otherwise`. */
static int64_t header_number (const tori_swf_reader *reader, const char *name,
                              int64_t otherwise)
{
    const char *text = tori_swf_header (reader, name);
    uint64_t value;
    if (!text || !number_scan (&text, INT64_MAX, &value))
        return otherwise;
    return (int64_t)value;
}

/* Lines such as "Queue: 3 batch"; a remark in their place is not a label. */
static int keep_label (struct builder *b, const char *name, const char *text,
                       tori_error *err)
{
    const char *field;
    if (*text < '0' || *text > '9')
        return 0;
    for (size_t i = 0; (field = tori_work_label_field (i)); i++)
        if (!strcasecmp (field, name))
            return builder_label (b, i, text, err);
    return 0;
}

static int read_header (struct builder *b, const tori_swf_reader *reader,
                        tori_error *err)
{
    int64_t nodes = header_number (reader, "MaxNodes", 0);
    const char *name, *text;
    b->work.log_procs = header_number (reader, "MaxProcs", nodes);
    b->work.log_start = header_number (reader, "UnixStartTime", -1);
    for (size_t i = 0; (name = swf_header_list (reader, i, &text)); i++)
        if (keep_label (b, name, text, err) < 0)
            return -1;
    return 0;
}

static int add_jobs (struct builder *b, tori_swf_reader *reader,
                     tori_error *err)
{
    struct cutter *lines = swf_lines (reader);
    bool named = b->options.size_from && size_from_number (&b->size_from) < 0;
    if (swf_fresh (reader) && columns_begin (lines->line))
        return table_add (b, lines, err);
    if (named)
        return tori_error_set (err, TORI_INVALID,
                               "%s: its fields have no names: size from '%s': "
                               "expected the number of a field, or last",
                               b->name, b->size_from.field);
    return add_records (b, reader, err);
}

int tori_workload_from_swf (tori_swf_reader *reader,
                            const tori_machine *machine,
                            const tori_workload_options *options,
                            tori_workload *ret_workload, tori_error *err)
{
    struct builder b;
    int status;
    if (builder_init (&b, swf_name (reader), machine, options, err) < 0)
        return -1;
    if (b.options.strict)
        tori_swf_set_strict (reader, true);
    status = read_header (&b, reader, err);
    if (status == 0)
        status = add_jobs (&b, reader, err);
    if (status == 0)
        status = source_digest (swf_lines (reader)->source,
                                b.work.log_sha256, err);
    if (status == 0)
        status = builder_finish (&b, ret_workload, err);
    builder_clear (&b);
    return status;
}

/* A file that cannot be read once more, or that is damaged, is left to those
 * who read all of it. */
unsigned tori_workload_given (const char *path)
{
    struct columns columns = {.sized = true};
    tori_swf_reader *reader;
    struct stat is;
    unsigned given = TORI_BY_COUNT;
    if (stat (path, &is) < 0 || !S_ISREG (is.st_mode)
        || tori_swf_open (path, &reader, NULL) < 0)
        return 0;
    if (columns_begin (swf_lines (reader)->line)) {
        given = 0;
        if (columns_open (&columns, swf_lines (reader), NULL) == 0)
            given = (columns_has (&columns, ROLE_SHAPE) ? TORI_BY_SHAPE : 0)
                    | (columns_has (&columns, ROLE_NODES)
                               || columns_has (&columns, ROLE_PROCS)
                           ? TORI_BY_COUNT
                           : 0);
        columns_close (&columns);
    }
    tori_swf_close (reader);
    return given;
}

int tori_workload_read (const char *path, const tori_machine *machine,
                        const tori_workload_options *options,
                        tori_workload *ret_workload, tori_error *err)
{
    tori_swf_reader *reader;
    int status;
    if (tori_swf_open (path, &reader, err) < 0)
        return -1;
    status = tori_workload_from_swf (reader, machine, options, ret_workload,
                                     err);
    tori_swf_close (reader);
    return status;
}
