#include "topdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/machine.h>

#include "caller.h"
#include "clock.h"
#include "jobs.h"
#include "jobtable.h"
#include "map.h"
#include "missing.h"

/* Of a longer queue, these are shown. */
enum { QUEUED_MOST = 500, BOX_MOST = 1 << 17 };

/* ---- asking ---- */

/* A job keeps its letter for as long as it runs; many jobs share them. */
static char letter_of (uint64_t job)
{
    static const char all[]
        = "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return all[job % (sizeof all - 1)];
}

static void take_node (struct top_data *data, const json_t *node)
{
    const char *state = job_text (node, "state");
    uint64_t id = (uint64_t)job_number (node, "id");
    uint64_t job = (uint64_t)job_number (node, "job");
    if (id >= tori_machine_nodes (data->machine))
        return;
    data->owner[id] = job;
    data->letters[id] = job                       ? letter_of (job)
                        : !strcmp (state, "free") ? '.'
                        : !strcmp (state, "down") ? 'x'
                        : !strcmp (state, "busy") ? '#'
                                                  : '-';
    data->busy += data->owner[id] > 0 || data->letters[id] == '#';
    data->free += data->letters[id] == '.';
    data->out += data->letters[id] == 'x' || data->letters[id] == '-';
}

static int find_largest (struct top_data *data, tori_error *err)
{
    uint32_t n = tori_machine_nodes (data->machine);
    struct missing missing = {0};
    tori_state *state = NULL;
    tori_box box;
    int status;
    if (n > BOX_MOST)
        return 0;
    status = tori_state_create (data->machine, &state, err);
    for (uint32_t i = 0; status == 0 && i < n; i++)
        if (data->letters[i] != '.')
            status = tori_state_set_down (state, i, true, err);
    if (status == 0)
        status = missing_create (state, &missing, err);
    if (status == 0 && missing_largest (&missing, &box))
        data->largest = box.shape;
    missing_clear (&missing);
    tori_state_destroy (state);
    return status;
}

static int fetch_machine (const char *socket, struct top_data *data,
                          tori_error *err)
{
    json_t *machine = NULL;
    uint32_t n;
    int status;
    if (call (socket, "GET", "/v1/machine", NULL, &machine, err) < 0)
        return -1;
    snprintf (data->name, sizeof data->name, "%s",
              job_text (machine, "machine"));
    json_decref (machine);
    status = tori_machine_parse (data->name, &data->machine, err);
    if (status < 0)
        return -1;
    n = tori_machine_nodes (data->machine);
    data->owner = calloc (n, sizeof *data->owner);
    data->letters = malloc (n);
    if (!data->owner || !data->letters)
        return tori_error_nomem (err);
    memset (data->letters, '.', n);
    return 0;
}

static int fetch_nodes (const char *socket, struct top_data *data,
                        tori_error *err)
{
    json_t *nodes = json_array ();
    int status = call_pages (socket, "/v1/nodes?limit=65536", "nodes", nodes,
                             err);
    for (size_t i = 0; status == 0 && i < json_array_size (nodes); i++)
        take_node (data, json_array_get (nodes, i));
    json_decref (nodes);
    return status;
}

static int fetch_jobs (const char *socket, struct top_data *data,
                       tori_error *err)
{
    char path[64];
    json_t *page = NULL;
    data->jobs = json_array ();
    if (jobs_fetch (socket, "running", NULL, data->jobs, err) < 0)
        return -1;
    data->running = json_array_size (data->jobs);
    snprintf (path, sizeof path, "/v1/jobs?state=queued&limit=%d",
              QUEUED_MOST);
    if (call (socket, "GET", path, NULL, &page, err) < 0)
        return -1;
    json_array_extend (data->jobs, json_object_get (page, "jobs"));
    data->queued = json_array_size (data->jobs) - data->running;
    data->more = json_object_get (page, "next");
    json_decref (page);
    return 0;
}

int top_fetch (const char *socket, struct top_data *ret_data, tori_error *err)
{
    struct top_data data = {0};
    if (fetch_machine (socket, &data, err) < 0
        || fetch_nodes (socket, &data, err) < 0
        || fetch_jobs (socket, &data, err) < 0
        || find_largest (&data, err) < 0) {
        top_clear (&data);
        return -1;
    }
    *ret_data = data;
    return 0;
}

