import { expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { findTask } from "../../../../src/features/mcp/http/find-task.ts";
import { keepCall } from "../../../../src/features/mcp/tasks/open-reply.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const CALLER = { name: "asker", tools: ["*"] };
const PENDING = {
  id: "gone",
  status: "pending_confirmation",
  confirmation: { id: "q1", message: "May it?", url: "https://volley.test/console#/confirmations/q1" },
};

/** A call that waits beside a large result, and what the tenant's object says of its question. */
function world(status: "pending" | "done") {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock);
  const large = { id: "big", status: "success", data: "x".repeat(LIMITS.resultBytes / 2) };
  const json = JSON.stringify({ results: [large, PENDING], summary: {} });
  const row = JSON.stringify(keepCall({ name: "execute_actions", json, failed: false }, CALLER, 0));
  const answerJson = JSON.stringify({ results: [{ id: "gone", status: "success", data: 1 }] });
  const context = {
    caller: CALLER,
    ports: { clock },
    hooks: { beforeStep: {} },
    configured: { declared: { features: [] } },
    gate: {
      recall: async ([handle = ""]: string[]) => (handle.startsWith("call-") ? [{ handle, json: row }] : []),
      call: async () => ({
        status,
        answerJson: status === "done" ? answerJson : null,
        expiresAt: 1,
        decided: null,
      }),
    },
    upstreams: { share: () => isolate.open("acme", clock) },
  } as unknown as RequestContext;
  const gives: (() => void)[] = [];
  const find = () =>
    findTask("call-q1", context, {
      asks: true,
      onWritten: (give) => void gives.push(give),
    });
  return { clock, isolate, json, find, give: () => gives.splice(0).forEach((one) => one()) };
}

test("T44 A task that is over holds its result, each time it stands in the answer, until the client has read it", async () => {
  const { isolate, json, find, give } = world("done");
  expect(await find()).toMatchObject({ ok: true, value: { state: { status: "completed" } } });
  expect(isolate.heldBy("acme")).toBeGreaterThan(3 * json.length - LIMITS.resultBytes / 8);
  give();
  expect(isolate.held).toBe(0);
});

test("T44 A task that waits holds nothing between two looks", async () => {
  const { isolate, find } = world("pending");
  for (let looks = 0; looks < 3; looks += 1) {
    expect(await find()).toMatchObject({ ok: true, value: { state: { status: "input_required" } } });
    expect(isolate.held).toBe(0);
  }
});

test("T44 A task for which its tenant's bytes have no room is refused, and may be asked for again", async () => {
  const { clock, isolate, find } = world("pending");
  const { bytes, claim } = isolate.limits;
  expect(isolate.open("acme", clock).take(claim, false)).toBe(true);
  expect(isolate.open("acme", clock).take((3 / 4) * (bytes / 2 - claim), false)).toBe(true);
  const { held } = isolate;
  expect(await clock.runUntil(find())).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
  expect(isolate.held).toBe(held);
});
