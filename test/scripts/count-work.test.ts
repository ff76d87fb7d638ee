import { expect, test } from "vitest";

import { COUNTED, countWork } from "../../scripts/count-work.ts";

/** The code behind the import. */
const counted = (code: string) => countWork(code).replace(/^import .*?;/, "");

test.each([
  ["for(;;)f()", "for(;;) {$step();f()}"],
  ["while(a){b}", "while(a){;$step();b}"],
  ["function f(){'use strict';b}", "function f(){'use strict';;$step();b}"],
  ["x=>({a})", "x=>( ($step(),{a}))"],
  ["x=>x.slice(1)", "x=> ($step(), $whole(x.slice(1)))"],
  ["for(a of[...b].reverse())c", "for(a of $whole([... $whole(b)]).reverse()) {$step();c}"],
  ["(a||b).indexOf(c,d)", ' $search((a||b),"indexOf")(c,d)'],
  ["a?.b.split(c);a?.split(d)", "a?.b.split(c); $whole(a)?.split(d)"],
  ["new Map(a)", "new Map( $many(a))"],
  ["a===b;a==='b';i<a.length", " $text(a)===b;a==='b';i<a.length"],
  ["a[k]=b.get(k)", "a[ $text(k)]= $put(b.get( $text(k)),a,k)"],
  ["+a;parseInt(b,8);-1", "+ $text(a);parseInt( $text(b),8);-1"],
  ["a+b+c;i+1;`${a}`;f`${a}`", " $joined(a+b+c);i+1; $joined(`${a}`);f`${a}`"],
  ["r.exec(t);/a/.test(t)", ' $match(r,"exec")(t);/a/.test( $whole(t))'],
  ["a.push(b,...c,1)", "a.push( $kept(b),... $whole(c),1)"],
  ["a[k]=b;a[k]=1;a.k=b", "a[ $text(k)]= $put(b,a,k);a[ $text(k)]= $put(1,a,k);a.k=b"],
  ["a[i++]=b;f()[k]=b", "a[i++]= $kept(b);f()[ $text(k)]= $kept(b)"],
  ["this.a.set(k,b);s.add(b)", "this.a.set( $whole(k), $put(b,this.a,k));s.add( $text( $put(b,s,b)))"],
  ["for(;;)s+=t", "for(;;) {$step();s+=t}"],
  ["for(;;){s+=t;f(s)}", "for(;;){;$step(); $joined(s+=t);f(s)}"],
  ["a.replace(/ +$/g,b)", " $whole(a).replace( /(?<! ) +$/g,b)"],
  ["a.match(/\\[.*]/s)", ' $whole(a).match( new $Slow("\\\\[.*]", "s", "["))'],
])("%s counts its work", (code, expected) => {
  expect(counted(code)).toBe(expected);
});

test.each([
  ["/x/node_modules/just-bash/dist/bundle/browser.js", true],
  ["/x/node_modules/diff/libesm/index.mjs", true],
  ["/x/node_modules/mathjs/index.js", false],
  ["/x/src/packs/shell.ts", false],
])("%s is counted: %s", (path, is) => {
  expect(COUNTED.test(path)).toBe(is);
});
