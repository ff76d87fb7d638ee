import { agent } from "volley/agent";
import { confirmations } from "volley/confirmations";
import { discovery } from "volley/discovery";
import { createTestVolley } from "volley/testing";
import { expect, test } from "vitest";

import { openTicket } from "../src/tools/open-ticket.ts";
import { searchHelp } from "../src/tools/search-help.ts";

/** A model's server that says what it is told to, one message after the other, and keeps what it was asked. */
function scriptModel(messages: readonly object[]) {
  const asked: string[] = [];
  const left = [...messages];
  const answer = ({ body = "" }: { readonly body?: string }) => {
    asked.push(body);
    const message = { role: "assistant", content: null, ...left.shift() };
    const finish_reason = "tool_calls" in message ? "tool_calls" : "stop";
    const choices = [{ index: 0, message, finish_reason }];
    return { id: "chatcmpl-1", object: "chat.completion", created: 0, model: "test-model", choices };
  };
  return { asked, answer };
}

const toCall = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

/** Ask the agent once. */
async function ask(messages: readonly object[]) {
  const tickets = new Map<string, string>();
  const model = scriptModel(messages);
  const volley = await createTestVolley({
    tools: [searchHelp, openTicket],
    features: [discovery(), agent(), confirmations()],
    env: {
      LLM_BASE_URL: "https://llm.example/v1",
      LLM_API_KEY: "test",
      TICKETS: { put: async (id: string, text: string) => void tickets.set(id, text) },
    },
    routes: { "POST https://llm.example/v1/chat/completions": model.answer },
  });
  const response = await volley.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "test-model",
      messages: [{ role: "user", content: "How do I change my address?" }],
      volley: { surface: "flat" },
    }),
  });
  const answer = (await response.json()) as {
    choices: { message: { content: string } }[];
    volley: { rounds: { results: { status: string; confirmation?: { id: string } }[] }[] };
  };
  const results = answer.volley.rounds.flatMap((round) => round.results);
  return { volley, tickets, asked: model.asked, results, said: answer.choices[0]?.message.content };
}

test("the model is given what its calls found, and answers", async () => {
  const { asked, said, results } = await ask([
    {
      tool_calls: [
        toCall("1", "search_help", { words: "address" }),
        toCall("2", "search_help", { words: "invoice" }),
      ],
    },
    { content: "Open Account, then Addresses." },
  ]);
  expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(asked[1]).toContain("Change your address");
  expect(said).toBe("Open Account, then Addresses.");
});

test("a ticket waits for a person's yes, and is opened then", async () => {
  const ticket = { customer: "c_42", subject: "Address" };
  const { volley, tickets, said, results } = await ask([
    { tool_calls: [toCall("1", "open_ticket", ticket)] },
  ]);
  expect(said).toContain("waits for a person to agree");
  expect(tickets.size).toBe(0);

  await volley.client.decide(results[0]?.confirmation?.id ?? "", "approve");
  expect([...tickets.values()]).toEqual([JSON.stringify(ticket)]);
});
