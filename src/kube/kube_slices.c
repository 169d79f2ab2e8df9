/* kube_slices.c - Slices of Google Kubernetes Engine: cubes of TPUs that its
 * slice controller joins to a torus before the pods of a job can use them.
 *
 * A job has whole cubes. Its slice is created when torid starts the job, the
 * pods are bound when it is ready, and it is deleted when the attempt is over.
 * Its name is that of the attempt: so a slice is never made twice, and one that
 * no attempt has, after whatever was ended in between, is deleted. Cubes of a
 * slice that is there without an attempt, ours or not, are drained. */
#include "kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "gkeslice.h"
#include "kube_ranks.h"

#define PATH "/apis/" GKE_VERSION "/slices"
#define PARTITION "cloud.google.com/gke-tpu-partition-4x4x4-"
#define OWNER "tori/scheduler"

enum {
    STALE_SECONDS = 5, /* for which torid may still claim what is found */
    SOON = 1,          /* seconds before a failed request is repeated, ... */
    LATER = 5          /* ... and within which the watch tells of one that was
                          not */
};

static const char *text_at (const json_t *object, const char *key)
{
    return json_string_value (json_object_get (object, key));
}

/* ---- names ---- */

static uint32_t hash_text (uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C (16777619);
    return hash;
}

/* At most 49 characters of ^[a-z]([-a-z0-9]*[a-z0-9])?$. */
void kube_slice_name (const struct kube *kube, const struct kube_run *run,
                      char name[SLICE_NAME])
{
    uint32_t hash = hash_text (UINT32_C (2166136261), kube->set.scheduler);
    hash = hash_text (hash_text (hash, "/"), run->state ? run->state : "");
    snprintf (name, SLICE_NAME, "tori-%lld-%lld-%08x", (long long)run->job,
              (long long)run->attempt, hash);
}

static struct kube_slice *find_slice (const struct kube *kube,
                                      const char *name)
{
    for (size_t i = 0; i < kube->nslices; i++)
        if (!strcmp (kube->slices[i]->name, name))
            return kube->slices[i];
    return NULL;
}

static bool is_attempt (const struct kube_slice *slice, json_int_t job,
                        json_int_t attempt, const char *state)
{
    return slice->ours && slice->job == job && slice->attempt == attempt
           && !strcmp (slice->state_dir, state ? state : "");
}

/* The group whose attempt has the slice, or NULL. */
static struct kube_group *find_owner (const struct kube *kube,
                                      const struct kube_slice *slice)
{
    struct kube_group *group
        = slice->ours ? kube_find_group (kube, slice->key) : NULL;
    return group && group->run.job > 0
                   && is_attempt (slice, group->run.job, group->run.attempt,
                                  group->run.state)
               ? group
               : NULL;
}

/* ---- slices, as the API server has them ---- */

static void destroy_slice (struct kube_slice *slice)
{
    if (!slice)
        return;
    free (slice->name);
    free (slice->uid);
    free (slice->key);
    free (slice->state_dir);
    json_decref (slice->parts);
    free (slice);
}

static bool is_one_of (const char *text, const char *a, const char *b)
{
    return text && (!strcmp (text, a) || !strcmp (text, b));
}

/* A slice is of use while it is degraded. */
static void read_condition (struct kube_slice *slice, const json_t *condition)
{
    const char *type = text_at (condition, "type");
    const char *reason = text_at (condition, "reason");
    const char *message = text_at (condition, "message");
    bool is_true = is_one_of (text_at (condition, "status"), "True", "true");
    enum slice_state state = SLICE_FORMING;
    if (!type || (strcmp (type, "Ready")
                  && !(is_true && !strcmp (type, "SliceCreationFailed"))))
        return;
    if (!strcmp (type, "SliceCreationFailed")
        || is_one_of (reason, "FAILED", "SliceCreationFailed"))
        state = SLICE_FAILED;
    else if (is_one_of (reason, "DEACTIVATING", "INCOMPLETE"))
        state = SLICE_GOING;
    else if (is_true || is_one_of (reason, "ACTIVE_DEGRADED", "ACTIVE"))
        state = SLICE_READY;
    if (state < slice->state)
        return;
    slice->state = state;
    snprintf (slice->why, sizeof slice->why, "%.40s%s%.100s",
              reason ? reason : type, message && *message ? ": " : "",
              message ? message : "");
}

