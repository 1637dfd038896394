import assert from "node:assert/strict";
import { adapterLanguages, isServed } from "../../../src/features/language-features/served-languages.js";
import {
  type Circumstances,
  ideOperationsOptions,
  type OpenedDocument,
  wantedLanguages,
} from "../../../src/features/language-features/wanted-languages.js";

const grammar = { name: "python", contributes: { languages: [{ id: "python" }] } };
const forPython = { name: "ms-python", main: "./out.js", activationEvents: ["onLanguage:python"] };

describe("whether an extension serves a language", () => {
  const served = (languageId: string, ...manifests: readonly unknown[]): boolean => isServed(languageId, manifests);

  it("is read from the manifest: code that starts for the language, not a grammar alone", () => {
    const contributing = { ...grammar, main: "./out.js" };
    const inBrowser = { browser: "./out.js", activationEvents: ["onLanguage:python"] };
    assert.deepEqual(
      [[], [grammar], [forPython], [contributing], [inBrowser]].map((manifests) => served("python", ...manifests)),
      [false, false, true, true, true],
    );
  });

  it("is not answered by extensions for all languages or for other ones", () => {
    const spelling = { main: "./out.js", activationEvents: ["onStartupFinished", "onLanguage", "*"] };
    const eventsOnly = { activationEvents: ["onLanguage:python"] };
    assert.equal(served("python", spelling, eventsOnly, { ...forPython, activationEvents: ["onLanguage:go"] }), false);
  });

  it("is true for VS Code's own languages, and false for an unreadable manifest", () => {
    assert.deepEqual([served("typescript"), served("json"), served("python", null, 7, {})], [true, true, false]);
  });
});

describe("the languages that the language client serves", () => {
  const document = (languageId: string, folder = "file:///one"): OpenedDocument => ({
    languageId,
    folder,
    uri: `${folder}/a.${languageId}`,
  });
  const circumstances = (given: Partial<Circumstances> & { readonly settings?: object } = {}): Circumstances => ({
    setting: (key) => new Map<string, unknown>(Object.entries(given.settings ?? {})).get(key),
    isTrusted: true,
    manifests: [grammar],
    ...given,
  });
  const wanted = (documents: readonly OpenedDocument[], given?: Parameters<typeof circumstances>[0]): unknown =>
    Object.fromEntries(
      [...wantedLanguages(documents, circumstances(given))].map(([folder, languages]) => [
        folder,
        Object.fromEntries(languages),
      ]),
    );

  it("are those of open documents that the adapter has a server for, each with its first document", () => {
    const documents = [
      document("python"),
      { ...document("python"), uri: "file:///one/b.python" },
      document("plaintext"),
    ];
    assert.deepEqual(wanted(documents), { "file:///one": { python: "file:///one/a.python" } });
  });

  it("are kept apart by workspace folder, and leave out documents outside the workspace", () => {
    const documents = [document("python"), document("go", "file:///two")];
    assert.deepEqual(wanted([...documents, { ...document("rust"), folder: undefined }]), {
      "file:///one": { python: "file:///one/a.python" },
      "file:///two": { go: "file:///two/a.go" },
    });
  });

  it("are none if an extension serves them, the workspace isn't trusted or a setting is off", () => {
    const off = [{ id: "ide-operations", _enabled: false }];
    const withoutAdapter = [{ id: "ide-operations", options: { adapter: false } }];
    const cases: Parameters<typeof circumstances>[0][] = [
      { manifests: [forPython] },
      { isTrusted: false },
      { settings: { languageFeatures: "off" } },
      { settings: { startLanguageServers: false } },
      { settings: { extensions: off } },
      { settings: { extensions: withoutAdapter } },
      { settings: { extensions: [] } },
    ];
    assert.deepEqual(
      cases.map((given) => wanted([document("python")], given)),
      cases.map(() => ({})),
    );
  });

  it("include those of servers that the user added", () => {
    const options = { languageServers: { zls: { command: "zls", languages: { zig: [".zig"] } }, pyright: false } };
    const extensions = [{ id: "sparkle" }, { id: "ide-operations", _enabled: true, options }];
    assert.deepEqual(ideOperationsOptions(extensions), options);
    assert.equal(adapterLanguages(options).has("zig"), true);
    assert.deepEqual(wanted([document("zig")], { settings: { extensions } }), {
      "file:///one": { zig: "file:///one/a.zig" },
    });
  });
});
