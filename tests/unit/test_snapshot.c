/* The file of a snapshot, and the one line that says what is wrong with it.
 * That a scheduler goes on from a file as it would have is test_restart.c. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/snapshot.h>

static tori_snapshot *parse (const char *text)
{
    tori_snapshot *snapshot = NULL;
    tori_error err = {0};
    if (tori_snapshot_parse (text, strlen (text), "f", &snapshot, &err) < 0)
        fail_msg ("%s", err.text);
    return snapshot;
}

/* ---- what is wrong ---- */

static const struct {
    const char *text, *says;
} wrong[] = {
    {"", "f:1: not JSON: '[' or '{' expected near end of file"},
    {"{\n\"machine\": }", "f:2: not JSON: unexpected token near '}'"},
    {"{\"machine\": \"mesh:4\", \"machine\": \"mesh:5\"}",
     "f:1: not JSON: duplicate object key near '\"machine\"'"},
    {"[]", "f: not a snapshot: expected an object"},
    {"{}", "f: machine: is missing"},
    {"{\"machine\": 5}", "f: machine: expected a string"},
    {"{\"machine\": \"mesh:0\"}", "f: machine: "},
    {"{\"tori_snapshot\": 2, \"machine\": \"mesh:4\"}",
     "f: tori_snapshot: version 2 is newer than 1, the newest that is known"},
    {"{\"machine\": \"mesh:4\", \"sched\": \"magic\"}",
     "f: sched: unknown scheduler 'magic': "},
    {"{\"machine\": \"mesh:4\", \"order\": \"none\"}", "f: order: "},
    {"{\"machine\": \"mesh:4\", \"now\": true}",
     "f: now: expected seconds, 0 or more, or a text such as \"1h20m\""},
    {"{\"machine\": \"mesh:4\", \"now\": -1}",
     "f: now: expected seconds, 0 or more, or a text such as \"1h20m\""},
    {"{\"machine\": \"mesh:4\", \"depth\": 0}",
     "f: depth: easy plans starts; backfill plans none"},
    {"{\"machine\": \"mesh:4\", \"running\": ["
     "{\"id\": 1, \"boxes\": [\"0\", \"5\"], \"end\": 1}]}",
     "f: running[0].boxes: entry 1: "},
    {"{\"machine\": \"mesh:4\", \"alloc\": {\"count\": \"first-fit\"}}",
     "f: alloc.count: first-fit takes no counts"},
    {"{\"machine\": \"mesh:4\", \"alloc\": \"best\"}",
     "f: alloc: unknown allocator 'best'"},
    {"{\"machine\": \"mesh:4\", \"down\": [\"4\"]}", "f: down: entry 0: "},
    {"{\"machine\": \"mesh:4\", \"down\": [\"1\", \"0/2\"]}",
     "f: down: node 1 is there twice"},
    {"{\"machine\": \"mesh:4\", \"down\": [1]}",
     "f: down: entry 0: expected a node or a box, such as \"0,0,0\", "},
    {"{\"machine\": \"mesh:4\", \"down\": [[\"1\"]]}",
     "f: down: entry 0: expected a node or a box, such as \"0,0,0\", "},
    {"{\"machine\": \"mesh:4\", \"down\": [[]]}",
     "f: down: entry 0: expected a node or a box, such as \"0,0,0\", "},
    {"{\"machine\": \"mesh:4\", \"down\": [[1], \"1\"]}",
     "f: down: node 1 is there twice"},
    {"{\"machine\": \"mesh:4\", \"down\": [[1, 0]]}",
     "f: down: entry 0: "},
    {"{\"machine\": \"mesh:4\", \"down_links\": [\"0-2\"]}",
     "f: down_links: entry 0: "},
    {"{\"machine\": \"mesh:4\", \"running\": {}}",
     "f: running: expected a list"},
    {"{\"machine\": \"mesh:4\", \"running\": [3]}",
     "f: running[0]: expected an object"},
    {"{\"machine\": \"mesh:4\", \"running\": [{\"box\": \"0\", \"end\": 1}]}",
     "f: running[0].id: is missing"},
    {"{\"machine\": \"mesh:4\", \"running\": [{\"id\": 1, \"end\": 1}]}",
     "f: running[0].box: is missing, and so are its nodes"},
    {"{\"machine\": \"mesh:4\", \"running\": [{\"id\": 1, \"box\": \"0\"}]}",
     "f: running[0].end: is missing"},
    {"{\"machine\": \"mesh:4\", \"running\": ["
     "{\"id\": 1, \"box\": \"0\", \"start\": 5, \"end\": 4}]}",
     "f: running[0].end: before its start"},
    {"{\"machine\": \"mesh:4\", \"now\": 3, \"running\": ["
     "{\"id\": 1, \"box\": \"0\", \"start\": 5, \"end\": 9}]}",
     "f: running[0].start: in the future"},
    {"{\"machine\": \"mesh:4\", \"running\": ["
     "{\"id\": 1, \"box\": \"3/2\", \"end\": 1}]}",
     "f: running[0].box: "},
    {"{\"machine\": \"mesh:4\", \"running\": ["
     "{\"id\": 1, \"box\": \"0/2\", \"end\": 1}, "
     "{\"id\": 2, \"nodes\": [\"3\", \"1\"], \"end\": 1}]}",
     "f: running[1].nodes: node 1 is job 1's"},
    {"{\"machine\": \"mesh:4\", \"down\": [\"1\"], \"running\": ["
     "{\"id\": 1, \"box\": \"0/2\", \"end\": 1}]}",
     "f: running[0].box: node 1 is down"},
    {"{\"machine\": \"torus:4\", \"running\": ["
     "{\"id\": 1, \"box\": \"0/2\", \"wiring\": \"torus\", \"end\": 1}, "
     "{\"id\": 2, \"box\": \"2/2\", \"wiring\": \"mesh\", \"end\": 1}]}",
     "f: running[1].box: it needs a link that is job 1's"},
    {"{\"machine\": \"mesh:4\", \"down_links\": [\"0-1\"], \"running\": ["
     "{\"id\": 1, \"box\": \"0/2\", \"wiring\": \"mesh\", \"end\": 1}]}",
     "f: running[0].box: a link of it is down"},
    {"{\"machine\": \"mesh:4\", \"running\": ["
     "{\"id\": 1, \"box\": \"0/2\", \"wiring\": \"torus\", \"end\": 1}]}",
     "f: running[0].box: "},
    {"{\"machine\": \"mesh:4\", \"running\": ["
     "{\"id\": 1, \"box\": \"0\", \"end\": 1}], \"queue\": ["
     "{\"id\": 2, \"count\": 1, \"estimate\": 1}, "
     "{\"id\": 1, \"count\": 1, \"estimate\": 1}]}",
     "f: queue[1].id: job 1 is running[0] already"},
    {"{\"machine\": \"mesh:4\", \"queue\": [{\"id\": 1, \"estimate\": 1}]}",
     "f: queue[0].shape: is missing, and so is a count"},
    {"{\"machine\": \"mesh:4\", \"queue\": [{\"id\": 1, \"count\": 1}]}",
     "f: queue[0].time_limit: is missing"},
    {"{\"machine\": \"mesh:4\", \"queue\": ["
     "{\"id\": 1, \"shape\": \"2x2\", \"estimate\": 1}]}",
     "f: queue[0].shape: 2 dimensions on a machine of 1"},
    {"{\"machine\": \"mesh:4\", \"queue\": ["
     "{\"id\": 1, \"count\": 1, \"estimate\": 1, \"promise\": {}}]}",
     "f: queue[0].promise.start: is missing"},
    {"{\"machine\": \"mesh:4\", \"queue\": ["
     "{\"id\": 1, \"count\": 1, \"estimate\": 1, "
     "\"promise\": {\"start\": 1, \"box\": \"9\"}}]}",
     "f: queue[0].promise.box: "},
    {"{\"machine\": \"mesh:4\", \"windows\": [{\"from\": 5, \"until\": 5}]}",
     "f: windows[0].until: not after its beginning"},
};

