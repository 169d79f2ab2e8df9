/* Windows of the executor: it says all that there are, and the service keeps
 * exactly these, whatever it was told before. */
#include "office.h"

#include <stdlib.h>
#include <time.h>

static void begin (struct office *office)
{
    open_office (office, "torus:4x2", NULL);
}

/* How many records come of it; half of the time by the name of the version
 * before. */
static int list (struct office *office, int now, const char *reservations)
{
    const char *name = now % 2 ? "reservations" : "windows";
    size_t before = json_array_size (office->records);
    int n = 0;
    tell_at (office, now, "{'in':'executor', 'is':'%s', '%s':%s}", name, name,
             reservations);
    for (size_t i = before; i < json_array_size (office->records); i++)
        n += json_object_get (json_array_get (office->records, i), "in")
             != NULL;
    return n;
}

/* The reservations, as "ID KEY FROM-UNTIL NODES;". */
static void expect (const struct service *service, const char *expected)
{
    json_t *all = service_reservations (service);
    char text[256] = "";
    for (size_t i = 0; i < json_array_size (all); i++) {
        const json_t *is = json_array_get (all, i);
        const char *key = json_string_value (json_object_get (is, "key"));
        size_t n = strlen (text);
        snprintf (text + n, sizeof text - n, "%d %s %g-%g %zu;",
                  (int)json_integer_value (json_object_get (is, "id")),
                  key ? key : "-",
                  json_number_value (json_object_get (is, "from")),
                  json_number_value (json_object_get (is, "until")),
                  json_array_size (json_object_get (is, "nodes")));
    }
    assert_string_equal (text, expected);
    json_decref (all);
}

#define A "{'key':'a','nodes':['0,0/2x2'],'from':100,'until':200}"
#define B "{'key':'b','nodes':['3,1'],'from':50,'until':60}"
#define LONGER_A \
    "{'key':'a','nodes':['0,0/2x2'],'from':100,'until':300}"
#define WIDER_A \
    "{'key':'a','nodes':['0,0/3x2'],'from':100,'until':300}"

/* The same again is no news. */
TEST (all)
{
    struct office office;
    begin (&office);
    assert_int_equal (list (&office, 1, "[" A "," B "]"), 1);
    expect (office.service, "1 a 100-200 4;2 b 50-60 1;");
    assert_int_equal (list (&office, 2, "[" B "," A "]"), 0);
    assert_int_equal (list (&office, 3, "[" LONGER_A "," B "]"), 1);
    expect (office.service, "2 b 50-60 1;3 a 100-300 4;");
    assert_int_equal (list (&office, 4, "[" WIDER_A "]"), 1);
    expect (office.service, "4 a 100-300 6;");
    assert_int_equal (list (&office, 5, "[]"), 1);
    assert_int_equal (list (&office, 6, "[]"), 0);
    expect (office.service, "");
    close_office (&office);
}

/* Those of operators stay, and what makes no sense is passed over. */
TEST (others)
{
    struct office office;
    begin (&office);
    tell_at (&office, 1, "{'in':'window', 'root':true, 'nodes':['1,1'],"
                         " 'from':10, 'until':20}");
    assert_int_equal (
        list (&office, 2,
              "[7, {'key':'n','count':2,'until':9},"
              " {'nodes':['0,0'],'until':9}, {'key':'a'},"
              " {'key':'b','nodes':['9,9'],'from':5,'until':9},"
              " {'key':'c','nodes':['0,0'],'from':0,'until':1},"
              " {'key':'d','nodes':['0,0'],'from':0,'until':9}]"),
        1);
    expect (office.service, "1 - 10-20 1;2 d 0-9 1;");
    assert_int_equal (list (&office, 3, "{}"), 0);
    assert_int_equal (list (&office, 4, "[]"), 1);
    expect (office.service, "1 - 10-20 1;");
    close_office (&office);
}

static void submit (struct office *office, int now, const char *user,
                    const char *groups, const char *shape, int seconds)
{
    tell_at (office, now,
             "{'in':'submit', 'user':'%s', 'groups':'%s', 'jobs':[{"
             "'shape':'%s', 'estimate':%d, 'command':['x']}]}",
             user, groups, shape, seconds);
}

/* The states of jobs by number, a letter each. */
static void expect_states (const struct service *service, const char *expected)
{
    char text[16] = "";
    for (size_t i = 0; expected[i]; i++) {
        json_t *job = service_job (service, i + 1);
        text[i] = *text_of (job, "state");
        json_decref (job);
    }
    assert_string_equal (text, expected);
}

/* A job that would run into one waits, and starts when it is gone. */
TEST (jobs)
{
    struct office office;
    begin (&office);
    list (&office, 1, "[" A "]");
    submit (&office, 2, "ann", "", "4x2", 150);
    expect_states (office.service, "q");
    list (&office, 3, "[]");
    expect_states (office.service, "r");
    close_office (&office);
}

