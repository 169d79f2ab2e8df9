/* The service after its state has gone back: what an executor has of the future
 * that was lost. */
#include "office.h"

#define IDENTITY "0123456789abcdef0123456789abcdef"
#define FIRST "'state':'" IDENTITY ".1'"
#define JOB "'estimate':600,'command':['true']"
#define READY "{'in':'executor','is':'ready','version':1}"

/* What came of the last input: "WHAT JOB.ATTEMPT;". */
static void expect_orders (const struct office *office, const char *expected)
{
    char text[256] = "";
    size_t i, n = 0;
    json_t *order;
    json_array_foreach (office->orders, i, order)
        n += (size_t)snprintf (
            text + n, sizeof text - n, "%s %lld.%lld;", text_of (order, "do"),
            json_integer_value (json_object_get (order, "job")),
            json_integer_value (json_object_get (order, "attempt")));
    assert_string_equal (text, expected);
}

static void begin_epoch (struct office *office, int now, int epoch)
{
    office->now = now * (tori_time)TORI_SECOND;
    assert_int_equal (service_begin_epoch (office->service, office->now,
                                           IDENTITY, epoch,
                                           epoch > 1 ? 10 : 0, NULL, NULL),
                      0);
}

/* These jobs, and no others. */
static void say_running (struct office *office, int now, const char *jobs)
{
    tell_at (office, now, "{'in':'executor','is':'running','jobs':%s}", jobs);
}

static void begin (struct office *office)
{
    open_office (office, "torus:4x4", NULL);
    begin_epoch (office, 0, 1);
    tell_at (office, 1, READY);
    say_running (office, 1, "[]");
}

/* As after a crash at this moment. */
static void come_back (struct office *office)
{
    restart (office, reloaded (office));
}

static void say_started (struct office *office, int now, int job)
{
    tell_at (office, now,
             "{'in':'executor','is':'started','job':%d,'attempt':1," FIRST "}",
             job);
}

static void say_ended (struct office *office, int now, int job, int attempt)
{
    tell_at (office, now,
             "{'in':'executor','is':'ended','job':%d,'attempt':%d," FIRST
             ",'status':0}",
             job, attempt);
}

/* As from a backup of this moment. */
static void go_back (struct office *office, int now)
{
    come_back (office);
    begin_epoch (office, now, 2);
}

/* Job 1 runs; in the lost future it was suspended for job 5, which has its
 * nodes: job 1 is resumed when these are free, not before and not never. */
TEST (suspended)
{
    struct office office;
    begin (&office);
    tell_at (&office, 2, "{'in':'submit','user':'ann','jobs':["
                         "{'shape':'4x2'," JOB "},{'shape':'4x1'," JOB "}]}");
    expect_orders (&office, "start 1.1;start 2.1;");
    say_started (&office, 3, 1);
    say_started (&office, 3, 2);
    go_back (&office, 9);
    tell_at (&office, 9, READY);
    say_running (&office, 9, "[{'job':1,'attempt':1," FIRST "},"
                             "{'job':2,'attempt':1," FIRST "},"
                             "{'job':5,'attempt':1," FIRST ",'ids':[0,1]}]");
    assert_int_equal (service_strangers (office.service), 1);
    expect_orders (&office, "resume 2.1;");
    say_ended (&office, 10, 5, 1);
    assert_int_equal (service_strangers (office.service), 0);
    expect_orders (&office, "forget 5.1;resume 1.1;");
    close_office (&office);
}

/* Job 1 is to start again, on nodes that job 2 is leaving; in the lost future
 * it did. That attempt has the number of the one to come. */
TEST (not_ordered)
{
    struct office office;
    begin (&office);
    tell_at (&office, 2, "{'in':'submit','root':true,'user':'ann',"
                         "'jobs':[{'shape':'4x4','level':1," JOB "}]}");
    tell_at (&office, 3,
             "{'in':'executor','is':'failed','job':1,'attempt':1," FIRST
             ",'why':'no','retry':true,'hold':true}");
    tell_at (&office, 4,
             "{'in':'submit','user':'ann','jobs':["
             "{'shape':'4x4','preempted':'requeue'," JOB "}]}");
    expect_orders (&office, "start 2.1;");
    say_started (&office, 5, 2);
    tell_at (&office, 6, "{'in':'change','user':'ann','root':true,"
                         "'id':1,'hold':false}");
    expect_orders (&office, "stop 2.1;");
    go_back (&office, 9);
    tell_at (&office, 9, READY);
    say_running (&office, 9, "[{'job':1,'attempt':2," FIRST ",'ids':[8,9]}]");
    assert_int_equal (service_strangers (office.service), 1);
    expect_orders (&office, "");
    say_ended (&office, 10, 1, 2);
    assert_int_equal (service_strangers (office.service), 0);
    expect_orders (&office, "forget 1.2;start 1.3;");
    close_office (&office);
}

