import { attempt } from "../../base/attempt.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/context-exclusions.js";
import type { ContextSource } from "../contribution.js";
import { type FoundRules, type PlannedRules, planRules } from "../planned-rules.js";
import { type ContextPlaces, type FormPlace, formPlaces } from "./places.js";
import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "../../base/node/folders.js";
import { projectRules, type RulesFiles, userRules } from "../../agents/registry/agent-files.js";
import { ruleScope } from "../rule-scope.js";
import { readMarkdown } from "./front-matter.js";
import { Glob } from "../../base/glob.js";
import { listFiles, readTextFile } from "./text-files.js";

export interface SourceServices {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads the user's current configuration. Never rejects. */
  readonly settings: () => Promise<ContextSettings>;
}

/**
 * Adds rule files that the agent doesn't read itself. Rules are plain text and execute nothing, so they are also added in untrusted
 * folders.
 */
export function rulesSource({ home, env, settings }: SourceServices): ContextSource {
  return {
    name: "rules",
    async open({ roots, row, project }) {
      const said = await settings();
      if (!said.rules) return {};
      const places = { roots, home, env, instructionFiles: project.instructionFiles };
      const { instructions, fileInstructions } = await plannedRules(places, row, said);
      return { instructions, fileInstructions };
    },
  };
}

export async function plannedRules(
  places: ContextPlaces,
  row: AgentRow | undefined,
  { maxRulesBytes, exclude }: ContextSettings,
): Promise<PlannedRules> {
  return planRules(await findRules(places), {
    agentId: row?.id,
    limit: maxRulesBytes,
    isExcluded: ({ title, path }) => isExcluded(exclude, [title], path, places.home),
    matches: matchesGlobs,
  });
}

/** Maximum length of a glob, in characters. Limits the work for an untrusted repository's globs, which delay every prompt and tool call. */
const maxGlobLength = 1_000;

/** Finds all rule files of project and user; files named by the project's settings come first. Never rejects. */
async function findRules(places: ContextPlaces): Promise<readonly FoundRules[]> {
  const { ofProject, ofUser, within, shownInProject } = await formPlaces(places, {
    project: projectRules,
    user: userRules,
  });
  const named = places.instructionFiles.map((path) =>
    readRules({ path, title: shownInProject(path), form: undefined, isUsers: false, folder: dirname(path), within }),
  );
  const all = await Promise.all([
    Promise.all(named),
    ...ofProject.map((place) => inPlace(place, false)),
    ...ofUser.map((place) => inPlace(place, true)),
  ]);
  const found = all.flat().filter((one) => one !== undefined);
  const isSame = (one: FoundRules, other: FoundRules): boolean =>
    one.title === other.title && one.isUsers === other.isUsers;
  return found.filter((one, index) => found.findIndex((other) => isSame(one, other)) === index);
}

export function matchesGlobs({ folder }: FoundRules, globs: readonly string[], path: string): boolean {
  const below = pathBelow(folder, path) ?? pathBelow(realPathOf(folder), realPathOf(path));
  if (below === undefined) return false;
  return globs
    .filter(({ length }) => length <= maxGlobLength)
    .some((glob) => {
      const pattern = glob.replace(/^\.?\//, "");
      // A pattern without a folder matches file names anywhere.
      return new Glob(pattern.includes("/") ? pattern : `**/${pattern}`).matches(below);
    });
}

function pathBelow(folder: string, path: string): string | undefined {
  return isInside(path, folder) ? relative(folder, path).split(sep).join("/") : undefined;
}

/** Resolves links in a path, since agents name either real paths or paths below the session's folder. The file may not exist yet. */
function realPathOf(path: string): string {
  const real = attempt(() => realpathSync(path));
  return real ?? (path === dirname(path) ? path : join(realPathOf(dirname(path)), basename(path)));
}

async function inPlace({ form, base, folder, within, shown }: FormPlace<RulesFiles>, isUsers: boolean) {
  const paths = await filesOf(form, base);
  return Promise.all(paths.map((path) => readRules({ path, title: shown(path), form, isUsers, folder, within })));
}

async function filesOf({ files }: RulesFiles, base: string): Promise<readonly string[]> {
  if (!files) return [base];
  const below = await listFiles(base, (path) => files.test(path));
  return below.map((path) => join(base, ...path.split("/")));
}

interface RulesPlace extends Pick<FoundRules, "path" | "title" | "form" | "isUsers" | "folder"> {
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
