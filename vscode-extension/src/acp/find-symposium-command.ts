import * as l10n from "@vscode/l10n";
import { type Command, SymposiumError } from "@symposium-dev/core";

export interface SymposiumCommandSearch {
  /** Setting `symposium.acpAgentPath`; empty if not set. */
  readonly configuredPath: string;
  /** Folders that may contain the bundled command, nearest first. */
  readonly bundledFolders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As in `process.platform` and `process.arch`. */
  readonly platform: string;
  readonly arch: string;
  /** The editor's own runtime, which runs scripts. */
  readonly execPath: string;
  readonly isFile: (path: string) => boolean;
}

const commandName = "symposium-acp-agent";

/**
 * Returns the start command of `symposium-acp-agent` without arguments: from the configured path, the bundled command, or PATH. Throws if
 * the configured path doesn't exist, instead of trying the others.
 */
export function findSymposiumCommand(search: SymposiumCommandSearch): Command {
  const { configuredPath, isFile } = search;
  if (configuredPath !== "") {
    if (isFile(configuredPath)) return commandOf(configuredPath, search);
    throw new SymposiumError(
      "component-start-failed",
      l10n.t('The setting symposium.acpAgentPath is "{0}", but this file doesn\'t exist.', configuredPath),
      l10n.t("Correct it, or clear it to use the command included in the extension."),
    );
  }
  const found = candidates(search).find(isFile);
  if (found !== undefined) return commandOf(found, search);
  throw new SymposiumError(
    "component-start-failed",
    l10n.t("The command {0} wasn't found in the extension or on PATH.", commandName),
    l10n.t("Reinstall the extension, or set symposium.acpAgentPath to the command's full path."),
  );
}

function candidates({ bundledFolders, env, platform, arch }: SymposiumCommandSearch): string[] {
  const [slash, separator] = platform === "win32" ? (["\\", ";"] as const) : (["/", ":"] as const);
  const program = platform === "win32" ? `${commandName}.exe` : commandName;
  const bundled = bundledFolders.flatMap((folder) => [
    [folder, `${platform}-${arch}`, program].join(slash),
    [folder, program].join(slash),
    [folder, `${commandName}.cjs`].join(slash),
  ]);
  const path = env["PATH"] ?? env["Path"] ?? "";
  const onPath = path.split(separator).filter((folder) => folder !== "");
  const names = platform === "win32" ? [program, `${commandName}.cmd`] : [program];
  return [...bundled, ...onPath.flatMap((folder) => names.map((name) => [folder, name].join(slash)))];
}

/** Returns the command for a path. Scripts are run by the editor's runtime, so that Node.js needn't be installed. */
function commandOf(path: string, { execPath }: SymposiumCommandSearch): Command {
  if (!/\.[cm]?js$/i.test(path)) return { command: path, args: [], env: {} };
  return { command: execPath, args: [path], env: { ELECTRON_RUN_AS_NODE: "1" } };
}

/** Returns the editor's environment for agents, without variables that control the editor itself. */
export function inheritedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(?:VSCODE_|CODE_SERVER_|ELECTRON_)|^(?:NODE_OPTIONS|NODE_EXEC_PATH)$/i.test(name),
    ),
  );
}
