/* look.c - processes that answer questions which take a while.
 *
 * Each makes its answer from the state as it is when the process begins
 * (errand.h), as the command makes it from a file. So no other request waits
 * meanwhile. Work is bounded: at most `questions` of these processes run at
 * once, at most half of them for one user, and WAITING times as many questions
 * are open; each is given up after `question-time`. A user with open questions
 * may open another only while they are fewer than the places that are free, and
 * users take turns. So some users keep no other waiting. To begin a process
 * takes some milliseconds when torid is large, so a turn of the loop begins one.
 *
 * A file is its user's, and its file system may not answer. So those that read
 * files have no share in these processes: at most READERS read the files of a
 * user, whoever asks, with those that were given up and do not die. */
#include "look.h"

#include <stdlib.h>
#include <string.h>

#include "admit.h"
#include "connections.h"
#include "number.h"

enum { WAITING = 4, SCRAPES = 4, READERS = 2, CODE = 3 };

/* ---- in a process of its own ---- */

/* Refuse a question with the status that fits the error. */
static void refuse_error (struct asking *a, const tori_error *err)
{
    if (err->status == TORI_NEVER)
        refuse_with (a, 422, "never", "%s", err->text);
    else if (err->status == TORI_INVALID)
        refuse_with (a, 400, "bad-request", "%s", err->text);
    else
        refuse_with (a, 500, "failed", "%s", err->text);
}

/* A snapshot, which metrics, names and files do not need, and what the body asks
 * about it. */
static int take_snapshot (struct look *look, const json_t *body,
                          tori_error *err)
{
    if (!look->begun && !look->roster && !look->job
        && service_snapshot (look->torid->service, &look->snapshot, err) < 0)
        return -1;
    return body ? look->read (look, body, err) : 0;
}

/* Write the answer to a question. If it is refused, the request has a reply.
 */
static void make_answer (struct look *look, struct asking *a, FILE *to)
{
    struct emit e = emit_to (to);
    tori_error err = {0};
    json_t *body = look->read ? read_object (a) : NULL;
    if (look->read && !body)
        return;
    if (!look->bare)
        emit_open (&e, NULL, '{');
    if ((take_snapshot (look, body, &err) < 0
         || look->make (look, &e, &err) < 0)
        && !a->request->reply.code)
        refuse_error (a, &err);
    if (!look->bare)
        emit_close (&e, '}');
}

/* The text ends with the code of the answer, in CODE digits. Nothing is freed:
 * the process ends. */
static int write_answer (struct errand *errand, int fd)
{
    struct look *look = errand->arg;
    struct asking a = {.torid = look->torid, .request = look->request};
    const struct reply *refused = &look->request->reply;
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream (&text, &n);
    if (!to)
        return -1;
    make_answer (look, &a, to);
    if (refused->code) {
        if (fclose (to) != 0)
            return -1;
        to = open_memstream (&text, &n);
        if (!to || json_dumpf (refused->body, to, JSON_COMPACT) < 0)
            return -1;
    }
    fprintf (to, "%0*d", CODE, refused->code ? refused->code : 200);
    return fclose (to) == 0 ? errand_write (fd, text, n) : -1;
}

/* ---- in the loop ---- */

void look_free (struct look *look)
{
    json_decref (look->job);
    free (look->begun);
    free (look);
}

static void take_out (struct torid *torid, const struct look *look)
{
    struct look **at = &torid->looks;
    while (*at != look)
        at = &(*at)->next;
    *at = look->next;
}

static void give_up (struct asking *a, const struct look *look)
{
    const struct settings *v = &a->torid->setup.values;
    if (look->late)
        refuse_with (a, 503, "too-long",
                     "the answer takes more than %lld s, which is the most "
                     "that a question may take here",
                     (long long)(v->question_time / TORI_SECOND));
    else
        refuse_with (a, 500, "failed",
                     "the process that made the answer has failed");
}

/* Metrics are quick, and count for nothing. */
static void count_work (const struct look *look, bool begins)
{
    const size_t by = begins ? 1 : SIZE_MAX; /* one more, or one less */
    if (look->begun)
        return;
    if (look->files) {
        look->files->read += by;
        return;
    }
    look->torid->nworked += by;
    look->quota->worked += by;
    if (begins)
        look->quota->began = ++look->torid->nbegan;
}

/* The request goes on with the names that were found. */
static void take_roster (struct request *request, char *text)
{
    request->roster = json_loads (text, 0, NULL);
    free (text);
    if (!request->roster)
        turn_away (request, 500, "failed", "out of memory");
    look_over (request);
    request->looking = false;
}

static void on_answer (struct errand *errand, char *text, size_t n)
{
    struct look *look = errand->arg;
    struct torid *torid = look->torid;
    struct asking a = {.torid = torid, .request = look->request};
    take_out (torid, look);
    count_work (look, false);
    if (!a.request) {
        free (text);
    } else if (text && n > CODE) {
        const char *digits = text + n - CODE;
        uint64_t code = 500;
        number_scan (&digits, 599, &code);
        text[n - CODE] = '\0';
        if (look->roster && code == 200)
            take_roster (a.request, text);
        else
            reply_text (&a, (int)code,
                        look->begun && code == 200 ? METRICS_TYPE
                                                   : "application/json",
                        text);
    } else {
        free (text);
        give_up (&a, look);
    }
    look_free (look);
    if (a.request)
        http_ready (a.request);
}

