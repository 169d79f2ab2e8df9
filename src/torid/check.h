/* check.h - what can be checked before torid begins. */
#ifndef TORI_TORID_CHECK_H
#define TORI_TORID_CHECK_H

#include <tori/machine.h>

#include "settings.h"

/* One torid per directory: -1 with TORI_FAILED if another one has it. */
int state_lock (const char *dir, int *ret_lock, tori_error *err);
void state_unlock (int lock);

/* What jobs are told, such as passwords, is for nobody else: before the
 * journal is opened, it is made so that only its owner reads it. */
void state_hide (const char *dir);

/* Keep a copy of the journal, as journal.before, which must not be there. */
int state_set_aside (const char *dir, tori_error *err);

/* The machine, and a service with nothing on it. */
int service_make (const struct settings *settings, tori_machine **ret_machine,
                  struct service **ret_service, tori_error *err);

/* `torid --check`: everything that a start reads is read, and nothing is
 * opened for writing but a copy of the journal. That is left alone if a torid
 * is running. Says what was checked. */
int check (const struct settings *settings, FILE *out, tori_error *err);

#endif
