import { useState } from "hono/jsx/dom";
import { CopyButton } from "../parts/copy-button.tsx";
import { KeyShown, WishForm } from "./wish-form.tsx";
import { type KeyWish, makeKey, toEntry } from "./make-key.ts";

/** Make a key for a deployment that has none. Nothing is sent: the operator configures the entry. */
export function FirstKey() {
  const [made, setMade] = useState<{
    readonly key: string;
    readonly entry: string;
    readonly name: string;
  } | null>(null);
  const make = async (wish: KeyWish): Promise<void> => {
    const { key, hash } = await makeKey();
    setMade({ key, entry: toEntry(wish, hash), name: wish.name });
  };
  return (
    <details>
      <summary>Make a first key</summary>
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
