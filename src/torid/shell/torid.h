/* torid.h - the shell around the service: files, sockets, processes, time.
 *
 *   main.c             the beginning and the end
 *   settings.c, config.c, setup.c  options and the configuration file
 *   check.c, check_host.c  torid --check
 *   commit_loop.c      one turn: records reach the disk before any answer
 *   snapshot_writer.c  snapshots for the journal
 *   errand.c           long questions, in processes of their own
 *   mark.c             the last state, beside the journal
 *   history.c, gauges.c  how full the machine was, minute by minute
 *   listeners.c, connections.c, tokens.c  sockets, connections, rights
 *   admit.c, quota.c   what is refused before it is read
 *   receive.c          bytes that libmicrohttpd would mistake, its refusals
 *   http.c, routes.c   requests and answers
 *   api*.c, signin.c, page.c, openapi.c, metrics.c  the answers (api.h)
 *   events.c           streams of events
 *   executor_pipe.c    the executor
 *   names.c            users of this host, looked up beside the loop
 *   faults.c           nodes on which the executor cannot start jobs
 *   remarks.c          why jobs wait, for an executor with a queue of its own
 *   turns.c            how long turns of the loop take
 *   torid.c            the clock and the log
 *
 * Everything happens in one thread, except for work that takes a while, such
 * as long questions, which processes of their own do (errand.h). The service
 * gets whatever comes in during one turn of the loop. At the end of the turn
 * the service decides, all records go to the disk at once, and then the
 * answers, orders and events go out. Orders go as the executor reads them. If
 * the disk fails, orders and events wait, and changes are refused until it is
 * back. That includes the changes of this turn, though their records stay.
 */
#ifndef TORI_TORID_TORID_H
#define TORI_TORID_TORID_H

#include <limits.h>
#include <sys/resource.h>

#include <jansson.h>
#include <microhttpd.h>
#include <uv.h>

#include "errand.h"
#include "counts.h"
#include "listeners.h"
#include "journal.h"
#include "notify.h"
#include "quota.h"
#include "service.h"
#include "settings.h"
#include "timekeeper.h"

struct header {
    const char *name;
    char value[320];
};

/* A request that has come, in whole or in part. */
struct request {
    struct torid *torid;
    struct listener *listener;
    struct MHD_Connection *connection;
    bool begun; /* its header has come, and it was admitted or refused */
    bool odd_address; /* it has a control character, or %00 */
    bool told; /* it was refused while its body comes, which is dropped */
    bool unclear; /* its end is not known: nothing follows it */
    const char *wrong_site;  /* why its cookie does not count, or NULL */
    const struct peer *peer; /* who asks, */
    struct quota *quota;     /* and what that user has; NULL: a stranger */
    size_t body_most;        /* bytes of the body that are kept: 0: none */
    char *body;
    size_t n, room;
    size_t dropped; /* bytes of the body that were not kept */
    struct reply reply; /* its code is 0 until there is one */
    char *text;         /* the answer, if it is not the body of the reply, */
    const char *type;   /* and what it is */
    bool due;     /* it has waited for this turn */
    bool streams; /* it is counted among the streams */
    const unsigned char *bytes; /* the same, if it is always the same, */
    size_t nbytes;              /* and how many */
    size_t unread; /* bytes of the answer, until it is read in full, */
    uint64_t until; /* which it must be by this time of the loop, */
    struct request *before, *after; /* among others */
    struct header headers[8]; /* of the answer */
    size_t nheaders;
    json_t *roster; /* what its names stand for (api_look.c); or NULL */
    bool looking;  /* it is counted among the questions (look.c) */
    bool watching; /* the answer is a stream of events */
    struct request *next; /* of those that wait for the disk */
    struct watcher *watcher;
};

struct watchers;

enum level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARNING, LEVEL_ERROR };

/* A process that writes a snapshot. */
struct snapshot_writer {
    struct errand errand;
    uint64_t seq; /* the last record of what it writes */
    uv_timer_t pause; /* from one piece to the next */
};

/* A sample that is made, if there is one. */
struct history {
    uv_timer_t tick;
    struct errand errand;
    int64_t time; /* in seconds */
    json_t *sample;
};

/* Why jobs wait, for the executor. */
struct remarks {
    uv_timer_t tick;
    struct errand errand;
    uint64_t every; /* milliseconds from one time to the next; 0: never */
    uint64_t begun; /* when the last one was */
    json_t *said; /* by key, the last time; or NULL */
};

