/* Pods as jobs: which pods make up a job, what it asks for, and which pod has
 * which rank. */
#include "support.h"

#include <tori/sched.h>

#include "kube_group.h"
#include "kube_ranks.h"

/* ---- pods ---- */

static struct kube_pod *read_pod (const char *text)
{
    json_error_t why;
    json_t *object = json_loads (text, 0, &why);
    struct kube_pod *pod;
    if (!object)
        fail_msg ("%s", why.text);
    pod = kube_pod_read (object, "tori");
    json_decref (object);
    return pod;
}

/* A pod with these members of its metadata, after the first ones. */
static struct kube_pod *make_pod (const char *name, const char *more,
                                  const char *node)
{
    char text[2048];
    snprintf (text, sizeof text,
              "{\"metadata\": {\"name\": \"%s\", \"namespace\": \"a\", "
              "\"uid\": \"u-%s\", \"creationTimestamp\": "
              "\"2026-01-01T00:00:00Z\"%s}, \"spec\": {\"schedulerName\": "
              "\"tori\"%s%s%s}}",
              name, name, more, node ? ", \"nodeName\": \"" : "",
              node ? node : "", node ? "\"" : "");
    return read_pod (text);
}

static void check_group (const char *more, const char *group,
                         enum kube_order order, uint64_t number)
{
    struct kube_pod *pod = make_pod ("p", more, NULL);
    assert_non_null (pod);
    assert_string_equal (pod->group, group);
    assert_int_equal (pod->order, order);
    assert_int_equal (pod->number, number);
    kube_pod_destroy (pod);
}

#define OWNER(kind)                                                           \
    ", \"ownerReferences\": [{\"kind\": \"" kind "\", \"name\": \"j\", "      \
    "\"uid\": \"o\", \"controller\": true}]"

TEST (groups)
{
    check_group ("", "a/pod/p/u-p", ORDER_NAME, 0);
    check_group (", \"labels\": {\"tori/job\": \"x\"}", "a/tori/x",
                 ORDER_NAME, 0);
    check_group (", \"annotations\": {\"tori/job\": \"x\", \"tori/index\": "
                 "\"3\"}",
                 "a/tori/x", ORDER_RANK, 3);
    check_group (OWNER ("Job"), "a/job/j/o", ORDER_NAME, 0);
    check_group (OWNER ("Job") ", \"annotations\": {\"batch.kubernetes.io/"
                               "job-completion-index\": \"7\"}",
                 "a/job/j/o", ORDER_RANK, 7);
    check_group (OWNER ("ReplicaSet"), "a/pod/p/u-p", ORDER_NAME, 0);
    check_group (", \"labels\": {\"leaderworkerset.sigs.k8s.io/name\": \"l\", "
                 "\"leaderworkerset.sigs.k8s.io/group-index\": \"2\", "
                 "\"leaderworkerset.sigs.k8s.io/worker-index\": \"1\"}",
                 "a/lws/l-2", ORDER_RANK, 1);
    check_group (OWNER ("Job") ", \"labels\": {\"jobset.sigs.k8s.io/"
                               "jobset-name\": \"s\", \"jobset.sigs.k8s.io/"
                               "job-global-index\": \"2\", "
                               "\"batch.kubernetes.io/job-completion-index\": "
                               "\"1\"}",
                 "a/jobset/s", ORDER_SPARSE, (UINT64_C (2) << 32) + 1);
}

TEST (foreign)
{
    struct kube_pod *pod = read_pod (
        "{\"metadata\": {\"name\": \"p\", \"namespace\": \"a\", \"uid\": "
        "\"u\", \"creationTimestamp\": \"t\"" OWNER ("DaemonSet") "}, "
        "\"spec\": {\"nodeName\": \"n\"}}");
    assert_null (pod->group);
    assert_true (pod->resident);
    kube_pod_destroy (pod);
    assert_null (read_pod ("{\"metadata\": {}}"));
    assert_null (read_pod ("{\"kind\": \"Status\"}"));
}

/* torid refuses a number without a unit, and says why. */
TEST (plain_time)
{
    struct kube_pod *pod
        = make_pod ("p", ", \"annotations\": {\"tori/time\": \"60\"}", "n");
    assert_string_equal (
        json_string_value (json_object_get (pod->ask, "time_limit")), "60");
    kube_pod_destroy (pod);
}

