/* api_look.c - what the scheduler makes of it all. */
#include <tori/forecast.h>

#include "api.h"
#include "ticket.h"

bool get_snapshot (struct asking *a)
{
    reply (a, 200, service_core (a->torid->service));
    return true;
}

struct forecasts {
    json_t *jobs;
    const tori_machine *machine;
};

static void on_forecast (void *arg, const tori_forecast *it)
{
    struct forecasts *all = arg;
    json_t *place = place_json (all->machine, it->place);
    json_t *row = json_pack ("{s:I, s:o}", "id", (json_int_t)it->tag, "start",
                             seconds_json (it->start));
    json_object_set_new (row, "place", place);
    json_array_append_new (all->jobs, row);
}

bool get_forecast (struct asking *a)
{
    struct forecasts all = {json_array (), a->torid->machine};
    tori_forecast_each (service_sched (a->torid->service), on_forecast, &all,
                        NULL);
    reply (a, 200, json_pack ("{s:o}", "jobs", all.jobs));
    return true;
}
