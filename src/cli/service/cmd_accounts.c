/* tori users and tori queues - what users and queues of a running torid have.
 */
#include "http_client.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobs.h"
#include "jobtable.h"
#include "terminal.h"

struct values {
    const char *socket;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static void number_cell (struct table *table, const json_t *row,
                         const char *key)
{
    table_cell (table, "%lld", (long long)job_number (row, key));
}

/* A limit of 0 is none. */
static void limit_cell (struct table *table, const json_t *row,
                        const char *key)
{
    json_int_t most = job_number (row, key);
    if (most > 0)
        table_cell (table, "%lld", (long long)most);
    else
        table_cell (table, "-");
}

static const struct table_column user_columns[] = {
    {"user", TABLE_TEXT},         {"waiting", TABLE_NUMBER},
    {"running", TABLE_NUMBER},    {"suspended", TABLE_NUMBER},
    {"nodes", TABLE_NUMBER},
    {"node-hours", TABLE_NUMBER}, {"share", TABLE_NUMBER},
    {"penalty", TABLE_NUMBER},    {"account", TABLE_TEXT},
};

/* The last column is only there if there are accounts. */
static void user_row (struct table *table, const json_t *user)
{
    job_text_cell (table, user, "user");
    number_cell (table, user, "queued");
    number_cell (table, user, "running");
    number_cell (table, user, "suspended");
    number_cell (table, user, "nodes");
    table_cell (table, "%.1f",
                json_number_value (json_object_get (user, "usage")) / 3600);
    table_cell (table, "%.1f %%",
                100 * json_number_value (json_object_get (user, "share")));
    number_cell (table, user, "penalty");
    if (json_object_get (user, "account"))
        job_text_cell (table, user, "account");
}

static const struct table_column account_columns[] = {
    {"account", TABLE_TEXT},      {"shares", TABLE_NUMBER},
    {"target", TABLE_NUMBER},     {"node-hours", TABLE_NUMBER},
    {"share", TABLE_NUMBER},
};

static void account_row (struct table *table, const json_t *account)
{
    job_text_cell (table, account, "account");
    number_cell (table, account, "shares");
    table_cell (table, "%.1f %%",
                100 * json_number_value (json_object_get (account, "target")));
    table_cell (table, "%.1f",
                json_number_value (json_object_get (account, "usage")) / 3600);
    table_cell (table, "%.1f %%",
                100 * json_number_value (json_object_get (account, "share")));
}

static const struct table_column queue_columns[] = {
    {"queue", TABLE_TEXT},         {"waiting", TABLE_NUMBER},
    {"running", TABLE_NUMBER},     {"suspended", TABLE_NUMBER},
    {"nodes", TABLE_NUMBER},
    {"priority", TABLE_NUMBER},    {"tier", TABLE_NUMBER},
    {"preempted", TABLE_TEXT},     {"max time", TABLE_NUMBER},
    {"max size", TABLE_NUMBER},    {"max waiting", TABLE_NUMBER},
    {"max running", TABLE_NUMBER}, {"max nodes", TABLE_NUMBER},
    {"max rate", TABLE_NUMBER},    {"user running", TABLE_NUMBER},
    {"user nodes", TABLE_NUMBER},  {"allow", TABLE_TEXT},
    {"deny", TABLE_TEXT},          {"on", TABLE_TEXT},
    {"hours", TABLE_TEXT},
};

/* A rule that is not there is a dash. */
static void rule_cell (struct table *table, const json_t *row,
                       const char *key)
{
    if (json_object_get (row, key))
        job_text_cell (table, row, key);
    else
        table_cell (table, "-");
}

static void queue_row (struct table *table, const json_t *queue)
{
    const json_t *limits = json_object_get (queue, "limits");
    const json_t *of_user = json_object_get (queue, "user_limits");
    tori_time most = job_time (queue, "max_time");
    char text[DURATION_TEXT_MAX] = "-";
    job_text_cell (table, queue, "queue");
    number_cell (table, queue, "queued");
    number_cell (table, queue, "running");
    number_cell (table, queue, "suspended");
    number_cell (table, queue, "nodes");
    number_cell (table, queue, "priority");
    number_cell (table, queue, "tier");
    job_text_cell (table, queue, "preempted");
    if (most > 0)
        duration_format (most, text);
    table_cell (table, "%s", text);
    limit_cell (table, queue, "max_nodes");
    limit_cell (table, limits, "queued");
    limit_cell (table, limits, "running");
    limit_cell (table, limits, "nodes");
    limit_cell (table, limits, "rate");
    limit_cell (table, of_user, "running");
    limit_cell (table, of_user, "nodes");
    rule_cell (table, queue, "allow");
    rule_cell (table, queue, "deny");
    rule_cell (table, queue, "on");
    rule_cell (table, queue, "hours");
}

struct view {
    const struct command *command;
    const char *path, *key;
    const struct table_column *columns;
    size_t n;
    void (*add_row) (struct table *, const json_t *);
};

static int print_rows (const struct view *view, const json_t *answer,
                       FILE *out, tori_error *err)
{
    const json_t *rows = json_object_get (answer, view->key);
    struct table *table = table_create (view->columns, view->n);
    for (size_t i = 0; i < json_array_size (rows); i++)
        view->add_row (table, json_array_get (rows, i));
    return table_print (table, out, terminal_bold (), err);
}

#define COLUMNS(of) of, sizeof of / sizeof of[0]

/* Accounts come first, and then the users with their accounts. */
static int print_users (struct view users, const json_t *answer, FILE *out,
                        tori_error *err)
{
    const struct view accounts
        = {NULL, NULL, "accounts", COLUMNS (account_columns), account_row};
    if (json_array_size (json_object_get (answer, "accounts")) == 0)
        users.n--;
    else if (print_rows (&accounts, answer, out, err) < 0
             || fputs ("\n", out) < 0)
        return -1;
    return print_rows (&users, answer, out, err);
}

static int print_view (const struct view *view, const struct values *v,
                       FILE *out, tori_error *err)
{
    json_t *answer = NULL;
    int status = call (v->socket, "GET", view->path, NULL, &answer, err);
    if (status == 0 && v->json)
        status =
            answer_print (&(struct asked){view->command, v}, answer, out, err);
    else if (status == 0)
        status = view->columns == user_columns
                     ? print_users (*view, answer, out, err)
                     : print_rows (view, answer, out, err);
    json_decref (answer);
    return status;
}

static int run_users (const void *values, FILE *out, tori_error *err)
{
    return print_view (&(struct view){&command_users, "/v1/users", "users",
                                      COLUMNS (user_columns), user_row},
                       values, out, err);
}

static int run_queues (const void *values, FILE *out, tori_error *err)
{
    return print_view (&(struct view){&command_queues, "/v1/queues", "queues",
                                      COLUMNS (queue_columns), queue_row},
                       values, out, err);
}

const struct command command_users = {
    .name = "users",
    .summary = "List what users of a running torid have and have used",
    .notes = "Old node-hours count less, by the half-life in the "
             "configuration. The share is that of all usage. The penalty is "
             "taken from the priority of the user's jobs.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_users,
    .examples = "tori users",
    .run = run_users,
};

const struct command command_queues = {
    .name = "queues",
    .summary = "List the queues of a running torid: rules, limits and jobs",
    .notes = "The first queue is for jobs that name none. A dash means that "
             "there is no limit. 'user running' and 'user nodes' are for each "
             "user. 'allow' and 'deny' are the users and groups that may and "
             "may not submit to it, 'on' is where its jobs run, and 'hours' "
             "is when they may start.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_queues,
    .examples = "tori queues",
    .run = run_queues,
};
