import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { foldersUp } from "@symposium-dev/core/node";
import { parsedObject, stringOf, trustRemedy } from "@symposium-dev/core";
import { readUntrustedBytes } from "@symposium-dev/core/node";
import type { Launch } from "../connection/language-server.js";
import { probe, programOnPath } from "./probe.js";
import type { FoundServer, ServerDefinition, Surroundings } from "./server-definition.js";

const installNative = "npm install --global typescript@7";
const installClassic = "npm install --global typescript-language-server typescript@6";

/**
 * TypeScript and JavaScript. TypeScript 7 is its own server and runs none of a project's code; typescript-language-server, for versions up
 * to 6, loads plugins, so the folder must be trusted.
 */
export const typescript: ServerDefinition = {
  name: "typescript",
  languages: [
    { id: "typescript", extensions: [".ts", ".mts", ".cts"] },
    { id: "typescriptreact", extensions: [".tsx"] },
    { id: "javascript", extensions: [".js", ".mjs", ".cjs"] },
    { id: "javascriptreact", extensions: [".jsx"] },
  ],
  rootMarkers: ["tsconfig.json", "jsconfig.json", "package.json"],
  runsProject: false,
  async find(surroundings) {
    const major = workspaceMajor(surroundings.root);
    const finders = (major ?? 7) >= 7 ? [findNative, findClassic] : [findClassic, findNative];
    for (const find of finders) {
      const found = await find(surroundings);
      if (found) return found;
    }
    const used = major === undefined ? "" : `; ${surroundings.root} uses TypeScript ${major}`;
    const install = `Run \`${(major ?? 7) >= 7 ? installNative : installClassic}\``;
    const limited = surroundings.isTrusted ? "" : " that runs no project code, which this untrusted folder requires";
    const trust = surroundings.isTrusted ? "" : ` ${trustRemedy(surroundings.root)}`;
    const detail = `no TypeScript server is installed${limited}${used}`;
    return { kind: "missing", detail, remedy: `${install}.${trust}` };
  },
};

/** Returns the major version of TypeScript installed in `root` or a parent, without running it. */
function workspaceMajor(root: string): number | undefined {
  for (const folder of foldersUp(root)) {
    const version = versionIn(join(folder, "node_modules", "typescript", "package.json"));
    if (version !== undefined) return Number.parseInt(version, 10);
  }
  return undefined;
}

/** Finds TypeScript 7 or later, which includes a server. */
async function findNative({ root, isTrusted, env, signal, ask }: Surroundings): Promise<FoundServer | undefined> {
  const own = join(root, "node_modules", ".bin", "tsc");
  const candidates = [...(isTrusted ? [own] : []), programOnPath("tsc", env, root)];
  for (const command of candidates.filter((one) => one !== undefined)) {
    const { isOk, line } = await probe([command, "--version"], { cwd: dirname(command), env, signal, ask });
    const version = /^Version (\d+)\..*/.exec(line);
    if (isOk && version && Number(version[1]) >= 7)
      return { kind: "found", version: line, launch: nativeLaunch(command) };
  }
  return undefined;
}

function nativeLaunch(command: string): Launch {
  const preferences = { disableAutomaticTypeAcquisition: true };
  return {
    name: "typescript",
    command,
    args: ["--lsp", "--stdio"],
    env: {},
    settings: { "js/ts": preferences, typescript: preferences, javascript: preferences },
    readiness: "none",
  };
}

/**
 * Finds typescript-language-server, together with a TypeScript version up to 6. Otherwise, the server would use the workspace's TypeScript
 * version.
 */
async function findClassic({ root, isTrusted, env, signal, ask }: Surroundings): Promise<FoundServer | undefined> {
  if (!isTrusted) return undefined;
  const own = join(root, "node_modules", ".bin", "typescript-language-server");
  const ownTsserver = join(root, "node_modules", "typescript", "lib", "tsserver.js");
  const candidates = [programOnPath("typescript-language-server", env, root), own];
  for (const command of candidates.filter((one) => one !== undefined)) {
    const { isOk, line } = await probe([command, "--version"], { cwd: root, env, signal, ask });
    if (!isOk) continue;
    const tsserver = isClassic(ownTsserver) ? ownTsserver : tsserverBeside(command, env, root);
    if (tsserver !== undefined) {
      return { kind: "found", version: `typescript-language-server ${line}`, launch: classicLaunch(command, tsserver) };
    }
  }
  return undefined;
}

function classicLaunch(command: string, tsserver: string): Launch {
  return {
    name: "typescript-language-server",
    command,
    args: ["--stdio"],
    env: {},
    initializationOptions: {
      hostInfo: "symposium",
      // Otherwise the server downloads type declarations unasked.
      disableAutomaticTypingAcquisition: true,
      tsserver: { path: tsserver, useSyntaxServer: "never" },
    },
    settings: {},
    readiness: "progress",
    drivesTsserver: true,
  };
}

/** Returns the path of the `tsserver.js` installed with the server, or else of the one that belongs to `tsserver` in PATH. */
function tsserverBeside(command: string, env: NodeJS.ProcessEnv, root: string): string | undefined {
  const tsserver = programOnPath("tsserver", env, root);
  const starts = [command, ...(tsserver === undefined ? [] : [tsserver])].flatMap((one) => [
    dirname(one),
    dirname(realPath(one)),
  ]);
  for (const start of starts) {
    for (const folder of foldersUp(start)) {
      const candidates = [
        join(folder, "node_modules", "typescript"),
        join(folder, "lib", "node_modules", "typescript"),
      ];
      const found = candidates.map((one) => join(one, "lib", "tsserver.js")).find(isClassic);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Returns whether the path `tsserver` belongs to TypeScript 6 or earlier. */
function isClassic(tsserver: string): boolean {
  const version = versionIn(join(dirname(tsserver), "..", "package.json"));
  return version !== undefined && Number.parseInt(version, 10) <= 6;
}

const maxManifestBytes = 1024 * 1024;

function versionIn(manifest: string): string | undefined {
  try {
    return stringOf(
      parsedObject(readUntrustedBytes(manifest, { maxBytes: maxManifestBytes, links: "follow" }).toString())?.[
        "version"
      ],
    );
  } catch {
    return undefined; // None is installed there.
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
