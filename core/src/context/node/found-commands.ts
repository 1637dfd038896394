import { join } from "node:path";
import { projectCommands, userCommands, type NamedFolder } from "../../agents/registry/agent-files.js";
import { asObject, stringOf } from "../../base/rpc/json.js";
import { type FoundPlugin, findPlugins } from "./found-plugins.js";
import { readMarkdown } from "./front-matter.js";
import { type ContextPlaces, type FormPlace, formPlaces } from "./places.js";
import { listFiles, readTextFile } from "./text-files.js";

export interface FoundCommand {
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
export async function findCommands(places: ContextPlaces): Promise<readonly FoundCommand[]> {
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
