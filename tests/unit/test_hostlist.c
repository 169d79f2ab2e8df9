/* Lists of hosts: what a pattern means, and patterns of any names. */
#include "support.h"

#include "hostlist.h"

static int add_name (void *arg, const char *name, tori_error *err)
{
    FILE *out = arg;
    fprintf (out, "%s ", name);
    return 0;
}

/* All names, with a blank behind each; the caller frees it. */
static char *expand (const char *pattern)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    tori_error err;
    if (hostlist_each (pattern, add_name, out, &err) < 0)
        fail_msg ("%s: %s", pattern, err.text);
    fclose (out);
    return text;
}

TEST (patterns)
{
    static const struct {
        const char *pattern, *names;
        uint64_t n;
    } rows[] = {{"", "", 0},
                {"a", "a ", 1},
                {",a,, b\tc\n", "a b c ", 3},
                {"n[0-2,7]", "n0 n1 n2 n7 ", 4},
                {"n[3,1],m[08-11]", "n3 n1 m08 m09 m10 m11 ", 6},
                {"n[098-101]", "n098 n099 n100 n101 ", 4},
                {"n[9-10]", "n9 n10 ", 2},
                {"a[0-1]b[2-3]", "a0b2 a0b3 a1b2 a1b3 ", 4},
                {"a[0-1][2-3]-ib", "a02-ib a03-ib a12-ib a13-ib ", 4},
                {"[0-1]", "0 1 ", 2},
                {"t[00x12]", "t00 t01 t02 t10 t11 t12 ", 6},
                {"t[09x0B,7]", "t09 t0A t0B t7 ", 4}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        char *names = expand (rows[i].pattern);
        uint64_t n;
        assert_string_equal (names, rows[i].names);
        assert_int_equal (hostlist_count (rows[i].pattern, &n, NULL), 0);
        assert_int_equal (n, rows[i].n);
        free (names);
    }
}

TEST (nonsense)
{
    static const char *const patterns[] = {
        "n[",      "n[0",        "n[0-",         "n[0-]",   "n[]",
        "n[2-1]",  "n[1,,2]",    "n[a-c]",       "n]",      "n[0-1]]",
        "n[1x10]", "n[20x11]",   "n[0-1 ]",      "n[-1]",   "n[[0-1]]",
        "n[0-99999999999]",      "n[0-65535][0-65535]",
        "a[0-4294967294],b[0-4294967294]",
        "n[99999999999999999999]"};
    char longer[400];
    tori_error err;
    uint64_t n = 77;
    for (size_t i = 0; i < LENGTH (patterns); i++) {
        assert_int_equal (hostlist_count (patterns[i], &n, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (hostlist_each (patterns[i], NULL, NULL, &err), -1);
        assert_int_equal (n, 77);
    }
    memset (longer, '0', sizeof longer);
    memcpy (longer, "n[", 2);
    memcpy (longer + 397, "1]", 3);
    assert_int_equal (hostlist_each (longer, add_name, NULL, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    memset (longer, 'n', 398);
    longer[398] = '\0';
    assert_int_equal (hostlist_each (longer, add_name, NULL, &err), -1);
}

static void random_name (struct rng *rng, char name[16])
{
    static const char *const fronts[] = {"n", "n1", "a-", "", "n0"};
    unsigned number = between (rng, 0, 12);
    const char *front = fronts[between (rng, 0, LENGTH (fronts) - 1)];
    if (chance (rng, 10))
        snprintf (name, 16, "x%s", front);
    else
        snprintf (name, 16, "%s%0*u", front, (int)between (rng, 1, 3), number);
}

/* A pattern of names is those names, in their order. */
TEST (formats)
{
    struct rng rng = seeded (5);
    for (size_t i = 0; i < random_cases (2000); i++) {
        char names[20][16], all[512] = "", *pattern, *again;
        const char *list[20];
        size_t n = between (&rng, 0, 20), length = 0;
        for (size_t j = 0; j < n; j++) {
            if (j > 0 && chance (&rng, 60))
                snprintf (names[j], 16, "n%u", (unsigned)j);
            else
                random_name (&rng, names[j]);
            list[j] = names[j];
            length += (size_t)snprintf (all + length, sizeof all - length,
                                        "%s ", names[j]);
        }
        pattern = hostlist_format (list, n);
        again = expand (pattern);
        assert_string_equal (again, all);
        free (again);
        free (pattern);
    }
}

TEST (short)
{
    static const char *const names[] = {"n0", "n1", "n2",  "n7", "n08",
                                        "n09", "n10", "n11", "m",  "b1c"};
    char *pattern = hostlist_format (names, LENGTH (names));
    assert_string_equal (pattern, "n[0-2,7,08-11],m,b1c");
    free (pattern);
    pattern = hostlist_format (names + 3, 1);
    assert_string_equal (pattern, "n7");
    free (pattern);
}