void top_clear (struct top_data *data)
{
    tori_machine_destroy (data->machine);
    free (data->owner);
    free (data->letters);
    json_decref (data->jobs);
    *data = (struct top_data){0};
}

/* ---- colours ---- */

static void put_coloured (uint64_t job, char letter, FILE *out)
{
    fprintf (out, "\033[%dm%c\033[m",
             (int)(job % 12 < 6 ? 31 + job % 12 : 85 + job % 12), letter);
}

static void put_letter (void *arg, uint32_t node, char letter, FILE *out)
{
    const struct top_data *data = arg;
    uint64_t job = data->owner[node];
    if (job)
        put_coloured (job, letter, out);
    else if (letter == 'x' || letter == '-')
        fprintf (out, "\033[%dm%c\033[m", letter == 'x' ? 7 : 2, letter);
    else
        fputc (letter, out);
}

/* ---- lines ---- */

/* At most so many characters of UTF-8. */
static size_t fitting (const char *text, size_t columns)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (((unsigned char)text[n] & 0xc0) != 0x80 && columns-- == 0)
            break;
    return n;
}

static void put_line (FILE *out, const struct top_view *view,
                      const char *style, const char *text)
{
    int n = (int)(view->whole ? strlen (text)
                              : fitting (text, view->columns));
    if (view->colour && style)
        fprintf (out, "\033[%sm%.*s\033[m\n", style, n, text);
    else
        fprintf (out, "%.*s\n", n, text);
}

/* A job that runs has the colour of its nodes. */
static void put_job (FILE *out, struct top_view *view, const char *text)
{
    uint64_t id = strtoull (text + (*text != '\0'), NULL, 10);
    if (!view->colour || *text == ' ' || view->columns < 1) {
        put_line (out, view, NULL, text);
        return;
    }
    put_coloured (id, *text, out);
    view->columns--;
    put_line (out, view, NULL, text + 1);
    view->columns++;
}

static void put_head (const struct top_data *data,
                      const struct top_view *view, FILE *out)
{
    char text[TORI_TEXT_MAX + 200], box[TORI_TEXT_MAX], now[CLOCK_TEXT_MAX];
    uint32_t usable = data->busy + data->free;
    clock_format (clock_now (), now);
    snprintf (text, sizeof text,
              "%s: %u of %u nodes busy (%.0f %%), %u free, %u out of service",
              data->name, data->busy, usable + data->out,
              usable ? 100.0 * data->busy / usable : 0.0, data->free,
              data->out);
    put_line (out, view, "1", text);
    tori_shape_format (&data->largest, box);
    snprintf (text, sizeof text,
              "%s  %zu run, %zu%s wait; largest free box: %s (%" PRIu64
              " nodes)",
              now, data->running, data->queued, data->more ? "+" : "",
              data->largest.ndims ? box : "none",
              data->largest.ndims ? tori_shape_volume (&data->largest) : 0);
    put_line (out, view, NULL, text);
    if (view->trouble)
        put_line (out, view, "31", view->trouble);
}

static unsigned put_map (const struct top_data *data, struct top_view *view,
                         unsigned room, FILE *out)
{
    struct map_paint paint = {put_letter, (void *)(uintptr_t)data};
    struct map_plan plan;
    map_plan (data->machine, view->columns, room, &plan);
    view->planes = plan.beside * plan.bands;
    if (view->planes >= plan.planes)
        view->plane = 0;
    else if (view->plane > plan.planes - view->planes)
        view->plane = plan.planes - view->planes;
    if (plan.lines > room || plan.cell_columns > view->columns)
        return 0;
    map_draw_planes (data->machine, &plan, data->letters, view->plane,
                     view->colour ? &paint : NULL, out);
    return plan.lines;
}

/* ---- jobs ---- */

static uint64_t nodes_of (const json_t *job)
{
    tori_shape shape;
    return tori_shape_parse (job_text (job, "shape"), &shape, NULL) == 0
               ? tori_shape_volume (&shape)
               : (uint64_t)job_number (job, "count");
}