/* In the lost future, jobs of the executor's own queue were started: the
 * executor is told to look after them, until it has heard that. */
TEST (disowned)
{
    const char *const a = "[{'job':7,'attempt':1,'key':'a'}]";
    const char *const both = "[{'job':7,'attempt':1,'key':'a'},"
                             "{'job':8,'attempt':2,'key':'b'}]";
    struct office office;
    begin (&office);
    say_running (&office, 2, a);
    expect_orders (&office, "");
    go_back (&office, 9);
    tell_at (&office, 9, READY);
    say_running (&office, 9, both);
    expect_orders (&office, "disown 7.1;disown 8.2;");
    come_back (&office);
    tell_at (&office, 10, READY);
    say_running (&office, 10, both);
    expect_orders (&office, "disown 7.1;disown 8.2;");
    say_running (&office, 11, a); /* it has heard of job 8 */
    expect_orders (&office, "disown 7.1;");
    come_back (&office);
    say_running (&office, 12, both); /* job 8 may have begun once more */
    expect_orders (&office, "disown 7.1;");
    say_running (&office, 13, "[]");
    say_running (&office, 14, both);
    expect_orders (&office, "");
    close_office (&office);
}

/* An operator ends a process that nobody knows while the executor is away: it
 * is told again when it lists what it has, until that is gone. */
TEST (ended_unheard)
{
    const char *const one = "[{'job':7,'attempt':1,'ids':[3]," FIRST "},"
                            "{'job':8,'attempt':1,'ids':[4]," FIRST "}]";
    struct office office;
    begin (&office);
    go_back (&office, 9);
    tell_at (&office, 9, READY);
    say_running (&office, 9, one);
    assert_int_equal (service_strangers (office.service), 2);
    tell_at (&office, 10, "{'in':'end-unknown','id':7,'root':true}");
    expect_orders (&office, "stop 7.1;");
    tell_at (&office, 11, READY);
    say_running (&office, 11, one);
    expect_orders (&office, "stop 7.1;");
    say_running (&office, 12, "[]");
    expect_orders (&office, "");
    assert_int_equal (service_strangers (office.service), 0);
    say_running (&office, 13, one);
    expect_orders (&office, "");
    close_office (&office);
}

/* Jobs b and c of the executor's queue claim the attempt of job a. What the
 * executor says of one of them is not about the others. */
TEST (same_attempt)
{
    const char *const claims
        = "[{'job':1,'attempt':1,'key':'a','ids':[0,1]," FIRST "},"
          "{'job':1,'attempt':1,'key':'b','ids':[5]," FIRST "},"
          "{'job':1,'attempt':1,'key':'c','ids':[6]," FIRST "}]";
    struct office office;
    json_t *list, *known;
    begin (&office);
    tell_at (&office, 2, "{'in':'executor','is':'submit','key':'a','user':"
                         "'ann','shape':'2x1','estimate':600}");
    expect_orders (&office, "start 1.1;");
    say_started (&office, 3, 1);
    tell_at (&office, 4, READY);
    expect_orders (&office, "list 0.0;");
    list = json_array_get (office.orders, 0);
    assert_string_equal (text_of (list, "state"), IDENTITY ".1");
    list = json_object_get (list, "attempts");
    assert_int_equal (json_array_size (list), 1);
    known = json_array_get (list, 0);
    assert_string_equal (text_of (known, "state"), IDENTITY ".1");
    assert_string_equal (text_of (known, "key"), "a");
    assert_int_equal (json_array_size (json_object_get (known, "ids")), 2);
    assert_string_not_equal (text_of (known, "box"), "");
    assert_true (json_number_value (json_object_get (known, "limit")) == 600);
    assert_true (json_number_value (json_object_get (known, "began")) == 2);
    say_running (&office, 4, claims);
    assert_int_equal (service_strangers (office.service), 2);
    tell_at (&office, 5, "{'in':'end-unknown','id':1,'root':true}");
    expect_orders (&office, "stop 1.1;stop 1.1;");
    assert_string_equal (text_of (json_array_get (office.orders, 0), "key"),
                         "b");
    assert_string_equal (text_of (json_array_get (office.orders, 1), "key"),
                         "c");
    tell_at (&office, 6, "{'in':'executor','is':'ended','job':1,'attempt':1,"
                         "'key':'b'," FIRST ",'status':0}");
    assert_int_equal (service_strangers (office.service), 1);
    come_back (&office);
    assert_int_equal (service_strangers (office.service), 1);
    tell_at (&office, 7, "{'in':'executor','is':'ended','job':1,'attempt':1,"
                         "'key':'c'," FIRST ",'status':0}");
    assert_int_equal (service_strangers (office.service), 0);
    assert_true (job_has (&office, 1, "state", "running"));
    close_office (&office);
}

