/* contention.c - plans with contention: the problem, its order, enough words
 * to be sure, and the results. The plan itself is made in greedy.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "event_search.h"
#include "greedy.h"

enum { DIGITS = 18 }; /* of the makespan, that are shown */

struct tori_contention {
    size_t n;
    tori_contention_job *job; /* those that take time first */
    size_t *index;            /* of a job, among these */
    size_t *rank;             /* of a job, in the order */
    tori_shape machine;
    struct problem problem; /* jobs that take time */
    struct greedy *greedy;
    int places;   /* after the decimal point */
    double first; /* makespan before the search */
    bool least;   /* of all plans that start jobs at events */
    double events; /* a lower bound for these; 0 if none was found */

    /* Lower bounds, as values, and 0. */
    uint64_t *longest, *area, *free, *zero;
};

/* ---- the problem ---- */

static bool power_of_two (uint32_t n)
{
    return n && !(n & (n - 1));
}

static int log2_of (uint32_t n)
{
    return 31 - __builtin_clz (n);
}

/* The sides that a job can have: "12, 6 or 3" of 12. */
static void list_sides (uint32_t nodes, char *text, size_t size)
{
    size_t used = (size_t)snprintf (text, size, "%" PRIu32, nodes);
    for (uint32_t side = nodes; side % 2 == 0 && used < size; side /= 2)
        used += (size_t)snprintf (text + used, size - used, "%s%" PRIu32,
                                  side % 4 == 2 ? " or " : ", ", side / 2);
}

/* A side that is too long is reported first. Strides are powers of two, so that
 * delays are halves of overlaps, halves of these, and so on. Such numbers end
 * in binary, and sums of them compare exactly (value.h); thirds do not. */
static int check_sides (const tori_machine *machine, const tori_shape *shape,
                        tori_error *err)
{
    if (shape->ndims != tori_machine_ndims (machine)
        || !tori_shape_fits (shape, machine))
        return tori_subtorus_check (machine, shape, err);
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t nodes = tori_machine_size (machine, d);
        char sides[256];
        if (shape->size[d] && nodes % shape->size[d] == 0
            && power_of_two (nodes / shape->size[d]))
            continue;
        list_sides (nodes, sides, sizeof sides);
        return tori_error_set (err, TORI_INVALID,
                               "%" PRIu32 " nodes in dimension %d: jobs "
                               "take %s there, so that delays end in binary "
                               "and are exact",
                               shape->size[d], d, sides);
    }
    return 0;
}

static struct form form_of_shape (const tori_machine *machine,
                                  const tori_shape *shape)
{
    struct form form = {.ndims = shape->ndims};
    for (int d = 0; d < shape->ndims; d++) {
        int bits = log2_of (tori_subtorus_stride (machine, shape, d));
        form.bits[d] = (uint8_t)bits;
        form.all += bits;
    }
    return form;
}

/* A plan keeps a number for every line of places, a dimension and the offsets
 * in the others. On machines of few long dimensions there are few; a cube of
 * 24 dimensions of 2 has 200 million, and would take gigabytes for one job. */
enum { MOST_LINES = 1 << 24 };

static int check_lines (const tori_machine *machine, const tori_shape *shape,
                        tori_error *err)
{
    struct form form = form_of_shape (machine, shape);
    uint32_t lines = form_lines_before (&form, form.ndims);
    if (lines > MOST_LINES)
        return tori_error_set (err, TORI_NEVER,
                               "a job this small has %u lines of places on "
                               "this machine, and a plan keeps at most %d",
                               lines, MOST_LINES);
    return 0;
}

int tori_contention_check (const tori_machine *machine,
                           const tori_contention_job *job, tori_error *err)
{
    if (tori_subtorus_check (machine, tori_machine_shape (machine), err) < 0)
        return -1;
    if (job && check_sides (machine, &job->shape, err) < 0)
        return -1;
    if (job && time_check (job->time, err) < 0)
        return -1;
    if (job && job->time.den % VALUE_PRIME == 0)
        return tori_error_set (err, TORI_INVALID,
                               "a denominator that is a multiple of 2^61 - 1 "
                               "is beyond this arithmetic");
    return job ? check_lines (machine, &job->shape, err) : 0;
}

/* The number of a form among those known, which it joins. */
static uint32_t find_form (struct problem *problem, const struct form *form)
{
    size_t bytes = (size_t)problem->ndims;
    for (size_t f = 0; f < problem->forms; f++)
        if (memcmp (problem->form[f].bits, form->bits, bytes) == 0)
            return (uint32_t)f;
    problem->form[problem->forms] = *form;
    return (uint32_t)problem->forms++;
}

