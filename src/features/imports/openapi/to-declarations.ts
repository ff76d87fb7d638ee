import * as LIMITS from "../limits.ts";
import {
  type Declaration,
  type DeclarationRules,
  sampleUrl,
} from "../../added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../added-tools/declared/parse-declaration.ts";
import { type DeclarationIssue, Problems } from "../../added-tools/declared/problems.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import type { Orchestration } from "../../../feature/tool.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { checkDocument, findStrangeNames } from "./check-document.ts";
import { NEEDS_BASE_URL } from "./choose-server.ts";
import { checkOptions, type ImportOptions, type Override } from "./import-options.ts";
import { listOperations, namesOf, type Operation, skip, type Skipped } from "./operations.ts";
import { type Source, toDeclaration } from "./to-declaration.ts";

/** The declarations of a document, and the operations left out. */
export interface Imported {
  readonly declarations: readonly Declaration[];
  readonly skipped: readonly Skipped[];
}

/**
 * Make declarations of the operations of an OpenAPI document (3.0, 3.1), in its order: one tool for each, or the reason why not.
 * The same document and options give the same declarations, and `parseDeclaration` takes each of them.
 *
 * The cost is bounded whatever the document holds: by the number of operations, and for the schemas of each and of all together
 * by the characters looked at (`LIMITS.openApi…`).
 *
 * @param document as it was parsed: plain JSON
 * @param rules what the operator allows; where they are not given only the declarations' own form is looked at
 * @returns the error says what is wrong with the options, with the document as a whole, or with the secret
 */
export function toDeclarations(
  document: unknown,
  options: ImportOptions,
  rules: Partial<DeclarationRules> = {},
): Result<Imported, readonly DeclarationIssue[]> {
  const making = makeDeclarations(document, options, rules);
  for (;;) {
    const step = making.next();
    if (step.done === true) return step.value;
  }
}

/** The same, which stops before each operation: others may have their turn then. */
export function* makeDeclarations(
  document: unknown,
  options: ImportOptions,
  rules: Partial<DeclarationRules>,
): Generator<void, Result<Imported, readonly DeclarationIssue[]>> {
  const checked = checkOptions(options);
  if (!checked.ok) return checked;
  const problems = new Problems();
  if (!checkDocument(document, problems)) return err(problems.issues);
  const { prefix, include, auth, base_url: baseUrl, overrides = {}, compensate = {} } = checked.value;
  const { operations, skipped } = listOperations(document);
  findStrangeNames(document, checked.value, operations, problems);
  const wanted = new Set(include);
  const chosen =
    include === undefined
      ? operations
      : operations.filter((each) => namesOf(each).some((name) => wanted.has(name)));
  if (chosen.length > LIMITS.openApiOperations)
    problems.add(["include"], `names of at most ${LIMITS.openApiOperations} operations`, include, {
      received: `${chosen.length} operations`,
      hint: `One import makes at most ${LIMITS.openApiOperations} tools and this would be ${chosen.length}; name the tags or operationIds that you need in 'include'.`,
    });
  if (problems.issues.length > 0) return err(problems.issues);

  const siblings = !String(document["openapi"]).startsWith("3.0");
  const budget = { left: LIMITS.openApiCharacters };
  const source = { root: document, prefix, auth, baseUrl, siblings, patterns: true, budget };
  const made = yield* makeEach(chosen, overrides, source, rules);
  if (!made.ok) return made;
  const paired = pair(made.value, compensate);
  if (!paired.ok) return paired;
  return ok({
    declarations: paired.value,
    skipped: [...(include === undefined ? skipped : []), ...made.value.skipped],
  });
}

/** With the names of the tools, by operation. */
interface Made extends Imported {
  readonly names: ReadonlyMap<string, string>;
}

