#include "netjobs.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "lines.h"
#include "number.h"
#include "targets.h"

/* ---- boxes ---- */

/* The nodes of a box in the order of its own coordinates. */
static void fill_nodes (const tori_machine *machine, const tori_box *box,
                        uint32_t nodes[])
{
    const tori_shape *shape = &box->shape;
    uint32_t n = (uint32_t)tori_shape_volume (shape);
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t coords[TORI_MAX_DIMS], rest = rank;
        for (int d = shape->ndims; d-- > 0;) {
            coords[d] = (box->origin[d] + rest % shape->size[d])
                        % tori_machine_size (machine, d);
            rest /= shape->size[d];
        }
        nodes[rank] = tori_machine_id (machine, coords);
    }
}

static int add_box (struct netjobs *jobs, const tori_machine *machine,
                    const tori_box *box, tori_error *err)
{
    uint32_t n = (uint32_t)tori_shape_volume (&box->shape);
    uint32_t *nodes = calloc (n, sizeof *nodes);
    char text[TORI_TEXT_MAX];
    size_t i = jobs->n;
    tori_box_format (box, text);
    jobs->name[i] = strdup (text);
    jobs->box[i] = *box;
    jobs->job[i] = (tori_traffic_job){
        .nodes = nodes, .n = n, .shape = &jobs->box[i].shape};
    jobs->n++;
    if (!nodes || !jobs->name[i])
        return tori_error_nomem (err);
    fill_nodes (machine, box, nodes);
    return 0;
}

