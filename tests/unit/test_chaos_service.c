/* Every allocation of the service fails once: torid ends or goes on, and what
 * the journal has can be read again and is what was acknowledged.
 *
 * A turn, of a service or a shadow, is some inputs and the decisions about
 * them, by torid's own code on a journal in memory (world_disk.c). Before each
 * turn, a child takes it with the first allocation failing, another with the
 * second, and so on. Then each starts again from the journal, and must have the
 * state from before the turn or from after it. The latter if the turn was
 * acknowledged. A child that goes on must arrive at the same end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chaos.h"
#include "shortage.h"
#include "worlds.h"

/* ---- the turns ---- */

/* A line of an executor has "is", the rest are inputs. */
struct turn {
    const char *what;
    const char *lines[8];
};

#define USER "\"user\":\"ann\","
#define ROOT USER "\"root\":true,"
#define JOB "\"estimate\":60,\"command\":[\"true\"]"
#define IDENTITY "0123456789abcdef0123456789abcdef"
#define STRANGER                                                              \
    "\"job\":17,\"attempt\":1,\"state\":\"" IDENTITY ".1\""
#define SUBMIT "{\"in\":\"submit\"," USER

static const struct turn turns[] = {
    {"a policy",
     {"{\"in\":\"policy\",\"user\":\"\",\"root\":true,\"policy\":{"
      "\"half_life\":86400000000,\"weight\":500,\"requeues\":3,\"history\":0,"
      "\"user\":{\"queued\":100,\"running\":0,\"nodes\":64,\"rate\":0},"
      "\"queues\":[{\"priority\":0,\"max_estimate\":0,\"max_nodes\":0,"
      "\"level\":0,\"name\":\"batch\",\"preempted\":\"suspend\",\"limits\":"
      "{\"queued\":0,\"running\":0,\"nodes\":0,\"rate\":0}}]}}"}},
    {"an executor",
     {"{\"is\":\"ready\",\"version\":1}", "{\"is\":\"running\",\"jobs\":[]}"}},
    {"a job", {SUBMIT "\"key\":\"k\",\"jobs\":[{\"shape\":\"2x2\",\"wiring\":"
               "\"torus\"," JOB ",\"environment\":{\"A\":\"1\"},\"output\":"
               "\"out.%j\",\"directory\":\"/tmp\"}]}"}},
    {"it started", {"{\"is\":\"started\",\"job\":1,\"attempt\":1}"}},
    {"an array that waits for it",
     {SUBMIT "\"jobs\":[{\"count\":2,\"array\":\"1-3%2\",\"after\":[\"ok:1\"]"
             "," JOB "}]}"}},
    {"one that waits for nodes, and one that overtakes it",
     {SUBMIT "\"jobs\":[{\"shape\":\"4x4\"," JOB "}]}",
      SUBMIT "\"jobs\":[{\"count\":3,\"on_failure\":\"requeue\"," JOB "}]}"}},
    {"changes",
     {"{\"in\":\"change\",\"id\":5," ROOT "\"priority\":7}",
      "{\"in\":\"change\",\"id\":4," ROOT "\"before\":5}",
      "{\"in\":\"change\",\"id\":5," ROOT "\"estimate\":90}",
      "{\"in\":\"change\",\"id\":5," ROOT "\"hold\":true}",
      "{\"in\":\"change\",\"id\":5," ROOT "\"hold\":false}",
      "{\"in\":\"change\",\"id\":5," ROOT "\"shape\":\"3x4\"}"}},
    {"nodes", {"{\"in\":\"node\"," ROOT "\"node\":\"3,3\",\"state\":\"drain\","
               "\"why\":\"memory\"}",
               "{\"in\":\"link\"," ROOT "\"link\":\"0,0-0,1\",\"state\":"
               "\"down\"}",
               "{\"in\":\"link\"," ROOT "\"link\":\"0,0-0,1\",\"state\":"
               "\"up\"}"}},
    {"a window", {"{\"in\":\"window\"," ROOT "\"from\":2000,\"until\":3000,"
                  "\"box\":\"0,0/2x2\",\"name\":\"repair\"}"}},
    {"another executor",
     {"{\"is\":\"ready\",\"version\":1}",
      "{\"is\":\"running\",\"jobs\":[{\"job\":1,\"attempt\":1}]}"}},
    {"a start that failed", {"{\"is\":\"failed\",\"job\":6,\"attempt\":1,"
                             "\"retry\":true,\"why\":\"no\"}"}},
    {"the end of the first", {"{\"is\":\"ended\",\"job\":1,\"attempt\":1,"
                              "\"status\":0,\"signal\":null}"}},
    {"more started", {"{\"is\":\"started\",\"job\":2,\"attempt\":1}",
                      "{\"is\":\"started\",\"job\":6,\"attempt\":2}"}},
    {"a node fails", {"{\"is\":\"node\",\"node\":\"0,0/4x4\",\"state\":"
                      "\"down\",\"why\":\"power\"}"}},
    {"what was there ends", {"{\"is\":\"ended\",\"job\":6,\"attempt\":2,"
                             "\"status\":null,\"signal\":9}",
                             "{\"is\":\"node\",\"node\":\"0,0/4x4\","
                             "\"state\":\"up\"}"}},
    {"one that is urgent", {"{\"in\":\"submit\"," ROOT "\"jobs\":[{\"shape\":"
                            "\"3x3\",\"level\":2," JOB "}]}"}},
    {"cancelled", {"{\"in\":\"cancel\",\"id\":3," USER "\"x\":0}",
                   "{\"in\":\"cancel\",\"id\":7," USER "\"x\":0}",
                   "{\"in\":\"cancel\",\"id\":5," USER "\"x\":0}"}},
    {"it ends", {"{\"is\":\"ended\",\"job\":7,\"attempt\":1,\"status\":null,"
                 "\"signal\":15}"}},
    {"jobs of another queue",
     {"{\"is\":\"submit\",\"key\":\"a\",\"user\":\"bob\",\"count\":1,"
      "\"estimate\":60}",
      "{\"is\":\"submit\",\"key\":\"b\",\"user\":\"bob\",\"count\":1,"
      "\"estimate\":60,\"after\":[\"ok:a\"]}",
      "{\"is\":\"change\",\"key\":\"a\",\"priority\":3}",
      "{\"is\":\"cancel\",\"key\":\"a\"}",
      "{\"is\":\"windows\",\"windows\":[{\"key\":\"w\",\"nodes\":[\"2,2\"],"
      "\"from\":5000,\"until\":6000}]}"}},
    {"nothing runs any more",
     {"{\"is\":\"ready\",\"version\":1}", "{\"is\":\"running\",\"jobs\":[]}"}},
    {"no window", {"{\"in\":\"unwindow\"," ROOT "\"id\":1}",
                   "{\"in\":\"node\"," ROOT "\"node\":\"3,3\",\"state\":"
                   "\"resume\"}"}},
    {"another epoch", {"{\"in\":\"origin\"," ROOT "\"identity\":\"" IDENTITY
                       "\",\"epoch\":2,\"highest\":20,\"unheard\":true}"}},
    {"strangers", {"{\"is\":\"ready\",\"version\":1}",
                   "{\"is\":\"running\",\"highest\":30,\"jobs\":[{" STRANGER
                   ",\"user\":\"eve\",\"ids\":[0,1,5]}]}",
                   "{\"in\":\"node\"," ROOT "\"node\":\"0,1\",\"state\":"
                   "\"drain\"}",
                   "{\"in\":\"end-unknown\"," ROOT "\"id\":17}"}},
    {"they end", {"{\"is\":\"ended\"," STRANGER ",\"status\":0,"
                  "\"signal\":null}"}},
};

