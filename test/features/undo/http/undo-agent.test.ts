import { describe, expect, test } from "vitest";

import { agent } from "../../../../src/features/agent/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { type Bookings, openBookings, TOOLS } from "./bookings.ts";

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Round {
  readonly results: readonly {
    readonly status: string;
    readonly meta: { readonly undone?: boolean | string };
  }[];
}

const toCall = (name: string, args: object, at: number): ToolCall => ({
  id: `c${at}`,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

/**
 * Ask a scripted model that makes some calls, and then repeats each of which its message says neither that it failed nor that it was taken
 * back.
 */
async function ask(bookings: Bookings, calls: readonly ToolCall[], options: object = {}) {
  const told: string[] = [];
  const say = (messages: readonly Message[]): Partial<Message> => {
    const answers = messages.filter(({ role }) => role === "tool");
    if (answers.length === 0) return { content: null, tool_calls: calls };
    told.push(...answers.slice(told.length).map(({ content }) => content!));
    const open = calls.filter((one) => {
      const said = answers.findLast((answer) => answer.tool_call_id === one.id)!.content!;
      return (
        !said.includes("taken back") && !said.includes('"status":"error"') && !said.includes('"skipped"')
      );
    });
    return open.length === 0 ? { content: "Done." } : { content: null, tool_calls: open };
  };
  const volley = await createTestVolley({
    tools: TOOLS,
    features: [discovery(), agent(), undo()],
    routes: {
      ...bookings.routes,
      "POST https://model.example.com/v1/chat/completions": (request) => {
        const { messages } = request.json() as { readonly messages: readonly Message[] };
        const message = { role: "assistant", ...say(messages) };
        const choices = [{ index: 0, finish_reason: "stop", message }];
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
        return { id: "x", object: "chat.completion", created: 1, model: "m", choices, usage };
      },
    },
    env: { LLM_BASE_URL: "https://model.example.com/v1", LLM_API_KEY: "k", LLM_MODEL: "m" },
  });
  const response = await volley.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      messages: [{ role: "user", content: "Book it." }],
      volley: { on_error: "undo", surface: "flat", ...options },
    }),
  });
  const answer = (await response.json()) as { readonly volley: { readonly rounds: readonly Round[] } };
  return { told, rounds: answer.volley?.rounds, answer };
}

const FAILING = { "book fails": () => Response.json({}, { status: 400 }) };
const CALLS = [
  toCall("book", { name: "a" }, 0),
  toCall("book_car", { name: "c" }, 1),
  toCall("book", { name: "fails" }, 2),
];
const bookedIn = ({ heard }: Bookings) => heard.filter((word) => word.startsWith("book ")).toSorted();

describe("a round of the agent is a batch that is undone where a call fails", () => {
  test("and the message of each call that was undone says 'taken back'", async () => {
    const bookings = openBookings(FAILING);
    const { told, rounds, answer } = await ask(bookings, CALLS);
    expect(rounds, JSON.stringify(answer)).toHaveLength(1);
    expect(rounds[0]!.results.map(({ meta }) => meta.undone)).toEqual([true, true, undefined]);
    expect(told.slice(0, 2).map((text) => JSON.parse(text) as object)).toMatchObject([
      { status: "success", data: { id: "a" }, note: expect.stringContaining("taken back") },
      { status: "success", data: { id: "c" }, note: expect.stringContaining("taken back") },
    ]);
    expect([...bookings.live]).toEqual([]);
  });

  test("so a model that repeats whatever is not said to be undone writes nothing a second time", async () => {
    const bookings = openBookings(FAILING);
    await ask(bookings, CALLS);
    expect(bookedIn(bookings)).toEqual(["book a", "book c", "book fails"]);
  });

  test("also where the model itself wrote the batch: its message has a note of each action", async () => {
    const bookings = openBookings(FAILING);
    const actions = [
      { id: "one", tool: "book", args: { name: "a" } },
      { id: "two", tool: "book", args: { name: "fails" }, depends_on: ["one"] },
    ];
    const { told } = await ask(bookings, [toCall("execute_actions", { actions }, 0)], { surface: "batch" });
    expect(JSON.parse(told[0]!)).toMatchObject({
      results: [{ meta: { undone: true } }, { status: "error" }],
      notes: { one: expect.stringContaining("taken back") },
    });
    expect(bookedIn(bookings)).toEqual(["book a", "book fails"]);
  });

  test("and no message says so of a call that stands", async () => {
    const bookings = openBookings({
      ...FAILING,
      "unbook c": () => Response.json({}, { status: 409 }),
    });
    const { told, rounds } = await ask(bookings, CALLS, { max_rounds: 1 });
    expect(rounds[0]!.results.map(({ meta }) => meta.undone)).toEqual([true, false, undefined]);
    expect(told[1]).toContain("what it did stands");
    expect(told[1]).not.toContain("taken back");
    expect([...bookings.live]).toEqual(["c"]);
  });

  test("while rounds before it stay", async () => {
    const bookings = openBookings(FAILING);
    const { rounds } = await ask(bookings, [toCall("book", { name: "a" }, 0)], { max_rounds: 1 });
    expect(rounds[0]!.results[0]!.meta.undone).toBeUndefined();
    expect([...bookings.live]).toEqual(["a"]);
  });
});
