import { messageOf } from "../../../base/symposium-error.js";
import { loadUntrustedBytes, RefusedFile } from "../../../base/node/read-untrusted-file.js";
import { JsonDocument } from "../../../settings/json-document.js";
import type { ServerFile } from "../formats/server-files.js";

/** Result of reading a file. Reasons never quote its content. */
type ReadFile =
  | { readonly state: "absent" }
  | { readonly state: "unreadable"; readonly reason: string }
  | { readonly state: "read"; readonly value: unknown };

/** Large, since Claude Code stores the history of all projects in the same file as its servers. */
const maxBytes = 64 * 1024 * 1024;
/** Maximum size for parsers that are slow or build a token tree. */
const maxTreeBytes = 4 * 1024 * 1024;

/** Reads and parses another product's file. Never rejects, and never blocks on a named pipe. */
export async function readServerFile(path: string, syntax: ServerFile["syntax"]): Promise<ReadFile> {
  let text: string;
  try {
    const read = await textOf(path);
    if (typeof read !== "string") return read;
    text = read;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code)) return { state: "absent" };
    return { state: "unreadable", reason: `It cannot be read: ${code === "" ? messageOf(error) : code}.` };
  }
  if (text.trim() === "") return { state: "read", value: undefined };
  const isLong = text.length > maxTreeBytes;
  switch (syntax) {
    case "json":
      return parseJson(text, isLong);
    case "toml":
      return isLong ? tooLong(maxTreeBytes) : parseToml(text);
    case "yaml":
      return isLong ? tooLong(maxTreeBytes) : parseYaml(text);
  }
}

async function textOf(path: string): Promise<string | ReadFile> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await loadUntrustedBytes(path, maxBytes));
  } catch (error) {
    if (error instanceof TypeError) return { state: "unreadable", reason: "It isn't UTF-8 text." };
    if (!(error instanceof RefusedFile)) throw error;
    return error.refusal === "long" ? tooLong(maxBytes) : { state: "unreadable", reason: "It isn't a file." };
  }
}

function tooLong(limit: number): ReadFile {
  return { state: "unreadable", reason: `It is longer than ${limit / (1024 * 1024)} MB.` };
}

/** Tries plain JSON first, which parses many times faster than JSON with comments. */
function parseJson(text: string, isLong: boolean): ReadFile {
  try {
    return { state: "read", value: JSON.parse(text) as unknown };
  } catch {
    if (isLong) return { state: "unreadable", reason: "It isn't valid JSON." };
  }
  const document = JsonDocument.parse(text);
  const broken = document.problems.find(({ severity }) => severity === "error");
  if (!broken) return { state: "read", value: document.value };
  return { state: "unreadable", reason: `Line ${broken.line}: ${broken.message}` };
}

async function parseToml(text: string): Promise<ReadFile> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return { state: "read", value: parse(text) };
  } catch (error) {
    const line = error instanceof TomlError ? `Line ${error.line}: ` : "";
    return { state: "unreadable", reason: `${line}This isn't valid TOML.` };
  }
}

async function parseYaml(text: string): Promise<ReadFile> {
  const { parse, YAMLError } = await import("yaml");
  try {
    return { state: "read", value: parse(text, { maxAliasCount: 50, logLevel: "error" }) as unknown };
  } catch (error) {
    const line = error instanceof YAMLError && error.linePos ? `Line ${error.linePos[0].line}: ` : "";
    return { state: "unreadable", reason: `${line}This isn't valid YAML.` };
  }
}
