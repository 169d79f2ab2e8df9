/* place_answer.c - the output of `tori place`: the place, its links, its ranks
 * and the map, in words and in JSON. */
#include "place_answer.h"

#include <stdlib.h>

#include <tori/cubes.h>

#include "ask.h"
#include "conflicts.h"
#include "emit.h"
#include "fold.h"
#include "folding.h"
#include "links.h"
#include "map.h"
#include "names.h"
#include "picture.h"
#include "place.h"
#include "forecast_rows.h"

bool place_folds (const struct place_values *v)
{
    return v->alloc >= 0
           && (tori_alloc_list ((size_t)v->alloc)->flags & TORI_ALLOC_FOLDS);
}

static double average_hops (const struct place_job *job)
{
    return place_average (job->pairwise, job->place.count);
}

static void emit_nodes (struct emit *e, const char *name,
                        const tori_machine *machine, const uint32_t ids[],
                        size_t n)
{
    uint32_t coords[TORI_MAX_DIMS];
    emit_open (e, name, '[');
    for (size_t i = 0; i < n && !ferror (e->out); i++) {
        tori_machine_coords (machine, ids[i], coords);
        emit_counts (e, NULL, coords, (size_t)tori_machine_ndims (machine));
    }
    emit_close (e, ']');
}

static void emit_boxes (struct emit *e, const char *name,
                        const tori_placement *place)
{
    char text[TORI_TEXT_MAX];
    emit_open (e, name, '[');
    for (size_t i = 0; i < place->nboxes; i++) {
        tori_box_format (tori_placement_box (place, i), text);
        emit_text (e, NULL, text);
    }
    emit_close (e, ']');
}

/* Map one segment after another. */
static int map_rings (struct place_job *job, tori_error *err)
{
    uint32_t *next = job->map;
    for (size_t i = 0; i < job->segments; next += job->segment[i].count, i++)
        if (tori_placement_map (&job->segment[i], job->site.machine,
                                &job->request, next, err)
            < 0)
            return -1;
    return 0;
}

static int make_map (struct place_job *job, tori_error *err)
{
    const tori_shape *shape = &job->request.shape;
    if (!place_folds (job->values) && !job->values->fold)
        return 0;
    job->map = malloc (job->place.count * sizeof *job->map);
    if (!job->map)
        return tori_error_nomem (err);
    if (job->values->fold)
        return map_rings (job, err);
    if (tori_fold_map (job->site.machine, shape,
                       tuning_of (&job->values->tuning, NULL).noncubic,
                       &job->place, job->map, err)
        < 0)
        return -1;
    tori_fold_steps (job->site.machine, shape, job->map, &job->longest,
                     &job->steps);
    return 0;
}

static tori_box subcube_of (const struct place_job *job)
{
    return fold_subcube (job->site.machine, &job->place.box);
}

/* Whether the box has other sides than the shape. */
static bool is_folded (const struct place_job *job,
                       const tori_placement *segment)
{
    tori_shape box;
    return job->map && !place_folds (job->values)
           && tori_placement_shape (segment, job->site.machine, &box)
           && !folding_rotated (&job->request.shape, &box);
}

static bool any_folded (const struct place_job *job)
{
    for (size_t i = 0; i < job->segments; i++)
        if (is_folded (job, &job->segment[i]))
            return true;
    return false;
}

static void emit_ring (struct emit *e, const struct place_job *job,
                       const tori_placement *segment)
{
    char text[TORI_TEXT_MAX];
    emit_flag (e, "folded", is_folded (job, segment));
    tori_wiring_format (job->site.machine, segment->wiring, text);
    emit_text (e, "box_wiring", text);
}

static void emit_rings (struct emit *e, const struct place_job *job)
{
    if (job->segments == 1)
        emit_ring (e, job, job->segment);
    emit_nodes (e, "map", job->site.machine, job->map, job->place.count);
}