/* The journal brings all of it back, with its numbers. */
TEST (replay)
{
    struct office office;
    begin (&office);
    list (&office, 1, "[" A "," B "]");
    list (&office, 2, "[" LONGER_A "," B "]");
    list (&office, 3, "[" LONGER_A "]");
    restart (&office, replayed (&office));
    expect (office.service, "3 a 100-300 4;");
    assert_int_equal (list (&office, 4, "[" LONGER_A "]"), 0);
    list (&office, 5, "[" LONGER_A "," B "]");
    expect (office.service, "3 a 100-300 4;4 b 50-60 1;");
    close_office (&office);
}

static void submit_small (struct office *office, int now, const char *user,
                          const char *groups)
{
    submit (office, now, user, groups, "1x1", 150);
}

/* Jobs of the users and of the members of the groups run inside, whether they
 * are there before or come later; a replay knows them, too. */
TEST (users)
{
    struct office office;
    begin (&office);
    tell_at (&office, 1, "{'in':'window', 'root':true, 'nodes':['0,0/4x2'],"
                         " 'from':1, 'until':20}");
    submit_small (&office, 2, "ann", "");
    submit_small (&office, 2, "bob", "physics chemistry");
    submit_small (&office, 2, "carl", "chemistry");
    submit_small (&office, 2, "dora", "");
    expect_states (office.service, "qqqq");
    tell_at (&office, 20,
             "{'in':'window', 'root':true, 'nodes':['0,0/4x2'], 'from':20,"
             " 'until':1000, 'users':['ann'], 'of_groups':['physics'],"
             " 'members':['dora']}");
    expect_states (office.service, "rqqr");
    submit_small (&office, 21, "bob", "physics");
    expect_states (office.service, "rrqrr");
    submit_small (&office, 22, "carl", "physic");
    submit_small (&office, 22, "ann", "");
    expect_states (office.service, "rrqrrqr");
    restart (&office, replayed (&office));
    expect_states (office.service, "rrqrrqr");
    submit_small (&office, 23, "bob", "");
    submit_small (&office, 23, "eve", "");
    expect_states (office.service, "rrqrrqrrq");
    close_office (&office);
}

/* Submit a job of a time limit in seconds that fills the machine. */
static void fill (struct office *office, int now, int limit)
{
    submit (office, now, "eve", "", "4x2", limit);
}

static void cancel (struct office *office, int now, int id)
{
    tell_at (office, now, "{'in':'cancel', 'root':true, 'id':%d}", id);
}

static void wait_until (struct office *office, int now)
{
    office->now = now * (tori_time)TORI_SECOND;
    say (office, json_of ("{'in':'nothing'}"));
    decide (office);
}

/* Time 0 is a Thursday. A reservation from 01:00 to 02:00 comes every day, and
 * each day is kept free; those of four weeks are planned. */
TEST (again)
{
    enum { HOUR = 3600, DAY = 24 * HOUR };
    struct office office;
    json_t *all;
    begin (&office);
    tell_at (&office, 10,
             "{'in':'window', 'root':true, 'nodes':['0,0/4x2'],"
             " 'every':'01:00-02:00', 'name':'daily', 'users':['ann']}");
    all = service_reservations (office.service);
    assert_int_equal (json_array_size (json_object_get (
                          json_array_get (all, 0), "times")),
                      28);
    json_decref (all);
    expect (office.service, "1 - 3600-7200 8;");
    fill (&office, 20, DAY); /* not on any day */
    fill (&office, 20, HOUR);
    expect_states (office.service, "qq");
    cancel (&office, 30, 2);
    fill (&office, 40, HOUR - 39);
    expect_states (office.service, "qeq");
    cancel (&office, HOUR, 3);
    wait_until (&office, 2 * HOUR);
    expect (office.service, "1 - 90000-93600 8;");
    fill (&office, 2 * HOUR, 23 * HOUR + 1); /* into the second */
    fill (&office, 2 * HOUR, 23 * HOUR);
    expect_states (office.service, "qeeqr");
    submit_small (&office, 2 * HOUR, "ann", "");
    restart (&office, replayed (&office));
    expect (office.service, "1 - 90000-93600 8;");
    cancel (&office, 3 * HOUR, 5);
    wait_until (&office, 40 * DAY);
    expect (office.service, "1 - 3.4596e+06-3.4632e+06 8;");
    tell_at (&office, 40 * DAY + 1, "{'in':'unwindow', 'root':true, 'id':1}");
    expect (office.service, "");
    close_office (&office);
}

int main (void)
{
    setenv ("TZ", "UTC", 1);
    tzset ();
    return run_cases (NULL, NULL);
}
