/* Features and resources of nodes, as Slurm writes them. */
#include "support.h"

#include "node_words.h"

/* ---- features ---- */

/* An expression over the features f0 to f3, and its value by the definition:
 * from left to right, as it is written. */
struct expression {
    char text[4000];
    size_t n;
    unsigned has; /* a set of features */
};

static void add_text (struct expression *of, const char *text)
{
    of->n += (size_t)snprintf (of->text + of->n, sizeof of->text - of->n, "%s",
                               text);
}

static bool add_terms (struct rng *rng, struct expression *of, int depth)
{
    uint32_t terms = between (rng, 1, 3);
    bool value = false;
    for (uint32_t i = 0; i < terms; i++) {
        uint32_t kind = between (rng, 0, 2), feature = between (rng, 0, 3);
        char name[] = {'f', (char)('0' + feature), 0};
        bool next = of->has >> feature & 1;
        if (i > 0)
            add_text (of, kind == 0 ? "|" : kind == 1 ? "&" : ",");
        if (depth > 0 && chance (rng, 30)) {
            add_text (of, "(");
            next = add_terms (rng, of, depth - 1);
            add_text (of, ")");
        } else {
            add_text (of, name);
        }
        value = i == 0 ? next : kind == 0 ? value || next : value && next;
    }
    return value;
}

TEST (features)
{
    struct rng rng = seeded (7);
    for (size_t i = 0; i < random_cases (4000); i++) {
        struct expression of = {.has = between (&rng, 0, 15)};
        char list[40] = "";
        bool expected = add_terms (&rng, &of, 3);
        for (unsigned f = 0; f < 4; f++)
            if (of.has >> f & 1)
                snprintf (list + strlen (list), sizeof list - strlen (list),
                          "%sf%u", *list ? "," : "", f);
        if (features_match (of.text, list) != expected)
            fail_msg ("%s of %s is not %d", of.text, list, expected);
    }
    assert_int_equal (features_match ("big", NULL), 0);
    assert_int_equal (features_match ("bi", "big,b"), 0);
}

TEST (odd_features)
{
    static const char *const odd[]
        = {"",    "a*2", "[a|b]", "a&",  "|a", "(a", "a)",
           "a&&b", "()",  "(a)b",  "a(b)"};
    char deep[200];
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (features_match (odd[i], "a,b") != -1)
            fail_msg ("'%s' is understood", odd[i]);
    memset (deep, '(', sizeof deep);
    deep[sizeof deep - 1] = 0;
    assert_int_equal (features_match (deep, "a"), -1);
}

/* ---- resources ---- */

TEST (resources)
{
    static const struct {
        const char *asked, *has;
        uint64_t wants, count;
    } cases[] = {
        {"gres:gpu:2", "gpu:4", 2, 4},
        {"gres/gpu:2", "gpu:a100:4(S:0-1),ssd:1", 2, 4},
        {"gres/gpu:a100:2", "gpu:a100:4(S:0,1),gpu:h100:3", 2, 4},
        {"gres/gpu", "gpu:a100:4,gpu:h100:3", 1, 7},
        {"gres/gpu:h100", "gpu:a100:4,gpu:h100:3", 1, 3},
        {"gres/gpu=3", "gpu:(null):2(IDX:N/A)", 3, 2},
        {"gres/ssd:2K", "gpu:2,ssd:no_consume:4K", 2048, 4096},
        {"gres/ssd:1", "ssd", 1, 1},
        {"gres/ssd:1", "ss:1,ssdx:1", 1, 0},
        {"gres/ssd:1", NULL, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *list = cases[i].asked;
        struct gres gres;
        assert_true (gres_next (&list, &gres));
        assert_int_equal (gres.count, cases[i].wants);
        if (gres_count (cases[i].has, &gres) != cases[i].count)
            fail_msg ("%s of %s is not %llu", cases[i].asked, cases[i].has,
                      (unsigned long long)cases[i].count);
        assert_false (gres_next (&list, &gres));
    }
}

TEST (lists)
{
    const char *list = "cpu:4,gres/gpu:2,license/x:1,gres/none,gres:ssd:1";
    struct gres gres;
    assert_true (gres_next (&list, &gres));
    assert_string_equal (gres.name, "gpu");
    assert_true (gres_next (&list, &gres));
    assert_string_equal (gres.name, "ssd");
    assert_false (gres_next (&list, &gres));
    list = NULL;
    assert_false (gres_next (&list, &gres));
}