/* Emit the members that may differ between segments. */
static void emit_segments (struct emit *e, const struct place_job *job)
{
    emit_open (e, "segments", '[');
    for (size_t i = 0; i < job->segments; i++) {
        const tori_placement *segment = &job->segment[i];
        tori_shape shape;
        emit_open (e, NULL, '{');
        if (tori_placement_shape (segment, job->site.machine, &shape))
            emit_counts (e, "shape", shape.size, (size_t)shape.ndims);
        emit_boxes (e, "boxes", segment);
        if (job->values->fold)
            emit_ring (e, job, segment);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void emit_fold (struct emit *e, const struct place_job *job)
{
    size_t ndims = (size_t)tori_machine_ndims (job->site.machine);
    tori_box subcube = subcube_of (job);
    emit_open (e, "subcube", '{');
    emit_counts (e, "origin", subcube.origin, ndims);
    emit_counts (e, "shape", subcube.shape.size, ndims);
    emit_close (e, '}');
    emit_open (e, "dilation", '{');
    emit_count (e, "max", job->longest);
    emit_real (e, "average", job->steps);
    emit_close (e, '}');
    emit_nodes (e, "map", job->site.machine, job->map, job->place.count);
}

/* The number of nodes asked for; some allocators give more. */
static uint64_t asked_for (const struct place_job *job)
{
    if (job->values->count)
        return (uint64_t)job->values->count;
    return tori_request_nodes (&job->request)
           * (job->values->segments ? (uint64_t)job->values->segments : 1);
}

/* A request that needs no links does not miss those that are down. */
static bool links_ignored (const struct place_job *job)
{
    return job->values->site.down_links
           && job->request.wiring == TORI_WIRE_NONE;
}

static int emit_placed (const struct place_job *job, const uint32_t ids[],
                        FILE *out, tori_error *err)
{
    const tori_placement *place = &job->place;
    const tori_machine *machine = job->site.machine;
    size_t ndims = (size_t)tori_machine_ndims (machine);
    struct emit e = emit_to (out);
    tori_shape shape;
    asked_open (&e, job->asked.path, job->asked.command,
                job->asked.values);
    emit_flag (&e, "placed", true);
    if (place->count > asked_for (job))
        emit_count (&e, "asked", asked_for (job));
    emit_nodes (&e, "nodes", machine, ids, place->count);
    emit_count (&e, "pairwise", job->pairwise);
    emit_real (&e, "average", average_hops (job));
    if (place->nboxes) {
        if (!tori_placement_shape (job->segment, machine, &shape))
            shape = place->box.shape;
        emit_counts (&e, "origin", place->box.origin, ndims);
        emit_counts (&e, "shape", shape.size, (size_t)shape.ndims);
    }
    if (place->nboxes > 1)
        emit_boxes (&e, "boxes", place);
    if (job->segments > 1)
        emit_segments (&e, job);
    if (place->nboxes && place->wiring != TORI_WIRE_NONE)
        emit_links (&e, "links", machine, job->segment, job->segments);
    if (tori_machine_is_pod (machine))
        emit_slices (&e, machine, job->segment, job->segments);
    exports_emit (&job->exports, &e);
    if (job->map && place_folds (job->values))
        emit_fold (&e, job);
    else if (job->map)
        emit_rings (&e, job);
    hits_emit (&e, &job->site);
    if (links_ignored (job))
        emit_flag (&e, "down_links_ignored", true);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

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
    subcube = subcube_of (job);
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
        for (n = 1; i + n < job->segments
                    && segment[n].wiring == segment->wiring;
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

static void print_placed (const struct place_job *job, const uint32_t ids[],
                          FILE *out)
{
    const tori_placement *place = &job->place;
    const tori_machine *machine = job->site.machine;
    fputs ("placed    ", out);
    print_where (machine, place, out);
    fprintf (out, "%u node%s", place->count, place->count == 1 ? "" : "s");
    if (place->count > asked_for (job))
        fprintf (out, ", %llu asked for", (unsigned long long)asked_for (job));
    fputc ('\n', out);
    if (place->nboxes == 0)
        print_rows (machine, ids, place->count, out);
    for (size_t i = 0; i < job->segments && place->nboxes > 1; i++)
        print_pieces (machine, &job->segment[i], out);
    print_fold (job, out);
    if (place->nboxes && place->wiring != TORI_WIRE_NONE)
        print_wiring (job, out);
    fprintf (out, "pairwise  %llu hops\naverage   %.4g hops\n",
             (unsigned long long)job->pairwise, average_hops (job));
    hits_print (&job->site, out);
    if (links_ignored (job))
        fputs ("links     those that are down are ignored: none are "
               "reserved\n",
               out);
}

/* In a slice of a pod, hops are counted within the slice, not between nodes of
 * the pod. */
static int count_within (struct place_job *job, const tori_placement *segment,
                         tori_error *err)
{
    const tori_machine *machine = job->site.machine;
    uint32_t *ids = malloc (segment->count * sizeof *ids);
    uint64_t nodes = 0, slice = 0;
    int status = ids ? 0 : tori_error_nomem (err);
    if (status == 0) {
        tori_placement_nodes (segment, machine, ids);
        status = tori_nodes_pairwise (machine, ids, segment->count, &nodes,
                                      err);
    }
    if (status == 0)
        status = tori_placement_pairwise (segment, machine, &slice, err);
    job->pairwise += slice - nodes;
    free (ids);
    return status;
}

static int count_hops (struct place_job *job, tori_error *err)
{
    const tori_machine *machine = job->site.machine;
    int status = tori_placement_pairwise (&job->place, machine,
                                          &job->pairwise, err);
    for (size_t i = 0; status == 0 && i < job->segments && job->segments > 1
                       && tori_machine_is_pod (machine);
         i++)
        status = count_within (job, &job->segment[i], err);
    return status;
}

/* Ranks follow the map of rings, which may be folded. */
static int make_exports (struct place_job *job, tori_error *err)
{
    const struct place_values *values = job->values;
    struct exports_job own = {job->segment, job->segments,
                              &job->request.shape,
                              values->fold ? job->map : NULL};
    return exports_make (&values->exports, &own, job->site.machine, job->graph,
                         values->mesh_graph, &job->exports, err);
}

int place_answer_found (struct place_job *job, FILE *out, tori_error *err)
{
    uint32_t *ids = malloc (job->place.count * sizeof *ids);
    int status = 0;
    if (!ids)
        return tori_error_nomem (err);
    tori_placement_nodes (&job->place, job->site.machine, ids);
    if (count_hops (job, err) < 0 || make_map (job, err) < 0
        || make_exports (job, err) < 0)
        status = -1;
    else if (job->values->json)
        status = emit_placed (job, ids, out, err);
    else {
        print_placed (job, ids, out);
        exports_print (&job->exports, out);
    }
    free (ids);
    return status;
}

int place_answer_gave_up (const struct place_job *job, const tori_error *why,
                           FILE *out, tori_error *err)
{
    const tori_search *search = &job->search;
    struct emit e = emit_to (out);
    uint32_t coords[TORI_MAX_DIMS];
    if (!job->values->json)
        return place_no_answer (why, search, false, err);
    place_gave_up (&e, &job->asked, search, why->text);
    if (search->found)
        emit_open (&e, "best_nodes", '[');
    for (size_t i = 0; search->found && i < job->request.count; i++) {
        tori_machine_coords (job->site.machine, (uint32_t)search->chosen[i],
                             coords);
        emit_counts (&e, NULL, coords,
                     (size_t)tori_machine_ndims (job->site.machine));
    }
    if (search->found)
        emit_close (&e, ']');
    hits_emit (&e, &job->site);
    emit_close (&e, '}');
    if (emit_end (&e, err) < 0)
        return -1;
    return place_no_answer (why, search, true, err);
}

int place_explain_wiring (const struct place_job *job, tori_error *why,
                           tori_error *err)
{
    tori_placement place = {0};
    struct conflicts conflicts = {0};
    char box[TORI_TEXT_MAX], text[CONFLICT_TEXT];
    struct prepared asks;
    int status = alloc_prepare (job->alloc, &job->request, &asks, err);
    if (status == 0)
        status = alloc_try_unlinked (job->alloc, job->site.state, &asks,
                                     &place, err);
    if (status > 0)
        status = conflicts_of_place (&job->site, &place, &conflicts, err);
    if (status == 0 && conflicts.n > 0) {
        tori_box_format (&place.box, box);
        conflict_format (&job->site, conflicts.item, text);
        tori_error_set (why, why->status,
                        "a box %s this shape is free (%.60s), but its links "
                        "are not: %.300s",
                        job->values->fold ? "for" : "of", box, text);
    }
    conflicts_clear (&conflicts);
    tori_placement_clear (&place);
    return status;
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
