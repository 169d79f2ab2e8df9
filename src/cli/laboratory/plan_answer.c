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

bool plan_is_never (const struct field *field, const void *question)
{
    return ((const struct plan_question *)question)->never.reason != NULL;
}

bool plan_may_be (const struct field *field, const void *question)
{
    return !plan_is_never (field, question);
}

static int emit_answer (const struct plan_command *plan,
                        const struct plan_question *q, FILE *out,
                        tori_error *err)
{
    return asked_emit (plan->command, q->values, q, out, err);
}

static int answer_never (const struct plan_command *plan,
                         struct plan_question *q, FILE *out, tori_error *err)
{
    if (!q->json || err->status != TORI_NEVER)
        return -1;
    q->never = (struct plan_never){"never", *err};
    return emit_answer (plan, q, out, err) < 0 ? -1 : TORI_NEVER;
}

static int answer_question (const struct plan_command *plan,
                            struct plan_question *q, FILE *out,
                            tori_error *err)
{
    int verdict = plan->solve (q, err), status = 0;
    if (verdict < 0)
        return answer_never (plan, q, out, err);
    if (q->json)
        status = emit_answer (plan, q, out, err);
    else if (verdict > 0 || !pictures_take_stdout (q->pictures))
        status = plan->print (q, out, err);
    if (status == 0 && verdict == 0 && pictures_asked (q->pictures))
        status = plan->draw (q, out, err);
    return status < 0 ? -1 : verdict;
}

int plan_run (const struct plan_command *plan, struct plan_question *question,
              FILE *out, tori_error *err)
{
    int status = answer_question (plan, question, out, err);
    plan->clear (question);
    planjobs_clear (&question->file);
    tori_machine_destroy (question->machine);
    return status;
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
