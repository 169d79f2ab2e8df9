/* check.h - what can be checked before torid begins. */
#ifndef TORI_TORID_CHECK_H
#define TORI_TORID_CHECK_H

#include <tori/machine.h>

#include "settings.h"

/* One torid per directory: -1 with TORI_FAILED if another one has it. */
int state_lock (const char *dir, int *ret_lock, tori_error *err);
void state_unlock (int lock);

/* Let only its owner read the journal, before it is opened: the data of jobs
 * may include passwords. */
void state_hide (const char *dir);

/* A copy of the journal: journal.before, or journal.before.2 and so on if
 * there is one from earlier. */
struct aside {
    char name[32];
};

/* Make one; and remove it, or put it in the place of the journal, which is
 * closed. */
int state_set_aside (const char *dir, struct aside *ret_aside,
                     tori_error *err);
void state_drop_aside (const char *dir, const struct aside *aside);
void state_put_back (const char *dir, const struct aside *aside);

/* The machine, and a service with nothing on it. */
int service_make (const struct settings *settings, tori_machine **ret_machine,
                  struct service **ret_service, tori_error *err);

/* Check what the host has to have: operators, folders and the executor. Says
 * what was checked. */
int check_host (const struct settings *settings, FILE *out, tori_error *err);

/* `torid --check`: everything that a start reads is read, and nothing is
 * opened for writing but a copy of the journal. That is left alone if a torid
 * is running. Says what was checked. */
int check (const struct settings *settings, FILE *out, tori_error *err);

#endif
