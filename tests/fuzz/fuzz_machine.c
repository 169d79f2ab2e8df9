/* Machines: whatever the text, either a machine within the limits, whose own
 * text gives the same machine again, or an error of one line. */
#include <tori/machine.h>

#include "fuzz.h"

static void must_be_error (const tori_error *err)
{
    MUST (err->status == TORI_INVALID || err->status == TORI_FAILED);
    MUST (err->text[0] != '\0');
    MUST (!strpbrk (err->text, "\n\r"));
    MUST (memchr (err->text, '\0', sizeof err->text));
}

static void must_be_sound (const tori_machine *machine)
{
    uint64_t nodes = 1;
    int ndims = tori_machine_ndims (machine);
    MUST (ndims >= 1 && ndims <= TORI_MAX_DIMS);
    for (int d = 0; d < ndims; d++) {
        tori_kind kind = tori_machine_kind (machine, d);
        MUST (tori_machine_size (machine, d) > 0);
        MUST (tori_machine_wraps (machine, d) == (kind == TORI_TORUS)
              || tori_machine_size (machine, d) <= 2);
        nodes *= tori_machine_size (machine, d);
        MUST (nodes <= TORI_MAX_NODES);
    }
    MUST (nodes == tori_machine_nodes (machine));
    MUST (tori_shape_volume (tori_machine_shape (machine)) == nodes);
}

static void must_equal (const tori_machine *a, const tori_machine *b)
{
    MUST (tori_machine_ndims (a) == tori_machine_ndims (b));
    for (int d = 0; d < tori_machine_ndims (a); d++) {
        MUST (tori_machine_size (a, d) == tori_machine_size (b, d));
        MUST (tori_machine_kind (a, d) == tori_machine_kind (b, d));
    }
}

/* The last node's coordinates lead back to it, and no two nodes are further
 * apart than all the sides together. */
static void must_count (const tori_machine *machine)
{
    uint32_t last = tori_machine_nodes (machine) - 1;
    uint32_t coords[TORI_MAX_DIMS];
    uint64_t far = 0;
    tori_machine_coords (machine, last, coords);
    MUST (tori_machine_id (machine, coords) == last);
    for (int d = 0; d < tori_machine_ndims (machine); d++) {
        MUST (coords[d] == tori_machine_size (machine, d) - 1);
        far += coords[d];
    }
    MUST (tori_machine_distance (machine, 0, last) <= far);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char *text = fuzz_text (data, size);
    char canonical[TORI_TEXT_MAX], second[TORI_TEXT_MAX];
    tori_machine *machine = NULL, *again = NULL;
    tori_error err = {0};
    if (tori_machine_parse (text, &machine, &err) < 0) {
        MUST (!machine);
        must_be_error (&err);
        MUST (tori_machine_parse (text, &machine, NULL) < 0);
    } else {
        must_be_sound (machine);
        must_count (machine);
        tori_machine_format (machine, canonical);
        MUST (tori_machine_parse (canonical, &again, &err) == 0);
        must_equal (machine, again);
        tori_machine_format (again, second);
        MUST (strcmp (canonical, second) == 0);
    }
    tori_machine_destroy (again);
    tori_machine_destroy (machine);
    free (text);
    return 0;
}
