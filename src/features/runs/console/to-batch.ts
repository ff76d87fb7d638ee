import { writeExact } from "../../../console/kit/exact-json.ts";
import type { WireAction, WireRun } from "./wire-runs.ts";

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Write a run as a batch that would do the same, with the same accounts. Actions keep their ids, so that references go on pointing at them; an id that another
 * round has used, or that a model's provider gave, gets a fresh one. An order that no reference says stands in `depends_on`. An
 * idempotency key is left out: it would answer with what became of the first run.
 */
export function toBatch(run: WireRun): string {
  const actions = run.actions as readonly WireAction[];
  const ids = nameActions(actions);
  const written = actions.map((action, at) => {
    const { written: own, args = own ?? {}, with: { idempotency_key: _, ...others } = {} } = action;
    const before = run.plan.edges.filter(
      ({ to, reason }) => to === action.id && !reason.startsWith("hazard"),
    );
    const text = writeExact([args, others]);
    const needs = before
      .map(({ from }) => from)
      .filter((from) => !text.includes(`${from}#`))
      .flatMap(
        (from) => ids[actions.findIndex(({ id, round }) => id === from && round === action.round)] ?? [],
      );
    return {
      id: ids[at]!,
      tool: action.tool,
      args,
      ...others,
      ...(needs.length > 0 && { depends_on: [...new Set(needs)] }),
    };
  });
  const { tags, subject, connections = {}, plan } = run;
  const { edges: _, ...rule } = plan;
  return writeExact(
    {
      actions: written,
      ...rule,
      ...(tags !== undefined && { tags }),
      ...(subject !== undefined && { subject }),
      ...(Object.keys(connections).length > 0 && { connections }),
    },
    2,
  );
}

/** The actions whose arguments were sent and not kept so: private, cut or with a secret taken out. */
export function incompleteOf(run: WireRun): readonly string[] {
  return (run.actions as readonly WireAction[]).flatMap(
    ({ id, private: isPrivate, cut = [], redacted = [] }) =>
      isPrivate === true || cut.includes("args") || redacted.includes("args") ? [id] : [],
  );
}

function nameActions(actions: readonly WireAction[]): readonly string[] {
  const taken = new Set<string>();
  return actions.map(({ id }, at) => {
    const base = ID.test(id) && id !== "input" && id !== "item" ? id : `a${at}`;
    let name = base;
    for (let turn = 2; taken.has(name); turn += 1) name = `${base.slice(0, 60)}-${turn}`;
    taken.add(name);
    return name;
  });
}

/** Write a batch as a program with the typed client; the key is read from the environment and never stands in it. */
export function sayTypescript(origin: string, body: string): string {
  return `import { createClient } from "volley/client";

const client = createClient({ url: ${JSON.stringify(origin)}, key: process.env.VOLLEY_KEY! });
const { results } = await client.execute(${body});
for (const { id, status } of results) console.log(id, status);
`;
}
