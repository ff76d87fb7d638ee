import { useState } from "../../../console/kit/jsx-hooks.ts";
import { readForm, useFaults, useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { ConnectLink } from "../../../console/parts/connect-link.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { TextField } from "../../../console/parts/text-field.tsx";
import { Time } from "../../../console/parts/time.tsx";

interface Started {
  readonly connect_url?: string;
  readonly expires_at?: string;
}

interface Made extends Started {
  readonly subject: string;
}

interface ConnectFormProps {
  /** Those that the tenant may use. */
  readonly connectors: readonly string[];
  readonly onMade: () => void;
}

/** Make a link by which a subject connects an account. */
export function ConnectForm({ connectors, onMade }: ConnectFormProps) {
  const { send, problem } = useSend();
  const faults = useFaults(problem, {
    subject: "",
    name: "A name has 1 to 64 letters, digits, '_', '.', '@' or '-'.",
    connector: "Choose a connector.",
  });
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
          label="Subject"
          wrong={faults.of("subject")}
          placeholder="user_42"
          help="The id of your user, as batches name it in subject. To try it, take one of your own, such as test."
        />
        <div class="field">
          <label for="connect-connector">Connector</label>
          <select id="connect-connector" name="connector">
            {connectors.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <TextField
          id="connect-name"
          label="Name"
          wrong={faults.of("name")}
          placeholder="default"
          help="Only for a subject with several accounts of one connector."
        />
        <ProblemNote problem={faults.rest} />
        <div class="row">
          <button type="submit" class="primary">
            Make a sign-in link
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
