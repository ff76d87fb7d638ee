import type { ServerResponse } from "node:http";
import type { Spoiling } from "../../../test/chaos/chaos-upstream.ts";
import { HOSTILE_ANSWERS } from "../../../test/support/hostile-answers.ts";
import type { FaultKind } from "../schedule.ts";

/** Several times what a tool reads. */
const HUGE_BYTES = 3_000_000;

/** How an answer is spoiled in each kind of window. A call that is not refused has had its effect. */
export const SPOILINGS: Readonly<Record<FaultKind, Spoiling>> = {
  "500": refuse(500),
  "429": refuse(429, { "retry-after": "1" }),
  outage: refuse(503),
  reset: { refuses: false, answer: (response) => void response.socket?.resetAndDestroy() },
  hang: { refuses: false, answer: () => {} },
  huge: {
    refuses: false,
    answer: (response) =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ big: "x".repeat(HUGE_BYTES) })),
  },
  invalid: { refuses: false, answer: (response) => answerAs("/bad-json", response) },
  drip: { refuses: false, answer: (response) => answerAs("/trickle", response) },
};

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): Spoiling {
  return {
    refuses: true,
    answer: (response) =>
      void response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end('{"error":"as the schedule says"}'),
  };
}

function answerAs(path: string, response: ServerResponse): void {
  HOSTILE_ANSWERS[path]!(new URLSearchParams(), response, path, { headers: {}, body: "" });
}
