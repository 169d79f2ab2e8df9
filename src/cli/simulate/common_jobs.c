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

static size_t count_policies (const struct scene *scene)
{
    return (scene->end - scene->first) / scene->cells->design->seeds;
}

/* Whether the policies of the scene may have run different jobs. */
static bool is_uneven (const struct scene *scene)
{
    bool lost = false;
    for (size_t i = scene->first; i < scene->end; i++)
        lost |= has_losses (scene->cells->outcome[i]);
    return lost && count_policies (scene) > 1;
}

/* Whether the scene has been compared, by these policies. */
static bool is_known (const struct scene *scene)
{
    bool known = true;
    for (size_t i = scene->first; i < scene->end; i++) {
        const json_t *outcome = scene->cells->outcome[i];
        const json_t *is = json_object_get (outcome, "compared");
        known &= json_object_get (outcome, "error")
                 || (size_t)json_integer_value (
                        json_object_get (is, "policies"))
                        == count_policies (scene);
    }
    return known;
}

/* The common jobs of a group. */
struct group_sums {
    uint64_t jobs;
    double wait, slowdown;
};

static void add_groups (const struct cell_jobs *jobs, const bool *common,
                        struct group_sums sums[])
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct group_sums *of = &sums[jobs->group[i]];
        if (!common[i])
            continue;
        of->jobs++;
        of->wait += jobs->value[JOB_WAIT][i];
        of->slowdown += jobs->value[JOB_BOUNDED_SLOWDOWN][i];
    }
}

/* The means of each group over the common jobs, by the names that the outcome
 * has for the groups. */
static void emit_groups (struct emit *e, const json_t *by,
                         const struct cell_jobs *jobs, const bool *common)
{
    size_t n = json_array_size (by);
    struct group_sums *sums = calloc (n + 1, sizeof *sums);
    if (!sums) {
        e->nomem = true;
        return;
    }
    add_groups (jobs, common, sums);
    emit_open (e, "by", '[');
    for (size_t g = 0; g < n; g++) {
        const json_t *name = json_object_get (json_array_get (by, g), "name");
        double ran = (double)sums[g].jobs;
        emit_open (e, NULL, '{');
        emit_text (e, "name", json_string_value (name));
        emit_count (e, "jobs", sums[g].jobs);
        emit_real (e, "wait", ran > 0 ? sums[g].wait / ran : NAN);
        emit_real (e, "bounded_slowdown",
                   ran > 0 ? sums[g].slowdown / ran : NAN);
        emit_close (e, '}');
    }
    emit_close (e, ']');
    free (sums);
}

static char *write_member (const json_t *outcome, const struct cell_jobs *jobs,
                           const bool *common, size_t n, size_t policies)
{
    const json_t *by = json_object_get (outcome, "by");
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
    if (by && jobs->group)
        emit_groups (&e, by, jobs, common);
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
        member = write_member (cells->outcome[i], &cells->jobs[i], common,
                               ncommon, (scene->end - scene->first) / seeds);
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

/* The scene after another one; false if there is none. */
static bool next_scene (struct scene *scene)
{
    const struct design *design = scene->cells->design;
    scene->first = scene->end;
    while (scene->end < design->n
           && design->cell[scene->end].scene
                  == design->cell[scene->first].scene)
        scene->end++;
    return scene->first < design->n;
}

int common_jobs_compare (struct cells *cells, const struct cells_how *how,
                         tori_error *err)
{
    struct scene scene = {.cells = cells};
    bool kept = cells->jobs;
    int status = 0;
    while (status == 0 && next_scene (&scene)) {
        if (!is_uneven (&scene) || is_known (&scene))
            continue;
        if (!kept)
            status = cells_again (cells, how, scene.first, scene.end, err);
        if (status == 0)
            status = compare_scene (&scene, err);
        if (!kept)
            cells_drop_jobs (cells);
    }
    return status;
}

int common_jobs_regroup (struct cells *cells, int by, unsigned workers,
                         tori_error *err)
{
    const struct cells_how how = {.workers = workers, .by = 1 + by};
    struct scene scene = {.cells = cells};
    int status = 0;
    cells->by = by;
    while (status == 0 && next_scene (&scene)) {
        status = cells_again (cells, &how, scene.first, scene.end, err);
        if (status == 0 && is_uneven (&scene))
            status = compare_scene (&scene, err);
        cells_drop_jobs (cells);
    }
    return status;
}
