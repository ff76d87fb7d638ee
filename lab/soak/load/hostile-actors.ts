import { KEYS } from "../keys.ts";
import type { World } from "./world.ts";

interface HostileRequest {
  readonly body: string | Uint8Array;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const BATCH = '{"actions":[{"tool":"probe-echo","args":{"n":1}}]}';
const deep = "[".repeat(20_000) + "]".repeat(20_000);
const twice = '{"actions":[{"id":"a","tool":"probe-echo"},{"id":"a","tool":"probe-echo"}]}';
const cycle =
  '{"actions":[{"id":"a","tool":"probe-echo","depends_on":["b"]},{"id":"b","tool":"probe-echo","depends_on":["a"]}]}';

/** Each of them is refused whole. */
const REFUSED: readonly HostileRequest[] = [
  { body: "" },
  { body: "{" },
  { body: '{"actions":[' },
  { body: "null" },
  { body: `{"actions":${deep}}` },
  { body: `{"actions":[{"tool":"probe-echo","args":{"text":"${"x".repeat(300_000)}"}}]}` },
  { body: `{"actions":[${'{"tool":"probe-echo"},'.repeat(60)}{"tool":"probe-echo"}]}` },
  { body: twice },
  { body: cycle },
  { body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) },
  { body: BATCH, headers: { "content-type": "text/plain" } },
  { body: BATCH, headers: { authorization: "Bearer nobody's" } },
  { body: BATCH, headers: { authorization: "" } },
  { body: BATCH, path: "/v1/no/such/../path" },
  {
    body: BATCH,
    path: "/hooks/sandbox-admin/chaos-hook",
    headers: { "webhook-id": "x", "webhook-signature": "v1,AAAA" },
  },
  { body: '{"jsonrpc":"2.0","method":"tools/call"', path: "/mcp" },
];

/** In each of them the action fails, and nothing else does. */
const FAILED: readonly string[] = [
  '{"tool":"toString","args":{}}',
  '{"tool":"probe-echo","args":{"n":1e400}}',
  '{"tool":"probe-echo","args":{"n":1,"__proto__":{"d":1}}}',
  '{"tool":"probe-any","args":{"path":"http://169.254.169.254/latest/meta-data"}}',
  '{"tool":"probe-any","args":{"path":"https://2130706433/"}}',
  '{"tool":"probe-any","args":{"path":"data:text/plain,x"}}',
  '{"tool":"probe-any","args":{"path":"/stray"}}',
  '{"tool":"probe-echo","args":{"n":{"$ref":"nobody#/x"}}}',
];

/** Send requests that must be refused; a host that no tool declares is never reached. */
export async function attack(world: World): Promise<void> {
  const which = world.int(REFUSED.length + FAILED.length);
  const refused = REFUSED[which];
  if (refused !== undefined) {
    const { body, path = "/v1/execute_actions", headers = {} } = refused;
    const answer = await world.ask("hostile requests", path, {
      method: "POST",
      key: KEYS.reader,
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    if (answer !== null && (answer.status < 400 || answer.status >= 500) && answer.status !== 503)
      world.problem("hostile requests", `request ${which} is answered ${answer.status}`);
    return;
  }
  const failed = FAILED[which - REFUSED.length]!;
  const answer = await world.ask("hostile actions", "/v1/execute_actions", {
    method: "POST",
    key: KEYS.reader,
    headers: { "content-type": "application/json" },
    body: `{"actions":[${failed},{"tool":"probe-search","args":{"q":"x"}}],"deadline_ms":3000}`,
  });
  if (answer?.status !== 200) return;
  const { results } = JSON.parse(answer.text) as { results: readonly { status: string }[] };
  if (results[0]?.status !== "error") world.problem("hostile actions", `${failed} is ${results[0]?.status}`);
}

/** A tool that carries a secret to a provider which repeats it. */
export async function tempt(world: World): Promise<void> {
  const n = world.block();
  await world.batch("secrets", [{ id: "secret", tool: "probe-secret", args: { n } }], { key: KEYS.reader });
}
