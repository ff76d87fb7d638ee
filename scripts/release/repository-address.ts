/** Stands for the account in the address of the repository, until it has one. */
export const PLACEHOLDER = "YOUR-ACCOUNT";

/** Read the address of the repository from a manifest, such as `https://github.com/acme/volley`. */
export function readAddress(manifest: string): string {
  const { repository } = JSON.parse(manifest) as { repository: { url: string } };
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/**
 * Make the links of a page absolute, because a package has no `docs`: pages lead into the repository at the version's tag, and pictures to
 * their files.
 */
export function withAbsoluteLinks(page: string, address: string, version: string): string {
  const pages = `${address}/blob/v${version}/`;
  const files = `${address.replace("https://github.com/", "https://raw.githubusercontent.com/")}/v${version}/`;
  return page
    .replaceAll(
      /\]\((?![a-z]+:|#)([^)]+)\)/g,
      (_, path: string) => `](${isPicture(path) ? files : pages}${path})`,
    )
    .replaceAll(
      /(src|srcset)="(?![a-z]+:)([^"]+)"/g,
      (_, name: string, path: string) => `${name}="${files}${path}"`,
    )
    .replaceAll(PLACEHOLDER, new URL(address).pathname.split("/")[1]!);
}

const isPicture = (path: string): boolean => /\.(?:png|svg|gif|jpg|webp)$/.test(path);
