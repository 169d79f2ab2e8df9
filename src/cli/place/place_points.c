#include "place.h"

#include <inttypes.h>
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
    const tori_points *points;
    const size_t *chosen;
    size_t count;
    uint64_t pairwise;
};

static const int64_t *point_of (const struct chosen_points *answer, size_t i)
{
    return answer->points->coords
           + answer->chosen[i] * (size_t)answer->points->ndims;
}

static void emit_points (struct emit *e, const char *key,
                         const struct chosen_points *answer)
{
    emit_open (e, key, '[');
    for (size_t i = 0; i < answer->count && !ferror (e->out); i++) {
        emit_open (e, NULL, '[');
        for (int d = 0; d < answer->points->ndims; d++)
            emit_whole (e, NULL, point_of (answer, i)[d]);
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
    asked_open (&e, asked->path, asked->command, asked->values);
    emit_flag (&e, "placed", true);
    emit_points (&e, "nodes", answer);
    emit_indexes (&e, "indexes", answer);
    emit_count (&e, "pairwise", answer->pairwise);
    emit_real (&e, "average",
               place_average (answer->pairwise, (double)answer->count));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const struct chosen_points *answer, FILE *out)
{
    fprintf (out, "placed    %zu point%s\n", answer->count,
             answer->count == 1 ? "" : "s");
    for (size_t i = 0; i < answer->count && !ferror (out); i++) {
        const int64_t *point = point_of (answer, i);
        for (int d = 0; d < answer->points->ndims; d++)
            fprintf (out, "%s%" PRId64, d ? "," : "  ", point[d]);
        fputc ('\n', out);
    }
    fprintf (out, "pairwise  %" PRIu64 "\naverage   %.4g\n",
             answer->pairwise,
             place_average (answer->pairwise, (double)answer->count));
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
    struct chosen_points best = {&q->set.points, search->chosen, q->count, 0};
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

/* Choose into `chosen` and, if the search gives up, into `best`; both have
 * room for all points. */
static int answer_points (const struct question *q, size_t *chosen,
                          size_t *best, FILE *out, tori_error *err)
{
    const struct place_points *request = q->request;
    struct chosen_points answer = {&q->set.points, chosen, q->count, 0};
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
        if (why.status == TORI_GAVE_UP)
            return answer_gave_up (q, &search, &why, out, err);
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
