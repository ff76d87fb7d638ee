import type { Ports } from "../../../src/core/egress/ports.ts";
import type { VirtualClock } from "../../../src/package/testing/virtual-clock.ts";
import { Customers, RECEIVER } from "./customers.ts";
import { ChatModel, MODEL_URL } from "./chat-model.ts";

/** The ways in which the service may treat a request that changes something. */
export const TREATMENTS = [
  "done",
  "refused",
  "busy",
  "done, then 500",
  "done, then lost",
  "lost before",
  "done, slowly",
] as const;
export type Treatment = (typeof TREATMENTS)[number];

/** The ways in which a list may be another one when it is read again. */
export const LISTINGS = ["same", "shrinks", "turns", "grows"] as const;
export type Listing = (typeof LISTINGS)[number];

const SLOW_MS = 4_000;

/** One thing that the service was asked for: `put` brings it about, `drop` takes it back. */
export interface Heard {
  readonly verb: "put" | "drop";
  readonly of: string;
  readonly at: number;
  /** It came to be by this request, or ceased to. */
  readonly took: boolean;
  readonly key: string | null;
}

/** The service behind all tools. It knows what is there, and heeds an `Idempotency-Key` where the path says so. */
export class Store {
  readonly heard: Heard[] = [];
  readonly live = new Map<string, number>();
  /** How the requests that come next are treated, in their order; `done` after that. */
  readonly treatments: Treatment[] = [];
  readonly #lists = new Map<
    string,
    { readonly listing: Listing; readonly ofs: readonly string[]; reads: number }
  >();
  /** Says of each thing that was to be taken back in another account than it came to be in. */
  readonly faults: string[] = [];
  readonly #accounts = new Map<string, string | null>();
  readonly #keys = new Set<string>();
  readonly #model = new ChatModel();
  readonly customers = new Customers(this.faults);
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Keep a list, which is read by its name. */
  list(name: string, listing: Listing, ofs: readonly string[]): void {
    this.#lists.set(name, { listing, ofs, reads: 0 });
  }

  #read(name: string): readonly string[] {
    const list = this.#lists.get(name)!;
    const { listing, ofs } = list;
    const at = list.reads++;
    if (listing === "shrinks") return ofs.filter((of) => (this.live.get(of) ?? 0) === 0);
    if (listing === "turns") return [...ofs.slice(at % ofs.length), ...ofs.slice(0, at % ofs.length)];
    return listing === "grows" && at === 0 ? ofs.slice(1) : ofs;
  }

  /** Requests that it has not answered. */
  underWay = 0;

  readonly fetch: Ports["fetch"] = async (url, init) => {
    this.underWay += 1;
    try {
      return await this.#answer(url, init);
    } finally {
      this.underWay -= 1;
    }
  };

  async #answer(url: string, init: Parameters<Ports["fetch"]>[1]): Promise<Response> {
    if (url === MODEL_URL) {
      const [treatment] = this.treatments.splice(0, 1);
      if (treatment === "done, slowly") await this.#wait(SLOW_MS, init.signal);
      return this.#model.answer(String(init.body), treatment);
    }
    if (url.startsWith(RECEIVER)) return this.#deliver(url.slice(RECEIVER.length), init);
    const [, path = "", of = ""] = new URL(url).pathname.split("/");
    if (path === "list") return Response.json({ items: this.#read(of) });
    if (path === "look")
      return (this.live.get(of) ?? 0) > 0 ? Response.json({ of }) : Response.json({}, { status: 404 });
    const treatment = this.treatments.shift() ?? "done";
    if (treatment === "lost before") throw new Error("the connection broke");
    if (treatment === "refused" || treatment === "busy")
      return Response.json({ message: treatment }, { status: treatment === "busy" ? 503 : 400 });
    const headers = new Headers(init.headers);
    const status = this.#take(path.startsWith("drop") ? "drop" : "put", of, {
      sent: headers.get("idempotency-key"),
      account: headers.get("x-api-key"),
      isHeeded: path.endsWith("-once"),
    });
    if (treatment === "done, slowly") await this.#wait(SLOW_MS, init.signal);
    if (treatment === "done, then lost") throw new Error("the connection broke");
    return Response.json({ of }, { status: treatment === "done, then 500" ? 500 : status });
  }

  async #deliver(path: string, { headers, body, signal }: Parameters<Ports["fetch"]>[1]): Promise<Response> {
    const treatment = this.treatments.shift() ?? "done";
    const { data } = JSON.parse(String(body)) as { readonly data: { readonly of: string } };
    const id = new Headers(headers).get("webhook-id")!;
    const took = treatment === "done" || treatment === "done, slowly";
    this.customers.hear(path, { id, of: data.of, now: this.#clock.now(), took });
    if (treatment === "done, slowly") await this.#wait(SLOW_MS, signal);
    if (treatment.includes("lost")) throw new Error("the connection broke");
    return new Response(null, { status: took ? 204 : treatment === "refused" ? 400 : 503 });
  }

  #take(
    verb: "put" | "drop",
    of: string,
    {
      sent,
      account,
      isHeeded,
    }: { readonly sent: string | null; readonly account: string | null; readonly isHeeded: boolean },
  ): number {
    const key = isHeeded ? `${account ?? ""} ${sent ?? ""}` : null;
    const isRepeated = key !== null && this.#keys.has(`${verb} ${of} ${key}`);
    if (key !== null) this.#keys.add(`${verb} ${of} ${key}`);
    const count = this.live.get(of) ?? 0;
    const took = !isRepeated && (verb === "put" || count > 0);
    if (took) this.live.set(of, verb === "put" ? count + 1 : count - 1);
    if (verb === "put" && took) this.#accounts.set(of, account);
    if (verb === "drop" && took && this.#accounts.get(of) !== account)
      this.faults.push(`${of} was to be taken back in another account than it came to be`);
    this.heard.push({ verb, of, at: this.#clock.now(), took, key: sent });
    return verb === "drop" && !took && !isRepeated ? 404 : 200;
  }

  async #wait(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")), {
        once: true,
      });
    });
    await Promise.race([this.#clock.sleep(ms), aborted]);
  }
}
