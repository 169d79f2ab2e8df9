#include "place.h"

#include <math.h>
#include <stdlib.h>

#include "choice.h"
#include "emit.h"
#include "number.h"
#include "pointset.h"

/* ---- the allocator ---- */

/* The name of the i-th allocator that accepts points. */
static const char *point_allocator (size_t i)
{
    const tori_alloc_info *info;
    for (size_t j = 0; (info = tori_alloc_list (j)); j++)
        if ((info->flags & TORI_ALLOC_POINTS) && i-- == 0)
            return info->name;
    return NULL;
}

static int choose_allocator (const struct place_points *request,
                             const char **ret_name, tori_error *err)
{
    const tori_alloc_info *info = request->alloc;
    if (request->shape
        && !(info->takes & TORI_BY_SHAPE && info->flags & TORI_ALLOC_POINTS))
        return tori_error_set (err, TORI_INVALID,
                               "--alloc: %s takes no shape among points, only "
                               "mc does",
                               info->name);
    if (!request->shape && request->fixed)
        return tori_error_set (err, TORI_INVALID,
                               "--no-rotate needs --shape");
    if (info->flags & TORI_ALLOC_POINTS) {
        *ret_name = info->name;
        return 0;
    }
    tori_error_set (err, TORI_INVALID,
                    "--alloc: %s takes no points; those that do are ",
                    info->name);
    return choice_list (point_allocator, ", ", err);
}

/* ---- the request ---- */

/* The parsed request. */
struct question {
    const struct place_points *request;
    const char *alloc;
    struct pointset set;
    uint64_t around[TORI_MAX_DIMS];
    tori_shape shape; /* 0 dimensions: none */
    size_t count;
};

/* Bring lengths to the units of the points; false beyond 2^62. */
static bool scale_around (uint64_t around[], int n, unsigned places)
{
    for (int d = 0; d < n; d++)
        for (unsigned p = 0; p < places; p++)
            if (__builtin_mul_overflow (around[d], 10, &around[d])
                || around[d] > UINT64_C (1) << 62)
                return false;
    return true;
}

/* Parse sizes with x between them, as many as the points have dimensions. */
static int parse_around (struct question *q, tori_error *err)
{
    const char *at = q->request->around;
    int n = 0, ndims = q->set.points.ndims;
    if (!at)
        return 0;
    while (n < TORI_MAX_DIMS
           && number_scan (&at, UINT64_C (1) << 62, &q->around[n])) {
        n++;
        if (*at != 'x' || !at[1])
            break;
        at++;
    }
    if (*at || n == 0)
        return tori_error_set (err, TORI_INVALID,
                               "--around: '%.60s' is not a list of lengths "
                               "up to 2^62 such as 8x0x8",
                               q->request->around);
    if (n != ndims)
        return tori_error_set (err, TORI_INVALID,
                               "--around: '%.60s' has %d dimensions, the "
                               "points have %d",
                               q->request->around, n, ndims);
    if (!scale_around (q->around, n, q->set.places))
        return tori_error_set (err, TORI_INVALID,
                               "--around: '%.60s' is more than 2^62 in units "
                               "of 1e-%u, those of the points",
                               q->request->around, q->set.places);
    q->set.points.around = q->around;
    return 0;
}

static int parse_shape (struct question *q, tori_error *err)
{
    struct place_space space = {"points have", q->set.points.ndims, false,
                                false};
    q->count = q->request->count;
    if (!q->request->shape)
        return 0;
    if (q->set.places > 0)
        return tori_error_set (err, TORI_INVALID,
                               "--shape needs points with whole coordinates");
    if (place_parse_shape (q->request->shape, &space, q->count, &q->shape,
                           err)
        < 0)
        return -1;
    if (q->count == 0)
        q->count = tori_shape_volume (&q->shape);
    return 0;
}

/* ---- the answer ---- */

struct chosen_points {
    const struct pointset *set;
    const size_t *chosen;
    size_t count;
    uint64_t pairwise;
};

/* Coordinate d of the i-th chosen point. */
static void format_coord (const struct chosen_points *answer, size_t i, int d,
                          char text[POINTSET_TEXT])
{
    const tori_points *points = &answer->set->points;
    int64_t value
        = points->coords[answer->chosen[i] * (size_t)points->ndims
                         + (size_t)d];
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    pointset_format (size, value < 0, answer->set->places, text);
}

static double find_average (const struct chosen_points *answer)
{
    return place_average (answer->pairwise, (double)answer->count)
           / pow (10, answer->set->places);
}

static void emit_points (struct emit *e, const char *key,
                         const struct chosen_points *answer)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < answer->count && !ferror (e->out); i++) {
        emit_open (e, NULL, '[');
        for (int d = 0; d < answer->set->points.ndims; d++) {
            char text[POINTSET_TEXT];
            format_coord (answer, i, d, text);
            emit_number (e, NULL, text);
        }
        emit_close (e, ']');
    }
    emit_close (e, ']');
}