/** Write into the contracts of operations which other takes them back. */
function pair(
  { declarations, names, skipped }: Made,
  pairs: NonNullable<ImportOptions["compensate"]>,
): Result<readonly Declaration[], readonly DeclarationIssue[]> {
  const problems = new Problems();
  const paired = new Map<string, { readonly tool: string; readonly args?: JsonObject }>();
  for (const [id, { operation, args }] of Object.entries(pairs)) {
    const [name, tool] = [names.get(id), names.get(operation)];
    if (name === undefined) continue;
    const left = skipped.find((one) => one.operation === operation);
    if (tool === undefined)
      problems.add(["compensate", id, "operation"], "an operation that a tool is made of", operation, {
        hint: left?.reason ?? `Name '${operation}' in 'include' too.`,
      });
    else paired.set(name, { tool, ...(args !== undefined && { args }) });
  }
  if (problems.issues.length > 0) return err(problems.issues);
  return ok(
    declarations.map((declaration) => {
      const compensate = paired.get(declaration.name);
      const contract = declaration.orchestration ?? { mode: "sequential-only" };
      return compensate === undefined
        ? declaration
        : { ...declaration, orchestration: { ...contract, compensate } };
    }),
  );
}

function* makeEach(
  operations: readonly Operation[],
  overrides: NonNullable<ImportOptions["overrides"]>,
  source: Source,
  rules: Partial<DeclarationRules>,
): Generator<void, Result<Made, readonly DeclarationIssue[]>> {
  const declarations: Declaration[] = [];
  const names = new Map<string, string>();
  const skipped: Skipped[] = [];
  const taken = new Set(Object.values(overrides).flatMap(({ name }) => name ?? []));
  let homeless = 0;
  const misplaced: DeclarationIssue[] = [];
  for (const operation of operations) {
    yield;
    const override = Object.hasOwn(overrides, operation.id) ? overrides[operation.id]! : {};
    const name = override.name ?? nameOf(source.prefix, operation, taken);
    taken.add(name);
    const made = makeOne(name, operation, override, source, rules);
    if (made.ok) {
      declarations.push(made.value);
      names.set(operation.id, name);
    } else if (typeof made.error === "string") {
      if (made.error === NEEDS_BASE_URL) homeless += 1;
      skipped.push(skip(operation.id, made.error));
    } else if (made.error.every(isOfPlace)) {
      misplaced.push(...made.error);
      skipped.push(skip(operation.id, sayPlace(made.error[0]!)));
    } else return err(made.error);
  }
  // Where nothing is left, what the operator has to allow is the answer, and what was imported before stays.
  if (declarations.length === 0 && misplaced.length > 0)
    return err(misplaced.slice(0, LIMITS.declarationIssues));
  if (declarations.length > 0 || homeless === 0 || homeless < skipped.length)
    return ok({ declarations, skipped, names });
  // One answer to the one question, instead of the same reason a hundred times.
  const problems = new Problems();
  problems.add(["base_url"], "the API's address, because the document does not say it", source.baseUrl, {
    hint: "The document's server is relative or missing; give 'base_url', such as https://api.example.com.",
  });
  return err(problems.issues);
}

/** One declaration that can be kept; or why the operation has none, or what the import's options say that is wrong. */
function makeOne(
  name: string,
  operation: Operation,
  override: Override,
  source: Source,
  rules: Partial<DeclarationRules>,
): Result<Declaration, string | readonly DeclarationIssue[]> {
  const made = toDeclaration(name, operation, source);
  if (!made.ok) return made;
  const declaration = withOverride(made.value, override);
  const parsed = parseDeclaration(declaration, { ...rulesOf(declaration), ...rules });
  if (parsed.ok) return ok(declaration);
  const isPattern = parsed.error.some(({ path }) => path.endsWith("/pattern"));
  if (isPattern && rules.patterns?.isSpent === true) return err(PATTERNS_SPENT);
  // A pattern that could take for ever to match costs the patterns, not the tool: who is called has them too.
  if (source.patterns && isPattern)
    return makeOne(name, operation, override, { ...source, patterns: false }, rules);
  const place = parsed.error.filter(({ path }) => /^\/http\/(?:url|auth)\b/.test(path));
  if (place.length > 0) return err(place.map((issue) => inRequest(issue, operation)));
  const said = parsed.error.filter(({ path }) => isSaidByCaller(path, override));
  if (said.length > 0) return err(said.map((issue) => inRequest(issue, operation)));
  return err(`no tool can be declared of it: ${parsed.error[0]!.hint.replace(/\.$/, "")}`);
}

const PATTERNS_SPENT =
  "the patterns before it took all the work that one import may; choose fewer operations with 'include'";

