/* The request of a job of Slurm, and the partitions that are watched. */
#include <unistd.h>

#include "support.h"

#include "slurm_ask.h"
#include "slurm_watch.h"

/* ---- comments ---- */

static void check_asked (const char *comment, uint32_t nodes,
                         const char *shape, tori_wiring wiring)
{
    tori_request request;
    tori_error err;
    char text[TORI_TEXT_MAX];
    if (slurm_ask_parse (comment, nodes, &request, &err) < 0)
        fail_msg ("%s: %s", comment, err.text);
    tori_shape_format (&request.shape, text);
    assert_string_equal (text, shape);
    assert_int_equal (request.wiring, wiring);
    assert_int_equal (request.count, 0);
}

TEST (shapes)
{
    check_asked ("tori:shape=4x4x2", 0, "4x4x2", TORI_WIRE_NONE);
    check_asked ("tori:shape=4x2,wiring=torus", 8, "4x2", TORI_WIRE_TORUS);
    check_asked ("tori:wiring=mesh,shape=3 starts at 8", 3, "3",
                 TORI_WIRE_MESH);
    check_asked ("tori:shape=4x4x2@10m,count=32", 32, "4x4x2", TORI_WIRE_NONE);
}

/* How long it waits for its shape. */
TEST (patience)
{
    static const struct {
        const char *comment;
        int64_t seconds;
    } all[] = {{"tori:shape=4x4x2@10m,count=32", 600},
               {"tori:wiring=mesh,count=8,shape=4x2@90s soon", 90},
               {"tori:shape=4x2@1:30:00 | tori: it waits", 5400},
               {"tori:shape=4x2", 0},
               {"tori:shape=4x2@10m,count=9", 0},
               {"mine", 0},
               {NULL, 0}};
    for (size_t i = 0; i < LENGTH (all); i++)
        assert_int_equal (slurm_ask_patience (all[i].comment),
                          all[i].seconds * TORI_SECOND);
}

static void check_remark (const char *comment, const char *remark,
                          const char *expected)
{
    char *text = slurm_ask_remark (comment, remark);
    assert_string_equal (text, expected);
    free (text);
}

/* Remarks come and go; what the user said stays, and is understood. */
TEST (remarks)
{
    char full[1024];
    check_remark ("tori:shape=4", "it waits", "tori:shape=4 | tori: it waits");
    check_remark ("tori:shape=4 mine | tori: it waits", "for you",
                  "tori:shape=4 mine | tori: for you");
    check_remark ("tori:shape=4 | yours | tori: it waits", NULL,
                  "tori:shape=4 | yours");
    check_remark (NULL, "it waits", "| tori: it waits");
    check_remark ("| tori: it waits", NULL, "");
    check_remark (NULL, NULL, "");
    check_asked ("tori:shape=4x2 | tori: it waits", 8, "4x2",
                 TORI_WIRE_NONE);
    memset (full, 'x', sizeof full - 1);
    full[sizeof full - 1] = 0;
    check_remark (full, "it waits", full);
}

static void check_renewed (const char *comment, const char *other,
                           const char *expected)
{
    char *text = slurm_ask_renew (comment, other);
    if (expected)
        assert_string_equal (text, expected);
    else
        assert_null (text);
    free (text);
}

/* A remark made for an earlier comment is for the present one. */
TEST (renewed)
{
    check_renewed ("tori:shape=4", "tori:shape=4,hold | tori: it waits",
                   "tori:shape=4 | tori: it waits");
    check_renewed ("tori:shape=4 | yours | tori: old", "mine | tori: new",
                   "tori:shape=4 | yours | tori: new");
    check_renewed (NULL, "mine | tori: new", "| tori: new");
    check_renewed ("tori:shape=4", "tori:shape=4,hold", NULL);
    check_renewed ("tori:shape=4", NULL, NULL);
}

