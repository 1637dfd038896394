import { dirname, join } from "node:path";
import { stringOf } from "../../client/unchecked.js";
import { projectSkills, userSkills, type NamedFolder } from "../../registry/agent-files.js";
import { readMarkdown } from "./front-matter.js";
import {
  type ContextPlaces,
  pathInHome,
  pathInProject,
  projectFolders,
  shownInHome,
  shownInProject,
} from "./places.js";
import { listFiles, readTextFile } from "./text-files.js";

/** A skill as its SKILL.md says it (agentskills.io), read leniently. */
export interface FoundSkill {
  readonly form: NamedFolder;
  readonly name: string;
  readonly description: string;
  /** Its SKILL.md for people and for the model. */
  readonly title: string;
  /** Its SKILL.md, absolute. */
  readonly path: string;
  /** Where its other files are, absolute. */
  readonly folder: string;
  readonly body: string;
  /** Whether it is the project's: that counts in trusted folders alone. */
  readonly isOfProject: boolean;
  /** Whether the model may use it unasked. */
  readonly isForModel: boolean;
  /** Whether the user may call it. */
  readonly isForUser: boolean;
}

/** All skills of the project and of the user, the project's first. Never rejects. */
export async function findSkills(places: ContextPlaces): Promise<readonly FoundSkill[]> {
  const folders = await projectFolders(places);
  const ofProject = folders.flatMap((folder) =>
    projectSkills.map((form) =>
      inFolder(form, pathInProject(folder, form), folder.within, (path) => shownInProject(path, places)),
    ),
  );
  // What the user has allowed needs no trust besides.
  const ofSettings = (places.skillFolders ?? []).map(async (path) => {
    const found = await inFolder({ path: "", readBy: [] }, path, path, (one) => shownInProject(one, places));
    return found.map((skill) => ({ ...skill, isOfProject: false }));
  });
  const ofUser = userSkills.map((form) =>
    inFolder(form, pathInHome(form, places), undefined, (path) => shownInHome(path, places)),
  );
  return (await Promise.all([...ofProject, ...ofSettings, ...ofUser])).flat();
}

async function inFolder(
  form: NamedFolder,
  base: string | undefined,
  within: string | undefined,
  shown: (path: string) => string,
): Promise<readonly FoundSkill[]> {
  if (base === undefined) return [];
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
      // The standard wants both; without a description nobody knows when to use it.
      if (name === "" || name.includes("/") || description === "") return [];
      const isForModel = matter["disable-model-invocation"] !== true;
      const isForUser = matter["user-invocable"] !== false;
      const place = { title: shown(path), path: file.path, folder, body };
      return [{ form, name, description, ...place, isOfProject: within !== undefined, isForModel, isForUser }];
    }),
  );
  return found.flat();
}