static int parse_box (const struct netjobs *jobs, const tori_machine *machine,
                      const char *text, bool wrap, tori_box *ret_box,
                      tori_error *err)
{
    if (tori_box_parse (machine, text, ret_box, err) < 0)
        return -1;
    if (!wrap && tori_box_wraps (machine, ret_box))
        return tori_error_set (err, TORI_INVALID,
                               "box %.60s wraps around; --wrap allows it",
                               text);
    for (size_t i = 0; i < jobs->n; i++)
        if (tori_box_overlap (machine, ret_box, &jobs->box[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "boxes %.60s and %.60s overlap",
                                   jobs->name[i], text);
    return 0;
}

int netjobs_open (const tori_machine *machine, const struct strings *boxes,
                  bool wrap, struct netjobs *ret_jobs, tori_error *err)
{
    struct netjobs *jobs = ret_jobs;
    size_t room = boxes->n ? boxes->n : 1;
    tori_box box = {.shape = *tori_machine_shape (machine)};
    *jobs = (struct netjobs){.job = calloc (room, sizeof *jobs->job),
                             .box = calloc (room, sizeof *jobs->box),
                             .name = calloc (room, sizeof *jobs->name)};
    if (!jobs->job || !jobs->box || !jobs->name)
        return tori_error_nomem (err);
    if (boxes->n == 0)
        return add_box (jobs, machine, &box, err);
    for (size_t i = 0; i < boxes->n; i++)
        if (parse_box (jobs, machine, boxes->item[i], wrap, &box, err) < 0
            || add_box (jobs, machine, &box, err) < 0)
            return -1;
    return 0;
}

void netjobs_clear (struct netjobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        free ((void *)(uintptr_t)jobs->job[i].nodes);
        free (jobs->name[i]);
    }
    free (jobs->job);
    free (jobs->box);
    free (jobs->name);
    free (jobs->messages);
}

/* ---- messages ---- */

/* A message as it was read. Messages are grouped by job later. */
struct entry {
    tori_traffic_message message;
    size_t job;
    size_t order;
};

struct entries {
    const struct netjobs *jobs;
    const tori_machine *machine;
    struct entry *item;
    size_t n, room;
};

/* Find the job of a node. */
static int find_job (const struct netjobs *jobs, const tori_machine *machine,
                     uint32_t node, size_t *ret_job, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    for (size_t i = 0; i < jobs->n; i++)
        if (tori_box_contains (machine, &jobs->box[i], node)) {
            *ret_job = i;
            return 0;
        }
    tori_node_format (machine, node, text);
    return tori_error_set (err, TORI_INVALID, "node %.60s is in no box", text);
}

static int parse_numbers (char *flits, char *time,
                          tori_traffic_message *message, tori_error *err)
{
    int64_t value;
    if (number_parse (flits, "flits", 1, UINT32_MAX, &value, err) < 0)
        return -1;
    message->flits = (uint32_t)value;
    value = 0;
    if (time && number_parse (time, "cycle", 0, INT64_MAX, &value, err) < 0)
        return -1;
    message->time = (uint64_t)value;
    return 0;
}

static int parse_entry (const struct netjobs *jobs,
                        const tori_machine *machine, char *text,
                        struct entry *ret_entry, tori_error *err)
{
    char *word[5] = {NULL}, *rest = text, *one;
    tori_traffic_message *message = &ret_entry->message;
    size_t n = 0, other = 0;
    while (n < 5 && (one = strsep (&rest, " \t")))
        if (*one)
            word[n++] = one;
    if (n < 3 || n > 4)
        return tori_error_set (err, TORI_INVALID,
                               "expected SRC DST FLITS [CYCLE]");
    if (tori_node_parse (machine, word[0], &message->src, err) < 0
        || tori_node_parse (machine, word[1], &message->dst, err) < 0
        || parse_numbers (word[2], word[3], message, err) < 0
        || find_job (jobs, machine, message->src, &ret_entry->job, err) < 0
        || find_job (jobs, machine, message->dst, &other, err) < 0)
        return -1;
    if (other != ret_entry->job)
        return tori_error_set (err, TORI_INVALID,
                               "%s and %s are not in the same box", word[0],
                               word[1]);
    return 0;
}

static int add_entry (void *arg, char *text, size_t line, tori_error *err)
{
    struct entries *entries = arg;
    struct entry *item = array_room (entries->item, &entries->room,
                                     entries->n + 1, sizeof *item);
    if (!item)
        return tori_error_nomem (err);
    entries->item = item;
    item += entries->n;
    if (parse_entry (entries->jobs, entries->machine, text, item, err) < 0)
        return -1;
    item->order = entries->n++;
    return 0;
}

/* Order by job, then by time, then by position in the file. */
static int compare_entries (const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->message.time != y->message.time)
        return x->message.time < y->message.time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int assign_messages (struct netjobs *jobs, struct entries *entries,
                            tori_error *err)
{
    jobs->messages = calloc (entries->n + 1, sizeof *jobs->messages);
    if (!jobs->messages)
        return tori_error_nomem (err);
    if (entries->n > 0)
        qsort (entries->item, entries->n, sizeof *entries->item,
               compare_entries);
    for (size_t i = 0; i < entries->n; i++) {
        tori_traffic_job *job = &jobs->job[entries->item[i].job];
        jobs->messages[i] = entries->item[i].message;
        if (job->nlist++ == 0)
            job->list = &jobs->messages[i];
    }
    return 0;
}

int netjobs_read (struct netjobs *jobs, const tori_machine *machine,
                  const char *path, tori_error *err)
{
    struct entries entries = {.jobs = jobs, .machine = machine};
    int status = lines_each (path, add_entry, &entries, err);
    if (status == 0 && entries.n == 0)
        status = tori_error_set (err, TORI_INVALID,
                                 "%.200s: no messages; expected one per "
                                 "line: SRC DST FLITS [CYCLE]",
                                 path);
    if (status == 0)
        status = assign_messages (jobs, &entries, err);
    free (entries.item);
    return status;
}

/* ---- messages that are not sent ---- */

enum { MOST_TARGETS = 1 << 22 };

uint64_t netjobs_silent (const tori_traffic_job *job)
{
    uint64_t phases = targets_phases (job), silent = 0;
    uint32_t *target;
    if (phases == 0 || phases > MOST_TARGETS / job->n)
        return 0;
    target = calloc (job->n, sizeof *target);
    for (uint64_t phase = 0; target && phase < phases; phase++) {
        targets_fill (job, phase, 1, target);
        for (uint32_t rank = 0; rank < job->n; rank++)
            silent += target[rank] == rank;
    }
    free (target);
    return silent;
}
