import { describe, expect, test } from "vitest";
import { type DrainOptions, type DueWork, JobDrain } from "../../src/cloudflare/durable/drain-jobs.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LEASE_MS = 1_000;

/** An outbox in memory: jobs with a due time and a duration; a job that was claimed is due again after its lease. */
class FakeOutbox {
  readonly clock = new VirtualClock(0);
  readonly due = new Map<string, number>();
  readonly log: string[] = [];
  running = 0;
  mostRunning = 0;
  refusing = false;
  readonly #durations: Record<string, number>;
  readonly drain: JobDrain;

  constructor(durations: Record<string, number>, options: Partial<DrainOptions> = {}) {
    this.#durations = durations;
    for (const id of Object.keys(durations)) this.due.set(id, 0);
    this.drain = new JobDrain(
      {
        clock: this.clock,
        nextDue: () => (this.due.size === 0 ? null : Math.min(...this.due.values())),
        claim: (now) => this.#claim(now),
      },
      { concurrency: 2, claimForMs: 10_000, claims: 1_000, ...options },
    );
  }

  #claim(now: number): DueWork | null {
    if (this.refusing) throw new Error("disk full");
    for (const [id, at] of this.due) {
      if (at > now) continue;
      this.due.set(id, now + LEASE_MS);
      return { run: () => this.#run(id), leaseEndsAt: now + LEASE_MS };
    }
    return null;
  }

  async #run(id: string): Promise<void> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    await this.clock.sleep(this.#durations[id]!);
    this.running -= 1;
    this.due.delete(id);
    if (id === "bug") throw new Error("bug");
    this.log.push(`${this.clock.now()} ${id}`);
  }
}

describe("JobDrain", () => {
  test("runs at most so many at once and starts the next the moment one ends", async () => {
    const outbox = new FakeOutbox({ slow: 500, a: 100, b: 100, c: 100 });
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["100 a", "200 b", "300 c", "500 slow"]);
    expect(outbox.mostRunning).toBe(2);
  });

  test("gives the place of an attempt that outlives its lease away", async () => {
    const outbox = new FakeOutbox({ hung1: 1e9, hung2: 1e9, quick: 10 });
    const drained = outbox.drain.run();
    outbox.due.delete("quick");
    outbox.due.set("quick", 0);
    await outbox.clock.advance(999);
    expect(outbox.log).toEqual([]);
    outbox.due.set("hung1", 1e6);
    outbox.due.set("hung2", 1e6);
    await outbox.clock.advance(50);
    expect(outbox.log).toEqual(["1010 quick"]);
    await drained;
  });

  test("claims what falls due while others run, without being told", async () => {
    const outbox = new FakeOutbox({ long: 900, later: 10 });
    outbox.due.set("later", 300);
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["310 later", "900 long"]);
  });

  test("claims at once what it is poked for", async () => {
    const outbox = new FakeOutbox({ long: 900, newcomer: 10 });
    outbox.due.delete("newcomer");
    const drained = outbox.drain.run();
    await outbox.clock.advance(200);
    outbox.due.set("newcomer", 200);
    outbox.drain.poke();
    await outbox.clock.runUntil(drained);
    expect(outbox.log).toEqual(["210 newcomer", "900 long"]);
  });

  test("survives work that rejects, and gives its place away", async () => {
    const outbox = new FakeOutbox({ bug: 10, next: 10 }, { concurrency: 1 });
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["20 next"]);
  });

  test("joins a drain that is under way, and is idle after it", async () => {
    const outbox = new FakeOutbox({ a: 100 });
    const first = outbox.drain.run();
    expect(outbox.drain.run()).toBe(first);
    expect(outbox.drain.active).toBe(true);
    await outbox.clock.runUntil(first);
    expect(outbox.drain.active).toBe(false);
    expect(outbox.log).toHaveLength(1);
  });

  test("stops claiming in time, and waits for what runs", async () => {
    const outbox = new FakeOutbox({ a: 600, b: 600, c: 600, d: 600 }, { concurrency: 1, claimForMs: 1_000 });
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["600 a", "1200 b"]);
    expect(outbox.clock.pending).toBe(0);
  });

  test("stops claiming after so much, and can be run again", async () => {
    const outbox = new FakeOutbox({ a: 10, b: 10, c: 10 }, { claims: 2 });
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toHaveLength(2);
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toHaveLength(3);
  });

  test("F35 T62 that leaves what runs waits for nothing that hangs when it may claim no more: the next one goes on beside it", async () => {
    const outbox = new FakeOutbox({ hung: 900, a: 10, b: 10, c: 10 }, { claims: 3, leaves: true });
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["10 a"]);
    expect(outbox.clock.now()).toBe(10);
    expect(outbox.drain.isLeft).toBe(true);
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["10 a", "20 b", "30 c", "900 hung"]);
    expect(outbox.drain.isLeft).toBe(false);
    expect(outbox.mostRunning).toBe(2);
  });

  test("rejects when a claim cannot be written, and can be run again", async () => {
    const outbox = new FakeOutbox({ a: 10 });
    outbox.refusing = true;
    await expect(outbox.drain.run()).rejects.toThrow("disk full");
    outbox.refusing = false;
    await outbox.clock.runUntil(outbox.drain.run());
    expect(outbox.log).toEqual(["10 a"]);
  });
});
