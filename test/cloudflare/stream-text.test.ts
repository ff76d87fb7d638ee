import { expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { streamText } from "../../src/cloudflare/http/stream-text.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

function open(text: string | Uint8Array) {
  const clock = new VirtualClock();
  const ends: number[] = [];
  const stream = streamText(text, { clock, onEnd: () => void ends.push(clock.now()) });
  return { clock, ends, stream };
}

test("a text is streamed as it is, also where a chunk ends within a character, and its end is told once", async () => {
  const text = `${"x".repeat(64 * 1024 - 1)}\u{1f600}${"ü".repeat(100_000)}`;
  const { clock, ends, stream } = open(text);
  expect(await new Response(stream).text()).toBe(text);
  expect(ends).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test("bytes are streamed as they are, and what a reader does with its own changes nobody else's", async () => {
  const bytes = new TextEncoder().encode("ü".repeat(100_000));
  const { ends, stream } = open(bytes);
  const { value } = await stream.getReader().read();
  value!.fill(0);
  expect(ends).toEqual([]);
  expect(await new Response(open(bytes).stream).text()).toBe("ü".repeat(100_000));
});

test("T44 a text is not over before its reader has taken all of it", async () => {
  const { ends, stream } = open("x".repeat(150_000));
  const reader = stream.getReader();
  for (let chunk = 0; chunk < 3; chunk += 1) expect((await reader.read()).done).toBe(false);
  expect(ends).toEqual([]);
  expect((await reader.read()).done).toBe(true);
  expect(ends).toHaveLength(1);
});

test("T44 the end is told when the reader goes away", async () => {
  const { clock, ends, stream } = open("x".repeat(300_000));
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  expect(ends).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test("T44 a reader that asks for nothing any more has the stream broken off, and a slow one has not", async () => {
  const { clock, ends, stream } = open("x".repeat(300_000));
  const reader = stream.getReader();
  for (let chunk = 0; chunk < 3; chunk += 1) {
    await reader.read();
    await clock.advance(LIMITS.answerIdleMs - 1);
  }
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends).toHaveLength(1);
  await expect(reader.read()).rejects.toThrow("does not read");
});
