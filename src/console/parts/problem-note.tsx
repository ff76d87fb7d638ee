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
      <p>{detail}</p>
      {issues.length > 0 && (
        <ul class="stack small">
          {issues.map(({ path, hint }) => (
            <li key={path}>
              <code>{path}</code> {hint}
            </li>
          ))}
        </ul>
      )}
      {requestId !== null && <p class="small muted">Request {requestId}</p>}
    </div>
  );
}