/* How many forms a machine has, or jobs if there are fewer. */
static size_t most_forms (const tori_machine *machine, size_t n)
{
    size_t forms = 1;
    for (int d = 0; d < tori_machine_ndims (machine) && forms < n; d++)
        forms *= (size_t)log2_of (tori_machine_size (machine, d)) + 1;
    return forms < n ? forms : n;
}

int problem_init (struct problem *problem, const tori_machine *machine,
                  const tori_contention_job job[], size_t n, tori_error *err)
{
    *problem = (struct problem){
        .ndims = tori_machine_ndims (machine), .n = n, .job = job};
    problem->form_of = calloc (n, sizeof *problem->form_of);
    problem->form =
        calloc (most_forms (machine, n), sizeof *problem->form);
    if (!problem->form_of || !problem->form) {
        problem_clear (problem);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < n; i++) {
        struct form form = form_of_shape (machine, &job[i].shape);
        problem->form_of[i] = find_form (problem, &form);
    }
    return 0;
}

void problem_clear (struct problem *problem)
{
    free (problem->form_of);
    free (problem->form);
    *problem = (struct problem){0};
}

/* ---- orders ---- */

struct sized {
    int all; /* of its form: the larger the job, the fewer places */
    uint32_t job;
};

static int by_size (const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->all != y->all)
        return x->all < y->all ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* The largest first, then as they came. */
static int first_order (const struct problem *problem, uint32_t **ret_order,
                        tori_error *err)
{
    struct sized *sized = calloc (problem->n, sizeof *sized);
    uint32_t *order = calloc (problem->n, sizeof *order);
    if (!sized || !order) {
        free (sized);
        free (order);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < problem->n; i++)
        sized[i] = (struct sized){
            problem->form[problem->form_of[i]].all, (uint32_t)i};
    qsort (sized, problem->n, sizeof *sized, by_size);
    for (size_t i = 0; i < problem->n; i++)
        order[i] = sized[i].job;
    free (sized);
    *ret_order = order;
    return 0;
}

/* ---- enough words ---- */

/* Whether every comparison was clear and the results are right to a hundredth
 * of the last digit. */
static bool is_sure (const struct greedy *greedy)
{
    const struct scale *scale = greedy_scale (greedy);
    double makespan = value_approximate (scale, greedy_makespan (greedy));
    return !scale->unclear && !greedy_overflows (greedy)
           && greedy_bound (greedy)
                  <= ldexp (makespan * 1e-21, scale->point - scale->unit);
}

/* A plan, and the turns that it follows. */
struct plan_draft {
    struct turns turns;
    struct greedy *greedy;
};

static void draft_clear (struct plan_draft *draft)
{
    greedy_destroy (draft->greedy);
    free (draft->turns.job);
    free (draft->turns.place);
    free (draft->turns.after);
}

/* Make the plan with `words` or more, as many as it takes. Bounds are for the
 * worst case: they grow with every job that depends on others, as if all
 * errors had one sign, while errors cancel out. In the end, values that are
 * closer than their bounds and not equal are compared as they look. */
static int solve_draft (const struct problem *problem, struct plan_draft *draft,
                        int words, tori_error *err)
{
    for (;;) {
        bool last;
        greedy_destroy (draft->greedy);
        draft->greedy = NULL;
        if (greedy_create (problem, words, &draft->greedy, err) < 0)
            return -1;
        words = 2 * greedy_scale (draft->greedy)->words;
        last = words > VALUE_MOST_WORDS;
        if (greedy_run (draft->greedy, &draft->turns, !last, err) < 0)
            return -1;
        if (last && greedy_overflows (draft->greedy))
            return tori_error_set (err, TORI_INVALID,
                                   "the jobs delay each other for times of "
                                   "more than %d bits",
                                   32 * VALUE_MOST_WORDS);
        if (last || is_sure (draft->greedy))
            return 0;
    }
}

/* Make both plans with as many words as the one that needs more. */
static int equal_words (const struct problem *problem,
                        struct plan_draft draft[2], tori_error *err)
{
    for (;;) {
        int words = greedy_scale (draft[0].greedy)->words;
        int other = greedy_scale (draft[1].greedy)->words;
        if (words == other)
            return 0;
        if (solve_draft (problem, &draft[words > other],
                         words > other ? words : other, err)
            < 0)
            return -1;
    }
}

