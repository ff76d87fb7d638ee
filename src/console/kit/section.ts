import type { FC } from "hono/jsx";

import type { BatchField } from "./batch-fields.ts";
import type { Route } from "./route.ts";
import type { WireUsage } from "./wire-usage.ts";

/** A part of the console: pages of its own, pieces of other sections' pages, or both. */
export interface Section {
  /** The feature that a Worker has to list for it. Core's sections have none. */
  readonly feature?: string;
  /** The flag that a key has to have for it; any key sees a section that names none. */
  readonly flag?: string;
  readonly page?: SectionPage;
  readonly pieces?: Pieces;
  /** The fields that its feature adds to a batch; each takes the place of core's field of that name. */
  readonly batchFields?: readonly BatchField[];
  /** Read, from a run as the API has it, the calls that came after those of its actions: its trace has a row for each. */
  readonly laterCalls?: (run: object) => readonly LaterCall[];
}

/** A call that came after those of a run, on the clock of that. */
export interface LaterCall {
  /** The action that it is about. */
  readonly name: string;
  /** The end of that action, in a few words. */
  readonly did: string;
  readonly tool: string;
  readonly status: string;
  readonly code: string | null;
  readonly job: string | null;
  readonly tries: readonly LaterTry[];
}

interface LaterTry {
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly code?: string;
}

/** The pages of a section, with their link in the navigation. */
export interface SectionPage {
  /** Its place in addresses: `#/NAME` is its list, `#/NAME/ID` one thing of it. */
  readonly name: string;
  readonly title: string;
  /** The path of its picture, in a square of 22. */
  readonly icon: string;
  readonly View: FC<{ readonly route: Route }>;
  /** None of its things has a page of its own. */
  readonly isWhole?: boolean;
  /** A key that has it begins there. */
  readonly isStart?: boolean;
  /** A number behind its title in the navigation, such as how many wait. */
  readonly Count?: FC;
  /** The category of tools that have their pages here and not in the section Tools. */
  readonly toolCategory?: string;
  /** The name of one of its things, and the path of the API before its id; the command bar finds one by that. */
  readonly things?: { readonly kind: string; readonly path: string };
}

/** The places of pages that take pieces, with the properties of a piece there. */
export interface Places {
  /** At the end of a tool's page. */
  readonly tool: { readonly name: string };
  /** On a flow's page, and in its row of the list. */
  readonly flow: { readonly name: string };
  readonly flowRow: { readonly name: string };
  /** On a run's page, with the run as the API has it, the tools that it called, and a way to ask for it again. */
  readonly run: Readonly<{ id: string; run: object; tools: readonly string[]; reload: () => void }>;
  /** Below the results of a batch that is over. */
  readonly results: { readonly answer: object };
  /** Among the figures of the usage. */
  readonly figures: { readonly usage: WireUsage };
  /** At the end of the usage. */
  readonly usage: object;
}

/** One piece, and the flag that a key has to have for it. */
export interface Piece<Properties> {
  readonly flag?: string;
  readonly View: FC<Properties>;
}

export type Pieces = { readonly [Place in keyof Places]?: Piece<Places[Place]> };
