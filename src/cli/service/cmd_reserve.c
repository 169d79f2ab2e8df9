/* tori reserve - times at which a running torid keeps nodes free. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/machine.h>

#include "http_client.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobs.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *socket, *from, *length, *every, *name, *why;
    int64_t count;
    struct strings nodes, jobs, users, groups, accounts, remove;
    bool list, json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    {"from", OPTION_STRING, AT (from), "WHEN", .without = "list remove",
     .help = "when it begins: +1h20m, 18:00, 'Mon 18:00' or '2026-11-16 "
             "18:00'; if not given, now"},
    {"for", OPTION_STRING, AT (length), "DURATION", .without = "list remove",
     .help = "how long: 90m, 1h30m or 1:30:00"},
    {"every", OPTION_STRING, AT (every), "HOURS",
     .without = "from for list remove",
     .help = "it comes again every week at these hours of the local clock, "
             "such as 'Mon 08:00-10:00'; every day: '08:00-10:00'"},
    {"count", OPTION_INTEGER, AT (count), "N", .min = 1,
     .max = TORI_MAX_NODES, .without = "list remove",
     .help = "this many nodes, whichever are best"},
    {"job", OPTION_STRINGS, AT (jobs), "ID", .without = "list remove",
     .asks = "jobs", .help = "a job that may run there; several as 17-26"},
    {"user", OPTION_STRINGS, AT (users), "NAME", .without = "list remove",
     .help = "a user whose jobs may run there"},
    {"group", OPTION_STRINGS, AT (groups), "NAME", .without = "list remove",
     .help = "a group whose users' jobs may run there"},
    {"account", OPTION_STRINGS, AT (accounts), "NAME",
     .without = "list remove",
     .help = "an account whose users' jobs may run there"},
    {"name", OPTION_STRING, AT (name), "NAME", .without = "list remove",
     .help = "a name for people"},
    {"list", OPTION_FLAG, AT (list), .help = "list what is reserved"},
    {"remove", OPTION_STRINGS, AT (remove), "ID", .without = "list",
     .help = "remove a reservation"},
    OPTION_ROW_WHY (struct values),
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {"node", OPTION_STRINGS, AT (nodes), "NODE|BOX", .operand = true,
     .asks = "nodes",
     .help = "nodes, such as 1,2,3, or boxes, such as 0,0,0/4x4x2"},
    {.name = NULL},
};

/* ---- a new reservation ---- */

static void set_place (json_t *reservation, const struct values *v)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < v->nodes.n; i++)
        json_array_append_new (list, json_string (v->nodes.item[i]));
    if (v->count)
        json_object_set_new (reservation, "count", json_integer (v->count));
    else if (v->nodes.n == 1 && strchr (v->nodes.item[0], '/'))
        json_object_set_new (reservation, "box",
                             json_string (v->nodes.item[0]));
    else
        json_object_set (reservation, "nodes", list);
    json_decref (list);
}

static void set_names (json_t *reservation, const char *key,
                       const struct strings *names)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < names->n; i++)
        json_array_append_new (list, json_string (names->item[i]));
    if (names->n > 0)
        json_object_set (reservation, key, list);
    json_decref (list);
}

static int set_span (json_t *reservation, const struct values *v,
                     tori_error *err)
{
    tori_time from = clock_now (), length = 0;
    if (v->every)
        return json_object_set_new (reservation, "every",
                                    json_string (v->every));
    if ((v->from && clock_parse (v->from, clock_now (), &from, err) < 0)
        || duration_parse (v->length, &length, err) < 0)
        return -1;
    json_object_set_new (reservation, "from",
                         json_integer (from / TORI_SECOND));
    json_object_set_new (
        reservation, "until",
        json_real ((double)from / TORI_SECOND + (double)length / TORI_SECOND));
    return 0;
}