/* Whether the second plan is shorter. If both are sure and it is not surely
 * shorter, it is not. */
static bool is_shorter (const struct plan_draft draft[2])
{
    const struct greedy *plan[2] = {draft[0].greedy, draft[1].greedy};
    struct scale scale = *greedy_scale (plan[0]);
    double bounds = 0;
    scale.unclear = false;
    if (is_sure (plan[0]) && is_sure (plan[1])) {
        scale_unit (&scale, 0);
        for (int i = 0; i < 2; i++)
            bounds += ldexp (greedy_bound (plan[i]),
                             greedy_scale (plan[i])->unit);
    }
    return value_compare (&scale, greedy_makespan (plan[1]),
                          greedy_makespan (plan[0]), bounds)
               < 0
           && !scale.unclear;
}

/* The two searches of a plan. Branch and bound proves which plan is the
 * shortest, but of many jobs it may stay for long where there is no good one.
 * So after some steps every other one is of the search over orders, which is
 * quick to find a good plan, until that has had its share. Neither knows of
 * the other's plans, and the better one counts: since each goes the same way
 * whatever the number of steps, more steps never give a longer plan. */
struct two_searches {
    const tori_contention_search *allowed;
    struct order_search *orders;
    uint64_t steps, order_steps; /* of both; of the orders */
    int status;                  /* of the orders */
    tori_error *err;
};

enum { ORDERS_AFTER = 1000, ORDERS_LAP = 2000, ORDERS_MOST = 20000 };

static bool take_step (struct two_searches *s)
{
    const tori_contention_search *allowed = s->allowed;
    if (s->steps >= allowed->steps
        || (allowed->enough && allowed->enough (allowed->arg)))
        return false;
    s->steps++;
    return true;
}

static bool step_orders (struct two_searches *s)
{
    if (!order_search_can (s->orders) || !take_step (s))
        return false;
    s->order_steps++;
    s->status = order_search_step (s->orders, s->err);
    return s->status == 0;
}

/* Before a step of branch and bound: whether it has to end. */
static bool ends_events (void *arg)
{
    struct two_searches *s = arg;
    if (s->steps >= ORDERS_AFTER && s->order_steps < ORDERS_MOST
        && order_search_can (s->orders) && !step_orders (s))
        return true;
    return !take_step (s);
}

/* Try all plans that start jobs at events, as far as the search may go: 1 if
 * there is a shorter one, 0, -1. */
static int search_events (tori_contention *plan, struct two_searches *searches,
                          struct turns *turns, tori_error *err)
{
    const tori_contention_search search = {
        .steps = searches->allowed->steps,
        .enough = ends_events,
        .arg = searches,
        .own_delay = searches->allowed->own_delay,
    };
    struct event_search_result result;
    turns->job = calloc (plan->problem.n, sizeof *turns->job);
    turns->place = calloc (plan->problem.n, sizeof *turns->place);
    turns->after = calloc (plan->problem.n, sizeof *turns->after);
    if (!turns->job || !turns->place || !turns->after)
        return tori_error_nomem (err);
    if (event_search (&plan->problem, &search, plan->first, turns, &result,
                      err)
            < 0
        || searches->status < 0)
        return -1;
    plan->least = result.complete;
    plan->events = result.bound;
    return result.found;
}

/* Let the plan of draft[1] replace that of draft[0] if it is shorter. */
static int take_shorter (const tori_contention *plan,
                         struct plan_draft draft[2], tori_error *err)
{
    if (solve_draft (&plan->problem, &draft[1],
                     greedy_scale (draft[0].greedy)->words, err)
            < 0
        || equal_words (&plan->problem, draft, err) < 0)
        return -1;
    if (is_shorter (draft)) {
        struct plan_draft first = draft[0];
        draft[0] = draft[1];
        draft[1] = first;
    }
    return 0;
}

/* Run the searches: 1 if draft[1] has the turns of a plan by events that may
 * be shorter than draft[0], 0, -1. */
static int run_searches (tori_contention *plan, struct two_searches *searches,
                         struct plan_draft draft[2], tori_error *err)
{
    if (plan->problem.n <= EVENT_SEARCH_MOST)
        return search_events (plan, searches, &draft[1].turns, err);
    while (step_orders (searches))
        ;
    return searches->status;
}

