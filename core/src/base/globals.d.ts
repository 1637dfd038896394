/**
 * Web-standard globals available in Node, browsers and workers; the only platform API for platform-independent folders. Projects for Node
 * or DOM use their platform's declarations instead.
 */
declare class AbortSignal {
  static any(signals: readonly AbortSignal[]): AbortSignal;
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
interface TimerHandle {
  unref?(): void;
}
declare function setTimeout(callback: () => void, ms: number): TimerHandle;
declare function clearTimeout(handle: TimerHandle | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function atob(base64: string): string;
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
declare const URL: { canParse(text: string): boolean };
declare const crypto: { randomUUID(): string };
interface String {
  isWellFormed(): boolean;
  toWellFormed(): string;
}
