/** The setup of a worker when it starts; see https://github.com/cloudflare/workerd `src/workerd/server/workerd.capnp`. */
export interface WorkerdSetup {
  /** Plain text bindings: what `vars` and secrets are in a deployment. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Durable Object namespaces with SQLite: binding name to exported class name. */
  readonly durableObjects?: Readonly<Record<string, string>>;
  /** Names of Worker Loader bindings. */
  readonly loaders?: readonly string[];
  /** 0 (the default) takes a free port. */
  readonly port?: number;
  readonly compatibilityDate?: string;
  readonly compatibilityFlags?: readonly string[];
  /** Run the same worker a second time, in an isolate of its own, on the first one's Durable Objects. */
  readonly twin?: boolean;
  /** Names of WebAssembly modules next to `worker.js` that it imports. */
  readonly wasm?: readonly string[];
  /** Names of texts next to `worker.js` that it imports. */
  readonly texts?: readonly string[];
}

/**
 * Make the text of a workerd configuration for one module worker, `worker.js` next to the configuration.
 *
 * Its outgoing network reaches private addresses too, since the upstreams of a test live on 127.0.0.1. Every class is
 * stored under its own name, so a restart with the same directory finds its objects again.
 */
export function makeWorkerdConfig(setup: WorkerdSetup, storageDir: string): string {
  const objects = Object.entries(setup.durableObjects ?? {});
  const vars = Object.entries(setup.vars ?? {}).map(
    ([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`,
  );
  const bindings = (classOf: (className: string) => string): readonly string[] => [
    ...vars,
    ...(setup.loaders ?? []).map((name) => `(name = ${quote(name)}, workerLoader = ())`),
    ...objects.map(
      ([name, className]) => `(name = ${quote(name)}, durableObjectNamespace = ${classOf(className)})`,
    ),
  ];
  const namespaces = [...new Set(objects.map(([, className]) => className))].map(
    (className) => `(className = ${quote(className)}, uniqueKey = ${quote(className)}, enableSql = true)`,
  );
  const wasm = (setup.wasm ?? []).map((name) => `(name = ${quote(name)}, wasm = embed ${quote(name)})`);
  const texts = (setup.texts ?? []).map((name) => `(name = ${quote(name)}, text = embed ${quote(name)})`);
  const worker = `modules = ${list(['(name = "worker.js", esModule = embed "worker.js")', ...wasm, ...texts])},
  compatibilityDate = ${quote(setup.compatibilityDate ?? "2026-10-23")},
  compatibilityFlags = ${list((setup.compatibilityFlags ?? []).map(quote))},
  globalOutbound = "internet"`;
  const twin = setup.twin === true;
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),${twin ? ' (name = "twin", worker = .twin),' : ""}
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = "storage", disk = (path = ${quote(storageDir)}, writable = true)),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:${setup.port ?? 0}", http = (), service = "main"),
    ${twin ? '(name = "twin", address = "127.0.0.1:0", http = (), service = "twin"),' : ""}
  ],
);

const main :Workerd.Worker = (
  ${worker},
  bindings = ${list(bindings(quote))},
  durableObjectNamespaces = ${list(namespaces)},
  durableObjectStorage = (localDisk = "storage"),
);
${twin ? makeTwin(worker, bindings(ofMain)) : ""}`;
}

/** The twin has no objects of its own: its bindings lead to the first worker's. */
function makeTwin(worker: string, bindings: readonly string[]): string {
  return `
const twin :Workerd.Worker = (
  ${worker},
  bindings = ${list(bindings)},
);
`;
}

function ofMain(className: string): string {
  return `(className = ${quote(className)}, serviceName = "main")`;
}

function list(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}

/** Quote for capnp, whose strings know `\\xNN` but not JSON's `\\uNNNN`. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/\\u00([0-9a-f]{2})/g, "\\x$1");
}
