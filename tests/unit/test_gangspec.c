/* Jobs of 'tori gang run': words and lines become jobs, jobs become bytes and
 * the same jobs again, and whatever else arrives is refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "config.h"
#include "random.h"

static struct spec *line (const char *text)
{
    tori_error err;
    struct spec *spec = NULL;
    assert_int_equal (spec_parse_line (text, &spec, &err), 0);
    return spec;
}

static void expect_words (const struct spec_stage *stage, uint32_t count,
                          const char *const words[])
{
    size_t n = 0;
    assert_int_equal (stage->count, count);
    for (; words[n]; n++) {
        assert_non_null (stage->argv[n]);
        assert_string_equal (stage->argv[n], words[n]);
    }
    assert_null (stage->argv[n]);
}

TEST (lines_are_split_as_a_shell_does)
{
    struct spec *spec = line (
        "-n 3 -t 1.5  prog a\\ b 'c \\d \"e' \"f 'g\" \"\\\"\" '' h'i'\"j\"k");
    const char *const words[]
        = {"prog", "a b", "c \\d \"e", "f 'g", "\"", "", "hijk", NULL};
    assert_int_equal (spec->stages, 1);
    assert_int_equal (spec->start, 1500000000);
    expect_words (&spec->stage[0], 3, words);
    spec_destroy (spec);
}

TEST (stages_and_their_processes)
{
    struct spec *spec = line ("-n2 a | b -n 5 | -n 3 -- -c");
    const char *const a[] = {"a", NULL};
    const char *const b[] = {"b", "-n", "5", NULL};
    const char *const c[] = {"-c", NULL};
    const struct {
        size_t stage;
        uint32_t rank;
    } expected[] = {{0, 0}, {0, 1}, {1, 0}, {2, 0}, {2, 1}, {2, 2}};
    assert_int_equal (spec->stages, 3);
    expect_words (&spec->stage[0], 2, a);
    expect_words (&spec->stage[1], 1, b);
    expect_words (&spec->stage[2], 3, c);
    assert_int_equal (spec_count (spec), 6);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t rank;
        assert_int_equal (spec_stage_of (spec, i, &rank), expected[i].stage);
        assert_int_equal (rank, expected[i].rank);
        assert_int_equal (spec_first (spec, expected[i].stage) + rank, i);
    }
    spec_destroy (spec);
}

/* A bar is one where it stands by itself and nobody has quoted it. */
TEST (bars_in_lines)
{
    struct spec *spec = line ("a '|' \\| \"|\" '|'x | b a|b \\\\| '\\|'");
    const char *const a[] = {"a", "|", "|", "|", "|x", NULL};
    const char *const b[] = {"b", "a|b", "\\|", "\\|", NULL};
    assert_int_equal (spec->stages, 2);
    expect_words (&spec->stage[0], 1, a);
    expect_words (&spec->stage[1], 1, b);
    spec_destroy (spec);
}

TEST (bars_among_words)
{
    const char *words[]
        = {"a", "\\|", "|", "b", "\\\\|", "||", "x|", "\\", NULL};
    enum { N = sizeof words / sizeof words[0] - 1 };
    const char *const a[] = {"a", "|", NULL};
    const char *const b[] = {"b", "\\|", "||", "x|", "\\", NULL};
    struct spec *spec;
    assert_int_equal (spec_parse (words, N, &spec, NULL), 0);
    assert_int_equal (spec->stages, 1);
    expect_words (&spec->stage[0], 1, words);
    spec_destroy (spec);
    spec_find_bars (words, N);
    assert_int_equal (spec_parse (words, N, &spec, NULL), 0);
    assert_int_equal (spec->stages, 2);
    expect_words (&spec->stage[0], 1, a);
    expect_words (&spec->stage[1], 1, b);
    spec_destroy (spec);
}

