import { useState } from "hono/jsx/dom";
import { ask, type Problem } from "../../../console/kit/api.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Question } from "../../../console/parts/question.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { KeyShown, WishForm } from "../../../console/keys/wish-form.tsx";
import { type KeyWish, makeKey, splitTools } from "../../../console/keys/make-key.ts";

interface WireKey {
  readonly name: string;
  readonly tools: readonly string[];
  readonly quota: { readonly limit: number; readonly window_s: number };
  readonly flags: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly previous_ends_at: string | null;
}

/** The former key of a name goes on so long after another took its place. */
const OVERLAP_S = 86_400;

/** The keys of the tenant, for a key that may manage them. */
export function KeysView() {
  const pages = usePages<WireKey>("/v1/keys?limit=50", "keys");
  const [made, setMade] = useState<{ readonly name: string; readonly key: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asked, setAsked] = useState<{ readonly what: "rotate" | "revoke"; readonly name: string } | null>(
    null,
  );
  const keep = async (name: string, body: object): Promise<void> => {
    setBusy(true);
    const { key, hash } = await makeKey();
    const answer = await ask("/v1/keys", { method: "POST", body: { ...body, name, hash } });
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    setMade({ name, key });
    announce(`The key ${name} is made. It is shown this once.`);
    pages.reload();
  };
  const make = ({ name, tools, flags }: KeyWish): Promise<void> =>
    keep(name, { tools: splitTools(tools), ...(flags.length > 0 && { flags }) });
  const revoke = async (name: string): Promise<void> => {
    const answer = await ask(`/v1/keys/${encodeURIComponent(name)}`, { method: "DELETE" });
    setProblem(answer.ok ? null : answer.problem);
    if (answer.ok) announce(`${name} is revoked`);
    pages.reload();
  };
  return (
    <div class="stack">
      <Title text="Keys" />
      <Pending of={pages.first} what="the keys" />
      <ProblemNote problem={problem} />
      {made !== null && <KeyShown key={made.key} text={made.key} name={made.name} />}
      {pages.items.length > 0 && (
        <div key="list" class="card flush">
          <table class="table list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Tools</th>
                <th scope="col">Quota</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span class="hidden-text">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {pages.items.map((one) => (
                <tr key={one.name}>
                  <td class="lead">
                    <span class="row">
                      <bdi class="mono">{one.name}</bdi>
                      {one.flags.map((flag) => (
                        <span key={flag} class="tag">
                          {flag}
                        </span>
                      ))}
                    </span>
                  </td>
                  <td data-label="Tools">
                    <bdi>{one.tools.join(", ")}</bdi>
                  </td>
                  <td data-label="Quota">
                    {one.quota.limit} in {one.quota.window_s} s
                  </td>
                  <td data-label="Ends">
                    {one.previous_ends_at === null ? (
                      <Time at={one.expires_at} />
                    ) : (
                      <span>
                        the former <Time at={one.previous_ends_at} />
                      </span>
                    )}
                  </td>
                  <td data-label="Change">
                    <span class="row">
                      <button
                        type="button"
                        class="plain"
                        aria-label={`Rotate ${one.name}`}
                        onClick={() => setAsked({ what: "rotate", name: one.name })}
                      >
                        Rotate
                      </button>
                      <button
                        type="button"
                        class="plain"
                        aria-label={`Revoke ${one.name}`}
                        onClick={() => setAsked({ what: "revoke", name: one.name })}
                      >
                        Revoke
                      </button>
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <MoreButton of={pages} />
      <div class="card">
        <h2>A new key of this tenant</h2>
        <WishForm hasTenant={false} isBusy={isBusy} onWish={(wish) => void make(wish)} />
      </div>
      {asked !== null && (
        <Question
          key={`${asked.what} ${asked.name}`}
          title={asked.what === "rotate" ? `Make another key of ${asked.name}?` : `Revoke ${asked.name}?`}
          yes={asked.what === "rotate" ? "Rotate" : "Revoke"}
          isDanger={asked.what === "revoke"}
          onAnswer={(isYes) => {
            const { what, name } = asked;
            setAsked(null);
            if (!isYes) return;
            void (what === "rotate" ? keep(name, { overlap_s: OVERLAP_S }) : revoke(name));
          }}
        >
          {asked.what === "rotate"
            ? "The former key goes on for a day, so that no client is locked out while it is replaced."
            : "Within 30 seconds none of its keys is accepted anywhere. What runs by it goes on to its end."}
        </Question>
      )}
    </div>
  );
}
