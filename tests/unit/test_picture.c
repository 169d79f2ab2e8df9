/* Pictures of machines: letters tell jobs apart. */
#include <string.h>

#include "support.h"

#include "picture.h"

enum { MOST_NODES = 3000 };

/* Some nodes are of random jobs, of which there are at most so many; boxes
 * of a node, and larger ones. */
static void fill (struct rng *rng, struct picture *picture, uint32_t jobs)
{
    uint32_t n = tori_machine_nodes (picture->machine);
    for (uint32_t i = 0; i < n; i++)
        picture->owner[i] = PICTURE_NOBODY;
    for (uint32_t i = 0; i < n; i++)
        if (chance (rng, 80))
            picture->owner[i] = i > 0 && chance (rng, 30)
                                    ? picture->owner[i - 1]
                                    : 1000 + between (rng, 1, jobs);
}

/* Every node has the letter of its job. */
static void expect_text (const struct picture *picture)
{
    for (uint32_t i = 0; i < tori_machine_nodes (picture->machine); i++)
        if (picture->owner[i] == PICTURE_NOBODY)
            assert_int_equal (picture->text[i], '.');
        else
            assert_int_equal (picture->text[i],
                              letters_of (&picture->letters,
                                          picture->owner[i]));
}

static void expect_distinct (const struct picture *picture)
{
    bool seen[256] = {false};
    for (size_t i = 0; i < picture->letters.n; i++) {
        char letter = letters_of (&picture->letters,
                                  picture->letters.item[i].job);
        assert_false (seen[(unsigned char)letter]);
        assert_null (strchr (".#x-O 0", letter));
        seen[(unsigned char)letter] = true;
    }
}

static void clear_text (struct picture *picture)
{
    memset (picture->text, '.', tori_machine_nodes (picture->machine));
}

TEST (few_jobs_share_no_letter)
{
    struct rng rng;
    rng_seed (&rng, 1, 1);
    for (size_t i = 0; i < random_cases (200); i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, MOST_NODES);
        struct picture picture;
        assert_int_equal (picture_create (machine, &picture, NULL), 0);
        fill (&rng, &picture, between (&rng, 1, 59));
        assert_int_equal (picture_letter (&picture, NULL, NULL), 0);
        expect_text (&picture);
        expect_distinct (&picture);
        picture_clear (&picture);
    }
}

/* Each node is a job of its own, so that every job has six neighbours. */
TEST (neighbours_share_no_letter)
{
    struct picture picture;
    tori_machine *machine;
    uint32_t at[3];
    assert_int_equal (tori_machine_parse ("mesh:8x9x10", &machine, NULL), 0);
    assert_int_equal (picture_create (machine, &picture, NULL), 0);
    for (uint32_t i = 0; i < 720; i++)
        picture.owner[i] = i * 59; /* they would all have the same */
    assert_int_equal (picture_letter (&picture, NULL, NULL), 0);
    expect_text (&picture);
    for (uint32_t i = 0; i < 720; i++) {
        tori_machine_coords (machine, i, at);
        assert_true (at[2] == 9 || picture.text[i] != picture.text[i + 1]);
        assert_true (at[1] == 8 || picture.text[i] != picture.text[i + 10]);
        assert_true (at[0] == 7 || picture.text[i] != picture.text[i + 90]);
    }
    picture_clear (&picture);
    tori_machine_destroy (machine);
}

/* A job that stays keeps its letter, while others come and go. */
TEST (letters_are_kept)
{
    struct rng rng;
    struct picture picture;
    tori_machine *machine;
    rng_seed (&rng, 2, 1);
    assert_int_equal (tori_machine_parse ("torus:6x6x6", &machine, NULL), 0);
    assert_int_equal (picture_create (machine, &picture, NULL), 0);
    for (int turn = 0; turn < 100; turn++) {
        uint64_t job = 0;
        char letter = ' ';
        if (picture.letters.n > 0) {
            size_t i = between (&rng, 0, (uint32_t)picture.letters.n - 1);
            job = picture.letters.item[i].job;
            letter = letters_of (&picture.letters, job);
        }
        clear_text (&picture);
        fill (&rng, &picture, chance (&rng, 50) ? 50 : 500);
        if (letter != ' ')
            picture.owner[between (&rng, 0, 215)] = job;
        assert_int_equal (picture_letter (&picture, &picture.letters, NULL),
                          0);
        expect_text (&picture);
        if (letter != ' ')
            assert_int_equal (letters_of (&picture.letters, job), letter);
    }
    picture_clear (&picture);
    tori_machine_destroy (machine);
}
