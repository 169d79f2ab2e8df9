#include "chaos_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char scenario_nothing;

/* ---- the driver ---- */

enum { TOO_MANY = 100000 };

void assert_nomem (const tori_error *err)
{
    assert_int_equal (err->status, TORI_FAILED);
    assert_true (strstr (err->text, "out of memory")
                 || strstr (err->text, "Cannot allocate memory"));
}

static bool survive_one (const struct scenario *scenario, unsigned long n,
                         bool onwards)
{
    tori_error err = {0};
    size_t live = chaos_live ();
    int status;
    chaos_arm (n, onwards);
    status = scenario->run (scenario, &err);
    if (status < 0) {
        assert_true (chaos_fired ());
        assert_nomem (&err);
    }
    assert_int_equal (chaos_live (), live);
    return chaos_disarm ();
}

/* Which one fails next. Under the sanitizers fewer and fewer of them do in long
 * scenarios, which come to the same places again and again; in the plain build,
 * each does. */
static unsigned long after (unsigned long n)
{
#ifdef __SANITIZE_ADDRESS__
    return n + 1 + n / 32;
#else
    return n + 1;
#endif
}

static void survive (void **state)
{
    for (int onwards = 0; onwards < 2; onwards++) {
        unsigned long n = 1;
        while (survive_one (*state, n, onwards)) {
            assert_true (n < TOO_MANY);
            n = after (n);
        }
        assert_true (n > 1); /* otherwise nothing was tested */
    }
}

/* ---- what scenarios share ---- */

uint32_t random_below (struct rng *rng, uint32_t n)
{
    return (uint32_t)rng_below (rng, n);
}

/* This memory is the test's own, so it cannot fail. */
tori_machine *own_machine (const char *text)
{
    tori_machine *machine = NULL;
    chaos_pause ();
    assert_int_equal (tori_machine_parse (text, &machine, NULL), 0);
    chaos_resume ();
    return machine;
}

tori_state *own_state (const tori_machine *machine)
{
    tori_state *state = NULL;
    chaos_pause ();
    assert_int_equal (tori_state_create (machine, &state, NULL), 0);
    chaos_resume ();
    return state;
}

void own_copy (tori_state *to, const tori_state *from)
{
    chaos_pause ();
    assert_int_equal (tori_state_copy (to, from, NULL), 0);
    chaos_resume ();
}

tori_box box_of (const tori_machine *machine, const char *text)
{
    tori_box box;
    assert_int_equal (tori_box_parse (machine, text, &box, NULL), 0);
    return box;
}

/* ---- what a program runs ---- */

enum { MAX_SCENARIOS = 200 };

static struct scenario scenarios[MAX_SCENARIOS];
static struct CMUnitTest tests[MAX_SCENARIOS];
static size_t n;

void scenario_add (const struct scenario *scenario)
{
    if (n == MAX_SCENARIOS)
        abort ();
    scenarios[n] = *scenario;
    tests[n] = (struct CMUnitTest){.name = scenarios[n].name,
                                   .test_func = survive,
                                   .initial_state = &scenarios[n]};
    n++;
}

void scenario_add_all (const struct scenario list[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        scenario_add (&list[i]);
}

static const char *first_alloc (unsigned takes)
{
    size_t i = 0;
    while (!(tori_alloc_list (i)->takes & takes))
        i++;
    return tori_alloc_list (i)->name;
}

/* A shape wants links, which are of another kind on a multi-torus. */
void scenario_add_policies (int (*run) (const struct scenario *self,
                                        tori_error *err),
                            const char *verb, unsigned takes)
{
    static const char *const machines[] = {"torus:4x4x4", "multitorus:4x4x4"};
    const tori_sched_info *info;
    for (int m = 0; m < (takes & TORI_BY_SHAPE ? 2 : 1); m++)
        for (size_t i = 0; (info = tori_sched_list (i)); i++) {
            struct scenario s = {.run = run,
                                 .machine = machines[m],
                                 .policy = info->name,
                                 .alloc = first_alloc (takes)};
            snprintf (s.name, sizeof s.name, "%s %s with %s on %s", verb,
                      s.policy, s.alloc, s.machine);
            scenario_add (&s);
        }
}

int scenario_run_all (const char *group)
{
    return _cmocka_run_group_tests (group, tests, n, NULL, NULL);
}
