import type * as z from "zod/mini";

import type { TokenCounter } from "../core/answer/estimate-tokens.ts";
import type { Catalog, Discovery, Holds } from "../core/catalog/catalog.ts";
import type { ContractField } from "../core/catalog/contract-field.ts";
import type { Tool } from "../core/catalog/define-tool.ts";
import type { Caller } from "../core/contract/gate/caller.ts";
import type { KeptTool } from "../core/contract/gate/kept-tool.ts";
import type { Gate } from "../core/contract/gate/tenant-gate-methods.ts";
import type { Refusal } from "../core/contract/refusal.ts";
import type { Restore } from "../core/contract/restore-step.ts";
import type { AccountIds, BeforeCall, BeforeStep, Later } from "../core/gate/execution.ts";
import type { IsolateQuota } from "../core/gate/leased-admission.ts";
import type { Clock } from "../core/kit/clock.ts";
import type { Result } from "../core/kit/result.ts";
import type { RunListener } from "../core/observe/seen.ts";
import type { Watch } from "../core/observe/watch.ts";
import type { Declaration, DeclaredObject } from "./declared.ts";
import type { Deployment } from "./deployed.ts";
import type { Configured, Declared, Env } from "./configured.ts";
import type { ObjectPart } from "./durable/object-part.ts";
import type { Dialect } from "./http/dialect.ts";
import type { RequestContext } from "./http/request-context.ts";
import type { Router } from "./http/router.ts";
import type { Route, ProtocolRoute, Right } from "./openapi/route.ts";

/**
 * Something that a Worker does besides running batches. Every part is optional, and core asks a feature only for what it has, so a
 * Worker that does not list a feature does not contain it.
 */
export interface Feature<Objects extends object = object> extends Declaration {
  /** Its classes of Durable Objects, by the names under which a Worker exports them. */
  readonly objects?: { readonly [Name in keyof Objects]: FeatureObject<Objects[Name]> };
  /** Its paths; made of the whole list where they depend on what other features give. */
  readonly routes?: Routes | ((features: readonly Feature[]) => Routes);
  /** Stand around all that answers requests: it may answer one itself, or change an answer's headers. */
  readonly around?: (next: Fetch, features: readonly Feature[]) => Fetch;
  /** How its paths say no, where that is not by a problem document. */
  readonly dialects?: readonly Dialect[];
  /** Tools that find and describe other tools. */
  readonly discovery?: Discovery;
  /** Tools that are not in the Worker's code. */
  readonly toolSource?: ToolSource;
  /**
   * Open the keys that no variable has. Throws where its part of the configuration cannot be read.
   *
   * @param sources gives those of every feature, once all are open
   */
  readonly openCallers?: (configured: Configured, sources: () => readonly CallerSource[]) => CallerSource;
  /** Counts tokens, better than core's rule for each script. */
  readonly tokenCounter?: TokenCounter;
  /** Open what finds the things that calls need. Throws where its part of the configuration cannot be read. */
  readonly beforeCall?: (configured: Configured) => BeforeCall;
  /** Finds the accounts that calls would use. */
  readonly accountIds?: AccountIds;
  /** Open what hears of the batches that ran. Throws where its part of the configuration cannot be read. */
  readonly hears?: (configured: Configured) => Hearer;
  /** The things that it gives to other features, by name. */
  readonly gives?: object;
  /** Open what holds steps back. Throws where its part of the configuration cannot be read. */
  readonly beforeStep?: (configured: Configured) => BeforeStep;
  /** The data that it keeps of each tenant. */
  readonly tenantPart?: TenantPart;
  /** Batches that run in the background. */
  readonly later?: Later;
  /** Make its part of the tenant's object. */
  readonly objectPart?: (deploymentOf: (env: Env) => Deployment) => ObjectPart;
  /** Decide which calls wait of a tool whose calls may. */
  readonly holds?: Holds;
  /** The fields that it brings to contracts. */
  readonly contract?: readonly ContractField[];
  /** Refuse tools that the feature could not work with; each throws, naming the tool. */
  readonly checks?: readonly ((tool: Tool) => void)[];
}

/** Paths by who may ask for them. */
export type Routes = readonly (KeyedPaths | OpenPaths)[];

/** Paths behind the key. */
interface KeyedPaths {
  readonly for: Right;
  readonly paths: readonly (Route | ProtocolRoute)[];
}

/** Paths before the key: their requests say themselves who sent them. */
interface OpenPaths {
  readonly for: "anyone";
  readonly router: Router;
}

/** A class of Durable Objects, and how it is made. */
export interface FeatureObject<Class = object> extends DeclaredObject {
  readonly create: (options: ObjectOptions) => Class;
}

