/* Nodes and links that go down or are drained under a scheduler, and come
 * back. */
#include "desk.h"
#include "support.h"

DESK_TEST (node_down, "mesh:6 easy first-fit",
      "0: A=3m/10 B=2m/20 C=3m/5 > A@0/3 B@3/2 ; C~10@0/3",
      /* A is killed and its other two nodes are free: too few for C, which has to
       * wait for B now. */
      "2: down 1 said A killed ; running 1 free 3 links 1 D=1m/99 > D@0/1 ; C~20@2/3",
      "3: up 1 > ; C~20@1/3",
      "8: -D > C@0/3")

/* Planned starts that need the node are given up, the others stay. */
DESK_TEST (node_down_under_plan, "mesh:4x2 conservative first-fit",
      "0: A=4x2m/10 B=2x2m/5 C=2x2m/5 D=4x2m/5 > A@0,0/4x2 ; B~10@0,0/2x2"
      " C~10@2,0/2x2 D~15@0,0/4x2",
      "1: -A drain 0 > B@1,0/2x2 ; C~6@1,0/2x2 D~",
      "2: undrain 0 > ; C~6@1,0/2x2 D~11@0,0/4x2")

/* B will get three nodes of a box of four, and needs all four to be there. */
DESK_TEST (drain_under_room, "mesh:8 conservative isomorphic",
      "0: A=8/5 B=3/5 > A@0/8 ; B~5@0/3",
      "1: drain 3 > ; B~5@4/3")

DESK_TEST (drain, "mesh:4 easy row-ff",
      "0: A*3/10 B*3/10 > A@0-2 ; B~10",
      /* A goes on, but its node will not come back; nor will node 3. */
      "1: drain 1 drain 3 > ; running 1 B~ aside B/many",
      "5: -A > ; blocked unknown",
      "6: undrain 3 > B@0-3",
      /* Down as well as drained: both have to end. */
      "7: down 1 undrain 1 C*1/1 >",
      "8: up 1 > C@1-1")

DESK_TEST (link_down, "torus:4 easy first-fit",
      "0: A=2t/10 B=1t/10 C=2t/5 > A@0/2 B@2/1 ; C~10@0/2",
      /* The ring of A passes through a link outside its box; B has no link. */
      "1: down 2-3 said A killed ; D=2m/9 E=2m/9 > D@0/2 ; C~",
      "2: -B >",
      "3: up 2-3 > ; C~10@0/2",
      "4: -D > C@0/2")

/* ---- jobs that do not fit beside what is down ---- */

/* C holds easy's reservation instead of B, which keeps its place. */
DESK_TEST (aside_easy, "mesh:6 easy first-fit",
      "0: A=2/10 B=6/10 > A@0/2 ; B~10@0/6",
      "1: down 5 C=5/10 D=1/10 E=1/9 > E@2/1 ; aside B/many C~10@0/5 queue BCD"
      " blocked numerical head B",
      /* Repaired, it is the first again. */
      "2: up 5 > ; aside B/none B~10@0/6 C~ queue BCD")

/* No job overtakes, except jobs that are set aside. In another order it is the
 * same. */
DESK_TEST (aside_fcfs, "mesh:4x4 fcfs first-fit largest",
      "0: drain 5 A=3x3/10 B=2x4/10 C=2x2/10 D=4x4/10 > B@0,2/4x2 C@2,0/2x2 ;"
      " aside A/nodes aside D/many queue DA blocked unknown",
      "1: undrain 5 E=1x1/10 >",
      "2: -B -C > D@0,0/4x4 ; queue AE")

/* The planned starts of other jobs stay, and may become earlier. */
DESK_TEST (aside_conservative, "mesh:4 conservative first-fit",
      "0: A=3/5 B=4/5 C=2/5 > A@0/3 ; B~5@0/4 C~10@0/2",
      "1: down 3 > ; aside B/many C~5@0/2",
      "2: up 3 > ; C~5@0/2 B~10@0/4")

/* The reason may change while a job is set aside. */
DESK_TEST (aside_for_links, "torus:4 easy first-fit",
      "0: down 2-3 A=3t/10 B=2m/10 > B@0/2 ; aside A/links",
      "1: down 2 down 3 > ; aside A/many",
      "2: up 2-3 up 2 > ; aside A/none",
      "3: -B > A@0/3")