static void emit_indexes (struct emit *e, const char *key,
                          const struct chosen_points *answer)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < answer->count && !ferror (e->out); i++)
        emit_count (e, NULL, answer->chosen[i]);
    emit_close (e, ']');
}

static int emit_answer (const struct asked *asked,
                        const struct chosen_points *answer, FILE *out,
                        tori_error *err)
{
    struct emit e = emit_to (out);
    char sum[POINTSET_TEXT];
    pointset_format (answer->pairwise, false, answer->set->places, sum);
    asked_open (&e, asked->path, asked->command, asked->values);
    emit_flag (&e, "placed", true);
    emit_points (&e, "nodes", answer);
    emit_indexes (&e, "indexes", answer);
    emit_number (&e, "pairwise", sum);
    emit_real (&e, "average", find_average (answer));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const struct chosen_points *answer, FILE *out)
{
    char text[POINTSET_TEXT];
    fprintf (out, "placed    %zu point%s\n", answer->count,
             answer->count == 1 ? "" : "s");
    for (size_t i = 0; i < answer->count && !ferror (out); i++) {
        for (int d = 0; d < answer->set->points.ndims; d++) {
            format_coord (answer, i, d, text);
            fprintf (out, "%s%s", d ? "," : "  ", text);
        }
        fputc ('\n', out);
    }
    pointset_format (answer->pairwise, false, answer->set->places, text);
    fprintf (out, "pairwise  %s\naverage   %.4g\n", text,
             find_average (answer));
}

static int choose_points (const struct question *q,
                          const tori_alloc_config *options, size_t *chosen,
                          uint64_t *ret_pairwise, tori_error *err)
{
    const tori_points *points = &q->set.points;
    if (q->shape.ndims)
        return tori_points_choose_box (points, q->count, &q->shape,
                                       q->request->fixed, chosen,
                                       ret_pairwise, err);
    return tori_points_choose (options, points, q->count, chosen, ret_pairwise,
                               err);
}

/* Print what a search knew when it gave up, and return its error. */
static int answer_gave_up (const struct question *q, const tori_search *search,
                           const tori_error *why, FILE *out, tori_error *err)
{
    struct chosen_points best = {&q->set, search->chosen, q->count, 0};
    bool json = q->request->json != NULL;
    struct emit e = emit_to (out);
    if (!json)
        return place_no_answer (why, search, json, err);
    place_gave_up (&e, q->request->json, search, why->text);
    if (search->found) {
        emit_points (&e, "best_nodes", &best);
        emit_indexes (&e, "best_indexes", &best);
    }
    emit_close (&e, '}');
    if (emit_end (&e, err) < 0)
        return -1;
    return place_no_answer (why, search, json, err);
}

/* Bring the sums of a search from the units of the points to 1. The text of
 * the error keeps its sums, so it names their unit. */
static void convert_sums (unsigned places, tori_search *search,
                          tori_error *why)
{
    tori_error told = *why;
    search->best /= pow (10, places);
    search->at_least /= pow (10, places);
    if (places > 0 && search->steps > 0)
        tori_error_set (why, told.status, "%s; these sums are in units of "
                        "1e-%u", told.text, places);
}

/* Choose into `chosen` and, if the search gives up, into `best`; both have
 * room for all points. */
static int answer_points (const struct question *q, size_t *chosen,
                          size_t *best, FILE *out, tori_error *err)
{
    const struct place_points *request = q->request;
    struct chosen_points answer = {&q->set, chosen, q->count, 0};
    tori_search search = {.chosen = best};
    tori_alloc_config options = request->options;
    struct progress progress;
    tori_error why;
    int status;
    options.name = q->alloc;
    options.search = &search;
    place_show (&options, &progress);
    progress_begin (&progress);
    status = choose_points (q, &options, chosen, &answer.pairwise, &why);
    progress_end (&progress);
    if (status < 0) {
        if (why.status == TORI_NOT_NOW)
            return place_refused (TORI_NUMERICAL, why.text, request->json,
                                  NULL, out, err);
        if (why.status == TORI_GAVE_UP) {
            convert_sums (q->set.places, &search, &why);
            return answer_gave_up (q, &search, &why, out, err);
        }
        *err = why;
        return -1;
    }
    if (request->json)
        return emit_answer (request->json, &answer, out, err);
    print_answer (&answer, out);
    return 0;
}

int place_points (const struct place_points *request, FILE *out,
                  tori_error *err)
{
    struct question q = {.request = request};
    size_t n, *chosen = NULL;
    int status = -1;
    if (choose_allocator (request, &q.alloc, err) < 0
        || pointset_read (request->path, &q.set, err) < 0
        || parse_around (&q, err) < 0 || parse_shape (&q, err) < 0)
        goto done;
    n = q.set.points.n;
    chosen = calloc (2 * n, sizeof *chosen);
    if (!chosen) {
        tori_error_nomem (err);
        goto done;
    }
    status = answer_points (&q, chosen, chosen + n, out, err);
done:
    free (chosen);
    pointset_clear (&q.set);
    return status;
}