static json_t *look (const struct office *office, uint64_t id)
{
    json_t *job = service_job (office->service, id);
    assert_non_null (job);
    return job;
}

static void assert_member (const struct office *office, uint64_t id,
                           const char *key, const char *text)
{
    json_t *job = look (office, id);
    const char *value = json_string_value (json_object_get (job, key));
    if (!text)
        assert_null (value);
    else {
        assert_non_null (value);
        assert_non_null (strstr (value, text));
    }
    json_decref (job);
}

#define LOST(job)                                                             \
    "{'in':'executor','is':'ended','job':" #job                               \
    ",'attempt':1," FIRST ",'status':null,'signal':9,'lost':true,"            \
    "'why':'its guard was killed'}"

/* Jobs 1 and 2 have ended since the backup, in a way that only the lost future
 * knew; 3, 4 and 5 wait for them. */
static void begin_doubt (struct office *office)
{
    begin (office);
    tell_at (office, 2, "{'in':'submit','user':'ann','jobs':["
                        "{'shape':'4x2'," JOB "},{'shape':'4x1'," JOB "},"
                        "{'shape':'1x1','after':'ok:1'," JOB "},"
                        "{'shape':'1x1','after':'failed:2'," JOB "},"
                        "{'shape':'1x1','after':'any:1'," JOB "}]}");
    say_started (office, 3, 1);
    say_started (office, 3, 2);
}

/* The files of the executor are those of the backup for job 1, and do not know
 * job 2. Neither end is known, so dependents wait for a person. */
TEST (unknown_outcome)
{
    struct office office;
    begin_doubt (&office);
    go_back (&office, 9000);
    tell_at (&office, 9000, READY);
    tell_at (&office, 9000, LOST (1));
    say_running (&office, 9000, "[]");
    for (int again = 0; again < 2; again++) {
        for (uint64_t id = 1; id <= 2; id++) {
            json_t *job = look (&office, id);
            assert_true (json_is_null (json_object_get (job, "signal")));
            assert_true (json_is_null (json_object_get (job, "status")));
            assert_int_equal (json_number_value (json_object_get (job, "end")),
                              602);
            json_decref (job);
            assert_member (&office, id, "why", "outcome is unknown");
            assert_member (&office, id + 2, "state", "queued");
            assert_member (&office, id + 2, "hold", "user");
        }
        assert_member (&office, 3, "why", "the outcome of job 1 is unknown");
        assert_member (&office, 4, "why", "release this job");
        assert_member (&office, 5, "state", "running");
        come_back (&office);
    }
    tell_at (&office, 9001,
             "{'in':'change','user':'ann','id':3,'hold':false}");
    assert_member (&office, 3, "state", "running");
    assert_member (&office, 3, "why", NULL);
    tell_at (&office, 9002, "{'in':'cancel','user':'ann','id':4}");
    assert_member (&office, 4, "why", "cancelled");
    close_office (&office);
}

/* A job that is killed after the executor has been heard was killed. */
TEST (killed_later)
{
    struct office office;
    begin_doubt (&office);
    go_back (&office, 9);
    tell_at (&office, 9, READY);
    say_running (&office, 9, "[{'job':1,'attempt':1," FIRST "},"
                             "{'job':2,'attempt':1," FIRST "}]");
    tell_at (&office, 10, LOST (1));
    tell_at (&office, 10, LOST (2));
    assert_member (&office, 1, "why", "its guard was killed");
    assert_member (&office, 3, "why", "ended otherwise");
    assert_member (&office, 4, "state", "running");
    close_office (&office);
}
