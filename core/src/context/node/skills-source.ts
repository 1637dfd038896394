import { cutToBytes, utf8Length } from "../../base/text-bounds.js";
import type { Logger } from "../../base/logger.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/context-exclusions.js";
import type { ContextItem } from "../context-item.js";
import type { ContextSource, Contribution, SlashCommand } from "../contribution.js";
import { deadlineIn } from "../../base/until-aborted.js";
import { type ContextPlaces, type FormPlace, formPlaces, type PackageSkillFolder } from "./places.js";
import type { SourceServices } from "./rules-source.js";
import { stringOf } from "../../base/rpc/json.js";
import { basename, dirname, join } from "node:path";
import { type NamedFolder, projectSkills, userSkills } from "../../agents/registry/agent-files.js";
import { findPlugins, type FoundPlugin } from "./found-plugins.js";
import { readMarkdown } from "./front-matter.js";
import { listFiles, readTextFile } from "./text-files.js";

interface SkillServices extends SourceServices {
  readonly logger: Logger;
  /** Finds the allowed skills of the packages that a folder uses. Never rejects. */
  readonly packageSkills: (folder: string) => Promise<readonly PackageSkillFolder[]>;
  /**
   * Time limit for finding package skills; default 2 s. Much shorter than the limit for a whole source, so that slow packages don't cost
   * the user's own skills.
   */
  readonly packagesLimitMs?: number;
}

/** Adds skills that the agent doesn't read itself: an index with one line per skill, and slash commands that insert a skill's text. */
export function skillsSource(services: SkillServices): ContextSource {
  const { home, env, settings } = services;
  return {
    name: "skills",
    async open({ cwd, roots, row, project }) {
      const said = await settings();
      if (!said.skills) return {};
      // Only the trust state of the session's working folder is known, not that of additional folders.
      const { skillFolders } = project;
      const allowed = await packageSkillsInTime(services, cwd);
      const places = {
        roots: roots.slice(0, 1),
        home,
        env,
        instructionFiles: [],
        skillFolders,
        packageSkills: allowed,
      };
      return (await plannedSkills(places, row, { ...said, isTrusted: project.isTrusted })).contribution;
    },
  };
}

async function packageSkillsInTime(
  { logger, packageSkills, packagesLimitMs = 2_000 }: SkillServices,
  folder: string,
): Promise<readonly PackageSkillFolder[]> {
  using deadline = deadlineIn(packagesLimitMs);
  const found = await Promise.race([packageSkills(folder), deadline.passed]);
  if (!found) logger.warn("opened a session without package skills, because finding them took too long");
  return found ?? [];
}

/** Maximum bytes of one skill's line in the index, and of the whole index. */
const lineLimit = 240;
const indexLimit = 4 * 1024;

export async function plannedSkills(
  places: ContextPlaces,
  row: AgentRow | undefined,
  { exclude, isTrusted }: ContextSettings & { readonly isTrusted: boolean },
): Promise<{ readonly items: readonly ContextItem[]; readonly contribution: Contribution }> {
  const found = await findSkills(places);
  const isNative = ({ form }: FoundSkill): boolean => row !== undefined && form.readBy.includes(row.id);
  const native = new Set(found.filter(isNative).map(({ name }) => name));
  const given = new Map<string, FoundSkill>();
  const items = found.map((skill): ContextItem => {
    const { name, title, path, body, isOfProject } = skill;
    const item = { kind: "skill", title: name, origin: path } as const;
    const whyNot = isNative(skill)
      ? "the agent already has it"
      : isOfProject && !isTrusted
        ? "the folder is not trusted"
        : native.has(name) || given.has(name)
          ? "its name is already in use"
          : isExcluded(exclude, [title, name], path, places.home)
            ? "switched off"
            : undefined;
    if (whyNot !== undefined) return { ...item, bytes: utf8Length(body), isSent: false, reason: whyNot };
    given.set(name, skill);
    return {
      ...item,
      bytes: utf8Length(indexLine(skill)),
      isSent: true,
      reason: "one line, and the full text when it is used",
    };
  });
  return { items, contribution: contributionOf([...given.values()]) };
}

function contributionOf(skills: readonly FoundSkill[]): Contribution {
  const commands = skills.filter(({ isForUser }) => isForUser).map(toCommand);
  const index = indexOf(skills.filter(({ isForModel }) => isForModel));
  return {
    ...(commands.length > 0 && { commands: { current: () => commands } }),
    ...(index !== undefined && { instructions: [{ title: "Skills", text: index }] }),
  };
}

