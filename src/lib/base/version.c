#include <tori/version.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF (number)

const char *tori_version (void)
{
    return TEXT (TORI_VERSION_MAJOR) "." TEXT (TORI_VERSION_MINOR) "." TEXT (
        TORI_VERSION_PATCH);
}
