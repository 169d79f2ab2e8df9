/* Plans as JSON, for tori plan check: whatever a file claims, it is refused
 * with a reason or holds, and the answer is the same again. */
#include "fuzz.h"
#include "plancheck.h"

static int check (const struct planfile *file, tori_error *err)
{
    if (!strcmp (file->kind, "contention"))
        return plancheck_contention (file, err);
    if (!strcmp (file->kind, "preemptive"))
        return plancheck_preemptive (file, err);
    return 0;
}

static void check_twice (const struct planfile *file)
{
    tori_error first = {0}, second = {0};
    int status;
    /* One of any size would do, and take its time. */
    if (tori_machine_nodes (file->machine) > 4096)
        return;
    status = check (file, &first);
    MUST (check (file, &second) == status);
    MUST (strcmp (first.text, second.text) == 0);
    if (status < 0)
        MUST (first.text[0] != '\0'
              && (first.status == TORI_NOT_NOW || first.status == TORI_INVALID
                  || first.status == TORI_NEVER));
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file (data, size);
    struct planfile plan;
    tori_error err = {0};
    if (planfile_read (file.path, &plan, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        check_twice (&plan);
        planfile_clear (&plan);
    }
    fuzz_file_close (&file);
    return 0;
}
