/* Job logs, plain or gzip: what is accepted is within its range, a reading is
 * repeatable, packing changes nothing, and the workload made of it is in
 * order. A refusal says where and why. */
#include <tori/workload.h>
#include <zlib.h>

#include "fuzz.h"

static void check_whole (int64_t value)
{
    MUST (value >= -1);
}

static void check_real (double value)
{
    MUST (value == -1 || (value >= 0 && value <= 9007199254740991.0));
}

static void check_record (const tori_swf_record *r)
{
    const int64_t whole[] = {r->job,   r->procs, r->asked_procs, r->status,
                             r->user,  r->group, r->app,         r->queue,
                             r->partition, r->after_job};
    const double real[] = {r->submit,     r->wait,         r->runtime,
                           r->cpu_time,   r->memory,       r->asked_time,
                           r->asked_memory, r->think_time};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        check_whole (whole[i]);
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        check_real (real[i]);
}

/* The records and what ended them. */
struct reading {
    size_t records;
    uint64_t hash;
    tori_error err;
};

static void take (struct reading *reading, const tori_swf_record *record)
{
    const unsigned char *bytes = (const unsigned char *)record;
    check_record (record);
    reading->records++;
    for (size_t i = 0; i < sizeof *record; i++)
        reading->hash = (reading->hash ^ bytes[i]) * 1099511628211;
}

static struct reading read_as (bool strict, const void *data, size_t size)
{
    struct reading reading = {.err = {.status = TORI_OK}};
    tori_swf_reader *reader;
    tori_swf_record record;
    int status = tori_swf_open_memory (data, size, "log", &reader,
                                       &reading.err);
    if (status == 0) {
        tori_swf_set_strict (reader, strict);
        while ((status = tori_swf_next (reader, &record, &reading.err)) > 0)
            take (&reading, &record);
        (void)tori_swf_header (reader, "MaxProcs");
        tori_swf_close (reader);
    }
    if (status < 0) {
        MUST (reading.err.status == TORI_INVALID
              || reading.err.status == TORI_FAILED);
        MUST (strncmp (reading.err.text, "log:", 4) == 0);
    }
    return reading;
}

/* A log that is accepted strictly is read alike otherwise. */
static struct reading read_all (const void *data, size_t size)
{
    struct reading reading = read_as (false, data, size);
    struct reading strict = read_as (true, data, size);
    MUST (strict.records <= reading.records);
    if (strict.err.status == TORI_OK)
        MUST (reading.err.status == TORI_OK && strict.hash == reading.hash);
    return reading;
}

/* Packed by gzip; the caller frees it. */
static unsigned char *pack (const uint8_t *data, size_t size,
                            size_t *ret_size)
{
    z_stream z = {0};
    size_t room = size + size / 100 + 100;
    unsigned char *packed = malloc (room);
    MUST (packed);
    MUST (deflateInit2 (&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY)
          == Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (unsigned)size;
    z.next_out = packed;
    z.avail_out = (unsigned)room;
    MUST (deflate (&z, Z_FINISH) == Z_STREAM_END);
    *ret_size = z.total_out;
    deflateEnd (&z);
    return packed;
}

static void try_packed (const uint8_t *data, size_t size,
                        const struct reading *plain)
{
    size_t packed_size;
    unsigned char *packed = pack (data, size, &packed_size);
    struct reading again = read_all (packed, packed_size);
    MUST (again.records == plain->records && again.hash == plain->hash);
    MUST (again.err.status == plain->err.status);
    MUST (strcmp (again.err.text, plain->err.text) == 0);
    free (packed);
}

static void try_workload (const uint8_t *data, size_t size)
{
    static const tori_workload_options options = {
        .size = sizeof options,
        .shaping = TORI_SHAPE_FIRST_MATCH,
        .wiring = TORI_WIRE_TORUS,
        .torus_fraction = 0.5,
        .scale_num = 5,
        .scale_den = 2,
        .load = 0.5,
    };
    tori_workload workload;
    tori_swf_reader *reader;
    tori_machine *machine;
    if (tori_swf_open_memory (data, size, "log", &reader, NULL) < 0)
        return;
    MUST (tori_machine_parse ("torus:8x8x8", &machine, NULL) == 0);
    if (tori_workload_from_swf (reader, machine, &options, &workload, NULL)
        == 0) {
        for (size_t i = 0; i < workload.n; i++) {
            const tori_work *job = &workload.jobs[i];
            MUST (job->asked >= 1 && job->runtime >= 0);
            MUST (job->estimate >= job->runtime && job->submit >= 0);
            MUST (i == 0 || job->submit >= job[-1].submit);
            MUST ((job->request.shape.ndims == 3) == (job->asked <= 512));
        }
        MUST (workload.offered >= 0);
        tori_workload_clear (&workload);
    }
    tori_machine_destroy (machine);
    tori_swf_close (reader);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    /* Memory of its own, so that a sanitizer sees every step beyond it. */
    uint8_t *copy = calloc (1, size + (size == 0));
    MUST (copy);
    if (size > 0)
        memcpy (copy, data, size);
    struct reading reading = read_all (copy, size);
    if (size < 2 || copy[0] != 0x1f || copy[1] != 0x8b)
        try_packed (copy, size, &reading);
    try_workload (copy, size);
    free (copy);
    return 0;
}
