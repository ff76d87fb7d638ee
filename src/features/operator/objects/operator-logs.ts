import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import { callBounded, type CallBounds } from "../../../cloudflare/gate-client/call-bounded.ts";
import type { OperatorLogMethods } from "../operator.ts";

type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};

/** The counts of one jurisdiction from outside. Every method rejects where the object does not answer. */
export type OperatorLog = Promised<OperatorLogMethods>;

/** The binding, as much of it as the client uses. */
export interface OperatorLogNamespace {
  idFromName(name: string): object;
  get(id: object): OperatorLog;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): OperatorLogNamespace;
}

/** There is one in each jurisdiction. */
const NAME = "operator";

/** Open the log of a jurisdiction. A report is sent once: one that arrived and was not answered would be counted twice. */
export function openOperatorLog(namespace: OperatorLogNamespace, bounds: CallBounds): OperatorLog {
  const stub = (): OperatorLog => namespace.get(namespace.idFromName(NAME));
  const call = <T>(send: (stub: OperatorLog) => Promise<T>): Promise<T> =>
    callBounded(() => send(stub()), bounds);
  return {
    report: (counted) => stub().report(counted),
    tell: (standing) => call((log) => log.tell(standing)),
    overview: (query) => call((log) => log.overview(query)),
    read: (tenant) => call((log) => log.read(tenant)),
    erase: (tenant) => call((log) => log.erase(tenant)),
  };
}
