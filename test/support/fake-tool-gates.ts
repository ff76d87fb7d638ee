import type { PermitAnswer, PermitRequest } from "../../src/core/contract/gate/permit.ts";
import type { ToolGates } from "../../src/core/egress/ports.ts";
import { openPermits, type PermitBook } from "../../src/core/gate/state/permit-book.ts";
import { type PermitCommand, stepPermits } from "../../src/core/gate/state/permits.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** The tools' gates in virtual time: the real rules, with nothing durable and no way to go. */
export class FakeToolGates implements ToolGates {
  readonly asked: { readonly tool: string; readonly request: PermitRequest }[] = [];
  readonly released: { readonly tool: string; readonly id: string; readonly retryAfterMs: number | null }[] =
    [];
  down = false;
  /** How long a question is on its way to the gate. */
  wayMs = 0;
  readonly #clock: VirtualClock;
  readonly #books = new Map<string, PermitBook>();
  readonly #asking = new Map<string, (answer: PermitAnswer) => void>();
  readonly #timers = new Map<string, () => void>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  async acquire(tool: string, request: PermitRequest): Promise<PermitAnswer> {
    this.asked.push({ tool, request });
    if (this.wayMs > 0) await this.#clock.sleep(this.wayMs);
    if (this.down) throw new Error("The tool's gate is down");
    return new Promise((resolve) => {
      this.#asking.set(request.id, resolve);
      this.#step(tool, { kind: "ask", request });
    });
  }

  release(tool: string, id: string, retryAfterMs: number | null): void {
    this.released.push({ tool, id, retryAfterMs });
    this.#step(tool, { kind: "release", id, retryAfterMs });
  }

  /** Permits of a tool that are out. */
  liveOf(tool: string): number {
    return this.#books.get(tool)?.live.length ?? 0;
  }

  #step(tool: string, command: PermitCommand): void {
    const now = this.#clock.now();
    const book = this.#books.get(tool) ?? openPermits({ aliveMs: 0, rateMs: 0 }, now);
    const [next, { answers, wakeAtMs }] = stepPermits(book, now, command);
    this.#books.set(tool, next);
    for (const { id, answer } of answers) this.#asking.get(id)?.(answer);
    this.#timers.get(tool)?.();
    if (wakeAtMs !== null)
      this.#timers.set(
        tool,
        this.#clock.after(wakeAtMs - now, () => this.#step(tool, { kind: "tick" })),
      );
  }
}
