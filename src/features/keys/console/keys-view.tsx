import { useState } from "hono/jsx/dom";
import { useDeployment } from "../../../console/kit/deployment.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { useFaults, useSend } from "../../../console/kit/use-send.ts";
import type { Written } from "../../../console/kit/wire.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Question } from "../../../console/parts/question.tsx";
import { Tags } from "../../../console/parts/status.tsx";
import { CHANGE, ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { KeyShown, WishForm } from "../../../console/keys/wish-form.tsx";
import type { keySchema } from "../stored-key.ts";
import { type KeyWish, makeKey, splitTools } from "../../../console/keys/make-key.ts";

type KeptKey = Written<typeof keySchema>;

/** One of the configuration, which its operator changes, has no times. */
type WireKey = Pick<KeptKey, "name" | "tools" | "quota" | "flags"> &
  Partial<KeptKey> & { readonly last_used_at: string | null };

/** The former key of a name goes on so long after another took its place. */
const OVERLAP_S = 86_400;

/** The keys of the tenant, for a key that may manage them. */
export function KeysView() {
  const pages = usePages<WireKey>("/v1/keys?limit=50", "keys");
  const { configured = [] } = (pages.first.data ?? {}) as { readonly configured?: readonly WireKey[] };
  const keys = [...pages.items, ...(pages.hasMore ? [] : configured)];
  const [made, setMade] = useState<{ readonly name: string; readonly key: string } | null>(null);
  const { send, isBusy, problem } = useSend();
  const faults = useFaults(problem, {
    name: "",
    tools: "",
    flags: "A key gives only flags that it has itself.",
  });
  const [asked, setAsked] = useState<{ readonly what: "rotate" | "revoke"; readonly name: string } | null>(
    null,
  );
  const keep = async (name: string, body: object): Promise<void> => {
    const { key, hash } = await makeKey();
    const answer = await send("/v1/keys", { method: "POST", body: { ...body, name, hash } });
    if (!answer.ok) return;
    setMade({ name, key });
    announce(`The key ${name} is made. It is shown this once.`);
    pages.reload();
  };
  const make = ({ name, tools, flags }: KeyWish): Promise<void> =>
    keep(name, { tools: splitTools(tools), ...(flags.length > 0 && { flags }) });
  const revoke = async (name: string): Promise<void> => {
    const answer = await send(`/v1/keys/${encodeURIComponent(name)}`, { method: "DELETE" });
    if (answer.ok) announce(`${name} is revoked`);
    pages.reload();
  };
  return (
    <div class="stack">
      <Title text="Keys" />
      <Pending of={pages.first} what="the keys" />
      <ProblemNote problem={faults.rest} />
      {made !== null && <KeyShown key={made.key} text={made.key} name={made.name} />}
      {keys.length > 0 && (
        <ListTable
          key="list"
          of={keys}
          by={({ name }) => name}
          columns={[
            ["Name", (one) => <Name of={one} />, "lead"],
            ["Tools", ({ tools }) => <Tags of={tools.map((one) => (one === "*" ? "all tools" : one))} />],
            ["Quota", ({ quota }) => `${quota.limit.toLocaleString("en")} in ${quota.window_s} s`, "nowrap"],
            ["Last used, within 1 h", (one) => <Time at={one.last_used_at} />],
            ["Expires", (one) => <Ends of={one} />],
            [
              CHANGE,
              ({ name, created_at: at }) =>
                at === undefined ? (
                  <span class="muted small">set in the configuration</span>
                ) : (
                  <span class="row">
                    {(["Rotate", "Revoke"] as const).map((what) => (
                      <button
                        key={what}
                        type="button"
                        class="plain"
                        aria-label={`${what} ${name}`}
                        onClick={() => setAsked({ what: what === "Rotate" ? "rotate" : "revoke", name })}
                      >
                        {what}
                      </button>
                    ))}
                  </span>
                ),
              "nowrap",
            ],
          ]}
        />
      )}
      <MoreButton of={pages} />
      <div class="card">
        <h2>A new key of this tenant</h2>
        <WishForm
          faults={faults}
          flags={useDeployment().flags ?? undefined}
          hasTenant={false}
          isBusy={isBusy}
          onWish={(wish) => void make(wish)}
        />
      </div>
      {asked !== null && (
        <Question
          key={`${asked.what} ${asked.name}`}
          title={asked.what === "rotate" ? `Make another key of ${asked.name}?` : `Revoke ${asked.name}?`}
          yes={asked.what === "rotate" ? "Rotate" : "Revoke"}
          isDanger={asked.what === "revoke"}
          onClose={() => setAsked(null)}
          onYes={() =>
            void (asked.what === "rotate" ? keep(asked.name, { overlap_s: OVERLAP_S }) : revoke(asked.name))
          }
        >
          {asked.what === "rotate"
            ? "The former key goes on for a day, so that no client is locked out while it is replaced."
            : "Within 30 seconds none of its keys is accepted anywhere. What runs by it goes on to its end."}
        </Question>
      )}
    </div>
  );
}

function Name({ of: { name, flags } }: { readonly of: WireKey }) {
  return (
    <span class="row">
      <bdi class="mono">{name}</bdi>
      <Tags of={flags} />
    </span>
  );
}

function Ends({ of }: { readonly of: WireKey }) {
  if (of.previous_ends_at === null || of.previous_ends_at === undefined) return <Time at={of.expires_at} />;
  return (
    <span>
      the previous key <Time at={of.previous_ends_at} />
    </span>
  );
}
