import type { WirePlan } from "../kit/wire.ts";
import type { NamedAction } from "./name-actions.ts";

/** Why one action waits for another, as the line between them shows it. */
export type EdgeKind = "reference" | "contract" | "hazard" | "depends_on";

/** The fate of an action: it runs, it is wrong itself, or it needs one that is. */
export type NodeState = "runs" | "wrong" | "blocked";

export interface PlanNode extends NamedAction {
  readonly state: NodeState;
  /** The earliest round in which it can run, counted from 0; null when it will not. */
  readonly wave: number | null;
  readonly isConfirmed: boolean;
  readonly hasWarning: boolean;
  readonly x: number;
  readonly y: number;
}

export interface PlanEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** As the API says it: of a hazard also the domain. */
  readonly reason: string;
  /** An SVG path, from the right side of one node to the left side of the other. */
  readonly path: string;
}

/** One wave's strip of the drawing. */
export interface PlanBand {
  readonly label: string;
  readonly x: number;
  readonly width: number;
}

export interface PlanDrawing {
  readonly width: number;
  readonly height: number;
  readonly bands: readonly PlanBand[];
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly PlanEdge[];
}

export const NODE = { width: 160, height: 46 } as const;
/** Between nodes of a column, and the room that a line takes which passes a column. */
const ROW_GAP = 14;
const LANE_GAP = 6;
const LANE = 8;
/** Between columns of one wave, and between waves: lines need room to turn, and three waves fit beside an editor at 1440. */
const NEAR = 24;
const FAR = 34;
const HEAD = 34;
const MARGIN = 12;
/** A wave of more actions takes several columns: fifty in one would be four screens high. */
const MOST_IN_COLUMN = 10;
/** So often columns are sorted by where their neighbours stand; more changes nothing that is seen. */
const SWEEPS = 6;

/** A place in a column: a node, or where a line passes that goes further. */
interface Slot {
  readonly key: string;
  readonly height: number;
  readonly before: Slot[];
  readonly after: Slot[];
  y: number;
}

/** Lay a plan out: waves from left to right, lines around the nodes that they pass. Pure, and the same for the same plan. */
export function layOutPlan(answer: WirePlan, actions: readonly NamedAction[]): PlanDrawing {
  const { waves, edges, confirmations } = answer.plan;
  const tools = new Map(actions.map(({ id, tool }) => [id, tool]));
  const wrong = new Set(answer.errors.map(({ id }) => id));
  const warned = new Set(answer.warnings?.map(({ id }) => id));
  for (const { id, tool } of answer.errors) if (tool !== null) tools.set(id, tool);

  const waveOf = new Map(waves.flatMap((ids, wave) => ids.map((id): [string, number] => [id, wave])));
  const strips = makeStrips(answer, actions);
  const columns = strips.flatMap((ids, strip) => splitStrip(ids, edges).map((column) => ({ column, strip })));
  const columnOf = new Map(
    columns.flatMap(({ column }, at) => column.map((id): [string, number] => [id, at])),
  );

  const slots = columns.map(({ column }) =>
    column.map((key): Slot => ({ key, height: NODE.height, before: [], after: [], y: 0 })),
  );
  const slotOf = new Map(slots.flat().map((slot) => [slot.key, slot]));
  const drawn = edges.filter(({ from, to }) => (columnOf.get(from) ?? 0) < (columnOf.get(to) ?? -1));
  const chains = drawn.map(({ from, to }) => {
    const chain = [slotOf.get(from)!];
    for (let at = columnOf.get(from)! + 1; at < columnOf.get(to)!; at += 1) {
      const lane: Slot = { key: `${from} ${to}`, height: LANE, before: [], after: [], y: 0 };
      slots[at]!.push(lane);
      chain.push(lane);
    }
    chain.push(slotOf.get(to)!);
    for (const [at, slot] of chain.slice(1).entries()) {
      slot.before.push(chain[at]!);
      chain[at]!.after.push(slot);
    }
    return chain;
  });
  const height = placeSlots(slots);

  let x = MARGIN;
  const xs = columns.map(({ strip }, at) => {
    if (at > 0) x += NODE.width + (columns[at - 1]!.strip === strip ? NEAR : FAR);
    return x;
  });
  const bands = strips.flatMap((ids, strip): PlanBand[] => {
    const mine = columns.flatMap((column, at) => (column.strip === strip ? [xs[at]!] : []));
    if (ids.length === 0 || mine.length === 0) return [];
    return [
      {
        label: strip < waves.length ? `Step ${strip + 1}` : "Will not run",
        x: mine[0]! - MARGIN,
        width: mine.at(-1)! + NODE.width - mine[0]! + 2 * MARGIN,
      },
    ];
  });
  return {
    width: x + NODE.width + MARGIN,
    height: height + HEAD + MARGIN,
    bands,
    nodes: columns.flatMap(({ column }, at) =>
      column.map((id) => ({
        id,
        tool: tools.get(id) ?? null,
        state: waveOf.has(id) ? "runs" : wrong.has(id) ? "wrong" : "blocked",
        wave: waveOf.get(id) ?? null,
        isConfirmed: confirmations.includes(id),
        hasWarning: warned.has(id),
        x: xs[at]!,
        y: HEAD + slotOf.get(id)!.y,
      })),
    ),
    edges: drawn.map(({ from, to, reason }, at) => ({
      from,
      to,
      kind: kindOf(reason),
      reason,
      path: drawPath(chains[at]!, xs, columnOf.get(from)!),
    })),
  };
}