static int compare_jobs (const void *a, const void *b, void *arg)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    const enum top_order *order = arg;
    uint64_t p = nodes_of (x), q = nodes_of (y);
    tori_time s = job_time (x, "estimate"), t = job_time (y, "estimate");
    int by = *order == BY_USER
                 ? strcmp (job_text (x, "user"), job_text (y, "user"))
             : *order == BY_NODES ? (p < q) - (p > q)
             : *order == BY_TIME  ? (s < t) - (s > t)
                                  : 0;
    if (by == 0)
        by = job_is (y, "running") - job_is (x, "running");
    return by ? by
              : (job_number (x, "id") > job_number (y, "id"))
                    - (job_number (x, "id") < job_number (y, "id"));
}

/* The jobs in the order that is wished for: a new list. */
static json_t *sort_jobs (const struct top_data *data, enum top_order order)
{
    size_t n = json_array_size (data->jobs);
    json_t **all = calloc (n + 1, sizeof *all), *list = json_array ();
    for (size_t i = 0; all && i < n; i++)
        all[i] = json_array_get (data->jobs, i);
    if (all)
        qsort_r (all, n, sizeof *all, compare_jobs, &order);
    for (size_t i = 0; all && i < n; i++)
        json_array_append (list, all[i]);
    free (all);
    return list;
}

static char *table_text (const json_t *jobs)
{
    struct table *table = job_table (true);
    char *text = NULL;
    size_t size, same;
    FILE *to = open_memstream (&text, &size);
    for (size_t i = 0; i < json_array_size (jobs); i += same) {
        const json_t *job = json_array_get (jobs, i);
        same = jobs_alike (jobs, i);
        job_table_add (table, job, same,
                       job_is (job, "running")
                           ? letter_of ((uint64_t)job_number (job, "id"))
                           : ' ');
    }
    if (to) {
        (void)table_print (table, to, false, NULL);
        fclose (to);
    }
    table_destroy (table);
    return text;
}

static size_t count_lines (const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* A head, and as many of the lines below as fit, from one on. */
static void put_jobs (const struct top_data *data, struct top_view *view,
                      size_t room, FILE *out)
{
    json_t *jobs = sort_jobs (data, view->order);
    char *text = table_text (jobs), *at = text;
    size_t n = text ? count_lines (text) : 0, skip;
    json_decref (jobs);
    view->page = room > 1 ? room - 1 : 0;
    if (n < 1 || view->page == 0) {
        free (text);
        return;
    }
    skip = n - 1 > view->page ? n - 1 - view->page : 0;
    if (view->scroll > skip)
        view->scroll = skip;
    for (size_t i = 0; i < n && i < view->scroll + view->page + 1; i++) {
        char *end = at + strcspn (at, "\n");
        *end = '\0';
        if (i == 0)
            put_line (out, view, "7", at);
        else if (i > view->scroll)
            put_job (out, view, at);
        at = end + 1;
    }
    free (text);
}

static void put_keys (const struct top_view *view, FILE *out)
{
    static const char *const orders[TOP_ORDERS]
        = {"state", "user", "nodes", "time"};
    char text[160];
    snprintf (text, sizeof text,
              "q quit  arrows scroll  s sort (by %s)  m %s map",
              orders[view->order], view->no_map ? "show" : "hide");
    put_line (out, view, "2", text);
}

/* The map may have what the jobs do not need, and two thirds of the rest. */
static unsigned map_room (const struct top_data *data,
                          const struct top_view *view, unsigned used)
{
    enum { ALL = 60, GAPS = 2 };
    unsigned left = view->rows > used + GAPS ? view->rows - used - GAPS : 0;
    size_t wanted = json_array_size (data->jobs) + 1;
    if (view->no_map)
        return 0;
    if (!view->rows)
        return ALL;
    return wanted < left / 3 ? left - (unsigned)wanted : left - left / 3;
}

char *top_frame (const struct top_data *data, struct top_view *view)
{
    enum { HEAD = 2, LEAST = 4 };
    unsigned used = HEAD + (view->trouble != NULL) + view->live;
    unsigned room = map_room (data, view, used);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    if (!out)
        return NULL;
    put_head (data, view, out);
    if (room >= LEAST) {
        fputc ('\n', out);
        used += 2 + put_map (data, view, room, out);
        fputc ('\n', out);
    }
    put_jobs (data, view,
              !view->rows         ? SIZE_MAX / 2
              : view->rows > used ? view->rows - used
                                  : 0,
              out);
    if (view->live)
        put_keys (view, out);
    fclose (out);
    return text;
}
