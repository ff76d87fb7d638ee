import { useState } from "../../../console/kit/jsx-hooks.ts";
import { useDeployment } from "../../../console/kit/deployment.ts";
import { ask } from "../../../console/kit/api.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { useFaults, useSend } from "../../../console/kit/use-send.ts";
import type { Written } from "../../../console/kit/wire.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { DeleteButton } from "../../../console/parts/delete-button.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { AskingButton } from "../../../console/parts/question.tsx";
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
  const [made, setMade] = useState<MadeKey | null>(null);
  const { send, isBusy, problem } = useSend();
  const faults = useFaults(problem, {
    name: "",
    tools: "",
    flags: "A key gives only flags that it has itself.",
  });
  const keep = async (name: string, body: KeyBody): Promise<void> => {
    const { key, hash } = await makeKey();
    const sent = await send("/v1/keys", { method: "POST", body: { ...body, name, hash } });
    if (!sent.ok) return;
    setMade({ name, key, unknown: [] });
    announce(`The key ${name} is made. It is shown this once.`);
    pages.reload();
    const unknown = await findUnknown(body.tools ?? []);
    setMade((shown) => (shown?.key === key ? { name, key, unknown } : shown));
  };
  const make = ({ name, tools, flags }: KeyWish): Promise<void> =>
    keep(name, { tools: splitTools(tools), ...(flags.length > 0 && { flags }) });
  return (
    <div class="stack">
      <Title text="Keys" />
      <Pending of={pages.first} what="the keys" />
      <ProblemNote problem={faults.rest} />
      {made !== null && <KeyShown key={made.key} text={made.key} name={made.name} />}
      {made !== null && made.unknown.length > 0 && (
        <p key="unknown" class="note tone-wait" role="status">
          No tool or category is called {made.unknown.join(", ")}. The key may call it once there is one.
        </p>
      )}
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
                  <div class="row">
                    <AskingButton
                      look="plain"
                      label={`Rotate ${name}`}
                      title={`Make another key of ${name}?`}
                      yes="Rotate"
                      onYes={() => void keep(name, { overlap_s: OVERLAP_S })}
                    >
                      The former key goes on for a day, so that no client is locked out while it is replaced.
                    </AskingButton>
                    <DeleteButton
                      name={name}
                      path={`/v1/keys/${encodeURIComponent(name)}`}
                      does={["Revoke", "is revoked"]}
                      from={pages.reload}
                    >
                      Within 30 seconds none of its keys is accepted anywhere. What runs by it goes on to its
                      end.
                    </DeleteButton>
                  </div>
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
    </div>
  );
}

type KeyBody = Readonly<Partial<{ tools: readonly string[]; flags: readonly string[]; overlap_s: number }>>;

/** A key that is shown once, and the names that it may call and nothing has. */
type MadeKey = Readonly<{ name: string; key: string; unknown: readonly string[] }>;

/** Find the names that no tool and no category has: none where that cannot be known. */
async function findUnknown(names: readonly string[]): Promise<readonly string[]> {
  const asked = names.map(async (name) => {
    if (name === "*") return [];
    const tool = await ask("/v1/get_tool_schema", { method: "POST", body: { tool_name: name } });
    if (tool.ok || tool.problem.code !== "UNKNOWN_TOOL") return [];
    const body = { categories: [name], limit: 1 };
    const found = await ask<{ readonly total: number }>("/v1/discover_tools", { method: "POST", body });
    return found.ok && found.data.total === 0 ? [name] : [];
  });
  return (await Promise.all(asked)).flat();
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