static bool read_owner (const struct kube *kube, struct kube_slice *slice,
                        const json_t *meta)
{
    const json_t *notes = json_object_get (meta, "annotations");
    const char *by = text_at (json_object_get (meta, "labels"), OWNER);
    const char *attempt = text_at (notes, "tori/attempt");
    const char *key = text_at (notes, "tori/key");
    const char *state = text_at (notes, "tori/state");
    long long job, number;
    slice->ours = by && !strcmp (by, kube->set.scheduler);
    if (attempt && sscanf (attempt, "%lld.%lld", &job, &number) == 2) {
        slice->job = job;
        slice->attempt = number;
    }
    slice->key = strdup (key ? key : "");
    slice->state_dir = strdup (state ? state : "");
    return slice->key && slice->state_dir;
}

static struct kube_slice *read_slice (const struct kube *kube,
                                      const json_t *object)
{
    const json_t *meta = json_object_get (object, "metadata");
    const json_t *conditions
        = json_object_get (json_object_get (object, "status"), "conditions");
    const json_t *spec = json_object_get (object, "spec"), *condition;
    const char *name = text_at (meta, "name"), *uid = text_at (meta, "uid");
    struct kube_slice *slice = name && uid ? calloc (1, sizeof *slice) : NULL;
    size_t i;
    if (!slice)
        return NULL;
    slice->name = strdup (name);
    slice->uid = strdup (uid);
    slice->leaving = text_at (meta, "deletionTimestamp") != NULL;
    slice->parts = json_incref (json_object_get (spec, "partitionIds"));
    snprintf (slice->why, sizeof slice->why, "it has no condition yet");
    if (!read_owner (kube, slice, meta) || !slice->name || !slice->uid) {
        destroy_slice (slice);
        return NULL;
    }
    json_array_foreach (conditions, i, condition)
        read_condition (slice, condition);
    return slice;
}

static void remove_slice (struct kube *kube, size_t i)
{
    destroy_slice (kube->slices[i]);
    kube->slices[i] = kube->slices[--kube->nslices];
}

static void on_slice (void *arg, json_t *object, bool gone)
{
    struct kube *kube = arg;
    struct kube_slice *slice = read_slice (kube, object), **more;
    struct kube_group *owner;
    if (!slice)
        return;
    kube->moved = true;
    slice->round = kube->slices_round;
    for (size_t i = kube->nslices; i-- > 0;)
        if (!strcmp (kube->slices[i]->name, slice->name)) {
            slice->busy = kube->slices[i]->busy;
            slice->retry = kube->slices[i]->retry;
            remove_slice (kube, i);
        }
    owner = find_owner (kube, slice);
    if (owner)
        owner->dirty = true;
    more = array_room (kube->slices, &kube->slices_room, kube->nslices + 1,
                       sizeof *more);
    if (more)
        kube->slices = more;
    if (gone || !more)
        destroy_slice (slice);
    else
        kube->slices[kube->nslices++] = slice;
}

static void on_slice_list (void *arg, bool begin)
{
    struct kube *kube = arg;
    if (begin) {
        kube->slices_round++;
        return;
    }
    for (size_t i = kube->nslices; i-- > 0;)
        if (kube->slices[i]->round != kube->slices_round)
            remove_slice (kube, i);
    kube->moved = true;
}

/* ---- cubes ---- */

