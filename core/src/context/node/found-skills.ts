import { stringOf } from "../../base/rpc/json.js";
import { basename, dirname, join } from "node:path";
import { projectSkills, userSkills, type NamedFolder } from "../../agents/registry/agent-files.js";
import { type FoundPlugin, findPlugins } from "./found-plugins.js";
import { readMarkdown } from "./front-matter.js";
import { type ContextPlaces, type FormPlace, formPlaces, type PackageSkillFolder } from "./places.js";
import { listFiles, readTextFile } from "./text-files.js";

/** A skill as described by its SKILL.md (agentskills.io), parsed leniently. */
export interface FoundSkill {
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
export async function findSkills(places: ContextPlaces): Promise<readonly FoundSkill[]> {
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
