import { expect, test } from "vitest";

import type { Caller } from "../../../../src/core/contract/gate/caller.ts";
import { makeRefusal, type Refusal } from "../../../../src/core/contract/refusal.ts";
import { err, ok, type Result } from "../../../../src/core/kit/result.ts";
import { openMcp } from "./mcp-world.ts";
import { trial } from "../../../support/trial.ts";

/** A token that this isolate believes, and whose source says before a write how it is. */
async function openWith(still: Result<boolean, Refusal>) {
  const caller: Caller = {
    name: "token",
    tenant: "acme",
    tools: ["*"],
    quota: { limit: 100, windowS: 60 },
    flags: [],
  };
  let asked = 0;
  const source = {
    hasForm: (key: string) => key === "token",
    recall: () => undefined,
    identify: async () => ok(caller),
    isStill: (one: Caller) => {
      if (one !== caller) return undefined;
      asked += 1;
      return Promise.resolve(still);
    },
  };
  const world = await openMcp({ features: [{ name: "tokens", openCallers: () => source }] });
  const call = (name: string, args: object) =>
    world.ask("tools/call", { name, arguments: args }, { key: "token" });
  return { ...world, call, asked: () => asked };
}

test("T51 a token that has ended elsewhere writes nothing, and records no job: 401 before anything runs", async () => {
  const { call, asked, volley } = await openWith(ok(false));
  for (const [name, args] of [
    ["send_it", { n: 1 }],
    [
      "execute_actions",
      {
        actions: [
          { tool: "read_it", args: { n: 1 } },
          { tool: "drop_it", args: { n: 1 } },
        ],
      },
    ],
    ["execute_actions", { actions: [{ tool: "read_it", args: { n: 1 } }], background: true }],
    ["invoke_tool", { tool_name: "drop_it", parameters: { n: 1 } }],
  ] as const) {
    const answer = await call(name, args);
    expect([answer.status, answer.headers.get("www-authenticate")], name).toEqual([401, "Bearer"]);
  }
  expect(asked()).toBe(4);
  const jobs = await volley.fetch("/v1/jobs", { headers: { authorization: "Bearer test-key" } });
  expect(await jobs.json()).toMatchObject({ jobs: [] });
});

trial("a read asks nobody whether its token is still good", async () => {
  const { call, asked } = await openWith(ok(false));
  expect((await call("read_it", { n: 1 })).body.result).toMatchObject({ structuredContent: { read: 1 } });
  expect(asked()).toBe(0);
});

trial("a write runs where the token is good, and waits where that cannot be found out", async () => {
  const good = await openWith(ok(true));
  expect((await good.call("send_it", { n: 1 })).status).toBe(200);
  const lost = await openWith(err(makeRefusal("UNAVAILABLE", "Not now.", { retryAfterMs: 1_000 })));
  const answer = await lost.call("send_it", { n: 1 });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
});