/* Nodes on which jobs could not be started: faults.c. */
struct faults {
    json_t *starting; /* "JOB.ATTEMPT": the numbers of its nodes */
    unsigned *count;  /* by node: failed starts in a row; or NULL */
    bool *drained;    /* by node: it was drained for that; or NULL */
    bool any;         /* one of them was */
};

/* The longest of some times, and when it was: turns.c. */
struct longest {
    uint64_t minute;
    double now, before; /* in seconds: of this minute, and of the last one */
};

/* Turns of the loop: turns.c. */
struct turns {
    uint64_t begun, idle; /* this one, and all waits before it, in ns */
    double processor;     /* the time of the thread then, in seconds */
    uint64_t disk;        /* what commits took in it, in ns */
    size_t requests;      /* that were answered in it, */
    uint64_t took;        /* and the longest of them, in ns: */
    char method[16], path[128], user[64];
    struct longest longest, busiest; /* by the clock, by the processor */
    uint64_t slow, logged; /* slow ones since the last line of the log */
};

/* What goes out in turns. */
struct outbox {
    json_t *list;
    size_t sent; /* so many, the first ones */
};

struct torid {
    uv_loop_t loop;
    enum level level; /* lower levels are not logged */
    uint64_t lost;    /* lines of the log that nobody has read in time */
    tori_machine *machine;
    struct service *service;
    struct journal *journal;
    struct setup setup; /* what it was told, */
    int argc;           /* and by which words */
    char *const *argv;
    const char *state; /* a directory, */
    int lock;          /* which is locked */
    bool marked;       /* there is a file beside it: */
    int mark;
    bool salvaged;     /* its journal was damaged, and was written anew */
    uint64_t unfit;    /* the record that does not fit the state; 0: none */
    bool stirred;      /* something came in that is not settled yet */
    bool unsaved;      /* samples or a piece of a snapshot want a commit, or
                          events another turn */
    tori_time turn_time; /* 0: nothing came yet */
    struct timekeeper keeper;
    bool stuck;        /* the disk has failed, and it is tried again */
    char trouble[512]; /* why */
    uint64_t saved_at; /* the last record of the last snapshot */
    size_t snapshot_bytes, record_bytes; /* of it, and of the records since */
    struct snapshot_writer writer;
    struct history history;
    struct remarks remarks;
    tori_time forgot; /* when ended jobs were last removed by their age */
    struct counts counts;
    struct turns turns;
    struct outbox orders, events; /* that wait for the disk, or their turn */
    struct request *waiting; /* so do these */
    struct request *answered; /* whose answers go out, the last one first */
    size_t requests; /* that have begun, and are not answered in full */
    struct quota *deferred; /* users whose requests wait for another turn, */
    uv_timer_t again;       /* which begins: http.c */

    struct listener listeners[LISTENERS];
    size_t nlisteners;
    struct notify notify;
    struct tokens tokens;
    uint64_t used_at; /* when their last use was last written */
    unsigned char session_key[32];
    struct quotas quotas;
    uint64_t refused, refused_at; /* tokens since the last line of the log */
    unsigned era;   /* of the settings, and of the groups that
                       reservations name */
    size_t streams; /* of events */
    unsigned char *page; /* the dashboard, if it was unpacked; or NULL */
    size_t page_size;    /* its bytes */
    rlim_t files;   /* how many may be open, before this process raised it */
    uv_timer_t sweep, retry, wake;
    uv_prepare_t turn;
    uv_signal_t term, interrupt, hangup;
    char *socket;

    char *executor; /* a command for the shell, or NULL */
    uv_process_t process;
    uv_pipe_t to, from;
    uv_timer_t respawn;
    bool linked; /* its process runs */
    bool ready;
    size_t line_most; /* bytes of an order */
    size_t letters;   /* orders that the system has not taken in full */
    bool pings;       /* it answers pings */
    bool here;        /* the files of jobs are on this host */
    uv_timer_t pulse;
    uint64_t asked; /* when it was asked for an answer, or 0 */
    bool silent;    /* it did not answer in time */
    char plight[200]; /* why it starts nothing, or empty */
    char fault[80]; /* why it is being ended, or empty */
    unsigned pause;    /* before it is started again, in milliseconds */
    char absence[160]; /* why it is away, or empty */
    char *heard; /* part of a line */
    size_t nheard, heard_room;
    bool behind;     /* lines of it wait for the next turn: */
    uv_timer_t rest; /* then it begins at once */
    uint64_t leaves; /* it ends by this time of the loop, or when all who have
                        come are answered; 0: it does not end */
    bool ending;     /* nobody is answered any more */

