import { posix } from "node:path";

/** The address of a page below `/docs/`: pages of the root, such as ARCHITECTURE.md, stand beside the others. */
export function addressOf(file: string): string {
  const name = file.replace(/^docs\//, "").replace(/\.md$/, "");
  return name === "index" ? "" : file.startsWith("docs/") ? name : name.toLowerCase();
}

/**
 * Rewrite a page of the repository as the generator takes it. Links between pages become addresses of the site; links to anything else in the
 * repository lead to it there, or are text alone where the repository has no address.
 *
 * @param files every page of the site
 */
export function toSitePage(
  text: string,
  {
    file,
    files,
    repository,
  }: { readonly file: string; readonly files: ReadonlySet<string>; readonly repository: string },
): string {
  return outsideCode(text, (prose) =>
    toThemedPictures(prose)
      .replaceAll(
        /(!?)\[((?:\[[^\]]*\]\([^)]*\)|[^\]])*?)\]\(([^)\s]+)\)/g,
        (whole, mark: string, label: string, target: string) => {
          if (/^(?:https?:|#|mailto:)/.test(target)) return whole;
          const [path = "", anchor] = target.split("#");
          const found = posix.normalize(posix.join(posix.dirname(file), path));
          if (mark === "!") return `![${label}](/${found.replace(/^docs\//, "")})`;
          const hash = anchor === undefined ? "" : `#${anchor}`;
          if (files.has(found)) return `[${label}](/${addressOf(found)}${hash})`;
          return repository === "" ? toText(label) : `[${label}](${repository}/blob/main/${found}${hash})`;
        },
      )
      .replaceAll(/ src="((?!https?:|\/)[^"]+)"/g, (_, path: string) => {
        const found = posix.normalize(posix.join(posix.dirname(file), path));
        return ` src="/${found.replace(/^docs\//, "")}"`;
      }),
  );
}

/** A link's label that leads nowhere: code, unless it is a sentence. */
function toText(label: string): string {
  return label.includes(HIDDEN) || /[\s`]/.test(label) ? label : `\`${label}\``;
}

/** A picture that has a dark twin becomes two, of which the site shows one. */
function toThemedPictures(text: string): string {
  return text.replaceAll(/<picture>.*?<\/picture>/gs, (picture) => {
    const attribute = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(picture)?.[1] ?? "";
    const width = attribute("width") === "" ? "" : ` width="${attribute("width")}"`;
    const image = (kind: string, path: string): string =>
      `<img class="${kind}" alt="${attribute("alt")}"${width} src="${path}" />`;
    return image("in-light", attribute("src")) + image("in-dark", attribute("srcset"));
  });
}

/** Apply a change to everything but fenced blocks and code in a line; the generator knows a fence by its first word. */
function outsideCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/^(```.*?^```[^\S\n]*$)/ms)
    .map((part, at) => (at % 2 === 1 ? part.replace(/^```(\w+)[^\n]*/, "```$1") : changeProse(part, change)))
    .join("");
}

/** Stands around the number of a piece of code while the text without code is changed: no page has this character. */
const HIDDEN = "\uffff";

function changeProse(text: string, change: (prose: string) => string): string {
  const kept: string[] = [];
  // A link's label may be code, so code is put back after the links were changed.
  const hidden = text.replaceAll(
    /(`+)(?:(?!\n\n)[^`])+\1/g,
    (code) => `${HIDDEN}${kept.push(code) - 1}${HIDDEN}`,
  );
  return change(hidden).replaceAll(/\uffff(\d+)\uffff/g, (_, at: string) => kept[Number(at)]!);
}
