import { asObject } from "../rpc/json.js";
import { fault, type Fault } from "../settings/problem.js";

/** What the user answered about a component that a file of a workspace would have run. */
interface ComponentAnswer {
  /** The file that names the component, as an absolute path. */
  readonly file: string;
  /** The component as the file has it, word for word: another content is another component. */
  readonly component: string;
  readonly isAllowed: boolean;
}

/** What `trust.json` says. */
export interface TrustRecord {
  /** Absolute, links followed; what is in them is trusted, too. In order. */
  readonly folders: readonly string[];
  /** One for each component of a file. */
  readonly components: readonly ComponentAnswer[];
}

/** What a missing file says. */
export const nothingTrusted: TrustRecord = { folders: [], components: [] };

/** Reads the text of `trust.json`. A file that is not understood trusts nothing: the fault says where it is wrong. */
export function parseTrust(text: string): TrustRecord | Fault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault("it is no JSON");
  }
  const record = asObject(value);
  if (!record || Array.isArray(value)) return fault("it is no object");
  const { folders = [], components = [] } = record;
  if (!Array.isArray(folders) || !folders.every((one) => typeof one === "string")) {
    return fault('"folders" is no list of texts');
  }
  if (!Array.isArray(components) || !components.every(isAnswer)) return fault('"components" is no list of answers');
  return { folders, components };
}

/** The text of `trust.json`. */
export function formatTrust({ folders, components }: TrustRecord): string {
  return `${JSON.stringify({ folders, ...(components.length > 0 && { components }) }, undefined, 2)}\n`;
}

/** The trusted folder that `folder` is, or is in; undefined for none. Both are absolute, links followed. */
export function trustingFolder({ folders }: TrustRecord, folder: string): string | undefined {
  return folders.find((trusted) => isInFolder(folder, trusted));
}

/** The record with `folder` trusted. What it covers need not be named any more. */
export function withTrusted(record: TrustRecord, folder: string): TrustRecord {
  if (trustingFolder(record, folder) !== undefined) return record;
  const others = record.folders.filter((one) => !isInFolder(one, folder));
  return { ...record, folders: [...others, folder].sort() };
}

/** The record without `folder`. */
export function withoutTrusted(record: TrustRecord, folder: string): TrustRecord {
  return { ...record, folders: record.folders.filter((one) => one !== folder) };
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
