/** The style of the front page: the console's colours, light and dark. Tabs are radio buttons, so they need no script. */
export const FRONT_STYLE = `:root{color-scheme:light dark;--page:light-dark(#f6f7f9,#101217);--card:light-dark(#fff,#181b22);--sunk:light-dark(#eff1f5,#12141a);--line:light-dark(#dfe3ea,#2b303b);--strong:light-dark(#858d9c,#6d7686);--text:light-dark(#1a1e27,#e8eaf0);--muted:light-dark(#5a6272,#a0a8b8);--accent:light-dark(#4338ca,#a5b4fc);--fill:light-dark(#4338ca,#5b54e0);--good:light-dark(#1a7f37,#3fb950);--bad:light-dark(#b42318,#ff9a8f);--wait:light-dark(#8250df,#bc8cff);--job:light-dark(#0969da,#58a6ff)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{display:grid;gap:24px;max-width:820px;margin:0 auto;padding:clamp(28px,7vh,72px) 20px 64px}
main>*{min-width:0}
h1,h2,p,dl,dd,figure,pre,fieldset{margin:0}
h1{font-size:clamp(30px,6vw,46px);line-height:1.1;letter-spacing:-.025em}
h2{margin-top:12px;font-size:19px}
a{color:var(--accent)}
.mark{display:flex;align-items:center;gap:12px;font-size:20px;font-weight:650}
.lead{max-width:62ch;color:var(--muted);font-size:18px}
.links{display:flex;flex-wrap:wrap;gap:12px}
.links a{padding:9px 18px;border:1px solid var(--strong);border-radius:8px;background:var(--card);color:var(--text);text-decoration:none;font-weight:550}
.links a.first{border-color:var(--fill);background:var(--fill);color:#fff}
figure{padding:20px;border:1px solid var(--line);border-radius:14px;background:var(--card)}
figure svg{display:block;width:100%;max-width:600px;height:auto}
figure text{fill:var(--text);font:14px ui-monospace,"SF Mono",Menlo,Consolas,monospace}
figure .note{fill:var(--muted)}figure path{fill:none;stroke:var(--strong);stroke-dasharray:3 4}
figure .good{fill:var(--good)}figure .bad{fill:var(--bad)}figure .wait{fill:var(--wait)}figure .job{fill:var(--job)}figure .sunk{fill:var(--sunk)}
figcaption{margin-top:12px;color:var(--muted);font-size:14px}
fieldset{display:flex;flex-wrap:wrap;gap:4px;padding:0;border:0;min-width:0}
legend{float:left;width:100%;margin-bottom:12px;padding:0;color:var(--muted)}
fieldset label{padding:6px 14px;border:1px solid var(--strong);border-radius:8px;background:var(--card);cursor:pointer}
fieldset input{position:absolute;opacity:0;pointer-events:none}
fieldset input:checked+label{border-color:var(--fill);background:var(--fill);color:#fff}
fieldset input:focus-visible+label{outline:2px solid var(--accent);outline-offset:2px}
fieldset>div{display:none;order:1;width:100%;margin-top:8px}
fieldset input:checked+label+div{display:grid;gap:12px}
fieldset>div>*{min-width:0}
pre{padding:16px;border:1px solid var(--line);border-radius:10px;background:var(--card);overflow-x:auto;font:13.5px/1.6 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:.93em;overflow-wrap:anywhere}
dl{display:grid;gap:14px}
dd{color:var(--muted)}
details{padding:12px 16px;border:1px solid var(--line);border-radius:10px;background:var(--card)}
summary{cursor:pointer}
details dl{margin-top:16px;gap:10px;font-size:14px}
details code{display:inline-block;margin-right:14px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}`;
