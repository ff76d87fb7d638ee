import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import { callBounded, type CallBounds } from "../../../cloudflare/gate-client/call-bounded.ts";
import type { RunLogMethods } from "../run.ts";

type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};

/** The log of one tenant from outside. Every method rejects where the object does not answer. */
export type RunLog = Promised<RunLogMethods>;

/** The binding, as much of it as the client uses. */
export interface RunLogNamespace {
  idFromName(name: string): object;
  get(id: object): RunLog;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): RunLogNamespace;
}

/** Open the log of a tenant: an object of its own. */
export function openRunLog(namespace: RunLogNamespace, tenant: string, bounds: CallBounds): RunLog {
  const call = <T>(send: (stub: RunLog) => Promise<T>): Promise<T> =>
    callBounded(() => send(namespace.get(namespace.idFromName(tenant))), bounds);
  return {
    report: (report) => call((stub) => stub.report(report)),
    hear: (jobs) => call((stub) => stub.hear(jobs)),
    list: (query, look) => call((stub) => stub.list(query, look)),
    find: (id, look) => call((stub) => stub.find(id, look)),
    forget: (id, sight) => call((stub) => stub.forget(id, sight)),
    reruns: (id) => call((stub) => stub.reruns(id)),
    claimRerun: (claim) => call((stub) => stub.claimRerun(claim)),
    dropRerun: (rerun) => call((stub) => stub.dropRerun(rerun)),
    read: (before, bytes) => call((stub) => stub.read(before, bytes)),
    readReruns: () => call((stub) => stub.readReruns()),
    restore: (runs, reruns) => call((stub) => stub.restore(runs, reruns)),
    erase: () => call((stub) => stub.erase()),
  };
}
