/* whytext.c - reasons and changes in words. */
#include <stdio.h>
#include <string.h>

#include <tori/why.h>

static const char *const changes[] = {
    [TORI_CHANGE_WIRING] = "wiring",     [TORI_CHANGE_SHAPE] = "shape",
    [TORI_CHANGE_COUNT] = "count",       [TORI_CHANGE_ESTIMATE] = "estimate",
    [TORI_CHANGE_JOB] = "job",           [TORI_CHANGE_MOVES] = "moves",
};

const char *tori_change_name (tori_change change)
{
    return (unsigned)change < sizeof changes / sizeof *changes
               ? changes[change]
               : NULL;
}

/* A request: "box of 4x4x2", "30 nodes". */
static void say_request (const tori_request *request, char *text, size_t size)
{
    char shape[TORI_TEXT_MAX];
    if (request->shape.ndims == 0) {
        snprintf (text, size, "%u node%s", request->count,
                  request->count == 1 ? "" : "s");
        return;
    }
    tori_shape_format (&request->shape, shape);
    snprintf (text, size, "box of %.100s", shape);
}

/* The request that the reason is about. */
static const tori_request *subject_of (const tori_why *why)
{
    return why->request ? why->request : &why->spec->request;
}

/* The same, and the number of alternatives. */
static void say_asked (const tori_why *why, char *text, size_t size)
{
    size_t n = why->spec->nalternatives, at;
    say_request (subject_of (why), text, size);
    at = strlen (text);
    if (n > 0)
        snprintf (text + at, size - at, " or %s%zu alternative%s",
                  n > 1 ? "one of " : "", n, n > 1 ? "s" : "");
}

static const char *article_of (const tori_request *request)
{
    return request->shape.ndims > 0 ? "a " : "";
}

/* Free nodes that reservations keep are no use to it. */
enum { KEPT_TEXT = 60 };
static void say_kept (const tori_why *why, const char *before,
                      const char *after, char text[KEPT_TEXT])
{
    text[0] = 0;
    if (why->kept > 0)
        snprintf (text, KEPT_TEXT, "%s%u of them in reservations%s", before,
                  why->kept, after);
}

static void say_numerical (const tori_why *why, const char *asked, char *text,
                           size_t size)
{
    const tori_request *request = subject_of (why);
    char nodes[40] = "", kept[KEPT_TEXT];
    say_kept (why, ", ", "", kept);
    if (request->shape.ndims > 0 && why->spec->nalternatives == 0)
        snprintf (nodes, sizeof nodes, " with %u node%s", request->count,
                  request->count == 1 ? "" : "s");
    snprintf (text, size,
              "not enough free nodes: it asks for %s%s%s; only %u %s free%s%s",
              article_of (request), asked, nodes, why->free,
              why->free == 1 ? "is" : "are",
              why->spec->only ? " of those it may use" : "", kept);
}

static void say_topological (const tori_why *why, char *text, size_t size)
{
    const tori_request *request = subject_of (why);
    char asked[200], largest[TORI_TEXT_MAX] = "none", kept[KEPT_TEXT];
    say_kept (why, " (", ")", kept);
    say_asked (why, asked, sizeof asked);
    if (why->largest.shape.ndims > 0)
        tori_shape_format (&why->largest.shape, largest);
    if (why->spec->only) {
        snprintf (text, size, "fragmented: %u node%s free that it may use%s, but %s%s",
                  why->free, why->free == 1 ? " is" : "s are", kept,
                  request->shape.ndims > 0 ? "no " : "not as it needs ",
                  asked);
        return;
    }
    snprintf (text, size,
              "fragmented: %u node%s free%s, but %s%s; the largest free box "
              "is %.100s",
              why->free, why->free == 1 ? " is" : "s are", kept,
              request->shape.ndims > 0 ? "no " : "not as it needs ", asked,
              largest);
}

/* A suspended job waits for one place. */
static void say_suspended (const tori_why *why, char *text, size_t size)
{
    char place[TORI_TEXT_MAX];
    if (why->suspended->nboxes != 1) {
        snprintf (text, size, "it was suspended and continues only where it "
                              "was, and not all of that is free");
        return;
    }
    tori_box_format (&why->suspended->box, place);
    snprintf (text, size,
              "it was suspended and continues only at %.100s, which is not "
              "free",
              place);
}

/* The job that it waits for, if that is known. */
static void say_behind (const tori_why *why, char *text, size_t size)
{
    unsigned long long tag = why->behind_tag;
    bool known = why->behind != TORI_NO_JOB;
    if (why->reason == TORI_REASON_ORDER && known)
        snprintf (text, size, "job %llu is first, and no job may overtake it",
                  tag);
    else if (why->reason == TORI_REASON_ORDER)
        snprintf (text, size, "no job may overtake those before it");
    else if (known)
        snprintf (text, size,
                  "it would delay the planned start of job %llu", tag);
    else
        snprintf (text, size, "it would delay the planned start of another job");
}

static void say_window (const tori_why *why, char *text, size_t size)
{
    if (why->window && *why->window)
        snprintf (text, size, "it would run into reservation %.80s",
                  why->window);
    else
        snprintf (text, size, "it would run into a reservation");
}

static void say_simple (const tori_why *why, char *text, size_t size)
{
    static const char *const texts[] = {
        [TORI_REASON_STARTS] = "it starts now",
        [TORI_REASON_HELD] = "it is held back",
        [TORI_REASON_NOT_YET] = "it may not start yet",
        [TORI_REASON_GAVE_UP] = "the allocator gave up on it",
    };
    const char *says = NULL;
    if ((size_t)why->reason < sizeof texts / sizeof *texts)
        says = texts[why->reason];
    snprintf (text, size, "%s", says ? says : "unknown");
}

void tori_why_text (const tori_why *why, const tori_machine *machine,
                    char *text, size_t size)
{
    const tori_request *request = subject_of (why);
    char asked[200];
    say_asked (why, asked, sizeof asked);
    switch (why->reason) {
    case TORI_REASON_NUMERICAL:
        if (why->suspended)
            say_suspended (why, text, size);
        else
            say_numerical (why, asked, text, size);
        break;
    case TORI_REASON_TOPOLOGICAL:
        if (why->suspended)
            say_suspended (why, text, size);
        else
            say_topological (why, text, size);
        break;
    case TORI_REASON_WIRING:
        say_request (request, asked, sizeof asked);
        snprintf (
            text, size,
            "its links are taken: %s%s is free, but cannot be wired as a %s",
            article_of (request), asked, tori_wiring_name (request->wiring));
        break;
    case TORI_REASON_HELD:
    case TORI_REASON_NODES:
        snprintf (text, size, "it %s",
                  why->aside ? why->aside
                             : "has no place among the nodes it may use");
        break;
    case TORI_REASON_NEVER:
        if (why->spec->hold) {
            snprintf (text, size, "it can never start: it %s",
                      why->aside ? why->aside : "is held back");
            break;
        }
        snprintf (text, size, "it can never run on this machine%s%s",
                  why->aside ? ": " : "", why->aside ? why->aside : "");
        break;
    case TORI_REASON_ORDER:
    case TORI_REASON_RESERVED:
        say_behind (why, text, size);
        break;
    case TORI_REASON_WINDOW:
        say_window (why, text, size);
        break;
    default:
        say_simple (why, text, size);
    }
}