static uint32_t cube_nodes (const struct kube *kube)
{
    return tori_machine_nodes (kube->machine) / kube->ncubes;
}

static void set_cube (struct kube_cube *cube, enum place_state state,
                      const char *why)
{
    if (state <= cube->state)
        return;
    cube->state = state;
    snprintf (cube->why, sizeof cube->why, "%s", why);
}

/* A cube that is not said to be healthy forms no slice. */
static void put_label (struct kube_cube *cube, const json_t *labels)
{
    json_t *name = json_object_get (labels, PARTITION "id");
    const char *state = text_at (labels, PARTITION "state");
    const char *id = json_string_value (name);
    char why[sizeof cube->why];
    if (!id) {
        set_cube (cube, PLACE_DRAINED, "a node has no label " PARTITION "id");
        return;
    }
    if (!cube->name)
        cube->name = json_incref (name);
    if (!json_equal (cube->name, name)) {
        snprintf (why, sizeof why, "its nodes are of partitions %.60s and "
                                   "%.60s", json_string_value (cube->name),
                  id);
        set_cube (cube, PLACE_DRAINED, why);
    }
    snprintf (why, sizeof why, "partition %.60s is %.40s", id,
              state ? state : "in no known state");
    if (state && !strcmp (state, "UNHEALTHY"))
        set_cube (cube, PLACE_DOWN, why);
    else if (!is_one_of (state, "HEALTHY", "DEGRADED"))
        set_cube (cube, PLACE_DRAINED, why);
}

static struct kube_cube *find_cube (const struct kube *kube,
                                    const json_t *name)
{
    for (uint32_t i = 0; i < kube->ncubes; i++)
        if (kube->cubes[i].name && json_equal (kube->cubes[i].name, name))
            return &kube->cubes[i];
    return NULL;
}

/* Two slices cannot have the same cube. */
static void put_slice (struct kube *kube, const struct kube_slice *slice)
{
    char why[sizeof kube->cubes->why];
    const json_t *name;
    size_t i;
    if (find_owner (kube, slice))
        return;
    snprintf (why, sizeof why, slice->ours || slice->leaving
                                   ? "slice %.60s is being deleted"
                                   : "slice %.60s is there, which torid has "
                                     "not made", slice->name);
    json_array_foreach (slice->parts, i, name) {
        struct kube_cube *cube = find_cube (kube, name);
        if (cube)
            set_cube (cube, PLACE_DRAINED, why);
    }
}

static void put_lost (struct kube *kube, const struct kube_run *run)
{
    uint32_t nodes = cube_nodes (kube);
    for (size_t i = 0; i < run->n && *run->slice.lost; i++)
        set_cube (&kube->cubes[run->ids[i] / nodes], PLACE_DOWN,
                  run->slice.lost);
}

static void find_cubes (struct kube *kube)
{
    uint32_t nodes = cube_nodes (kube);
    double now = api_clock ();
    for (uint32_t i = 0; i < kube->ncubes; i++) {
        struct kube_cube *cube = &kube->cubes[i];
        json_decref (cube->name);
        cube->name = NULL;
        cube->state = PLACE_UP;
        cube->why[0] = 0;
        if (cube->paused > now)
            set_cube (cube, PLACE_DRAINED, "its last slice has failed");
    }
    for (size_t i = 0; i < kube->nnodes; i++)
        if (kube->nodes[i]->held >= 0)
            put_label (&kube->cubes[kube->nodes[i]->held / nodes],
                       kube->nodes[i]->labels);
    for (size_t i = 0; i < kube->nslices; i++)
        put_slice (kube, kube->slices[i]);
    for (size_t i = 0; i < kube->ngroups; i++)
        put_lost (kube, &kube->groups[i]->run);
}

void kube_slices_mark (struct kube *kube)
{
    uint32_t nodes;
    if (!kube->set.slices)
        return;
    find_cubes (kube);
    nodes = cube_nodes (kube);
    for (uint32_t i = 0; i < kube->ncubes * nodes; i++)
        kube_place_set (&kube->places[i], kube->cubes[i / nodes].state,
                        kube->cubes[i / nodes].why);
}

