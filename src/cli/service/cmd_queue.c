/* tori queue - the jobs of a running torid. */
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "http_client.h"
#include "commands.h"
#include "livefields.h"
#include "jobs.h"
#include "jobtable.h"
#include "terminal.h"

struct values {
    const char *socket, *user;
    int state;
    bool all, mine, ended, json;
};

#define AT(member) offsetof (struct values, member)

enum { RUNNING, QUEUED, ENDED, SUSPENDED, STATES };

static const char *state_names (size_t i)
{
    static const char *const names[STATES]
        = {"running", "queued", "ended", "suspended"};
    return i < STATES ? names[i] : NULL;
}

static const struct option options[] = {
    {"state", OPTION_CHOICE, AT (state), "STATE", .choices = state_names,
     .help = "only those in this state; if not given, those that run or "
             "wait"},
    {"ended", OPTION_FLAG, AT (ended), .without = "state",
     .help = "only those that have ended"},
    {"all", OPTION_FLAG, AT (all), .without = "state ended",
     .help = "those that have ended as well"},
    {"user", OPTION_STRING, AT (user), "USER", .help = "only this user's"},
    {"mine", OPTION_FLAG, AT (mine), .without = "user",
     .help = "only mine"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* Whether jobs in this state are asked for. */
static bool is_wanted (const struct values *v, int state)
{
    if (v->state >= 0)
        return v->state == state;
    if (state == SUSPENDED) /* these are queued, too */
        return false;
    return state == ENDED ? v->ended || v->all : !v->ended;
}

static int fetch_jobs (const struct values *v, json_t *jobs, tori_error *err)
{
    const struct passwd *me = v->mine ? getpwuid (geteuid ()) : NULL;
    const char *user = me ? me->pw_name : v->user;
    int status = 0;
    if (v->mine && !me)
        return tori_error_set (err, TORI_FAILED,
                               "this user id has no name on this host");
    for (int state = 0; state < STATES && status == 0; state++)
        if (is_wanted (v, state))
            status = jobs_fetch (v->socket, state_names ((size_t)state), user,
                                 jobs, err);
    jobs_sort (jobs);
    for (size_t i = 0; i < json_array_size (jobs); i++)
        job_set_times (json_array_get (jobs, i));
    return status;
}

/* Columns that would be empty are left out. */
static unsigned find_columns (const json_t *jobs)
{
    static const struct {
        const char *key;
        unsigned column;
    } all[] = {{"alias", JOB_COLUMNS_ALIASES},
               {"queue", JOB_COLUMNS_QUEUES},
               {"array", JOB_COLUMNS_ARRAYS}};
    unsigned columns = 0;
    for (size_t i = 0; i < json_array_size (jobs); i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (json_object_get (json_array_get (jobs, i), all[k].key))
                columns |= all[k].column;
    return columns;
}

static int print_jobs (const json_t *jobs, FILE *out, tori_error *err)
{
    const unsigned columns = find_columns (jobs);
    size_t n = json_array_size (jobs), same;
    struct table *table;
    if (n == 0)
        return fputs ("no jobs\n", out) < 0 ? -1 : 0;
    table = job_table (columns);
    for (size_t i = 0; i < n; i += same) {
        same = jobs_alike (jobs, i);
        job_table_add (table, columns, json_array_get (jobs, i), same, 0);
    }
    return table_print (table, out, terminal_bold (), err);
}

/* Print what keeps all jobs from starting, if something does: the list does
 * not show that. */
static void print_trouble (const struct values *v)
{
    json_t *health = NULL;
    char message[JOB_TEXT_MAX];
    tori_error err;
    if (call (v->socket, "GET", "/healthz", NULL, &health, &err) < 0)
        fprintf (stderr, "tori: %s\n", err.text);
    job_shown (health, "message", message);
    if (*message)
        fprintf (stderr, "tori: %s\n", message);
    json_decref (health);
}

static int run_queue (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *jobs = json_array ();
    int status = fetch_jobs (v, jobs, err);
    if (status == 0)
        status = v->json ? member_print (&(struct asked){&command_queue, v},
                                         "jobs", jobs, out, err)
                         : print_jobs (jobs, out, err);
    if (status == 0 && !v->json)
        print_trouble (v);
    json_decref (jobs);
    return status;
}

const struct command command_queue = {
    .name = "queue",
    .summary = "List the jobs of a running torid",
    .notes = "Running jobs are listed first, by start, with their places; then "
             "waiting jobs, with the reason ('tori why' says more): those that "
             "may start in the order of the queue, then those that are held or "
             "wait for a time, a limit or other jobs, by number; then jobs that "
             "have ended, by number. 'left' is what "
             "remains of a time limit. 'order' is the place of a job among "
             "those that wait and may start. The scheduler goes through them "
             "in this order: by priority, then by number. A job may start "
             "before others if it delays no planned start; 'tori forecast' tells when each will "
             "start. Jobs of an array "
             "that wait for the same reason share a line. Jobs that come from "
             "the queue of another system, such as Slurm, are also known by "
             "their names there: slurm:19 is a job of Slurm, and slurm:20_3 a "
             "task of an array.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_queue,
    .examples = "tori queue\ntori queue --mine --state queued",
    .run = run_queue,
};
