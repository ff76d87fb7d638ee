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

/** Mend the generator's theme while it is read. Throws where a text is not there any more, so that an upgrade of the generator is looked at. */
export function mendTheme() {
  return {
    name: "mend-theme",
    enforce: "pre" as const,
    transform(code: string, id: string): string | null {
      const [, name = ""] = /\/theme-default\/components\/(\w+\.vue)$/.exec(id) ?? [];
      const changes = MENDED[name];
      if (changes === undefined) return null;
      return changes.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`Cannot mend ${name} of the theme: it has no '${from}'`);
        return text.replace(from, to);
      }, code);
    },
  };
}
