#include "planrows.h"

#include "terminal.h"

enum { MOST_ROWS = 1000 };

size_t planrows_shown (size_t n)
{
    return n < MOST_ROWS ? n : MOST_ROWS;
}

int planrows_print (struct table *table, size_t n,
                    void (*summary) (const void *arg, FILE *out),
                    const void *arg, FILE *out, tori_error *err)
{
    int status = table_print (table, out, terminal_bold (), err);
    if (status < 0)
        return -1;
    if (planrows_shown (n) < n)
        fprintf (out, "... %zu more rows; --json prints all\n",
                 n - planrows_shown (n));
    summary (arg, out);
    return 0;
}
