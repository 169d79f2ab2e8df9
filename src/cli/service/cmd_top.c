/* tori top - a running torid, live in a terminal. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http_client.h"
#include "commands.h"
#include "fieldrows.h"
#include "livefields.h"
#include "screen.h"
#include "terminal.h"
#include "topdata.h"

struct values {
    const char *socket;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- once ---- */

static void emit_largest (struct emit *e, const struct field *field,
                          const void *row)
{
    const tori_shape *largest = &((const struct top_data *)row)->largest;
    char text[TORI_TEXT_MAX];
    if (!largest->ndims) {
        emit_null (e, field->name);
        return;
    }
    tori_shape_format (largest, text);
    emit_text (e, field->name, text);
}

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *row)
{
    emit_value (e, field->name,
                json_incref (((const struct top_data *)row)->jobs));
}

#define AT(member) FIELD_AT (struct top_data, member)
static const struct field top_fields[] = {
    {"machine", FIELD_CHARS, AT (name), "the machine"},
    {"busy", FIELD_UINT, AT (busy), "nodes on which jobs run"},
    {"free", FIELD_UINT, AT (free), "nodes that are free"},
    {"out", FIELD_UINT, AT (out), "nodes that are down or drained"},
    {"largest", FIELD_BY,
     .about = "the shape of the largest free box, or null",
     .type = "string|null", .by = emit_largest},
    {"jobs", FIELD_LIST, .about = "those that run, then those that wait",
     .group = &service_job_sheet, .by = emit_jobs},
};
static ANSWER (top);

static int print_once (const struct values *v, FILE *out, tori_error *err)
{
    struct top_view view = {.screen = {.columns = terminal_columns (),
                                       .whole = !isatty (STDOUT_FILENO),
                                       .colour = terminal_bold ()}};
    struct top_data data;
    char *text;
    if (top_fetch (v->socket, NULL, &data, err) < 0)
        return -1;
    if (v->json) {
        int status = asked_emit (&command_top, v, &data, out, err);
        top_clear (&data);
        return status;
    }
    text = top_frame (&data, &view);
    top_clear (&data);
    if (!text)
        return tori_error_nomem (err);
    fputs (text, out);
    free (text);
    return 0;
}

/* ---- repeatedly ---- */

/* Milliseconds: the shortest time between two requests even if events come,
 * the longest even if none come, and between two frames. */
enum { SELDOM = 200, OFTEN = 5000, TICK = 1000 };

struct top {
    const char *socket;
    struct screen screen;
    struct sim_watch *watch;
    struct top_data data;
    struct top_view view;
    char trouble[400];
    int64_t asked; /* when */
    bool stale;    /* an event has come since */
};

/* If torid does not answer, the last data stay on the screen. */
static void refresh_data (struct top *top)
{
    struct top_data data;
    tori_error err = {0};
    top->asked = screen_clock ();
    top->stale = false;
    if (top_fetch (top->socket, &top->data.picture.letters, &data, &err) < 0) {
        snprintf (top->trouble, sizeof top->trouble, "%.390s", err.text);
        top->view.trouble = top->trouble;
        return;
    }
    top_clear (&top->data);
    top->data = data;
    top->view.trouble = NULL;
}

static void draw_top (struct top *top)
{
    char *text;
    screen_size (&top->view.screen.columns, &top->view.screen.rows);
    text = top_frame (&top->data, &top->view);
    if (text)
        screen_show (text);
    free (text);
}

static void scroll_by (size_t *at, bool back, size_t by)
{
    *at = back ? (*at > by ? *at - by : 0) : *at + by;
}

/* Returns false if the key ends the program. */
static bool press_key (void *arg, enum key key)
{
    struct top *top = arg;
    struct top_view *view = &top->view;
    size_t plane = view->screen.plane, page = view->page ? view->page : 1;
    if (key == KEY_UP || key == KEY_DOWN)
        scroll_by (&view->scroll, key == KEY_UP, 1);
    else if (key == KEY_PAGE_UP || key == KEY_PAGE_DOWN)
        scroll_by (&view->scroll, key == KEY_PAGE_UP, page);
    else if (key == KEY_HOME || key == KEY_END)
        view->scroll = key == KEY_HOME ? 0 : SIZE_MAX / 2;
    else if (key == KEY_LEFT || key == KEY_RIGHT)
        scroll_by (&plane, key == KEY_LEFT, 1);
    else if (key == KEY_SORT)
        view->order = (view->order + 1) % TOP_ORDERS;
    else if (key == KEY_MAP)
        view->no_map = !view->no_map;
    else if (key == KEY_STOP)
        screen_stop (&top->screen);
    view->screen.plane = plane < UINT32_MAX ? (uint32_t)plane : 0;
    return key != KEY_QUIT && key != KEY_INTERRUPT;
}

/* How long to sleep: to the next full second, or to the next request. */
static int time_left (const struct top *top)
{
    int64_t since = screen_clock () - top->asked;
    if (top->stale)
        return since < SELDOM ? (int)(SELDOM - since) : 0;
    return TICK;
}

static void run_live (struct top *top)
{
    bool going = true;
    draw_top (top);
    while (going) {
        enum watch_news news
            = watch_wait (top->watch, top->screen.signals, time_left (top));
        top->stale |= (news & WATCH_EVENT) != 0;
        if (news & WATCH_INPUT)
            going = screen_keys (press_key, top);
        if (news & WATCH_GONE)
            going = false;
        if (screen_signals (&top->screen))
            going = false;
        if (going
            && ((top->stale && time_left (top) == 0)
                || screen_clock () - top->asked
                       >= (top->view.trouble ? TICK : OFTEN)))
            refresh_data (top);
        if (news != WATCH_EVENT || !top->stale)
            draw_top (top);
    }
}

static int show_live (const struct values *v, tori_error *err)
{
    struct top top = {.socket = v->socket,
                      .view = {.screen.colour = terminal_bold (),
                               .live = true}};
    int status = -1;
    if (top_fetch (v->socket, NULL, &top.data, err) < 0)
        return -1;
    top.asked = screen_clock ();
    top.watch = watch_open (v->socket);
    if (!top.watch)
        tori_error_nomem (err);
    else
        status = screen_open (&top.screen, err);
    if (status == 0)
        run_live (&top);
    watch_close (top.watch);
    top_clear (&top.data);
    if (status == 0)
        screen_close (&top.screen);
    return status;
}

static int run_top (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    return screen_can () && !v->json ? show_live (v, err)
                                     : print_once (v, out, err);
}

const struct command command_top = {
    .name = "top",
    .summary = "Watch a running torid: its machine and its jobs",
    .notes = "In a terminal it stays until q is pressed, and shows what "
             "happens as it happens; otherwise it prints one picture. Every "
             "job has a letter and a colour; '.' is a free node, 'x' one that "
             "is down, '-' one that is drained, '=' a free one that a "
             "reservation keeps now. Planes of the last two "
             "dimensions stand side by side. Where they do not fit, a letter "
             "stands for several nodes: the letter of most of them. Keys: up, "
             "down, page up and down, home and end scroll the jobs, left and "
             "right the planes; s sorts by another column; m hides the map. "
             "NO_COLOR is honoured.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_top,
    .examples = "tori top",
    .run = run_top,
};
