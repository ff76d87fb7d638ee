import { describe, expect, test } from "vitest";

import { PacedWriter } from "../../../src/core/kit/paced-writer.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const MOST = 64 * 1024;

/** A connection that takes a text at once, or only when it is told to, and keeps when each came. */
class Connection {
  readonly clock = new VirtualClock(1_000);
  readonly got: { readonly at: number; readonly text: string }[] = [];
  isSlow = false;
  #take: (() => void) | null = null;
  readonly writer = new PacedWriter((text) => {
    this.got.push({ at: this.clock.now() - 1_000, text });
    if (!this.isSlow) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#take = resolve;
    return promise;
  }, this.clock);

  /** The client takes what is being written. */
  async take(): Promise<void> {
    this.#take?.();
    await this.clock.advance(0);
  }

  get text(): string {
    return this.got.map(({ text }) => text).join("");
  }
}

describe("A paced writer", () => {
  test("writes each text at once that comes after a pause", async () => {
    const { writer, clock, got } = new Connection();
    for (const text of ["a", "b", "c"]) {
      void writer.write(text);
      await clock.advance(20);
    }
    expect(got).toEqual([
      { at: 0, text: "a" },
      { at: 20, text: "b" },
      { at: 40, text: "c" },
    ]);
  });

  test("writes four texts at once after a pause, and then what comes within 5 ms of a write together", async () => {
    const { writer, clock, got } = new Connection();
    for (const text of "abcdefghijklmno") {
      void writer.write(text);
      await clock.advance(1);
    }
    await clock.advance(100);
    expect(got).toEqual([
      { at: 0, text: "a" },
      { at: 1, text: "b" },
      { at: 2, text: "c" },
      { at: 3, text: "d" },
      { at: 5, text: "e" },
      { at: 10, text: "fghij" },
      { at: 15, text: "klmno" },
    ]);
    expect(clock.pending).toBe(0);
  });

  test("has saved no more after a long pause than after a short one", async () => {
    const { writer, clock, got } = new Connection();
    for (const pauseMs of [20, 3_600_000]) {
      await clock.advance(pauseMs);
      got.length = 0;
      for (let n = 0; n < 200; n += 1) {
        void writer.write("x");
        await clock.advance(0);
      }
      expect(got.map(({ text }) => text)).toEqual(["x", "x", "x", "x"]);
      await clock.advance(5);
    }
  });

  trial("needs fewer than 30 writes for 100,000 tiny texts that come at once", async () => {
    const { writer, got, ...connection } = new Connection();
    for (let n = 0; n < 100_000; n += 1) await writer.write(`${n % 10}: word`);
    await writer.flush();
    expect(got.map(({ text }) => text).join("")).toHaveLength(700_000);
    expect(got.length).toBeLessThan(30);
    expect(connection.clock.pending).toBe(0);
  });

  trial("writes an urgent text at once, behind all that waits", async () => {
    const { writer, clock, got } = new Connection();
    for (const text of ["1", "2", "3", "4", "a", "b"]) {
      void writer.write(text);
      await clock.advance(0);
    }
    await clock.advance(1);
    writer.writeNow("!");
    await clock.advance(0);
    expect(got.slice(3)).toEqual([
      { at: 0, text: "4" },
      { at: 1, text: "ab!" },
    ]);
    expect(clock.pending).toBe(0);
  });

  test("writes an urgent text as soon as the write before it is over", async () => {
    const connection = new Connection();
    connection.isSlow = true;
    connection.writer.writeNow("a");
    connection.writer.writeNow("b");
    expect(connection.text).toBe("a");
    await connection.take();
    expect(connection.text).toBe("ab");
  });

  test("is over with a flush when all was taken", async () => {
    const connection = new Connection();
    connection.isSlow = true;
    void connection.writer.write("a");
    void connection.writer.write("b");
    let isOver = false;
    void connection.writer.flush().then(() => (isOver = true));
    await connection.take();
    expect([connection.text, isOver]).toEqual(["ab", false]);
    await connection.take();
    expect([connection.text, isOver]).toEqual(["ab", true]);
    await connection.writer.flush();
  });

  test("holds no more than 64 Ki characters and one text for a client that takes nothing", async () => {
    const connection = new Connection();
    connection.isSlow = true;
    let written = 0;
    const text = "x".repeat(1_000);
    void (async () => {
      for (; written < 1_000; written += 1) await connection.writer.write(text);
    })();
    await connection.clock.advance(60_000);
    expect(written * text.length).toBeLessThanOrEqual(MOST);
    const before = written;
    await connection.take();
    await connection.take();
    await connection.clock.advance(60_000);
    expect(written).toBeGreaterThan(before);
    expect(written * text.length).toBeLessThanOrEqual(3 * MOST);
  });

  test("makes no pause longer because the machine's clock was set back", async () => {
    const { writer, clock, got } = new Connection();
    void writer.write("a");
    await clock.advance(1);
    clock.jump(-3_600_000);
    void writer.write("b");
    await clock.advance(5);
    expect(got.map(({ text }) => text)).toEqual(["a", "b"]);
  });
});
