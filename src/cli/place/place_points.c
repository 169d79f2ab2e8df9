#include "place.h"

#include <math.h>
#include <stdlib.h>

#include "asked.h"
#include "choice.h"
#include "commands.h"
#include "number.h"
#include "place_answer.h"
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

static void print_answer (const struct place_job *job, FILE *out)
{
    const struct chosen_points *answer = job->points;
    fprintf (out, "placed    %zu point%s\n", answer->count,
             answer->count == 1 ? "" : "s");
    for (size_t i = 0; i < answer->count && !ferror (out); i++) {
        for (int d = 0; d < answer->set->points.ndims; d++) {
            char text[POINTSET_TEXT];
            chosen_format (answer, i, d, text);
            fprintf (out, "%s%s", d ? "," : "  ", text);
        }
        fputc ('\n', out);
    }
    fprintf (out, "pairwise  %s\naverage   %.4g\n", job->sum, job->average);
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

static int answer_chosen (struct place_job *job, FILE *out, tori_error *err)
{
    job->placed = true;
    job->average = place_average (job->pairwise, (double)job->points->count)
                   / pow (10, job->points->set->places);
    pointset_format (job->pairwise, false, job->points->set->places, job->sum);
    if (job->values->json)
        return asked_emit (job->command, job->values, job, out, err);
    print_answer (job, out);
    return 0;
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
    struct chosen_points answer = {&q->set, chosen, q->count};
    struct place_job job = {.command = q->request->command,
                            .values = q->request->values,
                            .search = {.chosen = best},
                            .points = &answer};
    tori_alloc_config options = q->request->options;
    tori_error why;
    int status;
    options.name = q->alloc;
    options.search = &job.search;
    place_show (&options, tori_alloc_find (q->alloc), &job.progress);
    progress_begin (&job.progress);
    status = choose_points (q, &options, chosen, &job.pairwise, &why);
    progress_end (&job.progress);
    if (status == 0)
        return answer_chosen (&job, out, err);
    if (why.status == TORI_NOT_NOW)
        return place_answer_refused (&job, TORI_NUMERICAL, why.text, out, err);
    answer.chosen = best;
    if (why.status == TORI_GAVE_UP) {
        convert_sums (q->set.places, &job.search, &why);
        return place_answer_gave_up (&job, &why, out, err);
    }
    *err = why;
    return -1;
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
