import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { dereference } from "./document-reference.ts";

/** One operation of a document, with what its path says for it. */
export interface Operation {
  /** Its name in `include`, `overrides` and reasons: its operationId, or its method and path. */
  readonly id: string;
  readonly operationId?: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The document's description of the operation. */
  readonly own: JsonObject;
  /** The document's description of all operations at the path. */
  readonly item: JsonObject;
}

/** An operation that no tool is made of. */
export interface Skipped {
  /** Its operationId, or its method and path. */
  readonly operation: string;
  /** One sentence. */
  readonly reason: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
/** Tags of an operation that count. */
const MOST_TAGS = 20;

/**
 * List the operations of a document in its order, and the paths that cannot be read. Webhooks and callbacks are none: they are calls
 * that the API makes.
 */
export function listOperations(root: JsonObject): { operations: Operation[]; skipped: Skipped[] } {
  const operations: Operation[] = [];
  const skipped: Skipped[] = [];
  for (const [path, value] of Object.entries(root["paths"] as JsonObject)) {
    if (!path.startsWith("/")) continue;
    const item = dereference(root, value);
    if (!item.ok) skipped.push(skip(path, item.error));
    else
      for (const name of METHODS) {
        const own = item.value[name];
        if (isJsonObject(own)) operations.push(readOperation(name.toUpperCase(), path, own, item.value));
      }
  }
  return { operations, skipped };
}

/** Say why there is no tool; the reason is the end of the sentence. */
export function skip(operation: string, reason: string): Skipped {
  return { operation: visibleText(operation, 200), reason: `Left out because ${reason}.` };
}

/** The names by which `include` may call an operation. */
export function namesOf({ id, tags }: Operation): string[] {
  return [id, ...tags];
}

function readOperation(method: string, path: string, own: JsonObject, item: JsonObject): Operation {
  const { operationId, tags } = own;
  const named = typeof operationId === "string" && operationId.trim() !== "" ? operationId.trim() : undefined;
  return {
    id: named ?? `${method} ${path}`,
    ...(named !== undefined && { operationId: named }),
    method,
    path,
    tags: (Array.isArray(tags) ? tags.slice(0, MOST_TAGS) : []).filter((tag) => typeof tag === "string"),
    own,
    item,
  };
}

/** A parameter, its references followed. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly isRequired: boolean;
  readonly own: JsonObject;
}

/** Parameters of an operation that are looked at: no model fills in so many. */
const MOST_PARAMETERS = 200;

/** The parameters of an operation and of its path, of which its own count where both have one. */
export function parametersOf(root: JsonObject, { item, own }: Operation): Result<Parameter[], string> {
  const listed = [item["parameters"], own["parameters"]].flatMap((list) => (Array.isArray(list) ? list : []));
  if (listed.length > MOST_PARAMETERS) return err(`it has more than ${MOST_PARAMETERS} parameters`);
  const parameters = new Map<string, Parameter>();
  for (const each of listed) {
    const found = dereference(root, each);
    if (!found.ok) return found;
    const { name, in: place, required } = found.value;
    if (typeof name !== "string" || typeof place !== "string")
      return err("one of its parameters has no 'name' or no 'in'");
    parameters.set(JSON.stringify([place, place === "header" ? name.toLowerCase() : name]), {
      name,
      in: place,
      isRequired: required === true || place === "path",
      own: found.value,
    });
  }
  return ok([...parameters.values()]);
}
