import { useState } from "hono/jsx/dom";

import { ask, type Problem } from "../../../console/kit/api.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { ConnectLink } from "../../../console/parts/connect-link.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Time } from "../../../console/parts/time.tsx";

/** Connectors that many deployments have; the API says the others when it refuses one. */
const USUAL = ["google", "microsoft", "github", "slack", "notion"];

interface Started {
  readonly connect_url?: string;
  readonly expires_at?: string;
}

interface Made extends Started {
  readonly subject: string;
}

/** Make a link by which a subject connects an account. */
export function ConnectForm({ onMade }: { readonly onMade: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const fields = new FormData(form);
    const read = (name: string): string => String(fields.get(name) ?? "").trim();
    const subject = read("subject");
    const body = {
      subject,
      connector: read("connector"),
      ...(read("name") !== "" && { name: read("name") }),
    };
    const answer = await ask<Started>("/v1/connections", { method: "POST", body });
    setProblem(answer.ok ? null : answer.problem);
    setMade(answer.ok ? { ...answer.data, subject } : null);
    if (!answer.ok) return;
    announce("The link is made");
    onMade();
  };
  return (
    <section class="card" aria-labelledby="connect-title">
      <h2 id="connect-title">Connect an account</h2>
      <form
        class="form"
        aria-label="An account to connect"
        novalidate
        onSubmit={(event: Event) => {
          event.preventDefault();
          void submit(event.currentTarget as HTMLFormElement);
        }}
      >
        <div class="field">
          <label for="connect-subject">Subject</label>
          <input
            id="connect-subject"
            name="subject"
            autocomplete="off"
            spellcheck={false}
            placeholder="user_42"
            aria-describedby="connect-subject-help"
          />
          <p class="help" id="connect-subject-help">
            For whom batches run. To try it, take a subject of your own, such as test.
          </p>
        </div>
        <div class="field">
          <label for="connect-connector">Connector</label>
          <input
            id="connect-connector"
            name="connector"
            list="connectors"
            autocomplete="off"
            spellcheck={false}
            placeholder="google"
          />
          <datalist id="connectors">
            {USUAL.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </div>
        <div class="field">
          <label for="connect-name">Name</label>
          <input
            id="connect-name"
            name="name"
            autocomplete="off"
            spellcheck={false}
            placeholder="default"
            aria-describedby="connect-name-help"
          />
          <p class="help" id="connect-name-help">
            Only for a subject with several accounts of one connector.
          </p>
        </div>
        <ProblemNote problem={problem} />
        <div class="row">
          <button type="submit" class="primary">
            Make a link
          </button>
        </div>
      </form>
      {made?.connect_url !== undefined && (
        <div key={made.connect_url} class="note tone-ok">
          <strong>
            A link for <bdi>{made.subject}</bdi>
          </strong>
          <ConnectLink url={made.connect_url} />
          <p class="small">
            It is good once, until <Time at={made.expires_at} />. Open it yourself for a subject of your own
            only: the account that signs in becomes that of the subject.
          </p>
        </div>
      )}
    </section>
  );
}