static int make_reservation (const struct values *v, json_t *reservation,
                             tori_error *err)
{
    json_t *jobs = NULL;
    if (asked_check_texts (&command_reserve, v, err) < 0
        || set_span (reservation, v, err) < 0)
        return -1;
    set_place (reservation, v);
    set_names (reservation, "users", &v->users);
    set_names (reservation, "groups", &v->groups);
    set_names (reservation, "accounts", &v->accounts);
    if (v->name)
        json_object_set_new (reservation, "name", json_string (v->name));
    if (v->why)
        json_object_set_new (reservation, "why", json_string (v->why));
    if (v->jobs.n > 0
        && job_ids_read (v->socket, &v->jobs, &jobs, err) < 0)
        return -1;
    if (jobs)
        json_object_set_new (reservation, "jobs", jobs);
    return 0;
}

/* A warning for each job that still runs there when it begins. */
static void warn_of_jobs (const json_t *jobs)
{
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        const json_t *job = json_array_get (jobs, i);
        char user[JOB_TEXT_MAX], end[CLOCK_TEXT_MAX];
        job_shown (job, "user", user);
        clock_format (job_time (job, "end"), end);
        fprintf (stderr,
                 "tori: job %lld of %s is in the way: it runs there, by its "
                 "time limit until %s\n",
                 (long long)job_number (job, "id"), user, end);
    }
}

/* A warning for each reservation of the same nodes at the same time. */
static void warn_of_overlaps (const json_t *overlaps)
{
    for (size_t i = 0; i < json_array_size (overlaps); i++) {
        const json_t *other = json_array_get (overlaps, i);
        char name[JOB_TEXT_MAX], from[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX];
        job_shown (other, "name", name);
        clock_format (job_time (other, "from"), from);
        clock_format (job_time (other, "until"), until);
        fprintf (stderr,
                 "tori: reservation %lld%s%s%s keeps some of these nodes, too: "
                 "from %s until %s\n",
                 (long long)job_number (other, "id"), *name ? " (" : "", name,
                 *name ? ")" : "", from, until);
    }
}

static int make_one (const struct values *v, FILE *out, tori_error *err)
{
    json_t *reservation = json_object (), *answer = NULL;
    int status = make_reservation (v, reservation, err);
    if (status == 0)
        status = call (v->socket, "POST", "/v1/reservations", reservation,
                       &answer, err);
    if (status == 0 && v->json)
        status = answer_print (&(struct asked){&command_reserve, v}, answer,
                               out, err);
    else if (status == 0)
        fprintf (out, "%lld\n", (long long)job_number (answer, "id"));
    if (status == 0) {
        warn_of_jobs (json_object_get (answer, "in_the_way"));
        warn_of_overlaps (json_object_get (answer, "overlaps"));
    }
    json_decref (reservation);
    json_decref (answer);
    return status;
}

/* ---- existing reservations ---- */

static int remove_some (const struct values *v, FILE *out, tori_error *err)
{
    json_t *ids;
    char query[WHY_QUERY];
    int status;
    if (asked_check_texts (&command_reserve, v, err) < 0
        || why_query (v->why, query, err) < 0)
        return -1;
    status = ids_read (&v->remove, &ids, err);
    if (status < 0)
        return -1;
    for (size_t i = 0; i < json_array_size (ids) && status == 0; i++) {
        json_t *answer = NULL;
        char path[64 + WHY_QUERY];
        snprintf (path, sizeof path, "/v1/reservations/%lld%s",
                  (long long)json_integer_value (json_array_get (ids, i)),
                  query);
        status = call (v->socket, "DELETE", path, NULL, &answer, err);
        json_decref (answer);
    }
    if (status == 0 && v->json)
        status = member_print (&(struct asked){&command_reserve, v}, "removed",
                               ids, out, err);
    json_decref (ids);
    return status;
}

/* Users, @groups and jobs that may run there. */
static void format_admitted (const json_t *reservation,
                             char text[JOB_TEXT_MAX])
{
    static const struct {
        const char *key, *mark;
    } kinds[] = {{"users", ""}, {"groups", "@"}, {"accounts", "account "}, {"jobs", ""}};
    size_t n = 0;
    text[0] = '\0';
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const json_t *list = json_object_get (reservation, kinds[k].key);
        for (size_t i = 0;
             i < json_array_size (list) && n < JOB_TEXT_MAX / 2; i++) {
            const json_t *it = json_array_get (list, i);
            char number[24];
            snprintf (number, sizeof number, "%lld",
                      (long long)json_integer_value (it));
            n += (size_t)snprintf (
                text + n, JOB_TEXT_MAX - n, "%s%s%.100s", n ? " " : "",
                kinds[k].mark,
                json_is_string (it) ? json_string_value (it) : number);
        }
    }
}