/* A shadow hears what another scheduler did, and when. */
static const struct turn shadow_turns[] = {
    {"a shadow's policy",
     {"{\"in\":\"policy\",\"user\":\"\",\"root\":true,\"policy\":{"
      "\"user\":{\"nodes\":64}}}"}},
    {"a reporter", {"{\"is\":\"ready\",\"version\":1}"}},
    {"jobs there",
     {"{\"is\":\"submit\",\"key\":\"a\",\"user\":\"ann\",\"count\":4,"
      "\"estimate\":60,\"at\":100}",
      "{\"is\":\"submit\",\"key\":\"b\",\"user\":\"bob\",\"count\":14,"
      "\"estimate\":60,\"at\":110}",
      "{\"is\":\"submit\",\"key\":\"c\",\"user\":\"bob\",\"shape\":"
      "\"2x2\",\"estimate\":30,\"after\":[\"ok:a\"],\"at\":110}",
      "{\"is\":\"submit\",\"key\":\"d\",\"user\":\"ann\",\"count\":99,"
      "\"estimate\":30,\"at\":115}"}},
    {"one started",
     {"{\"is\":\"started\",\"key\":\"a\",\"at\":120,\"nodes\":["
      "\"3,0\",\"3,1\",\"3,2\",\"3,3\"]}",
      "{\"is\":\"change\",\"key\":\"b\",\"priority\":3,\"at\":130}",
      "{\"is\":\"node\",\"node\":\"0,0/1x4\",\"state\":\"down\",\"at\":"
      "140}",
      "{\"is\":\"link\",\"link\":\"1,0-1,1\",\"state\":\"down\",\"at\":"
      "140}",
      "{\"is\":\"time\",\"at\":150}"}},
    {"one ended",
     {"{\"is\":\"ended\",\"key\":\"a\",\"at\":155,\"status\":0,"
      "\"signal\":null}",
      "{\"is\":\"node\",\"node\":\"0,0/1x4\",\"state\":\"up\",\"at\":160}",
      "{\"is\":\"windows\",\"at\":165,\"windows\":[{\"key\":\"w\","
      "\"nodes\":[\"2,2\"],\"from\":5000,\"until\":6000}]}",
      "{\"is\":\"time\",\"at\":400}"}},
    {"others started",
     {"{\"is\":\"ready\",\"version\":1}",
      "{\"is\":\"started\",\"key\":\"b\",\"at\":410,\"box\":"
      "\"0,0/4x4\"}",
      "{\"is\":\"started\",\"key\":\"c\",\"at\":420,\"box\":"
      "\"0,0/2x2\"}",
      "{\"is\":\"time\",\"at\":500}"}},
    {"and were cancelled, or ended",
     {"{\"is\":\"cancel\",\"key\":\"b\",\"at\":510}",
      "{\"is\":\"ended\",\"key\":\"b\",\"at\":511,\"status\":null,"
      "\"signal\":15}",
      "{\"is\":\"ended\",\"key\":\"c\",\"at\":512,\"status\":1,"
      "\"signal\":null}",
      "{\"is\":\"time\",\"at\":1000}"}},
};

