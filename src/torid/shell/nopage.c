/* nopage.c - in place of the page, where it cannot be bundled. */
#include "pagedata.h"

const unsigned char page_bytes[] = {0};
const size_t page_size = 0;
