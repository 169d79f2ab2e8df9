/* misuse.h - what the tests of wrong arguments share. */
#ifndef TORI_TESTS_MISUSE_H
#define TORI_TESTS_MISUSE_H

#include <string.h>

#include "support.h"

static inline void expect_invalid (int status, const tori_error *err)
{
    assert_int_equal (status, -1);
    assert_int_equal (err->status, TORI_INVALID);
    assert_true (strlen (err->text) > 0);
}

/* A call that refuses bad input, with a text; it names the error `err`. */
#define INVALID(call)                                                       \
    do {                                                                    \
        tori_error err = {0};                                               \
        expect_invalid ((call), &err);                                      \
    } while (0)

/* Boxes that are none of a torus:4x6m, each for a reason of its own. */
static const tori_box strangers[] = {
    {{0, 0}, {2, {5, 1}}},          {{0, 0}, {2, {1, 7}}},
    {{0, 5}, {2, {1, 2}}},          {{4, 0}, {2, {1, 1}}},
    {{0, 6}, {2, {1, 1}}},          {{0, 0}, {2, {0, 1}}},
    {{0, 0}, {1, {1}}},             {{0, 0, 0}, {3, {1, 1, 1}}},
    {{0, 0}, {-1, {1, 1}}},         {{0, 0}, {99, {1, 1}}},
    {{UINT32_MAX, 0}, {2, {2, 1}}}, {{0, 1}, {2, {1, UINT32_MAX}}},
};

#endif
