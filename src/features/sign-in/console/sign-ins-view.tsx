import { useState } from "hono/jsx/dom";

import { usePages } from "../../../console/kit/use-pages.ts";
import { useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Question } from "../../../console/parts/question.tsx";
import { CHANGE, ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import type { toSignInJson } from "../sign-in-json.ts";

type WireSignIn = ReturnType<typeof toSignInJson>;

/** The programs that people have let in: with the key, or with any of the tenant for a key that manages keys. */
export function SignInsView() {
  const pages = usePages<WireSignIn>("/v1/sign_ins?limit=50", "sign_ins");
  const [asked, setAsked] = useState<WireSignIn | null>(null);
  const { send, problem } = useSend();
  const end = async ({ sign_in_id: id, client_name: name }: WireSignIn): Promise<void> => {
    const answer = await send(`/v1/sign_ins/${encodeURIComponent(id)}`, { method: "DELETE" });
    if (answer.ok) announce(`${name} is signed out`);
    pages.reload();
  };
  return (
    <div class="stack">
      <Title text="Sign-ins" />
      <Pending of={pages.first} what="the sign-ins" />
      <ProblemNote problem={problem} />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title="No program is signed in">
          A program such as Claude or an editor signs in at <code>/mcp</code>, and a person lets it in.
        </Empty>
      )}
      {pages.items.length > 0 && (
        <ListTable
          key="list"
          of={pages.items}
          by={(one) => one.sign_in_id}
          columns={[
            ["Program", (one) => <bdi>{one.client_name}</bdi>, "lead"],
            ["Key", (one) => <bdi class="mono">{one.key}</bdi>],
            ["May call", ({ tools }) => <bdi>{tools.map(sayTools).join(", ")}</bdi>],
            ["Person", ({ subject }) => <bdi>{subject ?? "–"}</bdi>],
            ["Signed in", (one) => <Time at={one.created_at} />],
            [
              CHANGE,
              (one) => (
                <button
                  type="button"
                  class="plain"
                  aria-label={`Sign out ${one.client_name}`}
                  onClick={() => setAsked(one)}
                >
                  Sign out
                </button>
              ),
            ],
          ]}
        />
      )}
      <MoreButton of={pages} />
      {asked !== null && (
        <Question
          key={asked.sign_in_id}
          title={`Sign out ${asked.client_name}?`}
          yes="Sign out"
          isDanger
          onClose={() => setAsked(null)}
          onYes={() => void end(asked)}
        >
          Within 30 seconds none of its tokens is accepted. A person may let it in again.
        </Question>
      )}
    </div>
  );
}

function sayTools(scope: string): string {
  if (scope === "tools") return "everything that the key may";
  return scope === "tools:read" ? "tools that only read" : scope.replace("category:", "the category ");
}