/* It can be cancelled, and holds no reservation, nor does it take one over. */
DESK_TEST (aside_and_others, "mesh:4 easy row-ff",
      "0: A*4/10 B*3/10 C*4/10 > A@0-3",
      /* They were not looked at yet: B is still the first. */
      "1: down 3 said A killed ; reserve B/5 D*4/10 E*2/10 reserve D/no",
      "> B@0-2 ; E~11 queue CDE",
      "2: !C > ; queue DE",
      "3: -B > E@0-1",
      "4: !D queued 0")

/* The first is given a reservation after it lost its place: the next has to
 * get one of its own. */
DESK_TEST (aside_after_reserve, "mesh:4 easy row-ff",
      "0: A*2/10 B*4/10 C*3/10 > A@0-1",
      "1: drain 3 reserve B/10 D*1/20 > ; aside B/many C~10")

/* ---- several nodes at once ---- */

static void set_all (struct desk *desk, tori_time now, bool drained)
{
    const uint32_t nodes[] = {0, 1, 2, 3};
    assert_int_equal (tori_sched_set_all_drained (desk->sched, now, nodes, 4,
                                                  drained, NULL),
                      0);
}

/* Many planned starts are void at once, and others follow. */
TEST (drain_several)
{
    const uint32_t wrong[] = {0, 8};
    struct desk desk;
    open_desk (&desk, "mesh:8", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    on_desk (&desk, "0: A=8/10 > A@0/8; B=4/10 C=4/10 D=4/10 E=4/10 F=4/10"
                    " G=4/10 H=4/10 I=4/10 J=4/10 K=4/10 L=4/10 M=4/10"
                    " N=4/10 O=4/10 P=4/10 Q=4/10 R=4/10 S=4/10 T=2/30 > ;"
                    " B~10@0/4 C~10@4/4 R~90@0/4 S~90@4/4 T~100@0/2");
    assert_int_equal (
        tori_sched_set_all_drained (desk.sched, 1, wrong, 2, true, NULL), -1);
    on_desk (&desk, "1: B~10@0/4");
    set_all (&desk, 1, true);
    on_desk (&desk, "1: B~ C~10@4/4 R~ S~90@4/4 T~ > ;"
                    " B~100@4/4 C~10@4/4 R~180@4/4 S~90@4/4 T~190@4/2");
    set_all (&desk, 1, false);
    on_desk (&desk, "1: > ; B~10@0/4 C~10@4/4 R~90@0/4 S~90@4/4 T~100@0/2");
    close_desk (&desk);
}

TEST (several_up)
{
    const uint32_t nodes[] = {0, 1}, wrong[] = {0, 4};
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    on_desk (&desk, "0: down 0 down 1 A=4/10 > ;");
    assert_int_equal (tori_sched_set_all_up (desk.sched, 1, wrong, 2, NULL),
                      -1);
    on_desk (&desk, "1: > ;");
    assert_int_equal (tori_sched_set_all_up (desk.sched, 1, nodes, 2, NULL),
                      0);
    on_desk (&desk, "1: > A@0/4");
    close_desk (&desk);
}

enum { SIDE = 5, NODES = SIDE * SIDE, SEVERAL = 8 };

/* The same jobs, and nodes that change one by one, or all in one call. */
struct twins {
    tori_machine *machine;
    tori_sched *one, *all;
};

static uint64_t nodes_of (const struct twins *twins,
                          const tori_placement *place)
{
    uint32_t nodes[NODES];
    uint64_t set = 0;
    if (!place)
        return 0;
    tori_placement_nodes (place, twins->machine, nodes);
    for (uint32_t i = 0; i < place->count; i++)
        set |= UINT64_C (1) << nodes[i];
    return set;
}

static void expect_same_plans (const struct twins *twins)
{
    const tori_placement *place[2] = {NULL, NULL};
    tori_time start[2];
    tori_job job[2];
    bool more;
    size_t i = 0;
    do {
        more = tori_sched_promised (twins->one, i, &job[0], &start[0],
                                    &place[0]);
        assert_int_equal (tori_sched_promised (twins->all, i, &job[1],
                                               &start[1], &place[1]),
                          more);
        i++;
        if (!more)
            continue;
        assert_int_equal (job[0], job[1]);
        assert_int_equal (start[0], start[1]);
        assert_true (nodes_of (twins, place[0]) == nodes_of (twins, place[1]));
    } while (more);
}

/* Run both, and return how many planned starts there are. */
static size_t expect_same_run (const struct twins *twins, tori_time now)
{
    tori_decision one = {.size = sizeof one}, all = {.size = sizeof all};
    size_t n = 0;
    assert_int_equal (tori_sched_run (twins->one, now, NULL), 0);
    assert_int_equal (tori_sched_run (twins->all, now, NULL), 0);
    while (tori_sched_next (twins->one, &one)) {
        assert_true (tori_sched_next (twins->all, &all));
        assert_int_equal (one.kind, all.kind);
        assert_int_equal (one.job, all.job);
        if (one.kind == TORI_START)
            assert_true (nodes_of (twins, one.place)
                         == nodes_of (twins, all.place));
    }
    assert_false (tori_sched_next (twins->all, &all));
    expect_same_plans (twins);
    while (tori_sched_promised (twins->one, n, &one.job, &now, &one.place))
        n++;
    return n;
}

static void change_several (const struct twins *twins, tori_time now,
                            struct rng *rng)
{
    uint32_t nodes[SEVERAL], n = between (rng, 1, SEVERAL);
    bool drain = chance (rng, 70), value = chance (rng, 60);
    for (uint32_t i = 0; i < n; i++)
        nodes[i] = between (rng, 0, NODES - 1);
    if (!drain && value) {
        tori_sched_fail (twins->one, now, nodes, n, NULL, 0, NULL);
        tori_sched_fail (twins->all, now, nodes, n, NULL, 0, NULL);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal (
            drain ? tori_sched_set_drained (twins->one, now, nodes[i], value,
                                            NULL)
                  : tori_sched_set_down (twins->one, now, nodes[i], false,
                                         NULL),
            0);
    assert_int_equal (
        drain ? tori_sched_set_all_drained (twins->all, now, nodes, n, value,
                                            NULL)
              : tori_sched_set_all_up (twins->all, now, nodes, n, NULL),
        0);
}

static void submit_both (const struct twins *twins, tori_time now,
                         struct rng *rng)
{
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = between (rng, 1, 30),
                          .flags = TORI_JOB_REQUEUE};
    tori_job job;
    if (chance (rng, 50)) {
        spec.request.count = between (rng, 1, NODES / 2);
    } else {
        spec.request.shape.ndims = 2;
        for (int d = 0; d < 2; d++)
            spec.request.shape.size[d] = between (rng, 1, SIDE - 1);
    }
    assert_int_equal (tori_sched_submit (twins->one, now, &spec, &job, NULL),
                      0);
    assert_int_equal (tori_sched_submit (twins->all, now, &spec, &job, NULL),
                      0);
}

static void finish_both (const struct twins *twins, tori_time now,
                         struct rng *rng)
{
    tori_job jobs[NODES];
    size_t n = tori_sched_running_jobs (twins->one, jobs);
    tori_job job = n > 0 ? jobs[rng_below (rng, n)] : TORI_NO_JOB;
    if (n == 0)
        return;
    assert_int_equal (tori_sched_finish (twins->one, now, job, NULL), 0);
    assert_int_equal (tori_sched_finish (twins->all, now, job, NULL), 0);
}

/* Nodes that change in one call leave the same jobs and plans as those that
 * change one by one. */
TEST (several)
{
    static const char *const kinds[] = {"mesh:5x5", "torus:5x5"};
    static const char *const policies[] = {"conservative", "easy", "backfill",
                                           "conservative"};
    size_t planned = 0;
    for (size_t k = 0; k < random_cases (160); k++) {
        static const tori_alloc_config counts
            = {.size = sizeof counts, .name = "mc1x1"};
        tori_sched_config config = {.size = sizeof config,
                                    .policy = policies[k / 2 % 4],
                                    .counts = k / 8 % 2 ? &counts : NULL};
        struct rng rng = seeded (497000 + k);
        struct twins twins;
        tori_time now = 0;
        twins.machine = make_machine (kinds[k % 2]);
        assert_int_equal (tori_sched_create (twins.machine, &config,
                                             &twins.one, NULL), 0);
        assert_int_equal (tori_sched_create (twins.machine, &config,
                                             &twins.all, NULL), 0);
        for (int step = 0; step < 120; step++) {
            now += between (&rng, 0, 3);
            if (chance (&rng, 50))
                submit_both (&twins, now, &rng);
            else if (chance (&rng, 60))
                finish_both (&twins, now, &rng);
            else
                change_several (&twins, now, &rng);
            expect_same_plans (&twins);
            if (chance (&rng, 80))
                planned += expect_same_run (&twins, now);
        }
        tori_sched_destroy (twins.one);
        tori_sched_destroy (twins.all);
        tori_machine_destroy (twins.machine);
    }
    assert_true (planned > random_cases (160) * 100);
}
