import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";

const MIB = 1024 * 1024;

/** Numbers that are dear to read, to compare or to keep. */
const NUMBERS: Readonly<Record<string, string>> = {
  "integers of 20 digits": "12345678901234567890",
  "numbers with an exponent": "1e5",
  "numbers beyond a double": "1e400",
  "numbers of 16 digits": "1234567890123456",
  "numbers of 64,000 digits": "1234567890".repeat(6_400),
  "numbers of 64,000 zeros": `0.${"0".repeat(64_000)}1`,
};

/** Attacks that make keeping a number's digits slow. */
export const NUMBER_ATTACKS: readonly Attack[] = Object.entries(NUMBERS).map(([what, number]) => ({
  title: `ten answers of 0.9 MiB of ${what} keep their digits`,
  run: async ({ upstream, execute }) => {
    const count = Math.floor((0.9 * MIB) / (number.length + 1));
    const list = Array.from({ length: count }, () => number).join(",");
    upstream.script(
      "/numbers",
      (_, response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end(`{"first":${number},"list":[${list}]}`),
    );
    const actions = Array.from({ length: 10 }, (_, n) => ({
      id: `n${n}`,
      tool: "probe-any",
      args: { path: `/numbers?n=${n}` },
      select: ["/first"],
    }));
    const answer = await execute({ actions });
    assert.equal(answer.status, 200);
    // Refused, or given up by a slow machine, is fine; what is answered is exact.
    const exact = /^1e5$|^\d{16}$/.test(number) ? String(Number(number)) : number;
    const kept = answer.text.split(`"data":{"first":${exact}}`).length - 1;
    const failed = answer.text.split('"status":"error"').length - 1;
    assert.equal(kept + failed, 10, answer.text.slice(0, 500));
  },
}));
