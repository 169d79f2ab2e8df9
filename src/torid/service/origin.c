/* origin.c - which state this is: an identity, which it has for ever, and an
 * epoch, which begins whenever it may have gone back to an earlier one.
 *
 * Executors store both with each process, because processes outlive the
 * service. So a state does not take processes that another state has started
 * for its own. */
#include <stdio.h>
#include <string.h>

#include "service_internal.h"

const char *service_identity (const struct service *service)
{
    return *service->identity ? service->identity : NULL;
}

uint32_t service_epoch (const struct service *service)
{
    return service->epoch;
}

uint64_t service_next_id (const struct service *service)
{
    return service->next_id;
}

static bool is_identity (const char *text)
{
    return text && strlen (text) == SERVICE_IDENTITY - 1
           && strspn (text, "0123456789abcdef") == SERVICE_IDENTITY - 1;
}

int origin_take (struct service *service, const json_t *value, tori_error *err)
{
    const char *identity
        = json_string_value (json_object_get (value, "identity"));
    json_int_t epoch = json_integer_value (json_object_get (value, "epoch"));
    if (!is_identity (identity) || epoch < 1 || epoch > UINT32_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "not the origin of a state");
    memcpy (service->identity, identity, SERVICE_IDENTITY);
    service->epoch = (uint32_t)epoch;
    service->unheard = json_is_true (json_object_get (value, "unheard"));
    service->unsure = json_is_true (json_object_get (value, "unsure"));
    return 0;
}

json_t *origin_save (const struct service *service)
{
    return *service->identity
               ? json_pack ("{s:s, s:I, s:o*, s:o*}", "identity",
                            service->identity, "epoch",
                            (json_int_t)service->epoch, "unheard",
                            service->unheard ? json_true () : NULL, "unsure",
                            service->unsure ? json_true () : NULL)
               : NULL;
}

void origin_word (const struct service *service, uint32_t epoch,
                  char to[STATE_WORD])
{
    snprintf (to, STATE_WORD, "%s.%u", service->identity, epoch);
}

void origin_skip (struct service *service, const json_t *highest)
{
    json_int_t id = json_integer_value (highest);
    if (id > 0 && id < INT64_MAX && (uint64_t)id >= service->next_id)
        service->next_id = (uint64_t)id + 1;
}

int do_origin (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    tori_error why = {0};
    if (!is_operator (input))
        return refuse (reply, 403, "forbidden",
                       "only operators may begin an epoch");
    if (origin_take (service, input, &why) < 0)
        return refuse_error (&why, reply, err);
    origin_skip (service, json_object_get (input, "highest"));
    *reply = (struct reply){200, json_object ()};
    return 0;
}

int service_begin_epoch (struct service *service, tori_time now,
                         const char *identity, uint32_t epoch,
                         uint64_t highest, const char *why, tori_error *err)
{
    json_t *input
        = json_pack ("{s:s, s:s, s:b, s:s, s:I, s:I, s:b, s:b, s:s*}", "in",
                     "origin", "user", "", "root", 1, "identity", identity,
                     "epoch", (json_int_t)epoch, "highest",
                     (json_int_t)highest, "unheard", epoch > 1, "unsure",
                     epoch > 1, "why", why);
    struct reply reply = {0};
    int status = input ? service_do (service, now, input, &reply, err)
                       : tori_error_nomem (err);
    json_decref (reply.body);
    json_decref (input);
    return status;
}
