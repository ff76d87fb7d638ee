import { useEffect, useRef } from "../kit/jsx-hooks.ts";
import { listFields } from "../form/read-schema.ts";
import { CallForm } from "../form/call-form.tsx";
import { ask, type Problem } from "../kit/api.ts";
import { pagesOf, useDeployment } from "../kit/deployment.ts";
import { makeKey } from "../kit/make-idempotency-key.ts";
import { hrefTo } from "../kit/route.ts";
import { currentOwner } from "../kit/session.ts";
import { useLoad } from "../kit/use-load.ts";
import { holdPage } from "../kit/use-send.ts";
import { useKept } from "../kit/use-kept.ts";
import type { WireEnvelope, WireTool } from "../kit/wire.ts";
import { announce } from "../parts/announce.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Empty, Pending } from "../parts/notes.tsx";
import { Pieces } from "../parts/pieces.tsx";
import { Paragraph, ProblemNote, Prose } from "../parts/problem-note.tsx";
import { Table } from "../parts/table.tsx";
import { wordOf } from "../parts/status.tsx";
import { Title } from "../parts/title.tsx";
import { ResultList } from "../run/result-list.tsx";
import { type ListedTool, sayContract } from "./tool-words.ts";

/** One tool: what it promises, a form for a call of it, what it takes as a table. */
export function ToolPage({ name }: { readonly name: string }) {
  const loaded = useLoad<WireTool>("/v1/get_tool_schema", { body: { tool_name: name } });
  const { data: tool, problem } = loaded;
  const listing = useLoad<{ readonly tools: readonly ListedTool[] }>("/v1/discover_tools", {
    body: { query: name, limit: 5 },
  });
  const listed = listing.data?.tools.find((one) => one.name === name) ?? null;
  const own = pagesOf(useDeployment().sections).find(
    ({ toolCategory }) => listed !== null && toolCategory === listed.category,
  );
  const reload = (): void => [loaded, listing].forEach((one) => one.reload());
  useEffect(() => {
    if (own !== undefined) location.replace(hrefTo(own.name, name));
  }, [own]);
  return (
    <div class="stack">
      <Title text={name} back={{ href: hrefTo("tools"), label: "Tools" }}>
        {tool !== null && (
          <a class="button" href={hrefTo("run", null, { tool: name })}>
            Open in the Playground
          </a>
        )}
      </Title>
      {problem?.code === "UNKNOWN_TOOL" ? (
        <Empty key="gone" title="There is no such tool">
          <Prose text={problem.detail} /> It may also be one that this key may not call.
        </Empty>
      ) : (
        <Pending key="pending" of={{ ...loaded, reload }} what="the tool" />
      )}
      {tool !== null && <ToolBody key="body" tool={tool} listed={listed} />}
    </div>
  );
}

function ToolBody({ tool, listed }: { readonly tool: WireTool; readonly listed: ListedTool | null }) {
  const rows = listFields(tool.input_schema);
  return (
    <div class="split tool-body">
      <div class="stack">
        <section class="card" aria-label="What it does">
          <Paragraph text={tool.description} />
          <ul class="contract muted small">
            {sayContract(listed, tool).map((sentence) => (
              <li key={sentence}>
                <bdi>{sentence}</bdi>
              </li>
            ))}
          </ul>
        </section>
        {rows.length > 0 && (
          <section class="card flush schema" aria-label="What it takes">
            <Table
              of={rows}
              by={({ path }) => path}
              columns={[
                ["Argument", (row) => <Argument of={row} />],
                ["Takes", ({ type }) => type],
                ["About", ({ about }) => <Prose text={about === "" ? "–" : about} />],
              ]}
            />
          </section>
        )}
        {listed !== null && <Pieces key="pieces" of="tool" given={{ name: tool.name }} />}
      </div>
      <ToolForm tool={tool} />
    </div>
  );
}

function Argument({ of: { name, depth, isRequired } }: Record<"of", ReturnType<typeof listFields>[number]>) {
  return (
    <span class={`mono indent-${Math.min(depth, 3)}`}>
      <bdi>{name}</bdi>
      {isRequired && <span class="muted small"> required</span>}
    </span>
  );
}

/** A call by the form, which goes on and is found again while other pages are shown. */
interface ToolCall {
  readonly args: unknown;
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly envelope: WireEnvelope | null;
}

const NO_CALL: ToolCall = { args: {}, isBusy: false, problem: null, envelope: null };

/** Call the tool as a batch of one. */
function ToolForm({ tool }: { readonly tool: WireTool }) {
  const [call, setCall] = useKept<ToolCall>(`tool ${tool.name}`, () => NO_CALL);
  const { args, isBusy, problem, envelope } = call;
  const change = (changed: Partial<ToolCall>): void => setCall((before) => ({ ...before, ...changed }));
  const form = useRef<HTMLFormElement>(null);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const owner = currentOwner();
    change({ isBusy: true, problem: null });
    const answer = await holdPage(
      ask<WireEnvelope>("/v1/execute_actions", {
        method: "POST",
        body: { actions: [{ id: "call", tool: tool.name, args }] },
        headers: { "idempotency-key": makeKey() },
        isExact: true,
      }),
    );
    if (!answer.ok) return change({ isBusy: false, problem: answer.problem });
    change({ isBusy: false, envelope: answer.data });
    if (owner !== currentOwner()) return;
    const status = answer.data.results[0]?.status ?? "error";
    announce(`${tool.name}: ${wordOf(status)}`);
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const [result] = envelope?.results ?? [];
  const said = result?.status === "error" ? (result.error.issues ?? []) : [];
  const issues = said.map((issue) => ({ ...issue, path: issue.path.replace(/^\/args/, "") }));
  return (
    <div class="stack">
      <CallForm
        label="A call"
        place={form}
        schema={tool.input_schema}
        value={args}
        issues={issues}
        isBusy={isBusy}
        onChange={(next) => change({ args: next })}
        onRun={run}
      >
        <span class="end">
          <CopyButton text={JSON.stringify({ tool: tool.name, args }, null, 2)} label="Copy the call" />
        </span>
      </CallForm>
      <ProblemNote problem={problem} />
      {envelope !== null && (
        <section key={envelope.batch_id} class="card flush" aria-label="Result">
          <ResultList results={envelope.results} />
        </section>
      )}
    </div>
  );
}
