import { useState } from "../../../console/kit/jsx-hooks.ts";
import { readForm, useFaults, useSend } from "../../../console/kit/use-send.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote, Prose } from "../../../console/parts/problem-note.tsx";
import { ShownOnce } from "../../../console/parts/shown-once.tsx";
import { TextField } from "../../../console/parts/text-field.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { DeliveryFieldset } from "./delivery-fieldset.tsx";
import { useAccess, useEventTypes } from "./access.ts";
import { sayTypes, splitTypes } from "./endpoint-words.ts";
import { readDeliveryFields } from "./read-delivery-fields.ts";
import type { WireEndpoint } from "./wire-endpoints.ts";

export function NewEndpoint() {
  return (
    <div class="stack">
      <Title text="A new endpoint" back={{ href: hrefTo("endpoints"), label: "Endpoints" }} />
      <EndpointForm known={null} />
    </div>
  );
}

export function EditEndpoint({ id }: { readonly id: string }) {
  const loaded = useLoad<WireEndpoint>(`${useAccess().root}/endpoints/${encodeURIComponent(id)}`);
  return (
    <div class="stack">
      <Title text={`Edit ${id}`} back={{ href: hrefTo("endpoints", id), label: id }} />
      <Pending of={loaded} what="the endpoint" gone={{ title: "There is no such endpoint" }} />
      {loaded.data !== null && <EndpointForm key="form" known={loaded.data} />}
    </div>
  );
}

/** Faults that the API would say in words for programs. */
const WORDS = {
  url: "Write a public https address, such as https://shop.example.com/webhooks.",
  events: sayTypes,
  id: "",
  customer: "",
  description: "",
  filter: 'Write JSON that tests fields of the event by pointer, such as {"/total": {"gte": 100}}.',
  rate_limit: "Write a number from 1 to 100,000, and at most 3,600 seconds.",
  headers:
    "Write a name, a colon and a value on each line. Host, Content-Type and the signature are set already.",
};

function EndpointForm({ known }: { readonly known: WireEndpoint | null }) {
  const { root, isTenant } = useAccess();
  const described = useEventTypes().data ?? [];
  const [chosen, setChosen] = useState<readonly string[]>(known?.events ?? []);
  const { send, isBusy, problem } = useSend();
  const faults = useFaults(problem, WORDS);
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const names = described.map(({ type }) => type);
  const isAll = chosen.includes("*");
  const others = chosen.filter((type) => type !== "*" && !names.includes(type));
  const toggle = (type: string, isOn: boolean): void =>
    setChosen(isOn ? [...chosen, type] : chosen.filter((one) => one !== type));
  const submit = async (event: Event): Promise<void> => {
    const { form, read } = readForm(event);
    const typed = splitTypes(read("types"));
    const listed = chosen.filter((type) => type !== "*" && names.includes(type));
    const events = isAll ? ["*"] : [...new Set([...listed, ...typed])];
    const delivery = readDeliveryFields({
      filter: read("filter"),
      headers: read("headers"),
      limit: read("limit"),
      windowS: read("window"),
    });
    const [description, customer] = [read("description"), read("customer")];
    // A field that is left out stays as it is; one that is emptied goes.
    const emptied = known === null ? undefined : null;
    const body = {
      url: read("url"),
      events,
      ordered: form.has("ordered"),
      description: description === "" ? emptied : description,
      filter: emptied,
      rate_limit: emptied,
      headers: emptied,
      ...delivery,
      ...(isTenant && { customer: customer === "" ? emptied : customer }),
    };
    // A customer's new endpoint is given its id.
    const said = known?.id ?? (isTenant ? read("id") || makeId() : null);
    const answer = await send<{ readonly id: string; readonly secret?: string }>(
      said === null ? `${root}/endpoints` : `${root}/endpoints/${encodeURIComponent(said)}`,
      { method: known !== null ? "PATCH" : said === null ? "POST" : "PUT", body },
    );
    if (!answer.ok) return;
    const { id, secret } = answer.data;
    announce(known === null ? "The endpoint is made" : "The endpoint is changed");
    if (secret === undefined) location.hash = hrefTo("endpoints", id);
    else setMade({ id, secret });
  };
  if (made !== null)
    return (
      <SecretShown key="made" secret={made.secret}>
        <p>
          <a href={hrefTo("endpoints", made.id)}>Go to the endpoint, and send it a test</a>
        </p>
      </SecretShown>
    );
  return (
    <form
      key="form"
      class="card form endpoint-form"
      aria-label="An endpoint"
      novalidate
      onSubmit={(event: Event) => void submit(event)}
    >
      <TextField
        id="endpoint-url"
        label="Address"
        type="url"
        required
        wrong={faults.of("url")}
        placeholder="https://shop.example.com/webhooks"
        value={known?.url ?? ""}
        help="A public https address. Events are sent to it as POST requests."
      />
      {known === null && isTenant && (
        <TextField
          key="id"
          id="endpoint-id"
          label="Id"
          wrong={faults.of("id")}
          placeholder="made if left empty"
        />
      )}
      {isTenant && (
        <TextField
          key="customer"
          id="endpoint-customer"
          label="Customer (optional)"
          wrong={faults.of("customer")}
          value={known?.customer ?? ""}
        />
      )}
      <TextField
        id="endpoint-description"
        label="Description"
        wrong={faults.of("description")}
        spellcheck
        maxlength={1_000}
        value={known?.description ?? ""}
      />
      <fieldset class="types">
        <legend>Events</legend>
        <label>
          <input
            type="checkbox"
            checked={isAll}
            onChange={(event: Event) => toggle("*", (event.currentTarget as HTMLInputElement).checked)}
          />
          <span>Every event</span>
        </label>
        {!isAll &&
          described.map(({ type, description }) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={chosen.includes(type)}
                onChange={(event: Event) => toggle(type, (event.currentTarget as HTMLInputElement).checked)}
              />
              <span>
                <bdi class="mono">{type}</bdi>
                <span class="muted small">
                  <Prose text={description} />
                </span>
              </span>
            </label>
          ))}
        {!isAll && (
          <TextField
            key="others"
            id="endpoint-types"
            label={names.length === 0 ? "Types" : "Other types"}
            value={others.join(", ")}
            wrong={faults.of("events")}
            help="Such as order.paid, or invoice.* for all that begin so; with commas between them."
          />
        )}
      </fieldset>
      <label class="row check">
        <input type="checkbox" name="ordered" checked={known?.ordered === true} /> One delivery at a time, in
        order: the next waits until the one before is delivered or failed for good
      </label>
      <DeliveryFieldset known={known} faults={faults} />
      <ProblemNote problem={faults.rest} />
      <div class="row">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {known === null ? "Make the endpoint" : "Save"}
        </button>
        <a class="button" href={hrefTo("endpoints", known?.id ?? null)}>
          Cancel
        </a>
      </div>
    </form>
  );
}

function makeId(): string {
  return `ep_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}

/** The secret that an endpoint's deliveries are signed with, this once. */
export function SecretShown({ secret, children }: { readonly secret: string; readonly children?: unknown }) {
  return (
    <ShownOnce title="Its signing secret" what="secret" text={secret}>
      <p>It is shown this once. The receiver verifies each delivery with it, as Standard Webhooks says.</p>
      {children}
    </ShownOnce>
  );
}
