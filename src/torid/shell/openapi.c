/* openapi.c - the routes in a form that programs know: OpenAPI 3.1, made of
 * the tables that the answers and the checks are made of. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tori/version.h>

#include "api.h"
#include "apifields.h"
#include "sheet.h"
#include "signin.h"

/* ---- schemas ---- */

/* "integer" or "string|null". */
static json_t *type_json (const char *types)
{
    json_t *schema = json_object (), *list = json_array ();
    for (const char *at = types; at; at = strchr (at, '|')) {
        at += *at == '|';
        json_array_append_new (list, json_stringn (at, strcspn (at, "|")));
    }
    if (json_array_size (list) == 1)
        json_object_set (schema, "type", json_array_get (list, 0));
    else if (types)
        json_object_set (schema, "type", list);
    json_decref (list);
    return schema;
}

static json_t *make_reference (json_t *schemas, const struct sheet *sheet);

static const char *type_of (const struct field *field)
{
    switch (field->kind) {
    case FIELD_REAL: return "number";
    case FIELD_TIME: return field->type ? field->type : "number";
    case FIELD_FLAG: return "boolean";
    case FIELD_TEXT:
    case FIELD_CHARS:
    case FIELD_NUMERAL:
    case FIELD_NAMES: return "string";
    case FIELD_COUNT:
    case FIELD_SIZE:
    case FIELD_UINT:
    case FIELD_INT:
    case FIELD_WHOLE: return "integer";
    default: return field->type;
    }
}

static void put_choices (json_t *schema, const char *(*choices) (size_t i))
{
    json_t *names = choices ? json_array () : NULL;
    for (size_t i = 0; choices && choices (i); i++)
        json_array_append_new (names, json_string (choices (i)));
    if (names)
        json_object_set_new (schema, "enum", names);
}

static json_t *field_json (json_t *schemas, const struct field *field)
{
    bool list = field->kind == FIELD_LIST || field->kind == FIELD_NAMES;
    json_t *item = field->group ? make_reference (schemas, field->group)
                                : type_json (type_of (field));
    json_t *schema = list ? json_pack ("{s:s, s:o}", "type", "array",
                                       "items", item)
                          : item;
    put_choices (item, field->choices);
    if (field->single)
        schema = json_pack ("{s:[o, O]}", "oneOf", schema, item);
    json_object_set_new (schema, "description",
                         json_sprintf ("%s%s%s", field->about,
                                       field->unit ? ", in " : "",
                                       field->unit ? field->unit : ""));
    if (field->old)
        json_object_set_new (schema, "deprecated", json_true ());
    return schema;
}

static void put_fields (json_t *schemas, json_t *properties,
                        const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->n; i++) {
        const struct field *field = &sheet->field[i];
        if (field->kind == FIELD_BESIDE)
            put_fields (schemas, properties, field->group);
        else
            json_object_set_new (properties, field->name,
                                 field_json (schemas, field));
    }
}

static json_t *object_json (json_t *schemas, const struct sheet *sheet)
{
    json_t *properties = json_object ();
    put_fields (schemas, properties, sheet);
    return json_pack ("{s:s, s:o}", "type", "object", "properties",
                      properties);
}

/* A schema among the components, made when it is first named. */
static json_t *make_reference (json_t *schemas, const struct sheet *sheet)
{
    if (!json_object_get (schemas, sheet->name)) {
        json_object_set_new (schemas, sheet->name, json_null ());
        json_object_set_new (schemas, sheet->name,
                             object_json (schemas, sheet));
    }
    return json_pack ("{s:o}", "$ref",
                      json_sprintf ("#/components/schemas/%s", sheet->name));
}

/* ---- parameters ---- */

static json_t *param_schema (const struct param *param)
{
    const char *type = param->max ? "integer" : "string";
    json_t *schema = param->ago
                         ? json_pack ("{s:[s, s]}", "type", type, "string")
                         : json_pack ("{s:s}", "type", type);
    if (param->max) {
        json_object_set_new (schema, "minimum", json_integer (param->min));
        json_object_set_new (schema, "maximum", json_integer (param->max));
    }
    if (param->values) {
        json_t *values = json_array ();
        for (size_t i = 0; param->values[i]; i++)
            json_array_append_new (values, json_string (param->values[i]));
        json_object_set_new (schema, "enum", values);
    }
    return schema;
}

static void put_params (json_t *list, const struct param *params,
                        const char *in)
{
    for (; params && params->name; params++)
        json_array_append_new (
            list, json_pack ("{s:s, s:s, s:s, s:o}", "name", params->name,
                             "in", in, "description", params->about,
                             "schema", param_schema (params)));
}

