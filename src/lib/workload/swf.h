/* swf.h - shared by the reader and the writer of the Standard Workload Format,
 * and by the users of a reader in this folder. */
#ifndef TORI_WORKLOAD_SWF_H
#define TORI_WORKLOAD_SWF_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/workload.h>

struct cutter;

enum { SWF_FIELDS = 18 };

/* The largest whole number in a double field of a tori_swf_record: above it
 * not every whole number is a double. */
#define SWF_MAX_REAL 9007199254740991.0

/* A field: its name in messages and its offset in a record. */
struct swf_field {
    const char *name;
    bool real; /* a double, else an int64_t */
    bool used; /* no workload is made without it */
    size_t offset;
};

extern const struct swf_field swf_fields[SWF_FIELDS];

static inline double *swf_real (const struct swf_field *field,
                                tori_swf_record *record)
{
    return (double *)(void *)((char *)record + field->offset);
}

static inline int64_t *swf_whole (const struct swf_field *field,
                                  tori_swf_record *record)
{
    return (int64_t *)(void *)((char *)record + field->offset);
}

/* The name of the file in messages. */
const char *swf_name (const tori_swf_reader *reader);

/* The i-th field of the header, NULL past the end. */
const char *swf_header_list (const tori_swf_reader *reader, size_t i,
                             const char **ret_value);

/* Its lines; and whether the last one cut is the first record, which was not
 * read yet. */
struct cutter *swf_lines (tori_swf_reader *reader);
bool swf_fresh (const tori_swf_reader *reader);

#endif