/* A pod of namespace a, of a job that is called x, claims to be of the attempt
 * of a job with this key, or with none. */
static void check_key (const char *key, json_int_t job)
{
    char notes[256];
    struct kube_pod *pod;
    snprintf (notes, sizeof notes,
              ", \"labels\": {\"tori/job\": \"x\"}, \"annotations\": "
              "{\"tori/attempt\": \"17.2\"%s%s%s}",
              key ? ", \"tori/key\": \"" : "", key ? key : "",
              key ? "\"" : "");
    pod = make_pod ("p", notes, "n");
    assert_int_equal (pod->tag.job, job);
    assert_true (!pod->tag.key == !job);
    kube_pod_destroy (pod);
}

TEST (asks)
{
    struct kube_pod *pod = make_pod (
        "p", ", \"annotations\": {\"tori/shape\": \"2x2\", \"tori/wiring\": "
             "\"torus\", \"tori/time\": \"1h\", \"tori/attempt\": \"17.2\", "
             "\"tori/key\": \"a/pod/p/u-p\", \"tori/rank\": \"3\", \"tori/fixed\": \"true\"}",
        "n");
    assert_string_equal (
        json_string_value (json_object_get (pod->ask, "shape")), "2x2");
    assert_true (json_number_value (json_object_get (pod->ask, "time_limit"))
                 == 3600);
    assert_true (json_is_true (json_object_get (pod->ask, "fixed")));
    assert_int_equal (pod->tag.job, 17);
    assert_int_equal (pod->tag.attempt, 2);
    assert_int_equal (pod->tag.rank, 3);
    kube_pod_destroy (pod);
    pod = make_pod ("p", ", \"annotations\": {\"tori/attempt\": \"17.2x\"}",
                    NULL);
    assert_int_equal (pod->tag.job, 0);
    kube_pod_destroy (pod);
    check_key ("a/tori/x", 17);
    check_key ("a/tori/x#12345678", 17);
    check_key ("a/tori/x#12345678.2", 17);
    check_key (NULL, 0);
    check_key ("", 0);
    check_key ("a", 0);
    check_key ("a/tori/", 0);
    check_key ("a/tori/xy", 0);
    check_key ("a/tori/y", 0);
    check_key ("a/job/x/u", 0);
    check_key ("b/tori/x", 0);
    assert_int_equal (kube_time_read ("1970-01-02T00:00:01Z"), 86401);
    assert_int_equal (kube_time_read ("yesterday"), 0);
}

/* ---- groups ---- */

enum { MOST = 8 };
struct troop {
    struct kube_group *group;
    struct kube_pod *pods[MOST];
    size_t n;
};

static void troop_add (struct troop *troop, const char *name, const char *more,
                       const char *node)
{
    struct kube_pod *pod = make_pod (name, more, node);
    if (!troop->group)
        troop->group = kube_group_create (pod->group, pod->title);
    troop->pods[troop->n++] = pod;
    assert_int_equal (kube_group_add (troop->group, pod), 0);
}

static void troop_clear (struct troop *troop)
{
    kube_group_destroy (troop->group);
    for (size_t i = 0; i < troop->n; i++)
        kube_pod_destroy (troop->pods[i]);
}

#define MEMBER(index)                                                         \
    OWNER ("Job")                                                             \
    ", \"annotations\": {\"tori/shape\": \"1x2x2\", "                         \
    "\"batch.kubernetes.io/job-completion-index\": \"" index "\"}"

TEST (complete)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    struct troop troop = {0};
    troop_add (&troop, "d", MEMBER ("3"), NULL);
    troop_add (&troop, "b", MEMBER ("1"), NULL);
    troop_add (&troop, "c", MEMBER ("2"), NULL);
    troop_add (&troop, "b2", MEMBER ("1"), NULL); /* one too many */
    kube_group_sort (troop.group, machine);
    assert_int_equal (troop.group->size, 4);
    assert_int_equal (troop.group->filled, 3);
    assert_false (kube_group_is_complete (troop.group));
    troop_add (&troop, "a", MEMBER ("0"), NULL);
    kube_group_sort (troop.group, machine);
    assert_true (kube_group_is_complete (troop.group));
    assert_string_equal (troop.group->ranks[0]->name, "a");
    assert_string_equal (troop.group->ranks[3]->name, "d");
    kube_group_remove (troop.group, troop.pods[0]);
    kube_group_sort (troop.group, machine);
    assert_false (kube_group_is_complete (troop.group));
    troop_clear (&troop);
}

