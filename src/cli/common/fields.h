/* fields.h - what the fields of each command's JSON mean, for `answer` of struct
 * command (options.h) and so for `tori help json`. tests/system/answers.py finds what
 * is missing here. */
#ifndef TORI_CLI_FIELDS_H
#define TORI_CLI_FIELDS_H

#include "livefields.h"

extern const struct sheet answer_sim;
extern const struct sheet answer_report;
extern const struct sheet answer_decide;
extern const struct sheet answer_list;

#endif
