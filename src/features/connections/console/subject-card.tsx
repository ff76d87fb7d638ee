import { Status, Tags } from "../../../console/parts/status.tsx";
import { CHANGE, Table } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import type { WireConnection } from "../wire-connection.ts";
import { sayBroken, sayEnd, type Subject } from "./by-subject.ts";

interface SubjectCardProps {
  readonly of: Subject;
  readonly onDisconnect: (connection: WireConnection) => void;
}

/** One subject, with its accounts. */
export function SubjectCard({ of: { subject, connections }, onDisconnect }: SubjectCardProps) {
  return (
    <section class="card flush" aria-label={`Connections of ${subject}`}>
      <h2 class="subject-head">
        <bdi class="mono">{subject}</bdi>
      </h2>
      <Table
        of={connections}
        by={(one) => one.connection_id}
        look="list"
        columns={[
          ["Connector", (one) => <bdi>{nameOf(one)}</bdi>, "lead"],
          ["State", (one) => <State of={one} />],
          ["Account", ({ account }) => <bdi class="account">{account ?? "–"}</bdi>],
          ["Scopes", ({ scopes }) => (scopes.length === 0 ? "–" : <Tags of={scopes} />)],
          ["Connected", (one) => <Time at={one.connected_at} />],
          [
            CHANGE,
            (one) => (
              <button
                type="button"
                class="plain"
                aria-label={`${sayEnd(one)} ${nameOf(one)} of ${one.subject}`}
                onClick={() => onDisconnect(one)}
              >
                {sayEnd(one)}
              </button>
            ),
          ],
        ]}
      />
    </section>
  );
}

function nameOf({ connector, name, site }: WireConnection): string {
  const at = site === undefined ? connector : `${connector} at ${site}`;
  return name === "default" ? at : `${at} (${name})`;
}

function State({ of }: { readonly of: WireConnection }) {
  return (
    <span class="row">
      <Status of={of.state} />
      {of.state === "broken" && <span class="muted small">{sayBroken(of)}</span>}
      {of.problem !== undefined && <span class="muted small">{of.problem}</span>}
      {of.state === "pending" && of.link_expires_at !== undefined && (
        <span class="muted small">
          link expires <Time at={of.link_expires_at} />
        </span>
      )}
    </span>
  );
}