static void check_wrong (const char *notes, const char *why)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    struct troop troop = {0};
    char more[500];
    snprintf (more, sizeof more, OWNER ("Job") ", \"annotations\": {%s}",
              notes);
    troop_add (&troop, "p", more, NULL);
    kube_group_sort (troop.group, machine);
    assert_false (kube_group_is_complete (troop.group));
    if (!strstr (troop.group->wrong, why))
        fail_msg ("%s: %s", notes, troop.group->wrong);
    troop_clear (&troop);
}

TEST (wrong)
{
    check_wrong ("", "neither");
    check_wrong ("\"tori/shape\": \"2by2\"", "tori/shape");
    check_wrong ("\"tori/count\": \"many\"", "tori/count");
    check_wrong ("\"tori/count\": \"0\"", "tori/count");
    check_wrong ("\"tori/count\": \"65\"", "64");
    check_wrong ("\"tori/shape\": \"2x1x1\", \"tori/or\": \"boxes,cubes\"",
                 "tori/or: expected boxes, nodes or another shape of 2 nodes, "
                 "not 'cubes'");
    check_wrong ("\"tori/shape\": \"2x1x1\", \"tori/or\": \"3x1x1\"",
                 "tori/or: expected boxes, nodes or another shape of 2 nodes, "
                 "not '3x1x1'");
    check_wrong ("\"tori/count\": \"2\", \"tori/or\": \"boxes\"",
                 "tori/or: there is no tori/shape");
    check_wrong ("\"tori/shape\": \"1x1x1\", \"tori/patience\": \"1h\"",
                 "tori/patience: there is no tori/or");
    check_wrong ("\"tori/shape\": \"1x1x1\", \"tori/or\": \"nodes\", "
                 "\"tori/patience\": \"10\"",
                 "tori/patience: ");
    check_wrong ("\"tori/shape\": \"1x1x1\", \"tori/or\": \"nodes\", "
                 "\"tori/patience\": \"0s\"",
                 "tori/patience: expected a time above 0");
    check_wrong ("\"tori/shpae\": \"1x1x1\", \"tori/count\": \"1\"",
                 "unknown annotation tori/shpae");
    check_wrong ("\"tori/count\": \"1\", \"tori/fixed\": \"maybe\"",
                 "tori/fixed: expected true or false, not 'maybe'");
    check_wrong ("\"tori/count\": \"2\", \"tori/shape\": \"1x1x1\"",
                 "nodes of tori/shape 1x1x1, which is 1");
    check_wrong ("\"tori/job\": \"j\", \"tori/index\": \"first\", "
                 "\"tori/count\": \"1\"",
                 "tori/index: expected a number, not 'first'");
    check_wrong ("\"tori/count\": \"4\", \"tori/job\": \"j\", "
                 "\"tori/index\": \"4\"",
                 "it asks for 4 nodes, and pod p has the index 4; the last "
                 "one is 3");
}

#define LABEL(name, notes)                                                    \
    ", \"labels\": {\"tori/job\": \"" name "\"}, "                            \
    "\"annotations\": {\"tori/shape\": \"1x1x2\"" notes "}"

/* Pods of one job that ask for different things, or are too many. */
TEST (disagreement)
{
    static const struct {
        const char *first, *second, *third, *why;
    } cases[] = {
        {LABEL ("x", ""), LABEL ("x", ""), NULL, ""},
        {LABEL ("x", ""), LABEL ("x", ", \"tori/wiring\": \"mesh\""), NULL,
         "its pods do not all have the same tori/wiring"},
        {LABEL ("x", ""), LABEL ("x", ", \"tori/typo\": \"1\""), NULL,
         "unknown annotation tori/typo"},
        {LABEL ("x", ""), LABEL ("x", ""), LABEL ("x", ""),
         "it asks for 2 nodes, and has 3 pods"},
    };
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct troop troop = {0};
        char text[SHORTAGE];
        troop_add (&troop, "a", cases[i].first, NULL);
        kube_group_sort (troop.group, machine);
        kube_group_shortage (troop.group, text);
        assert_string_equal (text, "1 of 2 are there (tori/shape 1x1x2 has 2 "
                                   "nodes)");
        troop_add (&troop, "b", cases[i].second, NULL);
        if (cases[i].third)
            troop_add (&troop, "c", cases[i].third, NULL);
        kube_group_sort (troop.group, machine);
        assert_string_equal (troop.group->wrong, cases[i].why);
        assert_int_equal (kube_group_is_complete (troop.group),
                          !*cases[i].why);
        troop_clear (&troop);
    }
}

