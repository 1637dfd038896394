import { asObject, isStrings, parsedValue } from "../../base/rpc/json.js";
import { JsonDocument } from "../json-document.js";
import { fault, type Fault } from "../../base/problem.js";

interface ComponentAnswer {
  /** Absolute path of the file that names the component. */
  readonly file: string;
  /** Component exactly as in the file; different content is a different component. */
  readonly component: string;
  readonly isAllowed: boolean;
}

export interface ProjectAnswer {
  /**
   * Absolute path, with symbolic links resolved, of the folder that all worktrees of the repository share, or of the folder itself outside
   * a repository.
   */
  readonly repository: string;
  /** Folder of the configuration relative to the worktree's root; empty for the root. */
  readonly folder: string;
  /** sha256 of the allowed content; absent if the user refused further questions. */
  readonly digest?: string;
  /** Allowed content by entry, for describing changes. */
  readonly entries?: Readonly<Record<string, string>>;
}

export interface TrustRecord {
  /** Trusted folders as sorted absolute paths without symbolic links; trust includes everything inside a folder. */
  readonly folders: readonly string[];
  /** Folders about which the user refused questions, in the same format. */
  readonly refused: readonly string[];
  readonly projects: readonly ProjectAnswer[];
  readonly components: readonly ComponentAnswer[];
}

export const nothingTrusted: TrustRecord = { folders: [], refused: [], projects: [], components: [] };

/** Parses `trust.json`. For an invalid file, trusts nothing and returns a fault with the line. */
export function parseTrust(text: string): TrustRecord | Fault {
  const value = parsedValue(text);
  if (value === undefined) return fault(`line ${brokenLine(text)} isn't valid JSON`);
  const record = asObject(value);
  if (!record || Array.isArray(value)) return fault("it is no object");
  const { folders = [], refused = [], projects = [], components = [] } = record;
  if (!isStrings(folders)) return fault('"folders" isn\'t a list of strings');
  if (!isStrings(refused)) return fault('"refused" isn\'t a list of strings');
  if (!Array.isArray(projects) || !projects.every(isProjectAnswer)) return fault('"projects" isn\'t a list of answers');
  if (!Array.isArray(components) || !components.every(isAnswer)) return fault('"components" isn\'t a list of answers');
  return { folders, refused, projects, components };
}

/**
 * Returns the number of the first line with a problem, starting at 1. Accepts comments and a trailing comma, since the parser for
 * configuration files is used.
 */
function brokenLine(text: string): number {
  const [problem] = JsonDocument.parse(text).problems;
  if (problem?.severity === "error") return problem.line;
  const offset = Math.max(0, text.search(/,\s*[\]}]|\/[/*]/));
  return text.slice(0, offset).split("\n").length;
}

export function formatTrust({ folders, refused, projects, components }: TrustRecord): string {
  const record = {
    folders,
    ...(refused.length > 0 && { refused }),
    ...(projects.length > 0 && { projects }),
    ...(components.length > 0 && { components }),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

/** Returns the trusted folder that equals or contains `folder`; undefined if none. Both are absolute with links resolved. */
export function trustingFolder({ folders }: TrustRecord, folder: string): string | undefined {
  return folders.find((trusted) => isInFolder(folder, trusted));
}

/** Adds a trusted folder and removes trusted folders inside it, which are now redundant. */
export function withTrusted(given: TrustRecord, folder: string): TrustRecord {
  const record = withoutRefused(given, folder);
  if (trustingFolder(record, folder) !== undefined) return record;
  const others = record.folders.filter((one) => !isInFolder(one, folder));
  return { ...record, folders: [...others, folder].sort() };
}

/** Removes a folder from the trusted and refused ones. */
export function withoutTrusted(given: TrustRecord, folder: string): TrustRecord {
  const record = withoutRefused(given, folder);
  return { ...record, folders: record.folders.filter((one) => one !== folder) };
}

export function isRefused({ refused }: TrustRecord, folder: string): boolean {
  return refused.some((one) => isInFolder(folder, one));
}

/** Adds `folder` to the folders about which the user refused questions. */
export function withRefused(record: TrustRecord, folder: string): TrustRecord {
  return isRefused(record, folder) ? record : { ...record, refused: [...record.refused, folder].sort() };
}

/** Removes refusals for the folder's parents and for folders inside it, which no longer apply when the folder is trusted. */
function withoutRefused(record: TrustRecord, folder: string): TrustRecord {
  const refused = record.refused.filter((one) => !isInFolder(folder, one) && !isInFolder(one, folder));
  return refused.length === record.refused.length ? record : { ...record, refused };
}

type ProjectPlace = Pick<ProjectAnswer, "repository" | "folder">;

/** Returns the user's answer about a project's configuration; undefined if never asked. */
export function projectAnswer(
  { projects }: TrustRecord,
  { repository, folder }: ProjectPlace,
): ProjectAnswer | undefined {
  return projects.find((one) => one.repository === repository && one.folder === folder);
}

export function withProjectAnswer(record: TrustRecord, answer: ProjectAnswer): TrustRecord {
  const { projects } = withoutProject(record, answer);
  return { ...record, projects: [...projects, answer] };
}

export function withoutProject(record: TrustRecord, { repository, folder }: ProjectPlace): TrustRecord {
  const projects = record.projects.filter((one) => one.repository !== repository || one.folder !== folder);
  return projects.length === record.projects.length ? record : { ...record, projects };
}

/** Returns whether the user allowed the component; undefined if never asked about this content. */
export function componentAnswer({ components }: TrustRecord, file: string, component: string): boolean | undefined {
  return components.find((one) => one.file === file && one.component === component)?.isAllowed;
}

export function withAnswer(record: TrustRecord, answer: ComponentAnswer): TrustRecord {
  const isOther = (one: ComponentAnswer): boolean => one.file !== answer.file || one.component !== answer.component;
  return { ...record, components: [...record.components.filter(isOther), answer] };
}

/** Turns all answers about the file's components into refusals. */
export function withRefusals(record: TrustRecord, file: string): TrustRecord {
  const isAllowed = (one: ComponentAnswer): boolean => one.file === file && one.isAllowed;
  if (!record.components.some(isAllowed)) return record;
  return {
    ...record,
    components: record.components.map((one) => (isAllowed(one) ? { ...one, isAllowed: false } : one)),
  };
}

/** Returns whether an absolute path equals `folder` or is inside it. */
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
