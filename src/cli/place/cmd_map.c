/* tori map - the machine as a picture, with a letter for each job. */
#include <inttypes.h>
#include <stdlib.h>

#include "http_client.h"
#include "commands.h"
#include "map.h"
#include "snapshot_source.h"
#include "picture.h"
#include "terminal.h"

struct values {
    const char *snapshot, *socket, *alloc;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    OPTION_ROW_PLUGIN (struct values),
    OPTION_ROW_SOCKET (struct values),
    {.name = NULL},
};

/* Print which dimension goes where: "dimension 0 above each plane, 1 downwards,
 * 2 to the right". */
static void print_axes (const tori_machine *machine, FILE *out)
{
    int last = tori_machine_ndims (machine) - 1;
    fprintf (out, "dimension%s ", last > 2 ? "s" : "");
    for (int d = 0; d < last - 1; d++)
        fprintf (out, "%s%d", d ? "," : "", d);
    if (last > 1)
        fputs (" above each plane, ", out);
    if (last > 0)
        fprintf (out, "%d downwards, ", last - 1);
    fprintf (out, "%d to the right\n", last);
}

static int compare_jobs (const void *a, const void *b)
{
    uint64_t x = (*(const tori_snapshot_job *const *)a)->spec.tag;
    uint64_t y = (*(const tori_snapshot_job *const *)b)->spec.tag;
    return (x > y) - (x < y);
}

/* Print the jobs by number. */
static int print_jobs (const tori_snapshot *snapshot,
                       const struct letters *letters, FILE *out,
                       tori_error *err)
{
    size_t n = snapshot->nrunning;
    const tori_snapshot_job **jobs = calloc (n + 1, sizeof *jobs);
    if (!jobs)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        jobs[i] = &snapshot->running[i];
    qsort (jobs, n, sizeof *jobs, compare_jobs);
    for (size_t i = 0; i < n; i++) {
        char place[PLACE_TEXT_MAX];
        place_format (snapshot->machine, &jobs[i]->place, place);
        letter_put (letters_of (letters, jobs[i]->spec.tag), terminal_bold (),
                    out);
        fprintf (out, "  job %" PRIu64 ", %s\n", jobs[i]->spec.tag, place);
    }
    free (jobs);
    return 0;
}

static bool is_open (const tori_snapshot *snapshot,
                     const tori_snapshot_window *window)
{
    return window->from <= snapshot->now && snapshot->now < window->until;
}

static void print_reservations (const tori_snapshot *snapshot, FILE *out)
{
    for (size_t i = 0; i < snapshot->nwindows; i++) {
        const tori_snapshot_window *window = &snapshot->windows[i];
        char place[PLACE_TEXT_MAX];
        if (!is_open (snapshot, window))
            continue;
        place_format (snapshot->machine, &window->place, place);
        letter_put ('=', terminal_bold (), out);
        fprintf (out, "  reservation %s, %s\n", window->id, place);
    }
}

static int draw_map (const tori_snapshot *snapshot, const tori_state *state,
                     FILE *out, tori_error *err)
{
    struct picture picture;
    int status = picture_create (snapshot->machine, &picture, err);
    if (status == 0) {
        picture_state (&picture, state);
        for (size_t i = 0; i < snapshot->nwindows; i++)
            if (is_open (snapshot, &snapshot->windows[i]))
                picture_reserve (&picture, &snapshot->windows[i].place);
        for (size_t i = 0; i < snapshot->nrunning; i++)
            picture_place (&picture, &snapshot->running[i].place,
                           snapshot->running[i].spec.tag);
        status = picture_letter (&picture, NULL, err);
    }
    if (status == 0) {
        map_draw (snapshot->machine, picture.text, terminal_bold (), out);
        fputc ('\n', out);
        print_axes (snapshot->machine, out);
        status = print_jobs (snapshot, &picture.letters, out, err);
    }
    if (status == 0) {
        print_reservations (snapshot, out);
        fprintf (out, "%u of %u nodes are free\n",
                 tori_state_free_count (state),
                 tori_machine_nodes (snapshot->machine));
    }
    picture_clear (&picture);
    return status;
}

static int run_map (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct plugins plugins;
    tori_snapshot *snapshot;
    tori_state *state = NULL;
    int status = -1;
    if (snapshot_open_with (v->socket, v->snapshot, v->alloc, &plugins,
                            &snapshot, err)
        < 0)
        return -1;
    if (tori_snapshot_state (snapshot, &state, err) == 0)
        status = draw_map (snapshot, state, out, err);
    tori_state_destroy (state);
    tori_snapshot_destroy (snapshot);
    return status;
}

const struct command command_map = {
    .name = "map",
    .summary = "Draw a machine and the jobs on it",
    .notes = "One letter per node: that of its job, '.' for a free node, 'x' "
             "for one that is down, '-' for one that is drained, '=' for a "
             "free one that a reservation keeps now. Jobs that "
             "touch have different letters. In a terminal each has a colour, "
             "too, unless NO_COLOR is set. Rows are the second to last "
             "dimension, columns the last; planes stand side by side, under "
             "their coordinates in the other dimensions. Below, the jobs are "
             "listed by number. Where a row is too long, a letter stands for "
             "several nodes: the letter of most of them.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori map SNAPSHOT",
    .run = run_map,
};
