/* Allocators that a program brings along: what they are asked and how often,
 * and what comes of wrong answers. The property tests (test_alloc.c,
 * test_sched.c) have one that answers rightly. */
#include "desk.h"

#include <stdlib.h>
#include <string.h>

#include <tori/points.h>
#include <tori/sim.h>
#include <tori/snapshot.h>

/* An allocator that answers what it is told to, and counts. */
struct puppet {
    int found;
    tori_placement place;
    const char *never;
    const char *text; /* of the error, if any */
    int created, destroyed, asked_never, asked_place;
};

static int create (const tori_machine *machine,
                   const tori_alloc_config *config, void **ret_data,
                   tori_error *err)
{
    struct puppet *puppet = config->arg;
    puppet->created++;
    *ret_data = puppet;
    return puppet->text
               ? tori_error_set (err, TORI_FAILED, "%s", puppet->text)
               : 0;
}

static void destroy (void *data)
{
    ((struct puppet *)data)->destroyed++;
}

static const char *never (void *data, const tori_request *request)
{
    struct puppet *puppet = data;
    puppet->asked_never++;
    return puppet->never;
}

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    struct puppet *puppet = data;
    puppet->asked_place++;
    assert_int_equal (ret_place->count, 0);
    if (puppet->found > 0)
        assert_int_equal (tori_placement_copy (ret_place, &puppet->place, err),
                          0);
    return puppet->text ? tori_error_set (err, TORI_GAVE_UP, "%s",
                                          puppet->text)
                        : puppet->found;
}

static const tori_alloc_ops puppet_ops = {
    .size = sizeof puppet_ops,
    .info = {"puppet", "what it is told", TORI_BY_SHAPE | TORI_BY_COUNT,
             TORI_ALLOC_SEARCHES},
    .create = create,
    .destroy = destroy,
    .never = never,
    .place = place,
};

#define PUPPET(puppet) TORI_ALLOC (NULL, .arg = (puppet), .ops = &puppet_ops)

/* ---- what is asked ---- */

/* A request is looked at once on its way. */
TEST (asked_once)
{
    struct puppet puppet = {0};
    struct desk desk;
    open_desk_with (&desk, "mesh:4x4", "easy", TORI_ORDER_SUBMIT,
                    PUPPET (&puppet));
    submit (&desk, 0, 'A', 3, 1);
    assert_int_equal (puppet.asked_never, 1);
    submit (&desk, 0, 'B', 3, 1);
    assert_int_equal (puppet.asked_never, 2);
    submit (&desk, 0, 'C', 17, 1);
    assert_int_equal (puppet.asked_never, 2);
    expect_run (&desk, 0, "C rejected: larger than the machine");
    assert_int_equal (puppet.asked_never, 2);
    assert_int_equal (puppet.asked_place, 1);
    puppet.never = "not on a Monday";
    on_desk (&desk, "0: D*4/1 > D rejected: not on a Monday");
    close_desk (&desk);
    assert_int_equal (puppet.created, 1);
    assert_int_equal (puppet.destroyed, 1);
}

TEST (place_asks_once)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    AUTO_STATE *s = make_state (machine);
    struct puppet puppet = {.found = 1};
    tori_request request = {.shape = make_shape ("2x2")};
    tori_placement got = {0};
    tori_box box = make_box (machine, "1,1/2x2");
    tori_alloc *alloc;
    assert_int_equal (
        tori_placement_of_boxes (&box, 1, TORI_WIRE_NONE, &puppet.place, NULL),
        0);
    assert_int_equal (tori_alloc_create (machine, PUPPET (&puppet), &alloc,
                                         NULL),
                      0);
    assert_string_equal (tori_alloc_get_info (alloc)->name, "puppet");
    assert_int_equal (tori_alloc_place (alloc, s, &request, &got, NULL),
                      TORI_PLACED);
    assert_int_equal (got.count, 4);
    assert_int_equal (puppet.asked_never, 1);
    assert_int_equal (puppet.asked_place, 1);
    tori_placement_clear (&got);
    tori_alloc_destroy (alloc);
}

/* ---- wrong answers ---- */

/* A wrong answer to a request for 2x2, wired as a mesh, or for three nodes;
 * node 0 is busy. */
static const struct wrong {
    uint32_t count; /* of a list */
    uint32_t nodes[4];
    const char *boxes[2];
    bool other_wiring;
    uint32_t miscounted;
    const char *why;
} wrongs[] = {
    {.count = 3, .nodes = {0, 1, 2}, .why = "nodes or links that are not fr"},
    {.count = 3, .nodes = {1, 2, 16}, .why = "16"},
    {.count = 3, .nodes = {2, 1, 3}, .why = "ascending"},
    {.count = 3, .nodes = {1, 1, 3}, .why = "ascending"},
    {.count = 2, .nodes = {1, 2}, .why = "2 nodes for a job that takes 3"},
    {.count = 4, .nodes = {1, 2, 3, 4}, .why = "4 nodes for a job that takes"},
    {.count = 0, .why = "0 nodes for a job that takes 3"},
    {.boxes = {"0,0/2x2"}, .why = "nodes or links that are not free"},
    {.boxes = {"0,1/1x4"}, .why = "another shape"},
    {.boxes = {"0,1/1x5"}, .why = "leaves the machine"},
    {.boxes = {"2,3/2x2"}, .why = "another shape"},
    {.boxes = {"1,0/1x4"}, .why = "another shape"},
    {.boxes = {"1,0/2x3"}, .why = "6 nodes for a job that takes 4"},
    {.boxes = {"1,0/1x2", "2,0/1x2"}, .why = "another shape"},
    {.boxes = {"1,0/2x2"}, .other_wiring = true, .why = "another wiring"},
    {.boxes = {"1,0/2x2"}, .miscounted = 1, .why = "of another number"},
};

