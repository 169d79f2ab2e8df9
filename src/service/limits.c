/* limits.c - what users may have. */
#include <string.h>

#include "inside.h"

bool is_operator (const json_t *input)
{
    return json_is_true (json_object_get (input, "root"));
}

int limits_priority (const json_t *input, const json_t *priority,
                     struct reply *reply)
{
    if (json_integer_value (priority) <= 0 || is_operator (input))
        return 0;
    return refuse (reply, 403, "forbidden",
                   "priority: only operators may raise it above 0; users may "
                   "lower that of their own jobs");
}

/* What is known before the jobs themselves are looked at. */
int limits_ask (struct service *service, const json_t *input,
                struct reply *reply)
{
    const json_t *jobs = json_object_get (input, "jobs");
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        const json_t *ask = json_array_get (jobs, i);
        if (limits_priority (input, json_object_get (ask, "priority"), reply))
            return 1;
    }
    return 0;
}