/** Read an edge's reason: what is not known is drawn as the plainest. */
function kindOf(reason: string): EdgeKind {
  if (reason.startsWith("hazard")) return "hazard";
  return reason === "reference" || reason === "contract" ? reason : "depends_on";
}

/** The waves, and what will not run in the wave where it would have stood. */
function makeStrips({ plan, errors }: WirePlan, actions: readonly NamedAction[]): readonly string[][] {
  const strips = plan.waves.map((ids) => [...ids]);
  const stripOf = new Map(strips.flatMap((ids, at) => ids.map((id): [string, number] => [id, at])));
  const others = [...actions.map(({ id }) => id), ...errors.map(({ id }) => id)];
  const find = (id: string, depth = 0): number => {
    const known = stripOf.get(id);
    if (known !== undefined || depth > 50) return known ?? 0;
    const before = plan.edges.filter(({ to }) => to === id).map(({ from }) => find(from, depth + 1) + 1);
    stripOf.set(id, Math.max(0, ...before));
    return stripOf.get(id)!;
  };
  for (const id of others) {
    if (strips.some((ids) => ids.includes(id))) continue;
    const at = find(id);
    while (strips.length <= at) strips.push([]);
    strips[at]!.push(id);
  }
  return strips;
}

/** Columns of a wave that is too high for one: what has no lines stands first, so that the others' stay short. */
function splitStrip(ids: readonly string[], edges: WirePlan["plan"]["edges"]): readonly string[][] {
  if (ids.length <= MOST_IN_COLUMN) return [[...ids]];
  const rank = (id: string): number => {
    const isNeeded = edges.some(({ from }) => from === id);
    const waits = edges.some(({ to }) => to === id);
    return isNeeded ? (waits ? 1 : 2) : waits ? 0 : 1;
  };
  const sorted = [...ids].sort((a, b) => rank(a) - rank(b));
  const count = Math.ceil(ids.length / MOST_IN_COLUMN);
  const size = Math.ceil(ids.length / count);
  return Array.from({ length: count }, (_, at) => sorted.slice(at * size, (at + 1) * size));
}

/** Sort each column by its neighbours and stand its slots below each other, all columns around one middle. */
function placeSlots(columns: Slot[][]): number {
  const gapAfter = (slot: Slot, next: Slot | undefined): number => {
    if (next === undefined) return 0;
    return slot.height === LANE && next.height === LANE ? LANE_GAP : ROW_GAP;
  };
  const heightOf = (column: readonly Slot[]): number =>
    column.reduce((sum, slot, at) => sum + slot.height + gapAfter(slot, column[at + 1]), 0);
  const height = Math.max(NODE.height, ...columns.map(heightOf));
  const stand = (column: readonly Slot[]): void => {
    let y = (height - heightOf(column)) / 2;
    for (const [at, slot] of column.entries()) {
      slot.y = y;
      y += slot.height + gapAfter(slot, column[at + 1]);
    }
  };
  columns.forEach(stand);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const side = sweep % 2 === 0 ? "before" : "after";
    for (const column of side === "before" ? columns : [...columns].reverse()) {
      const middle = new Map(column.map((slot) => [slot, meanOf(slot[side]) ?? slot.y + slot.height / 2]));
      column.sort((a, b) => middle.get(a)! - middle.get(b)!);
      stand(column);
    }
  }
  return height;
}

function meanOf(slots: readonly Slot[]): number | null {
  if (slots.length === 0) return null;
  return slots.reduce((sum, { y, height }) => sum + y + height / 2, 0) / slots.length;
}

/** A line that leaves and arrives level, and passes the columns between in its own lane. */
function drawPath(chain: readonly Slot[], xs: readonly number[], first: number): string {
  const levelOf = (slot: Slot): number => HEAD + slot.y + slot.height / 2;
  let path = "";
  for (const [at, slot] of chain.entries()) {
    const left = xs[first + at]!;
    const y = levelOf(slot);
    if (at > 0) {
      const fromX = xs[first + at - 1]! + NODE.width;
      const bend = (left - fromX) / 2;
      path += ` C${fromX + bend} ${levelOf(chain[at - 1]!)} ${left - bend} ${y} ${left} ${y}`;
    }
    if (at === 0) path += `M${left + NODE.width} ${y}`;
    else if (at < chain.length - 1) path += ` H${left + NODE.width}`;
  }
  return path;
}