/* The name in braces, which ends the path or is a number. */
static void put_path_param (json_t *list, const char *path)
{
    const char *from = strchr (path, '{');
    size_t n = from ? strcspn (from, "}") : 0;
    bool number = n == 3; /* {id} */
    if (!from)
        return;
    json_array_append_new (
        list, json_pack ("{s:s%, s:s, s:b, s:s, s:{s:s}}", "name", from + 1,
                         n - 1, "in", "path", "required", 1, "description",
                         number ? "the number of it"
                                : "its coordinates, or a box",
                         "schema", "type", number ? "integer" : "string"));
}

/* ---- routes ---- */

/* "getJobsIdWhy" */
static json_t *operation_id (const struct route *route)
{
    char text[80];
    size_t n = 0;
    bool upper = false;
    for (const char *c = route->method; *c; c++)
        text[n++] = (char)tolower (*c);
    for (const char *c = route->path; *c && n + 1 < sizeof text; c++) {
        if (isalnum ((unsigned char)*c))
            text[n++] = (char)(upper ? toupper (*c) : *c);
        upper = !isalnum ((unsigned char)*c);
    }
    return json_stringn (text, n);
}

static json_t *body_json (json_t *schemas, const struct route *route)
{
    json_t *schema;
    if (route->many)
        schema =
            json_pack ("{s:[o, {s:s, s:o}]}", "oneOf",
                       make_reference (schemas, route->body), "type", "array",
                       "items", make_reference (schemas, route->body));
    else if (route->body->closed) {
        schema = object_json (schemas, route->body);
        json_object_set_new (schema, "additionalProperties", json_false ());
    } else
        schema = make_reference (schemas, route->body);
    return json_pack ("{s:b, s:{s:{s:o}}}", "required", 1, "content",
                      "application/json", "schema", schema);
}

static json_t *gives_json (json_t *schemas, const struct route *route)
{
    json_t *schema;
    if (route->type)
        schema = json_pack ("{s:s}", "type", "string");
    else if (!route->gives)
        schema = json_pack ("{s:s}", "type", "object");
    else if (route->one)
        schema = json_pack ("{s:[o, o]}", "oneOf",
                            make_reference (schemas, route->one),
                            make_reference (schemas, route->gives));
    else
        schema = make_reference (schemas, route->gives);
    return json_pack ("{s:s, s:{s:{s:o}}}", "description", route->about,
                      "content",
                      route->type ? route->type : "application/json",
                      "schema", schema);
}

static json_t *make_operation (json_t *schemas, const struct route *route)
{
    json_t *params = json_array (), *it;
    char code[12];
    snprintf (code, sizeof code, "%d", route->code ? route->code : 200);
    put_path_param (params, route->path);
    put_params (params, route->params, "query");
    put_params (params, route->headers, "header");
    it = json_pack ("{s:s, s:o, s:o, s:{s:o, s:{s:s, s:{s:{s:o}}}}}",
                    "summary", route->about, "operationId",
                    operation_id (route), "parameters", params, "responses",
                    code, gives_json (schemas, route), "default",
                    "description", "refused", "content", "application/json",
                    "schema", make_reference (schemas, &gives_error));
    if (route->body)
        json_object_set_new (it, "requestBody", body_json (schemas, route));
    if (route->old)
        json_object_set_new (it, "deprecated", json_true ());
    return it;
}

static json_t *paths_json (json_t *schemas)
{
    json_t *paths = json_object ();
    for (const struct route *r = routes; r->path; r++) {
        json_t *path = json_object_get (paths, r->path);
        char method[12] = "";
        for (size_t i = 0; r->method[i] && i + 1 < sizeof method; i++)
            method[i] = (char)tolower (r->method[i]);
        if (!path) {
            path = json_object ();
            json_object_set_new (paths, r->path, path);
        }
        json_object_set_new (path, method, make_operation (schemas, r));
    }
    return paths;
}

bool get_openapi (struct asking *a)
{
    json_t *schemas = json_object ();
    json_t *paths = paths_json (schemas);
    reply (a, 200,
           json_pack (
               "{s:s, s:{s:s, s:s, s:s}, s:[{s:s}], s:[{}, {s:[]}, {s:[]}], "
               "s:o, s:{s:o, s:{s:{s:s, s:s}, s:{s:s, s:s, s:s}}}}",
               "openapi", "3.1.0", "info", "title", "torid", "version",
               tori_version (), "summary",
               "The scheduler of mesh and torus machines as a service",
               "servers", "url", "/", "security", "token", "session", "paths", paths,
               "components", "schemas", schemas, "securitySchemes", "token",
               "type", "http", "scheme", "bearer", "session", "type",
               "apiKey", "in", "cookie", "name", SIGNIN_COOKIE));
    return true;
}
