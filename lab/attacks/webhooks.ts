import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

import { eventually } from "../../test/support/eventually.ts";
import type { Answered, Attack, Target } from "./attack.ts";

const ADMIN = { authorization: "Bearer sandbox-admin-key" };
const SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";
const JSON_TYPE = { "content-type": "application/json" };
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Keep a flow that deliveries of GitHub run. */
async function keep({ url }: Target, name: string, actions: readonly object[]): Promise<void> {
  const webhook = { verify: "github", secret: "SANDBOX_SECRET" };
  const flow = { summary: name, input_schema: { type: "object" }, actions, triggers: { webhook } };
  const kept = await fetch(`${url}/v1/flows/${name}`, {
    method: "PUT",
    headers: { ...ADMIN, ...JSON_TYPE },
    body: JSON.stringify(flow),
  });
  assert.equal(kept.status, 201, await kept.text());
}

function deliver({ send }: Target, name: string, body: string, secret = SECRET): Promise<Answered> {
  const mac = createHmac("sha256", secret).update(body).digest("hex");
  return send(`/hooks/sandbox-admin/${name}`, body, {
    authorization: "",
    "x-github-delivery": `delivery-${Math.random()}`,
    "x-hub-signature-256": `sha256=${mac}`,
  });
}

/** Wait until no run of a flow is under way any more, and give how they ended. */
async function endsOf({ url }: Target, name: string): Promise<readonly string[]> {
  const list = async (query: string): Promise<readonly { readonly status: string }[]> => {
    const answer = await fetch(`${url}/v1/jobs?tool=${name}&limit=100${query}`, { headers: ADMIN });
    return ((await answer.json()) as { jobs: { status: string }[] }).jobs;
  };
  const isOver = async (): Promise<true | undefined> =>
    (await list("&status=running")).length + (await list("&status=retrying")).length === 0 || undefined;
  await eventually("the runs to end", isOver, { withinMs: 55_000, everyMs: 100 });
  return (await list("")).map(({ status }) => status);
}

/** Senders who cannot sign, and signed ones whose runs are as dear as any may be. */
export const WEBHOOK_ATTACKS: readonly Attack[] = [
  {
    title: "webhooks: 100 deliveries of 256 KiB that are not signed are refused alike, and none is recorded",
    run: async (target) => {
      await keep(target, "forged", [{ tool: "probe-echo", args: { n: 1 } }]);
      const body = JSON.stringify({ text: "x".repeat(250_000) });
      const answers = await Promise.all(range(100).map(() => deliver(target, "forged", body, "another")));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401]);
      assert.deepEqual(await endsOf(target, "forged"), []);
    },
  },
  {
    title: "webhooks: a signed delivery that nests as deep as it is long starts nothing",
    run: async (target) => {
      await keep(target, "deep", [{ tool: "probe-echo", args: { n: 1 } }]);
      const body = `{"a":${"[".repeat(120_000)}${"]".repeat(120_000)}}`;
      const answer = await deliver(target, "deep", body);
      assert.equal(answer.status, 200);
      assert.deepEqual(await endsOf(target, "deep"), []);
    },
  },
  {
    title: "webhooks: 30 signed deliveries at once, each a run of 50 reads full of empty objects, all end",
    run: async (target) => {
      const full = `[${"{},".repeat(60_000)}{}]`;
      target.upstream.script("/full", (_, response) => void response.writeHead(200, JSON_TYPE).end(full));
      await keep(
        target,
        "full",
        range(50).map((n) => ({ id: `r${n}`, tool: "probe-any", args: { path: `/full?n=${n}` } })),
      );
      const answers = await Promise.all(range(30).map((n) => deliver(target, "full", `{"n":${n}}`)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
      const ends = await endsOf(target, "full");
      assert.equal(ends.length, 30);
    },
  },
  {
    title: "webhooks: 8 signed deliveries at once, each a run of 22 loops of 25 reads of 100 KB, all end",
    run: async (target) => {
      const text = JSON.stringify({ text: "x".repeat(100_000) });
      target.upstream.script("/text", (_, response) => void response.writeHead(200, JSON_TYPE).end(text));
      await keep(
        target,
        "loops",
        range(22).map((n) => ({
          id: `l${n}`,
          tool: "probe-any",
          for_each: range(25),
          args: { path: { $template: `/text?n=${n}-{{item#}}` } },
        })),
      );
      const answers = await Promise.all(range(8).map((n) => deliver(target, "loops", `{"n":${n}}`)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
      assert.equal((await endsOf(target, "loops")).length, 8);
    },
  },
];
