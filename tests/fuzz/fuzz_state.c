/* The journal of torid: a saved state, which begins with its header, or
 * records, one per line. It need not make sense, but does no harm; and a state
 * that is accepted is saved and read as the same. */
#include "fuzz.h"

#include <jansson.h>

#include "service.h"

static struct service *make (const tori_machine *machine)
{
    struct service *service = NULL;
    MUST (service_create (machine, TORI_SCHED ("easy",
                                               TORI_ALLOC ("first-fit")),
                          &service, NULL)
          == 0);
    return service;
}

/* A state is what it was when it has been saved and loaded. */
static void keep (const tori_machine *machine, struct service *service)
{
    struct service *again = make (machine);
    size_t n = 0, length = 0;
    char *text = service_save (service, &n), *other;
    MUST (text && service_load (again, text, n, NULL) == 0);
    other = service_save (again, &length);
    MUST (other && n == length && memcmp (text, other, n) == 0);
    service_destroy (again);
    free (text);
    free (other);
}

static void replay (struct service *service, const char *at, const char *end)
{
    int status = 0;
    for (int lines = 0; at < end && status == 0 && lines < 200; lines++) {
        const char *newline = memchr (at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline ? newline : end) - at);
        json_t *record = json_loadb (at, n, 0, NULL);
        tori_error err = {0};
        if (json_is_object (record))
            status = service_replay (service, record, &err);
        json_decref (record);
        at += n + 1;
    }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char *text = fuzz_text (data, size);
    tori_machine *machine = NULL;
    struct service *service;
    tori_error err = {0};
    MUST (tori_machine_parse ("torus:4x4", &machine, NULL) == 0);
    service = make (machine);
    if (strncmp (text, "{\"tori_service\"", 15) != 0)
        replay (service, text, text + size);
    else if (service_load (service, text, size, &err) == 0)
        keep (machine, service);
    else
        MUST (err.text[0]);
    service_destroy (service);
    tori_machine_destroy (machine);
    free (text);
    return 0;
}