/* Numbers of a JobSet have gaps: ranks are their order. */
#define SET(job, index)                                                       \
    ", \"labels\": {\"jobset.sigs.k8s.io/jobset-name\": \"s\", "              \
    "\"jobset.sigs.k8s.io/job-global-index\": \"" job "\", "                  \
    "\"batch.kubernetes.io/job-completion-index\": \"" index "\"}, "          \
    "\"annotations\": {\"tori/count\": \"3\"}"

TEST (sparse)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    struct troop troop = {0};
    char text[SHORTAGE];
    troop_add (&troop, "c", SET ("1", "0"), NULL);
    troop_add (&troop, "a", SET ("0", "0"), NULL);
    kube_group_sort (troop.group, machine);
    assert_false (kube_group_is_complete (troop.group));
    kube_group_shortage (troop.group, text);
    assert_string_equal (text, "2 of 3 are there");
    troop_add (&troop, "b", SET ("0", "1"), NULL);
    kube_group_sort (troop.group, machine);
    assert_true (kube_group_is_complete (troop.group));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal (troop.group->ranks[i]->name[0], "abc"[i]);
    troop_add (&troop, "d", SET ("1", "1"), NULL);
    kube_group_sort (troop.group, machine);
    assert_string_equal (troop.group->wrong,
                         "it asks for 3 nodes, and has 4 pods");
    troop_clear (&troop);
}

/* A pod that failed makes room; one that lives does not. */
#define BOUND(rank)                                                           \
    ", \"labels\": {\"tori/job\": \"x\"}, \"annotations\": {\"tori/count\": " \
    "\"2\", \"tori/attempt\": \"5.1\", \"tori/key\": \"a/tori/x\", "         \
    "\"tori/rank\": \"" rank "\"}"

TEST (replaced)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    struct troop troop = {0};
    uint32_t ids[] = {1, 2};
    troop_add (&troop, "a", BOUND ("0"), "n1");
    troop_add (&troop, "b", BOUND ("1"), "n2");
    troop_add (&troop, "c",
               ", \"labels\": {\"tori/job\": \"x\"}, \"annotations\": "
               "{\"tori/count\": \"2\"}",
               NULL);
    troop.group->run = (struct kube_run){.job = 5, .attempt = 1, .n = 2,
                                         .ids = ids};
    kube_group_sort (troop.group, machine);
    assert_string_equal (troop.group->ranks[1]->name, "b");
    troop.pods[0]->phase = POD_FAILED;
    kube_group_sort (troop.group, machine);
    assert_string_equal (troop.group->ranks[0]->name, "c");
    assert_string_equal (troop.group->ranks[1]->name, "b");
    troop.group->run.ids = NULL;
    troop_clear (&troop);
}

/* The controller of a job does not replace a pod that has succeeded. When the
 * others run again, its rank has nothing to do. */
#define PAST(index)                                                           \
    OWNER ("Job")                                                             \
    ", \"annotations\": {\"tori/count\": \"3\", "                             \
    "\"batch.kubernetes.io/job-completion-index\": \"" index "\", "           \
    "\"tori/attempt\": \"5.1\", \"tori/key\": \"a/job/j/o\", "                \
    "\"tori/rank\": \"" index "\"}"
#define NEXT(index)                                                           \
    OWNER ("Job")                                                             \
    ", \"annotations\": {\"tori/count\": \"3\", "                             \
    "\"batch.kubernetes.io/job-completion-index\": \"" index "\"}"