static void put_reservation (struct table *table, const json_t *reservation)
{
    char text[JOB_TEXT_MAX], from[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX];
    clock_format (job_time (reservation, "from"), from);
    clock_format (job_time (reservation, "until"), until);
    table_cell (table, "%lld", (long long)job_number (reservation, "id"));
    table_cell (table, "%s", from);
    table_cell (table, "%s", until);
    job_place (reservation, text);
    table_cell (table, "%s", text);
    format_admitted (reservation, text);
    table_cell (table, "%s", text);
    job_shown (reservation, "every", text);
    table_cell (table, "%s", text);
    job_shown (reservation, "name", text);
    table_cell (table, "%s", text);
    job_shown (reservation, "why", text);
    table_cell (table, "%s", text);
}

static int print_reservations (const json_t *reservations, FILE *out,
                               tori_error *err)
{
    static const struct table_column columns[]
        = {{"id", TABLE_NUMBER},    {"from", TABLE_NUMBER},
           {"until", TABLE_NUMBER}, {"where", TABLE_TEXT},
           {"for", TABLE_TEXT},     {"every", TABLE_TEXT},
           {"name", TABLE_TEXT},    {"why", TABLE_TEXT}};
    struct table *table;
    if (json_array_size (reservations) == 0)
        return fputs ("nothing is reserved\n", out) < 0 ? -1 : 0;
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size (reservations); i++)
        put_reservation (table, json_array_get (reservations, i));
    return table_print (table, out, terminal_bold (), err);
}

static int list_all (const struct values *v, FILE *out, tori_error *err)
{
    json_t *answer = NULL;
    int status;
    if (call (v->socket, "GET", "/v1/reservations", NULL, &answer, err) < 0)
        return -1;
    status = v->json ? answer_print (&(struct asked){&command_reserve, v},
                                     answer, out, err)
                     : print_reservations (
                         json_object_get (answer, "reservations"), out, err);
    json_decref (answer);
    return status;
}

static int run_reserve (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const struct option_rule rules[] = {
        {(v->list || v->remove.n > 0) && v->nodes.n > 0,
         "NODE|BOX cannot be used with --list or --remove"},
        {v->count && v->nodes.n > 0, "expected NODE|BOX or --count, not both"},
        {!v->list && v->remove.n == 0 && !v->count && v->nodes.n == 0,
         "expected NODE|BOX or --count N; or --list or --remove ID"},
        {!v->list && v->remove.n == 0 && !v->length && !v->every,
         "--for DURATION or --every HOURS is missing; see 'tori reserve --help'"},
    };
    if (options_check (rules, sizeof rules / sizeof *rules, err) < 0)
        return -1;
    return v->list           ? list_all (v, out, err)
           : v->remove.n > 0 ? remove_some (v, out, err)
                             : make_one (v, out, err);
}

const struct command command_reserve = {
    .name = "reserve",
    .summary = "Keep nodes of a running torid free for a time",
    .notes = "Jobs that would still run when it begins do not start there, "
             "and none starts until it is over, except those named with "
             "--job, and those of the users, groups and accounts named with "
             "--user, --group and --account. The number of the reservation is printed, and a warning "
             "for each job that still runs there when it begins: it goes on. Another "
             "warning names reservations of the same nodes at the same time. "
             "Only operators may reserve; everybody may list.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_reserve,
    .examples = "tori reserve --every 'Mon 08:00-10:00' 0,0,0/8x8x1\n"
                "tori reserve --from 18:00 --for 2h 0,0,0/8x8x1 --name "
                "maintenance\n"
                "tori reserve --from 18:00 --for 2h 0,0,0/8x8x1 --user ann "
                "--group physics\n"
                "tori reserve --list\n"
                "tori reserve --remove 3",
    .run = run_reserve,
};
