import { isCall, type ObjectPart, type OpenPart, type PartWorld } from "../../../feature/tenant.ts";
import { attempt } from "../../../feature/refuse.ts";
import { isTrouble, type Remote } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { codeOf, type DeadJobs, type OperatorLogMethods, OTHER_CODE, type Standing } from "../operator.ts";
import { TallyBook } from "../tally-book.ts";
import { REPORT_BOUNDS } from "../tally-buffer.ts";

/** The operator's log of an object's jurisdiction. */
export type ToldLog = Remote<Pick<OperatorLogMethods, "tell" | "report">>;

/**
 * Make the part of a tenant's object that tells the operator how many of its jobs are dead and how many questions wait, and counts jobs
 * that end otherwise than well.
 *
 * It keeps nothing. A change has the alarm come two seconds later, set in the change's own turn, so a kill between the two loses nothing.
 * While there is anything to tell it is told again every quarter of an hour; what is told counts for a little more than two of them. So
 * whatever is lost on the way, the overview is right again after that time. Counts are sent once, as those of an isolate are.
 */
export function createOperatorPart(
  logOf: (env: Record<string, unknown>, tenant: string) => ToldLog | undefined,
): ObjectPart {
  return {
    name: "operator",
    steps: [],
    open: (world) => openOperator(world, logOf(world.env, world.tenant)),
  };
}

function openOperator(
  { tenant, object, outbox, usage, onDue }: PartWorld,
  log: ToldLog | undefined,
): OpenPart {
  if (log === undefined) return { methods: {} };
  // At the object's start all that there is has to be told. The other parts are not open yet.
  let isFresh = true;
  const waiting = (nowMs: number): number => usage(nowMs).waiting?.count ?? 0;
  let due: number | null = null;
  let failed = new TallyBook(REPORT_BOUNDS);
  const nextAt = (): number | null => {
    if (isFresh) due = outbox.usage().jobs.dead + waiting(0) > 0 ? 0 : null;
    isFresh = false;
    return due;
  };
  const wake = (at: number): void => {
    const known = nextAt();
    if (known !== null && known <= at) return;
    due = at;
    onDue(at);
  };
  const send = async (nowMs: number, standing: Standing): Promise<void> => {
    const told = await attempt(() => log.tell(standing));
    if (!told.ok) wake(nowMs + LIMITS.operatorTellFailedMs);
  };
  return {
    methods: {},
    get nextAt() {
      return nextAt();
    },
    changed: (nowMs) => wake(nowMs + LIMITS.operatorTellMs),
    turned(job) {
      if (!isCall(job) || !isTrouble(job.status)) return;
      failed.addFailedJob(tenant, job.spec.tool);
      wake(job.updatedAt + LIMITS.operatorTellMs);
    },
    take(nowMs) {
      const known = nextAt();
      if (known === null || known > nowMs) return;
      const { dead: count } = outbox.usage().jobs;
      const dead = count === 0 ? {} : countDead(outbox, nowMs, count);
      const standing = { object, tenant, dead, waiting: waiting(nowMs) };
      due = count + standing.waiting === 0 ? null : nowMs + LIMITS.operatorTellAgainMs;
      // The alarm does not wait for it: jobs are due.
      void send(nowMs, standing);
      if (failed.isEmpty) return;
      const counted = [...failed.counted()];
      failed = new TallyBook(REPORT_BOUNDS);
      void attempt(() => log.report(counted));
    },
  };
}

/** Count dead jobs by their code; of those that are too many to look at, under none. */
function countDead(outbox: PartWorld["outbox"], nowMs: number, dead: number): DeadJobs {
  const listed = [...outbox.list({ status: "dead", limit: LIMITS.operatorDeadJobs, after: null }, nowMs)];
  const codes: Record<string, number> = {};
  for (const { errorJson } of listed) {
    const code = codeOf(errorJson);
    codes[code] = (codes[code] ?? 0) + 1;
  }
  const unseen = dead - listed.length;
  return unseen <= 0 ? codes : { ...codes, [OTHER_CODE]: (codes[OTHER_CODE] ?? 0) + unseen };
}
