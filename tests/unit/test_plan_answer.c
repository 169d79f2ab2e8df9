/* The table of a plan: not more rows than are read, and the number of those
 * that are left out. */
#include <stdlib.h>
#include <string.h>

#include "plan_answer.h"
#include "support.h"

static struct table *make_rows (size_t n)
{
    static const struct table_column columns[] = {{"row", TABLE_NUMBER}};
    struct table *table = table_create (columns, 1);
    assert_non_null (table);
    for (size_t i = 0; i < plan_rows_shown (n); i++)
        table_cell (table, "%zu", i + 1);
    return table;
}

static int print_rows (struct table *table, size_t n, char **ret_text,
                       tori_error *err)
{
    size_t length;
    FILE *out = open_memstream (ret_text, &length);
    int status;
    assert_non_null (out);
    status = plan_rows_print (table, n, out, err);
    fclose (out);
    return status;
}

TEST (all_shown)
{
    char *text;
    assert_int_equal (plan_rows_shown (1000), 1000);
    assert_int_equal (print_rows (make_rows (2), 2, &text, NULL), 0);
    assert_string_equal (text, "row\n  1\n  2\n");
    free (text);
}

TEST (some_shown)
{
    char *text;
    assert_int_equal (plan_rows_shown (1003), 1000);
    assert_int_equal (print_rows (make_rows (1003), 1003, &text, NULL), 0);
    assert_non_null (strstr (text, "\n1000\n... 3 more rows; --json prints "
                                   "all\n"));
    free (text);
}

/* A table for which there was no memory is NULL. */
TEST (no_table)
{
    tori_error err = {.status = TORI_OK};
    char *text;
    assert_int_equal (print_rows (NULL, 2000, &text, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (text, "");
    free (text);
}
