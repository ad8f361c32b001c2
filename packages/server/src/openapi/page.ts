import { type Html, html } from "./html.ts";

/** The one style of all pages; the policy of each page allows it by its hash, and nothing else. */
const style = `
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:#1b1f24;background:#fff;overflow-wrap:anywhere}
main,header.top{max-width:78rem;margin:0 auto;padding:0 1rem}
header.top{padding-top:1.5rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.4rem;line-height:1.25;margin:3rem 0 .5rem;padding-top:1rem;border-top:3px solid #1d4f91}
h3{font-size:1.1rem;line-height:1.3;margin:0}
h4{font-size:.95rem;margin:1.25rem 0 .35rem}
p{margin:.5rem 0;max-width:46rem}
a{color:#1d4f91}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid #f5a300;outline-offset:2px}
code,pre{font-family:ui-monospace,"Cascadia Mono","DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.875em}
code{background:#eef1f5;padding:.05em .3em;border-radius:3px}
pre{background:#f4f6f9;border:1px solid #d5dbe3;border-radius:4px;padding:.75rem;margin:.35rem 0;overflow:auto;max-height:28rem;line-height:1.4;overflow-wrap:normal}
pre code{background:none;padding:0}
nav ul{list-style:none;margin:.25rem 0 .75rem;padding:0}
nav li a{display:block;padding:.3rem 0;text-decoration:none}
nav li a:hover{text-decoration:underline}
nav strong{display:block;margin-top:.5rem}
summary{cursor:pointer;padding:.35rem 0;font-weight:600}
.operation,.schema{margin:1.25rem 0;padding:1rem;border:1px solid #d5dbe3;border-radius:6px}
.line{display:flex;flex-wrap:wrap;gap:.25rem .6rem;align-items:baseline;margin:.5rem 0}
.method{font-weight:700;font-size:.8rem;padding:.1rem .5rem;border-radius:3px;color:#fff;background:#1d4f91}
.post{background:#1e6b3a}.put{background:#8a4b00}.patch{background:#6b3fa0}.delete{background:#a3242f}
.path{background:none;padding:0;font-size:.95rem}
.quiet{color:#57606a;font-size:.9rem}
dl{margin:.25rem 0}
dt{margin-top:.5rem}
dd{margin:0 0 0 1rem}
dd p{margin:0}
.status{display:inline-block;min-width:2.6rem;font-weight:700}
ol{padding-left:1.5rem}
ol>li{margin:1rem 0}
dl.problems dt{margin-top:1.25rem;font-weight:600}
ul.plain{list-style:none;margin:.25rem 0;padding:0}
ul.plain a{display:inline-block;padding:.15rem 0}
@media(min-width:64rem){
.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:2.5rem}
.columns>nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:1rem 0;font-size:.9rem}
}
`;

/** A page for people: without scripts, in one file. */
export interface Page {
  readonly html: string;
  /** Its Content-Security-Policy: nothing but its own style. */
  readonly policy: string;
}

export async function pageOf(title: string, body: Html): Promise<Page> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: style }}</style>
</head>
<body>
${body}
</body>
</html>
`;
  const hash = await digest(style);
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html: page.html, policy };
}

/** SHA-256 in base64. */
export async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes));
}