/* A box outside of the machine cannot be parsed: it is moved there. */
static tori_box box_of (const tori_machine *machine, const char *text)
{
    tori_box box = make_box (machine, "0,0");
    if (tori_box_parse (machine, text, &box, NULL) < 0) {
        box.shape = make_shape (strchr (text, '/') + 1);
        box.origin[0] = (uint32_t)(text[0] - '0');
        box.origin[1] = (uint32_t)(text[2] - '0');
    }
    return box;
}

static tori_request tell (struct puppet *puppet, const tori_machine *machine,
                          const struct wrong *wrong)
{
    tori_request request = {.count = 3};
    tori_box boxes[2];
    size_t n = 0;
    while (n < 2 && wrong->boxes[n]) {
        boxes[n] = box_of (machine, wrong->boxes[n]);
        n++;
    }
    puppet->found = 1;
    if (n == 0) {
        puppet->place = (tori_placement){.count = wrong->count};
        puppet->place.nodes = make_array (4, sizeof (uint32_t));
        memcpy (puppet->place.nodes, wrong->nodes, sizeof wrong->nodes);
        return request;
    }
    request = (tori_request){.shape = make_shape ("2x2"),
                             .wiring = TORI_WIRE_MESH};
    assert_int_equal (
        tori_placement_of_boxes (boxes, n,
                                 wrong->other_wiring ? TORI_WIRE_NONE
                                                     : TORI_WIRE_MESH,
                                 &puppet->place, NULL),
        0);
    puppet->place.count += wrong->miscounted;
    return request;
}

/* An error, and nothing else. */
TEST (wrong)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    AUTO_STATE *s = make_state (machine), *before = make_state (machine);
    uint32_t busy = 0;
    const tori_placement other = {.count = 1, .nodes = &busy};
    assert_int_equal (tori_placement_hold (&other, s, NULL), 0);
    tori_state_copy (before, s, NULL);
    for (size_t i = 0; i < LENGTH (wrongs); i++) {
        struct puppet puppet = {0};
        tori_placement got = {.count = 12345};
        tori_error err;
        tori_alloc *alloc;
        tori_request request = tell (&puppet, machine, &wrongs[i]);
        assert_int_equal (
            tori_alloc_create (machine, PUPPET (&puppet), &alloc, NULL), 0);
        assert_int_equal (tori_alloc_place (alloc, s, &request, &got, &err),
                          TORI_ERROR);
        assert_int_equal (err.status, TORI_INVALID);
        assert_non_null (strstr (err.text, "puppet gave a wrong answer: "));
        if (!strstr (err.text, wrongs[i].why))
            fail_msg ("%zu: %s", i, err.text);
        assert_int_equal (got.count, 12345);
        assert_true (tori_state_equal (s, before));
        tori_alloc_destroy (alloc);
        tori_placement_clear (&puppet.place);
    }
}

/* Nodes that it does not name. */
TEST (no_nodes)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    AUTO_STATE *s = make_state (machine);
    tori_placement place = {.count = 2};
    tori_error err;
    expect_refused (tori_placement_hold (&place, s, &err), &err,
                    "a placement of 2 nodes has none");
}

/* A scheduler says so, starts nobody, and goes on when the answers are right
 * again. So does a simulation, but for going on. */
TEST (wrong_in_sched)
{
    static const struct wrong right = {.count = 3, .nodes = {1, 2, 3}};
    struct puppet puppet = {0};
    struct desk desk;
    tori_error err;
    open_desk_with (&desk, "mesh:4x4", "easy", TORI_ORDER_SUBMIT,
                    PUPPET (&puppet));
    on_desk (&desk, "0: down 0 A*3/1");
    tell (&puppet, desk.machine, &wrongs[0]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal (tori_sched_run (desk.sched, 0, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        on_desk (&desk, "said  ; free 15");
    }
    tori_placement_clear (&puppet.place);
    tell (&puppet, desk.machine, &right);
    expect_run (&desk, 0, "A@1-3");
    tori_placement_clear (&puppet.place);
    close_desk (&desk);
}

TEST (wrong_in_sim)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    struct puppet puppet = {0};
    tori_work job = {.id = 1, .runtime = 1, .estimate = 1, .asked = 3};
    tori_workload workload = {.jobs = &job, .n = 1};
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED ("easy", PUPPET (&puppet))};
    tori_sim_result result;
    tori_error err;
    job.request = tell (&puppet, machine, &wrongs[2]);
    assert_int_equal (tori_sim_run (&config, &workload, &result, &err), -1);
    assert_non_null (strstr (err.text, "puppet gave a wrong answer"));
    puppet.place.nodes[0] = 0;
    assert_int_equal (tori_sim_run (&config, &workload, &result, &err), 0);
    assert_int_equal (result.jobs, 1);
    tori_placement_clear (&puppet.place);
}

