import { useState } from "../../../console/kit/jsx-hooks.ts";
import { ask, type Problem } from "../../../console/kit/api.ts";
import { useFaults } from "../../../console/kit/use-send.ts";
import { writeExact } from "../../../console/kit/exact-json.ts";
import type { Written } from "../../../console/kit/wire.ts";
import { findSlip } from "../../../console/run/draft.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { count } from "../../../console/parts/count.ts";
import { Link } from "../../../console/parts/link.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { ListTable } from "../../../console/parts/table.tsx";
import { TextField } from "../../../console/parts/text-field.tsx";
import type { publishedSchema } from "../endpoint-json.ts";
import { useEventTypes } from "./access.ts";

type Published = Written<typeof publishedSchema>;

/** Publish an event by hand; or ask first who would get it. */
export function PublishForm() {
  const described = useEventTypes().data ?? [];
  const [data, setData] = useState("{}");
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [said, setSaid] = useState<Published | null>(null);
  const faults = useFaults(problem, { type: "Write a type such as order.paid.", customer: "" });
  const choose = (type: string): void => {
    const example = described.find((one) => one.type === type)?.example;
    if (example !== undefined && data.trim() === "{}") setData(writeExact(example, 2));
  };
  const send = async (form: HTMLFormElement, isDry: boolean): Promise<void> => {
    const slip = findSlip(data || "{}");
    setWrong(slip?.said);
    if (slip !== null) {
      const area = form.querySelector("textarea")!;
      area.focus();
      return area.setSelectionRange(slip.start, slip.end);
    }
    const fields = new FormData(form);
    const read = (name: string): string => String(fields.get(name) ?? "").trim();
    const head = JSON.stringify({
      type: read("type"),
      ...(read("customer") !== "" && { customer: read("customer") }),
      ...(isDry && { dry_run: true }),
    });
    // The data goes as it is written, so that it keeps every digit.
    const answer = await ask<Published>("/v1/events", {
      method: "POST",
      body: `${head.slice(0, -1)},"data":${read("data") || "{}"}}`,
    });
    setProblem(answer.ok ? null : answer.problem);
    setSaid(answer.ok ? answer.data : null);
    if (answer.ok) announce(isDry ? "Asked; nothing was sent" : "The event is published");
  };
  return (
    <div class="stack">
      <form
        class="card form endpoint-form"
        aria-label="An event"
        novalidate
        onSubmit={(event: Event) => {
          event.preventDefault();
          void send(event.currentTarget as HTMLFormElement, true);
        }}
      >
        <TextField
          id="event-type"
          label="Type"
          placeholder="order.paid"
          wrong={faults.of("type")}
          suggestions={described.map(({ type }) => type)}
          onChange={(event: Event) => choose((event.currentTarget as HTMLInputElement).value)}
        />
        <TextField
          id="event-customer"
          label="Customer"
          wrong={faults.of("customer")}
          placeholder="all of them if left empty"
        />
        <TextField
          id="event-data"
          label="Data, as JSON"
          class="mono"
          rows={8}
          value={data}
          wrong={wrong}
          onInput={(event: Event) => setData((event.currentTarget as HTMLTextAreaElement).value)}
        />
        <ProblemNote problem={faults.rest} />
        <div class="row">
          <button type="submit">Who would get it?</button>
          <button
            type="button"
            class="primary"
            onClick={(event: Event) => void send((event.currentTarget as HTMLButtonElement).form!, false)}
          >
            Publish
          </button>
        </div>
      </form>
      {said?.event_id !== undefined && (
        <p key={said.event_id} class="note tone-ok" role="status">
          <span>
            Published to {count(Number(said.endpoints), "endpoint")}.{" "}
            <a href={hrefTo("endpoints", null, { event: said.event_id })}>See its deliveries</a>
          </span>
        </p>
      )}
      {said?.matched !== undefined && <Explanation key="explained" explained={said} />}
    </div>
  );
}

function Explanation({ explained }: { readonly explained: Published }) {
  const endpoints = [explained.endpoints].flat().filter((one) => typeof one === "object");
  return (
    <section class="stack tight" aria-label="Who would get it">
      <h2>{count(explained.matched!, "endpoint")} would get it; nothing was sent</h2>
      {endpoints.length > 0 && (
        <ListTable
          of={endpoints}
          by={({ endpoint }) => endpoint}
          columns={[
            ["Endpoint", ({ endpoint }) => <Link of={endpoint} section="endpoints" to={endpoint} />, "lead"],
            [
              "Gets it",
              (one) => (
                <span class={`status tone-${one.matched ? "ok" : "idle"}`}>{one.matched ? "yes" : "no"}</span>
              ),
            ],
            ["Why not", ({ because }) => because ?? "–"],
          ]}
        />
      )}
    </section>
  );
}