enum { TURNS = sizeof turns / sizeof turns[0],
       SHADOW_TURNS = sizeof shadow_turns / sizeof shadow_turns[0],
       BOTH = TURNS + SHADOW_TURNS };

static const struct plot {
    const struct turn *turns;
    int n;
    bool shadow;
} plots[] = {{turns, TURNS, false}, {shadow_turns, SHADOW_TURNS, true}};

/* ---- torid, as in worlds.h ---- */

static const struct plot *plot;
static struct torid torid;
static struct rng rng;
static tori_machine *machine;
static int now;           /* the turn, */
static bool acknowledged; /* and whether it was */
static char *texts[BOTH + 1]; /* what the journal leads to before each, */
static char *last;             /* and what torid has at the end */
static void (*on_exit_of_torid) (void);

/* The names are the linker's. */
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif

tori_time __wrap_torid_now (const struct torid *torid);
void __wrap_torid_watch_clock (struct torid *torid);
void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...);
void __wrap_executor_pipe_say (struct torid *torid, const json_t *order);
void __wrap_watch_tell (struct torid *torid, json_t *event);
void __wrap_http_resume (struct torid *torid);
void __wrap_remarks_want (struct torid *torid, double seconds);
int __wrap_uv_timer_start (uv_timer_t *timer, uv_timer_cb cb, uint64_t after,
                           uint64_t every);
