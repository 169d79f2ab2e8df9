/* why.c - why jobs wait, and what would start them now.
 *
 *     cc why.c $(pkg-config --cflags --libs tori)
 *
 * Three quarters of the machine are free, but job 20 wants a ring around all of
 * a dimension whose links job 17 has.
 */
#include <stdio.h>
#include <string.h>

#include <tori/snapshot.h>
#include <tori/why.h>

static const char morning[]
    = "{\"machine\": \"torus:8x8\", \"now\": 7200, \"sched\": \"easy\","
      " \"running\": [{\"id\": 17, \"shape\": \"4x4\", \"wiring\": \"torus\","
      "   \"box\": \"0,0/4x4\", \"start\": 0, \"end\": 9000}],"
      " \"queue\": [{\"id\": 20, \"shape\": \"8x2\", \"wiring\": \"torus\","
      "   \"time_limit\": \"1h\", \"submit\": 7000},"
      "  {\"id\": 21, \"shape\": \"8x8\", \"time_limit\": \"30m\","
      "   \"submit\": 7100}]}";

static int tell (void *arg, const tori_why *why)
{
    const tori_snapshot *snapshot = arg;
    char text[512];
    tori_why_text (why, snapshot->machine, text, sizeof text);
    printf ("job %d (%s): %s\n", (int)why->tag,
            tori_reason_name (why->reason), text);
    for (size_t i = 0; i < why->nblockers; i++)
        printf ("  in the way: job %d, %u nodes\n",
                (int)why->blockers[i].tag, why->blockers[i].nodes);
    for (size_t i = 0; i < why->nhelps; i++)
        printf ("  would help: %s\n",
                tori_change_name (why->helps[i].change));
    return 0;
}

int main (void)
{
    tori_snapshot *snapshot = NULL;
    tori_sched *sched = NULL;
    tori_error err = {.status = TORI_OK};
    if (tori_snapshot_parse (morning, strlen (morning), "morning", &snapshot,
                             &err)
            < 0
        || tori_snapshot_sched (snapshot, NULL, &sched, &err) < 0
        || tori_why_each (sched, tell, snapshot, &err) < 0)
        fprintf (stderr, "why: %s\n", err.text);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return (int)err.status;
}
