/* The load that torid bears, beside SQLite alone on the same disk: durable
 * submissions per second, one at a time and many at once; how soon a decision
 * is known; what a long queue costs; event streams; a year.
 *
 *     bench_service TORID TORID-REHEARSE FAST-TORID [--quick|--full]
 *                   [--only NAME]
 *
 * Everything is kept in a folder of its own below the current one, and goes
 * through the socket, as clients do. Times are those that pass; beside them
 * stands the processor time of torid and of this program, since both share
 * the machine. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

#include <sqlite3.h>

#include "bench.h"
#include "crowd.h"

static char folder[] = "tori-bench-XXXXXX";
static const char *torid_path, *rehearse_path, *fast_path;
static bool full; /* longer, and more often */
static int failed; /* goals that were not reached */

/* ---- figures ---- */

static int by_size (const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which this share lies; sorts them. */
static double quantile (double *values, size_t n, double share)
{
    if (n == 0)
        return NAN;
    qsort (values, n, sizeof *values, by_size);
    return values[(size_t)(share * (double)(n - 1) + 0.5)];
}

/* A line of the table. 0 stands for no goal. */
static void row (const char *what, double value, const char *unit, double goal,
                 bool at_least)
{
    printf ("%-56s %10.*f %-9s", what, value < 100 ? 2 : 0, value, unit);
    if (goal > 0) {
        bool good = at_least ? value >= goal : value <= goal;
        printf (" %s %.0f%s", at_least ? ">=" : "<=", goal,
                good ? "" : "  NOT REACHED");
        failed += !good;
    }
    putchar ('\n');
    fflush (stdout);
}

/* ---- torid ---- */

struct server {
    pid_t pid;
    const char *machine; /* NULL: torus:8x8x8 */
    const char *jobs;    /* the file in which its executor keeps them */
    char state[128], socket[160];
    double cpu, own_cpu, since; /* at the last look */
};

static void make_state (struct server *server, const char *name)
{
    snprintf (server->state, sizeof server->state, "%s/%s", folder, name);
    snprintf (server->socket, sizeof server->socket, "%s/socket",
              server->state);
}

/* The process: with an executor of some speed, or none. */
static _Noreturn void become (const struct server *server, const char *path,
                              const char *speed)
{
    char executor[512];
    const char *words[] = {"torid",
                           "--machine",
                           server->machine ? server->machine : "torus:8x8x8",
                           "--state",
                           server->state,
                           "--socket",
                           server->socket,
                           "--history",
                           "30d",
                           "--executor",
                           speed ? executor : "none",
                           NULL};
    snprintf (executor, sizeof executor, "%s --speed %s%s%s", rehearse_path,
              speed ? speed : "", server->jobs ? " --jobs " : "",
              server->jobs ? server->jobs : "");
    if (speed)
        setenv ("TORI_BENCH_SPEED", speed, 1);
    if (freopen ("/dev/null", "w", stderr))
        execv (path, (char *const *)(uintptr_t)words);
    _exit (127);
}

/* Start it and wait until it answers; the seconds that took. */
static double start_as (struct server *server, const char *path,
                        const char *speed)
{
    double begin = bench_now ();
    char *health = crowd_request ("GET", "/healthz", NULL);
    server->pid = fork ();
    if (server->pid == 0)
        become (server, path, speed);
    while (!crowd_reaches (server->socket))
        usleep (1000);
    if (crowd_ask (server->socket, health, NULL) != 200)
        exit (1);
    free (health);
    return bench_now () - begin;
}

static double start (struct server *server, const char *speed)
{
    return start_as (server, torid_path, speed);
}

static void stop (struct server *server, int signal)
{
    int status;
    kill (server->pid, signal);
    waitpid (server->pid, &status, 0);
}

/* A line of its /proc/PID/status that is in KiB, in MiB. */
static double memory_of (const struct server *server, const char *name)
{
    char path[64], line[256];
    double kib = 0;
    FILE *from;
    snprintf (path, sizeof path, "/proc/%d/status", (int)server->pid);
    from = fopen (path, "r");
    while (from && fgets (line, sizeof line, from))
        if (strncmp (line, name, strlen (name)) == 0)
            kib = strtod (line + strlen (name), NULL);
    if (from)
        fclose (from);
    return kib / 1024;
}

static double cpu_of (const struct server *server)
{
    clockid_t clock;
    struct timespec t = {0};
    if (clock_getcpuclockid (server->pid, &clock) == 0)
        clock_gettime (clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin_look (struct server *server)
{
    server->since = bench_now ();
    server->cpu = cpu_of (server);
    server->own_cpu = bench_cpu ();
}

/* The processor time of both, and of torid per job at this rate. */
static void end_look (const struct server *server, double rate)
{
    double took = bench_now () - server->since;
    double cpu = cpu_of (server) - server->cpu;
    printf ("    processor: torid %.0f %%, this program %.0f %%",
            100 * cpu / took, 100 * (bench_cpu () - server->own_cpu) / took);
    if (rate > 0)
        printf ("; torid %.1f us per job", 1e6 * cpu / took / rate);
    putchar ('\n');
}

/* The size of a file of its state, in MiB. */
static double file_size (const struct server *server, const char *name)
{
    char path[256];
    FILE *from;
    double size = 0;
    snprintf (path, sizeof path, "%s/%s", server->state, name);
    from = fopen (path, "r");
    if (from && fseek (from, 0, SEEK_END) == 0)
        size = (double)ftell (from) / (1 << 20);
    if (from)
        fclose (from);
    return size;
}

/* ---- SQLite alone ---- */

static void must (sqlite3 *db, const char *sql)
{
    if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf (stderr, "%s: %s\n", sql, sqlite3_errmsg (db));
        exit (1);
    }
}

static double sqlite_rows (int batch, double seconds)
{
    char path[128], text[200];
    sqlite3 *db;
    sqlite3_stmt *add;
    double begin, took;
    long n = 0;
    memset (text, 'x', sizeof text);
    snprintf (path, sizeof path, "%s/sqlite-%d", folder, batch);
    if (sqlite3_open (path, &db) != SQLITE_OK)
        exit (1);
    must (db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
              "CREATE TABLE r(seq INTEGER PRIMARY KEY, text BLOB)");
    sqlite3_prepare_v2 (db, "INSERT INTO r(text) VALUES(?)", -1, &add, NULL);
    sqlite3_bind_blob (add, 1, text, sizeof text, SQLITE_STATIC);
    begin = bench_now ();
    while ((took = bench_now () - begin) < seconds) {
        must (db, "BEGIN");
        for (int i = 0; i < batch; i++, sqlite3_reset (add))
            sqlite3_step (add);
        must (db, "COMMIT");
        n += batch;
    }
    sqlite3_finalize (add);
    sqlite3_close (db);
    return (double)n / took;
}

static void measure_sqlite (void)
{
    row ("SQLite alone, one row per commit",
         sqlite_rows (1, full ? 3 : 1), "rows/s", 0, true);
    row ("SQLite alone, 200 rows per commit",
         sqlite_rows (200, full ? 3 : 1), "rows/s", 0, true);
}

/* ---- submissions ---- */

static const char one_job[]
    = "{\"name\":\"climate\",\"estimate\":3600,"
      "\"command\":[\"./model\",\"--input\",\"a.nml\"]%s}";

#define SHAPE ",\"shape\":\"2x2x2\""

/* A body with so many jobs. */
static char *make_body (int jobs, const char *more)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream (&text, &size);
    if (!to)
        exit (1);
    if (jobs > 1)
        putc ('[', to);
    for (int i = 0; i < jobs; i++) {
        if (i > 0)
            putc (',', to);
        fprintf (to, one_job, more);
    }
    if (jobs > 1)
        putc (']', to);
    fclose (to);
    return text;
}

struct loop {
    const char *request;
    size_t n;
    long answers;
    long most; /* requests; 0: until the end */
    long sent;
    double end;
    double *latency;
};

static void send_next (struct client *client, struct loop *loop)
{
    if (loop->most ? loop->sent == loop->most : bench_now () > loop->end)
        return;
    loop->sent++;
    client->due = bench_now ();
    crowd_send (client, loop->request, loop->n);
}

static void on_accepted (struct client *client, int status, const char *text,
                         void *arg)
{
    struct loop *loop = arg;
    if (status != 201) {
        fprintf (stderr, "status %d: %s\n", status, text);
        exit (1);
    }
    if (loop->latency)
        loop->latency[loop->answers] = bench_now () - client->due;
    loop->answers++;
    send_next (client, loop);
}

/* Requests per second of so many clients, each one at a time, for so many
 * seconds or so many requests. */
static double submit (struct server *server, size_t clients, const char *body,
                      double seconds, long most, double *latency)
{
    char *request = crowd_request ("POST", "/v1/jobs", body);
    double begin = bench_now ();
    struct loop loop = {request, strlen (request), 0, most, 0,
                        begin + seconds, latency};
    struct crowd crowd;
    crowd_open (&crowd, server->socket, clients, on_accepted, &loop);
    for (size_t i = 0; i < clients; i++)
        send_next (&crowd.clients[i], &loop);
    while (loop.answers < loop.sent)
        crowd_turn (&crowd, 1);
    crowd_close (&crowd);
    free (request);
    return (double)loop.answers / (bench_now () - begin);
}

struct kind {
    const char *name;
    int clients, jobs; /* per request */
    const char *more;
    int each; /* jobs that come of one */
    double goal;
};

static void measure_kind (const struct kind *kind)
{
    struct server server = {0};
    char *body = make_body (kind->jobs, kind->more);
    double rates[5];
    size_t n = full ? 5 : 3;
    make_state (&server, "submit");
    for (size_t i = 0; i < n; i++) {
        char remove[256];
        start (&server, NULL);
        begin_look (&server);
        rates[i] = submit (&server, (size_t)kind->clients, body, 2, 0, NULL)
                   * kind->jobs * kind->each;
        if (i + 1 == n)
            end_look (&server, rates[i]);
        stop (&server, SIGKILL);
        snprintf (remove, sizeof remove, "rm -rf %s", server.state);
        if (system (remove) != 0)
            exit (1);
    }
    row (kind->name, quantile (rates, n, 0.5), "jobs/s", kind->goal, true);
    free (body);
}

static void measure_submit (void)
{
    static const struct kind kinds[] = {
        {"64 clients, held jobs, one at a time", 64, 1, SHAPE ",\"hold\":true", 1,
         10000},
        {"64 clients, jobs that queue, one at a time", 64, 1, SHAPE, 1,
         10000},
        {"1 client, one at a time", 1, 1, SHAPE, 1, 0},
        {"4 clients, 200 jobs per request", 4, 200, SHAPE, 1, 0},
        {"4 clients, arrays of 1000", 4, 1, SHAPE ",\"array\":\"1-1000\"", 1000,
         100000},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        measure_kind (&kinds[i]);
}

/* ---- from submission to decision ---- */

enum { MOST_JOBS = 200000 };

struct race {
    struct crowd *crowd; /* the first client watches */
    double due[MOST_JOBS], answered[MOST_JOBS], started[MOST_JOBS];
    long sent, answers, starts;
    bool starts_count; /* they are waited for */
};

static void on_event (struct race *race, const char *text)
{
    const char *id;
    if (strncmp (text, "data: ", 6) != 0
        || !strstr (text, "\"event\":\"started\""))
        return;
    id = strstr (text, "\"id\":");
    if (!id || strtol (id + 5, NULL, 10) >= MOST_JOBS)
        exit (1);
    race->started[strtol (id + 5, NULL, 10)] = bench_now ();
    race->starts++;
}

static void on_answer (struct client *client, int status, const char *text,
                       void *arg)
{
    struct race *race = arg;
    const char *id = strstr (text, "[");
    long at = id ? strtol (id + 1, NULL, 10) : MOST_JOBS;
    if (client->streams) {
        on_event (race, text);
        return;
    }
    if (status != 201 || at >= MOST_JOBS)
        exit (1);
    race->due[at] = client->due;
    race->answered[at] = bench_now ();
    race->answers++;
}

static struct client *find_idle (struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->n; i++)
        if (!crowd->clients[i].busy)
            return &crowd->clients[i];
    return NULL;
}

/* Exponential gaps, the same in every run. */
static double gap (unsigned *seed)
{
    *seed = *seed * 1103515245 + 12345;
    return -log (((*seed >> 8) + 0.5) / (1 << 24));
}

static void keep_pace (struct race *race, double rate, double seconds,
                       const char *request)
{
    double begin = bench_now (), due = begin;
    unsigned seed = 1;
    size_t n = strlen (request);
    while (due < begin + seconds) {
        double left = due - bench_now ();
        struct client *client = left <= 0 ? find_idle (race->crowd) : NULL;
        if (client) {
            client->due = due;
            race->sent++;
            crowd_send (client, request, n);
            due += gap (&seed) / rate;
        } else
            crowd_turn (race->crowd, left > 0 ? left : 0.01);
    }
    while ((race->answers < race->sent
            || (race->starts_count && race->starts < race->sent))
           && bench_now () < begin + seconds + 2)
        crowd_turn (race->crowd, 0.01);
}

static double tail_of (const struct race *race, const double *until,
                       double share)
{
    double *all = malloc (MOST_JOBS * sizeof *all), value;
    size_t n = 0;
    for (long i = 0; all && i < MOST_JOBS; i++)
        if (until[i] > 0 && race->due[i] > 0)
            all[n++] = 1e3 * (until[i] - race->due[i]);
    value = quantile (all, n, share);
    free (all);
    return value;
}

static const char watch[] = "GET /v1/events HTTP/1.1\r\nHost: torid\r\n\r\n";

/* Milliseconds at this rate until half and until 99 % of the jobs had started,
 * or were answered. */
static void pace (struct server *server, double rate, bool starts,
                  double ret[2])
{
    struct race *race = calloc (1, sizeof *race);
    char *body = make_body (1, ",\"shape\":\"2x2x1\",\"runtime\":0.02");
    char *request = crowd_request ("POST", "/v1/jobs", body);
    struct crowd crowd;
    crowd_open (&crowd, server->socket, 65, on_answer, race);
    crowd.clients[0].streams = true;
    crowd_send (&crowd.clients[0], watch, strlen (watch));
    usleep (100000);
    race->crowd = &crowd;
    race->starts_count = starts;
    keep_pace (race, rate, full ? 8 : 4, request);
    for (int i = 0; i < 2; i++)
        ret[i] = tail_of (race, starts ? race->started : race->answered,
                          i ? 0.99 : 0.5);
    if (starts && race->starts < race->sent)
        printf ("    %ld of %ld were not started\n",
                race->sent - race->starts, race->sent);
    crowd_close (&crowd);
    free (request);
    free (body);
    free (race);
}

static void measure_rate (double rate, size_t times, double goal)
{
    double p50[5], p99[5];
    char text[64];
    for (size_t i = 0; i < times; i++) {
        struct server server = {0};
        double both[2];
        char name[32];
        snprintf (name, sizeof name, "decide-%.0f-%zu", rate, i);
        make_state (&server, name);
        start (&server, "1");
        begin_look (&server);
        pace (&server, rate, true, both);
        if (i + 1 == times)
            end_look (&server, rate);
        p50[i] = both[0];
        p99[i] = both[1];
        stop (&server, SIGTERM);
    }
    snprintf (text, sizeof text, "%.0f jobs/s: started, p50", rate);
    row (text, quantile (p50, times, 0.5), "ms", 0, false);
    snprintf (text, sizeof text, "%.0f jobs/s: started, p99", rate);
    row (text, quantile (p99, times, 0.5), "ms", goal, false);
}

static void measure_decision (void)
{
    measure_rate (250, 1, 0);
    measure_rate (500, 1, 0);
    measure_rate (1000, full ? 5 : 3, 20);
    measure_rate (2000, 1, 0);
    measure_rate (4000, 1, 0);
}

/* ---- a long queue ---- */

static double ask_time (struct server *server, const char *path)
{
    char *request = crowd_request ("GET", path, NULL);
    double all[21];
    for (int i = 0; i < 21; i++) {
        double begin = bench_now ();
        if (crowd_ask (server->socket, request, NULL) != 200)
            exit (1);
        all[i] = 1e3 * (bench_now () - begin);
    }
    free (request);
    return quantile (all, 21, 0.5);
}

static void fill_queue (struct server *server, long jobs)
{
    char text[64], *body = make_body (500, SHAPE);
    double rate = submit (server, 2, body, 0, jobs / 500, NULL);
    snprintf (text, sizeof text, "filled by %ld", jobs);
    row (text, rate * 500, "jobs/s", 0, true);
    free (body);
}

static void look_at_queue (struct server *server, long jobs)
{
    char text[96], path[96];
    double goal = jobs == 100000 ? 1 : 0;
    snprintf (text, sizeof text, "%ld queued: first page of 100", jobs);
    row (text, ask_time (server, "/v1/jobs?state=queued"), "ms", 10 * goal,
         false);
    snprintf (text, sizeof text, "%ld queued: last page of 100", jobs);
    snprintf (path, sizeof path, "/v1/jobs?state=queued&after=%ld",
              jobs - 100);
    row (text, ask_time (server, path), "ms", 10 * goal, false);
    snprintf (text, sizeof text, "%ld queued: jobs of somebody else", jobs);
    row (text, ask_time (server, "/v1/jobs?user=nobody"), "ms", 10 * goal,
         false);
    snprintf (text, sizeof text, "%ld queued: page of what runs", jobs);
    row (text, ask_time (server, "/v1/jobs?state=running"), "ms", 10 * goal,
         false);
}

static void restart (struct server *server, long jobs, int signal,
                     const char *how)
{
    char text[96];
    double begin = bench_now ();
    stop (server, signal);
    snprintf (text, sizeof text, "%ld queued: stopped %s", jobs, how);
    row (text, 1e3 * (bench_now () - begin), "ms", 0, false);
    snprintf (text, sizeof text, "%ld queued: restart after that", jobs);
    row (text, 1e3 * start (server, NULL), "ms", jobs == 100000 ? 2000 : 0,
         false);
}

static void measure_one_by_one (struct server *server, long jobs)
{
    enum { N = 2000 };
    static double latency[N];
    char text[96], *body = make_body (1, SHAPE);
    snprintf (text, sizeof text, "%ld queued: 64 clients, one at a time",
              jobs);
    row (text, submit (server, 64, body, 0, N, NULL), "jobs/s", 0, true);
    submit (server, 1, body, 0, N, latency);
    snprintf (text, sizeof text, "%ld queued: 1 client, answered, p50", jobs);
    row (text, 1e3 * quantile (latency, N, 0.5), "ms", 0, false);
    snprintf (text, sizeof text, "%ld queued: 1 client, answered, p99", jobs);
    row (text, 1e3 * quantile (latency, N, 0.99), "ms", 20, false);
    free (body);
}

/* As many bytes of records as a snapshot waits for: the next turns write one.
 */
static void provoke_snapshot (struct server *server)
{
    enum { LARGE = 1 << 20, TIMES = 48 };
    char *more = NULL, *body;
    if (asprintf (&more, SHAPE ",\"hold\":true,\"script\":\"%0*d\"", LARGE, 0)
        < 0)
        exit (1);
    body = make_body (1, more);
    submit (server, 1, body, 0, TIMES, NULL);
    free (body);
    free (more);
}

static void measure_pace (struct server *server, long jobs)
{
    double both[2];
    char text[96];
    provoke_snapshot (server);
    begin_look (server);
    pace (server, 1000, false, both);
    end_look (server, 1000);
    for (int i = 0; i < 2; i++) {
        snprintf (text, sizeof text,
                  "%ld queued: 1000 jobs/s and a snapshot, answered, p%s",
                  jobs, i ? "99" : "50");
        row (text, both[i], "ms", i && jobs == 100000 ? 20 : 0, false);
    }
}

static void measure_queue (void)
{
    static const long sizes[] = {1000, 10000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct server server = {0};
        char name[32];
        snprintf (name, sizeof name, "queue%zu", i);
        make_state (&server, name);
        start (&server, NULL);
        fill_queue (&server, sizes[i]);
        row ("    memory", memory_of (&server, "VmRSS:"), "MiB", 0, false);
        look_at_queue (&server, sizes[i]);
        measure_one_by_one (&server, sizes[i]);
        restart (&server, sizes[i], SIGTERM, "by SIGTERM");
        measure_pace (&server, sizes[i]);
        restart (&server, sizes[i], SIGKILL, "by SIGKILL");
        look_at_queue (&server, sizes[i]);
        stop (&server, SIGTERM);
    }
}

/* ---- an executor that comes back ---- */

/* The only child of torid. */
static pid_t executor_of (const struct server *server)
{
    char path[64], line[64] = "";
    FILE *from;
    snprintf (path, sizeof path, "/proc/%d/task/%d/children",
              (int)server->pid, (int)server->pid);
    from = fopen (path, "r");
    if (from && !fgets (line, sizeof line, from))
        line[0] = '\0';
    if (from)
        fclose (from);
    if (strtol (line, NULL, 10) <= 0)
        exit (1);
    return (pid_t)strtol (line, NULL, 10);
}

static bool run_as_many (const struct server *server, long jobs)
{
    char *request = crowd_request ("GET", "/metrics", NULL), *answer = NULL;
    char line[64];
    bool all;
    snprintf (line, sizeof line, "{state=\"running\"} %ld\n", jobs);
    all = crowd_ask (server->socket, request, &answer) == 200
          && strstr (answer, line);
    free (request);
    free (answer);
    return all;
}

/* Ask for some seconds, one request at a time: the slowest answer, in ms. */
static double keep_asking (const struct server *server)
{
    enum { SECONDS = 3, PAUSE = 2000 };
    char *request = crowd_request ("GET", "/healthz", NULL);
    double end = bench_now () + SECONDS, slowest = 0;
    while (bench_now () < end) {
        double begin = bench_now (), took;
        if (crowd_ask (server->socket, request, NULL) != 200)
            exit (1);
        took = 1e3 * (bench_now () - begin);
        slowest = took > slowest ? took : slowest;
        usleep (PAUSE);
    }
    free (request);
    return slowest;
}

static void measure_return (long jobs)
{
    char text[96], name[32], file[160];
    char *body = make_body (500, ",\"shape\":\"1x1x1\"");
    struct server server = {.machine = "torus:32x32x32", .jobs = file};
    pid_t executor;
    snprintf (name, sizeof name, "return%ld", jobs);
    make_state (&server, name);
    snprintf (file, sizeof file, "%s/jobs", server.state);
    start (&server, "1");
    submit (&server, 2, body, 0, jobs / 500, NULL);
    while (!run_as_many (&server, jobs))
        usleep (10000);
    snprintf (text, sizeof text, "%ld running: the slowest answer before",
              jobs);
    row (text, keep_asking (&server), "ms", 0, false);
    kill (executor_of (&server), SIGKILL);
    snprintf (text, sizeof text, "%ld running: the slowest answer meanwhile",
              jobs);
    row (text, keep_asking (&server), "ms", 0, false);
    if (!run_as_many (&server, jobs))
        exit (1);
    executor = executor_of (&server);
    stop (&server, SIGTERM);
    while (kill (executor, 0) == 0)
        usleep (1000);
    free (body);
}

static void measure_returns (void)
{
    static const long sizes[] = {1000, 10000, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        measure_return (sizes[i]);
}

/* ---- event streams ---- */

static void on_line (struct client *client, int status, const char *text,
                     void *arg)
{
    if (strncmp (text, "data: ", 6) == 0) {
        client->events++;
        ++*(long *)arg;
    }
}

static void watch_all (struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->n; i++) {
        crowd->clients[i].streams = true;
        crowd_send (&crowd->clients[i], watch, strlen (watch));
    }
}

static void measure_stream (size_t n, double goal)
{
    enum { JOBS = 20 };
    struct server server = {0};
    struct crowd crowd;
    char text[96], name[32], *body = make_body (JOBS, SHAPE ",\"hold\":true");
    double before, begin;
    long events = 0;
    snprintf (name, sizeof name, "streams%zu", n);
    make_state (&server, name);
    start (&server, NULL);
    before = memory_of (&server, "VmRSS:");
    crowd_open (&crowd, server.socket, n, on_line, &events);
    watch_all (&crowd);
    begin = bench_now ();
    while (bench_now () < begin + 1)
        crowd_turn (&crowd, 0.01);
    begin_look (&server);
    submit (&server, 1, body, 0, 1, NULL);
    while (events < (long)n * JOBS && bench_now () < server.since + 30)
        crowd_turn (&crowd, 0.01);
    snprintf (text, sizeof text, "%zu streams: %d events reach all", n, JOBS);
    row (text, 1e3 * (bench_now () - server.since), "ms", 0, false);
    for (size_t i = 0; i < n; i++)
        if (crowd.clients[i].events != JOBS) {
            printf ("    NOT REACHED: a stream saw %zu of %d events\n",
                    crowd.clients[i].events, JOBS);
            failed++;
            break;
        }
    end_look (&server, 0);
    snprintf (text, sizeof text, "%zu streams: memory at the most", n);
    row (text, memory_of (&server, "VmHWM:"), "MiB", goal, false);
    snprintf (text, sizeof text, "%zu streams: memory per stream", n);
    row (text, 1024 * (memory_of (&server, "VmHWM:") - before) / (double)n,
         "KiB", 0, false);
    crowd_close (&crowd);
    stop (&server, SIGTERM);
    free (body);
}

static void measure_streams (void)
{
    measure_stream (1000, 0);
    measure_stream (10000, 512);
}

/* ---- a year ---- */

enum { YEAR = 365 * 86400, JOBS_PER_DAY = 100 };

static void on_done (struct client *client, int status, const char *text,
                     void *arg)
{
    if (status != 201)
        exit (1);
    ++*(long *)arg;
}

/* Every request has a key of its own, as that of a careful client has. */
static void send_keyed (struct client *client, long number)
{
    static const char form[]
        = "POST /v1/jobs HTTP/1.1\r\nHost: torid\r\n"
          "Idempotency-Key: %ld\r\nContent-Length: %zu\r\n\r\n%s";
    static const char *const shapes[] = {"1x1x1", "2x1x1", "2x2x1", "2x2x2"};
    char body[256], text[512];
    snprintf (body, sizeof body,
              "{\"name\":\"climate\",\"shape\":\"%s\",\"estimate\":7200,"
              "\"runtime\":%ld,\"command\":[\"./model\"]}",
              shapes[number % 4], 1800 + number % 5400);
    snprintf (text, sizeof text, form, number, strlen (body), body);
    crowd_send (client, text, strlen (text));
}

/* How many jobs torid knows in some state. */
static double jobs_in (struct server *server, const char *state)
{
    char name[64], *text, *found;
    char *request = crowd_request ("GET", "/metrics", NULL);
    double n = -1;
    snprintf (name, sizeof name, "\ntori_jobs{state=\"%s\"} ", state);
    crowd_ask (server->socket, request, &text);
    found = strstr (text, name);
    if (found)
        n = strtod (found + strlen (name), NULL);
    free (text);
    free (request);
    return n;
}

static void note_month (struct server *server, int month, double ret[2])
{
    char text[64];
    ret[0] = memory_of (server, "VmRSS:");
    ret[1] = file_size (server, "journal");
    snprintf (text, sizeof text, "month %d: memory", month);
    row (text, ret[0], "MiB", 0, false);
    snprintf (text, sizeof text, "month %d: journal", month);
    row (text, ret[1], "MiB", 0, false);
    snprintf (text, sizeof text, "month %d: journal-wal", month);
    row (text, file_size (server, "journal-wal"), "MiB", 0, false);
    printf ("    %.0f jobs wait, %.0f run\n", jobs_in (server, "queued"),
            jobs_in (server, "running"));
}

/* Live until this moment of the year, in seconds. */
static void live_until (struct crowd *crowd, double begin, double speed,
                        double moment, long *sent)
{
    double per_second = JOBS_PER_DAY * speed / 86400;
    while ((bench_now () - begin) * speed < moment) {
        double due = begin + (double)*sent / per_second;
        struct client *client = find_idle (crowd);
        if (client && due <= bench_now ())
            send_keyed (client, (*sent)++);
        else
            crowd_turn (crowd, 0.0005);
    }
}

static void measure_year (void)
{
    static const int months[] = {1, 3, 6, 12, 18, 24};
    size_t n = full ? 6 : 4;
    double speed = YEAR / (full ? 60.0 : 30.0), begin, was[2], now[2];
    struct server server = {0};
    struct crowd crowd;
    char text[32];
    long done = 0, sent = 0;
    snprintf (text, sizeof text, "%.0f", speed);
    make_state (&server, "year");
    start_as (&server, fast_path, text);
    crowd_open (&crowd, server.socket, 64, on_done, &done);
    begin = bench_now ();
    begin_look (&server);
    for (size_t i = 0; i < n; i++) {
        live_until (&crowd, begin, speed, YEAR / 12.0 * months[i], &sent);
        note_month (&server, months[i], i == n - 3 ? was : now);
    }
    end_look (&server, (double)done / (bench_now () - begin));
    row ("jobs in that time", (double)done, "jobs", 0, true);
    printf ("at the end, by that after %d months:\n", months[n - 3]);
    row ("    memory", 100 * now[0] / was[0], "%", 110, false);
    row ("    journal", 100 * now[1] / was[1], "%", 110, false);
    crowd_close (&crowd);
    row ("restart after that", 1e3 * (stop (&server, SIGKILL),
                                          start (&server, NULL)),
         "ms", 2000, false);
    stop (&server, SIGTERM);
}

/* ---- all ---- */

static const struct part {
    const char *name, *title;
    void (*measure) (void);
} parts[] = {
    {"sqlite", "SQLite alone: WAL, synchronous FULL, rows of 200 bytes",
     measure_sqlite},
    {"submit", "Durable submissions", measure_submit},
    {"decision", "From the intended submission to the event of the start, on a machine"
     " with room",
     measure_decision},
    {"queue", "A long queue", measure_queue},
    {"executor", "An executor that is killed, starts again and lists its jobs",
     measure_returns},
    {"streams", "Event streams", measure_streams},
    {"year", "A simulated year or two: torid whole, its clock and torid-rehearse's"
             " fast", measure_year},
};

static void allow_files (void)
{
    struct rlimit files;
    if (getrlimit (RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit (RLIMIT_NOFILE, &files);
    }
}

static void note_machine (void)
{
    double load[3] = {0};
    bench_machine ();
    if (getloadavg (load, 3) > 0)
        printf ("# load average before: %.2f\n", load[0]);
}

static int misuse (void)
{
    fprintf (stderr, "Usage: bench_service TORID TORID-REHEARSE FAST-TORID"
                     " [--quick|--full] [--only NAME]\n");
    return 2;
}

int main (int argc, char **argv)
{
    const char *only = NULL;
    char remove[64];
    if (argc < 4)
        return misuse ();
    torid_path = argv[1];
    rehearse_path = argv[2];
    fast_path = argv[3];
    for (int i = 4; i < argc; i++)
        if (strcmp (argv[i], "--full") == 0
            || strcmp (argv[i], "--quick") == 0)
            full = argv[i][2] == 'f';
        else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            return misuse ();
    note_machine ();
    allow_files ();
    if (!mkdtemp (folder))
        return 1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!only || strcmp (only, parts[i].name) == 0) {
            printf ("\n%s\n", parts[i].title);
            parts[i].measure ();
        }
    snprintf (remove, sizeof remove, "rm -rf %s", folder);
    if (system (remove) != 0)
        return 1;
    printf ("\n%d goals not reached\n", failed);
    return 0;
}