TEST (succeeded_before)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    struct troop troop = {0};
    troop_add (&troop, "b", PAST ("1"), "n1");
    troop.pods[0]->phase = POD_SUCCEEDED;
    kube_group_sort (troop.group, machine);
    assert_false (kube_group_is_complete (troop.group)); /* nothing waits */
    troop_add (&troop, "c", NEXT ("2"), NULL);
    kube_group_sort (troop.group, machine);
    assert_int_equal (troop.group->filled, 2);
    troop_add (&troop, "a", NEXT ("0"), NULL);
    kube_group_sort (troop.group, machine);
    assert_true (kube_group_is_complete (troop.group));
    assert_string_equal (troop.group->ranks[1]->name, "b");
    assert_true (kube_pod_is_done (troop.group, troop.pods[0]));
    troop_add (&troop, "b2", NEXT ("1"), NULL); /* it is made again all the
                                                   same */
    kube_group_sort (troop.group, machine);
    assert_string_equal (troop.group->ranks[1]->name, "b2");
    troop.pods[0]->phase = POD_FAILED;
    assert_false (kube_pod_is_done (troop.group, troop.pods[0]));
    troop_clear (&troop);
}

/* Without an owner, it may be of an earlier job of that name. */
TEST (succeeded_earlier_job)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    struct troop troop = {0};
    troop_add (&troop, "a", BOUND ("0"), "n1");
    troop.pods[0]->phase = POD_SUCCEEDED;
    troop_add (&troop, "b", ", \"labels\": {\"tori/job\": \"x\"}, "
                            "\"annotations\": {\"tori/count\": \"2\"}",
               NULL);
    kube_group_sort (troop.group, machine);
    assert_int_equal (troop.group->filled, 1);
    assert_false (kube_group_is_complete (troop.group));
    troop_clear (&troop);
}

/* A pod that somebody holds back is not there yet. */
TEST (gated)
{
    static const char text[]
        = "{\"metadata\": {\"name\": \"p\", \"namespace\": \"a\", \"uid\": "
          "\"u\", \"creationTimestamp\": \"2026-01-01T00:00:00Z\"}, \"spec\": "
          "{\"schedulerName\": \"tori\", \"schedulingGates\": [%s]}}";
    char gated[512], open[512];
    struct kube_pod *pod;
    snprintf (gated, sizeof gated, text, "{\"name\": \"example/quota\"}");
    snprintf (open, sizeof open, text, "");
    pod = read_pod (gated);
    assert_false (kube_pod_waits (pod));
    kube_pod_destroy (pod);
    pod = read_pod (open);
    assert_true (kube_pod_waits (pod));
    kube_pod_destroy (pod);
}

/* ---- what else will do ---- */

static void check_others (const char *machine_text, const char *notes,
                          const char *alternatives, double patience)
{
    AUTO_MACHINE *machine = make_machine (machine_text);
    struct troop troop = {0};
    char more[500];
    const json_t *ask;
    json_t *expected = json_loads (alternatives, 0, NULL);
    snprintf (more, sizeof more, ", \"annotations\": {%s}", notes);
    troop_add (&troop, "p", more, NULL);
    kube_group_sort (troop.group, machine);
    assert_string_equal (troop.group->wrong, "");
    ask = troop.group->ask;
    assert_non_null (expected);
    if (json_array_size (expected) == 0)
        assert_null (json_object_get (ask, "alternatives"));
    else if (!json_equal (expected, json_object_get (ask, "alternatives")))
        fail_msg ("%s: %s", notes, json_dumps (ask, 0));
    assert_true (json_number_value (json_object_get (ask, "patience"))
                 == patience);
    assert_null (json_object_get (ask, "or"));
    json_decref (expected);
    troop_clear (&troop);
}

