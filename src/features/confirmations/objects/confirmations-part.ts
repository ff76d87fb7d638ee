import type { PartMethods } from "../../../core/contract/gate/part-call.ts";
import type { ObjectPart, OpenPart, PartWorld } from "../../../core/edge/durable/object-part.ts";
import type { Claim, ConfirmationMethods } from "../confirmation.ts";
import { refuseClaim } from "../confirmation.ts";
import { CONFIRMATION_LIMITS, type ConfirmationLimits } from "../confirmation-book.ts";
import { toDecidedEvent, toRequestedEvent } from "../question-events.ts";
import { ConfirmationTable } from "./confirmation-table.ts";

/** The fields that a list shows stand before the texts, which a list does not read. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS confirmations (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    decided_by TEXT, bytes INTEGER NOT NULL, head_json TEXT, island_json TEXT NOT NULL, decision_key TEXT,
    answer_json TEXT
  ) WITHOUT ROWID, STRICT;`;

/** Make the part of a tenant's object that keeps what waits for a person, and what became of it. */
export function createConfirmationsPart(
  limitsOf: (env: Record<string, unknown>) => ConfirmationLimits = () => CONFIRMATION_LIMITS,
): ObjectPart {
  return {
    name: "confirmations",
    steps: [TABLES],
    open: (world) => openConfirmations(world, limitsOf(world.env)),
  };
}

function openConfirmations(
  { storage, tenant, events, changed }: PartWorld,
  limits: ConfirmationLimits,
): OpenPart {
  const table = new ConfirmationTable(storage, limits, (question) => {
    events.record(question.createdAt, () => toRequestedEvent(tenant, question));
    changed(question.createdAt);
  });
  const tellDecided = (now: number, decision: "approve" | "reject", { id, decidedBy: key }: Claim): void => {
    changed(now);
    const question = events.isOn ? table.listed(now, id) : null;
    if (question !== null)
      events.record(now, () => toDecidedEvent(tenant, question, { decision, key, at: now }));
  };
  const methods: PartMethods<ConfirmationMethods> = {
    park: (now, groups) => table.park(now, groups),
    confirmation: (now, id) => table.read(now, id),
    confirmations: (now, query) => table.list(now, query),
    reject(now, claim, answerJson) {
      const refused = table.change(now, { kind: "reject", claim }, answerJson);
      if (refused === null) tellDecided(now, "reject", claim);
      return refused;
    },
    conclude: (now, claim, answerJson) => void table.change(now, { kind: "conclude", claim }, answerJson),
  };
  return {
    methods,
    claims: {
      take(now, value) {
        const refused = table.change(now, { kind: "approve", claim: value as Claim });
        return refused === null ? null : refuseClaim(refused);
      },
      giveBack: (now, value) => void table.change(now, { kind: "release", claim: value as Claim }),
      granted: (now, value) => tellDecided(now, "approve", value as Claim),
    },
    prune: (now) => table.prune(now),
    usage: (now, { decides }) => ({ waiting: table.waiting(now, decides) }),
  };
}
