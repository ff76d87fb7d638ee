import { hrefTo } from "../../../console/kit/route.ts";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { sayCurl } from "../../../console/run/say-run.ts";

/** A first batch, which every key may send: discovery needs no tool of a category. */
const FIRST = '{"actions":[{"tool":"discover_tools","args":{"query":"weather"}}]}';

/** The page of a tenant that has run nothing yet: a command that makes the first run, and where else runs come from. */
export function NoRuns() {
  const command = sayCurl(location.origin, FIRST);
  return (
    <section class="card no-runs" aria-label="No runs yet">
      <h2>Nothing has run yet</h2>
      <p class="muted">
        Each batch leaves a run here, within two seconds: from your code, from a model, by a webhook or a
        clock. Send a first one:
      </p>
      <div class="command">
        <pre class="json" tabindex={0} aria-label="A command that makes a run">
          {command}
        </pre>
        <CopyButton text={command} label="Copy command" />
      </div>
      <p>
        Or <a href={hrefTo("run")}>write a batch here</a>.
      </p>
    </section>
  );
}
