import { Status } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import type { WireConnection } from "../wire-connection.ts";
import { sayBroken, type Subject } from "./by-subject.ts";

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
      <table class="table list">
        <thead>
          <tr>
            <th scope="col">Connector</th>
            <th scope="col">State</th>
            <th scope="col">Account</th>
            <th scope="col">Scopes</th>
            <th scope="col">Since</th>
            <th scope="col">
              <span class="hidden-text">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {connections.map((one) => (
            <Row key={one.connection_id} connection={one} onDisconnect={onDisconnect} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  readonly connection: WireConnection;
  readonly onDisconnect: (connection: WireConnection) => void;
}

function Row({ connection, onDisconnect }: RowProps) {
  const { connector, name, subject, state, account, scopes, connected_at: since } = connection;
  const which = name === "default" ? connector : `${connector} (${name})`;
  return (
    <tr>
      <td class="lead">
        <bdi>{which}</bdi>
      </td>
      <td data-label="State">
        <span class="row">
          <Status of={state} />
          {state === "broken" && <span class="muted small">{sayBroken(connection)}</span>}
          {connection.problem !== undefined && <span class="muted small">{connection.problem}</span>}
          {state === "pending" && connection.link_expires_at !== undefined && (
            <span class="muted small">
              its link is good until <Time at={connection.link_expires_at} />
            </span>
          )}
        </span>
      </td>
      <td data-label="Account">
        <bdi class="account">{account ?? "–"}</bdi>
      </td>
      <td data-label="Scopes">
        <span class="scopes">
          {scopes.length === 0
            ? "–"
            : scopes.map((scope) => (
                <bdi key={scope} class="tag">
                  {scope}
                </bdi>
              ))}
        </span>
      </td>
      <td data-label="Since">
        <Time at={since} />
      </td>
      <td data-label="Change">
        <button
          type="button"
          class="plain"
          aria-label={`Disconnect ${which} of ${subject}`}
          onClick={() => onDisconnect(connection)}
        >
          Disconnect
        </button>
      </td>
    </tr>
  );
}
