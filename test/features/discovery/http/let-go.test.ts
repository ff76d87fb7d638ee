import * as z from "zod";
import { expect, test } from "vitest";

import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { ACCEPTS_JSON, KEYED_DOORS, WRITE_FLOW } from "../../../support/keyed-doors.ts";

const HOST = "https://up.example.com";
const write = contractOf("probe-write", {
  isWrite: true,
  actions: ["update"],
  hosts: [HOST],
  secrets: ["TOKEN"],
  input: z.strictObject({ n: z.number() }),
  run: async (_, { fetch, secret }) =>
    (await fetch(HOST, { method: "POST", headers: { authorization: secret("TOKEN") } })).json(),
});

const open = async (): Promise<TestVolley> => {
  const volley = await createTestVolley({
    tools: [write],
    features: ALL_FEATURES,
    key: { flags: ["manage_tools"] },
  });
  const { name, flow } = WRITE_FLOW;
  const headers = { "content-type": "application/json" };
  await volley.fetch(`/v1/flows/${name}`, { method: "PUT", headers, body: JSON.stringify(flow) });
  return volley;
};

const LETS_GO = ["a batch", "a call", "a flow", "calls to be ordered"];

test.each(KEYED_DOORS)(
  "P5: the key of %s whose only write misses its secret is let go of where it stands for one batch, and kept for a turn",
  async (name, { path, bodyOf }) => {
    const volley = await open();
    const send = () =>
      volley.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "k", ...ACCEPTS_JSON },
        body: JSON.stringify(bodyOf(1)),
      });
    const first = await send();
    const text = await first.text();
    expect([first.status, /configured|MISCONFIGURED/.test(text)]).toEqual([200, true]);
    expect(text).not.toMatch(/sent_?nothing/i);
    expect((await send()).headers.has("idempotency-replayed")).toBe(!LETS_GO.includes(name));
    expect(volley.requests).toEqual([]);
    await volley.advance(2_000);
    const { runs } = (await (await volley.fetch("/v1/runs")).json()) as { runs: { run_id: string }[] };
    expect(runs.length).toBeGreaterThan(0);
    for (const { run_id: id } of runs)
      expect(await (await volley.fetch(`/v1/runs/${id}`)).text()).not.toMatch(/sent_?nothing/i);
  },
);
