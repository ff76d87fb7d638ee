import { toBase64Url } from "../../../feature/kit.ts";
import { makeRoom } from "../../../core/kit/get-or-make.ts";
import * as LIMITS from "../limits.ts";
import type { ObjectPart, OpenPart, PartMethods, PartWorld } from "../../../feature/tenant.ts";
import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";
import type { PartHost } from "../../../cloudflare/durable/object-part.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { readOwnUrl } from "../../../cloudflare/configuration.ts";
import { type ApprovalLink, EVENT_LINK, digestOf, toLinkUrl } from "../approval-link.ts";
import { makeNotice } from "../approvers.ts";
import { makeAnswerJob, makeNoticeJob } from "../answer-job.ts";
import {
  type Claim,
  type ClaimRefusal,
  type ConfirmationMethods,
  type ConfirmationRecord,
  type ListedConfirmation,
  refuseClaim,
} from "../confirmation.ts";
import { CONFIRMATION_LIMITS, type ConfirmationLimits, type Told } from "../confirmation-rules.ts";
import { toDecidedEvent, toEndEvent, toRequestedEvent } from "../question-events.ts";
import { countYes, NO_YESES, withoutEnded, type Yeses } from "../yeses.ts";
import { ConfirmationTable } from "./confirmation-table.ts";
import { LinkTable } from "./link-table.ts";
import { REMEMBERED, RememberedTable } from "./remembered-table.ts";

/** The fields that a list shows stand before the texts, which a list does not read. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS confirmations (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    decided_by TEXT, bytes INTEGER NOT NULL, head_json TEXT, island_json TEXT NOT NULL, decision_key TEXT,
    answer_json TEXT
  ) WITHOUT ROWID, STRICT;`;

/** A link is kept by the digest of its token, never by the token itself. */
const DECISIONS = `
  ALTER TABLE confirmations ADD COLUMN decision_json TEXT;
  CREATE TABLE approval_links (
    digest TEXT PRIMARY KEY, confirmation_id TEXT NOT NULL, name TEXT NOT NULL, expires_at INTEGER NOT NULL,
    edit INTEGER NOT NULL, used INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;`;

/** The last event about the end of an open question. */
const TOLD = `ALTER TABLE confirmations ADD COLUMN told TEXT;`;

/** The key that made a link: the link ends with it. */
const MAKERS = `ALTER TABLE approval_links ADD COLUMN maker TEXT;`;

/** The yeses to a question that waits for more. */
const YESES = `ALTER TABLE confirmations ADD COLUMN yeses_json TEXT;`;

/**
 * Make the part of a tenant's object that keeps what waits for a person, and what became of it.
 *
 * @param createKind makes the kind of job that tells a batch's address of a decision
 */
export function createConfirmationsPart(
  limitsOf: (env: Record<string, unknown>) => ConfirmationLimits = () => CONFIRMATION_LIMITS,
  createKind?: (host: PartHost) => JobKind,
): ObjectPart {
  return {
    name: "confirmations",
    steps: [TABLES, DECISIONS, TOLD, MAKERS, REMEMBERED, YESES],
    ...(createKind !== undefined && { createKind }),
    open: (world) => openConfirmations(world, limitsOf(world.env)),
  };
}

