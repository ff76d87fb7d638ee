import type { Section } from "../../../console/kit/section.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { DeleteButton } from "../../../console/parts/delete-button.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { CHANGE, ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import type { toSignInJson } from "../sign-in-json.ts";

type WireSignIn = ReturnType<typeof toSignInJson>;

/** The programs that signed in with a key, and their ends. */
export const section: Section = {
  feature: "sign-in",
  page: {
    name: "sign-ins",
    title: "Signed-in programs",
    icon: "M12 4h6v14h-6M4 11h10M11 8l3 3-3 3",
    View: SignInsView,
    isWhole: true,
  },
};

/** The programs that people have let in: with the key, or with any of the tenant for a key that manages keys. */
function SignInsView() {
  const pages = usePages<WireSignIn>("/v1/sign_ins?limit=50", "sign_ins");
  return (
    <div class="stack">
      <Title text="Signed-in programs" />
      <Pending of={pages.first} what="the programs" />
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
                <DeleteButton
                  name={one.client_name}
                  path={`/v1/sign_ins/${encodeURIComponent(one.sign_in_id)}`}
                  does={["End access", "has no access any more"]}
                  from={pages.reload}
                >
                  Within 30 seconds none of its tokens is accepted. A person may let it in again.
                </DeleteButton>
              ),
            ],
          ]}
        />
      )}
      <MoreButton of={pages} />
    </div>
  );
}

function sayTools(scope: string): string {
  if (scope === "tools") return "everything that the key may";
  return scope === "tools:read" ? "tools that only read" : scope.replace("category:", "the category ");
}
