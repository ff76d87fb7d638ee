import * as z from "zod/mini";

import { defineTool, type Tool, type ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import { type Compensation, undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type Routes, type TestVolley } from "../../../../src/package/testing.ts";

/** A service where things are booked and given back, and what it has heard. */
export interface Bookings {
  /** The names of what is booked now. */
  readonly live: Set<string>;
  /** The calls, in their order. */
  readonly heard: string[];
  readonly routes: Routes;
}

type Wish = { readonly name: string; readonly [more: string]: unknown };

const HOST = "https://bookings.example.com";

/** Open such a service. @param answers what it answers to a request instead, by method and name */
export function openBookings(
  answers: Readonly<Record<string, (times: number) => Response | Promise<Response> | undefined>> = {},
): Bookings {
  const live = new Set<string>();
  const heard: string[] = [];
  const times = new Map<string, number>();
  const serve = async (verb: "book" | "unbook", { name }: Wish): Promise<Response> => {
    const word = `${verb} ${name}`;
    heard.push(word);
    const count = (times.get(word) ?? 0) + 1;
    times.set(word, count);
    const other = await answers[word]?.(count);
    if (other !== undefined) return other;
    if (verb === "book") live.add(name);
    else if (!live.delete(name)) return Response.json({}, { status: 404 });
    return Response.json(verb === "book" ? { id: name, secret: "s" } : { gone: name });
  };
  const routes: Routes = {
    [`GET ${HOST}/booked/*`]: ({ url }) => {
      const name = url.split("/").at(-1)!;
      heard.push(`look for ${name}`);
      return live.has(name) ? { booking: { id: name } } : Response.json({}, { status: 404 });
    },
    [`POST ${HOST}/book`]: (request) => serve("book", request.json() as Wish),
    [`POST ${HOST}/unbook`]: (request) => serve("unbook", { name: (request.json() as { id: string }).id }),
    [`GET ${HOST}/look`]: () => [...live],
  };
  return { live, heard, routes };
}

type Declared = Partial<Omit<ToolDeclaration, "orchestration" | "input">> & {
  readonly orchestration?: object;
};

/** A call of that service as a tool. */
export function declare(name: string, path: string, input: z.core.$ZodType, declared: Declared = {}): Tool {
  return defineTool({
    name,
    summary: `Calls ${path} of the service`,
    description: `Calls ${path}.`,
    category: "bookings",
    actions: ["create"],
    isWrite: true,
    execution: "sync",
    hosts: ["bookings.example.com"],
    input,
    run: async (args, { fetch }) => {
      const response = await fetch(`${HOST}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(args),
      });
      return response.json();
    },
    ...declared,
    orchestration: { mode: "parallel-safe", ...declared.orchestration },
  });
}

export const BOOKED = { name: z.string(), note: z.optional(z.unknown()) };

/** A write of that service which says how it is taken back. */
export function book(name: string, declared: Declared = {}): Tool {
  return declare(name, "book", z.object(BOOKED), {
    ...declared,
    orchestration: {
      compensate: { tool: "unbook", args: { id: { $ref: "result#/id" } } } satisfies Compensation,
      ...declared.orchestration,
    },
  });
}

export const VERIFY = { verify_with: { tool: "find", args: { name: "/name" }, result: "/booking" } };

/** The same in other domains. */
export const TOOLS: readonly Tool[] = [
  book("book"),
  book("book_car", { domain: "cars" }),
  book("book_seen", { domain: "seen", orchestration: VERIFY }),
  book("book_later", { domain: "later", execution: "fire-and-forget" }),
  declare("order", "book", z.object(BOOKED)),
  declare("unbook", "unbook", z.object({ id: z.string() })),
  declare("find", "booked", z.object({ name: z.string() }), {
    isWrite: false,
    run: async (args, { fetch }) => {
      const response = await fetch(`${HOST}/booked/${(args as Wish).name}`);
      return response.json();
    },
  }),
  declare("look", "look", z.object({}), {
    isWrite: false,
    run: async (_, { fetch }) => (await fetch(`${HOST}/look`)).json(),
  }),
];

export interface UndoneResult {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code: string; readonly hint?: string };
  readonly confirmation?: { readonly id: string };
  readonly meta: { readonly undone?: boolean | string };
}

/** The answer to a batch that may be undone. */
export interface UndoneAnswer {
  readonly batch_id: string;
  readonly status?: string;
  readonly results: readonly UndoneResult[];
  readonly undone?: readonly {
    readonly id: string;
    readonly element?: number;
    readonly tool: string;
    readonly status: string;
    readonly data?: unknown;
    readonly error?: { readonly code: string };
    readonly confirmation?: { readonly id: string };
  }[];
}

/** Open a Volley over such a service. */
export function openVolley(bookings: Bookings, tools: readonly Tool[] = TOOLS): Promise<TestVolley> {
  return createTestVolley({ tools, features: [undo()], routes: bookings.routes });
}

/** Send a batch that is undone where it fails. */
export async function runUndo(
  volley: TestVolley,
  actions: readonly object[],
  more: object = {},
): Promise<UndoneAnswer> {
  const body = JSON.stringify({ actions, on_error: "undo", ...more });
  const headers = { "content-type": "application/json" };
  const response = await volley.fetch("/v1/execute_actions", { method: "POST", headers, body });
  return (await response.json()) as UndoneAnswer;
}
