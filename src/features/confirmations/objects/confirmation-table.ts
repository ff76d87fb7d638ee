import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import { compareJobs } from "../../../core/contract/gate/job-shard.ts";
import type { ParkedGroup } from "../parked-group.ts";
import type { UsageQuery, UsageReport } from "../../../core/contract/gate/usage.ts";
import { parseExact, utf8Length } from "../../../feature/schema.ts";
import type { Decision } from "../decision.ts";
import type { Yeses } from "../yeses.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { writeLost } from "../write-rejection.ts";
import { type TakenRows, takeRows } from "../../../feature/kit.ts";
import {
  type ClaimRefusal,
  type ConfirmationHead,
  type ConfirmationQuery,
  type ConfirmationRecord,
  GROUP_FORMAT,
  type ListedConfirmation,
  type ParkAnswer,
  type ParkRequest,
  toHead,
} from "../confirmation.ts";
import {
  beginConfirmation,
  changeConfirmation,
  type Confirmation,
  type ConfirmationCommand,
  type ConfirmationLimits,
  dueTold,
  expireConfirmations,
  fitConfirmations,
  isLost,
  makeRoom,
  nextTold,
  statusAt,
  type Told,
} from "../confirmation-rules.ts";

type Row = {
  id: string;
  status: string;
  created_at: number;
  expires_at: number;
  decided_by: string | null;
  bytes: number;
  told: string | null;
  lost_at: number | null;
};

type Texts = {
  island_json: string;
  decision_key: string | null;
  answer_json: string | null;
  decision_json: string | null;
  yeses_json: string | null;
};

type HeadRow = { id: string; head_json: string; decision_json: string | null; yeses_json: string | null };

/** Hears of a question that was recorded, and of the approvers that it concerns. */
type OnAsked = (question: ListedConfirmation, asked: Pick<ParkRequest, "origin" | "approvers">) => void;

/**
 * The tenant's confirmations: their groups in the `confirmations` table, and in memory everything else about them.
 *
 * Memory follows the table: it is changed after the write succeeded, or read anew, as by a cold start. One object is one
 * tenant, so no id, guessed or leaked, reaches another tenant's confirmation.
 */
export class ConfirmationTable {
  readonly #storage: DurableObjectStorage;
  readonly #limits: ConfirmationLimits;
  readonly #onAsked: OnAsked;
  #book = new Map<string, Confirmation>();
  /** Nothing has to go before this. */
  #pruneAt = 0;
  /** The time of the next event about the end of an open question; null where there is none. */
  #tellAt: number | null = null;

  /** @param onAsked hears of every question that is recorded, in the same turn */
  constructor(storage: DurableObjectStorage, limits: ConfirmationLimits, onAsked: OnAsked = () => {}) {
    this.#storage = storage;
    this.#limits = limits;
    this.#onAsked = onAsked;
    this.#readBook();
  }

