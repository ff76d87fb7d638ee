import { expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { respondCounted } from "../../../../src/cloudflare/http/hold-bytes.ts";
import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

function world() {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock);
  const context = {
    ports: { clock },
    upstreams: { share: () => isolate.open("acme", clock) },
  } as unknown as RequestContext;
  return { clock, isolate, context };
}
const LARGE = JSON.stringify("x".repeat(2 * LIMITS.wholeAnswerCharacters));

test("T44 a large answer that nothing was read for holds its tenant's bytes until its client has read it", async () => {
  const { isolate, context } = world();
  const response = valueOf(await respondCounted(LARGE, context, { "x-more": "1" }));
  expect(isolate.heldBy("acme")).toBe(LARGE.length - LIMITS.uncountedBytes);
  expect(response.headers.get("x-more")).toBe("1");
  expect((await response.text()).length).toBe(LARGE.length);
  expect(isolate.held).toBe(0);
});

test("T44 its client that reads nothing of it keeps it no longer than any answer", async () => {
  const { clock, isolate, context } = world();
  const response = valueOf(await respondCounted(LARGE, context));
  const reader = response.body!.getReader();
  await reader.read();
  await clock.advance(LIMITS.answerIdleMs);
  expect(isolate.held).toBe(0);
});

test("T44 one that finds no room is refused, and a small one finds room where large ones wait", async () => {
  const { clock, isolate, context } = world();
  const { bytes, claim } = isolate.limits;
  expect(isolate.open("acme", clock).take(claim, false)).toBe(true);
  expect(isolate.open("acme", clock).take((3 / 4) * (bytes / 2 - claim), false)).toBe(true);
  expect(await clock.runUntil(respondCounted(LARGE, context))).toMatchObject({
    ok: false,
    error: { code: "UNAVAILABLE", retryAfterMs: 1_000 },
  });
  const held = isolate.held;
  expect(await respondCounted('"small"', context)).toMatchObject({ ok: true });
  expect(isolate.held).toBe(held);
});
