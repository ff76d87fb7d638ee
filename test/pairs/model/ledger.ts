import type { Heard, Store } from "./store.ts";

/** A thing that a caller wants brought about, once. */
interface Wish {
  readonly of: string;
  readonly tenant: string;
  readonly subject: string | undefined;
  readonly tool: string;
  /** How often it may come to be: once, and once more for each time that somebody wanted it again although it was or may have been. */
  allowed: number;
  /** The count of times that it came to be, as it stood when somebody was told that there was none; null again once somebody wants it. */
  saidNot: number | null;
  /** How many requests to take it back had come when somebody was told that it was. */
  saidBack: number | null;
  /** Somebody wanted it again. */
  isAgain: boolean;
  /** It may have happened, and somebody was told so. */
  isDoubted: boolean;
  /** Somebody who may has said yes to it. */
  approved: boolean;
  /** The request that wants it is under way. */
  isOpen: boolean;
}

/** A tenant that was deleted: the wishes that went with it, what the service had heard by then, and how many requests had been made. */
interface Gone {
  readonly ofs: ReadonlySet<string>;
  readonly heard: number;
  readonly begun: number;
}

const MARK = /\bt(\d)-(s\d|n)-(\d{6})\b/g;

/**
 * All that has to be true whatever happens: how often each thing may come to be, what may be said of it, and who may read of it. It knows
 * nothing of how Volley works.
 */
export class Ledger {
  readonly wishes = new Map<string, Wish>();
  readonly faults: string[] = [];
  readonly #store: Store;
  #count = 0;
  readonly #under = new Map<string, ReadonlySet<string>>();
  readonly #promised = new Map<string, unknown>();
  /** The tenants that were deleted, with the number of the last wish before that and of what the service had heard. */
  readonly #gone = new Map<string, Gone>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Name a new thing for a caller. */
  wish(tool: string, { tenant, subject }: { readonly tenant: string; readonly subject?: string }): string {
    this.#count += 1;
    const of = `${tenant}-${subject ?? "n"}-${String(this.#count).padStart(6, "0")}`;
    this.wishes.set(of, {
      of,
      tenant,
      subject,
      tool,
      allowed: 1,
      saidNot: null,
      saidBack: null,
      isDoubted: false,
      isAgain: false,
      approved: false,
      isOpen: true,
    });
    return of;
  }

