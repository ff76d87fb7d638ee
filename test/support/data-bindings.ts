/** The bindings of the tools that keep data: a real D1 database and a real R2 bucket, in Miniflare. */
export interface DataBindings extends AsyncDisposable {
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly bucket: Bucket;
}

/** What a test uses of the bucket. */
interface Bucket {
  get(key: string): Promise<{
    readonly httpMetadata?: { readonly contentType?: string };
    text(): Promise<string>;
  } | null>;
  list(): Promise<{ readonly objects: readonly { readonly key: string }[] }>;
}

/** Start them, empty. */
export async function startDataBindings(): Promise<DataBindings> {
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import("miniflare");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      r2Buckets: ["OBJECTS"],
      compatibilityDate: "2026-10-23",
      log: new Log(LogLevel.NONE),
      cf: false,
      telemetry: { enabled: false },
    }),
  );
  const bucket = (await miniflare.getR2Bucket("OBJECTS")) as unknown as Bucket;
  return {
    bindings: { OBJECTS: bucket },
    bucket,
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}