  /** Record groups; when storage refuses, none is, and no question is asked. */
  park(nowMs: number, groups: readonly ParkRequest[]): ParkAnswer {
    const requests = new Map(groups.map((one) => [one.id, one]));
    const before = groups.flatMap(({ id, again }) => {
      const asked = again === undefined ? [] : this.#findNamed(nowMs, again);
      return asked.length === 0 ? [] : [{ id, expiresAt: asked[0]!.expiresAt, asked }];
    });
    const fresh = groups.filter(({ id }) => !before.some((one) => one.id === id));
    const added = fresh.map(({ id, groupJson, ttlsMs = [] }) => {
      const bytes = utf8Length(groupJson);
      const { ttlMs: usualMs } = this.#limits;
      const ttlMs = ttlsMs.length === 0 ? usualMs : Math.min(...ttlsMs.map((ownMs) => ownMs ?? usualMs));
      return beginConfirmation({ id, bytes }, nowMs, { ttlMs });
    });
    const { kept, dropped } = fitConfirmations(this.#book, nowMs, { added, limits: this.#limits });
    const write = (): void => {
      this.#delete(dropped);
      for (const one of kept) this.#insert(one, requests.get(one.id)!.groupJson);
    };
    // A full disk, most likely.
    if (!attemptNow(() => this.#storage.transactionSync(write)).ok) return before;
    this.#readBook();
    for (const { id } of kept) {
      const asked = this.listed(nowMs, id);
      if (asked !== null) this.#onAsked(asked, requests.get(id)!);
    }
    const recorded = added.flatMap(({ id }) => {
      const one = this.#book.get(id);
      return one === undefined ? [] : [{ id, expiresAt: one.expiresAt }];
    });
    return [...before, ...recorded];
  }

  /** Put a group in place of one that waits, where that has this hash still. Throws, and nothing has changed, when storage refuses. */
  replace(nowMs: number, id: string, argsHash: string, groupJson: string): void {
    const kept = this.read(nowMs, id);
    if (kept?.status !== "pending") return;
    if ((parseExact(kept.groupJson) as ParkedGroup).argsHash !== argsHash) return;
    const replaced = { ...this.#book.get(id)!, bytes: utf8Length(groupJson) };
    query(this.#storage.sql)`
      UPDATE confirmations SET island_json = ${groupJson}, head_json = ${toHeadJson(groupJson)},
      bytes = ${replaced.bytes}, yeses_json = NULL WHERE id = ${id}`;
    this.#book.set(id, replaced);
  }

  /** Find the questions about actions of these names, whatever became of them. */
  #findNamed(nowMs: number, names: readonly string[]): Omit<ConfirmationRecord, "told">[] {
    const written = names.map((name) => JSON.stringify(name));
    return this.#havingIn(written).flatMap((id) => this.read(nowMs, id) ?? []);
  }

  /** Find the questions of a run whose writes are looked after, whatever became of them. */
  keptWith(run: string): readonly string[] {
    return this.#havingIn([`"keptRun":${JSON.stringify(run)}`]);
  }

  /** Find the questions whose heads have one of some texts, whatever became of them. */
  #havingIn(texts: readonly string[]): readonly string[] {
    const has = texts.map(() => "instr(head_json, ?) > 0").join(" OR ");
    const found = `SELECT id FROM confirmations WHERE ${has}`;
    return Array.from(this.#storage.sql.exec<{ id: string }>(found, ...texts), ({ id }) => id);
  }

  /** Put another answer in place of the one that is kept with a decision, where there is room for it. */
  amend(nowMs: number, id: string, answerJson: string): void {
    const known = this.#book.get(id)!;
    const old = this.read(nowMs, id)?.answerJson ?? "";
    const bytes = known.bytes + utf8Length(answerJson) - utf8Length(old);
    if (bytes - known.bytes + this.#bytes > this.#limits.allBytes) return;
    const update = "UPDATE confirmations SET answer_json = ?, bytes = ? WHERE id = ?";
    this.#storage.sql.exec(update, answerJson, bytes, id);
    this.#book.set(id, { ...known, bytes });
  }

  get #bytes(): number {
    return [...this.#book.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  read(nowMs: number, id: string): Omit<ConfirmationRecord, "told"> | null {
    const known = this.#book.get(id);
    if (known === undefined) return null;
    const [row] = query<Texts>(this.#storage.sql)`
      SELECT island_json, decision_key, answer_json, decision_json, yeses_json FROM confirmations
      WHERE id = ${id}`.toArray();
    if (row === undefined) return null;
    const { createdAt, expiresAt } = known;
    const status = statusAt(known, nowMs);
    const { island_json: groupJson, decision_key: key } = row;
    const answerJson = isLost(known, nowMs) ? writeLost(id, groupJson) : row.answer_json;
    const decided = toDecision(row.decision_json);
    const yeses = toYeses(row.yeses_json);
    return { id, status, createdAt, expiresAt, groupJson, key, answerJson, decided, yeses };
  }

  /**
   * List confirmations, newest first. Looks at the heads of those that come before the page's end: few enough are kept, and
   * their groups and answers are not read.
   */
  list(nowMs: number, query: ConfirmationQuery): TakenRows<ListedConfirmation> {
    const { limit } = query;
    return takeRows(this.#find(nowMs, query), { limit, characters: LIMITS.pageBytes });
  }

  *#find(
    nowMs: number,
    { status, tools, subject, having, after, limit }: ConfirmationQuery,
  ): Generator<ListedConfirmation, void> {
    const visible = tools && new Set(tools);
    const among = having && new Set(this.#havingIn(having));
    const found = [...this.#book.values()]
      .filter((one) => (status === null || status === statusAt(one, nowMs)) && among?.has(one.id) !== false)
      .sort(compareJobs)
      .filter((one) => after === null || compareJobs(one, after) > 0);
    for (let at = 0; at < found.length; at += limit + 1)
      for (const one of this.#show(nowMs, found.slice(at, at + limit + 1)))
        if (isFor(one.head, visible, subject)) yield one;
  }

  /** How many wait for a person, of those that hold no other tool and are of no other subject, and since when the oldest. */
  waiting(
    nowMs: number,
    { decides: tools, subject }: Pick<UsageQuery, "decides" | "subject">,
  ): UsageReport["waiting"] {
    const visible = tools && new Set(tools);
    const pending = [...this.#book.values()].filter((one) => statusAt(one, nowMs) === "pending");
    const isAll = visible === undefined && subject === undefined;
    const waiting = isAll
      ? pending
      : this.#show(nowMs, pending).filter(({ head }) => isFor(head, visible, subject));
    const oldestAt = waiting.length === 0 ? null : Math.min(...waiting.map(({ createdAt }) => createdAt));
    return { count: waiting.length, oldestAt };
  }

  /** One confirmation as a list has it; null when there is none, or when another version recorded it. */
  listed(nowMs: number, id: string): ListedConfirmation | null {
    const known = this.#book.get(id);
    return known === undefined ? null : (this.#show(nowMs, [known])[0] ?? null);
  }

  /**
   * Change a confirmation; why not, or null when it is done. Throws, and nothing has changed, when storage refuses.
   *
   * @param answerJson what the decision is answered with, to be kept if there is room for it
   */
  change(nowMs: number, command: ConfirmationCommand, answerJson?: string): ClaimRefusal | null {
    const { id, key, decided } = command.claim;
    const known = this.#book.get(id);
    if (known === undefined) return "unknown";
    const [changed, refused] = changeConfirmation(known, nowMs, command);
    if (changed === known) return refused;
    // Arguments that a person wrote are kept beside those that were asked about.
    const editBytes = command.kind === "approve" && decided?.args ? utf8Length(JSON.stringify(decided)) : 0;
    const bytes = editBytes + (answerJson === undefined ? 0 : utf8Length(answerJson));
    const room = makeRoom(this.#book, nowMs, { id, bytes, limits: this.#limits });
    const { decidedBy } = changed;
    this.#storage.transactionSync(() => {
      this.#delete(room ?? []);
      query(this.#storage.sql)`
        UPDATE confirmations SET status = ${changed.status}, expires_at = ${changed.expiresAt},
        decided_by = ${decidedBy}, decision_key = ${decidedBy === null ? null : (key ?? null)},
        decision_json = ${decidedBy === null || decided === undefined ? null : JSON.stringify(decided)},
        bytes = ${room === null ? changed.bytes : changed.bytes + bytes},
        answer_json = ${room === null ? null : (answerJson ?? null)} WHERE id = ${id}`;
    });
    this.#readBook();
    return refused;
  }

  /** The questions whose yes is being carried out: false of one that is lost. */
  answering(nowMs: number): Readonly<Record<string, boolean>> {
    const carried = [...this.#book.values()].filter(({ status }) => status === "running");
    return Object.fromEntries(carried.map((one) => [one.id, !isLost(one, nowMs)]));
  }

  /** Whether it was told that the run of a question is lost. */
  isToldLost(id: string): boolean {
    return this.#book.get(id)?.told === "lost";
  }

  /** The time of the next event about the end of an open question; null where there is none. */
  get tellAt(): number | null {
    return this.#tellAt;
  }

  /**
   * Take the events that are due about the end of open questions, each once. Throws when storage refuses, and is asked again.
   *
   * @param most so many in one turn
   */
  takeDue(nowMs: number, most: number): readonly { readonly id: string; readonly told: Told }[] {
    if (this.#tellAt === null || nowMs < this.#tellAt) return [];
    const due = [...this.#book.values()]
      .flatMap((one) => {
        const told = dueTold(one, nowMs);
        return told === null ? [] : [{ ...one, told }];
      })
      .slice(0, most);
    this.#storage.transactionSync(() => {
      for (const { id, told } of due)
        query(this.#storage.sql)`UPDATE confirmations SET told = ${told} WHERE id = ${id}`;
    });
    for (const one of due) this.#book.set(one.id, one);
    this.#findTellAt();
    return due;
  }

  /** Remove decided questions whose time is over; false, and no SQL, when there is none. Throws when storage refuses. */
  prune(nowMs: number): boolean {
    if (nowMs < this.#pruneAt) return false;
    const expired = expireConfirmations(this.#book, nowMs, this.#limits);
    this.#storage.transactionSync(() => this.#delete(expired));
    this.#readBook();
    return true;
  }

  #readBook(): void {
    // A run takes no longer than its batch might, and has as long as any to begin and to report. A version may not have said when it began.
    const rows = query<Row>(this.#storage.sql)`
      SELECT id, status, created_at, expires_at, decided_by, bytes, told, CASE WHEN status = 'running' THEN
      coalesce(decision_json ->> '$.at', expires_at) + ${LIMITS.maxDeadlineMs} +
      coalesce(island_json ->> '$.deadlineMs', ${LIMITS.maxBackgroundDeadlineMs}) END AS lost_at
      FROM confirmations`;
    this.#book = new Map(Array.from(rows, (row) => [row.id, toConfirmation(row)]));
    const expiries = [...this.#book.values()].map(({ expiresAt }) => expiresAt);
    this.#pruneAt = Math.min(...expiries) + this.#limits.retentionMs;
    this.#findTellAt();
  }

  #findTellAt(): void {
    const times = [...this.#book.values()].flatMap((one) => nextTold(one)?.at ?? []);
    this.#tellAt = times.length === 0 ? null : Math.min(...times);
  }

  /** Keep the yeses to a question that waits for more. */
  keepYeses(id: string, yeses: Yeses): void {
    const update = "UPDATE confirmations SET yeses_json = ? WHERE id = ?";
    this.#storage.sql.exec(update, JSON.stringify(yeses), id);
  }

  /**
   * Show some as a list has them, but for those that another version recorded. To find a row by its id the database compares whole rows, and
   * these have groups: so they are read in one pass over the table, and what stands behind the group where there is any.
   */
  #show(nowMs: number, some: readonly Confirmation[]): ListedConfirmation[] {
    const rows = query<HeadRow>(this.#storage.sql)`
      SELECT id, head_json, CASE WHEN decided_by IS NOT NULL THEN decision_json END AS decision_json,
      CASE WHEN instr(head_json, '"people":') > 0 THEN yeses_json END AS yeses_json FROM confirmations
      WHERE head_json IS NOT NULL AND +id IN (SELECT value
      FROM json_each(${JSON.stringify(some.map(({ id }) => id))}))`;
    const read = new Map(Array.from(rows, (row) => [row.id, row]));
    return some.flatMap((one) => {
      const row = read.get(one.id);
      if (row === undefined) return [];
      const { id, createdAt, expiresAt } = one;
      const head = JSON.parse(row.head_json) as ConfirmationHead;
      const [decided, yeses] = [toDecision(row.decision_json), toYeses(row.yeses_json)];
      return [{ id, status: statusAt(one, nowMs), createdAt, expiresAt, head, decided, yeses }];
    });
  }

  #insert({ id, status, createdAt, expiresAt, decidedBy, bytes }: Confirmation, groupJson: string): void {
    const headJson = toHeadJson(groupJson);
    query(this.#storage.sql)`
      INSERT INTO confirmations (id, status, created_at, expires_at, decided_by, bytes, head_json, island_json)
      VALUES (${id}, ${status}, ${createdAt}, ${expiresAt}, ${decidedBy}, ${bytes}, ${headJson}, ${groupJson})`;
  }

  #delete(ids: readonly string[]): void {
    for (const id of ids) query(this.#storage.sql)`DELETE FROM confirmations WHERE id = ${id}`;
  }
}

function toYeses(json: string | null): Yeses | undefined {
  return json === null ? undefined : (JSON.parse(json) as Yeses);
}

function toDecision(json: string | null): Decision | null {
  return json === null ? null : (JSON.parse(json) as Decision);
}

/** The fields of a group that a list shows; null for one of another version. */
function toHeadJson(groupJson: string): string | null {
  const group = parseExact(groupJson) as ParkedGroup;
  return group.format === GROUP_FORMAT ? JSON.stringify(toHead(group)) : null;
}

/** Whether a question is about these tools alone, and about this subject's accounts; everything fits what is not said. */
function isFor(
  { actions, subject: own }: ConfirmationHead,
  tools: ReadonlySet<string> | undefined,
  subject: string | undefined,
): boolean {
  if (subject !== undefined && subject !== own) return false;
  return tools === undefined || actions.every(({ tool }) => tools.has(tool));
}

/** Only this version and its successors write these; a status that is none of them was decided, so nothing runs for it. */
function toConfirmation(row: Row): Confirmation {
  const { id, status, created_at, expires_at, decided_by, bytes, told, lost_at } = row;
  const known = status === "pending" || status === "running" || status === "done" ? status : "rejected";
  return {
    id,
    status: known,
    createdAt: created_at,
    expiresAt: expires_at,
    decidedBy: decided_by,
    bytes,
    lostAt: lost_at,
    told: told === "expiring" || told === "expired" || told === "lost" ? told : null,
  };
}
