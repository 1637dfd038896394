import assert from "node:assert/strict";
import { untranslated } from "../../scripts/untranslated/find.mjs";

describe("the check of the extension's texts", () => {
  const check = (source, origins = {}) => untranslated(new Map([["src/page.ts", source]]), origins);

  const plain = [
    ["a message", 'window.showWarningMessage("Denied");', "Denied"],
    ["a lowercase answer", 'window.showInformationMessage(l10n.t("Go on?"), "keep");', "keep"],
    ["a sentence", 'say("The agent stopped.");', "The agent stopped."],
    ["a template with one word", "say(`Open ${host}`);", "Open {}"],
    ["a count", "const count = n === 1 ? `1 tool` : String(n);", "1 tool"],
    ["a pick's description", "const pick = { id, description: isOpen ? 'open' : '' };", "open"],
    ["a status bar's tooltip", 'item.tooltip = "busy";', "busy"],
    ["a code lens's title", 'const lens = { title: "keep", command };', "keep"],
    ["a progress title", 'window.withProgress({ location, title: "Searching" }, run);', "Searching"],
    ["a text node", "html`<b class=${look}>busy</b>`;", "busy"],
    ["a word in a text node", 'html`<b>${isNew ? "new" : nothing}</b>`;', "new"],
    ["a shown attribute", 'html`<i title="busy"></i>`;', "busy"],
    ["markup without a tag", "const page = `<p>${name}: done</p>`;", "{}: done"],
  ];
  for (const [what, source, text] of plain)
    it(`finds ${what}`, () => {
      assert.deepEqual(
        check(source).map((problem) => problem.replace(/^src\/page\.ts#\w*:1: /, "")),
        [`"${text}"`],
      );
    });

  it("leaves out translated texts, logs, errors, selectors, names and styles", () => {
    const source = `
      import { used } from "../two words.js";
      type Refusal = "not kept";
      say(l10n.t("The agent stopped."));
      logger.warn("The agent stopped.");
      throw new Error("The agent stopped.");
      const reason: Refusal = isKept ? undefined : "not kept";
      document.querySelector("main button");
      html\`<b class=\${isNew ? "new" : ""} title=\${l10n.t("New")}>\${l10n.t("New")}</b>\`;
      css\`.row { color: red }\`;
    `;
    assert.deepEqual(check(source), []);
  });

  it("allows the places in the table, and reports those without a text", () => {
    const source = 'function prompt() { return "Review these changes."; }';
    assert.deepEqual(check(source, { "For agents": ["src/page.ts#prompt"] }), []);
    assert.deepEqual(check("", { "For agents": ["src/page.ts#prompt"] }), [
      "src/page.ts#prompt: no plain text, remove it from the origins",
    ]);
  });
});
