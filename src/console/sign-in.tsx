import { useState } from "./kit/jsx-hooks.ts";
import { type KeyWish, makeKey, toEntry } from "./keys/make-key.ts";
import { KeyShown, WishForm } from "./keys/wish-form.tsx";
import { ask, type Problem } from "./kit/api.ts";
import { forgetKey, keepKey } from "./kit/session.ts";
import { CopyButton } from "./parts/copy-button.tsx";
import { ProblemNote } from "./parts/problem-note.tsx";
import { TextField } from "./parts/text-field.tsx";
import { Heading } from "./parts/title.tsx";

/** Ask for a key. It is tried before it is kept, and kept in this tab only. */
export function SignIn({
  onSignedIn,
  wasRefused,
}: {
  readonly onSignedIn: () => void;
  readonly wasRefused: boolean;
}) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isTrying, setTrying] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem("key") as HTMLInputElement;
    const key = input.value.trim();
    if (key === "") return input.focus();
    keepKey(key);
    setTrying(true);
    const answer = await ask<unknown>("/v1/jobs?limit=1");
    setTrying(false);
    if (answer.ok) return onSignedIn();
    forgetKey();
    setProblem(answer.problem);
  };
  return (
    <main class="sign-in" id="main">
      <p class="front-mark">
        <img src="/icon.svg" alt="" width="36" height="36" /> Volley
      </p>
      <div class="stack">
        <Heading text="Console" />
        <p class="muted">Run batches, see how they run, and decide what waits for a person.</p>
      </div>
      <form onSubmit={(event: Event) => void submit(event)}>
        {wasRefused && problem === null && (
          <p class="note tone-wait" role="status">
            The key is not accepted any more. Paste another one.
          </p>
        )}
        {problem?.status !== 401 && <ProblemNote problem={problem} />}
        <TextField
          id="key"
          name="key"
          label="Your key"
          type="password"
          required
          wrong={
            problem?.status === 401
              ? "No key of this deployment is like this one. Check that all of it is there, or whether it was revoked."
              : undefined
          }
          help="It stays in this tab and is sent to this address only."
        />
        <button type="submit" class="primary" aria-disabled={isTrying}>
          {isTrying ? "Checking…" : "Sign in"}
        </button>
      </form>
      <FirstKey />
    </main>
  );
}

/** Make a key for a deployment that has none. Nothing is sent: the operator configures the entry. */
function FirstKey() {
  const [made, setMade] = useState<Record<"key" | "entry" | "name", string> | null>(null);
  const make = async (wish: KeyWish): Promise<void> => {
    const { key, hash } = await makeKey();
    setMade({ key, entry: toEntry(wish, hash), name: wish.name });
  };
  return (
    <details>
      <summary>Make an entry for VOLLEY_KEYS</summary>
      <div class="stack">
        <p class="muted small">It is made in this browser, and nothing of it is sent anywhere.</p>
        {made === null ? (
          <WishForm key="form" hasTenant isBusy={false} onWish={(wish) => void make(wish)} />
        ) : (
          <div key="made" class="stack">
            <KeyShown text={made.key} name={made.name} />
            <Entry title="Entry for VOLLEY_KEYS, a JSON array of such entries" text={made.entry} />
            <Entry title="Locally, in .dev.vars" text={`VOLLEY_KEYS='[${made.entry}]'`} />
            <Entry title="Deployed; paste the array" text="npx wrangler secret put VOLLEY_KEYS" />
            <div class="row">
              <button type="button" onClick={() => setMade(null)}>
                Make another
              </button>
            </div>
          </div>
        )}
      </div>
    </details>
  );
}

function Entry({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="stack tight">
      <div class="row">
        <h3>{title}</h3>
        <span class="end">
          <CopyButton text={text} />
        </span>
      </div>
      <pre class="key-shown" tabindex={0} aria-label={title}>
        {text}
      </pre>
    </div>
  );
}
