/* shortage.h - whether memory ran out while JSON was made.
 *
 * Jansson reports a failed allocation from the call that needed it. A record
 * is made by dozens of such calls, and an incomplete record must not come to
 * the disk. So failures are counted where they happen, and a caller compares
 * the count before and after its work.
 */
#ifndef TORI_SERVICE_SHORTAGE_H
#define TORI_SERVICE_SHORTAGE_H

/* Let Jansson allocate from here; before anything is allocated. Without this
 * the count stays 0. */
void shortage_watch (void);

/* How many allocations of Jansson have failed in this thread. */
unsigned long shortage_count (void);

#endif
