/* cases.h - the cases of a test program. One that is written as
 *
 *     TEST (name)
 *     {
 *         ...
 *     }
 *
 * is run, in the order of the file. TEST_AFTER (name, clear) has cmocka call
 * `clear` when it is over, also if it failed; TEST_BETWEEN (name, prepare, clear)
 * has it call `prepare` before as well. A program that prepares something
 * before has a main that calls run_cases.
 */
#ifndef TORI_TESTS_CASES_H
#define TORI_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct test_case {
    struct CMUnitTest test;
    int line;
};

#define TEST(name) TEST_AFTER (name, NULL)

#define TEST_AFTER(name, clear) TEST_BETWEEN (name, NULL, clear)

#define TEST_BETWEEN(name, prepare, clear)                                    \
    static void test_##name (void **prepared);                                \
    static const struct test_case case_##name                                 \
        = {{#name, test_##name, (prepare), (clear), NULL}, __LINE__};         \
    static const struct test_case *const listed_##name                        \
        __attribute__ ((section ("test_cases"), used))                        \
        = &case_##name;                                                       \
    static void test_##name (void **prepared)

/* Run all, between the two, which may be NULL. The status for main. */
int run_cases (int (*setup) (void **), int (*teardown) (void **));

#endif
