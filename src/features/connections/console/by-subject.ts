import type { WireConnection } from "../wire-connection.ts";

/** A subject with its connections, by connector and name. */
export interface Subject {
  readonly subject: string;
  readonly connections: readonly WireConnection[];
}

/** Put connections of a list together by their subjects, in the order in which the list comes to each. */
export function groupBySubject(connections: readonly WireConnection[]): readonly Subject[] {
  const groups = Map.groupBy(connections, ({ subject }) => subject);
  return Array.from(groups, ([subject, own]) => ({
    subject,
    connections: own.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)),
  }));
}

function placeOf({ connector, name }: WireConnection): string {
  return `${connector}\n${name}`;
}

const BECAUSE: Readonly<Record<NonNullable<WireConnection["because"]>, string>> = {
  revoked: "the provider takes it no more",
  refresh_lost: "its last renewal was cut off",
  unreadable: "no key of the vault opens it",
};

/** Why one does not work; empty where it does. */
export function sayBroken({ because }: Pick<WireConnection, "because">): string {
  return because === undefined ? "" : BECAUSE[because];
}

/** Name the button that ends one: before somebody has signed in, there is a link only. */
export function sayEnd({ state }: Pick<WireConnection, "state">): string {
  return state === "pending" ? "Withdraw the link" : "Disconnect";
}
