#include "plan_answer.h"

#include "asked.h"
#include "terminal.h"

enum { MOST_ROWS = 1000 };

static const struct field never_fields[] = {
    {"reason", FIELD_TEXT, FIELD_AT (struct plan_never, reason),
     "never, if there can never be a plan"},
    {"detail", FIELD_CHARS, FIELD_AT (struct plan_never, why.text), "why"},
};
const struct sheet plan_never_sheet = {"never", SHEET_FIELDS (never_fields)};

static int emit_answer (const struct plan_command *plan, FILE *out,
                        tori_error *err)
{
    return asked_emit (plan->command, plan->values, plan->question, out, err);
}

static int answer_never (const struct plan_command *plan, FILE *out,
                         tori_error *err)
{
    if (!plan->json || err->status != TORI_NEVER)
        return -1;
    *plan->never = (struct plan_never){"never", *err};
    return emit_answer (plan, out, err) < 0 ? -1 : TORI_NEVER;
}

int plan_run (const struct plan_command *plan, FILE *out, tori_error *err)
{
    int verdict = plan->solve (plan->question, err), status = 0;
    if (verdict < 0)
        return answer_never (plan, out, err);
    if (plan->json)
        status = emit_answer (plan, out, err);
    else if (verdict > 0 || !pictures_take_stdout (plan->pictures))
        status = plan->print (plan->question, out, err);
    if (status == 0 && verdict == 0 && pictures_asked (plan->pictures))
        status = plan->draw (plan->question, out, err);
    return status < 0 ? -1 : verdict;
}

size_t plan_rows_shown (size_t n)
{
    return n < MOST_ROWS ? n : MOST_ROWS;
}

int plan_rows_print (struct table *table, size_t n, FILE *out, tori_error *err)
{
    if (table_print (table, out, terminal_bold (), err) < 0)
        return -1;
    if (plan_rows_shown (n) < n)
        fprintf (out, "... %zu more rows; --json prints all\n",
                 n - plan_rows_shown (n));
    return 0;
}