/* So that a job whose slice has failed is not tried there at once again. */
static void pause_cubes (struct kube *kube, const struct kube_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        kube->cubes[run->ids[i] / cube_nodes (kube)].paused
            = api_clock () + kube->set.patience;
    kube->moved = true;
}

/* ---- jobs ---- */

bool kube_slices_give (const struct kube *kube, const char *label)
{
    return kube->set.slices
           && is_one_of (label, "cloud.google.com/gke-tpu-slice",
                         "cloud.google.com/gke-tpu-topology");
}

static uint32_t cube_side (const struct kube *kube, int d)
{
    return tori_machine_size (kube->machine,
                              tori_machine_apart (kube->machine) + d);
}

/* torid may turn it, but leaves no part of a cube to others. */
static bool has_whole_cubes (const struct kube *kube, const tori_shape *shape)
{
    static const int turns[][GKE_DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        int good = 0;
        for (int d = 0; d < GKE_DIMS; d++)
            good += shape->size[turns[i][d]] % cube_side (kube, d) == 0;
        if (good == GKE_DIMS)
            return true;
    }
    return false;
}

void kube_slices_check (const struct kube *kube, struct kube_group *group)
{
    const char *text = text_at (group->ask, "shape");
    const char *wiring = text_at (group->ask, "wiring");
    uint64_t cubes;
    tori_shape shape;
    if (!kube->set.slices || group->run.job > 0 || group->size == 0
        || *group->wrong)
        return;
    if (!wiring)
        json_object_set_new (group->ask, "wiring", json_string ("torus"));
    cubes = group->size / cube_nodes (kube);
    if (!text || tori_shape_parse (text, &shape, NULL) < 0
        || shape.ndims != GKE_DIMS || !has_whole_cubes (kube, &shape))
        snprintf (group->wrong, sizeof group->wrong,
                  "tori/shape: a slice of GKE has whole cubes of %ux%ux%u "
                  "nodes", cube_side (kube, 0), cube_side (kube, 1),
                  cube_side (kube, 2));
    else if (wiring && strcmp (wiring, "torus"))
        snprintf (group->wrong, sizeof group->wrong,
                  "tori/wiring: GKE joins cubes to a torus");
    else if (json_object_get (group->ask, "alternatives"))
        snprintf (group->wrong, sizeof group->wrong,
                  "tori/or: a slice of GKE has the shape that is asked for");
    else if (json_object_get (group->ask, "fold"))
        snprintf (group->wrong, sizeof group->wrong,
                  "tori/fold: GKE joins no folded slices");
    else if (cubes * GKE_SIDE * GKE_SIDE * GKE_SIDE > GKE_CHIPS_MOST)
        snprintf (group->wrong, sizeof group->wrong,
                  "tori/shape: slices of GKE have up to %d chips",
                  GKE_CHIPS_MOST);
}

/* ---- the slice of an attempt ---- */

static json_t *make_spec (const struct kube *kube, const tori_placement *place,
                          const tori_shape *across)
{
    char topology[TORI_TEXT_MAX];
    uint32_t nodes = cube_nodes (kube);
    json_t *parts = json_array ();
    gkeslice_topology (across, topology);
    for (size_t i = 0; i < place->nboxes; i++) {
        const tori_box *box
            = tori_placement_box (place, gkeslice_piece (across, i));
        uint32_t id = tori_machine_id (kube->machine, box->origin);
        if (tori_shape_volume (&box->shape) != nodes || !kube->cubes[id / nodes].name) {
            json_decref (parts);
            return NULL;
        }
        json_array_append (parts, kube->cubes[id / nodes].name);
    }
    return json_pack ("{s:s, s:s, s:o}", "type", GKE_TYPE, "topology",
                      topology, "partitionIds", parts);
}

