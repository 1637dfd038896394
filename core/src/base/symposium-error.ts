export type SymposiumErrorCode =
  | "component-start-failed"
  | "component-exited"
  | "component-stalled"
  | "startup-timeout"
  | "unknown-proxy"
  | "unknown-agent"
  | "invalid-component"
  | "invalid-config"
  | "invalid-policy"
  | "forbidden-by-policy"
  | "invalid-arguments"
  | "config-not-written"
  | "locked"
  | "sandbox-unavailable"
  | "folder-not-trusted"
  | "trust-not-read"
  | "trust-not-kept"
  | "usage-not-read"
  | "secrets-not-read"
  | "secrets-not-kept"
  | "sign-in-failed"
  | "unsafe-archive"
  | "install-failed"
  | "checksum-mismatch"
  | "unsupported-engine"
  | "not-installed"
  | "invalid-trace"
  | "cancelled"
  | "crate-unavailable"
  | "package-unavailable"
  | "memory-unavailable"
  | "mcp-server-failed"
  | "ide-operation-failed"
  | "host-failed"
  | "editor-refused"
  | "invalid-program"
  | "unsupported-distribution";

/** Failure reported by Symposium itself. Protocol boundaries convert it; it is never sent over a wire. */
export class SymposiumError extends Error {
  override readonly name = "SymposiumError";

  /** `message` describes the failure and the value; `hint` is the user's next step. */
  constructor(
    readonly code: SymposiumErrorCode,
    message: string,
    readonly hint?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get text(): string {
    return this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
  }
}

/** Rejects what the user or caller wrote; `hint` says what to write instead. */
export function invalidArguments(message: string, hint?: string, options?: ErrorOptions): SymposiumError {
  return new SymposiumError("invalid-arguments", message, hint, options);
}

/** Throws an error with the fault's text if there is one. */
export function assertNoFault(
  code: SymposiumErrorCode,
  fault: { readonly message: string; readonly hint?: string } | undefined,
): void {
  if (fault) throw new SymposiumError(code, fault.message, fault.hint);
}

export function messageOf(thrown: unknown): string {
  if (thrown instanceof SymposiumError) return thrown.text;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
