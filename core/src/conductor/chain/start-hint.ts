import type { ProcessExit } from "../../base/component-process.js";
import type { Command } from "../../base/command.js";

const sandboxFault = "sandbox: ";

/** Describes in one sentence how `component`, such as `The agent "opencode"`, ended. Omits `exit.stderrTail`. */
export function describeExit(component: string, exit: ProcessExit): string {
  if (exit.startError?.startsWith(sandboxFault)) {
    return `${component} must run in a sandbox and was not started: ${exit.startError.slice(sandboxFault.length)}`;
  }
  if (exit.startError !== undefined) return `${component} could not be started (${exit.startError}).`;
  if (exit.endReason !== undefined) return `${component} was stopped by its sandbox: ${exit.endReason}`;
  if (exit.signal !== null) return `${component} was stopped by ${exit.signal}.`;
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
    return `Exit code 127: a program that "${command.command}" starts was not found. Install it, or add its folder to the editor's PATH.`;
  }
  if (exit.code === 126) return `Exit code 126: "${command.command}" can't be executed. Check its permissions.`;
  return undefined;
}

const editorPath = (where: string): string =>
  `If it works in a terminal, the editor has a shorter PATH: give the full path${where}, or start the editor from that terminal.`;

const installers: Readonly<Record<string, string>> = {
  node: "Install Node.js 20 or newer (https://nodejs.org).",
  npm: "Install Node.js 20 or newer (https://nodejs.org), which includes npm.",
  npx: "Install Node.js 20 or newer (https://nodejs.org), which includes npx.",
  cargo: "Install Rust (https://rustup.rs), which includes cargo.",
  uv: "Install uv (https://docs.astral.sh/uv).",
  uvx: "Install uv (https://docs.astral.sh/uv), which includes uvx.",
  pipx: "Install pipx (https://pipx.pypa.io).",
  bunx: "Install Bun (https://bun.sh), which includes bunx.",
};

function hintOnStartError(command: Command, startError: string, where: string): string | undefined {
  const program = command.command;
  switch (startError) {
    case "ENOENT": {
      if (/[/\\]/.test(program))
        return `"${program}" doesn't exist, or its first line names a missing program. Correct the path${where}.`;
      const installer = installers[program.toLowerCase().replace(/\.(?:exe|cmd)$/, "")];
      if (installer !== undefined) return `"${program}" is not on PATH. ${installer} ${editorPath(where)}`;
      return `"${program}" is not on PATH: install it or give the full path${where}.`;
    }
    case "ENOTDIR":
      return command.cwd === undefined
        ? `Part of the path "${program}" isn't a folder. Correct it${where}.`
        : `The working folder "${command.cwd}" is not a folder: create it or choose another.`;
    case "EACCES":
    case "EPERM":
      return `"${program}" can't be executed. Check that it is a program and that its permissions allow it (chmod +x).`;
    case "ENOEXEC":
      return `"${program}" isn't built for this computer. Install the build for your operating system and processor.`;
    case "E2BIG":
      return `The arguments and environment are too long. Shorten them${where}.`;
    case "EINVAL":
    case "ERR_INVALID_ARG_VALUE":
      return `The command, its arguments or its environment contain a character that can't be passed to a program. Correct them${where}.`;
    case "EMFILE":
    case "ENFILE":
    case "EAGAIN":
    case "ENOMEM":
      return "The system has no resources left for another process. Close some programs and try again.";
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
      "The network is unreachable. Check the connection and the proxy settings (HTTPS_PROXY), then try again.",
  },
  {
    pattern: /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    hint: () => "Node.js doesn't trust the network's certificate. Set NODE_EXTRA_CA_CERTS to the certificate file.",
  },
  { pattern: /\bENOSPC\b/, hint: () => "The disk is full: free some space and try again." },
  {
    pattern: /not recognized as an internal or external command|: (?:command )?not found\b/i,
    hint: () => "A program that it starts was not found. Install it, or add its folder to the editor's PATH.",
  },
  {
    pattern:
      /not logged in|not authenticated|unauthenticated|unauthorized|authentication|\blog ?in\b|\bsign ?in\b|\bauth\b|\bAPI[ _-]?key\b/i,
    hint: () => "You need to sign in. Run its sign-in command in a terminal or set its API key, then try again.",
  },
];