TEST (others)
{
    check_others ("torus:4x4x4", "\"tori/shape\": \"4x4x1\"", "[]", 0);
    check_others ("torus:4x4x4",
                  "\"tori/shape\": \"4x4x1\", \"tori/or\": \"boxes\"",
                  "[{\"shape\": \"2x2x4\"}]", 0);
    check_others ("torus:8x8x8",
                  "\"tori/shape\": \"4x4x1\", \"tori/wiring\": \"mesh\", "
                  "\"tori/or\": \"boxes,nodes\", \"tori/patience\": \"10m\"",
                  "[{\"shape\": \"2x2x4\", \"wiring\": \"mesh\"}, "
                  "{\"shape\": \"1x2x8\", \"wiring\": \"mesh\"}, "
                  "{\"count\": 16}]",
                  600);
    check_others ("torus:8x8x8",
                  "\"tori/shape\": \"4x4x1\", \"tori/or\": "
                  "\"8x2x1,2x4x2\", \"tori/patience\": \"90s\"",
                  "[{\"shape\": \"8x2x1\"}, {\"shape\": \"2x4x2\"}]", 90);
    /* there is no other box: then there is nothing to wait for */
    check_others ("torus:4x4x4",
                  "\"tori/shape\": \"3x1x1\", \"tori/or\": \"boxes\", "
                  "\"tori/patience\": \"1h\"",
                  "[]", 0);
    /* torid takes 15 at most */
    AUTO_MACHINE *machine = make_machine ("mesh:60^3");
    struct troop troop = {0};
    troop_add (&troop, "p",
               ", \"annotations\": {\"tori/shape\": \"2x18x20\", "
               "\"tori/or\": \"boxes,nodes\"}",
               NULL);
    kube_group_sort (troop.group, machine);
    assert_int_equal (json_array_size (json_object_get (troop.group->ask,
                                                        "alternatives")),
                      TORI_MAX_ALTERNATIVES);
    troop_clear (&troop);
}

/* ---- ranks ---- */

static uint32_t *ranks_of (const tori_machine *machine, const json_t *order,
                           const char *asked, size_t *ret_n)
{
    json_t *ask = json_pack ("{s:s}", "shape", asked);
    uint32_t *ids = kube_ranks (machine, order, ask, ret_n);
    json_decref (ask);
    return ids;
}

/* By definition: rank r has the coordinates of place r of the shape; some
 * turn of the box takes places that are neighbours along a side of the shape
 * to neighbours along one side of the box. */
static void check_ranks (const char *machine_text, const char *box,
                         const char *asked)
{
    AUTO_MACHINE *machine = make_machine (machine_text);
    tori_shape shape;
    tori_box placed;
    uint32_t *ids, coords[TORI_MAX_DIMS], next[TORI_MAX_DIMS], stride = 1;
    size_t n;
    json_t *order, *list = json_array ();
    tori_shape_parse (asked, &shape, NULL);
    assert_int_equal (tori_box_parse (machine, box, &placed, NULL), 0);
    for (uint64_t i = 0; i < tori_shape_volume (&shape); i++)
        json_array_append_new (list, json_integer (0));
    order = json_pack ("{s:s, s:o}", "box", box, "ids", list);
    ids = ranks_of (machine, order, asked, &n);
    assert_non_null (ids);
    assert_int_equal (n, tori_shape_volume (&shape));
    for (size_t i = 0; i < n; i++) {
        assert_true (tori_box_contains (machine, &placed, ids[i]));
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal (ids[i], ids[k]);
    }
    for (int d = shape.ndims; d-- > 0; stride *= shape.size[d])
        for (uint32_t i = 0; i + stride < n; i++) {
            int differ = 0;
            if (i / stride % shape.size[d] == shape.size[d] - 1)
                continue;
            tori_machine_coords (machine, ids[i], coords);
            tori_machine_coords (machine, ids[i + stride], next);
            for (int e = 0; e < shape.ndims; e++)
                if (coords[e] != next[e]) {
                    differ++;
                    assert_int_equal ((coords[e] + 1)
                                          % tori_machine_size (machine, e),
                                      next[e]);
                }
            assert_int_equal (differ, 1);
        }
    free (ids);
    json_decref (order);
}

TEST (ranks)
{
    check_ranks ("torus:4x4x8", "0,0,0/4x4x8", "4x4x8");
    check_ranks ("torus:8x8x8", "1,2,3/8x4x4", "4x4x8");
    check_ranks ("torus:8x8x8", "7,6,5/2x3x4", "4x3x2");
    check_ranks ("mesh:5x6", "1,1/3x2", "2x3");
}

