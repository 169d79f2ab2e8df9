/* place_answer.c - the output of `tori place`: the place, its links, its ranks
 * and the map, in words and in JSON. */
#include "place_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/cubes.h>

#include "ask.h"
#include "asked.h"
#include "commands.h"
#include "conflicts.h"
#include "fieldrows.h"
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

/* ---- as JSON ---- */

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

void chosen_format (const struct chosen_points *chosen, size_t i, int d,
                    char text[POINTSET_TEXT])
{
    const tori_points *points = &chosen->set->points;
    int64_t value =
        points->coords[chosen->chosen[i] * (size_t)points->ndims + (size_t)d];
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    pointset_format (size, value < 0, chosen->set->places, text);
}

static void emit_points (struct emit *e, const char *key,
                         const struct chosen_points *chosen)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < chosen->count && !ferror (e->out); i++) {
        emit_open (e, NULL, '[');
        for (int d = 0; d < chosen->set->points.ndims; d++) {
            char text[POINTSET_TEXT];
            chosen_format (chosen, i, d, text);
            emit_number (e, NULL, text);
        }
        emit_close (e, ']');
    }
    emit_close (e, ']');
}

static void emit_indexes (struct emit *e, const struct field *field,
                          const void *arg)
{
    const struct chosen_points *chosen =
        ((const struct place_job *)arg)->points;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < chosen->count && !ferror (e->out); i++)
        emit_count (e, NULL, chosen->chosen[i]);
    emit_close (e, ']');
}

static void emit_found (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct place_job *job = arg;
    if (job->points)
        emit_points (e, field->name, job->points);
    else
        emit_nodes (e, field->name, job->site.machine, job->ids,
                    job->place.count);
}

static bool is_refused (const struct field *field, const void *arg)
{
    return !((const struct place_job *)arg)->placed;
}

static bool is_placed (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->placed;
}

static bool has_points (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->points != NULL;
}

static const struct field refusal_fields[] = {
    {"reason", FIELD_TEXT, FIELD_AT (struct place_job, reason),
     "if it is not placed: numerical (not enough free nodes), topological "
     "(fragmented: enough nodes are free, but no box of this shape), wiring "
     "(its links are taken), never, gave-up"},
    {"detail", FIELD_TEXT, FIELD_AT (struct place_job, detail),
     "the same in words"},
};
SHEET (refusal);

/* ---- a search that gave up ---- */

/* Sums are integers, as long as a double holds them exactly. */
static void emit_sum (struct emit *e, const struct field *field,
                      const void *row)
{
    const double *sum = (const void *)((const char *)row + field->offset);
    if (*sum < 1e15 && *sum == floor (*sum))
        emit_count (e, field->name, (uint64_t)*sum);
    else
        emit_real (e, field->name, *sum);
}

/* The nodes of a machine among which it searched. */
static void emit_best (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct place_job *job = arg;
    if (job->points) {
        emit_points (e, field->name, job->points);
        return;
    }
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < job->request.count; i++)
        emit_node (e, NULL, job->site.machine,
                   (uint32_t)job->search.chosen[i]);
    emit_close (e, ']');
}

static bool has_given_up (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->gave_up;
}

static bool has_best (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->search.found;
}

static bool has_best_points (const struct field *field, const void *arg)
{
    return has_best (field, arg) && has_points (field, arg);
}

static bool has_bound (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->search.at_least > 0;
}

#define AT(member) FIELD_AT (struct place_job, member)
static const struct field gave_up_fields[] = {
    {"steps", FIELD_COUNT, AT (search.steps),
     "of a search that gave up: steps taken"},
    {"limit", FIELD_COUNT, AT (search.limit), "steps allowed",
     .when = field_is_set},
    {"best", FIELD_BY, AT (search.best), "the least sum found", "hops",
     .by = emit_sum, .when = has_best},
    {"at_least", FIELD_BY, AT (search.at_least),
     "a proved lower bound of every sum", "hops", .by = emit_sum,
     .when = has_bound},
    {"best_nodes", FIELD_LIST, .about = "its nodes", .by = emit_best,
     .when = has_best},
    {"best_indexes", FIELD_LIST, .about = "its points, from 0 on",
     .by = emit_indexes, .when = has_best_points},
};
SHEET (gave_up);

