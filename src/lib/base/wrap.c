#include "wrap.h"

#include <string.h>

void wrap_text (FILE *out, const char *text, size_t column, size_t indent)
{
    while (*text) {
        size_t word = strcspn (text, " ");
        if (column > indent && column + 1 + word > PAGE_WIDTH) {
            fprintf (out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc (' ', out);
            column++;
        }
        fwrite (text, 1, word, out);
        column += word;
        text += word + strspn (text + word, " ");
    }
    fputc ('\n', out);
}
