/* provenance.h - which sources and which log made a result. */
#ifndef TORI_CLI_PROVENANCE_H
#define TORI_CLI_PROVENANCE_H

/* The commit of the sources that this command was built from, with -dirty if
 * they had been changed; "" if that is not known, as for a release. */
const char *provenance_commit (void);

#endif