_Noreturn void __wrap_exit (int status);
int __real_journal_add (struct journal *journal, char kind, const char *text,
                        size_t n, tori_error *err);
int __wrap_journal_add (struct journal *journal, char kind, const char *text,
                        size_t n, tori_error *err);
int __real_journal_commit (struct journal *journal, tori_error *err);
int __wrap_journal_commit (struct journal *journal, tori_error *err);

void __wrap_torid_watch_clock (struct torid *t)
{
}

tori_time __wrap_torid_now (const struct torid *t)
{
    return (1000 + now) * TORI_SECOND;
}

void __wrap_torid_log (const struct torid *t, enum level level,
                       const char *event, const char *fmt, ...)
{
}

void __wrap_executor_pipe_say (struct torid *t, const json_t *order)
{
}

void __wrap_watch_tell (struct torid *t, json_t *event)
{
}

void __wrap_http_resume (struct torid *t)
{
    acknowledged = true;
}

void __wrap_remarks_want (struct torid *t, double seconds)
{
}

int __wrap_uv_timer_start (uv_timer_t *timer, uv_timer_cb cb, uint64_t after,
                           uint64_t every)
{
    return 0;
}

_Noreturn void __wrap_exit (int status)
{
    on_exit_of_torid ();
    _exit (2);
}

/* The journal's own memory is another test's matter. */
int __wrap_journal_add (struct journal *journal, char kind, const char *text,
                        size_t n, tori_error *err)
{
    int status;
    chaos_pause ();
    status = __real_journal_add (journal, kind, text, n, err);
    chaos_resume ();
    return status;
}

int __wrap_journal_commit (struct journal *journal, tori_error *err)
{
    int status;
    chaos_pause ();
    status = __real_journal_commit (journal, err);
    chaos_resume ();
    return status;
}

#pragma GCC diagnostic pop

size_t fault_torn (size_t n)
{
    return 0;
}

size_t fault_covered (size_t n)
{
    return n;
}

/* These are not asked for. */
int journal_find (struct journal *journal, uint64_t id, journal_job_fn each,
                  void *arg, tori_error *err)
{
    return 0;
}

int journal_history (struct journal *journal,
                     const struct journal_filter *filter, journal_job_fn each,
                     void *arg, tori_error *err)
{
    return 0;
}

int journal_sample (struct journal *journal,
                    const struct journal_sample *sample, tori_error *err)
{
    return 0;
}

int journal_samples (struct journal *journal, int64_t after, uint64_t limit,
                     journal_sample_fn each, void *arg, tori_error *err)
{
    return 0;
}

int journal_each_change (struct journal *journal,
                         const struct journal_changes *which,
                         journal_change_fn each, void *arg, tori_error *err)
{
    return 0;
}

static _Noreturn void give_up (const char *why)
{
    printf ("# %s: %s\n", now < plot->n ? plot->turns[now].what : "the end", why);
    fflush (stdout);
    _exit (1);
}

/* From the journal. */
static struct torid boot (void)
{
    static const tori_alloc_config mm = {.size = sizeof mm, .name = "mm"};
    const tori_sched_config config = {.size = sizeof config,
                                      .policy = "easy",
                                      .alloc = TORI_ALLOC ("first-fit"),
                                      .counts = &mm};
    struct torid it = {.machine = machine,
                       .state = disk_state (),
                       .orders = {.list = json_array ()},
                       .events = {.list = json_array ()},
                       .linked = true};
    tori_error err = {0};
    if (service_create (machine, &config, &it.service, &err) < 0
        || (plot->shadow && service_shadow (it.service, &err) < 0)
        || commit_loop_open (&it, &err) < 0)
        give_up (err.text);
    return it;
}

static void shut (struct torid *it)
{
    journal_close (it->journal);
    service_destroy (it->service);
    json_decref (it->orders.list);
    json_decref (it->events.list);
}

/* The state that a start would have now. */
static char *read_journal (void)
{
    struct torid it = boot ();
    size_t n;
    char *text = service_save (it.service, &n);
    shut (&it);
    return text;
}