/* ---- what fails ---- */

TEST (fails)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    AUTO_STATE *s = make_state (machine);
    struct puppet puppet = {.text = "nothing left"};
    tori_request request = {.count = 3};
    tori_placement got = {0};
    tori_alloc *alloc = NULL;
    tori_error err;
    assert_int_equal (
        tori_alloc_create (machine, PUPPET (&puppet), &alloc, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (err.text, "nothing left");
    assert_null (alloc);
    assert_int_equal (puppet.destroyed, 0);
    puppet.text = NULL;
    assert_int_equal (
        tori_alloc_create (machine, PUPPET (&puppet), &alloc, &err), 0);
    puppet.text = "too hard";
    assert_int_equal (tori_alloc_place (alloc, s, &request, &got, &err),
                      TORI_ERROR);
    assert_int_equal (err.status, TORI_GAVE_UP);
    assert_string_equal (err.text, "too hard");
    puppet.text = NULL;
    puppet.found = -1;
    assert_int_equal (tori_alloc_place (alloc, s, &request, &got, &err),
                      TORI_ERROR);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, "puppet failed"));
    tori_alloc_destroy (alloc);
}

TEST (bad_ops)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    for (int i = 0; i < 7; i++) {
        tori_alloc_ops ops = puppet_ops;
        tori_alloc *alloc = NULL;
        tori_error err;
        ops.size = i == 0 ? 0 : sizeof ops;
        ops.info.name = i == 1 ? NULL : "name";
        ops.info.summary = i == 2 ? NULL : "summary";
        ops.place = i == 3 ? NULL : place;
        ops.info.takes = i == 4 ? 0 : i == 5 ? 4 : TORI_BY_COUNT;
        ops.info.flags = i == 6 ? TORI_ALLOC_FOLDS : 0;
        assert_int_equal (tori_alloc_create (machine,
                                             TORI_ALLOC (NULL, .ops = &ops),
                                             &alloc, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_null (alloc);
    }
}

/* A scheduler from this snapshot has the allocator. */
static void expect_own (const tori_snapshot *snapshot,
                        const struct puppet *puppet)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched *sched;
    assert_int_equal (tori_snapshot_sched (snapshot, NULL, &sched, NULL), 0);
    tori_sched_get_config (sched, &config);
    assert_ptr_equal (config.alloc->arg, puppet);
    assert_string_equal (config.alloc->ops->info.name, "puppet");
    tori_sched_destroy (sched);
}

/* A snapshot has it, and a file has its name: the file is refused by a program
 * that does not say which allocator it means. */
TEST (snapshot)
{
    struct puppet puppet = {0};
    struct desk desk;
    const tori_alloc_config *allocs[] = {PUPPET (&puppet)};
    const tori_snapshot_own own
        = {.size = sizeof own, .allocs = allocs, .nallocs = 1};
    tori_snapshot *snapshot, *again;
    char *text = NULL;
    size_t size;
    tori_error err;
    FILE *to = open_memstream (&text, &size);
    open_desk_with (&desk, "mesh:4x4", "easy", TORI_ORDER_SUBMIT,
                    PUPPET (&puppet));
    assert_int_equal (tori_snapshot_take (desk.sched, &snapshot, &err), 0);
    assert_string_equal (snapshot->alloc_shape, "puppet");
    assert_null (snapshot->alloc_count);
    expect_own (snapshot, &puppet);
    assert_int_equal (tori_snapshot_write (snapshot, to, &err), 0);
    fclose (to);
    expect_refused (tori_snapshot_parse (text, size, "file", &again, &err),
                    &err, "file: alloc.shape: unknown allocator 'puppet'");
    expect_refused (tori_snapshot_parse_own (text, size, "file",
                                             &(tori_snapshot_own){0}, &again,
                                             &err),
                    &err, "the size of a tori_snapshot_own is not set");
    assert_int_equal (
        tori_snapshot_parse_own (text, size, "file", &own, &again, &err), 0);
    expect_own (again, &puppet);
    tori_snapshot_destroy (again);
    free (text);
    tori_snapshot_destroy (snapshot);
    close_desk (&desk);
}

TEST (no_points)
{
    static const int64_t coords[] = {5};
    tori_points points = {.ndims = 1, .n = 1, .coords = coords};
    struct puppet puppet = {0};
    size_t chosen;
    tori_error err;
    expect_refused (tori_points_choose (PUPPET (&puppet), &points, 1, &chosen,
                                        NULL, &err),
                    &err, "the allocator puppet does not take points");
}