TEST (wrong)
{
    for (size_t i = 0; i < LENGTH (wrong); i++) {
        tori_snapshot *snapshot = NULL;
        tori_error err = {0};
        const char *says = wrong[i].says;
        assert_int_equal (tori_snapshot_parse (wrong[i].text,
                                               strlen (wrong[i].text), "f",
                                               &snapshot, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_null (snapshot);
        if (says[strlen (says) - 1] == ' ')
            err.text[strlen (says)] = '\0';
        assert_string_equal (err.text, says);
    }
}

/* However long it is, it is not read to its end. */
TEST (nesting)
{
    enum { SIZE = 1 << 26 };
    char *text = malloc (SIZE);
    tori_snapshot *snapshot = NULL;
    tori_error err = {0};
    assert_non_null (text);
    memset (text, '[', SIZE);
    assert_int_equal (tori_snapshot_parse (text, SIZE, "f", &snapshot, &err),
                      -1);
    assert_int_equal (strncmp (err.text, "f:1: not JSON: maximum", 22), 0);
    free (text);
}

/* Facts that only the scheduler knows. */
TEST (promises)
{
    tori_snapshot *snapshot = parse (
        "{\"machine\": \"mesh:4\", \"queue\": ["
        "{\"id\": 1, \"shape\": \"2\", \"estimate\": 1}, "
        "{\"id\": 2, \"shape\": \"2\", \"estimate\": 1, "
        "\"promise\": {\"start\": 5, \"box\": \"0/2\"}}]}");
    tori_sched *sched = NULL;
    tori_error err = {0};
    assert_int_equal (tori_snapshot_sched (snapshot, NULL, &sched, &err), -1);
    assert_string_equal (err.text,
                         "f: queue[1].promise: no queued job that may have a "
                         "planned start");
    tori_snapshot_destroy (snapshot);
}

/* ---- what is right ---- */

TEST (members)
{
    tori_snapshot *it = parse (
        "{\"machine\": \"torus:4x4\", \"now\": 50, \"order\": \"largest\","
        " \"down\": [\"3,0/1x2\"], \"drained\": [\"2,2\", \"0,0\"],"
        " \"down_links\": [\"3,3-3,2\"], \"comment\": null,"
        " \"running\": [{\"id\": 17, \"box\": \"0,0/2x1\", \"end\": 60,"
        "  \"wiring\": \"mesh\", \"movable\": false, \"priority\": -3},"
        "  {\"id\": 18, \"count\": 1, \"nodes\": [\"1,3\"], \"start\": 40,"
        "   \"estimate\": 7.5}],"
        " \"queue\": [{\"id\": 20, \"shape\": \"1x4\", \"wrap\": true,"
        "  \"fixed\": true, \"count\": 3, \"estimate\": 9}],"
        " \"windows\": [{\"id\": \"service\", \"box\": \"0,0/4x1\","
        "  \"from\": 100, \"until\": 200}]}");
    const tori_snapshot_job *job = it->running;
    assert_int_equal (it->now, 50 * TORI_SECOND);
    assert_string_equal (it->policy, "easy");
    assert_int_equal (it->order, TORI_ORDER_LARGEST);
    assert_int_equal (it->ndown, 2);
    assert_int_equal (it->down[1], 13);
    assert_int_equal (it->ndrained, 2);
    assert_int_equal (it->drained[1], 10);
    assert_int_equal (it->ndown_links, 1);
    assert_int_equal (it->down_links[0].slot, 14);
    assert_int_equal (it->nrunning, 2);
    assert_int_equal (job->spec.flags, TORI_JOB_STAYS);
    assert_int_equal (job->spec.priority, -3);
    assert_int_equal (job->spec.tag, 17);
    assert_int_equal (job->spec.estimate, 60 * TORI_SECOND);
    assert_false (job->spec.request.fixed);
    assert_int_equal (job->spec.request.shape.size[0], 2);
    assert_int_equal (job->place.wiring, TORI_WIRE_MESH);
    assert_true (!job[1].spec.flags && !job[1].place.nboxes);
    assert_int_equal (job[1].place.nodes[0], 7);
    assert_int_equal (job[1].spec.estimate, 7 * TORI_SECOND + 500000);
    job = it->queue;
    assert_true (job->spec.request.wrap && job->spec.request.fixed);
    assert_int_equal (job->spec.request.count, 3);
    assert_int_equal (job->submit, -1);
    assert_int_equal (it->nwindows, 1);
    assert_string_equal (it->windows[0].id, "service");
    assert_int_equal (it->windows[0].place.count, 4);
    tori_snapshot_destroy (it);
}

/* By priority, then by submission, then as listed. */
TEST (queue_order)
{
    tori_snapshot *snapshot = parse (
        "{\"machine\": \"mesh:4\", \"sched\": \"fcfs\", \"queue\": ["
        "{\"id\": 1, \"count\": 4, \"estimate\": 1, \"submit\": 30}, "
        "{\"id\": 2, \"count\": 4, \"estimate\": 1}, "
        "{\"id\": 3, \"count\": 4, \"estimate\": 1, \"submit\": 20}, "
        "{\"id\": 4, \"count\": 4, \"estimate\": 1, \"priority\": 1}]}");
    static const uint64_t expected[] = {4, 3, 1, 2};
    tori_sched *sched;
    tori_job jobs[4];
    assert_int_equal (tori_snapshot_sched (snapshot, NULL, &sched, NULL), 0);
    assert_int_equal (tori_sched_queued_jobs (sched, jobs), 4);
    for (size_t i = 0; i < 4; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (sched, jobs[i], &info));
        assert_int_equal (info.tag, expected[i]);
    }
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
}

/* The text in memory makes the same snapshot, and the same text again. */
TEST (in_memory)
{
    tori_snapshot *first = parse (
        "{\"machine\": \"torus:4x4\", \"now\": 60, \"down\": [\"0,3\"],"
        " \"usage_weight\": 700, \"running\": [{\"id\": 4, \"shape\": \"2x2\","
        " \"box\": \"0,0/2x2\", \"start\": 5, \"end\": 90}]}");
    tori_snapshot *second;
    char *text = NULL, *again = NULL;
    size_t size = 0, length = 0;
    assert_int_equal (tori_snapshot_format (first, &text, &size, NULL), 0);
    assert_int_equal (size, strlen (text));
    second = parse (text);
    assert_int_equal (second->nrunning, 1);
    assert_int_equal (second->usage_weight, 700);
    assert_int_equal (tori_snapshot_format (second, &again, &length, NULL), 0);
    assert_string_equal (text, again);
    free (text);
    free (again);
    tori_snapshot_destroy (first);
    tori_snapshot_destroy (second);
}
