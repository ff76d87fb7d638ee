import { mayUse, useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo, type Route } from "../../../console/kit/route.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { DeleteButton } from "../../../console/parts/delete-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Status } from "../../../console/parts/status.tsx";
import { CHANGE, ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { ConfirmationPage } from "./confirmation-page.tsx";
import {
  type ListedConfirmation,
  sayArgs,
  sayAsker,
  sayDeciders,
  sayLeft,
  sayStatus,
  sayYeses,
  type WireRemembered,
} from "./confirmation-words.ts";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { useNow } from "../../../console/kit/use-browser.ts";

const EVERY_MS = 5_000;

/** The actions that wait for approval, and the decided ones; or one question. */
export function ConfirmationsView({ route }: { readonly route: Route }) {
  if (route.id !== null) return <ConfirmationPage key={`question ${route.id}`} id={route.id} />;
  return <ConfirmationList key="list" />;
}

function ConfirmationList() {
  const waiting = usePages<ListedConfirmation>(
    "/v1/confirmations?status=waiting&limit=50",
    "confirmations",
    EVERY_MS,
  );
  const all = usePages<ListedConfirmation>("/v1/confirmations?limit=20", "confirmations", EVERY_MS);
  const now = useNow(1_000);
  const waits = waiting.items.filter((one) => sayStatus(one, now) === "waiting");
  const decided = all.items.filter((one) => sayStatus(one, now) !== "waiting");
  const isKnown = waiting.first.data !== null && all.first.data !== null;
  return (
    <div class="stack">
      <Title text="Approvals" />
      <Pending of={waiting.first} what="what waits" />
      {isKnown && waits.length === 0 && (
        <Empty key="none" title="Nothing waits for you">
          An action that needs approval, such as deleting, stands here until somebody decides or its time is
          over.
        </Empty>
      )}
      {waits.length > 0 && (
        <ul key="waits" class="questions" aria-label="Waiting">
          {waits.map((one) => (
            <li key={one.id}>
              <a class="card question-card" href={hrefTo("confirmations", one.id)}>
                <span class="row">
                  <Status of="waiting" />
                  <span class="end muted small">
                    ends in <span class="clock">{sayLeft(Date.parse(one.expires_at) - now)}</span>
                  </span>
                </span>
                <strong>
                  <bdi>{sayTools(one)}</bdi>
                </strong>
                <Asks of={one} />
                {sayYeses(one) !== null && <span class="small">{sayYeses(one)}</span>}
                <span class="muted small">
                  asked by <bdi>{sayAsker(one.requested_by)}</bdi> at <Time at={one.created_at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <MoreButton key="more waiting" of={waiting} />
      {decided.length > 0 && (
        <section key="decided" class="stack tight" aria-label="Decided">
          <h2>Decided</h2>
          <ListTable
            of={decided}
            by={({ id }) => id}
            columns={[
              ["What", (one) => <Name of={one} />, "lead"],
              ["Status", (one) => <Status of={sayStatus(one, now)} />],
              ["Decided by", (one) => <Decider of={one} />],
              ["Asked by", (one) => <bdi>{sayAsker(one.requested_by)}</bdi>],
              ["Asked", (one) => <Time at={one.created_at} />],
            ]}
          />
          <MoreButton of={all} />
        </section>
      )}
      {mayUse(useDeployment(), "approve") && <Remembered key="remembered" />}
    </div>
  );
}

/** The calls that are not asked about again for a while, each with the button that forgets it. */
function Remembered() {
  const pages = usePages<WireRemembered>("/v1/remembered?limit=20", "remembered", EVERY_MS);
  if (pages.items.length === 0) return <ProblemNote problem={pages.first.problem} />;
  return (
    <section class="stack tight" aria-label="Remembered">
      <h2>Not asked again for now</h2>
      <ListTable
        of={pages.items}
        by={({ id }) => id}
        columns={[
          ["What", (one) => <code>{`${one.tool} ${sayArgs(one)}`}</code>, "lead"],
          [
            "Asked by",
            ({ key, subject }) => <bdi>{subject === undefined ? key : `${key} for ${subject}`}</bdi>,
          ],
          ["Approved by", (one) => <bdi>{sayDeciders(one)}</bdi>],
          ["Until", ({ until }) => <Time at={until} />],
          [
            CHANGE,
            ({ id, tool }) => (
              <DeleteButton
                name={`the approval of ${tool}`}
                path={`/v1/remembered/${encodeURIComponent(id)}`}
                does={["Forget", "is forgotten"]}
                from={pages.reload}
              >
                The next such call waits for a person again.
              </DeleteButton>
            ),
          ],
        ]}
      />
      <MoreButton of={pages} />
    </section>
  );
}

function Name({ of: one }: { readonly of: ListedConfirmation }) {
  return (
    <a href={hrefTo("confirmations", one.id)}>
      <bdi>{sayTools(one)}</bdi>
      <span class="hidden-text"> {one.id.slice(0, 8)}</span>
    </a>
  );
}

function Decider({ of: one }: { readonly of: ListedConfirmation }) {
  const { reason } = one;
  return (
    <span>
      <bdi>{sayDeciders(one) || "–"}</bdi>
      {reason !== undefined && <span class="muted small">: {reason}</span>}
    </span>
  );
}

/** Actions of a card; the page of the question has all of them. */
const SHOWN = 3;

/** The actions that a yes would run, each in a line. */
function Asks({ of: { asks } }: { readonly of: ListedConfirmation }) {
  const left = asks.length - SHOWN;
  return (
    <>
      {asks.slice(0, SHOWN).map(({ id, tool, says, args, account }) => (
        <span key={id} class="small ask">
          {says === undefined ? <code>{`${tool} ${args ?? ""}`}</code> : <bdi>{says}</bdi>}
          {account !== undefined && (
            <span key="account" class="muted">
              {" "}
              as <bdi>{account}</bdi>
            </span>
          )}
        </span>
      ))}
      {left > 0 && <span class="muted small">and {left} more</span>}
    </>
  );
}

function sayTools({ actions }: ListedConfirmation): string {
  const gated = actions.filter(({ gated: isGated }) => isGated);
  const names = [...new Set(gated.map(({ tool }) => tool))].join(", ");
  const others = actions.length - gated.length;
  return others === 0 ? names : `${names} and ${others} that ${others === 1 ? "waits" : "wait"} for it`;
}
