import assert from "node:assert/strict";
import { markdownToHtml } from "../../../webview/chat/markdown/markdown-html.js";

describe("markdownToHtml", () => {
  it("shows HTML as text", () => {
    assert.equal(
      markdownToHtml("a <img src=x onerror=alert(1)> b"),
      '<p dir="auto">a &lt;img src=x onerror=alert(1)&gt; b</p>\n',
    );
  });

  for (const target of ["javascript:alert(1)", "command:workbench.action.quit", "vscode://x/y", "data:text/html,x"]) {
    it(`leaves a link to ${target.split(":")[0] ?? ""}: as text`, () => {
      assert.equal(markdownToHtml(`[x](${target})`).includes("<a"), false);
    });
  }

  it("makes links to files where text, code and links name them", () => {
    const html = markdownToHtml("In src/a.ts:12 and `lib/b.rs`, see [here](docs/c%20d.md#L4).");
    assert.equal(
      html,
      '<p dir="auto">In <a class="file" data-path="src/a.ts" data-line="12">src/a.ts:12</a> and ' +
        '<code class="file" data-path="lib/b.rs">lib/b.rs</code>, ' +
        'see <a class="file" data-path="docs/c d.md" data-line="4">here</a>.</p>\n',
    );
  });

  it("shows an image of the web as a link, so that nothing is loaded", () => {
    assert.equal(
      markdownToHtml("![logo](https://example.com/a.png)"),
      '<p dir="auto"><a href="https://example.com/a.png">logo</a></p>\n',
    );
  });

  it("shows an image that is part of the answer", () => {
    assert.equal(
      markdownToHtml("![dot](data:image/png;base64,AAAA)"),
      '<p dir="auto"><img src="data:image/png;base64,AAAA" alt="dot"></p>\n',
    );
  });

  it("marks the tasks of a list", () => {
    assert.equal(
      markdownToHtml("- [x] one\n- [ ] two\n"),
      '<ul dir="auto">\n<li class="task is-done">one</li>\n<li class="task">two</li>\n</ul>\n',
    );
  });

  it("lets lists and quotations take the direction of their text", () => {
    assert.equal(
      markdownToHtml("- مرحبا\n\n- واحد\n\n> مرحبا"),
      '<ul dir="auto">\n<li>\n<p>مرحبا</p>\n</li>\n<li>\n<p>واحد</p>\n</li>\n</ul>\n' +
        '<blockquote dir="auto">\n<p>مرحبا</p>\n</blockquote>\n',
    );
  });

  it("gives every heading the level below the turn's, and keeps its look", () => {
    assert.equal(markdownToHtml("#### Deep"), '<h3 class="heading-4" dir="auto">Deep</h3>\n');
  });

  it("uses no style attributes, which the page forbids", () => {
    assert.equal(markdownToHtml("|a|b|\n|:-:|--:|\n|1|2|\n").includes("style="), false);
  });
});
