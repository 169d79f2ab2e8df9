/* cells_serve.c - the simulations of grids, for a process that runs many. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <jansson.h>

#include "cell.h"

/* The words point into the request. */
struct request {
    json_t *json;
    char **words;
    size_t n;
};

static void clear_request (struct request *request)
{
    json_decref (request->json);
    free (request->words);
}

static int read_request (const char *text, struct request *ret_request,
                         tori_error *err)
{
    struct request *it = ret_request;
    const json_t *words;
    *it = (struct request){.json = json_loads (text, 0, NULL)};
    words = json_object_get (it->json, "words");
    if (!json_is_array (words))
        return tori_error_set (err, TORI_INVALID, "bad request");
    it->n = json_array_size (words);
    it->words = calloc (it->n + 1, sizeof *it->words);
    if (!it->words)
        return tori_error_nomem (err);
    for (size_t i = 0; i < it->n; i++) {
        const char *word = json_string_value (json_array_get (words, i));
        if (!word)
            return tori_error_set (err, TORI_INVALID, "bad request");
        it->words[i] = (char *)(uintptr_t)word;
    }
    return 0;
}

/* ---- to check ---- */

static void answer_check (const struct cell_line *line, struct emit *e)
{
    emit_open (e, NULL, '{');
    emit_json (e, "config", line->key);
    if (line->values.shapes < 0)
        emit_text (e, "shaped", tori_shaping_name (shaping_of (&line->values)));
    emit_close (e, '}');
}

static void answer_left_out (const tori_error *why, struct emit *e)
{
    emit_open (e, NULL, '{');
    emit_text (e, "left_out", why->text);
    emit_close (e, '}');
}

static int check_cell (const struct request *request, struct emit *e,
                       tori_error *err)
{
    struct cell_line line;
    tori_error why = {0};
    int status = cell_parse (
        request->words, request->n,
        json_integer_value (json_object_get (request->json, "seeds")), &line,
        &why, err);
    if (status == 0)
        status = sim_run_suits (&line.values, &why, err);
    if (status == 0)
        answer_check (&line, e);
    else if (status > 0)
        answer_left_out (&why, e);
    cell_line_clear (&line);
    return status < 0 ? -1 : 0;
}

/* ---- to run ---- */

static void write_jobs (const struct cell_jobs *jobs, FILE *out)
{
    fprintf (out, "{\"jobs\":%zu,\"groups\":%s}\n", jobs->n,
             jobs->group ? "true" : "false");
    if (!jobs->ran)
        return;
    fwrite (jobs->ran, sizeof *jobs->ran, jobs->n, out);
    for (int m = 0; m < JOB_MEASURES; m++)
        fwrite (jobs->value[m], sizeof *jobs->value[m], jobs->n, out);
    if (jobs->group)
        fwrite (jobs->group, sizeof *jobs->group, jobs->n, out);
}

static int run_cell (const struct request *request, FILE *out,
                     tori_error *err)
{
    struct cell_line line;
    struct cell_jobs jobs = {0};
    tori_error why = {0};
    char *outcome = NULL;
    bool wanted = json_is_true (json_object_get (request->json, "jobs"));
    int status = cell_parse (request->words, request->n, 1, &line, &why, err);
    if (status > 0)
        status = tori_error_set (err, why.status, "%s", why.text);
    if (status == 0)
        status = cell_run (
            &line,
            json_string_value (json_object_get (request->json, "log")),
            wanted ? &jobs : NULL, &outcome, err);
    if (status == 0)
        fprintf (out, "%s\n", outcome);
    if (status == 0 && wanted)
        write_jobs (&jobs, out);
    free (outcome);
    cell_jobs_clear (&jobs);
    cell_line_clear (&line);
    return status;
}

/* ---- requests ---- */

static void answer_request (const char *text, FILE *out)
{
    struct request request;
    struct emit e = emit_to (out);
    tori_error err = {0}, nomem = {0};
    int status = read_request (text, &request, &err);
    bool checks = json_object_get (request.json, "seeds");
    if (status == 0)
        status = checks ? check_cell (&request, &e, &err)
                        : run_cell (&request, out, &err);
    if (status < 0) {
        emit_open (&e, NULL, '{');
        emit_whole (&e, "status", err.status);
        emit_text (&e, "error", err.text);
        emit_close (&e, '}');
    }
    if (status < 0 || checks)
        (void)emit_end (&e, &nomem);
    clear_request (&request);
}

int cells_serve (void)
{
    char *line = NULL;
    size_t room = 0;
    /* A simulation may take hours, and nobody waits for it any more. */
    (void)prctl (PR_SET_PDEATHSIG, SIGKILL);
    while (getline (&line, &room, stdin) > 0) {
        answer_request (line, stdout);
        if (fflush (stdout) != 0)
            break;
    }
    free (line);
    return 0;
}