    struct faults faults;
    struct errands errands;
    struct name *names; /* of users of this host: names.c */
    size_t nnames;
    struct watchers *watchers;
    uv_timer_t beat; /* theirs */
    struct look *looks; /* questions, the last one first */
    size_t nlooks;      /* that have not got their answer in full, */
    size_t nworked;     /* and that are worked at; */
    uint64_t nbegan;    /* how many ever were */
};

extern const struct command command_torid;

/* Now, in ticks since 1970, by a clock that does not jump (timekeeper.h). It
 * is compared with the system's by torid_watch_clock. */
tori_time torid_now (const struct torid *torid);
void torid_begin_clock (struct torid *torid);
void torid_resume_clock (struct torid *torid);
void torid_watch_clock (struct torid *torid);

/* Something was told to the service: it decides at the end of this turn. */
void torid_stir (struct torid *torid);

/* Say something for the log: one line on standard error, in logfmt. An
 * event has a fixed name, such as executor-away; the rest are its fields, an
 * object for json_pack, or NULL:
 *
 *     torid_log (torid, LEVEL_ERROR, "executor-away", "{s:i}", "retry_s", 1);
 */
void torid_log (struct torid *torid, enum level level,
                const char *event, const char *fmt, ...);

/* The names of the levels; NULL past the end. */
const char *level_name (size_t i);

/* ---- commit_loop.c ---- */

/* Read the journal in the state directory, or begin one. */
int commit_loop_open (struct torid *torid, tori_error *err);

/* The same, with what is whole of a damaged one. `from` is a copy of it, with
 * its log. */
int commit_loop_salvage (struct torid *torid, const char *from,
                         tori_error *err);

/* Tell the service. Without memory the process ends. */
void torid_tell (struct torid *torid, const json_t *input,
                 struct reply *ret_reply);

/* Memory that is missing in the middle leaves nothing to go on from, but the
 * journal: say so, and end. */
_Noreturn void torid_fail (struct torid *torid, const tori_error *err);

/* The same if memory was missing for JSON in this thread, however far back. */
void torid_check_memory (struct torid *torid);

/* Decide, bring it to the disk, and let it be known. */
void commit_loop_settle (struct torid *torid);

/* Send orders that are on disk, as far as the executor takes them now. */
void commit_loop_order (struct torid *torid);

/* The executor is ready: ask it what runs. Orders that are not sent yet are
 * void. */
int commit_loop_greet (struct torid *torid, tori_error *err);

/* Write a snapshot, so that the next start is quick. */
int commit_loop_save (struct torid *torid, tori_error *err);

/* The same at the end, unless the disk is stuck. The last inputs are decided
 * first: planned starts hold only for a queue as the scheduler has left it. */
int commit_loop_finish (struct torid *torid, tori_error *err);

/* ---- mark.c ---- */

/* After the journal was read: begin an epoch if this state may have gone back.
 * That is recorded as an input. */
int mark_open (struct torid *torid, tori_error *err);

/* After a commit. */
void mark_write (struct torid *torid);
void mark_close (struct torid *torid);

/* ---- snapshot_writer.c ---- */

/* Begin to write a snapshot, unless that is under way. It is in the journal
 * some turns later. */
int snapshot_writer_begin (struct torid *torid, tori_error *err);

/* After a turn: there will be another, even if nothing comes in, while pieces
 * of a snapshot wait. */
void snapshot_writer_turn (struct torid *torid);

/* Forget one that is under way, at the end. */
void snapshot_writer_stop (struct torid *torid);

/* ---- history.c ---- */

void history_begin (struct torid *torid);
void history_end (struct torid *torid);

/* ---- http.c ---- */

/* How answers are written as JSON. */
#define ANSWER_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION (16))

int http_open (struct torid *torid, tori_error *err);
/* Accept those who have connected, and no others: those on sockets of the
 * service manager wait for the next torid. */
void http_quiet (struct torid *torid);
/* Whether all requests are answered in full, but for streams of events, and
 * nobody has connected since this time of the loop and not asked yet. */
bool http_is_idle (const struct torid *torid, uint64_t since);
void http_close (struct torid *torid);

/* Answers may go out: all that waited for the disk, or one that is ready. */
void http_resume (struct torid *torid);
void http_ready (struct request *request);

/* Or none may: what waited for a disk that has failed is not known to be kept.
 * Its records stay, and may still come to the disk. */
void http_dismiss (struct torid *torid, const char *code, const char *text);

/* At the end of a turn: start a question. The next turn follows at once if
 * requests or questions wait for it. */
void http_turn (struct torid *torid);

/* Let those go on that have something to send. */
void http_run (struct torid *torid);

