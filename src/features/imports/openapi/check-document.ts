import { TOOL_NAME } from "../../../core/catalog/define-tool.ts";
import { type Problems, suggestName } from "../../added-tools/declared/problems.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { schemeNames } from "./choose-auth.ts";
import type { ImportOptions } from "./import-options.ts";
import { namesOf, type Operation } from "./operations.ts";

/**
 * Whether a document is one that can be imported at all; what is wrong with it is added to the problems, with a path into the
 * request whose field `openapi` it is.
 */
export function checkDocument(document: unknown, problems: Problems): document is JsonObject {
  if (!isJsonObject(document)) {
    problems.add(["openapi"], "an OpenAPI document as an object", document, {
      hint: "Give the document itself: an object with 'openapi', 'info' and 'paths'.",
    });
    return false;
  }
  const { openapi, swagger, paths } = document;
  if (swagger !== undefined)
    problems.add(["openapi", "swagger"], "an OpenAPI document of version 3.0 or 3.1", swagger, {
      hint: "Swagger 2.0 is not read; convert the document to OpenAPI 3 first, with swagger2openapi or editor.swagger.io for example.",
    });
  else if (!/^3(?:\.[012](?:\.|$)|$)/.test(String(openapi)))
    problems.add(["openapi", "openapi"], "the version 3.0 or 3.1", openapi, {
      hint: "Give an OpenAPI document of version 3.0 or 3.1; its field 'openapi' says which it is.",
    });
  else if (!isJsonObject(paths))
    problems.add(["openapi", "paths"], "an object of paths", paths, {
      hint: "The document has no 'paths', so there is nothing to make tools of.",
    });
  return problems.issues.length === 0;
}

/** Find names in the options that the document does not have, and names that no tool of this import can have. */
export function findStrangeNames(
  root: JsonObject,
  { auth, include = [], overrides = {}, compensate = {}, prefix }: ImportOptions,
  operations: readonly Operation[],
  problems: Problems,
): void {
  const schemes = schemeNames(root);
  for (const name of auth !== undefined && "schemes" in auth ? Object.keys(auth.schemes) : [])
    if (!schemes.includes(name))
      problems.add(["auth", "schemes", name], "a security scheme of the document", name, {
        hint: suggestName(name, schemes, "security scheme"),
      });

  const known = new Set(operations.flatMap(namesOf));
  for (const [index, name] of include.entries())
    if (!known.has(name) && problems.issues.length < LIMITS.issues)
      problems.add(["include", index], "a tag or an operationId of the document", name, {
        hint: suggestName(name, [...known], "tag or operationId"),
      });

  const ids = new Set(operations.map(({ id }) => id));
  const checkId = (id: string, ...path: PropertyKey[]): void => {
    if (!ids.has(id) && problems.issues.length < LIMITS.issues)
      problems.add(path, "an operationId of the document", id, {
        hint: suggestName(id, [...ids], "operationId"),
      });
  };
  for (const [id, { operation }] of Object.entries(compensate)) {
    checkId(id, "compensate", id);
    checkId(operation, "compensate", id, "operation");
  }
  const given = new Set<string>();
  for (const [id, { name, result }] of Object.entries(overrides)) {
    checkId(id, "overrides", id);
    if (name !== undefined && !(name.startsWith(prefix) && TOOL_NAME.test(name)))
      problems.add(["overrides", id, "name"], `a tool's name that begins with '${prefix}'`, name);
    else if (name !== undefined && given.has(name))
      problems.add(["overrides", id, "name"], "a name that no other override gives", name);
    if (name !== undefined) given.add(name);
    if (result !== undefined && parsePointer(result) === null)
      problems.add(["overrides", id, "result"], "a JSON Pointer, such as /data/items", result);
  }
}
