/* torid token - add, list and remove tokens. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "duration.h"
#include "settings.h"
#include "syserror.h"
#include "tokens.h"

struct values {
    const char *state, *config, *name, *user;
    int role;
    tori_time expires; /* after this; 0: never */
};

#define AT(member) OPTION_AT (struct values, member)
#define STATE_ROWS                                                         \
    {.name = "state", .kind = OPTION_STRING, AT (state), .value = "DIR",   \
     .help = "the directory of torid"},                                    \
    {                                                                      \
        .name = "config", .kind = OPTION_STRING, AT (config),              \
        .value = "FILE", .fallback = "/etc/tori/torid.conf",               \
        .help = "the file that names the directory, where --state does "   \
                "not"                                                      \
    }
#define NAME_ROW                                                           \
    {                                                                      \
        .name = "name", .kind = OPTION_STRING, AT (name), .value = "NAME", \
        .operand = true, .required = true, .help = "the name of the token" \
    }

/* ---- where ---- */

static void on_problem (void *arg, const char *text)
{
    tori_error *err = arg;
    if (!*err->text)
        tori_error_set (err, TORI_INVALID, "%s", text);
}

/* The directory is good as long as the setup. */
static const char *find_state (const struct values *v, struct setup *setup,
                               tori_error *err)
{
    *setup = (struct setup){0};
    if (v->state)
        return v->state;
    if (config_read (v->config, setup, on_problem, err) > 0)
        return NULL;
    if (!setup->values.state)
        tori_error_set (err, TORI_INVALID, "%s: it names no state directory",
                        v->config);
    return setup->values.state;
}

/* ---- add ---- */

static int parse_expires (const char *text, void *to, tori_error *err)
{
    tori_time time;
    if (duration_parse (text, &time, err) < 0)
        return -1;
    if (time < TORI_SECOND)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' is below a second", text);
    memcpy (to, &time, sizeof time);
    return 0;
}

#define EXPIRES_ROW(usual, text)                                           \
    {                                                                      \
        .name = "expires", .kind = OPTION_PARSED, AT (expires),            \
        .value = "DURATION", .fallback = usual, .parse = parse_expires,    \
        .help = text                                                       \
    }

static int64_t end_of (const struct values *v)
{
    return v->expires ? time (NULL) + v->expires / TORI_SECOND : 0;
}

static int run_add (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    char text[TOKEN_TEXT];
    struct setup setup;
    const char *state = find_state (v, &setup, err);
    int status = state ? token_add (state, v->name,
                                    v->user ? v->user : v->name,
                                    (enum role) (v->role + 1), end_of (v),
                                    text, err)
                       : -1;
    if (status == 0)
        fprintf (out, "%s\n", text);
    setup_free (&setup);
    return status;
}

static const struct option add_options[] = {
    NAME_ROW,
    {.name = "role", .kind = OPTION_CHOICE, AT (role), .value = "ROLE",
     .choices = role_name, .required = true,
     .help = "what it allows; each allows what those before it do"},
    {.name = "user", .kind = OPTION_STRING, AT (user), .value = "USER",
     .help = "the user whom it speaks for; if not given, NAME"},
    EXPIRES_ROW (NULL, "how long it is good, such as 30d; if not given, until "
                       "it is removed"),
    STATE_ROWS,
    {.name = NULL},
};

static const struct command command_add = {
    .name = "add",
    .section = 8,
    .summary = "Make a token, and print it",
    .notes = "A reader looks at everything, a user submits jobs and changes "
             "his own, an operator changes nodes and the jobs of others. The "
             "token is printed once: only its hash is kept. It counts at "
             "once. Clients of tori take it from TORI_TOKEN.",
    .options = add_options,
    .size = sizeof (struct values),
    .examples = "torid token add alice --role user --expires 90d",
    .run = run_add,
};

/* ---- list ---- */

/* Without a file there are no tokens, but the directory must be there. */
static int read_all (const char *state, struct tokens *tokens,
                     tori_error *err)
{
    if (access (state, X_OK) < 0)
        return system_error (state, errno, err);
    if (tokens_read (tokens, state, err) < 0)
        return -1;
    tokens_read_used (tokens, state);
    return 0;
}

