import { cutToBytes, utf8Length } from "../../base/text-bounds.js";
import type { Logger } from "../../base/logger.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/context-exclusions.js";
import type { ContextItem } from "../context-item.js";
import type { ContextSource, Contribution, SlashCommand } from "../contribution.js";
import { timeOut } from "../opened-context.js";
import { findSkills, type FoundSkill } from "./found-skills.js";
import type { ContextPlaces, PackageSkillFolder } from "./places.js";
import type { SourceServices } from "./rules-source.js";

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
  const deadline = timeOut(packagesLimitMs);
  const found = await Promise.race([packageSkills(folder), deadline.passed]);
  deadline.clear();
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
