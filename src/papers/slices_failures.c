/* Nodes of jobs that fail, and where the jobs can go on. */
#include <math.h>
#include <stdlib.h>

#include <tori/room.h>

#include "slices_study.h"

enum { STEPS = 20000 }; /* of a search for moves */

const struct scene slices_scenes[SCENES] = {
    {"2 to 6 jobs", 120, 0, 3, 97}, {"25 % busy", 40, 25, 2, 40},
    {"50 % busy", 40, 50, 2, 40},   {"75 % busy", 40, 75, 2, 35},
    {"95 % busy", 40, 95, 2, 2},
};

const char *const slices_remedies[REMEDIES] = {
    "the same shape elsewhere",
    "or rotated",
    "or wrapping",
    "or folded",
    "or other jobs move",
    "as many nodes are free",
    "cubes behind switches: repaired",
};

#define AT(member) FIELD_AT (struct rescue, member)
static const struct field rescue_fields[] = {
    {"scene", FIELD_TEXT, AT (scene), "the jobs before the failure",
     .title = "jobs"},
    {"remedy", FIELD_TEXT, AT (remedy), "where the job may go",
     .title = "the job goes on"},
    {"failures", FIELD_SIZE, AT (failures), "failures for each seed",
     .title = "failures"},
    ESTIMATE ("rescued", struct rescue, rescued,
              "of these, how many jobs go on with all their nodes",
              .title = "rescued", .decimals = 1),
    {"printed", FIELD_REAL, AT (printed), "as printed", .title = "printed",
     .decimals = 0},
};
#undef AT
const struct sheet slices_rescue_sheet
    = {"rescues", SHEET_FIELDS (rescue_fields)};

static int fill_scene (struct ground *ground, const struct scene *scene,
                       struct rng *rng, tori_error *err)
{
    size_t jobs = scene->busy ? JOBS : 2 + (size_t)rng_below (rng, 5);
    uint32_t busy = scene->busy ? (uint32_t)(NODES * scene->busy + 99) / 100
                                : NODES + 1;
    return ground_fill (ground, jobs, busy, 1, scene->last, rng, err);
}

/* A node of a job. */
static int choose_node (const struct ground *ground, size_t job,
                        struct rng *rng, uint32_t *ret_node, tori_error *err)
{
    const tori_placement *place = &ground->place[job];
    uint32_t *ids = calloc (place->count, sizeof *ids);
    if (!ids)
        return tori_error_nomem (err);
    tori_placement_nodes (place, ground->machine, ids);
    *ret_node = ids[rng_below (rng, place->count)];
    free (ids);
    return 0;
}

static tori_request request_for (const tori_placement *place,
                                 enum remedy remedy)
{
    return (tori_request){
        .count = place->count,
        .shape = place->box.shape,
        .fixed = remedy == SAME_SHAPE,
        .wrap = remedy >= WRAPPING,
        .flags = remedy >= FOLDED ? TORI_REQUEST_FOLD : 0,
    };
}

/* Whether there is room for the request after moves of the other jobs. */
static int try_moves (const struct ground *ground, size_t job,
                      const tori_request *request, tori_error *err)
{
    tori_room_job others[JOBS];
    tori_room room = {0};
    size_t n = 0;
    int status;
    for (size_t i = 0; i < ground->n; i++)
        if (i != job)
            others[n++] = (tori_room_job){.place = &ground->place[i],
                                          .wrap = true};
    status = tori_room_make (ground->state, others, n, request,
                             TORI_ROOM (.steps = STEPS), &room, err);
    if (status == 0)
        status = room.found;
    tori_room_clear (&room);
    return status;
}

/* Whether a remedy helps a job that is off the machine. */
static int try_remedy (const struct ground *ground, size_t job,
                       enum remedy remedy, tori_error *err)
{
    const tori_placement *old = &ground->place[job];
    tori_request request = request_for (old, remedy);
    tori_placement place = {0};
    tori_outcome outcome;
    if (remedy == ENOUGH_NODES)
        return tori_state_free_count (ground->state) >= old->count;
    if (remedy == OTHERS_MOVE)
        return try_moves (ground, job, &request, err);
    outcome = tori_alloc_place (ground->alloc, ground->state, &request,
                                &place, err);
    tori_placement_clear (&place);
    return outcome == TORI_ERROR ? -1 : outcome == TORI_PLACED;
}

/* Each remedy includes those before it. */
static int try_remedies (const struct ground *ground, size_t job,
                         enum remedy last, double rescued[REMEDIES],
                         tori_error *err)
{
    int found = 0;
    for (int r = SAME_SHAPE; r <= (int)last && r <= ENOUGH_NODES; r++) {
        if (!found)
            found = try_remedy (ground, job, (enum remedy)r, err);
        if (found < 0)
            return -1;
        rescued[r] += found;
    }
    return 0;
}

/* Whether the pieces of a slice that are intact can stay, or the slice can go
 * elsewhere. */
static int try_repair (const struct ground *ground, size_t job,
                       double rescued[REMEDIES], tori_error *err)
{
    const tori_room_job it = {.place = &ground->place[job]};
    tori_room room = {0};
    int status = tori_room_repair (ground->state, &it,
                                   TORI_ROOM (.steps = STEPS), &room, err);
    if (status == 0)
        rescued[ON_CUBES] += room.found;
    tori_room_clear (&room);
    return status;
}

/* A node of a job fails. The job is off the machine while another place is
 * sought, except for a repair. */
static int fail_node (struct ground *ground, enum remedy last,
                      struct rng *rng, double rescued[REMEDIES],
                      tori_error *err)
{
    bool pod = ground->packing == &slices_packings[SWITCHED];
    size_t job = (size_t)rng_below (rng, ground->n);
    tori_placement *place = &ground->place[job];
    uint32_t node = 0;
    int status;
    if (choose_node (ground, job, rng, &node, err) < 0
        || tori_state_set_down (ground->state, node, true, err) < 0)
        return -1;
    if (pod) {
        status = try_repair (ground, job, rescued, err);
    } else {
        tori_placement_release (place, ground->state);
        status = try_remedies (ground, job, last, rescued, err);
    }
    if (tori_state_set_down (ground->state, node, false, err) < 0)
        return -1;
    return status < 0 || pod ? status
                             : tori_placement_hold (place, ground->state, err);
}

int slices_run_scene (struct ground *ground, const struct scene *scene,
                      size_t failures, enum remedy last, struct rng *rng,
                      double rescued[REMEDIES], tori_error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < failures; i++) {
        status = fill_scene (ground, scene, rng, err);
        if (status == 0)
            status = fail_node (ground, last, rng, rescued, err);
        ground_clear (ground);
    }
    return status;
}
