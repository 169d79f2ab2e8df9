/* The cases of a test program, which the linker has put side by side. */
#include "cases.h"

#include <stdlib.h>

extern const struct test_case *const __start_test_cases[], *const __stop_test_cases[];

static int by_line (const void *a, const void *b)
{
    const struct test_case *const *x = a, *const *y = b;
    return ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

int run_cases (int (*setup) (void **), int (*teardown) (void **))
{
    size_t n = (size_t)(__stop_test_cases - __start_test_cases);
    const struct test_case **cases = calloc (n, sizeof *cases);
    struct CMUnitTest *tests = calloc (n, sizeof *tests);
    int status = 1;
    if (cases && tests) {
        for (size_t i = 0; i < n; i++)
            cases[i] = __start_test_cases[i];
        qsort (cases, n, sizeof *cases, by_line);
        for (size_t i = 0; i < n; i++)
            tests[i] = cases[i]->test;
        status = _cmocka_run_group_tests ("tests", tests, n, setup, teardown);
    }
    free (cases);
    free (tests);
    return status;
}

__attribute__ ((weak)) int main (void)
{
    return run_cases (NULL, NULL);
}
