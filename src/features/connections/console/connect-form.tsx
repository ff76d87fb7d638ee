import { useState } from "hono/jsx/dom";

import { readForm } from "../../../console/kit/form-fields.ts";
import { useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { ConnectLink } from "../../../console/parts/connect-link.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { TextField } from "../../../console/parts/text-field.tsx";
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
  const { send, problem } = useSend();
  const [made, setMade] = useState<Made | null>(null);
  const submit = async (event: Event): Promise<void> => {
    const { read } = readForm(event);
    const subject = read("subject");
    const body = {
      subject,
      connector: read("connector"),
      ...(read("name") !== "" && { name: read("name") }),
    };
    const answer = await send<Started>("/v1/connections", { method: "POST", body });
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
        onSubmit={(event: Event) => void submit(event)}
      >
        <TextField
          id="connect-subject"
          name="subject"
          label="Subject"
          placeholder="user_42"
          help="The subject of batches. To try it, take a subject of your own, such as test."
        />
        <TextField
          id="connect-connector"
          name="connector"
          label="Connector"
          placeholder="google"
          suggestions={USUAL}
        />
        <TextField
          id="connect-name"
          name="name"
          label="Name"
          placeholder="default"
          help="Only for a subject with several accounts of one connector."
        />
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
