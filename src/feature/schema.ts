/** Reading what is sent and writing what is answered: schemas, JSON, queries and pages, and text that is shown. */

export { listArguments } from "../core/catalog/verifier.ts";
export { refuseCertain } from "../core/catalog/parse-args.ts";
export { anyObject, matching, object, optional, written } from "../core/contract/form.ts";
export { describe, toIssues } from "../core/contract/issues.ts";
export { isJsonObject, type JsonObject, parseExact, utf8Length } from "../core/contract/json.ts";
export { lazySchema, looseSchema, strictSchema, type Written } from "../core/contract/lazy-schema.ts";
export { pageFields, parseList } from "../core/contract/list-query.ts";
export { Pending } from "../core/contract/pending.ts";
export { readMarker } from "../core/contract/reference.ts";
export { findReferences, resolveReferences } from "../core/plan/references.ts";
export { follow } from "../core/kit/json/json-pointer.ts";
export { parseJson } from "../core/contract/parse-json.ts";
export { parseQuery, parseRequest, refuseQuery } from "../core/contract/parse-request.ts";
export { makeLost, objectsOf, type Restore } from "../core/contract/restore-step.ts";
export { nearest } from "../core/kit/nearest.ts";
export { escapeUnseen, visibleText } from "../core/kit/visible-text.ts";
