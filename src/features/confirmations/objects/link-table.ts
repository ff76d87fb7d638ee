import { query } from "../../../feature/object.ts";
import type { ApprovalLink, LinkMaker, OpenedLink } from "../approval-link.ts";
import * as LIMITS from "../limits.ts";

type Row = {
  confirmation_id: string;
  name: string;
  expires_at: number;
  edit: number;
  maker: string | null;
  used: number;
};

/** Stands in the place of a maker. */
const OF_APPROVER = '{"approver":true}';

/** The links of a tenant's questions, by the digests of their tokens. */
export class LinkTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keep a link; false, and it is not kept, where the question has as many as it may. Throws when storage refuses. */
  add({ digest, confirmationId, name, expiresAt, edit, maker, isApprover }: ApprovalLink): boolean {
    const { count } = query<{ count: number }>(this.#sql)`
      SELECT COUNT(*) AS count FROM approval_links WHERE confirmation_id = ${confirmationId}
      AND maker IS NOT ${OF_APPROVER}`.one();
    if (isApprover !== true && count >= LIMITS.approvalLinks) return false;
    query(this.#sql)`
      INSERT INTO approval_links (digest, confirmation_id, name, expires_at, edit, maker, used)
      VALUES (${digest}, ${confirmationId}, ${name}, ${expiresAt}, ${edit ? 1 : 0},
      ${isApprover ? OF_APPROVER : maker === undefined ? null : JSON.stringify(maker)}, 0)`;
    return true;
  }

  find(digest: string): OpenedLink | null {
    const [row] = query<Row>(this.#sql)`
      SELECT confirmation_id, name, expires_at, edit, maker, used FROM approval_links
      WHERE digest = ${digest}`.toArray();
    if (row === undefined) return null;
    const { confirmation_id: confirmationId, name, expires_at: expiresAt, edit, maker, used } = row;
    return {
      confirmationId,
      name,
      expiresAt,
      edit: edit === 1,
      isUsed: used === 1,
      ...(maker === OF_APPROVER
        ? { isApprover: true as const }
        : maker !== null && { maker: JSON.parse(maker) as LinkMaker }),
    };
  }

  setUsed(digest: string, used: boolean): void {
    query(this.#sql)`UPDATE approval_links SET used = ${used ? 1 : 0} WHERE digest = ${digest}`;
  }

  /** End the links of a question; how many there were. */
  drop(confirmationId: string): number {
    const dropped = query(this.#sql)`
      DELETE FROM approval_links WHERE confirmation_id = ${confirmationId} RETURNING digest`;
    return dropped.toArray().length;
  }

  /** Forget the links of questions that are gone. */
  prune(): void {
    this.#sql.exec("DELETE FROM approval_links WHERE confirmation_id NOT IN (SELECT id FROM confirmations)");
  }
}
