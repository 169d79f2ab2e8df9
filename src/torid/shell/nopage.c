/* nopage.c - in place of the page, where npm is not. */
#include "pagedata.h"

const unsigned char page_bytes[] = {0};
const size_t page_size = 0;
