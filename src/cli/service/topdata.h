/* topdata.h - the data of tori top: a running torid at a moment, and lines of
 * text that show it. */
#ifndef TORI_CLI_TOPDATA_H
#define TORI_CLI_TOPDATA_H

#include <jansson.h>

#include "screenview.h"
#include "picture.h"

struct top_data {
    tori_machine *machine;
    char name[TORI_TEXT_MAX]; /* of the machine */
    struct picture picture;   /* of its nodes */
    uint32_t busy, free, out, reserved; /* nodes; out of service */
    tori_shape largest;       /* the largest free box; no dimensions: none */
    json_t *jobs;             /* running jobs, then waiting jobs */
    size_t running, queued, suspended; /* each is in one of them */
    bool more; /* more jobs wait than are in the list */
};

/* Fetch the data. Jobs keep the letters that they have in `before`. */
int top_fetch (const char *socket, const struct letters *before,
               struct top_data *ret_data, tori_error *err);
void top_clear (struct top_data *data);

/* The order of jobs, and the view. */
enum top_order { BY_STATE, BY_USER, BY_NODES, BY_TIME, TOP_ORDERS };

struct top_view {
    struct screen_view screen;
    bool live, no_map;
    enum top_order order;
    size_t scroll;      /* the first job; is kept within the list */
    size_t page;        /* set: jobs that fit */
    const char *trouble; /* a line about a problem, or NULL */
};

/* The frame as lines of at most so many columns and rows; NULL without
 * memory. */
char *top_frame (const struct top_data *data, struct top_view *view);

#endif