/** The world of a feature's objects. */
export interface ObjectOptions {
  readonly clock?: Clock | undefined;
  /** The deployment of an object's environment. */
  readonly deploymentOf: (env: Env) => Deployment;
}

/** Answers a request. */
export type Fetch = (request: Request, env: Env, ctx: ExecutionContext) => Response | Promise<Response>;

/** Opens the tools that are not in the code of the Worker. */
export interface ToolSource {
  /** Create what makes a tool of its declaration's JSON text. */
  compilerOf(configured: Pick<Configured, "env" | "toolSecrets" | "features">): (json: string) => Tool;
  /** Throws where its part of the configuration cannot be read. */
  open(configured: Configured): TenantTools;
  /** Everything that the tenant has added, the oldest change first. Rejects where it cannot be read whole. */
  readAll(gate: Pick<Gate, "call">): Promise<readonly KeptTool[]>;
}

export interface TenantTools {
  /** Whether any tenant's tools were asked for yet. */
  readonly isOpen: boolean;
  /** The tools of a caller as far as they are known here; null where none were asked for yet. */
  knownCatalog(caller: Caller): Catalog | null;
  /**
   * The tools of a caller as they are, or were a moment ago. Rejects where the tenant's object cannot be asked.
   *
   * @param isSought a name was asked for that is not known here: somebody may have added it since the object told of its tools
   */
  currentCatalog(
    caller: Caller,
    held: IsolateQuota,
    gate: Pick<Gate, "call">,
    isSought?: boolean,
  ): Promise<Catalog>;
}

/** Callers whose keys no variable has. A key may be good at some addresses only. */
export interface CallerSource {
  /** Whether a text has the form of such a key. One that has not is refused without asking an object. */
  hasForm(key: string, url: string): boolean;
  /** The caller of a key that was asked for lately; undefined where that is not known. */
  recall(key: string, url: string): Caller | null | undefined;
  /** The caller that a key with the form belongs to, or null; refused where the objects do not answer. One asked for lately is recalled. */
  identify(key: string, url: string): Promise<Result<Caller | null, Refusal>>;
  /** Whether a caller that this source found is still one, asked for anew; undefined for a caller of another source. */
  readonly isStill?: (caller: Caller) => Promise<Result<boolean, Refusal>> | undefined;
  /** The caller of the key with this digest, asked for anew. */
  readonly ofHash?: (hash: string) => Promise<Result<Caller | null, Refusal>>;
}

/** Hears of the batches that ran. */
export interface Hearer {
  /** Hear of those of one request; undefined where the deployment keeps nothing of them, so that nothing is made for it. */
  listen(to: RunWitness): RunListener | undefined;
}

/** The request, or the work without one, whose batches are told of. */
export interface RunWitness extends Pick<RequestContext, "caller" | "defer"> {
  readonly watch: Pick<Watch, "route" | "requestId">;
}

/** A field of an export as far as one page has it, and the place where the next page goes on: JSON, and null where nothing is left. */
export interface ExportSlice {
  readonly json: string;
  readonly next: unknown;
}

/** The data that a feature keeps of a tenant: a field of the tenant's export, and a number in the answer to its deletion. */
export interface TenantPart {
  /** The name of both. */
  readonly field: string;
  /** The form of the field in an export. */
  readonly describeExport: (declared: Declared) => z.core.$ZodType;
  /** The field as JSON, or a slice from a place on; null where the caller may not see it. Rejects where it cannot be read whole. */
  readonly exportJson: (context: RequestContext, from: unknown) => Promise<string | ExportSlice | null>;
  /** Makes the requests by which `volley restore` puts the field back, and names what cannot be. */
  readonly restore: Restore;
  /** The number in words, for the document of the API; absent where the part is in the tenant's object, which goes as a whole. */
  readonly erased?: string;
  /** Delete it, and count what there was. A deletion that broke off is asked for again, so it can be called twice. */
  readonly erase?: (context: RequestContext) => Promise<number>;
}

/** The classes of the objects of features, by the names under which a Worker exports them. */
export function objectsOf(features: readonly Feature[]): readonly (readonly [string, FeatureObject])[] {
  return features.flatMap(({ objects }) => Object.entries({ ...objects }));
}

/** The first of the features that has a part; undefined where none is listed that does. */
export function partOf<K extends keyof Feature>(
  features: readonly Feature[],
  part: K,
): NonNullable<Feature[K]> | undefined {
  return features.find((feature) => feature[part] !== undefined)?.[part] as
    | NonNullable<Feature[K]>
    | undefined;
}
