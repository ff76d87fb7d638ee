import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";
import { SENDERS } from "../../scripts/hooks/senders.ts";
import { trial } from "../support/trial.ts";

const NAMES = Object.keys(SENDERS);
/** A secret that every sender but Discord may have: Standard Webhooks decode it, the others take its text. */
const SECRET = `whsec_${btoa("a secret that is long enough for all")}`;

/** Its types are those of a Worker. */
const WORLD: string = "../support/sender-volley.ts";
interface SenderVolley {
  fetch(path: string, init: RequestInit): Promise<Response>;
}

let volley: SenderVolley;
const server = createServer((request, response) => {
  void buffer(request).then(async (body) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const init = { method: request.method!, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) };
    const answer = await volley.fetch(request.url!, init);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
});
afterAll(() => void server.close());

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("VOLLEY_URL", url);
  const { openSenderVolley } = (await import(WORLD)) as {
    readonly openSenderVolley: (url: string, secret: string) => Promise<SenderVolley>;
  };
  volley = await openSenderVolley(url, SECRET);
  for (const name of NAMES) {
    const webhook = {
      verify: name,
      secret: name === "discord" ? "KEY" : "HOOK",
      ...(name === "meta" && { verify_token: "HOOK" }),
    };
    const flow = {
      summary: "Hear",
      input_schema: { type: "object" },
      actions: [{ id: "a", tool: "nod", args: {} }],
      triggers: { webhook },
    };
    const headers = { "content-type": "application/json" };
    const kept = await volley.fetch(`/v1/flows/of_${name}`, {
      method: "PUT",
      headers,
      body: JSON.stringify(flow),
    });
    expect([name, kept.status, kept.status === 201 ? "" : await kept.text()]).toEqual([name, 201, ""]);
  }
});

async function attempt(sender: string, secret = SECRET): Promise<readonly [number, string]> {
  const printed: string[] = [];
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line)),
  );
  const env = { VOLLEY_URL: process.env["VOLLEY_URL"]!, VOLLEY_KEY: "test-key", HOOK: secret, KEY: secret };
  const code = await runCommand(["hooks", "try", sender, "--flow", `of_${sender}`], env);
  for (const spy of spies) spy.mockRestore();
  return [code, printed.join("\n")];
}

describe("volley hooks try, for each of 29 senders", () => {
  test("there are so many", () => expect(NAMES).toHaveLength(29));

  trial.each(NAMES.filter((name) => name !== "discord"))(
    "%s begins a run, and with another secret none",
    async (sender) => {
      const [code, said] = await attempt(sender);
      expect([code, said]).toEqual([0, expect.stringMatching(/\n20[024]( |\n)[\s\S]*The run is the job /)]);
      expect(await attempt(sender, `whsec_${btoa("another secret, of another text")}`)).toEqual([
        1,
        expect.stringContaining("\n401 "),
      ]);
    },
  );

  test("discord says that nobody else can sign for it", async () => {
    expect(await attempt("discord")).toEqual([
      2,
      expect.stringContaining("Only Discord can sign for Discord"),
    ]);
  });
});
