#include "place.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emit.h"
#include "pointset.h"

/* ---- the allocator ---- */

/* Those that take points, for the error that one does not. */
static void list_takers (char *text, size_t size)
{
    const tori_alloc_info *info;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (info = tori_alloc_list (i)); i++)
        if (info->points && used < size)
            used += (size_t)snprintf (text + used, size - used, "%s%s",
                                      used ? ", " : "", info->name);
}

static int choose_allocator (const struct place_points *request,
                             const char **ret_name, tori_error *err)
{
    const tori_alloc_info *info = request->alloc;
    char takers[400];
    for (size_t i = 0; !info && tori_alloc_list (i); i++)
        if (tori_alloc_list (i)->points)
            info = tori_alloc_list (i);
    if (info && info->points) {
        *ret_name = info->name;
        return 0;
    }
    list_takers (takers, sizeof takers);
    return tori_error_set (err, TORI_INVALID,
                           "--alloc: %s takes no points, only %s do",
                           info ? info->name : "any allocator", takers);
}

/* ---- the answer ---- */

struct answer {
    const tori_points *points;
    const size_t *chosen;
    size_t count;
    uint64_t pairwise;
};

static const int64_t *point_of (const struct answer *answer, size_t i)
{
    return answer->points->coords
           + answer->chosen[i] * (size_t)answer->points->ndims;
}

static int emit_answer (const struct answer *answer, FILE *out,
                        tori_error *err)
{
    struct emit e = emit_to (out);
    emit_open (&e, NULL, '{');
    emit_flag (&e, "placed", true);
    emit_open (&e, "nodes", '[');
    for (size_t i = 0; i < answer->count && !ferror (out); i++) {
        emit_open (&e, NULL, '[');
        for (int d = 0; d < answer->points->ndims; d++)
            emit_whole (&e, NULL, point_of (answer, i)[d]);
        emit_close (&e, ']');
    }
    emit_close (&e, ']');
    emit_count (&e, "pairwise", answer->pairwise);
    emit_real (&e, "average",
               place_average (answer->pairwise, (double)answer->count));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const struct answer *answer, FILE *out)
{
    fprintf (out, "placed    %zu points\n", answer->count);
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

/* Choose, into `chosen`, which has room for as many as there are. */
static int choose (const struct place_points *request, const char *alloc,
                   const tori_points *points, size_t *chosen, FILE *out,
                   tori_error *err)
{
    struct answer answer = {points, chosen, request->count, 0};
    tori_error why;
    if (tori_points_choose (alloc, points, request->count, &request->options,
                            chosen, &answer.pairwise, &why)
        < 0) {
        if (why.status == TORI_NOT_NOW)
            return place_refused (TORI_NUMERICAL, why.text, request->json,
                                  out, err);
        *err = why;
        return -1;
    }
    if (request->json)
        return emit_answer (&answer, out, err);
    print_answer (&answer, out);
    return 0;
}

int place_points (const struct place_points *request, FILE *out,
                  tori_error *err)
{
    struct pointset set = {0};
    size_t *chosen = NULL;
    const char *alloc = NULL;
    int status = -1;
    if (choose_allocator (request, &alloc, err) < 0
        || pointset_read (request->path, &set, err) < 0)
        goto done;
    chosen = calloc (set.points.n, sizeof *chosen);
    if (!chosen) {
        tori_error_nomem (err);
        goto done;
    }
    status = choose (request, alloc, &set.points, chosen, out, err);
done:
    free (chosen);
    pointset_clear (&set);
    return status;
}
