import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";

const SECRET = "sandbox-probe-secret";
const MIB = 1024 * 1024;
const HEX = Buffer.from(SECRET).toString("hex");

/** Text that begins like a secret again and again, in each way of writing one, and ends with the secret. */
const PIECES: Readonly<Record<string, string>> = {
  "percent signs": "%",
  "half a percent-encoded letter, twice encoded": "%25%37",
  "a percent-encoded letter": "%73",
  "numeric entities without an end": "&#0",
  backslashes: "\\",
  "escaped letters": "\\u0073",
  "the secret but for its end": SECRET.slice(0, -1),
  "its hex digits but for the last": HEX.slice(0, -1),
  "its base64 in pieces": `${Buffer.from(SECRET).toString("base64").slice(0, -8)}\n`,
  "the secret itself": SECRET,
};

/** Attacks that make looking for a secret slow. The upstream knows it: it was sent to it. */
export const SECRET_ATTACKS: readonly Attack[] = Object.entries(PIECES).map(([what, piece]) => ({
  title: `15 answers of 1 MiB of ${what} are searched for a secret, and it is found`,
  run: async ({ upstream, execute }) => {
    const escaped = JSON.stringify(piece).slice(1, -1);
    const text = escaped.repeat(Math.floor((MIB - 1024) / escaped.length));
    upstream.script(
      "/secret",
      (_, response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end(`{"text":"${text}","end":"%${HEX.replaceAll(/..(?!$)/g, "$&%")}"}`),
    );
    const actions = Array.from({ length: 15 }, (_, n) => ({
      tool: "probe-secret",
      args: { n },
      select: ["/end"],
    }));
    const answer = await execute({ actions });
    assert.equal(answer.status, 200);
    // Searched text counts twice, so not all of them are read.
    const { results } = JSON.parse(answer.text) as {
      results: { status: string; error?: { code: string } }[];
    };
    const refused = results.filter(({ status }) => status !== "success");
    assert.ok(
      refused.every(({ error }) => error?.code === "RESPONSE_TOO_LARGE"),
      answer.text.slice(0, 500),
    );
    assert.ok(refused.length < 10);
    assert.ok(!answer.text.includes(SECRET) && !answer.text.includes(HEX));
  },
}));