/* ---- a place on a machine ---- */

static void emit_origin (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct place_job *job = arg;
    emit_counts (e, field->name, job->place.box.origin,
                 (size_t)tori_machine_ndims (job->site.machine));
}

static void emit_shape (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct place_job *job = arg;
    tori_shape shape;
    if (!tori_placement_shape (job->segment, job->site.machine, &shape))
        shape = job->place.box.shape;
    emit_counts (e, field->name, shape.size, (size_t)shape.ndims);
}

static void emit_all_boxes (struct emit *e, const struct field *field,
                            const void *arg)
{
    emit_boxes (e, field->name, &((const struct place_job *)arg)->place);
}

/* A segment, whose members may differ from those of others. */
struct segment_row {
    const tori_placement *is;
    tori_shape shape;
    bool fold, folded;
    char box_wiring[TORI_TEXT_MAX];
};

static struct segment_row row_of (const struct place_job *job,
                                  const tori_placement *segment)
{
    struct segment_row row = {.is = segment,
                              .fold = job->values->fold,
                              .folded = is_folded (job, segment)};
    if (!tori_placement_shape (segment, job->site.machine, &row.shape))
        row.shape.ndims = 0;
    tori_wiring_format (job->site.machine, segment->wiring, row.box_wiring);
    return row;
}

static void emit_segment_boxes (struct emit *e, const struct field *field,
                                const void *arg)
{
    emit_boxes (e, field->name, ((const struct segment_row *)arg)->is);
}

static bool may_fold (const struct field *field, const void *arg)
{
    return ((const struct segment_row *)arg)->fold;
}

#undef AT
#define AT(member) FIELD_AT (struct segment_row, member)
static const struct field ring_fields[] = {
    {"folded", FIELD_FLAG, AT (folded),
     "with --fold: whether the box has other sides than the shape"},
    {"box_wiring", FIELD_CHARS, AT (box_wiring),
     "with --fold: how the box is wired, its name or for each dimension m or "
     "t"},
};
SHEET (ring);

static const struct field segment_fields[] = {
    {"shape", FIELD_SHAPE, AT (shape), "its sides, as rotated or folded",
     .when = field_is_set},
    {"boxes", FIELD_LIST, .about = "its box; on a pod, those that are joined",
     .by = emit_segment_boxes},
    {.kind = FIELD_BESIDE, .group = &ring_sheet, .when = may_fold},
};
SHEET (segment);
#undef AT

