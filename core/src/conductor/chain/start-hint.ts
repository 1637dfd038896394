import type { ProcessExit } from "../../base/component-process.js";
import type { Command } from "../../base/command.js";

const sandboxFault = "sandbox: ";

/** Describes in one sentence how `component`, such as `The agent "opencode"`, ended. Omits `exit.stderrTail`. */
export function describeExit(component: string, exit: ProcessExit): string {
  if (exit.startError?.startsWith(sandboxFault)) {
    return `${component} was not started, since it has to run in a sandbox: ${exit.startError.slice(sandboxFault.length)}`;
  }
  if (exit.startError !== undefined) return `${component} could not be started (${exit.startError}).`;
  if (exit.endReason !== undefined) return `${component} was ended by its sandbox: ${exit.endReason}`;
  if (exit.signal !== null) return `${component} was ended by ${exit.signal}.`;
  return `${component} exited with code ${exit.code ?? "unknown"}.`;
}

/**
 * Suggests the user's next step after `command` failed, in one or two sentences; undefined if unknown. `place` is the place where the user
 * configured the command, such as `config.jsonc` or `--agent`.
 */
export function startHint(command: Command, exit: ProcessExit, place?: string): string | undefined {
  const where = place === undefined ? "" : ` in ${place}`;
  if (exit.startError !== undefined) return hintOnStartError(command, exit.startError, where);
  if (exit.endReason !== undefined) return undefined;
  const hint = hintsOnOutput.find(({ pattern }) => pattern.test(exit.stderrTail))?.hint;
  if (hint !== undefined) return hint(where);
  if (exit.code === 127) {
    return `Exit code 127 means that a program which "${command.command}" starts was not found: install it, or add its folder to the PATH of the editor.`;
  }
  if (exit.code === 126)
    return `Exit code 126 means that "${command.command}" may not be executed: check its permissions.`;
  return undefined;
}

const editorPath = (where: string): string =>
  `If a terminal finds it, the editor was started with a shorter PATH: give the full path${where}, or start the editor from that terminal.`;

const installers: Readonly<Record<string, string>> = {
  node: "Install Node.js 20 or newer (https://nodejs.org).",
  npm: "Install Node.js 20 or newer (https://nodejs.org), which brings npm.",
  npx: "Install Node.js 20 or newer (https://nodejs.org), which brings npx.",
  cargo: "Install Rust (https://rustup.rs), which brings cargo.",
  uv: "Install uv (https://docs.astral.sh/uv).",
  uvx: "Install uv (https://docs.astral.sh/uv), which brings uvx.",
  pipx: "Install pipx (https://pipx.pypa.io).",
  bunx: "Install Bun (https://bun.sh), which brings bunx.",
};

function hintOnStartError(command: Command, startError: string, where: string): string | undefined {
  const program = command.command;
  switch (startError) {
    case "ENOENT": {
      if (/[/\\]/.test(program))
        return `"${program}" does not exist, or the program that its first line names is missing: correct the path${where}.`;
      const installer = installers[program.toLowerCase().replace(/\.(?:exe|cmd)$/, "")];
      if (installer !== undefined) return `"${program}" is not on PATH. ${installer} ${editorPath(where)}`;
      return `"${program}" is not on PATH: install it or give the full path${where}.`;
    }
    case "ENOTDIR":
      return command.cwd === undefined
        ? `A part of the path "${program}" is not a folder: correct it${where}.`
        : `The working folder "${command.cwd}" is not a folder: create it or choose another.`;
    case "EACCES":
    case "EPERM":
      return `"${program}" may not be executed: check that it is a program and its permissions (chmod +x).`;
    case "ENOEXEC":
      return `"${program}" is not a program for this computer: install the build for this operating system and processor.`;
    case "E2BIG":
      return `The arguments and the environment are too long: shorten them${where}.`;
    case "EINVAL":
    case "ERR_INVALID_ARG_VALUE":
      return `The command, its arguments or its environment hold a character that cannot be passed to a program: correct them${where}.`;
    case "EMFILE":
    case "ENFILE":
    case "EAGAIN":
    case "ENOMEM":
      return "The system has no resources left for another process: close some programs and try again.";
    default:
      return undefined;
  }
}

const hintsOnOutput: readonly { readonly pattern: RegExp; readonly hint: (where: string) => string }[] = [
  {
    pattern: /\bE404\b|404 Not Found - GET|No matching distribution found|not found in the package registry/i,
    hint: (where) => `The package does not exist: correct its name and version${where}.`,
  },
  {
    pattern:
      /\b(?:EBADENGINE|ERR_REQUIRE_ESM|Unsupported engine)\b|requires Node(?:\.js)?\b|SyntaxError: The requested module 'node:/i,
    hint: () => "It needs a newer Node.js: install the current release (https://nodejs.org).",
  },
  {
    pattern:
      /\b(?:ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ERR_SOCKET_TIMEOUT|network timeout)\b/,
    hint: () =>
      "The network could not be reached: check the connection and the proxy settings (HTTPS_PROXY), then try again.",
  },
  {
    pattern: /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    hint: () => "The network uses a certificate that Node.js does not know: set NODE_EXTRA_CA_CERTS to its file.",
  },
  { pattern: /\bENOSPC\b/, hint: () => "The disk is full: free some space and try again." },
  {
    pattern: /not recognized as an internal or external command|: (?:command )?not found\b/i,
    hint: () => "A program that it starts was not found: install it, or add its folder to the PATH of the editor.",
  },
  {
    pattern:
      /not logged in|not authenticated|unauthenticated|unauthorized|authentication|\blog ?in\b|\bsign ?in\b|\bauth\b|\bAPI[ _-]?key\b/i,
    hint: () => "It needs you to sign in: run its own sign-in in a terminal, or set its API key, then try again.",
  },
];
