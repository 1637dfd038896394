import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectStarts } from "../project-start.js";
import { JsonDocument } from "../../../settings/json-document.js";
import { type AgentStart, startsIn } from "../agent-starts.js";
import { foldersOfProject } from "../../../settings/project/node/find-project.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

const maxBytes = 1024 * 1024;
/** Maximum number of files listed individually for a folder. */
const maxNamed = 20;

/**
 * Finds everything that the agent starts by itself in `cwd`, from files of the folder and its parents up to the repository root. Reports an
 * unreadable file as a whole, since the agent may parse it differently. Never rejects.
 */
export async function findAgentStarts(
  { files, folders }: ProjectStarts,
  cwd: string,
  home: string,
): Promise<readonly AgentStart[]> {
  const places = foldersOfProject(cwd, home);
  const found = await Promise.all(
    places.flatMap((place) => [
      ...files.map(({ name, format, members }) => startsOfFile(join(place, name), format, members)),
      ...folders.map((name) => startsOfFolder(join(place, name))),
    ]),
  );
  return found.flat();
}

async function startsOfFile(
  file: string,
  format: "json" | "toml",
  members: readonly string[],
): Promise<readonly AgentStart[]> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return [];
  const unreadable = [{ file, key: "", value: undefined }];
  if (!found.isFile() || found.size > maxBytes) return unreadable;
  try {
    const text = await loadUntrustedText(file, maxBytes);
    if (format === "toml") {
      // Load the parser only for TOML files, because every agent start runs this code.
      const { parse } = await import("smol-toml");
      return startsIn(file, parse(text), members);
    }
    const document = JsonDocument.parse(text);
    return document.isBroken ? unreadable : startsIn(file, document.value, members);
  } catch {
    return unreadable;
  }
}

async function startsOfFolder(folder: string): Promise<readonly AgentStart[]> {
  const names = await readdir(folder).catch(() => []);
  const shown = names.slice(0, maxNamed).map((name) => ({ file: join(folder, name), key: "", value: undefined }));
  return names.length > maxNamed ? [{ file: folder, key: "", value: undefined }, ...shown] : shown;
}
