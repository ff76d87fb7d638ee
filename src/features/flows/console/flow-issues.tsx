import { count } from "../../../console/parts/count.ts";

/** An issue of a flow that is kept all the same. */
export interface WireFlowIssue {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

/** The issues of a flow, an error or a warning each, and the advice for it. */
export function FlowIssues({ issues }: { readonly issues: readonly WireFlowIssue[] }) {
  const isBad = issues.some(({ severity }) => severity === "error");
  return (
    <section class={`note ${isBad ? "tone-bad" : "tone-wait"}`} aria-label="Its issues">
      <strong>{count(issues.length, "issue")}</strong>
      <ul>
        {issues.map(({ severity, path, expected, received, hint }) => (
          <li key={`${severity} ${path} ${received}`}>
            <p>
              {severity === "error" ? "Error" : "Warning"} at <bdi class="mono">{path}</bdi>: expected{" "}
              <bdi>{expected}</bdi>, received <bdi>{received}</bdi>.
            </p>
            <p dir="auto">{hint}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
