import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A registry of this machine that has our packages, and sends on to another one for all others. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * Serve packages as a registry does, so that `npm create volley` is typed as it will be once they are published.
 *
 * @param folder where a dry run of a release has put them
 * @param upstream the registry that has all others
 */
export async function serveRegistry(folder: string, upstream: string): Promise<LocalRegistry> {
  const names = ["volley", "create-volley"];
  const manifests = await Promise.all(
    names.map(
      async (name) => JSON.parse(await readFile(join(folder, name, "package.json"), "utf8")) as Manifest,
    ),
  );
  const server: Server = createServer(({ url = "/" }, response) => {
    const wanted = manifests.find(({ name }) => url === `/${name}`);
    if (wanted !== undefined) {
      const { name, version } = wanted;
      const tarball = `http://127.0.0.1:${(server.address() as AddressInfo).port}/-/${name}-${version}.tgz`;
      const versions = { [version]: { ...wanted, dist: { tarball } } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else if (manifests.some(({ name, version }) => url === `/-/${name}-${version}.tgz`)) {
      createReadStream(join(folder, url.slice(3))).pipe(response);
    } else response.writeHead(302, { location: new URL(url.slice(1), upstream).href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
