import type { Problem } from "../kit/api.ts";

/** Why something was refused, in the API's own words: they say what to change. */
export function ProblemNote({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  const { title, code, detail, issues = [], requestId } = problem;
  return (
    <div class="note tone-bad" role="alert">
      <strong>
        {title} <code>{code}</code>
      </strong>
      <Paragraph text={detail} />
      {(issues.length > 1 || (issues[0] && issues[0].hint !== detail)) && (
        <ul class="stack small">
          {issues.map(({ path, hint }) => (
            <li key={path}>
              <code>{path}</code> <Prose text={hint} />
            </li>
          ))}
        </ul>
      )}
      {requestId !== null && <p class="small muted">Request {requestId}</p>}
    </div>
  );
}

export function Paragraph({ text }: { readonly text: string }) {
  return (
    <p dir="auto">
      <Prose text={text} />
    </p>
  );
}

/** A text of the API: what stands in it between backticks is code. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  // One that is open to the end is a backtick.
  if (parts.length % 2 === 0) return <bdi>{text}</bdi>;
  return <bdi>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</bdi>;
}
