/* A desk with a scheduler on it: what tests of the scheduler's events, of
 * outages, refusals and so on share. */
#include "desk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

void expect_aside (struct desk *desk, char letter, const char *why)
{
    tori_job_info info = {.size = sizeof info};
    assert_true (tori_sched_look (desk->sched, desk->job[(int)letter], &info));
    assert_int_equal (info.waits == TORI_REASON_NODES, why != NULL);
    if (!why) {
        assert_null (info.aside);
        return;
    }
    assert_string_equal (tori_reason_name (info.waits), "nodes");
    assert_string_equal (info.aside, why);
    expect_unreserved (desk, letter);
}

void expect_queue (const struct desk *desk, const char *letters)
{
    tori_job jobs[16];
    char said[17] = "";
    size_t n = tori_sched_queued_jobs (desk->sched, jobs);
    assert_int_equal (n, tori_sched_queued (desk->sched));
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (desk->sched, jobs[i], &info));
        said[i] = (char)info.tag;
    }
    assert_string_equal (said, letters);
}

/* ---- cases of a line a moment ---- */

static const char *current; /* the line */

int desk_teardown (void **state)
{
    (void)state;
    if (current)
        print_message ("%s\n", current);
    current = NULL;
    return 0;
}

/* "3/10" or "3x2m/10". */
static void do_submit (struct desk *desk, tori_time now, char letter,
                       const char *text, bool shape)
{
    size_t n = strspn (text, "0123456789x");
    tori_time estimate = strtoll (strchr (text, '/') + 1, NULL, 10);
    char sides[32];
    snprintf (sides, sizeof sides, "%.*s", (int)n, text);
    if (shape)
        submit_shape (desk, now, letter, sides,
                      text[n] == 'm'   ? TORI_WIRE_MESH
                      : text[n] == 't' ? TORI_WIRE_TORUS
                                       : TORI_WIRE_NONE,
                      estimate);
    else
        submit (desk, now, letter, (uint32_t)strtoul (sides, NULL, 10), estimate);
}

/* "10", "10@0/4" or nothing. */
static void do_reserved (struct desk *desk, char letter, const char *text)
{
    const char *box = strchr (text, '@');
    if (*text)
        expect_reserved (desk, letter, strtoll (text, NULL, 10),
                         box ? box + 1 : NULL);
    else
        expect_unreserved (desk, letter);
}

/* "B/many". */
static void do_aside (struct desk *desk, const char *text)
{
    static const char *const reasons[][2] = {
        {"many", "asks for more nodes than are in service"},
        {"nodes", "does not fit beside the nodes that are out of service"},
        {"links", "does not fit beside the links that are out of service"},
        {"none", NULL},
    };
    size_t i = 0;
    while (strcmp (reasons[i][0], text + 2) != 0)
        assert_true (++i < LENGTH (reasons));
    expect_aside (desk, text[0], reasons[i][1]);
}

