/* look.h - a question that takes a while, and the process that answers it. */
#ifndef TORI_TORID_LOOK_H
#define TORI_TORID_LOOK_H

#include "api.h"
#include "questions.h"

typedef int read_fn (struct look *look, const json_t *body, tori_error *err);
typedef int look_fn (struct look *look, struct emit *e, tori_error *err);

struct look {
    struct errand errand;
    struct torid *torid;
    struct request *request; /* NULL: no client waits for it any longer */
    struct quota *quota;     /* of the user, with the name */
    struct quota *files;     /* of the user whose file it reads; or NULL */
    bool is_operator;        /* the user is one */
    struct look *next;
    look_fn *make;
    read_fn *read; /* of the body; NULL: there is none */
    bool bare;     /* the text is not an object that is to be filled */
    bool late;     /* it has taken too long */
    uint64_t since; /* when the work began, by the clock of the loop */
    char *begun;   /* what metrics are without the box */
    json_t *job;   /* whose output it is about, or NULL */
    const char *stream; /* ... its output or its error */
    uint64_t most; /* ... so many bytes of it */
    uint64_t id;   /* of the job that it is about */
    bool one;      /* it is about one */
    bool roster;   /* it is about names, and the request goes on with it */

    /* In the process: the state, and what the body asks about it. */
    tori_snapshot *snapshot;
    tori_snapshot *with; /* ... with the jobs of the body; or NULL */
    json_t *members;     /* users in the groups that the body names */
    union {
        struct what_if_question what_if;
        struct defrag_question defrag;
    } asked;
};

/* A new question; NULL, and a reply, if there is no room for it. Metrics are a
 * scrape, for which some room is kept. */
struct look *look_new (struct asking *a, look_fn *make, bool scrape);
void look_free (struct look *look);

/* Refuse one that would read the file of a user, if the processes that read
 * others have been killed and do not die: their file system does not answer.
 * False if it may go on. */
bool look_hangs (struct asking *a, const struct quota *files);

/* Start a question when its turn comes. False: there is no reply yet. */
bool look_go (struct asking *a, struct look *look);

#endif
