/* change_text.h - the texts of changes (changes.h), read one by one. */
#ifndef TORI_REPORT_CHANGE_TEXT_H
#define TORI_REPORT_CHANGE_TEXT_H

#include "changes.h"

/* Read a text that follows the name of a change. */
typedef int change_parse_fn (const char *text, const tori_snapshot *snapshot,
                             struct change *change, tori_error *err);

change_parse_fn change_parse_job;      /* NAME=VALUE,NAME=VALUE */
change_parse_fn change_parse_window;   /* the same */
change_parse_fn change_parse_id;       /* ID */
change_parse_fn change_parse_priority; /* ID=N */
change_parse_fn change_parse_before;   /* ID=ID */
change_parse_fn change_parse_estimate; /* ID=DURATION */
change_parse_fn change_parse_nodes;    /* NODE or BOX */

/* Replace the name of a user or a queue by a copy of this one. */
int change_copy_name (const char *value, char **ret_name, tori_error *err);

#endif