/** Without rules a tool goes where the document leads; the caller checks hosts of its own. */
function rulesOf({ http }: Declaration): DeclarationRules {
  const origin = URL.parse(sampleUrl(http!.url))?.origin ?? "";
  return { tenant: "", secrets: null, trustedOrigins: new Set([origin]) };
}

/** Whether what is wrong at this path of a declaration is what the import's own options say. */
function isSaidByCaller(path: string, override: Override): boolean {
  const [, field = "", inner = ""] = path.split("/");
  if (field === "http") return inner === "result" && override.result !== undefined;
  return Object.hasOwn(override, field);
}

function inRequest(issue: DeclarationIssue, { id }: Operation): DeclarationIssue {
  const path = issue.path.replace(/^\/http/, "");
  if (path === "/url") return { ...issue, path: "/openapi/servers" };
  if (path.startsWith("/auth")) return { ...issue, path };
  return { ...issue, path: `/overrides/${id.replaceAll("~", "~0").replaceAll("/", "~1")}${path}` };
}

/** Whether what is wrong is where requests would go, with their secret: elsewhere operations may be fine. */
function isOfPlace({ path }: DeclarationIssue): boolean {
  return path === "/openapi/servers" || path.startsWith("/auth");
}

function sayPlace({ hint }: DeclarationIssue): string {
  return (hint.charAt(0).toLowerCase() + hint.slice(1)).replace(/\.$/, "");
}

function withOverride(declaration: Declaration, override: Override): Declaration {
  const { result, confirm, orchestration, ...fields } = override;
  const isWrite = override.is_write ?? declaration.is_write;
  const { idempotent, ...rest } = declaration;
  const contract = contractOf(isWrite, confirm, orchestration);
  return {
    ...rest,
    // A read may always be sent again.
    ...(isWrite && idempotent !== undefined && { idempotent }),
    ...(fields as Partial<Declaration>),
    ...(contract !== undefined && { orchestration: contract }),
    ...(result !== undefined && { http: { ...declaration.http!, result } }),
  };
}

/** The contract that a declaration has without one, with the word about a person's yes. */
function contractOf(
  isWrite: boolean,
  confirm: Override["confirm"],
  orchestration: Override["orchestration"],
): Orchestration | undefined {
  if (confirm === undefined) return orchestration as Orchestration | undefined;
  const base = orchestration ?? { mode: isWrite ? "sequential-only" : "parallel-safe" };
  return { ...(base as Orchestration), confirm };
}

const MOST_CHARACTERS = 64;

/**
 * The name of an operation's tool: the prefix and the operationId, or what the method and path say where there is none.
 * It depends on nothing but these, so importing a document again gives the same names. A name too long is cut and ends with
 * a short digest of all of it; so does one that another operation has already.
 */
function nameOf(prefix: string, operation: Operation, taken: ReadonlySet<string>): string {
  const { operationId, method, path } = operation;
  const own = fit(operationId ?? sayPath(method, path));
  const start = /[_-]$/.test(prefix) ? prefix : `${prefix}_`;
  const name = `${start}${own}`;
  if (own !== "" && name.length <= MOST_CHARACTERS && !taken.has(name)) return name;
  const place = `${method} ${path}`;
  for (let n = 0; ; n += 1) {
    const other = withDigest(start, own, [operationId ?? place, place][n] ?? `${place} ${n}`);
    if (!taken.has(other)) return other;
  }
}

function withDigest(start: string, own: string, all: string): string {
  const ending = digest(all);
  const room = MOST_CHARACTERS - start.length - ending.length - 1;
  const kept = own.slice(0, Math.max(room, 0)).replace(/[_-]+$/, "");
  return kept === "" ? `${start}${ending}` : `${start}${kept}_${ending}`;
}

/** `GET /pets/{petId}` is `get_pets_by_petId`. */
function sayPath(method: string, path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  const said = parts.map((part) => part.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `by_${name}`));
  return [method.toLowerCase(), ...said].join("_");
}

/** The part of a text that a tool's name can hold. */
function fit(text: string): string {
  return text
    .slice(0, 1_000)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}

/** Six letters and digits of a text: FNV-1a (32 bit), which tells the names of a few hundred operations apart and keeps no secret. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, "0").slice(-6);
}
