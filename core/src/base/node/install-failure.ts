import { SymposiumError } from "../symposium-error.js";
import type { Fault } from "../problem.js";

const offline =
  "The network is unreachable. Check the connection and the proxy settings (HTTPS_PROXY), then try again.";

/** Remedies for errors of systems and package tools, keyed by error text. The first match wins. */
const remedies: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/\bENOSPC\b|no space left on device/i, "The disk is full: free some space and try again."],
  [/\b(?:EACCES|EPERM|EROFS)\b|permission denied/i, "Check the owner and permissions of that folder."],
  [/\b(?:EMFILE|ENFILE)\b/, "Too many files are open: close some programs and try again."],
  [
    /\bENAMETOOLONG\b/,
    "A path is too long for this system: choose a shorter home folder, or allow long paths on Windows.",
  ],
  [
    /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|UND_ERR\w*)\b/,
    offline,
  ],
  [
    /NewConnectionError|Temporary failure in name resolution|Could not resolve host|dns error|spurious network/i,
    offline,
  ],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|CERTIFICATE_VERIFY_FAILED/,
    "The network uses its own certificate: set NODE_EXTRA_CA_CERTS, or the tool's equivalent setting, to the certificate file.",
  ],
  [/\bE40[13]\b|\b40[13] (?:Unauthorized|Forbidden)/i, "The registry requires a sign-in: check its credentials."],
  [
    /\b(?:E404|ETARGET)\b|No matching version|No matching distribution|could not find `|not found in registry/i,
    "There is no such package or version: check the name and version.",
  ],
];

export function remedyFor(text: string): string | undefined {
  return remedies.find(([pattern]) => pattern.test(text))?.[1];
}

export function installFailed(subject: string, reason: string, hint?: string, cause?: unknown): SymposiumError {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return new SymposiumError("install-failed", `${subject}: ${sentence}`, hint ?? remedyFor(reason), { cause });
}

/** Wraps an exception as `install-failed` about `subject`, unless it already has a user-readable message or is an abort. */
export function toInstallFailure(thrown: unknown, subject: string): unknown {
  if (thrown instanceof SymposiumError || !(thrown instanceof Error) || thrown.name === "AbortError") return thrown;
  return installFailed(subject, reasonOf(thrown), undefined, thrown);
}

export function usable<T>(value: T | Fault): T {
  if (isFault(value)) throw new SymposiumError("install-failed", value.message, value.hint);
  return value;
}

function isFault(value: unknown): value is Fault {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "problem";
}

/** Returns the innermost message with its code, since `fetch failed` alone is unhelpful. */
export function reasonOf(thrown: Error): string {
  let reason = thrown;
  while (reason.cause instanceof Error) reason = reason.cause;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : "";
  return code === "" || reason.message.includes(code) ? reason.message || code : `${reason.message} (${code})`;
}
