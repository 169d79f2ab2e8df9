/* pagedata.h - the page that was bundled from web/, packed by gzip. */
#ifndef TORI_TORID_PAGEDATA_H
#define TORI_TORID_PAGEDATA_H

#include <stdbool.h>
#include <stddef.h>

extern const unsigned char page_bytes[];
extern const size_t page_size; /* 0: there is none */

/* The page, if there is one; packed if the client takes gzip. */
struct request;
bool page_answer (struct request *request);

#endif
