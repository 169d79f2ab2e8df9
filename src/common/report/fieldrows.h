/* fieldrows.h - rows of sheets (sheet.h) for members that something else
 * writes or reads, and for sheets themselves. */
#ifndef TORI_REPORT_FIELDROWS_H
#define TORI_REPORT_FIELDROWS_H

#include "sheet.h"

#define FIELD(name, text)                 \
    {                                     \
        name, FIELD_MEMBER, .about = text \
    }
#define MEASURE(name, of, text)                       \
    {                                                 \
        name, FIELD_MEMBER, .about = text, .unit = of \
    }
#define OBJECT(name, sheet, text)                                  \
    {                                                              \
        name, FIELD_MEMBER, .about = text, .group = &sheet##_sheet \
    }
#define LIST(name, text) {name, FIELD_LIST, .about = text}
#define LIST_OF(name, sheet, text)                                            \
    {name, FIELD_LIST, .about = text, .group = &sheet##_sheet}
#define BESIDE(sheet) {.kind = FIELD_BESIDE, .group = &sheet##_sheet}
#define SHEET(name)                                                           \
    static const struct sheet name##_sheet                                    \
        = {#name, SHEET_FIELDS (name##_fields)}
#define ANSWER(name)                                                          \
    const struct sheet answer_##name = {#name, SHEET_FIELDS (name##_fields)}

/* With their types, for answers of the service (openapi.c). */
#define TYPED(name, of, text)                         \
    {                                                 \
        name, FIELD_MEMBER, .about = text, .type = of \
    }
#define TEXT(name, text) TYPED (name, "string", text)
#define TEXT_OR_NULL(name, text) TYPED (name, "string|null", text)
#define WHOLE(name, text) TYPED (name, "integer", text)
#define WHOLE_OR_NULL(name, text) TYPED (name, "integer|null", text)
#define FLAG(name, text) TYPED (name, "boolean", text)
#define SECONDS(name, text)                                              \
    {                                                                    \
        name, FIELD_MEMBER, .about = text, .unit = "s", .type = "number" \
    }
#define SECONDS_OR_NULL(name, text)                                           \
    {                                                                         \
        name, FIELD_MEMBER, .about = text, .unit = "s", .type = "number|null" \
    }
#define TIME(name, text)                                \
    {                                                   \
        name, FIELD_MEMBER, .about = text, .unit = "s", \
                            .type = "number|string"     \
    }
#define TEXTS(name, text)                                                     \
    {name, FIELD_LIST, .about = text, .type = "string"}
#define WHOLES(name, text)                                                    \
    {name, FIELD_LIST, .about = text, .type = "integer"}

#endif