int kube_slice_plan (const struct kube *kube, const json_t *order,
                     struct kube_run *run, bool *ret_there,
                     const char **ret_why)
{
    tori_placement place = {0};
    tori_shape across;
    char name[SLICE_NAME];
    const struct kube_slice *slice;
    if (!kube->set.slices)
        return 0;
    kube_slice_name (kube, run, name);
    slice = find_slice (kube, name);
    *ret_there |= slice && slice->ours && !slice->leaving;
    if (kube_order_place (kube->machine, order, &place) == 0
        && tori_placement_across (&place, kube->machine, &across)
        && across.ndims == GKE_DIMS)
        run->slice.spec = make_spec (kube, &place, &across);
    tori_placement_clear (&place);
    *ret_why = "the partitions of its cubes are not known";
    return run->slice.spec || *ret_there ? 0 : -1;
}

/* ---- requests ---- */

struct slice_act {
    struct kube *kube;
    char name[SLICE_NAME];
};

static int send_act (struct kube *kube, const char *method, const char *path,
                     const char *name, json_t *body, api_done_fn *done)
{
    struct slice_act *act = body ? malloc (sizeof *act) : NULL;
    if (!act) {
        json_decref (body);
        return -1;
    }
    act->kube = kube;
    snprintf (act->name, sizeof act->name, "%.60s", name);
    if (api_send (kube->api, method, path, BODY_JSON, body, done, act) == 0)
        return 0;
    free (act);
    return -1;
}

/* The run may have ended since, and another may be there. */
static struct kube_group *find_group_of (const struct kube *kube,
                                         const char *name)
{
    char its[SLICE_NAME];
    for (size_t i = 0; i < kube->ngroups; i++) {
        if (kube->groups[i]->run.job <= 0)
            continue;
        kube_slice_name (kube, &kube->groups[i]->run, its);
        if (!strcmp (its, name))
            return kube->groups[i];
    }
    return NULL;
}

/* The watch reports the slice that was made. A slice that is there already
 * (409) is one that was asked for before. */
static void on_created (void *arg, const struct api_answer *answer)
{
    struct slice_act *act = arg;
    struct kube_group *group = find_group_of (act->kube, act->name);
    bool good = answer->code == 201 || answer->code == 409;
    char why[300];
    if (group) {
        struct kube_run_slice *slice = &group->run.slice;
        slice->asking = false;
        slice->retry = api_clock () + (good ? LATER : SOON);
        if (answer->code >= 400 && answer->code < 500 && !good
            && answer->code != 401 && answer->code != 429) {
            snprintf (why, sizeof why, "its slice was refused: %.200s",
                      answer->why);
            pause_cubes (act->kube, &group->run);
            kube_take_back (group, why);
        }
        group->dirty = true;
    }
    free (act);
}

static void ask_slice (struct kube *kube, struct kube_group *group,
                       const char *name)
{
    struct kube_run *run = &group->run;
    json_t *notes, *body;
    if (run->slice.asking || run->slice.retry > api_clock ()
        || !run->slice.spec)
        return;
    notes = json_pack ("{s:o, s:s, s:s*}", "tori/attempt",
                       json_sprintf ("%lld.%lld", (long long)run->job,
                                     (long long)run->attempt),
                       "tori/key", group->key, "tori/state", run->state);
    body = json_pack ("{s:s, s:s, s:{s:s, s:{s:s}, s:o}, s:O}", "apiVersion",
                      GKE_VERSION, "kind", "Slice", "metadata", "name", name,
                      "labels", OWNER, kube->set.scheduler, "annotations",
                      notes, "spec", run->slice.spec);
    run->slice.asking
        = send_act (kube, "POST", PATH, name, body, on_created) == 0;
}