static void do_command (struct desk *desk, tori_time now, const char *what,
                        const char *text)
{
    uint32_t number = (uint32_t)strtoul (text, NULL, 10);
    if (strcmp (what, "down") == 0 || strcmp (what, "up") == 0) {
        if (strchr (text, '-'))
            set_link (desk, now, text, what[0] == 'd');
        else
            set_down (desk, now, number, what[0] == 'd');
    } else if (strcmp (what, "drain") == 0 || strcmp (what, "undrain") == 0) {
        set_drained (desk, now, number, what[0] == 'd');
    } else if (strcmp (what, "free") == 0) {
        expect_free (desk, number);
    } else if (strcmp (what, "running") == 0) {
        assert_int_equal (tori_sched_running (desk->sched), number);
    } else if (strcmp (what, "queued") == 0) {
        assert_int_equal (tori_sched_queued (desk->sched), number);
    } else if (strcmp (what, "links") == 0) {
        assert_int_equal (
            tori_state_links_taken (tori_sched_state (desk->sched)), number);
    } else if (strcmp (what, "head") == 0) {
        tori_job job;
        uint64_t tag;
        assert_true (tori_sched_head (desk->sched, &job, &tag));
        assert_int_equal (tag, text[0]);
    } else if (strcmp (what, "reserve") == 0) {
        bool may = isdigit ((unsigned char)text[2]);
        assert_int_equal (
            tori_sched_reserve (desk->sched, desk->job[(int)text[0]],
                                strtoll (text + 2, NULL, 10), NULL, NULL),
            may ? 0 : -1);
    } else if (strcmp (what, "waits") == 0) {
        tori_job_info info = {.size = sizeof info};
        assert_true (
            tori_sched_look (desk->sched, desk->job[(int)text[0]], &info));
        assert_int_equal (info.phase, TORI_JOB_QUEUED);
        assert_int_equal (info.tag, text[0]);
        assert_string_equal (tori_reason_name (info.waits), text + 2);
    } else if (strcmp (what, "queue") == 0) {
        expect_queue (desk, text);
    } else if (strcmp (what, "aside") == 0) {
        do_aside (desk, text);
    } else {
        assert_string_equal (what, "blocked");
        assert_string_equal (
            tori_reason_name (tori_sched_blocked (desk->sched)), text);
    }
}

/* A word that begins with the letter of a job, or a sign before it. */
static void do_job (struct desk *desk, tori_time now, const char *word)
{
    if (word[0] == '-')
        finish (desk, now, word[1]);
    else if (word[0] == '!')
        cancel (desk, now, word[1]);
    else if (word[1] == '~')
        do_reserved (desk, word[0], word + 2);
    else
        do_submit (desk, now, word[0], word + 2, word[1] == '=');
}

/* The decisions up to a semicolon, without spaces around them. */
static char *take_said (char *at, char *ret_said, size_t room)
{
    size_t n = strcspn (at, ";"), from = strspn (at, " ");
    size_t end = n;
    while (end > from && at[end - 1] == ' ')
        end--;
    snprintf (ret_said, room, "%.*s", end > from ? (int)(end - from) : 0,
              at + from);
    return at + n;
}

void on_desk (struct desk *desk, const char *line)
{
    char copy[1024], *at = copy, word[64], said[512];
    int n;
    current = line;
    assert_true (snprintf (copy, sizeof copy, "%s", line)
                 < (int)sizeof copy);
    for (;; at += n) {
        at += strspn (at, " :;");
        n = 0;
        if (sscanf (at, "%63s%n", word, &n) < 1)
            break;
        if (isdigit ((unsigned char)word[0])) {
            desk->now = strtoll (word, NULL, 10);
        } else if (strcmp (word, ">") == 0 || strcmp (word, "said") == 0) {
            if (word[0] == '>')
                assert_int_equal (tori_sched_run (desk->sched, desk->now, NULL),
                                  0);
            at = take_said (at + n, said, sizeof said);
            n = 0;
            assert_string_equal (fetch (desk), said);
        } else if (islower ((unsigned char)word[0])) {
            char text[32];
            at += n;
            assert_int_equal (sscanf (at, "%31s%n", text, &n), 1);
            do_command (desk, desk->now, word, text);
        } else {
            do_job (desk, desk->now, word);
        }
    }
    current = NULL;
}

void play_desk (const char *head, const char *const lines[])
{
    char machine[32], policy[32], alloc[32], name[32] = "submit";
    tori_order order;
    struct desk desk;
    assert_true (sscanf (head, "%31s %31s %31s %31s", machine, policy, alloc,
                         name)
                 >= 3);
    assert_int_equal (tori_order_parse (name, &order, NULL), 0);
    open_desk (&desk, machine, policy, order, alloc);
    for (; *lines; lines++)
        on_desk (&desk, *lines);
    close_desk (&desk);
}
