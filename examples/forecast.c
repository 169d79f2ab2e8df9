/* forecast.c - when and where every waiting job will start.
 *
 *     cc forecast.c $(pkg-config --cflags --libs tori)
 *
 * The queue is run forward with no further arrivals, and every job ends at its
 * time limit. The scheduler itself does not change.
 */
#include <stdio.h>
#include <string.h>

#include <tori/forecast.h>
#include <tori/snapshot.h>
#include <tori/workload.h>

static const char morning[]
    = "{\"machine\": \"mesh:8x8\", \"now\": 7200, \"sched\": \"easy\","
      " \"running\": [{\"id\": 1, \"box\": \"0,0/8x6\", \"start\": 0,"
      "   \"end\": 9000}],"
      " \"queue\": [{\"id\": 2, \"shape\": \"8x8\", \"time_limit\": \"1h\"},"
      "  {\"id\": 3, \"shape\": \"2x4\", \"time_limit\": \"30m\"},"
      "  {\"id\": 4, \"shape\": \"2x4\", \"time_limit\": \"2h\"},"
      "  {\"id\": 5, \"shape\": \"8x2\", \"time_limit\": \"30m\","
      "   \"hold\": \"user\"}]}";

static void tell (void *arg, const tori_forecast *it)
{
    char where[TORI_TEXT_MAX];
    tori_box_format (&it->place->box, where);
    printf ("job %d starts at %d s, at %s\n", (int)it->tag,
            (int)(it->start / TORI_SECOND), where);
    ++*(size_t *)arg;
}

int main (void)
{
    tori_snapshot *snapshot = NULL;
    tori_sched *sched = NULL;
    tori_error err = {.status = TORI_OK};
    size_t n = 0;
    if (tori_snapshot_parse (morning, strlen (morning), "morning", &snapshot,
                             &err)
            < 0
        || tori_snapshot_sched (snapshot, NULL, &sched, &err) < 0
        || tori_forecast_each (sched, tell, &n, &err) < 0)
        fprintf (stderr, "forecast: %s\n", err.text);
    else
        printf ("%zu of %zu will start as things are\n", n,
                snapshot->nqueued);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return (int)err.status;
}
