import { useEffect, useRef, useState } from "../kit/jsx-hooks.ts";
import { type EdgeKind, NODE, type PlanDrawing as Drawing, type PlanNode } from "./lay-out-plan.ts";

/** The meaning of the lines, in the words of the API. */
export const EDGE_NAMES: Readonly<Record<EdgeKind, string>> = {
  reference: "uses its result",
  contract: "takes a field from it",
  hazard: "writes after it",
  depends_on: "depends_on",
};

/** So many characters of the fixed-width font stand in a node; what is longer is clipped by the node's own frame too. */
const MOST_CHARACTERS = { id: 16, tool: 19 };

/**
 * The plan as a picture that is walked with the arrow keys: one stop of Tab, whatever it holds. The node under the pointer, or
 * with the focus, is described below, with the nodes that it waits for.
 */
export function PlanDrawing({ drawing }: { readonly drawing: Drawing }) {
  const { width, height, bands, nodes, edges } = drawing;
  const [at, setAt] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(nodes[0]?.id);
  useEffect(() => setStop(nodes[0]?.id), [drawing]);

  const walk = (event: KeyboardEvent): void => {
    const from = nodes.find(({ id }) => id === stop);
    const way = WAYS[event.key];
    if (from === undefined || way === undefined) return;
    event.preventDefault();
    const to = nearest(from, nodes, way);
    if (to === undefined) return;
    setStop(to.id);
    const element = [...(box.current?.querySelectorAll<SVGElement>("[data-node]") ?? [])].find(
      (node) => node.dataset["node"] === to.id,
    );
    element?.focus();
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  return (
    <figure class="plan">
      <div class="plan-box" ref={box}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label="The plan as a drawing; the arrow keys go from action to action"
          onKeyDown={walk}
          onMouseLeave={() => setAt(null)}
        >
          <defs>
            <marker
              id="plan-tip"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0 0.500L7.500 4L0 7.500z" class="plan-tip" />
            </marker>
          </defs>
          {bands.map(({ label, x, width: bandWidth }) => (
            <g key={x} aria-hidden="true">
              <rect class="plan-band" x={x} y={0} width={bandWidth} height={height} rx={10} />
              <text class="plan-band-name" x={x + 14} y={21}>
                {label}
              </text>
            </g>
          ))}
          {edges.map(({ from, to, kind, reason, path }) => (
            <path
              key={`${from} ${to}`}
              class={`plan-edge edge-${kind} ${at === null ? "" : at === from || at === to ? "lit" : "dim"}`}
              d={path}
              marker-end="url(#plan-tip)"
              aria-hidden="true"
            >
              <title>{`${to} waits for ${from}: ${reason}`}</title>
            </path>
          ))}
          {nodes.map((node) => (
            <g
              key={node.id}
              class={`plan-node node-${node.state}`}
              role="img"
              aria-label={describe(node, drawing)}
              tabindex={node.id === stop ? 0 : -1}
              data-node={node.id}
              onFocus={() => (setAt(node.id), setStop(node.id))}
              onBlur={() => setAt(null)}
              onMouseEnter={() => setAt(node.id)}
            >
              <rect x={node.x} y={node.y} width={NODE.width} height={NODE.height} rx={8} />
              <svg x={node.x + 12} y={node.y} width={NODE.width - 16} height={NODE.height} aria-hidden="true">
                <text class="plan-id" x={0} y={20}>
                  {clip(node.id, MOST_CHARACTERS.id)}
                </text>
                <text class="plan-tool" x={0} y={36}>
                  {clip(node.tool ?? "no tool", MOST_CHARACTERS.tool)}
                </text>
              </svg>
              <Badge node={node} />
            </g>
          ))}
        </svg>
      </div>
      <figcaption class="plan-said small muted" aria-hidden="true">
        {at === null ? (
          `Point at an action to see what it waits for.${nodes.some((one) => one.isConfirmed) ? " ? needs approval." : ""}`
        ) : (
          <bdi>{nodes.flatMap((node) => (node.id === at ? describe(node, drawing) : []))}</bdi>
        )}
      </figcaption>
    </figure>
  );
}

/** A mark in the corner: what will not run, what a person is asked about, what may not be meant. */
function Badge({ node }: { readonly node: PlanNode }) {
  const mark = node.state !== "runs" ? "✕" : node.isConfirmed ? "?" : node.hasWarning ? "!" : null;
  if (mark === null) return null;
  const tone = node.state !== "runs" ? "bad" : "wait";
  return (
    <g class={`plan-badge tone-${tone}`} aria-hidden="true">
      <circle cx={node.x + NODE.width - 15} cy={node.y + 15} r={9} />
      <text x={node.x + NODE.width - 15} y={node.y + 19}>
        {mark}
      </text>
    </g>
  );
}

/** Name the actions that one waits for, each with the reason. */
export function sayBefore(id: string, edges: Drawing["edges"]): string {
  const before = edges.filter(({ to }) => to === id);
  return before.map(({ from, reason }) => `${from} (${reason})`).join(", ");
}

/** All that the drawing says of an action, as a sentence. */
function describe({ id, tool, state, wave, isConfirmed, hasWarning }: PlanNode, { edges }: Drawing): string {
  const before = sayBefore(id, edges);
  const after = edges.filter(({ from }) => from === id).map(({ to }) => to);
  return [
    `${id}: ${tool ?? "no tool"}`,
    state === "runs"
      ? `step ${wave! + 1}`
      : state === "wrong"
        ? "wrong, will not run"
        : "will not run, what it needs is wrong",
    before !== "" ? `waits for ${before}` : state === "runs" && "waits for nothing",
    after.length > 0 && `before ${after.join(", ")}`,
    isConfirmed && "waits for approval",
    hasWarning && "has a warning",
  ]
    .filter((part) => typeof part === "string")
    .join(" · ");
}

type Way = readonly [dx: number, dy: number];

const WAYS: Readonly<Record<string, Way>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The next node in a direction: what lies aside counts as further away. */
function nearest(from: PlanNode, nodes: readonly PlanNode[], [dx, dy]: Way): PlanNode | undefined {
  const far = (node: PlanNode): number => {
    const [x, y] = [node.x - from.x, node.y - from.y];
    const [along, aside] = dx === 0 ? [y * dy, Math.abs(x)] : [x * dx, Math.abs(y)];
    return along <= 0 ? Infinity : along + 3 * aside;
  };
  return nodes
    .map((node) => ({ node, distance: far(node) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance)[0]?.node;
}

function clip(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}