static void on_deleted (void *arg, const struct api_answer *answer)
{
    struct slice_act *act = arg;
    struct kube_slice *slice = find_slice (act->kube, act->name);
    bool good = answer->code >= 200 && answer->code < 300;
    if (slice) {
        slice->busy = false;
        slice->retry = api_clock () + (good ? LATER : SOON);
    }
    if (!good && answer->code != 404 && answer->code != 409
        && answer->code != 0)
        kube_complain (act->name, "it cannot be deleted", answer->why);
    free (act);
}

static void delete_slice (struct kube *kube, struct kube_slice *slice)
{
    char *path;
    if (asprintf (&path, PATH "/%s", slice->name) < 0)
        return;
    slice->busy
        = send_act (kube, "DELETE", path, slice->name,
                    json_pack ("{s:s, s:s, s:{s:s}}", "apiVersion", "v1",
                               "kind", "DeleteOptions", "preconditions",
                               "uid", slice->uid),
                    on_deleted)
          == 0;
    free (path);
}

/* Pods of an attempt that is no longer ours may still run. */
static bool has_pods (const struct kube *kube, const struct kube_slice *slice)
{
    for (size_t i = 0; i < kube->npods; i++) {
        const struct kube_pod *pod = kube->pods[i];
        if (pod->node && !kube_pod_is_over (pod)
            && is_attempt (slice, pod->tag.job, pod->tag.attempt,
                           pod->tag.state)
            && pod->tag.key && !strcmp (slice->key, pod->tag.key))
            return true;
    }
    return false;
}

void kube_slices_step (struct kube *kube)
{
    double now = api_clock ();
    for (uint32_t i = 0; i < kube->ncubes; i++)
        if (kube->cubes[i].paused > 0 && kube->cubes[i].paused <= now) {
            kube->cubes[i].paused = 0;
            kube->moved = true;
        }
    if (!kube->listed || now - kube->listed_at < STALE_SECONDS)
        return;
    for (size_t i = 0; i < kube->nslices; i++) {
        struct kube_slice *slice = kube->slices[i];
        if (slice->ours && !slice->leaving && !slice->busy
            && slice->retry <= now && !find_owner (kube, slice)
            && !has_pods (kube, slice))
            delete_slice (kube, slice);
    }
}

/* ---- an attempt ---- */

static void set_wait (struct kube_run *run, const char *name, const char *why)
{
    snprintf (run->slice.wait, sizeof run->slice.wait, "slice %.60s: %.120s",
              name, why);
}

/* A job that runs is stopped by torid, because its cubes are down. One that
 * does not is placed again. */
static void lose_slice (struct kube *kube, struct kube_group *group,
                        const char *name, const char *why)
{
    char text[sizeof group->run.slice.lost];
    snprintf (text, sizeof text, "slice %.60s: %.120s", name, why);
    if (!group->run.begun)
        kube_take_back (group, text);
    else if (strcmp (group->run.slice.lost, text)) {
        memcpy (group->run.slice.lost, text, sizeof text);
        kube->moved = true;
        kube_complain (group->title, text, NULL);
    }
}

/* A kubelet refuses a pod whose node lacks labels that the pod selects. */
static bool has_labels (const struct kube *kube,
                        const struct kube_group *group)
{
    for (size_t i = 0; i < group->size; i++)
        if (group->ranks[i] && kube_pod_waits (group->ranks[i])
            && !kube_place_has (kube, group->run.ids[i],
                                group->ranks[i]->selector))
            return false;
    return true;
}

static bool use_slice (struct kube *kube, struct kube_group *group,
                       const char *name)
{
    struct kube_run *run = &group->run;
    if (!run->slice.formed) {
        run->slice.formed = true;
        run->stalled = api_clock ();
        if (run->bound == 0)
            run->since = (json_int_t)time (NULL);
    }
    run->slice.lost[0] = run->slice.wait[0] = 0;
    if (run->begun || has_labels (kube, group))
        return true;
    set_wait (run, name, "its nodes do not have the labels of the pods' "
                         "nodeSelector");
    if (api_clock () - run->stalled > kube->set.patience)
        lose_slice (kube, group, name, "its nodes do not have the labels of "
                                       "the pods' nodeSelector");
    return false;
}