static void emit_segments (struct emit *e, const struct field *field,
                           const void *arg)
{
    const struct place_job *job = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < job->segments; i++) {
        struct segment_row row = row_of (job, &job->segment[i]);
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static void emit_ring (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct place_job *job = arg;
    struct segment_row row = row_of (job, job->segment);
    sheet_emit (e, field->group, &row);
}

static void emit_place_links (struct emit *e, const struct field *field,
                              const void *arg)
{
    const struct place_job *job = arg;
    emit_links (e, field->name, job->site.machine, job->segment,
                job->segments);
}

static void emit_place_pieces (struct emit *e, const struct field *field,
                               const void *arg)
{
    const struct place_job *job = arg;
    emit_pieces (e, field->name, job->site.machine, job->segment,
                 job->segments);
}

static void emit_place_crosses (struct emit *e, const struct field *field,
                                const void *arg)
{
    const struct place_job *job = arg;
    emit_crosses (e, field->name, job->site.machine, job->segment,
                  job->segments);
}

static void emit_map (struct emit *e, const struct field *field,
                      const void *arg)
{
    const struct place_job *job = arg;
    emit_nodes (e, field->name, job->site.machine, job->map, job->place.count);
}

/* A box of which origin and shape are shown as arrays. */
struct box_row {
    tori_shape origin, shape;
};

static const struct field subcube_fields[] = {
    {"origin", FIELD_SHAPE, FIELD_AT (struct box_row, origin),
     "where it begins"},
    {"shape", FIELD_SHAPE, FIELD_AT (struct box_row, shape), "its sides"},
};
SHEET (subcube);

static void emit_subcube (struct emit *e, const struct field *field,
                          const void *arg)
{
    tori_box box = subcube_of (arg);
    struct box_row row = {.origin.ndims = box.shape.ndims, .shape = box.shape};
    memcpy (row.origin.size, box.origin, sizeof box.origin);
    sheet_emit_object (e, field->name, field->group, &row);
}

static bool has_box (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->place.nboxes > 0;
}

static bool has_boxes (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->place.nboxes > 1;
}

static bool has_segments (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->segments > 1;
}

static bool has_links (const struct field *field, const void *arg)
{
    return has_box (field, arg)
           && ((const struct place_job *)arg)->place.wiring != TORI_WIRE_NONE;
}

static bool is_on_pod (const struct field *field, const void *arg)
{
    return tori_machine_is_pod (((const struct place_job *)arg)->site.machine);
}

static bool has_map (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->map != NULL;
}

/* Whether the allocator folded the shape. */
static bool has_subcube (const struct field *field, const void *arg)
{
    return has_map (field, arg)
           && place_folds (((const struct place_job *)arg)->values);
}

static bool has_ring (const struct field *field, const void *arg)
{
    return has_map (field, arg) && !has_subcube (field, arg)
           && !has_segments (field, arg);
}

#define AT(member) FIELD_AT (struct place_job, member)
static const struct field dilation_fields[] = {
    {"max", FIELD_UINT, AT (longest), "the most", "hops"},
    {"average", FIELD_REAL, AT (steps), "the mean", "hops"},
};
SHEET (dilation);

static const struct field machine_fields[] = {
    {"origin", FIELD_BY, .about = "of a box: its first node",
     .by = emit_origin, .when = has_box},
    {"shape", FIELD_BY, .about = "of a box: its sides, as rotated",
     .by = emit_shape, .when = has_box},
    {"boxes", FIELD_LIST,
     .about = "of several segments or pieces: their boxes",
     .by = emit_all_boxes, .when = has_boxes},
    {"segments", FIELD_LIST,
     .about = "of several segments: each of them; pieces, ranks and map have "
              "them in this order",
     .group = &segment_sheet, .by = emit_segments, .when = has_segments},
    {"links", FIELD_LIST, .about = "with --wiring: the links that it reserves",
     .group = &link_sheet, .by = emit_place_links, .when = has_links},
    {"pieces", FIELD_LIST, .about = "on a pod: the boxes that are joined",
     .group = &piece_sheet, .by = emit_place_pieces, .when = is_on_pod},
    {"cross_connects", FIELD_LIST,
     .about = "on a pod, with --wiring: which ports the switches join",
     .group = &cross_sheet, .by = emit_place_crosses, .when = is_on_pod},
    {.kind = FIELD_BESIDE, AT (exports), .group = &exports_sheet},
    {"subcube", FIELD_BY,
     .about = "of isomorphic: the subcube that the shape was put into",
     .group = &subcube_sheet, .by = emit_subcube, .when = has_subcube},
    {"dilation", FIELD_GROUP,
     .about = "of isomorphic: how far apart logical neighbours are",
     .group = &dilation_sheet, .when = has_subcube},
    {.kind = FIELD_BESIDE,
     .group = &ring_sheet,
     .by = emit_ring,
     .when = has_ring},
    {"map", FIELD_LIST,
     .about = "of isomorphic, and with --fold: the node of each logical node, "
              "row-major in the shape",
     .by = emit_map, .when = has_map},
};
SHEET (machine);

/* ---- the whole answer ---- */

static bool has_machine (const struct field *field, const void *arg)
{
    return ((const struct place_job *)arg)->site.machine != NULL
           && is_placed (field, arg);
}

static bool has_indexes (const struct field *field, const void *arg)
{
    return is_placed (field, arg) && has_points (field, arg);
}

static void emit_ignored (struct emit *e, const struct field *field,
                          const void *arg)
{
    emit_flag (e, field->name, true);
}

static bool ignores_links (const struct field *field, const void *arg)
{
    return is_placed (field, arg) && links_ignored (arg);
}

static const struct field place_fields[] = {
    {"placed", FIELD_FLAG, AT (placed), "whether there is a place"},
    {.kind = FIELD_BESIDE, .group = &refusal_sheet, .when = is_refused},
    {.kind = FIELD_BESIDE, .group = &gave_up_sheet, .when = has_given_up},
    {"asked", FIELD_COUNT, AT (surplus),
     "nodes that were asked for, if more are taken", .when = field_is_set},
    {"nodes", FIELD_LIST,
     .about = "the nodes in the order of their ids, or the points in the "
              "order of their file",
     .by = emit_found, .when = is_placed},
    {"indexes", FIELD_LIST, .about = "of points: which they are, from 0 on",
     .by = emit_indexes, .when = has_indexes},
    {"pairwise", FIELD_DIGITS, AT (sum),
     "sum of the distances over unordered pairs", "hops", .when = is_placed},
    {"average", FIELD_REAL, AT (average), "that sum over the number of pairs",
     "hops", .when = is_placed},
    {.kind = FIELD_BESIDE, .group = &machine_sheet, .when = has_machine},
    {"hit", FIELD_LIST, AT (site),
     "running partitions under which a node or link has failed",
     .group = &hit_sheet, .by = hits_emit},
    {"down_links_ignored", FIELD_BY,
     .about = "true if links are down, and ignored because none are reserved",
     .by = emit_ignored, .when = ignores_links},
};
ANSWER (place);
#undef AT

static int emit_answer (const struct place_job *job, FILE *out,
                        tori_error *err)
{
    return asked_emit (job->command, job->values, job, out, err);
}

int place_answer_refused (struct place_job *job, tori_outcome outcome,
                          const char *detail, FILE *out, tori_error *err)
{
    bool never = outcome == TORI_UNPLACEABLE;
    job->reason = tori_outcome_name (outcome);
    job->detail = detail;
    if (job->values->json && emit_answer (job, out, err) < 0)
        return -1;
    if (!job->values->json) {
        fprintf (out, "%s: %s\n",
                 never ? "never fits on this machine" : "does not fit now",
                 detail);
        hits_print (&job->site, out);
    }
    return never ? TORI_NEVER : TORI_NOT_NOW;
}

int place_answer_gave_up (struct place_job *job, const tori_error *why,
                          FILE *out, tori_error *err)
{
    bool json = job->values->json;
    job->reason = "gave-up";
    job->detail = why->text;
    job->gave_up = true;
    if (json && emit_answer (job, out, err) < 0)
        return -1;
    return tori_error_set (err, why->status, "%s%s", why->text,
                           job->search.found && !json
                               ? "; --json prints the best set found"
                               : "");
}

/* ---- for people ---- */

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

static void print_placed (const struct place_job *job, FILE *out)
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
    size_t n = job->place.count;
    job->ids = malloc (n * sizeof *job->ids);
    if (!job->ids)
        return tori_error_nomem (err);
    tori_placement_nodes (&job->place, job->site.machine, job->ids);
    if (count_hops (job, err) < 0 || make_map (job, err) < 0
        || make_exports (job, err) < 0)
        return -1;
    job->placed = true;
    job->surplus = n > asked_for (job) ? asked_for (job) : 0;
    job->average = place_average (job->pairwise, (double)n);
    pointset_format (job->pairwise, false, 0, job->sum);
    if (job->values->json)
        return emit_answer (job, out, err);
    print_placed (job, out);
    exports_print (&job->exports, out);
    return 0;
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
