#include "topdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/machine.h>

#include "http_client.h"
#include "clock.h"
#include "jobs.h"
#include "jobtable.h"

/* At most this many waiting jobs are shown. */
enum { QUEUED_MOST = 500 };

/* ---- asking ---- */

static void take_node (struct top_data *data, const json_t *node)
{
    const char *state = job_text (node, "state");
    uint64_t id = (uint64_t)job_number (node, "id");
    uint64_t job = (uint64_t)job_number (node, "job");
    bool reserved = job_number (node, "reservation") > 0;
    char is;
    if (id >= tori_machine_nodes (data->machine))
        return;
    is = job                       ? '#'
         : !strcmp (state, "free") ? (reserved ? '=' : '.')
         : !strcmp (state, "down") ? 'x'
         : !strcmp (state, "busy") ? '#'
                                   : '-';
    data->picture.owner[id] = job ? job : PICTURE_NOBODY;
    data->picture.text[id] = is;
    data->busy += is == '#';
    data->free += is == '.' || is == '=';
    data->reserved += reserved;
    data->out += is == 'x' || is == '-';
}

static int find_largest (struct top_data *data, tori_error *err)
{
    uint32_t n = tori_machine_nodes (data->machine);
    tori_state *state = NULL;
    tori_box box;
    int status = tori_state_create (data->machine, &state, err);
    for (uint32_t i = 0; status == 0 && i < n; i++)
        if (!strchr (".=", data->picture.text[i]))
            status = tori_state_set_down (state, i, true, err);
    if (status == 0)
        status = tori_state_largest_box (state, false, &box, err);
    if (status > 0)
        data->largest = box.shape;
    tori_state_destroy (state);
    return status < 0 ? -1 : 0;
}

static int fetch_machine (const char *socket, struct top_data *data,
                          tori_error *err)
{
    json_t *machine = NULL;
    if (call (socket, "GET", "/v1/machine", NULL, &machine, err) < 0)
        return -1;
    snprintf (data->name, sizeof data->name, "%s",
              job_text (machine, "machine"));
    json_decref (machine);
    if (tori_machine_parse (data->name, &data->machine, err) < 0)
        return -1;
    return picture_create (data->machine, &data->picture, err);
}

static int fetch_nodes (const char *socket, const struct letters *before,
                        struct top_data *data, tori_error *err)
{
    json_t *nodes = json_array ();
    int status = call_pages (socket, "/v1/nodes?limit=65536", "nodes", nodes,
                             err);
    for (size_t i = 0; status == 0 && i < json_array_size (nodes); i++)
        take_node (data, json_array_get (nodes, i));
    json_decref (nodes);
    return status == 0 ? picture_letter (&data->picture, before, err) : -1;
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
    for (size_t i = data->running; i < json_array_size (data->jobs); i++)
        data->suspended += json_is_true (json_object_get (
            json_array_get (data->jobs, i), "suspended"));
    data->queued = json_array_size (data->jobs) - data->running
                   - data->suspended;
    data->more = json_object_get (page, "next");
    json_decref (page);
    return 0;
}

int top_fetch (const char *socket, const struct letters *before,
               struct top_data *ret_data, tori_error *err)
{
    struct top_data data = {0};
    if (fetch_machine (socket, &data, err) < 0
        || fetch_nodes (socket, before, &data, err) < 0
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
    picture_clear (&data->picture);
    json_decref (data->jobs);
    *data = (struct top_data){0};
}

/* ---- lines ---- */

static void put_head (const struct top_data *data,
                      const struct top_view *view, FILE *out)
{
    char text[TORI_TEXT_MAX + 200], box[TORI_TEXT_MAX], now[CLOCK_TEXT_MAX];
    char rest[40] = "";
    uint32_t usable = data->busy + data->free;
    clock_format (clock_now (), now);
    snprintf (text, sizeof text,
              "%s: %u of %u nodes busy (%.0f %%), %u free, %u out of service",
              data->name, data->busy, usable + data->out,
              usable ? 100.0 * data->busy / usable : 0.0, data->free,
              data->out);
    if (data->reserved > 0)
        snprintf (text + strlen (text), sizeof text - strlen (text),
                  ", %u reserved", data->reserved);
    screen_line (&view->screen, "1", text, out);
    tori_shape_format (&data->largest, box);
    if (data->suspended > 0)
        snprintf (rest, sizeof rest, ", %zu suspended", data->suspended);
    snprintf (text, sizeof text,
              "%s  %zu run, %zu%s wait%s; largest free box: %s (%" PRIu64
              " nodes)",
              now, data->running, data->queued, data->more ? "+" : "",
              rest,
              data->largest.ndims ? box : "none",
              data->largest.ndims ? tori_shape_volume (&data->largest) : 0);
    screen_line (&view->screen, NULL, text, out);
    if (view->trouble)
        screen_line (&view->screen, "31", view->trouble, out);
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
    tori_time s = job_time (x, "time_limit"), t = job_time (y, "time_limit");
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

/* The jobs in the chosen order: a new list. */
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

static char *table_text (const json_t *jobs, const struct letters *letters)
{
    struct table *table = job_table (JOB_COLUMNS_LETTERS);
    char *text = NULL;
    size_t size, same;
    FILE *to;
    for (size_t i = 0; i < json_array_size (jobs); i += same) {
        const json_t *job = json_array_get (jobs, i);
        same = jobs_alike (jobs, i);
        job_table_add (table, JOB_COLUMNS_LETTERS, job, same,
                       letters_of (letters,
                                   (uint64_t)job_number (job, "id")));
    }
    to = open_memstream (&text, &size);
    if (!to) {
        table_destroy (table);
        return NULL;
    }
    (void)table_print (table, to, false, NULL);
    fclose (to);
    return text;
}

static size_t count_lines (const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Print a head, and as many lines as fit, from a given one on. */
static void put_jobs (const struct top_data *data, struct top_view *view,
                      size_t room, FILE *out)
{
    json_t *jobs = sort_jobs (data, view->order);
    char *text = table_text (jobs, &data->picture.letters);
    char *at = text;
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
            screen_line (&view->screen, "7", at, out);
        else if (i > view->scroll)
            screen_lettered (&view->screen, *at, at + 1, out);
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
    screen_line (&view->screen, "2", text, out);
}

/* The map gets the lines that the jobs do not need, and two thirds of the
 * rest. */
static unsigned map_room (const struct top_data *data,
                          const struct top_view *view, unsigned used)
{
    enum { ALL = 60, GAPS = 2 };
    unsigned rows = view->screen.rows;
    unsigned left = rows > used + GAPS ? rows - used - GAPS : 0;
    size_t wanted = json_array_size (data->jobs) + 1;
    if (view->no_map)
        return 0;
    if (!rows)
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
        used += 2
                + screen_map (&view->screen, data->machine,
                              data->picture.text, room, out);
        fputc ('\n', out);
    }
    put_jobs (data, view,
              !view->screen.rows         ? SIZE_MAX / 2
              : view->screen.rows > used ? view->screen.rows - used
                                  : 0,
              out);
    if (view->live)
        put_keys (view, out);
    fclose (out);
    return text;
}