static void await_slice (struct kube *kube, struct kube_group *group,
                         const char *name, const char *why)
{
    struct kube_run *run = &group->run;
    char text[200];
    if (run->slice.since <= 0)
        run->slice.since = api_clock ();
    set_wait (run, name, why);
    if (api_clock () - run->slice.since < kube->set.slice_time)
        return;
    snprintf (text, sizeof text, "it is not ready in time: %.120s", why);
    pause_cubes (kube, run);
    lose_slice (kube, group, name, text);
}

bool kube_slice_advance (struct kube *kube, struct kube_group *group)
{
    struct kube_run *run = &group->run;
    char name[SLICE_NAME];
    const struct kube_slice *slice;
    if (!kube->set.slices)
        return true;
    kube_slice_name (kube, run, name);
    slice = find_slice (kube, name);
    if (!slice && (run->slice.seen || run->begun || !run->slice.spec))
        lose_slice (kube, group, name, "it was deleted");
    else if (!slice) {
        ask_slice (kube, group, name);
        await_slice (kube, group, name, "it has been asked for");
    } else {
        run->slice.seen = true;
        if (slice->leaving)
            lose_slice (kube, group, name, "it is being deleted");
        else if (!is_attempt (slice, run->job, run->attempt, run->state))
            lose_slice (kube, group, name, "another slice has this name");
        else if (slice->state == SLICE_FAILED
                 || (slice->state == SLICE_GOING
                     && (run->slice.formed || run->begun))) {
            pause_cubes (kube, run);
            lose_slice (kube, group, name, slice->why);
        } else if (slice->state == SLICE_READY)
            return use_slice (kube, group, name);
        else
            await_slice (kube, group, name, slice->why);
    }
    return false;
}

/* ---- all of it ---- */

/* GKE's cubes have 4x4x4 chips, and a node has one or two of them along each
 * dimension. */
static bool is_machine (const tori_machine *machine)
{
    int apart = tori_machine_apart (machine);
    if (apart == 0 || tori_machine_shape_dims (machine) != GKE_DIMS)
        return false;
    for (int d = apart; d < apart + GKE_DIMS; d++)
        if (tori_machine_size (machine, d) != GKE_SIDE
            && tori_machine_size (machine, d) != GKE_SIDE / 2)
            return false;
    return true;
}

int kube_slices_begin (struct kube *kube, tori_error *err)
{
    kube->ncubes = 1;
    if (!kube->set.slices)
        return 0;
    if (!is_machine (kube->machine))
        return tori_error_set (err, TORI_INVALID,
                               "--gke-slices: expected a machine of cubes "
                               "with sides of 2 or 4 nodes, such as "
                               "pod:16/2x2x4");
    for (int d = 0; d < tori_machine_apart (kube->machine); d++)
        kube->ncubes *= tori_machine_size (kube->machine, d);
    kube->cubes = calloc (kube->ncubes, sizeof *kube->cubes);
    if (!kube->cubes)
        return tori_error_nomem (err);
    kube->watch_slices = (struct kube_watch){.path = PATH,
                                             .query = "",
                                             .object = on_slice,
                                             .list = on_slice_list,
                                             .arg = kube};
    kube_watch_begin (&kube->watch_slices, kube->api);
    return 0;
}

void kube_slices_clear (struct kube *kube)
{
    while (kube->nslices > 0)
        remove_slice (kube, 0);
    free (kube->slices);
    for (uint32_t i = 0; kube->cubes && i < kube->ncubes; i++)
        json_decref (kube->cubes[i].name);
    free (kube->cubes);
    kube_watch_clear (&kube->watch_slices);
}