static void print_day (int64_t seconds, const char *otherwise, FILE *out)
{
    time_t at = (time_t)seconds;
    struct tm parts;
    char day[32] = "?";
    if (seconds && gmtime_r (&at, &parts))
        strftime (day, sizeof day, "%Y-%m-%dT%H:%MZ", &parts);
    fprintf (out, "  %-17s", seconds ? day : otherwise);
}

static void print_token (const struct token *token, FILE *out)
{
    bool over = token->expires && token->expires <= time (NULL);
    fprintf (out, "%-20s  %-8s  %-20s", token->name,
             role_name ((size_t)token->role - 1), token->user);
    print_day (token->added, "?", out);
    print_day (token->expires, "never", out);
    print_day (token->used, "never", out);
    fputs (over ? "  expired\n" : "\n", out);
}

static int run_list (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct tokens tokens = {0};
    struct setup setup;
    const char *state = find_state (v, &setup, err);
    int status = state ? read_all (state, &tokens, err) : -1;
    if (status == 0 && tokens.n > 0)
        fprintf (out, "%-20s  %-8s  %-20s  %-17s  %-17s  %s\n", "NAME",
                 "ROLE", "USER", "ADDED", "EXPIRES", "LAST USED");
    for (size_t i = 0; status == 0 && i < tokens.n; i++)
        print_token (&tokens.items[i], out);
    tokens_free (&tokens);
    setup_free (&setup);
    return status;
}

static const struct option list_options[] = {STATE_ROWS, {.name = NULL}};

static const struct command command_list = {
    .name = "list",
    .section = 8,
    .summary = "List tokens: their names, roles, users and times",
    .notes = "The first use of a token is listed within a second, a later one "
             "within a minute. Times are in UTC.",
    .options = list_options,
    .size = sizeof (struct values),
    .examples = "torid token list",
    .run = run_list,
};

/* ---- remove ---- */

static int run_remove (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct setup setup;
    const char *state = find_state (v, &setup, err);
    int status = state ? token_remove (state, v->name, err) : -1;
    setup_free (&setup);
    return status;
}

static const struct option remove_options[]
    = {NAME_ROW, STATE_ROWS, {.name = NULL}};

static const struct command command_remove = {
    .name = "remove",
    .section = 8,
    .summary = "Remove a token, which is then no longer valid",
    .options = remove_options,
    .size = sizeof (struct values),
    .examples = "torid token remove alice",
    .run = run_remove,
};

/* ---- code ---- */

static int run_code (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    char text[TOKEN_TEXT];
    struct setup setup;
    const char *state = find_state (v, &setup, err);
    int status
        = state ? token_code (state, v->name, end_of (v), text, err) : -1;
    if (status == 0)
        fprintf (out, "%s\n", text);
    setup_free (&setup);
    return status;
}

static const struct option code_options[] = {
    NAME_ROW,
    EXPIRES_ROW ("10m", "how long the code is good"),
    STATE_ROWS,
    {.name = NULL},
};

static const struct command command_code = {
    .name = "code",
    .section = 8,
    .summary = "Make a code by which a browser signs in once",
    .notes = "The link http://ADDRESS:PORT/#code=CODE opens the dashboard and "
             "signs in as the token NAME. A browser does not send what is "
             "after the '#' with the address, so no server logs it, and the "
             "code is good only once. For another link, make another code: it "
             "replaces the one before.",
    .options = code_options,
    .size = sizeof (struct values),
    .examples = "torid token code alice\n"
                "echo \"http://127.0.0.1:8470/#code=$(torid token code alice)\"",
    .run = run_code,
};

static const struct command *const commands[]
    = {&command_add, &command_list, &command_remove, &command_code, NULL};

const struct command command_token = {
    .name = "token",
    .section = 8,
    .summary = "Add, list and remove tokens for TCP, and make codes for "
               "browsers",
    .commands = commands,
};
