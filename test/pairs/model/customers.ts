import type { Asked } from "./killable-volley.ts";

export const RECEIVER = "https://hooks.example.com";

/** Tries after which an event may be given up, or comes after all is over. */
const MANY = 5;

/** An endpoint by its address, which names tenant, customer and id: in another customer's hands it is another one. */
interface Endpoint {
  readonly path: string;
  readonly tenant: string;
  readonly customer: string;
  readonly id: string;
  /** The change that made it; null where no answer says that it is kept. */
  kept: number | null;
  /** When somebody was told that it is gone. */
  goneAt: number | null;
  /** The tries of each event: their count, and the life of process and endpoint in which one was taken. */
  readonly tries: Map<string, { count: number; taken?: string }>;
}

/** An event, and the endpoints that were kept for sure before it was published. */
export interface Announced {
  readonly of: string;
  readonly tenant: string;
  readonly customer: string | undefined;
  readonly asked: Omit<Asked, "key">;
  readonly by: string;
  readonly due: Map<Endpoint, number>;
  isTold: boolean;
}

/** The customers' endpoints, and what they hear: each event of theirs, from those who kept them, as long as they are kept. */
export class Customers {
  readonly events: Announced[] = [];
  /** How often a process ended: what it was told it may not have written down. */
  ends = 0;
  readonly #faults: string[];
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #idOf = new Map<string, string>();
  /** Changes of a tenant's endpoints, counted, and those under way. */
  readonly #changes = new Map<string, { count: number; open: number }>();

  /** @param faults takes what is wrong */
  constructor(faults: string[]) {
    this.#faults = faults;
  }

  /** Begin a change of some endpoints of a tenant, of all unless said. @returns ends it: `done` where somebody was told that it was made */
  change(
    tenant: string,
    { id, to, now }: { readonly id?: string; readonly to?: string; readonly now: () => number },
  ): (done: boolean) => void {
    const changes = this.#changes.get(tenant) ?? { count: 0, open: 0 };
    this.#changes.set(tenant, changes);
    const mine = ++changes.count;
    const isAlone = changes.open++ === 0;
    const path = to === undefined ? undefined : `/${tenant}/${to}/${id!}`;
    if (path !== undefined && !this.#endpoints.has(path))
      this.#endpoints.set(path, {
        path,
        tenant,
        customer: to!,
        id: id!,
        kept: null,
        goneAt: null,
        tries: new Map(),
      });
    const all = [...this.#endpoints.values()].filter(
      (one) => one.tenant === tenant && (id === undefined || one.id === id),
    );
    for (const one of all)
      if (one.path === path) one.goneAt = null;
      else one.kept = null;
    return (done) => {
      changes.open -= 1;
      // Two changes at once have no order.
      const isSure = done && isAlone && changes.count === mine;
      for (const one of all)
        if (!isSure) [one.kept, one.goneAt] = [null, null];
        else if (one.path === path) one.kept ??= mine;
        else one.goneAt ??= now();
    };
  }

  /** Find a customer of a tenant who has an endpoint. */
  find(tenant: string, at: number): string | undefined {
    const kept = [...this.#endpoints.values()].filter((one) => one.tenant === tenant && one.kept !== null);
    return kept[at % kept.length]?.customer;
  }

  /** Note an event that is about to be published. */
  announce(event: Omit<Announced, "due" | "isTold">): Announced {
    const fits = ({ tenant, customer, kept }: Endpoint): boolean =>
      tenant === event.tenant && kept !== null && (event.customer ?? customer) === customer;
    const due = new Map([...this.#endpoints.values()].filter(fits).map((one) => [one, one.kept!] as const));
    const announced = { ...event, due, isTold: false };
    this.events.push(announced);
    return announced;
  }

  /** Take a delivery. @param took whether its sender hears that it was taken */
  hear(
    path: string,
    {
      id,
      of,
      now,
      took,
    }: { readonly id: string; readonly of: string; readonly now: number; readonly took: boolean },
  ): void {
    const where = `${of} came to ${path}`;
    const endpoint = this.#endpoints.get(path);
    const event = this.events.find((one) => one.of === of);
    if (endpoint === undefined || event === undefined)
      return void this.#faults.push(`${where}, which is unknown`);
    const { customer = endpoint.customer, tenant } = event;
    if (tenant !== endpoint.tenant || customer !== endpoint.customer)
      this.#faults.push(`${where}, and is ${tenant}'s for ${customer}`);
    if (endpoint.goneAt !== null && now > endpoint.goneAt) this.#faults.push(`${where}, which is gone`);
    if (this.#idOf.get(of) !== undefined && this.#idOf.get(of) !== id)
      this.#faults.push(`${where} as ${id}, and was ${this.#idOf.get(of)!} before`);
    this.#idOf.set(of, id);
    const tries = endpoint.tries.get(of) ?? { count: 0 };
    endpoint.tries.set(of, tries);
    tries.count += 1;
    const life = `${this.ends} ${endpoint.kept}`;
    if (tries.taken === life && endpoint.kept !== null)
      this.#faults.push(`${where} again, which had taken it`);
    if (took) tries.taken = life;
  }

  /** Judge, hours later, that each event came to all who were to have it. */
  judge(isGone: (of: string) => boolean): void {
    for (const { of, due, isTold } of this.events)
      for (const [{ path, kept, tries }, was] of due)
        if (isTold && kept === was && !isGone(of)) {
          const { count = 0, taken } = tries.get(of) ?? {};
          if (taken === undefined && count < MANY) this.#faults.push(`${of} did not come to ${path}`);
        }
  }
}
