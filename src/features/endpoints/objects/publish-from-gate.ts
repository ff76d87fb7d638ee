import type { ObjectPart, OpenPart, PartWorld } from "../../../feature/tenant.ts";
import { attempt, attemptNow } from "../../../feature/refuse.ts";
import { NoticeTable } from "../../../feature/object.ts";
import type { Notice } from "../../../feature/gives.ts";

/** Tell the tenant of an object; absent where the deployment has no endpoints. */
export type TellOwner = (notices: readonly Notice[]) => Promise<void>;

/**
 * Make the part of a tenant's object that tells the tenant of its jobs and questions: each is written down in the turn of its cause, and
 * forgotten once the tenant's directory has it.
 */
export function createEndpointsPart(
  tellerOf: (env: Record<string, unknown>, tenant: string) => TellOwner | undefined,
): ObjectPart {
  return {
    name: "endpoints",
    steps: [NoticeTable.CREATE],
    open: (world) => openNotices(world, tellerOf(world.env, world.tenant)),
  };
}

function openNotices({ storage, onDue }: PartWorld, tell: TellOwner | undefined): OpenPart {
  if (tell === undefined) return { methods: {} };
  const table = new NoticeTable(storage.sql);
  const wake = (): void => {
    if (table.nextAt !== null) onDue(table.nextAt);
  };
  return {
    methods: {},
    get nextAt() {
      return table.nextAt;
    },
    hear(nowMs, make) {
      // A tenant that cannot be told is no reason to refuse what it would be told of.
      attemptNow(() => {
        const event = make();
        if (event !== null) keep(table, event, nowMs);
        wake();
      });
    },
    take(nowMs) {
      // Every claim asks; waking it again where nothing was told would never end.
      if ((table.nextAt ?? Number.POSITIVE_INFINITY) > nowMs) return;
      // The alarm does not wait for it: jobs are due. One that breaks off is told again.
      void attempt(() => table.tell(nowMs, (notices) => tell(notices).then(() => true))).then(wake);
    },
  };
}

function keep(
  table: NoticeTable,
  { id, json }: { readonly id: string; readonly json: string },
  nowMs: number,
): void {
  const { type, data } = JSON.parse(json) as { readonly type: string; readonly data: Told };
  const { tenant: _, ...told } = data;
  table.add({ id, type: `volley.${type}`, data: JSON.stringify(told) }, nowMs);
  // An earlier version wrote the end of a question down with the question.
  if (type === "confirmation.decided") table.remove(`confirmation-expired-${data.confirmation_id}`);
}

interface Told {
  readonly tenant?: string;
  readonly confirmation_id?: string;
}
