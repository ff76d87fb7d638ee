import { useState } from "hono/jsx/dom";

import { ask, type Problem } from "../../../console/kit/api.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Time } from "../../../console/parts/time.tsx";

interface MadeLink {
  readonly url: string;
  readonly expires_at: string;
}

/** Make a link by which a customer looks after its endpoints, and show it this once. */
export function PortalLinkButton({ customer }: { readonly customer: string }) {
  const [made, setMade] = useState<MadeLink | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const make = async (): Promise<void> => {
    const answer = await ask<MadeLink>("/v1/portal_links", { method: "POST", body: { customer } });
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    setMade(answer.data);
    announce("The link is made");
  };
  return (
    <div class="stack tight">
      <ProblemNote problem={problem} />
      <div class="row">
        <button type="button" onClick={() => void make()}>
          Make a portal link
        </button>
        <span class="muted small">
          by which <bdi>{customer}</bdi> sees and changes its own endpoints
        </span>
      </div>
      {made !== null && (
        <div key={made.url} class="note tone-ok">
          <div class="row">
            <strong>Its portal link</strong>
            <span class="end">
              <CopyButton text={made.url} label="Copy link" />
            </span>
          </div>
          <p class="mono secret">{made.url}</p>
          <p class="small">
            Keep it from others: it opens the endpoints of that customer. It is good until{" "}
            <Time at={made.expires_at} />.
          </p>
        </div>
      )}
    </div>
  );
}
