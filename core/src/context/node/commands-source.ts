import { utf8Length } from "../../base/text-bounds.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/context-exclusions.js";
import type { ContextItem } from "../context-item.js";
import type { ContextSource, SlashCommand } from "../contribution.js";
import { type ContextPlaces, type FormPlace, formPlaces } from "./places.js";
import type { SourceServices } from "./rules-source.js";
import { join } from "node:path";
import { type NamedFolder, projectCommands, userCommands } from "../../agents/registry/agent-files.js";
import { asObject, stringOf } from "../../base/rpc/json.js";
import { findPlugins, type FoundPlugin } from "./found-plugins.js";
import { readMarkdown } from "./front-matter.js";
import { listFiles, readTextFile } from "./text-files.js";

/** Offers commands and prompts from all agents' folders as slash commands, except those that the agent itself announces. */
export function commandsSource({ home, env, settings }: SourceServices): ContextSource {
  return {
    name: "commands",
    async open({ roots, row }) {
      const said = await settings();
      if (!said.commands) return {};
      const { commands } = await plannedCommands({ roots, home, env, instructionFiles: [] }, row, said);
      return commands.length === 0 ? {} : { commands: { current: () => commands } };
    },
  };
}

export async function plannedCommands(
  places: ContextPlaces,
  row: AgentRow | undefined,
  { exclude }: ContextSettings,
): Promise<{ readonly items: readonly ContextItem[]; readonly commands: readonly SlashCommand[] }> {
  const found = await findCommands(places);
  const isNative = ({ form }: FoundCommand): boolean => row !== undefined && form.readBy.includes(row.id);
  const native = new Set(found.filter(isNative).map(({ name }) => name));
  const taken = new Set<string>();
  const commands: SlashCommand[] = [];
  const items = found.map((command): ContextItem => {
    const { name, title, path, description, hint, template } = command;
    const item = { kind: "command", title: `/${name}`, origin: path, bytes: utf8Length(template) } as const;
    const whyNot = isNative(command)
      ? "the agent provides it itself"
      : native.has(name) || taken.has(name)
        ? "another command has the same name"
        : isExcluded(exclude, [title, `/${name}`], path, places.home)
          ? "switched off"
          : undefined;
    if (whyNot !== undefined) return { ...item, isSent: false, reason: whyNot };
    taken.add(name);
    const expand: SlashCommand["expand"] = (words) =>
      Promise.resolve([{ type: "text", text: expandTemplate(template, words) }]);
    commands.push({ name, description, ...(hint !== undefined && { hint }), expand });
    return { ...item, isSent: true, reason: "when the user calls it" };
  });
  return { items, commands };
}

interface FoundCommand {
  readonly form: NamedFolder;
  /** Command name without the slash; `:` joins folder and file names. */
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly description: string;
  readonly hint: string | undefined;
  readonly template: string;
}

/** Finds all commands and prompts; the project's precede the user's. Never rejects. */
async function findCommands(places: ContextPlaces): Promise<readonly FoundCommand[]> {
  const { ofProject, ofUser } = await formPlaces(places, { project: projectCommands, user: userCommands });
  const ofPlugins = (await findPlugins(places)).map(inPlugin);
  return (await Promise.all([...[...ofProject, ...ofUser].map(inPlace), ...ofPlugins])).flat();
}

async function inPlugin({ name: plugin, folder, form }: FoundPlugin): Promise<readonly FoundCommand[]> {
  const base = join(folder, "commands");
  const found = await inPlace({ form, base, folder, within: folder, shown: (path) => path });
  return found.map((command) => ({ ...command, name: `${plugin}:${command.name}` }));
}

async function inPlace({ form, base, within, shown }: FormPlace<NamedFolder>): Promise<readonly FoundCommand[]> {
  const paths = await listFiles(base, (path) => /\.(?:md|toml)$/.test(path));
  const found = await Promise.all(
    paths.map(async (below) => {
      const path = join(base, ...below.split("/"));
      const file = await readTextFile(path, within);
      if (file?.text === undefined) return [];
      const content = path.endsWith(".toml") ? await readToml(file.text) : await readPrompt(file.text);
      const name = below.replace(/(?:\.prompt)?\.(?:md|toml)$/, "").replaceAll("/", ":");
      if (!content || content.template.trim() === "" || /\s/.test(name)) return [];
      const { description = "", hint, template } = content;
      const first = template.trim().split("\n")[0] ?? "";
      const about = description === "" ? first.slice(0, 100) : description;
      return [{ form, name, title: shown(path), path: file.path, description: about, hint, template }];
    }),
  );
  return found.flat();
}

interface CommandFile {
  readonly description: string | undefined;
  readonly hint: string | undefined;
  readonly template: string;
}

async function readPrompt(text: string): Promise<CommandFile> {
  const { matter, body } = await readMarkdown(text);
  const hint =
    stringOf(matter["argument-hint"]) ?? (/\$(?:ARGUMENTS|[1-9])|\{\{\s*args/.test(body) ? "words" : undefined);
  return { description: stringOf(matter["description"]), hint, template: body };
}

async function readToml(text: string): Promise<CommandFile | undefined> {
  const { parse } = await import("smol-toml");
  try {
    const { prompt, description } = asObject(parse(text)) ?? {};
    if (typeof prompt !== "string") return undefined;
    return {
      description: stringOf(description),
      hint: prompt.includes("{{args}}") ? "words" : undefined,
      template: prompt,
    };
  } catch {
    return undefined;
  }
}

/** Shell commands in a template: `` !`…` `` in Claude and OpenCode, `!{…}` in Gemini and Qwen. */
const shellParts = /!`[^`\n]{1,500}`|!\{[^}\n]{1,500}\}/;

/**
 * Expands a command or prompt template with the user's words: `$ARGUMENTS`, `$1` to `$9`, `$NAME` for `NAME=value` (Codex) and `{{args}}`
 * (Gemini, Qwen). Appends unused words. Runs no commands and reads no files; if the template relies on them, appends a note.
 */
export function expandTemplate(template: string, words: string): string {
  const list = splitWords(words);
  const named = new Map(
    list.flatMap((word) => {
      const [, name, value] = /^([A-Z_][A-Z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
  const used: string[] = [];
  const text = template.replace(
    /\$ARGUMENTS|\$([1-9])|\$([A-Z_][A-Z0-9_]*)|\{\{\s*args\s*\}\}/g,
    (place, digit?: string, name?: string) => {
      const value =
        digit !== undefined ? (list[Number(digit) - 1] ?? "") : name === undefined ? words : named.get(name);
      if (value === undefined) return place;
      used.push(place);
      return value;
    },
  );
  return [
    text.trim(),
    ...(used.length > 0 || words === "" ? [] : [words]),
    ...(shellParts.test(template)
      ? [
          "Parts of the form !`…` or !{…} are shell commands. None of them was run: run what you need with your own tools.",
        ]
      : []),
    ...(/(?:^|\s)@(?:\{[^}\n]|[\w.~/-])/.test(template) ? ["Text after an @ names a file: read it yourself."] : []),
  ].join("\n\n");
}

/** Splits text into words like a shell. Quotes join words. */
function splitWords(words: string): readonly string[] {
  return [...words.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}