/* ---- api.c ---- */

/* Answer a request, at once (true) or when the records are safe. */
bool api_answer (struct torid *torid, struct request *request,
                 const char *method, const char *path, const char *user,
                 bool is_operator);

/* ---- look.c ---- */

/* The answer has gone out, or the client has left; give up questions that took
 * too long; and, at the end, give up all. */
void look_over (struct request *request);
void looks_sweep (struct torid *torid);

/* At the end of a turn: start the next question, if there is room. Returns
 * whether another one is ready for the next turn. */
bool looks_turn (struct torid *torid);
void looks_end (struct torid *torid);

/* ---- events.c ---- */

/* A response that never ends. NULL without memory. */
struct MHD_Response *watch_begin (struct torid *torid,
                                  struct MHD_Connection *connection,
                                  const struct peer *peer,
                                  const char *last_id);

/* Let those end whose token is no longer good. */
void watch_check (struct torid *torid);
void watch_tell (struct torid *torid, json_t *event);
size_t watch_count (const struct torid *torid);

/* Once in each turn: whether events are worth making. */
void watch_turn (struct torid *torid);

/* Let all of them end; and, when they have, forget what they were told. */
void watch_end (struct torid *torid);
void watch_free (struct torid *torid);

/* ---- executor_pipe.c ---- */

/* The executor of a torid for which none is chosen. The shell that starts an
 * executor has two words: the directory of torid's program, and its state. */
#define LINK_LOCAL "exec \"$1/torid-local\" --jobs \"$2/jobs\""

/* The command of the executor that the settings choose; NULL: none. */
const char *settings_executor (const struct settings *settings);

/* A sentence for the users of a torid without an executor; NULL if it has
 * one. */
const char *executor_lack (const struct torid *torid);

/* The directory of torid's program, where torid-local is, too. */
void executor_home (char home[PATH_MAX]);

void executor_pipe_start (struct torid *torid);
void executor_pipe_say (struct torid *torid, const json_t *order);

/* Whether further orders should wait: until it has read some, or for the next
 * turn. Then commit_loop_order is called. */
bool executor_pipe_is_full (struct torid *torid);

/* At the end of a turn: the next one follows at once if lines wait for it. */
void executor_pipe_turn (struct torid *torid);

/* A line of the executor. */
void executor_pipe_take_line (struct torid *torid, const char *line, size_t n);

void executor_pipe_stop (struct torid *torid);

/* Hear something as if the executor had said it; it is not released. */
void executor_pipe_hear (struct torid *torid, json_t *word);

/* ---- names.c ---- */

/* Find the user at the other end of a Unix socket. False if the name is not
 * known: the request has a reply; or the name is looked up, the request must
 * be suspended, and begins again when it is known. */
struct peer;
bool names_find (struct request *request, int fd, struct peer *ret_peer);

/* The same for the groups of a user who came with a token. */
bool names_find_groups (struct request *request, struct peer *peer);

/* Give up those that take too long. */
void names_sweep (struct torid *torid);

/* At the end: stop all look-ups, so that no request waits for a name; and,
 * after the loop, forget the names. */
void names_end (struct torid *torid);
void names_free (struct torid *torid);

/* ---- turns.c ---- */

/* Once, before the loop runs; and when all that came in has been settled. */
void turns_begin (struct torid *torid);
void turns_end (struct torid *torid);

/* How long this turn has taken so far, in ns. What can wait for the next one
 * does, when it has taken long. */
uint64_t turns_spent (struct torid *torid);

/* A request was answered, or as far as it can be in this turn, which took so
 * many nanoseconds. */
void turns_request (struct torid *torid, const char *method, const char *path,
                    const char *user, uint64_t took);

/* The longest turn of the last minute or two, in seconds; and the longest time
 * of the processor that one took. */
double turns_longest (struct torid *torid);
double turns_busiest (struct torid *torid);

/* ---- faults.c ---- */

/* Note an order to the executor, and a report from it that the service has
 * already heard. */
void faults_order (struct torid *torid, const json_t *order);
void faults_hear (struct torid *torid, const json_t *word);

/* How many nodes were drained for it and still are; *ret_first is one. */
size_t faults_count (struct torid *torid, uint32_t *ret_first);
void faults_clear (struct torid *torid);

/* ---- remarks.c ---- */

void remarks_begin (struct torid *torid);
void remarks_end (struct torid *torid);
void remarks_clear (struct torid *torid);

/* A new executor wants remarks at such intervals; 0: none. */
void remarks_want (struct torid *torid, double seconds);

#endif
