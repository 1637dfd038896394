/** What went wrong, for programs. The text for people is the message. */
export type SymposiumErrorCode =
  | "component-start-failed"
  | "component-exited"
  | "component-stalled"
  | "startup-timeout"
  | "unknown-proxy"
  | "unknown-agent"
  | "invalid-component"
  | "invalid-config"
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

/** A failure the product itself reports. It never crosses a wire: each protocol boundary maps it once. */
export class SymposiumError extends Error {
  override readonly name = "SymposiumError";

  /** `message` says what failed and with which value; `hint` is the user's next step. */
  constructor(
    readonly code: SymposiumErrorCode,
    message: string,
    readonly hint?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Message and hint as one text, for places that show a single line. */
  get text(): string {
    return this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof SymposiumError) return thrown.text;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
