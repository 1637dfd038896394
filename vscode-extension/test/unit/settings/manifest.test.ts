import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentActionTool } from "@symposium-dev/core";
import { settingContributions } from "../../../src/features/settings/settings-table.js";

const root = join(import.meta.dirname, "../../../..");

/** Members of contributions with texts that VS Code shows. */
const shownMembers =
  /^(?:title|shortTitle|category|label|contents|altText|fullName|displayName|userDescription|(?:markdown)?[dD]escription)$/;

interface Manifest {
  readonly icon: string;
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category?: string;
      readonly enablement?: string;
    }[];
    readonly configuration: { readonly properties: unknown };
    readonly menus: unknown;
    readonly keybindings: unknown;
    readonly languageModelChatProviders: readonly { readonly managementCommand: string; readonly when: string }[];
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly toolReferenceName: string;
      readonly canBeReferencedInPrompt: boolean;
      readonly when: string;
    }[];
    readonly chatParticipants: readonly { readonly when: string }[];
    readonly configurationDefaults: Readonly<Record<string, unknown>>;
    readonly walkthroughs: readonly { readonly steps: readonly { readonly media: { readonly markdown: string } }[] }[];
  };
}

describe("package.json of the extension", () => {
  let texts: Readonly<Record<string, string>>;
  let manifest: Manifest;
  const used = new Set<string>();
  before(async () => {
    texts = JSON.parse(await readFile(join(root, "package.nls.json"), "utf8")) as typeof texts;
    const inEnglish = (_name: string, value: unknown): unknown => {
      const key = typeof value === "string" ? /^%(.+)%$/.exec(value)?.[1] : undefined;
      if (key === undefined) return value;
      used.add(key);
      return texts[key];
    };
    manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"), inEnglish) as Manifest;
  });

  it("has all texts that users see in package.nls.json, for translators", () => {
    assert.deepEqual([...used].sort(), Object.keys(texts).sort());
    const plain: string[] = [];
    JSON.stringify(manifest.contributes, (name, value: unknown) => {
      const isText = typeof value === "string" && shownMembers.test(name) && value !== "Symposium";
      if (isText && !Object.values(texts).includes(value)) plain.push(`${name}: ${value}`);
      // Models read the schemas of tools.
      return name === "inputSchema" ? undefined : value;
    });
    assert.deepEqual(plain, []);
  });

  it("contributes the settings that the table has, in its words", () => {
    assert.deepEqual(manifest.contributes.configuration.properties, JSON.parse(JSON.stringify(settingContributions())));
  });

  it("names no command in menus, keys and walkthroughs that it does not contribute", () => {
    const { commands, menus, keybindings, walkthroughs, languageModelChatProviders } = manifest.contributes;
    const known = new Set(commands.map(({ command }) => command));
    const text = JSON.stringify([menus, keybindings, walkthroughs]);
    const named = [...text.matchAll(/"command":"([^"]+)"|command:([\w.]+)|onCommand:([\w.]+)/g)].map(
      ([, plain, link, event]) => plain ?? link ?? event ?? "",
    );
    named.push(...languageModelChatProviders.map(({ managementCommand }) => managementCommand));
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.filter((name) => name.startsWith("symposium.") && !known.has(name)),
      [],
    );
  });

  it("offers nothing in Restricted Mode for which an agent, or the command, would have to start", () => {
    const trusted = manifest.contributes.commands.filter(({ enablement }) => enablement === "isWorkspaceTrusted");
    assert.deepEqual(
      trusted.map(({ command }) => command.replace("symposium.", "")),
      ["showContext", "panel.showContext", "writeCommitMessage", "reviewChanges", "editHere"],
    );
  });

  it("puts Symposium before every command, and offers adding an agent once", () => {
    const { commands } = manifest.contributes;
    assert.deepEqual(new Set(commands.map(({ category }) => category)), new Set(["Symposium"]));
    assert.equal(commands.filter(({ title }) => title.startsWith("Add Agent")).length, 1);
  });

  it("names no command twice", () => {
    const names = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(names, [...new Set(names)]);
  });

  it("names pictures and pages that are there", async () => {
    const pages = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown));
    await Promise.all([manifest.icon, ...pages].map((path) => access(join(root, path))));
    assert.equal(pages.length, 4);
  });

  it("offers language models, their tool and the participant only while the setting is on", () => {
    const { languageModelChatProviders, languageModelTools, chatParticipants } = manifest.contributes;
    const conditions = [...languageModelChatProviders, ...languageModelTools, ...chatParticipants].map(
      ({ when }) => when,
    );
    assert.deepEqual(conditions, Array(3).fill("config.symposium.enableExperimentalLM"));
  });

  it("makes the tool that asks for permission known to chats, and asks each time", () => {
    const { languageModelTools, configurationDefaults } = manifest.contributes;
    assert.deepEqual(
      languageModelTools.map(({ name, canBeReferencedInPrompt }) => [name, canBeReferencedInPrompt]),
      [[agentActionTool, true]],
    );
    const [tool] = languageModelTools;
    assert.deepEqual(configurationDefaults["chat.tools.eligibleForAutoApproval"], {
      [`symposium-dev.symposium/${tool?.toolReferenceName ?? ""}`]: false,
    });
  });
});
