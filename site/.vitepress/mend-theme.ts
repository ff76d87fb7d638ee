import { boostDocument } from "../../scripts/docs/search-options.ts";

/** Texts of the generator's theme that readers with assistive technology stumble over, each with what stands in its place. */
const MENDED: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  // A button in a button: the arrow of a group is a picture, and the group says whether it is open.
  "VPSidebarItem.vue": [
    [
      'role="button"\n        aria-label="toggle section"\n        @click="onCaretClick"\n        @keydown.enter="onCaretClick"\n        tabindex="0"',
      'aria-hidden="true"',
    ],
    [':role="itemRole"', ':role="itemRole"\n      :aria-expanded="item.items ? !collapsed : undefined"'],
  ],
  // A button's name has to have the text that is seen on it; the key is drawn by the style sheet.
  "VPNavBarSearchButton.vue": [
    ['<kbd class="DocSearch-Button-Key">K</kbd>', '<kbd class="DocSearch-Button-Key letter"></kbd>'],
  ],
  // The box is a dialog and no button; a result is the option itself, and not a link in one.
  "VPLocalSearchBox.vue": [
    ['<div class="search-keyboard-shortcuts">', '<div class="search-keyboard-shortcuts" aria-hidden="true">'],
    [
      `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"
`,
      'role="dialog"\n      aria-modal="true"\n',
    ],
    [
      `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`,
      'role="presentation"',
    ],
    [
      `:aria-label="[...p.titles, p.title].join(' > ')"`,
      `:id="'localsearch-item-' + index"
              :aria-selected="selectedIndex === index ? 'true' : 'false'"
              role="option"`,
    ],
  ],
};

/** The options of the search, which a page's policy lets be a function only in the theme's own code. */
const SEARCH = "searchOptions: {";

/**
 * Mend the generator's theme while it is read, and rank pages of tables behind others. Throws where a text is not there any more, so that an upgrade
 * of the generator is looked at.
 *
 * @param references addresses of the pages whose tables commands write
 */
export function mendTheme(references: readonly string[]) {
  const ranked = `${SEARCH}\n boostDocument: (id) => (${boostDocument})(id, ${JSON.stringify(references)}),`;
  return {
    name: "mend-theme",
    enforce: "pre" as const,
    transform(code: string, id: string): string | null {
      const [, name = ""] = /\/theme-default\/components\/(\w+\.vue)$/.exec(id) ?? [];
      const mended = MENDED[name];
      if (mended === undefined) return null;
      const changes = name === "VPLocalSearchBox.vue" ? [...mended, [SEARCH, ranked] as const] : mended;
      return changes.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`Cannot mend ${name} of the theme: it has no '${from}'`);
        return text.replace(from, to);
      }, code);
    },
  };
}
