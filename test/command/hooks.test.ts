import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { afterAll, beforeEach, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";

/** A deployment with a flow of Stripe's, two of GitHub's and one of Discord's, that takes what Stripe signs. */
const FLOWS: Readonly<Record<string, string>> = {
  pay: "stripe",
  one: "github",
  two: "github",
  talk: "discord",
};
const delivered: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { url = "", headers } = request;
    const name = url.split("/").at(-1)!;
    if (url === "/v1/flows") {
      const flows = Object.keys(FLOWS).map((flow) => ({ name: flow, triggers: ["webhook"] }));
      response.end(JSON.stringify({ flows: [...flows, { name: "plain", triggers: [] }] }));
    } else if (url.startsWith("/v1/flows/")) {
      const webhook = { verify: FLOWS[name], secret: "HOOK" };
      response.end(JSON.stringify({ hook_url: `${VOLLEY_URL}/hooks/acme/${name}`, triggers: { webhook } }));
    } else {
      delivered.push({ headers, body });
      const [, time, signature] = /^t=(\d+),v1=(.*)$/.exec(String(headers["stripe-signature"])) ?? [];
      const right = createHmac("sha256", "right").update(`${time}.${body}`).digest("hex");
      const status = signature === right ? 202 : 401;
      response.writeHead(status, status === 202 ? { "volley-job-id": "j-1" } : {}).end(`{"job_id":"j-1"}`);
    }
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => void server.close());
beforeEach(() => void delivered.splice(0));
const VOLLEY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function run(words: string, env: Record<string, string> = {}): Promise<[number, string]> {
  const printed: string[] = [];
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line)),
  );
  const code = await runCommand(`hooks try ${words}`.split(" "), { VOLLEY_URL, VOLLEY_KEY: "key", ...env });
  for (const spy of spies) spy.mockRestore();
  return [code, printed.join("\n")];
}

test("volley hooks try sends a delivery to the only flow of the sender, another each time, and says what it answers", async () => {
  const [code, said] = await run("stripe", { HOOK: "right" });
  expect([code, said]).toEqual([
    0,
    `POST ${VOLLEY_URL}/hooks/acme/pay\n202 {"job_id":"j-1"}\nThe run is the job j-1: GET ${VOLLEY_URL}/v1/jobs/j-1`,
  ]);
  await run('stripe --body {"type":"mine"}', { HOOK: "right" });
  const bodies = delivered.map(
    ({ body }) => JSON.parse(body) as { readonly id: string; readonly type: string },
  );
  expect(bodies.map(({ type }) => type)).toEqual(["invoice.paid", "mine"]);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(2);
  expect(await run("stripe", { HOOK: "wrong" })).toMatchObject([1, expect.stringContaining("\n401 ")]);
});

test.each([
  ["nobody", "There is no sender 'nobody'; there are calendly, "],
  ["slack", 'No flow has a webhook with "verify": "slack". docs/senders/slack.md says how to make one.'],
  ["slack --flow pay", `The flow 'pay' has no webhook with "verify": "slack".`],
  ["github", "Several flows have one: say --flow one or --flow two."],
  ["stripe --body {", "--body is no JSON object or list."],
  ["discord", "Only Discord can sign for Discord: the flow's secret is its public key."],
])("volley hooks try %s says what it needs", async (words, says) => {
  expect(await run(words, { HOOK: "right" })).toEqual([2, expect.stringContaining(says)]);
  expect(delivered).toEqual([]);
});

test("volley hooks try asks for the text of the secret by the name that the flow gives", async () => {
  expect(await run("stripe")).toEqual([
    2,
    expect.stringContaining("Set HOOK to the text of the flow's secret: HOOK=… volley hooks try stripe"),
  ]);
});
