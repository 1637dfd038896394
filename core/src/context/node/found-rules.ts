import { dirname, join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { projectRules, type RulesFiles, userRules } from "../../registry/agent-files.js";
import type { FoundRules } from "../planned-rules.js";
import { ruleScope } from "../rule-scope.js";
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

/** All files with rules of the project and of the user: what the project's settings name first. Never rejects. */
export async function findRules(places: ContextPlaces): Promise<readonly FoundRules[]> {
  const folders = await projectFolders(places);
  const inProject = (path: string): string => shownInProject(path, places);
  const inHome = (path: string): string => shownInHome(path, places);
  const named = places.instructionFiles.map((path) =>
    readRules({ path, title: inProject(path), form: undefined, folder: dirname(path), within: folders[0]?.within }),
  );
  const ofProject = folders.flatMap((folder) =>
    projectRules.map(async (form) => {
      const base = pathInProject(folder, form);
      if (base === undefined) return [];
      const paths = await filesOf(form, base);
      const { path, within } = folder;
      return Promise.all(
        paths.map((one) => readRules({ path: one, title: inProject(one), form, folder: path, within })),
      );
    }),
  );
  const ofUser = userRules.map(async (form) => {
    const paths = await filesOf(form, pathInHome(form, places));
    const folder = places.roots[0] ?? places.home;
    return Promise.all(paths.map((path) => readRules({ path, title: inHome(path), form, folder, within: undefined })));
  });
  const all = await Promise.all([Promise.all(named), ...ofProject, ...ofUser]);
  const found = all.flat().filter((one) => one !== undefined);
  return found.filter(({ title }, index) => found.findIndex((other) => other.title === title) === index);
}

/** Whether one of the globs of a file with rules matches a path. */
export function matchesGlobs({ folder }: FoundRules, globs: readonly string[], path: string): boolean {
  const below = relative(folder, path).split(sep).join("/");
  if (below.startsWith("../")) return false;
  return globs.filter(isCheap).some((glob) => {
    // As regular expressions, groups could take for ever; as part of a name, `(auth)` is meant as it stands.
    const pattern = glob.replace(/^\.?\//, "").replace(/[()+]/g, "\\$&");
    // Without a folder it means files of that name anywhere.
    return picomatch.isMatch(below, pattern.includes("/") ? pattern : `**/${pattern}`, { dot: true });
  });
}

/** A repository that nobody trusts writes globs, too, and every prompt and tool call waits for them. */
function isCheap(glob: string): boolean {
  const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0;
  return (
    glob.length <= 256 &&
    count(glob, /\{/g) <= 4 &&
    count(glob, /\*\*/g) <= 4 &&
    glob.split("/").every((name) => count(name, /\*+/g) <= 3)
  );
}

async function filesOf({ files }: RulesFiles, base: string): Promise<readonly string[]> {
  if (!files) return [base];
  const below = await listFiles(base, (path) => files.test(path));
  return below.map((path) => join(base, ...path.split("/")));
}

interface RulesPlace extends Pick<FoundRules, "path" | "title" | "form" | "folder"> {
  readonly within: string | undefined;
}

async function readRules({ within, ...place }: RulesPlace): Promise<FoundRules | undefined> {
  const file = await readTextFile(place.path, within);
  if (!file) return undefined;
  const found = { ...place, path: file.path };
  if (file.text === undefined) return { ...found, text: "", scope: { kind: "always" }, problem: file.problem };
  const { matter, body } = await readMarkdown(file.text);
  return { ...found, text: body, scope: ruleScope(matter, place.form?.unsaid) };
}
