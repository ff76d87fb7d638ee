import { Buffer } from "node:buffer";

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import * as LIMITS from "../../../src/tools/kit/limits.ts";
import { decodePage } from "../../../src/tools/web/web-fetch.ts";
import { htmlToText } from "../../../src/tools/kit/html-to-text.ts";
import { trial } from "../../support/trial.ts";

const textOf = (html: string): string => htmlToText(html).text;

describe("htmlToText()", () => {
  it.each([
    ["<p>One &amp; <b>two</b></p>", "One & two"],
    ["<p>one\n\t two &nbsp; three", "one two three"],
    ["a<p>b</p>c", "a\n\nb\n\nc"],
    ["a<div>b<div>c</div></div>d", "a\nb\nc\nd"],
    ["a<br>b<br/>c<BR />d", "a\nb\nc\nd"],
    ["<ul><li>a<li><p>b</p><li></li></ul>c", "- a\n\n- b\n\nc"],
    ["<table><tr><td>1<td><td>3<tr><td><td>x</table>", "1 | | 3\n| x"],
    ["<pre>a\n  b\n\n\n\nc</pre>", "a\n  b\n\nc"],
    ["half<b>way</b>", "halfway"],
    ["<a href='https://a.example/?q=1'>here</a>", "here"],
    ["<img src=x alt='a picture'>seen", "seen"],
    ["1 < 2 and 3 > 2 and <3 and a<b", "1 < 2 and 3 > 2 and <3 and a"],
    ["<custom-element foo>shown</custom-element>", "shown"],
  ])("reads %j as %j", (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it.each([
    ["<script>if (a < b) document.write('</p>no')</script>yes"],
    ["<SCRIPT type=x>no</SCRIPT >yes"],
    ["<script></scriptx>no</script>yes"],
    ["<style>no</style>yes"],
    ["<textarea><p>no</p></textarea>yes"],
    ["<noscript><p>no</p></noscript>yes"],
    ["<template>no</template>yes"],
    ["<iframe>no</iframe>yes"],
    ["<svg><title>no</title><text>no</text></svg>yes"],
    ["<svg />yes"],
    ["<nav>no<nav>no</nav>no</nav>yes"],
    ["<nav>no<script>'</nav>'</script>no</nav>yes"],
    ["<footer>no</footer>yes"],
    ["<button>no</button>yes"],
    ["<select><option>no</select>yes"],
    ["<div hidden>no<div>no</div></div>yes"],
    ["<div class=x HIDDEN>no</div>yes"],
    ["<section hidden='until-found'>no</section>yes"],
    ["<!-- <p>no</p> -->yes"],
    ["<!-->yes"],
    ["<!--->yes"],
    ["<!doctype html><?xml no?>yes"],
    ["<p title='>no<p>'>yes"],
    ['<p title=">no<p>" data-x>yes'],
    ["<p a=b'>yes"],
    ['<p a="x"\'>yes'],
    ["<p hidden>yes"],
    ["<div class='not hidden' data-hidden hiddenly>yes</div>"],
    ["</ >yes</>"],
    ["yes<a href='never closed"],
    ["yes<!-- never closed"],
    ["yes<script>never closed"],
    ["yes<"],
    ["yes</"],
  ])("shows 'yes' of %s", (html) => {
    expect(textOf(html).replace("</>", "")).toMatch(/^yes<?\/?$/);
  });

  it("takes the title, once, and one line of it", () => {
    expect(htmlToText("<head><TITLE>\n A &lt;b&gt; <i>c</i>\n</TITLE></head><title>other</title>x")).toEqual({
      title: "A <b> <i>c</i>",
      text: "x",
    });
    expect(htmlToText(`<title>${"long ".repeat(1_000)}</title>`).title.length).toBeLessThanOrEqual(200);
    expect(htmlToText("no title")).toEqual({ title: "", text: "no title" });
  });

  it("reads of a page with a main what is in it, unless that is only a frame", () => {
    const said = "What the page says. ".repeat(20).trim();
    expect(textOf(`<div>Menu</div><main><p>${said}</p></main><div>Ads</div>`)).toBe(said);
    expect(textOf(`<div>Menu</div><main><p>${said}`)).toBe(said);
    expect(textOf(`<main></main><p>${said}</p>`)).toBe(said);
  });

  it("reads a page whose menu is never closed, and one that is nothing but a menu", () => {
    expect(textOf("<nav>Home<p>What the page says")).toBe("Home\n\nWhat the page says");
    expect(textOf("<nav><a>Home</a> <a>About</a></nav>")).toBe("Home About");
  });

  it.each([
    ["&eacute;&Eacute;&szlig;&yuml;&copy;&euro;&hellip;&rarr;&equals;&NewLine;&AMP;", "éÉßÿ©€…→= &"],
    ["&#65;&#x42;&#X43;&#65", "ABCA"],
    ["&#128;&#150;", "€–"],
    ["&#0;&#xD800;&#x110000;&#99999999;", "&#0;&#xD800;&#x110000;&#99999999;"],
    ["&#128512;", "😀"],
    ["&unknown; &constructor; & &;&#;&#x; ?a=1&copy=2", "&unknown; &constructor; & &;&#;&#x; ?a=1&copy=2"],
    ["&amp;lt;script&amp;gt;", "&lt;script&gt;"],
    ["&lt;p&gt;", "<p>"],
  ])("decodes %s once", (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  trial("leaves out controls, and says where it stopped reading", () => {
    expect(textOf("a\u0000\u0007b<pre>c\u001bd\te</pre>")).toBe("a b\n\ncd\te");
    expect(textOf("<b>x</b>".repeat(LIMITS.pageTags))).toMatch(/^x+…$/);
    expect(textOf("word ".repeat(100_000)).length).toBeLessThanOrEqual(LIMITS.pageCharacters);
  });

  it("never throws, is never longer than what it reads, and has no two empty lines, whatever it is given", () => {
    const piece = fc.constantFrom(
      ..."< > </ <! <!-- --> <p <p> </p> <li> <td> <pre> </pre> <nav> </nav> <main> </main> <script> </script> <title> ' \" = / hidden &amp; &#x a \n".split(
        " ",
      ),
      "<svg/>",
      " ",
      "<div hidden>",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        const html = pieces.join("");
        const { text, title } = htmlToText(html);
        expect(text).not.toMatch(/\n\n\n|[ \t]\n/);
        expect(text.length + title.length).toBeLessThanOrEqual(3 * html.length + 1);
      }),
    );
  });

  it("shows plain text as it is, but for its blanks", () => {
    const plain = fc.stringMatching(/^[\w .,;:!?'"()-]*$/);
    fc.assert(
      fc.property(plain, (text) => {
        expect(textOf(text)).toBe(text.replaceAll(/\s+/g, " ").trim());
      }),
    );
  });
});

describe("decodePage()", () => {
  const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

  test.each([
    ["its header", latin1("\xe9"), "text/html; charset=ISO-8859-1", "é"],
    ["its header in quotes", latin1("\xe9"), 'text/html;charset="latin1"', "é"],
    ["its mark before its header", Buffer.from("\uFEFFé"), "text/html; charset=latin1", "é"],
    ["its mark", Buffer.from("\uFEFFé", "utf16le"), null, "é"],
    ["its meta", latin1('<meta charset="windows-1251">\xe9'), "text/html", '<meta charset="windows-1251">й'],
    [
      "its meta, which cannot be UTF-16",
      Buffer.from("<meta charset=utf-16>é"),
      "text/html",
      "<meta charset=utf-16>é",
    ],
    [
      "its declaration",
      latin1("<?xml version='1.0' encoding='latin1'?>\xe9"),
      "text/xml",
      "<?xml version='1.0' encoding='latin1'?>é",
    ],
    ["what most pages are", Buffer.from("é"), null, "é"],
    ["what old pages are", latin1("\xe9\x80"), null, "é€"],
    ["what most pages are when its own word is none", Buffer.from("é"), "text/html; charset=klingon", "é"],
  ])("decodes by %s", (_, bytes, contentType, text) => {
    expect(decodePage(bytes, contentType)).toBe(text);
  });

  test("puts a sign in the place of what is no character", () => {
    expect(decodePage(latin1("a\xffb"), "text/html; charset=utf-8")).toBe("a\uFFFDb");
  });
});