/* Search for a plan shorter than that of draft[0], which it becomes. */
static int improve_plan (tori_contention *plan,
                         const tori_contention_search *search,
                         struct plan_draft draft[2], tori_error *err)
{
    struct two_searches searches = {.allowed = search, .err = err};
    size_t size = plan->problem.n * sizeof *draft[0].turns.job;
    uint32_t *order = malloc (size);
    int status = order ? 0 : tori_error_nomem (err);
    if (status == 0) {
        memcpy (order, draft[0].turns.job, size);
        status = order_search_create (
            &plan->problem, search->seed,
            plan->problem.n <= EVENT_SEARCH_MOST ? ORDERS_LAP : 0, order,
            &searches.orders, err);
    }
    if (status == 0)
        status = run_searches (plan, &searches, draft, err);
    if (status > 0)
        status = take_shorter (plan, draft, err);
    if (status == 0 && searches.order_steps > 0) {
        draft_clear (&draft[1]);
        draft[1] = (struct plan_draft){.turns = {.job = order}};
        order = NULL;
        status = take_shorter (plan, draft, err);
    }
    order_search_destroy (searches.orders);
    free (order);
    return status;
}

/* Jobs that take no time come first. */
static void rank_jobs (tori_contention *plan, const uint32_t order[])
{
    size_t planned = plan->problem.n, none = plan->n - planned;
    size_t *rank = plan->rank;
    for (size_t i = 0; i < none; i++)
        rank[planned + i] = i;
    for (size_t i = 0; i < planned; i++)
        rank[order[i]] = none + i;
}

static int make_plan (tori_contention *plan,
                      const tori_contention_search *search, tori_error *err)
{
    struct plan_draft draft[2] = {{.greedy = NULL}, {.greedy = NULL}};
    bool searches = search && search->steps;
    int status = first_order (&plan->problem, &draft[0].turns.job, err);
    plan->problem.any_order
        = searches && plan->problem.n <= EVENT_SEARCH_MOST;
    plan->problem.own_delay = search && search->own_delay;
    if (status == 0)
        status = solve_draft (&plan->problem, &draft[0], VALUE_LEAST_WORDS,
                              err);
    if (status == 0)
        plan->first = value_approximate (greedy_scale (draft[0].greedy),
                                         greedy_makespan (draft[0].greedy));
    if (status == 0 && searches)
        status = improve_plan (plan, search, draft, err);
    if (status == 0)
        rank_jobs (plan, draft[0].turns.job);
    plan->greedy = draft[0].greedy;
    draft[0].greedy = NULL;
    draft_clear (&draft[0]);
    draft_clear (&draft[1]);
    return status;
}

/* ---- lower bounds ---- */

static void find_longest (tori_contention *plan)
{
    struct scale scale = *greedy_scale (plan->greedy);
    for (size_t i = 0; i < plan->problem.n; i++) {
        const uint64_t *time = greedy_time (plan->greedy, i);
        if (value_compare (&scale, time, plan->longest, 0) > 0)
            value_copy (&scale, plan->longest, time);
    }
}

/* Node-time over nodes: a job has the share 2^-all of the nodes. */
static void find_area (tori_contention *plan, uint64_t *sum)
{
    const struct scale *scale = greedy_scale (plan->greedy);
    for (uint32_t f = 0; f < plan->problem.forms; f++) {
        value_zero (scale, sum);
        for (size_t i = 0; i < plan->problem.n; i++)
            if (plan->problem.form_of[i] == f)
                value_add (scale, sum, sum, greedy_time (plan->greedy, i));
        value_halve (scale, sum, plan->problem.form[f].all);
        value_add (scale, plan->area, plan->area, sum);
    }
}

/* Sizes are powers of two, so the nodes are like positions on a line, for
 * which preemptive plans know the least finish time. */
static int find_least (const tori_contention *plan, tori_exact *ret_least,
                       tori_error *err)
{
    const struct problem *problem = &plan->problem;
    tori_preemptive_job *sized = calloc (problem->n, sizeof *sized);
    uint32_t nodes = (uint32_t)tori_shape_volume (&plan->machine);
    struct batch batch = {0};
    tori_exact ticks;
    int status = -1;
    if (!sized)
        return tori_error_nomem (err);
    for (size_t i = 0; i < problem->n; i++)
        sized[i] = (tori_preemptive_job){
            nodes >> problem->form[problem->form_of[i]].all,
            plan->job[i].time};
    if (batch_create_side (nodes, sized, problem->n, (tori_exact){0, 1},
                           &batch, err)
            == 0
        && batch_least (&batch, &ticks, NULL, err) == 0)
        status = tori_exact_mul (ticks, (tori_exact){1, batch.unit},
                                 ret_least, err);
    batch_clear (&batch);
    free (sized);
    return status;
}

