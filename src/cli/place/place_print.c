/* place_print.c - the place that `tori place` has found, and the map, for
 * people. */
#include <tori/cubes.h>

#include "conflicts.h"
#include "forecast_rows.h"
#include "links.h"
#include "map.h"
#include "picture.h"
#include "place_answer.h"

/* Nodes that follow each other in a row, as a box: lines of a node file. */
static void print_rows (const tori_machine *machine, const uint32_t ids[],
                        size_t n, FILE *out)
{
    int ndims = tori_machine_ndims (machine);
    uint32_t side = tori_machine_size (machine, ndims - 1);
    for (size_t i = 0, next; i < n; i = next) {
        tori_box box = {.shape.ndims = ndims};
        char text[TORI_TEXT_MAX];
        tori_machine_coords (machine, ids[i], box.origin);
        for (int d = 0; d < ndims; d++)
            box.shape.size[d] = 1;
        for (next = i + 1; next < n && ids[next] == ids[next - 1] + 1
                           && ids[next] % side != 0;
             next++)
            box.shape.size[ndims - 1]++;
        tori_box_format (&box, text);
        fprintf (out, "  %s\n", text);
    }
}

/* Whether neighbours lie in different cubes of a pod that nothing joins: links
 * within a cube are there without being reserved, cross-connects are not. */
static bool any_split (const struct place_job *job)
{
    bool found = false;
    for (size_t i = 0; i < job->segments && !found; i++)
        found = tori_machine_is_pod (job->site.machine)
                && job->segment[i].nboxes > 1
                && job->segment[i].wiring == TORI_WIRE_NONE;
    return found;
}

static bool any_folded (const struct place_job *job)
{
    for (size_t i = 0; i < job->segments; i++)
        if (place_is_folded (job, &job->segment[i]))
            return true;
    return false;
}

/* Print how the shape was folded. */
static void print_fold (const struct place_job *job, FILE *out)
{
    tori_box subcube;
    char text[TORI_TEXT_MAX];
    if (any_folded (job)) {
        tori_shape_format (&job->request.shape, text);
        fprintf (out, "folded    %s, neighbours 1 hop apart%s\n", text,
                 any_split (job) ? " within a cube, not joined across cubes"
                                 : "");
    }
    if (!job->map || !place_folds (job->values))
        return;
    subcube = place_subcube (job);
    tori_box_format (&subcube, text);
    fprintf (out, "subcube   %s", text);
    if (job->longest == 1)
        fputs (", neighbours 1 hop apart", out);
    else if (job->longest > 1)
        fprintf (out, ", neighbours at most %u hops apart, %.4g on average",
                 job->longest, job->steps);
    fputc ('\n', out);
}

/* Print the box, or the shape to which the pieces of a slice are joined. */
static void print_where (const tori_machine *machine,
                         const tori_placement *place, FILE *out)
{
    char text[TORI_TEXT_MAX];
    tori_shape shape;
    if (place->nboxes == 1) {
        tori_box_format (&place->box, text);
        fprintf (out, "%s, ", text);
    } else if (tori_placement_shape (place, machine, &shape)) {
        tori_shape_format (&shape, text);
        fprintf (out, "%s of %u pieces, ", text, place->nboxes);
    }
}

/* Consecutive segments with the same wiring share a line. Folded segments may
 * differ in their wiring. */
static void print_wiring (const struct place_job *job, FILE *out)
{
    const tori_machine *machine = job->site.machine;
    const tori_placement *segment = job->segment;
    for (size_t i = 0, n; i < job->segments; i += n, segment += n) {
        char text[TORI_TEXT_MAX];
        for (n = 1;
             i + n < job->segments && segment[n].wiring == segment->wiring;
             n++)
            ;
        tori_wiring_format (machine, segment->wiring, text);
        fprintf (out, "wiring    %s", text);
        print_link_count (machine, segment, n, out);
        fputc ('\n', out);
        for (size_t k = 0; k < n; k++)
            print_links (machine, &segment[k], out);
    }
}

void place_print (const struct place_job *job, FILE *out)
{
    const tori_placement *place = &job->place;
    const tori_machine *machine = job->site.machine;
    fputs ("placed    ", out);
    print_where (machine, place, out);
    fprintf (out, "%u node%s", place->count, place->count == 1 ? "" : "s");
    if (job->surplus)
        fprintf (out, ", %llu asked for", (unsigned long long)job->surplus);
    fputc ('\n', out);
    if (place->nboxes == 0)
        print_rows (machine, job->ids, place->count, out);
    for (size_t i = 0; i < job->segments && place->nboxes > 1; i++)
        print_pieces (machine, &job->segment[i], out);
    print_fold (job, out);
    if (place->nboxes && place->wiring != TORI_WIRE_NONE)
        print_wiring (job, out);
    fprintf (out, "pairwise  %llu hops\naverage   %.4g hops\n",
             (unsigned long long)job->pairwise, job->average);
    hits_print (&job->site, out);
    if (place_ignores_links (job))
        fputs ("links     those that are down are ignored: none are "
               "reserved\n",
               out);
}

/* ---- the map ---- */

/* Each partition has a letter, from a on. */
static int map_partitions (const struct site *site, struct picture *picture,
                           tori_error *err)
{
    for (size_t i = 0; i < site->partitions; i++)
        picture_place (picture, &site->partition[i].place, i + 1);
    return picture_letter (picture, NULL, err);
}

static void print_partitions (const struct site *site,
                              const struct letters *letters, FILE *out)
{
    char text[PLACE_TEXT_MAX], wiring[TORI_TEXT_MAX];
    if (site->partitions)
        fputc ('\n', out);
    for (size_t i = 0; i < site->partitions; i++) {
        const struct partition *p = &site->partition[i];
        place_format (site->machine, &p->place, text);
        tori_wiring_format (site->machine, p->place.wiring, wiring);
        letter_put (letters_of (letters, i + 1), terminal_bold (), out);
        fprintf (out, "  %s:%zu, %s %s\n", site->files->partitions, p->line,
                 text, wiring);
    }
}

int place_print_map (const struct place_job *job, const tori_placement *place,
                     FILE *out, tori_error *err)
{
    const tori_machine *machine = job->site.machine;
    struct picture picture;
    int status = picture_create (machine, &picture, err);
    if (status == 0) {
        picture_state (&picture, job->site.state);
        status = map_partitions (&job->site, &picture, err);
    }
    if (status == 0) {
        for (uint32_t i = 0; place && i < tori_machine_nodes (machine); i++)
            if (tori_placement_contains (place, machine, i))
                picture.text[i] = 'O';
        map_draw (machine, picture.text, terminal_bold (), out);
        print_partitions (&job->site, &picture.letters, out);
    }
    picture_clear (&picture);
    return status;
}
