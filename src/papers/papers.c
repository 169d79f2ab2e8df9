/* All entries. */
#include "paper.h"

static const struct paper *const papers[] = {
    &paper_rfold,
};

const struct paper *paper_list (size_t i)
{
    return i < sizeof papers / sizeof *papers ? papers[i] : NULL;
}