function openConfirmations(
  { env, storage, tenant, events, outbox, holds, changed, tell, onDue, looksAfter }: PartWorld,
  limits: ConfirmationLimits,
): OpenPart {
  const links = new LinkTable(storage.sql);
  const memory = new RememberedTable(storage.sql);
  /** The last approvals that ended, and when: the log may not have their runs yet. */
  const over = new Map<string, number>();
  const table = new ConfirmationTable(storage, limits, (question, { origin, approvers = [] }) => {
    for (const [at, name] of approvers.entries()) askApprover(question, name, at);
    events.record(question.createdAt, () =>
      toRequestedEvent(tenant, question, makeEventLink(question, origin)),
    );
    // Without a link: the tenant's endpoints are made by keys that may not decide.
    tell(question.createdAt, () => toRequestedEvent(tenant, question));
    changed(question.createdAt);
  });
  /** Have an approver asked, by a job that is recorded in the turn of the question. */
  const askApprover = (question: ListedConfirmation, approver: string, at: number): void => {
    const own = readOwnUrl(env) ?? undefined;
    const link = makeEventLink(question, own, { name: approver, isApprover: true });
    if (link === undefined) return;
    const { json } = toRequestedEvent(tenant, question, link);
    const { url: _, ...data } = (JSON.parse(json) as { readonly data: { readonly url?: string } }).data;
    const event = JSON.stringify({ ...(JSON.parse(json) as object), data });
    const spec = makeNoticeJob(`${question.id}-${at}`, event, makeNotice(question, { approver, link }));
    attemptNow(() => outbox.recordOne(question.createdAt, { spec, takes: null, beside: () => {} }));
  };
  /** The link of an event: it is kept in the turn of its question, or the event has none. */
  const makeEventLink = (
    { id, expiresAt }: ListedConfirmation,
    origin?: string,
    whose: Pick<ApprovalLink, "name" | "isApprover"> = { name: EVENT_LINK },
  ): string | undefined => {
    const token = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
    const link = { ...whose, digest: digestOf(token), confirmationId: id, expiresAt, edit: false };
    const kept = attemptNow(() => links.add(link));
    return kept.ok && kept.value ? toLinkUrl({ tenant, token }, origin) : undefined;
  };
  /** Tell the operator and the tenant. */
  const tellBoth = (now: number, make: Parameters<typeof tell>[1]): void => {
    const event = events.isOn ? make() : null;
    if (event !== null) events.record(now, () => event);
    tell(now, make);
  };
  const tellDecided = (now: number, decision: "approve" | "reject", { id, decided }: Claim): void => {
    changed(now);
    tellBoth(now, () => {
      const question = table.listed(now, id);
      const said = question?.decided ?? decided;
      return question && toDecidedEvent(tenant, question, { decision, decided: said, at: now });
    });
  };
  /** Tell that a question ends soon, has ended, or is lost: the operator, the tenant and, of the end, the batch's own address. */
  const tellEnds = (now: number, id: string, told: Told): void => {
    if (told === "lost") return answer(now, { id });
    tellBoth(now, () => {
      const question = table.listed(now, id);
      return question && toEndEvent(tenant, question, { told, at: now });
    });
    if (told === "expiring") return;
    changed(now);
    answerAlone(now, id);
  };
  /** Tell the batch's own address of a question without a yes, unless a part does so once it knows what becomes of the batch's writes. */
  const answerAlone = (now: number, id: string): void => {
    const run = table.listed(now, id)?.head.keptRun;
    if (run === undefined || !looksAfter(run)) answer(now, { id });
  };
  /** Tell the batch's own address what became of its question, in the turn of that. */
  const answer = (now: number, { id }: Pick<Claim, "id">, members = ""): void => {
    const record = table.read(now, id);
    const spec = record === null ? null : makeAnswerJob(record, now, members);
    if (spec !== null) attemptNow(() => outbox.recordOne(now, { spec, takes: null, beside: () => {} }));
  };
  /** The link of a claim may be used once, for its own question. */
  const isLinkOver = (now: number, { id, link }: Claim): boolean => {
    if (link === undefined) return false;
    const found = links.find(link);
    return found === null || found.isUsed || found.confirmationId !== id || now >= found.expiresAt;
  };
  const read = (now: number, id: string): ConfirmationRecord | null => {
    const record = table.read(now, id);
    if (record === null) return null;
    const job = outbox.has(id) ? outbox.job(id, now) : null;
    const told = job && { status: job.status, attempts: job.attempts, nextAttemptAt: job.nextAttemptAt };
    return { ...record, told };
  };
  const reject = (now: number, claim: Claim, answerJson?: string): ClaimRefusal | null => {
    const refused = table.change(now, { kind: "reject", claim }, answerJson);
    if (refused !== null) return refused;
    if (claim.link !== undefined) links.setUsed(claim.link, true);
    tellDecided(now, "reject", claim);
    answerAlone(now, claim.id);
    return null;
  };
  /** Count a claim's yes with those before it; why not, or null of a question that one person decides. */
  const tally = (
    now: number,
    claim: Claim,
  ): { readonly yeses: Yeses; readonly needs: number } | "waiting" | null => {
    const question = table.listed(now, claim.id);
    const { people } = question?.head ?? {};
    if (question === null || people === undefined || claim.yes === undefined) return null;
    const { ended = [], edition, decided } = claim;
    const before = question.yeses ?? NO_YESES;
    if (edition !== before.edition) return "waiting";
    const standing = withoutEnded(before, ({ voter }) => ended.includes(voter));
    return { yeses: countYes(standing, claim.yes, decided?.args), needs: people };
  };
  const methods: PartMethods<ConfirmationMethods> = {
    countYes(now, claim) {
      const record = table.read(now, claim.id);
      if (record === null) return { refused: "unknown" };
      if (record.status !== "pending") return { refused: record.status };
      if (isLinkOver(now, claim)) return { refused: "link" };
      const counted = tally(now, claim);
      if (counted === "waiting") return { refused: "waiting" };
      if (counted === null || counted.yeses.given.length >= counted.needs) return null;
      table.keepYeses(claim.id, counted.yeses);
      if (claim.link !== undefined) links.setUsed(claim.link, true);
      return { approved: counted.yeses.given.length, needs: counted.needs };
    },
    park(now, groups, holder) {
      if (holder !== undefined && !holds(now, holder)) return null;
      const parked = table.park(now, groups);
      // That a question ends is told by the alarm, also where nothing else wakes the object until then.
      if (table.tellAt !== null) onDue(table.tellAt);
      return parked;
    },
    confirmation: read,
    confirmations: (now, query) => table.list(now, query),
    answering(now, ms) {
      const ended = [...over].flatMap(([id, at]) => (now < at + ms ? [[id, true]] : []));
      return { ...table.answering(now), ...Object.fromEntries(ended) };
    },
    reject: (now, claim, answerJson) => (isLinkOver(now, claim) ? "link" : reject(now, claim, answerJson)),
    pin: (now, id, argsHash, groupJson) => table.replace(now, id, argsHash, groupJson),
    expire(now, claim) {
      if (table.change(now, { kind: "expire", claim }) === null) changed(now);
    },
    conclude(now, claim, answerJson) {
      // The claim of the last of several people knows that one alone.
      const decided = table.listed(now, claim.id)?.decided ?? claim.decided;
      const whole = { ...claim, ...(decided !== undefined && { decided }) };
      if (table.change(now, { kind: "conclude", claim: whole }, answerJson) !== null) return;
      makeRoom(over, LIMITS.questionsPending);
      over.set(claim.id, now);
      if (!table.isToldLost(claim.id)) answer(now, claim);
    },
    addLink(now, link) {
      const record = table.read(now, link.confirmationId);
      if (record === null) return "unknown";
      if (record.status !== "pending") return record.status;
      const expiresAt = Math.min(link.expiresAt, record.expiresAt);
      return links.add({ ...link, expiresAt }) ? expiresAt : "too-many";
    },
    dropLinks(now, id) {
      const yeses = table.listed(now, id)?.yeses;
      const dropped = links.drop(id);
      // Who has a link that was taken back has not said yes by it either.
      if (yeses !== undefined)
        table.keepYeses(
          id,
          withoutEnded(yeses, ({ link }) => link !== undefined),
        );
      return dropped;
    },
    recall: (now, query) => memory.recall(now, query),
    remembered: (now, query) => memory.list(now, query),
    rememberedOne: (now, id) => memory.find(now, id),
    forget: (_, ids) => memory.forget(ids),
    openLink(now, digest) {
      const link = links.find(digest);
      const record = link && read(now, link.confirmationId);
      return link === null || record === null ? null : { link, record };
    },
  };
  return {
    methods,
    questions: {
      look(now, id) {
        const record = table.read(now, id);
        return record && { status: record.status, args: record.decided?.args };
      },
      of: (run) => table.keptWith(run),
      withdraw(now, id, by) {
        const decided = { ...by, decision: "reject", at: now } as const;
        reject(now, { id, by: `${now}`, decided });
      },
      conclude(now, id, members) {
        const record = table.read(now, id);
        if (record?.status !== "rejected" && record?.status !== "expired") return;
        const { answerJson } = record;
        if (answerJson !== null) table.amend(now, id, `${answerJson.slice(0, -1)}${members}}`);
        answer(now, { id }, record.status === "expired" ? members : "");
      },
    },
    claims: {
      take(now, value) {
        const claim = value as Claim;
        if (isLinkOver(now, claim)) return refuseClaim("link");
        const { remember = [] } = claim;
        if (remember.length > 0 && !memory.hasRoom(now, remember.length)) return refuseClaim("memory");
        const counted = tally(now, claim);
        if (counted === "waiting" || (counted !== null && counted.yeses.given.length < counted.needs))
          return refuseClaim("waiting");
        const refused = table.change(now, { kind: "approve", claim: withAll(claim, counted?.yeses) });
        if (refused === null && claim.link !== undefined) links.setUsed(claim.link, true);
        return refused === null ? null : refuseClaim(refused);
      },
      giveBack(now, value) {
        const claim = value as Claim;
        table.change(now, { kind: "release", claim });
        if (claim.link !== undefined) links.setUsed(claim.link, false);
      },
      granted(now, value) {
        const claim = value as Claim;
        if (claim.remember !== undefined) memory.add(now, claim.remember);
        tellDecided(now, "approve", claim);
        // A run that dies reports no end.
        if (table.tellAt !== null) onDue(table.tellAt);
      },
    },
    get nextAt() {
      return table.tellAt;
    },
    take(now) {
      for (const { id, told } of table.takeDue(now, LIMITS.confirmationsToldAtOnce)) tellEnds(now, id, told);
    },
    prune(now) {
      if (table.prune(now)) links.prune();
    },
    usage: (now, query) => ({ waiting: table.waiting(now, query) }),
  };
}

/** Say in a claim who of several people said yes, and to which arguments. */
function withAll(claim: Claim, yeses: Yeses | undefined): Claim {
  if (yeses === undefined || claim.decided === undefined) return claim;
  const all = yeses.given.map(({ decider }) => decider);
  const { args } = yeses;
  return { ...claim, decided: { ...claim.decided, all, ...(args !== undefined && { args }) } };
}
