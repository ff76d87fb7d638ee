import * as z from "zod/mini";

import { publishEvent } from "../../../src/tools/events/publish-event.ts";
import { defineTool, type Tool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";

export const CONNECTOR = "shop";
const HOST = "https://store.example.com";

function makeTool(name: string, path: string, declared: Partial<ToolDeclaration>): Tool {
  const { isWrite = true } = declared;
  return defineTool({
    name,
    summary: `Asks for ${path}`,
    description: `Asks for ${path}.`,
    category: "store",
    actions: [isWrite ? "create" : "read"],
    isWrite,
    hosts: ["store.example.com"],
    input: z.strictObject({ of: z.string() }),
    run: async (args, ctx) => {
      const { of } = args as { readonly of: string };
      const headers = { "idempotency-key": ctx.idempotencyKey };
      const request = isWrite ? ({ method: "POST", headers } as const) : {};
      const { fetch } = declared.connection === undefined ? ctx : ctx.connection(CONNECTOR);
      return (await fetch(`${HOST}/${path}/${of}`, request)).json();
    },
    ...declared,
    orchestration: {
      mode: "parallel-safe",
      ...(isWrite &&
        path !== "drop" && {
          compensate: {
            tool: declared.connection === undefined ? "drop" : "drop_account",
            args: { of: { $ref: "args#/of" } },
          },
        }),
      ...declared.orchestration,
    },
  });
}

const later = { execution: "fire-and-forget" } as const;
const asks = { orchestration: { mode: "parallel-safe", confirm: "always" } } as const;

/** The tools of the model: one of each kind of contract that makes a difference to how often something may be sent. */
export const TOOLS = [
  makeTool("look", "look", { isWrite: false }),
  makeTool("put", "put", {}),
  makeTool("put_checked", "put", {
    orchestration: {
      mode: "parallel-safe",
      verify_with: { tool: "look", args: { of: "/of" }, found: "/of" },
    },
  } as unknown as Partial<ToolDeclaration>),
  makeTool("put_once", "put-once", { idempotent: "with-key" }),
  makeTool("put_asked", "put", asks),
  makeTool("put_later", "put-once", later),
  makeTool("put_later_at_most", "put", { ...later, delivery: "at-most-once" }),
  makeTool("put_later_asked", "put-once", { ...later, ...asks }),
  makeTool("put_account", "put-once", { idempotent: "with-key", connection: CONNECTOR }),
  makeTool("put_account_later", "put-once", { ...later, connection: CONNECTOR }),
  makeTool("drop", "drop", { actions: ["write"] }),
] as const;

/** Tools that the model's actions do not name. */
export const INNER = [
  publishEvent,
  makeTool("list", "list", { isWrite: false }),
  makeTool("drop_account", "drop", { actions: ["write"], connection: CONNECTOR }),
] as const;

/** The tool that a tenant adds by itself, and replaces by another of these. */
export const ADDED = "put_added";
const added = {
  summary: "Asks for put",
  description: "Asks for put.",
  category: "store",
  actions: ["create"],
  is_write: true,
  input_schema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
  http: { method: "POST", url: `${HOST}/put/{of}` },
};
const back = { mode: "parallel-safe", compensate: { tool: "drop", args: { of: { $ref: "args#/of" } } } };
export const ADDED_FORMS = [
  { ...added, orchestration: back },
  { ...added, orchestration: { ...back, confirm: "always" } },
  { ...added, orchestration: back, execution: "fire-and-forget", delivery: "at-most-once" },
  {
    ...added,
    orchestration: back,
    http: { ...added.http, url: `${HOST}/put-once/{of}` },
    idempotent: "with-key",
  },
] as const;