/* Metrics are quick, and need no room. */
static bool may_start (const struct look *look)
{
    int64_t most = look->torid->setup.values.questions;
    if (look->begun)
        return true;
    if (look->files)
        return look->files->read
                   + errands_left (&look->torid->errands, look->files)
               < READERS;
    return (int64_t)look->torid->nworked < most
           && (look->is_operator
               || (int64_t)look->quota->worked < (most + 1) / 2);
}

static int start_errand (struct look *look, tori_error *err)
{
    struct torid *torid = look->torid;
    int status = errand_begin (&look->errand, &torid->errands, write_answer,
                               on_answer, look, err);
    look->errand.owner = look->files;
    if (!look->roster)
        admit_forget (look->request);
    if (status < 0)
        return -1;
    look->since = uv_now (&torid->loop);
    count_work (look, true);
    return 0;
}

/* Of those that may begin, the first of the user whose last one began longest
 * ago. */
static struct look *find_ready (const struct torid *torid)
{
    struct look *look = torid->ending ? NULL : torid->looks, *found = NULL;
    for (; look; look = look->next)
        if (!look->errand.pid && may_start (look)
            && (!found || look->quota->began < found->quota->began))
            found = look;
    return found;
}

/* Begin the next one. It is refused if it cannot. */
bool looks_turn (struct torid *torid)
{
    struct look *look = find_ready (torid);
    struct asking a = {.torid = torid, .request = look ? look->request : NULL};
    tori_error err;
    if (!look)
        return false;
    if (start_errand (look, &err) < 0) {
        take_out (torid, look);
        look_free (look);
        refuse_with (&a, 503, "failed", "%s", err.text);
        http_ready (a.request);
    }
    return find_ready (torid) != NULL;
}

void look_over (struct request *request)
{
    request->torid->nlooks--;
    request->quota->looks--;
}

bool look_hangs (struct asking *a, const struct quota *files)
{
    size_t n = errands_left (&a->torid->errands, files);
    if (n < READERS)
        return false;
    reply_header (a, "Retry-After", "60");
    refuse_with (a, 503, "files-hang",
                 "the files of %s do not answer: %zu processes that read them "
                 "were killed, and have not died",
                 files->name, n);
    return true;
}

/* Refuse those that wait to read such files. */
static void refuse_hanging (struct torid *torid)
{
    struct look *look = torid->looks, *next;
    for (; look; look = next) {
        struct asking a = {.torid = torid, .request = look->request};
        next = look->next;
        if (!look->files || look->errand.pid || !look_hangs (&a, look->files))
            continue;
        take_out (torid, look);
        look_free (look);
        http_ready (a.request);
    }
}

void looks_sweep (struct torid *torid)
{
    uint64_t most = (uint64_t)torid->setup.values.question_time / 1000;
    for (struct look *look = torid->looks; look; look = look->next)
        if (look->errand.pid && !look->late
            && uv_now (&torid->loop) - look->since >= most) {
            look->late = true;
            errand_stop (&look->errand);
        }
    refuse_hanging (torid);
}

/* Questions that have a process are freed when it has ended. */
void looks_end (struct torid *torid)
{
    struct look *look = torid->looks, *next;
    for (; look; look = next) {
        struct asking a = {.torid = torid, .request = look->request};
        next = look->next;
        look->request = NULL;
        errand_stop (&look->errand);
        if (!look->errand.pid) {
            take_out (torid, look);
            look_free (look);
        }
        refuse_with (&a, 503, "ending", "torid is ending");
        http_ready (a.request);
    }
}

/* ---- questions ---- */

static bool has_room (struct asking *a, bool scrape)
{
    const struct settings *v = &a->torid->setup.values;
    int64_t most = WAITING * v->questions;
    int64_t left = most + (scrape ? SCRAPES : 0) - (int64_t)a->torid->nlooks;
    int64_t own = a->is_operator ? 0 : (int64_t)a->request->quota->looks;
    if (!a->is_operator && own >= v->user_questions)
        refuse_with (a, 429, "too-many-questions",
                     "a user may have at most %lld questions that take a "
                     "while open at once",
                     (long long)v->user_questions);
    else if (left <= 0)
        refuse_with (a, 503, "busy",
                     "%lld questions that take a while are open; expected "
                     "fewer",
                     (long long)most);
    else if (own >= left)
        refuse_with (a, 429, "too-many-questions",
                     "%lld questions that take a while are open, %lld of them "
                     "of this user; the last places are for users with fewer",
                     (long long)a->torid->nlooks, (long long)own);
    else
        return true;
    reply_header (a, "Retry-After", "1");
    return false;
}

struct look *look_new (struct asking *a, look_fn *make, bool scrape)
{
    struct look *look = NULL;
    if (!has_room (a, scrape))
        return NULL;
    look = calloc (1, sizeof *look);
    if (!look) {
        reply (a, 500, NULL);
        return NULL;
    }
    look->torid = a->torid;
    look->request = a->request;
    look->quota = a->request->quota;
    look->is_operator = a->is_operator;
    look->make = make;
    return look;
}

bool look_go (struct asking *a, struct look *look)
{
    struct torid *torid = a->torid;
    struct look **last = &torid->looks;
    while (*last)
        last = &(*last)->next;
    *last = look;
    torid->nlooks++;
    look->quota->looks++;
    a->request->looking = true;
    return false;
}