static int find_free (tori_contention *plan, tori_error *err)
{
    struct scale scale = *greedy_scale (plan->greedy);
    tori_error why = {0};
    tori_exact least;
    bool rounded;
    if (find_least (plan, &least, &why) == 0
        && value_of_exact (&scale, least, plan->free, &rounded))
        return 0;
    if (why.status == TORI_FAILED) {
        if (err)
            *err = why;
        return -1;
    }
    value_copy (&scale, plan->free,
                value_compare (&scale, plan->area, plan->longest, 0) > 0
                    ? plan->area
                    : plan->longest);
    return 0;
}

static int find_bounds (tori_contention *plan, tori_error *err)
{
    struct scale scale = *greedy_scale (plan->greedy);
    size_t stride = (size_t)scale.words + 1;
    plan->longest = calloc (5 * stride, sizeof *plan->longest);
    if (!plan->longest)
        return tori_error_nomem (err);
    plan->area = plan->longest + stride;
    plan->free = plan->area + stride;
    plan->zero = plan->free + stride;
    find_longest (plan);
    find_area (plan, plan->zero + stride);
    return find_free (plan, err);
}

/* ---- create and destroy ---- */

/* As many places as leave DIGITS for the makespan. */
static int places_of (const struct greedy *greedy)
{
    double makespan =
        value_approximate (greedy_scale (greedy), greedy_makespan (greedy));
    int places = DIGITS;
    for (; makespan >= 1 && places > 0; places--)
        makespan /= 10;
    for (; makespan < 0.1 && places < 60; places++)
        makespan *= 10;
    return places;
}

static int check_jobs (const tori_machine *machine,
                       const tori_contention_job job[], size_t n,
                       tori_error *err)
{
    if (!n || n > UINT32_MAX)
        return tori_error_set (err, TORI_INVALID, n ? "too many jobs"
                                                    : "no job");
    for (size_t i = 0; i < n; i++)
        if (tori_contention_check (machine, &job[i], err) < 0)
            return -1;
    return 0;
}

/* Jobs that take no time are done at time 0 and have no part in the problem. If
 * there are no others, the first is planned all the same: its plan is empty. */
static int open_problem (tori_contention *plan, const tori_machine *machine,
                         const tori_contention_job job[], tori_error *err)
{
    struct problem *problem = &plan->problem;
    size_t planned = 0, n = 0;
    plan->job = calloc (plan->n, sizeof *plan->job);
    plan->index = calloc (plan->n, sizeof *plan->index);
    plan->rank = calloc (plan->n, sizeof *plan->rank);
    if (!plan->job || !plan->index || !plan->rank)
        return tori_error_nomem (err);
    for (size_t i = 0; i < plan->n; i++)
        planned += job[i].time.num != 0;
    for (size_t i = 0, none = planned; i < plan->n; i++) {
        plan->index[i] = job[i].time.num ? n++ : none++;
        plan->job[plan->index[i]] = job[i];
    }
    if (problem_init (problem, machine, plan->job, plan->n, err) < 0)
        return -1;
    problem->n = planned ? planned : 1;
    problem->forms = 0;
    for (size_t i = 0; i < problem->n; i++)
        if (problem->form_of[i] >= problem->forms)
            problem->forms = problem->form_of[i] + 1;
    return 0;
}

int tori_contention_create (const tori_machine *machine,
                            const tori_contention_job job[], size_t n,
                            const tori_contention_search *search,
                            tori_contention **ret_plan, tori_error *err)
{
    tori_contention *plan;
    if (check_jobs (machine, job, n, err) < 0)
        return -1;
    plan = calloc (1, sizeof *plan);
    if (!plan)
        return tori_error_nomem (err);
    plan->n = n;
    plan->machine = *tori_machine_shape (machine);
    if (open_problem (plan, machine, job, err) < 0
        || make_plan (plan, search, err) < 0 || find_bounds (plan, err) < 0) {
        tori_contention_destroy (plan);
        return -1;
    }
    plan->places = places_of (plan->greedy);
    *ret_plan = plan;
    return 0;
}

