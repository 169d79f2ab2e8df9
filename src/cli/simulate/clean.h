/* clean.h - texts from elsewhere, made safe for this terminal. */
#ifndef TORI_CLI_CLEAN_H
#define TORI_CLI_CLEAN_H

/* Question marks in place of what moves the cursor, changes colours or ends
 * the line. */
void text_clean (char *text);

#endif
