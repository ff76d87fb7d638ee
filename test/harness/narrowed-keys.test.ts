import { describe, expect, test } from "vitest";

import { CHAT_PATH, setUpChat } from "../support/chat-world.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { ACCEPTS_JSON, KEYED_DOORS, WRITE_FLOW } from "../support/keyed-doors.ts";
import { TestCaller } from "../support/test-caller.ts";

/* Answers that were kept under an Idempotency-Key, asked for by a key of the same name that may call less. */

const quota = { limit: 10_000, window_s: 60 };
const VOLLEY_KEYS = await configureKeys({
  manager: { name: "manager", tenant: "acme", flags: ["manage_keys", "manage_tools"], quota },
});
const { upstream, model, volley } = await setUpChat({ VOLLEY_KEYS });
const manager = new TestCaller(volley.url, "manager");
await manager.send({
  method: "PUT",
  path: `/v1/flows/${WRITE_FLOW.name}`,
  body: JSON.stringify(WRITE_FLOW.flow),
});

/** Make a key of a name, after the one that has it has ended. */
async function remake(name: string, tools: readonly string[]): Promise<TestCaller> {
  await manager.send({ method: "DELETE", path: `/v1/keys/${name}` });
  const made = await manager.send({
    path: "/v1/keys",
    body: JSON.stringify({ name, tools, quota: { limit: 100, window_s: 60 } }),
  });
  expect(made.status, made.text).toBe(201);
  return new TestCaller(volley.url, (JSON.parse(made.text) as { key: string }).key);
}

const DOORS: typeof KEYED_DOORS = [
  ...KEYED_DOORS,
  [
    "a request to a model",
    {
      path: CHAT_PATH,
      bodyOf: (n) => ({ model: "m", messages: [{ role: "user", content: `Write ${n}` }] }),
    },
  ],
];

describe("T49 The answer under an Idempotency-Key", () => {
  test.each(DOORS)(
    "of %s is for a key of the name that may call its tools, and for no other",
    async (door, { path, bodyOf }) => {
      const n = 700 + DOORS.findIndex(([name]) => name === door);
      const name = `agent-${n}`;
      model.willSay({ calls: [{ name: "probe-write", args: { n } }] }, { text: "Written." });
      const send = (by: TestCaller) =>
        by.send({
          path,
          headers: { ...ACCEPTS_JSON, "idempotency-key": name },
          body: JSON.stringify(bodyOf(n)),
        });
      const first = await send(await remake(name, ["probe", "flows"]));
      expect(first.status, first.text).toBe(200);
      expect(first.text).toContain("/write");

      const narrowed = await send(await remake(name, ["probe-echo", "flows"]));
      expect(narrowed.headers).not.toHaveProperty("idempotency-replayed");
      expect(narrowed.text).not.toContain("/write");
      expect(path === "/mcp" ? narrowed.text.includes("IDEMPOTENCY_CONFLICT") : narrowed.status >= 400).toBe(
        true,
      );

      const again = await send(await remake(name, ["probe-write", "flows"]));
      expect([again.headers["idempotency-replayed"], again.text]).toEqual(["true", first.text]);
      const writes = upstream.requestsTo("/write").filter(({ body }) => body.includes(`${n}`));
      expect(writes).toHaveLength(1);
    },
  );
});
