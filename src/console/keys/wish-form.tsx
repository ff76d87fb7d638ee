import { useState } from "../kit/jsx-hooks.ts";
import { SHIPPED_FLAGS } from "../../shipped.ts";
import { type Faults, readForm, useFirstWrong } from "../kit/use-send.ts";
import { TextField } from "../parts/text-field.tsx";
import { type KeyWish, refuseWish, type WrongWish } from "./make-key.ts";
import { ShownOnce } from "../parts/shown-once.tsx";

interface WishFormProps {
  /** Whether its tenant may be chosen. */
  readonly hasTenant: boolean;
  readonly isBusy: boolean;
  /** The faults that the API found in it. */
  readonly faults?: Faults;
  /** The flags that it may be given; all of them unless said. */
  readonly flags?: readonly string[] | undefined;
  readonly onWish: (wish: KeyWish) => void;
}

/** Ask what a key is for: its name, what it may call, what else it may. */
export function WishForm({ hasTenant, isBusy, faults, flags: given, onWish }: WishFormProps) {
  const [wrong, setWrong] = useState<WrongWish>({});
  useFirstWrong(wrong);
  const submit = (event: Event): void => {
    const { form, read } = readForm(event);
    const flags = Object.keys(SHIPPED_FLAGS).filter((flag) => form.has(flag));
    const wish = { name: read("name"), tenant: read("tenant"), tools: read("tools"), flags };
    const refused = refuseWish(wish);
    setWrong(refused);
    if (Object.keys(refused).length === 0) onWish(wish);
  };
  return (
    <form class="form" onSubmit={submit} novalidate aria-label="A new key">
      <TextField
        id="key-name"
        label="Name"
        wrong={wrong.name ?? faults?.of("name")}
        placeholder="nightly-report"
      />
      {hasTenant && (
        <TextField
          id="key-tenant"
          label="Tenant"
          wrong={wrong.tenant}
          help="Keys of one tenant see the same jobs and approval requests. If left empty, it is the name."
        />
      )}
      <TextField
        id="key-tools"
        label="Tools"
        wrong={wrong.tools ?? faults?.of("tools")}
        value="*"
        help="Names or categories, with commas between them; * is all."
      />
      <div class="checks" role="group" aria-label="Rights">
        {Object.entries(SHIPPED_FLAGS).map(
          ([flag, label]) =>
            given?.includes(flag) !== false && (
              <label key={flag}>
                <input type="checkbox" name={flag} /> {label} <code class="muted">{flag}</code>
              </label>
            ),
        )}
      </div>
      {faults?.of("flags") !== undefined && (
        <p key="flags" class="wrong" role="alert">
          {faults.of("flags")}
        </p>
      )}
      <p class="help">
        Its quota is 120 requests in 60 s, or that of the key that makes it where it is lower.
      </p>
      <div class="row">
        <button type="submit" class="primary" aria-disabled={isBusy}>
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
