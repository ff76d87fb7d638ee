/** Names of U+00A0 to U+00FF, in order (HTML, 13.5). */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";

/** The others that people write by name; pages written by programs use numbers or the characters themselves. */
const OTHERS =
  "amp=& lt=< gt=> quot=\" apos=' ensp=\u2002 emsp=\u2003 thinsp=\u2009 ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ " +
  "rdquo=” bdquo=„ lsaquo=‹ rsaquo=› dagger=† Dagger=‡ bull=• hellip=… permil=‰ prime=′ Prime=″ oline=‾ frasl=⁄ euro=€ " +
  "trade=™ larr=← uarr=↑ rarr=→ darr=↓ harr=↔ rArr=⇒ hArr=⇔ minus=− lowast=∗ radic=√ infin=∞ asymp=≈ ne=≠ equiv=≡ le=≤ " +
  "ge=≥ sum=∑ prod=∏ int=∫ part=∂ nabla=∇ isin=∈ forall=∀ exist=∃ cap=∩ cup=∪ sub=⊂ sup=⊃ and=∧ or=∨ alpha=α beta=β " +
  "gamma=γ delta=δ epsilon=ε theta=θ lambda=λ mu=μ pi=π rho=ρ sigma=σ tau=τ phi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ " +
  "Theta=Θ Lambda=Λ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω OElig=Œ oelig=œ Scaron=Š scaron=š Yuml=Ÿ fnof=ƒ circ=ˆ tilde=˜ " +
  "zwnj=\u200C zwj=\u200D lrm=\u200E rlm=\u200F spades=♠ clubs=♣ hearts=♥ diams=♦ loz=◊ check=✓ star=☆ num=# excl=! " +
  "colon=: comma=, period=. sol=/ lpar=( rpar=) lsqb=[ rsqb=] lbrace={ rbrace=} lowbar=_ dollar=$ percnt=% ast=* plus=+ " +
  'equals== quest=? commat=@ AMP=& LT=< GT=> QUOT=" COPY=© REG=® hyphen=‐ NewLine=\n Tab=\t';

/** The characters of the numbers 128 to 159: pages mean windows-1252 by them (HTML, 13.2.5.80). */
const WINDOWS_1252 = "€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ";

const REFERENCE = /&(?:#(\d{1,8})|#x([0-9a-f]{1,7})|([a-z][a-z0-9]{1,7}));?/gi;

let named: ReadonlyMap<string, string> | undefined;

/**
 * Decode the character references of HTML text, once: what they stand for is text, whatever it looks like. A reference to no
 * character, or by a name that is not known, stays as it is written; a blank that must not break is a blank.
 *
 * @example
 * decodeEntities("Toyota&#x27;s caf&eacute; &amp;lt;"); // "Toyota's café &lt;"
 */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  const names = (named ??= readNames());
  return text.replaceAll(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    // Without a semicolon it may be the rest of an address: `?a=1&copy=2`.
    if (name !== undefined) return reference.endsWith(";") ? (names.get(name) ?? reference) : reference;
    return characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)) ?? reference;
  });
}

function readNames(): ReadonlyMap<string, string> {
  const latin1 = LATIN_1.split(" ").map((name, at): [string, string] => [
    name,
    String.fromCharCode(0xa0 + at),
  ]);
  const others = OTHERS.split(/ (?=\w+=)/).map((pair): [string, string] => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return new Map([...latin1, ...others, ["nbsp", " "]]);
}

function characterOf(code: number): string | undefined {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252[code - 0x80];
  if (code === 0xa0) return " ";
  const isNone = code === 0 || code > 0x10_ff_ff || (code >= 0xd800 && code <= 0xdfff);
  return isNone ? undefined : String.fromCodePoint(code);
}

const MARKS = /<\/?(?:strong|b|em|i|mark)>/gi;

/**
 * Turn a search engine's highlighted snippet into plain text: its emphasis marks go, its character references are
 * decoded once. This is for a model to read, not a sanitiser: never put the result into a page as HTML.
 *
 * @example
 * plainText("Toyota&#x27;s <strong>Camry</strong>"); // "Toyota's Camry"
 */
export function plainText(snippet: string): string {
  return decodeEntities(snippet.replaceAll(MARKS, ""));
}