void tori_contention_destroy (tori_contention *plan)
{
    if (!plan)
        return;
    greedy_destroy (plan->greedy);
    problem_clear (&plan->problem);
    free (plan->longest);
    free (plan->job);
    free (plan->index);
    free (plan->rank);
    free (plan);
}

/* ---- results ---- */

/* Offsets from the bits of a place; 0 for a job that takes no time. */
static tori_subtorus subtorus_of (const tori_contention *plan, size_t index)
{
    const struct form *form
        = &plan->problem.form[plan->problem.form_of[index]];
    uint32_t place = index < plan->problem.n
                         ? greedy_place (plan->greedy, index)
                         : 0;
    tori_subtorus subtorus = {.shape = plan->machine};
    for (int d = plan->machine.ndims - 1; d >= 0; d--) {
        subtorus.shape.size[d] >>= form->bits[d];
        subtorus.offset[d] = place & ((UINT32_C (1) << form->bits[d]) - 1);
        place >>= form->bits[d];
    }
    return subtorus;
}

static double real_value (const tori_contention *plan, const uint64_t *value)
{
    return value_approximate (greedy_scale (plan->greedy), value);
}

/* NULL if there is no such job or number. */
static const uint64_t *number_of (const tori_contention *plan,
                                  tori_contention_number which, size_t i)
{
    bool of_job = which <= TORI_CONTENTION_FINISH;
    size_t index = of_job && i < plan->n ? plan->index[i] : 0;
    if (of_job && i >= plan->n)
        return NULL;
    if (of_job && index >= plan->problem.n)
        return plan->zero;
    switch (which) {
    case TORI_CONTENTION_TIME:
        return greedy_time (plan->greedy, index);
    case TORI_CONTENTION_START:
        return greedy_start (plan->greedy, index);
    case TORI_CONTENTION_FINISH:
        return greedy_finish (plan->greedy, index);
    case TORI_CONTENTION_LONGEST:
        return plan->longest;
    case TORI_CONTENTION_AREA:
        return plan->area;
    case TORI_CONTENTION_FREE:
        return plan->free;
    case TORI_CONTENTION_MAKESPAN:
        return greedy_makespan (plan->greedy);
    }
    return NULL;
}

tori_contention_place tori_contention_at (const tori_contention *plan,
                                          size_t i)
{
    if (i >= plan->n)
        return (tori_contention_place){0};
    return (tori_contention_place){
        .subtorus = subtorus_of (plan, plan->index[i]),
        .order = plan->rank[plan->index[i]],
        .time = real_value (plan, number_of (plan, TORI_CONTENTION_TIME, i)),
        .start = real_value (plan, number_of (plan, TORI_CONTENTION_START, i)),
        .finish
        = real_value (plan, number_of (plan, TORI_CONTENTION_FINISH, i)),
    };
}

double tori_contention_makespan (const tori_contention *plan)
{
    return real_value (plan, greedy_makespan (plan->greedy));
}

bool tori_contention_is_exact (const tori_contention *plan)
{
    return is_sure (plan->greedy);
}

double tori_contention_first (const tori_contention *plan)
{
    return plan->first;
}

bool tori_contention_is_least (const tori_contention *plan)
{
    return plan->least;
}

tori_contention_bound tori_contention_bounds (const tori_contention *plan)
{
    double free = real_value (plan, plan->free);
    double events = plan->least ? tori_contention_makespan (plan)
                                : plan->events;
    return (tori_contention_bound){
        .longest = real_value (plan, plan->longest),
        .area = real_value (plan, plan->area),
        .contention_free = free,
        .events = events > free ? events : free,
    };
}

void tori_contention_text (const tori_contention *plan,
                           tori_contention_number which, size_t i,
                           char text[TORI_CONTENTION_TEXT])
{
    const uint64_t *number = number_of (plan, which, i);
    text[0] = '\0';
    if (number)
        value_format (greedy_scale (plan->greedy), number, plan->places, text);
}

/* Times that are not rounded have no error. */
bool tori_contention_exact (const tori_contention *plan,
                            tori_contention_number which, size_t i,
                            tori_exact *ret_number)
{
    const uint64_t *number = number_of (plan, which, i);
    if (!number
        || (which != TORI_CONTENTION_START && which != TORI_CONTENTION_FINISH
            && which != TORI_CONTENTION_MAKESPAN))
        return false;
    return is_sure (plan->greedy) && greedy_bound (plan->greedy) <= 0
           && value_exact (greedy_scale (plan->greedy), number, ret_number);
}
