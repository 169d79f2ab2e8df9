/* api.h - what can be asked over HTTP, shared by the files that answer:
 *   api.c          finding the route, checking what the query says
 *   routes.c       the routes, and what each takes and answers
 *   api_jobs.c     jobs
 *   api_machine.c  the machine, and how torid is
 *   api_nodes.c    nodes
 *   api_look.c     questions that take a while: why, forecast, what-if, defrag;
 *                  look.c: the processes that answer them
 *   api_changes.c  the record of changes
 *   api_shadow.c   a shadow and who it follows
 *   metrics.c      numbers for Prometheus
 *   page.c         the machine and the queue, for people
 *   openapi.c      the routes in a form that programs know
 */
#ifndef TORI_TORID_API_H
#define TORI_TORID_API_H

#include "torid.h"

#define METRICS_TYPE                                                          \
    "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct sheet;

/* A request to the API, and its user. */
struct asking {
    struct torid *torid;
    struct request *request;
    const char *method, *path, *user;
    bool is_operator;
    uint64_t id;      /* {id} of the path */
    const char *rest; /* {node} of the path, to its end */
};

/* Answer, now (true) or when the records are safe or the answer is known. */
typedef bool answer_fn (struct asking *a);

/* A parameter of the query, or a header. */
struct param {
    const char *name, *about;
    const char *const *values; /* ended by NULL; or NULL: any text, or ... */
    int64_t min, max;          /* ... if max is not 0, a whole number, */
    bool ago;                  /* or, with this, a duration before now */
};

struct route {
    const char *method;
    const char *path; /* {id} stands for a number, {node} for the rest */
    answer_fn *answer;
    const char *about;
    const struct param *params; /* ended by a name that is NULL; or NULL */
    const struct param *headers; /* the same */
    const struct sheet *body;   /* what it takes, or NULL */
    bool many;                  /* it takes an array of these as well */
    const struct sheet *gives;  /* what it answers, */
    const struct sheet *one;    /* or what else, of a single one */
    int code;                   /* if all is well; 0: 200 */
    bool asks;                  /* it changes nothing: readers may use it */
    bool old;                   /* another route does the same */
    const char *type;           /* of the answer; NULL: JSON */
};

/* All routes; ended by a path that is NULL. */
extern const struct route routes[];

/* Whether such a request changes nothing, though it has a body. */
bool api_only_asks (const char *method, const char *path);

/* ---- answers ---- */

/* Takes over the body; NULL is a want of memory. */
void reply (struct asking *a, int code, json_t *body);

/* A page of a list, which it takes over as well, with at most PAGE_MOST bytes
 * unless it has one member; if there are more, it says where the next one is:
 * after `key` of the last. */
enum { PAGE_MOST = 4 << 20 };
void reply_page (struct asking *a, const char *name, json_t *list,
                 const char *key, bool more);

/* Add a link to the next page to the answer: the same query, after this. */
void reply_next (struct asking *a, json_int_t after);

/* The same for a text, which is freed. */
void reply_text (struct asking *a, int code, const char *type, char *text);
void refuse_with (struct asking *a, int code, const char *name,
                  const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Add a header to the answer, if the request has room for it. */
void reply_header (struct asking *a, const char *name, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

/* ---- questions ---- */

/* The value of a parameter, or NULL; one that is a number, which was checked;
 * and a header, or NULL. */
const char *query (const struct asking *a, const char *key);
uint64_t query_number (const struct asking *a, const char *key,
                       uint64_t otherwise);

/* A time that was checked, as ticks since 1970; 0 if it is not given. */
tori_time query_since (const struct asking *a, const char *key);
const char *header (const struct asking *a, const char *name);

/* The body as JSON; NULL, and an answer, if it is not, or not an object where
 * one is needed. */
json_t *read_body (struct asking *a);
json_t *read_object (struct asking *a);

/* An object without members that the sheet does not have. */
json_t *read_members (struct asking *a, const struct sheet *known);

/* Pass an input to the service; takes over the input. A refusal is answered at
 * once, and so is every input while the disk is stuck. */
bool tell (struct asking *a, const char *in, json_t *input);

/* The same for an input that has only the id of the path, and the reason of
 * the query. */
bool tell_id (struct asking *a, const char *in);

/* Look up the users and groups that the body names. The request is then
 * answered once more, and has a roster: users in these groups. */
bool look_for_names (struct asking *a);

/* A job that is in the queue, runs, or has ended; NULL if there is none. */
json_t *find_job (const struct torid *torid, uint64_t id);

/* Write the part of /metrics that is known at once, and the part that a
 * process of its own adds (metrics.c). */
void metrics_write (struct torid *torid, FILE *out);
int metrics_finish (const tori_state *state, FILE *out, tori_error *err);

/* ---- all that can be asked ---- */

answer_fn post_jobs, get_jobs, get_job, patch_job, delete_job;
answer_fn post_suspend, post_requeue, post_moves;
answer_fn get_users, get_queues, get_machine, get_nodes, get_node, patch_node;
answer_fn get_links, patch_link, get_health;
answer_fn get_reservations, post_reservation, delete_reservation;
answer_fn get_unknown, delete_unknown;
answer_fn get_snapshot, post_snapshot, get_why, get_job_why, get_forecast;
answer_fn post_what_if, post_defrag, get_output;
answer_fn get_events, get_history, get_shadow, get_changes;
answer_fn get_metrics, get_page, get_openapi;
answer_fn post_signin, post_signout, get_whoami;

#endif
