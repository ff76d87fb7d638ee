import { useState } from "../../../console/kit/jsx-hooks.ts";
import { useFilter } from "../../../console/kit/use-browser.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { Search } from "../../../console/parts/filters.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Question } from "../../../console/parts/question.tsx";
import { Title } from "../../../console/parts/title.tsx";
import type { WireConnection } from "../wire-connection.ts";
import { groupBySubject, sayEnd } from "./by-subject.ts";
import { ConnectForm } from "./connect-form.tsx";
import { SubjectCard } from "./subject-card.tsx";

const EVERY_MS = 10_000;
const PAGE = 100;

/** The connections of the tenant, by subject. */
export function ConnectionsView() {
  const { filter, set, search } = useFilter(["subject"]);
  const [asked, setAsked] = useState<WireConnection | null>(null);
  const { send, problem } = useSend();
  const path = `/v1/connections?limit=${PAGE}${search}`;
  const pages = usePages<WireConnection>(path, "connections", EVERY_MS);
  const disconnect = async ({ connection_id: id, connector, subject }: WireConnection): Promise<void> => {
    const answer = await send(`/v1/connections/${encodeURIComponent(id)}`, { method: "DELETE" });
    if (answer.ok) announce(`${connector} of ${subject} is disconnected`);
    pages.reload();
  };
  return (
    <div class="stack">
      <Title text="Connections" />
      <div class="filters">
        <Search label="Subject" any="Any subject" value={filter.subject} onText={set("subject")} />
      </div>
      <Pending of={pages.first} what="the connections" />
      <ProblemNote problem={problem} />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title={search === "" ? "No connections yet" : "No such connections"}>
          {search === ""
            ? "A connection is an account of one of your users, which tools use for that user alone."
            : "The subject has connected nothing. It is written exactly as your application says it."}
        </Empty>
      )}
      {groupBySubject(pages.items).map((one) => (
        <SubjectCard key={one.subject} of={one} onDisconnect={setAsked} />
      ))}
      <MoreButton of={pages} />
      {pages.first.data !== null && (
        <ConnectForm
          key="form"
          connectors={(pages.first.data as { readonly connectors?: readonly string[] }).connectors ?? []}
          onMade={pages.reload}
        />
      )}
      {asked !== null && (
        <Question
          key={asked.connection_id}
          title={`${sayEnd(asked)} ${asked.connector} of ${asked.subject}?`}
          yes={sayEnd(asked)}
          isDanger
          onClose={() => setAsked(null)}
          onYes={() => void disconnect(asked)}
        >
          Its tokens are forgotten, and taken back at the provider where that can be. Tools that need it ask
          for a new one.
        </Question>
      )}
    </div>
  );
}
