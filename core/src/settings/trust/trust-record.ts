import { asObject, isStrings } from "../../base/rpc/json.js";
import { JsonDocument } from "../json-document.js";
import { fault, type Fault } from "../../base/problem.js";

/** What the user answered about a component that a file of a workspace would have run. */
interface ComponentAnswer {
  /** The file that names the component, as an absolute path. */
  readonly file: string;
  /** The component as the file has it, word for word: another content is another component. */
  readonly component: string;
  readonly isAllowed: boolean;
}

/** What the user answered about the configuration of a project. */
export interface ProjectAnswer {
  /** What all worktrees of a repository share, or the folder itself where there is no repository; absolute, links followed. */
  readonly repository: string;
  /** The folder of the configuration, below the worktree's root; empty for the root itself. */
  readonly folder: string;
  /** The sha256 of what was allowed; absent where the user never wants to be asked. */
  readonly digest?: string;
  /** What was allowed, by entry: what a change is compared with. */
  readonly entries?: Readonly<Record<string, string>>;
}

/** What `trust.json` says. */
export interface TrustRecord {
  /** Absolute, links followed; what is in them is trusted, too. In order. */
  readonly folders: readonly string[];
  /** Folders that the user never wants to be asked about, in the same form. */
  readonly refused: readonly string[];
  /** One for each configuration of a project. */
  readonly projects: readonly ProjectAnswer[];
  /** One for each component of a file. */
  readonly components: readonly ComponentAnswer[];
}

/** What a missing file says. */
export const nothingTrusted: TrustRecord = { folders: [], refused: [], projects: [], components: [] };

/** Reads the text of `trust.json`. A file that is not understood trusts nothing: the fault says where it is wrong. */
export function parseTrust(text: string): TrustRecord | Fault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault(`line ${brokenLine(text)} is no JSON`);
  }
  const record = asObject(value);
  if (!record || Array.isArray(value)) return fault("it is no object");
  const { folders = [], refused = [], projects = [], components = [] } = record;
  if (!isStrings(folders)) return fault('"folders" is no list of texts');
  if (!isStrings(refused)) return fault('"refused" is no list of texts');
  if (!Array.isArray(projects) || !projects.every(isProjectAnswer)) return fault('"projects" is no list of answers');
  if (!Array.isArray(components) || !components.every(isAnswer)) return fault('"components" is no list of answers');
  return { folders, refused, projects, components };
}

/** Counted from 1. What the reader of configurations accepts, and JSON does not, are comments and a comma after the last member. */
function brokenLine(text: string): number {
  const [problem] = JsonDocument.parse(text).problems;
  if (problem?.severity === "error") return problem.line;
  const offset = Math.max(0, text.search(/,\s*[\]}]|\/[/*]/));
  return text.slice(0, offset).split("\n").length;
}

/** The text of `trust.json`. */
export function formatTrust({ folders, refused, projects, components }: TrustRecord): string {
  const record = {
    folders,
    ...(refused.length > 0 && { refused }),
    ...(projects.length > 0 && { projects }),
    ...(components.length > 0 && { components }),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

/** The trusted folder that `folder` is, or is in; undefined for none. Both are absolute, links followed. */
export function trustingFolder({ folders }: TrustRecord, folder: string): string | undefined {
  return folders.find((trusted) => isInFolder(folder, trusted));
}

/** The record with `folder` trusted. What it covers need not be named any more. */
export function withTrusted(given: TrustRecord, folder: string): TrustRecord {
  const record = withoutRefused(given, folder);
  if (trustingFolder(record, folder) !== undefined) return record;
  const others = record.folders.filter((one) => !isInFolder(one, folder));
  return { ...record, folders: [...others, folder].sort() };
}

/** The record without `folder`, neither trusted nor refused. */
export function withoutTrusted(given: TrustRecord, folder: string): TrustRecord {
  const record = withoutRefused(given, folder);
  return { ...record, folders: record.folders.filter((one) => one !== folder) };
}

/** Whether the user never wants to be asked about `folder`. */
export function isRefused({ refused }: TrustRecord, folder: string): boolean {
  return refused.some((one) => isInFolder(folder, one));
}

/** The record with `folder` among those that are never asked about. */
export function withRefused(record: TrustRecord, folder: string): TrustRecord {
  return isRefused(record, folder) ? record : { ...record, refused: [...record.refused, folder].sort() };
}

/** Whoever trusts a folder after all refuses none around or in it. */
function withoutRefused(record: TrustRecord, folder: string): TrustRecord {
  const refused = record.refused.filter((one) => !isInFolder(folder, one) && !isInFolder(one, folder));
  return refused.length === record.refused.length ? record : { ...record, refused };
}

type ProjectPlace = Pick<ProjectAnswer, "repository" | "folder">;

/** What the user answered about a project's configuration; undefined where they have not been asked. */
export function projectAnswer(
  { projects }: TrustRecord,
  { repository, folder }: ProjectPlace,
): ProjectAnswer | undefined {
  return projects.find((one) => one.repository === repository && one.folder === folder);
}

/** The record with an answer, in the place of an earlier one about the same project. */
export function withProjectAnswer(record: TrustRecord, answer: ProjectAnswer): TrustRecord {
  const { projects } = withoutProject(record, answer);
  return { ...record, projects: [...projects, answer] };
}

/** The record without an answer about the project. */
export function withoutProject(record: TrustRecord, { repository, folder }: ProjectPlace): TrustRecord {
  const projects = record.projects.filter((one) => one.repository !== repository || one.folder !== folder);
  return projects.length === record.projects.length ? record : { ...record, projects };
}

/** Whether the user allowed the component of the file; undefined where they have not been asked about this content. */
export function componentAnswer({ components }: TrustRecord, file: string, component: string): boolean | undefined {
  return components.find((one) => one.file === file && one.component === component)?.isAllowed;
}

/** The record with an answer, in the place of an earlier one about the same. */
export function withAnswer(record: TrustRecord, answer: ComponentAnswer): TrustRecord {
  const isOther = (one: ComponentAnswer): boolean => one.file !== answer.file || one.component !== answer.component;
  return { ...record, components: [...record.components.filter(isOther), answer] };
}

/** The record with all that was answered about the components of a file refused. */
export function withRefusals(record: TrustRecord, file: string): TrustRecord {
  const isAllowed = (one: ComponentAnswer): boolean => one.file === file && one.isAllowed;
  if (!record.components.some(isAllowed)) return record;
  return {
    ...record,
    components: record.components.map((one) => (isAllowed(one) ? { ...one, isAllowed: false } : one)),
  };
}

/** Whether an absolute path is `folder` or stands in it. */
export function isInFolder(path: string, folder: string): boolean {
  if (path === folder) return true;
  const separator = /^[A-Za-z]:|^\\\\/.test(folder) ? "\\" : "/";
  return path.startsWith(folder.endsWith(separator) ? folder : `${folder}${separator}`);
}

function isAnswer(value: unknown): value is ComponentAnswer {
  const { file, component, isAllowed } = asObject(value) ?? {};
  return typeof file === "string" && typeof component === "string" && typeof isAllowed === "boolean";
}

function isProjectAnswer(value: unknown): value is ProjectAnswer {
  const { repository, folder, digest = "", entries = {} } = asObject(value) ?? {};
  return [repository, folder, digest, ...Object.values(asObject(entries) ?? { entries })].every(
    (one) => typeof one === "string",
  );
}
