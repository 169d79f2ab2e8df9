#include "common_jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"

#define MEMBER ",\"compared\":{"

const char *common_jobs_name (enum job_measure measure)
{
    static const char *const names[JOB_MEASURES] = {
        [JOB_RESPONSE] = "response",
        [JOB_WAIT] = "wait",
        [JOB_BOUNDED_SLOWDOWN] = "bounded_slowdown",
        [JOB_DISTANCE] = "average",
    };
    return names[measure];
}

static bool has_losses (const json_t *outcome)
{
    const json_t *result = json_object_get (outcome, "result");
    return json_integer_value (json_object_get (result, "rejected")) > 0
           || json_integer_value (json_object_get (result, "killed")) > 0
           || json_integer_value (json_object_get (outcome, "hopeless")) > 0;
}

/* The cells of a scene are [first, end). */
struct scene {
    struct cells *cells;
    size_t first, end;
};

/* Whether the scene has to be compared, by these policies for the first
 * time. */
static bool is_due (const struct scene *scene)
{
    const struct design *design = scene->cells->design;
    size_t policies = (scene->end - scene->first) / design->seeds;
    bool lost = false, known = true;
    for (size_t i = scene->first; i < scene->end; i++) {
        const json_t *outcome = scene->cells->outcome[i];
        const json_t *is = json_object_get (outcome, "compared");
        if (json_object_get (outcome, "error"))
            continue;
        lost |= has_losses (outcome);
        known &= (size_t)json_integer_value (json_object_get (is, "policies"))
                 == policies;
    }
    return policies > 1 && lost && !known;
}

static char *write_member (const struct cell_jobs *jobs, const bool *common,
                           size_t n, size_t policies)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    if (!out)
        return NULL;
    emit_open (&e, NULL, '{');
    emit_count (&e, "policies", policies);
    emit_count (&e, "jobs", n);
    for (int m = 0; m < JOB_MEASURES; m++)
        emit_real (&e, common_jobs_name ((enum job_measure)m),
                   cell_jobs_mean (jobs, common, (enum job_measure)m));
    emit_close (&e, '}');
    if (fclose (out) != 0 || e.nomem) {
        free (text);
        return NULL;
    }
    return text;
}

/* Put the member at the end of the line, in place of one that is there. */
static int set_member (struct cells *cells, size_t i, const char *member,
                       tori_error *err)
{
    char *line = cells->line[i], *more = NULL;
    const char *old = strstr (line, MEMBER);
    size_t n = old ? (size_t)(old - line) : strlen (line) - 1;
    json_t *value = json_loads (member, 0, NULL);
    if (!value
        || asprintf (&more, "%.*s,\"compared\":%s}", (int)n, line, member) < 0
        || json_object_set (cells->outcome[i], "compared", value) < 0) {
        json_decref (value);
        free (more);
        return tori_error_nomem (err);
    }
    json_decref (value);
    free (line);
    cells->line[i] = more;
    return 0;
}

/* Compare the cells of a scene with one seed. */
static int compare_seed (const struct scene *scene, size_t seed,
                         const struct cell_jobs *of[], bool *common,
                         tori_error *err)
{
    struct cells *cells = scene->cells;
    size_t seeds = cells->design->seeds, n = 0, ncommon;
    for (size_t i = scene->first + seed; i < scene->end; i += seeds) {
        if (cells->jobs[i].ran)
            of[n++] = &cells->jobs[i];
    }
    ncommon = n > 0 ? cell_jobs_common (of, n, common) : 0;
    for (size_t i = scene->first + seed; i < scene->end; i += seeds) {
        char *member;
        int status;
        if (!cells->jobs[i].ran)
            continue;
        member = write_member (&cells->jobs[i], common, ncommon,
                               (scene->end - scene->first) / seeds);
        status = member ? set_member (cells, i, member, err)
                        : tori_error_nomem (err);
        free (member);
        if (status < 0)
            return -1;
    }
    return 0;
}

static int compare_scene (const struct scene *scene, tori_error *err)
{
    struct cells *cells = scene->cells;
    size_t most = 0;
    const struct cell_jobs **of
        = calloc (scene->end - scene->first, sizeof *of);
    bool *common;
    int status = 0;
    for (size_t i = scene->first; i < scene->end; i++)
        most = cells->jobs[i].n > most ? cells->jobs[i].n : most;
    common = malloc (most + 1);
    if (!of || !common)
        status = tori_error_nomem (err);
    for (size_t s = 0; status == 0 && s < cells->design->seeds; s++)
        status = compare_seed (scene, s, of, common, err);
    free (of);
    free (common);
    return status;
}

int common_jobs_compare (struct cells *cells, const struct cells_how *how,
                         tori_error *err)
{
    const struct design *design = cells->design;
    struct scene scene = {.cells = cells};
    int status = 0;
    for (; status == 0 && scene.first < design->n; scene.first = scene.end) {
        scene.end = scene.first;
        while (scene.end < design->n
               && design->cell[scene.end].scene
                      == design->cell[scene.first].scene)
            scene.end++;
        if (!is_due (&scene))
            continue;
        status = cells_again (cells, how, scene.first, scene.end, err);
        if (status == 0)
            status = compare_scene (&scene, err);
        cells_drop_jobs (cells);
    }
    return status;
}
