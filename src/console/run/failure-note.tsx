import type { WireResult } from "../kit/wire.ts";
import { ConnectLink } from "../parts/connect-link.tsx";
import { Paragraph } from "../parts/problem-note.tsx";
import { sayDuration } from "../parts/say-duration.ts";

export type WireFailure = Extract<WireResult, { readonly status: "error" }>["error"];

interface FailureNoteProps {
  readonly error: WireFailure;
  /** The action's id; left out where it stands above. */
  readonly id?: string;
  readonly tool?: string | null;
}

/** Why an action failed, and what to do about it. */
export function FailureNote({ error, id, tool }: FailureNoteProps) {
  const { code, message, hint, issues = [], retryable } = error;
  const { retry_after_ms: after, upstream_status: status, connect_url: connect } = error;
  const facts = [
    status !== undefined && `The upstream answered ${status}.`,
    after === undefined ? retryable && "It may be tried again." : `Try again in ${sayDuration(after)}.`,
  ].filter((fact) => typeof fact === "string");
  return (
    <div class="note tone-bad">
      <strong>
        {id !== undefined && <bdi>{id}</bdi>} <code>{code}</code>
      </strong>
      {tool !== undefined && tool !== null && (
        <p class="small muted">
          <bdi>{tool}</bdi>
        </p>
      )}
      <Paragraph text={hint ?? message} />
      {connect !== undefined && <ConnectLink key="connect" url={connect} />}
      {issues.length > 0 && (
        <ul class="small issues">
          {issues.map(({ path, expected, received }) => (
            <li key={path}>
              <code>
                <bdi>{path === "" ? "the whole" : path}</bdi>
              </code>{" "}
              expected <bdi>{expected}</bdi>, received <bdi>{received}</bdi>
            </li>
          ))}
        </ul>
      )}
      {facts.length > 0 && <p class="small muted">{facts.join(" ")}</p>}
    </div>
  );
}