function indexOf(skills: readonly FoundSkill[]): string | undefined {
  if (skills.length === 0) return undefined;
  const intro =
    "When one of these fits the task, read its file first and follow it. Paths in it start from the file's folder.";
  const lines: string[] = [];
  const rest: string[] = [];
  let bytesLeft = indexLimit - utf8Length(intro);
  for (const skill of skills) {
    const line = indexLine(skill);
    bytesLeft -= utf8Length(line) + 1;
    if (bytesLeft > 0) lines.push(line);
    else rest.push(skill.path);
  }
  const more = rest.length === 0 ? [] : [`More skills that don't fit here: ${rest.join(", ")}`];
  return [intro, ...lines, ...more].join("\n");
}

function indexLine({ name, description, path }: FoundSkill): string {
  return `- ${name}: ${cutToBytes(description, lineLimit)} (${path})`;
}

function toCommand({ name, description, folder, body }: FoundSkill): SlashCommand {
  return {
    name,
    description,
    hint: "what to do",
    expand: (words) =>
      Promise.resolve([
        {
          type: "text",
          text: [`Use the skill ${name}${words === "" ? "." : `: ${words}`}`, `Its files are in ${folder}.`].join("\n"),
        },
        {
          type: "resource",
          resource: { uri: `symposium://skill/${encodeURIComponent(name)}`, mimeType: "text/markdown", text: body },
        },
      ]),
  };
}

/** A skill as described by its SKILL.md (agentskills.io), parsed leniently. */
interface FoundSkill {
  readonly form: NamedFolder;
  readonly name: string;
  readonly description: string;
  /** Path of the SKILL.md as shown to users and the model. */
  readonly title: string;
  /** Absolute path of the SKILL.md. */
  readonly path: string;
  /** Absolute path of the folder with the skill's other files. */
  readonly folder: string;
  readonly body: string;
  /** Whether the skill belongs to the project. Such skills apply only in trusted folders. */
  readonly isOfProject: boolean;
  readonly isForModel: boolean;
  readonly isForUser: boolean;
}

/** Finds all skills; the project's precede the user's. Never rejects. */
async function findSkills(places: ContextPlaces): Promise<readonly FoundSkill[]> {
  const { ofProject, ofUser, shownInProject } = await formPlaces(places, { project: projectSkills, user: userSkills });
  const ofSettings = (places.skillFolders ?? []).map((base) => {
    const form = { path: "", readBy: [] };
    return { form, base, folder: base, within: base, shown: shownInProject };
  });
  const found = await Promise.all([
    ...ofProject.map(inPlace),
    // Folders allowed by the user need no further trust.
    ...ofSettings.map(async (place) => (await inPlace(place)).map((skill) => ({ ...skill, isOfProject: false }))),
    ...ofUser.map(inPlace),
    ...(places.packageSkills ?? []).map(inPackage),
    ...(await findPlugins(places)).map(inPlugin),
  ]);
  return found.flat();
}

/** Returns the skills of an installed plugin, which needs no further trust. */
async function inPlugin({ name: plugin, folder, form }: FoundPlugin): Promise<readonly FoundSkill[]> {
  const base = join(folder, "skills");
  const found = await inPlace({ form, base, folder, within: folder, shown: (path) => path });
  return found.map((skill) => ({ ...skill, name: `${plugin}:${skill.name}`, isOfProject: false }));
}

/**
 * Returns the allowed skills of a package, matched by folder name. These skills need no further trust and use the description that the user
 * saw.
 */
async function inPackage({ folder, skills, title }: PackageSkillFolder): Promise<readonly FoundSkill[]> {
  const form = { path: "", readBy: [] };
  const found = await inPlace({ form, base: folder, folder, within: folder, shown: (path) => `${title}: ${path}` });
  return found.flatMap((skill) => {
    const allowed = dirname(skill.folder) === folder && skills.find(({ name }) => name === basename(skill.folder));
    return allowed ? [{ ...skill, ...allowed, isOfProject: false }] : [];
  });
}

async function inPlace({ form, base, within, shown }: FormPlace<NamedFolder>): Promise<readonly FoundSkill[]> {
  const paths = await listFiles(base, (path) => /(?:^|\/)SKILL\.md$/.test(path));
  const found = await Promise.all(
    paths.map(async (below) => {
      const path = join(base, ...below.split("/"));
      const file = await readTextFile(path, within);
      if (file?.text === undefined) return [];
      const { matter, body } = await readMarkdown(file.text);
      const folder = dirname(file.path);
      const said = stringOf(matter["name"]) ?? below.split("/").at(-2) ?? "";
      const name = said.trim().replace(/\s+/g, "-");
      const description = stringOf(matter["description"])?.trim().replace(/\s+/g, " ") ?? "";
      // The standard requires a name and a description. Without a description, the model can't decide when to use the skill.
      if (name === "" || name.includes("/") || description === "") return [];
      const isForModel = matter["disable-model-invocation"] !== true;
      const isForUser = matter["user-invocable"] !== false;
      const place = { title: shown(path), path: file.path, folder, body };
      return [{ form, name, description, ...place, isOfProject: within !== undefined, isForModel, isForUser }];
    }),
  );
  return found.flat();
}
