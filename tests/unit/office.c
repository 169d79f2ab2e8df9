#include "office.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- a service ---- */

static struct service *new_service (const struct office *office)
{
    struct service *service = NULL;
    assert_int_equal (service_create (office->machine, office->config,
                                      &service, NULL),
                      0);
    return service;
}

void open_office (struct office *office, const char *machine,
                  const tori_sched_config *config)
{
    static const tori_alloc_config alloc
        = {.size = sizeof alloc, .name = "first-fit"};
    static const tori_sched_config usual
        = {.size = sizeof usual, .policy = "easy", .alloc = &alloc};
    *office = (struct office){.machine = make_machine (machine),
                              .config = config ? config : &usual,
                              .records = json_array (),
                              .orders = json_array (),
                              .events = json_array ()};
    office->service = new_service (office);
}

void close_office (struct office *office)
{
    service_destroy (office->service);
    tori_machine_destroy (office->machine);
    json_decref (office->records);
    json_decref (office->orders);
    json_decref (office->events);
}

static json_t *read_json (const char *format, va_list args)
{
    char *text;
    json_t *value;
    assert_true (vasprintf (&text, format, args) >= 0);
    for (char *at = text; (at = strchr (at, '\'')) != NULL;)
        *at = '"';
    value = json_loads (text, JSON_DECODE_ANY, NULL);
    if (!value)
        fail_msg ("not JSON: %s", text);
    free (text);
    return value;
}

json_t *json_of (const char *format, ...)
{
    json_t *value;
    va_list args;
    va_start (args, format);
    value = read_json (format, args);
    va_end (args);
    return value;
}

/* ---- what happens ---- */

static void take_effects (struct office *office)
{
    struct effect effect;
    json_array_clear (office->orders);
    json_array_clear (office->events);
    while (service_next (office->service, &effect)) {
        if (effect.kind == EFFECT_RECORD)
            json_array_append (office->records, effect.value);
        if (effect.kind == EFFECT_ORDER)
            json_array_append (office->orders, effect.value);
        if (effect.kind == EFFECT_EVENT)
            json_array_append (office->events, effect.value);
        json_decref (effect.value);
    }
}

static int answer (struct office *office, json_t *input, json_t **ret_body)
{
    struct reply reply = {0};
    tori_error err = {0};
    assert_non_null (input);
    if (service_do (office->service, office->now, input, &reply, &err) < 0)
        fail_msg ("%s", err.text);
    json_decref (input);
    take_effects (office);
    snprintf (office->said, sizeof office->said, "%s",
              text_of (json_object_get (reply.body, "error"), "message"));
    *ret_body = reply.body;
    return reply.code;
}

json_t *ask (struct office *office, int code, json_t *input)
{
    json_t *body;
    int is = answer (office, input, &body);
    if (is != code)
        fail_msg ("%d, not %d: %s", is, code, json_dumps (body, 0));
    return body;
}

void tell (struct office *office, int code, json_t *input)
{
    json_decref (ask (office, code, input));
}

int say (struct office *office, json_t *input)
{
    json_t *body;
    int code = answer (office, input, &body);
    json_decref (body);
    return code;
}

void decide (struct office *office)
{
    tori_error err = {0};
    if (service_decide (office->service, office->now, &err) < 0)
        fail_msg ("%s", err.text);
    take_effects (office);
}

void tell_at (struct office *office, int now, const char *format, ...)
{
    struct reply reply = {0};
    tori_error err = {0};
    json_t *input;
    va_list args;
    va_start (args, format);
    input = read_json (format, args);
    va_end (args);
    office->now = now * (tori_time)TORI_SECOND;
    if (service_do (office->service, office->now, input, &reply, &err) < 0)
        fail_msg ("%s", err.text);
    if (reply.code >= 300)
        fail_msg ("%d: %s", reply.code, json_dumps (reply.body, 0));
    json_decref (reply.body);
    json_decref (input);
    decide (office);
}

void set_policy (struct office *office, const struct service_policy *policy)
{
    tori_error err = {0};
    if (service_set_policy (office->service, office->now, policy, &err) < 0)
        fail_msg ("%s", err.text);
    take_effects (office);
}

const char *text_of (const json_t *job, const char *key)
{
    const char *text = json_string_value (json_object_get (job, key));
    return text ? text : "";
}

bool job_has (const struct office *office, uint64_t id, const char *key,
              const char *text)
{
    json_t *job = service_job (office->service, id);
    bool has = job && !strcmp (text_of (job, key), text);
    json_decref (job);
    return has;
}

/* ---- a restart ---- */

static char *saved_text (struct service *service)
{
    size_t n;
    char *text = service_save (service, &n);
    assert_non_null (text);
    return text;
}

size_t saved_size (const struct office *office)
{
    char *text = saved_text (office->service);
    size_t n = strlen (text);
    free (text);
    return n;
}

struct service *replayed (const struct office *office)
{
    struct service *service = new_service (office);
    tori_error err = {0};
    json_t *record;
    size_t i;
    json_array_foreach (office->records, i, record)
        if (service_replay (service, record, &err) < 0)
            fail_msg ("record %zu: %s", i, err.text);
    assert_int_equal (service_ready (service, &err), 0);
    return service;
}

struct service *reloaded (const struct office *office)
{
    struct service *service = new_service (office);
    char *text = saved_text (office->service);
    tori_error err = {0};
    if (service_load (service, text, strlen (text), &err) < 0)
        fail_msg ("%s", err.text);
    assert_int_equal (service_ready (service, &err), 0);
    free (text);
    return service;
}

static void expect_same (struct service *a, struct service *b)
{
    char *one = saved_text (a), *two = saved_text (b);
    assert_string_equal (one, two);
    free (one);
    free (two);
}

void restart (struct office *office, struct service *service)
{
    expect_same (service, office->service);
    service_destroy (office->service);
    office->service = service;
}

void expect_kept (struct office *office)
{
    struct service *other;
    decide (office);
    other = replayed (office);
    if (service_decide (other, office->now, NULL) < 0) /* only time passes */
        fail_msg ("time cannot pass");
    expect_same (other, office->service);
    service_destroy (other);
    other = reloaded (office);
    expect_same (other, office->service);
    service_destroy (other);
}