/* The ranks of a job that got another shape are in that. */
TEST (other_ranks)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    json_t *ask = json_pack ("{s:s, s:[{s:s}, {s:s}, {s:i}]}", "shape", "4x4x1",
                             "alternatives", "shape", "1x2x8", "shape",
                             "2x2x4", "count", 16);
    json_t *ids = json_array (), *order;
    uint32_t *ranks;
    size_t n;
    for (int x = 0; x < 4; x++)
        for (int y = 2; y < 4; y++)
            for (int z = 0; z < 2; z++)
                json_array_append_new (ids, json_integer (16 * x + 4 * y + z));
    order = json_pack ("{s:s, s:O}", "box", "0,2,0/4x2x2", "ids", ids);
    ranks = kube_ranks (machine, order, ask, &n);
    assert_int_equal (n, 16);
    for (uint32_t i = 0; i < n; i++) /* y, z and then x, which is the fastest */
        assert_int_equal (ranks[i],
                          16 * (i % 4) + 4 * (2 + i / 8) + i / 4 % 2);
    free (ranks);
    json_object_del (order, "box"); /* any nodes: as torid lists them */
    ranks = kube_ranks (machine, order, ask, &n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal (ranks[i],
                          json_integer_value (json_array_get (ids, i)));
    free (ranks);
    json_decref (order);
    json_decref (ids);
    json_decref (ask);
}

/* A slice of a pod is one box: places that are neighbours along a side of the
 * shape are so in a cube, or at the two faces that are joined. The lists say
 * which cube is where. */
static void check_slice_ranks (const char *boxes, const char *across,
                               const char *asked,
                               const uint32_t cubes[], const int along[])
{
    AUTO_MACHINE *machine = make_machine ("pod:8/2x2x4");
    static const uint32_t side[] = {2, 2, 4};
    json_t *order = json_pack ("{s:o, s:s, s:o}", "boxes",
                               json_loads (boxes, 0, NULL), "across", across,
                               "ids", json_array ());
    tori_shape shape, pieces;
    uint32_t *ids;
    size_t n;
    tori_shape_parse (asked, &shape, NULL);
    tori_shape_parse (across, &pieces, NULL);
    for (uint64_t i = 0; i < tori_shape_volume (&shape); i++)
        json_array_append_new (json_object_get (order, "ids"),
                               json_integer (0));
    ids = ranks_of (machine, order, asked, &n);
    assert_int_equal (n, tori_shape_volume (&shape));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at[3] = {0}, rest = i, coords[4], cube = 0;
        for (int d = 3; d-- > 0; rest /= shape.size[d])
            at[along[d]] = rest % shape.size[d];
        for (int d = 0; d < 3; d++) {
            cube = cube * pieces.size[d] + at[d] / side[d];
            coords[1 + d] = at[d] % side[d];
        }
        coords[0] = cubes[cube];
        assert_int_equal (ids[i], tori_machine_id (machine, coords));
    }
    free (ids);
    json_decref (order);
}

TEST (slice_ranks)
{
    check_slice_ranks ("[\"5,0,0,0/1x2x2x4\"]", "1x1x1", "2x2x4",
                       (const uint32_t[]){5}, (const int[]){0, 1, 2});
    check_slice_ranks ("[\"5,0,0,0/1x2x2x4\", \"2,0,0,0/1x2x2x4\"]",
                       "1x1x2", "2x2x8", (const uint32_t[]){5, 2},
                       (const int[]){0, 1, 2});
    check_slice_ranks ("[\"5,0,0,0/1x2x2x4\", \"2,0,0,0/1x2x2x4\"]",
                       "2x1x1", "2x4x4", (const uint32_t[]){5, 2},
                       (const int[]){1, 0, 2});
    check_slice_ranks ("[\"0,0,0,0/1x2x2x4\", \"7,0,0,0/1x2x2x4\", "
                       "\"1,0,0,0/1x2x2x4\", \"6,0,0,0/1x2x2x4\"]",
                       "2x1x2", "8x4x2", (const uint32_t[]){0, 7, 1, 6},
                       (const int[]){2, 0, 1});
}

static void check_text (const uint32_t ids[], size_t n, const char *expected)
{
    char *text = kube_ranks_format (ids, n);
    size_t m;
    uint32_t *back = kube_ranks_parse (text, 100, &m);
    assert_string_equal (text, expected);
    assert_int_equal (m, n);
    assert_memory_equal (back, ids, n * sizeof *ids);
    free (back);
    free (text);
}

TEST (texts)
{
    static const char *const bad[]
        = {"", "1,", "x", "3-1", "100", "1-100", "1;2", "-1", "1-", "0-99,0"};
    size_t n;
    check_text ((const uint32_t[]){0, 1, 2, 3}, 4, "0-3");
    check_text ((const uint32_t[]){7, 6, 99, 0, 1}, 5, "7,6,99,0-1");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null (kube_ranks_parse (bad[i], 100, &n));
}