TEST (what_is_no_job)
{
    static const char *const bad[]
        = {"",      "-n 3",        "-n 0 a",    "-n -1 a",     "-n 2.5 a",
           "-n a",  "-q a",        "a |",       "| a",         "a | | b",
           "'a",    "a \"b",       "''",        "a | -t 1 b",  "-t x a",
           "-t -1 a", "-n 1048577 a", "-n 1048576 a | b", "-n",
           "--output", "--output= a", "--detach=1 a", "a | --detach b",
           "--no-such a", "--shares 0 a", "--shares 1001 a", "--mpi lam a"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct spec *spec = (struct spec *)(void *)&spec, *before = spec;
        tori_error err = {.status = TORI_OK};
        assert_int_equal (spec_parse_line (bad[i], &spec, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_ptr_equal (spec, before);
    }
}

static void expect_same (const struct spec *a, const struct spec *b)
{
    assert_int_equal (a->stages, b->stages);
    assert_int_equal (a->start, b->start);
    assert_int_equal (!a->cwd, !b->cwd);
    assert_int_equal (!a->env, !b->env);
    assert_int_equal (a->detach, b->detach);
    assert_int_equal (a->restart, b->restart);
    assert_int_equal (a->pty, b->pty);
    assert_int_equal (a->pin, b->pin);
    assert_int_equal (a->mpi, b->mpi);
    assert_int_equal (a->shares, b->shares);
    assert_string_equal (a->output ? a->output : "",
                         b->output ? b->output : "");
    for (size_t i = 0; a->env && (a->env[i] || b->env[i]); i++)
        assert_string_equal (a->env[i], b->env[i]);
    for (size_t i = 0; i < a->stages; i++)
        expect_words (&a->stage[i], b->stage[i].count,
                      (const char *const *)b->stage[i].argv);
}

/* Cut anywhere, or with any byte changed, they are refused or another job. */
TEST (bytes_and_back)
{
    struct spec *spec = line ("-n 2 --output=o%r --shares 3 --pty --pin "
                              "--mpi none --restart=2 -t 3 --detach a 'b c' "
                              "'' | -n 4 d"),
                *other;
    struct bytes bytes = {0};
    struct rng rng;
    rng_seed (&rng, 1, 0);
    assert_int_equal (spec_pack (spec, &bytes, NULL), 0);
    assert_int_equal (spec_unpack (bytes.data, bytes.n, &other, NULL), 0);
    expect_same (other, spec);
    spec_destroy (other);
    for (size_t n = 0; n < bytes.n; n++) {
        char *cut = malloc (n + 1);
        assert_non_null (cut);
        memcpy (cut, bytes.data, n);
        assert_int_equal (spec_unpack (cut, n, &other, NULL), -1);
        free (cut);
    }
    for (int round = 0; round < 2000; round++) {
        size_t at = rng_below (&rng, (uint32_t)bytes.n);
        char was = bytes.data[at];
        bytes.data[at] = (char)rng_below (&rng, 256);
        if (spec_unpack (bytes.data, bytes.n, &other, NULL) == 0)
            spec_destroy (other);
        bytes.data[at] = was;
    }
    bytes_clear (&bytes);
    spec_destroy (spec);
}

TEST (environments_go_along)
{
    char first[] = "A=b c", second[] = "EMPTY=", third[] = "odd";
    char *const env[] = {first, second, third, NULL}, *const none[] = {NULL};
    for (int i = 0; i < 2; i++) {
        struct spec *spec = line ("a | b"), *other;
        struct bytes bytes = {0};
        assert_int_equal (spec_set_env (spec, i ? env : none, NULL), 0);
        assert_int_equal (spec_pack (spec, &bytes, NULL), 0);
        assert_int_equal (spec_unpack (bytes.data, bytes.n, &other, NULL), 0);
        expect_same (other, spec);
        for (size_t n = 0; n < bytes.n; n++) {
            struct spec *cut;
            assert_int_equal (spec_unpack (bytes.data, n, &cut, NULL), -1);
        }
        spec_destroy (other);
        spec_destroy (spec);
        bytes_clear (&bytes);
    }
}

TEST (lists_go_through_a_file_in_memory)
{
    const char *const texts[] = {"-n 2 a", "b | c"};
    struct bytes lines = {0};
    struct joblist other = {0};
    const tori_error bad = {.status = TORI_INVALID, .text = "jobs:7: no"};
    tori_error err;
    int fd;
    for (int i = 0; i < 2; i++) {
        assert_int_equal (bytes_add_number (&lines, 3 + i, NULL), 0);
        assert_int_equal (bytes_add_text (&lines, texts[i], NULL), 0);
    }
    fd = joblist_write ("jobs", &lines, NULL, &err);
    assert_true (fd >= 0);
    assert_int_equal (joblist_read (fd, &other, &err), 0);
    assert_int_equal (other.n, 2);
    assert_string_equal (other.path, "jobs");
    for (size_t i = 0; i < 2; i++) {
        struct spec *spec = line (texts[i]);
        assert_int_equal (other.item[i].line, 3 + i);
        expect_same (other.item[i].spec, spec);
        spec_destroy (spec);
    }
    joblist_clear (&other);
    fd = joblist_write ("jobs", &lines, &bad, &err);
    assert_true (fd >= 0);
    assert_int_equal (joblist_read (fd, &other, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, bad.text);
    joblist_clear (&other);
    bytes_clear (&lines);
}

TEST (options_go_through_words)
{
    struct config config = {.slot = 20000000,
                            .degree = 4,
                            .policy = "lowest",
                            .machine = "mesh:2x2",
                            .listen = "a b",
                            .report = "",
                            .cage = CAGE_SIGNAL,
                            .turns = TURNS_LOCAL,
                            .sleepers = SLEEPERS_KEEP,
                            .label = 1,
                            .jobs = -1};
    struct config other;
    struct config_words words;
    char program[] = "tori-gang";
    config_write (&config, &words);
    words.word[0] = program;
    assert_null (words.word[CONFIG_WORDS + 1]);
    assert_int_equal (config_read (words.word, CONFIG_WORDS + 1, &other, NULL),
                      0);
    assert_int_equal (other.slot, config.slot);
    assert_int_equal (other.degree, config.degree);
    assert_string_equal (other.policy, config.policy);
    assert_string_equal (other.machine, config.machine);
    assert_string_equal (other.listen, config.listen);
    assert_string_equal (other.report, config.report);
    assert_int_equal (other.cage, config.cage);
    assert_int_equal (other.turns, config.turns);
    assert_int_equal (other.sleepers, config.sleepers);
    assert_int_equal (other.label, config.label);
    assert_int_equal (other.jobs, config.jobs);
    assert_int_equal (config_read (words.word, CONFIG_WORDS, &other, NULL),
                      -1);
}
