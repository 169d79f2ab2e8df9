/* Messages of users and executors to the service, one JSON value per line:
 * whatever it is, it is answered; and what was accepted leads to the same
 * state when it is read again. A line with "decided" is read as a record of a
 * journal, and one with "is" as a message of an executor, as torid takes it.
 */
#include "fuzz.h"

#include <jansson.h>

#include "service.h"

struct pair {
    tori_machine *machine;
    struct service *first, *second;
};

static struct service *make (const tori_machine *machine)
{
    struct service *service = NULL;
    MUST (service_create (machine, TORI_SCHED ("easy",
                                               TORI_ALLOC ("first-fit")),
                          &service, NULL)
          == 0);
    return service;
}

/* The second reads the records of the first. */
static void follow (struct pair *pair)
{
    struct effect effect;
    tori_error err = {0};
    while (service_next (pair->first, &effect)) {
        if (effect.kind == EFFECT_RECORD)
            MUST (service_replay (pair->second, effect.value, &err) == 0);
        json_decref (effect.value);
    }
}

static void tell (struct pair *pair, const json_t *line, tori_time now)
{
    struct reply reply = {0};
    tori_error err = {0};
    MUST (service_do (pair->first, now, line, &reply, &err) == 0);
    MUST (reply.body && reply.code >= 200);
    json_decref (reply.body);
    MUST (service_decide (pair->first, now, &err) == 0);
    follow (pair);
}

/* A record that nobody wrote need not make sense, but must not do harm. */
static void try_record (const struct pair *pair, const json_t *line)
{
    struct service *third = make (pair->machine);
    tori_error err = {0};
    char *text = json_dumps (line, 0);
    service_replay (third, line, &err);
    MUST (text);
    service_load (third, text, strlen (text), &err);
    free (text);
    service_destroy (third);
}

/* The text after the first line. */
static void same_jobs (const char *a, const char *b)
{
    a = strchr (a, '\n');
    b = strchr (b, '\n');
    MUST (a && b && strcmp (a, b) == 0);
}

static void same (struct pair *pair)
{
    struct service *third = make (pair->machine);
    size_t n = 0, length = 0;
    char *a = service_save (pair->first, &n);
    char *b = service_save (pair->second, &length);
    MUST (a && b);
    same_jobs (a, b);
    MUST (service_load (third, a, n, NULL) == 0);
    service_destroy (third);
    free (a);
    free (b);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct pair pair = {0};
    const char *at = (const char *)data, *end = at + size;
    tori_time now = 0;
    MUST (tori_machine_parse ("torus:4x4", &pair.machine, NULL) == 0);
    pair.first = make (pair.machine);
    pair.second = make (pair.machine);
    while (at < end && now < 100) {
        const char *newline = memchr (at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline ? newline : end) - at);
        json_t *line = json_loadb (at, n, 0, NULL);
        if (json_object_get (line, "is"))
            json_object_set_new (line, "in", json_string ("executor"));
        if (json_object_get (line, "decided")
            || json_object_get (line, "tickets"))
            try_record (&pair, line);
        else if (json_is_object (line))
            tell (&pair, line, ++now);
        json_decref (line);
        at += n + 1;
    }
    same (&pair);
    service_destroy (pair.first);
    service_destroy (pair.second);
    tori_machine_destroy (pair.machine);
    return 0;
}
