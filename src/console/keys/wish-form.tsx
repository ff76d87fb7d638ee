import { useState } from "hono/jsx/dom";
import { SHIPPED_FLAGS } from "../../shipped.ts";
import { readForm } from "../kit/form-fields.ts";
import { TextField } from "../parts/text-field.tsx";
import { type KeyWish, refuseWish } from "./make-key.ts";
import { ShownOnce } from "../parts/shown-once.tsx";

interface WishFormProps {
  /** Whether its tenant may be chosen. */
  readonly hasTenant: boolean;
  readonly isBusy: boolean;
  readonly onWish: (wish: KeyWish) => void;
}

/** Ask what a key is for: its name, what it may call, what else it may. */
export function WishForm({ hasTenant, isBusy, onWish }: WishFormProps) {
  const [wrong, setWrong] = useState<string | null>(null);
  const submit = (event: Event): void => {
    const { form, read } = readForm(event);
    const flags = Object.keys(SHIPPED_FLAGS).filter((flag) => form.has(flag));
    const wish = { name: read("name"), tenant: read("tenant"), tools: read("tools"), flags };
    const refused = refuseWish(wish);
    setWrong(refused);
    if (refused === null) onWish(wish);
  };
  return (
    <form class="form" onSubmit={submit} novalidate aria-label="A new key">
      <TextField id="key-name" name="name" label="Name" placeholder="nightly-report" />
      {hasTenant && (
        <TextField
          id="key-tenant"
          name="tenant"
          label="Tenant"
          help="Keys of one tenant see the same jobs and questions. Empty, it is the name."
        />
      )}
      <TextField
        id="key-tools"
        name="tools"
        label="Tools"
        value="*"
        help="Names or categories, with commas between them; * is all."
      />
      <div class="checks" role="group" aria-label="What else it may">
        {Object.entries(SHIPPED_FLAGS).map(([flag, label]) => (
          <label key={flag}>
            <input type="checkbox" name={flag} /> {label}
          </label>
        ))}
      </div>
      {wrong !== null && (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Make a key
        </button>
      </div>
    </form>
  );
}

/** A key, this once: it is kept nowhere. */
export function KeyShown({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <ShownOnce title={["The key ", <bdi key="name">{name}</bdi>]} what="key" text={text}>
      It is shown this once and kept nowhere. Put it where its owner keeps secrets.
    </ShownOnce>
  );
}
