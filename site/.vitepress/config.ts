import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { transformerStyleToClass } from "@shikijs/transformers";
import { defineConfig } from "vitepress";

import { SEARCH_OPTIONS } from "../../scripts/docs/search-options.ts";
import { mendTheme } from "./mend-theme.ts";

const pages = fileURLToPath(new URL("../dist/pages", import.meta.url));
const read = (name: string): unknown => JSON.parse(readFileSync(join(pages, name), "utf8"));
/** Colours of code as classes: the policy of the pages allows no style in the markup. */
const colours = transformerStyleToClass({ classPrefix: "c-" });

export default defineConfig({
  title: "Volley",
  description: "Volley runs a language model's tool calls as one batch.",
  lang: "en",
  base: "/docs/",
  srcDir: "dist/pages",
  outDir: "../dist/console/docs",
  cacheDir: "dist/cache",
  cleanUrls: true,
  // The other way to switch writes a style into the page, which its policy does not allow.
  appearance: { disableTransition: false },
  // Addresses of the sandbox are no pages; `scripts/docs/find-dead-links.ts` looks at all others again, with their headings.
  ignoreDeadLinks: "localhostLinks",
  metaChunk: true,
  head: [
    ["link", { rel: "icon", href: "/icon.svg", type: "image/svg+xml" }],
    ["link", { rel: "stylesheet", href: "/docs/code.css" }],
  ],
  markdown: {
    // Headings have the same names here and on GitHub.
    anchor: {
      slugify: (title) =>
        title
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(/\s/g, "-"),
    },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    codeTransformers: [colours],
    config: (md) => {
      md.core.ruler.push("aligned", ({ tokens }) => {
        for (const token of tokens)
          if (/^t[hd]_open$/.test(token.type) && token.attrGet("style") === "text-align:right")
            token.attrs = [["class", "right"]];
      });
      // A drawing scrolls on a phone, which a keyboard can do only with what has the focus.
      md.core.ruler.push("scrolled", ({ tokens }) => {
        for (const [at, token] of tokens.entries())
          if (
            token.type === "paragraph_open" &&
            /^!\[[^\]]*\]\([^)]*\/way-/.test(tokens[at + 1]?.content ?? "")
          )
            token.attrSet("tabindex", "0");
      });
      for (const name of ["code_inline", "text"] as const) {
        const render = md.renderer.rules[name]!;
        // The generator's templates would take two braces for an expression.
        md.renderer.rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
      }
    },
  },
  // Drawings stay files: styles know them by their names.
  vite: { build: { assetsInlineLimit: 0 }, plugins: [mendTheme(read("reference.json") as string[])] },
  themeConfig: {
    siteTitle: "Volley",
    search: { provider: "local", options: { miniSearch: { searchOptions: SEARCH_OPTIONS } } },
    outline: [2, 3],
    nav: [
      { text: "New here", link: "/for-newcomers" },
      { text: "Products", link: "/for-products" },
      { text: "Agents", link: "/for-agents" },
      { text: "Operators", link: "/for-operators" },
    ],
    sidebar: [{ text: "All pages", link: "/" }, ...(read("parts.json") as object[])],
  },
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, "code.css"), colours.getCSS()),
});
