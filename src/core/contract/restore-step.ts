import { isJsonObject, type JsonObject } from "./json.ts";

/** A request that puts something of an export back, by a path that everybody uses. */
export interface RestoreRequest {
  readonly method: "PUT" | "POST";
  readonly path: string;
  readonly body: JsonObject;
}

/** One thing of an export: the requests that put it back, none after one that was refused, and what of it cannot be. */
export interface RestoreStep {
  readonly label: string;
  readonly requests: readonly RestoreRequest[];
  /** Say in a sentence what of it is lost, by the answer to its last request; null where nothing is. */
  readonly lost?: (answer: JsonObject) => string | null;
}

/** Make the steps for a field of an export, in their order. */
export type Restore = (exported: unknown, nowMs: number) => readonly RestoreStep[];

/** Take the objects of a list in an export. */
export function objectsOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Make a step for each thing of a list that is named by its path: it is put there, without its name. */
export function makePuts(
  list: unknown,
  { what, path, name = "name" }: { readonly what: string; readonly path: string; readonly name?: string },
): RestoreStep[] {
  return objectsOf(list).map(({ [name]: id, ...body }) => ({
    label: `${what} ${String(id)}`,
    requests: [{ method: "PUT", path: `${path}/${encodeURIComponent(String(id))}`, body }],
  }));
}

/** Make a step for things that cannot be put back: it names them, and says why. */
export function makeLost(labels: readonly string[], why: string): RestoreStep[] {
  return labels.map((label) => ({ label, requests: [], lost: () => why }));
}
