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
    bool csv, json;
};

static const struct option options[] = {
    {"csv", OPTION_FLAG, offsetof (struct values, csv), .aside = true,
     .without = "json", .help = "print CSV, with times in seconds"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* A row of an answer, and how it is printed. */
struct row {
    const json_t *answer, *is;
    bool csv;
};

static void hours_cell (struct table *table, const json_t *row, bool csv)
{
    double hours
        = json_number_value (json_object_get (row, "usage")) / 3600;
    if (csv)
        table_cell (table, "%.6f", hours);
    else
        table_cell (table, "%.1f", hours);
}

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
    {"target", TABLE_NUMBER},     {"account share", TABLE_NUMBER},
    {"over target", TABLE_NUMBER},
};

/* A table for people has the targets of accounts elsewhere: without them, and
 * without the account if there are none. CSV is one table. */
enum {
    USER_COLUMNS = sizeof user_columns / sizeof *user_columns,
    TARGET_COLUMNS = 3
};

/* A part of all; nothing if it is none. */
static void part_cell (struct table *table, double part, bool csv)
{
    if (csv)
        table_cell (table, "%.4f", part);
    else
        table_cell (table, "%.1f %%", 100 * part);
}

static void number_part (struct table *table, const json_t *row,
                         const char *key, bool csv)
{
    part_cell (table, json_number_value (json_object_get (row, key)), csv);
}

/* How much more an account has used than its shares are. */
static void excess_cell (struct table *table, const json_t *account, bool csv)
{
    double over = json_number_value (json_object_get (account, "share"))
                  - json_number_value (json_object_get (account, "target"));
    if (over > 0)
        part_cell (table, over, csv);
    else
        table_cell (table, "%s", csv ? "0" : "-");
}

static const json_t *find_account (const json_t *answer, const json_t *user)
{
    const json_t *all = json_object_get (answer, "accounts");
    for (size_t i = 0; i < json_array_size (all); i++) {
        const json_t *account = json_array_get (all, i);
        if (json_equal (json_object_get (account, "account"),
                        json_object_get (user, "account")))
            return account;
    }
    return NULL;
}

static void user_row (struct table *table, const struct row *row)
{
    const json_t *user = row->is, *account;
    job_text_cell (table, user, "user");
    number_cell (table, user, "queued");
    number_cell (table, user, "running");
    number_cell (table, user, "suspended");
    number_cell (table, user, "nodes");
    hours_cell (table, user, row->csv);
    number_part (table, user, "share", row->csv);
    number_cell (table, user, "penalty");
    if (row->csv || json_object_get (user, "account"))
        job_text_cell (table, user, "account");
    if (!row->csv)
        return;
    account = find_account (row->answer, user);
    if (account) {
        number_part (table, account, "target", true);
        number_part (table, account, "share", true);
        excess_cell (table, account, true);
    }
    for (int i = 0; !account && i < TARGET_COLUMNS; i++)
        table_cell (table, "%s", "");
}

static const struct table_column account_columns[] = {
    {"account", TABLE_TEXT},      {"shares", TABLE_NUMBER},
    {"target", TABLE_NUMBER},     {"node-hours", TABLE_NUMBER},
    {"share", TABLE_NUMBER},      {"over target", TABLE_NUMBER},
};

static void account_row (struct table *table, const struct row *row)
{
    const json_t *account = row->is;
    job_text_cell (table, account, "account");
    number_cell (table, account, "shares");
    number_part (table, account, "target", row->csv);
    hours_cell (table, account, row->csv);
    number_part (table, account, "share", row->csv);
    excess_cell (table, account, row->csv);
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

static void longest_cell (struct table *table, const json_t *queue, bool csv)
{
    tori_time most = job_time (queue, "max_time");
    char text[DURATION_TEXT_MAX] = "-";
    if (most > 0 && csv)
        snprintf (text, sizeof text, "%.0f", (double)most / TORI_SECOND);
    else if (most > 0)
        duration_format (most, text);
    table_cell (table, "%s", text);
}

static void queue_row (struct table *table, const struct row *row)
{
    const json_t *queue = row->is;
    const json_t *limits = json_object_get (queue, "limits");
    const json_t *of_user = json_object_get (queue, "user_limits");
    job_text_cell (table, queue, "queue");
    number_cell (table, queue, "queued");
    number_cell (table, queue, "running");
    number_cell (table, queue, "suspended");
    number_cell (table, queue, "nodes");
    number_cell (table, queue, "priority");
    number_cell (table, queue, "tier");
    job_text_cell (table, queue, "preempted");
    longest_cell (table, queue, row->csv);
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
    void (*add_row) (struct table *, const struct row *);
};

static int print_rows (const struct view *view, const json_t *answer,
                       bool csv, FILE *out, tori_error *err)
{
    const json_t *rows = json_object_get (answer, view->key);
    struct table *table = table_create (view->columns, view->n);
    for (size_t i = 0; i < json_array_size (rows); i++)
        view->add_row (table,
                       &(struct row){answer, json_array_get (rows, i), csv});
    return csv ? table_csv (table, out, err)
               : table_print (table, out, terminal_bold (), err);
}

#define COLUMNS(of) of, sizeof of / sizeof of[0]

/* Accounts come first, and then the users with their accounts; as CSV, all is
 * with the users. */
static int print_users (struct view users, const json_t *answer, bool csv,
                        FILE *out, tori_error *err)
{
    const struct view accounts
        = {NULL, NULL, "accounts", COLUMNS (account_columns), account_row};
    if (csv)
        return print_rows (&users, answer, true, out, err);
    users.n = USER_COLUMNS - TARGET_COLUMNS;
    if (json_array_size (json_object_get (answer, "accounts")) == 0)
        users.n--;
    else if (print_rows (&accounts, answer, false, out, err) < 0
             || fputs ("\n", out) < 0)
        return -1;
    return print_rows (&users, answer, false, out, err);
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
                     ? print_users (*view, answer, v->csv, out, err)
                     : print_rows (view, answer, v->csv, out, err);
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
    .notes = "Usage is counted if torid's configuration has a half-life or a "
             "usage weight. Old node-hours count less, by the half-life. The "
             "share is that of all usage. The penalty is taken from the "
             "priority of the user's jobs. With accounts, the target of an "
             "account is its part of all shares; 'over target' is how much "
             "more of the usage its users have had. CSV has one line for each "
             "user, with these numbers of the user's account, and parts of 1 "
             "instead of percent.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_users,
    .examples = "tori users\ntori users --csv",
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
    .examples = "tori queues\ntori queues --csv",
    .run = run_queues,
};
