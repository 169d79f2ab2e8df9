/* A desk with a scheduler on it: what tests of the scheduler's events, of
 * outages, refusals and so on share. */
#include "desk.h"

#include <stdio.h>
#include <string.h>

void open_desk_with (struct desk *desk, const char *machine,
                     const char *policy, tori_order order,
                     const tori_alloc_config *alloc)
{
    memset (desk, 0, sizeof *desk);
    desk->machine = make_machine (machine);
    assert_int_equal (tori_sched_create (desk->machine,
                                         TORI_SCHED (policy, alloc, order),
                                         &desk->sched, NULL),
                      0);
}

void open_desk (struct desk *desk, const char *machine, const char *policy,
                tori_order order, const char *alloc)
{
    open_desk_with (desk, machine, policy, order, TORI_ALLOC (alloc));
}

void close_desk (struct desk *desk)
{
    tori_sched_destroy (desk->sched);
    tori_machine_destroy (desk->machine);
}

static void say (FILE *to, const tori_decision *decision)
{
    const tori_placement *place = decision->place;
    char box[TORI_TEXT_MAX];
    fputc ((int)decision->tag, to);
    if (decision->kind == TORI_MOVE)
        fprintf (to, " to ");
    if (decision->kind == TORI_KILL) {
        fprintf (to, " killed");
    } else if (decision->kind == TORI_REQUEUE) {
        fprintf (to, " requeued");
    } else if (decision->kind == TORI_REJECT) {
        fprintf (to, " rejected: %s", decision->why);
    } else if (place->nboxes) {
        tori_box_format (&place->box, box);
        fprintf (to, "@%s", box);
    } else {
        fprintf (to, "@%u-%u", place->nodes[0],
                 place->nodes[place->count - 1]);
    }
}

const char *fetch (struct desk *desk)
{
    tori_decision decision = {.size = sizeof decision};
    FILE *to;
    memset (desk->said, 0, sizeof desk->said);
    to = fmemopen (desk->said, sizeof desk->said, "w");
    assert_non_null (to);
    for (int i = 0; tori_sched_next (desk->sched, &decision); i++) {
        if (i > 0)
            fputc (' ', to);
        say (to, &decision);
    }
    assert_int_equal (fclose (to), 0);
    return desk->said;
}

void expect_run (struct desk *desk, tori_time now, const char *said)
{
    assert_int_equal (tori_sched_run (desk->sched, now, NULL), 0);
    assert_string_equal (fetch (desk), said);
}

void submit_request (struct desk *desk, tori_time now, char letter,
                     tori_request request, tori_time estimate)
{
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = estimate,
                          .tag = (uint64_t)letter,
                          .request = request};
    assert_int_equal (tori_sched_submit (desk->sched, now, &spec,
                                         &desk->job[(int)letter], NULL),
                      0);
}

void submit (struct desk *desk, tori_time now, char letter, uint32_t count,
             tori_time estimate)
{
    submit_request (desk, now, letter, (tori_request){.count = count},
                    estimate);
}

void submit_shape (struct desk *desk, tori_time now, char letter,
                   const char *shape, tori_wiring wiring, tori_time estimate)
{
    tori_request request = {.shape = make_shape (shape), .wiring = wiring};
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    submit_request (desk, now, letter, request, estimate);
}

void finish (struct desk *desk, tori_time now, char letter)
{
    assert_int_equal (
        tori_sched_finish (desk->sched, now, desk->job[(int)letter], NULL), 0);
}

void cancel (struct desk *desk, tori_time now, char letter)
{
    assert_int_equal (
        tori_sched_cancel (desk->sched, now, desk->job[(int)letter], NULL), 0);
}

void set_down (struct desk *desk, tori_time now, uint32_t node, bool down)
{
    assert_int_equal (tori_sched_set_down (desk->sched, now, node, down, NULL),
                      0);
}

void set_drained (struct desk *desk, tori_time now, uint32_t node,
                  bool drained)
{
    assert_int_equal (
        tori_sched_set_drained (desk->sched, now, node, drained, NULL), 0);
}

void set_link (struct desk *desk, tori_time now, const char *text, bool down)
{
    tori_link link;
    assert_int_equal (tori_link_parse (desk->machine, text, &link, NULL), 0);
    assert_int_equal (
        tori_sched_set_link_down (desk->sched, now, &link, down, NULL), 0);
}

void expect_reserved (struct desk *desk, char letter, tori_time at,
                      const char *box)
{
    char text[TORI_TEXT_MAX];
    const tori_placement *place;
    tori_time start;
    assert_int_equal (tori_sched_reservation (desk->sched,
                                              desk->job[(int)letter], &start,
                                              &place, NULL),
                      1);
    assert_int_equal (start, at);
    assert_int_equal (place != NULL, box != NULL);
    if (!box)
        return;
    tori_box_format (&place->box, text);
    assert_string_equal (text, box);
}

void expect_unreserved (struct desk *desk, char letter)
{
    const tori_placement *place;
    tori_time start;
    assert_int_equal (tori_sched_reservation (desk->sched,
                                              desk->job[(int)letter], &start,
                                              &place, NULL),
                      0);
}

void expect_refused (int answer, const tori_error *err, const char *text)
{
    assert_int_equal (answer, -1);
    assert_int_equal (err->status, TORI_INVALID);
    assert_string_equal (err->text, text);
}

void expect_blocked (const struct desk *desk, tori_reason reason)
{
    assert_string_equal (tori_reason_name (tori_sched_blocked (desk->sched)),
                         tori_reason_name (reason));
}

void expect_free (const struct desk *desk, uint32_t count)
{
    assert_int_equal (tori_state_free_count (tori_sched_state (desk->sched)),
                      count);
}
