import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type LanguageServers, Logger, type LspAdapterOptions } from "@symposium-dev/core";
import { readProcessTable } from "@symposium-dev/core/node";
import { openIdeOperations } from "../../src/index.js";
import type { TestFolder } from "./folders.js";
import { until } from "./test-scope.js";

const adapterProgram = fileURLToPath(new URL("../programs/adapter.js", import.meta.url));

/** Returns the options of a session in `folder`. The adapter stores its files in `folder.config`, outside of the session's folder. */
export function sessionOptions(folder: TestFolder, settings: object, path?: string): Omit<LspAdapterOptions, "logger"> {
  const env = { SYMPOSIUM_CONFIG_DIR: folder.config, ...(path !== undefined && { PATH: path }) };
  return { folder: folder.path, self: { command: process.execPath, args: [adapterProgram], env }, settings };
}

/** A session in this process. */
export function openSession(folder: TestFolder, settings: object, path?: string): LanguageServers {
  return openIdeOperations({ ...sessionOptions(folder, settings, path), logger: Logger.silent });
}

/** The adapter processes of `folder`. Linux only. */
export async function adaptersOf(folder: TestFolder): Promise<readonly number[]> {
  const found: number[] = [];
  for (const { pid } of await readProcessTable()) {
    const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (words.includes(adapterProgram) && words.includes(folder.path)) found.push(pid);
  }
  return found;
}

/** Processes that were started with the folder's own files in their environment: the adapter and all that it starts. */
export async function processesOfFolder(folder: TestFolder): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { pid } of await readProcessTable()) {
    if (pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.includes(`SYMPOSIUM_CONFIG_DIR=${folder.config}`)) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (words !== "") found.push(words.replaceAll("\0", " "));
  }
  return found;
}

/** Waits until nothing of the folder runs any more; fails with what does. */
export async function untilNothingRuns(folder: TestFolder): Promise<void> {
  let left: readonly string[] = [];
  await until(`nothing runs`, async () =>
    (left = await processesOfFolder(folder)).length === 0 ? true : undefined,
  ).catch(() => {
    throw new Error(`These still run: ${left.join("; ")}`);
  });
}
