/* tori map - the machine as a picture, with a letter for each job. */
#include <inttypes.h>
#include <stdlib.h>

#include "caller.h"
#include "commands.h"
#include "map.h"
#include "outlook.h"

struct values {
    const char *snapshot, *socket;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    OPTION_ROW_SOCKET (struct values),
    {.name = NULL},
};

/* More jobs than letters share them. */
static char letter_of (size_t job)
{
    static const char all[]
        = "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNPQRSTUVWXYZ";
    return all[job % (sizeof all - 1)];
}

static void put_jobs (const tori_snapshot *snapshot, char *letters)
{
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        const tori_placement *place = &snapshot->running[i].place;
        for (uint32_t k = 0; k < tori_machine_nodes (snapshot->machine); k++)
            if (tori_placement_contains (place, snapshot->machine, k))
                letters[k] = letter_of (i);
    }
}

static void print_jobs (const tori_snapshot *snapshot, FILE *out)
{
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        const tori_snapshot_job *job = &snapshot->running[i];
        char place[PLACE_TEXT_MAX];
        place_format (snapshot->machine, &job->place, place);
        fprintf (out, "%c  job %" PRIu64 ", %s\n", letter_of (i),
                 job->spec.tag, place);
    }
}

static int draw (const tori_snapshot *snapshot, const tori_state *state,
                 FILE *out, tori_error *err)
{
    char *letters = malloc (tori_machine_nodes (snapshot->machine));
    if (!letters)
        return tori_error_nomem (err);
    map_letters (state, letters);
    put_jobs (snapshot, letters);
    map_draw (snapshot->machine, letters, out);
    free (letters);
    fputc ('\n', out);
    print_jobs (snapshot, out);
    fprintf (out, "%u of %u nodes are free\n", tori_state_free_count (state),
             tori_machine_nodes (snapshot->machine));
    return 0;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    tori_snapshot *snapshot;
    tori_state *state = NULL;
    int status = -1;
    if (snapshot_open (v->socket, v->snapshot, &snapshot, err) < 0)
        return -1;
    if (tori_snapshot_state (snapshot, &state, err) == 0)
        status = draw (snapshot, state, out, err);
    tori_state_destroy (state);
    tori_snapshot_destroy (snapshot);
    return status;
}

const struct command command_map = {
    .name = "map",
    .summary = "Draw a machine and the jobs on it",
    .notes = "One letter per node: that of its job, '.' for a free node, 'x' "
             "for one that is down, '-' for one that is drained. Rows are the "
             "last but one dimension, columns the last; planes stand side by "
             "side, under their coordinates in the other dimensions. Where a "
             "row is too long, a letter stands for several nodes: that of "
             "most of them.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori map SNAPSHOT",
    .run = run,
};