TEST (counts)
{
    static const char *const comments[] = {NULL, "", "tori", "tori:",
                                           "tori: waits", "mine"};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
        for (uint32_t nodes = 0; nodes < 3; nodes++) {
            tori_request request;
            assert_int_equal (
                slurm_ask_parse (comments[i], nodes, &request, NULL), 0);
            assert_int_equal (request.shape.ndims, 0);
            assert_int_equal (request.count, nodes > 0 ? nodes : 1);
        }
}

TEST (nonsense)
{
    static const char *const comments[] = {
        "tori:shape=", "tori:shape=4x", "tori:shape=0", "tori:wiring=torus",
        "tori:shape=4,wiring=ring", "tori:shape=4,", "tori:,shape=4",
        "tori:shape=4x2", "tori:shape=4;wiring=torus", "tori:4",
        "tori:count=4", "tori:shape=4,count=4", "tori:shape=4@10m,count=5",
        "tori:shape=4@", "tori:shape=4@0", "tori:shape=4@10,count=4",
        "tori:shape=4,rule=round", "tori:rule=fat", "tori:shape=4@soon",
        "tori:shape=4@1m,count=", "tori:shape=4@1m,count=4x",
        "tori:shape=4@1m,count=-4", "tori:or=boxes", "tori:shape=4,or=any",
        "tori:shape=4@1m,or=boxes"};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
        tori_request request = {.count = 77};
        tori_error err;
        assert_int_equal (slurm_ask_parse (comments[i], 4, &request, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (request.count, 77);
    }
}

/* ---- the file ---- */

static int read_text (const char *text, struct slurm_watch *ret_watch,
                      tori_error *err)
{
    char path[] = "/tmp/tori-watch-XXXXXX";
    int fd = mkstemp (path), status;
    assert_int_equal (write (fd, text, strlen (text)), strlen (text));
    close (fd);
    status = slurm_watch_read (path, ret_watch, err);
    unlink (path);
    return status;
}

static void check_count (const struct slurm_watch *watch, const char *list,
                         size_t watched, size_t others)
{
    size_t found, rest;
    slurm_watch_count (watch, list, &found, &rest);
    assert_int_equal (found, watched);
    assert_int_equal (rest, others);
}

TEST (partitions)
{
    struct slurm_watch watch;
    tori_error err;
    assert_int_equal (
        read_text ("# a comment\n\n partitions=mesh, big # two\r\n"
                   "machine=torus:4x4x4",
                   &watch, &err),
        0);
    assert_int_equal (tori_machine_nodes (watch.machine), 64);
    check_count (&watch, NULL, 0, 0);
    check_count (&watch, "", 0, 0);
    check_count (&watch, "mesh", 1, 0);
    check_count (&watch, "big,mesh", 2, 0);
    check_count (&watch, "mes,meshy,big", 1, 2);
    slurm_watch_clear (&watch);
}

/* Nothing is placed by tori any more, and the file is none the worse. */
TEST (no_partitions)
{
    struct slurm_watch watch;
    tori_error err;
    assert_int_equal (
        read_text ("partitions= # none\nmachine=mesh:4\n", &watch, &err), 0);
    check_count (&watch, "mesh,big", 0, 2);
    slurm_watch_clear (&watch);
}

TEST (bad_files)
{
    static const struct {
        const char *text, *error;
    } files[] = {{"", "machine= is missing"},
                 {"machine=mesh:4\n", "partitions= is missing"},
                 {"partitions=a\npartitions=b\n", ":2: partitions= is given"},
                 {"partitions=\npartitions=\n", ":2: partitions= is given"},
                 {"machine=mesh:4\n\nmachine=mesh:4\n", ":3: machine= is"},
                 {"machine=ring:4\n", ":1: "},
                 {"nodes=4\n", ":1: 'nodes=4' is not understood"},
                 {"shapes=round\n", ":1: "},
                 {"wiring=round\n", ":1: "},
                 {"or=nodes\n", ":1: 'or=nodes': expected none or boxes"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct slurm_watch watch = {0};
        tori_error err;
        assert_int_equal (read_text (files[i].text, &watch, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        if (!strstr (err.text, files[i].error))
            fail_msg ("%s: %s", files[i].error, err.text);
        assert_null (watch.machine);
    }
}

/* ---- the machine ---- */

TEST (never)
{
    static const struct {
        const char *comment;
        uint32_t nodes;
        bool never;
    } asks[] = {{NULL, 8, false},
                {NULL, 9, true},
                {"tori:shape=2x4", 0, false},
                {"tori:shape=2x4,wiring=mesh", 0, false},
                {"tori:shape=2x4,wiring=torus", 0, true},
                {"tori:shape=8x1", 0, true},
                {"tori:shape=2x2x2", 0, true}};
    struct slurm_watch watch;
    tori_error err;
    assert_int_equal (read_text ("partitions=a\nmachine=mesh:4x2\n", &watch,
                                 &err),
                      0);
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        tori_request request;
        assert_int_equal (slurm_ask_parse (asks[i].comment, asks[i].nodes,
                                           &request, &err),
                          0);
        assert_int_equal (slurm_watch_check (&watch, &request, &err),
                          asks[i].never ? -1 : 0);
        if (asks[i].never)
            assert_int_equal (err.status, TORI_NEVER);
    }
    slurm_watch_clear (&watch);
}

/* As many nodes as the partition has are enough. */
TEST (room)
{
    const tori_request box = {.shape = {.ndims = 2, .size = {2, 4}}};
    const tori_request count = {.count = 5};
    tori_error err;
    assert_int_equal (slurm_ask_room (&box, 5, "half", 8, &err), 0);
    for (uint32_t asked = 0; asked <= 8; asked += 8) {
        assert_int_equal (slurm_ask_room (&box, asked, "half", 7, &err), -1);
        assert_int_equal (err.status, TORI_NEVER);
        assert_string_equal (err.text, "partition half has 7 nodes, but the "
                                       "job asks for 8");
    }
    assert_int_equal (slurm_ask_room (&box, 5, "half", 7, &err), -1);
    assert_string_equal (err.text, "partition half has 7 nodes, but the box "
                                   "for 5 nodes has 8");
    assert_int_equal (slurm_ask_room (&count, 0, "half", 5, &err), 0);
    assert_int_equal (slurm_ask_room (&count, 0, "half", 4, NULL), -1);
}

/* The written text is read back. */
static void check_rule (const struct slurm_watch *watch, uint32_t count,
                        const char *shape)
{
    tori_request request = {.count = count};
    char *comment;
    assert_true (slurm_watch_shape (watch, &request));
    assert_false (slurm_watch_shape (watch, &request));
    comment = slurm_ask_comment (&request, watch->shaping, watch->boxes,
                                 "mine");
    assert_true (slurm_ask_ruled (comment));
    assert_int_equal (slurm_ask_boxes (comment), watch->boxes);
    check_asked (comment, 0, shape, TORI_WIRE_MESH);
    free (comment);
}

static void check_narrow (const tori_machine *machine, const char *may,
                          const char *asked, const char *expected)
{
    unsigned char has[64];
    char text[TORI_TEXT_MAX];
    tori_request request, found;
    tori_error err;
    for (size_t i = 0; i < 64; i++)
        has[i] = may[i % strlen (may)] == '1';
    assert_int_equal (slurm_ask_parse (asked, 0, &request, &err), 0);
    assert_int_equal (
        slurm_watch_narrow (machine, has, &request, &found, &err), 0);
    if (found.shape.ndims > 0)
        tori_shape_format (&found.shape, text);
    else
        snprintf (text, sizeof text, "%u", found.count);
    assert_string_equal (text, expected);
    assert_int_equal (tori_request_nodes (&found),
                      tori_request_nodes (&request));
}

/* The shape of the rule gives way to a box that the nodes of a job hold. */
TEST (narrow)
{
    static const char all[] = "1", plane[] = "1111111111111111"
                                             "0000000000000000"
                                             "0000000000000000"
                                             "0000000000000000",
                      line[] = "1000", last[] = "0001", odd[] = "1010010110100101"
                                                     "0101101001011010";
    tori_machine *machine;
    tori_error err;
    assert_int_equal (tori_machine_parse ("mesh:4x4x4", &machine, &err), 0);
    check_narrow (machine, all, "tori:shape=2x2x4", "2x2x4");
    check_narrow (machine, plane, "tori:shape=2x2x4", "1x4x4");
    check_narrow (machine, plane, "tori:shape=2x2x2", "1x2x4");
    check_narrow (machine, plane, "tori:shape=1x2x2", "1x2x2");
    check_narrow (machine, line, "tori:shape=2x2x4", "1x4x4");
    check_narrow (machine, last, "tori:shape=2x2x1", "2x2x1");
    check_narrow (machine, odd, "tori:shape=2x2x2", "8");
    tori_machine_destroy (machine);
}

/* A shape that its user has given does not. */
TEST (ruled)
{
    assert_true (slurm_ask_ruled ("tori:shape=4,rule=compact mine"));
    assert_false (slurm_ask_ruled ("tori:shape=4 rule=compact"));
    assert_false (slurm_ask_ruled ("tori:shape=4,rule=count"));
    assert_false (slurm_ask_ruled ("mine"));
    assert_false (slurm_ask_ruled (NULL));
}

/* Other boxes will do if the comment says so. */
TEST (boxes)
{
    assert_true (slurm_ask_boxes ("tori:shape=4x2,or=boxes mine"));
    assert_false (slurm_ask_boxes ("tori:shape=4x2,or=none"));
    assert_false (slurm_ask_boxes ("tori:shape=4x2 or=boxes"));
    assert_false (slurm_ask_boxes ("tori:shape=4x2,or=nodes"));
    assert_false (slurm_ask_boxes (NULL));
    check_asked ("tori:or=boxes,shape=4x2", 8, "4x2", TORI_WIRE_NONE);
}

/* With shapes=compact they do, unless the file says something else. */
static void check_or (const char *lines, bool boxes)
{
    struct slurm_watch watch;
    tori_error err;
    char text[200];
    snprintf (text, sizeof text, "partitions=a\n%smachine=mesh:4x2\n", lines);
    assert_int_equal (read_text (text, &watch, &err), 0);
    assert_int_equal (watch.boxes, boxes);
    slurm_watch_clear (&watch);
}

TEST (or)
{
    check_or ("", false);
    check_or ("shapes=compact\n", true);
    check_or ("shapes=fat\n", false);
    check_or ("shapes=compact\nor=none\n", false);
    check_or ("or=none\nshapes=compact\n", false);
    check_or ("or=boxes\nshapes=fat\n", true);
}

TEST (two_meanings)
{
    tori_request request;
    tori_error err;
    assert_int_equal (slurm_ask_parse ("tori:shape=4x4x2@10,count=32", 0,
                                       &request, &err),
                      -1);
    assert_string_equal (err.text, "'10' has two meanings, seconds or, as in "
                                   "Slurm, minutes: write 10s or 10m");
}

TEST (rule)
{
    struct slurm_watch watch;
    tori_request many = {.count = 9};
    tori_error err;
    assert_int_equal (read_text ("partitions=a\nmachine=mesh:4x2\n"
                                 "shapes=compact\nwiring=mesh\n",
                                 &watch, &err),
                      0);
    check_rule (&watch, 1, "1x1");
    check_rule (&watch, 4, "2x2");
    check_rule (&watch, 7, "4x2");
    watch.boxes = false;
    check_rule (&watch, 4, "2x2");
    assert_false (slurm_watch_shape (&watch, &many));
    watch.shaping = TORI_SHAPE_NONE;
    many.count = 1;
    assert_false (slurm_watch_shape (&watch, &many));
    slurm_watch_clear (&watch);
}