static char *read_state (void)
{
    size_t n;
    return service_save (torid.service, &n);
}

static void take_turn (void)
{
    acknowledged = false;
    for (size_t i = 0; i < 8 && plot->turns[now].lines[i]; i++) {
        const char *line = plot->turns[now].lines[i];
        struct reply reply = {0};
        json_t *input;
        if (!strncmp (line, "{\"is\"", 5)) {
            executor_pipe_take_line (&torid, line, strlen (line));
            continue;
        }
        input = json_loads (line, 0, NULL);
        torid_tell (&torid, input, &reply);
        if (reply.code >= 300)
            give_up (json_dumps (reply.body, 0));
        json_decref (reply.body);
        json_decref (input);
    }
    do
        commit_loop_settle (&torid);
    while (torid.stirred);
    now++;
}

/* ---- chaos ---- */

static int turn_before; /* of the child */

/* The end of a child: is the journal what it should be? */
static void check_journal (void)
{
    const char *before = texts[turn_before], *after = texts[turn_before + 1];
    char *text;
    chaos_disarm ();
    text = read_journal ();
    if (!text || (strcmp (text, after) && strcmp (text, before)))
        give_up ("another state");
    if (acknowledged && strcmp (text, after))
        give_up ("what was acknowledged is lost");
    _exit (0);
}

enum { UNHURT = 42 };

static _Noreturn void live_through (unsigned long n)
{
    bool fired;
    turn_before = now;
    on_exit_of_torid = check_journal;
    chaos_arm (n, false);
    take_turn ();
    fired = chaos_disarm ();
    if (!fired)
        _exit (UNHURT);
    while (now < plot->n)
        take_turn ();
    if (strcmp (read_journal (), texts[plot->n])
        || strcmp (read_state (), last))
        give_up ("another end");
    _exit (0);
}

/* Up to so many allocations; -1 if one went wrong. Sanitizers make a fork slow:
 * with a stride, only some fail. */
static long fail_each (unsigned long stride)
{
    for (unsigned long n = 1;; n += stride) {
        int status = 0;
        pid_t child;
        fflush (stdout);
        child = fork ();
        if (child == 0)
            live_through (n);
        if (child < 0 || waitpid (child, &status, 0) < 0)
            return -1;
        if (WIFEXITED (status) && WEXITSTATUS (status) == UNHURT)
            return (long)n - 1;
        if (status != 0) {
            printf ("# %s: allocation %lu: status %#x\n",
                    plot->turns[now].what, n,
                    (unsigned)status);
            return -1;
        }
    }
}

static void start_over (void)
{
    if (torid.service)
        shut (&torid);
    disk_end ();
    disk_begin (&rng);
    now = 0;
    torid = boot ();
}

/* How many turns went wrong; `first` is the number of the first. */
static int play (const struct plot *of, unsigned long stride, int first)
{
    int bad = 0;
    plot = of;
    for (start_over (); now < plot->n; take_turn ())
        texts[now] = read_journal ();
    texts[plot->n] = read_journal ();
    last = read_state ();
    for (start_over (); now < plot->n; take_turn ()) {
        long n = fail_each (stride);
        bad += n < 1;
        printf ("%sok %d - %s: up to %ld allocations\n", n < 1 ? "not " : "",
                first + now, plot->turns[now].what, n);
    }
    shut (&torid);
    torid = (struct torid){0};
    disk_end ();
    for (int i = 0; i <= plot->n; i++)
        free (texts[i]);
    free (last);
    return bad;
}

int main (int argc, char **argv)
{
    unsigned long stride = argc > 1 ? strtoul (argv[1], NULL, 10) : 1;
    int bad = 0;
    shortage_watch ();
    rng_seed (&rng, 1, 0);
    if (tori_machine_parse ("torus:4x4", &machine, NULL) < 0)
        return 1;
    printf ("1..%d\n", BOTH);
    bad += play (&plots[0], stride, 1);
    bad += play (&plots[1], stride, TURNS + 1);
    tori_machine_destroy (machine);
    fflush (stdout);
    return bad ? 1 : 0;
}
