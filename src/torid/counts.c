#include "counts.h"

#include <string.h>
#include <uv.h>

const double quick_bounds[BUCKETS]
    = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3};
const double wait_bounds[BUCKETS]
    = {1, 10, 60, 300, 900, 3600, 14400, 43200, 86400, 604800};
const uint32_t size_bounds[SIZES - 1] = {1, 8, 64, 512};
const char *const size_names[SIZES]
    = {"1", "2-8", "9-64", "65-512", "513 and more"};

void histogram_add (struct histogram *histogram, const double bounds[],
                    double value)
{
    for (int i = 0; i < BUCKETS; i++)
        histogram->upto[i] += value <= bounds[i];
    histogram->upto[BUCKETS]++;
    histogram->sum += value;
}

double seconds_since (uint64_t before)
{
    return (double)(uv_hrtime () - before) / 1e9;
}

void count_answer (struct counts *counts, int code)
{
    if (code > 0 && code < CODES)
        counts->codes[code]++;
}

static double time_of (const json_t *job, const char *key)
{
    return json_number_value (json_object_get (job, key));
}

/* How many nodes a job has. */
static uint64_t nodes_of (const json_t *job, const tori_machine *machine)
{
    const json_t *place = json_object_get (job, "place");
    const char *text = json_string_value (json_object_get (place, "box"));
    tori_box box;
    if (text && tori_box_parse (machine, text, &box, NULL) == 0)
        return tori_shape_volume (&box.shape);
    return json_array_size (json_object_get (place, "nodes"));
}

static void count_start (struct counts *counts, uint64_t nodes,
                         const json_t *job)
{
    double wait = time_of (job, "start") - time_of (job, "submit");
    int size = 0;
    if (json_integer_value (json_object_get (job, "attempt")) > 1)
        return; /* it waited for the first one */
    while (size < SIZES - 1 && nodes > size_bounds[size])
        size++;
    histogram_add (&counts->waits[size], wait_bounds, wait);
}

static void count_end (struct counts *counts, uint64_t nodes,
                       const json_t *job)
{
    const json_t *status = json_object_get (job, "status");
    bool well = json_is_integer (status) && json_integer_value (status) == 0;
    double used
        = (double)nodes * (time_of (job, "end") - time_of (job, "start"));
    *(well ? &counts->ended_well : &counts->ended_badly) += 1;
    if (nodes > 0)
        *(well ? &counts->good : &counts->bad) += used;
}

void count_event (struct counts *counts, const tori_machine *machine,
                  const json_t *event)
{
    const char *name = json_string_value (json_object_get (event, "event"));
    const json_t *job = json_object_get (event, "job");
    if (!name || !job)
        return;
    if (!strcmp (name, "submitted"))
        counts->submitted++;
    else if (!strcmp (name, "started"))
        count_start (counts, nodes_of (job, machine), job);
    else if (!strcmp (name, "ended"))
        count_end (counts, nodes_of (job, machine), job);
}
