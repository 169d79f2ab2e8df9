/* place_answer.c - the answer of `tori place`: the place, its links and its
 * ranks as JSON, or why there is none. */
#include "place_answer.h"

#include <math.h>
#include <string.h>

#include <tori/cubes.h>

#include "ask.h"
#include "asked.h"
#include "commands.h"
#include "conflicts.h"
#include "fieldrows.h"
#include "links.h"
#include "names.h"

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
            emit_json (e, NULL, text);
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
                              .folded = place_is_folded (job, segment)};
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
    tori_box box = place_subcube (arg);
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
    return is_placed (field, arg) && place_ignores_links (arg);
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

int place_answer_found (struct place_job *job, FILE *out, tori_error *err)
{
    if (place_complete (job, err) < 0)
        return -1;
    if (job->values->json)
        return emit_answer (job, out, err);
    place_print (job, out);
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
