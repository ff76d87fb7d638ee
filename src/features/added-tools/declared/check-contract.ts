import { parseCondition } from "../../../core/contract/condition.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { findStranger, isOrchestration, parseSentence } from "../../../core/contract/orchestration.ts";
import { parsePointer, toPointer } from "../../../core/kit/json/json-pointer.ts";
import { type Problems, suggestName } from "./problems.ts";

/** Find fields of a declaration that cannot hold together. */
export function checkContract(
  declaration: JsonObject,
  known: readonly string[] | null,
  problems: Problems,
): void {
  const {
    is_write: isWrite,
    execution = "sync",
    timeout_ms: timeoutMs,
    delivery,
    orchestration,
  } = declaration;
  if (execution === "fire-and-forget" && isWrite === false)
    problems.add(["execution"], "'sync' for a read", execution, {
      hint: "The result of a fire-and-forget read reaches no caller; make it 'sync'.",
    });
  if (execution === "sync" && delivery !== undefined)
    problems.add(["delivery"], "nothing for a sync tool", delivery, {
      hint: "'delivery' is for fire-and-forget tools. A sync write whose answer is lost is 'unknown' and not sent again; 'idempotent' says that it may be.",
    });
  if (
    execution === "fire-and-forget" &&
    typeof timeoutMs === "number" &&
    timeoutMs > LIMITS.firstAttemptMs &&
    timeoutMs <= LIMITS.maxDeadlineMs
  )
    problems.add(["timeout_ms"], `at most ${LIMITS.firstAttemptMs} for a fire-and-forget tool`, timeoutMs);
  if (isOrchestration(orchestration)) checkOrchestration(declaration, orchestration, known, problems);
}

function checkOrchestration(
  { name, is_write: isWrite, http, mcp }: JsonObject,
  contract: JsonObject,
  known: readonly string[] | null,
  problems: Problems,
): void {
  const { mode, max_concurrency: cap, cache_ttl_s: cacheS, depends_on: needs } = contract;
  const at = (...path: PropertyKey[]): PropertyKey[] => ["orchestration", ...path];
  if (mode === "fan-out-bounded" && cap === undefined)
    problems.add(at("max_concurrency"), "a number from 1 to 50", cap, {
      hint: "Mode 'fan-out-bounded' needs 'max_concurrency': how many calls one batch may have under way.",
    });
  if (mode === "sequential-only" && cap !== undefined && cap !== 1)
    problems.add(at("max_concurrency"), "1, or nothing, in mode 'sequential-only'", cap);
  if (mode === "dependent" && needs === undefined)
    problems.add(at("depends_on"), "the tools that it takes fields from", needs, {
      hint: "Mode 'dependent' needs 'depends_on': the tools that its fields come from.",
    });
  if (cacheS !== undefined && isWrite === true)
    problems.add(at("cache_ttl_s"), "nothing for a write", cacheS, {
      hint: "'cache_ttl_s' is for reads: a write must be made every time.",
    });
  if (cacheS !== undefined && (usesAccount(http) || usesAccount(mcp)))
    problems.add(at("cache_ttl_s"), "nothing for a call that uses an account", cacheS, {
      hint: "'cache_ttl_s' has answers given to other requests, and what an account was told is its subject's alone; take it out.",
    });
  for (const [index, need] of (Array.isArray(needs) ? needs : []).entries()) {
    if (!isJsonObject(need)) continue;
    if (need["tool"] === name)
      problems.add(at("depends_on", index, "tool"), "another tool", name, {
        hint: "A tool cannot depend on itself; name the tool whose answer has the field.",
      });
    for (const [place, field] of (need["required_fields"] as readonly string[]).entries())
      if (known !== null && !known.includes(field))
        problems.add(at("depends_on", index, "required_fields", place), "an argument of the tool", field, {
          hint: suggestName(field, known, "argument"),
        });
  }
  const { verify_with: verify, confirm } = contract;
  const { when, says } = isJsonObject(confirm) ? confirm : {};
  const condition = when === undefined ? null : parseCondition(when);
  if (condition?.ok === false)
    for (const { path, expected, received } of condition.error)
      problems.add(at("confirm", "when", ...(parsePointer(path) ?? [])), expected, undefined, { received });
  // A slip in a name would never be found in any arguments, and no call would ask.
  for (const { tokens } of condition?.ok === true ? condition.value : []) {
    const [field] = tokens;
    if (field !== undefined && known !== null && !known.includes(field))
      problems.add(at("confirm", "when", toPointer(tokens)), "a pointer to an argument of the tool", field, {
        hint: suggestName(field, known, "argument"),
      });
  }
  const shown = typeof says === "string" && known !== null ? parseSentence(says) : null;
  const stranger = shown === null ? undefined : findStranger(shown, known!);
  if (stranger !== undefined)
    problems.add(at("confirm", "says"), "arguments of the tool", stranger, {
      hint: suggestName(stranger, known!, "argument"),
    });
  if (isJsonObject(verify) && verify["tool"] === name)
    problems.add(at("verify_with", "tool"), "another tool, a read", name);
}

function usesAccount(call: unknown): boolean {
  const auth = isJsonObject(call) ? call["auth"] : undefined;
  return isJsonObject(auth) && auth["connection"] !== undefined;
}
