/* setup.c - the settings of torid: defaults, file and command line. */
#include <stdlib.h>

#include "address.h"
#include "settings.h"

/* Check the settings after the file and the command line were read. */
static int check_values (const struct settings *v, tori_error *err)
{
    struct address address;
    if (!v->machine || !v->state)
        return tori_error_set (err, TORI_INVALID,
                               "--%s is missing; see 'torid --help'",
                               v->machine ? "state DIR" : "machine MACHINE");
    if (!v->listen || v->public)
        return 0;
    if (address_parse (v->listen, &address, err) < 0)
        return -1;
    if (address.loopback)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "--listen %s can be reached by others than this "
                           "host; if that is meant, say --public as well, "
                           "and use TLS",
                           v->listen);
}

/* A weight without a half-life would do nothing, and a half-life alone counts
 * usage without consequences. */
static void complete_policy (struct setup *setup)
{
    enum { WEEK = 7 * 24 * 3600 };
    struct service_policy *policy = &setup->values.policy;
    policy->queues = setup->queues;
    policy->nqueues = setup->nqueues;
    policy->accounts = setup->values.accounts.item;
    policy->naccounts = setup->values.accounts.n;
    if (policy->weight > 0 && policy->half_life == 0)
        policy->half_life = WEEK * (tori_time)TORI_SECOND;
}

int setup_read (struct setup *setup, const struct command *command, int argc,
                char *const argv[], problem_fn *problem, void *arg,
                tori_error *err)
{
    struct settings *v = &setup->values;
    bool help;
    *setup = (struct setup){0};
    if (options_parse (command, command->name, argc, argv, v, &help, err) < 0)
        return -1;
    if (v->config) {
        const char *path = v->config;
        options_free (command, v);
        if (options_begin (command, v, err) < 0)
            return -1;
        if (config_read (path, setup, problem, arg) > 0) {
            *err = (tori_error){.status = TORI_INVALID};
            return -1;
        }
        if (options_words (command, command->name, argc, argv, v, &help, err)
            < 0)
            return -1;
    }
    complete_policy (setup);
    return check_values (v, err);
}

void setup_free (struct setup *setup)
{
    for (size_t i = 0; i < setup->ntexts; i++)
        free (setup->texts[i]);
    free (setup->texts);
    free (setup->queues);
    free (setup->values.operators.item);
    free (setup->values.accounts.item);
    *setup = (struct setup){0};
}
