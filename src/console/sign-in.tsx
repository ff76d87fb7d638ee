import { useState } from "hono/jsx/dom";

import { ask, type Problem } from "./kit/api.ts";
import { FirstKey } from "./keys/first-key.tsx";
import { ProblemNote } from "./parts/problem-note.tsx";
import { forgetKey, keepKey } from "./kit/session.ts";
import { TextField } from "./parts/text-field.tsx";

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
        <h1>Console</h1>
        <p class="muted">Run batches, see how they run, and decide what waits for a person.</p>
      </div>
      <form onSubmit={(event: Event) => void submit(event)}>
        {wasRefused && problem === null && (
          <p class="note tone-wait" role="status">
            The key is not accepted any more. Paste another.
          </p>
        )}
        <ProblemNote problem={problem} />
        <TextField
          id="key"
          name="key"
          label="Your key"
          type="password"
          required
          help="It stays in this tab and is sent to this address only."
        />
        <button type="submit" class="primary" disabled={isTrying}>
          {isTrying ? "Looking…" : "Open"}
        </button>
      </form>
      <FirstKey />
    </main>
  );
}
