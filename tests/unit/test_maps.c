/* The map of a folded job: the order to the executor, the running job and its
 * record in the history agree. */
#include "office.h"

struct told {
    json_t *order; /* the last one to start a job */
    json_t *past;  /* the last job that ended, as the history has it */
};

/* Keep the last value of a list that has this text there. */
static void keep (json_t **kept, const json_t *list, const char *key,
                  const char *text)
{
    json_t *value;
    size_t i;
    json_array_foreach (list, i, value)
        if (!strcmp (text_of (value, key), text)) {
            json_decref (*kept);
            *kept = json_incref (value);
        }
}

static void note (struct told *told, const struct office *office)
{
    json_t *event = NULL;
    keep (&told->order, office->orders, "do", "start");
    keep (&event, office->events, "event", "ended");
    if (event) {
        json_decref (told->past);
        told->past = json_incref (json_object_get (event, "job"));
        json_decref (event);
    }
}

/* Ids, as the executor gets them, of coordinates. */
static json_t *ids_of (const tori_machine *machine, const json_t *map)
{
    json_t *ids = json_array ();
    for (size_t i = 0; i < json_array_size (map); i++) {
        uint32_t coords[TORI_MAX_DIMS];
        const json_t *node = json_array_get (map, i);
        for (size_t d = 0; d < json_array_size (node); d++)
            coords[d]
                = (uint32_t)json_integer_value (json_array_get (node, d));
        json_array_append_new (
            ids, json_integer (tori_machine_id (machine, coords)));
    }
    return ids;
}

/* The job, which goes on, has ended, or is only in the history, was mapped as
 * the executor was told. */
static void check_map (const tori_machine *machine, const json_t *job,
                       const struct told *told)
{
    json_t *ids = ids_of (machine, json_object_get (job, "map"));
    assert_non_null (json_object_get (job, "map"));
    assert_true (json_equal (ids, json_object_get (told->order, "map")));
    json_decref (ids);
}

static void check_seen (const struct office *office, const struct told *told)
{
    json_t *job = service_job (office->service, 1);
    check_map (office->machine, job, told);
    json_decref (job);
}

/* Submit the jobs, and note what is told. */
static void submit (struct office *office, int now, const char *jobs,
                    struct told *told)
{
    tell_at (office, now, "{'in':'submit', 'user':'ann', 'jobs':[%s]}", jobs);
    note (told, office);
}

static void run (const char *name, const char *alloc, const char *job)
{
    struct office office;
    struct told told = {0};
    open_office (&office, name, TORI_SCHED ("easy", TORI_ALLOC (alloc)));
    submit (&office, 1, job, &told);
    check_seen (&office, &told);
    tell_at (&office, 2, "{'in':'executor', 'is':'ended', 'job':1,"
                         " 'attempt':1, 'status':0, 'signal':null}");
    note (&told, &office);
    check_seen (&office, &told);
    submit (&office, 26 * 3600, job, &told);
    assert_null (service_job (office.service, 1));
    assert_null (json_object_get (told.past, "map"));
    service_set_map (office.service, told.past);
    check_map (office.machine, told.past, &told);
    json_decref (told.past);
    json_decref (told.order);
    close_office (&office);
}

#define RINGS "'wiring':'torus', 'fold':'rings'"
#define REST "'estimate':60, 'command':['x']"

TEST (pods)
{
    run ("pod:4/2x2", "cube-best", "{'shape':'4', " RINGS ", " REST "}");
    run ("pod:4/4x4x4", "cube-best", "{'shape':'16x8', " RINGS ", " REST "}");
}

/* Its ring is folded once more, by how the box is wired. */
TEST (boxes)
{
    run ("multitorus:8x8", "first-fit", "{'shape':'8', " RINGS ", " REST "}");
    run ("torus:8x8", "first-fit", "{'shape':'16', " RINGS ", " REST "}");
}

TEST (alternatives)
{
    run ("pod:4/2x2", "cube-best",
         "{'alternatives':[{'shape':'4', " RINGS "},"
         "{'shape':'2x1', 'wiring':'mesh'}], " REST "}");
}
