/* torid token - add, list and remove tokens. */
#include "cmd_token.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "settings.h"
#include "tokens.h"

struct values {
    const char *state, *config, *name, *user;
    int role;
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

static int run_add (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    char text[TOKEN_TEXT];
    struct setup setup;
    const char *state = find_state (v, &setup, err);
    int status = state ? token_add (state, v->name,
                                    v->user ? v->user : v->name,
                                    (enum role) (v->role + 1), text, err)
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
    .examples = "torid token add alice --role user",
    .run = run_add,
};

/* ---- list ---- */

/* Without a file there are no tokens, but the directory must be there. */
static int read_all (const char *state, struct tokens *tokens,
                     tori_error *err)
{
    if (access (state, X_OK) < 0)
        return tori_error_set (err, TORI_FAILED, "%.400s: %s", state,
                               strerror (errno));
    return tokens_read (tokens, state, err);
}

static int run_list (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct tokens tokens = {0};
    struct setup setup;
    const char *state = find_state (v, &setup, err);
    int status = state ? read_all (state, &tokens, err) : -1;
    for (size_t i = 0; status >= 0 && i < tokens.n; i++) {
        const struct token *token = &tokens.items[i];
        time_t added = (time_t)token->added;
        struct tm parts;
        char day[16] = "?";
        if (gmtime_r (&added, &parts))
            strftime (day, sizeof day, "%Y-%m-%d", &parts);
        fprintf (out, "%-20s  %-8s  %-20s  %s\n", token->name,
                 role_name ((size_t)token->role - 1), token->user, day);
    }
    tokens_free (&tokens);
    setup_free (&setup);
    return status < 0 ? -1 : 0;
}

static const struct option list_options[] = {STATE_ROWS, {.name = NULL}};

static const struct command command_list = {
    .name = "list",
    .section = 8,
    .summary = "List tokens: their names, roles, users and days",
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

static const struct command *const commands[]
    = {&command_add, &command_list, &command_remove, NULL};

const struct command command_token = {
    .name = "token",
    .section = 8,
    .summary = "Add, list and remove tokens, for clients that come by TCP",
    .commands = commands,
};