  /** Somebody wants these again: what was taken back, or never was, may come to be once more. */
  wantAgain(ofs: Iterable<string>): void {
    for (const of of ofs) {
      const wish = this.wishes.get(of)!;
      wish.saidNot = null;
      wish.saidBack = null;
      wish.isAgain = true;
      if (this.putsOf(of) > 0 && (this.#store.live.get(of) ?? 0) === 0) wish.allowed = this.putsOf(of) + 1;
    }
  }

  /** A person who knows that these may have happened wants them all the same. */
  insist(ofs: Iterable<string>): void {
    for (const of of ofs) {
      const wish = this.wishes.get(of)!;
      wish.saidNot = null;
      wish.allowed = Math.max(wish.allowed, this.putsOf(of) + 1);
    }
  }

  putsOf(of: string): number {
    return this.#store.heard.filter((one) => one.verb === "put" && one.took && one.of === of).length;
  }

  /** The requests that asked it to cease. */
  #dropsOf(of: string): readonly Heard[] {
    return this.#store.heard.filter((one) => one.verb === "drop" && one.of === of);
  }

  /** Judge that something is said to be taken back. */
  hearUndone(of: string, where: string): void {
    const wish = this.wishes.get(of);
    if (wish === undefined || !wish.tool.startsWith("put") || wish.isAgain) return;
    if ((this.#store.live.get(of) ?? 0) > 0)
      this.faults.push(`${where}: ${of} (${wish.tool}) is said to be taken back, and is there`);
    wish.saidBack ??= this.#dropsOf(of).length;
  }

  /** Judge what was said of a thing. */
  hear(of: string, said: { readonly status: string; readonly in_doubt?: boolean }, where: string): void {
    const wish = this.wishes.get(of);
    if (wish === undefined || !wish.tool.startsWith("put")) return;
    const puts = this.putsOf(of);
    const isDone = said.status === "success" || said.status === "succeeded";
    if (isDone && puts === 0)
      this.faults.push(`${where}: ${of} (${wish.tool}) is said to have happened, and did not`);
    if (said.status === "unknown") wish.isDoubted = true;
    const isNot = ["error", "failed", "dead", "skipped", "cancelled"].includes(said.status);
    if (said.in_doubt === true) wish.isDoubted = true;
    // A later attempt at something in doubt tells of itself.
    if (!isNot || wish.isDoubted) return;
    if ((this.#store.live.get(of) ?? 0) > 0)
      this.faults.push(
        `${where}: ${of} (${wish.tool}) is said not to have happened (${said.status}), and did`,
      );
    wish.saidNot = puts;
  }

  /** Judge what somebody reads. @param begun how many requests had been made before */
  read(
    text: string,
    reader: { readonly tenant: string; readonly subject?: string | undefined },
    { where, begun }: { readonly where: string; readonly begun: number },
  ): void {
    const gone = this.#gone.get(reader.tenant);
    for (const [mark, tenant, subject] of text.matchAll(MARK)) {
      if (`t${tenant}` !== reader.tenant) this.faults.push(`${where}: ${reader.tenant} reads ${mark}`);
      else if (reader.subject !== undefined && reader.subject !== subject)
        this.faults.push(`${where}: ${reader.subject} reads ${mark}`);
      else if (gone !== undefined && begun >= gone.begun && gone.ofs.has(mark))
        this.faults.push(`${where}: ${mark} is read after its tenant was deleted`);
    }
  }

  /** A tenant was deleted, and told so. Requests under way may still send and be answered; they leave nothing. */
  forget(tenant: string, { begun, wishes }: { readonly begun: number; readonly wishes: number }): void {
    // A wish of while the deletion went on may have come after it.
    const before = [...this.wishes.values()].slice(0, wishes);
    const ofs = before.filter((wish) => wish.tenant === tenant).map(({ of }) => of);
    this.#gone.set(tenant, { ofs: new Set(ofs), heard: this.#store.heard.length, begun });
    this.#under.set(tenant, new Set(ofs.filter((of) => this.wishes.get(of)!.isOpen)));
  }

  isGone(of: string): boolean {
    return this.#gone.get(this.wishes.get(of)!.tenant)?.ofs.has(of) === true;
  }

  /** A request has ended. */
  close(ofs: Iterable<string>): void {
    for (const of of ofs) this.wishes.get(of)!.isOpen = false;
  }

  /** The request that wants these is under way again. */
  open(ofs: Iterable<string>): void {
    for (const of of ofs) this.wishes.get(of)!.isOpen = true;
  }

  wasWantedAgain(of: string): boolean {
    return this.wishes.get(of)?.isAgain === true;
  }

  /** A person said yes to these. */
  approve(ofs: Iterable<string>): void {
    for (const of of ofs) this.wishes.get(of)!.approved = true;
  }

  /** The same request came again: what is let go may run. */
  repeat(ofs: Iterable<string>): void {
    for (const of of ofs) this.wishes.get(of)!.saidNot = null;
  }

  /** Somebody wants what failed in a tenant to go on. */
  wantAgainOfTenant(tenant: string): void {
    for (const wish of this.wishes.values()) if (wish.tenant === tenant) wish.saidNot = null;
  }

  /** Something was promised to a tenant. @param begun how many requests had been made before */
  remember(tenant: string, id: string, begun: number): void {
    const gone = this.#gone.get(tenant);
    if (this.#promised.has(id)) return;
    // A request that was under way when its tenant was deleted leaves nothing.
    this.#promised.set(id, gone !== undefined && begun < gone.begun ? null : gone);
  }

  /** Its tenant was deleted since. */
  isForgotten(tenant: string, id: string): boolean {
    return this.#promised.get(id) !== this.#gone.get(tenant);
  }

  /** Judge what the service has heard. */
  judge(): void {
    this.faults.push(...this.#store.faults.splice(0));
    for (const { of, tool, allowed, saidNot, saidBack } of this.wishes.values()) {
      const puts = this.putsOf(of);
      if (puts > allowed)
        this.faults.push(`${of} (${tool}) came to be ${puts} times, where ${allowed} were wanted`);
      if (saidNot !== null && puts > saidNot)
        this.faults.push(`${of} (${tool}) came to be after it was said not to`);
      if (tool === "drop") continue;
      const drops = this.#dropsOf(of);
      const ways = new Set(drops.map(({ key }) => key)).size;
      if (ways > puts)
        this.faults.push(`${of} (${tool}) was taken back ${ways} times, and came to be ${puts} times`);
      if (saidBack !== null && drops.length > saidBack)
        this.faults.push(`${of} (${tool}) was taken back after it was said to have been`);
    }
    for (const { of, tool, approved } of this.wishes.values())
      if (tool.endsWith("_asked") && !approved && this.putsOf(of) > 0)
        this.faults.push(`${of} (${tool}) came to be, and nobody said yes`);
    for (const [tenant, { ofs, heard }] of this.#gone)
      for (const { verb, of } of this.#store.heard.slice(heard))
        if (ofs.has(of) && !this.#under.get(tenant)!.has(of))
          this.faults.push(`${verb} ${of} was sent after ${tenant} was deleted`);
  }
}
